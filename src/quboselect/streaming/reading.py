"""Reading: how batches are read and counted, which two measures say, and whether counts were made so."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..counting.bins import bins_of
from ..qubo import Bits
from ..tables.class_weights import check_class_weight
from ..tables.feature_names import label_of
from ..tables.table import NO_CATEGORIES
from .checks import NO_TARGET, batch_prefix, feature_mask
from .counts import JointCounts
from .edges import CATEGORY, Coding
from .feature_values import FeatureValues
from .ranks import NO_KINDS, RANKS, VALUES, Kinds, Ranks
from .values import Tally
from .weights import Scale, Weighing


@dataclass(frozen=True, eq=False)
class Reading:
    """How batches are read and counted.

    Parameters
    ----------
    bins : int, "auto" or "auto-by-class", optional
    edges : "apart" or "quantile"
        Into how many bins numbers are cut, and where, as in `feature_codes`; None where no measure needs bins.
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
    moments : Kinds
        Which moments are kept, for measures by correlation.
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
    >>> reading = Reading(bins=2)
    >>> reading.coding(reading.tally([[1.0], [2.0]], [0, 1]))
    Coding(1 features, 2 bins)
    """

    bins: int | str | None = "auto"
    edges: str = "apart"
    categorical: Any = "auto"
    exclude: Any = None
    target_type: str = "auto"
    n_jobs: int | None = -1
    by_class: bool = False
    moments: Kinds = NO_KINDS
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
            raise ValueError(f"{batch_prefix(batch)}{NO_TARGET}")
        tally = Tally.of(
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
        for i, one in enumerate(tally.features if any(self.moments) else ()):
            if one.kind == CATEGORY and not one.boolean:
                raise ValueError(
                    f"{batch_prefix(batch)}correlations need numbers, but {label_of(i, tally.names)} holds categories: "
                    f"{NO_CATEGORIES}."
                )
        return tally

    def coding(self, tally: Tally) -> Coding:
        """Return how the batches of a tally become codes, and ranks."""
        if self.class_weight is not None:
            check_class_weight(self.class_weight, continuous=tally.target_kind == "continuous")
        coding = tally.coding(self.bins, edges=self.edges, by_class=self.by_class)
        if RANKS not in self.moments:
            return replace(coding, moments=self.moments)
        unknown = [name for name in tally.approximate if name != "y" or self.moments.target == RANKS]
        if unknown:
            raise ValueError(
                f"ranks need every distinct value, and {unknown[0]} has more than fit into exact_bytes: raise "
                "exact_bytes, or use Correlation(ranks=False)."
            )
        target = [tally.label] if coding.continuous and tally.label is not None else []
        return replace(
            coding, moments=self.moments, ranks=tuple(map(_value_ranks, (*tally.features, *target)))
        )


def _value_ranks(feature: FeatureValues) -> Ranks:
    # True and false are 1 and 0.
    return Ranks(feature.values.astype(np.float64), feature.counts)


def reading_of(
    importance: Any,
    redundancy: Any,
    *,
    categorical: Any = "auto",
    exclude: Any = None,
    target_type: str = "auto",
    class_weight: Any = None,
) -> Reading:
    """Return how to read batches for two measures, or raise where what adds up cannot give these measures.

    Parameters
    ----------
    importance, redundancy : measures
        Those that have a method ``of``, such as `MutualInformation`, with the same bins, edges and estimate; or
        ``of_explained`` and ``of_correlations``, such as `Correlation`. The threads are those of the redundancy.
    categorical, exclude, target_type, class_weight
        As in `Reading`.
    """
    counted, kinds = [], []
    for name, measure, hook in (
        ("importance", importance, "of_explained"),
        ("redundancy", redundancy, "of_correlations"),
    ):
        by_counts, correlated = (callable(getattr(measure, one, None)) for one in ("of", hook))
        if isinstance(measure, type) or not (by_counts or correlated):
            raise ValueError(
                f"{name} must be a measure of what adds up, as {name}.MutualInformation or {name}.Correlation, for "
                f"batches and counts, got {measure!r}: use one of them, or fit a table in memory."
            )
        counted += [measure] if by_counts else []
        kinds.append(None if by_counts else RANKS if getattr(measure, "ranks", False) else VALUES)
    for name in ("bins", "edges", "estimate") if len(counted) == 2 else ():
        here, there = (getattr(measure, name, None) for measure in counted)
        if here != there:
            raise ValueError(
                f"importance and redundancy must have the same {name} for batches and counts, got {here!r} and "
                f"{there!r}."
            )
    return Reading(
        counted[0].bins if counted else None,
        counted[0].edges if counted else "apart",
        categorical,
        exclude,
        target_type,
        redundancy.n_jobs,
        any(getattr(measure, "by_class", False) for measure in counted),
        Kinds(*kinds),
        class_weight,
        # Codes have no values to correlate.
        by_rows=not any(kinds) and getattr(redundancy, "tables", False) and hasattr(redundancy, "rows"),
        device=getattr(redundancy, "device", None),
    )


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
    for what, wanted, found in zip(
        ("importance", "redundancy"), reading.moments, coding.moments, strict=True
    ):
        if wanted not in (None, found):
            raise ValueError(
                f"the {what} needs moments of {wanted}, which the counts do not have: make their coding with "
                "selector_reading(selector).coding(tally)."
            )
    if reading.bins is None:
        return
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
