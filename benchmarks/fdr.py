"""How many discoveries are false? Over 240 tables of which the truth is known (``fdr_tables.py``).

For each rule and each rate that is asked for: the share of useless features among those that pass, in the mean over
tables, with its standard error, and the share of useful features that pass. Beside our rules scikit-learn's
`SelectFdr`, with the F test and with chi2 of five quantile bins, and BorutaPy, which has no rate and is slow, so that
it sees two tables of each kind. Then how often useless features have small p-values, in tables of nothing else.
Writes ``results/fdr.csv``, ``results/fdr.md`` and the table of README.md.
"""

import csv
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from fdr_tables import ECHO, KINDS, USEFUL, USELESS, tables, useless
from joblib import Parallel, delayed
from page import machine, put
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import SelectFdr, chi2, f_classif, f_regression
from sklearn.preprocessing import KBinsDiscretizer

from quboselect import Constraints
from quboselect.importance import MutualInformation
from quboselect.search import BenjaminiHochberg, Twins
from quboselect.search.discovery import adjusted
from quboselect.tables.table import as_table
from quboselect.tables.target import as_target

RESULTS = Path(__file__).parent / "results"
RATES = (0.05, 0.1, 0.2)
LIMITS = (0.05, 0.01, 0.001)
PLACES_OF_BORUTA = (0, 1)  # of each kind: 50 features, 100 and 300 samples
OURS = "BenjaminiHochberg, the default"
RULES = (
    OURS,
    "BenjaminiHochberg, null='chi-square'",
    "Twins",
    "SelectFdr, F test",
    "SelectFdr, chi2 of bins",
    "BorutaPy",
)
SMALL = (
    "Tables without a useful feature: how often p-values are small, over how often they should be, and in how many "
    "tables a feature passes at a rate of 0.1, which should be one in ten at most."
)
MEASURE = MutualInformation(n_jobs=1)


def row(kind, place, rule, rate, passed, truth):
    false, found = int((passed & (truth == USELESS)).sum()), int(passed.sum())
    return {
        "kind": kind,
        "table": place,
        "rule": rule,
        "rate": rate,
        "passed": found,
        "false": false,
        "echoes": int((passed & (truth == ECHO)).sum()),
        "useful": int((truth == USEFUL).sum()),
        "found": int((passed & (truth == USEFUL)).sum()),
    }


def measured(kind, place, X, y, truth):
    """Return the rows of one table, and how many p-values of useless features are small, by where they come from."""
    warnings.simplefilter("ignore")
    table, target = (
        as_table(X, categorical=np.arange(X.shape[1]) if kind == "categories" else "auto"),
        as_target(y),
    )
    constraints = Constraints.of(X.shape[1])
    q_values = {}
    for name, rule in zip(
        RULES, (BenjaminiHochberg(RATES[0]), BenjaminiHochberg(null="chi-square"), Twins()), strict=False
    ):
        q_values[name] = rule(MEASURE, table, target, constraints).q_values
    test = SelectFdr(f_regression if target.continuous else f_classif).fit(X, y)
    q_values[RULES[3]] = adjusted(np.nan_to_num(test.pvalues_, nan=1.0))
    if not target.continuous:
        bins = KBinsDiscretizer(5, encode="ordinal", quantile_method="averaged_inverted_cdf")
        test = SelectFdr(chi2).fit(X if kind in ("categories", "rare") else bins.fit_transform(X), y)
        q_values[RULES[4]] = adjusted(np.nan_to_num(test.pvalues_, nan=1.0))
    rows = [
        row(kind, place, name, rate, found <= rate, truth)
        for name, found in q_values.items()
        for rate in RATES
    ]
    if place in PLACES_OF_BORUTA:
        from boruta import BorutaPy

        forest = RandomForestRegressor if target.continuous else RandomForestClassifier
        found = BorutaPy(forest(max_depth=5, n_jobs=1), n_estimators="auto", max_iter=50, random_state=0).fit(
            X, y
        )
        rows.append(row(kind, place, RULES[5], "", found.support_, truth))
    return rows


def calibrated(setting, X, y, measure):
    """Return how many p-values of a table of useless features are small, and whether any of them passes, by null."""
    table, target = as_table(X), as_target(y)
    found = {}
    for null in ("shuffles", "chi-square"):
        chance = BenjaminiHochberg(0.1, null)(measure, table, target, Constraints.of(X.shape[1]))
        small = [(chance.p_values <= limit).mean() / limit for limit in LIMITS]
        found[setting, null] = [*small, float(chance.passed.any())]
    return found


def shares(rows):
    """Return the mean share of false discoveries, its standard error, the power, and the share of echoes."""
    false = np.array([row["false"] / max(row["passed"], 1) for row in rows])
    power = [row["found"] / row["useful"] for row in rows if row["useful"]]
    echoes = [row["echoes"] / max(row["passed"], 1) for row in rows]
    error = false.std(ddof=1) / np.sqrt(false.size) if false.size > 1 else np.nan
    return false.mean(), error, np.mean(power) if power else np.nan, np.mean(echoes)


def cells(rows):
    if not rows:
        return " | "
    false, error, power, _ = shares(rows)
    return f"{false:.3f} ± {error:.3f} | " + ("" if np.isnan(power) else f"{power:.2f}")


def summary(found):
    """Return the table over all kinds."""
    lines = [
        "| rule | " + " | ".join(f"false at {rate:g} | power" for rate in RATES) + " | tables |",
        "|---" * 8 + "|",
    ]
    for rule in RULES[:5]:
        of = [[row for row in found if row["rule"] == rule and row["rate"] == rate] for rate in RATES]
        lines.append(f"| {rule} | " + " | ".join(map(cells, of)) + f" | {len(of[0])} |")
    of = [row for row in found if row["rule"] == RULES[5]]
    lines.append(f"| {RULES[5]}, no rate | {cells(of)} | | | | | {len(of)} |")
    return "\n".join(lines)


def same_tables(found):
    """Return the table of the tables that BorutaPy was asked about."""
    lines = ["| rule | rate | false | power | echoes |", "|---" * 5 + "|"]
    for rule in RULES:
        for rate in (0.1, ""):
            some = [
                r for r in found if r["rule"] == rule and r["rate"] == rate and r["table"] in PLACES_OF_BORUTA
            ]
            if some:
                false, error, power, _ = shares(some)
                echoes = shares([r for r in some if r["kind"] == "echoes"] or some)[3]
                lines.append(f"| {rule} | {rate} | {false:.3f} ± {error:.3f} | {power:.2f} | {echoes:.2f} |")
    return "\n".join(lines)


def by_kind(found, rate):
    lines = ["| kind | " + " | ".join(f"{rule} | power" for rule in RULES[:5]) + " |", "|---" * 11 + "|"]
    for kind in KINDS:
        of = [
            cells([r for r in found if r["kind"] == kind and r["rule"] == rule and r["rate"] == rate])
            for rule in RULES[:5]
        ]
        lines.append(f"| {kind} | " + " | ".join(of) + " |")
    return "\n".join(lines)


def calibration(counts):
    """Return how often p-values of useless features are small, over how often they should be."""
    lines = [
        "| table | p-values by | "
        + " | ".join(f"at most {limit:g}" for limit in LIMITS)
        + " | any passes at 0.1 |",
        "|---" * 6 + "|",
    ]
    for (setting, null), of in counts.items():
        mean, error = np.mean(of, axis=0), np.std(of, axis=0, ddof=1) / np.sqrt(len(of))
        cells = " | ".join(f"{a:.2f} ± {b:.2f}" for a, b in zip(mean, error, strict=True))
        lines.append(f"| {setting} | {null} | {cells} |")
    return "\n".join(lines)


def main():
    start = time.perf_counter()
    found, counts = [], defaultdict(list)
    with Parallel(n_jobs=2, return_as="generator", pre_dispatch=4) as work:
        for rows in work(delayed(measured)(*one) for one in tables()):
            found += rows
        for by_null in work(delayed(calibrated)(*one) for one in useless()):
            for key, of in by_null.items():
                counts[key].append(of)
    with (RESULTS / "fdr.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, found[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
    made = f"Measured by `benchmarks/fdr.py` in {time.perf_counter() - start:.0f} s: {machine()}."
    words = [
        "# How many discoveries are false",
        "The share of useless features among those that pass, in the mean over tables, with its standard error; then "
        "the share of useful features that pass. A feature that repeats a useful one (kind `echoes`) is not counted as "
        "false.",
        summary(found),
        *(f"## By kind, at a rate of {rate:g}\n\n{by_kind(found, rate)}" for rate in RATES),
        "## The tables that BorutaPy was asked about\n\n50 features, 100 and 300 samples. Echoes are the share among "
        f"what passes in the kind of that name.\n\n{same_tables(found)}",
        f"## p-values of useless features\n\n{SMALL}\n\n{calibration(counts)}",
        made,
    ]
    (RESULTS / "fdr.md").write_text("\n\n".join(words) + "\n")
    put("fdr", "\n\n".join([summary(found), SMALL, calibration(counts), made]))
    print("\n\n".join(words))


if __name__ == "__main__":
    main()
