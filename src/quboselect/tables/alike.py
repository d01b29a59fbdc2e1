"""Columns that have the same bits: found by hashes of some rows, then looked at whole."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.bool_]

WHOLE = 2**16  # values that are looked at at a time


def alike_columns(
    source: NDArray[Any], kept: NDArray[np.intp] | None, some: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return for each column of an array the first one that has the same bits, itself if there is none before it.

    Only columns that are alike at some of the samples that are kept are looked at whole.
    """
    bits = source.view(f"u{source.dtype.itemsize}")
    rows, every = np.arange(len(source)) if kept is None else kept, np.arange(source.shape[1])
    leader = first_alike(hashes(bits, rows[some], every))
    (later,) = np.nonzero(leader < every)
    apart = later[differing(bits, rows, later, leader[later])]
    if apart.size:
        # What differs from the first may be like another one.
        leader[apart] = apart[first_alike(hashes(bits, rows, apart))]
        wrong = apart[differing(bits, rows, apart, leader[apart])]
        leader[wrong] = wrong
    return leader


def first_alike(hashes: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return for each hash the place of the first that is equal."""
    _, firsts, at = np.unique(hashes, return_index=True, return_inverse=True)
    return np.asarray(firsts[at])


def hashes(bits: NDArray[Any], rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.uint64]:
    """Return a number for each of some columns, which is the same where they have the same bits in some rows."""
    odd = np.random.default_rng(0).integers(0, 2**63, (rows.size, 1), np.uint64) * np.uint64(2) + np.uint64(1)
    sums, step = np.zeros(columns.size, np.uint64), max(1, WHOLE // columns.size)
    for start in range(0, rows.size, step):
        part = bits[rows[start : start + step]][:, columns].astype(np.uint64)
        # Many floats end in zeros, which a product keeps.
        part ^= part >> np.uint64(32)
        part ^= part >> np.uint64(16)
        part *= odd[start : start + step]
        sums += part.sum(axis=0)
    return sums


def differing(
    bits: NDArray[Any], rows: NDArray[np.intp], one: NDArray[np.intp], other: NDArray[np.intp]
) -> Bits:
    """Return which of some columns have other bits in some rows than other columns have."""
    differs, step = np.zeros(one.size, np.bool_), max(1, WHOLE // max(1, one.size))
    for start in range(0, rows.size, step):
        part = np.ascontiguousarray(bits[rows[start : start + step]].T)
        differs |= (part[one] != part[other]).any(axis=1)
    return differs
