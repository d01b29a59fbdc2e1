"""Counts of Dask's arrays and frames, made where their partitions are.

Two passes, as over files: which values there are, then how often each pair of codes occurs together. The sums are made
as a tree, and only they come to the client; of very many features the codes do. Dask's own scheduler runs the tasks: a
cluster where there is a client of one. If a worker is lost, its tasks are run again elsewhere.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np

from ..errors import optional
from ..qubo import Bits
from ..tables.target import PICK
from .batches import Check
from .checks import NO_TARGET, Batch
from .counts import JointCounts
from .edges import Coding
from .reading import Reading
from .values import Tally
from .weights import Weighing, has_weight
from .wide import BatchCodes, CodedBatch, are_kept, coded_batch

SPLIT = 8  # values that one task adds up
ROOM = 2**31  # bytes that those may take


def is_dask(X: Any) -> bool:
    """Return whether a table is one of Dask's, without loading Dask.

    Examples
    --------
    >>> is_dask([[1.0]])
    False
    """
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


def dask_counts(
    X: Any, y: Any, reading: Reading, sample_weight: Any = None, *, check: Check | None = None
) -> JointCounts | BatchCodes:
    """Return the counts of a table of Dask's; of very many features the codes, as `batch_counts` does.

    Parameters
    ----------
    X : dask array of shape (n_samples, n_features), or dask frame
    y : dask array or series in the same partitions, or an array or series in memory
    reading : Reading
        Each task uses one thread, as Dask runs many at once.
    sample_weight : dask array or series in the same partitions, or an array or series in memory, optional
        How much each sample counts. They, and the target, are looked at before the two passes.
    check : function, optional
        Called once as ``check(n_features, names)`` after the first pass. What it raises ends the work early.
    """
    parts = partitions(X, y, sample_weight)
    if sample_weight is not None or reading.class_weight is not None:
        reading = reading.weighed(partition_weighing(parts, reading))
    tally = partition_tally(parts, reading)
    if check is not None:
        check(tally.n_features, tally.names)
    coding = reading.coding(tally)
    if reading.by_rows and are_kept(coding, tally.n_samples):
        return BatchCodes.of(coding, tally.n_samples, partition_codes(parts, coding))
    return partition_counts(parts, coding, reading.device)


def dask_features(X: Any, support: Bits, names: Sequence[str] | None) -> Any:
    """Return the selected features of a table of Dask's, as another one that is not computed yet.

    Parameters
    ----------
    X : dask array of shape (n_samples, n_features), or dask frame
    support : bool array of shape (n_features,)
        The selected features.
    names : sequence of str, optional
        The names of all features in the fit, where it had names.
    """
    frame = hasattr(X, "columns")
    n = len(X.columns) if frame else X.shape[-1]
    if n != support.size:
        raise ValueError(f"X has {n} features, but SelectQUBO is expecting {support.size} features as input.")
    if not support.any():
        warnings.warn("No features were selected.", UserWarning, stacklevel=3)
    if not frame:
        return X[:, np.flatnonzero(support)]
    if names is not None and list(X.columns) != list(names):
        raise ValueError(
            "The feature names should match those that were passed during fit, in the same order: use "
            "X[list(selector.feature_names_in_)]."
        )
    return X[[name for name, selected in zip(X.columns, support, strict=True) if selected]]


def partitions(X: Any, y: Any, sample_weight: Any = None) -> list[tuple[Any, ...]]:
    """Return the partitions of a table of Dask's, of its target and of weights, if any, that are not computed yet.

    Parameters
    ----------
    X : dask array of shape (samples, n), or dask frame
    y, sample_weight : dask array or series in the same partitions, or an array or series in memory
        One in memory is split: the lengths of the partitions are computed first where they are not known.
    """
    _check_kinds(X, y)
    if sample_weight is not None:
        _check_kinds(X, sample_weight, "sample_weight")
    frame = hasattr(X, "columns")
    if not frame and X.ndim != 2:
        raise ValueError(f"X must be two-dimensional (n_samples, n_features), got shape {X.shape}.")
    if not frame and X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    tables = list(np.ravel(X.to_delayed()))
    columns = [_column_parts(X, y, len(tables), "y")]
    if sample_weight is not None:
        columns.append(_column_parts(X, sample_weight, len(tables), "sample_weight"))
    return list(zip(tables, *columns, strict=True))


def _column_parts(X: Any, y: Any, number: int, name: str) -> list[Any]:
    """Return a target, or weights, in as many partitions as the table has."""
    if not is_dask(y):
        return _target_parts(X, y, name)
    y = _target_in_partitions(X, y, name)
    parts = list(np.ravel(y.to_delayed()))
    if len(parts) != number:
        raise ValueError(
            f"X and {name} must have the same partitions, got {number} and {len(parts)}: make both of one table, or "
            f"{_repartition_advice(X, y, name)}."
        )
    return parts


def _repartition_advice(X: Any, y: Any, name: str) -> str:
    """Return the call that gives y the partitions of X."""
    if not hasattr(y, "chunks"):
        return f"{name}.repartition(divisions=X.divisions)"
    if hasattr(X, "chunks"):
        return f"X.compute_chunk_sizes() and {name}.rechunk((X.chunks[0],))"
    return f"{name}.rechunk((tuple(X.map_partitions(len).compute()),))"


def _check_kinds(X: Any, y: Any, name: str = "y") -> None:
    """Raise unless X is an array or a frame of Dask's, and y a target."""
    # Looks at the types, as a Delayed object claims to have every attribute.
    if not any(hasattr(type(X), name) for name in ("chunks", "columns", "divisions")):
        raise TypeError(
            f"X must be an array or a frame of Dask's, got {type(X).__name__}: make one, as by "
            "dask.array.from_delayed, dask.dataframe.from_delayed or to_dataframe."
        )
    if y is None:
        raise ValueError(NO_TARGET)
    if is_dask(y) and not any(hasattr(type(y), name) for name in ("chunks", "divisions")):
        raise TypeError(
            f"{name} must be an array or a series, in memory or of Dask's, got {type(y).__name__}: make one, as by "
            "dask.array.from_delayed or dask.dataframe.from_delayed."
        )


def _target_in_partitions(X: Any, y: Any, name: str) -> Any:
    """Return the target in the partitions of the table, as far as these are known."""
    if getattr(y, "ndim", 1) == 2:
        if y.shape[1] != 1:
            raise ValueError(f"{name} must be one column, got {y.shape[1]} columns: {PICK}.")
        y = y[y.columns[0]] if hasattr(y, "columns") else y[:, 0]
    if hasattr(X, "divisions") and hasattr(y, "divisions"):
        if X.known_divisions and y.known_divisions and X.divisions != y.divisions:
            raise ValueError(
                f"X and {name} must have the same partitions, but their divisions differ, {X.divisions[:3]}... and "
                f"{y.divisions[:3]}...: make both of one table, or {name}.repartition(divisions=X.divisions)."
            )
    elif hasattr(X, "chunks") and hasattr(y, "chunks") and not np.isnan([X.shape[0], y.shape[0]]).any():
        if X.shape[0] != y.shape[0]:
            raise ValueError(
                f"X and {name} must have the same number of samples, got {X.shape[0]} and {y.shape[0]}."
            )
        return y.rechunk((X.chunks[0],))
    return y


def _target_parts(X: Any, y: Any, name: str) -> list[Any]:
    """Return a target in memory, split as the partitions of the table are."""
    dask = _dask()
    if hasattr(X, "chunks") and not np.isnan(X.shape[0]):
        lengths = X.chunks[0]
    else:
        lengths = dask.compute(*(dask.delayed(len)(part) for part in np.ravel(X.to_delayed())))
    ends = np.cumsum((0, *lengths))
    values = y.iloc if hasattr(y, "iloc") else y if hasattr(y, "shape") else np.asarray(y)
    if len(y) != ends[-1]:
        raise ValueError(f"X and {name} must have the same number of samples, got {ends[-1]} and {len(y)}.")
    return [dask.delayed(values[start:stop], traverse=False) for start, stop in pairwise(ends)]


def partition_weighing(parts: Sequence[tuple[Any, ...]], reading: Reading) -> Weighing:
    """Return what must be known of the weights of the partitions that `partitions` returns."""
    heads = [(part[1], part[2] if len(part) > 2 else None) for part in parts]
    weighing: Weighing = _tree_sum(_weighing, heads, SPLIT, reading=_dask().delayed(reading, traverse=False))
    return weighing


def partition_tally(parts: Sequence[tuple[Any, ...]], reading: Reading) -> Tally:
    """Return the tally of the partitions that `partitions` returns, made where they are."""
    tally: Tally = _tree_sum(_tally, parts, SPLIT, reading=_dask().delayed(reading, traverse=False))
    return tally


def partition_counts(
    parts: Sequence[tuple[Any, ...]], coding: Coding, device: str | None = None
) -> JointCounts:
    """Return the counts of the partitions that `partitions` returns, made where they are."""
    # What one task adds up is in the memory of one worker.
    split = int(np.clip(ROOM // max(JointCounts.bytes_needed(coding), 1), 2, SPLIT))
    shared = _dask().delayed(coding, traverse=False)
    counts: JointCounts = _tree_sum(_counts, parts, split, coding=shared, device=device)
    return counts


def partition_codes(parts: Sequence[tuple[Any, ...]], coding: Coding) -> Iterator[CodedBatch]:
    """Yield the codes of each of the partitions that `partitions` returns, made where they are."""
    dask = _dask()
    task, shared = dask.delayed(_codes), dask.delayed(coding, traverse=False)
    coded = [task(*part, batch=f"partition {i}", coding=shared) for i, part in enumerate(parts)]
    made = list(reversed(dask.compute(*coded)))
    while made:
        # A part is let go once it was given out: all of them together may fill the memory.
        part = made.pop()
        if part is not None:
            yield part


def _tree_sum(value: Callable[..., Any], parts: Sequence[tuple[Any, ...]], split: int, **options: Any) -> Any:
    """Return the sum of a value of each partition, added up as a tree."""
    dask = _dask()
    task, total = dask.delayed(value), dask.delayed(_sum)
    values = [task(*part, batch=f"partition {i}", **options) for i, part in enumerate(parts)]
    while len(values) > 1:
        values = [total(values[i : i + split]) for i in range(0, len(values), split)]
    (result,) = dask.compute(values[0])
    if result is None:
        raise ValueError("X must have at least one sample, but every partition is empty.")
    return result


def _dask() -> Any:
    return optional("dask", "dask", "fit")


# These functions run on the workers, on one thread each. An empty partition adds nothing.


def _weighing(y: Any, weight: Any, *, batch: str, reading: Reading) -> Weighing | None:
    return reading.weighing(y, weight, batch=batch) if len(y) else None


def _tally(X: Any, y: Any, weight: Any = None, *, batch: str, reading: Reading) -> Tally | None:
    if not _has_samples(X, y, batch) or not has_weight(Batch(X, y, batch, weight), reading.scale):
        return None
    return replace(reading, n_jobs=1).tally(X, y, weight, batch=batch)


def _counts(
    X: Any, y: Any, weight: Any = None, *, batch: str, coding: Coding, device: str | None
) -> JointCounts | None:
    if not _has_samples(X, y, batch):
        return None
    return JointCounts.of(coding, X, y, weight, n_jobs=1, batch=batch, device=device)


def _codes(X: Any, y: Any, weight: Any = None, *, batch: str, coding: Coding) -> CodedBatch | None:
    if not _has_samples(X, y, batch):
        return None
    return coded_batch(coding, Batch(X, y, batch, weight), n_jobs=1)


def _sum(values: Sequence[Any]) -> Any:
    some = [value for value in values if value is not None]
    return reduce(add, some) if some else None


def _has_samples(X: Any, y: Any, batch: str) -> bool:
    """Return whether a partition has samples, after refusing one whose target has more or fewer."""
    if len(X) != len(y):
        raise ValueError(
            f"X and y must have the same partitions, but {batch} has {len(X)} samples in X and {len(y)} in y: make "
            "both of one table."
        )
    return len(X) > 0
