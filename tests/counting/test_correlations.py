"""Correlations: the twins of SciPy, pandas and scikit-learn, missing values, weights, and numbers hard to subtract."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from quboselect.counting import correlations as module
from quboselect.counting.correlations import correlations, explained_by_classes, explained_by_line, mid_ranks


def with_holes(rng, X, share):
    holed = X.astype(np.float64)
    holed[rng.random(X.shape) < share] = np.nan
    return holed


@st.composite
def tables(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_samples, n = draw(st.integers(1, 40)), draw(st.integers(1, 5))
    X = rng.normal(size=(n_samples, n)) @ rng.normal(size=(n, n))
    X = np.round(X, draw(st.sampled_from([0, 1, 9]))) * draw(st.sampled_from([1e-200, 1.0, 1e150]))
    return with_holes(rng, X, draw(st.sampled_from([0.0, 0.1, 0.6]))), rng


def naive(x, y, weights=None):
    """Pearson's correlation over the samples that have both, in long doubles; 0 where one does not vary."""
    both = ~(np.isnan(x) | np.isnan(y))
    w = np.ones(both.sum()) if weights is None else weights[both]
    x, y, w = (v.astype(np.longdouble) for v in (x[both], y[both], w))
    if x.size < 2 or x.min() == x.max() or y.min() == y.max():
        return 0.0
    x, y = (v - (w * v).sum() / w.sum() for v in (x, y))
    return float((w * x * y).sum() / np.sqrt((w * x * x).sum()) / np.sqrt((w * y * y).sum()))


def all_pairs(X, weights=None):
    R = np.array([[naive(x, y, weights) for y in X.T] for x in X.T])
    return np.where(np.eye(len(R), dtype=bool), [float(len(np.unique(x[~np.isnan(x)])) > 1) for x in X.T], R)


@settings(max_examples=150, deadline=None)
@given(tables(), st.booleans())
def test_correlations_agree_with_their_twin(problem, weighted):
    X, rng = problem
    weights = rng.integers(1, 5, len(X)) / 2.0 if weighted else None
    got = correlations(X, weights=weights)
    np.testing.assert_allclose(got, all_pairs(X, weights), rtol=0, atol=1e-11)
    np.testing.assert_array_equal(got, got.T)
    assert (np.abs(got) <= 1).all()


def test_correlations_are_those_of_scipy_and_pandas():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6)) @ rng.normal(size=(6, 6))
    got = correlations(X)
    assert got[1, 4] == pytest.approx(stats.pearsonr(X[:, 1], X[:, 4]).statistic, abs=1e-14)
    ranked = correlations(mid_ranks(np.round(X)))
    assert ranked[1, 4] == pytest.approx(stats.spearmanr(*np.round(X[:, [1, 4]]).T).statistic, abs=1e-14)
    holed = with_holes(rng, X, 0.2)
    np.testing.assert_allclose(correlations(holed), pd.DataFrame(holed).corr(), rtol=0, atol=1e-13)


def test_large_numbers_of_small_spread_lose_no_digits():
    rng = np.random.default_rng(1)
    small = rng.integers(-1000, 1000, (500, 4)) / 1024  # exact after the shift
    expected = correlations(small)
    np.testing.assert_allclose(correlations(small + 1e9), expected, rtol=0, atol=1e-13)
    classes = rng.integers(0, 3, 500)
    for explain, y in ((explained_by_line, small[:, 0] + small[:, 1]), (explained_by_classes, classes)):
        np.testing.assert_allclose(explain(small + 1e9, y).share, explain(small, y).share, rtol=0, atol=1e-13)


def test_an_outlier_that_a_pair_does_not_have_costs_the_pair_nothing():
    X = np.random.default_rng(2).normal(size=(100, 3))
    X[:3, 1] = np.nan
    expected = stats.pearsonr(*X[3:, :2].T).statistic
    for outlier in (1e3, 1e7, 1e12, 1e100):
        X[0, 0] = outlier
        assert correlations(X)[0, 1] == pytest.approx(expected, abs=1e-12)


def test_a_pair_far_from_the_mean_of_its_features_loses_no_digits():
    rng = np.random.default_rng(2)
    steps = rng.integers(-50, 50, (60, 2))
    X = np.full((70, 2), [0.0, np.nan])
    X[:60] = (
        1e9 + steps * 2.0**-22
    )  # exact; ten samples at zero, where the second is missing, move the mean of the first
    assert correlations(X)[0, 1] == pytest.approx(stats.pearsonr(*steps.T).statistic, abs=1e-12)


def test_a_feature_that_is_constant_where_the_other_is_present_has_correlation_zero_with_it():
    x = np.array([0.1, 0.1, 0.1, 0.7, 0.3, 0.2])
    other = np.array([1.0, 2.0, 4.0, np.nan, np.nan, np.nan])
    assert correlations(np.column_stack([x, other]))[0, 1] == 0.0
    assert explained_by_line(other[:, None], x).share.tolist() == [0.0]


def test_features_without_a_sample_in_common_or_with_none_at_all_have_correlation_zero():
    gap = np.nan
    X = np.array([[1.0, gap, gap, 1.0], [2.0, gap, gap, 3.0], [gap, 1.0, gap, 2.0], [gap, 3.0, gap, 2.0]])
    assert correlations(X)[0, 1] == 0.0
    assert correlations(X)[2].tolist() == [0.0] * 4
    assert explained_by_line(X, np.arange(4.0)).share[2] == 0.0
    assert explained_by_classes(X, np.array([0, 1, 0, 1])).share.tolist()[:3] == [1.0, 1.0, 0.0]


@settings(max_examples=60, deadline=None)
@given(tables())
def test_whole_weights_are_repeated_samples(problem):
    X, rng = problem
    weights = rng.integers(1, 4, len(X))
    again, w = np.repeat(np.arange(len(X)), weights), weights.astype(np.float64)
    y, classes = rng.normal(size=len(X)), rng.integers(0, 3, len(X))
    np.testing.assert_allclose(correlations(X, weights=w), correlations(X[again]), rtol=0, atol=1e-12)
    np.testing.assert_allclose(mid_ranks(X, weights=w)[again], mid_ranks(X[again]), rtol=0, atol=1e-12)
    for explain, target in ((explained_by_line, y), (explained_by_classes, classes)):
        got, expected = explain(X, target, weights=w), explain(X[again], target[again])
        np.testing.assert_allclose(got.share, expected.share, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(got.parameters, expected.parameters)
        np.testing.assert_allclose(got.degrees, expected.degrees, rtol=1e-12)


@settings(max_examples=60, deadline=None)
@given(tables())
def test_what_a_line_explains_is_the_square_of_the_correlation(problem):
    X, rng = problem
    y = np.round(rng.normal(size=len(X)), 1)
    expected = [naive(x, y) ** 2 for x in X.T]
    np.testing.assert_allclose(explained_by_line(X, y).share, expected, rtol=0, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(tables())
def test_what_classes_explain_is_the_variance_of_their_means(problem):
    X, rng = problem
    classes = rng.integers(0, 3, len(X))
    for x, share in zip(X.T, explained_by_classes(X, classes).share, strict=True):
        there = ~np.isnan(x)
        v, c = x[there].astype(np.longdouble), classes[there]
        between = sum((c == k).sum() * (v[c == k].mean() - v.mean()) ** 2 for k in np.unique(c))
        whole = ((v - v.mean()) ** 2).sum() if v.size and v.min() < v.max() else 0.0
        assert share == pytest.approx(float(between / whole) if whole else 0.0, abs=1e-11)


def test_chunks_change_nothing_but_rounding(monkeypatch):
    rng = np.random.default_rng(3)
    X, y, classes = (
        with_holes(rng, rng.normal(size=(300, 4)), 0.2),
        rng.normal(size=300),
        rng.integers(0, 4, 300),
    )
    X[:, 0] = y
    expected = correlations(X), explained_by_line(X, y).share, explained_by_classes(X, classes).share
    monkeypatch.setattr(module, "CHUNK", 64)
    got = correlations(X), explained_by_line(X, y).share, explained_by_classes(X, classes).share
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-13)


def test_copies_and_mirror_images_are_correlated_by_exactly_one():
    x = np.random.default_rng(4).normal(size=1000)
    R = correlations(np.column_stack([x, x, -x, 4 * x]))
    assert np.abs(R).tolist() == np.ones((4, 4)).tolist()


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, np.float32, np.uint64])
def test_numbers_of_any_type_are_read(dtype):
    X = np.random.default_rng(5).integers(0, 100, (50, 3)).astype(dtype)
    expected = correlations(X.astype(np.float64))
    np.testing.assert_array_equal(correlations(X), expected)
    np.testing.assert_array_equal(mid_ranks(X), mid_ranks(X.astype(np.float64)))


def test_ranks_are_those_of_scipy_and_do_not_depend_on_threads():
    X = with_holes(np.random.default_rng(6), np.random.default_rng(7).integers(0, 9, (80, 20)), 0.1)
    expected = stats.rankdata(X, axis=0, nan_policy="omit")
    for n_jobs in (1, 3):
        np.testing.assert_array_equal(mid_ranks(X, n_jobs=n_jobs), expected)
