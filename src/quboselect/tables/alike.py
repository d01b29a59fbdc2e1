"""Columns that have the same bits: found by hashes of some rows, then looked at whole."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.bool_]
Indices = NDArray[np.intp]

WHOLE = 2**16  # values that are looked at at a time


def alike_columns(
    source: NDArray[Any], kept: NDArray[np.intp] | None, some: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return for each column of an array the first one that has the same bits, itself if there is none before it.

    Only columns that are alike at some of the samples that are kept are looked at whole.
    """
    bits = source.view(f"u{source.dtype.itemsize}")
    rows, every = np.arange(len(source)) if kept is None else kept, np.arange(source.shape[1])
    leader = first_alike(hashes(bits[rows[some]]))
    apart = np.flatnonzero(differing(bits, kept, every, leader))
    if apart.size:
        # What differs from the first may be like another one.
        leader[apart] = apart[first_alike(hashes(bits[np.ix_(rows, apart)]))]
        wrong = apart[differing(bits, kept, apart, leader[apart])]
        leader[wrong] = wrong
    return leader


def first_alike(hashes: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return for each hash the place of the first that is equal."""
    _, firsts, at = np.unique(hashes, return_index=True, return_inverse=True)
    return np.asarray(firsts[at])


def hashes(bits: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a number for each column, which is the same where they have the same bits."""
    odd = np.random.default_rng(0).integers(0, 2**63, len(bits), np.uint64) * np.uint64(2) + np.uint64(1)
    sums = np.zeros(bits.shape[1], np.uint64)
    for some in blocks(*bits.shape):
        part = bits[some].astype(np.uint64, copy=False)
        # Many floats end in zeros, which a product keeps.
        sums += odd[some] @ (part ^ (part >> np.uint64(32)))
    return sums


def differing(
    bits: NDArray[Any], kept: NDArray[np.intp] | None, one: NDArray[np.intp], other: NDArray[np.intp]
) -> Bits:
    """Return which of some columns have other bits than other columns have, in the rows that are kept."""
    differs, whole = np.zeros(one.size, np.bool_), one.size == bits.shape[1]
    if bits.flags.f_contiguous:
        columns = bits.T if kept is None else bits.T[:, kept]
        for some in blocks(one.size, len(bits)):
            part = columns[some] if whole else columns[one[some]]
            differs[some] = (part != columns[other[some]]).any(axis=1)
        return differs
    for some in blocks(len(bits) if kept is None else len(kept), bits.shape[1]):
        part = bits[some] if kept is None else bits[kept[some]]
        differs |= ((part if whole else part.take(one, axis=1)) != part.take(other, axis=1)).any(axis=0)
    return differs


def blocks(number: int, size: int) -> list[slice]:
    """Return slices of so many rows, or columns, of a size, which stay in a core's cache."""
    step = max(1, WHOLE // max(1, size))
    return [slice(first, first + step) for first in range(0, number, step)]


def numbers_used(values: Indices) -> tuple[Indices, Indices, Indices]:
    """Return what ``np.unique`` does with the first places and the inverse, of numbers from 0 that are not large.

    Examples
    --------
    >>> numbers_used(np.array([3, 0, 3]))
    (array([0, 3]), array([1, 0]), array([1, 0, 1]))
    """
    first = np.full(int(values.max(initial=-1)) + 1, -1)
    # Of several that go to one place, the last stays.
    first[values[::-1]] = np.arange(values.size)[::-1]
    used = first >= 0
    return np.flatnonzero(used), first[used], (np.cumsum(used) - 1)[values]
