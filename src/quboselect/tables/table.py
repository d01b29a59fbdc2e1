"""Table: any table, read once. Arrays, frames and weights flow in; features, one by one, flow out to be binned.

Samples of no weight are left out here, infinities are refused here, and text has become codes here: nobody further
down looks at a table again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array, issparse

from ..qubo import Bits, Vector
from .feature_names import label_of, positions
from .frames import (
    Feature,
    as_frame,
    frame_names,
    is_frame,
    plain_array,
    read_feature,
    read_numbers,
    read_values,
)
from .weights import as_weights, counted


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Features of samples, of any kind, with the weights of the samples. Make it with `as_table`.

    Parameters
    ----------
    source : array of shape (n_samples, n), sparse matrix, or n arrays
        What holds the values. Categories stand only in the last form, as codes from 0, -1 where missing.
    categorical : bool array of shape (n,)
        Which features are categories.
    boolean : bool array of shape (n,)
        Which of those are true and false, and so are numbers too.
    names : tuple of str, optional
    given : array of shape (n_samples,), optional
        The weights of the samples as they were given, positive; None is one each.
    rows : int array, optional
        The samples of the source that the table consists of; None is all of them.
    memo : dict
        What was made of the table before, so that two measures do not both bin it.
    labels : n tuples, optional
        What the codes of each feature of categories stand for, None for one of numbers; None where all are numbers.
    origins : n integers, optional
        What the numbers of each feature are counted from, where that is not 0 for all.
    """

    source: Any
    categorical: Bits
    boolean: Bits
    names: tuple[str, ...] | None = None
    given: Vector | None = None
    rows: NDArray[np.intp] | None = None
    memo: dict[Any, Any] = field(default_factory=dict)
    labels: tuple[tuple[Any, ...] | None, ...] | None = None
    origins: tuple[int, ...] | None = None

    def __repr__(self) -> str:
        return f"Table({self.n_samples} samples, {self.n_features} features)"

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self.categorical.size)

    @property
    def n_samples(self) -> int:
        """The number of samples that have any weight."""
        return self.n_read if self.rows is None else int(self.rows.size)

    @property
    def n_read(self) -> int:
        """The number of samples in the source, whatever their weight."""
        return len(self.source[0]) if isinstance(self.source, tuple) else int(self.source.shape[0])

    @cached_property
    def weights(self) -> Vector | None:
        """The weights as they are counted: whole numbers as they are, others scaled to an average of one."""
        return None if self.given is None else counted(self.given)

    def label(self, i: int) -> str:
        """Return what an error calls a feature: by name where it has one, else by number."""
        return label_of(int(i), self.names)

    def block(self, first: int, last: int) -> list[NDArray[Any]]:
        """Return features as contiguous arrays: numbers with NaN where missing, or codes with -1 there."""
        if isinstance(self.source, tuple):
            values = list(self.source[first:last])
            return values if self.rows is None else [x[self.rows] for x in values]
        part = self.source[:, first:last]
        part = part.toarray() if issparse(part) else part
        part = part if self.rows is None else part[self.rows]
        return list(np.ascontiguousarray(part.T))

    def matrix(self) -> NDArray[Any]:
        """Return all features as one array of numbers, NaN where missing, or refuse the first that has none."""
        wrong = np.flatnonzero(self.categorical & ~self.boolean)
        if wrong.size:
            raise ValueError(
                f"this measure needs numbers, but {self.label(wrong[0])} holds categories: use MutualInformation, "
                "encode it, or leave it out."
            )
        if isinstance(self.source, tuple):
            columns = [
                np.where(x < 0, np.nan, x) if categorical and (x < 0).any() else x
                for x, categorical in zip(self.block(0, self.n_features), self.categorical, strict=True)
            ]
            return np.column_stack(columns)
        dense: NDArray[Any] = self.source.toarray() if issparse(self.source) else self.source
        return dense if self.rows is None else dense[self.rows]

    def samples(self, rows: NDArray[np.intp]) -> "Table":
        """Return some samples, repeats allowed, in the bins that they were cut into before, if they were."""
        memo = {key: made.take(rows) for key, made in list(self.memo.items()) if hasattr(made, "take")}
        given = None if self.given is None else self.given[rows]
        kept = rows if self.rows is None else self.rows[rows]
        return replace(self, given=given, rows=kept, memo=memo)

    def shuffled(self, seed: int) -> "Table":
        """Return a table in which each feature is shuffled by itself, so that none says anything of another."""
        rng = np.random.default_rng(seed)
        features = []
        for i in range(self.n_features):
            (x,) = self.block(i, i + 1)
            features.append(rng.permutation(x))
        return replace(self, source=tuple(features), rows=None, memo={})


def as_table(
    X: Any, *, categorical: Any = "auto", exclude: Any = None, sample_weight: ArrayLike | None = None
) -> Table:
    """Return any table, read and checked; a `Table` is returned as it is.

    Parameters
    ----------
    X : array, pandas or polars frame, Arrow table, or sparse matrix, of shape (n_samples, n)
        Numbers, text, categories, true and false. Missing values (NaN, None, NA) are welcome, infinities are not.
    categorical : "auto", or names, indices or a bool array of features
        Features to take as categories even if they are numbers. Text always is.
    exclude : names, indices or a bool array, optional
        Features of a frame, or of an array of objects, that are not read: they are constant in the table.
    sample_weight : array of shape (n_samples,), optional
        Not negative. Whole numbers count samples: the same as repeating them so often. Others are scaled to an
        average of one over the samples that have any.

    Examples
    --------
    >>> table = as_table([["a", 1.5], ["b", None]])
    >>> table, table.categorical.tolist()
    (Table(2 samples, 2 features), [True, False])
    """
    if isinstance(X, Table):
        if sample_weight is not None:
            raise ValueError("sample_weight must be None where X is a Table: make the Table with it.")
        if not isinstance(categorical, str) and categorical is not None:
            raise ValueError("categorical must be 'auto' where X is a Table: make the Table with it.")
        return X
    read = (_frame if is_frame(X) else _array)(X, categorical, exclude)
    given = as_weights(sample_weight, read.n_samples)
    if given is None:
        return read
    rows = np.flatnonzero(given) if not given.all() else None
    given = given if rows is None else given[rows]
    return replace(read, given=given, rows=rows)


def _table(features: Sequence[Feature], names: tuple[str, ...] | None) -> Table:
    """Return features that were read one by one as a table."""
    for i, feature in enumerate(features):
        _refuse_infinite(feature.values, names, i)
    return Table(
        tuple(np.ascontiguousarray(feature.values) for feature in features),
        np.array([feature.categorical for feature in features]),
        np.array([feature.boolean for feature in features]),
        names,
        labels=tuple(feature.labels for feature in features),
        origins=tuple(feature.origin for feature in features),
    )


def _frame(X: Any, categorical: Any, exclude: Any) -> Table:
    frame = as_frame(X)
    names = frame_names(frame)
    _check_shape(frame.shape)
    chosen = _chosen(categorical, frame.shape[1], names, "categorical_features")
    left_out = _chosen(exclude, frame.shape[1], names, "exclude")
    features = [
        Feature(np.zeros(frame.shape[0], np.int8))
        if left_out[i]
        else read_feature(series, label_of(i, names), bool(chosen[i]))
        for i, series in enumerate(frame.iter_columns())
    ]
    return _table(features, names)


def _array(X: Any, categorical: Any, exclude: Any) -> Table:
    """Return a table of an array, of a sparse matrix, or of lists."""
    X = csc_array(X) if issparse(X) else _plain(X)
    _check_shape(X.shape)
    n = X.shape[1]
    chosen = _chosen(categorical, n, None, "categorical_features")
    left_out = _chosen(exclude, n, None, "exclude")
    if issparse(X) or X.dtype.kind in "uif":
        _check_numeric(X.dtype)
        if not chosen.any():
            _refuse_infinite(X)
            return Table(X, np.zeros(n, np.bool_), np.zeros(n, np.bool_))
        dense = X.toarray() if issparse(X) else X
        return _table([_numeric(dense[:, i], bool(chosen[i])) for i in range(n)], None)
    if X.dtype.kind == "b":
        flags = np.ascontiguousarray(X.T).view(np.int8)
        return _table([Feature(x, True, True, (False, True)) for x in flags], None)
    if X.dtype.kind not in "OUST":
        _check_numeric(X.dtype)
    features = [
        read_values([0] * len(X) if left_out[i] else X[:, i].tolist(), label_of(i, None), bool(chosen[i]))
        for i in range(n)
    ]
    return _table(features, None)


def _plain(X: Any) -> NDArray[Any]:
    """Return X as an array of two dimensions, or say what it should have been."""
    try:
        array = plain_array(X)
    except ValueError as error:
        raise ValueError(
            "X must be a table, with the same number of features in every sample: the rows of this list differ."
        ) from error
    if array.ndim != 2:
        first = array.flat[0] if array.size else None
        if array.ndim == 0 or isinstance(first, Mapping) or array.dtype.names:
            raise ValueError(
                f"X must be a table, two-dimensional (n_samples, n_features), got {type(X).__name__}. Reshape your "
                "data: pandas.DataFrame(X) may make a table of it."
            )
        raise ValueError(
            f"X must be two-dimensional (n_samples, n_features), got shape {array.shape}. Reshape your data: a single "
            "feature goes in as x[:, None]."
        )
    return array.astype(np.float64) if array.dtype == np.longdouble else array


def _numeric(x: NDArray[Any], categorical: bool) -> Feature:
    """Return a feature of numbers, each of which is a category of its own where asked."""
    if not categorical:
        return read_numbers(x)
    gone = np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.size, np.bool_)
    codes = np.full(x.size, -1, np.int32)
    present, codes[~gone] = np.unique(x[~gone], return_inverse=True)
    return Feature(codes, True, labels=tuple(present.tolist()))


def _chosen(keys: Any, n: int, names: tuple[str, ...] | None, name: str) -> Bits:
    """Return which features were named."""
    chosen = np.zeros(n, np.bool_)
    if keys is None or (isinstance(keys, str) and keys == "auto"):
        return chosen
    chosen[positions(keys, n, names, name)] = True
    return chosen


def _check_shape(shape: tuple[int, ...]) -> None:
    samples, n = shape
    if samples == 0 or n == 0:
        what = f"{samples} sample(s)" if samples == 0 else f"{n} feature(s)"
        raise ValueError(f"X has {what} (shape={shape}) while a minimum of 1 is required.")


def _check_numeric(dtype: np.dtype[Any]) -> None:
    if dtype.kind == "c":
        raise ValueError("Complex data not supported: split complex numbers into two features.")
    if dtype.kind in "mM":
        raise ValueError(f"X must not hold dates or times, got {dtype}: make numbers of them.")
    if dtype.kind not in "uifb":
        raise ValueError(f"X must hold numbers, text, categories or true and false, got dtype {dtype}.")


def _refuse_infinite(values: Any, names: tuple[str, ...] | None = None, feature: int | None = None) -> None:
    """Raise where the numbers of a table, or of one feature, are infinite."""
    stored = values.data if issparse(values) else values
    with np.errstate(over="ignore", invalid="ignore"):
        # A sum that is finite spares a closer look.
        if values.dtype.kind != "f" or np.isfinite(stored.sum()) or not np.isinf(stored).any():
            return
    where = np.argwhere(np.isinf(values.toarray() if issparse(values) else values))[0]
    label = label_of(int(where[-1]) if feature is None else feature, names)
    raise ValueError(
        f"X must not hold infinities, but {label} is {values[tuple(where)]} at sample {where[0]}: replace infinity "
        "by a large number, or by NaN if it is not known."
    )
