"""QUBO and Samples: the problem handed to a solver, and what comes back.

Coefficients flow in; energies flow out. This is the Q of ``Q(x, a)``, after alpha was chosen and before
anybody searched. Nothing here searches, and everything that compares two energies does it with
`QUBO.tolerance`, the one tolerance of the library.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
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

    Examples
    --------
    >>> qubo = QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]])
    >>> qubo.energy([[0, 0], [0, 1], [1, 1]])
    array([ 0., -1.,  1.])
    """

    linear: Vector
    couplings: Matrix

    def __post_init__(self) -> None:
        object.__setattr__(self, "linear", frozen(self.linear, "linear", 1))
        object.__setattr__(self, "couplings", frozen(self.couplings, "couplings", 2))
        check_symmetric(self.couplings, "couplings", self.size)

    def __repr__(self) -> str:
        return f"QUBO(size={self.size})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, which closes the arrays to writing again.
        return QUBO, (self.linear, self.couplings)

    @property
    def size(self) -> int:
        """Number of bits, n."""
        return int(self.linear.size)

    @cached_property
    def tolerance(self) -> float:
        """Energies closer than this are equal.

        It is 1e-9 of the most negative coefficient. Where an optimum is not the empty set it is at least as
        deep as that coefficient or built from such, so this is relative to the energies that are compared,
        and large positive couplings, which no optimum touches, do not coarsen it. Without a negative
        coefficient, which matters only among subsets of one size, it is 1e-9 of the largest.
        """
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


@dataclass(frozen=True, eq=False, repr=False)
class Samples:
    """Bit vectors found by a solver, best first, with what was proven about the minimum.

    Make them with `Samples.of`, which computes the energies, merges repeats and sorts.

    Parameters
    ----------
    x : bool array of shape (m, n)
        Distinct bit vectors. Ties go to fewer ones, then to lower indices.
    energy : array of shape (m,)
        Their energies.
    count : int array of shape (m,)
        How often each was seen.
    bound : float
        A *proven* lower bound on the minimum, ``-inf`` where nothing is proven. One that comes within
        `QUBO.tolerance` of the best energy is set to it.
    info : mapping
        What else the solver has to say: nodes, restarts, timings of hardware.

    Examples
    --------
    >>> qubo = QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]])
    >>> Samples.of(qubo, [[0, 0], [0, 1], [1, 0]], bound=-1.0)
    Samples(3 of 2 bits, best energy -1, proven)
    """

    x: Bits
    energy: Vector
    count: npt.NDArray[np.int64]
    bound: float = -np.inf
    info: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        x, energy = np.array(self.x, np.bool_), np.array(self.energy, np.float64)
        count = np.array(self.count, np.int64)
        if x.ndim != 2 or not len(x):
            raise ValueError(f"x must be at least one row of bits, got shape {x.shape}.")
        if not (energy.shape == count.shape == x.shape[:1]):
            raise ValueError(
                f"x, energy and count must have one length, got {x.shape}, {energy.shape} and {count.shape}."
            )
        if not self.bound < np.inf:
            raise ValueError(f"bound must be a number or -inf, got {self.bound}.")
        for name, array in (("x", x), ("energy", energy), ("count", count)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "info", MappingProxyType(dict(self.info)))

    @classmethod
    def of(
        cls,
        qubo: QUBO,
        x: npt.ArrayLike,
        *,
        count: npt.ArrayLike | None = None,
        bound: float = -np.inf,
        info: Mapping[str, Any] | None = None,
    ) -> Self:
        """Return the samples of a QUBO from rows of bits, in any order and with repeats."""
        rows = np.atleast_2d(as_bits(x, qubo.size))
        if not len(rows):
            raise ValueError(f"x must be at least one row of bits, got shape {rows.shape}.")
        seen = np.ones(len(rows), np.int64) if count is None else np.asarray(count, np.int64)
        if seen.shape != (len(rows),) or (seen < 1).any():
            raise ValueError(f"count must be {len(rows)} positive integers, one for each row, got {count!r}.")
        packed, first, inverse = np.unique(
            np.packbits(rows, axis=1), axis=0, return_index=True, return_inverse=True
        )
        merged = np.bincount(inverse.ravel(), weights=seen, minlength=len(packed)).astype(np.int64)
        rows = rows[first]
        energy = np.asarray(qubo.energy(rows), np.float64)
        order = best_first(rows, energy, qubo.tolerance)
        rows, energy, merged = rows[order], energy[order], merged[order]
        lowest = float(energy.min())
        bound = float(energy[0]) if bound >= lowest - qubo.tolerance else float(bound)
        return cls(rows, energy, merged, bound, info or {})

    def __repr__(self) -> str:
        proof = (
            "proven" if self.proven else f"gap {percent(self.gap)}" if self.bound > -np.inf else "no bound"
        )
        m, n = self.x.shape
        return f"Samples({m} of {n} bits, best energy {self.energy[0]:g}, {proof})"

    def __len__(self) -> int:
        return len(self.x)

    def __reduce__(self) -> tuple[Any, ...]:
        # A read-only mapping cannot be pickled.
        return Samples, (self.x, self.energy, self.count, self.bound, dict(self.info))

    @property
    def best(self) -> Bits:
        """The bit vector of the lowest energy."""
        best: Bits = self.x[0]
        return best

    @property
    def proven(self) -> bool:
        """Whether no bit vector has a lower energy than the best one."""
        return bool(self.bound >= self.energy[0])

    @property
    def gap(self) -> float:
        """How far the best energy may be from the minimum, relative to it; 0 where proven."""
        if self.proven:
            return 0.0
        best = abs(float(self.energy[0]))
        return float((self.energy[0] - self.bound) / best) if best else float("inf")


def percent(gap: float) -> str:
    """Return a gap as text that never reads as none.

    Examples
    --------
    >>> percent(0.0123), percent(2e-9)
    ('1.23%', '2e-09')
    """
    if gap == np.inf:
        return "unknown"
    return f"{gap:.2%}" if gap >= 5e-5 else f"{gap:.1g}"


def best_first(x: Bits, energy: Vector, tolerance: float) -> npt.NDArray[np.intp]:
    """Return the order of samples: energies within the tolerance of the lowest tie, and lead.

    Ties go to fewer ones, then to lower indices.
    """
    tied = energy <= energy.min() + tolerance
    level = np.where(tied, energy.min(), energy)
    indices = tuple(~column for column in x.T[::-1])
    order: npt.NDArray[np.intp] = np.lexsort((*indices, x.sum(axis=1), level))
    return order
