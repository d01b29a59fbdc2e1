"""How much better is the optimum than what people use instead, on the same importance and redundancy?

200 random tradeoffs and four tables, every baseline of `search.baselines` and the penalty QUBO, each asked for as
many features as ours: how far its objective is from ours at our alpha, relative to ours. Writes
``results/baselines.csv`` and the table in README.md.
"""

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
from page import machine, put
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from quboselect import SelectQUBO, Tradeoff, best_subset, compare
from quboselect.datasets import load_ionosphere
from quboselect.importance import MutualInformation as Importance
from quboselect.redundancy import MutualInformation as Redundancy

RESULT = Path(__file__).parent / "results" / "baselines.csv"


def random_tradeoffs():
    """Yield 200 of them: uniform, and of tables with latent factors, whose mutual information was counted."""
    rng = np.random.default_rng(0)
    for trial in range(200):
        n = int(rng.integers(5, 41))
        if trial % 2:
            R = np.triu(rng.random((n, n)), 1)
            yield trial, Tradeoff(rng.random(n), R + R.T), int(rng.integers(2, n))
            continue
        factors = rng.normal(size=(500, 4))
        X = factors @ rng.normal(size=(4, n)) + 0.5 * rng.normal(size=(500, n))
        y = (factors @ rng.normal(size=4) > 0).astype(int)
        yield (
            trial,
            Tradeoff(Importance(8, "quantile")(X, y), Redundancy(8, "quantile")(X)),
            int(rng.integers(2, n)),
        )


def tables():
    data = {"wine": load_wine(), "breast cancer": load_breast_cancer(), "digits": load_digits()}
    yield "ionosphere", *load_ionosphere(return_X_y=True), (5, 10)
    for name, table in data.items():
        yield name, table.data, table.target, (5, 10)


def main():
    found, worst = [], defaultdict(list)
    for trial, tradeoff, k in random_tradeoffs():
        for row in compare(best_subset(tradeoff, k=k)).rows[1:]:
            worst[row.name].append(row.worse_by_relative)
            found.append(("random", trial, k, row.name, row.worse_by_relative))
    shown = []
    for name, X, y, sizes in tables():
        fitted = SelectQUBO.paper(k=5).fit(X, y)
        tradeoff = fitted.result_.tradeoff
        for k in sizes:
            rows = {row.name: row.worse_by_relative for row in compare(best_subset(tradeoff, k=k)).rows[1:]}
            shown.append((f"{name}, k = {k}", rows))
            found += [(name, 0, k, baseline, value) for baseline, value in rows.items()]
    names = list(worst)
    lines = ["| objective behind ours | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    gaps = {name: np.array(values) for name, values in worst.items()}
    for what, of in (
        ("200 random tradeoffs: never better", lambda g: f"{(g < 0).sum()} better, {(g == 0).sum()} equal"),
        ("median", lambda g: f"{np.median(g):.2%}"),
        ("largest", lambda g: f"{g.max():.2%}"),
    ):
        lines.append(f"| {what} | " + " | ".join(of(gaps[name]) for name in names) + " |")
    for label, rows in shown:
        cells = (f"{rows[name]:.2%}" if rows[name] else "equal" for name in names)
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    text = "\n".join([*lines, "", f"Measured by `benchmarks/baselines.py`: {machine()}."])
    print(text)
    put("baselines", text)
    with RESULT.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["table", "trial", "k", "baseline", "worse_by_relative"])
        writer.writerows([(*row[:4], f"{row[4]:.6g}") for row in found])


if __name__ == "__main__":
    main()
