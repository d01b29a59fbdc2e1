"""Whether counts can give, and do give, what a selector asks for. Its wishes flow in, an error that says what not."""

from typing import Any

import numpy as np

from ..importance import MutualInformation as ImportanceInformation
from ..qubo import Bits
from ..redundancy import MutualInformation as RedundancyInformation
from ..tables.feature_names import label_of
from .coding import Coding
from .cuts import Cut
from .joint import JointCounts
from .schema import chosen
from .seen import CATEGORY


def counted_bins(importance: Any, redundancy: Any) -> int:
    """Return the bins of two measures, after refusing those that counts of pairs cannot give."""
    kinds = (
        ("importance", importance, ImportanceInformation),
        ("redundancy", redundancy, RedundancyInformation),
    )
    for name, measure, kind in kinds:
        if not isinstance(measure, kind):
            raise ValueError(
                f"of counts only {name}.MutualInformation can be made, got {measure!r}: use that, or fit a table in "
                "memory."
            )
    if importance.bins != redundancy.bins:
        raise ValueError(
            "importance and redundancy must have the same bins where they are made of counts, got "
            f"{importance.bins} and {redundancy.bins}."
        )
    return int(importance.bins)


def check_counts(counts: JointCounts, *, bins: int, target_type: str, categorical: Any, kept: Bits) -> None:
    """Raise unless counts are such as a selector of these wishes makes.

    Parameters
    ----------
    counts : JointCounts
    bins : int
        The bins of its measures.
    target_type : "auto", "classes" or "continuous"
    categorical : "auto", or names, indices or a bool array
    kept : bool array of shape (n_features,)
        Features that it does not exclude.
    """
    coding = counts.coding
    if coding.bins != bins:
        raise ValueError(
            f"the counts were made with {coding.bins} bins, the measures have {bins}: use as many."
        )
    if coding.target is None:
        raise ValueError("the counts have no target: make the tally and the counts with y.")
    if counts.n_samples == 0:
        raise ValueError("the counts have no samples: add those of a batch.")
    if (coding.excluded & kept).any():
        i = int((coding.excluded & kept).argmax())
        raise ValueError(
            f"the counts leave out {label_of(i, coding.names)}: name it in exclude, or make them with it."
        )
    made, wanted = (
        _kind(coding.continuous),
        _kind(coding.fractional) if target_type == "auto" else target_type,
    )
    if wanted != made:
        guessed = f", which is {wanted!r} here" if target_type == "auto" else ""
        raise ValueError(
            f"the counts were made with a target taken for {made!r}, the selector has target_type={target_type!r}{guessed}: use "
            f"target_type={made!r}, or make them anew."
        )
    _check_categories(coding, categorical, kept)


def _check_categories(coding: Coding, categorical: Any, kept: Bits) -> None:
    wanted = chosen(categorical, coding.n_features, coding.names, "categorical_features")
    for i in np.flatnonzero(kept & (wanted != coding.categorical)).tolist():
        if _matters(coding.cuts[i]):
            here, there = ("numbers", "categories") if wanted[i] else ("categories", "numbers")
            change = "leave it out of" if wanted[i] else "name it in"
            raise ValueError(
                f"the counts take {label_of(i, coding.names)} for {here}, the selector takes it for {there}: {change} "
                "categorical_features, or make them anew."
            )


def _kind(continuous: bool) -> str:
    return "continuous" if continuous else "classes"


def _matters(cut: Cut) -> bool:
    """Return whether it shows that a feature is taken for categories: text, and true and false, always are."""
    return cut.kind != CATEGORY or not all(isinstance(label, str | bytes | bool) for label in cut.labels)
