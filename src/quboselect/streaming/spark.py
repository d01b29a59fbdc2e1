"""Counts of Spark's frames, made where their partitions are.

Two passes, as over files: which values there are, then how often each pair of codes occurs together. A partition of any
length is read batch by batch and becomes one row; workers add these rows up, and few of the sums come to the driver. Of
very many features the codes of each batch come there instead.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial, reduce
from operator import add
from typing import Any

from ..errors import optional
from .batches import Reading
from .counts import JointCounts
from .edges import Coding
from .fits import selector_reading
from .wide import BatchCodes, are_kept, coded_batch

SUMS = 8  # rows that come to the driver, at the most
SCHEMA = "value binary"


def fit_spark(selector: Any, frame: Any, target: str, *, features: Sequence[str] | None = None) -> Any:
    """Select features of a frame of Spark's, as `SelectQUBO.fit` would of the whole table in memory.

    The frame is computed twice; ``frame.cache()`` saves the second time. The workers need this package and pyarrow.

    Parameters
    ----------
    selector : SelectQUBO
        It is fitted, and returned.
    frame : pyspark.sql.DataFrame
    target : str
        The name of the column to predict.
    features : sequence of str, optional
        The columns to select from; by default all others.
    """
    reading = replace(selector_reading(selector), n_jobs=1)  # Spark runs many tasks at once
    if not hasattr(frame, "mapInArrow"):
        raise TypeError(
            f"frame must be a DataFrame of Spark 3.3 or newer, got {type(frame).__name__}: use fit for tables."
        )
    optional("pyarrow", "arrow", "fit_spark")
    columns = list(frame.columns)
    wanted = [name for name in columns if name != target] if features is None else list(features)
    for name in (target, *wanted):
        if name not in columns:
            raise ValueError(f"the frame has no column {name!r}: it has {', '.join(map(repr, columns))}.")
    if target in wanted:
        raise ValueError(f"features must not have the target in it, got {target!r}: leave it out.")
    some = frame.select(*wanted, target)
    tally = total(some, partial(tallies, target=target, reading=reading), "values")
    coding = reading.coding(tally)
    if reading.by_rows and are_kept(coding, tally.n_samples):
        rows = some.mapInArrow(partial(codes, target=target, coding=coding), SCHEMA).collect()
        parts = (pickle.loads(rows.pop().value) for _ in range(len(rows)))
        return selector._fit_seen(BatchCodes.of(coding, tally.n_samples, parts))
    counted = partial(counts, target=target, coding=coding, device=reading.device)
    return selector.fit_counts(total(some, counted, "counts"))


def total(frame: Any, function: Callable[..., Any], what: str) -> Any:
    """Return the sum of what a function makes of each partition."""
    parts = frame.mapInArrow(function, SCHEMA).repartition(SUMS).mapInArrow(sums, SCHEMA).collect()
    if not parts:
        raise ValueError(f"the frame has no samples, so there are no {what} to add up.")
    return reduce(add, (pickle.loads(part.value) for part in parts))


def tallies(batches: Iterable[Any], *, target: str, reading: Reading) -> Iterator[Any]:
    """Yield the values of a partition, as one row."""
    yield from one_row(reading.tally(X, y) for X, y in pairs(batches, target))


def counts(
    batches: Iterable[Any], *, target: str, coding: Coding, device: str | None = None
) -> Iterator[Any]:
    """Yield the counts of a partition, as one row."""
    found = JointCounts.over(coding, pairs(batches, target), n_jobs=1, device=device)
    yield from one_row([found] if found.n_samples else [])


def codes(batches: Iterable[Any], *, target: str, coding: Coding) -> Iterator[Any]:
    """Yield the codes of a partition, one row for each batch."""
    for X, y in pairs(batches, target):
        yield from one_row([coded_batch(coding, X, y, n_jobs=1)])


def sums(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the sum of some rows, as one row."""
    yield from one_row(pickle.loads(value.as_py()) for batch in batches for value in batch.column(0))


def pairs(batches: Iterable[Any], target: str) -> Iterator[tuple[Any, Any]]:
    """Yield the features and the target of each batch that has samples."""
    pa = optional("pyarrow", "arrow", "fit_spark")

    for batch in batches:
        if batch.num_rows:
            features = [name for name in batch.schema.names if name != target]
            yield batch.select(features), pa.chunked_array([batch.column(target)])


def one_row(values: Iterable[Any]) -> Iterator[Any]:
    """Yield the sum of some values as a row of one field; no row where there are none."""
    pa = optional("pyarrow", "arrow", "fit_spark")

    each = iter(values)
    first = next(each, None)
    if first is not None:
        whole = pickle.dumps(reduce(add, each, first))
        yield pa.RecordBatch.from_pydict({"value": pa.array([whole], pa.binary())})
