"""Target: the column to predict, read and checked once, as classes or as continuous numbers."""

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

from ..errors import user_level
from .frames import EXACT, LARGE, as_frame, is_categories, is_frame, is_missing, plain_array
from .table import Table

KINDS = ("auto", "classes", "continuous")
DATES = (date, time, timedelta, np.datetime64, np.timedelta64)
PICK = "pick one, or fit a table in memory with SelectQUBO, which takes several, or times of events"
MANY = 30  # distinct whole numbers above which they are no labels


@dataclass(frozen=True, eq=False)
class Target:
    """The column to predict, one value for each sample. Make it with `as_target`.

    Parameters
    ----------
    values : array of shape (n_samples,)
        Labels of any type that can be sorted, or numbers.
    continuous : bool
        Whether they are numbers to be cut at quantiles, and not labels of classes.
    """

    values: NDArray[Any]
    continuous: bool

    def take(self, indices: NDArray[np.intp]) -> "Target":
        """Return the target of some samples."""
        return Target(self.values[indices], self.continuous)

    def of(self, table: Table) -> "Target":
        """Return the target of the samples that a table kept: those of its source with a positive weight."""
        if self.values.size != table.n_read:
            raise ValueError(
                f"X and y must have the same number of samples, got {table.n_read} and {self.values.size}."
            )
        return self if table.kept_samples is None else self.take(table.kept_samples)


def as_target(y: Any, target_type: str = "auto") -> Target:
    """Return a target, read and checked; a `Target` is returned as it is.

    Parameters
    ----------
    y : array or series of shape (n_samples,)
        Labels of any one type, or numbers. Missing ones are refused.
    target_type : "auto", "classes" or "continuous"
        ``"auto"`` decides by the values. Numbers are continuous where one of them is not whole, or where more than 30
        distinct ones occur, as of prices and ages. Everything else is classes: fewer whole numbers, and text,
        categories, true and false in any number. How many samples there are does not matter, so repeated samples and
        batches decide the same.

    Examples
    --------
    >>> as_target(["a", "b"]).continuous, as_target([0.5, 1.5]).continuous, as_target([1, 2], "continuous").continuous
    (False, True, True)
    >>> as_target(range(10, 40)).continuous, as_target(range(10, 41)).continuous
    (False, True)
    """
    if isinstance(y, Target):
        return y
    if target_type not in KINDS:
        raise ValueError(f"target_type must be one of {', '.join(map(repr, KINDS))}, got {target_type!r}.")
    values = _values(y)
    kind = values.dtype.kind
    missing = np.zeros(values.size, np.bool_)
    if kind in "fO":
        missing = np.isnan(values) if kind == "f" else np.array([is_missing(value) for value in values])
    if missing.any():
        i = int(missing.argmax())
        raise ValueError(
            f"y must have a value for every sample, but sample {i} is {values[i]}: drop it (Input y contains NaN)."
        )
    if kind == "f" and np.isinf(values).any():
        raise ValueError(f"y must be finite, but sample {int(np.isinf(values).argmax())} is infinity.")
    if target_type == "continuous":
        return Target(_floats(values), True)
    if target_type == "auto" and kind in "uif":
        if type_of_target(values, input_name="y") == "continuous" and not is_categories(y):
            return Target(values.astype(np.float64), True)
        distinct = np.unique(values)
        if distinct.size > MANY and not is_categories(y):
            warn_of_codes(distinct)
            return Target(_floats(values), True)
    try:
        if kind == "O":
            np.unique(values)
    except TypeError as error:
        raise ValueError(
            f"Unknown label type: the labels in y must be of one kind that can be sorted ({error}), got "
            f"{values[:3].tolist()}: convert them all to text."
        ) from error
    return Target(values, False)


def warn_of_codes(distinct: NDArray[Any]) -> None:
    """Warn where whole numbers, taken for a number, run from 0 or 1 without gaps, as codes of classes do."""
    first, last = int(distinct[0]), int(distinct[-1])
    if first in (0, 1) and last - first + 1 == distinct.size:
        warnings.warn(
            f"y holds every whole number from {first} to {last} and is taken for a number: if they stand for classes, "
            "say target_type='classes'; target_type='continuous' says that it is a number.",
            UserWarning,
            stacklevel=user_level(),
        )


def _floats(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the numbers of a continuous target as floats, or say why they cannot be."""
    try:
        floats: NDArray[np.float64] = values.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"a continuous target must be numbers ({error}): use target_type='classes'."
        ) from error
    if values.dtype.kind in "iuO" and np.abs(floats).max() >= EXACT:
        raise ValueError(
            f"y holds {LARGE} ({values[np.abs(floats).argmax()]}): subtract the smallest value, or use "
            "target_type='classes'."
        )
    return floats


def _values(y: Any) -> NDArray[Any]:
    """Return y as a one-dimensional array."""
    if is_frame(y, "y"):
        frame = as_frame(y)
        if frame.shape[1] != 1:
            some = ", ".join(map(str, frame.columns[:5]))
            raise ValueError(f"y must be one target, got {frame.shape[1]} columns ({some}): {PICK}.")
        y = frame.to_numpy()
    values = plain_array(y)
    if values.ndim == 2 and values.shape[1] > 1:
        raise ValueError(f"y must be one target, got {values.shape[1]} columns: {PICK}.")
    if values.dtype.names is not None:
        raise ValueError(f"y must be one target, got the fields {', '.join(values.dtype.names)}: {PICK}.")
    if values.size == 0 or values.ndim == 0:
        raise ValueError(f"y must be a non-empty one-dimensional array, got shape {values.shape}.")
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported: y must be labels or real numbers.")
    if values.dtype.kind in "mM":
        raise ValueError(f"y must be labels or numbers, got dates or times ({values.dtype}).")
    flat: NDArray[Any] = column_or_1d(values, warn=True)
    return _plain_type(flat) if flat.dtype.kind == "O" else flat


def _plain_type(values: NDArray[Any]) -> NDArray[Any]:
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
