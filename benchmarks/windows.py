# ruff: noqa: E402 - threads are set before NumPy is imported
"""Which of several windows: where more than one subset of k features is on the path of QFS, which makes the best model?

Tables of the downstream benchmark with up to 400 features; k = 5, 10 and 20, five folds, five models, selection inside
the fold, paths by the search without its proof. Every case with several windows counts, whichever rule would have been
taken: the widest window (that of the paper), the highest alpha (most importance), the lowest (least redundancy), the
subset whose features come back most often in 20 bootstraps, or chance. Writes ``results/windows.csv`` as it goes, skips
what is there, and ends with ``results/windows.md``.

    python benchmarks/windows.py --data DIR
"""

import argparse
import os
import warnings
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np
import pandas as pd
from downstream_models import MODELS, score
from downstream_rows import append, read
from downstream_tables import FEATURES, FOLDS, HALVES, SEED, Table, TableMissing, load
from page import machine

from quboselect import SelectQUBO, criteria
from quboselect.solvers import Tabu
from quboselect.tables.table import as_table
from quboselect.tables.target import as_target

RESULTS = Path(__file__).parent / "results"
CRITERIA = {
    "paper's bins": criteria.QFS(bins=20, edges="quantile"),
    "default bins": criteria.QFS(),
}
ROWS = ("table", "fold", "criterion", "k", "windows", "rule", "score")
RULES = ("widest", "highest alpha", "lowest alpha", "most stable")
MEAN = "any of them"  # what choosing by chance makes
RESAMPLES = 20
WIDE = 400


def chosen(windows: list, often: np.ndarray) -> dict[str, int]:
    """Return which window each rule takes; often is how often each feature comes back."""
    return {
        "widest": int(np.argmax([each.stop - each.start for each in windows])),
        "highest alpha": len(windows) - 1,
        "lowest alpha": 0,
        "most stable": int(np.argmax([often[each.x].mean() for each in windows])),
    }


def frequencies(X, target, k: int, criterion) -> np.ndarray:
    """Return in what share of bootstraps each feature is selected."""
    rng = np.random.default_rng(SEED)
    table, counts = as_table(X), np.zeros(as_table(X).n_features)
    for _ in range(RESAMPLES):
        rows = rng.integers(0, table.n_samples, table.n_samples)
        fit = SelectQUBO(k, criterion=criterion, solver=Tabu()).fit(table.samples(rows), target.take(rows))
        counts += fit.support_
    return counts / RESAMPLES


def measure_fold(table: Table, fold: int, path: Path) -> int:
    train, _ = table.splits[fold]
    X, numbers = as_table(table.rows(train)), table.task == "regression"
    target = as_target(table.y[train], "continuous" if numbers else "classes")
    seen: dict[tuple, float] = {}
    cases = 0
    for name, criterion in CRITERIA.items():
        for k in table.sizes:
            fit = SelectQUBO(k, criterion=criterion, solver=Tabu()).fit(X, target)
            windows = [each for each in fit.result_.path(k=k) if each.size == k]
            if len(windows) < 2:
                continue
            cases += 1
            means = []
            for each in windows:
                features = tuple(np.flatnonzero(each.x).tolist())
                for model in MODELS:
                    if (features, model) not in seen:
                        seen[features, model] = score(table, fold, np.array(features), model)
                means.append(float(np.mean([seen[features, model] for model in MODELS])))
            taken = chosen(windows, frequencies(X, target, k, criterion))
            values = {**{rule: means[taken[rule]] for rule in RULES}, MEAN: float(np.mean(means))}
            for rule, value in values.items():
                row = (table.name, fold, name, k, len(windows), rule, f"{value:.5f}")
                append(path, ROWS, dict(zip(ROWS, row, strict=True)))
    return cases


def measure(folder: Path) -> None:
    path, done = folder / "windows.csv", folder / "windows.done"
    known = set(done.read_text().splitlines()) if done.exists() else set()
    for name in sorted(HALVES, key=lambda name: FEATURES[name]):
        if FEATURES[name] > WIDE:
            continue
        for fold in range(FOLDS):
            if f"{name} {fold}" in known:
                continue
            try:
                table = load(name)
            except (TableMissing, ImportError) as missing:
                print(f"left out: {missing}")
                break
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                print(f"{name} fold {fold}: {measure_fold(table, fold, path)} cases", flush=True)
            with done.open("a") as file:
                file.write(f"{name} {fold}\n")
    done.unlink(missing_ok=True)


def summary(folder: Path) -> str:
    rows = pd.DataFrame(read(folder / "windows.csv", ROWS)).astype({"score": float, "windows": int})
    rows["half"] = rows["table"].map(HALVES)
    parts = ["# Which of several windows of one size\n", (__doc__ or "").split("\n\n")[1], ""]
    for half, some in (*rows.groupby("half"), ("all", rows)):
        case = some.pivot_table(index=["table", "fold", "criterion", "k"], columns="rule", values="score")
        # Cases of a table are no tables of their own.
        by_table = (case.sub(case[MEAN], axis=0)).groupby("table").mean()
        parts += [
            f"\n## Tables {half}\n" if half != "all" else "\n## All\n",
            f"{len(case)} cases of {len(by_table)} tables: {', '.join(by_table.index)}.\n",
            "| rule | mean score | above chance, mean of tables | standard error | tables above, below |",
            "|---|---|---|---|---|",
        ]
        for rule in (*RULES, MEAN):
            gain = by_table[rule]
            error = gain.std(ddof=1) / len(gain) ** 0.5
            parts.append(
                f"| {rule} | {case[rule].mean():.4f} | {gain.mean():+.4f} | {error:.4f} | "
                f"{(gain > 0).sum()}, {(gain < 0).sum()} |"
            )
    parts.append(f"\nMeasured by `benchmarks/windows.py`: {machine()}")
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, help="folder of the tables; otherwise QUBOSELECT_DATA")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--summary", action="store_true", help="measure nothing")
    arguments = parser.parse_args()
    if arguments.data:
        os.environ["QUBOSELECT_DATA"] = str(arguments.data)
    if not arguments.summary:
        measure(arguments.results)
    (arguments.results / "windows.md").write_text(summary(arguments.results))
