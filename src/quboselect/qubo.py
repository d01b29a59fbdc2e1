"""QUBO and Solutions: the problem handed to a solver, and what comes back from it.

The QUBO is the Q of ``Q(x, a)``, after alpha was chosen. Nothing here searches. Everything that compares two energies
does it with shares of `QUBO.tolerance`, the one tolerance of the library, and ties are settled here, and only here:
energies within a share of the lowest tie, and ties go to fewer ones, then to lower indices. So a feature that changes
nothing is not selected, and of two identical features the first is.

**The budget.** What is said to be the minimum is at most one tolerance above it. Several steps lie between, each may
lose a little, and the shares below are chosen so that all of them together stay below one:

====================================================================================  =====
share of the tolerance                                                                 lost
====================================================================================  =====
`SEARCH`: branch and bound cuts off what is no better by more                          1/16
`TWINS`: bits that can be exchanged for each other may differ, all together            1/16
`MOVES`: `canonical` moves to a neighbour that comes first                             1/16
`TIES`: of solutions this close to the lowest, the one that comes first leads          1/16
`REACH`: a bound this close to the lowest energy is a proof; `MOVES` is within it      1/8
`PATH`: a line this close to the bounds along a path is proven, or is not told apart   1/8
====================================================================================  =====

A solver loses ``SEARCH + TWINS + REACH + TIES = 5/16``. Bounds between two alphas lose up to twice that where
redundancies are negative, and a path loses `PATH` besides: 3/4. One more `Solutions.of` on top of it, as for the
reads of a device, makes 15/16. The rest is left for rounding.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from . import notebook

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Bits = npt.NDArray[np.bool_]

RELATIVE_TOLERANCE = 1e-9
SEARCH = TWINS = MOVES = TIES = 1 / 16
REACH = PATH = 1 / 8
LARGEST = 1e300  # sums of some numbers beyond it would be infinite
FEW_ROWS = 32


def frozen(values: npt.ArrayLike, name: str, ndim: int) -> npt.NDArray[np.float64]:
    """Return finite numbers, up to 1e300, as a read-only float64 array in C order; what others may write is copied."""
    if values is None or np.iscomplexobj(values):
        raise TypeError(f"{name} must be real numbers, got {'None' if values is None else 'complex ones'}.")
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be {ndim}-dimensional real numbers: {error}.") from error
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension(s), got {array.ndim}.")
    # A minimum or maximum that is NaN is not within the limits either.
    if not (array.min(initial=0.0) >= -LARGEST and array.max(initial=0.0) <= LARGEST):
        where = tuple(int(i) for i in np.argwhere(~(np.abs(array) <= LARGEST))[0])
        limit = f" and at most {LARGEST:g} in size" if np.isfinite(array[where]) else ""
        raise ValueError(f"{name} must be finite{limit}; entry {where} is {array[where]}.")
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


def symmetric(values: npt.ArrayLike, name: str) -> Matrix:
    """Return a read-only matrix that is symmetric with a zero diagonal, or say why it is not."""
    matrix = frozen(values, name, 2)
    if matrix.shape == matrix.shape[::-1] and np.array_equal(matrix, matrix.T):
        if not matrix.diagonal().any():
            return matrix
    # Rounding, as in np.corrcoef, is no reason to refuse.
    elif matrix.shape == matrix.shape[::-1] and np.allclose(matrix, matrix.T, rtol=1e-12, atol=0.0):
        matrix = frozen(0.5 * (matrix + matrix.T), name, 2)
    check_symmetric(matrix, name, len(matrix))
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
        What `tolerance` is relative to, above 0; by default the most negative coefficient.

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
        if self.scale is not None:
            real = isinstance(self.scale, Real) and not isinstance(self.scale, bool)
            if not real or not 0.0 < self.scale <= float(np.finfo(float).max):
                raise ValueError(f"scale must be a finite number above 0, or None, got {self.scale!r}.")
            object.__setattr__(self, "scale", float(self.scale))

    @classmethod
    def _of_checked(cls, linear: Vector, couplings: Matrix, scale: float | None) -> "QUBO":
        """Return the QUBO of arrays that are known to be right, read-only and nobody else's."""
        qubo = object.__new__(cls)
        for name, value in (
            ("linear", linear),
            ("couplings", couplings),
            ("scale", scale),
            ("size", linear.size),
        ):
            object.__setattr__(qubo, name, value)
        return qubo

    def __repr__(self) -> str:
        return f"QUBO(size={self.size})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, which closes the arrays to writing again.
        return QUBO, (self.linear, self.couplings, self.scale)

    @cached_property
    def tolerance(self) -> float:
        """How far a proven minimum may be off; energies closer than a share of it are equal.

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


@dataclass(frozen=True, eq=False, repr=False)
class Solutions:
    """Bit vectors found by a solver, best first, with what was proven about the minimum.

    Make them with `Solutions.of`, which computes the energies, merges repeats and sorts.

    Parameters
    ----------
    x : bool array of shape (m, n)
        Distinct bit vectors. Ties go to fewer ones, then to lower indices.
    energy : array of shape (m,)
        Their energies.
    count : int array of shape (m,)
        How often each was seen.
    bound : float
        A *proven* lower bound on the minimum, within `QUBO.tolerance`; ``-inf`` where nothing is proven. One that
        comes within an eighth of the tolerance of the lowest energy is set to that of the best.
    info : mapping
        What else the solver has to say: nodes, restarts, timings of hardware.

    Examples
    --------
    >>> qubo = QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]])
    >>> Solutions.of(qubo, [[0, 0], [0, 1], [1, 0]], bound=-1.0)
    Solutions(3 of 2 bits, best energy -1, proven)
    """

    x: Bits
    energy: Vector
    count: npt.NDArray[np.int64]
    bound: float = -np.inf
    info: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        x, energy = np.array(self.x, np.bool_), np.array(self.energy, np.float64)
        if x.ndim != 2 or not len(x):
            raise ValueError(f"x must be at least one row of bits, got shape {x.shape}.")
        if not (energy.shape == np.shape(self.count) == x.shape[:1]):
            raise ValueError(
                f"x, energy and count must have one length, got {x.shape}, {energy.shape} and {np.shape(self.count)}."
            )
        count = as_counts(self.count, len(x))
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
        """Return the solutions of a QUBO from rows of bits, in any order and with repeats."""
        rows = np.atleast_2d(as_bits(x, qubo.size))
        if not len(rows):
            raise ValueError(f"x must be at least one row of bits, got shape {rows.shape}.")
        seen = np.ones(len(rows), np.int64) if count is None else as_counts(count, len(rows))
        packed, first, inverse = np.unique(
            np.packbits(rows, axis=1), axis=0, return_index=True, return_inverse=True
        )
        merged = np.bincount(inverse.ravel(), weights=seen, minlength=len(packed)).astype(np.int64)
        rows = rows[first]
        energy = np.asarray(qubo.energy(rows), np.float64)
        # Energies this close to the lowest tie, and lead; ties go to fewer ones, then to lower indices.
        level = np.where(energy <= energy.min() + TIES * qubo.tolerance, energy.min(), energy)
        order = np.lexsort((*(~column for column in rows.T[::-1]), rows.sum(axis=1), level))
        rows, energy, merged = rows[order], energy[order], merged[order]
        lowest = float(energy.min())
        bound = float(energy[0]) if bound >= lowest - REACH * qubo.tolerance else float(bound)
        return cls(rows, energy, merged, bound, info or {})

    def __repr__(self) -> str:
        proof = (
            "proven" if self.proven else f"gap {percent(self.gap)}" if self.bound > -np.inf else "no bound"
        )
        m, n = self.x.shape
        return f"Solutions({m} of {n} bits, best energy {self.energy[0]:g}, {proof})"

    def _repr_html_(self) -> str:
        sizes = self.x.sum(axis=1).tolist()
        return notebook.solutions_html(
            self.energy.tolist(),
            self.count.tolist(),
            lambda rank: notebook.indices(np.flatnonzero(self.x[rank]).tolist()),
            sizes=sizes,
            summary=repr(self),
        )

    def __len__(self) -> int:
        return len(self.x)

    def __reduce__(self) -> tuple[Any, ...]:
        # A read-only mapping cannot be pickled.
        return Solutions, (self.x, self.energy, self.count, self.bound, dict(self.info))

    @property
    def best(self) -> Bits:
        """The bit vector of the lowest energy."""
        best: Bits = self.x[0]
        return best

    @property
    def proven(self) -> bool:
        """Whether no bit vector has an energy lower than the best one by more than `QUBO.tolerance`."""
        return bool(self.bound >= self.energy[0])

    @property
    def gap(self) -> float:
        """How far the best energy may be from the minimum, relative to it; 0 where proven."""
        if self.proven:
            return 0.0
        best = abs(float(self.energy[0]))
        return float((self.energy[0] - self.bound) / best) if best else float("inf")


def as_counts(count: npt.ArrayLike, rows: int) -> npt.NDArray[np.int64]:
    """Return a copy of how often each row was seen, or raise unless these are positive integers.

    Examples
    --------
    >>> as_counts([2.0, 1.0], 2)
    array([2, 1])
    """
    given = np.asarray(count)
    whole = given.shape == (rows,) and given.dtype.kind in "iuf" and bool((given >= 1).all())
    if not whole or (given.dtype.kind == "f" and not ((given == np.floor(given)) & (given < 2**53)).all()):
        raise ValueError(f"count must be {rows} positive integers, one for each row, got {count!r}.")
    return given.astype(np.int64)


def percent(gap: float) -> str:
    """Return a gap as text that never reads as none.

    Examples
    --------
    >>> percent(0.0123), percent(2e-9), percent(1e17)
    ('1.23%', '2e-09', 'over 1000%')
    """
    if gap == np.inf:
        return "unknown"
    if gap > 10.0:
        # Relative to an energy of nearly nothing, which says nothing more.
        return "over 1000%"
    return f"{gap:.2%}" if gap >= 5e-5 else f"{gap:.1g}"


def canonical(qubo: QUBO, x: npt.ArrayLike, k: int | None = None) -> Bits:
    """Return the representative of a bit vector among its equally good neighbours.

    Ones whose removal does not raise the energy are dropped, the highest index first. Then a one moves to the
    lowest free index at which the energy is not higher. Both repeat until nothing changes. All moves together
    raise the energy by at most a share of the tolerance.

    Parameters
    ----------
    qubo : QUBO
    x : bits of shape (n,)
    k : int or None
        Keep exactly k ones: none is dropped.

    Examples
    --------
    >>> qubo = QUBO([0.0, -1.0, -1.0], [[0, 0, 0], [0, 0, 2], [0, 2, 0]])
    >>> canonical(qubo, [1, 0, 1])
    array([False,  True, False])
    """
    bits = as_bits(x, qubo.size).copy()
    if bits.ndim != 1:
        raise ValueError(f"x must be one vector of {qubo.size} bits, got shape {bits.shape}.")
    if k is not None and bits.sum() != k:
        raise ValueError(f"x must have exactly k = {k} ones, got {bits.sum()}.")
    couplings = qubo.couplings
    fields = qubo.linear + couplings[bits].sum(axis=0)
    slack = MOVES * qubo.tolerance
    moved = True
    while moved:
        moved = False
        if k is None:
            while (free := np.flatnonzero(bits & (-fields <= slack))).size:
                i = free[-1]
                slack += fields[i]
                bits[i] = False
                fields = fields - couplings[i]
        for i in np.flatnonzero(bits):
            change = fields[:i] - fields[i] - couplings[i, :i]
            better = np.flatnonzero(~bits[:i] & (change <= slack))
            if better.size:
                j = better[0]
                slack -= change[j]
                bits[i], bits[j] = False, True
                fields = fields + (couplings[j] - couplings[i])
                moved = True
    return bits
