"""Nested subsets: one feature after the other enters as alpha grows, so that a path near a size has where to begin."""

import numpy as np
import numpy.typing as npt

from ..tradeoff import Tradeoff


def nested_subsets(tradeoff: Tradeoff, size: int) -> npt.NDArray[np.bool_]:
    """Return subsets of 1, 2, ... features: each adds to the one before it the feature that pays at the lowest alpha.

    Examples
    --------
    >>> nested_subsets(Tradeoff([2.0, 1.0, 1.0], [[0, 1, 0.5], [1, 0, 0], [0.5, 0, 0]]), 2).astype(int)
    array([[1, 0, 0],
           [1, 0, 1]])
    """
    rows, x = np.zeros((size, tradeoff.size), np.bool_), np.zeros(tradeoff.size, np.bool_)
    field = np.array(tradeoff.cost, np.float64)
    worth = tradeoff.importance > 0.0
    for row in rows:
        with np.errstate(invalid="ignore"):
            alpha = np.where(worth & ~x, field / (field + tradeoff.importance), np.inf)
        # Of features that cost nothing the most important one pays first.
        best = np.flatnonzero(alpha == alpha.min())
        chosen = best[np.argmax(tradeoff.importance[best])]
        x[chosen] = True
        field += tradeoff.redundancy[chosen]
        row[:] = x
    return rows
