"""Portfolio: the default solver. A strong heuristic finds, then branch and bound tries to prove."""

from dataclasses import dataclass

import numpy as np

from ..qubo import QUBO, Samples
from .branch import prove
from .tabu import Tabu, check_counts

NODES_PER_EFFORT = 20_000


@dataclass(frozen=True)
class Portfolio:
    """Search with `Tabu`, then prove with branch and bound, within a fixed effort.

    Parameters
    ----------
    k : int, optional
        Only subsets of exactly k bits.
    effort : float
        How much a proof may cost: nodes in units of 20 000, a second or so at 50 bits. 0 leaves it out.
    seed : int
        Seed of the search.
    n_jobs : int, optional
        Threads, counted as in joblib.

    Examples
    --------
    >>> Portfolio()(QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]]))
    Samples(1 of 2 bits, best energy -1, proven)
    """

    k: int | None = None
    effort: float = 1.0
    seed: int = 0
    n_jobs: int | None = -1

    def __post_init__(self) -> None:
        check_counts(self, seed=0)
        check_counts(self, none=True, k=0)
        if not self.effort >= 0:
            raise ValueError(f"effort must be a number of at least 0, got {self.effort!r}.")

    def scout(self) -> Tabu:
        """Return the search alone, with which a path is explored before it is proven."""
        return Tabu(k=self.k, seed=self.seed, n_jobs=self.n_jobs)

    def __call__(self, qubo: QUBO, /) -> Samples:
        """Return the pool of the search with the best subset found, and a bound on the minimum."""
        pool = self.scout()(qubo)
        nodes = int(self.effort * NODES_PER_EFFORT)
        if not nodes:
            return pool
        proof = prove(qubo, pool.best, k=self.k, nodes=nodes)
        return Samples.of(
            qubo,
            np.concatenate([pool.x, proof.x]),
            bound=proof.bound,
            info={**pool.info, **proof.info},
        )
