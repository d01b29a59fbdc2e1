"""The lower envelope of subsets, each a line in alpha, and the proven floor beneath it.

Subsets flow in, found by whoever; those that are optimal somewhere among them flow out, in the order of
alpha. ``Q(x, a) = (1-a) R(x) - a I(x)`` makes a subset a point (I, R), and the envelope the lower right hull of
these points, from the empty set to all features of any importance.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .qubo import RELATIVE_TOLERANCE, Bits
from .tradeoff import Tradeoff


@dataclass(frozen=True, eq=False)
class Vertex:
    """A subset on the envelope: its bits, and its line (I, R)."""

    x: Bits
    importance: float
    redundancy: float

    @property
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
        # At 0 no energy is negative and the empty set has 0; at 1 every positive importance is taken.
        self.floor = {0.0: 0.0, 1.0: -everything.importance}

    def tolerance(self, alpha: float) -> float:
        """Return `QUBO.tolerance` at one alpha."""
        return RELATIVE_TOLERANCE * alpha * self.largest

    def _vertex(self, x: Bits) -> Vertex:
        x = np.array(x, np.bool_)
        x.flags.writeable = False
        return Vertex(x, *self.tradeoff.line(x))

    def add(self, x: Bits) -> bool:
        """Take in rows of bits, and return whether the envelope fell."""
        known = {vertex.x.tobytes() for vertex in self.vertices}
        fresh = [self._vertex(row) for row in x if row.tobytes() not in known]
        if not fresh or len(self.vertices) == 1:
            return False
        before = known
        pool = [*self.vertices, *fresh]
        lines = np.array([(v.importance, v.redundancy) for v in pool])
        hull = [self.vertices[0], *self._between(0, len(self.vertices) - 1, pool, lines), self.vertices[-1]]
        self.vertices = _convex(hull)
        return any(vertex.x.tobytes() not in before for vertex in self.vertices)

    def _between(self, a: int, b: int, pool: list[Vertex], lines: npt.NDArray[np.float64]) -> list[Vertex]:
        """Return the vertices between two of them: the lowest where the two lines cross, then recurse."""
        found: list[Vertex] = []
        spans = [(a, b)]
        while spans:
            a, b = spans.pop()
            if a < 0:
                found.append(pool[b])
                continue
            alpha = crossing(pool[a], pool[b])
            energy = (1.0 - alpha) * lines[:, 1] - alpha * lines[:, 0]
            tolerance = self.tolerance(alpha)
            if energy.min() >= pool[a].energy(alpha) - tolerance:
                continue
            # Of subsets that tie, the least important is an end of the edge they form, not inside it.
            tied = np.flatnonzero(energy <= energy.min() + tolerance)
            least = lines[tied, 0].min() + RELATIVE_TOLERANCE * self.largest
            tied = tied[lines[tied, 0] <= least]
            best = int(min(tied, key=lambda i: (pool[i].size, np.flatnonzero(pool[i].x).tolist())))
            spans += [(best, b), (-1, best), (a, best)]
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
