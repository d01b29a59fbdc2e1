"""Units of a wide table: groups and lone features that are free to choose, their rows made when asked for.

Importance, rows of redundancy and constraints flow in; the same smaller problem flows out that `Constraints.reduce`
makes of a whole matrix, but row by row: a tradeoff among some units, and the redundancy of some with all.
"""

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ...constraints import Constraints
from ...qubo import Bits, Vector, check_nonnegative, frozen
from ...redundancy.rows import Rows
from ...tradeoff import Tradeoff

Indices = npt.NDArray[np.intp]

BLOCK = 64  # rows added up at a time


class Units:
    """The free units of a table, with what the included features cost them.

    Parameters
    ----------
    importance : array of shape (n,)
        Of all features, not negative.
    rows : Rows
        Of all features.
    constraints : Constraints

    Examples
    --------
    >>> R = np.array([[0, 1, 2, 3], [1, 0, 4, 5], [2, 4, 0, 6], [3, 5, 6, 0]])
    >>> units = Units([1.0, 2.0, 3.0, 4.0], Rows.of(R), Constraints.of(4, include=0, groups=[[1, 2]]))
    >>> units.importance.tolist(), units.cost.tolist(), units.take([0]).tolist()
    ([5.0, 4.0], [7.0, 3.0], [[0.0, 11.0]])
    """

    def __init__(self, importance: npt.ArrayLike, rows: Rows, constraints: Constraints) -> None:
        whole = frozen(importance, "importance", 1)
        check_nonnegative(whole, "importance")
        if whole.size != rows.size:
            raise ValueError(
                f"importance and redundancy must be of the same features, got {whole.size} numbers "
                f"and rows of {rows.size}."
            )
        self.rows, self.constraints = rows, constraints
        self.size = constraints.free
        included = np.flatnonzero(constraints.included)
        within = rows.among(included)
        # What the included features are by themselves: a line in alpha that is added to every other.
        self.constant = (
            float(whole[included].sum()),
            float(0.5 * within.sum() + constraints.cost[included].sum()),
        )
        order, starts = constraints.order, constraints.starts
        cost = constraints.cost.copy()
        for first in range(0, included.size, BLOCK):
            cost += rows.take(included[first : first + BLOCK]).sum(axis=0, dtype=np.float64)
        self.importance: Vector = whole
        self.cost: Vector = cost
        if not constraints.trivial:
            self.importance = np.add.reduceat(whole[order], starts) if self.size else np.zeros(0)
            self.cost = np.add.reduceat(cost[order], starts) if self.size else np.zeros(0)
        if self._grouped:
            for unit in np.flatnonzero(self._lengths > 1):
                self.cost[unit] += 0.5 * rows.among(self._members(unit)).sum()

    @cached_property
    def _lengths(self) -> Indices:
        return np.diff(self.constraints.starts, append=self.constraints.order.size)

    @property
    def _grouped(self) -> bool:
        return self.constraints.starts.size < self.constraints.order.size

    def _members(self, unit: int | np.integer[Any]) -> Indices:
        first = self.constraints.starts[unit]
        return self.constraints.order[first : first + self._lengths[unit]]

    def take(self, units: npt.ArrayLike) -> npt.NDArray[np.floating]:
        """Return the redundancy of some units with all, shape (len(units), size), zero with themselves."""
        chosen = np.asarray(units, np.intp)
        if self.constraints.trivial:
            return self.rows.take(chosen)
        order, starts = self.constraints.order, self.constraints.starts
        if not self._grouped:
            return self.rows.take(order[chosen])[:, order]
        out = np.empty((chosen.size, self.size))
        for place, unit in enumerate(chosen):
            row = self.rows.take(self._members(unit)).sum(axis=0, dtype=np.float64)[order]
            out[place] = np.add.reduceat(row, starts)
            out[place, unit] = 0.0
        return out

    def among(self, units: npt.ArrayLike) -> Tradeoff:
        """Return the tradeoff among some units, in their order."""
        chosen = np.asarray(units, np.intp)
        members = [self._members(unit) for unit in chosen]
        features = np.concatenate(members) if members else np.zeros(0, np.intp)
        pairs = self.rows.among(features)
        if self._grouped and chosen.size:
            starts = np.cumsum([0, *(len(group) for group in members[:-1])])
            pairs = np.add.reduceat(np.add.reduceat(pairs, starts, axis=0), starts, axis=1)
            # Sums over two groups come out a rounding apart, depending on which is first.
            pairs = 0.5 * (pairs + pairs.T)
            np.fill_diagonal(pairs, 0.0)
        pairs.flags.writeable = False
        return Tradeoff(self.importance[chosen], pairs, self.cost[chosen])

    def linear(self, alpha: float) -> Vector:
        """Return the energy of each unit alone."""
        linear: Vector = (1.0 - alpha) * self.cost - alpha * self.importance
        return linear

    def offset(self, alpha: float) -> float:
        """Return the energy of the included features, which every subset has."""
        importance, redundancy = self.constant
        return (1.0 - alpha) * redundancy - alpha * importance

    def expand(self, units: npt.ArrayLike, x: npt.ArrayLike) -> Bits:
        """Return the bits of all features from rows of bits of some units."""
        bits = np.asarray(x, np.bool_)
        whole = np.zeros((*bits.shape[:-1], self.size), np.bool_)
        whole[..., np.asarray(units, np.intp)] = bits
        return self.constraints.expand(whole)
