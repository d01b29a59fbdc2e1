"""What the rows of solvers.csv say: time to target, time to proof, their tables and their figure."""

import csv
import math
import os
import platform
from pathlib import Path
from typing import NamedTuple

import numpy as np

OURS = "Tabu"
FAMILY = ("Tabu", "Anneal", "Exhaustive", "BranchAndBound", "Portfolio")
CLOSED = 1e-6
# Okabe and Ito's colours, which people of any colour vision tell apart; each also has a marker of its own.
STYLE = {
    "Tabu": ("#000000", "o"),
    "Anneal": ("#0072B2", "s"),
    "D-Wave tabu": ("#D55E00", "^"),
    "D-Wave annealing": ("#E69F00", "v"),
    "D-Wave descent": ("#CC79A7", "x"),
    "D-Wave hybrid": ("#009E73", "D"),
    "OpenJij annealing": ("#56B4E9", "P"),
    "bifurcation": ("#888888", "+"),
    "Portfolio": ("#000000", "o"),
    "BranchAndBound": ("#0072B2", "s"),
    "Exhaustive": ("#009E73", "D"),
    "HiGHS": ("#D55E00", "^"),
    "SCIP": ("#E69F00", "v"),
}


class Reach(NamedTuple):
    """The best rung of a solver on an instance; where nothing hit, ``seconds`` is what it spent in vain."""

    seconds: float
    hits: int
    runs: int


def read(path: Path) -> list[dict]:
    """Return the rows of a file, numbers as numbers; a heuristic's bound and gap are NaN."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["n"], row["seed"], row["hit"] = int(row["n"]), int(row["seed"]), row["hit"] == "True"
        for name in ("seconds", "energy", "bound", "gap"):
            row[name] = float(row[name] or "nan")
    return rows


def grouped(rows: list[dict], *names: str) -> dict[tuple, list[dict]]:
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def is_exact(row: dict) -> bool:
    return row["gap"] != "" and not math.isnan(row["gap"])


def time_to_target(rows: list[dict]) -> Reach:
    """Return the shortest time of any rung to hit with 99 %: ``t * ln(0.01) / ln(1 - p)``, t where p = 1."""
    best = Reach(sum(row["seconds"] for row in rows), 0, len(rows))
    for runs in grouped(rows, "rung").values():
        hits = sum(row["hit"] for row in runs)
        if not hits:
            continue
        share = hits / len(runs)
        calls = 1.0 if share == 1.0 else max(1.0, math.log(0.01) / math.log(1.0 - share))
        found = Reach(calls * float(np.mean([row["seconds"] for row in runs])), hits, len(runs))
        if not best.hits or found.seconds < best.seconds:
            best = found
    return best


def reaches(rows: list[dict]) -> dict[str, dict[str, Reach]]:
    """Return the time to target by instance and solver, in the order of the rows."""
    table: dict[str, dict[str, Reach]] = {}
    for (instance, solver), group in grouped(
        [r for r in rows if not is_exact(r)], "instance", "solver"
    ).items():
        table.setdefault(instance, {})[solver] = time_to_target(group)
    return table


def proofs(rows: list[dict]) -> dict[str, dict[str, dict]]:
    """Return the row of the proof, or that of the smallest gap, by instance and exact solver."""
    table: dict[str, dict[str, dict]] = {}
    for (instance, solver), group in grouped([r for r in rows if is_exact(r)], "instance", "solver").items():
        best = min(group, key=lambda row: (max(row["gap"], CLOSED), row["seconds"]))
        table.setdefault(instance, {})[solver] = best
    return table


def shown(reach: Reach | None) -> str:
    if reach is None:
        return ""
    return (
        f"{reach.seconds:.2g} ({reach.hits}/{reach.runs})" if reach.hits else f"missed ({reach.seconds:.2g})"
    )


def race_table(rows: list[dict]) -> list[str]:
    """Return the lines of the table of the heuristics, one per instance."""
    sizes = {row["instance"]: row["n"] for row in rows}
    lines = [
        "| instance | n | Tabu | Anneal | best other | which | other / Tabu |",
        "|---|---|---|---|---|---|---|",
    ]
    for instance, table in reaches(rows).items():
        others = {solver: reach for solver, reach in table.items() if solver not in FAMILY}
        mine = table.get(OURS)
        if not others or mine is None:
            continue
        hit = {solver: reach for solver, reach in others.items() if reach.hits}
        which = min(hit or others, key=lambda solver: others[solver].seconds)
        best = others[which]
        if mine.hits or best.hits:
            sign = "> " if not best.hits else "< " if not mine.hits else ""
            ratio = f"{sign}{best.seconds / mine.seconds:.2g}"
        else:
            ratio = ""
        ours = f"{shown(mine)} | {shown(table.get('Anneal'))}"
        lines.append(
            f"| {instance} | {sizes[instance]} | {ours} | {shown(best)} | {which if hit else 'none'} | {ratio} |"
        )
    return lines


def field_table(rows: list[dict]) -> list[str]:
    """Return the lines of the table of the solvers: how many targets each reached, and how fast beside Tabu."""
    table = reaches(rows)
    versions = {row["solver"]: row["version"] for row in rows}
    lines = ["| solver | version | targets reached | time / Tabu |", "|---|---|---|---|"]
    for solver in dict.fromkeys(solver for line in table.values() for solver in line):
        both = [line for line in table.values() if solver in line and OURS in line]
        hits = sum(line[solver].hits > 0 for line in both)
        ratios = [
            line[solver].seconds / line[OURS].seconds
            for line in both
            if line[solver].hits and line[OURS].hits
        ]
        mean = f"{math.exp(np.mean(np.log(ratios))):.2g}" if ratios else ""
        lines.append(f"| {solver} | {versions[solver]} | {hits} of {len(both)} | {mean} |")
    return lines


def proof_table(rows: list[dict]) -> list[str]:
    """Return the lines of the table of the exact solvers: seconds to a proof, or the gap that is left."""
    table = proofs(rows)
    sizes = {row["instance"]: row["n"] for row in rows}
    solvers = list(dict.fromkeys(solver for line in table.values() for solver in line))
    lines = [f"| instance | n | {' | '.join(solvers)} |", f"|---|---|{'---|' * len(solvers)}"]
    for instance, line in table.items():
        cells = []
        for row in (line.get(solver) for solver in solvers):
            if row is None:
                cells.append("")
            elif row["gap"] <= CLOSED:
                cells.append(f"{row['seconds']:.2g} s")
            else:
                cells.append(f"gap {row['gap']:.2%}" if row["gap"] < 10 else "gap > 1000%")
        lines.append(f"| {instance} | {sizes[instance]} | {' | '.join(cells)} |")
    return lines


def tables(rows: list[dict], scale: float, limit: float) -> str:
    """Return all tables, and what they were measured with."""
    versions = {row["solver"]: row["version"] for row in rows}
    exact = ", ".join(
        f"{package} {versions[name]}"
        for name, package in (("Tabu", "quboselect"), ("HiGHS", "highspy"), ("SCIP", "PySCIPOpt"))
        if name in versions
    )
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}"
    times = f"seconds per solver and instance x {scale:g}, {limit:g} s for HiGHS and SCIP"
    parts = [
        "Seconds to the target with 99 % (runs that hit / runs, at the solver's best rung); *missed* is the time "
        "spent in vain. The last column is how many times longer the best other solver takes.",
        race_table(rows),
        "All instances: how many targets each solver reached, and the geometric mean of its time over Tabu's where "
        "both did.",
        field_table(rows),
        "Exact solvers: seconds to the proof, or the gap between their own best energy and their own bound.",
        proof_table(rows),
        f"Measured by `benchmarks/solvers.py`: {exact}; {machine}; {times}.",
    ]
    return "\n\n".join(part if isinstance(part, str) else "\n".join(part) for part in parts)


def figure(rows: list[dict], path: Path) -> None:
    """Draw the figure: time to target above; time to proof and the gap that is left below."""
    try:
        import plot
    except ImportError as reason:
        print(f"no figure: {reason}")
    else:
        plot.figure(reaches(rows), proofs(rows), path)
