"""argmin: the solvers, one file each. A QUBO flows in, `Samples` flow out.

======================  ======================================================  =========
solver                  how                                                     proves
======================  ======================================================  =========
`Portfolio`             the default: `Tabu`, then two kinds of proof            mostly
`BranchAndBound`        depth first, with a combinatorial bound                 mostly
`Exhaustive`            every subset in Gray code order, up to 30 bits          always
`Tabu`                  multistart tabu search with recombination               never
`Anneal`                simulated annealing                                     never
`Dimod`                 any sampler of D-Wave's Ocean, a quantum annealer too   never
`VQE`                   a variational circuit, simulated or on a gate computer  never
`QAOA`                  alternating energies and mixers, likewise               never
`QuantumAnnealing`      the Schroedinger equation of an annealer                never
`Recorded`              samples that were stored before                         as stored
======================  ======================================================  =========

The first five take ``k=`` for subsets of exactly k bits. The others are devices: a fit asks them once, see
`quboselect.device`. Any other callable that fits `quboselect.protocols.Solver` can stand in their place.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .anneal import Anneal
from .branch import BranchAndBound
from .exhaustive import Exhaustive
from .portfolio import Portfolio
from .tabu import Tabu

if TYPE_CHECKING:
    from .dimod import Dimod
    from .qaoa import QAOA
    from .quantum_annealing import QuantumAnnealing
    from .recorded import Recorded
    from .vqe import VQE

__all__ = [
    "QAOA",
    "VQE",
    "Anneal",
    "BranchAndBound",
    "Dimod",
    "Exhaustive",
    "Portfolio",
    "QuantumAnnealing",
    "Recorded",
    "Tabu",
]

# Loaded when asked for: a classical fit needs none of them.
_LATER = {
    "Dimod": "dimod",
    "QAOA": "qaoa",
    "QuantumAnnealing": "quantum_annealing",
    "Recorded": "recorded",
    "VQE": "vqe",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
