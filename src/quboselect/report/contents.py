"""What a report shows, as values: the subsets of each size over alpha, and the document that its scripts work with.

Redundancy between all features is packed coarsely, a byte a pair, which is enough for a picture. With the features that
any of the subsets has it is precise, because every number of the page is computed from it.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ..qubo import Bits, Matrix
from ..result import Result
from ..search.path import Path, Segment
from ..tradeoff import Line, Tradeoff
from .comparison import Comparison
from .facts import NOTHING, Facts, TableProfile

Indices = npt.NDArray[np.intp]

# A page of more features than the first shows this many of the most important, and those of the paths.
MOST_FEATURES, MOST_IMPORTANT = 900, 400
# Numbers of redundancy with features of the paths: four bytes each up to the first, two up to the second, none above.
FEW_CELLS, MOST_CELLS = 75_000, 150_000
# The best order of this many features takes a second, and of more of them minutes.
MOST_ORDERED = 250
# Of fewer pairs none is too far above the others to be drawn to scale.
FEW_PAIRS = 20


@dataclass(frozen=True, eq=False)
class Contents:
    """A result, and what a report shows of the paths around it.

    Parameters
    ----------
    result : Result
    tradeoff : Tradeoff
        Of the features that the report knows: all, or those of the path where the table is wide.
    features : int array
        The numbers of these features in the table.
    path : Path or None
        Over all sizes, of these features; None where redundancies may be negative, or nothing was explored.
    sizes : mapping of int to segments
        Of each number of units, the best subsets of that size in the order of alpha. The selection is one of them.
    window : two floats
        From where to where in alpha the path was explored; the rest of it is not shown.
    comparison : Comparison, optional
        The selection beside those of the baselines.
    facts : Facts
        What the report was told beside the result.
    """

    result: Result
    tradeoff: Tradeoff
    features: Indices
    path: Path | None
    sizes: Mapping[int, Sequence[Segment]]
    window: tuple[float, float] = (0.0, 1.0)
    comparison: Comparison | None = None
    facts: Facts = NOTHING

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

    @property
    def support(self) -> Bits:
        """Which of these features are selected."""
        bits: Bits = self.result.support[self.features]
        return bits

    @property
    def held(self) -> bool:
        """Whether the selection was held to k at an alpha, be that on the path over all sizes or not."""
        return not self.result.on_path and self.result.passes is None

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The segments of the path over all sizes that are shown."""
        if self.path is None:
            return ()
        since, until = self.window
        # Segments at a single alpha, such as the empty set at 0, are no places to go to.
        shown = tuple(each for each in self.path if since <= each.start < each.stop <= until)
        return shown or self.path[:1]

    @cached_property
    def on_path(self) -> Segment | None:
        """The segment of the path over all sizes that is the selected subset, be its window that of the fit or not."""
        return next((each for each in self.segments if np.array_equal(each.x, self.support)), None)

    @cached_property
    def selection(self) -> Segment:
        """The selection: in its window on the path, or at the alpha of the fit."""
        alpha, x, place = self.result.alpha, self.support, self.on_path
        if not self.held and place is not None and place.start <= alpha <= place.stop:
            return place
        return Segment(alpha, alpha, x, *self.tradeoff.line(x), gap=self.result.gap)

    @property
    def own(self) -> Sequence[Segment]:
        """The path of the size of the selection."""
        return self.sizes[self.result.k]

    @cached_property
    def here(self) -> int:
        """The place of the selection on the path of its size: at the alpha of the fit if it stands there."""
        same = [i for i, each in enumerate(self.own) if np.array_equal(each.x, self.support)]
        alpha = self.result.alpha
        inside = [i for i in same if self.own[i].start <= alpha <= self.own[i].stop]
        return min(inside or same, key=lambda i: self.own[i].stop - self.own[i].start)

    @cached_property
    def same_window(self) -> tuple[float, float]:
        """From where to where in alpha no better subset of the size of the selection was found."""
        first = last = self.here
        while first and np.array_equal(self.own[first - 1].x, self.support):
            first -= 1
        while last + 1 < len(self.own) and np.array_equal(self.own[last + 1].x, self.support):
            last += 1
        return self.own[first].start, self.own[last].stop

    @cached_property
    def uses(self) -> Indices:
        """In how many of the subsets each feature is."""
        counts: Indices = np.sum([each.x for each in chain(self.segments, *self.sizes.values())], axis=0)
        return counts

    @property
    def used(self) -> Indices:
        """Every feature that is in one of the subsets."""
        return np.flatnonzero(self.uses)

    def units(self, x: Bits) -> int:
        """Return how many units a subset has."""
        return int(np.unique(self.result.constraints.unit[self.features[x]]).size)


def change(places: Sequence[Segment], i: int) -> tuple[Indices, Indices]:
    """Return the features that enter and that leave at a place, coming from the one before it."""
    after = places[i].x
    before = places[i - 1].x if i else np.zeros_like(after)
    return np.flatnonzero(after & ~before), np.flatnonzero(before & ~after)


def document(contents: Contents) -> dict[str, Any]:
    """Return what the page's scripts work with, as values that JSON can hold."""
    tradeoff, shown, facts = contents.tradeoff, features_shown(contents), contents.facts
    numbers = contents.features[shown].tolist()
    where = np.full(tradeoff.size, -1)
    where[shown] = np.arange(shown.size)
    redundancy = np.asarray(tradeoff.among(shown))
    # What repeats nothing needs neither a place in the map nor a row of zeros.
    out = contents.excluded[shown]
    live = np.flatnonzero(redundancy[:, ~out].any(axis=1) & ~out)
    order = live[similarity_order(redundancy[np.ix_(live, live)])]
    used = where[most_used(contents)]
    used = np.sort(used[np.isin(used, live)][: MOST_CELLS // max(live.size, 1)])

    def values(place: Segment) -> dict[str, Any]:
        gap = place.gap if np.isfinite(place.gap) else None
        sums = {"importance": place.importance, "redundancy": place.redundancy, "gap": gap}
        return {"start": place.start, "stop": place.stop, **sums}

    return {
        "names": [contents.labels[i] for i in shown],
        "numbers": numbers,
        "excluded": np.flatnonzero(out).tolist(),
        "importance": np.where(out, 0.0, tradeoff.importance[shown]).tolist(),
        "cost": tradeoff.cost[shown].tolist() if tradeoff.cost.any() else None,
        "paths": [
            {"k": k, "places": [{**values(each), "x": where[each.features].tolist()} for each in places]}
            for k, places in contents.sizes.items()
        ],
        "whole": [
            {**values(each), "k": contents.units(each.x), "size": each.size} for each in contents.segments
        ],
        "here": {"k": contents.result.k, "alpha": contents.result.alpha, "place": contents.here},
        "frequency": None if facts.stability is None else [facts.stability.frequency[i] for i in numbers],
        "missing": None if facts.profile is None else [missing_share(facts.profile, i) for i in numbers],
        "units": "groups" if contents.result.constraints.grouped else "features",
        "total": contents.total,
        "live": live.tolist(),
        "precise": precise_block(redundancy, live, used),
        "map": coarse_map(redundancy, order),
    }


def missing_share(profile: TableProfile, i: int) -> float | None:
    """Return the share of samples without a value of a feature; None where it was not read."""
    found = profile.features[i]
    return None if found is None else found.missing


def most_used(contents: Contents) -> Indices:
    """Return the features of the subsets: those of the selection, then those that are in the most others."""
    order = np.lexsort((-contents.uses, ~contents.support))
    return order[: contents.used.size]


def features_shown(contents: Contents) -> Indices:
    """Return all features, or where they are too many the most important and those of the paths."""
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


def shade_limit(pairs: npt.ArrayLike) -> float:
    """Return the redundancy that is drawn darkest: the largest, unless very few pairs are far above all others.

    One pair that is nearly the same feature twice would leave all others pale.

    Examples
    --------
    >>> shade_limit([0.5, 0.4, 0.3]), shade_limit([9.0] + [0.5] * 30)
    (0.5, 0.5)
    """
    falling = -np.sort(-np.asarray(pairs, np.float64))
    largest = max(float(falling[0]), 0.0) if falling.size else 0.0
    if falling.size < FEW_PAIRS:
        return largest
    rest = float(falling[-(-falling.size // 100)])  # one in a hundred may be above, and one of few
    return rest if rest > 0.0 and largest > 1.5 * rest else largest


def coarse_map(redundancy: Matrix, order: Indices) -> dict[str, Any]:
    """Return redundancy as a picture: a byte for each pair of features in an order, the first's row first."""
    lowest, largest = float(redundancy.min(initial=0.0)), float(redundancy.max(initial=0.0))
    pairs = redundancy[np.ix_(order, order)][np.triu_indices(order.size, 1)]
    scaled = np.rint((pairs - lowest) / (largest - lowest or 1.0) * 255.0).astype(np.uint8)
    scale = {"lowest": lowest, "largest": largest, "shade": shade_limit(pairs)}
    return {"order": order.tolist(), **scale, "bytes": base64_text(scaled)}


def precise_block(redundancy: Matrix, live: Indices, features: Indices) -> dict[str, Any] | None:
    """Return the redundancy of live features with those of the paths, row by row; None where it is too much."""
    block = redundancy[np.ix_(live, features)]
    if block.size > MOST_CELLS:
        return None
    lowest, scale, width, packed = 0.0, 1.0, 4, block.astype("<f4")
    if block.size > FEW_CELLS:
        lowest, width = float(block.min(initial=0.0)), 2
        scale = (float(block.max(initial=0.0)) - lowest) / 65535.0 or 1.0
        packed = np.rint((block - lowest) / scale).astype("<u2")
    numbers = {"lowest": lowest, "scale": scale, "width": width}
    return {"features": features.tolist(), **numbers, "bytes": base64_text(packed)}


def base64_text(array: npt.NDArray[Any]) -> str:
    """Return the bytes of an array as text."""
    return b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")


def feature_sums(tradeoff: Tradeoff, x: Bits, alpha: float) -> tuple[npt.NDArray[np.float64], ...]:
    """Return of each feature of a subset its redundancy with the others, and by how much it improves the objective.

    Examples
    --------
    >>> repeated, gained = feature_sums(Tradeoff([2.0, 1.0], [[0.0, 1.0], [1.0, 0.0]]), np.array([True, True]), 0.5)
    >>> repeated.tolist(), gained.tolist()
    ([1.0, 1.0], [0.5, 0.0])
    """
    (chosen,) = np.nonzero(x)
    repeated = np.asarray(tradeoff.among(chosen), np.float64).sum(axis=1)
    # From 0, as the negative of nothing would be shown with a sign.
    gained = 0.0 - Line(tradeoff.importance[chosen], repeated + tradeoff.cost[chosen]).energy(alpha)
    return repeated, gained
