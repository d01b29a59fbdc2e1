"""Tabu: the strong heuristic, which returns a pool of distinct good bit vectors, best first.

Independent tabu searches from random starts fill the pool; then rounds of searches start from crosses of its
members, until the best energy has not fallen for some rounds. Nothing is proven. Effort is counted, never
timed, and every search has a seed of its own, so the result depends neither on the machine nor on `n_jobs`.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _kernels
from .._kernels.threads import thread_map
from ..errors import check_fields, check_integer
from ..proof import Apart
from ..qubo import QUBO, Bits, Matrix, Solutions, Vector, canonical

Rows = npt.NDArray[np.uint8]
Whole = npt.NDArray[np.int64]
Indices = npt.NDArray[np.intp]

# Bits above which a search costs enough to be cut short by a hint.
MANY = 100
SETS = 64  # as many as a word has binary digits
# Below this many bit updates, a round is done before a second thread has started.
WORTH_A_THREAD = 500_000


class Live(NamedTuple):
    """What a search has to decide: the QUBO of the open bits, once all others are settled.

    Between ``fewest`` and ``most`` of the open bits are ones, and of each row of ``sets`` at most ``limits``.
    """

    x: Bits
    bits: Indices
    linear: Vector
    couplings: Matrix
    fillers: Indices
    k: int
    fewest: int
    most: int
    sets: Bits
    limits: Whole


def live(qubo: QUBO) -> Live:
    """Return the part of a QUBO that a search has to decide.

    A bit whose energy is not negative beside any others is zero in some optimum; one whose energy is negative
    beside all others is one in every optimum. Settling one bit may settle the next.

    Examples
    --------
    >>> live(QUBO([-1.0, 0.5, -3.0], [[0, 1, 1.5], [1, 0, 1], [1.5, 1, 0]]))[:2]
    (array([False, False,  True]), array([], dtype=int64))
    """
    x = np.zeros(qubo.size, np.bool_)
    bits = np.arange(qubo.size)
    linear, couplings = qubo.linear, qubo.couplings
    # Without negative couplings, as in every feature selection, the sums need no copy of the matrix.
    signed = bool(couplings.min(initial=0.0) < 0.0)
    while bits.size:
        zero = linear + (np.minimum(couplings, 0.0).sum(axis=1) if signed else 0.0) >= 0.0
        one = linear + (np.maximum(couplings, 0.0) if signed else couplings).sum(axis=1) < 0.0
        if not (zero | one).any():
            break
        x[bits[one]] = True
        open_ = ~(zero | one)
        linear = (linear + couplings[one].sum(axis=0))[open_]
        couplings = couplings[np.ix_(open_, open_)]
        bits = bits[open_]
    none = np.zeros((0, bits.size), np.bool_), np.zeros(0, np.int64)
    return Live(x, bits, linear, couplings, bits[:0], 0, 0, bits.size, *none)


def live_at(qubo: QUBO, k: int, apart: Apart | None = None) -> Live:
    """Return the part of a QUBO that a search for exactly k ones, apart from others, has to decide.

    Bits of equal energy without couplings, such as constant features, fill up what the others leave of k.
    Exchanging one for another changes nothing, and a search would do little else, so they are taken out:
    the others then have a lower and an upper limit, and their energies count from that of a filler. A bit that one of
    the others has is no filler, as it makes a difference how near they are.

    Examples
    --------
    >>> part = live_at(QUBO([0.0, -1.0, 0.0], np.zeros((3, 3))), 1)
    >>> part.fillers, part.fewest, part.most
    (array([0, 2]), 0, 1)
    """
    rows = np.zeros((0, qubo.size), np.bool_) if apart is None else apart.rows[:SETS]
    alone = np.flatnonzero(~qubo.couplings.any(axis=1) & ~rows.any(axis=0))
    height = np.sort(qubo.linear[alone])[alone.size // 2] if alone.size else 0.0
    fillers = alone[qubo.linear[alone] == height]
    bits = np.delete(np.arange(qubo.size), fillers)
    linear, couplings = qubo.linear[bits] - height, qubo.couplings[np.ix_(bits, bits)]
    nothing = np.zeros(qubo.size, np.bool_)
    limits = np.full(len(rows), k - (0 if apart is None else apart.different), np.int64)
    ones = max(0, k - fillers.size), min(k, bits.size)
    return Live(nothing, bits, linear, couplings, fillers, k, *ones, rows[:, bits], limits)


def whole_numbers(linear: Vector, couplings: Matrix) -> tuple[Whole, Whole]:
    """Return the coefficients times a power of two, rounded, so that no sum of them reaches 2**60."""
    total = float(np.abs(linear).sum() + np.abs(couplings).sum())
    power = 59 - int(np.frexp(total)[1]) if total else 0
    return (
        np.rint(np.ldexp(linear, power)).astype(np.int64),
        np.rint(np.ldexp(couplings, power)).astype(np.int64),
    )


def random_rows(ones: npt.NDArray[np.int64], n: int, rng: np.random.Generator) -> Rows:
    """Return one row of n bits for each number of ones, the ones at random places."""
    rank = rng.random((len(ones), n)).argsort(axis=1).argsort(axis=1)
    return (rank < ones[:, None]).astype(np.uint8)


def crosses(pool: Rows, children: int, part: Live, rng: np.random.Generator) -> Rows:
    """Return children of random pairs: what both have they keep, where they differ chance decides."""
    a = rng.integers(0, len(pool), children)
    b = (a + rng.integers(1, len(pool), children)) % len(pool)
    both: Rows = pool[a] + pool[b]
    chance = rng.random(both.shape)
    ones = (both > 2.0 * chance).sum(axis=1).clip(part.fewest, part.most)
    # Common ones rank before differing bits, and these before common zeros.
    rank: Indices = (chance - both).argsort(axis=1).argsort(axis=1)
    rows: Rows = (rank < ones[:, None]).astype(np.uint8)
    return rows


def filled(part: Live, pool: Rows) -> Bits:
    """Return rows of all bits from those of the open ones; at exactly k, what is missing is filled up."""
    x = np.repeat(part.x[None], len(pool), axis=0)
    x[:, part.bits] = pool
    missing = part.k - pool.sum(axis=1, dtype=np.int64)
    x[:, part.fillers] = np.arange(part.fillers.size) < missing[:, None]
    return x


def with_room(rows: Rows, part: Live, rng: np.random.Generator) -> Rows:
    """Return the rows that keep to the limits of all sets, after random exchanges of bits of those that do not."""
    good = np.ones(len(rows), np.bool_)
    for place, row in enumerate(rows):
        for _ in range(row.size):
            over = (part.sets @ row.astype(np.int64)) > part.limits
            if not over.any():
                break
            first = int(np.argmax(over))
            inside, outside = np.flatnonzero(part.sets[first] & (row == 1)), np.flatnonzero(row == 0)
            row[rng.choice(inside)] = 0
            far = outside[~part.sets[:, outside].any(axis=0)]
            if row.sum() < part.fewest and outside.size:
                row[rng.choice(far if far.size else outside)] = 1
        good[place] = bool(((part.sets @ row.astype(np.int64)) <= part.limits).all())
    found: Rows = rows[good & (rows.sum(axis=1) >= part.fewest)]
    return found


def hinted(hint: Solutions, part: Live) -> Bits:
    """Return the open bits of a hint's solutions that keep to the number of ones."""
    if hint.x.shape[1] != part.x.size:
        return np.zeros((0, part.bits.size), np.bool_)
    bits: Bits = hint.x[:, part.bits]
    ones = bits.sum(axis=1)
    fitting: Bits = bits[(part.fewest <= ones) & (ones <= part.most)]
    return fitting


@dataclass(frozen=True)
class Tabu:
    """Multistart tabu search with recombination of elite solutions.

    Parameters
    ----------
    k : int or None
        Search among the bit vectors of exactly k ones.
    restarts : int or None
        Searches per round: from random starts in the first, from crosses of the pool in the others. None
        takes 8 + n / 8, and 64 at most.
    rounds : int
        Stop after this many rounds in a row that did not lower the best energy, or one that left the pool as
        it was.
    steps : int or None
        A search stops after this many moves without a lower energy. None takes 50 + n / 2.
    elite : int
        Distinct solutions kept in the pool, and returned.
    seed : int
    n_jobs : int or None
        Threads, as in joblib.
    hint : Solutions, optional
        Of a similar problem: up to half of the first searches start from them. Above 100 bits half as many searches
        and rounds do then: on paths of MNIST they found no less.

    Examples
    --------
    >>> qubo = QUBO([-1.0, -1.0, -1.0], [[0, 3, 0], [3, 0, 1], [0, 1, 0]])
    >>> Tabu()(qubo).best
    array([ True, False,  True])
    >>> Tabu(k=1)(qubo).best
    array([ True, False, False])
    """

    k: int | None = None
    restarts: int | None = None
    rounds: int = 6
    steps: int | None = None
    elite: int = 24
    seed: int = 0
    n_jobs: int | None = -1
    hint: Solutions | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_fields(self, rounds=0, elite=1, seed=0)
        check_fields(self, none=True, k=0, restarts=1, steps=1)

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return the elite pool; nothing is proven."""
        if self.k is not None:
            check_integer(self.k, "k", 0, qubo.size)
        part = live(qubo) if self.k is None else live_at(qubo, self.k)
        pool, rounds = self._pool(part)
        x = filled(part, pool)
        x[0] = canonical(qubo, x[0], self.k)
        return Solutions.of(qubo, x, info={"rounds": rounds, "live": int(part.bits.size)})

    def apart(self, qubo: QUBO, others: Apart, /) -> Solutions | None:
        """Return the elite pool of those bit vectors of k ones that are far enough from others; None if none was found.

        Of more than 64 others a search keeps clear of the first 64, and what is near to any is left out at the end.

        Examples
        --------
        >>> qubo = QUBO([-3.0, -2.0, -1.0], np.zeros((3, 3)))
        >>> Tabu(k=1).apart(qubo, Apart(np.array([[True, False, False]]), 1)).best
        array([False,  True, False])
        """
        assert self.k is not None, "others are of k ones"
        part = live_at(qubo, self.k, others)
        pool, rounds = self._pool(part)
        x = filled(part, pool)
        x = x[~others.near(x)]
        return Solutions.of(qubo, x, info={"rounds": rounds}) if len(x) else None

    def _pool(self, part: Live) -> tuple[Rows, int]:
        """Return distinct good rows of the open bits, the best one first, and the rounds it took."""
        n = part.bits.size
        if n == 0:
            return np.zeros((1, 0), np.uint8), 0
        rng = np.random.default_rng(self.seed)
        linear, couplings = whole_numbers(part.linear, part.couplings)
        problem = (linear, couplings, couplings.max(axis=1))
        # Few ones, because a descent adds what is worth it.
        restarts, rounds = self.restarts or min(64, 8 + n // 8), self.rounds
        known = np.zeros((0, n), np.bool_) if self.hint is None else hinted(self.hint, part)
        if len(known) and n > MANY:
            restarts, rounds = (restarts + 1) // 2, (rounds + 1) // 2
        ones = rng.integers(0, 2 + n // 8, restarts).clip(part.fewest, part.most)
        rows = random_rows(ones, n, rng)
        rows[: restarts // 2][: len(known)] = known[: restarts // 2]
        if len(part.sets):
            rows = with_room(rows, part, rng)
            if not len(rows):
                return rows, 0
        pool, energies = self._best(*self._searched(rows, problem, part, rng))
        since = done = 0
        # Where every search ends at one energy, crosses of what they found lead there too.
        while since < rounds and energies.max() > energies[0]:
            before = energies
            rows = crosses(pool, restarts, part, rng)
            if len(part.sets):
                rows = with_room(rows, part, rng)
            rows, found = self._searched(rows, problem, part, rng)
            pool, energies = self._best(np.concatenate([pool, rows]), np.concatenate([energies, found]))
            done += 1
            if np.array_equal(energies, before):
                break
            since = 0 if energies[0] < before[0] else since + 1
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

    def _searched(
        self, rows: Rows, problem: tuple[Whole, Whole, Whole], part: Live, rng: np.random.Generator
    ) -> tuple[Rows, Whole]:
        """Return what tabu searches make of rows, and the energies; the problem is in whole numbers."""
        linear, couplings, highest = problem
        n = linear.size
        patience = self.steps or 50 + n // 2
        # No length of the tabu list suits every landscape: short lists dig, long ones travel.
        stay = rng.integers(0, 6, len(rows)).clip(0, n // 4)
        away = rng.integers(3, 21, len(rows)).clip(0, n // 4)
        seeds = rng.integers(0, 2**64, len(rows), np.uint64)
        energies = np.empty(len(rows), np.int64)
        sets = (part.sets.T << np.arange(len(part.sets), dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
        small = patience * rows.size < WORTH_A_THREAD
        thread_map(
            lambda some: _kernels.search.tabu_rows(
                linear, couplings, highest, rows[some], part.fewest, part.most, sets, part.limits,
                patience, 10 * patience, stay[some], away[some], seeds[some], energies[some],
            ),
            [slice(None)] if small else [slice(r, r + 1) for r in range(len(rows))],
            n_jobs=1 if small else self.n_jobs,
        )  # fmt: skip
        return rows, energies
