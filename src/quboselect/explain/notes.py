"""Notes: what people should know of a fit before they trust it, in plain sentences.

They are made of facts that a fit keeps, a few numbers for each feature and none of a sample, and of the result.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..qubo import Bits, percent
from ..search.path import Path
from ..search.units import Units
from .changes import Changes

NAMED = 5  # features that a note names
TIE = 0.01  # an exchange that costs less than this share of the objective is a near-tie
OWN = 0.9  # a category with values for this share of the samples tells samples apart, nothing else
TOLD = 0.99  # a feature that says this share of what there is to say of the target may be the target itself


class Note(NamedTuple):
    """What people should know: a word for its kind, a sentence, and the numbers of the features that it is about."""

    kind: str
    text: str
    features: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.text


class TableFacts(NamedTuple):
    """What a fit keeps of a table, for notes.

    Parameters
    ----------
    n_samples : float
    sizes : int array of shape (n,), or None
        How many values each feature has once it is binned.
    categorical : bool array of shape (n,)
    n_classes : int
        Of the target; 0 where it is a number.
    target : float
        All that could be said of the target, in the unit of importance; NaN where that is not known.
    """

    n_samples: float
    sizes: npt.NDArray[np.int64] | None
    categorical: Bits
    n_classes: int
    target: float


def named(labels: Sequence[str], which: npt.NDArray[np.intp]) -> str:
    """Return the first of some names, and how many more there are.

    Examples
    --------
    >>> named(["a", "b", "c"], np.array([0, 2]))
    'a, c'
    """
    some = ", ".join(labels[i] for i in which[:NAMED])
    return some + (f" and {which.size - NAMED} more" if which.size > NAMED else "")


def table_notes(
    facts: TableFacts, importance: npt.NDArray[np.float64], excluded: Bits, labels: Sequence[str]
) -> list[Note]:
    """Return what is to be said of the table.

    Parameters
    ----------
    facts : TableFacts
    importance : array of shape (n,)
    excluded : bool array of shape (n,)
        Features that the user left out; nothing is said of them.
    labels : sequence of str
    """
    found, sizes = [], facts.sizes
    if facts.n_classes == 1:
        found.append(
            Note("one class", "The target has one value only: no feature can say anything about it.")
        )
    own = np.zeros(importance.size, np.bool_)
    if sizes is not None:
        own = facts.categorical & (sizes >= max(OWN * facts.n_samples, 2)) & ~excluded
        constant = np.flatnonzero((sizes == 1) & ~excluded)
        if constant.size:
            what = "It says" if constant.size == 1 else "They say"
            text = f"{named(labels, constant)}: one value only, or one once binned. {what} nothing."
            found.append(Note("constant", text, tuple(constant.tolist())))
    if own.any():
        which = np.flatnonzero(own)
        what = (
            "this is an identifier, exclude it" if which.size == 1 else "these are identifiers, exclude them"
        )
        text = f"{named(labels, which)}: nearly as many categories as samples. If {what}."
        found.append(Note("identifier", text, tuple(which.tolist())))
    if facts.target > 0.0 and facts.n_classes != 1:
        told = np.flatnonzero((importance >= TOLD * facts.target) & ~own & ~excluded)
        if told.size:
            text = f"{named(labels, told)}: tells the target all by itself. Is it known before the target is?"
            found.append(Note("leakage", text, tuple(told.tolist())))
    return found


def window_notes(path: Path | None, support: Bits) -> list[Note]:
    """Return what is to be said where the path has several subsets of this size, of which one had to be taken."""
    others = [] if path is None else [s for s in path if s.size == support.sum()]
    own = [segment for segment in others if np.array_equal(segment.x, support)]
    others = [segment for segment in others if not np.array_equal(segment.x, support)]
    if not own or not others:
        return []
    near = max(others, key=lambda segment: segment.stop - segment.start)
    widths = f"{own[0].stop - own[0].start:.2g} against {near.stop - near.start:.2g}"
    many = (
        "another subset of this size is"
        if len(others) == 1
        else f"{len(others)} other subsets of this size are"
    )
    text = f"At other alphas {many} optimal. The widest window was taken: {widths} of alpha. See path()."
    return [Note("other windows", text)]


def result_notes(
    units: Units, changes: Changes, energy: float, gap: float, labels: Sequence[str]
) -> list[Note]:
    """Return what is to be said of the selection: how far it is proven, and what is nearly as good.

    Parameters
    ----------
    units, changes, energy, labels
        As in `explained`.
    gap : float
        How far the objective may be from the best, relative to it.
    """
    found = []
    if gap:
        far = (
            "No bound was found"
            if not np.isfinite(gap) or gap > 1.0
            else f"It is {percent(gap)} from a bound"
        )
        found.append(
            Note("not proven", f"The selection is the best that was found, not proven to be the best. {far}.")
        )
    if changes.ones.size and not changes.chosen.all() and energy:
        out, into = np.unravel_index(int(np.argmin(changes.exchange)), changes.exchange.shape)
        share = float(changes.exchange[out, into]) / abs(energy)
        if share < TIE:
            which = tuple(int(units.order[units.starts[u]]) for u in (changes.ones[out], into))
            near = int((changes.exchange < TIE * abs(energy)).sum()) - 1
            more = (
                ""
                if not near
                else " So is one other exchange."
                if near == 1
                else f" So are {near} other exchanges."
            )
            good = (
                "just as good"
                if share < 1e-9
                else f"nearly as good: {'under 0.01%' if share < 1e-4 else percent(share)} worse"
            )
            text = f"{labels[which[1]]} instead of {labels[which[0]]} is {good}.{more}"
            found.append(Note("near-tie", text, which))
    return found
