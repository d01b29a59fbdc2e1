"""The path: the optimal subset for every alpha at once.

A tradeoff and a solver flow in. `alpha_path` follows the lower envelope: it solves where the lines of two
neighbours cross, and either finds a subset below, or has shown that nothing lies between them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import overload

import numpy as np
import numpy.typing as npt

from .._kernels.threads import thread_map
from ..protocols import Solver, ask, check_plugin, hinted, takes
from ..qubo import Bits
from ..solutions import Solutions, percent
from ..solvers import Portfolio
from ..tables import html as notebook
from ..tradeoff import Tradeoff, check_alpha
from .envelope import Envelope, Vertex, crossing

TOGETHER = 4  # corners proven at once, whatever the number of cores, so that the path does not depend on it


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
        return (1.0 - alpha) * self.redundancy - alpha * self.importance


class Path(Sequence[Segment]):
    """The segments from alpha = 0 to 1, each starting where the one before it stops.

    Parameters
    ----------
    segments : sequence of Segment
    knots : array of shape (m, 2)
        (alpha, bound): straight lines between them bound the minimum from below at every alpha.
    solves : int
        How many QUBOs were solved.
    """

    def __init__(self, segments: Sequence[Segment], knots: npt.NDArray[np.float64], solves: int) -> None:
        self._segments = tuple(segments)
        self.knots = knots
        self.solves = solves

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Segment, ...]: ...
    def __getitem__(self, index: int | slice) -> Segment | tuple[Segment, ...]:
        return self._segments[index]

    def __len__(self) -> int:
        return len(self._segments)

    def __repr__(self) -> str:
        return f"Path({len(self)} segments, sizes {self.sizes[0]} to {self.sizes[-1]}, proven={self.proven})"

    def __str__(self) -> str:
        return table(self)

    def _repr_html_(self) -> str:
        return notebook.path_html(rows(self), summary=f"{self!r} by {self.solves} solves")

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
        """Return the segment of k features, that of the widest window if there are several, or None."""
        found = [segment for segment in self if segment.size == k]
        return max(found, key=lambda segment: segment.stop - segment.start, default=None)

    def bound(self, alpha: float) -> float:
        """Return a proven lower bound on the minimum energy at one alpha."""
        check_alpha(alpha)
        return float(np.interp(alpha, self.knots[:, 0], self.knots[:, 1]))


def rows(path: Sequence[Segment]) -> list[notebook.Row]:
    """Return segments in words and numbers, with what enters (+) and leaves (-)."""
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


def table(path: Sequence[Segment]) -> str:
    """Return segments as text, one line each, with what enters (+) and leaves (-)."""
    lines = [f"{'alpha':>19}  {'size':>4}  {'importance':>10}  {'redundancy':>10}  {'proof':<8}  features"]
    lines += [
        f"{row.start:8.6f} - {row.stop:8.6f}  {row.size:4d}  {row.importance:10.4f}  "
        f"{row.redundancy:10.4f}  {row.proof:<8}  {row.change}".rstrip()
        for row in rows(path)
    ]
    return "\n".join(lines)


def check_solver(solver: Solver) -> None:
    """Raise unless a solver can be asked about every size."""
    check_plugin(solver, "solver")
    if takes(solver, "k") and (k := getattr(solver, "k", None)) is not None:
        raise ValueError(
            f"solver must not be bound to a size of its own, got one with k={k!r}: leave k out of it."
        )


def check_count(value: int, name: str) -> None:
    """Raise unless a value is a positive integer."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be an integer of at least 1, got {value!r}.")


def check_size(k: int, size: int) -> None:
    """Raise unless k is a number of features out of ``size``."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 0 <= k <= size:
        raise ValueError(f"k must be an integer from 0 to {size} (there are {size} features), got {k!r}.")


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
        Explore only until the segment of size k is known with its window, or its two neighbours are, which
        shows that no such segment lies between them. As the size may fall somewhere, it can
        still lie elsewhere; a path of few features is then explored to its end. Several are explored together.
    max_solves : int, optional
        Stop after so many solves; what is left open is not proven. None is no limit.

    Examples
    --------
    >>> tradeoff = Tradeoff([2.0, 1.0], [[0.0, 1.0], [1.0, 0.0]])
    >>> print(alpha_path(tradeoff))
                  alpha  size  importance  redundancy  proof     features
    0.000000 - 0.000000     0      0.0000      0.0000  proven
    0.000000 - 0.500000     1      2.0000      0.0000  proven    +0
    0.500000 - 1.000000     2      3.0000      1.0000  proven    +1
    """
    sizes: list[int | None] = [None] if k is None else list(k) if isinstance(k, Iterable) else [k]
    for size in sizes:
        if size is not None:
            check_size(size, tradeoff.size)
    if max_solves is not None:
        check_count(max_solves, "max_solves")
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
        corners = _open_corners(envelope.vertices, done, sizes, len(stages), solves < spare)
        if not corners:
            break
        stage = min(corner[0] for corner in corners)
        # Proofs at several corners hardly depend on each other, and each keeps one core busy.
        together = TOGETHER if stage else 1
        if max_solves is not None:
            together = min(together, max_solves - solves)
        now = list({crossing(a, b): (a, b) for at, a, b in corners if at == stage}.items())[:together]
        asked = hinted(stages[stage], latest[stage])
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
    return path_of(envelope, solves)


Corner = tuple[int, Vertex, Vertex]


def _open_corners(
    vertices: list[Vertex],
    done: dict[tuple[bytes, bytes], int],
    sizes: list[int | None],
    last: int,
    beyond: bool,
) -> list[Corner]:
    """Return the neighbours that are still to be solved for, and at which stage."""
    corners = [
        (done.get((a.x.tobytes(), b.x.tobytes()), 0), a, b)
        for a, b in pairwise(vertices)
        # At 0 everything is known: no energy is negative there.
        if crossing(a, b) > 0.0
    ]
    wanted = [corner for k in sizes for corner in _corners_of(k, corners, vertices, last, beyond)]
    return [corner for corner in wanted if corner[0] < last]


def _corners_of(
    k: int | None, corners: list[Corner], vertices: list[Vertex], last: int, beyond: bool
) -> list[Corner]:
    """Return the corners that matter for a size, or all.

    For one k these are the ends of its widest segment if there is one, once the ends of all are scouted; else the
    neighbours between which the size passes it; else, where there is effort to spare, all.
    """
    if k is None:
        return corners
    if k > vertices[-1].size:
        # More than all features of any importance: no alpha takes the others in.
        return []
    if any(vertex.size == k for vertex in vertices):
        ends = [corner for corner in corners if k in (corner[1].size, corner[2].size)]
        if any(stage == 0 for stage, _, _ in ends):
            return ends
        cuts = [0.0, *(crossing(a, b) for a, b in pairwise(vertices)), 1.0]
        widths = {
            b - a: vertex for vertex, a, b in zip(vertices, cuts, cuts[1:], strict=False) if vertex.size == k
        }
        widest = widths[max(widths)]
        return [corner for corner in ends if widest in corner[1:]]
    passing = [corner for corner in corners if (corner[1].size < k) != (corner[2].size < k)]
    return corners if beyond and not any(stage < last for stage, _, _ in passing) else passing


def path_of(envelope: Envelope, solves: int) -> Path:
    """Return the path of an envelope, each segment with its window and its gap."""
    knots = envelope.knots()
    cuts = [
        0.0,
        *(crossing(a, b) for a, b in pairwise(envelope.vertices)),
        1.0,
    ]
    segments = []
    for vertex, start, stop in zip(envelope.vertices, cuts, cuts[1:], strict=False):
        # The gap is convex over the window, a line less a concave function: it is largest at an end.
        gap = 0.0
        for alpha in (start, stop):
            bound = float(np.interp(alpha, knots[:, 0], knots[:, 1]))
            gap = max(gap, envelope.missing(vertex, alpha, bound))
        segments.append(Segment(start, stop, vertex.x, vertex.importance, vertex.redundancy, gap))
    return Path(segments, knots, solves)
