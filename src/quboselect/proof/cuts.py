"""Cuts ``(b'x - t)(b'x - t - 1) >= 0``: the inequalities that a relaxed solution violates.

They hold for all bits, as ``b'x`` is an integer. With three members they are the triangle inequalities of the
boolean quadric polytope, with two the bounds on a product, with four or five the pentagonal inequalities; and fixing a
bit keeps a cut within the family.

Over spins ``s = 2x - 1``, and with a constant spin of 1 whose sign is ``sum b - 2t - 1``, a cut says that an odd number
of signed spins is never 0: ``(b's)^2 >= 1``.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from .. import _kernels
from ..qubo import Matrix, Vector

WIDTH = 5
# All pairs of five members; those of the first three come first.
PAIRS = (0, 0, 1, 0, 1, 2, 0, 1, 2, 3), (1, 2, 2, 3, 3, 3, 4, 4, 4, 4)
# What the kernel calls kind 0 to 3: signs and offset.
KINDS = {0: ((1, 1, 1), 1), 1: ((1, -1, -1), -1), 2: ((1, -1, 0), -1), 3: ((1, 1, 0), 1)}
# More violated cuts than this are not told apart; stronger ones replace weaker ones.
MOST_FOUND = 200_000
# Pentagonal cuts are looked for once the violated triangles are at most so many times as there is room for; they have
# room for so many for each bit, and must be violated by so much.
FEW, EACH, VIOLATED = 3, 6, 0.02


@dataclass(frozen=True, eq=False, repr=False)
class Cuts:
    """Rows ``(b'x - t)(b'x - t - 1) >= 0`` with their multipliers.

    Parameters
    ----------
    members : int32 array of shape (m, 5)
        One plus the index of a bit; 0 fills up at the end.
    signs : int8 array of shape (m, 5)
        b.
    offsets : int64 array of shape (m,)
        t.
    mu : array of shape (m,)
        Multipliers, not negative.
    """

    members: npt.NDArray[np.int32]
    signs: npt.NDArray[np.int8]
    offsets: npt.NDArray[np.int64]
    mu: Vector

    @classmethod
    def none(cls) -> Self:
        """Return no cuts."""
        return cls(
            np.zeros((0, WIDTH), np.int32), np.zeros((0, WIDTH), np.int8), np.zeros(0, np.int64), np.zeros(0)
        )

    def __len__(self) -> int:
        return len(self.mu)

    def arrays(self) -> tuple[Any, Any, Any, Vector]:
        """Return members, signs, offsets and multipliers, as the kernels take them."""
        return self.members, self.signs, self.offsets, self.mu

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many members each has."""
        sizes: npt.NDArray[np.int64] = (self.members > 0).sum(axis=1)
        return sizes

    def terms(self, metric: Vector) -> tuple[Any, Any, Any, Any, Vector]:
        """Return where a lifted matrix has the bits and pairs of each, their factors, what moves them, and constants.

        First where the entries of each start. A multiplier of one moves an entry by its factor, over its weight in the
        metric of the rows.
        """
        t, size = self.offsets[:, None], np.int64(len(metric))
        first, second = self.members[:, PAIRS[0]], self.members[:, PAIRS[1]]
        above, below = np.minimum(first, second), np.maximum(first, second)
        places = np.hstack([self.members * (size + 1), above * size + below])
        factors = np.hstack(
            [np.where(self.signs > 0, -t, t + 1), self.signs[:, PAIRS[0]] * self.signs[:, PAIRS[1]]]
        )
        square = metric**2
        weights = np.hstack(
            [((2 * square[0] + square) * square)[self.members], 2 * square[above] * square[below]]
        )
        there = np.hstack([self.members, above]) > 0
        starts = np.zeros(len(self) + 1, np.int64)
        np.cumsum(there.sum(axis=1), out=starts[1:])
        heights = 0.5 * (t * (t + 1.0))[:, 0]
        factors = factors[there].astype(np.float32)
        moves = (factors / weights[there]).astype(np.float32)
        return starts, places[there].astype(np.int32), factors, moves, heights

    def take(self, rows: Any) -> "Cuts":
        """Return some of the rows."""
        return Cuts(*(array[rows] for array in self.arrays()))

    def join(self, other: "Cuts") -> "Cuts":
        """Return these rows, then the other's."""
        pairs = zip(self.arrays(), other.arrays(), strict=True)
        return Cuts(*(np.concatenate([a, b]) for a, b in pairs))

    def given(self, x: npt.NDArray[np.int8]) -> "Cuts":
        """Return the cuts over the free bits, where ``x`` is -1, once the others are fixed.

        A one moves into the offset, as ``t - b_i``. Rows with fewer than two free members say nothing and go.
        """
        place = np.concatenate([[0], np.cumsum(x < 0) * (x < 0)]).astype(np.int32)
        one = np.concatenate([[False], x == 1])
        members = place[self.members]
        offsets = self.offsets - (self.signs * one[self.members]).sum(axis=1)
        order = np.argsort(members == 0, axis=1, kind="stable")
        members = np.ascontiguousarray(np.take_along_axis(members, order, 1))
        signs = np.take_along_axis(self.signs, order, 1) * (members > 0)
        signs = np.ascontiguousarray(signs).astype(np.int8)
        cuts = Cuts(members, signs, offsets, self.mu)
        return cuts.take(cuts.sizes >= 2)


def separate(Y: Matrix, cuts: Cuts, limit: int, *, tolerance: float = 1e-3) -> Cuts:
    """Return the cuts and the most violated others of a relaxed Y.

    Triangles join while there are fewer than ``limit`` rows; pentagonal ones take up to `EACH` rows a bit beyond.
    """
    room = max(0, limit - len(cuts))
    # A bit that is nowhere near one violates nothing worth a row; position 0, the constant, always stays.
    live = np.flatnonzero(np.diagonal(Y) > tolerance)
    rows, score = np.zeros((MOST_FOUND, 4), np.int32), np.zeros(MOST_FOUND)
    found = min(
        MOST_FOUND,
        _kernels.relaxation.triangles(np.ascontiguousarray(Y[np.ix_(live, live)]), tolerance, rows, score),
    )
    rows, score, wanted = rows[:found], score[:found], room + len(cuts)
    if 0 < wanted < found:
        (strong,) = np.nonzero(score >= np.partition(score, found - wanted)[found - wanted])
        rows, score = rows[strong], score[strong]
    rows = rows[np.argsort(-score, kind="stable")[:wanted]]
    three, signs = live[rows[:, 1:]] * (rows[:, 1:] > 0), np.zeros((len(rows), 3), np.int64)
    offsets = np.zeros(len(rows), np.int64)
    for kind, (b, t) in KINDS.items():
        signs[rows[:, 0] == kind] = b
        offsets[rows[:, 0] == kind] = t
    every = cuts.join(_fresh(three, signs, offsets, cuts, room))
    if found > FEW * wanted:
        return every
    return every.join(pentagonal(Y, live, every, max(0, limit + EACH * len(Y) - len(every))))


def pentagonal(Y: Matrix, live: npt.NDArray[np.intp], cuts: Cuts, most: int) -> Cuts:
    """Return violated cuts of five members, the constant counted, that extend cuts of three; so many at the most."""
    x = np.diagonal(Y)[live]
    spins = 4.0 * Y[np.ix_(live, live)] - 2.0 * (x[:, None] + x) + 1.0
    place = np.full(len(Y), -1)
    place[live] = np.arange(live.size)
    members, signs = place[cuts.members[:, :3]], cuts.signs[:, :3].astype(np.int64)
    # Member 0 is the constant, which is at place 0 there.
    constant = signs.sum(axis=1) - 2 * cuts.offsets - 1
    pair = cuts.sizes == 2
    signs[pair, 2] = constant[pair]
    fitting = np.where(pair, np.abs(constant) == 1, (cuts.sizes == 3) & (constant == 0))
    fitting &= (members >= 0).all(axis=1)
    members, signs = np.ascontiguousarray(members[fitting]), np.ascontiguousarray(signs[fitting])
    rows, b = np.zeros((2, len(members), WIDTH), np.int64)
    score = np.zeros(len(members))
    _kernels.relaxation.pentagons(np.ascontiguousarray(spins), members, signs, rows, b, score)
    strong = np.flatnonzero(score > VIOLATED)
    strong = strong[np.argsort(-score[strong], kind="stable")]
    last = np.argsort(rows[strong] == 0, axis=1, kind="stable")
    rows, b = np.take_along_axis(rows[strong], last, 1), np.take_along_axis(b[strong], last, 1)
    constant = (b * (rows == 0)).sum(axis=1)
    b *= rows > 0
    return _fresh(live[rows] * (rows > 0), b, (b.sum(axis=1) - constant - 1) // 2, cuts, most)


def _fresh(members: Any, signs: Any, offsets: Any, known: Cuts, most: int) -> Cuts:
    """Return those of some cuts that are not known, each once, and so many at the most; no multiplier is set yet."""
    wide = [np.pad(array, ((0, 0), (0, WIDTH - array.shape[1]))) for array in (members, signs)]
    cuts = Cuts(wide[0].astype(np.int32), wide[1].astype(np.int8), offsets, np.zeros(len(offsets)))
    keys = _keys(cuts)
    first = np.sort(np.unique(keys, return_index=True)[1])
    return cuts.take(first[~np.isin(keys[first], _keys(known))][:most])


def _keys(cuts: Cuts) -> npt.NDArray[np.uint64]:
    """Return what tells one cut from another, in any order of its members.

    It is 64 bits of a hash: of two cuts that have one by chance, one in 10^19 pairs, the second is lost.
    """
    keys = (cuts.offsets + 64).astype(np.uint64)
    for column in np.sort(cuts.members * np.int64(2) + (cuts.signs < 0), axis=1).T:
        keys = (keys ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    return keys
