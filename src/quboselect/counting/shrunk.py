"""Shrunk entropies and mutual information: what few samples say, pulled towards knowing nothing.

James and Stein's estimate (Hausser and Strimmer 2009; for mutual information Sechidis et al. 2019). The shares of a
table of ``K`` cells are ``p*_k = u / K + (1 - u) n_k / N``, as far pulled towards equal shares as they are uncertain:
``u = (1 - sum p^2) / ((N - 1) sum (1/K - p)^2)``, at most 1. Mutual information is that of the shares ``p*`` with their
own margins. Only codes that occur make cells. Samples count as much as the weights of the codes say.

The routes are those of ``entropies.py``, and all give the same bits.
"""

import numpy as np
from numpy.typing import NDArray

from .. import _kernels
from .._kernels.threads import thread_map
from .bins import Codes
from .entropies import BLOCK, BitPlanes, Features, fine_units, pair_tasks, repeated_samples, samples_of_both

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


def shrunk_entropies(codes: Codes, *, n_jobs: int | None = -1) -> Vector:
    """Return the shrunk entropy of each feature, in bits; exactly 0.0 for a constant one.

    Parameters
    ----------
    codes : Codes
        The features.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> shrunk_entropies(Codes([[0, 1, 2, 3], [0, 0, 0, 0]], [4, 1])).tolist()
    [2.0, 0.0]
    """
    nothing = Codes(np.zeros((1, codes.n_samples), np.uint8), np.ones(1, np.int64))
    return _with_label(codes, nothing, n_jobs)[:, 0]


def shrunk_information_with(codes: Codes, label: Codes, *, n_jobs: int | None = -1) -> Vector:
    """Return the shrunk mutual information of each feature with the label, in bits.

    Parameters
    ----------
    codes, label : Codes
        The features, and one feature over the same samples.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> features = Codes([[0, 1, 0, 1] * 9, [0, 0, 1, 1] * 9], [2, 2])
    >>> shrunk_information_with(features, Codes([[0, 0, 1, 1] * 9], [2])).round(2).tolist()
    [0.0, 0.81]
    """
    return _with_label(codes, label, n_jobs)[:, 1]


def shrunk_information(codes: Codes, *, n_jobs: int | None = -1) -> Matrix:
    """Return the shrunk mutual information of every pair of features, in bits, with a zero diagonal.

    Exactly symmetric.

    Parameters
    ----------
    codes : Codes
        The features.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> shrunk_information(Codes([[0, 1, 0, 1] * 9, [0, 1, 0, 1] * 9], [2, 2])).round(2).tolist()
    [[0.0, 0.81], [0.81, 0.0]]
    """
    codes = repeated_samples(codes)
    information = np.zeros((codes.n_features, codes.n_features))
    live = np.flatnonzero(codes.sizes > 1)
    few_codes = codes.sizes <= (_kernels.counting.NARROW if codes.weights is None else 0)
    narrow, wide = live[few_codes[live]], live[~few_codes[live]]
    if narrow.size:
        found = np.zeros((narrow.size, narrow.size))
        planes, n_samples = BitPlanes.of(codes, narrow, n_jobs), codes.n_samples
        thread_map(
            lambda tile: _kernels.shrunk.shrunk_tile(
                planes.common_ones(tile), planes.ones, planes.starts, n_samples, *tile, found
            ),
            planes.tiles,
            n_jobs=n_jobs,
        )
        information[np.ix_(narrow, narrow)] = found
    tasks = pair_tasks(live, wide, few_codes)
    for (i, block), pairs in zip(tasks, by_samples(codes, codes, tasks, n_jobs), strict=True):
        information[i, block] = information[block, i] = pairs[:, 1]
    return information


def by_samples(
    first: Codes, second: Codes, tasks: list[tuple[int, Features]], n_jobs: int | None
) -> list[Matrix]:
    """Return, for each task (i, features), entropies and information of i in ``first`` with them in ``second``."""
    weights = np.empty(0, np.int64) if first.weights is None else fine_units(first.weights)

    def count(task: tuple[int, Features]) -> Matrix:
        i, others = task
        out = np.empty((others.size, 2))
        _kernels.shrunk.shrunk_with(
            first.values[i], first.sizes[i], second.values, second.sizes, others, weights, first.total, out
        )
        return out

    return thread_map(count, tasks, n_jobs=n_jobs)


def _with_label(codes: Codes, label: Codes, n_jobs: int | None) -> Matrix:
    codes, label = samples_of_both(codes, label)
    features = np.arange(codes.n_features)
    tasks = [(0, features[i : i + BLOCK]) for i in range(0, features.size, BLOCK)]
    return np.concatenate(by_samples(label, codes, tasks, n_jobs))
