"""Cross-validated models: their accuracies on subsets of features, fold by fold, go to the ledger.

The folds are scikit-learn's stratified ones without shuffling, in the order of the file: the authors' own, as the forty
fold accuracies of their naive Bayes on madelon show digit for digit. Workers load the data themselves and hand back
numbers; only the parent writes.
"""

import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import constants
import data
import numpy as np
from joblib import Parallel, cpu_count, delayed
from ledger import Ledger, Progress
from network import Network
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from quboselect.datasets import Dataset

NETWORK, LOGISTIC, TREE, FOREST, BAYES = constants.section("two")["models"]
# Nearer to the authors' numbers than the text is: one softmax for all classes, which stops after scikit-learn's own
# number of iterations, and (a guess) a layer by all features.
NETWORK_N, SOFTMAX = "neural network, sqrt(n)", "logistic regression, softmax"
SMALL_FOREST = "small forest"
# Seconds a fit takes for each 1000 samples, roughly: only the progress bar believes them.
COSTS = {
    NETWORK: 0.05,
    NETWORK_N: 0.1,
    LOGISTIC: 0.01,
    SOFTMAX: 0.01,
    TREE: 0.012,
    FOREST: 0.13,
    BAYES: 0.002,
}
LEVELS = ", levels"


@dataclass(frozen=True)
class Task:
    """One model on one subset, to be trained on all folds but one and tested on that."""

    table: str
    method: str
    model: str
    features: tuple[int, ...]
    fold: int
    seed: int | None = None
    digit: int | None = None
    quick: bool = False

    @property
    def key(self) -> dict[str, Any]:
        """What the ledger calls it."""
        names = {"dataset": self.table if self.digit is None else f"{self.table} {self.digit}"}
        names |= {"method": self.method, "model": self.model}
        return names | {"k": len(self.features), "seed": self.seed, "fold": self.fold, "metric": "accuracy"}


@cache
def table(name: str, quick: bool) -> Dataset:
    """Return a data set by its name; with ", levels" after it, as the authors gave it to their models."""
    whole = data.levels(name.removesuffix(LEVELS)) if name.endswith(LEVELS) else data.DATASETS[name]()
    if whole is None:
        raise ValueError(f"the table behind {name!r} is not known, or not here.")
    return data.quick(whole) if quick else whole


def folds(quick: bool) -> int:
    """Return how many folds there are."""
    return int(constants.section("quick" if quick else "two")["folds"])


def model(name: str, k: int, n: int, quick: bool, seed: int | None = None) -> Any:
    """Return a classifier of the paper, made for k of n features; all that is random starts from the seed, or ours."""
    two, one = constants.section("two"), constants.section("one")
    few, ours = constants.section("quick"), constants.section("ours")
    seed = ours["seed"] if seed is None else seed
    iterations = few["iterations"] if quick else two["iterations"]
    trees = few["trees"] if quick else two["forest_trees"]
    if name in (NETWORK, NETWORK_N):
        hidden = int(np.sqrt(k if name == NETWORK else n) + 0.5)
        return Network(hidden, iterations=iterations, seed=seed)
    if name == SMALL_FOREST:
        limits = {"max_depth": one["depth"], "max_features": one["features_per_split"]}
        return RandomForestClassifier(few["trees"] if quick else one["trees"], **limits, random_state=seed)
    return {
        LOGISTIC: OneVsRestClassifier(LogisticRegression(max_iter=iterations)),
        SOFTMAX: LogisticRegression(max_iter=ours["softmax_iterations"]),
        TREE: DecisionTreeClassifier(random_state=seed),
        FOREST: RandomForestClassifier(trees, random_state=seed),
        BAYES: GaussianNB(),
    }[name]


@cache
def splits(name: str, digit: int | None, quick: bool) -> list[tuple[Any, Any]]:
    """Return the samples of every fold, those to train on and those to test."""
    whole = table(name, quick)
    label = whole.y if digit is None else whole.y == digit
    return list(StratifiedKFold(folds(quick)).split(np.zeros(len(label)), label))


def accuracy(task: Task) -> tuple[Task, float, float]:
    """Return a task, its accuracy, and the seconds it took to train and test."""
    whole = table(task.table, task.quick)
    label = whole.y if task.digit is None else whole.y == task.digit
    train, test = splits(task.table, task.digit, task.quick)[task.fold]
    n = whole.X.shape[1]
    X = whole.X if len(task.features) == n else whole.X[:, list(task.features)]
    # Trees compare pixels, and do not mind their scale; all 784 of them would fill the memory twice.
    X = X if task.model == SMALL_FOREST else data.scaled(X)
    start = time.perf_counter()
    # One core a task: threads within small matrix products would only stand in each other's way.
    with warnings.catch_warnings(), threadpool_limits(1):
        # A limit of iterations may be reached: it is part of the model.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fresh = model(task.model, len(task.features), n, task.quick, task.seed)
        fitted = fresh.fit(X[train], label[train])
    score = float(fitted.score(X[test], label[test]))
    return task, score, time.perf_counter() - start


def measure(ledger: Ledger, tasks: Iterable[Task], label: str) -> None:
    """Run what the ledger does not have, on all cores, and write each accuracy as it comes."""
    todo = [task for task in tasks if not ledger.has(**task.key)]
    if not todo:
        return
    jobs = 1 if todo[0].quick else cpu_count()
    with Progress(sum(map(_cost, todo)), label) as progress:
        done = Parallel(n_jobs=jobs, return_as="generator_unordered", pre_dispatch=2 * jobs)(
            delayed(accuracy)(task) for task in todo
        )
        for task, score, seconds in done:
            ledger.add(score, **task.key, seconds=seconds)
            progress.step(_cost(task), f"({task.table}, {task.method}, {task.model})")


def _cost(task: Task) -> float:
    return (
        COSTS.get(task.model, 0.05)
        * constants.section("datasets")[task.table.removesuffix(LEVELS)]["samples"]
    )
