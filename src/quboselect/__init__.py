"""The k features that say most about the label and repeat each other least, with proof.

**The tree is the equation.**  ``Q(x, a) = -a * sum_i I_i x_i + (1-a) * sum_{i<j} R_ij x_i x_j``

::

    table in memory ──┐
    batches, Parquet, ├─► I, R ─► Tradeoff + Constraints ─► search (every alpha, every k) ◄─► solvers, proof
    Dask, Spark ──────┤                                        │
    rows on demand ───┘                                     Result
                                                               │
                             SelectQUBO.result_ ─► report · plots · compare · stability · cross-validation · command

`importance` I · `redundancy` R · `tradeoff` a · `criteria` an I, an R and an a for k · `constraints` x in ... ·
`qubo` Q · `solvers` argmin · `proof` why · `search` every a and every k · `result` what was found · `selector` features
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import criteria, datasets, importance, plots, quantum, redundancy, solvers, testing
    from .evaluation.cross_validation import SelectQUBOCV
    from .fitting import best_subset
    from .qubo import QUBO, Solutions
    from .report.comparison import compare
    from .report.stability import stability
    from .search.constraints import Constraints
    from .search.envelope import alpha_path
    from .selector import SelectQUBO
    from .tradeoff import Tradeoff

__version__ = "0.1.0"

_HOME = {
    "Constraints": "search.constraints",
    "QUBO": "qubo",
    "SelectQUBO": "selector",
    "SelectQUBOCV": "evaluation.cross_validation",
    "Solutions": "qubo",
    "Tradeoff": "tradeoff",
    "alpha_path": "search.envelope",
    "best_subset": "fitting",
    "compare": "report.comparison",
    "stability": "report.stability",
}
_MODULES = ("criteria", "datasets", "importance", "plots", "quantum", "redundancy", "solvers", "testing")

__all__ = [
    "QUBO",
    "Constraints",
    "SelectQUBO",
    "SelectQUBOCV",
    "Solutions",
    "Tradeoff",
    "alpha_path",
    "best_subset",
    "compare",
    "criteria",
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
