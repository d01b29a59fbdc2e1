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
from .core import EVERY, Dense, cost, enclose, first_size, grown, grown_on, too_slow, worth_growing
from .relaxation import Relaxed, State, relax, start_at
from .settling import FREE, NEITHER, Rest, Settled, rest_of, restricted, settled_by_dual, settled_by_signs

MOST = 1000, 300  # iterations at the most, at the root and below
TINY = 10
SHARE = 12  # a twelfth of the free bits, settled, is worth a new start
THIRD = 3  # the root has an iteration for three bits before it may be too slow
BATCH = 4  # nodes looked at together
LARGE = 2000  # bits up to which all are relaxed where some outside a core cannot be settled
ENOUGH = 1.3  # looks at a relaxation of all bits that must be affordable where it starts from a core


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
    """The best bit vector known, a bound below which there is none, why, and where the relaxation of all bits stood.

    ``state`` is None where only a core was relaxed.
    """

    x: Bits
    bound: float
    nodes: int
    iterations: int
    certificate: Certificate
    state: State | None


class Open(NamedTuple):
    """A node that is still to be looked at, with the bound of its parent."""

    bound: float
    order: int
    node: Node
    x: Settled
    state: State | None


def enough(free: int) -> int:
    """Return how many of so many free bits are worth starting anew without."""
    return max(1, free // SHARE)


def similar(warm: State, qubo: QUBO) -> bool:
    """Return whether a relaxation stood at a problem of about this size of numbers: multipliers of others mislead."""
    size = max(np.abs(qubo.linear).max(initial=0.0), np.abs(qubo.couplings).max(initial=0.0))
    return bool(0.1 * size <= warm.scale <= 10.0 * size)


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
    warm: State | None = None,
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
    warm : State, optional
        `Proof.state` of a similar problem, to start from if it has as many free bits.
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
        self.first: State | None = None
        self.given = work

    @property
    def cutoff(self) -> float:
        """What a bound must reach."""
        return self.energy - self.slack

    def affords(self, item: Open) -> int:
        """Return how many nodes like this one the work left is enough for; the root is not known before it is begun."""
        if item.order == 0:
            return int(self.work > 0.0)
        return max(0, int(self.work / (EVERY * cost(int((item.x == FREE).sum())))))

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
        node, x, state = item.node, item.x.copy(), item.state
        most, fresh = MOST[0] if root else MOST[1], root
        known = self.first is not None and len(self.first.V) == x.size + 1
        if root and self.k and not known and worth_growing(x.size, self.k):
            state = self._settle_outside(node, x, self.k)
            if node.steps:
                # What stands on a core is no start for another problem, whose core is another one.
                self.first, fresh = None, False
        while True:
            state = self._settle_by_signs(node, x, state)
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
            allowed = max(EVERY, min(most, int(self.work / cost(free))))
            if fresh and state is None:
                state = self._root_state(rest, k)
            least = free // THIRD if root else 0
            found, dual, values, witnesses = self._relaxed(x, rest, k, goal, state, (least, allowed))
            if fresh:
                self.first, fresh = found.state, False
            self.iterations += found.iterations
            self.work -= found.iterations * cost(free)
            most -= found.iterations
            bound = max(item.bound, found.dual.bound + rest.offset)
            if found.dual.bound >= goal:
                node.end, node.dual = "bound", found.dual
                return []
            if (values == NEITHER).any():
                at = int(np.argmax(values == NEITHER))
                node.end, node.dual, node.bit, node.witnesses = (
                    "flip",
                    dual,
                    int(rest.free[at]),
                    witnesses[:, at],
                )
                return []
            chosen = np.flatnonzero(values != FREE)
            if chosen.size < enough(free) or self.work <= 0:
                # Too slow to go on: what going on would gain is gained in the children, and what few bits are settled.
                return self._branch(node, x, rest, found, bound)
            node.steps.append(
                Step(rest.free[chosen], values[chosen], dual, witnesses[1 - values[chosen], chosen])
            )
            x[rest.free[chosen]] = values[chosen]
            state = restricted(found.state, values)

    def _root_state(self, rest: Rest, k: int | None) -> State | None:
        """Return where the first relaxation starts from, if it should not start cold."""
        if self.first is not None and len(self.first.V) == rest.free.size + 1:
            return self.first
        x = self.x[rest.free] == 1
        if k is not None or not worth_growing(rest.free.size, int(x.sum())):
            return None
        start = grown(Dense(rest.linear, rest.couplings), x, self.work, self.n_jobs)
        self.iterations += start.iterations
        self.work -= start.work
        return start.state

    def _settle_outside(self, node: Node, x: Settled, k: int) -> State:
        """Settle all bits outside a core at 0, and return where the relaxation of the core stands.

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
        if closed.why is None:
            return closed.relaxed.state
        if dense and closed.margin.min() < 0.0:
            start = grown_on(source, closed.core, closed.relaxed, k, self.work, self.n_jobs)
            self.iterations += start.iterations
            self.work -= start.work
            return start.state
        node.steps.append(closed.why)
        self.lowest = min(self.lowest, self.cutoff + min(0.0, float(closed.margin.min())))
        x[closed.out] = 0
        return closed.relaxed.state

    def _relaxed(
        self,
        x: Settled,
        rest: Rest,
        k: int | None,
        goal: float,
        state: State | None,
        iterations: tuple[int, int],
    ) -> tuple[Relaxed, Dual, Settled, Matrix]:
        """Return the relaxation of a node, of least and most iterations, and what the dual that settles most shows."""
        least, most = iterations
        gaps: list[float] = []
        tried = np.inf
        hit: tuple[Dual, Settled, Matrix] | None = None
        limits = None if self.apart is None else self.apart.limits(x)

        def settled(dual: Dual) -> tuple[Dual, Settled, Matrix]:
            linear, fee = (rest.linear, 0.0) if limits is None else limits.charged(rest.linear, dual.away)
            raised = replace(dual, bound=dual.bound + fee)
            return dual, *settled_by_dual(linear, rest.couplings, raised, goal + fee, k, self.n_jobs)

        def stop(iteration: int, dual: Dual) -> bool:
            nonlocal tried, hit
            self._round(x, rest, dual, k)
            gaps.append(goal - dual.bound)
            # Settling costs as much as some iterations: only after real progress.
            if gaps[-1] < 0.6 * tried:
                tried = gaps[-1]
                hit = settled(dual)
                if (hit[1] != FREE).sum() >= enough(rest.free.size):
                    return True
            return iteration >= least and too_slow(gaps)

        found = relax(
            rest.linear,
            rest.couplings,
            k=k,
            cutoff=goal,
            warm=state or start_at(rest.linear, rest.couplings, self.x[rest.free] == 1),
            iterations=most,
            every=EVERY,
            stop=stop,
            limits=limits,
        )
        if hit is None or ((hit[1] != FREE).sum() < enough(rest.free.size) and hit[0] is not found.dual):
            hit = settled(found.dual)
        return found, *hit

    def _branch(self, node: Node, x: Settled, rest: Rest, found: Relaxed, bound: float) -> list[Open]:
        """Return the bit at 0 and at 1 that most depends on: undecided, and coupled to others that are."""
        relaxed = np.diagonal(found.Y)[1:]
        spread = np.sqrt(np.maximum(relaxed * (1.0 - relaxed), 0.0))
        score = spread * (np.abs(rest.couplings) @ spread)
        if not score.any():
            # All is decided, for what does not count: away from there by the bit that is hardest to change.
            score = np.minimum(*found.dual.flipped())
        at = int(np.argmax(score))
        node.end, node.bit, node.dual = "branch", int(rest.free[at]), found.dual
        items = []
        for value in (0, 1):
            child, below = Node(), x.copy()
            below[node.bit] = value
            node.children.append(child)
            items.append(Open(bound, 0, child, below, restricted(found.state, below[rest.free])))
        return items

    def _settle_by_signs(self, node: Node, x: Settled, state: State | None) -> State | None:
        """Settle bits of x by signs until nothing changes, and return where to start from then."""
        before = np.flatnonzero(x == FREE)
        while self.k is None:
            rest = rest_of(self.linear, self.couplings, x)
            values = settled_by_signs(rest.linear, rest.couplings)
            chosen = np.flatnonzero(values != FREE)
            if not chosen.size:
                break
            node.steps.append(Step(rest.free[chosen], values[chosen]))
            x[rest.free[chosen]] = values[chosen]
        settled = (x[before] != FREE).any()
        return restricted(state, x[before]) if settled and state is not None else state

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

    def _round(self, x: Settled, rest: Rest, dual: Dual, k: int | None) -> None:
        """Offer the relaxed solution, rounded, and without k taken down to a local minimum."""
        full = x.copy()
        if k is not None:
            full[rest.free] = 0
            full[rest.free[np.argsort(-dual.center, kind="stable")[:k]]] = 1
            self.offer(full)
            return
        full[rest.free] = dual.center > 0.5
        field = self.linear + self.couplings @ (full == 1)
        for _ in range(3 * rest.free.size):
            change = np.where(full[rest.free] == 1, -field[rest.free], field[rest.free])
            bit = rest.free[int(np.argmin(change))]
            if change.min() >= 0:
                break
            field += self.couplings[bit] * (1 - 2 * full[bit])
            full[bit] = 1 - full[bit]
        self.offer(full)
