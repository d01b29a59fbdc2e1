"""A handful of figures over time: is it still as quick as it was?

Each figure is a ratio of two times of the same run, ours over that of something everybody has, so machines and days
can be compared. The best of some repeats counts. ``results/over_time.csv`` has a row for each figure and commit kept.

    python benchmarks/over_time.py                  # print the ratios, beside those kept last
    python benchmarks/over_time.py --check          # and fail where one is more than three times the last
    python benchmarks/over_time.py --keep           # and keep them, under the commit that is checked out
    python benchmarks/over_time.py --commits A B C  # measure other commits of this checkout, and keep them
"""

import argparse
import csv
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import warnings
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

HERE = Path(__file__).parent
KEPT = HERE / "results" / "over_time.csv"
HEADER = ("commit", "date", "figure", "ratio", "seconds")
LOSS = 3.0
REPEATS = 5


class Figure(NamedTuple):
    """What is measured: ours, and what it is measured by."""

    name: str
    ours: Callable[[], object]
    other: Callable[[], object]


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the least time of some calls, after one that compiles and fills caches."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def started(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def figures() -> list[Figure]:
    """Return the figures; every one takes a second at the most once it is compiled."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.feature_selection import SelectKBest, mutual_info_classif

    from quboselect import QUBO, SelectQUBO, criteria, solvers

    rng = np.random.default_rng(0)
    codes = rng.integers(0, 20, (5000, 60))
    label = rng.integers(0, 3, 5000)
    paper = criteria.QFS(bins=20, edges="quantile")

    def pairs_by_numpy() -> None:
        for i, j in combinations(range(codes.shape[1]), 2):
            np.bincount(codes[:, i] * 20 + codes[:, j], minlength=400)

    def counted() -> None:
        values = codes.astype(float)
        paper.importance(values, label)
        paper.redundancy(values)

    X, y = load_breast_cancer(return_X_y=True)
    wide, of_wide = rng.normal(size=(80, 3000)), rng.integers(0, 2, 80)
    wide[:, :40] += of_wide[:, None]
    couplings = np.triu(rng.random((90, 90)), 1)
    qubo = QUBO(-20.0 * rng.random(90), couplings + couplings.T)
    matrix = rng.normal(size=(200, 200))
    matrix += matrix.T
    parts = [(X[i::4], y[i::4]) for i in range(4)]
    importing = "import sklearn.base, sklearn.utils.validation, sklearn.feature_selection"
    fitting = (
        "import numpy as np; from quboselect import SelectQUBO; rng = np.random.default_rng(0); "
        "SelectQUBO(k=3).fit(rng.normal(size=(100, 8)), rng.integers(0, 2, 100))"
    )
    return [
        Figure("counting 60 features, by np.bincount of each pair", counted, pairs_by_numpy),
        Figure(
            "fit of breast cancer, by SelectKBest(mutual_info_classif)",
            lambda: SelectQUBO(k=5).fit(X, y),
            lambda: SelectKBest(mutual_info_classif, k=5).fit(X, y),
        ),
        Figure(
            "proof at 90 bits, k = 20, by 20 eigenvalue decompositions of 200 x 200",
            lambda: solvers.Portfolio(k=20)(qubo),
            lambda: [np.linalg.eigh(matrix) for _ in range(20)],
        ),
        Figure(
            "fit of 80 x 3 000, by np.corrcoef of it",
            lambda: SelectQUBO(k=5).fit(wide, of_wide),
            lambda: np.corrcoef(wide.T),
        ),
        Figure(
            "fit of four batches, by the fit of the whole",
            lambda: SelectQUBO(k=5).fit_batches(parts),
            lambda: SelectQUBO(k=5).fit(X, y),
        ),
        Figure(
            "a new process with one fit, by one that imports scikit-learn",
            lambda: started(fitting),
            lambda: started(importing),
        ),
    ]


def measure(repeats: int) -> list[tuple[str, float, float]]:
    """Return the name, the ratio and our seconds of each figure."""
    found = []
    # Linear algebra by two threads, on any number of cores: they serve what is measured by more than what is measured.
    with warnings.catch_warnings(), threadpool_limits(2):
        warnings.simplefilter("ignore")
        for figure in figures():
            ours, other = seconds(figure.ours, repeats), seconds(figure.other, repeats)
            found.append((figure.name, ours / other, ours))
    return found


def kept() -> list[dict[str, str]]:
    return list(csv.DictReader(KEPT.open())) if KEPT.exists() else []


def keep(commit: str, found: list[tuple[str, float, float]]) -> None:
    """Write the figures of a commit, in the place of those that it had."""
    git = ["git", "-C", str(HERE), "log", "-1", "--format=%h %cs", commit]
    short, date = subprocess.run(git, check=True, capture_output=True, text=True).stdout.split()
    rows = [row for row in kept() if row["commit"] != short]
    for name, ratio, ours in found:
        values = (short, date, name, f"{ratio:.4g}", f"{ours:.4g}")
        rows.append(dict(zip(HEADER, values, strict=True)))
    with KEPT.open("w", newline="") as file:
        writer = csv.DictWriter(file, HEADER, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def measured_at(commit: str, repeats: int) -> None:
    """Measure another commit of this checkout, in a process of its own, and keep its figures."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "-C", str(HERE.parent), "archive", commit, "src"], check=True, capture_output=True
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(folder, filter="data")
        environment = {**os.environ, "PYTHONPATH": f"{folder}/src", "NUMBA_CACHE_DIR": f"{folder}/cache"}
        command = [sys.executable, __file__, "--keep-as", commit, "--repeats", str(repeats)]
        subprocess.run(command, check=True, env=environment)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help=f"fail where a ratio is {LOSS} times the last")
    parser.add_argument("--keep", action="store_true", help="keep the figures under this commit")
    parser.add_argument("--keep-as", help=argparse.SUPPRESS)
    parser.add_argument("--commits", nargs="+", default=[], help="commits to measure and keep")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    asked = parser.parse_args()
    if asked.commits:
        for commit in asked.commits:
            measured_at(commit, asked.repeats)
        return 0
    last = {row["figure"]: float(row["ratio"]) for row in kept()}
    found = measure(asked.repeats)
    if any(ratio > LOSS * last.get(name, np.inf) for name, ratio, _ in found):
        # A machine that did something else meanwhile gets another chance.
        found = [
            min(pair, key=lambda one: one[1]) for pair in zip(found, measure(asked.repeats), strict=True)
        ]
    lost = []
    for name, ratio, ours in found:
        times = ratio / last[name] if name in last else 1.0
        print(f"{ratio:9.3g}  {times:5.2f} times the last  {ours:8.3g} s  {name}")
        if times > LOSS:
            lost.append(name)
    if asked.keep or asked.keep_as:
        keep(asked.keep_as or "HEAD", found)
    if asked.check and lost:
        print(f"slower than {LOSS:g} times what was kept last: {'; '.join(lost)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
