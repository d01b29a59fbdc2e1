"""How often does the search find the optimum, and how far do proofs get? On every problem of feature selection.

For each: `Tabu` with twenty seeds against the best energy known; `Portfolio` at its default effort, and where that
leaves a gap, at a hundred times the effort; then the certificate, checked by `testing.verify`. Rows go to
results/proofs.csv, and a table into README.md beside this file.
"""

import csv
import time
from collections.abc import Iterator
from pathlib import Path

import page
from instances import FAMILIES, Instance
from targets import offer, reached, read, target

from quboselect import Solutions
from quboselect.solvers import Portfolio, Tabu
from quboselect.testing import verify

HERE = Path(__file__).parent
SEEDS = 20
EFFORTS = (1.0, 100.0)
FIELDS = ("instance", "n", "ones", "energy", "hits", "search_s", "effort", "prove_s", "gap", "verify_s")


def searched(instance: Instance, goal: float) -> tuple[int, float]:
    """Return (hits, seconds of the slowest) of the search over its seeds."""
    energies, times = [], []
    for seed in range(SEEDS):
        start = time.perf_counter()
        energies.append(float(Tabu(seed=seed)(instance.qubo).energy[0]))
        times.append(time.perf_counter() - start)
    return sum(reached(energy, min(goal, *energies)) for energy in energies), max(times)


def proven(instance: Instance) -> Iterator[tuple[float, float, Solutions]]:
    """Yield (effort, seconds, samples) for growing efforts, until no gap is left."""
    for effort in EFFORTS:
        start = time.perf_counter()
        samples = Portfolio(effort=effort)(instance.qubo)
        yield effort, time.perf_counter() - start, samples
        if samples.proven:
            return


def rows() -> Iterator[tuple]:
    """Yield one row per problem and effort."""
    known = read()
    for family in ("paper", "synth_100", "digits", "madelon", "mnist"):
        for instance in FAMILIES[family]():
            Portfolio(effort=0.01)(instance.qubo)
            n = int((instance.qubo.linear < 0).sum())
            hits, slowest = searched(instance, target(known, instance))
            for effort, seconds, samples in proven(instance):
                offer(known, instance, samples.best, "Portfolio")
                start = time.perf_counter()
                verify(instance.qubo, samples)
                checked = time.perf_counter() - start
                ones, energy = int(samples.best.sum()), float(samples.energy[0])
                yield instance.name, n, ones, energy, hits, slowest, effort, seconds, samples.gap, checked


def table(results: list[tuple]) -> str:
    """Return the rows as one line per problem."""
    lines = [
        "| problem | n | selected | energy | hits | slowest search | gap at effort 1 | proof | check |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    names = list(dict.fromkeys(row[0] for row in results))
    for name in names:
        mine = [row for row in results if row[0] == name]
        first, last = mine[0], mine[-1]
        _, n, ones, energy, hits, search_s, _, first_s, first_gap, _ = first
        gap = f"none, {first_s:.2g} s" if not first_gap else f"{first_gap:.3%}, {first_s:.2g} s"
        proof = f"**{last[7]:.2g} s**" if not last[8] else f"gap {last[8]:.3%} after {last[7]:.0f} s"
        found = f"{ones} | {energy:.9f} | {hits}/{SEEDS} | {search_s:.2g} s"
        lines.append(f"| {name} | {n} | {found} | {gap} | {proof} | {last[9]:.2g} s |")
    return "\n".join(lines)


def main() -> None:
    results = []
    (HERE / "results").mkdir(exist_ok=True)
    with (HERE / "results" / "proofs.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        for row in rows():
            results.append(row)
            writer.writerow(row)
            file.flush()
            print(*row, flush=True)
    text = f"{table(results)}\n\nMeasured by `benchmarks/proofs.py`: {page.machine()}."
    page.put("proofs", text)


if __name__ == "__main__":
    main()
