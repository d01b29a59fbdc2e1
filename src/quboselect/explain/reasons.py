"""Reasons: why each feature was selected or left out, in numbers and in a sentence.

Everything is a difference of energies at the alpha of the fit: what the objective loses without a feature, gains with
one more, or loses by the best exchange of one for another. All single changes are computed, so these are exact.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from ..errors import MissingExtra
from ..qubo import Bits, Matrix, Vector
from ..search.units import Units
from ..tables.feature_names import lookup, position
from .ranking import unit_order

Indices = npt.NDArray[np.intp]

NOBODY = -1
SHOWN = 20  # left-out features in the table of str()


class Reason(NamedTuple):
    """Why a feature was selected or left out; printed, a sentence.

    Parameters
    ----------
    name : str
    selected : bool
    rank : int
        1 is the first; see `Result.ranking`.
    importance : float
        What it says about the target.
    repeated : float
        What it repeats of all selected features together, pair by pair.
    most_like : str or None
        The selected feature that it repeats most, if it repeats any.
    shared : float
        What it repeats of that.
    alone : float
        How much worse the objective gets without it if it is selected, and with it as one more if it is not; below 0 it
        gets better. Relative to the objective; NaN where constraints leave no choice.
    instead : str or None
        The best exchange: what would take its place, or, if it was left out, what it would take the place of.
    exchange : float
        How much worse the objective gets by that exchange, relative to it.
    unit : str
        Of importance, such as bits.
    """

    name: str
    selected: bool
    rank: int
    importance: float
    repeated: float
    most_like: str | None
    shared: float
    alone: float
    instead: str | None
    exchange: float
    unit: str = ""

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        says = f"{self.importance:.3g}{unit}"
        like = f"repeats {self.shared:.3g}{unit} of {self.most_like}" if self.most_like else "repeats nothing"
        if np.isnan(self.alone):
            if self.selected:
                return f"{self.name} had to be in: {says}, {like}."
            if np.isnan(self.importance):
                return f"{self.name} was excluded."
            return f"{self.name} is left out: {says}, no more than chance would show."
        if self.selected:
            text = (
                f"{self.name} is selected: {says}, {like}; without it the objective is {_worse(self.alone)}"
            )
            return text + (f", with {self.instead} instead {_worse(self.exchange)}." if self.instead else ".")
        text = f"{self.name} is left out: {says}, {like}; "
        if self.instead:
            return f"{text}in place of {self.instead} the objective is {_worse(self.exchange)}."
        return f"{text}as one more the objective is {_worse(self.alone)}."


def _worse(share: float) -> str:
    """Return in words how much worse, or better."""
    if not np.isfinite(share):
        return "worse"
    size = abs(share)
    text = f"{size:.1%}" if size >= 0.0995 else "under 0.01%" if size < 1e-4 else f"{size:.2%}"
    return f"{text} {'worse' if share >= 0 else 'better'}" if size else "the same"


class Swap(NamedTuple):
    """An exchange of a selected feature for one that was left out."""

    out: str
    into: str
    worse: float

    def __str__(self) -> str:
        return f"{self.into} instead of {self.out}: the objective is {_worse(self.worse)}."


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Sequence[Reason]):
    """The reasons of all features, in the order of the table; printed, those selected and those that are next.

    ``explanation["age"]`` is the reason of one feature, by name or by number.

    Parameters
    ----------
    reasons : tuple of Reason
    """

    reasons: tuple[Reason, ...]

    @overload
    def __getitem__(self, which: int | str) -> Reason: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Reason, ...]: ...
    def __getitem__(self, which: int | str | slice) -> Reason | tuple[Reason, ...]:
        if isinstance(which, slice):
            return self.reasons[which]
        names = [reason.name for reason in self.reasons]
        return self.reasons[position(which, len(names), lookup(names), "explain")]

    def __iter__(self) -> Iterator[Reason]:
        return iter(self.reasons)

    def __len__(self) -> int:
        return len(self.reasons)

    @property
    def ranked(self) -> list[Reason]:
        """The reasons by rank, the first first."""
        return sorted(self.reasons, key=lambda reason: reason.rank)

    def frame(self) -> Any:
        """Return a pandas frame, a row for each feature by its name, the first rank first."""
        try:
            import pandas  # type: ignore[import-untyped]
        except ModuleNotFoundError as error:
            raise MissingExtra("a frame needs pandas, which is not installed: pip install pandas.") from error
        columns = [name for name in Reason._fields if name not in ("name", "unit")]
        rows = [[getattr(reason, name) for name in columns] for reason in self.ranked]
        index = pandas.Index([reason.name for reason in self.ranked], name="feature")
        return pandas.DataFrame(rows, columns=columns, index=index)

    def __repr__(self) -> str:
        return f"Explanation({sum(r.selected for r in self)} of {len(self)} features selected)"

    def __str__(self) -> str:
        ranked = self.ranked
        out = [reason for reason in ranked if not reason.selected]
        lines = [str(reason) for reason in ranked if reason.selected]
        lines += [str(reason) for reason in out[:SHOWN]]
        left = len(out) - SHOWN
        return "\n".join(lines + [f"and {left} more, left out"] * (left > 0))


class Changes(NamedTuple):
    """What single changes of a selection do to its energy, by units.

    Parameters
    ----------
    chosen : bool array of shape (n,)
    alone : array of shape (n,)
        By leaving out a unit that is chosen, or taking in one that is not.
    ones : int array of shape (k,)
        The units that are chosen.
    exchange : array of shape (k, n)
        By exchanging each of them for another; inf where that is no exchange.
    """

    chosen: Bits
    alone: Vector
    ones: Indices
    exchange: Matrix

    @classmethod
    def of(cls, units: Units, chosen: Bits, alpha: float) -> "Changes":
        """Return all single changes of a selection."""
        ones = np.flatnonzero(chosen)
        rows = (1.0 - alpha) * np.asarray(units.rows(ones), np.float64)
        field = units.linear(alpha) + rows.sum(axis=0)
        exchange = field - field[ones, None] - rows
        exchange[:, chosen] = np.inf
        return cls(chosen, np.where(chosen, -field, field), ones, exchange)

    def best(self) -> tuple[Indices, Vector]:
        """Return for each unit the one that it is best exchanged for, `NOBODY` if there is none, and the change."""
        partner, change = np.full(self.chosen.size, NOBODY), np.full(self.chosen.size, np.inf)
        if self.ones.size and not self.chosen.all():
            into = np.argmin(self.exchange, axis=1)
            partner[self.ones], change[self.ones] = into, self.exchange[np.arange(self.ones.size), into]
            out = np.argmin(self.exchange, axis=0)
            others = np.flatnonzero(~self.chosen)
            partner[others], change[others] = self.ones[out[others]], self.exchange[out[others], others]
        return partner, change


def chosen_units(units: Units, support: Bits) -> Bits:
    """Return which free units are selected."""
    bits: Bits = support[units.order[units.starts]]
    return bits


def feature_ranks(units: Units, support: Bits, alpha: float) -> Indices:
    """Return the rank of each feature, 1 for the first.

    Included features come first, then the free ones by units (see `quboselect.explain.ranking`), those of a group by
    importance, and excluded ones last.
    """
    constraints, importance = units.constraints, units.tradeoff.importance
    place = np.zeros(importance.size, np.int64)
    order = unit_order(units, chosen_units(units, support), alpha)
    at = np.empty(units.size, np.int64)
    at[order] = np.arange(units.size)
    place[units.order] = np.repeat(at, units.lengths)
    place[constraints.included] = -1
    place[constraints.excluded] = units.size
    ranked = np.lexsort((np.arange(place.size), -np.where(constraints.excluded, 0.0, importance), place))
    ranks = np.empty(place.size, np.intp)
    ranks[ranked] = np.arange(1, place.size + 1)
    return ranks


def explained(
    units: Units,
    support: Bits,
    alpha: float,
    energy: float,
    labels: Sequence[str],
    unit: str = "",
    silent: Bits | None = None,
) -> Explanation:
    """Return the reasons of all features.

    Parameters
    ----------
    units : Units
        Of the problem that was searched.
    support : bool array of shape (n,)
        The selected features.
    alpha, energy : float
        Of the selection.
    labels : sequence of str
        The names of all features.
    unit : str
        Of importance, such as bits.
    silent : bool array of shape (n,), optional
        Features that were left out because they say too little.
    """
    tradeoff, constraints, n = units.tradeoff, units.constraints, support.size
    silent = np.zeros(n, np.bool_) if silent is None else silent
    unknown = constraints.excluded & ~silent
    selected = np.flatnonzero(support)
    pairs = np.asarray(tradeoff.rows(selected), np.float64) if selected.size else np.zeros((0, n))
    apart = pairs.copy()
    apart[np.arange(selected.size), selected] = -np.inf
    most = np.argmax(apart, axis=0) if selected.size else np.zeros(n, np.intp)
    shared = apart[most, np.arange(n)] if selected.size else np.full(n, -np.inf)
    changes = Changes.of(units, chosen_units(units, support), alpha)
    partner, exchange = changes.best()
    of_unit = np.full(n, NOBODY)
    of_unit[units.order] = np.repeat(np.arange(units.size), units.lengths)
    heads = (
        ["+".join(labels[i] for i in members(units, u)) for u in range(units.size)] if units.grouped else None
    )
    scale = abs(energy) or np.nan
    ranks = feature_ranks(units, support, alpha)
    reasons = []
    for i in range(n):
        u, like = of_unit[i], shared[i] > 0.0
        other = partner[u] if u != NOBODY else NOBODY
        named = None
        if other != NOBODY:
            named = labels[units.order[units.starts[other]]] if heads is None else heads[other]
        reasons.append(
            Reason(
                labels[i],
                bool(support[i]),
                int(ranks[i]),
                float("nan") if unknown[i] else float(tradeoff.importance[i]),
                float("nan") if unknown[i] else float(pairs[:, i].sum()),
                labels[selected[most[i]]] if like else None,
                float(shared[i]) if like else 0.0,
                float(changes.alone[u] / scale) if u != NOBODY else float("nan"),
                named,
                float(exchange[u] / scale) if named is not None else float("nan"),
                unit,
            )
        )
    return Explanation(tuple(reasons))


def members(units: Units, unit: int) -> Indices:
    """Return the features of a unit."""
    first = units.starts[unit]
    return units.order[first : first + units.lengths[unit]]


def swaps_of(
    units: Units, support: Bits, alpha: float, energy: float, labels: Sequence[str], feature: Any, most: int
) -> list[Swap]:
    """Return the best exchanges of a feature, best first: for others if it is selected, else for those selected.

    Parameters
    ----------
    units, support, alpha, energy, labels
        As in `explained`.
    feature : str or int
        By name or by number.
    most : int
        How many.
    """
    i = position(feature, support.size, lookup(labels), "feature")
    (at,) = np.nonzero(units.order == i)
    if not at.size:
        why = "had to be in" if units.constraints.included[i] else "was excluded"
        raise ValueError(f"feature must be free to come and go, but {labels[i]!r} {why}.")
    u = int(np.searchsorted(units.starts, at[0], side="right") - 1)
    changes = Changes.of(units, chosen_units(units, support), alpha)
    names = ["+".join(labels[j] for j in members(units, unit)) for unit in range(units.size)]
    scale = abs(energy) or np.nan
    if changes.chosen[u]:
        row = changes.exchange[int(np.searchsorted(changes.ones, u))]
        order = [j for j in np.argsort(row, kind="stable") if np.isfinite(row[j])][:most]
        return [Swap(names[u], names[j], float(row[j] / scale)) for j in order]
    column = changes.exchange[:, u]
    ones = np.argsort(column, kind="stable")[:most]
    return [Swap(names[changes.ones[j]], names[u], float(column[j] / scale)) for j in ones]
