"""Entropies of codes, alone and jointly: what mutual information, I and R, is made of.

Equations 7 and 8 of the paper, the plug-in estimate of mutual information, in their entropy form
``I(x; y) = H(x) + H(y) - H(x, y)``: only ``H(x, y)`` must be counted pair by pair. The estimate ``"miller-madow"`` adds
to each entropy what Miller and Madow found missing on average, ``(occupied cells - 1) / (2 N ln 2)`` bits. Samples
count as much as the weights of the codes say. The estimate ``"shrunk"`` is made of whole tables, in ``shrunk.py``.

Features of few codes are counted by bit planes, the others sample by sample, or most of them on a GPU; all routes give
the same bits.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import frexp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _kernels
from .._kernels.threads import WORTH_A_THREAD, thread_map
from . import gpu
from .bins import Codes

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Features = NDArray[np.int64]
Tile = tuple[int, int, int, int]  # features i0 to i1 by features j0 to j1, as places in a list of features

ESTIMATES = ("plug-in", "miller-madow", "shrunk")
FEW = 0.25  # share of features up to which constant ones are counted like the others
BLOCK = 64  # features given to a thread at a time when counting sample by sample
REPEATS = 2  # whole weights up to this on average become repeated samples, which are counted faster
PLANES = 128  # bit planes in a block; two blocks, and the counts between them, fit a core's own cache
MOST_PLANES = 512  # even of short ones: the counts between two such blocks fill a megabyte
CHUNK = 1024  # 64-bit words of a plane handled at a time, for the same reason
SHORT = 512  # samples up to which counts of planes, code 0 too, become entropies as they are made


def entropies(codes: Codes, *, estimate: str = "plug-in", n_jobs: int | None = -1) -> Vector:
    """Return the entropy of each feature, in bits; exactly 0.0 for a constant one.

    Parameters
    ----------
    codes : Codes
        The features.
    estimate : "plug-in" or "miller-madow"
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> entropies(Codes([[0, 1, 2, 3], [0, 0, 0, 0]], [4, 1])).tolist()
    [2.0, 0.0]
    """
    nothing = Codes(np.zeros((1, codes.n_samples), np.uint8), np.ones(1, np.int64))
    return joint_entropies_with(codes, nothing, estimate=estimate, n_jobs=n_jobs)


def joint_entropies_with(
    codes: Codes, label: Codes, *, estimate: str = "plug-in", n_jobs: int | None = -1
) -> Vector:
    """Return the joint entropy of each feature with the label, in bits.

    Parameters
    ----------
    codes : Codes
        The features, and the weights of the samples.
    label : Codes
        One feature, over the same samples; with the same weights, if it has any.
    estimate : "plug-in" or "miller-madow"
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> features = Codes([[0, 1, 0, 1], [0, 0, 1, 1]], [2, 2])
    >>> joint_entropies_with(features, Codes([[0, 0, 1, 1]], [2])).tolist()
    [2.0, 1.0]
    """
    codes, label = samples_of_both(codes, label)
    # Features of one code are all alike: one of them is counted.
    single = np.flatnonzero(codes.sizes == 1)
    features = np.concatenate([np.flatnonzero(codes.sizes > 1), single[:1]])
    each = max(BLOCK, WORTH_A_THREAD // codes.n_samples)
    tasks = [(0, features[i : i + each]) for i in range(0, features.size, each)]
    joint = np.empty(codes.n_features)
    joint[features] = np.concatenate(entropies_by_samples(label, codes, tasks, estimate, n_jobs))
    joint[single] = joint[single[:1]]
    return joint


def joint_entropies(
    codes: Codes,
    *,
    estimate: str = "plug-in",
    alone: Vector | None = None,
    n_jobs: int | None = -1,
    device: str | None = None,
) -> Matrix:
    """Return the joint entropy of every pair of features, in bits, shape (n_features, n_features).

    Exactly symmetric; the diagonal is each feature's own entropy. Beside the result it needs, for a feature
    of ``B`` codes, ``B - 1`` bits per sample while it runs; small whole weights count as that many samples.

    Parameters
    ----------
    codes : Codes
        The features.
    estimate : "plug-in" or "miller-madow"
    alone : array of shape (n_features,), optional
        The entropy of each feature, where it is known.
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
    if codes.weights is not None:
        codes = repeated_samples(codes)
    alone = entropies(codes, estimate=estimate, n_jobs=n_jobs) if alone is None else alone
    live = np.flatnonzero(alone > 0)
    most = gpu.MOST_CODES if device is not None else _kernels.counting.NARROW if codes.weights is None else 0
    few_codes = codes.sizes <= most
    narrow, wide = live[few_codes[live]], live[~few_codes[live]]
    still = np.flatnonzero(alone <= 0)
    if device is None and not wide.size and 0 < still.size < FEW * alone.size:
        # Counted with the others, for less than it costs to leave them out.
        narrow = np.arange(alone.size)
    if device is None:
        joint = entropies_by_planes(codes, narrow, estimate, n_jobs)
    else:
        joint = entropies_on_device(device, codes, narrow, estimate)
    if narrow.size < alone.size:
        # A constant feature adds neither entropy nor cells to the other; what is counted below overwrites the rest.
        few, joint = joint, np.maximum(alone[:, None], alone[None, :])
        joint[np.ix_(narrow, narrow)] = few
    elif still.size:
        joint[still], joint[:, still] = alone, alone[:, None]
    # The lower feature is always the rows of the table, so that all routes add up in the same order and the
    # last bit does not tell which was taken.
    if wide.size:
        tasks = pair_tasks(live, wide, few_codes)
        found = entropies_by_samples(codes, codes, tasks, estimate, n_jobs)
        for (i, block), pair_entropies in zip(tasks, found, strict=True):
            joint[i, block] = joint[block, i] = pair_entropies
    np.fill_diagonal(joint, alone)
    return joint


def samples_of_both(codes: Codes, label: Codes) -> tuple[Codes, Codes]:
    """Return features and label as they are counted, or raise where they are not of the same samples."""
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
    if codes.weights is None:
        return codes, label
    return repeated_samples(codes), repeated_samples(replace(label, weights=codes.weights))


def pair_tasks(live: Features, wide: Features, few_codes: NDArray[np.bool_]) -> list[tuple[int, Features]]:
    """Return what to count sample by sample, (i, features after i): all pairs of which one has many codes."""
    tasks = []
    for i in live if wide.size else wide:
        others = wide if few_codes[i] else live
        others = others[np.searchsorted(others, i, side="right") :]
        tasks += [(int(i), others[first : first + BLOCK]) for first in range(0, others.size, BLOCK)]
    return tasks


def mutual_information(first: Vector, second: Vector, joint: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``H(x) + H(y) - H(x, y)`` (Equations 7 and 8), in bits, never negative.

    The arguments broadcast. Exactly 0.0 where ``x`` or ``y`` is constant, despite rounding.

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


def repeated_samples(codes: Codes) -> Codes:
    """Return the same codes with weights that are whole and small replaced by repeated samples."""
    weights = codes.weights
    if weights is None or (weights == 1.0).all():
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


def check_estimate(estimate: Any) -> str:
    """Return how mutual information is estimated, or raise where there is no such way."""
    if not isinstance(estimate, str) or estimate not in ESTIMATES:
        raise ValueError(f"estimate must be one of {', '.join(map(repr, ESTIMATES))}, got {estimate!r}.")
    return estimate


def bits_per_cell(total: float, estimate: str) -> float:
    """Return what each occupied cell but the first adds to an entropy: something by Miller and Madow's correction."""
    return 1.0 / (2.0 * total * log(2.0)) if estimate == "miller-madow" else 0.0


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
    tasks: list[tuple[int, Features]],
    estimate: str,
    n_jobs: int | None,
) -> list[Vector]:
    """Return, for each task (i, features), the joint entropies of i in ``first`` with them in ``second``."""
    extra = bits_per_cell(first.total, estimate)
    kernel: Any
    options: tuple[Any, ...]
    if first.weights is None:
        kernel, options = _kernels.counting.entropies_with, (entropy_terms(first.n_samples, extra),)
    else:
        kernel, options = _kernels.counting.weighted_entropies_with, (fine_units(first.weights), extra)
    x, x_sizes, y, y_sizes = first.values, first.sizes, second.values, second.sizes
    return thread_map(
        lambda task: kernel(x[task[0]], x_sizes[task[0]], y, y_sizes, task[1], *options) - extra,
        tasks,
        n_jobs=n_jobs,
    )


def entropies_by_planes(codes: Codes, features: Features, estimate: str, n_jobs: int | None) -> Matrix:
    """Return the joint entropies among some features, each of few codes, by way of bit planes."""
    joint = np.zeros((features.size, features.size))
    tiles, entropies_of = tiled_entropies(codes, features, estimate, n_jobs)
    thread_map(lambda tile: put_tile(entropies_of(tile), tile, joint), tiles, n_jobs=n_jobs)
    return joint


def tiled_entropies(
    codes: Codes, features: Features, estimate: str, n_jobs: int | None
) -> tuple[list[Tile], Callable[[Tile], Matrix]]:
    """Return all pairs of some features in tiles, and what returns the joint entropies of any tile.

    Of a tile's pairs i >= j the entropies mean nothing. The features have few codes, and the codes no weights.
    """
    extra, n_samples = bits_per_cell(codes.total, estimate), codes.n_samples
    terms, short = entropy_terms(n_samples, extra), n_samples <= SHORT
    planes = BitPlanes.of(codes, features, n_jobs, skip=0 if short else 1)
    if short:
        words = np.ascontiguousarray(planes.bits.T)
        return (
            planes.tiles,
            lambda tile: _kernels.counting.short_entropies(words, planes.starts, *tile, terms) - extra,
        )
    return (
        planes.tiles,
        lambda tile: (
            _kernels.counting.tile_entropies(
                planes.common_ones(tile), planes.ones, planes.starts, n_samples, *tile, terms
            )
            - extra
        ),
    )


def put_tile(block: Matrix, tile: Tile, out: NDArray[Any]) -> None:
    """Put the numbers of a tile where they belong in a symmetric matrix, in both triangles, and zeros between them."""
    i0, i1, j0, j1 = tile
    block = block.astype(out.dtype, copy=False)
    if i0 == j0:
        block = np.triu(block, 1)
        block += block.T.copy()
    out[i0:i1, j0:j1] = block
    out[j0:j1, i0:i1] = block.T


@dataclass(frozen=True, eq=False, repr=False)
class BitPlanes:
    """Which samples have which code, one bit for each sample. Make it with `BitPlanes.of`.

    A feature of B codes has B - 1 planes, for the codes 1, 2, ...: the counts of code 0 are the rest of all samples,
    unless it is asked for as well.
    Entropies of a table in memory and counts of batches are both made of what pairs of planes have in common::

        planes = BitPlanes.of(codes, features, n_jobs)
        thread_map(lambda tile: use(planes.common_ones(tile), *tile), planes.tiles, n_jobs=n_jobs)

    Parameters
    ----------
    bits : array of uint64, shape (n_planes, n_words)
    ones : int array of shape (n_planes,)
        The number of ones in each plane.
    starts : int array of shape (n_features + 1,)
        The planes of the f-th feature are ``starts[f]`` to ``starts[f + 1]``.
    tiles : list of (i0, i1, j0, j1)
        All pairs of features, in pieces that fit a core's cache; pairs i >= j of a tile are to be left out.
    chunk : int
        Words handled at a time.
    """

    bits: NDArray[np.uint64]
    ones: NDArray[np.int64]
    starts: NDArray[np.int64]
    tiles: list[Tile]
    chunk: int

    @classmethod
    def of(cls, codes: Codes, features: Features, n_jobs: int | None, skip: int = 1) -> "BitPlanes":
        """Return the bit planes of some features of codes without weights, for the codes from ``skip`` on."""
        starts = np.concatenate([[0], np.cumsum(codes.sizes[features] - skip)])
        # Whole vectors: a ragged end would be counted word by word, as short planes are in any case.
        vector = 1 if codes.n_samples <= SHORT else 8
        n_words = -(-codes.n_samples // (64 * vector)) * vector
        bits = np.zeros((starts[-1], n_words), np.uint64)
        ones = np.zeros(starts[-1], np.int64)
        chunk = 8 * max(1, -(-n_words // (8 * -(-n_words // CHUNK))))
        # Few samples make short planes, of which more fit; a tile has to be worth a task.
        most = min(max(PLANES, PLANES * CHUNK // n_words), MOST_PLANES)
        cuts = [0]
        for i in range(1, features.size + 1):
            if i == features.size or starts[i + 1] - starts[cuts[-1]] > most:
                cuts.append(i)
        spans = list(pairwise(cuts))
        thread_map(
            lambda span: _kernels.counting.fill_planes(
                codes.values, features, starts, *span, skip, bits, ones
            ),
            spans,
            n_jobs=n_jobs,
        )
        tiles = [(*rows, *columns) for k, rows in enumerate(spans) for columns in spans[k:]]
        return cls(bits, ones, starts, tiles, chunk)

    def common_ones(self, tile: Tile) -> NDArray[np.uint32]:
        """Return the number of samples in which planes of the tile's rows and columns both have ones.

        Row r and column c belong to the planes ``starts[i0] + r`` and ``starts[j0] + c``. Three more rows and columns
        at the end are room for the kernel.
        """
        i0, i1, j0, j1 = tile
        a = self.bits[self.starts[i0] : self.starts[i1]]
        b = self.bits[self.starts[j0] : self.starts[j1]]
        common = np.zeros((a.shape[0] + 3, b.shape[0] + 3), np.uint32)
        _kernels.counting.common_ones(a, b, self.chunk, common)
        return common


def entropies_on_device(device: str, codes: Codes, features: Features, estimate: str) -> Matrix:
    """Return the joint entropies among some features, each of few codes, by way of products on a device."""
    if codes.weights is not None and (codes.weights != np.floor(codes.weights)).any():
        i = int((codes.weights != np.floor(codes.weights)).argmax())
        raise ValueError(
            f"weights must be whole numbers where device={device!r} counts, but that of sample {i} is "
            f"{codes.weights[i]}: use device=None."
        )
    extra = bits_per_cell(codes.total, estimate)
    terms = entropy_terms(codes.n_samples, extra) if codes.weights is None else None
    joint = gpu.entropies_by_products(codes, features, terms, extra, device)
    joint -= extra
    return joint
