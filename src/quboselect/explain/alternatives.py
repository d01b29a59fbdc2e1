"""Alternatives: the m best subsets of one size, each some features away from the others, with a proof of the list.

The t-th is the best subset of k units that is far enough from the t - 1 before it; `next_best` finds and proves them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from ..errors import check_integer
from ..proof import Apart
from ..qubo import QUBO, Bits, Solutions
from ..solvers import Portfolio
from ..solvers.portfolio import WORK
from .next_best import NextBest

WORDS = 4  # names that a line shows at the most


@dataclass(frozen=True, eq=False, repr=False)
class Alternative:
    """One of the best subsets.

    Parameters
    ----------
    support : bool array of shape (n,)
        The features.
    energy : float
    bound : float
        No subset of this size that is far enough from those before has an energy below it; -inf where that is not
        known. It is at least that of the one before: what is far from more is not better.
    worse : float
        By how much its energy is above that of the first, relative to it.
    certified : tuple of (QUBO, Solutions, k, Apart)
        What `verify` takes: ``verify(qubo, solutions, k, apart=apart)``. It proves ``solutions.bound``, which may be
        below that of one before. The first of a list is certified by its fit.
    """

    support: Bits
    energy: float
    bound: float
    worse: float = 0.0
    certified: tuple[QUBO, Solutions, int, Apart] | None = None

    @property
    def gap(self) -> float:
        """How far the energy may be from the best there is, relative to it; 0 where proven."""
        return 0.0 if self.proven else (self.energy - self.bound) / max(abs(self.energy), 1e-300)

    @property
    def proven(self) -> bool:
        """Whether nothing better was missed."""
        return self.energy <= self.bound


@dataclass(frozen=True, eq=False, repr=False)
class Alternatives(Sequence[Alternative]):
    """The best subsets of one size, best first; printed, a table.

    Parameters
    ----------
    subsets : tuple of Alternative
    labels : tuple of str
        The names of all features.
    complete : bool
        Whether it is known that no more are far enough from these: all there are were looked at.
    note : str
        Why no more can be proven of the others than of the first, in a sentence; empty where it can.
    """

    subsets: tuple[Alternative, ...]
    labels: tuple[str, ...]
    complete: bool
    note: str = ""

    @overload
    def __getitem__(self, place: int) -> Alternative: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Alternative, ...]: ...
    def __getitem__(self, place: int | slice) -> Alternative | tuple[Alternative, ...]:
        return self.subsets[place]

    def __len__(self) -> int:
        return len(self.subsets)

    @property
    def proven(self) -> bool:
        """Whether these are the best there are: nothing in between was missed."""
        return all(subset.proven for subset in self.subsets)

    def __str__(self) -> str:
        lines = [f"{'rank':>4}  {'worse by':>9}  {'proof':<12}  instead of the first"]
        first = self.subsets[0].support
        for rank, one in enumerate(self.subsets, 1):
            proof = "proven" if one.proven else "-" if one.bound == -np.inf else f"gap {one.gap:.2%}"
            change = f"-{self._named(first & ~one.support)}  +{self._named(one.support & ~first)}"
            # Rounding leaves ties a little below 0: no -0.000% for them.
            worse = round(one.worse, 5) + 0.0
            lines.append(f"{rank:>4}  {worse:>9.3%}  {proof:<12}  {change if rank > 1 else ''}".rstrip())
        return "\n".join([*lines, self.note] if self.note else lines)

    def __repr__(self) -> str:
        return f"Alternatives({len(self)} subsets, {'proven' if self.proven else 'not all proven'})"

    def _named(self, some: Bits) -> str:
        names = [self.labels[i] for i in np.flatnonzero(some)]
        return ", ".join(names[:WORDS]) + (f" and {len(names) - WORDS} more" if len(names) > WORDS else "")


def listed(
    first: Alternative,
    qubo: QUBO,
    x: Bits,
    features: Callable[[Bits], Bits],
    whole: bool,
    labels: Sequence[str],
    *,
    m: int,
    different: int,
    effort: float,
) -> Alternatives:
    """Return a selection and the next best subsets of its size.

    Parameters
    ----------
    first : Alternative
        The selection, over all features.
    qubo, x : QUBO and bits
        What was searched, and the selection in it.
    features : callable
        Of bits of the QUBO, returns those of all features.
    whole : bool
        Whether what holds for the QUBO holds for all features.
    labels : sequence of str
        The names of all features.
    m, different, effort
        As in `Result.alternatives`.
    """
    m, different = check_integer(m, "m", 1), check_integer(different, "different", 1)
    work, k = Portfolio(effort=effort).effort * WORK, int(x.sum())
    if different > k:
        raise ValueError(f"different must be at most {k}, the size of the selection, got {different}.")
    subsets, rest = [first], float(first.energy - qubo.energy(x))  # what is settled before the search
    search = NextBest(qubo, k, different=different, work=work)
    for one in search.best_first(x, m):
        solutions = one.certified[1]
        energy = float(solutions.energy[0]) + rest
        # What is proven is met within the tolerance of the problem; and nothing that comes later is better.
        bound = -np.inf if not whole else energy if solutions.proven else solutions.bound + rest
        bound = max(bound, min(subsets[-1].bound, energy))
        worse = (energy - first.energy) / max(abs(first.energy), 1e-300)
        subsets.append(Alternative(features(one.x), energy, bound, worse, one.certified))
    complete = whole and len(subsets) < m and search.every
    core = f"they are of a core of {qubo.size} features, and the table has {len(labels)}"
    note = "" if whole else f"Of the others no more is proven than of the first: {core}."
    return Alternatives(tuple(subsets), tuple(labels), complete, note)
