"""Solvers that run on quantum computers, or simulate them. No other part of the package knows a quantum library.

======================  ======================================================  ============================
solver                  how                                                     needs
======================  ======================================================  ============================
`Dimod`                 any sampler of D-Wave's Ocean, a quantum annealer too   quboselect[dwave], [dwave-qpu]
`VQE`                   a variational circuit, simulated or on a gate computer  nothing; [qiskit] or [ibm]
`QAOA`                  alternating energies and mixers, likewise               nothing; [qiskit] or [ibm]
`QuantumAnnealing`      the Schroedinger equation of an annealer                nothing
======================  ======================================================  ============================

A fit asks each of them once, at an alpha that was found classically. `circuits` holds the parts of VQE and QAOA.
`maximum_search` solves no QUBO: it finds the largest of some values, by Grover's algorithm.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import circuits
    from .dimod import Dimod
    from .grover import maximum_search
    from .qaoa import QAOA
    from .quantum_annealing import QuantumAnnealing
    from .vqe import VQE

__all__ = ["QAOA", "VQE", "Dimod", "QuantumAnnealing", "circuits", "maximum_search"]

# Loaded when asked for: a fit needs none of them, and some of their libraries take seconds.
_HOME = {
    "Dimod": "dimod",
    "QAOA": "qaoa",
    "QuantumAnnealing": "quantum_annealing",
    "VQE": "vqe",
    "maximum_search": "grover",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    if name == "circuits":
        return import_module(".circuits", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
