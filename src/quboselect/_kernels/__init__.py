"""The loops, compiled, and the threads that share them.

Modules of kernels are attributes of this one. ``_kernels.search.tabu_rows(...)`` calls the kernel that came compiled
with the package, or loads Numba, which compiles it. What calls no kernel, as a pipeline that transforms, loads neither.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .native import modules

    try:
        globals()[name] = modules().get(name) or import_module(f".{name}", __name__)
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from error
    return globals()[name]
