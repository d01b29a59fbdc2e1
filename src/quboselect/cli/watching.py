"""Measures and solvers that tell how far they are. Those of the library flow in, and what they answer flows out as is.

Counting is tried on some features, which tells how long all pairs will take. A path is scouted before it is proven: the
number of scouts tells how many proofs there will be. A proof has so much work at most, and may end any time before.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..counting.bins import Codes
from ..proof import Progress
from ..qubo import QUBO
from ..solutions import Solutions
from ..solvers import Portfolio, Tabu
from ..solvers.portfolio import WORK
from .progress import Stages, Tick

TRIAL = 64  # features on which counting is tried
SEGMENTS = 2.4  # scouts of a whole path for each feature, about
ITERATION = 1_000_000.0  # what an iteration of a proof costs beside n^3


@dataclass(frozen=True)
class WatchedRedundancy:
    """A redundancy that shows how far it is."""

    measure: Any
    stages: Stages

    tables = True
    categories = True

    def __call__(self, X: Any, /) -> Any:
        """Return what the measure returns."""
        self.stages.begin("binning features")
        codes = self.measure.codes(X)
        tick = self.stages.begin(f"counting pairs of {codes.n_features} features")
        if codes.n_features < 3 * TRIAL:
            return self.measure(codes)
        began = time.monotonic()
        self.measure(Codes(codes.values[:TRIAL], codes.sizes[:TRIAL], codes.weights))
        with timed(tick, (time.monotonic() - began) * (codes.n_features / TRIAL) ** 2):
            return self.measure(codes)


@contextmanager
def timed(tick: Tick, expected: float) -> Iterator[None]:
    """Tell how far something is by the clock, while the block runs, from how long it is expected to take."""
    began, ended = time.monotonic(), threading.Event()

    def follow() -> None:
        while not ended.wait(0.25):
            passed = time.monotonic() - began
            # What takes longer than expected is never quite done.
            tick(passed, max(expected, 1.05 * passed))

    threading.Thread(target=follow, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


@dataclass
class Follower:
    """What a solver is asked, one QUBO after the other: scouts first, then proofs."""

    stages: Stages
    whole: bool
    effort: float
    scouts: int = 0
    proofs: int = 0
    size: int = 0
    _tick: Any = None

    def scouted(self, size: int) -> None:
        """Count a scout."""
        if self.scouts == 0:
            self._tick = self.stages.begin("searching the path")
        self.scouts, self.size = self.scouts + 1, size
        self._tick(self.scouts, max(SEGMENTS * size, 1.1 * self.scouts) if self.whole else 0)

    def proving(self, size: int) -> None:
        """Count a proof that begins."""
        of = f" of about {max((self.scouts + 1) // 2, self.proofs + 1)}" if self.whole else ""
        self.size = size
        if self.proofs == 0 or not self.whole:
            self._tick = self.stages.begin(f"proving {self.proofs + 1}{of}")
        if self.whole:
            self._tick(self.proofs, max((self.scouts + 1) // 2, self.proofs + 1))
        self.proofs += 1

    def node(self, progress: Progress) -> None:
        """Tell how much of its work a proof has used."""
        if not self.whole and self.effort:
            cost = float(progress.free + 1) ** 3 + ITERATION
            self._tick(min(progress.iterations * cost, self.effort * WORK), self.effort * WORK)


@dataclass(frozen=True)
class WatchedTabu(Tabu):
    """The search, counted."""

    follower: Follower | None = field(default=None, compare=False, repr=False)

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return what the search finds."""
        if self.follower is not None:
            self.follower.scouted(qubo.size)
        return super().__call__(qubo)


@dataclass(frozen=True)
class WatchedPortfolio(Portfolio):
    """The default solver, counted."""

    follower: Follower | None = field(default=None, compare=False, repr=False)

    def scout(self) -> Tabu:
        """Return the search alone, counted unless a proof has begun."""
        return WatchedTabu(
            k=self.k, seed=self.seed, n_jobs=self.n_jobs, hint=self.hint, follower=self.follower
        )

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return what the default solver finds and proves."""
        if self.follower is not None:
            self.follower.proving(qubo.size)
        plain = Portfolio(
            self.k,
            self.effort,
            self.seed,
            self.n_jobs,
            self.follower.node if self.follower else None,
            self.hint,
        )
        return plain(qubo)


def watched_solver(solver: Any, stages: Stages, *, whole: bool) -> Any:
    """Return a solver that tells how far it is, where it can; ``whole`` paths are as long as they are."""
    if not stages.shown or type(solver) is not Portfolio:
        return solver
    follower = Follower(stages, whole, float(solver.effort))
    return WatchedPortfolio(solver.k, solver.effort, solver.seed, solver.n_jobs, None, solver.hint, follower)


def watched_redundancy(measure: Any, stages: Stages) -> Any:
    """Return a redundancy that tells how far it is, where somebody watches."""
    return WatchedRedundancy(measure, stages) if stages.shown else measure
