"""The k features that say most about the label and repeat each other least, with proof.

**The tree is the equation.**  ``Q(x, a) = -a * sum_i I_i x_i + (1-a) * sum_{i<j} R_ij x_i x_j``

::

    table ─► bins ─► importance I ─┐
               └───► redundancy R ─┴─► Tradeoff ──at(alpha)──► QUBO ──► solver ──► Samples
                                           └────────────── alpha_path ◄──────────────┘
                                                               │
                                                          SelectQUBO ──► SelectQUBOCV, stability, compare

`importance` I · `redundancy` R · `tradeoff` a · `qubo` Q · `solvers` argmin · `proof` why · `path` all a at once ·
`sizes` k · `constraints` what people know · `selector` x -> features
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import (
        baselines,
        chip,
        circuits,
        datasets,
        importance,
        plots,
        proof,
        redundancy,
        shots,
        solvers,
        testing,
    )
    from .choice import Chosen, choose
    from .comparison import Comparison, compare
    from .constraints import Constraints
    from .errors import DatasetUnavailable, MissingExtra, OffPathWarning
    from .path import Path, Segment, alpha_path
    from .qubo import QUBO, Ising
    from .resampling import Stability, stability
    from .samples import Samples
    from .selector import SelectQUBO
    from .sizes import Exactly, alpha_search, exactly
    from .streaming.coding import Coding
    from .streaming.joint import JointCounts
    from .streaming.tally import Tally
    from .table import Table, as_table
    from .target import Target, as_target
    from .tradeoff import Tradeoff
    from .validation import SelectQUBOCV

__version__ = "0.1.0"

_HOME = {
    "Chosen": "choice",
    "Coding": "streaming.coding",
    "Comparison": "comparison",
    "Constraints": "constraints",
    "DatasetUnavailable": "errors",
    "Exactly": "sizes",
    "Ising": "qubo",
    "JointCounts": "streaming.joint",
    "MissingExtra": "errors",
    "OffPathWarning": "errors",
    "Path": "path",
    "QUBO": "qubo",
    "Samples": "samples",
    "Segment": "path",
    "SelectQUBO": "selector",
    "SelectQUBOCV": "validation",
    "Stability": "resampling",
    "Table": "table",
    "Tally": "streaming.tally",
    "Target": "target",
    "Tradeoff": "tradeoff",
    "alpha_path": "path",
    "alpha_search": "sizes",
    "as_table": "table",
    "as_target": "target",
    "choose": "choice",
    "compare": "comparison",
    "exactly": "sizes",
    "stability": "resampling",
}
_MODULES = (
    "baselines",
    "chip",
    "circuits",
    "datasets",
    "importance",
    "plots",
    "proof",
    "redundancy",
    "shots",
    "solvers",
    "testing",
)

__all__ = [
    "QUBO",
    "Chosen",
    "Coding",
    "Comparison",
    "Constraints",
    "DatasetUnavailable",
    "Exactly",
    "Ising",
    "JointCounts",
    "MissingExtra",
    "OffPathWarning",
    "Path",
    "Samples",
    "Segment",
    "SelectQUBO",
    "SelectQUBOCV",
    "Stability",
    "Table",
    "Tally",
    "Target",
    "Tradeoff",
    "alpha_path",
    "alpha_search",
    "as_table",
    "as_target",
    "baselines",
    "chip",
    "choose",
    "circuits",
    "compare",
    "datasets",
    "exactly",
    "importance",
    "plots",
    "proof",
    "redundancy",
    "shots",
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
