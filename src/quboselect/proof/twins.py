"""Twins: bits that can be exchanged for each other, such as copies of one feature."""

import numpy as np
import numpy.typing as npt

from ..qubo import QUBO, TWINS


def leaders(qubo: QUBO, k: int | None = None) -> npt.NDArray[np.int64]:
    """Return for each bit the first one that it can be exchanged for, itself if there is none before it.

    Two bits are twins if they have the same energy alone and the same couplings to all others. Rounding is allowed
    for, so little of it that exchanging all ones, k or any number, one after the other changes no energy by what
    matters.

    Examples
    --------
    >>> leaders(QUBO([-1.0, -2.0, -1.0], [[0, 1, 5], [1, 0, 1], [5, 1, 0]])).tolist()
    [0, 1, 0]
    """
    ones = max(qubo.size if k is None else k, 1)
    # Each of two twins may differ this much from their leader, and in its coupling to it as well.
    least = TWINS * qubo.tolerance / (4 * ones)
    leader = np.arange(qubo.size)
    order = np.argsort(qubo.linear, kind="stable")
    new_run = np.flatnonzero(np.diff(qubo.linear[order]) > least) + 1
    for run in np.split(order, new_run):
        heads: list[int] = []
        for bit in np.sort(run) if run.size > 1 else ():
            for head in heads:
                apart = np.abs(qubo.couplings[bit] - qubo.couplings[head])
                apart[[bit, head]] = 0.0
                if largest_sum(apart, ones) + abs(qubo.linear[bit] - qubo.linear[head]) <= least:
                    leader[bit] = head
                    break
            else:
                heads.append(int(bit))
    return leader


def largest_sum(values: npt.NDArray[np.float64], most: int) -> float:
    """Return the sum of so many largest values that are not negative."""
    return float(values.sum() if most >= values.size else np.partition(values, -most)[-most:].sum())
