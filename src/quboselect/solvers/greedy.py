"""Greedy: one bit after the other, which is how mRMR and JMI are mostly searched."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import check_fields, check_integer
from ..qubo import QUBO, Solutions, Vector


@dataclass(frozen=True)
class Greedy:
    """Take again and again the bit that lowers the energy most, and never give one back.

    It needs one row of redundancy for each feature that it takes, so a table of 50 000 features needs no matrix.
    Nothing is proven.

    With ``k`` it takes k bits. The subset that grows has fewer pairs than one of k, so at each step linear terms weigh
    in proportion to the bits that are there. At ``alpha = (k-1) / k`` these are the published steps: those of JMI with
    `criteria.JMI`, and those of mRMR with ``criteria.Pairs(together=0, chance=0)``. Without ``k`` it stops where no bit
    lowers the energy.

    Parameters
    ----------
    k : int, optional
        Take exactly k bits.

    Examples
    --------
    >>> couplings = [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    >>> Greedy(k=2)(QUBO([-3.0, -2.5, -2.5], np.array(couplings) * 3.0))
    Solutions(1 of 3 bits, best energy -2.5, no bound)
    """

    k: int | None = None

    def __post_init__(self) -> None:
        check_fields(self, none=True, k=0)

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return the subset that greed leads to."""
        if self.k is not None:
            check_integer(self.k, "k", 0, qubo.size)
        taken = self.by_rows(qubo.linear, lambda bit: qubo.couplings[bit])
        x = np.zeros(qubo.size, np.bool_)
        x[taken] = True
        return Solutions.of(qubo, x)

    def by_rows(self, linear: Vector, row: Callable[[int], Vector]) -> npt.NDArray[np.intp]:
        """Return the bits in the order in which they are taken.

        Parameters
        ----------
        linear : array of shape (n,)
        row : callable
            The couplings of one bit with all.
        """
        repeated, taken = np.zeros(linear.size), np.zeros(0, np.intp)
        for number in range(linear.size if self.k is None else self.k):
            weight = 1.0 if self.k is None else max(number, 1) / max(self.k - 1, 1)
            change = weight * linear + repeated
            change[taken] = np.inf
            best = int(np.argmin(change))
            if self.k is None and change[best] >= 0.0:
                break
            taken = np.append(taken, best)
            repeated += row(best)
        return taken
