"""Counts of a table that comes in batches: in two exact passes, or batch after batch.

Two passes are exact: the first collects values (`Tally`), the second counts pairs (`JointCounts`), or keeps codes
(`BatchCodes`). A single pass has to cut numbers by the values of its first batch, and has no ranks.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from itertools import chain
from operator import add
from typing import Any

from ..counting.gpu import device_of
from .checks import Batch, check_same_samples, errors_naming, feature_mask, is_empty, sample_batches
from .counts import JointCounts
from .layout import check_bytes, check_memory
from .ranks import RANKS
from .reading import Reading, check_counts
from .values import tally_sum
from .weights import Scale, has_weight, weighed
from .wide import BatchCodes, are_kept

Check = Callable[[int, tuple[str, ...] | None], Any]


def batch_counts(
    batches: Iterable[Any] | Callable[[], Iterable[Any]],
    reading: Reading,
    *,
    exact_bytes: int = 2**30,
    max_bytes: int | None = None,
    check: Check | None = None,
) -> JointCounts | BatchCodes:
    """Return the counts of a table in batches, of which only one is in memory at a time.

    Of a table of more than 2 000 features it is the codes, if the reading is ``by_rows`` and they fit into memory.

    Parameters
    ----------
    batches : iterable of (X, y) or (X, y, weight), or a function that returns one
        It is read twice, with weights three times, so a generator will not do, but a function that makes one will.
        Errors call a batch by its attribute ``name``, or by its number. Batches without samples, or without weight,
        are skipped. The first look is only at targets and weights: an attribute ``heads`` of the batches, if there is
        one, is an iterable of the same without their features.
    reading : Reading
    exact_bytes : int
        About how much memory the distinct values of floats may take; above it, quantiles come from sketches.
    max_bytes : int, optional
        The most memory for the counts, or for the codes; None is half of the memory.
    check : function, optional
        Called once as ``check(n_features, names)`` after the first pass. What it raises ends the work early.

    Examples
    --------
    >>> batches = [([[1.0], [2.0]], ["a", "a"]), ([[3.0], [4.0]], ["b", "b"])]
    >>> batch_counts(batches, Reading(bins=2)).information().importance
    array([1.])
    """
    check_bytes(max_bytes)
    if reading.device is not None:
        device_of(reading.device)
    start = _batch_maker(batches)
    some = sample_batches(start())
    first = next(some, None)
    if first is None:
        raise ValueError("batches must hold at least one batch (X, y) that has samples, got none.")
    some = chain([first], some)
    weighted = first.weight is not None
    if weighted or reading.class_weight is not None:
        heads = sample_batches(batches.heads) if hasattr(batches, "heads") else some
        looks = (reading.weighing(one.y, one.weight, batch=one.name) for one in _alike(heads, weighted))
        reading, some = reading.weighed(reduce(add, looks)), sample_batches(start())
    tally = tally_sum(
        reading.tally(X, y, weight, exact_bytes=exact_bytes, batch=name)
        for X, y, name, weight in _alike(some, weighted)
        if has_weight(Batch(X, y, name, weight), reading.scale)
    )
    if tally is None:
        raise ValueError(
            "batches must be the same each time they are read, but no sample has any weight now."
        )
    if check is not None:
        check(tally.n_features, tally.names)
    coding = reading.coding(tally)
    counts: JointCounts | BatchCodes
    if reading.by_rows and are_kept(coding, tally.n_samples, max_bytes):
        counts = BatchCodes.over(coding, tally.n_samples, sample_batches(start()), n_jobs=reading.n_jobs)
    else:
        how: dict[str, Any] = {"n_jobs": reading.n_jobs, "max_bytes": max_bytes, "device": reading.device}
        counts = JointCounts.over(coding, sample_batches(start()), **how)
    check_same_samples(tally.n_samples, counts.n_samples)
    if counts.units != tally.units:
        raise ValueError("batches must be the same each time they are read, but their weights have changed.")
    return counts


def _alike(batches: Iterable[Batch], weighted: bool) -> Iterator[Batch]:
    """Yield batches that all have weights, or none."""
    for batch in batches:
        if (batch.weight is not None) != weighted:
            here, there = ("weights", "none") if weighted else ("no weights", "some")
            raise ValueError(
                f"the first batch has {here}, but {batch.name} has {there}: give all of them weights."
            )
        yield batch


def check_one_pass(reading: Reading) -> None:
    """Raise where a reading needs all batches before the first is counted."""
    if RANKS in reading.moments:
        raise ValueError(
            "ranks must be False for partial_fit, got Correlation(ranks=True): the ranks of a batch change with those "
            "that come after it; use ranks=False, or fit_batches."
        )
    if reading.class_weight is not None and not isinstance(reading.class_weight, Mapping):
        raise ValueError(
            f"class_weight={reading.class_weight!r} needs the labels of all batches, which one pass does not know: use "
            "fit_batches, or a mapping of labels to weights."
        )


def more_counts(
    before: JointCounts | None, X: Any, y: Any, reading: Reading, *, batch: str, sample_weight: Any = None
) -> JointCounts | None:
    """Return the counts of one more batch added to those before.

    The first batch decides where numbers are cut; new labels, and the first missing value of a feature, get codes of
    their own. A batch without samples changes nothing.

    Parameters
    ----------
    before : JointCounts or None
        None before the first batch.
    X, y : table of shape (n_samples, n_features), and target
    reading : Reading
        As for the batches before, or an error says what differs.
    batch : str
        The name of the batch in errors.
    sample_weight : array of shape (n_samples,), optional
        None is one each. The weights of the first batch that has some decide whether they count samples, as whole
        numbers do, and how finely they are counted.
    """
    check_one_pass(reading)
    if is_empty(X, y):
        return before
    if before is None or y is None:
        if sample_weight is not None or reading.class_weight is not None:
            with errors_naming(batch):
                reading = replace(reading, scale=reading.weighing(y, sample_weight).scale(more=True))
        # The batch is in memory already: a sketch would save nothing.
        coding = reading.coding(reading.tally(X, y, sample_weight, exact_bytes=2**62, batch=batch))
        how: dict[str, Any] = {"n_jobs": reading.n_jobs, "device": reading.device}
        return JointCounts.of(coding, X, y, sample_weight, batch=batch, **how)
    old = before.coding
    check_counts(before, reading, ~feature_mask(reading.exclude, old.n_features, old.names, "exclude"))
    if sample_weight is not None and old.scale is None:
        old = replace(old, scale=Scale())  # so far each sample has counted once
    some = weighed(Batch(X, y, batch, sample_weight), old.scale)
    if some is None:
        raise ValueError(f"{batch}: sample_weight must not be zero for every sample: leave the batch out.")
    table = old.table(some.X, batch=batch)
    coding = old.grown(table, some.y, target_type=reading.target_type, batch=batch)
    check_memory(coding)
    return before.grown(coding).with_units(some._replace(X=table), reading.n_jobs, reading.device)


def _batch_maker(batches: Any) -> Callable[[], Iterable[Any]]:
    """Return a function that starts the batches from the first, or raise where they can be read only once."""
    if hasattr(batches, "__iter__"):
        if iter(batches) is batches:
            raise TypeError(
                f"batches are read twice, and a {type(batches).__name__} can be read only once: give a list, an "
                "iterable that starts again, or the function that makes it."
            )
        return lambda: batches
    if callable(batches):
        return lambda: batches()
    raise TypeError(f"batches must be an iterable of (X, y) or a function, got {type(batches).__name__}.")
