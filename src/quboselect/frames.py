"""Frames become features. pandas, polars and Arrow tables flow in, names and plain arrays flow out; `Table` keeps them.

The one module that knows these libraries, and only through narwhals. What a cell may hold is decided here: numbers,
text, categories, true and false, and nothing at all; what has no place in a bin is refused by name.
"""

from collections.abc import Callable, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from importlib import import_module
from numbers import Real
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

TEMPORAL = (nw.Datetime, nw.Date, nw.Time, nw.Duration)
NESTED = (nw.List, nw.Array, nw.Struct)


class Feature(NamedTuple):
    """One feature as read.

    ``values`` are numbers, NaN where missing; or, where ``categorical``, codes from 0 in the order of the
    categories, -1 where missing. ``boolean`` features are categories that also count as 0 and 1.
    """

    values: NDArray[Any]
    categorical: bool = False
    boolean: bool = False


def is_frame(X: Any) -> bool:
    """Return whether X is a frame of some library, and refuse those that cannot be read at once."""
    if nw.dependencies.is_into_dataframe(X):
        return True
    if nw.dependencies.is_polars_lazyframe(X) or nw.dependencies.is_dask_dataframe(X):
        raise TypeError(f"X must be a table in memory, got a lazy {type(X).__name__}: collect it first.")
    return type(X).__name__ == "RecordBatch" and hasattr(X, "schema")


def plain_frame(X: Any) -> Any:
    """Return a frame as it is, but a batch of Arrow's, which narwhals does not read, as a table."""
    return X if nw.dependencies.is_into_dataframe(X) else import_module("pyarrow").Table.from_batches([X])


def as_frame(X: Any) -> Any:
    """Return a frame under narwhals' face."""
    try:
        return nw.from_native(plain_frame(X), eager_only=True)
    except nw.exceptions.DuplicateError as error:
        twice = _twice(getattr(X, "columns", ()))
        raise ValueError(
            f"feature names must be distinct, but {twice!r} occurs twice: rename one."
        ) from error


def _twice(names: Any) -> Any:
    seen: set[Any] = set()
    return next((name for name in names if name in seen or seen.add(name)), "one")  # type: ignore[func-returns-value]


def frame_names(frame: Any) -> tuple[str, ...] | None:
    """Return the names of a frame's features, or None where they are not text, as pandas' default numbers."""
    names = tuple(frame.columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def read_feature(series: Any, label: str, categorical: bool) -> Feature:
    """Return one feature of a frame, whatever its type."""
    dtype = series.dtype
    if dtype in TEMPORAL or isinstance(dtype, TEMPORAL):
        raise ValueError(
            _refusal(label, f"dates or times ({dtype})", "make numbers of them, or leave it out")
        )
    if isinstance(dtype, NESTED):
        raise TypeError(_nested(label, dtype))
    if not categorical and dtype.is_numeric() and not isinstance(dtype, nw.Decimal):
        return read_numbers(series.to_numpy())
    return read_values(series.to_list(), series.is_null().to_list(), label, categorical)


def read_numbers(values: NDArray[Any]) -> Feature:
    """Return a numeric array as a feature, integers as they are and floats in double precision."""
    return Feature(values if values.dtype.kind in "ui" else values.astype(np.float64, copy=False))


def read_values(values: Sequence[Any], missing: Sequence[bool], label: str, categorical: bool) -> Feature:
    """Return a feature of Python values: all numbers, all true or false, or all text; or any, as categories."""
    present = [value for value, gone in zip(values, missing, strict=True) if not gone]
    kinds = set(map(type, present))
    for kind in kinds:
        _refuse_kind(kind, label)
    if kinds and kinds <= {bool, np.bool_}:
        codes = [-1 if gone else int(value) for value, gone in zip(values, missing, strict=True)]
        return Feature(np.array(codes, np.int8), True, True)
    if not categorical and all(issubclass(kind, Real | Decimal) for kind in kinds):
        numbers = [np.nan if gone else float(value) for value, gone in zip(values, missing, strict=True)]
        return Feature(np.array(numbers, np.float64))
    if not categorical and not all(issubclass(kind, str | bytes) for kind in kinds):
        words = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise ValueError(
            _refusal(
                label,
                f"values of different kinds ({words})",
                "make them one, or name it in categorical_features",
            )
        )
    try:
        distinct = sorted(set(present))
    except TypeError:
        # Categories of several kinds need an order, not a meaningful one.
        distinct = sorted(set(present), key=lambda value: (type(value).__name__, str(value)))
    code = {value: i for i, value in enumerate(distinct)}
    codes = [-1 if gone else code[value] for value, gone in zip(values, missing, strict=True)]
    return Feature(np.array(codes, np.int32), True)


def _refuse_kind(kind: type, label: str) -> None:
    if (
        issubclass(kind, date | time | timedelta | np.datetime64 | np.timedelta64)
        or kind.__name__ == "Period"
    ):
        raise ValueError(
            _refusal(label, f"dates or times ({kind.__name__})", "make numbers of them, or leave it out")
        )
    if issubclass(kind, complex | np.complexfloating):
        raise ValueError(
            _refusal(label, "complex numbers", "split them into two features")
            + " Complex data not supported."
        )
    if kind.__hash__ is None or issubclass(kind, tuple | frozenset | np.ndarray):
        raise TypeError(_nested(label, kind.__name__))


def _refusal(label: str, what: str, advice: str) -> str:
    return f"a feature must hold numbers, text, categories or true and false; {label} holds {what}: {advice}."


def _nested(label: str, kind: Any) -> str:
    return _refusal(
        label, f"nested values ({kind})", "unpack them, as an argument must be a string or a number"
    )


def is_missing(value: Any) -> bool:
    """Return whether a Python value stands for a missing one: None, NaN, pandas' NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(value != value)


def take_features(X: Any, support: NDArray[np.bool_]) -> Any:
    """Return the selected features of a frame, in a frame of the same library, types kept."""
    frame = as_frame(X)
    return nw.to_native(frame[:, np.flatnonzero(support).tolist()])


def converted(X: Any, library: str) -> Any:
    """Return a frame as one of pandas or polars; one that is of that library already stays what it is."""
    frame = as_frame(X)
    if frame.implementation.value == library:
        return X
    convert: Callable[[], Any] = {"pandas": frame.to_pandas, "polars": frame.to_polars}[library]
    return convert()


def plain_array(values: Any) -> NDArray[Any]:
    """Return the values of a series of any library, or of anything array-like, as an array."""
    if nw.dependencies.is_into_series(values):
        series = nw.from_native(values, series_only=True)
        numbers: NDArray[Any] = series.to_numpy()
        return numbers
    return np.asarray(values)
