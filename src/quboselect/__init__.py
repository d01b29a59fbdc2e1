"""The k features that say most about the label and repeat each other least, with proof.

**The tree is the equation.**  ``Q(x, a) = -a * sum_i I_i x_i + (1-a) * sum_{i<j} R_ij x_i x_j``

::

    table ─► bins ─► importance I ─┐
               └───► redundancy R ─┴─► Tradeoff ──at(alpha)──► QUBO ──► solver ──► Samples
                                           └────────────── alpha_path ◄──────────────┘
                                                               │
                                                          SelectQUBO

`importance` I · `redundancy` R · `tradeoff` a · `qubo` Q · `solvers` argmin · `proof` why · `path` all a at once ·
`sizes` k · `selector` x -> features
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import datasets, importance, proof, redundancy, solvers, testing
    from .errors import DatasetUnavailable, OffPathWarning
    from .path import Path, Segment, alpha_path
    from .qubo import QUBO, Ising
    from .samples import Samples
    from .selector import SelectQUBO
    from .sizes import Exactly, alpha_search, exactly
    from .tradeoff import Tradeoff

__version__ = "0.1.0"

_HOME = {
    "DatasetUnavailable": "errors",
    "Exactly": "sizes",
    "Ising": "qubo",
    "OffPathWarning": "errors",
    "Path": "path",
    "QUBO": "qubo",
    "Samples": "samples",
    "Segment": "path",
    "SelectQUBO": "selector",
    "Tradeoff": "tradeoff",
    "alpha_path": "path",
    "alpha_search": "sizes",
    "exactly": "sizes",
}
_MODULES = ("datasets", "importance", "proof", "redundancy", "solvers", "testing")

__all__ = [
    "QUBO",
    "DatasetUnavailable",
    "Exactly",
    "Ising",
    "OffPathWarning",
    "Path",
    "Samples",
    "Segment",
    "SelectQUBO",
    "Tradeoff",
    "alpha_path",
    "alpha_search",
    "datasets",
    "exactly",
    "importance",
    "proof",
    "redundancy",
    "solvers",
    "testing",
]


def __getattr__(name: str) -> Any:
    # Names are loaded when asked for, so that `import quboselect` alone costs next to nothing.
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name in _HOME:
        value = getattr(import_module(f".{_HOME[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
