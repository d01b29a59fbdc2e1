"""Tally: the distinct values of each feature and of the target, and how often each occurs.

It is made in the first of two passes over a table that does not fit into memory or is spread over a cluster. Tallies
add up: ``a + b`` is the tally of both batches, in any order and grouping. Floats of too many distinct values become a
`Sketch`, whose ranks are right to a stated share of the samples.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels.threads import thread_map
from ..counting.bins import BLOCK, bins_of, target_bins
from ..counting.cuts import check_edges
from ..qubo import Bits
from ..tables.feature_names import label_of
from ..tables.table import Table, as_table
from ..tables.target import KINDS, MANY, as_target, warn_of_codes
from .checks import Batch, Schema, batch_prefix, check_features, errors_naming, feature_mask
from .edges import NUMBER, Coding, is_fractional, is_numeric, table_labels, target_values
from .feature_values import FeatureValues, label_values, number_values
from .weights import Scale, Units, weighed


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
    scale : Scale, optional
        How weights are counted; None where samples have none.

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
    scale: Scale | None = None

    def __repr__(self) -> str:
        return f"Tally({self.n_samples} samples, {self.n_features} features)"

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        scale: Scale | None = None,
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
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts; None is one each. It needs a scale.
        scale : Scale, optional
            That of the weights of all batches, as `Weighing` makes it.
        categorical : "auto", or names, indices or a bool array of features
            Features to take as categories even if they are numbers. Text always is.
        exclude : names, indices or a bool array, optional
            Features that are not read: they are taken to be constant.
        target_type : "auto", "classes" or "continuous"
            What y is; ``"auto"`` is decided as in `SelectQUBO`, by the values of all batches together.
        exact_bytes : int
            About how much memory the distinct values of floats may take before they become sketches, 16 bytes each.
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
        some = weighed(Batch(X, y, batch, sample_weight), scale)
        if some is None:
            raise ValueError(
                f"{batch_prefix(batch)}sample_weight must not be zero for every sample: leave the batch out."
            )
        X, y, _, units = some
        with errors_naming(batch):
            table = as_table(X, categorical=categorical, exclude=exclude)
            label = None if y is None else _target_tally(y, target_type, table.n_samples, batch, units)
        if table.given is not None:
            raise ValueError("X must be a Table without weights: give the weights of a batch beside it.")
        n, names = table.n_features, table.names
        excluded = feature_mask(exclude, n, names, "exclude")
        chosen = feature_mask(categorical, n, names, "categorical")
        features = _feature_tallies(table, excluded, n_jobs, batch, units)
        options = (target_type, int(exact_bytes), batch, scale)
        return cls(features, label, names, table.n_samples, chosen, excluded, *options)._within_bytes()

    def __add__(self, other: "Tally") -> "Tally":
        if not isinstance(other, Tally):
            return NotImplemented
        here, there = self.batch or "one batch", other.batch or "another batch"
        check_features(
            Schema(here, self.names, self.n_features), Schema(there, other.names, other.n_features)
        )
        if self.scale != other.scale:
            raise ValueError(
                f"weights are counted in another way in {here} than in {there}: use one Scale for all."
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

        It is that of the least certain feature, and always holds. Above 0.0 edges, and what is made of them, depend a
        little on the order and grouping of the batches; the same batches give the same edges.
        """
        labels = () if self.label is None else (self.label,)
        return float(max(one.rank_error for one in (*self.features, *labels)))

    @property
    def units(self) -> int:
        """What all samples add up to: their number, or that of the units of their weights."""
        first = self.features[0]
        return int(first.weights()[1].sum()) + first.missing

    @property
    def weight(self) -> float:
        """How many samples they count: as their weights say, where these are whole."""
        return float(self.n_samples) if self.scale is None else self.scale.samples(self.n_samples, self.units)

    @property
    def n_labels(self) -> int | None:
        """The number of classes; None where the target is continuous, and 1 without one."""
        classes = 1 if self.label is None else self.label.values.size
        return None if self.target_kind == "continuous" else classes

    def coding(
        self, bins: int | str | None = "auto", *, edges: str = "apart", by_class: bool = False
    ) -> Coding:
        """Return how features and target become codes, where numbers are cut by the values of all batches.

        Parameters
        ----------
        bins : int, "auto" or "auto-by-class", optional
            About how many bins, from 2 to 65536, or as `bins_of` says for so many samples and labels. None is one.
        edges : "apart" or "quantile"
            Where numbers are cut, as in `feature_codes`.
        by_class : bool
            Whether pairs of features are counted class by class, for measures that need it.
        """
        check_edges(edges)
        if self.label is None and (by_class or bins == "auto-by-class"):
            what = "by_class=True" if by_class else f"bins={bins!r}"
            raise ValueError(f"{what} needs a target, but the tally has none: make it with y.")
        number, target = 1 if bins is None else bins_of(bins, self.weight, self.n_labels), None
        continuous = self.target_kind == "continuous"
        if self.label is not None:
            cut = number if bins is None else target_bins(bins, number)
            samples = None if self.scale is None else self.weight
            target = self.label.cut(cut, edges, samples) if continuous else self.label.label_cut()
            known = self.label.values
            if self.target_type == "auto" and continuous and known.size and not is_fractional(known):
                warn_of_codes(known)
        return Coding(
            tuple(one.cut(number, edges, self._samples_of(one)) for one in self.features),
            target,
            self.names,
            number,
            continuous,
            self.categorical,
            self.excluded,
            numeric=self.label is not None and self.label.kind == NUMBER,
            measured=self._measured,
            rank_error=0.0 if bins is None else self.rank_error,
            edges=edges,
            asked_bins=bins,
            by_class=by_class,
            scale=self.scale,
        )

    def _samples_of(self, one: FeatureValues) -> float | None:
        """Return how many samples the values of a feature count, where they are those of weights."""
        scale = self.scale
        return None if scale is None else scale.samples(self.n_samples - one.absent, self.units - one.missing)

    def _within_bytes(self) -> "Tally":
        """Return the same, where floats of too many values are sketches."""
        limit = self.exact_bytes // (16 * self.n_features)
        features = tuple(one.within(limit) for one in self.features)
        label = self.label
        # Few whole numbers may be classes in the end, and then each must be kept.
        if label is not None and self.target_kind == "continuous":
            label = label.within(limit)
        return replace(self, features=features, label=label)


def tally_sum(tallies: Iterable[Tally]) -> Tally | None:
    """Return the sum of many tallies; None of none."""
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


def _feature_tallies(
    table: Table, excluded: Bits, n_jobs: int | None, batch: str, units: Units | None
) -> tuple[FeatureValues, ...]:
    """Return the values of each feature of a batch."""
    constant = number_values(np.zeros(table.n_samples, np.int8), batch, units)

    def block_values(first: int) -> list[FeatureValues]:
        block = table.block(first, min(first + BLOCK, table.n_features))
        return [feature_values(i, x) for i, x in enumerate(block, start=first)]

    def feature_values(i: int, x: NDArray[Any]) -> FeatureValues:
        labels = table_labels(table, i)
        if excluded[i]:
            return constant
        if labels is not None:
            return label_values(x, labels, bool(table.boolean[i]), batch, units)
        return number_values(x, batch, units)

    blocks = thread_map(block_values, range(0, table.n_features, BLOCK), n_jobs=n_jobs)
    return tuple(one for block in blocks for one in block)


def _target_tally(y: Any, target_type: str, n_samples: int, batch: str, units: Units | None) -> FeatureValues:
    """Return the values of the target of a batch."""
    target = as_target(y, "continuous" if target_type == "continuous" else "classes")
    if target.values.size != n_samples:
        raise ValueError(
            f"X and y must have the same number of samples, got {n_samples} and {target.values.size}."
        )
    if is_numeric(target.values, y, target_type):
        return number_values(target.values, batch, units)
    codes, labels = target_values(target)
    return label_values(codes, labels or [], target.values.dtype.kind == "b", batch, units)
