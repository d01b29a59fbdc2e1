"""Reasons: why each feature was selected or left out, in numbers and in a sentence.

Everything is a difference of energies at the alpha of the fit: what the objective loses without a feature, gains with
one more, or loses by the best exchange of one for another. All single changes are computed, so these are exact.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np

from ..errors import MissingExtra
from ..qubo import Bits
from ..search.units import Units
from ..tables.feature_names import lookup, position
from .changes import NOBODY, Changes, Indices

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


def explained(
    units: Units,
    support: Bits,
    found: Changes,
    ranks: Indices,
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
    found : Changes
        Of the selection.
    ranks : int array of shape (n,)
        Of all features.
    energy : float
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
    partner, exchange = found.best()
    of_unit = np.full(n, NOBODY)
    of_unit[units.order] = np.repeat(np.arange(units.size), units.lengths)
    heads = unit_names(units, labels)
    scale = abs(energy) or np.nan
    reasons = []
    for i in range(n):
        u, like = of_unit[i], shared[i] > 0.0
        other = partner[u] if u != NOBODY else NOBODY
        named = None if other == NOBODY else heads[other]
        reasons.append(
            Reason(
                labels[i],
                bool(support[i]),
                int(ranks[i]),
                float("nan") if unknown[i] else float(tradeoff.importance[i]),
                float("nan") if unknown[i] else float(pairs[:, i].sum()),
                labels[selected[most[i]]] if like else None,
                float(shared[i]) if like else 0.0,
                float(found.alone[u] / scale) if u != NOBODY else float("nan"),
                named,
                float(exchange[u] / scale) if named is not None else float("nan"),
                unit,
            )
        )
    return Explanation(tuple(reasons))


def unit_names(units: Units, labels: Sequence[str]) -> list[str]:
    """Return the names of the units: of a group, those of its features."""
    return ["+".join(labels[i] for i in units.members(unit)) for unit in range(units.size)]


def swaps_of(
    units: Units, found: Changes, energy: float, labels: Sequence[str], feature: Any, most: int
) -> list[Swap]:
    """Return the best exchanges of a feature, best first: for others if it is selected, else for those selected.

    Parameters
    ----------
    units, found, energy, labels
        As in `explained`.
    feature : str or int
        By name or by number.
    most : int
        How many.
    """
    i = position(feature, len(labels), lookup(labels), "feature")
    (at,) = np.nonzero(units.order == i)
    if not at.size:
        why = "had to be in" if units.constraints.included[i] else "was excluded"
        raise ValueError(f"feature must be free to come and go, but {labels[i]!r} {why}.")
    u = int(np.searchsorted(units.starts, at[0], side="right") - 1)
    names = unit_names(units, labels)
    scale = abs(energy) or np.nan
    if found.chosen[u]:
        row = found.exchange[int(np.searchsorted(found.ones, u))]
        order = [j for j in np.argsort(row, kind="stable") if np.isfinite(row[j])][:most]
        return [Swap(names[u], names[j], float(row[j] / scale)) for j in order]
    column = found.exchange[:, u]
    ones = np.argsort(column, kind="stable")[:most]
    return [Swap(names[found.ones[j]], names[u], float(column[j] / scale)) for j in ones]
