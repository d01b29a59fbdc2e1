"""Data sets drawn at random: the same seed gives the same data."""

from operator import index
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from .dataset import XY, Dataset

BREIMAN = (
    "L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone, Classification and Regression Trees, "
    "Wadsworth, 1984, section 2.6.2."
)
# The first and the last of the 21 points lie outside all three triangles: they are pure noise.
WAVEFORM_INFORMATIVE = np.arange(1, 20)
WAVEFORM_NAMES = tuple(f"t{point}" for point in range(21))


def random_correlation(d: int, /, *, eta: float = 1.0, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the Cholesky factor L of a random correlation matrix C = L L', by the extended onion method.

    The density of C is proportional to ``det(C) ** (eta - 1)``; every entry off the diagonal is a
    Beta(b, b) variable stretched to (-1, 1), with ``b = eta - 1 + d / 2``.

    Each layer adds the row ``(w, sqrt(1 - w'w))`` to L, with w in a random direction and ``w'w`` from
    Beta(k/2, eta + (d - 1 - k)/2). Growing L instead of C spares the factorisation in every layer.

    References
    ----------
    D. Lewandowski, D. Kurowicka and H. Joe, Generating random correlation matrices based on vines and
    extended onion method, Journal of Multivariate Analysis 100 (2009), section 3.2.

    Examples
    --------
    >>> L = random_correlation(3, rng=np.random.default_rng(0))
    >>> np.diag(L @ L.T).round(12).tolist()
    [1.0, 1.0, 1.0]
    """
    L = np.eye(d)
    for k in range(1, d):
        length = rng.beta(k / 2, eta + (d - 1 - k) / 2)
        direction = rng.standard_normal(k)
        L[k, :k] = np.sqrt(length) * direction / np.linalg.norm(direction)
        L[k, k] = np.sqrt(1 - length)
    return L


@overload
def make_synth(
    n: int = 10,
    informative: int = 4,
    samples: int = 10_000,
    *,
    seed: int = 0,
    return_X_y: Literal[False] = False,
) -> Dataset: ...
@overload
def make_synth(
    n: int = 10, informative: int = 4, samples: int = 10_000, *, seed: int = 0, return_X_y: Literal[True]
) -> XY: ...
def make_synth(
    n: int = 10, informative: int = 4, samples: int = 10_000, *, seed: int = 0, return_X_y: bool = False
) -> Dataset | XY:
    """Return Gaussian features of which some, added up with random weights, decide between two classes.

    The recipe of Appendix B: the informative features and the rest are two independent normal vectors, each
    with a random correlation matrix, means from N(0, 10) and standard deviations exp(N(0, 1)). The label is 1
    where ``z = w'x`` over the informative features, ``w ~ N(0, 1)``, is in its upper half.
    ``make_synth(100, 10)`` is made like the paper's synth_100.

    Parameters
    ----------
    n : int
        Number of features.
    informative : int
        How many of them are informative, from 1 to ``n``; which ones is drawn uniformly.
    samples : int
        Number of samples, at least 2. An odd one goes to class 1.
    seed : int
        Same seed, same data.
    return_X_y : bool
        Return the pair ``(X, y)`` instead of a :class:`Dataset`.

    Notes
    -----
    Three readings of the text. "beta = 1" is taken as ``eta = 1``, the uniform distribution over correlation
    matrices: beta in the algorithm itself starts at ``eta + (d - 2)/2`` and falls by 1/2 per layer, so that
    starting from 1 it would reach 0 at d = 4. In N(0, 10) the 10 is the standard deviation, which the means
    in the authors' synth_10 bear out. The text splits z at its mean, the authors' file at the median.

    Examples
    --------
    >>> data = make_synth(samples=100)
    >>> data, data.y.mean().item()
    (Dataset('synth_10', 100 samples x 10 features (4 informative), 2 classes), 0.5)
    """
    n = _checked_count("n", n, at_least=1)
    if not 1 <= index(informative) <= n:
        raise ValueError(
            f"informative must be an integer from 1 to {n} (the table has {n} features), got {informative}."
        )
    samples = _checked_count("samples", samples, at_least=2)
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.choice(n, informative, replace=False))
    mu, sigma = rng.normal(0, 10, n), np.exp(rng.standard_normal(n))
    X = np.empty((samples, n))
    for part in (chosen, np.setdiff1d(np.arange(n), chosen)):
        factor = sigma[part, None] * random_correlation(part.size, rng=rng)
        X[:, part] = mu[part] + rng.standard_normal((samples, part.size)) @ factor.T
    z = X[:, chosen] @ rng.standard_normal(informative)
    y = np.zeros(samples, dtype=np.int64)
    # ranks, not a comparison with the median: exactly half and half even if two values of z were equal
    y[np.argsort(z, kind="stable")[samples // 2 :]] = 1
    names = tuple(f"x{feature}" for feature in range(n))
    data = Dataset(f"synth_{n}", X, y, names, chosen, "The recipe of Appendix B of the paper.")
    return (data.X, data.y) if return_X_y else data


@overload
def make_waveform(samples: int = 5000, *, seed: int = 0, return_X_y: Literal[False] = False) -> Dataset: ...
@overload
def make_waveform(samples: int = 5000, *, seed: int = 0, return_X_y: Literal[True]) -> XY: ...
def make_waveform(samples: int = 5000, *, seed: int = 0, return_X_y: bool = False) -> Dataset | XY:
    """Return Breiman's waveforms: 21 points of two triangular waves, mixed at random, plus unit noise.

    The three triangles have height 6, half-width 6 and their peaks at points 6, 10 and 14. With u uniform on
    [0, 1], a sample is ``u * first + (1 - u) * second + N(0, 1)``; the class is the pair of triangles,
    numbered as in the UCI file: (6, 14), (6, 10), (10, 14).

    Parameters
    ----------
    samples : int
        Number of samples; the classes are equally likely.
    seed : int
        Same seed, same data.
    return_X_y : bool
        Return the pair ``(X, y)`` instead of a :class:`Dataset`.

    Examples
    --------
    >>> make_waveform()
    Dataset('waveform', 5000 samples x 21 features (19 informative), 3 classes)
    """
    samples = _checked_count("samples", samples, at_least=1)
    rng = np.random.default_rng(seed)
    early, middle, late = (np.maximum(6.0 - np.abs(np.arange(21) - peak), 0) for peak in (6, 10, 14))
    first, second = np.array([early, early, middle]), np.array([late, middle, late])
    y = rng.integers(3, size=samples)
    u = rng.random((samples, 1))
    X = u * first[y] + (1 - u) * second[y] + rng.standard_normal((samples, 21))
    data = Dataset("waveform", X, y, WAVEFORM_NAMES, WAVEFORM_INFORMATIVE, BREIMAN)
    return (data.X, data.y) if return_X_y else data


def _checked_count(name: str, number: int, /, *, at_least: int) -> int:
    if index(number) < at_least:
        raise ValueError(f"{name} must be an integer of at least {at_least}, got {number}.")
    return index(number)
