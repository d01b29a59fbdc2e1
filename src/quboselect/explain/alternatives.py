"""Alternatives: the m best subsets of one size, each some features away from the others, with a proof of the list.

The t-th is the best subset of k units that is far enough from the t - 1 before it. A search proposes one, and the same
tree of relaxations that proves a selection proves that nothing better was missed, or says how far it got.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import overload

import numpy as np

from ..errors import check_integer
from ..proof import Apart, prove
from ..qubo import QUBO, Bits, Solutions
from ..solvers import Portfolio, Tabu
from ..solvers.portfolio import WORK
from .changes import changes

FEW = 20_000  # subsets that are simply all looked at for a first proposal
# How strongly proposals are drawn away from those before, in costs of an exchange.
PULLS = (0.5, 1.0, 2.0, 4.0, 16.0)
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
        known.
    worse : float
        By how much its energy is above that of the first, relative to it.
    certified : tuple of (QUBO, Solutions, k, Apart)
        What `verify` takes: ``verify(qubo, solutions, k, apart=apart)``. The first of a list is certified by its fit.
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
        Why nothing can be proven of them, in a sentence; empty where it can.
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


def next_best(qubo: QUBO, k: int, apart: Apart, work: float) -> Solutions | None:
    """Return the best bit vector of k ones that is far enough from the others, with a bound and a certificate.

    None where none was found; where all can be looked at, there is none.

    Examples
    --------
    >>> qubo = QUBO([-3.0, -2.0, -1.0], np.zeros((3, 3)))
    >>> next_best(qubo, 1, Apart(np.array([[True, False, False]]), 1), 1e9).best
    array([False,  True, False])
    """
    x = proposed(qubo, k, apart)
    if x is None:
        return None
    proof = prove(qubo, x, k=k, work=work, apart=apart)
    info = {"nodes": proof.nodes, "iterations": proof.iterations, "certificate": proof.certificate}
    return Solutions.of(qubo, proof.x, bound=proof.bound, info=info)


def proposed(qubo: QUBO, k: int, apart: Apart) -> Bits | None:
    """Return a good bit vector of k ones that is far enough from the others, or None where none was found."""
    n = qubo.size
    if comb(n, k) <= FEW:
        every = np.zeros((comb(n, k), n), np.bool_)
        every[np.arange(len(every))[:, None], np.array([*combinations(range(n), k)], np.intp)] = True
        every = every[~apart.near(every)]
        if not len(every):
            return None
        best: Bits = every[np.argmin(qubo.energy(every))]
        return best
    start = apart.rows[0]
    field = qubo.linear + qubo.couplings @ start
    cost = field[~start].min() - field[start].max()
    unit = max(abs(float(cost)), 1e-3 * float(np.abs(field).max()), 1e-300)
    found = [
        Tabu(k=k)(QUBO(qubo.linear + pull * unit * apart.rows.sum(axis=0), qubo.couplings)).x
        for pull in PULLS
    ]
    rows = np.concatenate([*found, [exchanged(qubo, row, apart) for row in apart.rows]])
    rows = rows[~apart.near(rows)]
    if not len(rows):
        return None
    improved = [descended(qubo, row, apart) for row in np.unique(rows, axis=0)]
    return min(improved, key=qubo.energy)


def exchanged(qubo: QUBO, row: Bits, apart: Apart) -> Bits:
    """Return a row after the cheapest exchanges of its own ones for others, as many as are to be different."""
    x, own = row.copy(), row.copy()
    for _ in range(min(apart.different, int((~row).sum()))):
        _, _, ones, change = changes(qubo.linear, qubo.couplings[x], x)
        change[~own[ones]] = np.inf
        change[:, own] = np.inf
        out, into = np.unravel_index(int(np.argmin(change)), change.shape)
        x[ones[out]], x[into] = False, True
    return x


def descended(qubo: QUBO, x: Bits, apart: Apart) -> Bits:
    """Return where exchanges of two bits that keep it apart lead downhill."""
    x = x.copy()
    most = apart.rows.sum(axis=1) - apart.different
    while True:
        _, _, ones, change = changes(qubo.linear, qubo.couplings[x], x)
        common = apart.rows @ x.astype(np.int64)
        for row in apart.rows[common == most]:
            # Nothing of this row may come in, unless something of it goes.
            change[np.ix_(~row[ones], row)] = np.inf
        out, into = np.unravel_index(int(np.argmin(change)), change.shape)
        if not change[out, into] < -qubo.tolerance:
            return x
        x[ones[out]], x[into] = False, True


def best_first(
    qubo: QUBO, x: Bits, k: int, *, m: int, different: int, work: float
) -> Iterator[tuple[Solutions, Apart]]:
    """Yield, after x, the next best bit vectors of k ones until there are m in all, and what each is apart from."""
    before = np.array(x, np.bool_)[None]
    while len(before) < m:
        apart = Apart(before, different)
        found = next_best(qubo, k, apart, work)
        if found is None:
            return
        yield found, apart
        before = np.concatenate([before, found.best[None]])


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
    for solutions, apart in best_first(qubo, x, k, m=m, different=different, work=work):
        energy = float(solutions.energy[0]) + rest
        # What is proven is met within the tolerance of the problem.
        bound = -np.inf if not whole else energy if solutions.proven else solutions.bound + rest
        worse = (energy - first.energy) / max(abs(first.energy), 1e-300)
        certified = qubo, solutions, k, apart
        subsets.append(Alternative(features(solutions.best), energy, bound, worse, certified))
    complete = whole and len(subsets) < m and comb(qubo.size, k) <= FEW
    core = f"they are of a core of {qubo.size} features, and the table has {len(labels)}"
    note = "" if whole else f"Nothing is proven of the others: {core}."
    return Alternatives(tuple(subsets), tuple(labels), complete, note)
