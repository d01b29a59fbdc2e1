"""The core: the few bits that matter among vectors of k ones, closed around a good one.

It starts with the bits that cost least in the place of a one. Its relaxation gives a dual, the dual says of every bit
outside whether a better vector can have it (`outside`), and what can joins the core, until nothing can.
"""

from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..qubo import Matrix, Vector
from .certificate import Dual, Outside
from .outside import Outsiders, prices
from .relaxation import Relaxed, relax, start_at

Indices = npt.NDArray[np.intp]

CORE, JOIN, ROUNDS = 150, 100, 6  # bits of a first core, how many may join it at a time, and how often
MANY, STUCK = 600, 0.75  # a core that so many could still join must have made them this much fewer to go on
FEWEST, MOST, EVERY = 120, 400, 10  # iterations of a core's relaxation, least and most, and between looks
WINDOW, PATIENCE = 1, 2.0  # looks over which the pace is taken, and how many more are worth it
# An iteration costs about n^3 operations, and at least as much as this many.
OVERHEAD = 1_000_000.0


class Source(Protocol):
    """The problem that a core is part of."""

    def inside(self, core: Indices, /) -> tuple[Vector, Matrix]:
        """Return the energies and couplings of some bits."""

    def outsiders(self, out: Indices, core: Indices, k: int, /) -> Outsiders:
        """Return what is to be known of the other bits."""


class Dense:
    """A problem whose couplings are one matrix."""

    def __init__(self, linear: Vector, couplings: Matrix) -> None:
        self.linear, self.couplings = linear, couplings

    def inside(self, core: Indices, /) -> tuple[Vector, Matrix]:
        """Return the energies and couplings of some bits."""
        return self.linear[core], np.ascontiguousarray(self.couplings[np.ix_(core, core)])

    def outsiders(self, out: Indices, core: Indices, k: int, /) -> Outsiders:
        """Return what is to be known of the other bits."""
        return Outsiders.of(self.linear, self.couplings, out, core, k)


class Enclosed(NamedTuple):
    """A core, the bits outside, by how much vectors with each of these are above the cutoff, why, and what it took."""

    cutoff: float
    core: Indices
    out: Indices
    margin: Vector
    why: Outside | None
    relaxed: Relaxed
    iterations: int
    work: float


def cost(size: int) -> float:
    """Return the operations of an iteration over so many free bits."""
    return float(size + 1) ** 3 + OVERHEAD


def too_slow(gaps: list[float]) -> bool:
    """Return whether closing the last gap would take too many more looks, at the pace of the last few."""
    return len(gaps) > WINDOW and gaps[-1] > PATIENCE * max(gaps[-1 - WINDOW] - gaps[-1], 0.0) / WINDOW


def first_size(k: int) -> int:
    """Return how many bits a first core has."""
    return max(CORE, 3 * k)


def first_core(change: Vector, ones: Indices, k: int) -> Indices:
    """Return the ones, and the bits that cost least in the place of one of them."""
    order = change.copy()
    order[ones] = -np.inf
    return np.sort(np.argsort(order, kind="stable")[: first_size(k)])


def enclose(source: Source, change: Vector, ones: Indices, k: int, cutoff: float, work: float) -> Enclosed:
    """Return a core outside of which no bit is in any vector of k ones below the cutoff, as far as the work allows.

    Parameters
    ----------
    source : Source
    change : array of shape (n,)
        What each bit would cost in the place of a one.
    ones : int array
        The ones of a good vector.
    k : int
    cutoff : float
    work : float
        Operations that may be spent.
    """
    iterations, left, before, core = 0, work, np.inf, first_core(change, ones, k)
    for last in reversed(range(ROUNDS)):
        linear, couplings = source.inside(core)
        allowed = max(EVERY, min(MOST, int(left / cost(core.size))))
        gaps: list[float] = []

        def stop(iteration: int, dual: Dual, gaps: list[float] = gaps) -> bool:
            gaps.append(cutoff - dual.bound)
            return iteration > FEWEST and too_slow(gaps)

        start = start_at(linear, couplings, np.isin(core, ones))
        found = relax(
            linear, couplings, k=k, cutoff=cutoff, warm=start, iterations=allowed, every=EVERY, stop=stop
        )
        iterations, left = iterations + found.iterations, left - found.iterations * cost(core.size)
        out = np.setdiff1d(np.arange(change.size), core)
        if not out.size:
            return Enclosed(cutoff, core, out, np.zeros(0), None, found, iterations, work - left)
        # What is too much work to be relaxed well had better stay outside.
        final = not last or left < FEWEST * cost(min(core.size + JOIN, change.size))
        outsiders = source.outsiders(out, core, k)
        margin, why = prices(linear, couplings, found.dual, k, cutoff, outsiders, early=not final)
        useful = int((margin < 0.0).sum())
        if not useful or final:
            break
        if useful > max(MANY, STUCK * before):
            # Too many for any core: what is known of them now is all that will be.
            margin, why = prices(linear, couplings, found.dual, k, cutoff, outsiders)
            break
        before = useful
        # With those that may be of use come those that are next to it.
        core = np.union1d(core, out[np.argsort(margin, kind="stable")[:JOIN]])
    return Enclosed(
        cutoff, core, out, margin, replace(why, bits=out, core=core), found, iterations, work - left
    )
