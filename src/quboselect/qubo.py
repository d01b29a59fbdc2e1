"""QUBO: the problem handed to a solver.

Coefficients flow in; energies flow out. This is the Q of ``Q(x, a)``, after alpha was chosen and before
anybody searched. Nothing here searches, and everything that compares two energies does it with
`QUBO.tolerance`, the one tolerance of the library.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Bits = npt.NDArray[np.bool_]

RELATIVE_TOLERANCE = 1e-9
FEW_ROWS = 32


def frozen(values: npt.ArrayLike, name: str, ndim: int) -> npt.NDArray[np.float64]:
    """Return finite numbers as a read-only float64 array in C order; what others could still write is copied."""
    if values is None or np.iscomplexobj(values):
        raise TypeError(f"{name} must be real numbers, got {'None' if values is None else 'complex ones'}.")
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be {ndim}-dimensional real numbers: {error}.") from error
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension(s), got {array.ndim}.")
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite; entry {where} is {array[where]}.")
    if array.flags.writeable or array.base is not None or not array.flags.c_contiguous:
        array = np.array(array, order="C")
        array.flags.writeable = False
    return array


def check_symmetric(matrix: Matrix, name: str, size: int) -> None:
    """Raise unless a matrix is ``size`` by ``size``, symmetric, with a zero diagonal."""
    if matrix.shape != (size, size):
        raise ValueError(f"{name} must have shape ({size}, {size}), got {matrix.shape}.")
    unequal = matrix != matrix.T
    if unequal.any():
        i, j = (int(v) for v in np.argwhere(unequal)[0])
        raise ValueError(
            f"{name} must be symmetric with a zero diagonal; "
            f"entry ({i}, {j}) is {float(matrix[i, j])!r} but ({j}, {i}) is {float(matrix[j, i])!r}. Use (M + M.T) / 2."
        )
    diagonal = np.flatnonzero(np.diagonal(matrix))
    if diagonal.size:
        i = int(diagonal[0])
        raise ValueError(
            f"{name} must be symmetric with a zero diagonal; entry ({i}, {i}) is {matrix[i, i]:g}. "
            f"Use np.fill_diagonal(M, 0)."
        )


def check_nonnegative(values: Vector | Matrix, name: str) -> None:
    """Raise unless no number is negative."""
    if (values < 0).any():
        where = tuple(int(i) for i in np.argwhere(values < 0)[0])
        at = where[0] if len(where) == 1 else where
        raise ValueError(f"{name} must not be negative; entry {at} is {values[where]:g}.")


def symmetric(values: npt.ArrayLike, name: str) -> Matrix:
    """Return a read-only matrix that is symmetric with a zero diagonal and not negative, or say why it is not."""
    matrix = frozen(values, name, 2)
    # Rounding, as in np.corrcoef, is no reason to refuse.
    if matrix.shape == matrix.shape[::-1] and np.allclose(matrix, matrix.T, rtol=1e-12, atol=0.0):
        matrix = frozen(0.5 * (matrix + matrix.T), name, 2)
    check_symmetric(matrix, name, len(matrix))
    check_nonnegative(matrix, name)
    return matrix


def as_bits(x: npt.ArrayLike, size: int) -> Bits:
    """Return one bit vector or a batch of them as booleans."""
    bits = np.asarray(x)
    if bits.ndim not in (1, 2) or bits.shape[-1] != size:
        raise ValueError(f"x must be {size} bits, or rows of {size} bits; got shape {bits.shape}.")
    if bits.dtype != np.bool_:
        if not np.isin(bits, (0, 1)).all():
            raise ValueError(f"x must hold only 0 and 1; got {bits[~np.isin(bits, (0, 1))].flat[0]!r}.")
        bits = bits.astype(np.bool_)
    return bits


class Ising(NamedTuple):
    """``h @ s + sum_{i<j} J_ij s_i s_j + offset`` over spins ``s = 1 - 2 x`` (paper, Eq. for H)."""

    h: Vector
    J: Matrix
    offset: float


@dataclass(frozen=True, eq=False, repr=False)
class QUBO:
    """Minimise ``linear @ x + sum_{i<j} couplings_ij x_i x_j`` over bit vectors x.

    Parameters
    ----------
    linear : array of shape (n,)
        Energy of each bit alone.
    couplings : array of shape (n, n)
        Energy of each pair, symmetric with a zero diagonal. A pair counts **once**.
    scale : float, optional
        What `tolerance` is relative to; by default the most negative coefficient.

    Attributes
    ----------
    size : int
        Number of bits, n.

    Examples
    --------
    >>> qubo = QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]])
    >>> qubo.energy([[0, 0], [0, 1], [1, 1]])
    array([ 0., -1.,  1.])
    """

    linear: Vector
    couplings: Matrix
    scale: float | None = None
    size: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "linear", frozen(self.linear, "linear", 1))
        object.__setattr__(self, "size", int(self.linear.size))
        object.__setattr__(self, "couplings", frozen(self.couplings, "couplings", 2))
        check_symmetric(self.couplings, "couplings", self.size)

    def __repr__(self) -> str:
        return f"QUBO(size={self.size})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, which closes the arrays to writing again.
        return QUBO, (self.linear, self.couplings, self.scale)

    @cached_property
    def tolerance(self) -> float:
        """Energies closer than this are equal.

        It is 1e-9 of the most negative coefficient. Where an optimum is not the empty set it is at least as
        deep as that coefficient or built from such, so this is relative to the energies that are compared,
        and large positive couplings, which no optimum touches, do not coarsen it. Without a negative
        coefficient, which matters only among subsets of one size, it is 1e-9 of the largest.
        """
        if self.scale is not None:
            return RELATIVE_TOLERANCE * self.scale
        deepest = -min(self.linear.min(initial=0.0), self.couplings.min(initial=0.0))
        highest = max(self.linear.max(initial=0.0), self.couplings.max(initial=0.0))
        return RELATIVE_TOLERANCE * abs(float(deepest or highest))

    def energy(self, x: npt.ArrayLike) -> Any:
        """Return the energy of a bit vector as a float, or of rows of bits as an array."""
        bits = as_bits(x, self.size)
        if bits.ndim == 1:
            (chosen,) = np.nonzero(bits)
            pairs = self.couplings[np.ix_(chosen, chosen)].sum()
            return float(self.linear[chosen].sum() + 0.5 * pairs)
        if len(bits) < FEW_ROWS:
            # A subset touches few couplings; a product of matrices touches all of them.
            return np.array([self.energy(row) for row in bits], np.float64)
        rows = bits.astype(np.float64)
        pairs = np.einsum("ij,ij->i", rows @ self.couplings, rows)
        return rows @ self.linear + 0.5 * pairs

    @property
    def matrix(self) -> Matrix:
        """The upper triangular Q of ``x' Q x`` (paper, Eq. 7), as the authors publish it."""
        return np.triu(self.couplings) + np.diag(self.linear)

    @classmethod
    def from_matrix(cls, matrix: npt.ArrayLike) -> Self:
        """Return the QUBO of any square matrix: ``x' M x``, both triangles folded together."""
        square = frozen(matrix, "matrix", 2)
        if square.shape[0] != square.shape[1]:
            raise ValueError(f"matrix must be square, got shape {square.shape}.")
        couplings = square + square.T
        np.fill_diagonal(couplings, 0.0)
        return cls(np.diagonal(square), couplings)

    def ising(self) -> Ising:
        """Return the same energies over spins, with ``x = (1 - s) / 2``: bit 1 is spin -1.

        Examples
        --------
        >>> QUBO([-1.0], [[0.0]]).ising()
        Ising(h=array([0.5]), J=array([[0.]]), offset=-0.5)
        """
        rows = self.couplings.sum(axis=1)
        return Ising(
            h=-0.5 * self.linear - 0.25 * rows,
            J=0.25 * self.couplings,
            offset=float(0.5 * self.linear.sum() + 0.125 * rows.sum()),
        )

    @classmethod
    def from_ising(cls, h: npt.ArrayLike, J: npt.ArrayLike, offset: float = 0.0) -> tuple[Self, float]:
        """Return the QUBO of an Ising model and the constant to add to its energies."""
        field_, spins = frozen(h, "h", 1), frozen(J, "J", 2)
        check_symmetric(spins, "J", field_.size)
        rows = spins.sum(axis=1)
        constant = float(offset + field_.sum() + 0.5 * rows.sum())
        return cls(-2.0 * field_ - 2.0 * rows, 4.0 * spins), constant
