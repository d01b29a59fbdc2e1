"""What correlations are made of, values or ranks, and the ranks that the first pass gives to values."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..qubo import Vector

VALUES, RANKS = "values", "ranks"


class Kinds(NamedTuple):
    """Which moments are kept of batches: of "values", of "ranks", or, where it is None, none."""

    target: str | None = None
    pairs: str | None = None


NO_KINDS = Kinds()


@dataclass(frozen=True, eq=False)
class Ranks:
    """The rank of each value of one feature among all samples that have it. Equal values share the mean of theirs.

    Parameters
    ----------
    values : array
        Distinct and ascending.
    counts : int array
        How often each occurs, or its units of weight, which stretch all ranks alike.

    Examples
    --------
    >>> Ranks(np.array([10.0, 20.0, 30.0]), np.array([2, 1, 1])).of(np.array([30.0, 10.0, np.nan]))
    array([4. , 1.5, nan])
    """

    values: Vector
    counts: NDArray[np.int64]

    def same(self, other: "Ranks") -> bool:
        """Return whether another gives the same ranks to the same values."""
        return np.array_equal(self.values, other.values) and np.array_equal(self.counts, other.counts)

    def of(self, x: Vector, name: str = "x") -> Vector:
        """Return the ranks of numbers, NaN for NaN; an error calls them by their name."""
        ranks = np.append(np.cumsum(self.counts) - (self.counts - 1) / 2, np.nan)
        place = np.searchsorted(self.values, x)
        missing = np.isnan(x)
        place[missing] = self.values.size
        unknown = (np.append(self.values, np.nan)[place] != x) & ~missing
        if unknown.any():
            raise ValueError(
                f"{name} has {x[unknown][0]!s}, which the first pass did not see: make the first pass over the same "
                "batches."
            )
        result: Vector = ranks[place]
        return result
