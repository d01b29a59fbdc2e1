"""What units outside the core could do for a subset at best: proven bounds from the rows of the core.

A subset with units from outside is a subset of t units of the core, which has the energy L_t at least, and b others,
each of which bears its own energy, the t smallest redundancies it has with the core, and its share of the pairs
outside. Where that is no less than the best energy for every t and b, nothing outside is in any better subset: what is
proven of the core is proven of the whole table. It takes no row but those of the core, though knowing more of the
pairs outside helps.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..._kernels.threads import thread_map
from ...qubo import Bits, Vector
from ...tradeoff import Line
from ..units import Units
from .floor import Floor, smallest

Indices = npt.NDArray[np.intp]

BLOCK = 4096  # units of a task
ROWS = 64  # rows handled at a time
ROUNDING = 2.0**-22  # single precision rounds by less than this share


@dataclass(frozen=True, eq=False, repr=False)
class Outside:
    """The units outside a core, and what each bears beside some of the core.

    Parameters
    ----------
    units : int array of shape (m,)
    importance, cost : arrays of shape (m,)
    beside : array of shape (m, T + 1)
        In column t the sum of the t smallest redundancies with the core.
    floor : Floor
        Under all subsets of the table; its shares are what pairs outside cost at least.
    inner : Floor
        Under all subsets of the core.
    """

    units: Indices
    importance: Vector
    cost: Vector
    beside: npt.NDArray[np.float32]
    floor: Floor
    inner: Floor

    @classmethod
    def of(cls, units: Units, core: Indices, floor: Floor, most: int) -> "Outside":
        """Return what is outside a core, told apart for up to ``most`` units of it in a subset."""
        most = min(most, core.size)
        out = np.setdiff1d(np.arange(units.size), core)
        pairs = np.empty((core.size, out.size), np.float32)
        for first in range(0, core.size, ROWS):
            rows = units.rows(core[first : first + ROWS])[:, out]
            pairs[first : first + ROWS] = lowered(rows) if rows.dtype == np.float64 else rows
        beside = np.zeros((out.size, most + 1), np.float32)

        def fill(first: int) -> None:
            part = np.ascontiguousarray(pairs[:, first : first + BLOCK].T)
            if most < core.size:
                part = np.partition(part, most - 1, axis=1)[:, :most]
            part.sort(axis=1)
            beside[first : first + BLOCK, 1:] = lowered(np.cumsum(part, axis=1, dtype=np.float64))

        thread_map(fill, range(0, out.size, BLOCK), n_jobs=-1)
        inner = Floor.of(units, most, among=core)
        return cls(out, units.importance[out], units.cost[out], beside, floor, inner)

    def least_energies(self, alpha: float, t: int, b: int) -> Vector:
        """Return what each unit bears at least beside t units of the core and b - 1 others from outside."""
        t = min(t, self.beside.shape[1] - 1)
        least = Line(self.importance, self.cost + self.beside[:, t]).energy(alpha)
        if b > 1 and self.floor.counted.size == self.floor.units.size:
            column = min(b, self.floor.shares.shape[1]) - 1
            least += (1.0 - alpha) * self.floor.shares[self.units, column]
        return np.asarray(least)

    def bound(self, alpha: float, known: float, k: int | None = None) -> float:
        """Return a lower bound on the energy of all subsets with a unit from outside, of k units or of any number.

        ``known`` is a lower bound on those of the core, of any number of units.
        """
        if k is not None:
            return min(
                (
                    self._inside(alpha, known, k - b) + smallest(self.least_energies(alpha, k - b, b), b)
                    for b in self._sizes(k)
                ),
                default=np.inf,
            )
        return min(level + gain for level, gain, _ in self._levels(alpha, known))

    def useful(self, alpha: float, known: float, energy: float, k: int | None = None) -> Bits:
        """Return which units may be in a subset below an energy."""
        useful = np.zeros(self.units.size, np.bool_)
        if k is not None:
            for b in self._sizes(k):
                least = self.least_energies(alpha, k - b, b)
                level = self._inside(alpha, known, k - b) + smallest(least, b)
                # A unit that is not among the smallest is there in the place of the largest of these.
                useful |= level + np.maximum(least - np.partition(least, b - 1)[b - 1], 0.0) < energy
            return useful
        for level, gain, least in self._levels(alpha, known):
            useful |= level + min(gain, 0.0) + np.maximum(least, 0.0) < energy
        return useful

    def _sizes(self, k: int) -> range:
        """How many of k units may be from outside."""
        return range(max(1, k - self.inner.units.size), min(k, self.units.size) + 1)

    def _inside(self, alpha: float, known: float, t: int) -> float:
        """Return a lower bound on the energy of t units of the core."""
        return max(known, self.inner.bound(alpha, t)) if t else 0.0

    def _levels(self, alpha: float, known: float) -> list[tuple[float, float, Vector]]:
        """Return, for each t, what the core has at least, what others add at least, and what each bears."""
        levels = []
        most = self.beside.shape[1] - 1
        for t in range(most + 1):
            least = self.least_energies(alpha, t, 1)
            # The last stands for all larger t as well.
            level = known if t == most < self.inner.units.size else self._inside(alpha, known, t)
            levels.append((level, self._gain(alpha, t, least), least))
            if least.min() >= 0.0:
                # Beside more of the core each bears more.
                levels.append((known, float(least.min()), least))
                break
        return levels

    def _gain(self, alpha: float, t: int, least: Vector) -> float:
        """Return what at least one unit from outside adds at least, beside t of the core."""
        lowest = float(least.min())
        total, b = lowest, 1
        while lowest < 0.0 and b < self.units.size:
            b += 1
            more = self.least_energies(alpha, t, b)
            lowest = float(more.min())
            total = min(total, smallest(more, min(b, int((more < 0.0).sum()))))
            if b >= self.floor.shares.shape[1] or self.floor.counted.size < self.floor.units.size:
                # From here on no unit bears more: all that bear less than nothing.
                total = min(total, smallest(more, int((more < 0.0).sum())))
                break
        return total


def lowered(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return numbers lowered by more than single precision rounds them."""
    down = values * (1.0 - ROUNDING)
    return np.where(values < 0.0, values * (1.0 + ROUNDING), down) if (values < 0.0).any() else down
