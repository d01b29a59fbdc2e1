"""What displays read of a fitted selector or of a `Result`: window, path, and the units of its measures."""

from typing import Any

from ..report import unit_of
from ..report.fitted import result_of
from ..result import Result
from ..search.path import Path
from .drawing import Window

__all__ = ["measure_units", "path_of", "result_of", "window_of"]


def window_of(result: Result) -> Window:
    """Return where the features were selected."""
    return Window(*result.window, int(result.support.sum()), result.on_path)


def path_of(result: Result, user: str, whole: bool) -> Path:
    """Return the path that a fit has explored, or all of it."""
    if whole:
        return result.path()
    if result.explored is None:
        raise ValueError(
            f"{user} needs a path, and this fit explored none: use whole=True, which explores it now."
        )
    return result.explored


def measure_units(estimator: Any) -> tuple[str, str]:
    """Return the units of importance and of redundancy; empty where they are not known, as of a `Result`."""
    selector = getattr(estimator, "selector_", estimator)
    if isinstance(selector, Result):
        return "", ""
    return unit_of(selector.importance), unit_of(selector.redundancy)
