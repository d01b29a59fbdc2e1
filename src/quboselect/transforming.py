"""From a fitted selector and a table to the selected features, in the library and with the types they came in.

scikit-learn's own selector turns a polars frame of several types into an array of objects; this one does not.
"""

import warnings
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .frames import converted, is_frame, plain_frame, take_features
from .qubo import Bits


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
            return super().transform(X)
        X = plain_frame(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        if not self.support_.any():
            warnings.warn("No features were selected.", UserWarning, stacklevel=2)
        taken = take_features(X, self.support_)
        library = getattr(self, "_sklearn_output_config", {}).get(
            "transform", get_config()["transform_output"]
        )
        return np.asarray(taken) if library == "default" else converted(taken, library)
