"""Path and Segment: the optimal subset for every alpha, each in its window of alpha.

Each subset is a straight line in alpha, ``Q(x, a) = (1-a) R(x) - a I(x)``, so a path is the lower envelope of these
lines: of all subsets, or of those of one size. `quboselect.search.envelope` finds it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import overload

import numpy as np
import numpy.typing as npt

from .. import notebook
from ..qubo import PATH, Bits, percent
from ..tradeoff import Line, check_alpha


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
    names : tuple of str, optional
        Of the features, for what is printed.
    """

    segments: tuple[Segment, ...]
    knots: npt.NDArray[np.float64]
    solves: int
    names: tuple[str, ...] | None = None

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

    def best(self, score: Callable[[float, float], float]) -> Segment:
        """Return the segment of the highest ``score(importance, redundancy)``, the first of several.

        On the path of one size lies the best subset of that size by every score that rises with importance, falls with
        redundancy, and is quasi-convex in the two: `criteria.mrmr_difference`, `criteria.mrmr_quotient` and
        `criteria.cfs_merit` are. If the path is proven, so is that subset.

        Parameters
        ----------
        score : callable
            Of the importance and the redundancy of a subset, each a sum.

        Examples
        --------
        >>> from quboselect.search import size_path
        >>> from quboselect.tradeoff import Tradeoff
        >>> path = size_path(Tradeoff([3.0, 2.0, 1.0], [[0, 2, 0.5], [2, 0, 1], [0.5, 1, 0]]), 2)
        >>> path.best(lambda importance, redundancy: importance / redundancy).features
        array([0, 2])
        """
        return max(self.segments, key=lambda segment: score(segment.importance, segment.redundancy))

    def showing(
        self, x: Bits, line: Line, alpha: float, gap: float, tolerance: Callable[[float], float]
    ) -> "Path":
        """Return the path with a subset on it that ties with its own at one alpha, if it does.

        In the whole window of its own, or only where two windows meet. ``line`` is that of the subset.
        """
        place = self.at(alpha)
        if line.energy(alpha) > place.energy(alpha) + tolerance(alpha):
            return self
        if all(
            line.energy(end) <= place.energy(end) + PATH * tolerance(end) for end in (place.start, place.stop)
        ):
            cut = [Segment(place.start, place.stop, x, *line, place.gap)]
        else:
            cut = [replace(place, stop=alpha), Segment(alpha, alpha, x, *line, gap)]
            cut += [replace(place, start=alpha)] * (alpha < place.stop)
        segments = tuple(part for segment in self for part in (cut if segment is place else [segment]))
        return replace(self, segments=segments)

    def bound(self, alpha: float) -> float:
        """Return a proven lower bound on the minimum energy at one alpha."""
        check_alpha(alpha)
        return float(np.interp(alpha, self.knots[:, 0], self.knots[:, 1]))


def path_rows(path: Sequence[Segment]) -> list[notebook.Row]:
    """Return segments in words and numbers, with the features that enter (+) and leave (-)."""
    found, names = [], getattr(path, "names", None)
    before = np.zeros_like(path[0].x)
    for segment in path:
        entered = [f"+{i if names is None else names[i]}" for i in np.flatnonzero(segment.x & ~before)]
        left = [f"-{i if names is None else names[i]}" for i in np.flatnonzero(~segment.x & before)]
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
