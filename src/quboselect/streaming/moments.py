"""Moments: sums of squares and products about means, of which correlations and explained variance are made.

Batches are not added up as plain sums, which would lose the digits of large numbers of small spread. Each keeps its
means and what is left about them, and two are merged as Chan, Golub and LeVeque do: what was about two means becomes
what is about one. Means are distances from a value that occurs, so that what is constant stays so, without rounding.
All of it is scaled by powers of two, which are exact. So ``a + b`` depends on order and grouping by rounding only.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..counting.bins import Codes
from ..counting.correlations import SHIFTED, Explained, chunk_weights, membership, sample_chunks
from ..qubo import Bits, Matrix, Vector
from ..tables.table import Table
from ..tables.target import as_target
from .checks import Batch, errors_naming
from .edges import Coding
from .ranks import RANKS, VALUES

TINY = float(np.finfo(np.float64).tiny)
LEAST = -1021  # the exponent of zero, and of the smallest numbers


@dataclass(frozen=True, eq=False)
class Spread:
    """How many samples there are, their mean, and the sum of squares about it. ``a + b`` adds up two batches.

    Parameters
    ----------
    exponent : int array
        Numbers are divided by two to this power. All arrays have one shape, or this one is stretched to it.
    total : array
        The number of samples, or their weight.
    pivot : array
        A value among those of the samples, 0 where there are none.
    mean : array
        How far the mean is from the pivot.
    square : array
        The sum of squares about the mean, 0.0 where all samples are equal, and only there.

    Examples
    --------
    >>> zero = np.zeros(1, int)
    >>> one, three = (Spread(zero, np.ones(1), np.array([x]), np.zeros(1), np.zeros(1)) for x in (1.0, 3.0))
    >>> (one + three).mean, (one + three).square
    (array([1.]), array([2.]))
    """

    exponent: NDArray[np.intc]
    total: NDArray[np.float64]
    pivot: NDArray[np.float64]
    mean: NDArray[np.float64]
    square: NDArray[np.float64]

    def __add__(self, other: "Spread") -> "Spread":
        return merged(self, other)[0]

    def scaled(self, exponent: NDArray[np.intc]) -> "Spread":
        """Return the same with another exponent, which is not below its own."""
        factor = np.ldexp(1.0, self.exponent - exponent)
        return Spread(
            exponent, self.total, self.pivot * factor, self.mean * factor, self.square * factor * factor
        )


def merged(a: Spread, b: Spread) -> tuple[Spread, NDArray[np.float64], NDArray[np.float64]]:
    """Return the spread of both, how far their means are apart, and the weight that a product of such gaps has."""
    exponent = np.maximum(a.exponent, b.exponent)
    a, b = a.scaled(exponent), b.scaled(exponent)
    total = a.total + b.total
    gap = (b.pivot - a.pivot) + (b.mean - a.mean)
    share = b.total / np.maximum(total, TINY)
    weight = a.total * share
    empty = a.total == 0
    pivot = np.where(empty, b.pivot, a.pivot)
    mean = np.where(empty, b.mean, a.mean + gap * share)
    return Spread(exponent, total, pivot, mean, a.square + b.square + weight * gap * gap), gap, weight


@dataclass(frozen=True, eq=False)
class PairMoments:
    """The moments of every pair of features over the samples that have both. ``a + b`` adds up two batches.

    Parameters
    ----------
    spread : Spread of shape (n_features, n_features)
        That of feature i over the samples that have feature j.
    product : array of shape (n_features, n_features)
        The sum of products about both means.
    """

    spread: Spread
    product: Matrix

    def __add__(self, other: "PairMoments") -> "PairMoments":
        spread, gap, weight = merged(self.spread, other.spread)
        products = self._product(spread.exponent) + other._product(spread.exponent)
        return PairMoments(spread, products + weight * gap * gap.T)

    def _product(self, exponent: NDArray[np.intc]) -> Matrix:
        factor = np.ldexp(1.0, self.spread.exponent - exponent)
        scaled: Matrix = self.product * factor * factor.T
        return scaled

    def correlations(self) -> Matrix:
        """Return Pearson's correlation of every pair, as `counting.correlations.correlations` does of a table."""
        square = self.spread.square
        length = np.sqrt(square * square.T)
        found = np.divide(self.product, length, out=np.zeros_like(length), where=length > 0)
        found = np.triu(np.clip(found, -1.0, 1.0), 1)
        found += found.T
        np.fill_diagonal(found, np.diagonal(square) > 0)
        return found


@dataclass(frozen=True, eq=False)
class LineMoments:
    """The moments of each feature with a continuous target, over the samples that have it. ``a + b`` adds up batches.

    Parameters
    ----------
    x, y : Spread of shape (n_features,)
        Of the feature, and of the target.
    product : array of shape (n_features,)
        The sum of products about both means.
    left : array of shape (n_features,)
        The sum of squares that a straight line leaves of the target.
    """

    x: Spread
    y: Spread
    product: Vector
    left: Vector

    def __add__(self, other: "LineMoments") -> "LineMoments":
        x, gap_x, weight = merged(self.x, other.x)
        y, gap_y, _ = merged(self.y, other.y)
        a, b = self._scaled(x.exponent, y.exponent), other._scaled(x.exponent, y.exponent)
        inside = a.x.square + b.x.square
        inner = a.product + b.product
        slope, whole = _ratio(inner, inside), inside + weight * gap_x * gap_x
        # What is left would be nothing but rounding as a difference. As a sum it has three parts: what is left of each,
        # what one slope for both costs, and what one height for both does.
        turned = (_slope(a) - _slope(b)) ** 2 * _ratio(a.x.square * b.x.square, inside)
        moved = (gap_y - slope * gap_x) ** 2 * weight * np.where(whole > 0, _ratio(inside, whole), 1.0)
        return LineMoments(x, y, inner + weight * gap_x * gap_y, a.left + b.left + turned + moved)

    def _scaled(self, of_x: NDArray[np.intc], of_y: NDArray[np.intc]) -> "LineMoments":
        x, y = np.ldexp(1.0, self.x.exponent - of_x), np.ldexp(1.0, self.y.exponent - of_y)
        return LineMoments(self.x.scaled(of_x), self.y.scaled(of_y), self.product * x * y, self.left * y * y)

    def explained(self, unit: float = 1.0) -> Explained:
        """Return what `explained_by_line` does of a table; ``unit`` is the weight of one sample."""
        varies = ((self.x.square > 0) & (self.y.square > 0)).astype(np.float64)
        degrees = np.maximum(self.x.total / unit - 2, 0.0)
        return Explained(varies * self.product * _slope(self), varies * self.left, varies, varies * degrees)


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """The moments of each feature within each class, over the samples that have it. ``a + b`` adds up two batches.

    Parameters
    ----------
    spread : Spread of shape (n_classes, n_features)
    """

    spread: Spread

    def __add__(self, other: "ClassMoments") -> "ClassMoments":
        return ClassMoments(self.spread + other.spread)

    def grown(self, n_classes: int) -> "ClassMoments":
        """Return the same with room for classes that have no samples yet."""
        more = [(0, n_classes - len(self.spread.total)), (0, 0)]
        named = {
            name: np.pad(getattr(self.spread, name), more) for name in ("total", "pivot", "mean", "square")
        }
        return ClassMoments(replace(self.spread, **named))

    def explained(self, unit: float = 1.0) -> Explained:
        """Return what `explained_by_classes` does of a table; ``unit`` is the weight of one sample."""
        total, pivot = self.spread.total, self.spread.pivot
        some = total > 0
        first = pivot[some.argmax(axis=0), np.arange(pivot.shape[1])]
        mean = np.where(some, pivot - first + self.spread.mean, 0.0)
        everything = np.maximum(total.sum(axis=0), TINY)
        between = (total * (mean - (total * mean).sum(axis=0) / everything) ** 2).sum(axis=0)
        within, groups = self.spread.square.sum(axis=0), some.sum(axis=0)
        varies = (between + within > 0).astype(np.float64)
        parameters = varies * np.maximum(groups - 1, 0)
        between = np.where(parameters > 0, between, 0.0)
        return Explained(between, within, parameters, varies * np.maximum(everything / unit - groups, 0.0))


@dataclass(frozen=True, eq=False)
class Moments:
    """What measures by correlation need of some batches. ``a + b`` adds up two of them.

    Parameters
    ----------
    target : LineMoments, ClassMoments or None
        With the target, continuous or of classes; None where the importance needs none.
    pairs : PairMoments or None
        Of pairs of features; None where the redundancy needs none.
    """

    target: LineMoments | ClassMoments | None = None
    pairs: PairMoments | None = None

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(_both(self.target, other.target), _both(self.pairs, other.pairs))

    def grown(self, n_classes: int) -> "Moments":
        """Return the same with room for classes that have no samples yet."""
        target = self.target
        return replace(self, target=target.grown(n_classes) if isinstance(target, ClassMoments) else target)


NO_MOMENTS = Moments()


def _both(here: Any, there: Any) -> Any:
    """Return the sum of two, or the one that there is."""
    return here if there is None else there if here is None else here + there


def batch_moments(coding: Coding, table: Table, label: Codes, batch: Batch) -> Moments:
    """Return the moments of one batch, as far as its coding wants them.

    Parameters
    ----------
    coding : Coding
    table : Table
        As `Coding.table` returns it.
    label : Codes
        The target's codes, which are its classes where it has classes.
    batch : Batch
        Its weights are units, as `weighed` returns them.
    """
    kinds = coding.moments
    target: LineMoments | ClassMoments | None = None
    pairs: PairMoments | None = None
    if not any(kinds):
        return NO_MOMENTS
    weights = None if batch.weight is None else batch.weight.astype(np.float64)
    with errors_naming(batch.name):
        values = {VALUES: np.where(coding.excluded, 0.0, table.matrix())}
        if RANKS in kinds:
            values[RANKS] = coding.ranked(values[VALUES])
        if kinds.target is not None and coding.continuous:
            numbers = as_target(batch.y, "continuous").values
            numbers = coding.ranks[-1].of(numbers, "y") if kinds.target == RANKS else numbers
            target = line_moments(values[kinds.target], numbers, weights)
        elif kinds.target is not None:
            target = class_moments(values[kinds.target], label.values[0], coding.n_labels, weights)
        if kinds.pairs is not None:
            pairs = pair_moments(values[kinds.pairs], weights)
    return Moments(target, pairs)


def line_moments(X: NDArray[Any], y: NDArray[Any], weights: Vector | None = None) -> LineMoments:
    """Return the moments of numbers with a continuous target.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        NaN is missing.
    y : array of shape (n_samples,)
    weights : array of shape (n_samples,), optional
        How often each sample counts.

    Examples
    --------
    >>> line_moments(np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0])).explained().share
    array([0.25])
    """
    return reduce(add, (_line(chunk, y[part]) for part, chunk in _chunks(X, weights)))


def class_moments(
    X: NDArray[Any], classes: NDArray[Any], n_classes: int, weights: Vector | None = None
) -> ClassMoments:
    """Return the moments of numbers within each class.

    Parameters
    ----------
    X, weights
        As in `line_moments`.
    classes : int array of shape (n_samples,)
        From 0.
    n_classes : int

    Examples
    --------
    >>> class_moments(np.array([[1.0], [3.0], [5.0], [7.0]]), np.array([0, 0, 1, 1]), 2).explained().share
    array([0.8])
    """
    return reduce(add, (_classes(chunk, classes[part], n_classes) for part, chunk in _chunks(X, weights)))


def pair_moments(X: NDArray[Any], weights: Vector | None = None) -> PairMoments:
    """Return the moments of every pair of features.

    Parameters
    ----------
    X, weights
        As in `line_moments`.

    Examples
    --------
    >>> pair_moments(np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]])).correlations()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    return reduce(add, (_pairs(chunk) for _, chunk in _chunks(X, weights)))


def _chunks(X: NDArray[Any], weights: Vector | None) -> Iterator[tuple[slice, "Chunk"]]:
    """Yield some thousands of samples at a time."""
    for part in sample_chunks(X):
        yield part, Chunk.of(X[part], chunk_weights(weights, part, part.stop - part.start))


class Chunk(NamedTuple):
    """Some samples of all features, scaled to about one, and centred."""

    X: Matrix  # scaled, NaN where missing
    exponent: NDArray[np.intc]
    present: Bits
    first: NDArray[np.intp]  # the first sample that has the feature
    weights: Matrix  # of each sample, 0 where the feature is missing
    pivot: Vector  # the feature's value there
    mean: Vector  # as far from the pivot
    Z: Matrix  # about the mean, 0 where missing

    @classmethod
    def of(cls, values: NDArray[Any], w: Vector) -> "Chunk":
        """Return samples, centred at the mean of each feature."""
        X, exponent = _scaled(values.astype(np.float64))
        present = ~np.isnan(X)
        first, weights = present.argmax(axis=0), present * w[:, None]
        pivot = np.nan_to_num(X[first, np.arange(first.size)])
        Z, mean = _centred(np.where(present, X - pivot, 0.0), weights)
        return cls(X, exponent, present, first, weights, pivot, mean, Z)

    def spread(self) -> Spread:
        """Return the spread of each feature."""
        square = (self.weights * self.Z * self.Z).sum(axis=0)
        return Spread(self.exponent, self.weights.sum(axis=0), self.pivot, self.mean, square)


def _line(chunk: Chunk, target: NDArray[Any]) -> LineMoments:
    """Return the moments of some samples with a continuous target."""
    (y, exponent), weights, present = (
        _scaled(target.astype(np.float64)[:, None]),
        chunk.weights,
        chunk.present,
    )
    x, pivot = chunk.spread(), y[chunk.first, 0]
    V, mean = _centred(np.where(present, y - pivot, 0.0), weights)
    product = (weights * chunk.Z * V).sum(axis=0)
    rest = V - _ratio(product, x.square) * chunk.Z
    square, left = ((weights * part * part).sum(axis=0) for part in (V, rest))
    exponents = np.repeat(exponent, pivot.size)
    return LineMoments(x, Spread(exponents, x.total, pivot, mean, square), product, left)


def _classes(chunk: Chunk, classes: NDArray[Any], size: int) -> ClassMoments:
    """Return the moments of some samples within each class."""
    members = membership(classes, size, np.ones(classes.size))
    total = members @ chunk.weights
    means = members @ (chunk.weights * chunk.Z) / np.maximum(total, TINY)
    rest = chunk.Z - means[classes]
    square = members @ (chunk.weights * rest * rest)
    pivot = np.repeat(chunk.pivot[None], size, axis=0)
    return ClassMoments(Spread(chunk.exponent, total, pivot, chunk.mean + means, square))


def _pairs(chunk: Chunk) -> PairMoments:
    """Return the moments of some samples for every pair of features."""
    Z, weights, present = chunk.Z, chunk.weights, chunk.present
    n = chunk.pivot.size
    product: Matrix = (weights * Z).T @ Z
    total, pivot, mean, square = (
        np.repeat(one[:, None], n, axis=1)
        for one in (weights.sum(axis=0), chunk.pivot, chunk.mean, np.diagonal(product))
    )
    holes = np.flatnonzero(~present.all(axis=0))
    varies = square[:, :1] > 0
    if holes.size:
        # What feature i adds up to over the samples that have feature j; only a j with holes makes a difference.
        there = weights[:, holes]
        total[:, holes], square[:, holes] = present.T.astype(np.float64) @ there, (Z * Z).T @ there
        sums = np.zeros((n, n))
        sums[:, holes] = Z.T @ there
        share = sums / np.maximum(total, TINY)
        whole, square = square, np.maximum(square - sums * share, 0.0)
        mean, product = mean + share, product - sums * share.T
        # Where the samples in common lie far from a feature's mean, or are all alike, these would be rounding.
        shifted = (square <= SHIFTED * whole) & varies & (total > 0)
        shifted = np.triu(shifted | shifted.T, 1)
        for i in np.flatnonzero(shifted.any(axis=1)):
            others = np.flatnonzero(shifted[i])
            both = present[:, [i]] & present[:, others]
            w, at = weights[:, [i]] * both, both.argmax(axis=0)
            sides = []
            for k, place in ((np.array([i]), (i, others)), (others, (others, i))):
                pivot[place] = chunk.X[at, k]
                side, mean[place] = _centred(np.where(both, chunk.X[:, k] - chunk.X[at, k], 0.0), w)
                square[place] = (w * side * side).sum(axis=0)
                sides.append(side)
            product[i, others] = product[others, i] = (w * sides[0] * sides[1]).sum(axis=0)
    return PairMoments(Spread(chunk.exponent[:, None], total, pivot, mean, square), product)


def _scaled(X: Matrix) -> tuple[Matrix, NDArray[np.intc]]:
    """Return numbers divided by a power of two, for each feature, and these powers."""
    largest = np.fmax.reduce(np.abs(X), axis=0, initial=0.0)
    exponent = np.where(largest > 0, np.maximum(np.frexp(largest)[1], LEAST), LEAST).astype(np.intc)
    return X * np.ldexp(1.0, -exponent), exponent


def _centred(Z: Matrix, weights: Matrix) -> tuple[Matrix, Vector]:
    """Return numbers about their mean, 0 where the weight is, and the mean."""
    total, mean, there = np.maximum(weights.sum(axis=0), TINY), np.zeros(Z.shape[1]), weights > 0
    for _ in range(2):  # the second time takes off what was rounded the first
        step = (weights * Z).sum(axis=0) / total
        Z, mean = (Z - step) * there, mean + step
    return Z, mean


def _slope(line: LineMoments) -> Vector:
    return _ratio(line.product, line.x.square)


def _ratio(a: Vector, b: Vector) -> Vector:
    """Return a / b, 0 where b is."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
