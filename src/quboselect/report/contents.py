"""What a report shows, as plain values. A tradeoff, a path and the subset that was chosen flow in; places along the
path flow out, and a document that JSON can say, with redundancy packed into bytes.

Redundancy between all features is coarse, a byte a pair, as a picture needs no more. With the features of the path it
is precise, as every number of the page is computed from it.
"""

from base64 import b64encode
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..qubo import Bits, Matrix
from ..search.choice import Chosen
from ..search.path import Path, Segment
from ..tradeoff import Tradeoff

Indices = npt.NDArray[np.intp]

# More features than this are too many for one page: so many of the most important stand for them.
MOST_FEATURES, MOST_IMPORTANT = 900, 400
# Numbers of redundancy with features of the path: four bytes each while they are few, two above, none beyond.
FEW_CELLS, MOST_CELLS = 75_000, 150_000
# An order of so many features in which neighbours are as alike as can be takes a second, and more of them minutes.
MOST_ORDERED = 250


@dataclass(frozen=True, eq=False)
class Places:
    """The places a report leads to, in the order of alpha: segments, and the chosen subset where it is none.

    ``here`` is the place of the chosen subset, None where nothing was chosen; ``extra`` says that it is a place of its
    own, off the path. ``alpha`` is where it was chosen.
    """

    segments: tuple[Segment, ...]
    here: int | None = None
    extra: bool = False
    alpha: float | None = None

    @property
    def on_path(self) -> tuple[Segment, ...]:
        """The segments alone."""
        return tuple(each for i, each in enumerate(self.segments) if not (self.extra and i == self.here))

    @property
    def features(self) -> Indices:
        """Every feature that is in one of the places."""
        return np.flatnonzero(np.any([segment.x for segment in self.segments], axis=0))

    def change(self, i: int) -> tuple[Indices, Indices]:
        """Return the features that enter and that leave at a place, coming from the one before it."""
        after = self.segments[i].x
        before = self.segments[i - 1].x if i else np.zeros_like(after)
        return np.flatnonzero(after & ~before), np.flatnonzero(before & ~after)


def places(path: Path, tradeoff: Tradeoff, chosen: Chosen | None, window: tuple[float, float]) -> Places:
    """Return the places of a report: the segments within a window of alpha, and the chosen subset.

    Examples
    --------
    >>> from quboselect import alpha_path
    >>> tradeoff = Tradeoff([2.0, 1.0], [[0.0, 1.0], [1.0, 0.0]])
    >>> [segment.size for segment in places(alpha_path(tradeoff), tradeoff, None, (0.0, 1.0)).segments]
    [1, 2]
    """
    since, until = window
    shown = [segment for segment in path if since <= segment.start and segment.stop <= until]
    # Nothing at all is optimal at 0 alone, as a rule, which is no place to go to.
    shown = [segment for segment in shown if segment.stop > segment.start] or list(path[:1])
    if chosen is None:
        return Places(tuple(shown))
    best = chosen.solutions.best
    for i, segment in enumerate(shown):
        if np.array_equal(segment.x, best):
            inside = segment.start <= chosen.alpha <= segment.stop
            return Places(tuple(shown), i, alpha=chosen.alpha if inside else None)
    place = Segment(chosen.alpha, chosen.alpha, best, *tradeoff.line(best), gap=chosen.solutions.gap)
    here = sum(segment.start < chosen.alpha for segment in shown)
    return Places((*shown[:here], place, *shown[here:]), here, True, chosen.alpha)


def document(
    tradeoff: Tradeoff, known: Places, names: list[str], numbers: Indices, excluded: Bits
) -> dict[str, Any]:
    """Return what the page's script works with.

    Parameters
    ----------
    tradeoff : Tradeoff
    known : Places
    names : list of str
        Of the features.
    numbers : int array
        The number of each feature in the table.
    excluded : bool array
        The features that are named but have no numbers.
    """
    shown = features_shown(tradeoff, known)
    where = np.full(tradeoff.size, -1)
    where[shown] = np.arange(shown.size)
    redundancy = np.asarray(tradeoff.redundancy[np.ix_(shown, shown)])
    # What repeats nothing needs neither a place in the map nor a row of zeros.
    out = excluded[shown]
    live = np.flatnonzero(redundancy[:, ~out].any(axis=1) & ~out)
    order = live[alike(redundancy[np.ix_(live, live)])]
    path_features = where[known.features]
    path_features = path_features[np.isin(path_features, live)]
    return {
        "names": [names[i] for i in shown],
        "numbers": numbers[shown].tolist(),
        "excluded": np.flatnonzero(out).tolist(),
        "importance": np.where(out, 0.0, tradeoff.importance[shown]).tolist(),
        "cost": tradeoff.cost[shown].tolist() if tradeoff.cost.any() else None,
        "places": [
            {
                "start": segment.start,
                "stop": segment.stop,
                "x": where[segment.features].tolist(),
                "importance": segment.importance,
                "redundancy": segment.redundancy,
                "gap": segment.gap if np.isfinite(segment.gap) else None,
                "extra": known.extra and i == known.here,
            }
            for i, segment in enumerate(known.segments)
        ],
        "here": known.here,
        "alpha": known.alpha,
        "live": live.tolist(),
        "precise": precise(redundancy, live, path_features),
        "map": coarse(redundancy, order),
    }


def features_shown(tradeoff: Tradeoff, known: Places) -> Indices:
    """Return all features, or where they are too many the most important and those of the path."""
    if tradeoff.size <= MOST_FEATURES:
        return np.arange(tradeoff.size)
    important = np.argsort(-tradeoff.importance, kind="stable")[:MOST_IMPORTANT]
    return np.union1d(important, known.features)


def alike(redundancy: Matrix) -> Indices:
    """Return an order of features in which those that repeat each other stand together.

    Examples
    --------
    >>> order = alike(np.array([[0, 0.1, 0.9], [0.1, 0, 0.1], [0.9, 0.1, 0]])).tolist()
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


def coarse(redundancy: Matrix, order: Indices) -> dict[str, Any]:
    """Return redundancy as a picture: a byte for each pair of features in an order, the first's row first."""
    largest = float(redundancy.max(initial=0.0))
    pairs = redundancy[np.ix_(order, order)][np.triu_indices(order.size, 1)]
    scaled = np.rint(pairs / (largest or 1.0) * 255.0).astype(np.uint8)
    return {"order": order.tolist(), "largest": largest, "bytes": text(scaled)}


def precise(redundancy: Matrix, live: Indices, features: Indices) -> dict[str, Any] | None:
    """Return the redundancy of live features with those of the path, row by row; None where it is too much."""
    block = redundancy[np.ix_(live, features)]
    if block.size > MOST_CELLS:
        return None
    largest = float(block.max(initial=0.0))
    if block.size <= FEW_CELLS:
        return {"features": features.tolist(), "scale": 1.0, "width": 4, "bytes": text(block.astype("<f4"))}
    scale = largest / 65535.0 or 1.0
    scaled = np.rint(block / scale).astype("<u2")
    return {"features": features.tolist(), "scale": scale, "width": 2, "bytes": text(scaled)}


def text(array: npt.NDArray[Any]) -> str:
    """Return the bytes of an array as text (base 64)."""
    return b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")


def sums(tradeoff: Tradeoff, x: Bits, alpha: float) -> tuple[npt.NDArray[np.float64], ...]:
    """Return of each feature of a subset its redundancy with the others, and what it contributes to the energy.

    Examples
    --------
    >>> repeated, contribution = sums(Tradeoff([2.0, 1.0], [[0.0, 1.0], [1.0, 0.0]]), np.array([True, True]), 0.5)
    >>> repeated.tolist(), contribution.tolist()
    ([1.0, 1.0], [-0.5, 0.0])
    """
    (chosen,) = np.nonzero(x)
    repeated = np.asarray(tradeoff.redundancy[np.ix_(chosen, chosen)], np.float64).sum(axis=1)
    earned = -alpha * tradeoff.importance[chosen] + (1.0 - alpha) * (repeated + tradeoff.cost[chosen])
    return repeated, earned
