"""The heuristics that are compared: others' and ours, one small adapter each.

An adapter takes a QUBO and returns ``solve(seed, **effort)``, which returns rows of bits. Building the other side's
model happens in the adapter and is not timed; `solve` is. Whatever runs in one thread only but leaves the
interpreter free is called in two threads with two seeds, as our own solvers use two, once its runs are long enough
to gain by it. Energies that others report are not used.
"""

import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from quboselect import QUBO, __version__
from quboselect.solvers import Anneal, Tabu

THREADS = 2
POOL = ThreadPoolExecutor(THREADS)
Solve = Callable[..., np.ndarray]


@dataclass(frozen=True)
class Heuristic:
    """A solver, the distribution it comes from, and its ladder of efforts, lowest first."""

    name: str
    package: str
    adapter: Callable[[QUBO], Solve]
    rungs: tuple[dict[str, Any], ...]

    @property
    def ours(self) -> bool:
        return self.package == "quboselect"

    @property
    def version(self) -> str:
        """The installed version; raises PackageNotFoundError."""
        return __version__ if self.ours else version(self.package)


def reduced(qubo: QUBO) -> tuple[QUBO, np.ndarray]:
    """Return the QUBO of the bits that can lower an energy, and which they are; all others are 0 in an optimum.

    Where no coupling is negative these are the bits of negative linear energy. Peers get this problem, so that
    the constant pixels of mnist cost them nothing; our solvers get the whole one.
    """
    keep = np.flatnonzero(qubo.linear + np.minimum(qubo.couplings, 0.0).sum(axis=1) < 0.0)
    return QUBO(qubo.linear[keep], qubo.couplings[np.ix_(keep, keep)]), keep


def prepared(heuristic: Heuristic, qubo: QUBO) -> Solve:
    """Return the solve function of a heuristic for a QUBO, its rows being bits of the whole problem."""
    if heuristic.ours:
        return heuristic.adapter(qubo)
    small, keep = reduced(qubo)
    inner = heuristic.adapter(small)

    def solve(seed: int, **effort: Any) -> np.ndarray:
        rows = inner(seed, **effort)
        x = np.zeros((len(rows), qubo.size), bool)
        x[:, keep] = rows
        return x

    return solve


def in_threads(call: Callable[[int, int], np.ndarray], seed: int, threads: int) -> np.ndarray:
    """Return the rows of ``call(thread, seed)`` from each of some threads, which have seeds of their own."""
    if threads == 1:
        return call(0, THREADS * seed)
    return np.concatenate(
        list(POOL.map(lambda thread: call(thread, THREADS * seed + thread), range(threads)))
    )


def binary_model(qubo: QUBO) -> Any:
    import dimod

    return dimod.BinaryQuadraticModel(qubo.linear, np.triu(qubo.couplings, 1), "BINARY")


def dwave_sampler(name: str) -> Callable[[QUBO], Solve]:
    """Return the adapter of a sampler of dwave-samplers."""

    def adapter(qubo: QUBO) -> Solve:
        import dwave.samplers

        sampler, model, fixed = getattr(dwave.samplers, name)(), binary_model(qubo), {}
        if name == "SimulatedAnnealingSampler":
            # Its default range of temperatures takes long to compute and is the same for every call.
            fixed["beta_range"] = sampler.sample(model, num_reads=1, num_sweeps=1).info["beta_range"]

        def solve(seed: int, *, threads: int, **effort: Any) -> np.ndarray:
            def call(_: int, own: int) -> np.ndarray:
                return sampler.sample(model, seed=own, **fixed, **effort).record.sample

            return in_threads(call, seed, threads)

        return solve

    return adapter


def hybrid_qbsolv(qubo: QUBO) -> Solve:
    """Return hybrid.reference's SimplifiedQbsolv with local tabu search in the place of the quantum computer.

    The race has two branches, one thread each. The package takes no seeds; the first state is drawn with ours.
    """
    import hybrid

    model = binary_model(qubo)
    size = min(50, qubo.size)

    def solve(seed: int, *, iterations: int, timeout: int) -> np.ndarray:
        whole = hybrid.InterruptableTabuSampler(timeout=timeout)
        parts = (
            hybrid.EnergyImpactDecomposer(size=size, rolling=True, rolling_history=0.15)
            | hybrid.TabuSubproblemSampler(timeout=timeout)
            | hybrid.SplatComposer()
        )
        loop = hybrid.Loop(
            hybrid.Race(whole, parts) | hybrid.ArgMin() | hybrid.TrackMin(output=True), max_iter=iterations
        )
        first = np.random.default_rng(seed).integers(0, 2, qubo.size)
        state = loop.run(hybrid.State.from_sample(dict(enumerate(first)), model)).result()
        sample = state.samples.first.sample
        return np.array([[sample[i] for i in range(qubo.size)]])

    return solve


def simulated_bifurcation(qubo: QUBO) -> Solve:
    """Return simulated bifurcation on the processor, in one or two threads of torch, whichever is faster."""
    import simulated_bifurcation
    import torch

    matrix, linear = torch.tensor(np.triu(qubo.couplings, 1)), torch.tensor(qubo.linear)

    def solve(seed: int, **effort: Any) -> np.ndarray:
        torch.manual_seed(seed)
        with warnings.catch_warnings(action="ignore"):  # it warns where agents are still moving at the end
            found, _ = simulated_bifurcation.minimize(
                matrix, linear, domain="binary", dtype=torch.float32, best_only=False, verbose=False, **effort
            )
        return found.numpy() > 0.5

    def seconds(threads: int) -> float:
        torch.set_num_threads(threads)
        times = []
        for _ in range(3):
            start = time.perf_counter()
            solve(0, agents=32, max_steps=60)
            times.append(time.perf_counter() - start)
        return min(times)

    torch.set_num_threads(min((1, THREADS), key=seconds))
    return solve


def openjij_annealing(qubo: QUBO) -> Solve:
    """Return OpenJij's annealing on its dense form: the sparse one, its default, is slower on these problems.

    With a seed all reads of one call are the same, so it gets none.
    """
    import openjij

    models = [
        openjij.BinaryQuadraticModel.from_numpy_matrix(qubo.matrix, vartype="BINARY") for _ in range(THREADS)
    ]

    def solve(seed: int, *, threads: int, **effort: Any) -> np.ndarray:
        def call(thread: int, _: int) -> np.ndarray:
            found = openjij.SASampler().sample(models[thread], sparse=False, **effort)
            return found.record.sample[:, np.argsort(list(found.variables))] > 0

        return in_threads(call, seed, threads)

    return solve


def our(solver: Callable[..., Any]) -> Callable[[QUBO], Solve]:
    """Return the adapter of a solver of this library: at its defaults, or so often with other seeds."""

    def adapter(qubo: QUBO) -> Solve:
        def solve(seed: int, *, calls: int = 1, **parameters: Any) -> np.ndarray:
            seeds = range(calls * seed, calls * (seed + 1))
            return np.concatenate([solver(seed=s, n_jobs=THREADS, **parameters)(qubo).x for s in seeds])

        return solve

    return adapter


def ladder(name: str, first: int, last: int, **others: Any) -> tuple[dict[str, Any], ...]:
    """Return rungs at which one parameter doubles from first to last."""
    return tuple({name: first << i, **others} for i in range((last // first).bit_length()))


# One thread while a call is mostly Python, two from then on.
READS = (
    {"num_reads": 1, "num_sweeps": 100, "threads": 1},
    {"num_reads": 1, "num_sweeps": 300, "threads": 1},
    *ladder("num_reads", 1, 2, num_sweeps=1000, threads=1),
    *ladder("num_reads", 2, 512, num_sweeps=1000, threads=THREADS),
)
TIMEOUTS = (*ladder("timeout", 1, 4, threads=1), *ladder("timeout", 4, 2048, threads=THREADS))
DESCENTS = (*ladder("num_reads", 4, 64, threads=1), *ladder("num_reads", 64, 1 << 16, threads=THREADS))
BIFURCATION = tuple(
    {"agents": 32 << i, "max_steps": 1000 << i, "mode": mode}
    for i in range(5)
    for mode in ("ballistic", "discrete")
)
# The cheap end as the others have it, then the defaults, then the defaults again and again.
TABU = (
    *({"restarts": restarts, "rounds": 1} for restarts in (2, 4, 8, 16, 32)),
    *ladder("calls", 1, 16),
)
HEURISTICS = (
    Heuristic("Tabu", "quboselect", our(Tabu), TABU),
    Heuristic("Anneal", "quboselect", our(Anneal), ladder("reads", 2, 512)),
    Heuristic("D-Wave tabu", "dwave-samplers", dwave_sampler("TabuSampler"), TIMEOUTS),
    Heuristic("D-Wave annealing", "dwave-samplers", dwave_sampler("SimulatedAnnealingSampler"), READS),
    Heuristic("D-Wave descent", "dwave-samplers", dwave_sampler("SteepestDescentSampler"), DESCENTS),
    Heuristic("D-Wave hybrid", "dwave-hybrid", hybrid_qbsolv, ladder("iterations", 1, 128, timeout=10)),
    Heuristic("OpenJij annealing", "openjij", openjij_annealing, READS),
    Heuristic("bifurcation", "simulated-bifurcation", simulated_bifurcation, BIFURCATION),
)
# Three bits, the answer 101: enough to compile and to load what loads late.
TINY = QUBO([-1.0, -1.0, -1.0], [[0, 2, 0], [2, 0, 2], [0, 2, 0]])


def installed() -> list[Heuristic]:
    """Return the heuristics that can run here; the others are left out with a line that says why."""
    found = []
    for heuristic in HEURISTICS:
        try:
            heuristic.version  # noqa: B018
            prepared(heuristic, TINY)(0, **heuristic.rungs[0])
        except (ImportError, PackageNotFoundError) as reason:
            print(f"left out: {heuristic.name}: {reason}", flush=True)
        else:
            found.append(heuristic)
    return found
