"""The loops, compiled by Numba, and the threads that share them.

Modules of kernels are attributes of this one: ``_kernels.search.tabu_rows(...)`` loads Numba and ``search`` when it is
first asked for. What calls no kernel, as a fitted pipeline that transforms, never loads Numba.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f".{name}", __name__)
