"""SelectQUBOCV: how many features serve a model best, by cross-validation.

Each training part is counted once and its path explored once, so every k costs no more than a fit of the model.
"""

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from scipy.stats import rankdata
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.feature_selection import SelectorMixin
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..constraints import Constraints
from ..protocols import Solver
from ..qubo import Bits
from ..report import TITLE
from ..result import constraints_of, measured_tradeoff, read_table, table_result, warn_of_size
from ..search.choice import choice_of_size, quick
from ..search.envelope import alpha_path
from ..search.units import Units
from ..selector import SelectQUBO
from ..tables import output
from ..tables.frames import as_frame, is_frame, plain_array, plain_frame
from ..tables.table import Table
from ..tables.target import Target, as_target

Samples = npt.NDArray[np.intp]  # indices of samples
Results = dict[str, npt.NDArray[Any]]

RULES = ("best", "one-standard-error")
MOST = 30  # features to try by default


class SelectQUBOCV(MetaEstimatorMixin, SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Select as many features as serve a model best, by cross-validation.

    In each fold the features of every k are selected on the training part alone, the model is fitted to them there,
    and scored on the test part. The k that a rule takes from the mean scores is then selected on the whole table.
    Features are scored along the path of alpha without proofs; the last selection has them.

    Parameters
    ----------
    estimator : scikit-learn estimator
        The model that is to use the features. It is cloned, and it is given tables of the library that X is of. It is
        not part of the result: put one after this selector in a pipeline.
    k : sequence of int, optional
        The numbers of features to try, in groups where the selector has groups; None is 1 to 30, as far as the
        table goes. What the table cannot give becomes the nearest that it can, with a warning.
    selector : SelectQUBO, optional
        How features are selected: measures, solver, constraints. Its own k is not used; alpha must be None.
    cv : int, splitter or iterable of (train, test), default=5
        As in scikit-learn. An int is stratified if the model is a classifier.
    rule : "best" or "one-standard-error"
        ``"best"`` takes the k of the highest mean score, the smallest of several. ``"one-standard-error"`` takes the
        smallest k whose mean score is within one standard error, over the folds, of the highest.
    scoring : str or callable, optional
        As in scikit-learn; None is the model's own ``score``.
    n_jobs : int or None
        Folds at a time, by joblib. The result does not depend on it.

    Attributes
    ----------
    support_ : bool array of shape (n,)
        The selected features.
    k_ : int
        How many they are, in groups where there are groups.
    selector_ : SelectQUBO
        Fitted to the whole table, with path, alpha and proof.
    cv_results_ : dict of arrays
        ``k``; ``mean_test_score``, ``std_test_score`` and ``rank_test_score`` of each; and of each fold i
        ``split{i}_test_score``, ``split{i}_alpha`` and ``split{i}_support``, the features that were scored.
    n_splits_ : int
    n_features_in_ : int
    feature_names_in_ : array of str, where the table has names

    See Also
    --------
    SelectQUBO : Its ``k="auto"`` needs no model.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from quboselect.datasets import load_ionosphere
    >>> X, y = load_ionosphere(return_X_y=True)
    >>> selector = SelectQUBOCV(GaussianNB(), k=[2, 4, 8], cv=3).fit(X, y)
    >>> selector.k_, selector.cv_results_["mean_test_score"].round(3).tolist()
    (8, [0.778, 0.86, 0.875])
    """

    __metadata_request__fit = {"groups": UNUSED}  # noqa: RUF012 - it is the splitter that asks for them

    selector_: SelectQUBO
    cv_results_: Results
    n_splits_: int

    def __init__(
        self,
        estimator: Any,
        k: Iterable[int] | None = None,
        *,
        selector: SelectQUBO | None = None,
        cv: Any = 5,
        rule: str = "best",
        scoring: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.k = k
        self.selector = selector
        self.cv = cv
        self.rule = rule
        self.scoring = scoring
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> Self:
        """Find the number of features, and select them.

        Parameters
        ----------
        X : table of shape (samples, n)
            As in `SelectQUBO`.
        y : class labels or numbers, of shape (samples,)
        sample_weight : array of shape (samples,), optional
            They go to the selector, and to the model if its ``fit`` has this parameter. Scores are not weighted, but
            samples of weight zero are left out of them as of all else. With metadata routing, the model and the scorer
            are given weights if they request them.
        groups : array of shape (samples,), optional
            Of samples, for the splitter. Groups of features are the selector's.
        """
        selector = self._checked_selector()
        X = plain_frame(X) if is_frame(X) else X
        known = None if y is None else as_target(y, selector.target_type)
        table, target = read_table(selector, X, known, sample_weight)
        constraints = constraints_of(selector, table.n_features, table.names)
        sizes = self._sizes(constraints)
        scorer = self._scorer()
        to_fit, to_score, to_split = self._routed(sample_weight=sample_weight, groups=groups)
        X = X if is_frame(X) else X.tocsr() if issparse(X) else plain_array(X)
        trial = Trial(
            selector, constraints, sizes, self.estimator, scorer, X, table, target, to_fit, to_score
        )
        splits = self._splits(X, known, table, to_split)
        outcomes = Parallel(n_jobs=self.n_jobs)(delayed(trial.fold)(train, test) for train, test in splits)
        results = layout(sizes, outcomes)
        k = best_size(results, np.array([outcome.scores for outcome in outcomes]), self.rule)
        selector.set_params(k=k)
        selector.result_ = table_result(selector, table, target)
        # All at once: a fit that was refused leaves what was there.
        output.check_features(selector, X, known, reset=True)
        output.check_features(self, X, known, reset=True)
        self.n_splits_, self.cv_results_, self.selector_ = len(splits), results, selector
        warn_of_size(selector, selector.result_)
        return self

    @property
    def support_(self) -> Bits:
        """Which features are selected, shape (n,)."""
        return self.selector_.support_

    @property
    def k_(self) -> int:
        """How many features are selected, or groups where there are groups."""
        return self.selector_.k_

    def transform(self, X: Any) -> Any:
        """Return the selected features of a table; see `SelectQUBO.transform`.

        Parameters
        ----------
        X : table of shape (samples, n)
        """
        check_is_fitted(self)
        return output.selected_features(self, X)

    def inverse_transform(self, X: Any) -> Any:
        """Return a table of all features, zero where they were not selected.

        Parameters
        ----------
        X : table of shape (samples, selected)
        """
        check_is_fitted(self)
        return output.all_features(self, X)

    def _get_support_mask(self) -> Bits:
        check_is_fitted(self)
        return self.support_

    def report(
        self,
        file: str | os.PathLike[str],
        *,
        most: int | None = None,
        solver: Solver | None = None,
        title: str = TITLE,
        also: Mapping[str, str] | None = None,
    ) -> None:
        """Write what was selected from the whole table and why as one HTML file: that of `selector_`.

        Parameters
        ----------
        file, most, solver, title, also
            As in `SelectQUBO.report`; how k was found is told beside them.
        """
        check_is_fitted(self)
        told = {"k found by": repr(self), **(also or {})}
        self.selector_.report(file, most=most, solver=solver, title=title, also=told)

    def _checked_selector(self) -> SelectQUBO:
        """Return the selector to be fitted, after every check that needs no table."""
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise TypeError(
                f"estimator must be a model with fit, such as LogisticRegression(), got {self.estimator!r}."
            )
        if self.rule not in RULES:
            raise ValueError(f"rule must be one of {', '.join(map(repr, RULES))}, got {self.rule!r}.")
        if self.selector is not None and not isinstance(self.selector, SelectQUBO):
            raise TypeError(
                f"selector must be a SelectQUBO, or None for SelectQUBO(), got {self.selector!r}."
            )
        selector: SelectQUBO = SelectQUBO() if self.selector is None else clone(self.selector)
        if selector.alpha is not None:
            raise ValueError(
                f"selector must leave alpha to each k, got one with alpha={selector.alpha!r}: use alpha=None."
            )
        return selector

    def _sizes(self, constraints: Constraints) -> list[int]:
        """Return the numbers of features to try, in order, each of which the table can give."""
        least, most = max(constraints.kept, 1), constraints.kept + constraints.free
        if self.k is None:
            return list(range(least, max(min(most, MOST), least) + 1))
        if isinstance(self.k, str) or not np.iterable(self.k):
            raise TypeError(
                f"k must be the numbers of features to try, as in range(1, 31) or [5, 10], or None, got {self.k!r}."
            )
        given = list(self.k)
        if not given:
            raise ValueError(f"k must hold at least one number of features to try, got {self.k!r}.")
        for k in given:
            if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
                raise ValueError(f"k must hold integers of at least 1, got {k!r} among them.")
        outside = [k for k in given if not least <= k <= most]
        if outside:
            warnings.warn(
                f"k must lie from {least} to {most} for this table, got {outside[-1]}: the nearest is tried instead.",
                UserWarning,
                stacklevel=3,
            )
        return [int(k) for k in np.unique(np.clip(given, least, most))]

    def _splits(
        self, X: Any, target: Any, table: Table, to_split: dict[str, Any]
    ) -> list[tuple[Samples, Samples]]:
        """Return the rows of the table to train and to test on, those of samples that have any weight."""
        rows = np.full(table.n_read, -1)
        rows[slice(None) if table.kept_samples is None else table.kept_samples] = np.arange(table.n_samples)
        cv = check_cv(self.cv, target.values, classifier=is_classifier(self.estimator))
        splits = []
        for i, parts in enumerate(cv.split(X, target.values, **to_split)):
            train, test = (kept[kept >= 0] for kept in (rows[part] for part in parts))
            if not train.size or not test.size:
                raise ValueError(
                    f"a fold must have samples of some weight to train on and to test on, but fold {i} has "
                    f"{train.size} and {test.size}: use fewer folds."
                )
            splits.append((train, test))
        if not splits:
            raise ValueError(f"cv must make at least one fold, got none from {self.cv!r}.")
        if self.rule == "one-standard-error" and len(splits) < 2:
            raise ValueError("rule='one-standard-error' needs at least two folds, got one: use rule='best'.")
        return splits

    def _scorer(self) -> Any:
        return check_scoring(self.estimator, scoring=self.scoring)

    def _routed(self, **given: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        """Return what goes to the ``fit`` of the model, to the scorer, and to the ``split`` of the splitter."""
        given = {name: plain_array(value) for name, value in given.items() if value is not None}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **given)
            return dict(routed.estimator.fit), dict(routed.scorer.score), dict(routed.splitter.split)
        to_split = {name: given.pop(name) for name in ("groups",) if name in given}
        return (given if has_fit_parameter(self.estimator, "sample_weight") else {}), {}, to_split

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who is given what: sample_weight this selector, the model and the scorer, groups the splitter."""
        fit, score, split = (
            MethodMapping().add(caller="fit", callee=callee) for callee in ("fit", "score", "split")
        )
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(estimator=self.estimator, method_mapping=fit)
        router.add(scorer=self._scorer(), method_mapping=score)
        # As it is: check_cv would use up an iterator, and what is no splitter requests nothing.
        return router.add(splitter=self.cv, method_mapping=split)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        features = get_tags(
            self.selector if isinstance(self.selector, SelectQUBO) else SelectQUBO()
        ).input_tags
        model = self.estimator
        if hasattr(model, "__sklearn_tags__"):
            tags.input_tags.sparse = features.sparse and get_tags(model).input_tags.sparse
            tags.input_tags.positive_only = get_tags(model).input_tags.positive_only
        # A pipeline is not tagged with what its first step takes, nor a ColumnTransformer with what its parts do.
        while getattr(model, "steps", None):
            model = model.steps[0][1]
        anything = hasattr(model, "transformers") or not hasattr(model, "__sklearn_tags__")
        for name in ("allow_nan", "categorical", "string"):
            taken = anything or getattr(get_tags(model).input_tags, name)
            setattr(tags.input_tags, name, getattr(features, name) and taken)
        return tags


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

    def fold(self, train: Samples, test: Samples) -> Outcome:
        """Return the scores of one fold, its training part counted once and its path explored once."""
        # Nothing was binned before, so that the test part has no say in the bins.
        part, known = self.table.samples(train), self.target.take(train)
        tradeoff = measured_tradeoff(self.selector, part, known, self.constraints, dense=True)
        units = Units(tradeoff, self.constraints)
        problem = tradeoff if self.constraints.trivial else units.problem()
        solver = quick(self.selector.solver)
        wanted = [k - self.constraints.kept for k in self.sizes]
        path = alpha_path(problem, solver, k=wanted)
        to_fit, to_score = self._given(train, self.to_fit), self._given(test, self.to_score)
        outcome = Outcome([], [], [])
        for k in wanted:
            choice = choice_of_size(problem, k, path, solver)
            support = units.features(choice.solutions.best)
            model = clone(self.estimator).fit(self._taken(train, support), known.values, **to_fit)
            score = self.scorer(model, self._taken(test, support), self.target.values[test], **to_score)
            if not isinstance(score, Real):
                raise ValueError(f"scoring must give one number, got {score!r}: choose one score.")
            outcome.scores.append(float(score))
            outcome.alphas.append(float(choice.alpha))
            outcome.supports.append(support)
        return outcome

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
