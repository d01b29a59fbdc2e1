"""Experiment 2: the accuracies, fold by fold, of five models on the features that nine methods select.

The paper's four methods (QFS, LR ranking, ET ranking, RFE), and what it left out: mRMR, QPFS, the most informative
features, the F statistic, and random subsets. The subset of every method, the seconds it took and the accuracies go to
the ledger; the subsets also to ``two_subsets.npz``. The authors' own subsets are judged as well, where their files are
here: on the tables their accuracies come from (a check of this harness), and on ours beside our subsets.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache

import constants
import data
import measures
import models
import numpy as np
from elimination import eliminate
from ledger import Ledger, Progress, store
from models import BAYES, FOREST, LEVELS, LOGISTIC, NETWORK, NETWORK_N, SOFTMAX, TREE, Task
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from threadpoolctl import threadpool_limits

from quboselect import Tradeoff, best_subset
from quboselect.datasets import Dataset
from quboselect.search.baselines import mrmr, qpfs, top
from quboselect.solvers import Portfolio

Bits = NDArray[np.bool_]
RANDOM, TRUTH, AUTHORS = "random", "ground truth", "authors' "
PUBLISHED = {"qubo": "QFS", "lr-ranking": "LR ranking", "etc-ranking": "ET ranking", "dt-recursive": "RFE"}
SUBSETS = "two_subsets.npz"


def lr_ranking(whole: Dataset, k: int, quick: bool) -> Bits:
    """Return the k features of the largest Euclidean norm over the coefficients of one-vs-rest models."""
    limit = constants.section("quick" if quick else "two")["iterations"]
    X = data.scaled(whole.X).astype(np.float32)
    # One thread: on madelon, unscaled and in single precision, the sums of two would select three other features.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = OneVsRestClassifier(LogisticRegression(max_iter=limit)).fit(X, whole.y)
    return _first(np.linalg.norm([one.coef_[0] for one in fitted.estimators_], axis=0), k)


def et_ranking(whole: Dataset, k: int, quick: bool) -> Bits:
    """Return the k features that lower the impurity most in extremely randomised trees."""
    trees = constants.section("quick")["trees"] if quick else constants.section("two")["extra_trees"]
    forest = ExtraTreesClassifier(
        trees, random_state=constants.section("ours")["seed"], n_jobs=1 if quick else -1
    )
    return _first(forest.fit(whole.X, whole.y).feature_importances_, k)


def rfe(whole: Dataset, k: int, _: bool) -> Bits:
    """Return the k features left by recursive elimination with a decision tree."""
    return eliminate(whole.X, whole.y, k, depth=constants.section("two")["elimination_depth"])


def f_statistic(whole: Dataset, k: int, _: bool) -> Bits:
    """Return the k features of the largest F statistic, as ``SelectKBest(f_classif)`` does."""
    varies = np.ptp(whole.X, axis=0) > 0
    scores = np.full(whole.X.shape[1], -1.0)
    scores[varies] = f_classif(whole.X[:, varies].astype(np.float64), whole.y)[0]
    return _first(scores, k)


def qfs(tradeoff: Tradeoff, k: int, quick: bool) -> tuple[Bits, float, bool]:
    """Return the k features of ``SelectQUBO.paper(k)``, their alpha, and whether they are proven to be the best."""
    solver = Portfolio(effort=0.01) if quick else Portfolio()
    found = best_subset(tradeoff, k=k, solver=solver)
    alpha, samples = found.alpha, found.solutions
    return samples.best, alpha, samples.proven


WRAPPERS: dict[str, Callable[[Dataset, int, bool], Bits]] = {
    "LR ranking": lr_ranking,
    "ET ranking": et_ranking,
    "RFE": rfe,
    "F statistic": f_statistic,
}
FILTERS: dict[str, Callable[[Tradeoff, int], Bits]] = {"mRMR": mrmr, "QPFS": qpfs, "most informative": top}
METHODS = (
    "QFS",
    "LR ranking",
    "ET ranking",
    "RFE",
    "mRMR",
    "QPFS",
    "most informative",
    "F statistic",
    RANDOM,
)


def select(ledger: Ledger, subsets: dict[str, Bits], name: str, k: int, quick: bool) -> None:
    """Find the subsets of one data set that are not there yet, and write how long each took.

    The seconds of all methods that rest on I and R include the counting of these.
    """
    whole = models.table(name, quick)
    warm()
    key = {"dataset": name, "k": k, "metric": "selection seconds"}
    wanted = [m for m in METHODS if m != RANDOM and f"{name}/{m}" not in subsets]

    def keep(method: str, bits: Bits, seconds: float) -> None:
        # The row first: a subset that is stored is not selected again.
        ledger.note(seconds, **key, method=method, seconds=seconds)
        subsets[f"{name}/{method}"] = bits
        store(ledger.folder / SUBSETS, **subsets)

    if {"QFS", *FILTERS} & set(wanted):
        start = time.perf_counter()
        tradeoff = measures.tradeoff(whole.X, whole.y)
        counting = time.perf_counter() - start
        for method in (m for m in wanted if m == "QFS" or m in FILTERS):
            start = time.perf_counter()
            if method == "QFS":
                bits, alpha, proven = qfs(tradeoff, k, quick)
                for metric, value in (("alpha", alpha), ("proven", proven)):
                    ledger.note(value, **key | {"metric": metric}, method="QFS")
            else:
                bits = FILTERS[method](tradeoff, k)
            keep(method, bits, counting + time.perf_counter() - start)
    for method in (m for m in wanted if m in WRAPPERS):
        start = time.perf_counter()
        bits = WRAPPERS[method](whole, k, quick)
        keep(method, bits, time.perf_counter() - start)
    for seed in range(constants.section("quick" if quick else "ours")["random_subsets"]):
        # Not the stream of the seed alone: synth_100 draws its informative features from that.
        rng = np.random.default_rng([1, seed])
        subsets[f"{name}/{RANDOM} {seed}"] = _bits(rng.choice(whole.X.shape[1], k, replace=False), whole)
    if whole.informative is not None and whole.informative.size == k:
        subsets[f"{name}/{TRUTH}"] = _bits(whole.informative, whole)
    store(ledger.folder / SUBSETS, **subsets)


def tasks(subsets: dict[str, Bits], name: str, quick: bool) -> Iterator[Task]:
    """Yield every model on every subset of ours."""
    for place, bits in subsets.items():
        owner, method = place.split("/")
        if owner != name or method == TRUTH:
            continue
        features = tuple(np.flatnonzero(bits).tolist())
        plain, _, number = method.partition(f"{RANDOM} ")
        seed = int(number) if number else None
        for model in (BAYES, LOGISTIC, TREE, FOREST, NETWORK):
            for fold in range(models.folds(quick)):
                yield Task(name, plain or RANDOM, model, features, fold, seed, quick=quick)


def published(name: str) -> dict[str, Bits]:
    """Return the authors' subsets of a data set; none where their files are not here."""
    path = constants.reference("comparison-subsets.npz")
    if path is None:
        return {}
    with np.load(path, allow_pickle=False) as arrays:
        found = {
            file.removeprefix(f"{name}_"): arrays[file]
            for file in arrays.files
            if file.startswith(f"{name}_")
        }
    return {PUBLISHED[key.rsplit("_", 1)[0]]: bits for key, bits in found.items()}


def authors_tasks(name: str) -> Iterator[Task]:
    """Yield the models on the authors' subsets: on the tables of their accuracies, and on ours beside our subsets."""
    if data.levels(name) is None:
        return
    judged = name if name == "madelon" else name + LEVELS  # madelon's levels are its values
    for method, bits in published(name).items():
        features = tuple(np.flatnonzero(bits).tolist())
        for model in (BAYES, LOGISTIC, SOFTMAX, TREE, FOREST, NETWORK, NETWORK_N):
            for fold in range(models.folds(False)):
                yield Task(judged, AUTHORS + method, model, features, fold)
                if name == "madelon" and model in (NETWORK, NETWORK_N):
                    for seed in range(1, constants.section("ours")["network_seeds"]):
                        yield Task(judged, AUTHORS + method, model, features, fold, seed)
        if judged != name:
            for model in (BAYES, LOGISTIC, TREE, FOREST, NETWORK):
                for fold in range(models.folds(False)):
                    yield Task(name, AUTHORS + method, model, features, fold)


def distances(ledger: Ledger, subsets: dict[str, Bits], name: str, k: int) -> None:
    """Write how many features must be swapped to get from one subset to another, for all pairs."""
    named = {place.split("/")[1]: bits for place, bits in subsets.items() if place.startswith(f"{name}/")}
    # The authors' subsets of synth_100 belong to a table that was never published.
    if name == "madelon" and all(bits.size == 500 for bits in named.values()):
        named |= {AUTHORS + method: bits for method, bits in published(name).items()}
    order = list(named)
    for i, one in enumerate(order):
        for other in order[i + 1 :]:
            key = {"dataset": name, "method": one, "model": other, "k": k, "metric": "edit distance"}
            ledger.note(int((named[one] & ~named[other]).sum()), **key)


def run(ledger: Ledger, quick: bool) -> None:
    """Run experiment 2, or what is missing of it."""
    path = ledger.folder / SUBSETS
    subsets: dict[str, Bits] = {}
    if path.exists() and len(ledger):
        with np.load(path, allow_pickle=False) as arrays:
            subsets = {file: arrays[file] for file in arrays.files}
    sizes, found = constants.section("two")["k"], []
    with Progress(len(sizes), "experiment 2, selections") as progress:
        for name, k in sizes.items():
            progress.step(0, f"({name})")
            try:
                select(ledger, subsets, name, k, quick)
                found.append(name)
            except data.DatasetUnavailable as reason:
                print(f"experiment 2 goes without {name}: {reason}", file=sys.stderr)
            progress.step()
    todo = [task for name in found for task in tasks(subsets, name, quick)]
    if constants.reference("comparison-subsets.npz") is None:
        print(
            "experiment 2 goes without the authors' subsets: ../shared/reference is not here", file=sys.stderr
        )
    elif not quick:
        todo += [task for name in found for task in authors_tasks(name)]
        for name in found:
            if published(name) and data.levels(name) is None:
                print(f"experiment 2 goes without the authors' subsets of {name}: their table is not here")
    for name in found:
        distances(ledger, subsets, name, sizes[name])
    models.measure(ledger, todo, "experiment 2, models")


@cache
def warm() -> None:
    """Load or compile the kernels once, so that no method's seconds include it."""
    few = data.ionosphere()
    qfs(measures.tradeoff(few.X, few.y), 2, True)
    eliminate(few.X[:, :3], few.y, 2, depth=2)


def _first(scores: NDArray[np.floating], k: int) -> Bits:
    bits = np.zeros(len(scores), np.bool_)
    bits[np.argsort(-scores, kind="stable")[:k]] = True
    return bits


def _bits(features: NDArray[np.int64], whole: Dataset) -> Bits:
    bits = np.zeros(whole.X.shape[1], np.bool_)
    bits[features] = True
    return bits


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few hundred samples, in seconds")
    asked = parser.parse_args()
    run(Ledger(constants.results(asked.quick) / "two.csv"), asked.quick)
