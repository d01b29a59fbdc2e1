"""Importance asked of a model: a loop over folds, features and shuffles, and SHAP values of a line."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from quboselect import SelectQUBO, redundancy
from quboselect.counting.bins import feature_codes
from quboselect.importance import SHAP, Permutation
from quboselect.tables.table import as_table
from quboselect.testing import check_importance


def classes(n=5, samples=120, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, samples)
    X = rng.normal(size=(samples, n))
    X[:, 0] += 2.0 * y
    X[:, 1] -= 0.5 * y
    return X, y


def numbers(n=4, samples=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(samples, n))
    return X, 3.0 * X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=samples)


def naive(model, X, y, folds, score, n_repeats, weights=None):
    """Return permutation importance by a loop, with scikit-learn's order of draws."""
    lost = np.zeros((len(folds), X.shape[1]))
    for f, (train, test) in enumerate(folds):
        given = {} if weights is None else {"sample_weight": weights[train]}
        fitted = clone(model).fit(X[train], y[train], **given)
        share = None if weights is None else weights[test]
        before = score(y[test], fitted.predict(X[test]), share)
        first = np.random.RandomState(4).randint(np.iinfo(np.int32).max + 1)
        for j in range(X.shape[1]):
            rng, order = np.random.RandomState(first), np.arange(test.size)
            changed = X[test].copy()
            for _ in range(n_repeats):
                rng.shuffle(order)
                changed[:, j] = changed[order, j]
                lost[f, j] += (before - score(y[test], fitted.predict(changed), share)) / n_repeats
    return np.maximum(lost.mean(axis=0), 0.0)


def accuracy(y, said, weights):
    return np.average(y == said, weights=weights)


@pytest.mark.parametrize("weighted", [False, True])
def test_permutation_is_the_mean_loss_over_folds_and_shuffles(weighted):
    X, y = classes()
    weights = np.random.default_rng(1).integers(1, 4, 120).astype(float) if weighted else None
    folds = list(StratifiedKFold(4, shuffle=True, random_state=4).split(X, y))
    measure = Permutation(GaussianNB(), cv=4, n_repeats=3, seed=4)
    found = measure(X, y, sample_weight=weights)
    np.testing.assert_allclose(found, naive(GaussianNB(), X, y, folds, accuracy, 3, weights))
    assert found[0] > 0.2 > found[1] > 0.0
    assert found.min() == 0.0  # a useless feature, of which the loss came out negative


def test_permutation_of_numbers_is_by_plain_folds_and_the_score_of_the_model():
    X, y = numbers()
    folds = list(KFold(3, shuffle=True, random_state=4).split(X))
    found = Permutation(LinearRegression(), cv=3, n_repeats=2, seed=4)(X, y)
    expected = naive(LinearRegression(), X, y, folds, lambda y, said, _: r2_score(y, said), 2)
    np.testing.assert_allclose(found, expected)


def test_folds_and_scores_of_ones_own_are_taken():
    X, y = classes()
    splitter = StratifiedKFold(3)
    one = Permutation(GaussianNB(), "balanced_accuracy", splitter, seed=4)(X, y)
    plain = Permutation(GaussianNB(), cv=splitter, seed=4)(X, y)
    assert (one != plain).any()
    np.testing.assert_allclose(plain, naive(GaussianNB(), X, y, list(splitter.split(X, y)), accuracy, 5))


def test_permutation_fits_the_socket():
    check_importance(Permutation(GaussianNB(), cv=3, n_repeats=2))


def test_the_seed_settles_everything():
    X, y = classes()
    one, again, other = (Permutation(KNeighborsClassifier(), seed=seed)(X, y) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()


def test_categories_come_as_codes_and_missing_values_as_they_are():
    X, y = classes()
    frame = pd.DataFrame({"kind": np.array(["low", "mid", "high"])[y], "size": X[:, 1]})
    frame.loc[::7, ["kind", "size"]] = None
    model = HistGradientBoostingClassifier(max_iter=10, categorical_features=[0], random_state=0)
    found = Permutation(model, cv=3)(as_table(frame), y)
    assert found[0] > 0.3
    with pytest.raises(ValueError, match="NaN"):
        Permutation(LogisticRegression(), cv=3)(as_table(frame), y)


def test_a_selector_takes_it():
    X, y = classes()
    measure = Permutation(GaussianNB(), cv=3)
    selector = SelectQUBO(k=2, importance=measure, redundancy=redundancy.Correlation()).fit(X, y)
    assert selector.support_[0]
    np.testing.assert_array_equal(selector.importance_, measure(X, y))
    assert clone(selector).set_params(importance__cv=4).importance.cv == 4
    assert pickle.loads(pickle.dumps(measure)).cv == 3


@pytest.mark.parametrize("measure", [Permutation, SHAP])
@pytest.mark.parametrize("wrong", [GaussianNB, "GaussianNB", None])
def test_a_model_is_a_value_that_can_be_fitted(measure, wrong):
    with pytest.raises(TypeError, match="estimator must be a model with fit"):
        measure(wrong)


def test_wrong_parameters_are_refused():
    with pytest.raises(ValueError, match=r"n_repeats.*0"):
        Permutation(GaussianNB(), n_repeats=0)
    with pytest.raises(ValueError, match=r"seed.*-1"):
        SHAP(GaussianNB(), seed=-1)
    X, y = classes()
    with pytest.raises(ValueError, match=r"KNeighborsClassifier.*takes no sample_weight"):
        Permutation(KNeighborsClassifier())(X, y, sample_weight=np.arange(1, 121))


def test_shap_of_a_line_is_its_slope_times_the_distance_from_the_mean():
    pytest.importorskip("shap")
    X, y = numbers()
    expected = []
    for train, test in KFold(3, shuffle=True, random_state=0).split(X):
        slope = LinearRegression().fit(X[train], y[train]).coef_
        expected.append(np.abs(slope * (X[test] - X[train].mean(axis=0))).mean(axis=0))
    np.testing.assert_allclose(SHAP(LinearRegression(), cv=3)(X, y), np.mean(expected, axis=0))


def test_shap_asks_any_model_and_fits_the_socket():
    pytest.importorskip("shap")
    X, y = classes(samples=60)
    for model in (HistGradientBoostingClassifier(max_iter=5, random_state=0), KNeighborsClassifier()):
        found = SHAP(model, cv=2)(X, y)
        assert found.argmax() == 0
        np.testing.assert_array_equal(SHAP(model, cv=2)(X, y), found)
    check_importance(SHAP(LinearRegression(), cv=2))


def test_a_model_needs_values_and_not_codes():
    X, y = classes()
    with pytest.raises(ValueError, match=r"Permutation needs the values .*Codes"):
        Permutation(GaussianNB())(feature_codes(X, bins=3), y)
