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
from ..qubo import QUBO, SEARCH, Bits, Solutions, Vector
from ..solvers import Tabu
from ..solvers.branch import leaders
from ..solvers.portfolio import without_surplus

Indices = npt.NDArray[np.intp]

FEW = 20_000  # subsets that are simply all looked at
POOL = 500  # bit vectors kept of a search, among which the next ones are
NEIGHBOURS = 1_000_000  # neighbours of a bit vector that are all looked at, at the most


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
        near = sum(comb(self.k, j) * comb(self.qubo.size - self.k, j) for j in range(self.different))
        while True:
            rows = self._list(x, m)
            known = self.pool
            found = self._proven(rows) if near <= NEIGHBOURS else self._proven_apart(rows)
            # A proof that finds what the search missed has it make the list anew.
            if known is self.pool:
                return found

    def _list(self, x: Bits, m: int) -> Bits:
        """Return x and the best that are known after it, in rows."""
        rows = [np.array(x, np.bool_)]
        while len(rows) < m:
            apart = Apart(np.array(rows), self.different)
            if not self.every:
                more = Tabu(k=self.k, elite=POOL, hint=self._far(apart)).apart(self.qubo, apart)
                if more is not None:
                    self._learn(more.x)
            far = self._far(apart)
            if far is None:
                break
            if len(rows) > 1 and far.energy[0] < self.qubo.energy(rows[-1]) - self.qubo.tolerance:
                # It should have been found before the last one, which is looked for again.
                rows.pop()
            else:
                rows.append(far.best)
        return np.array(rows)

    def _proven(self, rows: Bits) -> list[Found]:
        """Return a list but for its first, with bounds by one tree and all neighbours; or learn what it missed."""
        if len(rows) < 2:
            return []
        small, kept, last = self._reduced(rows[:-1], rows[-1])
        short, apart = np.vstack([rows[:-1, kept], last]), Apart(rows[:-1, kept], self.different)
        # Energies within a hair of each other may come in any order.
        energies = np.maximum.accumulate([small.energy(row) for row in short])
        least = energies - SEARCH * small.tolerance
        for row, most in zip(short[1:-1], least[1:], strict=False):
            for x in neighbours(small, row, self.different - 1, most):
                first = int(np.argmax(apart.near_each(x)))
                if first and small.energy(x) < least[first]:
                    self._learn(spread(x, kept, self.qubo.size))
                    return []
        proof = prove(small, last, k=self.k, work=self.work * (len(rows) - 1), apart=apart)
        if proof.x.tobytes() != last.tobytes():
            self._learn(spread(proof.x, kept, self.qubo.size))
            return []
        found = []
        for t in range(1, len(rows)):
            bound = min(proof.bound, float(energies[t]))
            tree = (
                proof.certificate.tree if t == len(rows) - 1 else Further(short[t:-1], proof.certificate.tree)
            )
            found.append(
                self._found(small, kept, short[t], proof, bound, tree, Apart(short[:t], self.different))
            )
        return found

    def _proven_apart(self, rows: Bits) -> list[Found]:
        """Return a list but for its first, each with a tree of its own; or learn what it missed."""
        found: list[Found] = []
        warm = None
        for t in range(1, len(rows)):
            small, kept, x = self._reduced(rows[:t], rows[t])
            apart = Apart(rows[:t, kept], self.different)
            proof = prove(small, x, k=self.k, work=self.work, warm=warm, apart=apart)
            if proof.x.tobytes() != x.tobytes():
                self._learn(spread(proof.x, kept, self.qubo.size))
                return []
            warm = proof.state
            found.append(self._found(small, kept, x, proof, proof.bound, proof.certificate.tree, apart))
        return found

    def _found(
        self,
        small: QUBO,
        kept: Indices,
        x: Bits,
        proof: Proof,
        bound: float,
        tree: Node | Further,
        apart: Apart,
    ) -> Found:
        info = {"nodes": proof.nodes, "iterations": proof.iterations}
        info["certificate"] = Certificate(bound, self.k, tree)
        solutions = Solutions.of(small, x, bound=bound, info=info)
        return Found(spread(x, kept, self.qubo.size), (small, solutions, self.k, apart))

    def _reduced(self, rows: Bits, x: Bits) -> tuple[QUBO, Indices, Bits]:
        """Return the problem without surplus copies, the bits that are kept, and x on these.

        Of bits that can be exchanged for each other, k ones need k, and those that others have.
        """
        used = rows.any(axis=0)
        alike = np.where(used, self.qubo.size + np.arange(used.size), self.leader)
        small, kept = without_surplus(self.qubo, self.k, alike)
        x, there = x.copy(), np.zeros(x.size, np.bool_)
        there[kept] = True
        for bit in np.flatnonzero(x & ~there):
            x[np.argmax(there & ~x & (alike == alike[bit]))] = True
            x[bit] = False
        return small, kept, x[kept]

    def _far(self, apart: Apart) -> Solutions | None:
        """Return what is far enough from others in the pool."""
        rows = self.pool.x[~apart.near(self.pool.x)]
        return Solutions.of(self.qubo, rows) if len(rows) else None

    def _learn(self, rows: Bits) -> None:
        """Add rows to the pool."""
        self.pool = Solutions.of(self.qubo, np.vstack([self.pool.x, rows]))


def subsets(n: int, k: int) -> Bits:
    """Return all bit vectors of k ones."""
    rows = np.zeros((comb(n, k), n), np.bool_)
    rows[np.arange(len(rows))[:, None], np.array([*combinations(range(n), k)], np.intp)] = True
    return rows


def spread(x: Bits, kept: Indices, size: int) -> Bits:
    """Return x over so many bits, of which it has some."""
    whole = np.zeros(size, np.bool_)
    whole[kept] = x
    return whole


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
