"""Target: what the features are to tell. Labels or numbers flow in; what they are, classes or continuous, flows out."""

import warnings
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d

from .frames import EXACT, as_frame, is_categories, is_frame, is_missing, plain_array
from .table import Table

KINDS = ("auto", "classes", "continuous")
DATES = (date, time, timedelta, np.datetime64, np.timedelta64)
MANY = 20  # classes of fewer samples than ten each, above which numbers are hardly labels


@dataclass(frozen=True, eq=False)
class Target:
    """What the features are to tell, one value for each sample.

    Parameters
    ----------
    values : array of shape (n_samples,)
        Labels of any type that can be sorted, or numbers.
    continuous : bool
        Whether they are numbers to be cut at quantiles, and not labels of classes.
    """

    values: NDArray[Any]
    continuous: bool

    def take(self, rows: NDArray[np.intp]) -> "Target":
        """Return the target of some samples."""
        return Target(self.values[rows], self.continuous)

    def of(self, table: Table) -> "Target":
        """Return the target of the samples that a table was made of and that have any weight."""
        if self.values.size != table.n_read:
            raise ValueError(
                f"X and y must have the same number of samples, got {table.n_read} and {self.values.size}."
            )
        return self if table.rows is None else self.take(table.rows)


def as_target(y: Any, kind: str = "auto") -> Target:
    """Return a target, read and checked; a `Target` is returned as it is.

    Parameters
    ----------
    y : array or series of shape (n_samples,)
        Labels of any one type, or numbers. Missing ones are refused.
    kind : "auto", "classes" or "continuous"
        What it is. ``"auto"`` decides as scikit-learn's ``type_of_target``: floats that are not whole numbers are
        continuous, everything else is classes.

    Examples
    --------
    >>> as_target(["a", "b"]).continuous, as_target([0.5, 1.5]).continuous, as_target([1, 2], "continuous").continuous
    (False, True, True)
    """
    if isinstance(y, Target):
        return y
    if kind not in KINDS:
        raise ValueError(f"target_type must be one of {', '.join(map(repr, KINDS))}, got {kind!r}.")
    if kind == "auto" and is_categories(y):
        kind = "classes"
    values = _values(y)
    gone = _missing(values)
    if gone.any():
        i = int(gone.argmax())
        raise ValueError(
            f"y must have a value for every sample, but sample {i} is {values[i]}: drop it (Input y contains NaN)."
        )
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError(f"y must be finite, but sample {int(np.isinf(values).argmax())} is infinity.")
    if kind == "continuous":
        try:
            return Target(_floats(values), True)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"a continuous target must be numbers ({error}): use target_type='classes'."
            ) from error
    if kind == "auto" and values.dtype.kind in "uif":
        if type_of_target(values, input_name="y") == "continuous":
            return Target(values.astype(np.float64), True)
        _warn_of_many(values)
    try:
        if values.dtype.kind == "O":
            np.unique(values)
    except TypeError as error:
        raise ValueError(
            f"Unknown label type: the labels in y must be of one kind that can be sorted ({error}), got "
            f"{values[:3].tolist()}: make them all strings."
        ) from error
    return Target(values, False)


def _floats(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers as floats; integers that no float holds are counted from the least, which no measure minds."""
    floats: NDArray[np.float64] = values.astype(np.float64)
    if values.dtype.kind in "iuO" and np.abs(floats).max() >= EXACT:
        floats = (values.astype(object) - int(values.min())).astype(np.float64)
    return floats


def _warn_of_many(values: NDArray[Any]) -> None:
    """Warn where whole numbers are taken for labels but are so many that they hardly can be."""
    classes = np.unique(values).size
    if classes > MANY and classes > 0.1 * values.size:
        warnings.warn(
            f"y is taken for {classes} classes in {values.size} samples: if it is a number, say target_type='continuous'.",
            UserWarning,
            stacklevel=5,
        )


def _values(y: Any) -> NDArray[Any]:
    """Return y as a one-dimensional array."""
    if is_frame(y, "y"):
        frame = as_frame(y)
        if frame.shape[1] != 1:
            named = ", ".join(map(str, frame.columns[:5]))
            raise ValueError(f"y must be one target, got {frame.shape[1]} columns ({named}): pick one.")
        y = frame.to_numpy()
    values = plain_array(y)
    if values.ndim == 2 and values.shape[1] > 1:
        raise ValueError(f"y must be one target, got {values.shape[1]} columns: pick one.")
    if values.size == 0 or values.ndim == 0:
        raise ValueError(f"y must be a non-empty one-dimensional array, got shape {values.shape}.")
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported: y must be labels or real numbers.")
    if values.dtype.kind in "mM":
        raise ValueError(f"y must be labels or numbers, got dates or times ({values.dtype}).")
    flat: NDArray[Any] = column_or_1d(values, warn=True)
    return _sorted_out(flat) if flat.dtype.kind == "O" else flat


def _sorted_out(values: NDArray[Any]) -> NDArray[Any]:
    """Return an array of objects as one of numbers, or of true and false, where it holds nothing else."""
    kinds = {type(value) for value in values if value is not None}
    complete = not any(value is None for value in values)
    if dated := [kind.__name__ for kind in kinds if issubclass(kind, DATES)]:
        raise ValueError(f"y must be labels or numbers, got dates or times ({dated[0]}).")
    if kinds <= {bool, np.bool_} and complete:
        return values.astype(np.bool_)
    if not all(issubclass(kind, Real | Decimal) and not issubclass(kind, bool | np.bool_) for kind in kinds):
        return values
    whole = complete and all(issubclass(kind, int | np.integer) for kind in kinds)
    try:
        return values.astype(np.int64 if whole else np.float64)
    except OverflowError:
        return values


def _missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype.kind == "f":
        gone: NDArray[np.bool_] = np.isnan(values)
        return gone
    if values.dtype.kind == "O":
        return np.array([is_missing(value) for value in values])
    return np.zeros(values.size, np.bool_)
