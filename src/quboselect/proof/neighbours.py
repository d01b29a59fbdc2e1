"""The check of neighbours: nothing near to some bit vectors is below a target, as all of it is looked at."""

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from ..errors import Refuted
from ..qubo import Matrix, Vector
from .certificate import Apart
from .sums import EPS

MOST = 10_000_000  # neighbours of a bit vector that may be left to this check


def check_neighbours(linear: Vector, couplings: Matrix, rows: Any, apart: Apart, target: float) -> None:
    """Raise `Refuted` if what is near to one of the rows, and apart from the others, is below the target."""
    k, n = int(apart.rows[0].sum()), linear.size
    if sum(comb(k, j) * comb(n - k, j) for j in range(apart.different)) > MOST:
        raise Refuted(
            f"the neighbours of {k} of {n} bits, {apart.different - 1} exchanges away, are too many."
        )
    for row in rows:
        for ones in _near(row, apart.different - 1):
            x = np.zeros((len(ones), n), np.bool_)
            x[np.arange(len(ones))[:, None], ones] = True
            ones = ones[~apart.near(x)]
            found, largest = (
                _energies(linear, couplings, ones),
                _energies(np.abs(linear), np.abs(couplings), ones),
            )
            if not (found - (2 * k + 8) * EPS * largest >= target).all():
                raise Refuted("a neighbour of what comes later in a list is better.")


def _near(row: Any, exchanges: int) -> Iterator[Any]:
    """Yield the ones of everything that is up to so many exchanges away, in blocks; the row itself first."""
    ones, zeros = np.flatnonzero(row), np.flatnonzero(~row)
    for number in range(min(exchanges, ones.size, zeros.size) + 1):
        into = np.array([*combinations(zeros, number)], np.int64).reshape(comb(zeros.size, number), number)
        for out in combinations(ones, number):
            kept = np.setdiff1d(ones, out)
            yield np.hstack([np.repeat(kept[None], len(into), axis=0), into])


def _energies(linear: Vector, couplings: Matrix, ones: Any) -> Vector:
    """Return the energy of each row of ones."""
    energies: Vector = linear[ones].sum(axis=1)
    for a in range(1, ones.shape[1]):
        energies = energies + couplings[ones[:, a, None], ones[:, :a]].sum(axis=1)
    return energies
