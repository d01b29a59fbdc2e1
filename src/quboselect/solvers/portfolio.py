"""Portfolio: the default solver. A strong heuristic finds, then two kinds of branch and bound try to prove."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, cast

import numpy as np

from ..errors import check_fields
from ..proof import Progress, Proof, prove
from ..proof.tree import affordable
from ..protocols import Solver, takes
from ..qubo import QUBO, Bits, Solutions
from .branch import branch, leaders
from .copies import Fewer
from .tabu import Tabu

# A node of the cheap bound costs about n^2 operations, and what it does not close soon it seldom closes at all.
CHEAP_WORK = 5e6
LEAST_NODES = 200
# Bits above which it hardly closes anything where couplings have both signs: of 24 problems as `generic` of the
# benchmarks makes them (densities 0.1, 0.3 and 1, seeds 0 to 7) none of 50 bits, five of 40, fourteen of 30.
MIXED = 40
# Operations of a proof, of so many bits that have any coefficient; of more, in proportion.
WORK, LARGE = 2.2e10, 400
FEW = 64  # bits of which copies cost nothing, unless a proof is hard


@dataclass(frozen=True)
class Portfolio:
    """Search with `Tabu`, then prove: by `BranchAndBound` if that is quick, else by relaxations with cuts.

    Parameters
    ----------
    k : int, optional
        Only subsets of exactly k bits.
    effort : float
        How much a proof may cost, in operations and never in seconds. On two cores 1 is up to some 5 s at 400 bits, and
        up to 20 s at 2 000; most proofs close in less. A window of alpha takes two proofs, side by side: up to 11 s at
        400 bits. What does not close leaves a stated gap. 0 leaves the proof out.
    seed : int
        Seed of the search.
    n_jobs : int, optional
        Threads of the search, counted as in joblib.
    progress : callable, optional
        Called with a `quboselect.proof.Progress` after every few nodes of a long proof: ``progress=print`` will do.
    hint : Solutions, optional
        Of a similar problem, as this solver returned them: search and proof start from them.

    Examples
    --------
    >>> Portfolio()(QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]]))
    Solutions(1 of 2 bits, best energy -1, proven)
    """

    k: int | None = None
    effort: float = 1.0
    seed: int = 0
    n_jobs: int | None = -1
    progress: Callable[[Progress], object] | None = field(default=None, repr=False)
    hint: Solutions | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_fields(self, seed=0)
        check_fields(self, none=True, k=0)
        if (
            isinstance(self.effort, bool)
            or not isinstance(self.effort, Real)
            or not 0 <= self.effort < np.inf
        ):
            raise ValueError(f"effort must be a finite number of at least 0, got {self.effort!r}.")

    def scout(self) -> Tabu:
        """Return the search alone, with which a path is explored before it is proven."""
        return Tabu(k=self.k, seed=self.seed, n_jobs=self.n_jobs, hint=self.hint)

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return the pool of the search with the best subset found, and a bound with its certificate."""
        if qubo.size > FEW and (found := self._without_copies(qubo)) is not None:
            return found
        pool = self.scout()(qubo)
        if not self.effort:
            return pool
        least = LEAST_NODES * (min(1.0, LARGE / max(qubo.size, 1)) ** 2 if self.k is None else 1.0)
        nodes = 1 + int(min(self.effort, 1.0) * (least + CHEAP_WORK / (qubo.size + 1) ** 2))
        if self.k is None and qubo.size > MIXED and (qubo.couplings < 0.0).any():
            nodes = 1
        cheap = branch(qubo, pool.x[0], k=self.k, nodes=nodes)
        if qubo.size <= FEW and not cheap.proven and (found := self._without_copies(qubo)) is not None:
            return found
        x, bound, info = np.concatenate([pool.x, cheap.x]), cheap.bound, {**pool.info, **cheap.info}
        if not cheap.proven:
            proof = self._proof(qubo, cheap.best, pool.info["live"] if self.k is None else qubo.size)
            if proof is not None:
                info |= {
                    "nodes": info["nodes"] + proof.nodes,
                    "iterations": proof.iterations,
                    "state": proof.state,
                }
                if self.k in (None, proof.x.sum()):
                    x = np.concatenate([x, proof.x[None]])
                if proof.bound > bound:
                    bound, info["certificate"] = proof.bound, proof.certificate
        return Solutions.of(qubo, x, bound=bound, info=info)

    def _without_copies(self, qubo: QUBO) -> Solutions | None:
        """Return what is found and proven where useless copies are left out; None where there are none."""
        if not self.k:
            return None
        leader = leaders(qubo, self.k)
        copies = (leader < np.arange(qubo.size)).any()
        fewer = Fewer.of(qubo, self.k, leader) if copies else None
        return None if fewer is None else fewer.solutions(self(fewer.qubo), self.k)

    def _proof(self, qubo: QUBO, x: Bits, live: int) -> Proof | None:
        """Return a proof by relaxations, or None where there is too little effort for one."""
        size = int(((qubo.linear != 0.0) | (qubo.couplings != 0.0).any(axis=1)).sum())
        work, k = self.effort * WORK * max(1.0, size / LARGE), self.k
        if k is not None and unconstrained(qubo, x):
            # What is best of all sizes is best of its own, and of all sizes signs settle more.
            free = replace(self.scout(), k=None)(qubo)
            best = free.energy[0] >= qubo.energy(x) - qubo.tolerance
            if best and affordable(free.info["live"], work):
                k, live = None, free.info["live"]
        if not affordable(live, work, k):
            return None
        same = self.hint is not None and self.hint.x.shape[1] == qubo.size
        warm = self.hint.info.get("state") if self.hint is not None and same else None
        return prove(qubo, x, k=k, work=work, warm=warm, progress=self.progress, n_jobs=self.n_jobs)


def unconstrained(qubo: QUBO, x: Bits) -> bool:
    """Return whether no bit alone would rather have its other value."""
    field = qubo.linear + qubo.couplings @ x
    return bool((np.where(x, -field, field) >= 0.0).all())


def with_size(solver: Any, k: int) -> Solver:
    """Return the solver for exactly k ones: itself, or the default where it cannot be held to a size.

    Examples
    --------
    >>> with_size(Tabu(seed=1), 3).k, type(with_size(lambda qubo: None, 3)).__name__
    (3, 'Portfolio')
    """
    return cast(Solver, replace(solver, k=k)) if takes(solver, "k") else Portfolio(k=k)
