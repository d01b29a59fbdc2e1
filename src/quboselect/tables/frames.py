"""Frames become features. pandas, polars and Arrow tables flow in, names and plain arrays flow out; `Table` keeps them.

The one module that knows these libraries, and only through narwhals. What a cell may hold is decided here: numbers,
text, categories, true and false, and nothing at all; what has no place in a bin is refused by name.
"""

from collections.abc import Callable, Iterable, Sequence
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
CATEGORIES = (nw.Categorical, nw.Enum)
WIDE = (nw.Decimal, nw.Int128, nw.UInt128)  # what NumPy has no type for
EXACT = 2**53  # integers below are exact as floats


class Feature(NamedTuple):
    """One feature as read.

    ``values`` are numbers, NaN where missing; or, where ``categorical``, codes from 0 in the order of the
    categories, -1 where missing. ``boolean`` features are categories that also count as 0 and 1. ``labels`` are what
    the codes stand for, and ``origin`` is what the numbers are counted from.
    """

    values: NDArray[Any]
    categorical: bool = False
    boolean: bool = False
    labels: tuple[Any, ...] | None = None
    origin: int = 0


def is_frame(X: Any, name: str = "X") -> bool:
    """Return whether X is a frame of some library, and refuse those that cannot be read at once."""
    if nw.dependencies.is_into_dataframe(X):
        return True
    if (
        nw.dependencies.is_polars_lazyframe(X)
        or isinstance(X, nw.LazyFrame)
        or nw.dependencies.is_dask_dataframe(X)
    ):
        raise TypeError(f"{name} must be a table in memory, got a lazy {type(X).__name__}: collect it first.")
    return type(X).__name__ == "RecordBatch" and hasattr(X, "schema")


def plain_frame(X: Any) -> Any:
    """Return a frame as it is, but a batch of Arrow's, which narwhals does not read, as a table."""
    return X if nw.dependencies.is_into_dataframe(X) else import_module("pyarrow").Table.from_batches([X])


def as_frame(X: Any) -> Any:
    """Return a frame under narwhals' face."""
    X = plain_frame(X)
    named: Any = getattr(X, "column_names", None) or getattr(X, "columns", ())
    names = list(named)
    twice = [name for name in names if names.count(name) > 1] if len(set(names)) < len(names) else []
    if twice:
        raise ValueError(f"feature names must be distinct, but {twice[0]!r} occurs twice: rename one.")
    return nw.from_native(X, eager_only=True)


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
    categorical = categorical or isinstance(dtype, CATEGORIES)
    if categorical or not dtype.is_numeric() or isinstance(dtype, WIDE):
        return read_values(series.to_list(), label, categorical)
    gone = series.is_null().to_numpy()
    if dtype.is_integer() and gone.any():
        return read_integers(series.fill_null(0).to_numpy(), gone)
    return read_numbers(series.to_numpy())


def read_numbers(values: NDArray[Any]) -> Feature:
    """Return a numeric array as a feature, integers as they are and floats in double precision."""
    with np.errstate(over="ignore"):
        return Feature(values if values.dtype.kind in "ui" else values.astype(np.float64, copy=False))


def read_integers(values: NDArray[Any], gone: NDArray[np.bool_]) -> Feature:
    """Return integers of which some are missing as floats, which have a NaN.

    Floats tell integers beyond 2^53 apart no more, but only differences between them matter: they are counted from the
    least one then.
    """
    kept = values[~gone]
    ends = (int(kept.min()), int(kept.max())) if kept.size else (0, 0)
    low = ends[0] if max(map(abs, ends)) >= EXACT else 0
    numbers = np.full(values.size, np.nan)
    numbers[~gone] = (kept.astype(object) - low).astype(np.float64) if low else kept
    return Feature(numbers, origin=low)


def read_values(values: Sequence[Any], label: str, categorical: bool) -> Feature:
    """Return a feature of Python values: all numbers, all true or false, or all text; or any, as categories."""
    try:
        present = [value for value in set(values) if not is_missing(value)]
    except TypeError as error:
        nested = next((type(value).__name__ for value in values if type(value).__hash__ is None), "objects")
        raise TypeError(_nested(label, nested)) from error
    kinds = set(map(type, present))
    for kind in kinds:
        _refuse_kind(kind, label)
    if kinds and kinds <= {bool, np.bool_}:
        codes = _mapped(values, {value: int(value) for value in present}, -1, np.int8)
        return Feature(codes, True, True, (False, True))
    if not categorical and all(issubclass(kind, Real | Decimal) for kind in kinds):
        low = _origin(present)
        return Feature(_mapped(values, _numbers(present, low, label), np.nan, np.float64), origin=low)
    if not categorical and not all(issubclass(kind, str | bytes) for kind in kinds):
        words = " and ".join(sorted(kind.__name__ for kind in kinds))
        what = f"values of different kinds ({words})" if len(kinds) > 1 else f"values of the kind {words}"
        raise ValueError(
            _refusal(label, what, "make numbers or text of them, or name it in categorical_features")
        )
    labels = in_order(present)
    codes = _mapped(values, {value: i for i, value in enumerate(labels)}, -1, np.int32)
    return Feature(codes, True, labels=labels)


def in_order(labels: Iterable[Any]) -> tuple[Any, ...]:
    """Return labels in the order in which they are numbered.

    Examples
    --------
    >>> in_order(["b", "a"]), in_order(["b", 1])
    (('a', 'b'), (1, 'b'))
    """
    labels = list(labels)
    try:
        return tuple(sorted(labels))
    except TypeError:
        # Categories of several kinds need an order, not a meaningful one.
        return tuple(sorted(labels, key=lambda value: (type(value).__name__, str(value))))


def _mapped(
    values: Sequence[Any], made: dict[Any, Any], missing: Any, dtype: type[np.generic]
) -> NDArray[Any]:
    """Return what each value was made into; a missing one, which is equal to nothing, is not among them."""
    return np.array([made.get(value, missing) for value in values], dtype)


def _origin(present: list[Any]) -> int:
    """Return what numbers are counted from: the least one where they are large integers, else 0."""
    whole = all(isinstance(value, int | np.integer) for value in present)
    return int(min(present)) if whole and present and max(map(abs, present)) >= EXACT else 0


def _numbers(present: list[Any], low: int, label: str) -> dict[Any, float]:
    """Return numbers as floats, counted from ``low``."""
    try:
        return {value: float(value - low) for value in present}
    except OverflowError as error:
        raise ValueError(_refusal(label, "a number that no float can hold", "scale it down")) from error


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
    if not support.any() and hasattr(X, "iloc"):
        # narwhals would lose the samples with the features.
        return X.iloc[:, :0]
    return nw.to_native(as_frame(X)[:, np.flatnonzero(support).tolist()])


def converted(X: Any, library: str) -> Any:
    """Return a frame as one of pandas or polars; one that is of that library already stays what it is."""
    frame = as_frame(X)
    if frame.implementation.value == library:
        return X
    convert: Callable[[], Any] = {"pandas": frame.to_pandas, "polars": frame.to_polars}[library]
    return convert()


def plain_array(values: Any) -> NDArray[Any]:
    """Return what is array-like, or a series of any library, as an array that keeps what was missing or mixed.

    A mask becomes NaN, or None among other things than numbers and among integers that no float holds. NumPy would
    make text of the numbers in a list that also holds text, and rounded floats of very large integers: these become
    arrays of objects.
    """
    if nw.dependencies.is_into_series(values):
        series = nw.from_native(values, series_only=True)
        wide = isinstance(series.dtype, WIDE)
        listed: NDArray[Any] = np.array(series.to_list(), object) if wide else series.to_numpy()
        return listed
    if isinstance(values, np.ma.MaskedArray):
        plain, mask = np.ma.getdata(values), np.ma.getmaskarray(values)
        if not mask.any():
            return plain
        exact = plain.dtype.kind == "f" or (plain.dtype.kind in "ui" and not (_size(plain) >= EXACT).any())
        filled: NDArray[Any] = plain.astype(np.float64 if exact else object)
        filled[mask] = np.nan if exact else None
        return filled
    array = np.asarray(values)
    if hasattr(values, "dtype"):
        return array
    # NumPy makes floats of integers beyond 2**63 too, among smaller ones.
    rounded = array.dtype.kind == "f" and bool((np.isfinite(array) & (np.abs(array) >= EXACT)).any())
    return np.asarray(values, dtype=object) if array.dtype.kind in "US" or rounded else array


def _size(whole: NDArray[Any]) -> NDArray[np.float64]:
    """Return how far integers are from zero, roughly; the least of a type has no positive counterpart in it."""
    return np.abs(whole.astype(np.float64))


def is_categories(values: Any) -> bool:
    """Return whether a series, or an array of pandas, is of categories by its type."""
    if nw.dependencies.is_into_series(values):
        return isinstance(nw.from_native(values, series_only=True).dtype, CATEGORIES)
    return hasattr(values, "categories") and hasattr(values, "codes")
