"""Sums with a known rounding, of which the check of a certificate is made."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..qubo import Matrix, Vector

EPS = float(np.finfo(float).eps)
# Long sums are made with more digits where the machine has them, and the bound on their rounding knows how many.
LONG = np.longdouble
LONG_EPS = float(np.finfo(LONG).eps)


def total(terms: Iterable[float]) -> float:
    """Return the sum, rounded once, or nan where it is too large for a number.

    Examples
    --------
    >>> total([1e16, 1.0, -1e16]), total([1e308, 1e308])
    (1.0, nan)
    """
    try:
        return math.fsum(terms)
    except (OverflowError, ValueError):
        return math.nan


def energy(linear: Vector, couplings: Matrix, ones: Any) -> float:
    """Return the energy of some ones, rounded once."""
    return total([*linear[ones].tolist(), *(couplings[np.ix_(ones, ones)] / 2).ravel().tolist()])


def fields(linear: Vector, couplings: Matrix, ones: Any) -> tuple[Vector, Vector]:
    """Return what each bit adds to the energy of some ones, and by how much this may be off."""
    if not len(ones):
        return linear, np.zeros(linear.size)
    field = (linear + couplings[:, ones].sum(axis=1, dtype=LONG)).astype(float)
    largest = np.abs(linear) + np.abs(couplings[:, ones]).sum(axis=1)
    return field, EPS * np.abs(field) + 2 * (len(ones) + 2) * LONG_EPS * largest
