"""Nearest positive semidefinite matrices: by eigenvectors, and of a matrix that has changed little by those of before.

A decomposition of n rows costs as much as a dozen products of such matrices. Between two of them the nearest matrix
follows the change to first order: where ``A = Q diag(l) Q'`` has become ``A + E``, the nearest one to it is about::

    Q [f o (Q'(A + E) Q)] Q',   f_ij = 1 for l_i, l_j >= 0,   l_i / (l_i - l_j) for l_i >= 0 > l_j,   0 for l_i, l_j < 0

which takes the rows of the eigenvalues of one sign only, whichever are fewer.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..qubo import Matrix, Vector
from .eigen import SINGLE, eigen

# Matrices between two decompositions at the most, and how much the second order may be, of the trace. Measured: as many
# iterations as with decompositions alone, up to 3 in a hundred.
BETWEEN, SECOND_ORDER = 9, 5e-3


class Projection:
    """The nearest positive semidefinite matrices to some that come one after the other, orthogonal to ``normal``.

    Examples
    --------
    >>> Projection(None)(np.diag([2.0, -3.0]))
    array([[2., 0.],
           [0., 0.]])
    """

    def __init__(self, normal: Vector | None) -> None:
        self.normal = normal
        self.last: _Eigen | None = None

    def __call__(self, V: Matrix) -> Matrix:
        """Return the nearest one to V."""
        A = V if self.normal is None else _face(V, self.normal)
        if len(A) < SINGLE:
            return _Eigen(A).nearest(A)
        X = None if self.last is None else self.last.followed(A)
        if X is None:
            self.last = _Eigen(A)
            X = self.last.nearest(A)
        return X


class _Eigen:
    """The eigenvectors of a matrix, or of its negative, of which fewer eigenvalues are positive.

    In single precision, if that is quicker: a bound holds for any multipliers.
    """

    def __init__(self, A: Matrix) -> None:
        values, Q = eigen(A)
        negative = int(np.searchsorted(values, 0.0))
        self.turned = 2 * negative < values.size
        if self.turned:
            values, Q, negative = -values[::-1], Q[:, ::-1], values.size - negative
        self.values, self.Q, self.negative, self.used = values, Q, negative, 0

    def nearest(self, A: Matrix) -> Matrix:
        """Return the nearest positive semidefinite matrix to A, whose eigenvectors these are."""
        some = self.Q[:, self.negative :] * np.sqrt(np.maximum(self.values[self.negative :], 0.0))
        return self._of(A, some @ some.T)

    def followed(self, A: Matrix) -> Matrix | None:
        """Return about the nearest one to another matrix; None if it is too far, or too many have been asked for."""
        self.used += 1
        if self.used > BETWEEN:
            return None
        Q, values, negative = self.Q, self.values, self.negative
        positive = Q[:, negative:]
        B = (positive.T @ A.astype(Q.dtype)) @ Q
        if self.turned:
            B = -B
        apart = values[negative:, None] - values[None, :negative]
        off = B[:, :negative] / np.maximum(apart, 1e-6 * max(values[-1], 1e-30))
        # Where there is no eigenvalue of that sign, nothing is known of those that are about to have it.
        if not np.vdot(B[:, :negative], off) < SECOND_ORDER * values[negative:].sum():
            return None
        B[:, :negative] = off * values[negative:, None]
        B[:, negative:] *= 0.5
        half = positive @ (B @ Q.T)
        return self._of(A, half + half.T)

    def _of(self, A: Matrix, X: NDArray[Any]) -> Matrix:
        return A + X if self.turned else X.astype(np.float64, copy=False)


def split(V: Matrix) -> tuple[Matrix, Matrix]:
    """Return the nearest positive semidefinite matrix to V, and the rest of V."""
    X = Projection(None)(V)
    return X, V - X


def _face(V: Matrix, normal: Vector) -> Matrix:
    """Return V with nothing in the direction of a unit vector."""
    a = V @ normal
    B = np.outer(normal, a - (normal @ a) / 2 * normal)
    return np.asarray(V - B - B.T)
