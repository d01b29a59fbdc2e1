"""Cuts: where numbers are cut into bins, made of distinct values and of how often each occurs.

A table in memory, samples with weights, and batches all cut here, so that the same values are cut at the same edges. A
value's bin is the number of edges that are not above it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

EDGES = ("apart", "quantile")
FEW_EDGES = 64  # up to here, comparing with every edge beats a binary search
FILLED = 3  # samples for each bin from which none is empty, if all samples are distinct
GRAIN = 2.0**20  # sums of weights are kept to one part in a million of a sample
LARGEST = 2.0**40  # sums of weights beyond this are scaled down, so that ranks among them are still exact


def check_edges(edges: Any) -> str:
    """Return the rule of the edges, or raise where there is none of this name."""
    if not isinstance(edges, str) or edges not in EDGES:
        raise ValueError(
            f"edges must be 'apart' (a value that fills a bin is a bin of its own) or 'quantile' (the paper's), "
            f"got {edges!r}."
        )
    return edges


def edge_values(values: NDArray[Any], reach: NDArray[Any], bins: int, edges: str) -> Vector:
    """Return where numbers are cut, ascending, without repeats.

    Parameters
    ----------
    values : array
        Ascending numbers.
    reach : array
        How many samples, or what weight, each value and all below it have.
    bins : int
        ``B``, about how many bins there shall be.
    edges : "apart" or "quantile"

    Examples
    --------
    >>> values, reach = np.array([0.0, 1.0, 2.0, 3.0]), np.array([7, 8, 9, 10])
    >>> edge_values(values, reach, 2, "quantile"), edge_values(values, reach, 2, "apart")
    (array([0.]), array([1.]))
    """
    if edges == "quantile":
        return np.unique(quantiles(values, reach, inner_levels(bins)))
    return apart_edges(values, reach, bins)


def apart_edges(values: NDArray[Any], reach: NDArray[Any], bins: int) -> Vector:
    """Return edges between which a frequent value is alone, and the other values are shared out evenly.

    A value of more than ``N / B`` of the ``N`` samples is frequent. The ``m`` samples between two frequent values are
    cut into ``b = max(1, floor(m B / N + 1/2))`` bins: the l-th cut is the first value that has at least ``l m / b`` of
    them below it. An edge is a value that occurs, and never the lowest, so that no bin is empty; numbers that have two
    values have two bins.

    Examples
    --------
    >>> apart_edges(np.array([-1.0, 0.0, 1.0, 2.0]), np.array([1, 7, 8, 9]), 3)
    array([0., 1.])
    """
    total = reach[-1]
    if not total > 0:
        return np.empty(0)
    below = np.concatenate([np.zeros(1, reach.dtype), reach[:-1]])
    frequent = np.flatnonzero((reach - below) * bins > total)
    places = [frequent, frequent + 1]
    firsts, lasts = np.append(0, frequent + 1), np.append(frequent, len(values))
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        if last - first > 1:
            size = reach[last - 1] - below[first]
            # Whole numbers in floats, too, divide without rounding.
            parts = max(1, int((2 * size * bins + total) // (2 * total)))
            wanted = np.arange(1, parts) * size
            places.append(first + np.searchsorted((below[first:last] - below[first]) * parts, wanted))
            # A cut that the last values are too many for does not exist.
            places[-1] = places[-1][places[-1] < last]
    chosen = np.unique(np.concatenate(places))
    chosen = chosen[(chosen > 0) & (chosen < len(values))]
    return values[chosen].astype(np.float64)


def inner_levels(bins: int) -> Vector:
    """Return the levels ``l / B`` of the inner quantiles."""
    levels: Vector = np.arange(1, bins) / bins
    return levels


def quantiles(values: NDArray[Any], reach: NDArray[Any], levels: Vector) -> Vector:
    """Return what ``numpy.quantile`` would if each value were repeated as often as its weight says.

    ``reach`` is the weight of each ascending value and all below it. The value of rank ``r``, from 0, is the
    first that reaches beyond ``r``, so the weights need not be whole. The values may be columns, of the same weights.
    The steps are those of ``numpy.quantile``, and the same floats come out.
    """
    position = (reach[-1] - 1) * levels
    below = np.floor(position)
    a = values[np.searchsorted(reach, below, side="right")]
    b = values[np.searchsorted(reach, np.minimum(below + 1, reach[-1] - 1), side="right")]
    part = (position - below).reshape(-1, *[1] * (values.ndim - 1))
    edges: Vector = np.where(part >= 0.5, b - (b - a) * (1 - part), a + (b - a) * part)
    return edges


def reached(weights: Vector) -> Vector:
    """Return the cumulated weights, in which neither rounding nor the order of equal values shows."""
    total = weights.sum()
    if total > LARGEST:
        # Whole numbers stay whole: a fraction of a sample would move the edge between two values onto one of them.
        weights = np.rint(weights * (LARGEST / total))
    reach: Vector = np.rint(np.cumsum(weights) * GRAIN) / GRAIN
    return reach


def interval_numbers(x: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[Any]:
    """Return the number of edges that are not above each float; of several features, each has edges of its own."""
    if len(edges) > FEW_EDGES:
        return np.searchsorted(edges, x, side="right").astype(np.min_scalar_type(edges.size))
    numbers = np.zeros(x.shape, np.uint8)
    for edge in edges:
        numbers += x >= edge[..., None]
    return numbers


def even_codes(
    block: Sequence[NDArray[Any]], bins: int, edges: str
) -> dict[int, tuple[NDArray[np.uint8], int]]:
    """Return the codes of those features of a block that are floats, all distinct, and how many codes each has.

    They are cut at the same ranks, so they are cut together; the codes are those that each would have alone.

    Examples
    --------
    >>> even_codes([np.array([1.0, 1.0, 2.0, 3.0, 4.0, 5.0]), np.array([1.0, 6.0, 3.0, 5.0, 4.0, 2.0])], 2, "apart")
    {1: (array([0, 1, 0, 1, 1, 0], dtype=uint8), 2)}
    """
    floats = [i for i, x in enumerate(block) if x.dtype.kind == "f"]
    if not floats or block[0].size < FILLED * bins or bins > FEW_EDGES:
        return {}
    x = np.array([block[i] for i in floats], np.float64)
    ordered = np.sort(x, axis=1).T
    ranks = np.arange(1, len(ordered) + 1)
    if edges == "quantile":
        # What overflows is left to those that are cut alone.
        with np.errstate(over="ignore", invalid="ignore"):
            cuts = quantiles(ordered, ranks, inner_levels(bins))
    else:
        cuts = apart_edges(ordered, ranks, bins)
    even = np.flatnonzero((ordered[1:] > ordered[:-1]).all(axis=0) & np.isfinite(cuts).all(axis=0))
    codes = interval_numbers(x[even], cuts[:, even])
    return {floats[i]: (numbers, len(cuts) + 1) for i, numbers in zip(even, codes, strict=True)}
