"""How quick is greed? Steps of mRMR by `solvers.Greedy`, beside the packages that take them, in one run.

``python benchmarks/greedy.py`` selects 50 of 5 000 and of 50 000 features by 1 000 samples. Each package gets the table
in the form that it likes best: a matrix, a frame, or codes that were made before the clock ran. Three calls after one
that compiles; the least counts, and all calls are made in turns. Those that took a minute are called once. Packages
that would need a matrix of all pairs are left out where that does not fit into memory. Prints a table, and writes
results/greedy.csv.
"""

import argparse
import csv
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from fast_select import mRMR
from mrmr import mrmr_classif
from mrmrs import mrmr
from page import machine, put
from wide import genes

from quboselect import SelectQUBO, criteria, importance, redundancy, solvers
from quboselect.counting.bins import feature_codes

RESULTS = Path(__file__).parent / "results" / "greedy.csv"
COLUMNS = ("features", "samples", "k", "who", "measures", "seconds", "cpu_s", "as_ours")
BINS = 5
MATRIX = 20_000  # features whose matrix of pairs, in double precision, still fits
SLOW = 60.0  # seconds


def steps(criterion, X, y, k):
    """Return the features that the steps of a criterion take."""
    found = SelectQUBO(k=k, criterion=criterion, solver=solvers.Greedy()).fit(X, y)
    return found.get_support(indices=True)


def contenders(X, y, k):
    """Return who takes part: a name, the measures, and a function of nothing that returns features."""
    names = [f"f{i}" for i in range(X.shape[1])]
    frame, many = pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)
    label, labels = pd.Series(y), pl.Series("y", y)
    codes = np.ascontiguousarray(feature_codes(X, bins=BINS, edges="quantile").values.T.astype(np.int32))
    cut = criteria.Pairs(bins=BINS, edges="quantile", together=0, chance=0)
    correlated = criteria.Criterion(importance.Correlation(), redundancy.Correlation(), cut.alpha)

    def places(chosen):
        return [int(name[1:]) for name in chosen]

    yield "quboselect", "information", lambda: steps(cut, X, y, k)
    if X.shape[1] <= MATRIX:
        chosen = mRMR(n_features_to_select=k, method="MID", backend="cpu")
        yield "fast-select, from codes", "information", lambda: chosen.fit(codes, y).top_features_
    yield "quboselect", "correlation", lambda: steps(correlated, X, y, k)
    yield (
        "mrmrs",
        "F / correlation",
        lambda: places(
            one.name for one in mrmr(X=many, y=labels, number_of_features=k, task_type="classification")
        ),
    )
    yield (
        "mrmr-selection",
        "F / correlation",
        lambda: places(mrmr_classif(frame, label, K=k, n_jobs=-1, show_progress=False)),
    )


def clock(work):
    """Return what a call returns, and its seconds on the wall and of all cores."""
    wall, core = time.perf_counter(), time.process_time()
    found = work()
    return found, time.perf_counter() - wall, time.process_time() - core


def race(n, samples, k, repeats, without=()):
    """Return a row for each contender."""
    X, y = genes(n, samples)
    every = list(contenders(X, y, k))
    if unknown := set(without) - {who for who, *_ in every}:
        there = ", ".join(dict.fromkeys(who for who, *_ in every))
        raise SystemExit(f"--without must name what is in the race ({there}), got {', '.join(unknown)}.")
    rows, waiting = {}, [one for one in every if one[0] not in without]
    for turn in range(1 + repeats):
        for who, measures, work in waiting:
            key = who, measures
            if key in rows and rows[key][1] > SLOW:
                continue
            found, wall, core = clock(work)
            # The first call of a short one compiles.
            if turn <= 1 or wall < rows[key][1]:
                rows[key] = found, wall, core
    ours = {measures: set(found) for (who, measures), (found, *_) in rows.items() if who == "quboselect"}
    for (who, measures), (found, wall, core) in rows.items():
        same = len(ours[measures] & {int(i) for i in found}) if measures in ours else ""
        yield dict(
            zip(COLUMNS, (n, samples, k, who, measures, f"{wall:.3g}", f"{core:.3g}", same), strict=True)
        )


def page(rows):
    """Return the table of the page, with the ratio to ours by the same kind of measures."""
    lines = [
        "| features | by | measures | seconds | of all cores | times ours | of 50, as ours |",
        "|---:|---|---|---:|---:|---:|---:|",
    ]
    for row in rows:
        kind = "information" if row["measures"] == "information" else "correlation"
        ours = next(
            float(other["seconds"])
            for other in rows
            if (other["features"], other["who"], other["measures"]) == (row["features"], "quboselect", kind)
        )
        lines.append(
            f"| {int(row['features']):,} | {row['who']} | {row['measures']} | {row['seconds']} | {row['cpu_s']} | "
            f"{float(row['seconds']) / ours:.2g} | {row['as_ours']} |"
        )
    return "\n".join([*lines, "", f"Measured by `benchmarks/greedy.py`: {machine()}."])


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--features", type=int, nargs="+", default=[5_000, 50_000])
    parser.add_argument("--samples", type=int, default=1_000)
    parser.add_argument("-k", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--without", nargs="+", default=[], help="packages that are left out, as mrmr-selection"
    )
    parser.add_argument("--out", type=Path, default=RESULTS, help="elsewhere than into results and the page")
    asked = parser.parse_args()
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in asked.features:
            rows += race(n, asked.samples, asked.k, asked.repeats, asked.without)
    with asked.out.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(page(rows))
    if asked.out == RESULTS:
        put("greedy", page(rows))


if __name__ == "__main__":
    main()
