"""Importance asked of a model: what it loses without a feature, or how much a feature moves what it says.

Both fit the model on some of the samples and ask it about the others, fold by fold, so that what a model has only
learnt by heart does not count. Unlike the other measures they look at all features together: of two that say the same a
model may use one, and ask little of the other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from ..counting.bins import Codes, features_and_target
from ..errors import check_fields, optional
from ..tables.table import Table
from ..tables.target import Target

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

BACKGROUND = 100  # samples that a feature is taken away by


@dataclass(frozen=True)
class Permutation:
    """What a model's score loses if a feature is shuffled: permutation importance (Breiman, 2001), on samples held out.

    In each fold the model is fitted to the other folds, and scored on this one before and after each feature in it is
    shuffled, ``n_repeats`` times. The mean loss over repeats and folds is the importance, in the unit of the score; a
    feature without which the score is better has 0.

    The model is given numbers: categories as codes from 0, in the order of the table, and NaN where a value is missing.
    It must take what it is given, as `HistGradientBoostingClassifier` does.

    Parameters
    ----------
    estimator : classifier or regressor
        It is cloned. Give it a seed of its own if it draws at random.
    scoring : str or callable, optional
        As in scikit-learn, higher is better; None is the model's own ``score``.
    cv : int or splitter
        The folds. A number of them is drawn by the seed, with the classes spread evenly.
    n_repeats : int
        How often each feature is shuffled in a fold.
    seed : int
        Of the folds and the shuffles.
    n_jobs : int or None
        Processes for the features, as in scikit-learn. The result does not depend on it.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = [[i, i % 3] for i in range(40)]
    >>> Permutation(GaussianNB(), cv=4)(X, [i >= 20 for i in range(40)]).round(2).tolist()
    [0.56, 0.0]
    """

    estimator: Any
    scoring: Any = None
    cv: Any = 5
    n_repeats: int = 5
    seed: int = 0
    n_jobs: int | None = None

    tables: ClassVar[bool] = True
    categories: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_model(self.estimator)
        check_fields(self, n_repeats=1, seed=0)

    def __call__(self, X: Any, y: Any, /, *, sample_weight: ArrayLike | None = None) -> Vector:
        """Return the importance of each feature, shape (n_features,), at least 0.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or Table
        y : array of shape (n_samples,), or Target
            Labels of classes, or numbers.
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts; for a Table, which has its own, None.
        """
        # Loaded when it is asked for, as it takes longer than the rest of this package.
        from sklearn.inspection import permutation_importance

        found = [
            permutation_importance(
                fold.model,
                fold.X[fold.test],
                fold.y[fold.test],
                scoring=self.scoring,
                n_repeats=self.n_repeats,
                random_state=self.seed,
                n_jobs=self.n_jobs,
                sample_weight=None if fold.weights is None else fold.weights[fold.test],
            ).importances_mean
            for fold in folds(self, X, y, sample_weight)
        ]
        return np.asarray(np.maximum(np.mean(found, axis=0), 0.0), np.float64)


@dataclass(frozen=True)
class SHAP:
    """How much a feature moves what a model says: the mean absolute SHAP value (Lundberg and Lee, 2017), held out.

    In each fold the model is fitted to the other folds, and the package ``shap`` says by how much each feature moves
    the answer for each sample of this one, against up to 100 samples of the others. The mean over samples, answers and
    folds is the importance, in the unit of the answer: log-odds, probability or the target's own, as ``shap`` has it
    for this model.

    The model is given numbers as by `Permutation`. It needs ``pip install "quboselect[shap]"``.

    Parameters
    ----------
    estimator : classifier or regressor
        It is cloned. Give it a seed of its own if it draws at random.
    cv : int or splitter
        The folds. A number of them is drawn by the seed, with the classes spread evenly.
    seed : int
        Of the folds and of what ``shap`` draws.
    """

    estimator: Any
    cv: Any = 5
    seed: int = 0

    tables: ClassVar[bool] = True
    categories: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_model(self.estimator)
        check_fields(self, seed=0)

    def __call__(self, X: Any, y: Any, /, *, sample_weight: ArrayLike | None = None) -> Vector:
        """Return the importance of each feature, shape (n_features,), at least 0.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or Table
        y : array of shape (n_samples,), or Target
            Labels of classes, or numbers.
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts; for a Table, which has its own, None.
        """
        shap = optional("shap", "shap", "importance.SHAP")
        found = []
        for fold in folds(self, X, y, sample_weight):
            rng = np.random.default_rng(self.seed)
            some = rng.permutation(fold.train)[:BACKGROUND]
            moved = np.abs(explained(shap, fold.model, fold.X[some], fold.X[fold.test], self.seed))
            moved = moved.reshape(*moved.shape[:2], -1).mean(axis=2)
            found.append(
                np.average(moved, axis=0, weights=None if fold.weights is None else fold.weights[fold.test])
            )
        return np.asarray(np.mean(found, axis=0), np.float64)


@dataclass(frozen=True, eq=False)
class Fold:
    """A model that was fitted to one part of a table, and the samples of the other part."""

    model: Any
    X: Matrix
    y: NDArray[Any]
    weights: Vector | None
    train: NDArray[np.intp]
    test: NDArray[np.intp]


def folds(measure: Any, X: Any, y: Any, sample_weight: ArrayLike | None) -> Iterator[Fold]:
    """Yield the folds of a table, each with a model fitted to the others."""
    from sklearn.model_selection import KFold, StratifiedKFold, check_cv

    table, target = features_and_target(X, y, sample_weight)
    name = type(measure).__name__
    if isinstance(table, Codes) or not isinstance(target, Target):
        raise ValueError(
            f"{name} needs the values of the features and the target, got Codes: pass the table itself."
        )
    if table.weights is not None and not has_fit_parameter(measure.estimator, "sample_weight"):
        raise ValueError(
            f"{name} was given weights, but {measure.estimator!r} takes no sample_weight: use another model."
        )
    values, cv = numbers(table), measure.cv
    if isinstance(cv, Integral):
        kind = KFold if target.continuous else StratifiedKFold
        cv = kind(cv, shuffle=True, random_state=measure.seed)
    for train, test in check_cv(cv, target.values, classifier=not target.continuous).split(
        values, target.values
    ):
        weights = {} if table.weights is None else {"sample_weight": table.weights[train]}
        model = clone(measure.estimator).fit(values[train], target.values[train], **weights)
        yield Fold(model, values, target.values, table.weights, train, test)


def numbers(table: Table) -> Matrix:
    """Return a table as numbers, NaN where a value is missing; categories as the codes that the table has for them.

    Examples
    --------
    >>> from ..tables.table import as_table
    >>> numbers(as_table([["a", 1.5], ["b", 2.5], [None, None]])).tolist()
    [[0.0, 1.5], [1.0, 2.5], [nan, nan]]
    """
    columns = [
        np.where(x < 0, np.nan, x) if categorical else np.asarray(x, np.float64)
        for x, categorical in zip(table.block(0, table.n_features), table.categorical, strict=True)
    ]
    return np.column_stack(columns)


def explained(shap: Any, model: Any, background: Matrix, X: Matrix, seed: int) -> NDArray[np.float64]:
    """Return SHAP values of each sample and feature, and of each answer where a model gives several."""
    masker = shap.maskers.Independent(background, max_samples=BACKGROUND)
    try:
        explainer = shap.Explainer(model, masker, seed=seed)
    except TypeError:
        # Not a kind of model that shap looks into: it is asked for its answers.
        answers = getattr(model, "predict_proba", model.predict)
        explainer = shap.Explainer(answers, masker, seed=seed)
    return np.asarray(explainer(X).values, np.float64)


def check_model(estimator: Any) -> None:
    """Raise unless an estimator is a model that can be fitted."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(
            f"estimator must be a model with fit, such as LogisticRegression(), got {estimator!r}."
        )
