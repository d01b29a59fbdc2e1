"""What displays read of a fitted selector or of a `Result`: window, path, and the units of its measures."""

from typing import Any

import numpy as np

from ..criteria.criterion import criterion_of
from ..report import unit_of
from ..report.exploration import explored_path, signed
from ..report.fitted import result_of
from ..report.sizes import size_segments
from ..result import Result
from ..search.path import Path
from .drawing import Window

__all__ = ["measure_units", "path_of", "result_of", "window_of"]


def window_of(result: Result) -> Window:
    """Return where the features were selected: in a window of the path, off the path, or held to k at one alpha."""
    return Window(*result.window, int(result.support.sum()), result.passes is None)


def path_of(result: Result, user: str, whole: bool, size: int | None = None) -> Path:
    """Return the path to draw: that of one size, that which a fit has explored, one explored now, or all of it.

    Without a size it is over all sizes, or where redundancies are negative of the size that was selected. What is
    explored now is searched and not proven where units are many, unless it is to be ``whole``.
    """
    if not result.tradeoff.dense and (size is not None or result.explored is None):
        raise ValueError(
            f"{user} needs a path, and this fit explored none: a path is explored on tables of up to 2000 features, "
            f"this one has {result.tradeoff.size}."
        )
    if size is None and (not result.tradeoff.dense or not signed(result)):
        if whole:
            return result.path()
        return explored_path(result)[0] if result.explored is None else result.explored
    k = result.k if size is None else size
    if whole:
        return result.path(size=k)
    result.constraints.check_size(k)
    segments = size_segments(result, [k])[k]
    return Path(segments, np.zeros((0, 2)), 0)


def measure_units(estimator: Any) -> tuple[str, str]:
    """Return the units of importance and of redundancy; empty where they are not known, as of a `Result`."""
    selector = getattr(estimator, "selector_", estimator)
    if isinstance(selector, Result):
        return "", ""
    criterion = criterion_of(selector)
    return unit_of(criterion.importance), unit_of(criterion.redundancy)
