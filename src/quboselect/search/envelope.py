"""The envelope: how a path is found, over all sizes or among the subsets of one size.

A path is the lower right hull of the points (I, R) of the subsets. `alpha_path` follows that of all subsets, from the
empty set to all features that have any importance; `size_path` that of the subsets of k features, from the least
redundant to the most important. Both solve where the lines of two neighbours cross. Either the solver finds a subset
below, or it has shown that nothing lies between the two.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from .._kernels.threads import thread_map
from ..errors import check_integer
from ..protocols import Solver, ask, check_solver, takes
from ..qubo import PATH, QUBO, RELATIVE_TOLERANCE, Bits, Solutions
from ..solvers import Portfolio
from ..solvers.portfolio import with_size
from ..tradeoff import Line, Tradeoff
from .nested import nested_subsets
from .path import Path, Segment

TOGETHER = (
    4  # corners proven at once: a fixed number, so that the path does not depend on the number of cores
)
NEAR = 4  # a path near a size begins between subsets of a quarter fewer and more
EPS = float(np.finfo(float).eps)
CLOSE = PATH * RELATIVE_TOLERANCE


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


def tolerance(alpha: float, largest: float, line: Line, deepest: float = 0.0) -> float:
    """Return what counts as equal to the energy of a subset at one alpha.

    It is a share of the tolerance of `Tradeoff.at`, and the rounding of alpha itself where redundancy is large beside
    importance. ``largest`` is the largest importance, ``deepest`` what the most negative redundancy is below zero.
    """
    scale = max(alpha * largest, (1.0 - alpha) * deepest)
    return float(CLOSE * scale + 8 * EPS * (abs(line.redundancy) + line.importance))


class Envelope:
    """The subsets found so far that are optimal somewhere, and the bounds proven so far.

    It only ever falls, so a subset that is not on it now can be forgotten. Between alpha 0 and 1 lie the subsets
    between two ends. Over all sizes these are the empty set and all features of any importance, whatever is found;
    among subsets of one size, given as ``ends``, they are the best that were found.
    """

    def __init__(self, tradeoff: Tradeoff, ends: Sequence[Bits] = ()) -> None:
        self.tradeoff, self.sized = tradeoff, len(ends) > 0
        self.largest = float(tradeoff.importance.max(initial=0.0))
        self.deepest = tradeoff.deepest
        if self.sized:
            self.floor: dict[float, float] = {}
            self.vertices = [vertex_of(tradeoff, ends[0])]
            self.add(np.array(ends))
            return
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
        if fresh and (self.sized or len(self.vertices) > 1):
            pool = [*self.vertices, *fresh]
            first, last = self._ends(pool) if self.sized else (self.vertices[0], self.vertices[-1])
            hull: list[Vertex] = []
            for vertex in [first, *self._between(first, last, pool), last] if first is not last else [first]:
                # Rounding may leave a vertex without a window of alpha.
                while len(hull) > 1 and crossing(hull[-2], hull[-1]) >= crossing(hull[-1], vertex):
                    hull.pop()
                hull.append(vertex)
            self.vertices = hull

    def _ends(self, pool: list[Vertex]) -> tuple[Vertex, Vertex]:
        """Return the least redundant subset, the most important of several, and the reverse; both may be the same."""
        lines = np.array([vertex.line for vertex in pool])
        importance, redundancy = lines[:, 0], lines[:, 1]
        equal = 8 * EPS * float(np.abs(redundancy).max())
        least = np.flatnonzero(redundancy <= redundancy.min() + equal)
        first = least[np.argmax(importance[least])]
        most = np.flatnonzero(importance >= importance.max() - CLOSE * self.largest)
        last = most[np.argmin(redundancy[most])]
        if first == last or importance[first] >= importance[last] or redundancy[last] <= redundancy[first]:
            last = first
        return pool[first], pool[last]

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
            scale = max(self.largest * slope, self.deepest)
            least = CLOSE * scale + 8 * EPS * max(abs(a.line.redundancy), abs(b.line.redundancy))
            if depth.max() <= least:
                continue
            # Of subsets that tie, the least important is an end of the edge they form, not inside it.
            tied = np.flatnonzero(depth >= depth.max() - least)
            tied = tied[lines[tied, 0] <= lines[tied, 0].min() + CLOSE * self.largest]
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
        for i, (vertex, start, stop) in enumerate(zip(self.vertices, cuts, cuts[1:], strict=False)):
            # Where two lines cross, the steeper one says how exact the alpha is; half of the tolerance is for that.
            steepest = max(abs(one.line.redundancy) for one in self.vertices[max(i - 1, 0) : i + 2])
            gap = largest_gap(
                vertex.line,
                vertex.line,
                (start, stop),
                knots,
                self.largest,
                deepest=self.deepest,
                rounding=min(8 * EPS * steepest, 0.5 * RELATIVE_TOLERANCE * self.largest),
            )
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
    deepest: float = 0.0,
    rounding: float = 0.0,
) -> float:
    """Return how far a line may be above the minimum within a window, relative to the energy of ``full``.

    It is 0 within the tolerance. The gap is convex over the window, a line less a concave function, so it is largest at
    an end. ``full`` is the line with what is the same in every subset, such as included features; if it is ``summed``
    of two, an energy within the tolerance is what rounding left of nothing. ``rounding`` is what the ends of the window
    may be off, in energy.
    """
    gap = 0.0
    for alpha in window:
        missing = line.energy(alpha) - float(np.interp(alpha, knots[:, 0], knots[:, 1]))
        slack = tolerance(alpha, largest, line, deepest) + rounding
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

    It begins with no feature, or with the least redundant ones where some redundancy or cost is negative. Two
    neighbours on the path are proven to be so by one proof where their lines cross, and two such proofs prove the whole
    segment between them, as the minimum is concave in alpha.

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
    if tradeoff.deepest > 0.0 and k is not None:
        raise ValueError(
            "a path over all sizes around k needs redundancies and costs that are not negative, as it begins with no "
            f"feature; the lowest here is {-tradeoff.deepest:g}: follow the path of one size, or the whole path, or "
            "select k at one alpha; take absolute values, if these are correlations."
        )
    # Beyond the bracket of k: the whole path of a small table, next to nothing of a large one.
    spare = 24 + 5_000 // max(tradeoff.size, 1)

    def wanted(corners: list[Corner], envelope: Envelope, last: int, solves: int) -> list[Corner]:
        return [c for size in sizes for c in _corners_of(size, corners, envelope, last, solves < spare)]

    if tradeoff.deepest == 0.0:
        envelope = Envelope(tradeoff)
        wished = np.array([size for size in sizes if size is not None], np.int64)
        if wished.size and hasattr(solver, "scout"):
            # Near a size, the scout begins between subsets of about that size, not between nothing and everything.
            about = np.concatenate([wished - wished // NEAR - 1, wished, wished + wished // NEAR + 1])
            chain = nested_subsets(tradeoff, min(int(about.max()), envelope.vertices[-1].size))
            if len(chain):
                envelope.add(chain[np.unique(about.clip(1, len(chain))) - 1])
        return explored(envelope, solver, wanted, max_solves)
    # Where pairs may be worth more than nothing even at 0, the path begins with the best of them.
    least = ask(solver, tradeoff.at(0.0))
    envelope = Envelope(tradeoff, [*least.x, tradeoff.importance > 0.0])
    lowest = 0.5 * np.minimum(tradeoff.redundancy, 0.0).sum() + np.minimum(tradeoff.cost, 0.0).sum()
    envelope.prove(0.0, max(least.bound, float(lowest)))
    envelope.prove(1.0, -float(tradeoff.importance.sum()))
    path = explored(envelope, solver, wanted, None if max_solves is None else max_solves - 1)
    return Path(path.segments, path.knots, path.solves + 1)


def size_path(
    tradeoff: Tradeoff,
    k: int,
    solver: Solver = Portfolio(),  # noqa: B008
    *,
    max_solves: int | None = None,
) -> Path:
    """Return the optimal subset of exactly k features for every alpha: every trade-off between I and R at that size.

    It goes from the least redundant k features, at alpha 0, to the most important ones, at alpha 1. Every subset that
    is optimal among those of its size at some alpha is on it, be it on the path over all sizes or not. Redundancies may
    be negative.

    Parameters
    ----------
    tradeoff : Tradeoff
    k : int
        From 0 to n.
    solver : Solver
        Its bounds are the proofs. One without a field ``k`` cannot be held to a size, and `solvers.Portfolio` takes
        its place.
    max_solves : int, optional
        Stop after this many solves; what is left open is not proven. None is no limit.

    Examples
    --------
    >>> print(size_path(Tradeoff([3.0, 2.0, 1.0], [[0, 2, 0.5], [2, 0, 1], [0.5, 1, 0]]), 2))
                  alpha  size  importance  redundancy  proof     features
    0.000000 - 0.600000     2      4.0000      0.5000  proven    +0 +2
    0.600000 - 1.000000     2      5.0000      2.0000  proven    +1 -2
    """
    if not isinstance(tradeoff, Tradeoff):
        raise TypeError(f"tradeoff must be a Tradeoff, got {type(tradeoff).__name__}: write Tradeoff(I, R).")
    check_integer(k, "k", 0, tradeoff.size)
    if max_solves is not None:
        check_integer(max_solves, "max_solves", 1)
    check_solver(solver)
    if k in (0, tradeoff.size):
        bits = np.full(tradeoff.size, k > 0)
        line = tradeoff.line(bits)
        knots = np.array([[0.0, line.energy(0.0)], [1.0, line.energy(1.0)]])
        return Path((Segment(0.0, 1.0, vertex_of(tradeoff, bits).x, *line, 0.0),), knots, 0)
    held = with_size(solver, k)
    least = ask(held, tradeoff.at(0.0))
    most = most_important(tradeoff, k, solver)
    envelope = Envelope(tradeoff, [*least.x, most.best])
    # Without any bound at 0 there would be none to the left of the first that is proven.
    envelope.prove(0.0, max(least.bound, least_redundancy(tradeoff, k)))
    envelope.prove(1.0, -float(np.sort(tradeoff.importance)[tradeoff.size - k :].sum()))
    left = None if max_solves is None else max(max_solves - 1, 0)
    path = explored(envelope, held, lambda corners, *_: corners, left)
    return Path(path.segments, path.knots, path.solves + 1)


def least_redundancy(tradeoff: Tradeoff, k: int) -> float:
    """Return a lower bound on the redundancy and cost of k features: half of the k - 1 lowest of each, and its cost.

    Examples
    --------
    >>> least_redundancy(Tradeoff([1.0, 1.0, 1.0], [[0, 1, 2], [1, 0, 3], [2, 3, 0]]), 2)
    1.0
    """
    if not k:
        return 0.0
    pairs = np.array(tradeoff.redundancy, np.float64)
    np.fill_diagonal(pairs, np.inf)
    each = 0.5 * np.sort(pairs, axis=1)[:, : k - 1].sum(axis=1) + tradeoff.cost
    return float(np.sort(each)[:k].sum())


def most_important(tradeoff: Tradeoff, k: int, solver: Solver) -> Solutions:
    """Return the k most important features, and of equally important ones those that add the least: alpha 1.

    Examples
    --------
    >>> redundancy = [[0, 0.5, 0.1], [0.5, 0, 0.9], [0.1, 0.9, 0]]
    >>> most_important(Tradeoff([2.0, 1.0, 1.0], redundancy), 2, Portfolio()).best
    array([ True, False,  True])
    """
    importance = tradeoff.importance
    last = np.partition(importance, tradeoff.size - k)[tradeoff.size - k] if k else np.inf
    x = importance > last
    others = np.flatnonzero(importance == last)
    among = tradeoff.redundancy
    linear = among[np.ix_(others, x)].sum(axis=1) + tradeoff.cost[others]
    if others.size > k - int(x.sum()):
        fill = QUBO(linear, among[np.ix_(others, others)])
        x[others] = ask(with_size(solver, k - int(x.sum())), fill).best
    else:
        x[others] = True
    return Solutions.of(tradeoff.at(1.0), x, bound=-float(importance[x].sum()))


Corner = tuple[int, Vertex, Vertex]
Wanted = Callable[[list[Corner], Envelope, int, int], list[Corner]]


def explored(envelope: Envelope, solver: Solver, wanted: Wanted, max_solves: int | None) -> Path:
    """Return the path after solving where neighbours meet, first by the solver's scout, then by the solver.

    ``wanted(corners, envelope, stages, solves)`` returns the corners that matter.
    """
    scout = getattr(solver, "scout", None)
    stages: list[Solver] = [solver] if scout is None else [scout(), solver]
    latest: list[Solutions | None] = [None] * len(stages)
    done: dict[tuple[bytes, bytes], int] = {}
    solves = 0
    while max_solves is None or solves < max_solves:
        # At 0 everything is known: no energy is lower there.
        neighbours = [(a, b) for a, b in pairwise(envelope.vertices) if crossing(a, b) > 0.0]
        every = [(done.get((a.x.tobytes(), b.x.tobytes()), 0), a, b) for a, b in neighbours]
        corners = [c for c in wanted(every, envelope, len(stages), solves) if c[0] < len(stages)]
        if not corners:
            break
        stage = min(corner[0] for corner in corners)
        # Proofs at several corners hardly depend on each other, and each keeps one core busy.
        together = TOGETHER if stage else 1
        if max_solves is not None:
            together = min(together, max_solves - solves)
        now = list({crossing(a, b): (a, b) for at, a, b in corners if at == stage}.items())[:together]
        asked: Any = stages[stage]
        hint = latest[stage]
        if hint is None and getattr(asked, "hint", None) is None:
            # A proof begins with what the scout found.
            hint = latest[0]
        if hint is not None and takes(asked, "hint"):
            asked = replace(asked, hint=hint)
        found = thread_map(
            partial(ask, asked),
            [envelope.tradeoff.at(alpha) for alpha, _ in now],
            n_jobs=getattr(solver, "n_jobs", 1),
        )
        for (alpha, (a, b)), solutions in zip(now, found, strict=True):
            latest[stage] = solutions
            solves += 1
            envelope.add(solutions.x)
            envelope.prove(alpha, solutions.bound)
            done[a.x.tobytes(), b.x.tobytes()] = stage + 1
    return envelope.path(solves)


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
        # Sizes may fall, and so pass k again: a scout looks there too, as that costs little.
        across = [c for c in corners if last > 1 and (c[1].size - k) * (c[2].size - k) < 0]
        if unscouted := [corner for corner in ends + across if corner[0] == 0]:
            return unscouted
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
