"""Experiment 4: QFS on quantum computers. Measures how many reads show the optimum of each of three QUBOs.

Alpha comes from Algorithm 1, as in the paper, and every minimum is proven. If the authors' files stand in
../shared/reference, their reads are counted again and their QUBOs are used; otherwise the QUBOs are made by the same
recipe. The other methods are simulated annealing (D-Wave's and ours), simulated quantum annealing, the Schroedinger
equation of an annealer, and VQE without noise; VQE with noise, two minutes a run, is read from
benchmarks/results/vqe.csv. A method that is not installed is left out with a sentence. A machine is asked only by
``--live``, since its time costs money.
"""

import argparse
import csv
import importlib.util
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import measures
import numpy as np
from constants import REFERENCE, results, section
from data import DatasetUnavailable, waveform
from ledger import Ledger, Progress, store
from reads import bit_counts, hit_rate, read_runs, sorted_energies

from quboselect import QUBO, Solutions
from quboselect.datasets import load_ionosphere, make_synth
from quboselect.errors import MissingExtra
from quboselect.protocols import Solver
from quboselect.quantum import VQE, Dimod, QuantumAnnealing
from quboselect.search import alpha_search
from quboselect.solvers import Anneal, Portfolio

NOISY = Path(__file__).resolve().parents[1] / "benchmarks" / "results" / "vqe.csv"
PAPER = section("four")
RUNS, READS, VQE_RUNS = PAPER["runs"], PAPER["reads"], PAPER["vqe"]["runs"]
PUBLISHED = {
    "D-Wave Advantage 5.1, published": "QA-results/qubo_{}_*.json",
    "simulated annealing, published": "SA-results/qubo_{}_*_sim.json",
}


class Problem(NamedTuple):
    """A QUBO, whose it is, its size k, and its proven optimum."""

    name: str
    qubo: QUBO
    source: str
    k: int
    optimum: Solutions


class Method(NamedTuple):
    """What reads: made from a seed; how often it is run; and the largest problem it can take."""

    name: str
    solver: Callable[[int], Solver]
    runs: int = RUNS
    largest: int = 64


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield the data of the three problems; what cannot be had is left out, and why is said."""
    theirs = REFERENCE / "synth_10.npz"
    if theirs.exists():
        with np.load(theirs, allow_pickle=False) as file:
            yield "synth_10", file["data"], file["labels"]
    else:
        print(
            "synth_10 is drawn anew, since the authors' file is not beside the checkout: alpha may be another one"
        )
        yield "synth_10", *make_synth(10, 4, return_X_y=True)
    try:
        yield "waveform", waveform().X, waveform().y
    except DatasetUnavailable as reason:
        print(f"waveform is left out: {reason}")
    yield "ionosphere", *load_ionosphere(return_X_y=True)


def problems(ledger: Ledger) -> Iterator[Problem]:
    """Yield the three QUBOs, at the alphas that Algorithm 1 finds."""
    for name, X, y in tables():
        k, theirs = (PAPER["datasets"][name][part] for part in ("k", "alpha"))
        start = time.perf_counter()
        tradeoff = measures.tradeoff(X, y)
        alpha, _ = alpha_search(tradeoff, k)
        seconds = time.perf_counter() - start
        if not ledger.has(dataset=name, method="Algorithm 1", k=k, metric="alpha"):
            ledger.add(alpha, dataset=name, method="Algorithm 1", k=k, metric="alpha", seconds=seconds)
            print(f"{name}: alpha {alpha}, the paper has {theirs}")
        file = REFERENCE / f"qubo_{name}.npy"
        qubo = QUBO.from_matrix(np.load(file)) if file.exists() else tradeoff.at(alpha)
        optimum = Portfolio()(qubo)
        if not optimum.proven:
            raise RuntimeError(f"{name} was not proven within the default effort.")
        yield Problem(name, qubo, "published" if file.exists() else "made", k, optimum)


def installed(module: str) -> bool:
    """Whether a module can be imported."""
    parent = module.partition(".")[0]
    return importlib.util.find_spec(parent) is not None and importlib.util.find_spec(module) is not None


def methods(*, quick: bool, live: bool) -> list[Method]:
    """Return what is to be run; for what is not, say why."""
    reads = 64 if quick else READS
    made = [
        Method("Anneal", lambda seed: Anneal(reads=reads, seed=seed)),
        Method("QuantumAnnealing", lambda seed: QuantumAnnealing(shots=reads, seed=seed), largest=12),
        Method("VQE, ideal", lambda seed: VQE(shots=reads, seed=seed), VQE_RUNS, 12),
    ]
    if installed("dwave.samplers"):
        from dwave.samplers import PathIntegralAnnealingSampler, SimulatedAnnealingSampler

        made += [
            Method(
                "SimulatedAnnealingSampler", lambda seed: Dimod(SimulatedAnnealingSampler, reads, seed=seed)
            ),
            Method(
                "PathIntegralAnnealingSampler",
                # Its seed 0 is another one at every call.
                lambda seed: Dimod(PathIntegralAnnealingSampler, reads, seed=seed + 1),
            ),
        ]
    else:
        print('left out: D-Wave\'s samplers, which are not installed: pip install "quboselect[dwave]"')
    return made + machines(reads, live=live)


def machines(reads: int, *, live: bool) -> list[Method]:
    """Return the quantum computers for which this computer has an account, if they are to be asked."""
    found: list[Method] = []
    if not live:
        if os.environ.get("DWAVE_API_TOKEN"):
            print("there is a token for D-Wave's machines: --live asks them too")
        return found
    if installed("dwave.system"):
        from dwave.system import DWaveSampler, EmbeddingComposite

        try:
            chip = DWaveSampler()
            found.append(
                Method(f"{chip.solver.name}, live", lambda _: Dimod(EmbeddingComposite(chip), reads))
            )
        except ValueError as reason:
            print(f"left out: D-Wave's machines: {reason}")
    else:
        print('left out: D-Wave\'s machines: pip install "quboselect[dwave-qpu]"')
    try:
        from quboselect.quantum.circuits import qiskit

        backend = qiskit.ibm()
        vqe = VQE(shots=reads, backend=backend)
        found.append(Method(f"VQE, {backend.name}, live", lambda seed: replace(vqe, seed=seed), VQE_RUNS, 12))
    except (MissingExtra, ValueError, RuntimeError) as reason:
        print(f"left out: IBM's machines: {reason}")
    return found


def add_runs(
    ledger: Ledger, problem: Problem, method: str, runs: list[Solutions], seconds: list[float]
) -> None:
    """Write one row a run: the share of its reads that show the optimum."""
    rate = hit_rate(runs, float(problem.optimum.energy[0]))
    key = {"dataset": problem.name, "method": method, "model": f"{problem.source} QUBO", "k": problem.k}
    for seed, (run, share) in enumerate(zip(runs, rate.shares, strict=True)):
        energy = float(np.average(run.energy, weights=run.count))
        took = seconds[seed] if seconds else None
        for metric, value in (("mean energy", energy), ("hit share", share)):
            ledger.note(float(value), **key, seed=seed, metric=metric, seconds=took)
    print(f"{method} on {problem.name}: {rate}")


def add_noisy(ledger: Ledger, problem: Problem) -> None:
    """Write the runs of VQE with noise that the benchmarks made of the same QUBO."""
    if not NOISY.exists():
        print("left out: VQE with noise, which benchmarks/vqe.py measures")
        return
    with NOISY.open(newline="") as file:
        rows = [
            row for row in csv.DictReader(file) if row["part"] == "noise" and row["qubo"] == problem.source
        ]
    key = {"dataset": problem.name, "method": "VQE, noisy", "model": f"{problem.source} QUBO", "k": problem.k}
    for row in rows:
        key["seed"] = int(row["seed"])
        if row["setting"] != "the paper's setting":
            continue
        values = {"mean energy": float(row["mean_energy"]), "hit share": int(row["hits"]) / int(row["shots"])}
        for metric, value in values.items():
            ledger.note(value, **key, metric=metric, seconds=float(row["seconds"]))


def picture(problem: Problem, runs: list[Solutions]) -> dict[str, np.ndarray]:
    """Return what the paper's picture shows of some runs: sorted energies, bit counts, the optimum, the hits."""
    energies, bits = sorted_energies(runs), bit_counts(runs)
    rate = hit_rate(runs, float(problem.optimum.energy[0]))
    return {
        "energies": np.stack([energies.mean, energies.std]).astype(np.float32),
        "bits": np.stack([bits.mean, bits.std]).astype(np.float32),
        "shares": rate.shares,
        "counts": np.array([rate.hits, rate.reads]),
        "optimum": problem.optimum.best,
        "minimum": problem.optimum.energy[:1],
    }


def run(ledger: Ledger, quick: bool = False, *, live: bool = False) -> None:
    """Run experiment 4; of what is in the ledger nothing is run again."""
    every = methods(quick=quick, live=live)
    pictures = ledger.folder / "four_samples.npz"
    drawn: dict[str, np.ndarray] = {}
    if pictures.exists():
        with np.load(pictures, allow_pickle=False) as file:
            drawn = {name: file[name] for name in file.files}
    with Progress(len(PAPER["datasets"]) * len(every), "experiment 4") as progress:
        for problem in problems(ledger):
            for name, pattern in PUBLISHED.items():
                if problem.source == "published":
                    replayed = read_runs(REFERENCE / pattern.format(problem.name), problem.qubo)
                    # Counted from the authors' files, which are not ours: in a table of its own.
                    add_runs(Ledger(ledger.folder / "four_published.csv"), problem, name, replayed, [])
            if problem.name == "synth_10":
                add_noisy(ledger, problem)
            for method in every:
                progress.step(note=f"{method.name} on {problem.name}")
                count = 2 if quick else method.runs
                key = {"dataset": problem.name, "method": method.name, "model": f"{problem.source} QUBO"}
                last = {"k": problem.k, "seed": count - 1, "metric": "hit share"}
                label = f"{problem.name}/{method.name}"
                if problem.qubo.size > method.largest or ledger.has(**key, **last):
                    continue
                runs, seconds = [], []
                for seed in range(count):
                    start = time.perf_counter()
                    runs.append(method.solver(seed)(problem.qubo))
                    seconds.append(time.perf_counter() - start)
                drawn |= {f"{label}/{part}": array for part, array in picture(problem, runs).items()}
                store(pictures, **drawn)
                add_runs(ledger, problem, method.name, runs, seconds)
    if not REFERENCE.exists():
        print(
            "the authors' files are not beside the checkout: nothing is replayed, and the QUBOs are made by us"
        )


def main() -> None:
    """Run it alone."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="two runs of 64 reads")
    parser.add_argument(
        "--live", action="store_true", help="ask the quantum computers this one has an account for"
    )
    asked = parser.parse_args()
    run(Ledger(results(asked.quick) / "four.csv"), asked.quick, live=asked.live)


if __name__ == "__main__":
    main()
