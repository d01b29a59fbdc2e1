"""The next best bit vectors of k ones: found by a search that keeps clear of those before, and proven together.

The list is x_1, x_2, ..., x_m, each the best of those that are far enough from all before it. **One tree proves it
all**: a proof that what is far from x_1 to x_{m-1} is not below the energy of x_m leaves, for any x_t before, only what
is near to x_t or to one after it, and these neighbours are few: all of them are looked at. Where they are too many,
each of the list has a tree of its own.
"""

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..proof import Apart, Certificate, Proof, prove
from ..proof.certificate import Further, Node
from ..proof.neighbours import MOST
from ..qubo import QUBO, SEARCH, TIES, Bits, Solutions, Vector
from ..solvers import Tabu
from ..solvers.branch import leaders
from ..solvers.copies import without_surplus
from ..solvers.tabu import SETS

Indices = npt.NDArray[np.intp]

FEW = 20_000  # subsets that are simply all looked at
POOL = 500  # bit vectors kept of a search, among which the next ones are
NEIGHBOURS = MOST  # neighbours of a list that are all looked at: as many as the check would look at
ATTEMPTS = 10  # lists that are made anew, as a proof found what the search had missed


class Found(NamedTuple):
    """The next best bit vector: its bits, and the problem, the solutions, k and what it is apart from, for `verify`."""

    x: Bits
    certified: tuple[QUBO, Solutions, int, Apart]


class NextBest:
    """A search for the next best bit vectors of k ones.

    Parameters
    ----------
    qubo : QUBO
    k : int
    different : int
        How many ones each has that any other one does not have, at least.
    work : float
        Operations that the proof of each may cost.

    Examples
    --------
    >>> search = NextBest(QUBO([-3.0, -2.0, -1.0], np.zeros((3, 3))), 1, different=1, work=1e9)
    >>> [found.x.tolist() for found in search.best_first(np.array([True, False, False]), 3)]
    [[False, True, False], [False, False, True]]
    """

    def __init__(self, qubo: QUBO, k: int, *, different: int, work: float) -> None:
        self.qubo, self.k, self.different, self.work = qubo, k, different, work
        self.leader = leaders(qubo, k)
        self.every = comb(qubo.size, k) <= FEW
        self.pool = Solutions.of(qubo, subsets(qubo.size, k)) if self.every else Tabu(k=k, elite=POOL)(qubo)

    def best_first(self, x: Bits, m: int) -> list[Found]:
        """Return the best bit vectors after x, until there are m in all; fewer where no more were found."""
        n = self.qubo.size
        near = sum(comb(self.k, j) * comb(n - self.k, j) for j in range(self.different))
        for _ in range(ATTEMPTS):
            rows = self._list(x, m)
            few = max(near, n) * len(rows) <= NEIGHBOURS
            found = self._together(rows) if few else self._each(rows)
            if found is not None:
                return found
        return self._each(self._list(x, m), last=True) or []

    def _list(self, x: Bits, m: int) -> Bits:
        """Return x and the best that are known after it, in rows."""
        rows = [np.array(x, np.bool_)]
        while len(rows) < m:
            apart = Apart(np.array(rows), self.different)
            if not self.every:
                more = Tabu(k=self.k, elite=POOL, hint=self._far(apart)).apart(self.qubo, apart)
                if more is not None:
                    self._learn(more.x)
                if len(rows) > SETS:
                    # The search keeps clear of no more than so many, and comes back to the others.
                    for row in rows if len(rows) == SETS + 1 else rows[-1:]:
                        self._learn(exchanged(self.qubo, row, self.different))
            far = self._far(apart)
            if far is None:
                break
            if len(rows) > 1 and far.energy[0] < below(self.qubo, rows[-1]) - TIES * self.qubo.tolerance:
                # It should have been found before the last one, which is looked for again; that was no mere tie.
                rows.pop()
            else:
                rows.append(far.best)
        # Those that are within a hair of each other were taken in any order.
        after = np.array(rows[1:]).reshape(-1, x.size)
        return np.vstack([rows[:1], after[np.argsort(self.qubo.energy(after), kind="stable")]])

    def _together(self, rows: Bits) -> list[Found] | None:
        """Return a list but for its first, proven by one tree and all neighbours; None if it lacks a better one."""
        if len(rows) < 2:
            return []
        small, kept = self._reduced(rows)
        short, apart = rows[:, kept], Apart(rows[:-1, kept], self.different)
        missed = []
        for row in short[1:-1]:
            for x in neighbours(small, row, self.different - 1, below(small, row)):
                first = int(np.argmax(apart.near_each(x)))
                if first and small.energy(x) < below(small, short[first]):
                    missed.append(x)
        if missed and self._learn(spread(np.array(missed), kept, self.qubo.size)):
            return None
        proof = prove(small, short[-1], k=self.k, work=self.work * (len(rows) - 1), apart=apart)
        if self._outdone(small, kept, short[-1], proof):
            return None
        tree, found = proof.certificate.tree, []
        assert isinstance(tree, Node), "a proof by relaxations is a tree of them"
        for t, x in enumerate(short[1:], 1):
            bound = min(proof.bound, float(small.energy(x)))
            whole = Further(short[t:-1], tree) if t < len(rows) - 1 else tree
            certificate = Certificate(bound, self.k, whole)
            found.append(self._found(small, kept, x, proof, certificate, Apart(short[:t], self.different)))
        return found

    def _each(self, rows: Bits, *, last: bool = False) -> list[Found] | None:
        """Return a list but for its first, each with a tree of its own.

        None is returned where a proof finds one that the list lacks, unless this is the ``last`` attempt.
        """
        found: list[Found] = []
        warm = None
        small, kept = self._reduced(rows)
        for t, x in enumerate(rows[1:, kept], 1):
            apart = Apart(rows[:t, kept], self.different)
            proof = prove(small, x, k=self.k, work=self.work, warm=warm, apart=apart)
            if self._outdone(small, kept, x, proof) and not last:
                return None
            warm = proof.state
            found.append(self._found(small, kept, x, proof, proof.certificate, apart))
        return found

    def _outdone(self, small: QUBO, kept: Indices, x: Bits, proof: Proof) -> bool:
        """Return whether a proof found something better, which was not known."""
        better = bool(small.energy(proof.x) < below(small, x))
        return better and self._learn(spread(proof.x[None], kept, self.qubo.size))

    def _found(
        self, small: QUBO, kept: Indices, x: Bits, proof: Proof, certificate: Certificate, apart: Apart
    ) -> Found:
        info = {"nodes": proof.nodes, "iterations": proof.iterations, "certificate": certificate}
        solutions = Solutions.of(small, x, bound=certificate.bound, info=info)
        return Found(spread(x[None], kept, self.qubo.size)[0], (small, solutions, self.k, apart))

    def _reduced(self, rows: Bits) -> tuple[QUBO, Indices]:
        """Return the problem without surplus copies, and the bits that are kept, among them all that rows have.

        Of bits that can be exchanged for each other, k ones need k, and those that rows have.
        """
        used = rows.any(axis=0)
        alike = np.where(used, self.qubo.size + np.arange(used.size), self.leader)
        return without_surplus(self.qubo, self.k, alike)

    def _far(self, apart: Apart) -> Solutions | None:
        """Return what is far enough from others in the pool."""
        rows = self.pool.x[~apart.near(self.pool.x)]
        return Solutions.of(self.qubo, rows) if len(rows) else None

    def _learn(self, rows: Bits) -> bool:
        """Add rows to the pool, and return whether there are new ones among them."""
        known = len(self.pool)
        self.pool = Solutions.of(self.qubo, np.vstack([self.pool.x, rows]))
        return len(self.pool) > known


def subsets(n: int, k: int) -> Bits:
    """Return all bit vectors of k ones."""
    rows = np.zeros((comb(n, k), n), np.bool_)
    rows[np.arange(len(rows))[:, None], np.array([*combinations(range(n), k)], np.intp)] = True
    return rows


def below(qubo: QUBO, x: Bits) -> float:
    """Return the energy below which another bit vector is better than x, and not one of the same energy."""
    return float(qubo.energy(x)) - SEARCH * qubo.tolerance


def spread(rows: Bits, kept: Indices, size: int) -> Bits:
    """Return rows over so many bits, of which they have some."""
    whole = np.zeros((len(rows), size), np.bool_)
    whole[:, kept] = rows
    return whole


def exchanged(qubo: QUBO, x: Bits, exchanges: int) -> Bits:
    """Return what so many exchanges of a one of x for a zero lead to: the cheapest each time, the last time many.

    Examples
    --------
    >>> qubo = QUBO([-3.0, -2.0, -1.0, 5.0], np.zeros((4, 4)))
    >>> exchanged(qubo, np.array([True, True, False, False]), 1)[:2].tolist()
    [[True, False, True, False], [False, True, True, False]]
    """
    rows = x[None]
    for left in range(min(exchanges, int((~x).sum())), 0, -1):
        start = rows[0]
        out, into = np.flatnonzero(start & x), np.flatnonzero(~start & ~x)
        field = qubo.linear + qubo.couplings[start].sum(axis=0)
        change = field[into] - field[out][:, None] - qubo.couplings[np.ix_(out, into)]
        order = np.argsort(change, axis=None, kind="stable")[: POOL if left == 1 else 1]
        a, b = np.unravel_index(order, change.shape)
        rows = np.repeat(start[None], len(order), axis=0)
        rows[np.arange(len(order)), out[a]] = False
        rows[np.arange(len(order)), into[b]] = True
    return rows


def neighbours(qubo: QUBO, x: Bits, exchanges: int, most: float) -> Iterator[Bits]:
    """Yield what is up to so many exchanges of a one for a zero from x, and below an energy.

    Examples
    --------
    >>> qubo = QUBO([-3.0, -2.0, -1.0, 5.0], np.zeros((4, 4)))
    >>> [row.tolist() for row in neighbours(qubo, np.array([False, True, True, False]), 1, -3.0)]
    [[True, False, True, False], [True, True, False, False]]
    """
    ones, zeros = np.flatnonzero(x), np.flatnonzero(~x)
    field, start = qubo.linear + qubo.couplings[ones].sum(axis=0), qubo.energy(x)
    for number in range(1, min(exchanges, ones.size, zeros.size) + 1):
        ins = np.array([*combinations(range(zeros.size), number)], np.intp)
        among = pair_sums(qubo, zeros[ins])
        for out in combinations(ones, number):
            gone = list(out)
            left = field - qubo.couplings[gone].sum(axis=0)
            base = start - field[gone].sum() + pair_sums(qubo, np.array([gone]))[0]
            energies = base + left[zeros][ins].sum(axis=1) + among
            for place in np.flatnonzero(energies < most):
                row = x.copy()
                row[gone], row[zeros[ins[place]]] = False, True
                yield row


def pair_sums(qubo: QUBO, rows: Indices) -> Vector:
    """Return for each row of bits the sum of the couplings of its pairs."""
    sums = np.zeros(len(rows))
    for a, b in combinations(range(rows.shape[1]), 2):
        sums += qubo.couplings[rows[:, a], rows[:, b]]
    return sums
