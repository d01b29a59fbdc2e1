"""What a model makes of the selected features and of all of them, by cross-validation, for a report."""

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from ..importance.model import check_model
from ..tables.frames import is_frame
from .facts import Score

# How words of scikit-learn's scores are written.
SHORT = {"roc": "ROC", "auc": "AUC", "r2": "R²", "f1": "F1", "neg": "negative"}


def model_score(
    selector: Any,
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    scoring: str | None = None,
    metric: str = "",
    groups: Any = None,
) -> Score:
    """Return the score of a model with the selected features and with all of them, on the same folds.

    Features are selected anew in each fold, from its training part alone: a test part that had a say in the selection
    would make the score too good. So it is a score of selecting, and not of one set of features.

    Parameters
    ----------
    selector : SelectQUBO, or any selector of scikit-learn
        It is cloned. Of a frame it hands on a frame, so that a model that needs names or types has them.
    estimator : classifier, regressor or pipeline
        It is cloned, and must take the table as it is: put what encodes text, or fills gaps, into a pipeline.
    X, y
        As given to ``fit``.
    cv : int, or splitter of scikit-learn
        Whole numbers are stratified folds of a classifier, shuffled with a fixed seed.
    scoring : str, optional
        A score of scikit-learn, such as ``"roc_auc"``; None is that of the model.
    metric : str, optional
        What the score is called; by default the name of the scoring.
    groups : array of shape (n_samples,), optional
        For a splitter that needs them.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from quboselect import SelectQUBO
    >>> from quboselect.datasets import load_ionosphere
    >>> score = model_score(SelectQUBO(k=5), GaussianNB(), *load_ionosphere(return_X_y=True))
    >>> score.metric, round(score.selected, 2), round(score.everything, 2), score.folds
    ('accuracy', 0.87, 0.89, 5)
    """
    from sklearn.metrics import check_scoring
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import Pipeline

    check_model(estimator)
    check_scoring(estimator, scoring)  # refuses a scoring that is none before anything is fitted
    chosen = clone(selector)
    if is_frame(X) and "transform" not in getattr(selector, "_sklearn_output_config", {}):
        chosen.set_output(transform=_library(X))
    folds = list(_splitter(cv, estimator, y).split(X, y, groups))
    models = Pipeline([("selection", chosen), ("model", clone(estimator))]), clone(estimator)
    how: dict[str, Any] = {"cv": folds, "scoring": scoring, "error_score": "raise"}
    selected, everything = (cross_val_score(model, X, y, **how) for model in models)
    spread = float(np.std(selected, ddof=1)) if len(folds) > 1 else 0.0
    name = metric or _metric(estimator, scoring)
    return Score(name, float(np.mean(selected)), float(np.mean(everything)), spread, len(folds))


def _splitter(cv: Any, estimator: Any, y: Any) -> Any:
    """Return what splits; folds of a whole number are shuffled, as tables are often sorted."""
    from sklearn.model_selection import check_cv

    splitter = check_cv(cv, y, classifier=is_classifier(estimator))
    if isinstance(cv, int | np.integer) and hasattr(splitter, "shuffle"):
        splitter = type(splitter)(splitter.n_splits, shuffle=True, random_state=0)
    return splitter


def _library(X: Any) -> str:
    return "polars" if type(X).__module__.startswith("polars") else "pandas"


def _metric(estimator: Any, scoring: str | None) -> str:
    if isinstance(scoring, str):
        return " ".join(SHORT.get(word, word) for word in scoring.split("_"))
    return "accuracy" if is_classifier(estimator) else "R²"
