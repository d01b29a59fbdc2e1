"""One feature becomes small integers. Its values and the weights of the samples flow in, codes flow out to bins.

Section 2.1 of the paper cuts a feature at its quantiles. The published results use the levels ``l / B`` (the text
says ``l / (B + 1)``) and half-open bins ``[q_(l-1), q_l)``; so does this module. A missing value is a code of its
own, after all others.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Coded = tuple[NDArray[Any], int]  # the codes of the samples, and how many codes there are

MANY = 65536  # integers that lie further apart are sorted, not counted
FEW_EDGES = 64  # up to here, comparing with every edge beats a binary search
GRAIN = 2.0**20  # the sums of weights are kept to one part in a million of a sample


def numeric_codes(x: NDArray[Any], levels: Vector, weights: Vector | None = None) -> Coded:
    """Return the codes of numbers, cut at the quantiles of those that are not NaN, and how many there are.

    Examples
    --------
    >>> numeric_codes(np.array([1.0, np.nan, 2.0, 3.0]), np.array([0.5]))
    (array([0, 2, 1, 1], dtype=uint8), 3)
    """
    if x.dtype.kind in "ui":
        low = int(x.min())
        spread = int(x.max()) - low
        if spread < max(256, min(x.size, MANY)):
            return codes_by_histogram(x, low, spread, levels, weights)
        if max(abs(low), abs(low + spread)) >= 2**53:
            # Floats tell such integers apart no more, but only their distances matter.
            x = x - x.dtype.type(low) if x.dtype.kind == "u" else (x.astype(object) - low)
    # Differences of large integers overflow inside numpy.quantile.
    x = x.astype(np.float64, copy=False)
    missing = np.isnan(x)
    if not missing.any():
        return codes_by_edges(x, levels, weights)
    if missing.all():
        return np.zeros(x.size, np.uint8), 1
    present = ~missing
    some, size = codes_by_edges(x[present], levels, None if weights is None else _scaled(weights[present]))
    codes = np.full(x.size, size, np.min_scalar_type(size))
    codes[present] = some
    return codes, size + 1


def category_codes(x: NDArray[Any]) -> Coded:
    """Return the codes of categories, numbered without gaps and -1 last, and how many there are.

    Examples
    --------
    >>> category_codes(np.array([4, 0, -1, 4]))
    (array([1, 0, 2, 1], dtype=uint8), 3)
    """
    x = x.astype(np.intp, copy=False)
    occurs = np.bincount(x + 1) > 0
    size = int(occurs.sum())
    number = np.cumsum(occurs[1:])
    # Minus one, a missing value, looks up the last entry.
    number = np.append(number - 1, number[-1:] if number.size else 0)
    return number.astype(np.min_scalar_type(size))[x], size


def _scaled(weights: Vector) -> Vector:
    """Return the weights of the samples that are present, with an average of one unless they count samples."""
    whole = (weights == np.floor(weights)).all()
    scaled: Vector = weights if whole else weights / weights.mean()
    return scaled


def codes_by_edges(x: NDArray[np.float64], levels: Vector, weights: Vector | None) -> Coded:
    """Return the codes of finite floats: how many edges are not above each."""
    if weights is None:
        edges = np.unique(np.quantile(x, levels))
    else:
        order = np.argsort(x)
        edges = np.unique(quantiles(x[order], reached(weights[order]), levels))
    if edges.size <= FEW_EDGES:
        codes = np.zeros(x.size, np.uint8)
        for edge in edges:
            codes += x >= edge
    else:
        codes = np.searchsorted(edges, x, side="right").astype(np.min_scalar_type(edges.size))
    occurs = np.bincount(codes, minlength=edges.size + 1) > 0
    if not occurs.all():
        codes = (np.cumsum(occurs) - 1).astype(codes.dtype)[codes]
    return codes, int(occurs.sum())


def codes_by_histogram(
    x: NDArray[Any], low: int, spread: int, levels: Vector, weights: Vector | None
) -> Coded:
    """Return the codes of integers from ``low`` to ``low + spread``; each value is coded once."""
    # Unsigned numbers may be too large for int64, signed ones too far apart for their own type.
    index = x - x.dtype.type(low) if x.dtype.kind == "u" else x.astype(np.int64) - low
    index = index if index.dtype == np.uint8 else index.astype(np.int64)
    counts: NDArray[Any] = np.bincount(index, weights, minlength=spread + 1)
    # Beyond 2^53 floats tell neighbouring integers apart no more; their distances they still do.
    low = low if abs(low) + spread < 2**53 else 0
    values = np.arange(low, low + spread + 1)
    edges = quantiles(values, np.cumsum(counts) if weights is None else reached(counts), levels)

    code = np.searchsorted(edges, values, side="right")
    code = np.unique(code[counts > 0], return_inverse=True)[1][np.cumsum(counts > 0) - 1]
    size = int(code[-1]) + 1
    return np.take(code.astype(np.min_scalar_type(size)), index, mode="clip"), size


def quantiles(values: NDArray[Any], reach: NDArray[Any], levels: Vector) -> Vector:
    """Return what ``numpy.quantile`` would if each value stood there as often as its weight says.

    ``reach`` is the weight of each ascending value and all below it. The value of rank ``r``, from 0, is the
    first that reaches beyond ``r``, so the weights need not be whole. The steps are those of ``numpy.quantile``,
    and the same floats come out.
    """
    position = (reach[-1] - 1) * levels
    below = np.floor(position)
    a = values[np.searchsorted(reach, below, side="right")]
    b = values[np.searchsorted(reach, np.minimum(below + 1, reach[-1] - 1), side="right")]
    part = position - below
    edges: Vector = np.where(part >= 0.5, b - (b - a) * (1 - part), a + (b - a) * part)
    return edges


def reached(weights: Vector) -> Vector:
    """Return the cumulated weights, in which neither rounding nor the order of equal values shows."""
    reach: Vector = np.rint(np.cumsum(weights) * GRAIN) / GRAIN
    return reach
