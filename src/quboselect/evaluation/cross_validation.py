"""SelectQUBOCV: how many features, and by which criterion, serve a model best, by cross-validation.

Each training part is counted once for all criteria that share its bins, so that a candidate costs no more than a fit of
the model; `trial` makes the folds.
"""

import dataclasses
import os
import warnings
from collections.abc import Iterable, Mapping
from copy import copy
from numbers import Integral
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.feature_selection import SelectorMixin
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..criteria import JMI, MRMR, Pairs
from ..criteria.criterion import base_criterion
from ..errors import warn_of_result
from ..explain.notes import Note
from ..explain.reasons import Explanation
from ..fitting import constraints_of, read_table, table_result, warn_of_samples
from ..protocols import Solver, takes
from ..qubo import Bits
from ..report import TITLE
from ..search.constraints import Constraints
from ..selector import SelectQUBO
from ..tables import output
from ..tables.frames import is_frame, plain_array, plain_frame
from ..tables.table import Table
from ..tables.target import as_target
from .trial import RULES, Results, Samples, Trial, best_candidate, choice_words, layout

MOST = 30  # features to try by default
CRITERIA = (Pairs(), MRMR(), JMI())  # to try by default


class SelectQUBOCV(MetaEstimatorMixin, SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Select the features that serve a model best, by cross-validation: how many, by which criterion, on which bins.

    In each fold the features of every candidate are selected on the training part alone, the model is fitted to them
    there, and scored on the test part. What a rule takes from the mean scores is then selected on the whole table.
    The folds search without proofs; the last selection has them. A subset that two candidates select is scored once.

    Parameters
    ----------
    estimator : scikit-learn estimator
        The model that is to use the features. It is cloned, and it is given tables of the library that X is of. It is
        not part of the result: put one after this selector in a pipeline.
    k : sequence of int, optional
        The numbers of features to try, in groups where the selector has groups; None is 1 to 30, as far as the
        table goes. What the table cannot give becomes the nearest that it can, with a warning.
    criterion : Criterion or several, optional
        What to select by, in the order from the simplest. None is that of ``selector``; without a selector it is
        `criteria.Pairs`, `criteria.MRMR` and `criteria.JMI`.
    bins : int or "auto", or several, optional
        Numbers of bins to try with every criterion. None leaves the criteria as they are.
    selector : SelectQUBO, optional
        How features are selected: measures, solver, constraints. Its own k is not used; alpha must be None.
    cv : int, splitter or iterable of (train, test), default=5
        As in scikit-learn. An int is stratified if the model is a classifier.
    rule : "best" or "one-standard-error"
        ``"best"`` takes the highest mean score; of several the smallest k, then the first criterion.
        ``"one-standard-error"`` takes the simplest within one standard error, over the folds, of the highest: the
        smallest k, and for that k the first criterion.
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
    criterion_ : Criterion
        By which they were selected.
    choice_ : str
        What was chosen, and by how much, in words.
    selector_ : SelectQUBO
        Fitted to the whole table, with path, alpha and proof.
    cv_results_ : dict of arrays
        ``k`` and ``criterion``; ``mean_test_score``, ``std_test_score`` and ``rank_test_score``; and of each fold i
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
    >>> from quboselect import criteria
    >>> tried = [criteria.Pairs(), criteria.JMI()]
    >>> SelectQUBOCV(GaussianNB(), k=[2, 4, 8], criterion=tried, cv=3).fit(X, y).choice_
    'k=8 by Pairs(): 0.8917 +- 0.0336; +0.0313 against the best of another criterion, k=8 by JMI(): 0.8604 +- 0.0336'
    """

    __metadata_request__fit = {"groups": UNUSED}  # noqa: RUF012 - it is the splitter that asks for them

    selector_: SelectQUBO
    criterion_: Any
    choice_: str
    cv_results_: Results
    n_splits_: int

    def __init__(
        self,
        estimator: Any,
        k: Iterable[int] | None = None,
        *,
        criterion: Any = None,
        bins: Any = None,
        selector: SelectQUBO | None = None,
        cv: Any = 5,
        rule: str = "best",
        scoring: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.k = k
        self.criterion = criterion
        self.bins = bins
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
        """Find the number of features and the criterion, and select them.

        Parameters
        ----------
        X : table of shape (samples, n)
            As in `SelectQUBO`.
        y : class labels or numbers, of shape (samples,)
            If the model is a classifier, they are classes, unless the selector's `target_type` says otherwise.
        sample_weight : array of shape (samples,), optional
            They go to the selector, and to the model if its ``fit`` has this parameter. Scores are not weighted, but
            samples of weight zero are left out of them as of all else. With metadata routing, the model and the scorer
            are given weights if they request them.
        groups : array of shape (samples,), optional
            Of samples, for the splitter. Groups of features are the selector's.
        """
        selector = self._checked_selector()
        X = plain_frame(X) if is_frame(X) else X
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None: pass y, or "
                "use SelectQUBO."
            )
        known = as_target(y, selector.target_type)
        table, target = read_table(selector, X, known, sample_weight)
        constraints = constraints_of(selector, table.n_features, table.names)
        sizes = self._sizes(constraints)
        scorer = self._scorer()
        to_fit, to_score, to_split = self._routed(sample_weight=sample_weight, groups=groups)
        X = X if is_frame(X) else X.tocsr() if issparse(X) else plain_array(X)
        selectors = self._candidates(selector)
        trial = Trial(
            selectors, constraints, sizes, self.estimator, scorer, X, table, target, to_fit, to_score
        )
        splits = self._splits(X, known, table, to_split)
        outcomes = Parallel(n_jobs=self.n_jobs)(delayed(trial.fold)(train, test) for train, test in splits)
        results = layout(selectors, sizes, outcomes)
        chosen = best_candidate(results, len(splits), self.rule)
        selector = selectors[chosen // len(sizes)].set_params(k=int(results["k"][chosen]))
        selector.result_ = table_result(selector, table, target)
        # All at once: a fit that was refused leaves what was there.
        output.check_features(selector, X, known, reset=True)
        output.check_features(self, X, known, reset=True)
        self.n_splits_, self.cv_results_, self.selector_ = len(splits), results, selector
        self.criterion_ = results["criterion"][chosen]
        self.choice_ = choice_words(results, chosen, len(splits), self.rule)
        warn_of_samples(selector, table, target)
        warn_of_result(selector, selector.result_)
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

    def _html_repr(self) -> str:
        # In a notebook: scikit-learn's box, and under it what the last fit has found.
        found = vars(self).get("selector_")
        return super()._html_repr() + ("" if found is None else found.result_._repr_html_())  # type: ignore[no-any-return]

    def _get_support_mask(self) -> Bits:
        check_is_fitted(self)
        return self.support_

    def explain(self) -> Explanation:
        """Return why each feature was selected or left out, of the whole table; see `SelectQUBO.explain`."""
        check_is_fitted(self)
        return self.selector_.explain()

    @property
    def ranking_(self) -> npt.NDArray[np.intp]:
        """The rank of each feature, 1 for the first; see `SelectQUBO`."""
        return self.selector_.ranking_

    @property
    def warnings_(self) -> list[Note]:
        """What people should know before they trust the selection; see `SelectQUBO`."""
        return self.selector_.warnings_

    def report(
        self,
        file: str | os.PathLike[str],
        X: Any = None,
        y: Any = None,
        *,
        most: int | None = None,
        solver: Solver | None = None,
        title: str = TITLE,
        also: Mapping[str, str] | None = None,
        **facts: Any,
    ) -> None:
        """Write what was selected from the whole table and why as one HTML file: that of `selector_`.

        Parameters
        ----------
        file, X, y, most, solver, title, also, **facts
            As in `SelectQUBO.report`; how k was found is told beside them.
        """
        check_is_fitted(self)
        told = {"k found by": repr(self), "chosen": self.choice_, **(also or {})}
        self.selector_.report(file, X, y, most=most, solver=solver, title=title, also=told, **facts)

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
        if selector.fdr is not None:
            raise ValueError(
                f"selector must leave the number of features to the scores, got one with fdr={selector.fdr!r}: use "
                "fdr=None, or SelectQUBO alone."
            )
        if selector.target_type == "auto" and is_classifier(self.estimator):
            selector.set_params(target_type="classes")
        return selector

    def _candidates(self, selector: SelectQUBO) -> list[SelectQUBO]:
        """Return a selector for each criterion, with each number of bins."""
        given: Any = self.criterion
        if given is None:
            given = CRITERIA if self.selector is None else [selector.criterion]
        one_alone = hasattr(given, "alpha") or isinstance(given, str) or not np.iterable(given)
        criteria = [given] if one_alone else list(given)
        numbers = [self.bins] if isinstance(self.bins, str) or not np.iterable(self.bins) else list(self.bins)
        if not criteria or not numbers:
            raise ValueError("criterion and bins must each hold at least one to try, got none.")
        measures = selector.importance, selector.redundancy
        found = []
        for criterion in criteria:
            meant = base_criterion(criterion, *measures)
            for bins in numbers:
                one = criterion
                if bins is not None:
                    if not takes(meant, "bins"):
                        raise ValueError(f"bins can be tried with criteria that have bins, got {meant!r}.")
                    one = dataclasses.replace(meant, bins=bins)
                found.append(clone(selector).set_params(criterion=one))
        return found

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
            asking = copy(self)
            if not hasattr(self.cv, "split"):
                # It requests nothing, and scikit-learn before 1.9 copies it, which a generator does not allow.
                asking.cv = None
            routed = process_routing(asking, "fit", **given)
            return dict(routed.estimator.fit), dict(routed.scorer.score), dict(routed.splitter.split)
        to_split = {name: given.pop(name) for name in ("groups",) if name in given}
        return (given if has_fit_parameter(self.estimator, "sample_weight") else {}), {}, to_split

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who is given what: sample_weight this selector, the model and the scorer, groups the splitter."""
        # A pipeline calls fit_transform, which is more than its parts to scikit-learn before 1.9.
        fit, score, split = (
            MethodMapping().add(caller="fit", callee=callee).add(caller="fit_transform", callee=callee)
            for callee in ("fit", "score", "split")
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
