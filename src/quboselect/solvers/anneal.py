"""Anneal: simulated annealing, the classical yardstick of the paper.

All reads are returned, with how often each bit vector was seen, so hit rates can be set beside those of other
samplers. Each read has a seed of its own: the result does not depend on `n_jobs`.
"""

from dataclasses import dataclass

import numpy as np

from .. import _kernels
from .._kernels.threads import thread_map
from ..errors import check_fields, check_integer
from ..qubo import QUBO, Solutions, Vector, canonical
from .tabu import random_rows

# Below this many proposals, the reads are done before a second thread has started.
WORTH_A_THREAD = 200_000


def barrier(qubo: QUBO, k: int | None = None) -> float:
    """Return the typical height of the steps out of a local minimum: what a temperature is measured against.

    Coefficients alone are a poor measure. Where every pair is redundant, a field is the sum of many couplings
    of which an optimum feels few, so the moves are measured where annealing ends: after a greedy descent.

    Examples
    --------
    >>> barrier(QUBO([-1.0, -4.0], [[0, 3], [3, 0]]))
    3.0
    """
    x = np.zeros(qubo.size, np.bool_)
    fields = qubo.linear.copy()
    for _ in range(2 * qubo.size if k is None else k):
        gains = np.where(x, -fields if k is None else np.inf, fields)
        i = int(gains.argmin())
        if k is None and gains[i] >= 0.0:
            break
        fields = fields - qubo.couplings[i] if x[i] else fields + qubo.couplings[i]
        x[i] = ~x[i]
    rises = np.where(x, -fields, fields) if k is None else fields[~x] - fields[x].max(initial=-np.inf)
    rises = rises[np.isfinite(rises) & (rises > 0.0)]
    return float(np.median(rises)) if rises.size else 1.0


@dataclass(frozen=True)
class Anneal:
    """Simulated annealing with a geometric schedule in beta, its ends taken from the QUBO.

    Parameters
    ----------
    k : int or None
        Search among the bit vectors of exactly k ones, by swaps.
    reads : int
        Independent runs.
    sweeps : int
        Sweeps per run; each proposes n moves.
    hot, cold : float
        The first and the last temperature, as parts of the median rise of the energy by one move out of a
        local minimum.
    seed : int
    n_jobs : int or None
        Threads, as in joblib.

    Examples
    --------
    >>> qubo = QUBO([-1.0, -1.0, -1.0], [[0, 3, 0], [3, 0, 1], [0, 1, 0]])
    >>> solutions = Anneal(reads=10)(qubo)
    >>> solutions.best, int(solutions.count.sum())
    (array([ True, False,  True]), 10)
    """

    k: int | None = None
    reads: int = 100
    sweeps: int = 1000
    hot: float = 0.5
    cold: float = 0.01
    seed: int = 0
    n_jobs: int | None = -1

    def __post_init__(self) -> None:
        check_fields(self, reads=1, sweeps=1, seed=0)
        check_fields(self, none=True, k=0)
        if not 0.0 < self.cold <= self.hot < np.inf:
            raise ValueError(f"hot and cold must be 0 < cold <= hot, got hot={self.hot}, cold={self.cold}.")

    def betas(self, qubo: QUBO) -> Vector:
        """Return the inverse temperature of each sweep."""
        scale = barrier(qubo, self.k)
        return np.geomspace(1.0 / (self.hot * scale), 1.0 / (self.cold * scale), self.sweeps)

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return all reads; nothing is proven."""
        if self.k is not None:
            check_integer(self.k, "k", 0, qubo.size)
        rng = np.random.default_rng(self.seed)
        ones = rng.integers(0, qubo.size + 1, self.reads) if self.k is None else np.full(self.reads, self.k)
        rows = random_rows(ones, qubo.size, rng)
        seeds = rng.integers(0, 2**64, self.reads, np.uint64)
        betas = self.betas(qubo)
        # One type of array means one compilation.
        linear, couplings = np.array(qubo.linear, order="C"), np.array(qubo.couplings, order="C")

        def anneal(part: slice) -> None:
            _kernels.anneal.anneal_rows(linear, couplings, rows[part], self.k is not None, betas, seeds[part])

        small = self.reads * self.sweeps * qubo.size < WORTH_A_THREAD
        parts = [slice(None)] if small else [slice(r, r + 1) for r in range(self.reads)]
        thread_map(anneal, parts, n_jobs=1 if small else self.n_jobs)
        x = rows.astype(np.bool_)
        best = Solutions.of(qubo, x).best
        x[(x == best).all(axis=1)] = canonical(qubo, best, self.k)
        info = {"sweeps": self.sweeps, "hot": 1.0 / betas[0], "cold": 1.0 / betas[-1]}
        return Solutions.of(qubo, x, info=info)
