"""Solutions: what comes back from a solver, best first, with a proven bound.

Ties are settled here, and only here. Energies within `QUBO.tolerance` of the lowest tie, and ties go to fewer ones, then
to lower indices. So a feature that changes nothing is not selected, and of two identical features the first is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from .qubo import QUBO, Bits, Vector, as_bits
from .tables import html as notebook


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
        A *proven* lower bound on the minimum, ``-inf`` where nothing is proven. One that comes within
        `QUBO.tolerance` of the best energy is set to it.
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
        # Energies within the tolerance of the lowest tie, and lead; ties go to fewer ones, then to lower indices.
        level = np.where(energy <= energy.min() + qubo.tolerance, energy.min(), energy)
        order = np.lexsort((*(~column for column in rows.T[::-1]), rows.sum(axis=1), level))
        rows, energy, merged = rows[order], energy[order], merged[order]
        lowest = float(energy.min())
        bound = float(energy[0]) if bound >= lowest - qubo.tolerance else float(bound)
        return cls(rows, energy, merged, bound, info or {})

    def __repr__(self) -> str:
        proof = (
            "proven" if self.proven else f"gap {percent(self.gap)}" if self.bound > -np.inf else "no bound"
        )
        m, n = self.x.shape
        return f"Solutions({m} of {n} bits, best energy {self.energy[0]:g}, {proof})"

    def _repr_html_(self) -> str:
        sizes = self.x.sum(axis=1).tolist()
        return notebook.samples_html(
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
        """Whether no bit vector has a lower energy than the best one."""
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
    raise the energy by at most the tolerance.

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
    slack = qubo.tolerance
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
