"""What displays read of a fitted selector: its features by name, its tradeoff, and its path. Errors say what a display
needs and what the selector has instead.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..evaluation.cross_validation import SelectQUBOCV
from ..qubo import Bits, Matrix
from ..search.choice import full_path
from ..search.devices import planner
from ..search.path import Path, alpha_path
from ..selector import SelectQUBO
from ..tradeoff import Tradeoff
from .drawing import Window


def fitted(estimator: Any, user: str) -> SelectQUBO:
    """Return the fitted selector that an estimator is, or has found by cross-validation."""
    if not isinstance(estimator, SelectQUBO | SelectQUBOCV):
        raise TypeError(
            f"{user} needs a fitted SelectQUBO or SelectQUBOCV, got {type(estimator).__name__}: "
            f"of a pipeline, give the step that selects."
        )
    check_is_fitted(estimator)
    return estimator.selector_ if isinstance(estimator, SelectQUBOCV) else estimator


def names_of(estimator: Any, names: Iterable[str] | None) -> Iterable[str] | None:
    """Return the names given, or those that the features had where the estimator was fitted."""
    return getattr(estimator, "feature_names_in_", None) if names is None else names


def excluded_of(selector: SelectQUBO) -> Bits:
    """Return the features that must not be selected, of which no number counts."""
    n = selector.support_.size
    return selector._constraints(n, getattr(selector, "feature_names_in_", None)).excluded


def window_of(selector: SelectQUBO) -> Window:
    """Return where the features were selected."""
    return Window(*selector.alpha_window_, int(selector.support_.sum()), selector.on_path_)


def matrix_of(redundancy: Any, n: int, user: str) -> Matrix:
    """Return the redundancy of n features as a matrix of numbers, or say that it is none."""
    shape = getattr(redundancy, "shape", None)
    if not isinstance(redundancy, np.ndarray) or shape != (n, n):
        came = type(redundancy).__name__ + (f" of shape {shape}" if shape is not None else "")
        raise ValueError(
            f"{user} needs the redundancy of {n} features as an array of shape ({n}, {n}), got {came}: "
            f"fit a table of fewer features, for instance those of the highest importance."
        )
    return np.asarray(redundancy, np.float64)


def path_of(selector: SelectQUBO, user: str, whole: bool) -> Path:
    """Return the path that a selector has explored, or all of it."""
    if not whole:
        if selector.path_ is None:
            raise ValueError(
                f"{user} needs a path, and this selector has none, as it was fitted at one alpha: "
                f"use whole=True, or k instead of alpha."
            )
        return selector.path_
    n = selector.support_.size
    constraints = selector._constraints(n, getattr(selector, "feature_names_in_", None))
    redundancy = matrix_of(selector.redundancy_, n, user)
    tradeoff = Tradeoff(selector.importance_, redundancy, constraints.cost)
    path = alpha_path(constraints.reduce(tradeoff), planner(selector.solver))
    return full_path(path, tradeoff, constraints)
