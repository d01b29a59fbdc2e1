"""Copies: bits that can be exchanged for each other, of which a best vector of k ones has few.

A problem of the few that may be of use is smaller than the whole, and what is best there is best in the whole, where
the first of each are as good as any. `proof.copies` checks both.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _kernels
from ..proof.certificate import Certificate, Copies
from ..qubo import QUBO, RELATIVE_TOLERANCE, TWINS, Bits, Matrix, Solutions, Vector
from .branch import numbered

Indices = npt.NDArray[np.int64]

TRIES = 4  # times k bits are tried in the place of a copy
EPS = float(np.finfo(np.float64).eps)


class Distinct(NamedTuple):
    """The distinct bits of a problem.

    Parameters
    ----------
    linear, couplings : arrays of shape (d,) and (d, d)
    own : array of shape (d,)
        The coupling of two copies of each.
    number : int array of shape (d,)
        How many copies there are of each.
    farthest : float
        What the energy of k ones changes at the most if one bit takes the place of a copy of it: rounding.
    """

    linear: Vector
    couplings: Matrix
    own: Vector
    number: Indices
    farthest: float = 0.0

    def useful(self, k: int) -> Indices:
        """Return how many copies of each a best vector of k ones may have.

        Examples
        --------
        >>> own, number = np.array([0.5, 9.0, 9.0]), np.array([5, 5, 5])
        >>> Distinct(np.array([-3.0, -2.0, -2.0]), np.zeros((3, 3)), own, number).useful(3)
        array([3, 1, 1])
        """
        most, d = np.minimum(self.number, k), self.linear.size
        if k < 2:
            return np.minimum(most, 1)
        # What is worked out with the first of each must hold for all, and a check may round energies otherwise.
        largest = float(np.abs(self.linear).max(initial=0.0))
        slack, margin = 4 * (k + 16) * EPS, 4 * (k + 1) * (self.farthest + EPS * largest)
        order = np.argsort(self.linear + (k - 1) * self.couplings.mean(axis=1), kind="stable")
        while True:
            # Fewer copies of others may leave fewer of each.
            useful, before = np.empty(d, np.int64), most
            _kernels.copies.useful_copies(
                self.linear, self.couplings, self.own, most, k, order, TRIES * k, slack, margin, useful
            )
            most = useful
            if np.array_equal(most, before):
                return most


def tolerable(farthest: float, k: int, tolerance: float) -> bool:
    """Return whether k ones may all be exchanged for copies, here and among the first few, if that changes so much."""
    return 12 * k * farthest <= TWINS * tolerance


def without_surplus(qubo: QUBO, k: int, leader: Indices) -> tuple[QUBO, Indices]:
    """Return the problem with k copies of each bit at the most, and which bits these are: k ones need no more."""
    kept = np.flatnonzero(numbered(leader) < k)
    scale = qubo.tolerance / RELATIVE_TOLERANCE or None
    return QUBO(qubo.linear[kept], qubo.couplings[np.ix_(kept, kept)], scale), kept


def on_stairs(linear: Vector, couplings: Matrix, leader: Indices) -> tuple[Vector, Matrix]:
    """Return a problem in which the first of copies are taken first: each bears what it costs beside those before it.

    Examples
    --------
    >>> linear, couplings = on_stairs(np.full(3, -1.0), np.full((3, 3), 0.25) - np.eye(3) / 4, np.zeros(3, np.int64))
    >>> linear, couplings.any()
    (array([-1.  , -0.75, -0.5 ]), np.False_)
    """
    same = leader[:, None] == leader
    # Where two would rather be together, one alone must not look cheap.
    same[np.isin(leader, leader[(same & (couplings < 0.0)).any(axis=1)])] = False
    return linear + np.tril(np.where(same, couplings, 0.0)).sum(axis=1), np.where(same, 0.0, couplings)


class Fewer(NamedTuple):
    """A problem of k ones without the copies that are of no use, which bits it has, and whose copies all are.

    With ``stairs``, its first copies are taken first.
    """

    whole: QUBO
    qubo: QUBO
    kept: Indices
    leader: Indices
    stairs: bool

    @classmethod
    def of(cls, qubo: QUBO, k: int, leader: Indices) -> "Fewer | None":
        """Return the problem without useless copies; None if nothing changes, or rounding tells copies apart."""
        number = numbered(leader)
        (copies,) = np.nonzero(number)
        if not copies.size:
            return None
        apart = np.abs(qubo.couplings[copies] - qubo.couplings[leader[copies]])
        apart[np.arange(copies.size), copies] = apart[np.arange(copies.size), leader[copies]] = 0.0
        farthest = np.abs(qubo.linear[copies] - qubo.linear[leader[copies]]) + k * apart.max(axis=1)
        if not tolerable(farthest.max(), k, qubo.tolerance):
            return None
        heads, at = np.unique(leader, return_inverse=True)
        own = np.zeros(heads.size)
        own[at[copies[::-1]]] = qubo.couplings[copies[::-1], leader[copies[::-1]]]
        among = np.ascontiguousarray(qubo.couplings[np.ix_(heads, heads)])
        distinct = Distinct(qubo.linear[heads], among, own, np.bincount(at), float(farthest.max()))
        kept = np.flatnonzero(number < distinct.useful(k)[at])
        plain = qubo.couplings[np.ix_(kept, kept)]
        linear, couplings = on_stairs(qubo.linear[kept], plain, leader[kept])
        if kept.size == qubo.size and np.array_equal(couplings, plain):
            return None
        scale = qubo.tolerance / RELATIVE_TOLERANCE or None
        return cls(qubo, QUBO(linear, couplings, scale), kept, leader, True)

    def bits(self, x: Bits) -> Bits:
        """Return rows of all bits from rows of those that are kept: the first of each, as many as are taken."""
        heads, at = np.unique(self.leader, return_inverse=True)
        taken = x.astype(np.int64) @ (at[self.kept][:, None] == np.arange(heads.size))
        return np.asarray(numbered(self.leader) < taken[:, at])

    def solutions(self, found: Solutions, k: int) -> Solutions:
        """Return solutions of the whole problem from those of this one."""
        info: dict[str, Any] = dict(found.info)
        # Where a proof stood is about the bits of this problem.
        info.pop("state", None)
        if (certificate := info.get("certificate")) is not None:
            tree = Copies(self.leader, self.kept, self.stairs, certificate.k, certificate.tree)
            info["certificate"] = Certificate(certificate.bound, k, tree)
        return Solutions.of(self.whole, self.bits(found.x), count=found.count, bound=found.bound, info=info)
