"""Folds: what a model makes of the features of every k, where it has not seen the samples. A table, a model and sizes
flow in; scores flow out, and from them the size that a rule takes. `SelectQUBOCV` is their face.
"""

from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from scipy.stats import rankdata
from sklearn.base import clone

from ..constraints import Constraints
from ..qubo import Bits
from ..search.devices import quick
from ..search.path import alpha_path
from ..search.sizes import exactly
from ..selector import SelectQUBO
from ..tables.frames import as_frame, is_frame
from ..tables.table import Table
from ..tables.target import Target

Rows = npt.NDArray[np.intp]
Results = dict[str, npt.NDArray[Any]]

RULES = ("best", "one-standard-error")


class Outcome(NamedTuple):
    """What one fold says of every k: the scores of the model, and the alphas and features they belong to."""

    scores: list[float]
    alphas: list[float]
    supports: list[Bits]


class Trial(NamedTuple):
    """Everything that the folds share."""

    selector: SelectQUBO
    constraints: Constraints
    sizes: list[int]
    estimator: Any
    scorer: Any
    X: Any
    table: Table
    target: Target
    to_fit: dict[str, Any]
    to_score: dict[str, Any]

    def fold(self, train: Rows, test: Rows) -> Outcome:
        """Return the scores of one fold, its training part counted once and its path explored once."""
        # Nothing was binned before, so that the test part has no say in the bins.
        part, known = self.table.samples(train), self.target.take(train)
        reduced = self.constraints.reduce(self.selector._tradeoff(part, known, self.constraints))
        solver = quick(self.selector.solver)
        wanted = [k - self.constraints.kept for k in self.sizes]
        path = alpha_path(reduced, solver, k=wanted)
        to_fit, to_score = self._given(train, self.to_fit), self._given(test, self.to_score)
        outcome = Outcome([], [], [])
        for k in wanted:
            alpha, solutions, _ = exactly(reduced, k, path, solver)
            support = self.constraints.expand(solutions.best)
            model = clone(self.estimator).fit(self._taken(train, support), known.values, **to_fit)
            score = self.scorer(model, self._taken(test, support), self.target.values[test], **to_score)
            if not isinstance(score, Real):
                raise ValueError(f"scoring must give one number, got {score!r}: choose one score.")
            outcome.scores.append(float(score))
            outcome.alphas.append(float(alpha))
            outcome.supports.append(support)
        return outcome

    def _rows(self, rows: Rows) -> Rows:
        """Return the rows of X that rows of the table are."""
        return rows if self.table.rows is None else self.table.rows[rows]

    def _given(self, rows: Rows, given: dict[str, Any]) -> dict[str, Any]:
        """Return what was given for each sample, of some of them."""
        return {name: value[self._rows(rows)] for name, value in given.items()}

    def _taken(self, rows: Rows, support: Bits) -> Any:
        """Return some samples and features of X, in the library it is of."""
        rows, features = self._rows(rows), np.flatnonzero(support)
        if is_frame(self.X):
            return as_frame(self.X)[rows, features.tolist()].to_native()
        return self.X[rows][:, features] if issparse(self.X) else self.X[np.ix_(rows, features)]


def layout(sizes: list[int], outcomes: Sequence[Outcome]) -> Results:
    """Return the scores of all folds as scikit-learn lays them out."""
    scores = np.array([outcome.scores for outcome in outcomes])
    results: Results = {"k": np.array(sizes)}
    for i, outcome in enumerate(outcomes):
        results[f"split{i}_test_score"] = scores[i]
        results[f"split{i}_alpha"] = np.array(outcome.alphas)
        results[f"split{i}_support"] = np.array(outcome.supports)
    # Sorted, so that the same scores in other folds have the same mean to the last digit, and tie.
    mean = np.sort(scores, axis=0).mean(axis=0)
    results["mean_test_score"], results["std_test_score"] = mean, scores.std(axis=0)
    worst_last = np.where(np.isnan(mean), np.inf, -mean)
    results["rank_test_score"] = rankdata(worst_last, method="min").astype(np.int32)
    return results


def best_size(results: Results, scores: npt.NDArray[np.float64], rule: str) -> int:
    """Return the k that a rule takes, the smallest of several."""
    mean = results["mean_test_score"]
    if np.isnan(mean).all():
        raise ValueError("the score of the model is not a number (NaN) for every k: look at scoring and cv.")
    best = int(np.nanargmax(mean))
    if rule == "one-standard-error":
        error = scores[:, best].std(ddof=1) / np.sqrt(len(scores))
        best = int(np.flatnonzero(mean >= mean[best] - error)[0])
    return int(results["k"][best])
