"""Repeated: the redundancy R of features of which many are the same, made of that of the distinct ones when needed."""

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..qubo import Matrix, symmetric

Indices = npt.NDArray[np.intp]


class Repeated:
    """The redundancy of n features, each of which is one of d distinct ones; a `Tradeoff` takes it as a matrix.

    Parameters
    ----------
    matrix : array of shape (m, m)
        Of the d distinct ones in the order of their first copies, then of the second copies of those that have one.
    first, second : int arrays of shape (n,)
        For each feature the place of the first copy of it in the matrix, and that of the second, if there is one.

    Examples
    --------
    >>> matrix = np.array([[0, 1, 3], [1, 0, 1], [3, 1, 0]])
    >>> repeated = Repeated(matrix, np.array([0, 1, 0, 0]), np.array([2, 1, 2, 2]))
    >>> repeated.among(np.array([0, 1, 3])).tolist()
    [[0.0, 1.0, 3.0], [1.0, 0.0, 1.0], [3.0, 1.0, 0.0]]
    """

    def __init__(self, matrix: npt.ArrayLike, first: Indices, second: Indices) -> None:
        self.few = symmetric(matrix, "redundancy")
        self.first, self.second = np.asarray(first, np.intp), np.asarray(second, np.intp)
        self.shape = self.first.size, self.first.size
        places, m = np.append(self.first, self.second), len(self.few)
        named = np.unique(self.first)
        if self.second.shape != self.first.shape or (places < 0).any() or (places >= m).any():
            raise ValueError(
                f"first and second must be as many places each, below the {m} rows of the matrix."
            )
        if not np.array_equal(named, np.arange(named.size)):
            raise ValueError(
                f"first must name each of the distinct features, 0 to {named.size - 1}, got {named}."
            )

    @cached_property
    def in_order(self) -> Matrix:
        """The redundancy of each two distinct features where the first of them comes first in the table, shape (d, d).

        A pair is counted with the one that comes first in rows, which the last digit shows: second copies come last.
        """
        d = int(self.first.max(initial=-1)) + 1
        distinct, repeat = np.arange(d), np.empty(d, np.intp)
        repeat[self.first] = self.second
        return np.where(distinct[:, None] < distinct, self.few[:d, :d], self.few[:d, repeat])

    def among(self, features: Indices) -> Matrix:
        """Return the redundancies among some features, in their order."""
        at = self.first[features]
        pairs = self.in_order[np.ix_(at, at)]
        among: Matrix = np.where(features[:, None] < features, pairs, pairs.T)
        among[features[:, None] == features] = 0.0
        return among

    def whole(self) -> Matrix:
        """Return those of all features."""
        first, in_order = self.first, self.in_order
        whole = np.zeros(self.shape)
        for i, place in enumerate(first):
            whole[i, i + 1 :] = in_order[place, first[i + 1 :]]
            whole[i, :i] = in_order[first[:i], place]
        return whole

    def __reduce__(self) -> tuple[Any, ...]:
        return Repeated, (self.few, self.first, self.second)
