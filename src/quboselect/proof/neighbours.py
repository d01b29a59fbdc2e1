"""The check of neighbours: nothing near to some bit vectors is below a target, as all of it is looked at."""

from collections.abc import Iterator
from itertools import combinations, islice
from math import comb
from typing import Any

import numpy as np

from ..errors import Refuted
from ..qubo import Matrix, Vector
from . import form
from .certificate import Apart
from .sums import EPS

# Bit vectors that may be left to this check, or bits of the rows that they are near to; so many at a time.
MOST, AT_ONCE = 2_000_000, 10_000


def apart_further(linear: Vector, couplings: Matrix, rows: Any, apart: Apart, k: int, target: float) -> Apart:
    """Return what bit vectors of k ones are apart from if they are so from further rows too.

    `Refuted` is raised if one is below the target that is near to these rows, and apart from the others.
    """
    n = linear.size
    near = sum(comb(k, j) * comb(n - k, j) for j in range(min(apart.different, k + 1)))
    rows = form.rows_of(rows, n, k, MOST // max(near, n))
    sizes = np.abs(linear), np.abs(couplings)
    for row in rows:
        for ones in _near(row, apart.different - 1):
            counted = ones[~_is_near(ones, apart)]
            found, largest = _energies(linear, couplings, counted), _energies(*sizes, counted)
            if not (found - (2 * k + 8) * EPS * largest >= target).all():
                raise Refuted("a neighbour of what comes later in a list is better.")
    return Apart(np.vstack([apart.rows, rows]), apart.different)


def _near(row: Any, exchanges: int) -> Iterator[Any]:
    """Yield the ones of everything that is up to so many exchanges away, in blocks; the row itself first."""
    ones, zeros = np.flatnonzero(row).tolist(), np.flatnonzero(~row).tolist()
    for number in range(min(exchanges, len(ones), len(zeros)) + 1):
        kept, into = combinations(ones, len(ones) - number), [*combinations(zeros, number)]
        every = (left + more for left in kept for more in into)
        while block := [*islice(every, AT_ONCE)]:
            yield np.array(block, np.int64)


def _is_near(ones: Any, apart: Apart) -> Any:
    """Return of each row of ones whether it has too many of those that it is to be apart from."""
    most = ones.shape[1] - apart.different
    near = np.zeros(len(ones), np.bool_)
    for row in apart.rows:
        near |= row[ones].sum(axis=1) > most
    return near


def _energies(linear: Vector, couplings: Matrix, ones: Any) -> Vector:
    """Return the energy of each row of ones."""
    energies: Vector = linear[ones].sum(axis=1)
    for a in range(1, ones.shape[1]):
        energies = energies + couplings[ones[:, a, None], ones[:, :a]].sum(axis=1)
    return energies
