"""The score of a model with and without selection: features are selected inside the folds, on the same folds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from quboselect import SelectQUBO
from quboselect.datasets import load_ionosphere
from quboselect.report import model_score


def test_noise_is_not_made_good_by_selecting_before_the_folds():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 500)), np.arange(80) % 2
    selector = SelectKBest(f_classif, k=5)
    honest = model_score(selector, GaussianNB(), X, y).selected
    leaking = cross_val_score(GaussianNB(), selector.fit_transform(X, y), y, cv=5).mean()
    assert leaking > 0.7
    assert abs(honest - 0.5) < 0.15


def test_scores_are_means_over_the_same_folds():
    X, y = load_ionosphere(return_X_y=True)
    folds = KFold(3, shuffle=True, random_state=1)
    score = model_score(SelectQUBO(k=4), GaussianNB(), X, y, cv=folds, scoring="roc_auc")
    each = []
    for train, test in folds.split(X):
        chosen = SelectQUBO(k=4).fit(X[train], y[train]).get_support()
        model = GaussianNB().fit(X[train][:, chosen], y[train])
        each.append(roc_auc_score(y[test], model.predict_proba(X[test][:, chosen])[:, 1]))
    assert score.selected == pytest.approx(np.mean(each))
    assert score.spread == pytest.approx(np.std(each, ddof=1))
    assert score.everything == pytest.approx(
        cross_val_score(GaussianNB(), X, y, cv=folds, scoring="roc_auc").mean()
    )
    assert (score.metric, score.folds) == ("ROC AUC", 3)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_of_several_types_reaches_the_model_as_a_frame(library):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X = pd.DataFrame({"a": y + rng.normal(size=120), "b": np.where(y, "x", "z"), "c": rng.normal(size=120)})
    if library == "polars":
        X = pytest.importorskip("polars").from_pandas(X)
    encoder = make_column_transformer(
        (OneHotEncoder(), make_column_selector(dtype_include=[object, "string"])), remainder="passthrough"
    )
    if library == "polars":
        encoder = make_column_transformer((OneHotEncoder(), ["b"]), remainder="passthrough")
    selector = SelectQUBO(k=2)
    score = model_score(selector, make_pipeline(encoder, LogisticRegression()), X, y, cv=3)
    assert score.selected > 0.95
    assert score.metric == "accuracy"
    # The caller's selector is as it was.
    assert not hasattr(selector, "result_")
    assert "transform" not in getattr(selector, "_sklearn_output_config", {})


def test_a_regressor_is_scored_by_its_own_score_and_a_table_that_is_sorted_is_shuffled():
    y = np.linspace(0.0, 1.0, 90)
    X = np.column_stack([y, np.random.default_rng(0).normal(size=90)])
    score = model_score(SelectQUBO(k=1), LinearRegression(), X, y, cv=3)
    assert score.metric == "R²"
    assert score.selected > 0.99


def test_what_cannot_be_scored_is_refused_before_anything_is_fitted():
    X, y = load_ionosphere(return_X_y=True)
    with pytest.raises(TypeError, match=r"estimator.*GaussianNB"):
        model_score(SelectQUBO(k=2), GaussianNB, X, y)
    with pytest.raises(ValueError, match="nonsense"):
        model_score(SelectQUBO(k=2), GaussianNB(), X, y, scoring="nonsense")
    assert model_score(SelectQUBO(k=2), GaussianNB(), X, y, cv=2, metric="hit rate").metric == "hit rate"
