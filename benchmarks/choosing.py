# ruff: noqa: E402 - threads are set before NumPy is imported
"""How the default was chosen: bins, target bins and ``together`` of `criteria.Pairs`, on tables of their own.

42 tables that are not in the downstream benchmark (``choosing_tables.py``), and of its tables those to choose on; k =
5, 10 and 20, two folds, five models, selection inside the fold, by the search without its proof. Writes rows to
``results/choosing.csv`` as it goes, skips what is there, and ends with ``results/choosing.md``.

    python benchmarks/choosing.py --data DIR
    python benchmarks/choosing.py --summary
"""

import argparse
import os
import warnings
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import choosing_tables as apart
import downstream_others as others
import numpy as np
import pandas as pd
from downstream_models import MODELS, score
from downstream_ranks import ranks
from downstream_rows import SCORES, append, read
from downstream_tables import CHOSEN, HALVES, SEED, Table, TableMissing, load, numbers_of
from page import machine

from quboselect import SelectQUBO, criteria
from quboselect.counting.bins import label_codes
from quboselect.solvers import Tabu
from quboselect.tables.table import as_table
from quboselect.tables.target import as_target

RESULTS = Path(__file__).parent / "results"
FOLDS = 2
TOGETHER: tuple[float | str, ...] = ("auto", 0.0, 0.5, 1.0)
OTHERS = ("fastcan", "JMI greedy, naive", "Extra-Trees", "forest importances")
WIDE = 2500  # features: the wider tables of the downstream benchmark take an hour more, and are left out


def variants(samples: int, task: str) -> dict[str, tuple[criteria.Pairs, int | None]]:
    """Return what is compared: a criterion, and into how many bins a target of numbers is cut, None as it comes."""
    roots = {
        "fourth root, 3 to 5": int(np.clip(round(samples**0.25), 3, 5)),
        "cube root, rounded up or down, 3 to 10": int(np.clip(round(samples ** (1 / 3)), 3, 10)),
        "20": 20,
    }
    made = {f"Pairs, auto, together {share}": (criteria.Pairs(together=share), None) for share in TOGETHER}
    for share in (0.0, "auto"):
        for name, bins in roots.items():
            made[f"Pairs, {name}, together {share}"] = (
                criteria.Pairs(bins, together=share),
                bins + bins // 2,
            )
    if task == "regression":
        for cut in (4, 8, 16):
            made[f"Pairs, auto, target in {cut}"] = (criteria.Pairs(), cut)
    return {
        **made,
        "MRMR": (criteria.MRMR(), None),
        "JMI": (criteria.JMI(), None),
        "QFS": (criteria.QFS(), None),
    }


def subsets(table: Table, fold: int) -> dict[tuple[str, int], tuple[int, ...]]:
    """Return the features that each variant selects in a fold, and those of some others."""
    train, _ = table.splits[fold]
    X, y = table.rows(train), table.y[train]
    read_once = as_table(X)  # which keeps what was counted
    numbers = table.task == "regression"
    found = {}
    for name, (criterion, cut) in variants(len(train), table.task).items():
        target = as_target(y, "continuous" if numbers else "classes")
        if numbers and cut is not None:
            target = as_target(label_codes(target, bins=cut).values[0], "classes")
        for k in table.sizes:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fit = SelectQUBO(k, criterion=criterion, solver=Tabu()).fit(read_once, target)
            found[name, k] = tuple(np.flatnonzero(fit.support_).tolist())
    for name in filter(others.installed, OTHERS):
        order = others.ranking(name, numbers_of(X), y, max(table.sizes), table.task, SEED)
        found.update({(name, k): tuple(sorted(map(int, order[:k]))) for k in table.sizes})
    return found


def measure(folder: Path) -> None:
    path = folder / "choosing.csv"
    known = {(row["table"], int(row["fold"])) for row in read(path, SCORES)}
    half = [name for name, which in HALVES.items() if which == CHOSEN]
    for fold in range(FOLDS):
        for name in (*apart.NAMES, *half):
            if (name, fold) in known:
                continue
            try:
                table = apart.load(name) if name in apart.NAMES else load(name)
            except (TableMissing, ImportError) as missing:
                print(f"left out: {missing}")
                continue
            if table.n > WIDE:
                continue
            seen: dict[tuple, float] = {}
            for (method, k), features in subsets(table, fold).items():
                for model in MODELS:
                    if (features, model) not in seen:
                        seen[features, model] = score(table, fold, np.array(features), model)
                    row = (name, fold, k, model, method, f"{seen[features, model]:.5f}")
                    append(path, SCORES, dict(zip(SCORES, row, strict=True)))
            print(f"{name} fold {fold}: {len(seen)} scores", flush=True)


def summary(folder: Path) -> str:
    rows = pd.DataFrame(read(folder / "choosing.csv", SCORES))
    rows["score"] = rows["score"].astype(float)
    rows["fold"] = rows["fold"].astype(int)
    parts = ["# How the default was chosen\n", (__doc__ or "").split("\n\n")[1]]
    numbers = rows["table"].isin(apart.NUMBERS)
    for title, some in (("Classes", rows[~numbers]), ("Numbers", rows[numbers]), ("All", rows)):
        tables = some.groupby("method")["table"].nunique()
        mean = some[some["method"].isin(tables[tables == tables.max()].index)]
        mean = mean.pivot_table(index="table", columns="method", values="score")
        order = pd.DataFrame({"mean": mean.mean(), "rank": ranks(mean.to_numpy()).mean(axis=0)}).sort_values(
            "rank"
        )
        parts += [
            f"\n## {title}\n",
            f"{len(mean)} tables: {', '.join(mean.index)}.\n",
            "| | mean | mean rank |",
            "|---|---|---|",
        ]
        parts += [f"| {name} | {row['mean']:.4f} | {row['rank']:.2f} |" for name, row in order.iterrows()]
    folds = rows.groupby("table")["fold"].nunique()
    parts.append(
        f"\nFolds: {folds.min()} to {folds.max()}. Measured by `benchmarks/choosing.py`: {machine()}"
    )
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--data", type=Path, help="folder of the downstream tables; otherwise QUBOSELECT_DATA"
    )
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--summary", action="store_true", help="measure nothing")
    arguments = parser.parse_args()
    if arguments.data:
        os.environ["QUBOSELECT_DATA"] = str(arguments.data)
    if not arguments.summary:
        measure(arguments.results)
    (arguments.results / "choosing.md").write_text(summary(arguments.results))
