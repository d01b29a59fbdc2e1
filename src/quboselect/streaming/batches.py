"""Counts of a table that comes in batches: in two exact passes, or batch after batch.

Two passes are exact: the first collects values (`Tally`), the second counts pairs (`JointCounts`). A single pass has to
cut numbers by the values of its first batch. A `Reading` says how each batch is read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from operator import add
from typing import Any

import numpy as np

from ..counting.bins import bins_of
from ..counting.gpu import device_of
from ..qubo import Bits
from ..tables.class_weights import check_class_weight
from ..tables.feature_names import label_of
from .checks import (
    NO_TARGET,
    Batch,
    Schema,
    check_features,
    check_same_samples,
    errors_naming,
    feature_mask,
    is_empty,
    sample_batches,
)
from .counts import JointCounts
from .edges import CATEGORY, Coding
from .layout import check_bytes, check_memory
from .values import Tally
from .weights import Scale, Weighing, has_weight, weighed
from .wide import BatchCodes, are_kept

Check = Callable[[int, tuple[str, ...] | None], Any]


@dataclass(frozen=True, eq=False)
class Reading:
    """How batches are read and counted.

    Parameters
    ----------
    bins : int, "auto" or "auto-by-class"
    edges : "apart" or "quantile"
        Into how many bins numbers are cut, and where, as in `feature_codes`.
    categorical : "auto", or names, indices or a bool array
        Features to take as categories though they are numbers.
    exclude : names, indices or a bool array, optional
        Features that are not read.
    target_type : "auto", "classes" or "continuous"
        What the target is.
    n_jobs : int or None
        Threads, counted as joblib does.
    by_class : bool
        Whether pairs of features are counted class by class.
    class_weight : "balanced" or mapping, optional
        How much classes count, as in `SelectQUBO`.
    scale : Scale, optional
        How weights are counted, which `weighing` of all batches says; None where there are none.
    by_rows : bool
        Whether batches of very many features may be kept as codes, of which the redundancy makes rows.
    device : str or None
        Where PyTorch counts pairs of features, as in `redundancy.MutualInformation`.

    Examples
    --------
    >>> more_counts(None, [[1.0], [2.0]], [0, 1], Reading(bins=2), batch="batch 1")
    JointCounts(2 samples, 1 features)
    """

    bins: int | str = "auto"
    edges: str = "apart"
    categorical: Any = "auto"
    exclude: Any = None
    target_type: str = "auto"
    n_jobs: int | None = -1
    by_class: bool = False
    class_weight: Any = None
    scale: Scale | None = None
    by_rows: bool = False
    device: str | None = None

    def weighing(self, y: Any, sample_weight: Any = None, *, batch: str = "") -> Weighing:
        """Return what must be known of the weights of one batch, before anything is counted."""
        return Weighing.of(y, sample_weight, class_weight=self.class_weight, batch=batch)

    def weighed(self, weighing: Weighing) -> "Reading":
        """Return the reading that counts weights, given what is known of those of all batches."""
        return replace(self, scale=weighing.scale())

    def tally(
        self, X: Any, y: Any, sample_weight: Any = None, *, exact_bytes: int = 2**30, batch: str = ""
    ) -> Tally:
        """Return the tally of one batch, which must have a target."""
        if y is None:
            raise ValueError(f"{batch}: {NO_TARGET}")
        return Tally.of(
            X,
            y,
            sample_weight,
            scale=self.scale,
            categorical=self.categorical,
            exclude=self.exclude,
            target_type=self.target_type,
            exact_bytes=exact_bytes,
            n_jobs=self.n_jobs,
            batch=batch,
        )

    def coding(self, tally: Tally) -> Coding:
        """Return how the batches of a tally become codes."""
        if self.class_weight is not None:
            check_class_weight(self.class_weight, continuous=tally.target_kind == "continuous")
        return tally.coding(self.bins, edges=self.edges, by_class=self.by_class)


def reading_of(
    importance: Any,
    redundancy: Any,
    *,
    categorical: Any = "auto",
    exclude: Any = None,
    target_type: str = "auto",
    class_weight: Any = None,
) -> Reading:
    """Return how to read batches for two measures, or raise where counts of pairs cannot give these measures.

    Parameters
    ----------
    importance, redundancy : measures
        Those that have a method ``of``, such as `MutualInformation`, with the same bins, edges and estimate. The
        threads are those of the redundancy.
    categorical, exclude, target_type, class_weight
        As in `Reading`.
    """
    for name, measure in (("importance", importance), ("redundancy", redundancy)):
        if isinstance(measure, type) or not callable(getattr(measure, "of", None)):
            raise ValueError(
                f"{name} must be a measure of counts, as {name}.MutualInformation, for batches and counts, got "
                f"{measure!r}: use that, or fit a table in memory."
            )
    for name in ("bins", "edges", "estimate"):
        here, there = (getattr(measure, name, None) for measure in (importance, redundancy))
        if here != there:
            raise ValueError(
                f"importance and redundancy must have the same {name} for batches and counts, got {here!r} and "
                f"{there!r}."
            )
    return Reading(
        importance.bins,
        importance.edges,
        categorical,
        exclude,
        target_type,
        redundancy.n_jobs,
        any(getattr(measure, "by_class", False) for measure in (importance, redundancy)),
        class_weight,
        by_rows=getattr(redundancy, "tables", False) and hasattr(redundancy, "rows"),
        device=getattr(redundancy, "device", None),
    )


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
    tally = _sum_of_all(
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
    if is_empty(X, y):
        return before
    if reading.class_weight is not None and not isinstance(reading.class_weight, Mapping):
        check_class_weight(reading.class_weight)
        raise ValueError(
            f"class_weight={reading.class_weight!r} needs the labels of all batches, which one pass does not know: use "
            "fit_batches, or a mapping of labels to weights."
        )
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


def check_counts(counts: JointCounts, reading: Reading, kept: Bits) -> None:
    """Raise unless the counts were made as the reading says.

    Parameters
    ----------
    counts : JointCounts
    reading : Reading
    kept : bool array of shape (n_features,)
        The features that are not excluded.
    """
    coding = counts.coding
    _check_bins(counts, reading)
    made_with = None if coding.scale is None else coding.scale.class_weight
    if made_with != reading.class_weight:
        raise ValueError(
            f"the counts were made with class_weight={made_with!r}, but the selector has "
            f"class_weight={reading.class_weight!r}: use the same, or make new counts."
        )
    if coding.target is None:
        raise ValueError("the counts have no target: make the tally and the counts with y.")
    if counts.n_samples == 0:
        raise ValueError("the counts have no samples: add those of a batch.")
    if (coding.excluded & kept).any():
        i = int((coding.excluded & kept).argmax())
        raise ValueError(
            f"the counts leave out {label_of(i, coding.names)}: name it in exclude, or make counts that have it."
        )
    auto = reading.target_type == "auto"
    made = "continuous" if coding.continuous else "classes"
    wanted = ("continuous" if coding.measured else "classes") if auto else reading.target_type
    if wanted != made:
        guess = f", which is {wanted!r} here" if auto else ""
        raise ValueError(
            f"the counts were made with target_type={made!r}, but the selector has "
            f"target_type={reading.target_type!r}{guess}: use target_type={made!r}, or make new counts."
        )
    _check_categories(coding, reading.categorical, kept)


def _check_bins(counts: JointCounts, reading: Reading) -> None:
    coding = counts.coding
    n_labels = None if coding.continuous else coding.n_labels
    # What "auto" made of the first batches stays what it is when more come.
    same = reading.bins in (coding.bins, coding.asked_bins)
    if not same and bins_of(reading.bins, counts.weight, n_labels) != coding.bins:
        raise ValueError(
            f"the counts were made with {coding.bins} bins, but the measures have bins={reading.bins!r}: use the same."
        )
    if coding.edges != reading.edges:
        raise ValueError(
            f"the counts were made with edges={coding.edges!r}, but the measures have edges={reading.edges!r}: use the "
            "same."
        )
    if reading.by_class and not coding.by_class:
        raise ValueError(
            "the measures need pairs counted class by class, which the counts do not have: make their coding with "
            "by_class=True."
        )


def _check_categories(coding: Coding, categorical: Any, kept: Bits) -> None:
    wanted = feature_mask(categorical, coding.n_features, coding.names, "categorical_features")
    for i in np.flatnonzero(kept & (wanted != coding.categorical)).tolist():
        labels = coding.cuts[i].labels
        # Text, and true and false, are categories in any case.
        if coding.cuts[i].kind != CATEGORY or not all(isinstance(one, str | bytes | bool) for one in labels):
            here, there = ("numbers", "categories") if wanted[i] else ("categories", "numbers")
            change = "leave it out of" if wanted[i] else "name it in"
            raise ValueError(
                f"the counts take {label_of(i, coding.names)} for {here}, but the selector takes it for {there}: "
                f"{change} categorical_features, or make new counts."
            )


def _sum_of_all(tallies: Iterable[Tally]) -> Tally | None:
    """Return the sum of tallies; None of none."""
    sums: list[Tally] = []
    for tally in tallies:
        if sums:
            check_features(*(Schema(one.batch, one.names, one.n_features) for one in (sums[0], tally)))
        sums.append(tally)
        # Each is more than twice the next: a large one is seldom copied, and all are at most twice the largest.
        while len(sums) > 1 and _kept_values(sums[-2]) <= 2 * _kept_values(sums[-1]):
            last = sums.pop()
            sums[-1] += last
    while len(sums) > 1:
        last = sums.pop()
        sums[-1] += last
    return sums[0] if sums else None


def _kept_values(tally: Tally) -> int:
    """Return how many values a tally keeps."""
    return sum(one.values.size if one.sketch is None else one.sketch.size for one in tally.features)


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
