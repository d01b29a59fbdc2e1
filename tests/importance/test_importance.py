"""Importance: naive twins, published values, other libraries' numbers, weights, missing values, corners, errors."""

import copy
import pickle
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest, f_classif, f_regression

import oracles
from authors import SHARED, needs
from quboselect import importance
from quboselect.counting.bins import feature_codes
from quboselect.importance import Correlation, Entropy, FStatistic, MutualInformation, Precomputed
from quboselect.tables.table import as_table
from quboselect.tables.target import as_target
from quboselect.testing import check_importance

needs_shared = needs(SHARED)

ESTIMATE = {False: "plug-in", True: "miller-madow"}
MEASURES = [
    MutualInformation(bins=5),
    MutualInformation(bins=5, estimate="miller-madow"),
    MutualInformation(bins=5, normalised=True),
    MutualInformation(estimate="shrunk"),
    MutualInformation(bins=5, estimate="miller-madow", normalised=True),
    Correlation(),
    Correlation(ranks=True),
    FStatistic(),
    Entropy(bins=5),
    Entropy(bins=5, estimate="miller-madow"),
]


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_samples = draw(st.integers(1, 60))
    X = rng.integers(0, [1, 2, 5, 1000], (n_samples, 4)) * draw(st.sampled_from([1, 0.1]))
    return X, rng.integers(0, draw(st.integers(1, 5)), n_samples), draw(st.integers(2, 30))


def entropy(*features, corrected=False):
    """Entropy in bits of features counted together, by a dictionary."""
    counts = Counter(zip(*(map(int, f) for f in features), strict=True))
    total = sum(counts.values())
    bits = -sum(c / total * np.log2(c / total) for c in counts.values())
    return bits + corrected * (len(counts) - 1) / (2 * total * np.log(2))


# --- all measures ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_our_measures_conform(measure):
    check_importance(measure)
    assert measure.tables


def test_every_measure_is_listed():
    # What was given, and what a model says, have tests of their own.
    apart = {"Precomputed", "Permutation", "SHAP"}
    assert {type(m).__name__ for m in MEASURES} | apart == set(importance.__all__)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.parametrize("kind", ["classes", "continuous"])
def test_whole_weights_are_repeated_samples_and_a_weight_of_zero_is_no_sample(measure, kind):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(90, 5)), 1)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = as_target(rng.integers(0, 3, 90) + np.nan_to_num(X[:, 0]), "continuous").values
    y = np.round(y).astype(int) if kind == "classes" else y
    weights = rng.integers(0, 4, 90)
    again = np.repeat(np.arange(90), weights)
    expected = measure(X[again], y[again])
    np.testing.assert_allclose(measure(X, y, sample_weight=weights), expected, rtol=1e-12, atol=1e-12)
    assert expected.max() > 0


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_equal_weights_of_any_size_are_no_weights_and_scale_does_not_matter(measure):
    rng = np.random.default_rng(1)
    X, y, w = rng.normal(size=(60, 3)), rng.integers(0, 2, 60), rng.random(60)
    np.testing.assert_array_equal(measure(X, y, sample_weight=np.full(60, 0.3)), measure(X, y))
    one, other = (measure(X, y, sample_weight=w * scale) for scale in (1, 1e3))
    np.testing.assert_allclose(one, other, rtol=1e-9)
    assert not np.allclose(one, measure(X, y))


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_arrays_frames_and_tables_give_the_same(measure):
    rng = np.random.default_rng(2)
    X, y, w = rng.normal(size=(70, 3)), rng.integers(0, 2, 70), rng.integers(0, 3, 70)
    expected = measure(X, y, sample_weight=w)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    np.testing.assert_array_equal(measure(frame, pd.Series(y), sample_weight=pd.Series(w)), expected)
    np.testing.assert_array_equal(measure(as_table(X, sample_weight=w), as_target(y[w > 0])), expected)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_a_table_brings_its_own_weights(measure):
    X = [[1.0], [2.0], [3.0]]
    with pytest.raises(ValueError, match="sample_weight must be None where X is a Table"):
        measure(as_table(X), [0, 1, 1], sample_weight=[1, 2, 3])


@pytest.mark.parametrize("measure", [MutualInformation(), Correlation(), FStatistic()], ids=repr)
@pytest.mark.parametrize("weights", [None, [1, 0, 2]])
def test_a_target_of_another_length_is_refused(measure, weights):
    words = "X and y must have the same number of samples, got 3 and 2"
    with pytest.raises(ValueError, match=words):
        measure([[1.0], [2.0], [3.0]], [0, 1], sample_weight=weights)


# --- mutual information and entropy ------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(problems())
def test_importance_agrees_with_its_twin_and_is_never_negative(problem):
    X, y, bins = problem
    got = MutualInformation(bins=bins, edges="quantile", n_jobs=1)(X, y)
    values, _ = oracles.quantile_codes(X, bins)
    np.testing.assert_allclose(got, [oracles.mutual_information(v, y) for v in values], rtol=0, atol=1e-12)
    assert (got >= 0).all()
    assert got[0] == 0.0


@settings(max_examples=60, deadline=None)
@given(problems(), st.booleans())
def test_corrected_and_normalised_information_agree_with_dictionaries(problem, corrected):
    X, y, bins = problem
    values, _ = oracles.quantile_codes(X, bins)
    measure = MutualInformation(bins=bins, edges="quantile", estimate=ESTIMATE[corrected], n_jobs=1)
    plain = measure(X, y)
    normalised = MutualInformation(
        bins=bins, edges="quantile", estimate=ESTIMATE[corrected], normalised=True, n_jobs=1
    )(X, y)
    for v, bits, share in zip(values, plain, normalised, strict=True):
        alone = entropy(v, corrected=corrected), entropy(y, corrected=corrected)
        expected = max(sum(alone) - entropy(v, y, corrected=corrected), 0.0)
        assert bits == pytest.approx(expected, abs=1e-12)
        assert share == pytest.approx(2 * expected / sum(alone) if sum(alone) else 0.0, abs=1e-11)
        assert 0 <= share <= 1


@settings(max_examples=40, deadline=None)
@given(problems(), st.booleans())
def test_entropy_agrees_with_dictionaries_and_ignores_the_target(problem, corrected):
    X, y, bins = problem
    values, _ = oracles.quantile_codes(X, bins)
    got = Entropy(bins=bins, edges="quantile", estimate=ESTIMATE[corrected], n_jobs=1)(X, y)
    np.testing.assert_allclose(got, [entropy(v, corrected=corrected) for v in values], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(got, Entropy(bins=bins, edges="quantile", estimate=ESTIMATE[corrected])(X))
    assert got[0] == 0.0


def test_the_correction_takes_most_of_the_bias_off_where_cells_are_filled():
    rng = np.random.default_rng(3)
    X, y = rng.random((1000, 50)), rng.integers(0, 2, 1000)
    plain, corrected = (
        MutualInformation(bins=20, estimate=e)(X, y).mean() for e in ("plug-in", "miller-madow")
    )
    assert plain == pytest.approx(19 / (2000 * np.log(2)), rel=0.2)
    assert corrected < plain / 5


@needs_shared
def test_importance_of_synth_10_is_the_published_one():
    data = np.load(SHARED / "reference" / "synth_10.npz")
    got = MutualInformation(bins=20, edges="quantile")(data["data"], data["labels"])
    np.testing.assert_allclose(got, data["lmi"], rtol=0, atol=1e-12)


@needs_shared
def test_importance_of_waveform_is_the_diagonal_of_the_published_matrix():
    data = np.load(SHARED / "data" / "waveform.npz")
    published = np.load(SHARED / "reference" / "qubo_waveform.npy")
    got = MutualInformation(bins=20, edges="quantile")(data["X"], data["y"])
    np.testing.assert_allclose(-0.78125 * got, np.diagonal(published), rtol=0, atol=1e-12)


def test_a_constant_feature_and_a_constant_label_have_importance_zero():
    X = np.random.default_rng(0).normal(size=(77, 3))
    X[:, 1] = 0.1
    y = np.arange(77) % 3
    for measure in (
        MutualInformation(),
        MutualInformation(estimate="miller-madow", normalised=True),
        Correlation(),
        FStatistic(),
    ):
        assert measure(X, y)[1] == 0.0
        assert measure(X, y + 0.5)[1] == 0.0
        assert measure(X, np.full(77, "same")).tolist() == [0.0, 0.0, 0.0]


def test_codes_made_once_give_the_same_importance():
    X = np.random.default_rng(1).normal(size=(100, 5))
    y = X[:, 0] > 0
    measure = MutualInformation(bins=8)
    np.testing.assert_array_equal(measure(measure.codes(X), y), measure(X, y))
    np.testing.assert_array_equal(Entropy(bins=8)(measure.codes(X)), Entropy(bins=8)(X))
    table = as_table(X, sample_weight=np.arange(1, 101) / 7)
    np.testing.assert_array_equal(measure(feature_codes(table, bins=8), y), measure(table, y))


def test_importance_does_not_depend_on_threads_or_on_the_kind_of_label():
    X = np.random.default_rng(2).normal(size=(300, 150))
    y = np.where(X[:, 0] > 0, "yes", "no")
    expected = MutualInformation(n_jobs=1)(X, y)
    for n_jobs in (2, 3, None):
        np.testing.assert_array_equal(MutualInformation(n_jobs=n_jobs)(X, y == "yes"), expected)


def test_a_label_that_is_the_feature_gives_its_entropy():
    x = np.arange(64) % 8
    assert MutualInformation(bins=20)(x[:, None], x).tolist() == [3.0]
    assert MutualInformation(bins=20, normalised=True)(x[:, None], x).tolist() == [1.0]


def test_categories_and_missing_values_are_bins_and_a_continuous_target_is_binned_too():
    frame = pd.DataFrame({"city": ["x", "y", "x", None], "age": [1.0, np.nan, 1.0, 2.0]})
    assert MutualInformation()(frame, [0, 1, 0, 2]).tolist() == [1.5, 1.5]
    y = np.random.default_rng(4).normal(size=400)
    assert MutualInformation(bins=4)(y[:, None], y) == pytest.approx(2.0)


# --- correlation and F -------------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", [0, 8])
def test_correlation_with_numbers_is_that_of_scipy(digits):
    rng = np.random.default_rng(5)
    X, y = np.round(rng.normal(size=(80, 4)), digits), rng.normal(size=80)
    X[:, 0] += np.round(y, digits)
    for ranks, twin in ((False, stats.pearsonr), (True, stats.spearmanr)):
        expected = [abs(twin(x, y).statistic) for x in X.T]
        np.testing.assert_allclose(Correlation(ranks=ranks)(X, y), expected, rtol=0, atol=1e-13)


def test_correlation_with_missing_values_is_that_of_pandas():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(80, 4)), rng.normal(size=80)
    X[rng.random(X.shape) < 0.3] = np.nan
    expected = pd.DataFrame(X).corrwith(pd.Series(y)).abs()
    np.testing.assert_allclose(Correlation()(X, y), expected, rtol=0, atol=1e-13)


def test_the_correlation_ratio_of_two_classes_is_the_correlation():
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(80, 4)), rng.integers(0, 2, 80)
    X[rng.random(X.shape) < 0.1] = np.nan
    for ranks in (False, True):
        measure = Correlation(ranks=ranks)
        coded = measure(X, as_target(y, "continuous"))
        np.testing.assert_allclose(measure(X, np.where(y, "good", "bad")), coded, rtol=0, atol=1e-13)


def test_the_squared_correlation_ratio_of_ranks_is_that_of_kruskal_and_wallis():
    rng = np.random.default_rng(8)
    X, y = np.round(rng.normal(size=(60, 3)), 1), rng.integers(0, 3, 60)
    expected = [stats.kruskal(*(x[y == c] for c in range(3))).statistic / 59 for x in X.T]
    np.testing.assert_allclose(Correlation(ranks=True)(X, y) ** 2, expected, rtol=1e-10)


def test_a_copy_of_the_target_has_correlation_one_and_never_more():
    rng = np.random.default_rng(9)
    for size in (3, 10, 101, 1000):
        y = rng.normal(size=size) * 1e3 + 7
        got = Correlation()(np.column_stack([y, -3 * y, 1e9 + y]), y)
        assert got == pytest.approx(1.0, abs=1e-9)
        assert (got <= 1).all()


def test_the_f_statistic_is_that_of_scikit_learn():
    rng = np.random.default_rng(10)
    X, y = rng.normal(size=(100, 6)) + 3, rng.integers(0, 4, 100)
    X[:, 0] += y
    np.testing.assert_allclose(FStatistic()(X, y), f_classif(X, y)[0], rtol=1e-9)
    target = X[:, 0] + rng.normal(size=100)
    np.testing.assert_allclose(FStatistic()(X, target), f_regression(X, target)[0], rtol=1e-9)


def test_the_f_statistic_leaves_missing_values_out_feature_by_feature():
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(100, 4)), rng.integers(0, 3, 100)
    X[rng.random(X.shape) < 0.3] = np.nan
    X[y == 2, 3] = np.nan  # a class of which a feature has no sample is none
    for target, twin in ((y, f_classif), (y + rng.normal(size=100), f_regression)):
        there = [~np.isnan(x) for x in X.T]
        expected = [twin(x[t, None], target[t])[0][0] for x, t in zip(X.T, there, strict=True)]
        np.testing.assert_allclose(FStatistic()(X, target), expected, rtol=1e-9)


def test_the_f_statistic_is_finite_where_nothing_is_left_to_explain():
    y = np.array([0, 0, 0, 1, 1, 1])
    X = np.column_stack([y * 0.3, y + 1e9, [1, 1, 1, 1, 1, 2]])
    got = FStatistic()(X, y)
    assert got[0] == got[1] == pytest.approx(4 * 2.0**52)
    assert 0 < got[2] < 10
    assert FStatistic()(X[:, :1], y * 1.5)[0] == pytest.approx(4 * 2.0**52)
    assert FStatistic()([[1.0], [2.0]], [0, 1]).tolist() == [0.0]
    assert FStatistic()([[1.0], [2.0]], [0.5, 1.5]).tolist() == [0.0]


@pytest.mark.parametrize("measure", [Correlation(), Correlation(ranks=True), FStatistic()], ids=repr)
def test_categories_and_codes_have_no_correlation(measure):
    frame = pd.DataFrame({"age": [1, 2, 3], "city": ["a", "b", "a"]})
    with pytest.raises(ValueError, match=r"numbers.*'city'.*MutualInformation"):
        measure(frame, [0, 1, 1])
    with pytest.raises(
        ValueError, match=f"{type(measure).__name__} needs the values of the features, got Codes"
    ):
        measure(feature_codes([[1.0], [2.0]]), [0, 1])


# --- given -------------------------------------------------------------------------------------------------


def test_given_importance_is_returned_by_order_by_name_or_by_number():
    X = pd.DataFrame({"age": [1, 2], "city": ["a", "b"], "pay": [3, 4]})
    assert Precomputed([3, 0, 1])(X).tolist() == [3.0, 0.0, 1.0]
    assert Precomputed({"pay": 1, "age": 3, "city": 0})(X, [0, 1], sample_weight=[1, 2]).tolist() == [
        3.0,
        0.0,
        1.0,
    ]
    assert Precomputed({2: 1, 0: 3, 1: 0})(as_table(X), [0, 1]).tolist() == [3.0, 0.0, 1.0]
    assert Precomputed(pd.Series([3, 0, 1]))(feature_codes(X)).tolist() == [3.0, 0.0, 1.0]


@pytest.mark.parametrize("values", [[1.0, 2.0], {"a": 1.0, "b": 2.0}], ids=["array", "mapping"])
def test_given_importance_is_a_value_that_nobody_changes(values):
    X = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
    measure = Precomputed(values)
    values[next(iter(values)) if isinstance(values, dict) else 0] = 99.0
    assert repr(measure) == "Precomputed(2 numbers)"
    selector = clone(SelectKBest(measure))
    for same in (measure, copy.deepcopy(measure), pickle.loads(pickle.dumps(measure)), selector.score_func):
        assert same(X).tolist() == [1.0, 2.0]
        with pytest.raises((TypeError, ValueError), match=r"does not support item assignment|read-only"):
            same.values[next(iter(values)) if isinstance(values, dict) else 0] = 99.0
    with pytest.raises(AttributeError, match="cannot assign to field"):
        measure.values = values


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1, 2, 3], "importance.Precomputed has 3 numbers, but the table has 2 features"),
        ({"age": 1}, "importance.Precomputed.*no number.*'pay'"),
        ({"age": 1, "pay": 2, "pai": 3}, "'pai'.*'pay'"),
        (
            {"age": 1, 0: 2, "pay": 3},
            "importance.Precomputed.*two.*'age'",
        ),
    ],
)
def test_given_importance_must_fit_the_table(values, words):
    with pytest.raises(ValueError, match=words):
        Precomputed(values)(pd.DataFrame({"age": [1, 2], "pay": [3, 4]}))


def test_names_need_a_table_with_names():
    with pytest.raises(ValueError, match=r"'age'.*no names"):
        Precomputed({"age": 1})([[1.0], [2.0]])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1, -2], "importance must not be negative; entry 1 is -2"),
        ({"age": -2}, "importance must not be negative; 'age' is -2"),
        ([1, np.nan], "importance must be finite"),
        ([[1.0]], r"importance must have 1 dimension\(s\), got 2"),
        ([], "importance must have a number for each feature, got none"),
    ],
)
def test_wrong_numbers_are_refused_when_given(values, words):
    with pytest.raises(ValueError, match=words):
        Precomputed(values)


# --- wrong data --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[1.0], [np.inf]], [0, 1], "X must not hold infinities, but feature 0 is inf at sample 1"),
        ([1.0, 2.0], [0, 1], "X must be two-dimensional"),
        (np.zeros((0, 2)), [], r"X has 0 sample\(s\)"),
        ([[1.0], [2.0]], [[0, 1], [1, 0]], "y must be one target, got 2 columns"),
        ([[1.0], [2.0]], [0.5, np.nan], "y must have a value for every sample, but sample 1 is nan"),
    ],
)
def test_wrong_data_are_refused(X, y, words):
    for measure in (MutualInformation(), Correlation(), FStatistic()):
        with pytest.raises(ValueError, match=words):
            measure(X, y)


def test_fewer_than_two_bins_are_refused():
    for measure in (MutualInformation(bins=1), Entropy(bins=1)):
        with pytest.raises(ValueError, match=r"bins.*2 to 65536, got 1"):
            measure([[1.0], [2.0]], [0, 1])
