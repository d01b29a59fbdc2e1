"""One fold of one table: what is missing of it is selected, scored and written."""

import time
from collections.abc import Iterator
from pathlib import Path

import downstream_others as others
import downstream_ours as ours
import numpy as np
from downstream_limit import Task, Worker, worker
from downstream_models import score
from downstream_rows import ANY, SCORES, SUBSETS, append, read
from downstream_tables import Table, load


def selections(
    table: Table, fold: int, method: str, models: list[str], known: dict, process: Worker, path: Path
) -> Iterator[dict]:
    """Yield the rows of a method's selections in a fold, those that are known and new ones, which are written."""
    asked = models if method in ours.ASKING else [ANY]
    nested = method in others.OTHERS
    for model in asked:
        wanted = [(table.name, fold, k, model, method) for k in table.sizes]
        if nested and not all(key in known for key in wanted):
            answer = process.selection(Task(table.name, fold, method, max(table.sizes), model))
        for key in wanted:
            if key not in known:
                if not nested:
                    answer = process.selection(Task(table.name, fold, method, key[2], model))
                known[key] = subset_row(key, answer)
                append(path, SUBSETS, known[key])
            yield known[key]


def subset_row(key: tuple, answer: tuple[list[int], float] | str) -> dict:
    row = dict(zip(SUBSETS, (*key, "", "", ""), strict=True))
    if isinstance(answer, str):
        return {**row, "failed": answer}
    features, seconds = answer
    return {**row, "seconds": f"{seconds:.4g}", "features": " ".join(map(str, features[: key[2]]))}


def run_fold(name: str, fold: int, methods: list[str], models: list[str], folder: Path, limit: float) -> str:
    """Do what is missing of one fold of one table; return a line about it."""
    start, table, made, failed = time.perf_counter(), load(name), 0, 0
    scores, subsets = folder / "downstream.csv", folder / "downstream_subsets.csv"
    here = [row for row in read(scores, SCORES) if row["table"] == name and int(row["fold"]) == fold]
    done = {(int(row["k"]), row["model"], row["method"]): float(row["score"]) for row in here}
    known = {
        (name, fold, int(row["k"]), row["model"], row["method"]): row
        for row in read(subsets, SUBSETS)
        if row["table"] == name and int(row["fold"]) == fold
    }
    seen: dict[tuple[frozenset[int], str], float] = {}  # the same features of the same fold score the same
    for method in methods:
        for row in selections(table, fold, method, models, known, worker(limit), subsets):
            failed += bool(row["failed"])
            if row["failed"]:
                continue
            features, k = np.array(row["features"].split(), int), int(row["k"])
            for model in models if row["model"] == ANY else [row["model"]]:
                what = (frozenset(features.tolist()), model)
                if (k, model, method) in done:
                    seen[what] = done[k, model, method]
                    continue
                if what not in seen:
                    seen[what] = score(table, fold, features, model)
                key = (name, fold, k, model, method, f"{seen[what]:.5f}")
                append(scores, SCORES, dict(zip(SCORES, key, strict=True)))
                made += 1
    return f"{name} fold {fold}: {made} new scores, {failed} failed selections, {time.perf_counter() - start:.0f} s"
