"""How often does an annealer read the optimum? Experiment 4 of the paper again, and what else there is beside it.

The published runs are replayed where the authors' files stand in shared/reference beside the checkout, to the digits
the paper prints. Their simulated annealing is run again by D-Wave's sampler with its defaults, and other samplers with
theirs: 16 runs of 1024 reads, each with a seed of its own, unless said otherwise. A hit is a read within 1e-9 of a
minimum that is proven. The QUBOs are the published ones, or else made by us. Writes results/annealers.csv, of our own
runs and the printed figures, and the table in README.md.
"""

import csv
import importlib.metadata
import importlib.util
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import page
from instances import of_paper
from paper_data import REFERENCE, DatasetUnavailable, HitRate, hit_rate, read_runs

from quboselect import QUBO
from quboselect.protocols import Solver
from quboselect.quantum.dimod import Dimod
from quboselect.quantum.quantum_annealing import QuantumAnnealing
from quboselect.solvers import Anneal, Portfolio

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "annealers.csv"
FIELDS = (
    "problem",
    "qubo",
    "sampler",
    "source",
    "runs",
    "reads",
    "hits",
    "mean_percent",
    "std_percent",
    "ms_per_read",
)
PROBLEMS = ("synth_10", "waveform", "ionosphere")
# The last two take long for a read.
RUNS, READS, PATH_READS, TABU_READS = 16, 1024, 256, 16

QPU, THEIR_SA, OUR_SA = "D-Wave Advantage 5.1", "simulated annealing", "SimulatedAnnealingSampler"
FILES = {QPU: "QA-results/qubo_{}_*.json", THEIR_SA: "SA-results/qubo_{}_*_sim.json"}
# As the paper prints them, in the order of the problems.
PRINTED = {
    QPU: ("10.78 ± 5.12 %", "0.18 ± 0.18 %", "1 of 16384 reads"),
    THEIR_SA: ("100.00 ± 0.00 %", "20.39 ± 1.40 %", "21.04 ± 1.02 %"),
}


class Problem(NamedTuple):
    """A QUBO, where it comes from, and its proven minimum."""

    name: str
    qubo: QUBO
    source: str
    minimum: float


class Measured(NamedTuple):
    """What a sampler did with a problem."""

    sampler: str
    problem: Problem
    rate: HitRate
    seconds: float


def problems() -> Iterator[Problem]:
    """Yield the problems of the paper, each with the minimum of a proof."""
    if REFERENCE.exists():
        found = [(name, QUBO.from_matrix(np.load(REFERENCE / f"qubo_{name}.npy"))) for name in PROBLEMS]
        source = "published"
    else:
        print(
            "the authors' files are not beside the checkout: nothing is replayed, and the QUBOs are made by us"
        )
        found, source = list(made()), "made"
    for name, qubo in found:
        proof = Portfolio()(qubo)
        assert proof.proven, f"{name}: no proof within the default effort"
        yield Problem(name, qubo, source, float(proof.energy[0]))


def made() -> Iterator[tuple[str, QUBO]]:
    """Yield the problems made by us; one whose data cannot be had is left out."""
    try:
        yield from ((instance.name, instance.qubo) for instance in of_paper())
    except DatasetUnavailable as reason:
        print(f"left out from here on: {reason}")


def replay(problem: Problem) -> Iterator[str]:
    """Yield whether the published runs say what the paper prints, a line for each machine."""
    for machine, pattern in FILES.items():
        runs = read_runs(REFERENCE / pattern.format(problem.name), problem.qubo)
        said, printed = str(hit_rate(runs, problem.minimum)), PRINTED[machine][PROBLEMS.index(problem.name)]
        verdict = "as printed" if said == printed else f"but the paper prints {printed}"
        yield f"replayed {machine} on {problem.name}: {said}, {verdict}"


def samplers() -> dict[str, Callable[[int], Solver]]:
    """Return what makes each sampler from a seed; D-Wave's only where they are installed."""
    ours: dict[str, Callable[[int], Solver]] = {
        "`Anneal`": lambda seed: Anneal(reads=READS, seed=seed),
        "`QuantumAnnealing`": lambda seed: QuantumAnnealing(shots=READS, seed=seed),
        "`QuantumAnnealing`, time 1000": lambda seed: QuantumAnnealing(time=1000.0, shots=READS, seed=seed),
        "`QuantumAnnealing`, noise 0.05": lambda seed: QuantumAnnealing(noise=0.05, shots=READS, seed=seed),
    }
    if importlib.util.find_spec("dwave") is None or importlib.util.find_spec("dwave.samplers") is None:
        print('left out: D-Wave\'s samplers, which are not installed: pip install "quboselect[dwave]"')
        return ours
    from dwave.samplers import (
        PathIntegralAnnealingSampler,
        SimulatedAnnealingSampler,
        SteepestDescentSampler,
        TabuSampler,
    )

    theirs = {
        OUR_SA: lambda seed: Dimod(SimulatedAnnealingSampler, READS, seed=seed),
        f"PathIntegralAnnealingSampler, {PATH_READS} reads": lambda seed: Dimod(
            PathIntegralAnnealingSampler, PATH_READS, seed=seed
        ),
        "SteepestDescentSampler": lambda seed: Dimod(SteepestDescentSampler, READS, seed=seed),
        f"TabuSampler, {TABU_READS} reads": lambda seed: Dimod(TabuSampler, TABU_READS, seed=seed),
    }
    return theirs | ours


def measure(sampler: str, solver: Callable[[int], Solver], problem: Problem) -> Measured:
    """Return how often a sampler read the minimum, and seconds a read."""
    start = time.perf_counter()
    runs = [solver(seed)(problem.qubo) for seed in range(RUNS)]
    seconds = time.perf_counter() - start
    rate = hit_rate(runs, problem.minimum)
    return Measured(sampler, problem, rate, seconds / rate.reads)


def verdict(ours: Measured) -> str:
    """Return whether our simulated annealing agrees with the published one: within two of its standard deviations."""
    mean, std = numbers(PRINTED[THEIR_SA][PROBLEMS.index(ours.problem.name)])
    apart = 100 * ours.rate.mean - mean
    # The paper prints two digits.
    agrees = abs(apart) <= 2 * std + 0.005
    error = np.hypot(std, 100 * ours.rate.std) / np.sqrt(RUNS)
    errors = f", {abs(apart) / error:.1f} standard errors of the means" if error else ""
    qubo = (
        "" if ours.problem.source == "published" else "; on a QUBO made by us, which is not the published one"
    )
    return (
        f"{ours.problem.name}: {'agrees' if agrees else 'disagrees'}, {ours.rate} here and {mean:.2f} ± {std:.2f} % "
        f"published, {abs(apart):.2f} points apart{errors}{qubo}"
    )


def numbers(printed: str) -> tuple[float, float]:
    """Return mean and standard deviation of a printed rate."""
    mean, _, std = printed.removesuffix(" %").partition(" ± ")
    return float(mean), float(std)


def table(measured: list[Measured]) -> Iterator[str]:
    """Yield the table, line by line."""
    yield f"| sampler | {' | '.join(PROBLEMS)} | ms a read |"
    yield "|---|---|---|---|---|"
    for machine, said in PRINTED.items():
        yield f"| paper: {machine} | {' | '.join(said)} | |"
    for sampler in dict.fromkeys(each.sampler for each in measured):
        its = {each.problem.name: each for each in measured if each.sampler == sampler}
        rates = " | ".join(str(its[name].rate) if name in its else "" for name in PROBLEMS)
        times = [1000 * each.seconds for each in its.values()]
        span = f"{min(times):.2g}" if len(times) == 1 else f"{min(times):.2g} to {max(times):.2g}"
        yield f"| {sampler} | {rates} | {span} |"


def write(measured: list[Measured]) -> None:
    """Write our own runs, and what the paper prints."""
    with RESULTS.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        for machine, said in PRINTED.items():
            for name, printed in zip(PROBLEMS, said, strict=True):
                few = "reads" in printed
                share = (printed.split()[0], "", "") if few else ("", *numbers(printed))
                writer.writerow((name, "published", machine, "printed", RUNS, RUNS * READS, *share, ""))
        for sampler, problem, rate, seconds in measured:
            share = (rate.hits, f"{100 * rate.mean:.4f}", f"{100 * rate.std:.4f}", f"{1000 * seconds:.3g}")
            row = (sampler.replace("`", ""), "measured", rate.shares.size, rate.reads, *share)
            writer.writerow((problem.name, problem.source, *row))


def main() -> None:
    measured, said = [], []
    every = samplers()
    for place, problem in enumerate(problems()):
        print(f"{problem.name} ({problem.source}): minimum {problem.minimum:.9f}, proven")
        if problem.source == "published":
            print(*replay(problem), sep="\n")
        for sampler, solver in every.items():
            if "Quantum" in sampler and problem.name != "synth_10":
                continue
            if place == 0:
                # Kernels are compiled, and libraries loaded, before anything is timed.
                solver(RUNS)(problem.qubo)
            measured.append(measure(sampler, solver, problem))
            print(f"{sampler} on {problem.name}: {measured[-1].rate}", flush=True)
            if sampler == OUR_SA:
                said.append(verdict(measured[-1]))
                print(said[-1])
    RESULTS.parent.mkdir(exist_ok=True)
    write(measured)
    version = "dwave-samplers " + importlib.metadata.version("dwave-samplers") + ", " if said else ""
    title = f"{OUR_SA} here and {THEIR_SA} in the paper:"
    verdicts = [title, "", *(f"- {each}" for each in said), ""] if said else []
    end = f"Measured by `benchmarks/annealers.py`: {version}{page.machine()}."
    page.put("annealers", "\n".join([*table(measured), "", *verdicts, end]))
    print(*table(measured), sep="\n")


if __name__ == "__main__":
    main()
