"""Dask's arrays and frames. Partitions flow in and stay where they are; counts, added up as a tree, flow out.

Two passes, as over files: what values there are, then how often each pair met. Whatever scheduler Dask uses is used,
a cluster where there is a client of one. A worker that is lost takes its tasks with it, which are then run elsewhere.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np

from ..errors import optional
from .coding import Coding
from .joint import JointCounts
from .tally import Tally

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


def _check_width(n: int, expected: int) -> None:
    if n != expected:
        raise ValueError(f"X has {n} features, but SelectQUBO is expecting {expected} features as input.")


def partitions(X: Any, y: Any) -> list[tuple[Any, Any]]:
    """Return the partitions of a table of Dask's and of its target, in pairs of what Dask has not computed yet.

    Parameters
    ----------
    X : dask array of shape (samples, n), or dask frame
    y : dask array or series in the same partitions, or an array or series in memory
        One in memory is cut, for which the lengths of the partitions are computed first, if they are not known.
    """
    _check_kinds(X, y)
    frame = hasattr(X, "columns")
    if not frame and X.ndim != 2:
        raise ValueError(f"X must be two-dimensional (n_samples, n_features), got shape {X.shape}.")
    if not frame and X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    if is_dask(y):
        y = _matched(X, y)
        labels = list(np.ravel(y.to_delayed()))
    else:
        labels = _cut(X, y)
    tables = list(np.ravel(X.to_delayed()))
    if len(tables) != len(labels):
        raise ValueError(
            f"X and y must have the same partitions, got {len(tables)} and {len(labels)}: make both of one table, or "
            f"{_advice(X, y)}."
        )
    return list(zip(tables, labels, strict=True))


def _advice(X: Any, y: Any) -> str:
    """Return how y gets the partitions of X."""
    if not hasattr(y, "chunks"):
        return "y.repartition(divisions=X.divisions)"
    if hasattr(X, "chunks"):
        return "X.compute_chunk_sizes() and y.rechunk((X.chunks[0],))"
    return "y.rechunk((tuple(X.map_partitions(len).compute()),))"


def _check_kinds(X: Any, y: Any) -> None:
    """Raise where X is no array or frame of Dask's, or y no target."""
    # By their types, as what is delayed says that it has any attribute.
    if not any(hasattr(type(X), name) for name in ("chunks", "columns", "divisions")):
        raise TypeError(
            f"X must be an array or a frame of Dask's, got {type(X).__name__}: make one of it, as by "
            "dask.array.from_delayed, dask.dataframe.from_delayed or to_dataframe."
        )
    if y is None:
        raise ValueError("this estimator requires y to be passed, but the target y is None.")
    if is_dask(y) and not any(hasattr(type(y), name) for name in ("chunks", "divisions")):
        raise TypeError(
            f"y must be an array or a series, in memory or of Dask's, got {type(y).__name__}: make one of it, as by "
            "dask.array.from_delayed or dask.dataframe.from_delayed."
        )


def _matched(X: Any, y: Any) -> Any:
    """Return the target in the partitions of the table, as far as these are known."""
    if getattr(y, "ndim", 1) == 2:
        if y.shape[1] != 1:
            raise ValueError(f"y must be one target, got {y.shape[1]} columns: pick one.")
        y = y[y.columns[0]] if hasattr(y, "columns") else y[:, 0]
    if hasattr(X, "divisions") and hasattr(y, "divisions"):
        if X.known_divisions and y.known_divisions and X.divisions != y.divisions:
            raise ValueError(
                f"X and y must have the same partitions, but their divisions differ, {X.divisions[:3]}... and "
                f"{y.divisions[:3]}...: make both of one table, or y.repartition(divisions=X.divisions)."
            )
    elif hasattr(X, "chunks") and hasattr(y, "chunks") and not np.isnan([X.shape[0], y.shape[0]]).any():
        if X.shape[0] != y.shape[0]:
            raise ValueError(
                f"X and y must have the same number of samples, got {X.shape[0]} and {y.shape[0]}."
            )
        return y.rechunk((X.chunks[0],))
    return y


def _cut(X: Any, y: Any) -> list[Any]:
    """Return a target in memory in the partitions of the table."""
    dask = _dask()
    if hasattr(X, "chunks") and not np.isnan(X.shape[0]):
        lengths = X.chunks[0]
    else:
        lengths = dask.compute(*(dask.delayed(len)(part) for part in np.ravel(X.to_delayed())))
    ends = np.cumsum((0, *lengths))
    values = y.iloc if hasattr(y, "iloc") else y if hasattr(y, "shape") else np.asarray(y)
    if len(y) != ends[-1]:
        raise ValueError(f"X and y must have the same number of samples, got {ends[-1]} and {len(y)}.")
    return [dask.delayed(values[start:stop], traverse=False) for start, stop in pairwise(ends)]


def tallied(pieces: Sequence[tuple[Any, Any]], **wishes: Any) -> Tally:
    """Return what values there are in partitions, seen where they are.

    Parameters
    ----------
    pieces : sequence of (X, y)
        As `partitions` returns them.
    **wishes
        Arguments of `Tally.of`.
    """
    tally: Tally = _added(_tally, pieces, SPLIT, **wishes)
    return tally


def counted(pieces: Sequence[tuple[Any, Any]], coding: Coding) -> JointCounts:
    """Return the counts of partitions, made where they are.

    Parameters
    ----------
    pieces : sequence of (X, y)
        As `partitions` returns them.
    coding : Coding
    """
    # What one task adds up is in the memory of one worker.
    split = int(np.clip(ROOM // max(JointCounts.bytes_needed(coding), 1), 2, SPLIT))
    counts: JointCounts = _added(_counts, pieces, split, coding=_dask().delayed(coding, traverse=False))
    return counts


def _added(value: Callable[..., Any], pieces: Sequence[tuple[Any, Any]], split: int, **options: Any) -> Any:
    """Return the sum of a value of each partition, added up as a tree."""
    dask = _dask()
    task, total = dask.delayed(value), dask.delayed(_sum)
    values = [task(X, y, batch=f"partition {i}", **options) for i, (X, y) in enumerate(pieces)]
    while len(values) > 1:
        values = [total(values[i : i + split]) for i in range(0, len(values), split)]
    (result,) = dask.compute(values[0])
    if result is None:
        raise ValueError("X must have at least one sample, but every partition is empty.")
    return result


def _dask() -> Any:
    return optional("dask", "dask", "fit")


# What runs on the workers. Each task has one thread, as many run at once; an empty partition has nothing to add.


def _tally(X: Any, y: Any, *, batch: str, **wishes: Any) -> Tally | None:
    return Tally.of(X, y, n_jobs=1, batch=batch, **wishes) if _filled(X, y, batch) else None


def _counts(X: Any, y: Any, *, batch: str, coding: Coding) -> JointCounts | None:
    return JointCounts.of(coding, X, y, n_jobs=1, batch=batch) if _filled(X, y, batch) else None


def _sum(values: Sequence[Any]) -> Any:
    full = [value for value in values if value is not None]
    return reduce(add, full) if full else None


def _filled(X: Any, y: Any, batch: str) -> bool:
    """Return whether a partition has samples, and refuse one whose target has more or fewer."""
    if len(X) != len(y):
        raise ValueError(
            f"X and y must have the same partitions, but {batch} has {len(X)} samples in X and {len(y)} in y: make "
            "both of one table."
        )
    return len(X) > 0
