"""Tabu: the strong heuristic. A QUBO flows in, a pool of distinct good bit vectors flows out, best first.

Independent tabu searches from random starts fill the pool; then rounds of searches start from crosses of its
members, until the best energy has not fallen for some rounds. Nothing is proven. Effort is counted, never
timed, and every search has a seed of its own, so the result depends neither on the machine nor on `n_jobs`.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .._kernels.search import tabu_rows
from ..qubo import QUBO, Bits, Matrix, Samples, Vector
from ..threads import thread_map
from .ties import canonical, check_k

Rows = npt.NDArray[np.uint8]
Whole = npt.NDArray[np.int64]

# Below this many bit updates, a round is done before a second thread has started.
WORTH_A_THREAD = 2_000_000


class Live(NamedTuple):
    """The bits that are not settled before the search, and their QUBO once the others are."""

    x: Bits
    bits: npt.NDArray[np.intp]
    linear: Vector
    couplings: Matrix


def live(qubo: QUBO, k: int | None = None) -> Live:
    """Return the part of a QUBO that a search has to decide.

    A bit whose energy is not negative beside any others is zero in some optimum; one whose energy is negative
    beside all others is one in every optimum. Settling one bit may settle the next. At exactly k ones, only
    the best k of the bits without couplings can be needed.

    Examples
    --------
    >>> live(QUBO([-1.0, 0.5, -3.0], [[0, 1, 1.5], [1, 0, 1], [1.5, 1, 0]]))[:2]
    (array([False, False,  True]), array([], dtype=int64))
    """
    x = np.zeros(qubo.size, np.bool_)
    bits = np.arange(qubo.size)
    linear, couplings = qubo.linear, qubo.couplings
    if k is not None:
        alone = np.flatnonzero(~couplings.any(axis=1))
        spare = alone[np.argsort(linear[alone], kind="stable")][k:]
        bits = np.delete(bits, spare)
        return Live(x, bits, linear[bits], couplings[np.ix_(bits, bits)])
    while bits.size:
        zero = linear + np.minimum(couplings, 0.0).sum(axis=1) >= 0.0
        one = linear + np.maximum(couplings, 0.0).sum(axis=1) < 0.0
        if not (zero | one).any():
            break
        x[bits[one]] = True
        open_ = ~(zero | one)
        linear = (linear + couplings[one].sum(axis=0))[open_]
        couplings = couplings[np.ix_(open_, open_)]
        bits = bits[open_]
    return Live(x, bits, linear, couplings)


def whole_numbers(linear: Vector, couplings: Matrix) -> tuple[Whole, Whole]:
    """Return the coefficients times a power of two, rounded, so that no sum of them reaches 2**60."""
    total = float(np.abs(linear).sum() + np.abs(couplings).sum())
    power = 59 - int(np.frexp(total)[1]) if total else 0
    return (
        np.rint(np.ldexp(linear, power)).astype(np.int64),
        np.rint(np.ldexp(couplings, power)).astype(np.int64),
    )


def check_counts(solver: object, *, none: bool = False, **least: int) -> None:
    """Raise unless the named fields are integers of at least what is given (or None, where allowed)."""
    for name, lowest in least.items():
        value = getattr(solver, name)
        if none and value is None:
            continue
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < lowest:
            raise ValueError(f"{name} must be an integer of at least {lowest}, got {value!r}.")


def random_rows(ones: npt.NDArray[np.int64], n: int, rng: np.random.Generator) -> Rows:
    """Return one row of n bits for each number of ones, the ones at random places."""
    rank = rng.random((len(ones), n)).argsort(axis=1).argsort(axis=1)
    return (rank < ones[:, None]).astype(np.uint8)


@dataclass(frozen=True)
class Tabu:
    """Multistart tabu search with recombination of elite solutions.

    Parameters
    ----------
    k : int or None
        Search among the bit vectors of exactly k ones.
    restarts : int
        Searches per round: from random starts in the first, from crosses of the pool in the others.
    rounds : int
        Stop after so many rounds in a row that did not lower the best energy.
    steps : int or None
        A search stops after so many moves without a lower energy. None takes 8 n, and 50 at least.
    elite : int
        Distinct solutions kept in the pool, and returned.
    seed : int
    n_jobs : int or None
        Threads, as in joblib.

    Examples
    --------
    >>> qubo = QUBO([-1.0, -1.0, -1.0], [[0, 3, 0], [3, 0, 1], [0, 1, 0]])
    >>> Tabu()(qubo).best
    array([ True, False,  True])
    >>> Tabu(k=1)(qubo).best
    array([ True, False, False])
    """

    k: int | None = None
    restarts: int = 16
    rounds: int = 3
    steps: int | None = None
    elite: int = 10
    seed: int = 0
    n_jobs: int | None = -1

    def __post_init__(self) -> None:
        check_counts(self, restarts=1, rounds=0, elite=1, seed=0)
        check_counts(self, none=True, k=0, steps=1)

    def __call__(self, qubo: QUBO, /) -> Samples:
        """Return the elite pool; nothing is proven."""
        check_k(self.k, qubo.size)
        problem = live(qubo, self.k)
        pool, rounds = self._pool(problem)
        x = np.repeat(problem.x[None], len(pool), axis=0)
        x[:, problem.bits] = pool
        x[0] = canonical(qubo, x[0], self.k)
        return Samples.of(qubo, x, info={"rounds": rounds, "live": int(problem.bits.size)})

    def _pool(self, problem: Live) -> tuple[Rows, int]:
        """Return the distinct best rows over the live bits, best first, and the rounds it took."""
        n = problem.bits.size
        if n == 0:
            return np.zeros((1, 0), np.uint8), 0
        coefficients = whole_numbers(problem.linear, problem.couplings)
        rng = np.random.default_rng(self.seed)
        if self.k is None:
            # Few, because a descent adds what is worth it.
            ones = rng.integers(0, 2 + n // 8, self.restarts)
        else:
            ones = np.full(self.restarts, self.k)
        pool, energies = self._best(*self._search(coefficients, random_rows(ones, n, rng), rng))
        since = done = 0
        while since < self.rounds and len(pool) > 1:
            lowest = energies[0]
            found, found_energies = self._search(coefficients, self._crosses(pool, rng), rng)
            pool, energies = self._best(
                np.concatenate([pool, found]), np.concatenate([energies, found_energies])
            )
            since = 0 if energies[0] < lowest else since + 1
            done += 1
        return pool, done

    def _best(self, rows: Rows, energies: Whole) -> tuple[Rows, Whole]:
        """Return distinct rows of the lowest energies, the best one first.

        Rows that repeat an energy come last: they are often the same solution with one of two identical
        features for the other, and would crowd out the solutions that are worth a cross.
        """
        _, first = np.unique(np.packbits(rows, axis=1), axis=0, return_index=True)
        order = first[np.argsort(energies[first], kind="stable")]
        repeated = np.diff(energies[order], prepend=energies[order[0]] - 1) == 0
        order = np.concatenate([order[~repeated], order[repeated]])[: self.elite]
        return rows[order], energies[order]

    def _crosses(self, pool: Rows, rng: np.random.Generator) -> Rows:
        """Return children of random pairs: what both have they keep, where they differ chance decides."""
        a = rng.integers(0, len(pool), self.restarts)
        b = (a + rng.integers(1, len(pool), self.restarts)) % len(pool)
        both = pool[a] + pool[b].astype(np.float64)
        chance = rng.random(both.shape)
        if self.k is None:
            children: Bits = both > 2.0 * chance
        else:
            children = (-both - 0.5 * chance).argsort(axis=1).argsort(axis=1) < self.k
        return children.astype(np.uint8)

    def _search(
        self, coefficients: tuple[Whole, Whole], rows: Rows, rng: np.random.Generator
    ) -> tuple[Rows, Whole]:
        """Return what tabu searches find from each row, and the energies."""
        linear, couplings = coefficients
        patience = self.steps or max(50, 8 * linear.size)
        highest = couplings.max(axis=1)
        # No length of the tabu list suits every landscape: short lists dig, long ones travel.
        longest = linear.size // 4
        stay = np.minimum(rng.integers(0, 6, len(rows)), longest)
        away = np.minimum(rng.integers(3, 21, len(rows)), longest)
        seeds = rng.integers(0, 2**64, len(rows), np.uint64)
        energies = np.empty(len(rows), np.int64)
        exactly = self.k is not None

        def improve(part: slice) -> None:
            tabu_rows(
                linear, couplings, highest, rows[part], exactly, patience, 10 * patience,
                stay[part], away[part], seeds[part], energies[part],
            )  # fmt: skip

        small = patience * rows.size < WORTH_A_THREAD
        parts = [slice(None)] if small else [slice(r, r + 1) for r in range(len(rows))]
        thread_map(improve, parts, n_jobs=1 if small else self.n_jobs)
        return rows, energies
