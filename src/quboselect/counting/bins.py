"""Features become small integers. A table flows in, :class:`Codes` flow out; all counting rests on them.

How one feature is cut, ``quantiles.py`` says; here it is done for all of them, and for the target.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._kernels.threads import thread_map
from ..tables.table import Table, as_table
from ..tables.target import Target, as_target
from .quantiles import FEW_EDGES as FEW_EDGES
from .quantiles import MANY as MANY
from .quantiles import category_codes, numeric_codes
from .quantiles import quantiles as quantiles

Vector = NDArray[np.float64]

MOST_CODES = 65536  # what a uint16 can tell apart
BLOCK = 16  # features fetched together: their values of one sample then share a cache line


@dataclass(frozen=True, eq=False)
class Codes:
    """A table of small integers, one row per feature, ready to be counted.

    Parameters
    ----------
    values : array of shape (n_features, n_samples)
        Codes ``0 .. sizes[i] - 1`` in row ``i``; kept C-contiguous and read-only, as ``uint8``, or as
        ``uint16`` when some feature has more than 256 codes.
    sizes : array of shape (n_features,)
        The number of codes of each feature; a constant feature has one.
    weights : array of shape (n_samples,), optional
        How much each sample counts, positive; None is one each. A weight of two is the sample standing there
        twice.

    Examples
    --------
    >>> codes = Codes([[0, 1, 1], [2, 0, 1]], [2, 3])
    >>> codes.n_features, codes.n_samples, codes.values.dtype
    (2, 3, dtype('uint8'))
    """

    values: NDArray[Any]
    sizes: NDArray[np.int64]
    weights: Vector | None = None

    def __post_init__(self) -> None:
        values = np.asarray(self.values)
        sizes = np.asarray(self.sizes)
        if values.ndim != 2 or values.dtype.kind not in "ui" or values.size == 0:
            raise ValueError(
                "values must be a non-empty table of integers of shape (n_features, n_samples), "
                f"got shape {values.shape} of {values.dtype}."
            )
        if sizes.shape != values.shape[:1] or sizes.dtype.kind not in "ui":
            raise ValueError(
                f"sizes must be {values.shape[0]} integers, one for each feature, "
                f"got shape {sizes.shape} of {sizes.dtype}."
            )
        if sizes.max() > MOST_CODES:
            raise ValueError(
                f"a feature may have at most {MOST_CODES} codes, feature {sizes.argmax()} has {sizes.max()}: "
                "use fewer bins."
            )
        wrong = (values.max(axis=1) >= sizes) | (values.min(axis=1) < 0)
        if wrong.any():
            i = int(wrong.argmax())
            raise ValueError(
                f"codes must lie from 0 to the feature's size minus one; feature {i} has size {sizes[i]} "
                f"and codes from {values[i].min()} to {values[i].max()}."
            )
        dtype = np.uint8 if sizes.max() <= 256 else np.uint16
        object.__setattr__(self, "values", read_only(values, dtype))
        object.__setattr__(self, "sizes", read_only(sizes, np.int64))
        object.__setattr__(self, "weights", positive(self.weights, values.shape[1]))

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self.values.shape[0])

    @property
    def n_samples(self) -> int:
        """The number of samples."""
        return int(self.values.shape[1])

    @property
    def total(self) -> float:
        """The number of samples that the weights add up to."""
        return float(self.n_samples if self.weights is None else self.weights.sum())

    def take(self, rows: ArrayLike) -> "Codes":
        """Return some samples by their indices, repeats allowed, with the codes and weights they have here.

        Examples
        --------
        >>> Codes([[0, 1, 2]], [3]).take([2, 2, 0]).values
        array([[2, 2, 0]], dtype=uint8)
        """
        index = np.asarray(rows)
        if index.ndim != 1 or index.dtype.kind not in "ui":
            raise ValueError(f"rows must be indices of samples, got shape {index.shape} of {index.dtype}.")
        weights = None if self.weights is None else self.weights[index]
        return Codes(np.take(self.values, index, axis=1), self.sizes, weights)


def quantile_codes(X: ArrayLike | Table | Codes, *, bins: int = 20, n_jobs: int | None = -1) -> Codes:
    """Return each feature cut at its quantiles into at most ``bins`` codes (Section 2.1).

    The inner edges are the quantiles ``l / B`` for ``l = 1 .. B - 1``, as ``numpy.quantile`` interpolates
    them in double precision, each sample standing there as often as its weight says; a value's code is the
    number of edges not above it. Codes that never occur (tied values make edges coincide) are left out of the
    numbering, so that a constant feature has exactly one code. Categories are one code for each value that
    occurs. Missing values, where there are any, are one more code, the last.

    Parameters
    ----------
    X : array of shape (n_samples, n_features), any frame, Table, or Codes
        Codes are returned as they are. A Table is binned once for each number of bins.
    bins : int
        ``B``, from 2 to 65536.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> quantile_codes([[1.0], [2.0], [3.0], [4.0]], bins=2).values
    array([[0, 0, 1, 1]], dtype=uint8)
    """
    if isinstance(X, Codes):
        return X
    levels = inner_levels(bins)
    table = as_table(X)
    if ("codes", bins) not in table.memo:
        table.memo["codes", bins] = binned(table, levels, n_jobs)
    codes: Codes = table.memo["codes", bins]
    return codes


def label_codes(y: ArrayLike | Target | Codes, *, bins: int = 20, weights: ArrayLike | None = None) -> Codes:
    """Return a target as the codes of one feature: classes in sorted order, numbers cut as features are.

    Parameters
    ----------
    y : array of shape (n_samples,), Target, or Codes of one feature
        Labels of any kind that can be sorted, or the numbers of a continuous target. Codes stay as they are.
    bins : int
        The codes of a continuous target, from 2 to 65536.
    weights : array of shape (n_samples,), optional
        How much each sample counts, positive. The codes carry them; those of Codes are replaced by them.

    Examples
    --------
    >>> label_codes(["spam", "ham", "spam"]).values
    array([[1, 0, 1]], dtype=uint8)
    >>> label_codes([0.5, 0.25, 0.75, 1.5], bins=2).values
    array([[0, 0, 1, 1]], dtype=uint8)
    """
    if isinstance(y, Codes):
        if y.n_features != 1:
            raise ValueError(f"the codes of y must hold one feature, got {y.n_features}.")
        return y if weights is None else Codes(y.values, y.sizes, positive(weights, y.n_samples))
    target = as_target(y)
    counted = positive(weights, target.values.size)
    if target.continuous:
        codes, size = numeric_codes(target.values, inner_levels(bins), counted)
    else:
        distinct, codes = np.unique(target.values, return_inverse=True)
        size = distinct.size
    if size > MOST_CODES:
        raise ValueError(
            f"y has {size} distinct labels, at most {MOST_CODES} can be counted: take it as a continuous target, "
            "or group its rare labels."
        )
    return Codes(codes[None, :], np.array([size]), counted)


def read_only(array: NDArray[Any], dtype: type[np.generic]) -> NDArray[Any]:
    """Return a C-contiguous view or copy of this dtype, closed to writing; the caller's own stays open."""
    result = np.ascontiguousarray(array, dtype=dtype).view()
    result.flags.writeable = False
    return result


def positive(weights: ArrayLike | None, n_samples: int) -> Vector | None:
    """Return the weights of the samples as read-only floats, or say why they cannot be."""
    if weights is None:
        return None
    array = np.asarray(weights)
    if array.shape != (n_samples,) or array.dtype.kind not in "uif":
        raise ValueError(
            f"weights must be {n_samples} numbers, one for each sample, got shape {array.shape} of {array.dtype}."
        )
    wrong = ~(np.isfinite(array) & (array > 0))
    if wrong.any():
        i = int(wrong.argmax())
        raise ValueError(
            f"weights must be finite and positive, but that of sample {i} is {array[i]}: leave the sample out."
        )
    return read_only(array, np.float64)


def inner_levels(bins: int) -> Vector:
    """Return the levels ``l / B`` of the inner edges."""
    if not isinstance(bins, int | np.integer) or isinstance(bins, bool) or not 2 <= bins <= MOST_CODES:
        raise ValueError(f"bins must be an integer from 2 to {MOST_CODES}, got {bins!r}.")
    levels: Vector = np.arange(1, bins) / bins
    return levels


def binned(table: Table, levels: Vector, n_jobs: int | None) -> Codes:
    """Return the codes of every feature of a table."""
    values = np.empty((table.n_features, table.n_samples), np.uint8)
    sizes = np.empty(table.n_features, np.int64)
    wide: dict[int, NDArray[Any]] = {}

    def fill(first: int) -> None:
        block = table.block(first, min(first + BLOCK, table.n_features))
        for i, x in enumerate(block, start=first):
            categorical = bool(table.categorical[i])
            codes, size = category_codes(x) if categorical else numeric_codes(x, levels, table.weights)
            if size > MOST_CODES:
                remedy = "exclude it, or group its rare values" if categorical else "use fewer bins"
                raise ValueError(
                    f"{table.label(i)} has {size} codes, at most {MOST_CODES} can be counted: {remedy}."
                )
            sizes[i] = size
            if size <= 256:
                values[i] = codes
            else:
                wide[i] = codes

    thread_map(fill, range(0, table.n_features, BLOCK), n_jobs=n_jobs)
    if wide:
        values = values.astype(np.uint16)
        for i, codes in wide.items():
            values[i] = codes
    return Codes(values, sizes, table.weights)
