"""Ansatz: the circuits whose parameters are optimised.

Each has two forms: `state` returns the amplitudes by our own kernels, and `gates` lists the same circuit gate by gate
for other machines. Qubit i is bit i of a QUBO, and of the index of an amplitude.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from ... import _kernels
from ...qubo import QUBO, Matrix, Vector, frozen

AXES = ("rx", "ry", "rz")
Y = AXES.index("ry")
# A qubit that starts closer than this to 0 or 1 hardly ever shows the other, and nothing is learnt about it.
MARGIN = 0.1


class Gate(NamedTuple):
    """A gate by its name in OpenQASM; its angle is ``factor``, or ``factor * parameters[parameter]``."""

    name: str
    qubits: tuple[int, ...]
    factor: float = 0.0
    parameter: int | None = None


class Ansatz(Protocol):
    """A circuit with parameters."""

    @property
    def size(self) -> int:
        """Number of qubits, n."""

    @property
    def parameters(self) -> int:
        """Number of parameters."""

    def state(self, parameters: Vector, /) -> tuple[Vector, Vector]:
        """Return the real and the imaginary parts of the 2**n amplitudes."""

    def gates(self) -> Iterator[Gate]:
        """Yield the gates, the first one first, to be applied to qubits that are all 0."""


def tilts(chances: npt.ArrayLike, size: int) -> Vector:
    """Return the angles about Y from 0 at which each qubit is 1 with the given chance, kept off 0 and 1 by a tenth.

    Examples
    --------
    >>> np.degrees(tilts([0.5, 1.0], 2)).round(1)
    array([ 90. , 143.1])
    """
    share = frozen(chances, "toward", 1)
    if share.size != size:
        raise ValueError(f"toward must be {size} numbers from 0 to 1, one for each bit, got {share.size}.")
    if ((share < 0.0) | (share > 1.0)).any():
        raise ValueError(f"toward must be numbers from 0 to 1, got {share[(share < 0) | (share > 1)][0]:g}.")
    angles: Vector = 2.0 * np.arcsin(np.sqrt(share.clip(MARGIN, 1.0 - MARGIN)))
    return angles


@dataclass(frozen=True, eq=False, repr=False)
class TwoDesign:
    """The Pauli two-design (paper, Section 5.4): rotations about random axes, neighbours joined between them.

    All qubits are turned by a quarter of pi about Y. Then each layer turns every qubit about its axis by a parameter
    and joins neighbours by controlled Z; a last row of rotations follows.

    Parameters
    ----------
    axes : int array of shape (layers + 1, n)
        0, 1, 2 for X, Y, Z.

    Examples
    --------
    >>> TwoDesign.random(10, layers=4, seed=0)
    TwoDesign(10 qubits, 4 layers, 50 parameters)
    """

    axes: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        axes = np.array(self.axes, np.int64)
        if axes.ndim != 2 or not len(axes) or not np.isin(axes, (0, 1, 2)).all():
            raise ValueError(f"axes must be rows of 0, 1 and 2, one for each qubit, got shape {axes.shape}.")
        axes.flags.writeable = False
        object.__setattr__(self, "axes", axes)

    def __repr__(self) -> str:
        return f"TwoDesign({self.size} qubits, {len(self.axes) - 1} layers, {self.parameters} parameters)"

    @classmethod
    def random(cls, size: int, *, layers: int = 4, seed: int = 0) -> Self:
        """Return the circuit that Qiskit calls ``pauli_two_design(size, layers, seed)``."""
        rng = np.random.default_rng(seed)
        # One by one, as Qiskit draws them: many at once come out differently.
        return cls(np.array([[rng.integers(3) for _ in range(size)] for _ in range(layers + 1)]))

    def led_by_y(self) -> Self:
        """Return the same circuit with its first rotations about Y, which can reach any bit vector."""
        return type(self)(np.concatenate([np.full((1, self.size), Y), self.axes[1:]]))

    @property
    def size(self) -> int:
        """Number of qubits, n."""
        return int(self.axes.shape[1])

    @property
    def parameters(self) -> int:
        """Number of parameters: one for each rotation."""
        return int(self.axes.size)

    def state(self, parameters: Vector, /) -> tuple[Vector, Vector]:
        """Return the real and the imaginary parts of the 2**n amplitudes."""
        angles = np.array(parameters, np.float64).reshape(self.axes.shape)
        return _kernels.statevector.two_design(self.axes, angles)  # type: ignore[no-any-return]

    def gates(self) -> Iterator[Gate]:
        """Yield the gates, the first one first."""
        for i in range(self.size):
            yield Gate("ry", (i,), 0.25 * np.pi)
        for layer, axes in enumerate(self.axes):
            for i in range(self.size - 1) if layer else ():
                yield Gate("cz", (i, i + 1))
            for i, axis in enumerate(axes):
                yield Gate(AXES[axis], (i,), 1.0, layer * self.size + i)


@dataclass(frozen=True, eq=False, repr=False)
class Alternating:
    """The ansatz of QAOA: phases by the energies and turns by a mixer, ``layers`` times in alternation.

    Parameters are the gammas of the phases ``exp(-i gamma E)``, then the betas of the turns ``exp(-i beta M)``. The
    mixer is ``M = -sum_i X_i``, and the start its ground state, so that a slow rise of gamma and fall of beta, both
    positive, leads to the lowest energy. Tilted towards bits, the mixer of a qubit is ``-(sin t X + cos t Z)``.
    Energies are divided by their standard deviation over all bit vectors, so that angles are of order one.

    Parameters
    ----------
    h, J : arrays of shape (n,) and (n, n)
        Fields and couplings over spins, as of `QUBO.ising`.
    layers : int
    tilts : array of shape (n,)
        Angles from 0 about Y at which the qubits start.

    Examples
    --------
    >>> Alternating.of(QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]]), layers=3)
    Alternating(2 qubits, 3 layers, 6 parameters)
    """

    h: Vector
    J: Matrix
    layers: int
    tilts: Vector

    def __post_init__(self) -> None:
        for name, ndim in (("h", 1), ("J", 2), ("tilts", 1)):
            object.__setattr__(self, name, frozen(getattr(self, name), name, ndim))

    def __repr__(self) -> str:
        return f"Alternating({self.size} qubits, {self.layers} layers, {self.parameters} parameters)"

    @classmethod
    def of(cls, qubo: QUBO, *, layers: int, toward: npt.ArrayLike | None = None) -> Self:
        """Return the ansatz of a QUBO; ``toward`` are the chances of each bit to be 1 at the start."""
        h, J, _ = qubo.ising()
        # Spins are independent and even: variances add up.
        spread = float(np.sqrt((h**2).sum() + 0.5 * (J**2).sum())) or 1.0
        angles = np.full(qubo.size, 0.5 * np.pi) if toward is None else tilts(toward, qubo.size)
        return cls(h / spread, J / spread, layers, angles)

    @property
    def size(self) -> int:
        """Number of qubits, n."""
        return int(self.h.size)

    @property
    def parameters(self) -> int:
        """Number of parameters: a gamma and a beta for each layer."""
        return 2 * self.layers

    @property
    def tilted(self) -> bool:
        """Whether some qubit does not start even between 0 and 1."""
        return bool(np.abs(self.tilts - 0.5 * np.pi).max(initial=0.0) > 1e-15)

    @cached_property
    def energies(self) -> Vector:
        """The energy of every bit vector in the units of gamma, zero on average."""
        qubo, constant = QUBO.from_ising(self.h, self.J)
        energies: Vector = _kernels.statevector.diagonal(qubo.linear, qubo.couplings) + constant
        return energies

    def state(self, parameters: Vector, /) -> tuple[Vector, Vector]:
        """Return the real and the imaginary parts of the 2**n amplitudes."""
        gammas, betas = np.array(parameters, np.float64).reshape(2, self.layers)
        return _kernels.statevector.alternate(self.energies, self.tilts, self.tilted, gammas, betas)  # type: ignore[no-any-return]

    def gates(self) -> Iterator[Gate]:
        """Yield the gates, the first one first."""
        qubits = range(self.size)
        for i in qubits:
            yield Gate("ry", (i,), float(self.tilts[i]))
        for layer in range(self.layers):
            for i in qubits:
                yield Gate("rz", (i,), 2.0 * float(self.h[i]), layer)
            for i, j in zip(*np.nonzero(np.triu(self.J)), strict=True):
                yield Gate("rzz", (int(i), int(j)), 2.0 * float(self.J[i, j]), layer)
            for i in qubits:
                if not self.tilted:
                    yield Gate("rx", (i,), -2.0, self.layers + layer)
                else:
                    yield Gate("ry", (i,), -float(self.tilts[i]))
                    yield Gate("rz", (i,), -2.0, self.layers + layer)
                    yield Gate("ry", (i,), float(self.tilts[i]))
