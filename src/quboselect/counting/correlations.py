"""Correlations and explained variance of numbers, for the measures that do not bin.

Every feature is scaled and centred before anything is multiplied, so that large numbers of small spread lose no
digits, and samples are taken a few thousand at a time, so that memory does not grow with them. Missing values are NaN;
two features are compared over the samples that have both.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .._kernels.threads import thread_map
from ..tables.table import Table
from .bins import Codes

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Bits = NDArray[np.bool_]

CHUNK = 2**21  # numbers handled at a time: 16 MB of them
BLOCK = 16  # features ranked together: their values of one sample then share a cache line
SHIFTED = 1e-4  # the share of its mean square below which a variance is computed again, about its own mean


def number_matrix(table: Table | Codes, measure: str) -> NDArray[Any]:
    """Return the numbers of a table, for a measure of this name, which needs them and not their bins."""
    if isinstance(table, Codes):
        raise ValueError(f"{measure} needs the values of the features, got Codes: pass the table itself.")
    return table.matrix()


def correlations(X: NDArray[Any], *, weights: Vector | None = None) -> Matrix:
    """Return Pearson's correlation of every pair of features, shape (n_features, n_features), from -1 to 1.

    Over the samples that have both, as ``pandas.DataFrame.corr`` does; exactly symmetric, and 0 where a feature
    does not vary over them.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Real numbers; NaN is missing.
    weights : array of shape (n_samples,), optional
        How often each sample counts.

    Examples
    --------
    >>> correlations(np.array([[1.0, 3.0, np.nan], [2.0, 2.0, 2.0], [3.0, 1.0, 4.0]])).tolist()
    [[1.0, -1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, 1.0]]
    """
    table = Centred.of(X, weights)
    n = table.centre.size
    holes = np.flatnonzero(table.missing)
    total, sums, products = np.zeros(n), np.zeros(n), np.zeros((n, n))
    # What feature i adds up to over the samples that have feature j; only a j with holes makes a difference.
    shared, sums_at, squares_at = np.zeros((3, n, holes.size))
    for part, Z, present in table.chunks():
        w = chunk_weights(weights, part, Z.shape[0])
        root = Z if weights is None else Z * np.sqrt(w)[:, None]
        products += root.T @ root
        sums += w @ Z
        total += sums_over_present(w, present)
        if present is not None:
            there = present[:, holes] * w[:, None]
            shared += present.T @ there
            sums_at += Z.T @ there
            squares_at += (Z * Z).T @ there
    total, sums, squares = (
        sums_over_pairs(own, at, holes)
        for own, at in ((total, shared), (sums, sums_at), (np.diagonal(products), squares_at))
    )
    total = np.maximum(total, np.finfo(np.float64).tiny)  # no sample in common: every sum is 0
    variance = squares - sums * sums / total
    # Rounding may leave a variance at or below zero only where the pair is computed again or a feature is constant.
    spread = np.sqrt(np.maximum(variance, 0.0) * np.maximum(variance.T, 0.0))
    result: Matrix = np.zeros((n, n))
    np.divide(products - sums * sums.T / total, spread, out=result, where=spread > 0)
    shifted = (variance <= SHIFTED * squares) & table.missing
    shifted |= shifted.T
    for i in np.flatnonzero(shifted.any(axis=1)):
        others = np.flatnonzero(shifted[i])
        result[i, others] = recentred_correlations(table, int(i), others)
    result[table.constant] = result[:, table.constant] = 0.0
    result = np.triu(np.clip(result, -1.0, 1.0), 1)
    result += result.T
    np.fill_diagonal(result, ~table.constant)
    return result


class Explained(NamedTuple):
    """How the variance about the mean divides, for each feature: one array of shape (n_features,) each.

    ``explained`` and ``left`` are sums of squares, in a unit of the feature's own; ``parameters`` is what explaining
    took, and ``degrees`` what is left of the samples: the two degrees of freedom of an F statistic.
    """

    explained: Vector
    left: Vector
    parameters: Vector
    degrees: Vector

    @property
    def share(self) -> Vector:
        """The share that is explained, from 0 to 1; 0 where there is nothing to explain."""
        whole = self.explained + self.left
        return np.where(whole > 0, self.explained / np.where(whole > 0, whole, 1.0), 0.0)


def explained_by_line(X: NDArray[Any], y: NDArray[Any], *, weights: Vector | None = None) -> Explained:
    """Return how much of a continuous target a straight line in each feature explains; the share is r squared.

    Examples
    --------
    >>> explained_by_line(np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0])).share.tolist()
    [0.25]
    """
    table, target = Centred.of(X, weights), Centred.of(y[:, None], weights)
    values = np.concatenate([Z[:, 0] for _, Z, _ in target.chunks()])
    total, x, xx, xy, sum_y = np.zeros((5, table.centre.size))
    low, high = np.full_like(x, np.inf), np.full_like(x, -np.inf)
    for part, Z, present in table.chunks():
        w, v = chunk_weights(weights, part, Z.shape[0]), values[part]
        total += sums_over_present(w, present)
        x += w @ Z
        xx += w @ (Z * Z)
        xy += (w * v) @ Z
        sum_y += sums_over_present(w * v, present)
        if present is not None:
            low = np.minimum(low, np.where(present, v[:, None], np.inf).min(axis=0))
            high = np.maximum(high, np.where(present, v[:, None], -np.inf).max(axis=0))
    # A target that is constant where the feature is present would leave nothing but rounding.
    flat = table.constant | target.constant[0] | (table.missing & (low == high))
    total = np.maximum(total, np.finfo(np.float64).tiny)
    mean_x, mean_y = x / total, sum_y / total
    spread = np.where(flat, 1.0, xx - x * mean_x)
    slope = np.where(flat, 0.0, (xy - x * mean_y) / spread)
    left = np.zeros_like(x)
    for part, Z, present in table.chunks():
        w = chunk_weights(weights, part, Z.shape[0])
        rest = values[part, None] - mean_y - slope * (Z - mean_x)
        left += w @ (rest * rest if present is None else rest * rest * present)
    one = np.where(flat, 0.0, 1.0)
    return Explained(one * slope * slope * spread, one * left, one, one * np.maximum(total - 2, 0.0))


def explained_by_classes(
    X: NDArray[Any], classes: NDArray[Any], *, weights: Vector | None = None
) -> Explained:
    """Return how much of each feature its class means explain; the share is the correlation ratio squared.

    Examples
    --------
    >>> explained_by_classes(np.array([[1.0], [3.0], [5.0], [7.0]]), np.array([0, 0, 1, 1])).share.tolist()
    [0.8]
    """
    table = Centred.of(X, weights)
    size = int(classes.max()) + 1
    total, sums = np.zeros((2, size, table.centre.size))
    for part, Z, present in table.chunks():
        members = membership(classes[part], size, chunk_weights(weights, part, Z.shape[0]))
        total += members.sum(axis=1)[:, None] if present is None else members @ present
        sums += members @ Z
    means = sums / np.where(total > 0, total, 1.0)
    everything = np.maximum(total.sum(axis=0), np.finfo(np.float64).tiny)
    explained = (total * (means - sums.sum(axis=0) / everything) ** 2).sum(axis=0)
    left = np.zeros(table.centre.size)
    for part, Z, present in table.chunks():
        rest = Z - means[classes[part]]
        left += chunk_weights(weights, part, Z.shape[0]) @ (
            rest * rest if present is None else rest * rest * present
        )
    groups = (total > 0).sum(axis=0)
    varies = np.where(table.constant, 0.0, 1.0)
    parameters = varies * np.maximum(groups - 1, 0)
    explained = np.where(parameters > 0, explained, 0.0)
    return Explained(explained, varies * left, parameters, varies * np.maximum(everything - groups, 0.0))


def mid_ranks(X: NDArray[Any], *, weights: Vector | None = None, n_jobs: int | None = -1) -> Matrix:
    """Return each feature's ranks among its present samples, shape (n_samples, n_features); NaN stays NaN.

    Equal values share the mean of their ranks. A sample of weight w takes up w ranks, as if it occurred w times.

    Examples
    --------
    >>> mid_ranks(np.array([[30], [10], [20], [10]]))[:, 0].tolist()
    [4.0, 1.5, 3.0, 1.5]
    """
    ranks = np.empty(X.shape[::-1])

    def fill(first: int) -> None:
        for i, x in enumerate(np.ascontiguousarray(X[:, first : first + BLOCK].T), start=first):
            # NaN is the last value, and does not move the ranks of others.
            place = x if x.dtype == np.uint8 else np.unique(x, return_inverse=True)[1]
            counts = np.bincount(place, weights=weights).astype(np.float64)
            rank = np.cumsum(counts) - (counts - 1) / 2
            ranks[i] = rank[place]
            if x.dtype.kind == "f":
                ranks[i, np.isnan(x)] = np.nan

    thread_map(fill, range(0, X.shape[1], BLOCK), n_jobs=n_jobs)
    return ranks.T


@dataclass(frozen=True, eq=False, repr=False)
class Centred:
    """A table whose features are scaled to about one and centred at zero, a chunk of samples at a time."""

    source: NDArray[Any]
    weights: Vector | None
    factor: Vector  # powers of two, so that scaling is exact
    centre: Vector  # the mean over the samples that have the feature, after scaling
    constant: Bits
    missing: Bits  # which features have holes

    @classmethod
    def of(cls, X: NDArray[Any], weights: Vector | None) -> Self:
        """Return a table with the scale and the mean of its features."""
        n = X.shape[1]
        low, high, missing = np.full(n, np.inf), np.full(n, -np.inf), np.zeros(n, np.bool_)
        for part in sample_chunks(X):
            least, most = X[part].min(axis=0).astype(np.float64), X[part].max(axis=0).astype(np.float64)
            gone = np.isnan(least)
            if gone.any():
                least[gone], most[gone] = np.fmin.reduce(X[part, gone]), np.fmax.reduce(X[part, gone])
            low, high, missing = np.fmin(low, least), np.fmax(high, most), missing | gone
        empty = low > high  # no sample has the feature
        low[empty] = high[empty] = 0.0
        exponent = np.frexp(np.maximum(np.abs(low), np.abs(high)))[1]
        factor = np.ldexp(1.0, -np.maximum(exponent, -1021))
        raw = cls(X, weights, factor, 0.5 * (low * factor + high * factor), low == high, missing)
        sums, total = np.zeros((2, n))
        for part, Z, present in raw.chunks():
            w = chunk_weights(weights, part, Z.shape[0])
            sums += w @ Z
            total += sums_over_present(w, present)
        centre = raw.centre + sums / np.where(total > 0, total, 1.0)
        return cls(X, weights, factor, centre, low == high, missing)

    def chunks(self) -> Iterator[tuple[slice, Matrix, Matrix | None]]:
        """Yield some samples, their values (0 where missing), and ones where present; None where all are."""
        for part in sample_chunks(self.source):
            Z, present = self.scaled(part) - self.centre, None
            if self.missing.any():
                present = 1.0 - np.isnan(Z)
                np.nan_to_num(Z, copy=False)
            yield part, Z, present

    def scaled(self, samples: Any, features: Any = slice(None)) -> Matrix:
        """Return some samples of some features, not centred, NaN where missing."""
        Z: Matrix = self.source[samples][:, features].astype(np.float64, order="C")
        Z *= self.factor[features]
        return Z


def sample_chunks(X: NDArray[Any]) -> list[slice]:
    """Return the slices in which samples are handled."""
    step = max(CHUNK // X.shape[1], 16)
    return [slice(first, min(first + step, X.shape[0])) for first in range(0, X.shape[0], step)]


def chunk_weights(weights: Vector | None, part: slice, length: int) -> Vector:
    """Return the weights of some samples, ones where there are none."""
    return np.ones(length) if weights is None else weights[part]


def sums_over_present(values: Vector, present: Matrix | None) -> Any:
    """Return the sum of the values over the samples that have each feature."""
    return values.sum() if present is None else values @ present


def sums_over_pairs(own: Vector, at: Matrix, holes: NDArray[np.int64]) -> Matrix:
    """Return a matrix of what feature i adds up to where feature j is present: its own sum, but at the holes."""
    result = np.repeat(own[:, None], own.size, axis=1)
    result[:, holes] = at
    return result


def membership(classes: NDArray[Any], size: int, weights: Vector) -> Any:
    """Return the sparse matrix (classes, samples) whose product with a table adds up each class."""
    return csr_array((weights, (classes, np.arange(classes.size))), shape=(size, classes.size))


def recentred_correlations(table: Centred, i: int, others: NDArray[np.int64]) -> Vector:
    """Return the correlations of feature i with others, each centred at its mean over the samples both have.

    Where the samples in common lie far from a feature's mean, or are all alike, differences of sums would be rounding.
    """
    rows = np.flatnonzero(~np.isnan(table.source[:, i].astype(np.float64)))
    x, w = table.scaled(rows, [i]), chunk_weights(table.weights, rows, rows.size)[:, None]  # type: ignore[arg-type]
    result = np.zeros(others.size)
    step = max(CHUNK // max(rows.size, 1), 1)
    for first in range(0, others.size if rows.size else 0, step):
        chosen = slice(first, first + step)
        b = table.scaled(rows, others[chosen])
        present = ~np.isnan(b)
        a = np.where(present, x, np.nan)
        shared = present * w
        total = np.maximum(shared.sum(axis=0), np.finfo(np.float64).tiny)
        varies = (np.fmin.reduce(a) < np.fmax.reduce(a)) & (np.fmin.reduce(b) < np.fmax.reduce(b))
        a, b = (np.where(present, z, 0.0) for z in (a, b))
        for _ in range(2):  # the second time takes off what was rounded the first
            a, b = ((z - (shared * z).sum(axis=0) / total) * present for z in (a, b))
        spread = np.sqrt((shared * a * a).sum(axis=0) * (shared * b * b).sum(axis=0))
        result[chosen] = np.where(varies, (shared * a * b).sum(axis=0) / np.where(varies, spread, 1.0), 0.0)
    return result
