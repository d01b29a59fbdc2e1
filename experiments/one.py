"""Experiment 1: thirty pixels of mnist for each digit, and the accuracies of small forests on them, fold by fold.

Importance is mutual information with "this digit or not", redundancy is the same for all digits and counted once. The
forests see the thirty pixels of QFS, five times thirty random ones, and all 784; the authors' published masks as well,
where their file is here. Our masks go to ``one_masks.npz``. Seconds of selection and of models stand apart.
"""

import argparse
import sys
import time
from collections.abc import Iterator

import constants
import measures
import models
import numpy as np
from data import DatasetUnavailable
from ledger import Ledger, Progress, store
from models import SMALL_FOREST, Task
from two import AUTHORS, RANDOM, Bits, qfs, warm

from quboselect import Tradeoff

DATASET, ALL, MASKS = "mnist", "all", "one_masks.npz"


def select(ledger: Ledger, quick: bool) -> Bits:
    """Return thirty pixels for each digit, one row a digit."""
    path, k = ledger.folder / MASKS, constants.section("one")["k"]
    if path.exists() and len(ledger):
        with np.load(path, allow_pickle=False) as arrays:
            return np.asarray(arrays["masks"])
    whole = models.table(DATASET, quick)
    warm()
    start = time.perf_counter()
    codes = measures.IMPORTANCE.codes(whole.X)
    pairs = measures.REDUNDANCY(codes)
    ledger.note(time.perf_counter() - start, dataset=DATASET, method="QFS", k=k, metric="counting seconds")
    masks = []
    with Progress(constants.section("one")["digits"], "experiment 1, selections") as progress:
        for digit in range(constants.section("one")["digits"]):
            start = time.perf_counter()
            bits, alpha, proven = qfs(Tradeoff(measures.IMPORTANCE(codes, whole.y == digit), pairs), k, quick)
            seconds = time.perf_counter() - start
            found = {"alpha": alpha, "proven": proven, "selection seconds": seconds}
            for metric, value in found.items():
                ledger.note(value, dataset=f"{DATASET} {digit}", method="QFS", k=k, metric=metric)
            masks.append(bits)
            progress.step()
    store(path, masks=np.array(masks))
    return np.array(masks)


def tasks(masks: Bits, quick: bool) -> Iterator[Task]:
    """Yield the forests of every digit: on our pixels, on random ones, on all, and on the authors'."""
    one = constants.section("one")
    n = masks.shape[1]
    random = constants.section("quick" if quick else "one")["random_subsets"]
    theirs = published()
    for digit, bits in enumerate(masks):
        drawn = np.random.default_rng(digit)
        chosen: list[tuple[str, int | None, list[int]]] = [("QFS", None, np.flatnonzero(bits).tolist())]
        chosen += [
            (RANDOM, i, np.sort(drawn.choice(n, one["k"], replace=False)).tolist()) for i in range(random)
        ]
        chosen.append((ALL, None, list(range(n))))
        if theirs is not None:
            chosen.append((f"{AUTHORS}QFS", None, np.flatnonzero(theirs[digit]).tolist()))
        for method, seed, features in chosen:
            for fold in range(models.folds(quick)):
                yield Task(DATASET, method, SMALL_FOREST, tuple(features), fold, seed, digit, quick)


def published() -> Bits | None:
    """Return the authors' masks, one row a digit, or None where their file is not here."""
    path = constants.reference("mnist-subsets.npz")
    if path is None:
        return None
    with np.load(path, allow_pickle=False) as arrays:
        return np.array([arrays[str(digit)] for digit in range(constants.section("one")["digits"])], np.bool_)


def ordering(ledger: Ledger) -> list[str]:
    """Return the digits where the paper's ordering (QFS above random, and above all pixels) fails, in words."""
    words = []
    for digit in range(constants.section("one")["digits"]):
        mean = {
            method: np.mean([row.value for row in rows])
            for method in ("QFS", RANDOM, ALL)
            if (rows := list(ledger.rows(dataset=f"{DATASET} {digit}", method=method, metric="accuracy")))
        }
        words += [
            f"digit {digit}: {method} {mean[method]:.4f} is not below QFS {mean['QFS']:.4f}"
            for method in (RANDOM, ALL)
            if method in mean and "QFS" in mean and mean[method] >= mean["QFS"]
        ]
    return words


def run(ledger: Ledger, quick: bool) -> None:
    """Run experiment 1, or what is missing of it."""
    try:
        masks = select(ledger, quick)
    except DatasetUnavailable as reason:
        print(f"experiment 1 is left out: {reason}", file=sys.stderr)
        return
    if published() is None:
        print(
            "experiment 1 goes without the authors' masks: ../shared/reference is not here", file=sys.stderr
        )
    models.measure(ledger, tasks(masks, quick), "experiment 1, models")
    print("\n".join(ordering(ledger) or ["QFS is above random and above all pixels for every digit"]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few hundred samples, in seconds")
    asked = parser.parse_args()
    run(Ledger(constants.results(asked.quick) / "one.csv"), asked.quick)
