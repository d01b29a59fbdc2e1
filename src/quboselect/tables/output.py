"""From a fitted selector and a table to the selected features, in the library and with the types they came in.

scikit-learn's own selector turns a polars frame of several types into an array of objects; this one does not.
"""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..qubo import Bits
from .frames import as_frame, converted, is_frame, plain_array, plain_frame, take_features


class TableSelector(SelectorMixin):  # type: ignore[misc]
    """scikit-learn's selector for tables of any library; ``support_`` says what is selected."""

    support_: Bits

    def _get_support_mask(self) -> Bits:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Any) -> Any:
        """Return the selected features of a table.

        Parameters
        ----------
        X : table of shape (samples, n)
            As in ``fit``.

        Returns
        -------
        array or frame of shape (samples, selected)
            As ``set_output`` says. A frame keeps the types of its features.
        """
        check_is_fitted(self)
        if not is_frame(X):
            return super().transform(X if issparse(X) else plain_array(X))
        X = plain_frame(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        if not self.support_.any():
            warnings.warn("No features were selected.", UserWarning, stacklevel=2)
        taken = take_features(X, self.support_)
        library = getattr(self, "_sklearn_output_config", {}).get(
            "transform", get_config()["transform_output"]
        )
        if library != "default":
            return converted(taken, library)
        return np.asarray(taken) if self.support_.any() else np.empty((len(X), 0))

    def inverse_transform(self, X: Any) -> Any:
        """Return a table of all features, zero where they were not selected.

        Parameters
        ----------
        X : table of shape (samples, selected)
        """
        if issparse(X):
            return super().inverse_transform(X)
        check_is_fitted(self)
        selected = as_frame(X).to_numpy() if is_frame(X) else plain_array(X)
        if selected.ndim != 2 or selected.shape[1] != self.support_.sum():
            raise ValueError(
                f"X has shape {selected.shape}, but {self.support_.sum()} features were selected."
            )
        full = np.zeros((len(selected), self.support_.size), selected.dtype)
        full[:, self.support_] = selected
        return full
