"""Cuts ``(b'x - t)(b'x - t - 1) >= 0``: the inequalities that a relaxed solution violates.

They hold for all bits, as ``b'x`` is an integer. With three members they are the triangle inequalities of the
boolean quadric polytope, with two the bounds on a product; and fixing a bit keeps a cut within the family.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from .. import _kernels
from ..qubo import Matrix, Vector

WIDTH = 3
# What the kernel calls kind 0 to 3: signs and offset.
KINDS = {0: ((1, 1, 1), 1), 1: ((1, -1, -1), -1), 2: ((1, -1, 0), -1), 3: ((1, 1, 0), 1)}
# More violated cuts than this are not told apart; stronger ones replace weaker ones.
MOST_FOUND = 200_000


@dataclass(frozen=True, eq=False, repr=False)
class Cuts:
    """Rows ``(b'x - t)(b'x - t - 1) >= 0`` with their multipliers.

    Parameters
    ----------
    members : int32 array of shape (m, 3)
        One plus the index of a bit; 0 fills up at the end.
    signs : int8 array of shape (m, 3)
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

    def terms(self, size: int) -> tuple[Any, Vector, Vector]:
        """Return where a lifted matrix of so many rows has each one's bits and pairs, their factors, and a constant."""
        t, pairs = self.offsets[:, None], ((0, 0, 1), (1, 2, 2))
        first, second = self.members[:, pairs[0]], self.members[:, pairs[1]]
        above, below = np.minimum(first, second), np.maximum(first, second)
        places = np.hstack([self.members * np.int64(size + 1), above * np.int64(size) + below])
        factors = np.hstack(
            [np.where(self.signs > 0, -t, t + 1), self.signs[:, pairs[0]] * self.signs[:, pairs[1]]]
        )
        # What only fills up is at place 0, and counts nothing.
        there = np.hstack([self.members, above]) > 0
        return places * there, factors * there * 1.0, 0.5 * (t * (t + 1.0))[:, 0]

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
        return Cuts(members, signs, offsets, self.mu).take((members > 0).sum(axis=1) >= 2)


def separate(Y: Matrix, cuts: Cuts, limit: int, *, tolerance: float = 1e-3) -> Cuts:
    """Return the cuts and the most violated others of a relaxed Y, at most ``limit`` rows in all."""
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
    members = (live[rows[:, 1:]] * (rows[:, 1:] > 0)).astype(np.int32)
    signs, offsets = np.zeros((len(rows), WIDTH), np.int8), np.zeros(len(rows), np.int64)
    for kind, (b, t) in KINDS.items():
        signs[rows[:, 0] == kind] = b
        offsets[rows[:, 0] == kind] = t
    fresh = ~np.isin(_keys(members, signs, offsets), _keys(cuts.members, cuts.signs, cuts.offsets))
    return cuts.join(Cuts(members, signs, offsets, np.zeros(len(rows))).take(np.flatnonzero(fresh)[:room]))


def _keys(members: Any, signs: Any, offsets: Any) -> npt.NDArray[np.int64]:
    """Return what tells one cut from another, in any order of its members: exact for a hundred thousand bits."""
    first, second, third = np.sort(members * np.int64(2) + (signs < 0), axis=1).T
    # Offsets over three bits are from -3 to 2.
    keys: npt.NDArray[np.int64] = ((first * 200_003 + second) * 200_003 + third) * 8 + offsets + 4
    return keys
