"""SelectQUBOCV: how many features, by cross-validation. A model, a table and labels flow in; scores of every k, and
the features of the best, flow out.

Each training part is counted once and its path explored once: every k costs no more than a fit of the model. It stands
on `SelectQUBO`, which says how features are selected.
"""

import os
import warnings
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from ..constraints import Constraints
from ..protocols import Solver
from ..qubo import Bits
from ..report.page import TITLE
from ..selector import SelectQUBO
from ..tables.frames import is_frame, plain_array, plain_frame
from ..tables.output import TableSelector
from ..tables.table import Table
from ..tables.target import as_target
from .folds import RULES, Results, Rows, Trial, best_size, layout

MOST = 30  # features to try where nobody says how many


class SelectQUBOCV(MetaEstimatorMixin, TableSelector, BaseEstimator):  # type: ignore[misc]
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

    support_: Bits
    k_: int
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
        table, target = selector._read(X, known, sample_weight)
        constraints = selector._constraints(table.n_features, table.names)
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
        selector.set_params(k=k)._fit(table, target)
        # All at once: a fit that was refused leaves what was there.
        selector._record(X, known)
        validate_data(self, X, known, skip_check_array=True)
        self.n_splits_, self.cv_results_, self.selector_ = len(splits), results, selector
        self.selector_._say()
        self.support_, self.k_ = self.selector_.support_, self.selector_.k_
        return self

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

    def _splits(self, X: Any, target: Any, table: Table, to_split: dict[str, Any]) -> list[tuple[Rows, Rows]]:
        """Return the rows of the table to train and to test on, those of samples that have any weight."""
        rows = np.full(table.n_read, -1)
        rows[slice(None) if table.rows is None else table.rows] = np.arange(table.n_samples)
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
