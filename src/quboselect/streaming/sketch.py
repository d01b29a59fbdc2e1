"""Sketch: some of many numbers, with ranks between certain bounds.

It takes the place of the distinct values of a feature where these are too many to keep. There is no chance in it: the
same numbers, added up in the same order, are the same sketch, and its error is a bound that always holds.

`RankBounds` are kept numbers, each with the least that the samples up to it, and the most that those below it, can
weigh. Added up, the bounds add up. Thinned out to some numbers, these keep their bounds, and only the gaps between
them grow. So that no sample is thinned out often, a `Sketch` adds up RankBounds of about the same weight alone: it
has one of each power of two, and a sample is thinned out at most once for each.
"""

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDTH = 4096  # numbers of RankBounds: 100 kilobytes, and ranks are right to 0.02 percent or so for each power of two


@dataclass(frozen=True, eq=False)
class RankBounds:
    """Some ascending numbers of many, the first and the last among them, and bounds on their ranks. ``a + b`` adds up.

    Parameters
    ----------
    values : float array
    least : int array
        At least so much weight lies at each value or below it.
    most : int array
        At most so much weight lies below each value.
    total : int
        All the weight.

    Examples
    --------
    >>> ranks = RankBounds.of(np.arange(1.0, 9.0), np.ones(8, int)).thinned(3)
    >>> ranks.values.tolist(), ranks.least.tolist(), ranks.most.tolist(), ranks.gap
    ([1.0, 4.0, 8.0], [1, 4, 8], [0, 3, 7], 3)
    """

    values: NDArray[np.float64]
    least: NDArray[np.int64]
    most: NDArray[np.int64]
    total: int

    @classmethod
    def of(cls, values: NDArray[Any], counts: NDArray[np.int64]) -> "RankBounds":
        """Return the exact ranks of ascending numbers that weigh so much each."""
        reach = np.cumsum(counts)
        return cls(values.astype(np.float64), reach, reach - counts, int(reach[-1]))

    def __add__(self, other: "RankBounds") -> "RankBounds":
        values = np.union1d(self.values, other.values)
        least, most = np.zeros(values.size, np.int64), np.zeros(values.size, np.int64)
        for one in (self, other):
            least += np.append(0, one.least)[np.searchsorted(one.values, values, side="right")]
            most += np.append(one.most, one.total)[np.searchsorted(one.values, values, side="left")]
        return RankBounds(values, least, most, self.total + other.total)

    def thinned(self, width: int) -> "RankBounds":
        """Return at most so many of the values, about as much weight apart from each other."""
        if self.values.size <= width:
            return self
        wanted = np.arange(1, width - 1) * (self.total / (width - 1))
        kept = np.unique([0, *np.searchsorted(self.least, wanted), self.values.size - 1])
        return RankBounds(self.values[kept], self.least[kept], self.most[kept], self.total)

    @property
    def gap(self) -> int:
        """The most weight that may lie between two neighbours."""
        return int((self.most[1:] - self.least[:-1]).max(initial=0))


@dataclass(frozen=True, eq=False)
class Sketch:
    """Numbers that are too many to keep. ``a + b`` adds up.

    Parameters
    ----------
    parts : tuple of RankBounds
        Of all weights the numbers add up to, no two between the same powers of two.
    width : int
        How many numbers each part keeps, at the most.

    Examples
    --------
    >>> even, odd = (Sketch.of(np.arange(i, 1000.0, 2), np.ones(500, int), 200) for i in (0, 1))
    >>> values, counts = (even + odd).weights()
    >>> values.size, int(counts.sum()), round((even + odd).rank_error, 4)
    (200, 1000, 0.004)
    """

    parts: tuple[RankBounds, ...]
    width: int = WIDTH

    @classmethod
    def of(cls, values: NDArray[Any], counts: NDArray[np.int64], width: int = WIDTH) -> "Sketch":
        """Return the sketch of ascending numbers that weigh so much each."""
        return cls((RankBounds.of(values, counts).thinned(width),), width)

    def __add__(self, other: "Sketch") -> "Sketch":
        width = min(self.width, other.width)
        apart = [*self.parts, *other.parts]
        for size in range(min(part.total for part in apart).bit_length(), 64):
            alike = [part for part in apart if part.total.bit_length() == size]
            if len(alike) > 1:
                apart = [part for part in apart if part.total.bit_length() != size]
                apart.append(reduce(add, alike).thinned(width))
        return Sketch(tuple(apart), width)

    @property
    def size(self) -> int:
        """How many numbers are kept."""
        return sum(part.values.size for part in self.parts)

    @property
    def rank_error(self) -> float:
        """How far a rank may be off at the most, as a share of the weight."""
        whole = reduce(add, self.parts)
        return (whole.gap + 1) // 2 / whole.total

    def weights(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the numbers that were kept, and the weight that each stands for."""
        whole = reduce(add, self.parts)
        # What lies between two neighbours is shared out among both.
        above = np.append(whole.most[1:], whole.total)
        return whole.values, np.diff(whole.least + (above - whole.least) // 2, prepend=0)
