"""Features become small integers. A table flows in, :class:`Codes` flow out; all counting rests on them.

Section 2.1 of the paper cuts each feature at its quantiles. The published results use the levels ``l / B``
(the text says ``l / (B + 1)``) and half-open bins ``[q_(l-1), q_l)``; so does this module.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .threads import thread_map

MOST_CODES = 65536  # what a uint16 can tell apart
BLOCK = 16  # features fetched together: their values of one sample then share a cache line
FEW_EDGES = 64  # up to here, comparing with every edge beats a binary search


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

    Examples
    --------
    >>> codes = Codes([[0, 1, 1], [2, 0, 1]], [2, 3])
    >>> codes.n_features, codes.n_samples, codes.values.dtype
    (2, 3, dtype('uint8'))
    """

    values: NDArray[Any]
    sizes: NDArray[np.int64]

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

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self.values.shape[0])

    @property
    def n_samples(self) -> int:
        """The number of samples."""
        return int(self.values.shape[1])


def quantile_codes(X: ArrayLike | Codes, *, bins: int = 20, n_jobs: int | None = -1) -> Codes:
    """Return each feature cut at its quantiles into at most ``bins`` codes (Section 2.1).

    The inner edges are the quantiles ``l / B`` for ``l = 1 .. B - 1``, as ``numpy.quantile`` interpolates
    them in double precision; a value's code is the number of edges not above it. Codes that never occur
    (tied values make edges coincide) are left out of the numbering, so that a constant feature has exactly
    one code.

    Parameters
    ----------
    X : array of shape (n_samples, n_features), or Codes
        Finite numbers. Codes are returned as they are.
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
    if not isinstance(bins, int | np.integer) or isinstance(bins, bool) or not 2 <= bins <= MOST_CODES:
        raise ValueError(f"bins must be an integer from 2 to {MOST_CODES}, got {bins!r}.")
    table = numbers(X)
    n_samples, n_features = table.shape
    values = np.empty((n_features, n_samples), np.uint8 if bins <= 256 else np.uint16)
    sizes = np.empty(n_features, np.int64)
    levels = np.arange(1, bins) / bins

    def fill(first: int) -> None:
        block = np.ascontiguousarray(table[:, first : first + BLOCK].T)
        if block.dtype.kind == "f":
            block = block.astype(np.float64, copy=False)
            refuse_non_finite(block, first)
        for i, x in enumerate(block, start=first):
            sizes[i] = fill_codes(x, levels, values[i])

    thread_map(fill, range(0, n_features, BLOCK), n_jobs=n_jobs)
    return Codes(values, sizes)


def label_codes(y: ArrayLike | Codes) -> Codes:
    """Return class labels as the codes of one feature, numbered in sorted order.

    Parameters
    ----------
    y : array of shape (n_samples,), or Codes of one feature
        Labels of any kind that can be sorted: numbers, strings, booleans. Codes are returned as they are.

    Examples
    --------
    >>> label_codes(["spam", "ham", "spam"]).values
    array([[1, 0, 1]], dtype=uint8)
    """
    if isinstance(y, Codes):
        if y.n_features != 1:
            raise ValueError(f"the codes of y must hold one feature, got {y.n_features}.")
        return y
    labels = np.asarray(y)
    if labels.ndim != 1 or labels.size == 0:
        raise ValueError(
            f"y must be a non-empty one-dimensional array of labels, got shape {labels.shape}: "
            "pass one label for each sample."
        )
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        i = int((~np.isfinite(labels)).argmax())
        raise ValueError(f"y must hold a label for every sample, but sample {i} is {labels[i]}: drop it.")
    try:
        distinct, inverse = np.unique(labels, return_inverse=True)
    except TypeError as error:
        raise ValueError(
            f"the labels in y must be of one kind that can be sorted ({error}): make them all strings."
        ) from error
    if distinct.size > MOST_CODES:
        raise ValueError(
            f"y has {distinct.size} distinct labels, at most {MOST_CODES} can be counted: "
            "bin a continuous y first, for instance with quantile_codes(y[:, None])."
        )
    return Codes(inverse[None, :], np.array([distinct.size]))


def read_only(array: NDArray[Any], dtype: type[np.generic]) -> NDArray[Any]:
    """Return a C-contiguous view or copy of this dtype, closed to writing; the caller's own stays open."""
    result = np.ascontiguousarray(array, dtype=dtype).view()
    result.flags.writeable = False
    return result


def numbers(X: ArrayLike) -> NDArray[Any]:
    """Return X as a two-dimensional array of integers or floats, or say why it cannot be."""
    table = np.asarray(X)
    if table.ndim != 2:
        raise ValueError(
            f"X must be two-dimensional (n_samples, n_features), got shape {table.shape}: "
            "a single feature goes in as x[:, None]."
        )
    if table.size == 0:
        raise ValueError(f"X must have at least one sample and one feature, got shape {table.shape}.")
    if table.dtype.kind == "b":
        return table.view(np.uint8)
    if table.dtype.kind in "uif":
        return table
    if table.dtype.kind != "O":
        raise ValueError(
            f"X must hold real numbers, got dtype {table.dtype}: encode categories as integers first."
        )
    try:
        return table.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"X must hold real numbers ({error}): encode categories as integers first."
        ) from error


def refuse_non_finite(block: NDArray[Any], first: int) -> None:
    """Raise where a block of features, the first of them number ``first``, holds NaN or infinity."""
    if np.isfinite(block).all():
        return
    i, sample = np.argwhere(~np.isfinite(block))[0]
    raise ValueError(
        f"X must be finite, but feature {first + i} is {block[i, sample]} at sample {sample}: "
        "impute or drop missing values first."
    )


def fill_codes(x: NDArray[Any], levels: NDArray[np.float64], out: NDArray[Any]) -> int:
    """Write the codes of one feature into ``out`` and return how many there are."""
    if x.dtype.kind in "ui":
        low = int(x.min())
        spread = int(x.max()) - low
        if spread < max(256, min(x.size, MOST_CODES)):
            return fill_codes_by_histogram(x, low, spread, levels, out)
        # Differences of large integers overflow inside numpy.quantile.
        x = x.astype(np.float64)
    edges = np.unique(np.quantile(x, levels))
    if edges.size <= FEW_EDGES:
        out[:] = 0
        for edge in edges:
            out += x >= edge
    else:
        out[:] = np.searchsorted(edges, x, side="right")
    occurs = np.bincount(out, minlength=edges.size + 1) > 0
    if not occurs.all():
        out[:] = (np.cumsum(occurs) - 1).astype(out.dtype)[out]
    return int(occurs.sum())


def fill_codes_by_histogram(
    x: NDArray[Any], low: int, spread: int, levels: NDArray[np.float64], out: NDArray[Any]
) -> int:
    """Write the codes of an integer feature with values ``low .. low + spread``; each value is coded once."""
    # Unsigned numbers may be too large for int64, signed ones too far apart for their own type.
    index = x - x.dtype.type(low) if x.dtype.kind == "u" else x.astype(np.int64) - low
    index = index if index.dtype == np.uint8 else index.astype(np.int64)
    counts = np.bincount(index, minlength=spread + 1)
    # Beyond 2^53 floats tell neighbouring integers apart no more; their distances they still do.
    low = low if abs(low) + spread < 2**53 else 0
    # The steps of numpy.quantile, on order statistics read off the histogram; the same floats come out.
    position = (x.size - 1) * levels
    below = np.floor(position)
    rank = np.cumsum(counts)
    a = np.searchsorted(rank, below, side="right") + low
    b = np.searchsorted(rank, np.minimum(below + 1, x.size - 1), side="right") + low
    part = position - below
    edges = np.where(part >= 0.5, b - (b - a) * (1 - part), a + (b - a) * part)

    code = np.searchsorted(edges, np.arange(low, low + spread + 1), side="right")
    code = np.unique(code[counts > 0], return_inverse=True)[1][np.cumsum(counts > 0) - 1]
    np.take(code.astype(out.dtype), index, out=out, mode="clip")
    return int(code[-1]) + 1
