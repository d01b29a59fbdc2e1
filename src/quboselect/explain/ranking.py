"""Ranking: an order of all units, by the size at which each enters the best subsets.

From the selection the sizes are walked down to one and up to all. At each step one unit leaves or enters, and exchanges
follow as long as they improve. A unit ranks by the smallest size at which it is in, those of the selection first: what
leaves and comes back keeps the rank of its first time, and what leaves before the selection ranks behind it. So where
the subsets are nested the order is that in which they grow. Nothing of it is proven.

At the size of the selection alpha is that of the fit. A subset of s units has s - 1 pairs for each of them, so at other
sizes importance weighs in proportion to s - 1, as it does for the default criterion.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ..qubo import RELATIVE_TOLERANCE, Bits, Matrix, Vector
from ..search.units import Units
from ..tradeoff import Tradeoff
from .changes import Changes, changes

Indices = npt.NDArray[np.intp]

MOST = 400  # units that are walked through; the others follow by what they would add to the selection
# Subsets up to so many times the selection are improved by exchanges, and of so many units.
IMPROVED, LEAST = 3, 40
EPS = float(np.finfo(np.float64).eps)


def feature_ranks(units: Units, found: Changes, alpha: float) -> Indices:
    """Return the rank of each feature, 1 for the first.

    Included features come first, then the free ones by units, those of a group by importance, and excluded ones last.

    Parameters
    ----------
    units : Units
    found : Changes
        Of the selection.
    alpha : float
    """
    constraints, importance = units.constraints, units.tradeoff.importance
    place = np.zeros(importance.size, np.int64)
    at = np.empty(units.size, np.int64)
    at[unit_order(units, found, alpha)] = np.arange(units.size)
    place[units.order] = np.repeat(at, units.lengths)
    place[constraints.included] = -1
    place[constraints.excluded] = units.size
    ranked = np.lexsort((np.arange(place.size), -np.where(constraints.excluded, 0.0, importance), place))
    ranks = np.empty(place.size, np.intp)
    ranks[ranked] = np.arange(1, place.size + 1)
    return ranks


def unit_order(units: Units, found: Changes, alpha: float) -> Indices:
    """Return all free units, the first first: those that are selected, then the others."""
    chosen = found.chosen
    order = np.argsort(np.where(chosen, -np.inf, found.alone), kind="stable")
    most = max(MOST, int(chosen.sum()))
    near, rest = np.sort(order[:most]), order[most:]
    return np.concatenate([near[entry_order(units.among(near), chosen[near], alpha)], rest])


class Sized:
    """The problem at each size: only the weight of importance changes with it.

    Parameters
    ----------
    tradeoff : Tradeoff
        With a matrix of redundancy.
    alpha : float
        At the size k.
    k : int
    """

    def __init__(self, tradeoff: Tradeoff, alpha: float, k: int) -> None:
        self.importance, self.cost = tradeoff.importance, tradeoff.cost
        # At alpha = 1 nothing but importance counts, at any size.
        self.couplings: Matrix = tradeoff.redundancy if alpha < 1.0 else np.zeros_like(tradeoff.redundancy)
        self.odds = alpha / (1.0 - alpha) / max(k - 1, 1) if alpha < 1.0 else 1.0

    def linear(self, size: int) -> Vector:
        """Return the energy of each unit alone, in subsets of so many."""
        energies: Vector = self.cost - self.odds * max(size - 1, 1) * self.importance
        return energies

    def improved(self, x: Bits) -> Bits:
        """Return where the best exchanges of a one for a zero lead; x itself where there are none."""
        linear = self.linear(int(x.sum()))
        least = -RELATIVE_TOLERANCE * float(np.abs(linear).max(initial=0.0))
        while True:
            _, _, ones, change = changes(linear, self.couplings[x], x)
            out, into = np.unravel_index(int(np.argmin(change)), change.shape)
            pair = [ones[out], into]
            terms = np.abs(linear[pair]).sum() + np.abs(self.couplings[np.ix_(x, pair)]).sum()
            # Copies may be exchanged for each other for ever, if rounding is taken for a gain.
            if not change[out, into] < min(least, -(ones.size + 8) * EPS * terms):
                return x
            x = x.copy()
            x[ones[out]], x[into] = False, True


def entry_order(tradeoff: Tradeoff, chosen: Bits, alpha: float) -> Indices:
    """Return all units in the order in which they enter the best subsets of each size.

    Examples
    --------
    >>> tradeoff = Tradeoff([3.0, 2.0, 2.5], [[0, 0, 2], [0, 0, 0], [2, 0, 0]])
    >>> entry_order(tradeoff, np.array([True, True, False]), 0.5)
    array([0, 1, 2])
    """
    n, k = tradeoff.size, int(chosen.sum())
    problem = Sized(tradeoff, alpha, k)
    entry, late = np.full(n, n + 1), np.zeros(n)
    for x, field in downwards(problem, chosen):
        here = x & chosen
        entry[here], late[here] = int(x.sum()), field[here]
    for x, field in upwards(problem, chosen, max(IMPROVED * k, LEAST)):
        new = x & ~chosen & (entry > n)
        entry[new], late[new] = int(x.sum()), field[new]
    return np.lexsort((np.arange(n), late, entry))


def downwards(problem: Sized, chosen: Bits) -> Iterator[tuple[Bits, Vector]]:
    """Yield good subsets of ever fewer units, from those that are chosen to a single one, and what each unit adds."""
    x = chosen.copy()
    while x.any():
        field = problem.linear(int(x.sum())) + problem.couplings[x].sum(axis=0)
        yield x, field
        x = x.copy()
        # What is missed least goes first.
        x[np.flatnonzero(x)[np.argmax(field[x])]] = False
        x = problem.improved(x) if x.any() else x


def upwards(problem: Sized, chosen: Bits, most: int) -> Iterator[tuple[Bits, Vector]]:
    """Yield good subsets of ever more units, up to all; those of more than ``most`` are not improved by exchanges."""
    x = chosen.copy()
    repeated = problem.couplings[x].sum(axis=0)
    while not x.all():
        x, size = x.copy(), int(x.sum()) + 1
        linear = problem.linear(size)
        enters = np.flatnonzero(~x)[np.argmin((linear + repeated)[~x])]
        x[enters] = True
        repeated = repeated + problem.couplings[enters]
        if size <= most and not x.all():
            better = problem.improved(x)
            if better is not x:
                x, repeated = better, problem.couplings[better].sum(axis=0)
        yield x, linear + repeated
