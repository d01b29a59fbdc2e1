"""The numbers of experiments 1 and 2, printed as Markdown tables for README.md.

``python experiments/tables.py``: our accuracies on the authors' subsets beside theirs (the check of the harness), where
QFS is the best of the paper's four methods and where another is, and how long the selections took.
"""

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import constants
import numpy as np
from ledger import Row, read
from models import BAYES, LEVELS, LOGISTIC, NETWORK, NETWORK_N, SOFTMAX
from two import AUTHORS, METHODS, PUBLISHED, RANDOM

PAPERS = tuple(PUBLISHED.values())
READ = {NETWORK: NETWORK_N, LOGISTIC: SOFTMAX}
EXACT = {BAYES: "naive_bayes", LOGISTIC: "logistic_regression", SOFTMAX: "logistic_regression"}


def mean(rows: Sequence[Row], dataset: str, method: str, model: str) -> tuple[float, float, int]:
    """Return mean, standard deviation and number of fold accuracies; NaN where there are none.

    Only random subsets have seeds here: other models that started elsewhere are `lottery`'s.
    """
    found = [
        row.value
        for row in rows
        if (row.dataset, row.method, row.model, row.metric) == (dataset, method, model, "accuracy")
        and (method == RANDOM or not row.seed)
    ]
    return (float(np.mean(found)), float(np.std(found)), len(found)) if found else (np.nan, np.nan, 0)


def harness(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the authors' accuracies, and ours on the same subset and table: the text's models, and those of the files.

    In bold what is further away than one standard deviation of theirs; the last lines count what is not.
    """
    yield "| data set | subset | model | theirs | as in the text | as we read the files |"
    yield "|---|---|---|---|---|---|"
    two = constants.section("two")
    near, of = {"in the text": 0, "in the files": 0}, 0
    for dataset, methods in two["theirs"].items():
        table = dataset if dataset == "madelon" else dataset + LEVELS
        for method, pairs in methods.items():
            for model, (theirs, deviation) in zip(two["models"], pairs, strict=True):
                found = [
                    mean(rows, table, AUTHORS + method, name) for name in (model, READ.get(model, model))
                ]
                if not found[0][2]:
                    continue
                close = [abs(value - theirs) <= deviation for value, *_ in found]
                cells = [
                    f"{value:.4f} ± {spread:.4f}{'' if fine else ' **no**'}"
                    for (value, spread, _), fine in zip(found, close, strict=True)
                ]
                of += 1
                for name, fine in zip(near, close, strict=True):
                    near[name] += fine
                cells[1] = cells[1] if model in READ else ""
                yield f"| {dataset} | {method} | {model} | {theirs:.4f} ± {deviation:.4f} | {' | '.join(cells)} |"
    yield ""
    for name, count in near.items():
        yield f"Within one standard deviation, models as {name}: {count} of {of}."


def exact(rows: Sequence[Row]) -> Iterator[str]:
    """Yield how many of the authors' fold accuracies come out to the last digit, for every model without randomness."""
    path = constants.reference("comparison-results.csv")
    if path is None:
        return
    with path.open(newline="") as file:
        theirs = {tuple(line[:3]): list(map(float, line[4].split())) for line in csv.reader(file)}
    yield "| data set | model | folds equal to the last digit |"
    yield "|---|---|---|"
    for dataset in constants.section("two")["theirs"]:
        table = dataset if dataset == "madelon" else dataset + LEVELS
        for model, key in EXACT.items():
            found = {
                (row.method, row.fold): row.value
                for row in rows
                if (row.dataset, row.model, row.metric, row.seed) == (table, model, "accuracy", "")
            }
            pairs = [
                (found.get((AUTHORS + method, str(fold))), value)
                for short, method in PUBLISHED.items()
                for fold, value in enumerate(theirs[dataset, short, key])
            ]
            equal = sum(ours is not None and abs(ours - value) < 1e-9 for ours, value in pairs)
            if any(ours is not None for ours, _ in pairs):
                yield f"| {dataset} | {model} | {equal} of {len(pairs)} |"


def lottery(rows: Sequence[Row]) -> Iterator[str]:
    """Yield what the networks on the authors' subsets of madelon give from other starts, each a mean over the folds."""
    yield "| subset | model | theirs | starts | lowest | mean | highest | within one standard deviation |"
    yield "|---|---|---|---|---|---|---|---|"
    for method in PAPERS:
        theirs, deviation = constants.section("two")["theirs"]["madelon"][method][0]
        for model in (NETWORK, NETWORK_N):
            starts: dict[str, list[float]] = {}
            for row in rows:
                if (row.dataset, row.method, row.model) == ("madelon", AUTHORS + method, model):
                    starts.setdefault(row.seed, []).append(row.value)
            if found := [float(np.mean(values)) for values in starts.values()]:
                numbers = f"{min(found):.4f} | {np.mean(found):.4f} | {max(found):.4f}"
                near = sum(abs(value - theirs) <= deviation for value in found)
                yield f"| {method} | {model} | {theirs:.4f} ± {deviation:.4f} | {len(found)} | {numbers} | {near} |"


def winners(rows: Sequence[Row]) -> Iterator[str]:
    """Yield, for each data set and model, the accuracies of the paper's four methods, and the best of all."""
    yield f"| data set | model | {' | '.join(PAPERS)} | authors' QFS | best of the four | best of all |"
    yield f"|{'---|' * (len(PAPERS) + 5)}"
    for dataset in dict.fromkeys(
        row.dataset for row in rows if row.metric == "accuracy" and LEVELS not in row.dataset
    ):
        for model in constants.section("two")["models"]:
            values = {method: mean(rows, dataset, method, model)[0] for method in (*METHODS, f"{AUTHORS}QFS")}
            cells = " | ".join(
                f"{values[m]:.4f}" if values[m] == values[m] else "" for m in (*PAPERS, f"{AUTHORS}QFS")
            )
            four = {m: values[m] for m in PAPERS if values[m] == values[m]}
            every = {m: values[m] for m in METHODS if values[m] == values[m]}
            if len(four) == len(PAPERS):
                yield f"| {dataset} | {model} | {cells} | {_best(four)} | {_best(every)} |"


def _best(values: dict[str, float]) -> str:
    """Return the method of the highest accuracy, or all of them where they are equal."""
    return ", ".join(method for method, value in values.items() if value == max(values.values()))


def subsets(rows: Sequence[Row]) -> Iterator[str]:
    """Yield how many points our subset of each method is above the authors' subset of it, model by model."""
    names = constants.section("two")["models"]
    yield f"| data set | method | {' | '.join(names)} |"
    yield f"|---|---|{'---|' * len(names)}"
    for dataset in constants.section("two")["theirs"]:
        for method in PAPERS:
            found = [
                mean(rows, dataset, method, m)[0] - mean(rows, dataset, AUTHORS + method, m)[0] for m in names
            ]
            if not np.isnan(found).any():
                points = " | ".join(f"{round(100 * value, 1) + 0.0:+.1f}" for value in found)
                yield f"| {dataset} | {method} | {points} |"


def selections(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the seconds of every selection."""
    took = {(row.dataset, row.method): row.value for row in rows if row.metric == "selection seconds"}
    sets = list(dict.fromkeys(dataset for dataset, _ in took))
    yield f"| seconds | {' | '.join(sets)} |"
    yield f"|---|{'---|' * len(sets)}"
    for method in dict.fromkeys(method for _, method in took):
        yield f"| {method} | {' | '.join(f'{took.get((s, method), np.nan):.2g}' for s in sets)} |"


def digits(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the accuracies of experiment 1, and where the paper's ordering fails."""
    methods = ("QFS", "random", "all", f"{AUTHORS}QFS")
    yield f"| digit | {' | '.join(methods)} | QFS above random and all |"
    yield f"|---|{'---|' * (len(methods) + 1)}"
    for dataset in sorted({row.dataset for row in rows if row.metric == "accuracy"}):
        found = [mean(rows, dataset, method, "small forest") for method in methods]
        holds = found[0][0] > max(found[1][0], found[2][0])
        cells = " | ".join(f"{value:.4f} ± {spread:.4f}" if n else "" for value, spread, n in found)
        yield f"| {dataset.split()[-1]} | {cells} | {'yes' if holds else 'no'} |"


def main(folder: Path) -> None:
    """Print every table that the results in a folder allow."""
    if (folder / "one.csv").exists():
        print("\n".join(digits(read(folder / "one.csv"))), end="\n\n")
    if (folder / "two.csv").exists():
        rows = read(folder / "two.csv")
        for lines in (winners, subsets, selections, harness, exact, lottery):
            print("\n".join(lines(rows)), end="\n\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="of the results of a quick run")
    main(constants.results(parser.parse_args().quick))
