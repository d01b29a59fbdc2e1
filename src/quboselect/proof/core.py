"""The core: the few bits that matter, around a good vector; the relaxation is solved on these.

It starts with the bits that cost least beside the ones. Among vectors of k ones it may be closed: the dual of its
relaxation says of every bit outside whether a better vector can have it (`outside`), and what can joins the core, until
nothing can. Otherwise the dual is extended to all bits (`growth`), and what spoils its bound there joins the core.
"""

from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..qubo import Bits, Matrix, Vector
from .certificate import Dual, Outside
from .growth import Carried, carried_over, joined, lacking
from .outside import Outsiders, prices
from .relaxation import Relaxed, State, relax, start_at, worth_of
from .settling import FREE, Settled, restricted

Indices = npt.NDArray[np.intp]

CORE, JOIN, ROUNDS = 150, 100, 6  # bits of a first core, how many may join it at a time, and how often
MANY, STUCK = 600, 0.75  # a core that so many could still join must have made them this much fewer to go on
MOST, EVERY = 400, 10  # iterations of a core's relaxation at the most, and between looks
FEWEST, NEXT = 120, 30  # iterations at the least, of the first core and of later ones
HALF = 0.5  # the share of all bits that a first core may have to be worth starting with
CLOSABLE = 0.5  # the share of those outside that may be of use where closing the core is tried rather than growing it
STEP, LARGEST = 0.3, 0.7  # by which share a core grows at least, and up to which share of all bits
FAINT = (
    1e-3  # a bit that can lower an energy by less than this share of the most costs as if it could by so much
)
PATIENCE = 4.0  # looks at the pace of the last one that closing the rest of a gap is worth
# An iteration costs about n^3 operations, and at least as much as this many.
OVERHEAD = 1_000_000.0


class Core(NamedTuple):
    """The bits that are relaxed, in order, and where their relaxation stands."""

    bits: Indices
    state: State

    def given(self, x: Settled) -> "Core":
        """Return what is left of it once bits are settled, where x is not -1."""
        values = x[self.bits]
        free = values == FREE
        return self if free.all() else Core(self.bits[free], restricted(self.state, values))


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

    def outside(self, out: Indices, core: Indices, /) -> tuple[Vector, Matrix]:
        """Return the energies of other bits, and their couplings to the core."""
        return self.linear[out], self.couplings[np.ix_(out, core)]

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
    """Return whether closing the last gap would take too many more looks, at the pace of the last one."""
    return len(gaps) > 1 and gaps[-1] > PATIENCE * max(gaps[-2] - gaps[-1], 0.0)


def first_size(k: int) -> int:
    """Return how many bits a first core has."""
    return max(CORE, 3 * k)


def first_core(change: Vector, ones: Indices, k: int) -> Indices:
    """Return the ones, and the bits that cost least in the place of one of them."""
    order = change.copy()
    order[ones] = -np.inf
    return np.sort(np.argsort(order, kind="stable")[: first_size(k)])


def enclose(
    source: Source,
    change: Vector,
    ones: Indices,
    k: int,
    cutoff: float,
    work: float,
    *,
    dense: bool = False,
) -> Enclosed:
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
    dense : bool
        The core may also grow: it need not be closed if it would be most of all bits.
    """
    iterations, left, before, core, least = 0, work, np.inf, first_core(change, ones, k), FEWEST
    inside = source.inside(core)
    state = start_at(*inside, np.isin(core, ones), k)
    for last in reversed(range(ROUNDS)):
        allowed = max(EVERY, min(MOST, int(left / cost(core.size))))
        gaps: list[float] = []

        def stop(iteration: int, dual: Dual, gaps: list[float] = gaps, least: int = least) -> bool:
            gaps.append(cutoff - dual.bound)
            return iteration > least and too_slow(gaps)

        found = relax(*inside, k=k, cutoff=cutoff, warm=state, iterations=allowed, every=EVERY, stop=stop)
        iterations, left, least = (
            iterations + found.iterations,
            left - found.iterations * cost(core.size),
            NEXT,
        )
        out = np.setdiff1d(np.arange(change.size), core)
        if not out.size:
            return Enclosed(cutoff, core, out, np.zeros(0), None, found, iterations, work - left)
        # What is too much work to be relaxed well had better stay outside.
        final = not last or left < FEWEST * cost(min(core.size + JOIN, change.size))
        outsiders = source.outsiders(out, core, k)
        margin, why = prices(*inside, found.dual, k, cutoff, outsiders, early=not final or dense)
        useful = int((margin < 0.0).sum())
        if not useful or final or (dense and useful > CLOSABLE * out.size):
            break
        if useful > max(MANY, STUCK * before):
            # Too many for any core: what is known of them now is all that will be, if they are not to be relaxed.
            if not dense:
                margin, why = prices(*inside, found.dual, k, cutoff, outsiders)
            break
        before = useful
        # With those that may be of use come those that are next to it.
        new = np.sort(np.argsort(margin, kind="stable")[:JOIN])
        carried = carried_over(*inside, found.dual, outsiders.linear[new], outsiders.pairs[new], k)
        bits, place = with_more(core, out[new])
        inside = source.inside(bits)
        core, state = bits, joined(*inside, place, found, carried, k)
    return Enclosed(
        cutoff, core, out, margin, replace(why, bits=out, core=core), found, iterations, work - left
    )


def with_more(core: Indices, new: Indices) -> tuple[Indices, Indices]:
    """Return all bits of a larger core, in order, and where in it those are that were in it and those that are new."""
    bits = np.concatenate([core, new])
    order = np.argsort(bits)
    place = np.empty(bits.size, np.intp)
    place[order] = np.arange(bits.size)
    return bits[order], place


def worth_growing(size: int, ones: int) -> bool:
    """Return whether a first core is so much smaller than all bits that growing is quicker than starting with all."""
    return first_size(ones) <= HALF * size


def core_beside(source: Dense, x: Bits) -> Core:
    """Return a first core around a good vector: the ones, and what costs least beside them for what it can be worth."""
    worth = worth_of(source.linear, source.couplings)
    change = source.linear + source.couplings @ x
    bits = first_core(change / np.maximum(worth, FAINT * worth.max()), np.flatnonzero(x), int(x.sum()))
    return Core(bits, start_at(*source.inside(bits), x[bits], None))


def larger(
    source: Dense,
    core: Indices,
    found: Relaxed,
    carried: Carried,
    out: Indices,
    k: int | None,
    *,
    affordable: int | None = None,
) -> Core:
    """Return a core with those of the others that keep its dual from holding for all.

    With all of them, if these are most, or where the core would have more bits than are ``affordable``.
    """
    among = source.couplings[np.ix_(out, out)]
    wanted = max(int((carried.margin < 0.0).sum()), int(STEP * core.size), 1)
    size = core.size + wanted
    if size > LARGEST * source.linear.size or (affordable is not None and size > affordable):
        wanted = out.size
    left = carried.margin - lacking(carried, among, found.dual)
    new = np.sort(np.argsort(left, kind="stable")[:wanted])
    bits, place = with_more(core, out[new])
    return Core(bits, joined(*source.inside(bits), place, found, carried.some(new), k))
