"""The path: the optimal subset for every alpha at once.

Each subset is a straight line in alpha, ``Q(x, a) = (1-a) R(x) - a I(x)``, so the path is the lower envelope of these
lines: the lower right hull of the points (I, R), from the empty set to all features that have any importance.
`alpha_path` follows it. It solves where the lines of two neighbours cross. Either the solver finds a subset below, or
it has shown that nothing lies between the two.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from .. import notebook
from .._kernels.threads import thread_map
from ..errors import check_integer
from ..protocols import Solver, ask, check_solver, takes
from ..qubo import RELATIVE_TOLERANCE, Bits, Solutions, percent
from ..solvers import Portfolio
from ..tradeoff import Line, Tradeoff, check_alpha

TOGETHER = (
    4  # corners proven at once: a fixed number, so that the path does not depend on the number of cores
)
EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False, repr=False)
class Segment:
    """A subset and the window of alpha in which it is optimal.

    ``start`` and ``stop`` end the window; ``x`` are its bits; ``importance`` and ``redundancy`` are I(x) and
    R(x), the cost counted in R; ``gap`` is how far its energy may be from the minimum anywhere in the window, relative
    to it: 0 is a proof for the whole window.
    """

    start: float
    stop: float
    x: Bits
    importance: float
    redundancy: float
    gap: float

    def __repr__(self) -> str:
        proof = "proven" if self.proven else f"gap {percent(self.gap)}"
        return f"Segment({self.size} features, alpha {self.start:.6f} to {self.stop:.6f}, {proof})"

    @property
    def size(self) -> int:
        """Number of features in the subset."""
        return int(self.x.sum())

    @property
    def features(self) -> npt.NDArray[np.intp]:
        """Indices of the features in the subset."""
        return np.flatnonzero(self.x)

    @property
    def proven(self) -> bool:
        """Whether the subset is optimal at every alpha in the window."""
        return self.gap == 0.0

    def energy(self, alpha: float) -> float:
        """Return the energy of the subset at one alpha."""
        return float(Line(self.importance, self.redundancy).energy(alpha))


@dataclass(frozen=True, eq=False, repr=False)
class Path(Sequence[Segment]):
    """The segments from alpha = 0 to 1, each starting where the one before it stops.

    Parameters
    ----------
    segments : tuple of Segment
    knots : array of shape (m, 2)
        (alpha, bound): straight lines between them bound the minimum from below at every alpha.
    solves : int
        How many QUBOs were solved.
    """

    segments: tuple[Segment, ...]
    knots: npt.NDArray[np.float64]
    solves: int

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Segment, ...]: ...
    def __getitem__(self, index: int | slice) -> Segment | tuple[Segment, ...]:
        return self.segments[index]

    def __len__(self) -> int:
        return len(self.segments)

    def __repr__(self) -> str:
        return f"Path({len(self)} segments, sizes {self.sizes[0]} to {self.sizes[-1]}, proven={self.proven})"

    def __str__(self) -> str:
        return path_text(self)

    def _repr_html_(self) -> str:
        return notebook.path_html(path_rows(self), summary=f"{self!r} by {self.solves} solves")

    @property
    def sizes(self) -> tuple[int, ...]:
        """The size of each segment; it may jump, and may even fall."""
        return tuple(segment.size for segment in self)

    @property
    def proven(self) -> bool:
        """Whether every segment is optimal in all of its window, so that no segment is missing."""
        return all(segment.proven for segment in self)

    def at(self, alpha: float) -> Segment:
        """Return the segment at one alpha, the earlier of two where they meet."""
        check_alpha(alpha)
        stops = [segment.stop for segment in self]
        return self[int(np.searchsorted(stops, alpha))]

    def of_size(self, k: int) -> Segment | None:
        """Return the segment of k features, that of the widest window if there are several, or None.

        It counts features; where a selector has groups, its ``k`` counts groups.
        """
        found = [segment for segment in self.segments if segment.size == k]
        return max(found, key=lambda segment: segment.stop - segment.start, default=None)

    def bound(self, alpha: float) -> float:
        """Return a proven lower bound on the minimum energy at one alpha."""
        check_alpha(alpha)
        return float(np.interp(alpha, self.knots[:, 0], self.knots[:, 1]))


def path_rows(path: Sequence[Segment]) -> list[notebook.Row]:
    """Return segments in words and numbers, with the features that enter (+) and leave (-)."""
    found = []
    before = np.zeros_like(path[0].x)
    for segment in path:
        entered = [f"+{i}" for i in np.flatnonzero(segment.x & ~before)]
        left = [f"-{i}" for i in np.flatnonzero(~segment.x & before)]
        change = " ".join(entered + left)
        change = change if len(change) <= 40 else f"+{len(entered)} -{len(left)} features"
        proof = "proven" if segment.proven else percent(segment.gap)
        numbers = (segment.start, segment.stop, segment.size, segment.importance, segment.redundancy)
        found.append(notebook.Row(*numbers, proof, change))
        before = segment.x
    return found


def path_text(path: Sequence[Segment]) -> str:
    """Return segments as text, one line each."""
    lines = [f"{'alpha':>19}  {'size':>4}  {'importance':>10}  {'redundancy':>10}  {'proof':<8}  features"]
    lines += [
        f"{row.start:8.6f} - {row.stop:8.6f}  {row.size:4d}  {row.importance:10.4f}  "
        f"{row.redundancy:10.4f}  {row.proof:<8}  {row.change}".rstrip()
        for row in path_rows(path)
    ]
    return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Vertex:
    """A subset on the envelope: its bits, its line, and its number of features."""

    x: Bits
    line: Line
    size: int


def vertex_of(tradeoff: Tradeoff, x: Bits) -> Vertex:
    """Return the vertex of a subset."""
    bits = np.array(x, np.bool_)
    bits.flags.writeable = False
    return Vertex(bits, tradeoff.line(bits), int(bits.sum()))


def crossing(a: Vertex, b: Vertex) -> float:
    """Return the alpha at which the lines of two subsets meet, b the more important of the two."""
    rise = b.line.redundancy - a.line.redundancy
    return float(rise / (rise + b.line.importance - a.line.importance))


def tolerance(alpha: float, largest: float, line: Line) -> float:
    """Return what counts as equal to the energy of a subset at one alpha, ``largest`` being the largest importance.

    It is the tolerance of `Tradeoff.at`, and the rounding of alpha itself where redundancy is large beside importance.
    """
    return float(RELATIVE_TOLERANCE * alpha * largest + 8 * EPS * (line.redundancy + line.importance))


class Envelope:
    """The subsets found so far that are optimal somewhere, and the bounds proven so far.

    It only ever falls, so a subset that is not on it now can be forgotten.
    """

    def __init__(self, tradeoff: Tradeoff) -> None:
        self.tradeoff = tradeoff
        self.largest = float(tradeoff.importance.max(initial=0.0))
        everything = vertex_of(tradeoff, tradeoff.importance > 0.0)
        nothing = vertex_of(tradeoff, np.zeros(tradeoff.size, np.bool_))
        self.vertices = [nothing, everything] if everything.size else [nothing]
        # At 0 no energy is negative, cost or no cost, and the empty set has 0; at 1 every feature that has any
        # importance is taken.
        self.floor = {0.0: 0.0, 1.0: -everything.line.importance}

    def add(self, x: Bits) -> None:
        """Take in rows of bits."""
        known = {vertex.x.tobytes() for vertex in self.vertices}
        fresh = [vertex_of(self.tradeoff, row) for row in x if row.tobytes() not in known]
        if fresh and len(self.vertices) > 1:
            first, last = self.vertices[0], self.vertices[-1]
            hull: list[Vertex] = []
            for vertex in [first, *self._between(first, last, [*self.vertices, *fresh]), last]:
                # Rounding may leave a vertex without a window of alpha.
                while len(hull) > 1 and crossing(hull[-2], hull[-1]) >= crossing(hull[-1], vertex):
                    hull.pop()
                hull.append(vertex)
            self.vertices = hull

    def _between(self, first: Vertex, last: Vertex, pool: list[Vertex]) -> list[Vertex]:
        """Return the vertices between two of them: the one furthest below their chord, then recurse."""
        lines = np.array([vertex.line for vertex in pool])
        found: list[Vertex] = []
        spans: list[tuple[Vertex | None, Vertex]] = [(first, last)]
        while spans:
            a, b = spans.pop()
            if a is None:
                found.append(b)
                continue
            inside = (lines[:, 0] > a.line.importance) & (lines[:, 0] < b.line.importance)
            slope = (b.line.redundancy - a.line.redundancy) / (b.line.importance - a.line.importance)
            depth = a.line.redundancy + slope * (lines[:, 0] - a.line.importance) - lines[:, 1]
            depth = np.where(inside, depth, -np.inf)
            # An energy below by the tolerance, where the lines cross, is a depth of slope times as much; the rest
            # is the rounding of R.
            least = RELATIVE_TOLERANCE * self.largest * slope + 8 * EPS * b.line.redundancy
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
            while len(hull) > 1:
                a, b = hull[-2:]
                # Unless the last point is above the chord from the one before it to this one, it adds nothing.
                if (b[1] - a[1]) * (alpha - a[0]) > (bound - a[1]) * (b[0] - a[0]):
                    break
                hull.pop()
            hull.append((alpha, bound))
        return np.array(hull)

    def cuts(self) -> list[float]:
        """Return the alphas at which the windows of the vertices start and stop, from 0 to 1."""
        return [0.0, *(crossing(a, b) for a, b in pairwise(self.vertices)), 1.0]

    def path(self, solves: int) -> Path:
        """Return the path, each segment with its window and its gap."""
        knots, cuts = self.knots(), self.cuts()
        segments = []
        for vertex, start, stop in zip(self.vertices, cuts, cuts[1:], strict=False):
            gap = largest_gap(vertex.line, vertex.line, (start, stop), knots, self.largest)
            segments.append(Segment(start, stop, vertex.x, *vertex.line, gap))
        return Path(tuple(segments), knots, solves)


def largest_gap(
    line: Line,
    full: Line,
    window: tuple[float, float],
    knots: npt.NDArray[np.float64],
    largest: float,
    *,
    summed: bool = False,
) -> float:
    """Return how far a line may be above the minimum within a window, relative to the energy of ``full``.

    It is 0 within the tolerance. The gap is convex over the window, a line less a concave function, so it is largest at
    an end. ``full`` is the line with what is the same in every subset, such as included features; if it is ``summed``
    of two, an energy within the tolerance is what rounding left of nothing.
    """
    gap = 0.0
    for alpha in window:
        missing = line.energy(alpha) - float(np.interp(alpha, knots[:, 0], knots[:, 1]))
        slack = tolerance(alpha, largest, line)
        if missing > slack:
            energy = abs(full.energy(alpha))
            gap = max(gap, missing / energy if energy > (slack if summed else 0.0) else np.inf)
    return gap


def alpha_path(
    tradeoff: Tradeoff,
    solver: Solver = Portfolio(),  # noqa: B008
    *,
    k: int | Iterable[int] | None = None,
    max_solves: int | None = None,
) -> Path:
    """Return the optimal subset for every alpha (the lower envelope of all subsets).

    Two neighbours on the path are proven to be so by one proof where their lines cross, and two such proofs
    prove the whole segment between them, as the minimum is concave in alpha.

    Parameters
    ----------
    tradeoff : Tradeoff
    solver : Solver
        Its bounds are the proofs. With one that has none the path is the best found, and not proven.
    k : int or several, optional
        Explore only around this size: until its segment and window are known, or until two neighbours are, which
        shows that no segment of this size lies between them. Sizes may fall along the path, so one may still lie
        elsewhere; a path of few features is then explored to its end. Several sizes are explored together.
    max_solves : int, optional
        Stop after this many solves; what is left open is not proven. None is no limit.

    Examples
    --------
    >>> tradeoff = Tradeoff([2.0, 1.0], [[0.0, 1.0], [1.0, 0.0]])
    >>> print(alpha_path(tradeoff))
                  alpha  size  importance  redundancy  proof     features
    0.000000 - 0.000000     0      0.0000      0.0000  proven
    0.000000 - 0.500000     1      2.0000      0.0000  proven    +0
    0.500000 - 1.000000     2      3.0000      1.0000  proven    +1
    """
    if not isinstance(tradeoff, Tradeoff):
        raise TypeError(f"tradeoff must be a Tradeoff, got {type(tradeoff).__name__}: write Tradeoff(I, R).")
    sizes: list[int | None] = [None] if k is None else list(k) if isinstance(k, Iterable) else [k]
    for size in sizes:
        if size is not None:
            check_integer(size, "k", 0, tradeoff.size)
    if max_solves is not None:
        check_integer(max_solves, "max_solves", 1)
    check_solver(solver)
    envelope = Envelope(tradeoff)
    scout = getattr(solver, "scout", None)
    stages: list[Solver] = [solver] if scout is None else [scout(), solver]
    latest: list[Solutions | None] = [None] * len(stages)
    done: dict[tuple[bytes, bytes], int] = {}
    solves = 0
    # Beyond the bracket of k: the whole path of a small table, next to nothing of a large one.
    spare = 24 + 5_000 // max(tradeoff.size, 1)
    while max_solves is None or solves < max_solves:
        # At 0 everything is known: no energy is negative there.
        neighbours = [(a, b) for a, b in pairwise(envelope.vertices) if crossing(a, b) > 0.0]
        every = [(done.get((a.x.tobytes(), b.x.tobytes()), 0), a, b) for a, b in neighbours]
        wanted = [
            c for size in sizes for c in _corners_of(size, every, envelope, len(stages), solves < spare)
        ]
        corners = [corner for corner in wanted if corner[0] < len(stages)]
        if not corners:
            break
        stage = min(corner[0] for corner in corners)
        # Proofs at several corners hardly depend on each other, and each keeps one core busy.
        together = TOGETHER if stage else 1
        if max_solves is not None:
            together = min(together, max_solves - solves)
        now = list({crossing(a, b): (a, b) for at, a, b in corners if at == stage}.items())[:together]
        asked: Any = stages[stage]
        if latest[stage] is not None and takes(asked, "hint"):
            asked = replace(asked, hint=latest[stage])
        found = thread_map(
            partial(ask, asked),
            [tradeoff.at(alpha) for alpha, _ in now],
            n_jobs=getattr(solver, "n_jobs", 1),
        )
        for (alpha, (a, b)), solutions in zip(now, found, strict=True):
            latest[stage] = solutions
            solves += 1
            envelope.add(solutions.x)
            envelope.prove(alpha, solutions.bound)
            done[a.x.tobytes(), b.x.tobytes()] = stage + 1
    return envelope.path(solves)


Corner = tuple[int, Vertex, Vertex]


def _corners_of(
    k: int | None, corners: list[Corner], envelope: Envelope, last: int, beyond: bool
) -> list[Corner]:
    """Return the corners that matter for a size, or all.

    ::

        size 3        ┌── 3 ──┐           the ends of the widest segment of 3, once the ends of all are scouted
        size 4     3 ─┘ here  └─ 5        where the path passes 4, as nothing on it has 4 features yet
        size 4     3 ─ 5  and then all    4 may still be elsewhere, as sizes may fall: all, while effort is to spare
    """
    vertices = envelope.vertices
    if k is None:
        return corners
    if k > vertices[-1].size:
        # More than all features of any importance: no alpha takes the others in.
        return []
    if any(vertex.size == k for vertex in vertices):
        ends = [corner for corner in corners if k in (corner[1].size, corner[2].size)]
        if any(stage == 0 for stage, _, _ in ends):
            return ends
        cuts = envelope.cuts()
        widths = {
            b - a: vertex for vertex, a, b in zip(vertices, cuts, cuts[1:], strict=False) if vertex.size == k
        }
        widest = widths[max(widths)]
        return [corner for corner in ends if widest in corner[1:]]
    passing = [corner for corner in corners if (corner[1].size < k) != (corner[2].size < k)]
    return corners if beyond and not any(stage < last for stage, _, _ in passing) else passing


def joined_path(tradeoff: Tradeoff, paths: Sequence[Path]) -> Path:
    """Return one path of several of the same tradeoff: the best subsets of all, and every proof.

    Examples
    --------
    >>> from quboselect.solvers import Tabu
    >>> tradeoff = Tradeoff([2.0, 1.0], [[0.0, 1.0], [1.0, 0.0]])
    >>> searched, proven = alpha_path(tradeoff, Tabu()), alpha_path(tradeoff)
    >>> searched.proven, joined_path(tradeoff, [searched, proven]).proven
    (False, True)
    """
    if len(paths) == 1 or len(paths[0]) == 1:
        return paths[0]
    envelope = Envelope(tradeoff)
    envelope.vertices = [vertex_of(tradeoff, end.x) for end in (paths[0][0], paths[0][-1])]
    envelope.floor = {}
    for path in paths:
        envelope.add(np.array([segment.x for segment in path]))
        for alpha, bound in path.knots:
            envelope.prove(float(alpha), float(bound))
    return envelope.path(sum(path.solves for path in paths))
