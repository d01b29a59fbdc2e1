"""Codes become entropies. :class:`~quboselect.counting.bins.Codes` flow in, bits flow out; I and R are made of them.

Equations 7 and 8 of the paper, the plug-in estimate of mutual information, in their entropy form
``I(x; y) = H(x) + H(y) - H(x, y)``: only ``H(x, y)`` must be counted pair by pair. ``corrected`` adds to each
entropy what Miller and Madow found missing on average, ``(occupied cells - 1) / (2 N ln 2)`` bits. Samples count
as much as the weights of the codes say.
"""

from dataclasses import replace
from math import frexp, log

import numpy as np
from numpy.typing import NDArray

from .._kernels import counting
from .._kernels.threads import thread_map
from . import gpu
from .bins import Codes
from .bit_planes import Counts, each_tile

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

BLOCK = 64  # features given to a thread at a time when counting sample by sample
REPEATS = (
    2  # whole weights up to this on average are written out as repeated samples: those are counted faster
)


def entropies(codes: Codes, *, corrected: bool = False, n_jobs: int | None = -1) -> Vector:
    """Return the entropy of each feature, in bits; exactly 0.0 for a constant one.

    Parameters
    ----------
    codes : Codes
        The features.
    corrected : bool
        Whether to add the correction of Miller and Madow.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> entropies(Codes([[0, 1, 2, 3], [0, 0, 0, 0]], [4, 1])).tolist()
    [2.0, 0.0]
    """
    nothing = Codes(np.zeros((1, codes.n_samples), np.uint8), np.ones(1, np.int64))
    return joint_entropies_with(codes, nothing, corrected=corrected, n_jobs=n_jobs)


def joint_entropies_with(
    codes: Codes, label: Codes, *, corrected: bool = False, n_jobs: int | None = -1
) -> Vector:
    """Return the joint entropy of each feature with the label, in bits.

    Parameters
    ----------
    codes : Codes
        The features, and the weights of the samples.
    label : Codes
        One feature, over the same samples; with the same weights, if it has any.
    corrected : bool
        Whether to add the correction of Miller and Madow.
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
    if label.weights is not None and (
        codes.weights is None or not np.array_equal(label.weights, codes.weights)
    ):
        raise ValueError(
            "the weights of y differ from those of X: make the codes of both with the same ones."
        )
    codes, label = written_out(codes), written_out(replace(label, weights=codes.weights))
    # Features of one code are all alike: one of them is counted.
    single = np.flatnonzero(codes.sizes == 1)
    features = np.concatenate([np.flatnonzero(codes.sizes > 1), single[:1]])
    found = entropies_by_samples(label, codes, [(0, block) for block in blocks(features)], corrected, n_jobs)
    joint = np.empty(codes.n_features)
    joint[features] = np.concatenate(found)
    joint[single] = joint[single[:1]]
    return joint


def joint_entropies(
    codes: Codes, *, corrected: bool = False, n_jobs: int | None = -1, device: str | None = None
) -> Matrix:
    """Return the joint entropy of every pair of features, in bits, shape (n_features, n_features).

    Exactly symmetric; the diagonal is each feature's own entropy. Beside the result it needs, for a feature
    of ``B`` codes, ``B - 1`` bits per sample while it runs; small whole weights count as that many samples.

    Parameters
    ----------
    codes : Codes
        The features.
    corrected : bool
        Whether to add the correction of Miller and Madow.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.
    device : str or None
        Where PyTorch counts the features of at most 255 codes among each other: ``"cuda"``, ``"cuda:1"``, ``"cpu"``.
        The result does not depend on it either, but for rounding where weights are not small. None needs no PyTorch.

    Examples
    --------
    >>> joint_entropies(Codes([[0, 1, 0, 1], [0, 0, 1, 1]], [2, 2])).tolist()
    [[1.0, 2.0], [2.0, 1.0]]
    """
    codes = written_out(codes)
    alone = entropies(codes, corrected=corrected, n_jobs=n_jobs)
    # A constant feature adds neither entropy nor cells to the other; what is counted below overwrites the rest.
    joint = np.maximum(alone[:, None], alone[None, :])
    live = np.flatnonzero(alone > 0)
    if device is None:
        together = (codes.sizes <= counting.NARROW) & (codes.weights is None)
        narrow, wide = live[together[live]], live[~together[live]]
        joint[np.ix_(narrow, narrow)] = entropies_by_planes(codes, narrow, corrected, n_jobs)
    else:
        together = codes.sizes <= gpu.MOST_CODES
        narrow, wide = live[together[live]], live[~together[live]]
        joint[np.ix_(narrow, narrow)] = entropies_on(device, codes, narrow, corrected)
    # The lower feature is always the rows of the table, so that both routes add up in the same order and the
    # last bit does not tell which was taken.
    tasks = [
        (i, block)
        for i in (live if wide.size else wide)
        for block in blocks(after(i, wide if together[i] else live))
    ]
    found = entropies_by_samples(codes, codes, tasks, corrected, n_jobs)
    for (i, block), counted in zip(tasks, found, strict=True):
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


def symmetric_uncertainty(first: Vector, second: Vector, shared: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``2 I(x; y) / (H(x) + H(y))``, from 0 to 1, given both entropies and the mutual information.

    The arguments broadcast. Exactly 0.0 where both are constant.

    Examples
    --------
    >>> float(symmetric_uncertainty(np.array(1.0), np.array(3.0), np.array(0.5)))
    0.25
    """
    return np.minimum(2 * shared / np.maximum(first + second, np.finfo(np.float64).tiny), 1.0)


def blocks(features: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the features cut into pieces, each the work of one call of a kernel."""
    return [features[i : i + BLOCK] for i in range(0, features.size, BLOCK)]


def after(i: int, features: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return those of the ascending features that come after feature ``i``."""
    return features[np.searchsorted(features, i, side="right") :]


def written_out(codes: Codes) -> Codes:
    """Return the same codes with weights that are whole and small written out as repeated samples."""
    weights = codes.weights
    if weights is None:
        return codes
    if (weights == 1.0).all():
        return replace(codes, weights=None)
    if codes.total > REPEATS * codes.n_samples or (weights != np.floor(weights)).any():
        return codes
    return replace(codes, weights=None).take(np.repeat(np.arange(codes.n_samples), weights.astype(np.int64)))


def fine_units(weights: Vector) -> NDArray[np.int64]:
    """Return weights as whole numbers of a unit so small that nothing is lost: below 2^62 in all.

    Their sums depend on no order, and those of a constant feature are the total, exactly.
    """
    # By a power of two floats are scaled without rounding. The lightest sample still occupies its cell.
    unit = 61 - frexp(weights.sum())[1]
    return np.maximum(np.rint(np.ldexp(weights, unit)), 1.0).astype(np.int64)


def bits_per_cell(codes: Codes, corrected: bool) -> float:
    """Return what each occupied cell but the first adds to an entropy by the correction of Miller and Madow."""
    return 1.0 / (2.0 * codes.total * log(2.0)) if corrected else 0.0


def entropy_terms(n_samples: int, extra: float = 0.0) -> Vector:
    """Return ``-(c/N) log2(c/N)`` for ``c = 0 .. N``, and ``extra`` where ``c > 0``: what a count of ``c`` adds."""
    terms = np.zeros(n_samples + 1)
    share = np.arange(1, n_samples) / n_samples
    terms[1:-1] = -share * np.log2(share)
    terms[1:] += extra
    return terms


def entropies_by_samples(
    first: Codes,
    second: Codes,
    tasks: list[tuple[int, NDArray[np.int64]]],
    corrected: bool,
    n_jobs: int | None,
) -> list[Vector]:
    """Return, for each task (i, features), the joint entropies of i in ``first`` with them in ``second``."""
    extra = bits_per_cell(first, corrected)
    terms = entropy_terms(first.n_samples, extra) if first.weights is None else None
    weights = None if first.weights is None else fine_units(first.weights)

    def count(task: tuple[int, NDArray[np.int64]]) -> Vector:
        i, features = task
        pairs = (first.values[i], first.sizes[i], second.values, second.sizes, features)
        counted: Vector
        if weights is None:
            counted = counting.entropies_with(*pairs, terms)
        else:
            counted = counting.weighted_entropies_with(*pairs, weights, extra)
        return counted - extra

    return thread_map(count, tasks, n_jobs=n_jobs)


def entropies_by_planes(
    codes: Codes, features: NDArray[np.int64], corrected: bool, n_jobs: int | None
) -> Matrix:
    """Return the joint entropies among some features, each of few codes, by way of bit planes."""
    joint = np.zeros((features.size, features.size))
    extra = bits_per_cell(codes, corrected)
    terms = entropy_terms(codes.n_samples, extra)

    def use(common: Counts, margins: Counts, starts: Counts, i0: int, i1: int, j0: int, j1: int) -> None:
        counting.tile_entropies(common, margins, starts, codes.n_samples, i0, i1, j0, j1, terms, joint)

    each_tile(codes, features, use, n_jobs)
    return joint - extra


def entropies_on(device: str, codes: Codes, features: NDArray[np.int64], corrected: bool) -> Matrix:
    """Return the joint entropies among some features, each of few codes, by way of products on a device."""
    if codes.weights is not None and (codes.weights != np.floor(codes.weights)).any():
        i = int((codes.weights != np.floor(codes.weights)).argmax())
        raise ValueError(
            f"a device counts whole samples: weights must be whole numbers, but that of sample {i} is "
            f"{codes.weights[i]}; use device=None."
        )
    extra = bits_per_cell(codes, corrected)
    terms = entropy_terms(codes.n_samples, extra) if codes.weights is None else None
    return gpu.entropies_by_products(codes, features, terms, extra, device) - extra
