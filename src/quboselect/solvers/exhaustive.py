"""Exhaustive: every subset, and so the oracle of all other solvers."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .. import _kernels
from .._kernels.threads import thread_map
from ..errors import check_fields, check_integer
from ..qubo import QUBO, TIES, Solutions

LARGEST = 30
LOW_BITS = 14

Energy = tuple[float, float]  # as a float, and what rounding took from it


@dataclass(frozen=True)
class Exhaustive:
    """Look at all ``2^n`` subsets, n up to 30, in Gray code order.

    Parameters
    ----------
    k : int, optional
        Only subsets of exactly k bits.
    n_jobs : int, optional
        Threads, counted as in joblib.

    Examples
    --------
    >>> Exhaustive()(QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]]))
    Solutions(1 of 2 bits, best energy -1, proven)
    """

    k: int | None = None
    n_jobs: int | None = -1

    def __post_init__(self) -> None:
        check_fields(self, none=True, k=0)

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return the best subset, with proof."""
        if qubo.size > LARGEST:
            raise ValueError(
                f"solvers.Exhaustive takes at most {LARGEST} bits, got {qubo.size}; use solvers.BranchAndBound."
            )
        k = -1 if self.k is None else check_integer(self.k, "k", 0, qubo.size)
        low = min(qubo.size, LOW_BITS)
        blocks = 1 << (qubo.size - low)
        cuts = np.linspace(0, blocks, min(blocks, 64) + 1).astype(int)

        ties = TIES * qubo.tolerance
        # Every step of a block adds at most one rounding of the largest sum there is, for the energy and the field.
        largest = float(np.abs(qubo.linear).sum() + np.abs(qubo.couplings).sum())
        drift = 4.0 * 2.0**low * np.finfo(float).eps * largest

        def minimum(task: tuple[int, int]) -> tuple[Energy, int, Energy, bool]:
            low_energy, low_rest, mask, energy, rest, found = _kernels.exhaustive.gray_minimum(
                qubo.linear, qubo.couplings, low, *task, k, ties, drift
            )
            return (low_energy, low_rest), int(mask), (energy, rest), bool(found)

        results = [result for result in thread_map(minimum, pairwise(cuts), n_jobs=self.n_jobs) if result[3]]
        lowest = min(result[0] for result in results)
        tied = [
            mask
            for _, mask, energy, _ in results
            if (energy[0] - lowest[0]) + (energy[1] - lowest[1]) <= ties
        ]
        best = tied[0]
        for mask in tied[1:]:
            if _kernels.exhaustive.precedes(np.uint64(mask), np.uint64(best)):
                best = mask
        x = (best >> np.arange(qubo.size)) & 1
        # Every subset was looked at, and compared more exactly than one float can tell.
        return Solutions.of(qubo, x, bound=qubo.energy(x), info={"subsets": 1 << qubo.size})
