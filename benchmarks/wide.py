"""How wide may a table be? Genes by samples: seconds for each step, peak memory, rows computed, and what was proven.

``python benchmarks/wide.py`` selects 50 of 20 000 genes by 500 samples; with ``--huge`` also 50 of 200 000 by 1000.
Each table is made and fitted in a process of its own, whose peak memory counts the table too. ``cpu_s`` are the seconds
of all cores together: on a machine that does other things as well they say more than those on the wall. Prints a
table, and writes results/wide.csv; what was measured before and not now stays in it.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
from page import machine, put

from quboselect import SelectQUBO, importance, redundancy
from quboselect.redundancy.rows import Rows

RESULTS = Path(__file__).parent / "results" / "wide.csv"
# The paper's measures.
IMPORTANCE = importance.MutualInformation(bins=20, edges="quantile")
REDUNDANCY = redundancy.MutualInformation(bins=20, edges="quantile")
COLUMNS = [
    "n", "samples", "k", "bins_s", "importance_s", "redundancy_s", "search_s", "total_s", "cpu_s", "peak_gb", "rows",
    "core", "gap", "proven", "on_path", "said",
]  # fmt: skip


def genes(n, samples, seed=0, informative=200, together=10):
    """Return genes of which 200 say something of two classes, in 20 blocks that move together; the rest is noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, samples)
    X = rng.standard_normal((samples, n), np.float32)
    places = rng.choice(n, informative, replace=False)
    for block in places.reshape(-1, together):
        shared = rng.standard_normal(samples) + y * rng.uniform(0.5, 1.5)
        X[:, block] = 0.8 * shared[:, None] + 0.6 * X[:, block]
    return X, y


class Clock(dict):
    """Seconds by name."""

    def run(self, name, function, *arguments):
        start = time.perf_counter()
        result = function(*arguments)
        self[name] = self.get(name, 0.0) + time.perf_counter() - start
        return result


class TimedRows(Rows):
    """Rows that say how long they took."""

    def __init__(self, rows, clock):
        super().__init__(rows.size, rows.pairs, limit=rows.limit, work=rows.work)
        self.clock = clock

    def _checked(self, features, others):
        return self.clock.run("redundancy", super()._checked, features, others)


@dataclass(frozen=True)
class TimedRedundancy:
    """Mutual information whose binning and rows are timed."""

    clock: Clock = field(default_factory=Clock)
    measure: redundancy.MutualInformation = REDUNDANCY
    tables: ClassVar[bool] = True

    def rows(self, table):
        self.clock.run("bins", self.measure.codes, table)
        return TimedRows(self.clock.run("redundancy", self.measure.rows, table), self.clock)

    def __call__(self, table):
        return self.measure(table)


@dataclass(frozen=True)
class TimedImportance:
    """Mutual information that is timed; whoever comes first bins the table."""

    clock: Clock
    tables: ClassVar[bool] = True

    def __call__(self, table, y):
        self.clock.run("bins", IMPORTANCE.codes, table)
        return self.clock.run("importance", IMPORTANCE, table, y)


def measured(n, samples, k):
    """Return one line of the table: a fit in this process."""
    X, y = genes(n, samples)
    warm = slice(0, 2100)
    SelectQUBO.paper(k=3).fit(X[:60, warm], y[:60])  # compiled or loaded kernels are not what is measured
    clock = Clock()
    selector = SelectQUBO(k=k, importance=TimedImportance(clock), redundancy=TimedRedundancy(clock))
    cpu = time.process_time()
    clock.run("total", selector.fit, X, y)
    cpu = time.process_time() - cpu
    core = selector.result_.core
    search = clock["total"] - clock["bins"] - clock["importance"] - clock["redundancy"]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {
        "n": n, "samples": samples, "k": k, "bins_s": round(clock["bins"], 2),
        "importance_s": round(clock["importance"], 2), "redundancy_s": round(clock["redundancy"], 2),
        "search_s": round(search, 2), "total_s": round(clock["total"], 2),
        "cpu_s": round(cpu, 2), "peak_gb": round(peak, 2),
        "rows": core.rows, "core": core.size, "gap": round(selector.solutions_.gap, 6),
        "proven": selector.proven_, "on_path": selector.on_path_, "said": core.text,
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--huge", action="store_true", help="also 200 000 genes by 1000 samples")
    parser.add_argument("--only", nargs=3, type=int, metavar=("N", "SAMPLES", "K"), help="one table, as JSON")
    options = parser.parse_args()
    if options.only:
        print(json.dumps(measured(*options.only)))
        return
    lines = {}
    if RESULTS.exists():
        with RESULTS.open() as file:
            lines = {(line["n"], line["samples"], line["k"]): line for line in csv.DictReader(file)}
    for case in [(20_000, 500, 50), *([(200_000, 1000, 50)] if options.huge else [])]:
        child = [sys.executable, __file__, "--only", *map(str, case)]
        line = json.loads(subprocess.run(child, capture_output=True, text=True, check=True).stdout)
        print("\n".join(f"{name:>13}  {line[name]}" for name in COLUMNS), end="\n\n")
        lines[tuple(map(str, case))] = line
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines.values())
    put("wide", table(list(lines.values())))


def table(lines):
    """Return the lines as a table in Markdown, and what was said of each result."""
    names = {"n": "features", "samples": "samples", "bins_s": "binning, s", "importance_s": "I, s",
             "redundancy_s": "R, s", "search_s": "search, s", "total_s": "in all, s", "peak_gb": "peak, GB",
             "rows": "rows counted", "gap": "gap"}  # fmt: skip
    text = [f"| {' | '.join(names.values())} |", "|---" * len(names) + "|"]
    text += [f"| {' | '.join(str(line[name]) for name in names)} |" for line in lines]
    text += ["", *(f"{line['n']} features: {line['said']}" for line in lines)]
    return "\n".join([*text, "", f"Measured by `benchmarks/wide.py`: {machine()}."])


if __name__ == "__main__":
    main()
