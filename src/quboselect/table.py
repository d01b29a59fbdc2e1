"""Table: any table, read once. Arrays, frames and weights flow in; features, one by one, flow out to be binned.

Samples of no weight are left out here, infinities are refused here, and text has become codes here: nobody further
down looks at a table again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array, issparse

from .frames import (
    Feature,
    as_frame,
    frame_names,
    is_frame,
    is_missing,
    plain_array,
    read_feature,
    read_numbers,
    read_values,
)
from .names import label_of, positions
from .qubo import Bits, Vector


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
    weights : array of shape (n_samples,), optional
        Positive; None is one each.
    rows : int array, optional
        The samples of the source that the table consists of; None is all of them.
    memo : dict
        What was made of the table before, so that two measures do not both bin it.
    """

    source: Any
    categorical: Bits
    boolean: Bits
    names: tuple[str, ...] | None = None
    weights: Vector | None = None
    rows: NDArray[np.intp] | None = None
    memo: dict[Any, Any] = field(default_factory=dict)

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
        memo = {key: made.take(rows) for key, made in self.memo.items() if hasattr(made, "take")}
        weights = None if self.weights is None else self.weights[rows]
        kept = rows if self.rows is None else self.rows[rows]
        return Table(self.source, self.categorical, self.boolean, self.names, weights, kept, memo)

    def shuffled(self, seed: int) -> "Table":
        """Return a table in which each feature is shuffled by itself, so that none says anything of another."""
        rng = np.random.default_rng(seed)
        features = []
        for i in range(self.n_features):
            (x,) = self.block(i, i + 1)
            features.append(rng.permutation(x))
        return Table(tuple(features), self.categorical, self.boolean, self.names, self.weights)


def as_table(X: Any, *, categorical: Any = "auto", sample_weight: ArrayLike | None = None) -> Table:
    """Return any table, read and checked; a `Table` is returned as it is.

    Parameters
    ----------
    X : array, pandas or polars frame, Arrow table, or sparse matrix, of shape (n_samples, n)
        Numbers, text, categories, true and false. Missing values (NaN, None, NA) are welcome, infinities are not.
    categorical : "auto", or names, indices or a bool array of features
        Features to take as categories even if they are numbers. Text always is.
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
        return X
    read = _frame(X, categorical) if is_frame(X) else _array(X, categorical)
    weights = as_weights(sample_weight, read.n_samples)
    if weights is None:
        return read
    rows = np.flatnonzero(weights) if not weights.all() else None
    weights = weights if rows is None else weights[rows]
    counted = None if (weights == 1.0).all() else weights
    return Table(read.source, read.categorical, read.boolean, read.names, counted, rows)


def as_weights(sample_weight: ArrayLike | None, n_samples: int) -> Vector | None:
    """Return weights as the library counts them, zeros included; None where there are none."""
    if sample_weight is None:
        return None
    try:
        weights = plain_array(sample_weight).astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must be numbers, one for each sample ({error}).") from error
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must be {n_samples} numbers, one for each sample, got shape {weights.shape}."
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        i = int((~(np.isfinite(weights) & (weights >= 0))).argmax())
        raise ValueError(f"sample_weight must be finite and not negative, but sample {i} has {weights[i]}.")
    if not weights.any():
        raise ValueError("sample_weight must not be zero for every sample: nothing would be left to count.")
    if (weights == np.floor(weights)).all():
        return weights
    some = weights[weights > 0]
    if (some == some[0]).all():
        return np.where(weights > 0, 1.0, 0.0)
    scaled: Vector = weights / some.mean()
    return scaled


def _table(features: Sequence[Feature], names: tuple[str, ...] | None) -> Table:
    """Return features that were read one by one as a table."""
    for i, feature in enumerate(features):
        _refuse_infinite(feature.values, names, i)
    return Table(
        tuple(np.ascontiguousarray(feature.values) for feature in features),
        np.array([feature.categorical for feature in features]),
        np.array([feature.boolean for feature in features]),
        names,
    )


def _frame(X: Any, categorical: Any) -> Table:
    frame = as_frame(X)
    names = frame_names(frame)
    _check_shape(frame.shape)
    chosen = _chosen(categorical, frame.shape[1], names)
    features = [read_feature(frame[:, i], label_of(i, names), bool(chosen[i])) for i in range(frame.shape[1])]
    return _table(features, names)


def _array(X: Any, categorical: Any) -> Table:
    """Return a table of an array, of a sparse matrix, or of lists."""
    X = csc_array(X) if issparse(X) else _plain(X)
    if X.ndim != 2:
        raise ValueError(
            f"X must be two-dimensional (n_samples, n_features), got shape {X.shape}. Reshape your data: a single "
            "feature goes in as x[:, None]."
        )
    _check_shape(X.shape)
    n = X.shape[1]
    chosen = _chosen(categorical, n, None)
    if issparse(X) or X.dtype.kind in "uif":
        _check_numeric(X.dtype)
        if not chosen.any():
            _refuse_infinite(X)
            return Table(X, np.zeros(n, np.bool_), np.zeros(n, np.bool_))
        dense = X.toarray() if issparse(X) else X
        return _table([_numeric(dense[:, i], bool(chosen[i])) for i in range(n)], None)
    if X.dtype.kind == "b":
        return _table([Feature(x.view(np.int8), True, True) for x in np.ascontiguousarray(X.T)], None)
    if X.dtype.kind not in "OUST":
        _check_numeric(X.dtype)
    features = []
    for i in range(n):
        values = X[:, i].tolist()
        gone = [is_missing(value) for value in values]
        features.append(read_values(values, gone, label_of(i, None), bool(chosen[i])))
    return _table(features, None)


def _plain(X: Any) -> NDArray[Any]:
    """Return X as an array, or say what it should have been."""
    if isinstance(X, np.ma.MaskedArray):
        filled: NDArray[Any] = np.ma.filled(X.astype(np.float64), np.nan)
        return filled
    try:
        array = np.asarray(X)
        # NumPy would make text of the numbers in a list that also holds text.
        return np.asarray(X, dtype=object) if array.dtype.kind in "US" and not hasattr(X, "dtype") else array
    except ValueError as error:
        raise ValueError(
            "X must be a table, with the same number of features in every sample: the rows of this list differ."
        ) from error


def _numeric(x: NDArray[Any], categorical: bool) -> Feature:
    """Return a feature of numbers, each of which is a category of its own where asked."""
    if not categorical:
        return read_numbers(x)
    gone = np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.size, np.bool_)
    codes = np.full(x.size, -1, np.int32)
    codes[~gone] = np.unique(x[~gone], return_inverse=True)[1]
    return Feature(codes, True)


def _chosen(categorical: Any, n: int, names: tuple[str, ...] | None) -> Bits:
    """Return which features were asked to be categories."""
    chosen = np.zeros(n, np.bool_)
    if categorical is None or (isinstance(categorical, str) and categorical == "auto"):
        return chosen
    chosen[positions(categorical, n, names, "categorical_features")] = True
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
