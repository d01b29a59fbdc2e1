"""What a report shows, as values: the places along the path, and the document that the page's scripts work with.

Redundancy between all features is packed coarsely, a byte a pair, which is enough for a picture. With the features of
the path it is precise, because every number of the page is computed from it.
"""

from base64 import b64encode
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..qubo import Bits, Matrix
from ..result import Result
from ..search.path import Path, Segment
from ..tradeoff import Line, Tradeoff
from .comparison import Comparison

Indices = npt.NDArray[np.intp]

# A page of more features than the first shows this many of the most important, and those of the path.
MOST_FEATURES, MOST_IMPORTANT = 900, 400
# Numbers of redundancy with features of the path: four bytes each up to the first, two up to the second, none above.
FEW_CELLS, MOST_CELLS = 75_000, 150_000
# The best order of this many features takes a second, and of more of them minutes.
MOST_ORDERED = 250


@dataclass(frozen=True, eq=False)
class Contents:
    """A result, and what a report shows of the path around it.

    Parameters
    ----------
    result : Result
    tradeoff : Tradeoff
        Of the features that the report knows: all, or those of the path where the table is wide.
    features : int array
        The numbers of these features in the table.
    path : Path
        Of these features.
    window : two floats
        From where to where in alpha the path was explored; the rest of it is not shown.
    comparison : Comparison, optional
        The selection beside those of the baselines.
    """

    result: Result
    tradeoff: Tradeoff
    features: Indices
    path: Path
    window: tuple[float, float] = (0.0, 1.0)
    comparison: Comparison | None = None

    @property
    def total(self) -> int:
        """How many features the table has."""
        return self.result.tradeoff.size

    @cached_property
    def labels(self) -> list[str]:
        """The names of the features that the report knows."""
        labels = self.result.labels
        return [labels[i] for i in self.features]

    @property
    def excluded(self) -> Bits:
        """Which of these features were excluded: they are named, but have no numbers."""
        bits: Bits = self.result.constraints.excluded[self.features]
        return bits

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The segments of the path that are shown."""
        since, until = self.window
        # Segments at a single alpha, such as the empty set at 0, are no places to go to.
        shown = tuple(each for each in self.path if since <= each.start < each.stop <= until)
        return shown or self.path[:1]

    @cached_property
    def off_path(self) -> bool:
        """Whether the selection is none of the segments, and so a place of its own."""
        support = self.result.support[self.features]
        return not any(np.array_equal(segment.x, support) for segment in self.segments)

    @cached_property
    def here(self) -> int:
        """The place of the selection."""
        if self.off_path:
            return sum(segment.start < self.result.alpha for segment in self.segments)
        support = self.result.support[self.features]
        return next(i for i, segment in enumerate(self.segments) if np.array_equal(segment.x, support))

    @cached_property
    def places(self) -> tuple[Segment, ...]:
        """The places that the page leads to, in the order of alpha: the segments and the selection."""
        if not self.off_path:
            return self.segments
        alpha, x = self.result.alpha, self.result.support[self.features]
        own = Segment(alpha, alpha, x, *self.tradeoff.line(x), gap=self.result.gap)
        return (*self.segments[: self.here], own, *self.segments[self.here :])

    @property
    def selection(self) -> Segment:
        """The selection as a place."""
        return self.places[self.here]

    @property
    def alpha(self) -> float | None:
        """The alpha of the selection; None where its place is elsewhere."""
        inside = self.selection.start <= self.result.alpha <= self.selection.stop
        return self.result.alpha if inside else None

    @property
    def used(self) -> Indices:
        """Every feature that is in one of the places."""
        return np.flatnonzero(np.any([place.x for place in self.places], axis=0))

    def change(self, i: int) -> tuple[Indices, Indices]:
        """Return the features that enter and that leave at a place, coming from the one before it."""
        after = self.places[i].x
        before = self.places[i - 1].x if i else np.zeros_like(after)
        return np.flatnonzero(after & ~before), np.flatnonzero(before & ~after)


def document(contents: Contents) -> dict[str, Any]:
    """Return what the page's scripts work with, as values that JSON can hold."""
    tradeoff, shown = contents.tradeoff, features_shown(contents)
    where = np.full(tradeoff.size, -1)
    where[shown] = np.arange(shown.size)
    redundancy = np.asarray(tradeoff.among(shown))
    # What repeats nothing needs neither a place in the map nor a row of zeros.
    out = contents.excluded[shown]
    live = np.flatnonzero(redundancy[:, ~out].any(axis=1) & ~out)
    order = live[similarity_order(redundancy[np.ix_(live, live)])]
    path_features = where[contents.used]
    path_features = path_features[np.isin(path_features, live)]
    return {
        "names": [contents.labels[i] for i in shown],
        "numbers": contents.features[shown].tolist(),
        "excluded": np.flatnonzero(out).tolist(),
        "importance": np.where(out, 0.0, tradeoff.importance[shown]).tolist(),
        "cost": tradeoff.cost[shown].tolist() if tradeoff.cost.any() else None,
        "places": [
            {
                "start": place.start,
                "stop": place.stop,
                "x": where[place.features].tolist(),
                "importance": place.importance,
                "redundancy": place.redundancy,
                "gap": place.gap if np.isfinite(place.gap) else None,
                "extra": contents.off_path and i == contents.here,
            }
            for i, place in enumerate(contents.places)
        ],
        "here": contents.here,
        "alpha": contents.alpha,
        "total": contents.total,
        "live": live.tolist(),
        "precise": precise_block(redundancy, live, path_features),
        "map": coarse_map(redundancy, order),
    }


def features_shown(contents: Contents) -> Indices:
    """Return all features, or where they are too many the most important and those of the path."""
    tradeoff = contents.tradeoff
    if tradeoff.size <= MOST_FEATURES:
        return np.arange(tradeoff.size)
    important = np.argsort(-tradeoff.importance, kind="stable")[:MOST_IMPORTANT]
    return np.union1d(important, contents.used)


def similarity_order(redundancy: Matrix) -> Indices:
    """Return an order of features in which those that repeat each other are neighbours.

    It is that of the leaves of a tree of average linkage, neighbours as alike as the tree allows.

    Examples
    --------
    >>> order = similarity_order(np.array([[0, 0.1, 0.9], [0.1, 0, 0.1], [0.9, 0.1, 0]])).tolist()
    >>> abs(order.index(0) - order.index(2))
    1
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    n = len(redundancy)
    if n < 3:
        return np.arange(n)
    apart = (redundancy.max() - redundancy)[np.triu_indices(n, 1)]
    order: Indices = leaves_list(linkage(apart, "average", optimal_ordering=n <= MOST_ORDERED))
    return order.astype(np.intp)


def coarse_map(redundancy: Matrix, order: Indices) -> dict[str, Any]:
    """Return redundancy as a picture: a byte for each pair of features in an order, the first's row first."""
    largest = float(redundancy.max(initial=0.0))
    pairs = redundancy[np.ix_(order, order)][np.triu_indices(order.size, 1)]
    scaled = np.rint(pairs / (largest or 1.0) * 255.0).astype(np.uint8)
    return {"order": order.tolist(), "largest": largest, "bytes": base64_text(scaled)}


def precise_block(redundancy: Matrix, live: Indices, features: Indices) -> dict[str, Any] | None:
    """Return the redundancy of live features with those of the path, row by row; None where it is too much."""
    block = redundancy[np.ix_(live, features)]
    if block.size > MOST_CELLS:
        return None
    scale, width, packed = 1.0, 4, block.astype("<f4")
    if block.size > FEW_CELLS:
        scale, width = float(block.max(initial=0.0)) / 65535.0 or 1.0, 2
        packed = np.rint(block / scale).astype("<u2")
    return {"features": features.tolist(), "scale": scale, "width": width, "bytes": base64_text(packed)}


def base64_text(array: npt.NDArray[Any]) -> str:
    """Return the bytes of an array as text."""
    return b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")


def feature_sums(tradeoff: Tradeoff, x: Bits, alpha: float) -> tuple[npt.NDArray[np.float64], ...]:
    """Return of each feature of a subset its redundancy with the others, and what it contributes to the energy.

    Examples
    --------
    >>> repeated, added = feature_sums(Tradeoff([2.0, 1.0], [[0.0, 1.0], [1.0, 0.0]]), np.array([True, True]), 0.5)
    >>> repeated.tolist(), added.tolist()
    ([1.0, 1.0], [-0.5, 0.0])
    """
    (chosen,) = np.nonzero(x)
    repeated = np.asarray(tradeoff.among(chosen), np.float64).sum(axis=1)
    added = Line(tradeoff.importance[chosen], repeated + tradeoff.cost[chosen]).energy(alpha)
    return repeated, added
