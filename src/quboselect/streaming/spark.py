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
from .checks import Batch, check_target
from .counts import JointCounts
from .edges import Coding
from .fits import selector_reading
from .reading import Reading
from .weights import has_weight
from .wide import BatchCodes, are_kept, coded_batch

SUMS = 8  # rows that come to the driver, at the most
SCHEMA = "value binary"


def fit_spark(
    selector: Any,
    frame: Any,
    target: str,
    *,
    features: Sequence[str] | None = None,
    weight: str | None = None,
) -> Any:
    """Select features of a frame of Spark's, as `SelectQUBO.fit` would of the whole table in memory.

    The frame is computed twice, with weights three times; ``frame.cache()`` saves all but the first. The workers need
    this package and pyarrow.

    Parameters
    ----------
    selector : SelectQUBO
        It is fitted, and returned.
    frame : pyspark.sql.DataFrame
    target : str
        The name of the column to predict.
    features : sequence of str, optional
        The columns to select from; by default all others.
    weight : str, optional
        The name of the column that says how much each sample counts.
    """
    reading = replace(selector_reading(selector), n_jobs=1)  # Spark runs many tasks at once
    if not hasattr(frame, "mapInArrow"):
        raise TypeError(
            f"frame must be a DataFrame of Spark 3.3 or newer, got {type(frame).__name__}: use fit for tables."
        )
    optional("pyarrow", "arrow", "fit_spark")
    check_target(target)
    columns = list(frame.columns)
    ends = [target] if weight is None else [target, weight]
    wanted = [name for name in columns if name not in ends] if features is None else list(features)
    for name in (*ends, *wanted):
        if name not in columns:
            raise ValueError(f"the frame has no column {name!r}: it has {', '.join(map(repr, columns))}.")
    for name, what in zip(ends, ("target", "weight"), strict=False):
        if name in wanted or ends.count(name) > 1:
            raise ValueError(f"features must not have the {what} in it, got {name!r}: leave it out.")
    if weight is not None or reading.class_weight is not None:
        look = partial(weighings, ends=ends, reading=reading)
        reading = reading.weighed(total(frame.select(*ends), look, "weights"))
    some = frame.select(*wanted, *ends)
    tally = total(some, partial(tallies, ends=ends, reading=reading), "values")
    coding = reading.coding(tally)
    if reading.by_rows and are_kept(coding, tally.n_samples):
        rows = some.mapInArrow(partial(codes, ends=ends, coding=coding), SCHEMA).collect()
        coded = (pickle.loads(rows.pop().value) for _ in range(len(rows)))
        return selector._fit_seen(BatchCodes.of(coding, tally.n_samples, coded))
    counted = partial(counts, ends=ends, coding=coding, device=reading.device)
    return selector.fit_counts(total(some, counted, "counts"))


def total(frame: Any, function: Callable[..., Any], what: str) -> Any:
    """Return the sum of what a function makes of each partition."""
    rows = frame.mapInArrow(function, SCHEMA).repartition(SUMS).mapInArrow(sums, SCHEMA).collect()
    if not rows:
        raise ValueError(f"the frame has no samples, so there are no {what} to add up.")
    return reduce(add, (pickle.loads(row.value) for row in rows))


def weighings(batches: Iterable[Any], *, ends: Sequence[str], reading: Reading) -> Iterator[Any]:
    """Yield what must be known of the weights of a partition, as one row."""
    yield from one_row(reading.weighing(y, weight) for _, y, _, weight in parts(batches, ends))


def tallies(batches: Iterable[Any], *, ends: Sequence[str], reading: Reading) -> Iterator[Any]:
    """Yield the values of a partition, as one row."""
    some = (batch for batch in parts(batches, ends) if has_weight(batch, reading.scale))
    yield from one_row(reading.tally(X, y, weight) for X, y, _, weight in some)


def counts(
    batches: Iterable[Any], *, ends: Sequence[str], coding: Coding, device: str | None = None
) -> Iterator[Any]:
    """Yield the counts of a partition, as one row."""
    found = JointCounts.over(coding, parts(batches, ends), n_jobs=1, device=device)
    yield from one_row([found] if found.n_samples else [])


def codes(batches: Iterable[Any], *, ends: Sequence[str], coding: Coding) -> Iterator[Any]:
    """Yield the codes of a partition, one row for each batch."""
    for batch in parts(batches, ends):
        some = coded_batch(coding, batch, n_jobs=1)
        yield from one_row([] if some is None else [some])


def sums(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the sum of some rows, as one row."""
    yield from one_row(pickle.loads(value.as_py()) for batch in batches for value in batch.column(0))


def parts(batches: Iterable[Any], ends: Sequence[str]) -> Iterator[Batch]:
    """Yield the features and the target, and the weights if these are named too, of each batch that has samples."""
    pa = optional("pyarrow", "arrow", "fit_spark")

    for batch in batches:
        if batch.num_rows:
            features = [name for name in batch.schema.names if name not in ends]
            columns = [pa.chunked_array([batch.column(name)]) for name in ends]
            yield Batch(batch.select(features), columns[0], "", *columns[1:])


def one_row(values: Iterable[Any]) -> Iterator[Any]:
    """Yield the sum of some values as a row of one field; no row where there are none."""
    pa = optional("pyarrow", "arrow", "fit_spark")

    each = iter(values)
    first = next(each, None)
    if first is not None:
        whole = pickle.dumps(reduce(add, each, first))
        yield pa.RecordBatch.from_pydict({"value": pa.array([whole], pa.binary())})
