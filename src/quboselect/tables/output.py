"""The selected features of a table, in the library and with the types of the input.

scikit-learn's own selector turns a polars frame of several types into an array of objects; this one does not.
"""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import validate_data

from .frames import as_frame, converted, is_frame, plain_array, plain_frame, take_features


def check_features(selector: Any, X: Any, y: Any = "no_validation", *, reset: bool) -> None:
    """Set the names and the number of features of a selector, or raise where a table has others."""
    validate_data(selector, plain_frame(X) if is_frame(X) else X, y, reset=reset, skip_check_array=True)


def selected_features(selector: Any, X: Any) -> Any:
    """Return the selected features of a table, as ``set_output`` of the selector says.

    Parameters
    ----------
    selector : fitted selector
    X : table of shape (samples, n)
    """
    if not is_frame(X):
        return SelectorMixin.transform(selector, X if issparse(X) else plain_array(X))
    X = plain_frame(X)
    check_features(selector, X, reset=False)
    support = selector.get_support()
    if not support.any():
        warnings.warn("No features were selected.", UserWarning, stacklevel=3)
    taken = take_features(X, support)
    library = getattr(selector, "_sklearn_output_config", {}).get(
        "transform", get_config()["transform_output"]
    )
    if library != "default":
        return converted(taken, library)
    return np.asarray(taken) if support.any() else np.empty((len(X), 0))


def all_features(selector: Any, X: Any) -> Any:
    """Return a table of all features, zero where they were not selected.

    Parameters
    ----------
    selector : fitted selector
    X : table of shape (samples, selected)
    """
    support = selector.get_support()
    selected = X if issparse(X) else as_frame(X).to_numpy() if is_frame(X) else plain_array(X)
    if selected.ndim != 2 or selected.shape[1] != support.sum():
        raise ValueError(f"X has shape {selected.shape}, but {support.sum()} features were selected.")
    if issparse(X):
        return SelectorMixin.inverse_transform(selector, X)
    full = np.zeros((len(selected), support.size), selected.dtype)
    full[:, support] = selected
    return full
