"""Changes: what each single change of a subset does to its energy."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..qubo import Bits, Matrix, Vector
from ..search.units import Units

Indices = npt.NDArray[np.intp]

NOBODY = -1


class Changes(NamedTuple):
    """What single changes of a subset do to its energy.

    Parameters
    ----------
    chosen : bool array of shape (n,)
        The subset.
    alone : array of shape (n,)
        By leaving out one that is chosen, or taking in one that is not.
    ones : int array of shape (k,)
        Those that are chosen.
    exchange : array of shape (k, n)
        By exchanging each of them for another; inf where that is no exchange.
    """

    chosen: Bits
    alone: Vector
    ones: Indices
    exchange: Matrix

    def best(self) -> tuple[Indices, Vector]:
        """Return for each the one that it is best exchanged for, `NOBODY` if there is none, and the change."""
        partner, change = np.full(self.chosen.size, NOBODY), np.full(self.chosen.size, np.inf)
        if self.ones.size and not self.chosen.all():
            into = np.argmin(self.exchange, axis=1)
            partner[self.ones], change[self.ones] = into, self.exchange[np.arange(self.ones.size), into]
            out = np.argmin(self.exchange, axis=0)
            others = np.flatnonzero(~self.chosen)
            partner[others], change[others] = self.ones[out[others]], self.exchange[out[others], others]
        return partner, change


def changes(linear: Vector, rows: Matrix, chosen: Bits) -> Changes:
    """Return all single changes of a subset.

    Parameters
    ----------
    linear : array of shape (n,)
        The energy of each alone.
    rows : array of shape (k, n)
        The couplings of the chosen ones with all.
    chosen : bool array of shape (n,)

    Examples
    --------
    >>> found = changes(np.array([-3.0, -2.0]), np.array([[0.0, 1.0]]), np.array([True, False]))
    >>> found.alone.tolist(), found.exchange.tolist()
    ([3.0, -1.0], [[inf, 1.0]])
    """
    ones = np.flatnonzero(chosen)
    field = linear + rows.sum(axis=0)
    exchange = field - field[ones, None] - rows
    exchange[:, chosen] = np.inf
    return Changes(chosen, np.where(chosen, -field, field), ones, exchange)


def unit_changes(units: Units, support: Bits, alpha: float) -> Changes:
    """Return all single changes of a selection, by its free units."""
    chosen: Bits = support[units.order[units.starts]]
    rows = (1.0 - alpha) * np.asarray(units.rows(np.flatnonzero(chosen)), np.float64)
    return changes(units.linear(alpha), rows, chosen)
