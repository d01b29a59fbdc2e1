"""The k features that say most about the label and repeat each other least, with proof.

**The tree is the equation.**  ``Q(x, a) = -a * sum_i I_i x_i + (1-a) * sum_{i<j} R_ij x_i x_j``

::

    table ─► bins ─► importance I ─┐
               └───► redundancy R ─┴─► Tradeoff ──at(alpha)──► QUBO ──► solver ──► Solutions
                                           └────────────── alpha_path ◄──────────────┘
                                                               │
                                                          SelectQUBO ──► SelectQUBOCV, stability, compare

`importance` I · `redundancy` R · `tradeoff` a · `qubo` Q · `solvers` argmin · `proof` why · `path` all a at once ·
`sizes` k · `constraints` what people know · `selector` x -> features
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import datasets, importance, plots, quantum, redundancy, solvers, testing
    from .evaluation.cross_validation import SelectQUBOCV
    from .evaluation.stability import stability
    from .qubo import QUBO
    from .report.comparison import compare
    from .search.path import alpha_path
    from .selector import SelectQUBO
    from .solutions import Solutions
    from .tradeoff import Tradeoff

__version__ = "0.1.0"

_HOME = {
    "QUBO": "qubo",
    "SelectQUBO": "selector",
    "SelectQUBOCV": "evaluation.cross_validation",
    "Solutions": "solutions",
    "Tradeoff": "tradeoff",
    "alpha_path": "search.path",
    "compare": "report.comparison",
    "stability": "evaluation.stability",
}
_MODULES = ("datasets", "importance", "plots", "quantum", "redundancy", "solvers", "testing")

__all__ = [
    "QUBO",
    "SelectQUBO",
    "SelectQUBOCV",
    "Solutions",
    "Tradeoff",
    "alpha_path",
    "compare",
    "datasets",
    "importance",
    "plots",
    "quantum",
    "redundancy",
    "solvers",
    "stability",
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
