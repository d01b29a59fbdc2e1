"""Our solvers against what people use instead, in one run on one machine.

Heuristics: time to target. The target is the best known energy (best_known.json) within 1e-9. Each solver climbs its
own ladder of effort. At a rung it is run with several seeds, more often once it has hit; it stops climbing where
every run hits, or where its seconds for the instance are over. A rung of success rate p and mean seconds t takes
``t * ln(0.01) / ln(1 - p)`` to hit with 99 % (t where p = 1); each solver is shown at its best rung.

Exact solvers: time to proof, or the gap that is left. HiGHS and SCIP stop at a time limit; ours are limited by
effort, and take the next rung only if it is expected to end within the same limit.

Rows go to results/solvers.csv as they are measured, and rows that are there are not measured again:

    python benchmarks/solvers.py                 measure, then write the tables of README.md and the figure
    python benchmarks/solvers.py --quick         a small part, in a temporary folder
    python benchmarks/solvers.py --again Tabu    forget the rows of a solver first (or: --again all)
    python benchmarks/solvers.py --figure        draw the figure from the rows, measure nothing
"""

import argparse
import csv
import tempfile
import time
from pathlib import Path

import exact
import numpy as np
import page
import peers
import targets
from instances import Instance, load

import report

HERE = Path(__file__).parent
COLUMNS = ("instance", "n", "solver", "version", "rung", "seed", "seconds", "energy", "hit", "bound", "gap")
FIRST, REPEATS = 3, 10
CLOSED = 1e-6


def describe(effort: dict) -> str:
    return " ".join(f"{name}={value}" for name, value in effort.items() if name != "n_jobs")


def write(path: Path, rows: list[dict]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        # What a heuristic does not have is NaN once it was read, and empty in the file.
        writer.writerows(
            {name: "" if value != value else value for name, value in row.items()} for row in rows
        )


def record(path: Path, rows: list[dict], row: dict) -> None:
    """Keep a row, in memory and at the end of the file."""
    rows.append(row)
    with path.open("a", newline="") as file:
        csv.DictWriter(file, COLUMNS).writerow(row)


def next_run(rows: list[dict], rungs: list[str], goal: float, seconds: float) -> tuple[int, int] | None:
    """Return the rung and the number of the next run of a heuristic, from the rows it has; None ends it."""
    left = seconds - sum(row["seconds"] for row in rows)
    expected = 0.0
    for rung, name in enumerate(rungs):
        runs = [row for row in rows if row["rung"] == name]
        hits = sum(targets.reached(row["energy"], goal) for row in runs)
        if runs:
            expected = float(np.mean([row["seconds"] for row in runs]))
        if len(runs) < (REPEATS if hits else FIRST):
            return (rung, len(runs)) if expected <= left and left > 0 else None
        if hits == len(runs):
            return None
        expected *= 2.0
    return None


def race(
    instance: Instance, solver: peers.Heuristic, rows: list[dict], known: dict, path: Path, scale: float
) -> None:
    """Run one heuristic on one instance until `next_run` has nothing left."""
    mine = [row for row in rows if row["instance"] == instance.name and row["solver"] == solver.name]
    rungs = [describe(effort) for effort in solver.rungs]
    solve = None
    size = peers.reduced(instance.qubo)[0].size
    while step := next_run(mine, rungs, targets.target(known, instance), scale * instance.seconds):
        rung, number = step
        effort, seed = solver.rungs[rung], 1000 * rung + number
        if solve is None:
            solve = peers.prepared(solver, instance.qubo)
            solve(10_000, **solver.rungs[0])  # warm, not timed
        start = time.perf_counter()
        x = solve(seed, **effort)
        seconds = time.perf_counter() - start
        energies = instance.qubo.energy(x)
        best = x[int(np.argmin(energies))]
        energy = instance.qubo.energy(best)
        targets.offer(known, instance, best, solver.name)
        hit = targets.reached(energy, targets.target(known, instance))
        values = (
            instance.name,
            size,
            solver.name,
            solver.version,
            rungs[rung],
            seed,
            seconds,
            energy,
            hit,
            "",
            "",
        )
        row = dict(zip(COLUMNS, values, strict=True))
        mine.append(row)
        record(path, rows, row)


def prove(
    instance: Instance, solver: exact.Exact, rows: list[dict], known: dict, path: Path, limit: float
) -> None:
    """Run one exact solver on one instance, rung by rung, until it has a proof or the next would take too long."""
    done = {
        row["rung"]: row for row in rows if row["instance"] == instance.name and row["solver"] == solver.name
    }
    size = peers.reduced(instance.qubo)[0].size
    before = None
    for effort in solver.rungs:
        effort = {"limit": limit} if "limit" in effort else effort
        name, total = describe(effort), sum(v for k, v in effort.items() if k != "n_jobs")
        if before and before[1] * total / before[0] > limit:
            return
        row = done.get(name)
        if row is None:
            x, bound, seconds = solver.prove(instance.qubo, **effort)
            energy = instance.qubo.energy(x)
            targets.offer(known, instance, x, solver.name)
            gap = max(0.0, energy - bound) / abs(energy) if energy else np.inf
            hit = targets.reached(energy, targets.target(known, instance))
            head = (instance.name, size, solver.name, solver.version, name, 0)
            row = dict(zip(COLUMNS, (*head, seconds, energy, hit, bound, gap), strict=True))
            record(path, rows, row)
        if row["gap"] <= CLOSED:
            return
        before = total, row["seconds"]


def measure(path: Path, quick: bool, only: str, scale: float, limit: float) -> list[dict]:
    """Measure what is missing, instance by instance, and return all rows with hits of the final targets."""
    rows, known = report.read(path) if path.exists() else [], targets.read()
    write(path, rows)
    heuristics, provers = peers.installed(), exact.installed()
    goals = {}
    for instance in (each for each in load(quick) if only in each.name):
        start, goal = time.perf_counter(), None
        if instance.exact:
            for solver in provers:
                if instance.qubo.size <= solver.largest:
                    prove(instance, solver, rows, known, path, limit)
        while goal != targets.target(known, instance):  # a new target means more climbing for those before
            goal = targets.target(known, instance)
            for heuristic in heuristics:
                race(instance, heuristic, rows, known, path, scale)
        goals[instance.name] = goal
        print(f"{instance.name:24} {time.perf_counter() - start:6.1f} s", flush=True)
    for row in rows:
        row["hit"] = targets.reached(
            row["energy"], goals.get(row["instance"], known[row["instance"]]["energy"])
        )
    write(path, rows)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a small part, under two minutes")
    parser.add_argument("--figure", action="store_true", help="draw from the rows that are there")
    parser.add_argument("--only", default="", metavar="TEXT", help="instances whose name holds this")
    parser.add_argument("--results", type=Path, help="folder of solvers.csv and solvers.svg")
    parser.add_argument("--again", nargs="*", default=[], metavar="SOLVER", help="forget these rows first")
    parser.add_argument("--scale", type=float, default=1.0, help="times the seconds of each heuristic")
    parser.add_argument("--limit", type=float, default=exact.LIMIT, help="seconds of HiGHS and SCIP")
    given = parser.parse_args()
    folder = given.results or (Path(tempfile.mkdtemp()) if given.quick else HERE / "results")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "solvers.csv"
    if path.exists() and given.again:
        forgotten = set(given.again)
        rows = report.read(path)
        write(
            path, [r for r in rows if given.only not in r["instance"] or not {"all", r["solver"]} & forgotten]
        )
    if not given.figure:
        scale, limit = (
            (0.5 * given.scale, min(3.0, given.limit)) if given.quick else (given.scale, given.limit)
        )
        measure(path, given.quick, given.only, scale, limit)
        text = report.tables(report.read(path), scale, limit)
        print(text)
        if folder == HERE / "results":
            page.put("solvers", text)
    report.figure(report.read(path), folder / "solvers.svg")
    print(f"rows: {path}\nfigure: {folder / 'solvers.svg'}")


if __name__ == "__main__":
    main()
