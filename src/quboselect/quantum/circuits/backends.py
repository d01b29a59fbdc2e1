"""Backends: what runs a circuit. A backend turns an ansatz into a function from parameters to shots.

`Statevector` is the ideal machine, by our own kernels. Any callable with the same arguments is a backend too;
`circuits.qiskit` makes them from Qiskit's samplers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ... import _kernels
from ...qubo import Bits, Vector
from .ansatz import Ansatz

Run = Callable[[list[Vector]], list[Bits]]


class Backend(Protocol):
    """Runs circuits. Its ``name``, if it has one, stands in `Solutions.info`."""

    def __call__(self, ansatz: Ansatz, shots: int, seed: int, /) -> Run:
        """Return the function from a list of parameters to the shots of each, rows of bits of shape (shots, n)."""


def memory(amplitudes: float, *, bytes_each: int = 16) -> str:
    """Return how much memory a number of amplitudes takes, in words.

    Examples
    --------
    >>> memory(2.0**20), memory(2.0**34)
    ('16 MiB', '256 GiB')
    """
    size = amplitudes * bytes_each
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if size < 1024.0:
            return f"{size:.3g} {unit}"
        size /= 1024.0
    return f"{size:.3g} PiB"


def check_size(size: int, largest: int, user: str, instead: str, *, mixed: bool = False) -> None:
    """Raise if there are more qubits than a machine can hold; a ``mixed`` state has the square of amplitudes."""
    if size > largest:
        amplitudes = 2.0 ** (2 * size if mixed else size)
        power = f"{4 if mixed else 2}**{size}"
        raise ValueError(
            f"{user} takes at most {largest} bits, got {size}: {power} amplitudes are {memory(amplitudes)}. {instead}"
        )


def measured_bits(re: Vector, im: Vector, shots: int, rng: np.random.Generator) -> Bits:
    """Return measurements of all qubits of a state, rows of bits in any order."""
    below = _kernels.statevector.cumulative(re, im)
    # Rounding leaves the total a little off one; within its own total the last amplitude cannot be overshot.
    index = np.searchsorted(below, rng.random(shots) * below[-1], side="right")
    size = below.size.bit_length() - 1
    bits: Bits = (index[:, None] >> np.arange(size) & 1).astype(np.bool_)
    return bits


@dataclass(frozen=True)
class Statevector:
    """The ideal machine: all 2**n amplitudes, without noise. It needs no other library.

    Parameters
    ----------
    largest : int
        Most qubits it takes.

    Examples
    --------
    >>> from quboselect.quantum.circuits import TwoDesign
    >>> ansatz = TwoDesign.random(3, layers=1, seed=0)
    >>> run = Statevector()(ansatz, 5, 0)
    >>> [shots.shape for shots in run([np.zeros(6), np.ones(6)])]
    [(5, 3), (5, 3)]
    """

    largest: int = 24

    @property
    def name(self) -> str:
        """What it is called in `Solutions.info`."""
        return "statevector"

    def __call__(self, ansatz: Ansatz, shots: int, seed: int, /) -> Run:
        """Return the function from a list of parameters to the shots of each."""
        check_size(
            ansatz.size, self.largest, "circuits.Statevector",
            "Solve a QUBO of fewer features, or give a backend such as circuits.qiskit.ibm().",
        )  # fmt: skip
        rng = np.random.default_rng(seed)

        def run(points: list[Vector]) -> list[Bits]:
            return [measured_bits(*ansatz.state(point), shots, rng) for point in points]

        return run
