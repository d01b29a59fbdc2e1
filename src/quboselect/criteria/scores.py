"""Scores whose best subset of a size lies on the path of that size: ``path.best(mrmr_quotient)``.

Each rises with importance, falls with redundancy, and is quasi-convex in the two, so its maximum is at a corner of the
lower right hull of (I, R), and every such corner is on the path. Where the path is proven, so is the maximum.
"""

from collections.abc import Callable
from math import inf, sqrt

from ..errors import check_integer


def mrmr_difference(weight: float) -> Callable[[float, float], float]:
    """Return the score ``weight * importance - redundancy``; mRMR's is of weight k / 2, that of `Pairs` of k - 1.

    Examples
    --------
    >>> mrmr_difference(2.0)(3.0, 1.0)
    5.0
    """
    if not 0.0 <= weight < inf:
        raise ValueError(f"weight must be a finite number that is not negative, got {weight!r}.")
    return lambda importance, redundancy: weight * importance - redundancy


def mrmr_quotient(importance: float, redundancy: float) -> float:
    """Return ``importance / redundancy``, mRMR's quotient but for a constant of the size; of no redundancy, infinity.

    Examples
    --------
    >>> mrmr_quotient(3.0, 1.5)
    2.0
    """
    if redundancy <= 0.0:
        return inf if importance > 0.0 else 0.0
    return importance / redundancy


def cfs_merit(k: int) -> Callable[[float, float], float]:
    """Return the merit of Hall's CFS (1999) of k features: ``sum I / sqrt(k + 2 sum R)``.

    It is meant for measures from 0 to 1, such as correlations or symmetric uncertainty. Where redundancies are so
    negative that nothing is left under the root, it is infinity.

    Examples
    --------
    >>> cfs_merit(2)(1.5, 0.5)
    0.8660254037844387
    """
    check_integer(k, "k", 0)

    def merit(importance: float, redundancy: float) -> float:
        under = k + 2.0 * redundancy
        if under <= 0.0:
            return inf if importance > 0.0 else 0.0
        return importance / sqrt(under)

    return merit
