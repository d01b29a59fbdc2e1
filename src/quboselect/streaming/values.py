"""Tally: the distinct values of each feature and of the target, and how often each occurs.

It is made in the first of two passes over a table that does not fit into memory or is spread over a cluster. Tallies
add up: ``a + b`` is the tally of both batches, in any order and grouping. Floats of too many distinct values become a
sketch (KLL, by Apache DataSketches), whose ranks are right to a stated share of the samples.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels.threads import thread_map
from ..counting.bins import BLOCK, are_close, bins_of, distances, target_bins
from ..counting.cuts import check_edges
from ..errors import optional
from ..qubo import Bits
from ..tables.feature_names import label_of
from ..tables.frames import in_order
from ..tables.table import Table, as_table
from ..tables.target import KINDS, MANY, as_target, warn_of_codes
from .checks import Schema, check_features, errors_naming, feature_mask
from .edges import (
    CATEGORY,
    NOTHING,
    NUMBER,
    Coding,
    Cut,
    is_fractional,
    is_numeric,
    kind_words,
    label_cut,
    number_cut,
    table_labels,
    target_values,
)

WIDTH = 4096  # the size of a sketch: 90 kilobytes, ranks right to 0.07 percent of the samples


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
        How often each occurs.
    missing : int
        The number of samples without a value.
    boolean : bool
        Whether the labels are true and false.
    sketch : bytes, optional
        A serialised KLL sketch of numbers, instead of the values.
    batch : str
        The batch in which the kind was first seen, for errors.

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
    sketch: bytes | None = None
    batch: str = ""

    def __post_init__(self) -> None:
        for array in (self.values, self.counts):
            array.flags.writeable = False

    def __add__(self, other: "FeatureValues") -> "FeatureValues":
        if not isinstance(other, FeatureValues):
            return NotImplemented
        missing = self.missing + other.missing
        if NOTHING in (self.kind, other.kind):
            return replace(other if self.kind == NOTHING else self, missing=missing)
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
            return replace(_label_counts(counts), missing=missing, boolean=self.boolean, batch=self.batch)
        a, b = _same_type(self, other)
        if a.sketch is None and b.sketch is None:
            values, sums = _value_sums(a, b)
            return replace(self, missing=missing, values=values, counts=sums)
        total = a.open_sketch()
        total.merge(b.open_sketch())
        return replace(self._with_sketch(total), missing=missing)

    @property
    def rank_error(self) -> float:
        """How far a rank may be off, as a share of the samples, in 99 of 100 cases; 0.0 where all values are kept."""
        return 0.0 if self.sketch is None else float(self.open_sketch().normalized_rank_error(False))

    def within(self, limit: int) -> "FeatureValues":
        """Return the same, as a sketch where there are floats of more than ``limit`` distinct values."""
        if self.values.dtype.kind != "f" or self.values.size <= limit:
            return self
        # A table of very many features leaves less room for each.
        width = int(np.clip(2 * limit // 3, 200, WIDTH))
        return self._with_sketch(self.open_sketch(width))

    def open_sketch(self, width: int = WIDTH) -> Any:
        """Return the numbers as a sketch that others can be merged into."""
        kll = optional("datasketches", "arrow", "a feature of too many distinct values").kll_doubles_sketch
        if self.sketch is not None:
            return kll.deserialize(self.sketch)
        total = kll(width)
        counts = self.counts
        for bit in range(int(counts.max(initial=0)).bit_length()):
            # A value seen a billion times is not added a billion times: a sketch is merged with itself.
            part = kll(width)
            part.update(self.values[(counts >> bit) & 1 == 1].astype(np.float64))
            for _ in range(bit):
                part.merge(kll.deserialize(part.serialize()))
            total.merge(part)
        return total

    def _with_sketch(self, sketch: Any) -> "FeatureValues":
        return replace(self, sketch=sketch.serialize(), values=np.empty(0), counts=np.empty(0, np.int64))

    def weights(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return ascending numbers and how many samples each stands for; a sketch has kept some of the numbers."""
        if self.sketch is None:
            return self.values, self.counts
        sketch = self.open_sketch()
        # The weights that its iterator gives are wrong after some merges (datasketches 5.2); its ranks are right.
        values = np.unique([value for value, _ in sketch])
        reach = np.rint(np.array(sketch.get_cdf(values.tolist(), True))[:-1] * sketch.n).astype(np.int64)
        return values, np.diff(reach, prepend=0)

    def cut(self, bins: int, edges: str) -> Cut:
        """Return how the feature becomes codes: numbers by bins, each label by itself."""
        if self.kind == NOTHING:
            return Cut(NOTHING, 1, 0)
        if self.kind == CATEGORY:
            return self.label_cut()
        # A bin between values that occur is not empty, whichever values a sketch has kept.
        exact = self.sketch is None or edges == "apart"
        return number_cut(*self.weights(), bins, edges, missing=self.missing > 0, exact=exact)

    def label_cut(self) -> Cut:
        """Return how labels, or numbers that are labels, become codes: one for each."""
        return label_cut(self.values.tolist(), boolean=self.boolean, missing=self.missing > 0)


def number_values(x: NDArray[Any], batch: str = "") -> FeatureValues:
    """Return the distinct values of numbers, where NaN is a missing value.

    Examples
    --------
    >>> number_values(np.array([3, 1, 3], np.uint8)).counts.tolist()
    [1, 2]
    """
    if x.dtype.kind in "ui":
        low, high = int(x.min()), int(x.max())
        dtype = np.int64 if high < 2**63 else np.uint64
        if not are_close(low, high, x.size):
            values, counts = np.unique(x.astype(dtype, copy=False), return_counts=True)
            return FeatureValues(NUMBER, values, counts, batch=batch)
        counts = np.bincount(distances(x, low))
        steps = np.flatnonzero(counts)
        # The sum of an unsigned and a signed number would be a float.
        return FeatureValues(NUMBER, steps.astype(dtype) + dtype(low), counts[steps], batch=batch)
    x = x.astype(np.float64, copy=False)
    missing = np.isnan(x)
    n_missing = int(missing.sum())
    values, counts = np.unique(x[~missing] if n_missing else x, return_counts=True)
    return FeatureValues(NUMBER if values.size else NOTHING, values, counts, n_missing, batch=batch)


def label_values(
    codes: NDArray[Any], labels: Sequence[Any], boolean: bool = False, batch: str = ""
) -> FeatureValues:
    """Return the distinct labels of a feature, given as positions in ``labels``, -1 where missing.

    Examples
    --------
    >>> label_values(np.array([0, -1, 0]), ["red", "blue"]).values
    array(['red'], dtype=object)
    """
    counts = np.bincount(codes.astype(np.intp) + 1, minlength=len(labels) + 1)
    positive = {label: count for label, count in zip(labels, counts[1:].tolist(), strict=True) if count}
    return replace(_label_counts(positive), missing=int(counts[0]), boolean=boolean, batch=batch)


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


@dataclass(frozen=True, eq=False, repr=False)
class Tally:
    """The values of the features and of the target of some batches. Make it with `Tally.of`; ``a + b`` adds up.

    Integers and categories are always exact. Floats are as long as their distinct values fit into ``exact_bytes``;
    those of a feature that has more become a sketch.

    Parameters
    ----------
    features : tuple of FeatureValues
    label : FeatureValues, optional
        The values of the target.
    names : tuple of str, optional
    n_samples : int
    categorical, excluded : bool array of shape (n_features,)
        Features taken as categories though they are numbers, and those that are not read.
    target_type : "auto", "classes" or "continuous"
        What the target is; ``"auto"`` is decided once all of it was seen.
    exact_bytes : int
        About how much memory the values of floats may take.
    batch : str
        The name of the batch in errors.

    Examples
    --------
    >>> tally = Tally.of([[1.0], [2.0]], [0, 0]) + Tally.of([[3.0], [4.0]], [1, 1])
    >>> tally, tally.target_kind, tally.rank_error
    (Tally(4 samples, 1 features), 'classes', 0.0)
    >>> tally.coding(bins=2).codes([[4.0], [1.0]]).values
    array([[1, 0]], dtype=uint8)
    """

    features: tuple[FeatureValues, ...]
    label: FeatureValues | None
    names: tuple[str, ...] | None
    n_samples: int
    categorical: Bits
    excluded: Bits
    target_type: str = "auto"
    exact_bytes: int = 2**30
    batch: str = ""

    def __repr__(self) -> str:
        return f"Tally({self.n_samples} samples, {self.n_features} features)"

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any = None,
        *,
        categorical: Any = "auto",
        exclude: Any = None,
        target_type: str = "auto",
        exact_bytes: int = 2**30,
        n_jobs: int | None = -1,
        batch: str = "",
    ) -> "Tally":
        """Return the tally of one batch.

        Parameters
        ----------
        X : array, pandas or polars frame, Arrow table, or sparse matrix, of shape (n_samples, n_features)
        y : array or series of shape (n_samples,), optional
            Labels of any one type, or numbers.
        categorical : "auto", or names, indices or a bool array of features
            Features to take as categories even if they are numbers. Text always is.
        exclude : names, indices or a bool array, optional
            Features that are not read: they are taken to be constant.
        target_type : "auto", "classes" or "continuous"
            What y is; ``"auto"`` is decided as in `SelectQUBO`, by the values of all batches together.
        exact_bytes : int
            About how much memory the distinct values of floats may take before they become sketches, 16 bytes each.
            A sketch draws at random, without a seed: quantiles made of it differ a little from run to run.
        n_jobs : int or None
            Threads, counted as joblib does. The result does not depend on it.
        batch : str
            The name of the batch in errors, as "batch 3" or a file's name.
        """
        if target_type not in KINDS:
            raise ValueError(
                f"target_type must be one of {', '.join(map(repr, KINDS))}, got {target_type!r}."
            )
        if isinstance(exact_bytes, bool) or not isinstance(exact_bytes, int | np.integer) or exact_bytes < 0:
            raise ValueError(f"exact_bytes must be an integer, at least 0, got {exact_bytes!r}.")
        with errors_naming(batch):
            table = as_table(X, categorical=categorical, exclude=exclude)
            label = None if y is None else _target_tally(y, target_type, table.n_samples, batch)
        if table.given is not None:
            raise ValueError("samples in batches have no weights: make the Table without sample_weight.")
        n, names = table.n_features, table.names
        excluded = feature_mask(exclude, n, names, "exclude")
        chosen = feature_mask(categorical, n, names, "categorical")
        features = _feature_tallies(table, excluded, n_jobs, batch)
        options = (target_type, int(exact_bytes), batch)
        return cls(features, label, names, table.n_samples, chosen, excluded, *options)._within_bytes()

    def __add__(self, other: "Tally") -> "Tally":
        if not isinstance(other, Tally):
            return NotImplemented
        here, there = self.batch or "one batch", other.batch or "another batch"
        check_features(
            Schema(here, self.names, self.n_features), Schema(there, other.names, other.n_features)
        )
        for name in ("target_type", "exact_bytes"):
            if getattr(self, name) != getattr(other, name):
                raise ValueError(
                    f"{name} is {getattr(self, name)!r} in {here} but {getattr(other, name)!r} in {there}: "
                    "use the same for both tallies."
                )
        for name in ("categorical", "excluded"):
            if (getattr(self, name) != getattr(other, name)).any():
                raise ValueError(
                    f"{name} features differ in {here} and {there}: use the same for both tallies."
                )
        if (self.label is None) != (other.label is None):
            without = here if self.label is None else there
            raise ValueError(f"{without} has no target, but other batches have: give all of them y.")
        features, label = [], self.label
        for i, (a, b) in enumerate(zip(self.features, other.features, strict=True)):
            with errors_naming(label_of(i, self.names)):
                features.append(a + b)
        if label is not None and other.label is not None:
            with errors_naming("y"):
                label = label + other.label
        n_samples = self.n_samples + other.n_samples
        return replace(self, features=tuple(features), label=label, n_samples=n_samples)._within_bytes()

    def __radd__(self, other: Any) -> "Tally":
        # The sum of a list begins with 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.features)

    @property
    def target_kind(self) -> str | None:
        """What the target is, by all that was seen of it: "classes" or "continuous"; None without one."""
        guess = "continuous" if self._measured else "classes"
        return None if self.label is None else guess if self.target_type == "auto" else self.target_type

    @property
    def _measured(self) -> bool:
        label = self.label
        if label is None or label.sketch is not None:
            return label is not None
        return label.kind == NUMBER and (label.values.size > MANY or is_fractional(label.values))

    @property
    def approximate(self) -> tuple[str, ...]:
        """What has its quantiles from a sketch: features as errors name them, and y."""
        features = [label_of(i, self.names) for i, one in enumerate(self.features) if one.sketch is not None]
        return (*features, "y") if self.label is not None and self.label.sketch is not None else (*features,)

    @property
    def rank_error(self) -> float:
        """How far the rank of an edge may be off, as a share of the samples; 0.0 where all values are kept.

        It is the bound of Apache DataSketches for the least certain feature, which holds in 99 of 100 cases. Above 0.0
        edges, and what is made of them, are not the same in two runs: sketches draw at random and take no seed.
        """
        labels = () if self.label is None else (self.label,)
        return float(max(one.rank_error for one in (*self.features, *labels)))

    @property
    def n_labels(self) -> int | None:
        """The number of classes; None where the target is continuous, and 1 without one."""
        classes = 1 if self.label is None else self.label.values.size
        return None if self.target_kind == "continuous" else classes

    def coding(self, bins: int | str = "auto", *, edges: str = "apart", by_class: bool = False) -> Coding:
        """Return how features and target become codes, where numbers are cut by the values of all batches.

        Parameters
        ----------
        bins : int, "auto" or "auto-by-class"
            About how many bins, from 2 to 65536, or as `bins_of` says for so many samples and labels.
        edges : "apart" or "quantile"
            Where numbers are cut, as in `feature_codes`.
        by_class : bool
            Whether pairs of features are counted class by class, for measures that need it.
        """
        check_edges(edges)
        if self.label is None and (by_class or bins == "auto-by-class"):
            what = "by_class=True" if by_class else f"bins={bins!r}"
            raise ValueError(f"{what} needs a target, but the tally has none: make it with y.")
        number, target = bins_of(bins, self.n_samples, self.n_labels), None
        continuous = self.target_kind == "continuous"
        if self.label is not None:
            cut = target_bins(bins, number)
            target = self.label.cut(cut, edges) if continuous else self.label.label_cut()
            known = self.label.values
            if self.target_type == "auto" and continuous and known.size and not is_fractional(known):
                warn_of_codes(known)
        return Coding(
            tuple(one.cut(number, edges) for one in self.features),
            target,
            self.names,
            number,
            continuous,
            self.categorical,
            self.excluded,
            numeric=self.label is not None and self.label.kind == NUMBER,
            measured=self._measured,
            rank_error=self.rank_error,
            edges=edges,
            asked_bins=bins,
            by_class=by_class,
        )

    def _within_bytes(self) -> "Tally":
        """Return the same, where floats of too many values are sketches."""
        limit = self.exact_bytes // (16 * self.n_features)
        features = tuple(one.within(limit) for one in self.features)
        label = self.label
        # Few whole numbers may be classes in the end, and then each must be kept.
        if label is not None and self.target_kind == "continuous":
            label = label.within(limit)
        return replace(self, features=features, label=label)


def _feature_tallies(
    table: Table, excluded: Bits, n_jobs: int | None, batch: str
) -> tuple[FeatureValues, ...]:
    """Return the values of each feature of a batch."""
    constant = number_values(np.zeros(table.n_samples, np.int8), batch)

    def block_values(first: int) -> list[FeatureValues]:
        block = table.block(first, min(first + BLOCK, table.n_features))
        return [feature_values(i, x) for i, x in enumerate(block, start=first)]

    def feature_values(i: int, x: NDArray[Any]) -> FeatureValues:
        labels = table_labels(table, i)
        if excluded[i]:
            return constant
        if labels is not None:
            return label_values(x, labels, bool(table.boolean[i]), batch)
        return number_values(x, batch)

    blocks = thread_map(block_values, range(0, table.n_features, BLOCK), n_jobs=n_jobs)
    return tuple(one for block in blocks for one in block)


def _target_tally(y: Any, target_type: str, n_samples: int, batch: str) -> FeatureValues:
    """Return the values of the target of a batch."""
    target = as_target(y, "continuous" if target_type == "continuous" else "classes")
    if target.values.size != n_samples:
        raise ValueError(
            f"X and y must have the same number of samples, got {n_samples} and {target.values.size}."
        )
    if is_numeric(target.values, y, target_type):
        return number_values(target.values, batch)
    codes, labels = target_values(target)
    return label_values(codes, labels or [], target.values.dtype.kind == "b", batch)
