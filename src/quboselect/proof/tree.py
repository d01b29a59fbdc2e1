"""Branch and bound over the relaxation: a proof that a bit vector is optimal, or an honest bound.

Best bound first. Effort is counted in work, never in seconds. The certificate is the tree itself: at each node the
bits settled and by which dual, then a branch, or an end with the dual that closes it.
"""

import heapq
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .._kernels.threads import single_blas_thread, thread_map
from ..qubo import QUBO, SEARCH, Bits, Matrix
from .certificate import Apart, Certificate, Dual, Node, Step
from .core import (
    EVERY,
    Core,
    Dense,
    Indices,
    core_beside,
    cost,
    enclose,
    first_size,
    larger,
    too_slow,
    worth_growing,
)
from .growth import Carried, carried_over, extended
from .relaxation import Relaxed, relax, start_at
from .settling import FREE, NEITHER, Rest, Settled, rest_of, settled_by_dual, settled_by_signs

MOST = 1000, 300  # iterations at the most, at the root and below
TINY = 10
SHARE = 12  # a twelfth of the free bits, settled, is worth a new start
THIRD = 3  # the root has an iteration for three bits before it may be too slow
BATCH = 4  # nodes looked at together
LARGE = 2000  # bits up to which a core of a given size grows where it cannot be closed
ENOUGH = 1.3  # looks at a relaxation of all bits that must be affordable where it starts from a core
PROGRESS = 0.6  # what is left of a gap when it is worth looking at what can be settled
FIRST, THEN = 60, 30  # iterations before the first look at all bits, and after some have joined the core
# How much larger than the core's the gap of all bits may be to go on, and to look at what can be settled; a core's gap
# that closes counts as this share of the one before.
LOSS, TOO_MUCH, CLOSED = 1.5, 3.0, 0.3
LOOK = 3  # what extending a dual to all bits costs, in iterations over them


class Progress(NamedTuple):
    """How far a proof is: nodes done and open, the bound so far, the best energy, iterations, bits free last."""

    nodes: int
    open: int
    bound: float
    energy: float
    iterations: int
    free: int

    def __str__(self) -> str:
        gap = (self.energy - self.bound) / abs(self.energy) if self.energy else np.inf
        return (
            f"{self.nodes} nodes done, {self.open} open: energy {self.energy:.9g}, bound {self.bound:.9g}, "
            f"gap {gap:.4%}, {self.iterations} iterations, {self.free} bits free at the last node"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Proof:
    """The best bit vector known, a bound below which there is none, why, and where the first relaxation stood.

    ``state`` is None where what was relaxed is all that could be in a better vector.
    """

    x: Bits
    bound: float
    nodes: int
    iterations: int
    certificate: Certificate
    state: Core | None


class Seen(NamedTuple):
    """What a relaxation shows of a node: what it found for its core, a dual of all free bits, and what that settles.

    ``values`` and ``witnesses`` are those of `settled_by_dual`; ``iterations`` is how many it took.
    """

    core: Core
    found: Relaxed
    dual: Dual
    values: Settled
    witnesses: Matrix
    iterations: int


class Open(NamedTuple):
    """A node that is still to be looked at, with the bound of its parent."""

    bound: float
    order: int
    node: Node
    x: Settled
    core: Core | None


def enough(free: int) -> int:
    """Return how many of so many free bits are worth starting anew without."""
    return max(1, free // SHARE)


def similar(warm: Core, qubo: QUBO) -> bool:
    """Return whether a relaxation stood at a problem of about this size of numbers: multipliers of others mislead."""
    size = max(np.abs(qubo.linear).max(initial=0.0), np.abs(qubo.couplings).max(initial=0.0))
    return bool(warm.bits.max(initial=-1) < qubo.size and 0.1 * size <= warm.state.scale <= 10.0 * size)


def affordable(size: int, work: float, k: int | None = None) -> bool:
    """Return whether the root relaxation gets far enough to be worth starting; it starts on a core where that pays."""
    if k is not None:
        return work >= 6 * EVERY * cost(min(size, first_size(k)))
    return work >= (ENOUGH if worth_growing(size, 0) else 6) * EVERY * cost(size)


def prove(
    qubo: QUBO,
    x: Bits,
    *,
    k: int | None = None,
    work: float,
    warm: Core | None = None,
    progress: Callable[[Progress], object] | None = None,
    n_jobs: int | None = -1,
    apart: Apart | None = None,
) -> Proof:
    """Return a proof that x, or a better one found on the way, is optimal, as far as the work allows.

    Parameters
    ----------
    qubo : QUBO
        With any signs.
    x : bits of shape (n,)
        A good solution; of exactly k ones where k is given.
    k : int, optional
        Only bit vectors of exactly k ones count.
    work : float
        Operations that may be spent; an iteration over n free bits costs n^3, and a million at least.
    warm : Core, optional
        `Proof.state` of a similar problem, to start from.
    progress : callable, optional
        Called with a `Progress` after some nodes.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.
    apart : Apart, optional
        Only bit vectors that are far enough from some others count. It needs k, and x is one of them.
    """
    search = _Search(qubo, k, x, work, apart, n_jobs)
    root = Node()
    search.first = warm if warm is not None and similar(warm, qubo) else None
    heap = [Open(-np.inf, 0, root, np.full(qubo.size, FREE, np.int8), None)]
    nodes = count = 0
    bound = -np.inf
    # Once what was left outside a core holds the bound, nothing more can be proven.
    while heap and (most := search.affords(heap[0])) and heap[0].bound < search.lowest:
        batch = [heapq.heappop(heap) for _ in range(min(BATCH, most, len(heap)))]
        with single_blas_thread():
            # As many at a time on every machine, and merged in order: no result depends on the number of cores.
            parts = [search.part(len(batch)) for _ in batch]
            found = thread_map(
                lambda task: task[0].children(task[1], root=task[1].order == 0),
                zip(parts, batch, strict=True),
                n_jobs=n_jobs,
            )
        for part, children in zip(parts, found, strict=True):
            search.merge(part)
            for child in children:
                count += 1
                heapq.heappush(heap, child._replace(order=count))
        nodes += len(batch)
        bound = min(search.lowest, search.cutoff, heap[0].bound if heap else np.inf)
        if progress is not None:
            progress(Progress(nodes, len(heap), bound, search.energy, search.iterations, search.free))
    return Proof(search.x == 1, bound, nodes, search.iterations, Certificate(bound, k, root), search.first)


class _Search:
    """The best solution, the counters, and the bounds of nodes given up, which all nodes share."""

    def __init__(
        self, qubo: QUBO, k: int | None, x: Bits, work: float, apart: Apart | None, n_jobs: int | None
    ) -> None:
        self.linear, self.couplings, self.k = np.array(qubo.linear), np.array(qubo.couplings), k
        self.qubo, self.apart, self.n_jobs = qubo, apart, n_jobs
        self.slack = SEARCH * qubo.tolerance
        self.x: Settled = np.array(x, np.int8)
        self.energy = float(qubo.energy(self.x == 1))
        self.work, self.iterations, self.free = work, 0, qubo.size
        self.lowest = np.inf
        self.first: Core | None = None
        self.given = work

    @property
    def cutoff(self) -> float:
        """What a bound must reach."""
        return self.energy - self.slack

    def affords(self, item: Open) -> int:
        """Return how many nodes like this one the work left is enough for; the root is not known before it is begun."""
        if item.order == 0:
            return int(self.work > 0.0)
        free = int((item.x == FREE).sum())
        relaxed = free if item.core is None else item.core.bits.size
        look = LOOK * cost(free) if relaxed < free else 0.0
        return max(0, int(self.work / (EVERY * cost(relaxed) + look)))

    def part(self, parts: int) -> "_Search":
        """Return a search of one node, with its share of the work left."""
        one = copy(self)
        one.lowest, one.iterations, one.work = np.inf, 0, self.work / parts
        one.n_jobs = self.n_jobs if parts == 1 else 1
        one.given = one.work
        return one

    def merge(self, one: "_Search") -> None:
        """Take what the search of a node found and spent."""
        self.lowest = min(self.lowest, one.lowest)
        self.iterations += one.iterations
        self.work -= one.given - one.work
        self.free, self.first = one.free, one.first
        if one.energy < self.energy:
            self.x, self.energy = one.x, one.energy

    def offer(self, x: Settled) -> None:
        """Take a solution if it counts and is better than the best one."""
        if self.apart is not None and self.apart.near(x == 1):
            return
        energy = float(self.qubo.energy(x == 1))
        if energy < self.energy:
            self.x, self.energy = x.copy(), energy

    def children(self, item: Open, *, root: bool) -> list[Open]:
        """Return what a node branches into, after settling what can be settled; nothing if it is closed."""
        node, x, core = item.node, item.x.copy(), item.core
        most, fresh, highest = MOST[0] if root else MOST[1], root, item.bound
        if root and self.k and self.first is None and worth_growing(x.size, self.k):
            core = self._settle_outside(node, x, self.k)
            if node.steps:
                # A core that is closed is no start for another problem, whose core is another one.
                fresh = False
        while True:
            core = self._settle_by_signs(node, x, core)
            rest = rest_of(self.linear, self.couplings, x)
            free = self.free = rest.free.size
            k = None if self.k is None else self.k - int((x == 1).sum())
            if k is not None and not 0 <= k <= free:
                node.end = "infeasible"
                return []
            if self.apart is not None and self.apart.near(x == 1):
                node.end = "near"
                return []
            if free <= TINY or k in (0, free):
                self._enumerate(x, rest, k)
                node.end = "enumerate"
                return []
            # Set now: a better solution found meanwhile only lowers the cutoff.
            goal = self.cutoff - rest.offset + 1e-11 * abs(self.cutoff)
            if core is None or core.bits.size <= max(TINY, 0 if k is None else k):
                core = self._first_core(x, rest, k, known=core is None)
            least = core.bits.size // THIRD if root else 0
            seen = self._seen(x, rest, k, goal, core, (least, most), goal - (highest - rest.offset))
            core, most = seen.core, most - seen.iterations
            if fresh:
                self.first, fresh = core, False
            here = seen.dual.bound + rest.offset
            highest, bound = max(highest, here), max(item.bound, here)
            if seen.dual.bound >= goal:
                node.end, node.dual = "bound", seen.dual
                return []
            if (seen.values == NEITHER).any():
                at = int(np.argmax(seen.values == NEITHER))
                node.end, node.dual, node.bit = "flip", seen.dual, int(rest.free[at])
                node.witnesses = seen.witnesses[:, at]
                return []
            chosen = np.flatnonzero(seen.values != FREE)
            if chosen.size < enough(free) or self.work <= 0:
                # Too slow to go on: what going on would gain is gained in the children, and what few bits are settled.
                return self._branch(node, x, rest, seen, bound)
            values = seen.values[chosen]
            node.steps.append(Step(rest.free[chosen], values, seen.dual, seen.witnesses[1 - values, chosen]))
            x[rest.free[chosen]] = values
            core = core.given(x)

    def _first_core(self, x: Settled, rest: Rest, k: int | None, *, known: bool) -> Core:
        """Return what a first relaxation is about, and where it starts from: where a known one stands, if it should."""
        if known and self.first is not None:
            core = self.first.given(x)
            if core.bits.size > max(TINY, 0 if k is None else k):
                return core
        ones = self.x[rest.free] == 1
        if k is None and worth_growing(rest.free.size, int(ones.sum())):
            core = core_beside(Dense(rest.linear, rest.couplings), ones)
            return core._replace(bits=rest.free[core.bits])
        return Core(rest.free, start_at(rest.linear, rest.couplings, ones, k))

    def _settle_outside(self, node: Node, x: Settled, k: int) -> Core:
        """Settle all bits outside a core at 0, and return the core.

        Where some cannot be settled, all are kept if they are not too many; else the bound that holds for them is.
        """
        ones = np.flatnonzero(self.x == 1)
        field = self.linear + self.couplings[:, ones].sum(axis=1)
        change = (field[:, None] - self.couplings[:, ones] - field[ones]).min(axis=1)
        source = Dense(self.linear, self.couplings)
        dense = x.size <= LARGE and self.work >= ENOUGH * EVERY * cost(x.size)
        closed = enclose(source, change, ones, k, self.cutoff, self.work, dense=dense)
        self.iterations += closed.iterations
        self.work -= closed.work
        core = Core(closed.core, closed.relaxed.state)
        if closed.why is not None and not (dense and closed.margin.min() < 0.0):
            node.steps.append(closed.why)
            self.lowest = min(self.lowest, self.cutoff + min(0.0, float(closed.margin.min())))
            x[closed.out] = 0
        return core

    def _seen(
        self,
        x: Settled,
        rest: Rest,
        k: int | None,
        goal: float,
        core: Core,
        iterations: tuple[int, int],
        tried: float,
    ) -> Seen:
        """Return what the relaxation of a core shows of a node, of least and most iterations; the core may grow.

        ``tried`` is the gap at which it was last looked at what can be settled.
        """
        (least, most), limits = iterations, None if self.apart is None else self.apart.limits(x)
        source, n = Dense(rest.linear, rest.couplings), rest.free.size
        bits, state = np.searchsorted(rest.free, core.bits), core.state
        done, gaps = 0, []
        best: tuple[Dual, Settled, Matrix] | None = None
        # Where all bits are relaxed, looking at what can be settled costs little.
        tried = np.inf if bits.size == n else tried
        # A cold start needs some iterations before it tells anything of the bits outside.
        wait = FIRST if bits.size < n and not len(state.cuts) else 0
        while True:
            inside, out = source.inside(bits), np.setdiff1d(np.arange(n), bits)

            def stop(iteration: int, dual: Dual) -> bool:
                self._round(x, rest, bits, dual, k)  # noqa: B023
                gaps.append(goal - dual.bound)  # noqa: B023
                if iteration < wait:  # noqa: B023
                    return False
                return gaps[-1] < PROGRESS * tried or (done + iteration >= least and too_slow(gaps))  # noqa: B023

            allowed = max(EVERY, min(most - done, int(self.work / cost(bits.size))))
            found = relax(
                *inside,
                k=k,
                cutoff=goal,
                warm=state,
                iterations=allowed,
                every=EVERY,
                stop=stop,
                limits=None if limits is None else limits.of(bits),
            )
            done += found.iterations
            self.iterations += found.iterations
            self.work -= found.iterations * cost(bits.size)
            state, gap = found.state, goal - found.dual.bound
            over = found.iterations == allowed or not gap < PROGRESS * tried
            linear, fee = (
                (rest.linear, 0.0) if limits is None else limits.charged(rest.linear, found.dual.away)
            )
            whole = Dense(linear, rest.couplings)
            dual, carried = self._of_all(whole, bits, out, found.dual, fee, k)
            before = max(gaps[-2:], default=tried if np.isfinite(tried) else 0.0)
            loss = (goal - dual.bound) / max(gap, CLOSED * before, 1e-300)
            values, witnesses = np.full(n, FREE, np.int8), np.zeros((2, n, n))
            if carried is None or loss < TOO_MUCH:
                raised = replace(dual, bound=dual.bound + fee)
                values, witnesses = settled_by_dual(
                    linear, rest.couplings, raised, goal + fee, k, self.n_jobs
                )
                tried = gap
            if best is None or dual.bound > best[0].bound:
                best = dual, values, witnesses
            some = (values != FREE).sum() >= enough(n) or (values == NEITHER).any()
            grow = carried is not None and (gap <= 0.0 or loss > LOSS)
            # Growth is of use where work is left for a look at what it leads to.
            grow = grow and self.work >= EVERY * cost(min(n, 3 * bits.size // 2)) + LOOK * cost(n)
            # What is left for a larger core before a look at all bits, at n^3 an iteration.
            spare = max(0.0, self.work - (EVERY + LOOK) * cost(n))
            if dual.bound >= goal or some or self.work <= 0 or (over and not grow):
                if not some:
                    dual, values, witnesses = best
                return Seen(Core(rest.free[bits], state), found, dual, values, witnesses, done)
            wait = 0
            if carried is not None and grow:
                bits, state = larger(
                    whole, bits, found, carried, out, k, affordable=int(np.cbrt(spare / THEN))
                )
                tried, wait, gaps = np.inf, THEN, []

    def _of_all(
        self, whole: Dense, bits: Indices, out: Indices, dual: Dual, fee: float, k: int | None
    ) -> tuple[Dual, Carried | None]:
        """Return the dual of some free bits, extended to all, and how it was carried over to those outside, if any.

        ``whole`` has the charges of limits, and ``fee`` is how much the limits allow of these.
        """
        if not out.size:
            return dual, None
        carried = carried_over(*whole.inside(bits), dual, *whole.outside(out, bits), k, self.n_jobs)
        found = extended(whole.linear, whole.couplings, np.concatenate([bits, out]), dual, carried, k)
        self.work -= LOOK * cost(whole.linear.size)
        return replace(found, bound=found.bound - fee, away=dual.away), carried

    def _branch(self, node: Node, x: Settled, rest: Rest, seen: Seen, bound: float) -> list[Open]:
        """Return the bit at 0 and at 1 that most depends on: undecided, and coupled to others that are."""
        relaxed = np.zeros(rest.free.size)
        relaxed[np.searchsorted(rest.free, seen.core.bits)] = np.diagonal(seen.found.Y)[1:]
        spread = np.sqrt(np.maximum(relaxed * (1.0 - relaxed), 0.0))
        score = spread * (np.abs(rest.couplings) @ spread)
        if not score.any():
            # All is decided, for what does not count: away from there by the bit that is hardest to change.
            score = np.minimum(*seen.dual.flipped())
        at = int(np.argmax(score))
        node.end, node.bit, node.dual = "branch", int(rest.free[at]), seen.dual
        items = []
        for value in (0, 1):
            child, below = Node(), x.copy()
            below[node.bit] = value
            node.children.append(child)
            items.append(Open(bound, 0, child, below, seen.core.given(below)))
        return items

    def _settle_by_signs(self, node: Node, x: Settled, core: Core | None) -> Core | None:
        """Settle bits of x by signs until nothing changes, and return what is left of a core then."""
        while self.k is None:
            rest = rest_of(self.linear, self.couplings, x)
            values = settled_by_signs(rest.linear, rest.couplings)
            chosen = np.flatnonzero(values != FREE)
            if not chosen.size:
                break
            node.steps.append(Step(rest.free[chosen], values[chosen]))
            x[rest.free[chosen]] = values[chosen]
        return None if core is None else core.given(x)

    def _enumerate(self, x: Settled, rest: Rest, k: int | None) -> None:
        """Offer the best completion of x."""
        full, free = x.copy(), rest.free.size
        if k is not None and k in (0, free):
            full[rest.free] = k > 0
            self.offer(full)
            return
        bits = (np.arange(1 << free)[:, None] >> np.arange(free)) & 1
        if k is not None:
            bits = bits[bits.sum(axis=1) == k]
        if self.apart is not None:
            every = np.repeat((full == 1)[None], len(bits), axis=0)
            every[:, rest.free] = bits == 1
            bits = bits[~self.apart.near(every)]
            if not len(bits):
                return
        energy = bits @ rest.linear + ((bits @ rest.couplings) * bits).sum(axis=1) / 2
        full[rest.free] = bits[np.argmin(energy)]
        self.offer(full)

    def _round(self, x: Settled, rest: Rest, bits: Indices, dual: Dual, k: int | None) -> None:
        """Offer the relaxed solution of some free bits, rounded, and without k taken down to a local minimum."""
        full = x.copy()
        full[rest.free] = 0
        if k is not None:
            full[rest.free[bits[np.argsort(-dual.center, kind="stable")[:k]]]] = 1
            self.offer(full)
            return
        full[rest.free[bits]] = dual.center > 0.5
        field = self.linear + self.couplings @ (full == 1)
        for _ in range(3 * rest.free.size):
            change = np.where(full[rest.free] == 1, -field[rest.free], field[rest.free])
            bit = rest.free[int(np.argmin(change))]
            if change.min() >= 0:
                break
            field += self.couplings[bit] * (1 - 2 * full[bit])
            full[bit] = 1 - full[bit]
        self.offer(full)
