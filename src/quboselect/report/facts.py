"""What a report may be told beside the result, as frozen values: target, stability, score, notes and profile.

The report computes none of them, so that it stays a function of what it is given. Features are in the table's order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

# Bars of a distribution at most.
MOST_COUNTS = 12


@dataclass(frozen=True)
class Frequencies:
    """How often each feature was selected from resamples, and how much the resamples agree.

    Parameters
    ----------
    frequency : sequence of n floats
        The share of resamples from which each feature was selected, from 0 to 1.
    index : float
        1 where all resamples gave the same features, about 0 where they are as if drawn at random; NaN where that is
        not defined.
    resamples : int
        How many there were; 0 where that is not known.
    """

    frequency: Sequence[float]
    index: float
    resamples: int = 0


class Score(NamedTuple):
    """What a model makes of the selected features, and of all of them: means over folds, greater is better.

    Parameters
    ----------
    metric : str
        What is measured, such as ``"accuracy"``.
    selected, everything : float
        The score with the selected features, and with all features.
    spread : float
        The standard deviation, over the folds, of the score with the selected features.
    folds : int
        How many there were; 0 where that is not known.
    """

    metric: str
    selected: float
    everything: float
    spread: float = 0.0
    folds: int = 0


class FeatureProfile(NamedTuple):
    """What a column holds, as counts: no value of a sample is in it.

    Parameters
    ----------
    missing : float
        The share of samples without a value.
    distinct : int
        How many different values there are, missing ones not counted.
    counts : tuple of int, 12 at most
        Of numbers, how many samples are in each of some bins of equal width, from low to high. Of categories, how many
        have each, the most frequent first.
    labels : tuple of str
        The names of the categories, one for each count; empty for numbers.
    """

    missing: float
    distinct: int
    counts: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()


class TableProfile(NamedTuple):
    """The profiles of the features of a table, in their order, and of its target.

    Parameters
    ----------
    samples : int
        How many rows the table has.
    features : tuple of FeatureProfile or None
        None where a feature was not read.
    target : FeatureProfile, optional
    """

    samples: int
    features: tuple[FeatureProfile | None, ...]
    target: FeatureProfile | None = None


@dataclass(frozen=True)
class Facts:
    """Everything that a report is told beside the result. Make it with `facts_of`."""

    target: str = ""
    table: str = ""
    stability: Frequencies | None = None
    score: Score | None = None
    notes: tuple[str, ...] = ()
    profile: TableProfile | None = None


NOTHING = Facts()


def facts_of(
    n: int,
    *,
    target: str = "",
    also: Mapping[str, str] | None = None,
    stability: Any = None,
    score: Score | None = None,
    notes: Sequence[str] = (),
    profile: TableProfile | None = None,
) -> Facts:
    """Return what a report of n features is told, or say what of it does not go with them.

    Parameters
    ----------
    n : int
    target : str
        The name of what the features are to tell.
    also : mapping, optional
        Its ``"table"`` is named in the head.
    stability : Frequencies, or anything with ``frequency`` and ``index``, such as what `quboselect.stability` returns
    score : Score, optional
    notes : sequence of str
    profile : TableProfile, optional

    Examples
    --------
    >>> facts_of(2, stability={"frequency": [1.0, 0.5], "index": 0.7}).stability
    Frequencies(frequency=(1.0, 0.5), index=0.7, resamples=0)
    """
    if not isinstance(target, str):
        raise TypeError(f"target must be a name, as text, got {target!r}.")
    if isinstance(notes, str) or not all(isinstance(note, str) for note in notes):
        raise TypeError(f"notes must be several texts, such as ['one warning'], got {notes!r}.")
    if score is not None and not isinstance(score, Score):
        raise TypeError(f"score must be a Score, such as model_score returns, got {score!r}.")
    if profile is not None and not isinstance(profile, TableProfile):
        raise TypeError(f"profile must be a TableProfile, such as table_profile returns, got {profile!r}.")
    if profile is not None and len(profile.features) != n:
        raise ValueError(f"profile must be of {n} features, as the table has, got {len(profile.features)}.")
    table = str((also or {}).get("table", ""))
    known = None if stability is None else frequencies_of(stability, n)
    return Facts(target, table, known, score, tuple(notes), profile)


def frequencies_of(stability: Any, n: int) -> Frequencies:
    """Return frequencies of n features, from anything that has ``frequency`` and ``index`` by name.

    Parameters
    ----------
    stability : Frequencies, Stability, or mapping
    n : int
    """
    given = stability if isinstance(stability, Mapping) else _named(stability)
    try:
        share, index = np.asarray(given["frequency"], np.float64), float(given["index"])
    except (KeyError, TypeError, ValueError) as error:
        raise TypeError(
            f"stability must have frequency, a number for each feature, and index, as what quboselect.stability "
            f"returns, got {stability!r}."
        ) from error
    if share.shape != (n,):
        raise ValueError(
            f"stability must have {n} frequencies, one for each feature, got shape {share.shape}."
        )
    if not ((share >= 0.0) & (share <= 1.0)).all():
        raise ValueError(f"stability must have frequencies from 0 to 1, got {share.min()} to {share.max()}.")
    return Frequencies(
        tuple(share.tolist()), index, int(given.get("resamples") or len(given.get("supports", ())))
    )


def _named(stability: Any) -> dict[str, Any]:
    names = ("frequency", "index", "resamples", "supports")
    return {name: getattr(stability, name) for name in names if hasattr(stability, name)}
