"""FeatureValues: the distinct values of one feature, and how often each occurs, or what it weighs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..counting.bins import are_close, distances
from ..tables.frames import in_order
from .edges import CATEGORY, NOTHING, NUMBER, Cut, kind_words, label_cut, number_cut
from .sketch import WIDTH, Sketch
from .weights import Units, unit_sums

LEAST = 200  # the width of a sketch, even of a very wide table
PARTS = 16  # parts of a sketch that its memory is meant for, about


@dataclass(frozen=True, eq=False)
class FeatureValues:
    """The distinct values of one feature, and how often each occurs. ``a + b`` adds up two batches.

    Parameters
    ----------
    kind : "number", "category" or "nothing"
        What the feature holds; "nothing" where all values were missing so far, which can be added to either.
    values : array
        Distinct and ascending: numbers as int64, uint64 or float64, labels as objects. Empty where there is a sketch.
    counts : int64 array
        How often each occurs; of samples with weights their units, as a `Scale` makes them.
    missing : int
        The same of the samples without a value.
    boolean : bool
        Whether the labels are true and false.
    sketch : Sketch, optional
        That of numbers, instead of the values.
    batch : str
        The batch in which the kind was first seen, for errors.
    absent : int
        The number of samples without a value, whatever their weights.

    Examples
    --------
    >>> both = number_values(np.array([2.0, 1.0])) + number_values(np.array([2.0, np.nan]))
    >>> both.values.tolist(), both.counts.tolist(), both.missing
    ([1.0, 2.0], [1, 2], 1)
    """

    kind: str
    values: NDArray[Any]
    counts: NDArray[np.int64]
    missing: int = 0
    boolean: bool = False
    sketch: Sketch | None = None
    batch: str = ""
    absent: int = 0

    def __post_init__(self) -> None:
        for array in (self.values, self.counts):
            array.flags.writeable = False

    def __add__(self, other: "FeatureValues") -> "FeatureValues":
        if not isinstance(other, FeatureValues):
            return NotImplemented
        gaps: dict[str, Any] = {"missing": self.missing + other.missing, "absent": self.absent + other.absent}
        if NOTHING in (self.kind, other.kind):
            return replace(other if self.kind == NOTHING else self, **gaps)
        if (self.kind, self.boolean) != (other.kind, other.boolean):
            here, there = (kind_words(one.kind == NUMBER, one.boolean) for one in (self, other))
            raise ValueError(
                f"holds {here} in {self.batch or 'one batch'} but {there} in {other.batch or 'another'}: make it the "
                "same in all batches."
            )
        if self.kind == CATEGORY:
            counts = dict(zip(self.values.tolist(), self.counts.tolist(), strict=True))
            for value, count in zip(other.values.tolist(), other.counts.tolist(), strict=True):
                counts[value] = counts.get(value, 0) + count
            return replace(_label_counts(counts), boolean=self.boolean, batch=self.batch, **gaps)
        a, b = _same_type(self, other)
        if a.sketch is None and b.sketch is None:
            values, sums = _value_sums(a, b)
            return replace(self, values=values, counts=sums, **gaps)
        width = min(one.sketch.width for one in (a, b) if one.sketch is not None)
        return replace(self._with_sketch(a.as_sketch(width) + b.as_sketch(width)), **gaps)

    @property
    def rank_error(self) -> float:
        """How far a rank may be off, as a share of the samples; 0.0 where all values are kept."""
        return 0.0 if self.sketch is None else self.sketch.rank_error

    def within(self, limit: int) -> "FeatureValues":
        """Return the same, as a sketch where there are floats of more than ``limit`` distinct values."""
        if self.values.dtype.kind != "f" or self.values.size <= limit:
            return self
        # A table of very many features leaves less room for each.
        return self._with_sketch(self.as_sketch(int(np.clip(limit // PARTS, LEAST, WIDTH))))

    def as_sketch(self, width: int) -> Sketch:
        """Return the numbers as a sketch; one that is there as it is."""
        return Sketch.of(self.values, self.counts, width) if self.sketch is None else self.sketch

    def _with_sketch(self, sketch: Sketch) -> "FeatureValues":
        return replace(self, sketch=sketch, values=np.empty(0), counts=np.empty(0, np.int64))

    def weights(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return ascending numbers and how many samples each stands for; a sketch has kept some of the numbers."""
        return (self.values, self.counts) if self.sketch is None else self.sketch.weights()

    def cut(self, bins: int, edges: str, samples: float | None = None) -> Cut:
        """Return how the feature becomes codes: numbers by bins, each label by itself.

        ``samples`` is how many the values count, where they are those of weights.
        """
        if self.kind == NOTHING:
            return Cut(NOTHING, 1, 0)
        if self.kind == CATEGORY:
            return self.label_cut()
        if bins == 1:
            return Cut(NUMBER, 1, 0)
        # A bin between values that occur is not empty, whichever values a sketch has kept.
        exact = self.sketch is None or edges == "apart"
        return number_cut(
            *self.weights(), bins, edges, missing=self.missing > 0, exact=exact, samples=samples
        )

    def label_cut(self) -> Cut:
        """Return how labels, or numbers that are labels, become codes: one for each."""
        return label_cut(self.values.tolist(), boolean=self.boolean, missing=self.missing > 0)


def number_values(x: NDArray[Any], batch: str = "", units: Units | None = None) -> FeatureValues:
    """Return the distinct values of numbers, where NaN is a missing value; ``units`` are the weights of the samples.

    Examples
    --------
    >>> number_values(np.array([3, 1, 3], np.uint8)).counts.tolist()
    [1, 2]
    """
    if x.dtype.kind in "ui":
        low, high = int(x.min()), int(x.max())
        dtype = np.int64 if high < 2**63 else np.uint64
        if not are_close(low, high, x.size):
            return FeatureValues(NUMBER, *_distinct(x.astype(dtype, copy=False), units), batch=batch)
        counts = unit_sums(distances(x, low), units)
        steps = np.flatnonzero(counts)
        # The sum of an unsigned and a signed number would be a float.
        return FeatureValues(NUMBER, steps.astype(dtype) + dtype(low), counts[steps], batch=batch)
    x = x.astype(np.float64, copy=False)
    missing = np.isnan(x)
    absent = n_missing = int(missing.sum())
    if units is not None and absent:
        n_missing, units = int(units[missing].sum()), units[~missing]
    values, counts = _distinct(x[~missing] if absent else x, units)
    kind = NUMBER if values.size else NOTHING
    return FeatureValues(kind, values, counts, n_missing, batch=batch, absent=absent)


def _distinct(x: NDArray[Any], units: Units | None) -> tuple[NDArray[Any], Units]:
    """Return the distinct values of numbers, and how often each occurs, or what it weighs."""
    if units is None:
        return np.unique(x, return_counts=True)
    values, places = np.unique(x, return_inverse=True)
    return values, unit_sums(places, units)


def label_values(
    codes: NDArray[Any],
    labels: Sequence[Any],
    boolean: bool = False,
    batch: str = "",
    units: Units | None = None,
) -> FeatureValues:
    """Return the distinct labels of a feature, given as positions in ``labels``, -1 where missing.

    Examples
    --------
    >>> label_values(np.array([0, -1, 0]), ["red", "blue"]).values
    array(['red'], dtype=object)
    """
    counts = unit_sums(codes.astype(np.intp) + 1, units, len(labels) + 1)
    positive = {label: count for label, count in zip(labels, counts[1:].tolist(), strict=True) if count}
    gaps: dict[str, Any] = {"missing": int(counts[0]), "absent": int((codes < 0).sum())}
    return replace(_label_counts(positive), boolean=boolean, batch=batch, **gaps)


def _label_counts(counts: dict[Any, int]) -> FeatureValues:
    labels = in_order(counts)
    values = np.empty(len(labels), object)
    values[:] = labels
    numbers = np.array([counts[label] for label in labels], np.int64)
    return FeatureValues(CATEGORY if labels else NOTHING, values, numbers)


def _value_sums(a: FeatureValues, b: FeatureValues) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the distinct values of two batches, and the sums of their counts."""
    if np.array_equal(a.values, b.values):
        return a.values, a.counts + b.counts
    values, counts = np.concatenate([a.values, b.values]), np.concatenate([a.counts, b.counts])
    # A stable sort finds that both are in order, and merges them.
    order = np.argsort(values, kind="stable")
    values, counts = values[order], counts[order]
    first = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    return (values, counts) if first.size == values.size else (values[first], np.add.reduceat(counts, first))


def _same_type(a: FeatureValues, b: FeatureValues) -> tuple[FeatureValues, FeatureValues]:
    """Return two sets of numbers in the one type that holds both."""
    if a.values.dtype == b.values.dtype:
        return a, b
    # A table holds no integers that floats cannot tell apart, so int64 holds every other.
    integers = a.values.dtype.kind in "ui" and b.values.dtype.kind in "ui"
    dtype: Any = np.int64 if integers else np.float64
    return replace(a, values=a.values.astype(dtype)), replace(b, values=b.values.astype(dtype))
