"""Codes become entropies. :class:`~quboselect.bins.Codes` flow in, bits flow out; I and R are made of them.

Equations 7 and 8 of the paper, the plug-in estimate of mutual information, in their entropy form
``I(x; y) = H(x) + H(y) - H(x, y)``: only ``H(x, y)`` must be counted pair by pair.
"""

import numpy as np
from numpy.typing import NDArray

from ._kernels import counting
from .bins import Codes
from .threads import thread_map

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

PLANES = 128  # bit planes in a block; two blocks, and the counts between them, fit a core's own cache
CHUNK = 1024  # 64-bit words of a plane handled at a time, for the same reason
BLOCK = 64  # features given to a thread at a time when counting sample by sample


def entropies(codes: Codes, *, n_jobs: int | None = -1) -> Vector:
    """Return the entropy of each feature, in bits; exactly 0.0 for a constant one.

    Examples
    --------
    >>> entropies(Codes([[0, 1, 2, 3], [0, 0, 0, 0]], [4, 1])).tolist()
    [2.0, 0.0]
    """
    nothing = Codes(np.zeros((1, codes.n_samples), np.uint8), np.ones(1, np.int64))
    return joint_entropies_with(codes, nothing, n_jobs=n_jobs)


def joint_entropies_with(codes: Codes, label: Codes, *, n_jobs: int | None = -1) -> Vector:
    """Return the joint entropy of each feature with the label, in bits.

    Parameters
    ----------
    codes : Codes
        The features.
    label : Codes
        One feature, over the same samples.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> features = Codes([[0, 1, 0, 1], [0, 0, 1, 1]], [2, 2])
    >>> joint_entropies_with(features, Codes([[0, 0, 1, 1]], [2])).tolist()
    [2.0, 1.0]
    """
    if label.n_samples != codes.n_samples:
        raise ValueError(
            f"X and y must have the same number of samples, got {codes.n_samples} and {label.n_samples}."
        )
    tasks = [(0, block) for block in blocks(np.arange(codes.n_features))]
    return np.concatenate(entropies_by_samples(label, codes, tasks, n_jobs))


def joint_entropies(codes: Codes, *, n_jobs: int | None = -1) -> Matrix:
    """Return the joint entropy of every pair of features, in bits, shape (n_features, n_features).

    Exactly symmetric; the diagonal is each feature's own entropy. Beside the result it needs, for a feature
    of ``B`` codes, ``B - 1`` bits per sample while it runs.

    Parameters
    ----------
    codes : Codes
        The features.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> joint_entropies(Codes([[0, 1, 0, 1], [0, 0, 1, 1]], [2, 2])).tolist()
    [[1.0, 2.0], [2.0, 1.0]]
    """
    alone = entropies(codes, n_jobs=n_jobs)
    # A constant feature adds nothing to the entropy of the other; what is counted below overwrites the rest.
    joint = np.maximum(alone[:, None], alone[None, :])
    live = np.flatnonzero(alone > 0)
    narrow = live[codes.sizes[live] <= counting.NARROW]
    wide = live[codes.sizes[live] > counting.NARROW]

    joint[np.ix_(narrow, narrow)] = entropies_by_planes(codes, narrow, n_jobs)
    # The lower feature is always the rows of the table, so that both routes add up in the same order and the
    # last bit does not tell which was taken.
    tasks = [
        (i, block)
        for i in (live if wide.size else wide)
        for block in blocks(after(i, wide if codes.sizes[i] <= counting.NARROW else live))
    ]
    for (i, block), counted in zip(tasks, entropies_by_samples(codes, codes, tasks, n_jobs), strict=True):
        joint[i, block] = joint[block, i] = counted
    np.fill_diagonal(joint, alone)
    return joint


def mutual_information(first: Vector, second: Vector, joint: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``H(x) + H(y) - H(x, y)`` (Equations 7 and 8), in bits, never negative.

    The arguments broadcast. Exactly 0.0 where ``x`` or ``y`` is constant, whatever was rounded.

    Examples
    --------
    >>> float(mutual_information(np.array(1.0), np.array(1.0), np.array(1.5)))
    0.5
    """
    information: NDArray[np.float64] = np.maximum(first + second - joint, 0.0)
    return np.where((first > 0) & (second > 0), information, 0.0)


def blocks(features: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the features cut into pieces, each the work of one call of a kernel."""
    return [features[i : i + BLOCK] for i in range(0, features.size, BLOCK)]


def after(i: int, features: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return those of the ascending features that come after feature ``i``."""
    return features[np.searchsorted(features, i, side="right") :]


def entropy_terms(n_samples: int) -> Vector:
    """Return ``-(c/N) log2(c/N)`` for ``c = 0 .. N``: what a count of ``c`` adds to an entropy."""
    terms = np.zeros(n_samples + 1)
    share = np.arange(1, n_samples) / n_samples
    terms[1:-1] = -share * np.log2(share)
    return terms


def entropies_by_samples(
    first: Codes, second: Codes, tasks: list[tuple[int, NDArray[np.int64]]], n_jobs: int | None
) -> list[Vector]:
    """Return, for each task (i, features), the joint entropies of i in ``first`` with them in ``second``."""
    terms = entropy_terms(first.n_samples)

    def count(task: tuple[int, NDArray[np.int64]]) -> Vector:
        i, features = task
        counted: Vector = counting.entropies_with(
            first.values[i], first.sizes[i], second.values, second.sizes, features, terms
        )
        return counted

    return thread_map(count, tasks, n_jobs=n_jobs)


def entropies_by_planes(codes: Codes, features: NDArray[np.int64], n_jobs: int | None) -> Matrix:
    """Return the joint entropies among some features, each of few codes, by way of bit planes."""
    starts = np.concatenate([[0], np.cumsum(codes.sizes[features] - 1)])
    n_words = -(-codes.n_samples // 512) * 8  # whole vectors: a ragged end would be counted word by word
    planes = np.zeros((starts[-1], n_words), np.uint64)
    margins = np.zeros(starts[-1], np.int64)
    joint = np.zeros((features.size, features.size))
    chunk = 8 * max(1, -(-n_words // (8 * -(-n_words // CHUNK))))
    terms = entropy_terms(codes.n_samples)

    cuts = [0]
    for i in range(1, features.size + 1):
        if i == features.size or starts[i + 1] - starts[cuts[-1]] > PLANES:
            cuts.append(i)
    spans = [(cuts[k], cuts[k + 1]) for k in range(len(cuts) - 1)]

    def fill(span: tuple[int, int]) -> None:
        counting.fill_planes(codes.values, features, starts, *span, planes, margins)

    def count(tile: tuple[tuple[int, int], tuple[int, int]]) -> None:
        (i0, i1), (j0, j1) = tile
        a, b = planes[starts[i0] : starts[i1]], planes[starts[j0] : starts[j1]]
        common = np.zeros((a.shape[0] + 3, b.shape[0] + 3), np.uint32)
        counting.common_ones(a, b, chunk, common)
        counting.tile_entropies(common, margins, starts, codes.n_samples, i0, i1, j0, j1, terms, joint)

    thread_map(fill, spans, n_jobs=n_jobs)
    thread_map(count, [(a, b) for k, a in enumerate(spans) for b in spans[k:]], n_jobs=n_jobs)
    return joint
