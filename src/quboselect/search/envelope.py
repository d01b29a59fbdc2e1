"""The lower envelope of subsets, each a line in alpha, and the proven floor beneath it.

Subsets flow in, found by whoever; those that are optimal somewhere among them flow out, in the order of
alpha. ``Q(x, a) = (1-a) R(x) - a I(x)``, the cost counted in R, makes a subset a point (I, R), and the envelope the
lower right hull of these points, from the empty set to all features of any importance.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..qubo import RELATIVE_TOLERANCE, Bits
from ..tradeoff import Tradeoff

EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Vertex:
    """A subset on the envelope: its bits, and its line (I, R)."""

    x: Bits
    importance: float
    redundancy: float

    @cached_property
    def size(self) -> int:
        """Number of features in the subset."""
        return int(self.x.sum())

    def energy(self, alpha: float) -> float:
        """Return the energy of the subset at one alpha."""
        return (1.0 - alpha) * self.redundancy - alpha * self.importance


def crossing(a: Vertex, b: Vertex) -> float:
    """Return the alpha at which the lines of two subsets meet, b the more important of the two."""
    rise = b.redundancy - a.redundancy
    return rise / (rise + b.importance - a.importance)


def tolerance(alpha: float, largest: float, importance: float, redundancy: float) -> float:
    """Return what counts as equal to the energy of a subset at one alpha, ``largest`` being the largest importance.

    It is the tolerance of `Tradeoff.at`, and the rounding of alpha itself where redundancy is large beside importance.
    """
    return RELATIVE_TOLERANCE * alpha * largest + 8 * EPS * (redundancy + importance)


class Envelope:
    """The subsets found so far that are optimal somewhere, and the bounds proven so far.

    It only ever falls, so a subset that is not on it now can be forgotten.
    """

    def __init__(self, tradeoff: Tradeoff) -> None:
        self.tradeoff = tradeoff
        self.largest = float(tradeoff.importance.max(initial=0.0))
        everything = self._vertex(tradeoff.importance > 0.0)
        nothing = self._vertex(np.zeros(tradeoff.size, np.bool_))
        self.vertices = [nothing, everything] if everything.size else [nothing]
        # At 0 no energy is negative, cost or no cost, and the empty set has 0; at 1 every positive importance is
        # taken, whatever it costs.
        self.floor = {0.0: 0.0, 1.0: -everything.importance}

    def missing(self, vertex: Vertex, alpha: float, bound: float) -> float:
        """Return how far a vertex is above a bound at one alpha, relative to its energy; 0 within the tolerance."""
        energy = vertex.energy(alpha)
        if energy - bound <= tolerance(alpha, self.largest, vertex.importance, vertex.redundancy):
            return 0.0
        return (energy - bound) / abs(energy) if energy else np.inf

    def _vertex(self, x: Bits) -> Vertex:
        x = np.array(x, np.bool_)
        x.flags.writeable = False
        return Vertex(x, *self.tradeoff.line(x))

    def add(self, x: Bits) -> None:
        """Take in rows of bits."""
        known = {vertex.x.tobytes() for vertex in self.vertices}
        fresh = [self._vertex(row) for row in x if row.tobytes() not in known]
        if fresh and len(self.vertices) > 1:
            pool = [*self.vertices, *fresh]
            first, last = self.vertices[0], self.vertices[-1]
            self.vertices = _convex([first, *self._between(first, last, pool), last])

    def _between(self, first: Vertex, last: Vertex, pool: list[Vertex]) -> list[Vertex]:
        """Return the vertices between two of them: the one furthest below their chord, then recurse."""
        lines = np.array([(vertex.importance, vertex.redundancy) for vertex in pool])
        found: list[Vertex] = []
        spans: list[tuple[Vertex | None, Vertex]] = [(first, last)]
        while spans:
            a, b = spans.pop()
            if a is None:
                found.append(b)
                continue
            inside = (lines[:, 0] > a.importance) & (lines[:, 0] < b.importance)
            slope = (b.redundancy - a.redundancy) / (b.importance - a.importance)
            depth = a.redundancy + slope * (lines[:, 0] - a.importance) - lines[:, 1]
            depth = np.where(inside, depth, -np.inf)
            # An energy below by the tolerance, where the lines cross, is a depth of slope times as much; the rest
            # is the rounding of R.
            least = RELATIVE_TOLERANCE * self.largest * slope + 8 * EPS * b.redundancy
            if depth.max() <= least:
                continue
            # Of subsets that tie, the least important is an end of the edge they form, not inside it.
            tied = np.flatnonzero(depth >= depth.max() - least)
            tied = tied[lines[tied, 0] <= lines[tied, 0].min() + RELATIVE_TOLERANCE * self.largest]
            best = pool[min(tied, key=lambda i: (pool[i].size, np.flatnonzero(pool[i].x).tolist()))]
            spans += [(best, b), (None, best), (a, best)]
        return found

    def prove(self, alpha: float, bound: float) -> None:
        """Take in a proven lower bound on the minimum at one alpha."""
        self.floor[alpha] = max(bound, self.floor.get(alpha, -np.inf))

    def knots(self) -> npt.NDArray[np.float64]:
        """Return (alpha, bound) rows whose straight interpolation bounds the minimum at every alpha.

        The minimum is concave in alpha, so it is nowhere below a chord of points that it is nowhere below:
        the upper hull of all the bounds holds between them too.
        """
        hull: list[tuple[float, float]] = []
        for alpha, bound in sorted(self.floor.items()):
            if not np.isfinite(bound):
                continue
            while len(hull) > 1 and _below(hull[-2], hull[-1], (alpha, bound)):
                hull.pop()
            hull.append((alpha, bound))
        return np.array(hull)


def _below(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    """Return whether point b is on or below the chord from a to c."""
    return (b[1] - a[1]) * (c[0] - a[0]) <= (c[1] - a[1]) * (b[0] - a[0])


def _convex(vertices: list[Vertex]) -> list[Vertex]:
    """Return the vertices whose window of alpha is not empty, after rounding."""
    hull: list[Vertex] = []
    for vertex in vertices:
        while len(hull) > 1 and crossing(hull[-2], hull[-1]) >= crossing(hull[-1], vertex):
            hull.pop()
        hull.append(vertex)
    return hull
