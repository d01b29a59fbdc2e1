"""Features of pandas, polars and Arrow frames, and of plain values, as NumPy arrays.

The one module that knows these libraries, and only through narwhals. It decides what a cell may hold: a number, a date,
text, a category, true or false, or nothing. It refuses anything else, and names the feature.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from decimal import Decimal
from importlib import import_module
from numbers import Real
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from .dates import is_clock, second, seconds
from .feature_names import label_of

TEMPORAL = (nw.Datetime, nw.Date, nw.Time, nw.Duration)
NESTED = (nw.List, nw.Array, nw.Struct)
CATEGORIES = (nw.Categorical, nw.Enum)
BEYOND_NUMPY = (nw.Decimal, nw.Int128, nw.UInt128)  # types that NumPy does not have
EXACT = 2**53  # integers below are exact as floats
LARGE = "integers of 2^53 or more, which floats cannot tell apart"
SMALLER = "exclude it if it is an id, name it in categorical_features, or subtract its smallest value"
# scikit-learn's checks of an estimator look for "argument must be a string or a number".
UNPACK = "split them into features of their own, as each argument must be a string or a number"

Names = tuple[str, ...] | None


class Feature(NamedTuple):
    """One feature as read.

    ``values`` are numbers, NaN where missing; or, where ``categorical``, codes from 0 in the order of the
    categories, -1 where missing. ``boolean`` features are categories that also count as 0 and 1. ``labels`` are the
    categories that the codes stand for.
    """

    values: NDArray[Any]
    categorical: bool = False
    boolean: bool = False
    labels: tuple[Any, ...] | None = None


def is_frame(X: Any, name: str = "X") -> bool:
    """Return whether X is a frame of some library; a lazy one is refused."""
    if isinstance(X, np.ndarray):
        # Narwhals would go through all packages installed, for those that know of frames.
        return False
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
    """Return a frame as it is, but Arrow's RecordBatch, which narwhals does not read, as an Arrow table."""
    return X if nw.dependencies.is_into_dataframe(X) else import_module("pyarrow").Table.from_batches([X])


def as_frame(X: Any) -> Any:
    """Return a frame wrapped by narwhals, or raise where two features have the same name."""
    X = plain_frame(X)
    columns: Any = getattr(X, "column_names", None) or getattr(X, "columns", ())
    names = list(columns)
    twice = [name for name in names if names.count(name) > 1] if len(set(names)) < len(names) else []
    if twice:
        raise ValueError(f"feature names must be distinct, but {twice[0]!r} occurs twice: rename one.")
    return nw.from_native(X, eager_only=True)


def frame_names(frame: Any) -> tuple[str, ...] | None:
    """Return the names of a frame's features, or None where they are not text, such as pandas' default numbers."""
    names = tuple(frame.columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def read_feature(series: Any, categorical: bool, i: int, names: Names) -> Feature:
    """Return feature i of a frame, of any type, as categories where asked."""
    dtype = series.dtype
    if not categorical and (dtype in TEMPORAL or isinstance(dtype, TEMPORAL)):
        values = series.to_numpy()
        return Feature(seconds(values)) if values.dtype.kind in "mM" else read_values(values, False, i, names)
    if isinstance(dtype, NESTED):
        raise TypeError(_refusal(i, names, f"nested values ({dtype})", UNPACK))
    categorical = categorical or isinstance(dtype, CATEGORIES)
    if categorical or not dtype.is_numeric() or isinstance(dtype, BEYOND_NUMPY):
        return read_values(series.to_list(), categorical, i, names)
    if dtype.is_integer() and series.null_count():
        values = checked_numbers(series.fill_null(0).to_numpy(), i, names)
        return Feature(np.where(series.is_null().to_numpy(), np.nan, values))
    return Feature(checked_numbers(series.to_numpy(), i, names))


def checked_numbers(
    values: Any, i: int | None = None, names: Names = None, left_out: Collection[int] = ()
) -> Any:
    """Return numbers, one feature or a table, as they are, but floats of one feature in double precision.

    Infinities are refused, and so are integers of 2^53 and more, except in features that are left out: as floats they
    would not be told apart.
    """
    stored = values.data if issparse(values) else values
    if values.dtype.kind != "f":
        if values.dtype.itemsize == 8 and stored.size and max(-int(stored.min()), int(stored.max())) >= EXACT:
            _refuse_large_integers(values, i, names, left_out)
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        # A finite sum spares a closer look.
        if not np.isfinite(stored.sum()) and np.isinf(stored).any():
            _refuse_infinity(values, i, names)
        return values if i is None else values.astype(np.float64, copy=False)


def read_values(values: Sequence[Any], categorical: bool, i: int, names: Names = None) -> Feature:
    """Return feature i of Python values: all numbers, all true or false, or all text; or any, as categories."""
    try:
        present = [value for value in set(values) if not is_missing(value)]
    except TypeError as error:
        nested = next((type(value).__name__ for value in values if type(value).__hash__ is None), "objects")
        raise TypeError(_refusal(i, names, f"nested values ({nested})", UNPACK)) from error
    kinds = set(map(type, present))
    for kind in kinds:
        _refuse_kind(kind, i, names)
    if not categorical and is_clock(kinds):
        return Feature(_mapped(values, {value: second(value) for value in present}, np.nan, np.float64))
    if kinds and kinds <= {bool, np.bool_}:
        codes = _mapped(values, {value: int(value) for value in present}, -1, np.int8)
        return Feature(codes, True, True, (False, True))
    if not categorical and all(issubclass(kind, Real | Decimal) for kind in kinds):
        whole = [int(value) for value in present if isinstance(value, int | np.integer)]
        large = [value for value in whole if abs(value) >= EXACT]
        if large:
            raise ValueError(_refusal(i, names, f"{LARGE} ({large[0]})", SMALLER))
        numbers = _mapped(values, {value: float(value) for value in present}, np.nan, np.float64)
        return Feature(checked_numbers(numbers, i, names))
    if not categorical and not all(issubclass(kind, str | bytes) for kind in kinds):
        words = " and ".join(sorted(kind.__name__ for kind in kinds))
        what = f"values of different kinds ({words})" if len(kinds) > 1 else f"values of the kind {words}"
        advice = "convert them to numbers or text, or name it in categorical_features"
        raise ValueError(_refusal(i, names, what, advice))
    labels = in_order(present)
    codes = _mapped(values, {value: code for code, value in enumerate(labels)}, -1, np.int32)
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
    values: Sequence[Any], mapping: dict[Any, Any], missing: Any, dtype: type[np.generic]
) -> NDArray[Any]:
    """Return an array of what each value maps to; a missing value is not in the mapping."""
    return np.array([mapping.get(value, missing) for value in values], dtype)


def _refuse_kind(kind: type, i: int, names: Names) -> None:
    """Raise where values of this type have no place in a table."""
    if kind.__name__ == "Period":
        raise ValueError(_refusal(i, names, "periods of time", "take where they begin, or exclude it"))
    if issubclass(kind, complex | np.complexfloating):
        advice = "split them into two features"
        raise ValueError(_refusal(i, names, "complex numbers", advice) + " Complex data not supported.")
    if kind.__hash__ is None or issubclass(kind, tuple | frozenset | np.ndarray):
        raise TypeError(_refusal(i, names, f"nested values ({kind.__name__})", UNPACK))


def _refuse_large_integers(values: Any, i: int | None, names: Names, left_out: Collection[int]) -> None:
    """Raise at the first feature that holds integers which floats cannot tell apart and is not left out."""
    dense = values.toarray() if issparse(values) else values
    dense = dense[:, None] if dense.ndim == 1 else dense
    for feature, x in enumerate(dense.T):
        largest = max(-int(x.min()), int(x.max()))
        if largest >= EXACT and feature not in left_out:
            raise ValueError(_refusal(feature if i is None else i, names, f"{LARGE} ({largest})", SMALLER))


def _refuse_infinity(values: Any, i: int | None, names: Names) -> None:
    """Raise at the first infinity."""
    dense = values.toarray() if issparse(values) else values
    where = np.argwhere(np.isinf(dense))[0]
    label = label_of(int(where[-1]) if i is None else i, names)
    raise ValueError(
        f"X must not hold infinities, but {label} is {dense[tuple(where)]} at sample {where[0]}: replace infinity "
        "by a large number, or by NaN if the value is unknown."
    )


def _refusal(i: int, names: Names, what: str, advice: str) -> str:
    """Return the message that a feature holds something that has no place in a table."""
    expected = "a feature must hold numbers, dates, text, categories or true and false"
    return f"{expected}; {label_of(i, names)} holds {what}: {advice}."


def is_missing(value: Any) -> bool:
    """Return whether a Python value stands for a missing one: None, NaN, pandas' NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
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
    """Return an array-like, or a series of any library, as an array in which values stay missing or mixed.

    Masked numbers become NaN; other masked values, and masked integers of 2^53 and more, become None in an array of
    objects. A list that holds text becomes an array of objects too, as NumPy would make text of its numbers.
    """
    if nw.dependencies.is_into_series(values):
        series = nw.from_native(values, series_only=True)
        objects = isinstance(series.dtype, BEYOND_NUMPY)
        read: NDArray[Any] = np.array(series.to_list(), object) if objects else series.to_numpy()
        return read
    if isinstance(values, np.ma.MaskedArray):
        array, mask = np.ma.getdata(values), np.ma.getmaskarray(values)
        if not mask.any():
            return array
        exact = array.dtype.kind == "f" or (
            array.dtype.kind in "ui" and bool((np.abs(array.astype(np.float64)) < EXACT).all())
        )
        array = array.astype(np.float64 if exact else object)
        array[mask] = np.nan if exact else None
        return array
    array = np.asarray(values)
    if array.dtype.kind in "US" and not hasattr(values, "dtype"):
        return np.asarray(values, dtype=object)
    return array


def is_categories(values: Any) -> bool:
    """Return whether a series, or an array of pandas, is of categories by its type."""
    if nw.dependencies.is_into_series(values):
        return isinstance(nw.from_native(values, series_only=True).dtype, CATEGORIES)
    return hasattr(values, "categories") and hasattr(values, "codes")
