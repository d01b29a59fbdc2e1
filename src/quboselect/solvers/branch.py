"""BranchAndBound: the best subset with a proof, or the best one found with an honest gap."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _kernels
from ..errors import check_fields, check_integer
from ..proof.certificate import Certificate, Trace
from ..qubo import QUBO, SEARCH, TWINS, Bits, Solutions, canonical


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
                apart[bit] = apart[head] = 0.0
                alone, most = abs(qubo.linear[bit] - qubo.linear[head]), apart.max()
                # The largest decides nearly always: copies differ by rounding, and others by far.
                close = alone + most <= least < alone + ones * most
                if alone + (largest_sum(apart, ones) if close else ones * most) <= least:
                    leader[bit] = head
                    break
            else:
                heads.append(int(bit))
    return leader


def numbered(leader: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return how many bits before each have the same leader.

    Examples
    --------
    >>> numbered(np.array([0, 1, 0, 0, 1])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(leader, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(leader[order]) != 0])
    number = np.empty(leader.size, np.int64)
    number[order] = np.arange(leader.size) - np.repeat(starts, np.diff(np.r_[starts, leader.size]))
    return number


def largest_sum(values: npt.NDArray[np.float64], most: int) -> float:
    """Return the sum of so many largest values that are not negative."""
    return float(values.sum() if most >= values.size else np.partition(values, -most)[-most:].sum())


def branch(qubo: QUBO, x: Bits | None, *, k: int | None, nodes: int) -> Solutions:
    """Return the best subset found by branch and bound from a first solution, and a bound on the minimum.

    The bound on a node is the cheap one: adding exactly t of the candidates gains at most the sum of the t
    largest ``g_j - 1/2 (sum of the t-1 smallest couplings of j)``, g being the gains. Where no coupling is
    negative a bit that gains nothing now never will deeper in the tree, and is dropped. Of bits that can be exchanged
    for each other the first is taken first.
    """
    size = -1 if k is None else check_integer(k, "k", 0, qubo.size)
    start = np.zeros(qubo.size, np.bool_) if x is None else np.array(x, np.bool_)
    value = -np.inf if x is None and size > 0 else -qubo.energy(start)
    order = np.argsort(qubo.couplings, axis=1, kind="stable")
    slack = SEARCH * qubo.tolerance
    # A tree over n bits has fewer nodes than 2^(n+1), and no memory holds more than 2^40.
    room = min(nodes, 2 << min(qubo.size, 40))
    trace, leader = np.empty(room, np.int32), leaders(qubo, k)
    best, value, bound, visited, closed = _kernels.search.branch_and_bound(
        qubo.linear, qubo.couplings, order, leader, start, value, size, slack, trace
    )
    if best.sum() != size >= 0:
        best[:] = False
        best[np.argsort(qubo.linear, kind="stable")[:size]] = True
    info: dict[str, Any] = {"nodes": int(visited)}
    if closed:
        # Nothing is better by more than the slack, which is less than what counts as equal.
        bound = value
        info["certificate"] = Certificate(-float(bound), k, Trace(trace[:visited].copy(), leader))
    return Solutions.of(qubo, canonical(qubo, best, k), bound=-float(bound), info=info)


@dataclass(frozen=True)
class BranchAndBound:
    """Depth-first branch and bound on the bit of the largest gain.

    Parameters
    ----------
    k : int, optional
        Only subsets of exactly k bits.
    nodes : int
        How many nodes may be looked at. Where they do not suffice, `Solutions.gap` says what is left open.

    Examples
    --------
    >>> qubo = QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]])
    >>> BranchAndBound()(qubo)
    Solutions(1 of 2 bits, best energy -1, proven)
    >>> BranchAndBound(k=2)(qubo)
    Solutions(1 of 2 bits, best energy 1, proven)
    """

    k: int | None = None
    nodes: int = 1_000_000

    def __post_init__(self) -> None:
        check_fields(self, nodes=1)
        check_fields(self, none=True, k=0)

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return the best subset found, and a bound on the minimum."""
        return branch(qubo, None, k=self.k, nodes=self.nodes)
