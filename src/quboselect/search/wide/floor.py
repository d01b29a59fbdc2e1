"""A floor under every subset of a wide table: proven bounds from redundancies, a block of rows at a time.

The bound of Gilmore and Lawler: each pair is shared between its two features, so a feature in a subset of t bears at
least its own energy and the t - 1 smallest shares it has with any others, and a subset at least the t smallest of
these. The sums do not depend on alpha, so they serve every alpha. A pair that was not computed counts nothing, which is
valid and weak where no redundancy is negative. Where some are, only subsets of one size, with all their pairs computed,
have a floor.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..._kernels.threads import thread_map
from ...qubo import Vector
from ...tradeoff import Line
from ..units import Units

Indices = npt.NDArray[np.intp]

BLOCK = 256  # rows of a task
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False, repr=False)
class Floor:
    """What each of some units bears at least, beside any others of them.

    Parameters
    ----------
    units : int array of shape (m,)
        The units of the table that subsets are made of; None is all of them.
    importance, cost : arrays of shape (m,)
    counted : int array of shape (c,)
        The places among them of those whose shares are known.
    shares : array of shape (c, T)
        In column s the sum of the s smallest shares of such a unit; all others have none. A subset of more than T
        units bears at least the last.
    """

    units: Indices
    importance: Vector
    cost: Vector
    counted: Indices
    shares: npt.NDArray[np.float64]

    @classmethod
    def of(
        cls, units: Units, most: int, *, among: Indices | None = None, known: Indices | None = None
    ) -> "Floor":
        """Return the floor under subsets of some units, for sizes up to ``most``.

        Parameters
        ----------
        units : Units
        most : int
            Largest size that gets a sum of its own, at least 1.
        among : int array, optional
            Only subsets of these units; by default of all.
        known : int array, optional
            Units whose rows are known already; no other row is computed, and pairs without one of these count 0.
        """
        chosen = np.arange(units.size) if among is None else among
        m = chosen.size
        most = max(1, min(most, m))
        counted = np.arange(m) if known is None else np.flatnonzero(np.isin(chosen, known))
        shares = np.zeros((counted.size, most))
        weights = np.ones(m, np.float32)
        # A pair of two known units is halved between them; the only known one of a pair bears it all, as the other's
        # smallest shares are zero in any case.
        weights[counted] = 0.5

        def fill(first: int) -> None:
            places = counted[first : first + BLOCK]
            block = units.rows(chosen[places])
            block = block if among is None else block[:, chosen]
            block = block * weights if known is not None else 0.5 * block
            block[np.arange(places.size), places] = np.inf
            if most < m:
                block = np.partition(block, most - 1, axis=1)[:, :most]
            block.sort(axis=1)
            shares[first : first + BLOCK, 1:] = np.cumsum(block[:, : most - 1], axis=1, dtype=np.float64)

        if most > 1:
            thread_map(fill, range(0, counted.size, BLOCK), n_jobs=-1)
        return cls(chosen, units.importance[chosen], units.cost[chosen], counted, shares)

    def least_energies(self, alpha: float, size: int) -> Vector:
        """Return what each unit bears at least in a subset of a size."""
        column = max(min(size, self.shares.shape[1]) - 1, 0)
        least: Vector = Line(self.importance, self.cost).energy(alpha)
        least[self.counted] += (1.0 - alpha) * self.shares[:, column]
        return least

    def bound(self, alpha: float, k: int | None = None) -> float:
        """Return a proven lower bound on the energy of every subset of k units, or of any number."""
        if k is not None:
            return smallest(self.least_energies(alpha, k), k)
        most = self.shares.shape[1]
        levels = [smallest(self.least_energies(alpha, size), size) for size in range(most + 1)]
        # Beyond the sizes with sums of their own: all that bear less than nothing.
        last = self.least_energies(alpha, most)
        return min(*levels, smallest(last, int((last < 0.0).sum())))


def smallest(parts: Vector, size: int) -> float:
    """Return the sum of the ``size`` smallest parts, less what may have been rounded up."""
    if not size:
        return 0.0
    some = np.partition(parts, size - 1)[:size]
    return float(some.sum() - 4 * EPS * size * np.abs(some).sum())
