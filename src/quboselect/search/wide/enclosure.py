"""A wide table's core closed by a dual: which units a better subset of k units, at one alpha, could have."""

import numpy as np
import numpy.typing as npt

from ..._kernels.threads import single_blas_thread, thread_map
from ...proof.core import Enclosed, enclose
from ...proof.outside import Outsiders, nearest
from ...qubo import Matrix, Vector
from ..units import Units

Indices = npt.NDArray[np.intp]

BLOCK = 256  # rows of a task
WORK = 1.6e10


class RowSource:
    """The problem of all units at one alpha, whose couplings are rows of a known matrix."""

    def __init__(self, units: Units, alpha: float) -> None:
        self.units, self.alpha = units, alpha
        self.linear = units.linear(alpha)

    def inside(self, core: Indices, /) -> tuple[Vector, Matrix]:
        """Return the energies and couplings of some units."""
        qubo = self.units.among(core).at(self.alpha)
        return np.array(qubo.linear), np.array(qubo.couplings)

    def outsiders(self, out: Indices, core: Indices, k: int, /) -> Outsiders:
        """Return what is to be known of the other units."""
        pairs = np.ascontiguousarray(self._couplings(core, out).T)
        near = np.zeros((out.size, min(k, out.size)))

        def rows(places: Indices) -> Matrix:
            block = self._couplings(out[places], out)
            block[np.arange(places.size), places] = np.inf
            return block

        def fill(first: int) -> None:
            places = np.arange(first, min(first + BLOCK, out.size))
            near[places] = nearest(rows(places), near.shape[1])

        thread_map(fill, range(0, out.size, BLOCK), n_jobs=-1)
        return Outsiders(self.linear[out], pairs, near, rows)

    def _couplings(self, units: Indices, others: Indices) -> Matrix:
        rows = np.take(self.units.rows(units), others, axis=1)
        return np.multiply(rows, 1.0 - self.alpha, dtype=np.float64)


def closed_core(units: Units, alpha: float, change: Vector, ones: Indices, k: int, cutoff: float) -> Enclosed:
    """Return a core that holds every unit of any subset of k units below the cutoff, as far as it gets.

    Parameters
    ----------
    units : Units
        With rows of a known matrix.
    alpha : float
    change : array
        What each unit would cost in the place of one of the subset.
    ones : int array
        The subset.
    k : int
    cutoff : float
    """
    with single_blas_thread():
        return enclose(RowSource(units, alpha), change, ones, k, cutoff, WORK)
