"""The trial: what each fold says of every candidate, a criterion and a number of features, and which a rule takes."""

from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from scipy.stats import rankdata
from sklearn.base import clone

from ..criteria.criterion import criterion_of
from ..fitting import heard_subset, measured_tradeoff, wanted_alpha
from ..qubo import Bits
from ..search.choice import choice_of_size, quick
from ..search.constraints import Constraints
from ..search.envelope import alpha_path
from ..search.units import Units
from ..selector import SelectQUBO
from ..tables.frames import as_frame, is_frame
from ..tables.table import Table
from ..tables.target import Target

Samples = npt.NDArray[np.intp]  # indices of samples
Results = dict[str, npt.NDArray[Any]]

RULES = ("best", "one-standard-error")


class Outcome(NamedTuple):
    """What one fold says of every candidate: the scores of the model, and the alphas and features they belong to."""

    scores: list[float]
    alphas: list[float]
    supports: list[Bits]


class Trial(NamedTuple):
    """Everything that the folds share; a selector for each criterion."""

    selectors: Sequence[SelectQUBO]
    constraints: Constraints
    sizes: list[int]
    estimator: Any
    scorer: Any
    X: Any
    table: Table
    target: Target
    to_fit: dict[str, Any]
    to_score: dict[str, Any]

    def fold(self, train: Samples, test: Samples) -> Outcome:
        """Return the scores of one fold: criterion after criterion, and every size of each."""
        # Nothing was binned before, so that the test part has no say in the bins. What is counted of the part is kept
        # with it, for all criteria.
        part, known = self.table.samples(train), self.target.take(train)
        to_fit, to_score = self._given(train, self.to_fit), self._given(test, self.to_score)
        outcome = Outcome([], [], [])
        scored: dict[bytes, float] = {}
        for selector in self.selectors:
            for alpha, support in self._choices(selector, part, known):
                if support.tobytes() not in scored:
                    model = clone(self.estimator).fit(self._taken(train, support), known.values, **to_fit)
                    score = self.scorer(
                        model, self._taken(test, support), self.target.values[test], **to_score
                    )
                    if not isinstance(score, Real):
                        raise ValueError(f"scoring must give one number, got {score!r}: choose one score.")
                    scored[support.tobytes()] = float(score)
                outcome.scores.append(scored[support.tobytes()])
                outcome.alphas.append(alpha)
                outcome.supports.append(support)
        return outcome

    def _choices(self, selector: SelectQUBO, part: Table, known: Target) -> list[tuple[float, Bits]]:
        """Return the alpha and the features of every size."""
        solver, constraints = quick(selector.solver), self.constraints
        alphas = [wanted_alpha(selector, k) for k in self.sizes]
        on_path = any(alpha is None for alpha in alphas)
        tradeoff = measured_tradeoff(selector, part, known, constraints, dense=on_path)
        if not on_path:
            criterion, silent = criterion_of(selector), None
            if hasattr(criterion, "silent"):
                silent = criterion.silent(criterion.importance.information(part, known))
            found = [
                heard_subset(tradeoff, silent, k=k, alpha=alpha, constraints=constraints, solver=solver)
                for k, alpha in zip(self.sizes, alphas, strict=True)
            ]
            return [(result.alpha, result.support) for result in found]
        units = Units(tradeoff, constraints)
        problem = tradeoff if constraints.trivial else units.problem()
        wanted = [k - constraints.kept for k in self.sizes]
        path = alpha_path(problem, solver, k=wanted)
        choices = [choice_of_size(problem, k, path, solver) for k in wanted]
        return [(float(choice.alpha), units.features(choice.solutions.best)) for choice in choices]

    def _rows(self, rows: Samples) -> Samples:
        """Return the rows of X that rows of the table are."""
        kept = self.table.kept_samples
        return rows if kept is None else kept[rows]

    def _given(self, rows: Samples, given: dict[str, Any]) -> dict[str, Any]:
        """Return what was given for each sample, of some of them."""
        return {name: value[self._rows(rows)] for name, value in given.items()}

    def _taken(self, rows: Samples, support: Bits) -> Any:
        """Return some samples and features of X, in the library it is of."""
        rows, features = self._rows(rows), np.flatnonzero(support)
        if is_frame(self.X):
            return as_frame(self.X)[rows, features.tolist()].to_native()
        return self.X[rows][:, features] if issparse(self.X) else self.X[np.ix_(rows, features)]


def layout(selectors: Sequence[SelectQUBO], sizes: list[int], outcomes: Sequence[Outcome]) -> Results:
    """Return the scores of all folds as scikit-learn lays them out: criterion after criterion, every size of each."""
    scores = np.array([outcome.scores for outcome in outcomes])
    criteria = np.empty(len(selectors) * len(sizes), object)
    for i, selector in enumerate(selectors):
        meant = criterion_of(selector)
        for place in range(i * len(sizes), (i + 1) * len(sizes)):
            criteria[place] = meant  # one at a time, as a criterion may be a tuple
    results: Results = {"k": np.tile(sizes, len(selectors)), "criterion": criteria}
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


def standard_error(results: Results, place: int, n_splits: int) -> float:
    """Return the standard error of a mean score over the folds."""
    return float(results["std_test_score"][place] / np.sqrt(n_splits - 1)) if n_splits > 1 else 0.0


def best_candidate(results: Results, n_splits: int, rule: str) -> int:
    """Return the place of the candidate that a rule takes."""
    mean, k = results["mean_test_score"], results["k"]
    if np.isnan(mean).all():
        raise ValueError("the score of the model is not a number (NaN) for every k: look at scoring and cv.")
    good = mean == np.nanmax(mean)
    if rule == "one-standard-error":
        best = int(np.nanargmax(mean))
        good = mean >= mean[best] - standard_error(results, best, n_splits)
    # Criteria come in their order, from the simplest.
    return int(np.flatnonzero(good & (k == k[good].min()))[0])


def choice_words(results: Results, place: int, n_splits: int, rule: str) -> str:
    """Return what was chosen, and by how much: the score, and what is best among the other criteria and sizes."""
    mean, k, criteria = results["mean_test_score"], results["k"], results["criterion"]

    def words(i: int) -> str:
        error = f" +- {standard_error(results, i, n_splits):.4f}" if n_splits > 1 else ""
        return f"k={k[i]} by {criteria[i]!r}: {mean[i]:.4f}{error}"

    told = [words(place)]
    best = int(np.nanargmax(mean))
    if rule == "one-standard-error" and mean[best] > mean[place]:
        told.append(f"within one standard error of the best, {words(best)}")
    others = [i for i in range(mean.size) if criteria[i] != criteria[place] and not np.isnan(mean[i])]
    if others:
        other = max(others, key=lambda i: mean[i])
        told.append(f"{mean[place] - mean[other]:+.4f} against the best of another criterion, {words(other)}")
    return "; ".join(told)
