"""Redundancy: naive twins, published values, other libraries' numbers, weights, missing values, corners, errors."""

import copy
import pickle
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import oracles
from authors import SHARED, needs
from quboselect import SelectQUBO, importance, redundancy
from quboselect.counting.bins import feature_codes
from quboselect.counting.information import trust
from quboselect.redundancy import (
    CoInformation,
    Correlation,
    MutualInformation,
    Precomputed,
    SymmetricalRelevance,
)
from quboselect.tables.table import as_table
from quboselect.tables.target import as_target
from quboselect.testing import check_redundancy

needs_shared = needs(SHARED)

MEASURES = [
    MutualInformation(bins=5),
    MutualInformation(bins=5, estimate="miller-madow"),
    MutualInformation(bins=5, normalised=True),
    MutualInformation(estimate="shrunk"),
    MutualInformation(bins=5, estimate="miller-madow", normalised=True),
    Correlation(),
    Correlation(ranks=True),
]
WITH_TARGET = [
    CoInformation(bins=5),
    CoInformation(bins=2, clipped=True),
    CoInformation(bins=5, estimate="miller-madow"),
    CoInformation(estimate="shrunk"),
    CoInformation("auto", together="auto"),
    CoInformation(bins=5, together=0.5, estimate="miller-madow"),
    SymmetricalRelevance(bins=5),
    SymmetricalRelevance(bins=5, estimate="shrunk"),
]
ESTIMATE = {False: "plug-in", True: "miller-madow"}


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(0, [1, 2, 3, 30, 1000], (draw(st.integers(1, 60)), 5)) * draw(st.sampled_from([1, 0.1]))
    return X, draw(st.integers(2, 50))


def entropy(*features, corrected=False):
    """Entropy in bits of features counted together, by a dictionary."""
    counts = Counter(zip(*(map(int, f) for f in features), strict=True))
    total = sum(counts.values())
    bits = -sum(c / total * np.log2(c / total) for c in counts.values())
    return bits + corrected * (len(counts) - 1) / (2 * total * np.log(2))


# --- all measures ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_our_measures_conform(measure):
    check_redundancy(measure)
    assert measure.tables


@pytest.mark.parametrize("measure", WITH_TARGET, ids=repr)
def test_measures_that_know_the_target_are_symmetric_and_say_whether_they_are_signed(measure):
    rng = np.random.default_rng(9)
    X, y = rng.integers(0, 4, (90, 5)), rng.integers(0, 3, 90)
    R = measure(X, y)
    np.testing.assert_array_equal(R, R.T)
    assert not np.diagonal(R).any()
    assert measure.signed == (R < 0).any()
    assert measure.tables
    assert measure.categories
    assert measure.by_class


def test_every_measure_is_listed():
    names = {type(m).__name__ for m in MEASURES + WITH_TARGET}
    assert names | {"Precomputed"} == set(redundancy.__all__)


@pytest.mark.parametrize("measure", MEASURES + WITH_TARGET, ids=repr)
def test_whole_weights_are_repeated_samples_and_a_weight_of_zero_is_no_sample(measure):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(90, 5)) @ rng.normal(size=(5, 5)), 1)
    X[rng.random(X.shape) < 0.1] = np.nan
    weights = rng.integers(0, 4, 90)
    again = np.repeat(np.arange(90), weights)
    for y in (rng.integers(0, 3, 90), rng.normal(size=90)):
        told = measure in WITH_TARGET
        expected = measure(X[again], *([y[again]] if told else []))
        got = measure(X, *([y] if told else []), sample_weight=weights)
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
        assert np.abs(expected).max() > 0 or getattr(measure, "clipped", False)


@pytest.mark.parametrize("measure", MEASURES + WITH_TARGET, ids=repr)
def test_arrays_frames_and_tables_give_the_same(measure):
    rng = np.random.default_rng(2)
    X, y, w = rng.normal(size=(70, 3)), rng.integers(0, 2, 70), rng.integers(0, 3, 70) / 4
    told = measure in WITH_TARGET
    expected = measure(X, *([y] if told else []), sample_weight=w)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    got = measure(frame, *([pd.Series(y)] if told else []), sample_weight=pd.Series(w))
    np.testing.assert_array_equal(got, expected)
    got = measure(as_table(X, sample_weight=w), *([as_target(y[w > 0])] if told else []))
    np.testing.assert_array_equal(got, expected)
    if not getattr(measure, "clipped", False):
        assert not np.allclose(expected, measure(X, *([y] if told else [])))


def test_codes_bring_their_own_weights():
    codes = feature_codes([[1.0], [2.0]])
    with pytest.raises(ValueError, match="sample_weight must be None where X is Codes"):
        MutualInformation()(codes, sample_weight=[1, 2])


# --- mutual information ------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(problems())
def test_redundancy_agrees_with_its_twin(problem):
    X, bins = problem
    values, _ = oracles.quantile_codes(X, bins)
    expected = np.array([[oracles.mutual_information(a, b) for b in values] for a in values])
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(
        MutualInformation(bins=bins, edges="quantile", n_jobs=1)(X), expected, rtol=0, atol=1e-12
    )


@settings(max_examples=40, deadline=None)
@given(problems(), st.booleans())
def test_corrected_and_normalised_redundancy_agree_with_dictionaries(problem, corrected):
    X, bins = problem
    values, _ = oracles.quantile_codes(X, bins)
    measure = MutualInformation(bins=bins, edges="quantile", estimate=ESTIMATE[corrected], n_jobs=1)
    plain = measure(X)
    normalised = MutualInformation(
        bins=bins, edges="quantile", estimate=ESTIMATE[corrected], normalised=True, n_jobs=1
    )(X)
    for i, j in combinations(range(len(values)), 2):
        alone = [entropy(values[f], corrected=corrected) for f in (i, j)]
        expected = max(sum(alone) - entropy(values[i], values[j], corrected=corrected), 0.0)
        assert plain[i, j] == pytest.approx(expected, abs=1e-12)
        assert normalised[i, j] == pytest.approx(2 * expected / sum(alone) if sum(alone) else 0.0, abs=1e-11)
    assert (normalised <= 1).all()


@settings(max_examples=30, deadline=None)
@given(problems())
def test_redundancy_is_symmetric_and_not_negative_with_a_zero_diagonal(problem):
    X, bins = problem
    for measure in (MutualInformation(bins=bins, n_jobs=1), Correlation(), Correlation(ranks=True)):
        R = measure(X)
        np.testing.assert_array_equal(R, R.T)
        assert (R >= 0).all()
        assert not np.diagonal(R).any()
        assert not R[0].any()


@needs_shared
def test_redundancy_of_synth_10_is_the_published_one():
    data = np.load(SHARED / "reference" / "synth_10.npz")
    published = data["mutinf"].copy()
    np.fill_diagonal(published, 0.0)
    np.testing.assert_allclose(
        MutualInformation(bins=20, edges="quantile")(data["data"]), published, rtol=0, atol=1e-12
    )


@needs_shared
def test_redundancy_of_waveform_is_the_upper_triangle_of_the_published_matrix():
    X = np.load(SHARED / "data" / "waveform.npz")["X"]
    published = np.triu(np.load(SHARED / "reference" / "qubo_waveform.npy"), 1)
    got = np.triu(MutualInformation(bins=20, edges="quantile")(X), 1)
    np.testing.assert_allclose((1 - 0.78125) * got, published, rtol=0, atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_rows_of_constant_features_are_exactly_zero(measure):
    X = np.random.default_rng(0).normal(size=(77, 4))
    X[:, 2] = -0.3
    R = measure(X)
    assert not R[2].any()
    assert not R[:, 2].any()


def test_a_copied_feature_is_as_redundant_as_it_has_entropy():
    x = np.arange(64) % 8
    X = np.column_stack([x, x, x // 4])
    R = MutualInformation(bins=20)(X)
    assert R[0, 1] == 3.0
    assert R[0, 2] == pytest.approx(1.0, abs=1e-14)
    assert MutualInformation(bins=20, normalised=True)(X)[0].tolist() == [0.0, 1.0, pytest.approx(0.5)]


def test_codes_made_once_give_the_same_redundancy():
    X = np.random.default_rng(1).normal(size=(100, 5))
    measure = MutualInformation(bins=8)
    np.testing.assert_array_equal(measure(measure.codes(X)), measure(X))


@pytest.mark.parametrize("bins", [20, 60])
def test_redundancy_does_not_depend_on_threads(bins):
    X = np.random.default_rng(2).normal(size=(300, 100))
    expected = MutualInformation(bins=bins, n_jobs=1)(X)
    for n_jobs in (2, 3, None):
        np.testing.assert_array_equal(MutualInformation(bins=bins, n_jobs=n_jobs)(X), expected)


def test_a_table_of_one_feature_has_no_redundancy():
    assert MutualInformation()([[1.0], [2.0]]).tolist() == [[0.0]]
    assert Correlation()([[1.0], [2.0]]).tolist() == [[0.0]]
    assert CoInformation()([[1.0], [2.0]], [0, 1]).tolist() == [[0.0]]
    assert SymmetricalRelevance()([[1.0], [2.0]], [0, 1]).tolist() == [[0.0]]


# --- redundancy that knows the target ----------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(problems(), st.integers(1, 4))
def test_redundancy_that_knows_the_target_agrees_with_dictionaries(problem, classes):
    X, bins = problem
    y = np.random.default_rng(len(X)).integers(0, classes, len(X))
    values, _ = oracles.quantile_codes(X, bins)
    options = {"bins": bins, "edges": "quantile", "n_jobs": 1}
    shared, clipped = CoInformation(**options)(X, y), CoInformation(clipped=True, **options)(X, y)
    relevance = SymmetricalRelevance(**options)(X, y)
    for i, j in combinations(range(len(values)), 2):
        a, b = values[i], values[j]
        told = [entropy(*some) + entropy(y) - entropy(*some, y) for some in ((a,), (b,), (a, b))]
        assert shared[i, j] == pytest.approx(told[0] + told[1] - told[2], abs=1e-11)
        assert clipped[i, j] == max(shared[i, j], 0.0)
        all_three = entropy(a, b, y)
        expected = -told[2] / all_three if all_three else 0.0
        assert relevance[i, j] == pytest.approx(expected, abs=1e-11)
    assert (relevance <= 0).all()
    assert (relevance >= -1 - 1e-12).all()


def test_features_that_tell_only_together_are_drawn_together_and_copies_are_kept_apart():
    a, b = np.arange(64) % 2, np.arange(64) // 2 % 2
    X = np.column_stack([a, a, b, np.arange(64) // 4 % 2])
    assert CoInformation()(X, a ^ b)[0].tolist() == [0.0, 0.0, -1.0, 0.0]
    assert CoInformation(clipped=True)(X, a ^ b)[0].tolist() == [0.0, 0.0, 0.0, 0.0]
    assert CoInformation()(X, a)[0].tolist() == [0.0, 1.0, 0.0, 0.0]
    assert SymmetricalRelevance()(X, a ^ b)[0].tolist() == [0.0, 0.0, -0.5, 0.0]
    assert not MutualInformation()(X)[0, 2]


@pytest.mark.parametrize("measure", WITH_TARGET, ids=repr)
def test_it_does_not_depend_on_threads_and_takes_categories_and_numbers(measure):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(size=200), "b": rng.integers(0, 3, 200).astype(str)})
    frame["c"] = frame["a"].where(rng.random(200) < 0.8)
    y = frame["a"] + (frame["b"] == "1")
    R = measure(frame, y)
    np.testing.assert_array_equal(replace(measure, n_jobs=3)(frame, y), R)
    assert R[0, 2] != 0


def weighted_information(a, b, w):
    """Mutual information in bits of two features, counted by a dictionary with weights."""

    def bits(*features):
        counts = Counter()
        for cell, weight in zip(zip(*features, strict=True), w, strict=True):
            counts[cell] += weight
        return -sum(c / sum(w) * np.log2(c / sum(w)) for c in counts.values())

    return bits(a) + bits(b) - bits(a, b)


@pytest.mark.parametrize("together", ["auto", 0.0, 0.3, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_shared_within_the_classes_is_taken_off_as_far_as_it_is_trusted(together, weighted):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, C = int(rng.integers(8, 60)), int(rng.integers(1, 4))
        X = pd.DataFrame({f"f{i}": rng.integers(0, 2 + i, n).astype(str) for i in range(4)})
        X["holes"] = X["f1"].where(rng.random(n) < 0.7)
        y = rng.integers(0, C, n)
        w = rng.random(n) + 0.1 if weighted else np.ones(n)
        measure = CoInformation("auto", together=together)
        R = measure(X, y, sample_weight=w if weighted else None)
        columns = [column.tolist() for column in X.fillna("?").to_numpy().T]
        total = as_table(X, sample_weight=w if weighted else None).weights
        total = float(n) if total is None else total.sum()
        for i, j in combinations(range(5), 2):
            a, b = columns[i], columns[j]
            inside = 0.0
            for label in set(y.tolist()):
                here = np.flatnonzero(y == label)
                part = weighted_information([a[s] for s in here], [b[s] for s in here], w[here])
                inside += w[here].sum() / w.sum() * part
            c = total / (len(set(y.tolist())) * len(set(a)) * len(set(b)))
            t = 0.5 * c / (c + 1) if together == "auto" else together
            assert R[i, j] == R[j, i] == pytest.approx(weighted_information(a, b, w) - t * inside, abs=1e-9)


def test_trust_grows_with_the_samples_in_a_cell():
    assert trust("auto", [2, 4], [3], 2, 36.0).tolist() == [[0.375], [0.3]]
    assert trust("auto", [2], [3], 2, 0.0).tolist() == [[0.0]]
    assert trust("auto", [2], [3], 2, 1e12) == pytest.approx(0.5)
    assert trust(0.25, [2], [3], 2, 36.0) == 0.25


@pytest.mark.parametrize("weights", [None, "whole", "fractions"])
@pytest.mark.parametrize("measure", WITH_TARGET, ids=repr)
def test_rows_that_know_the_target_are_those_of_the_matrix(measure, weights):
    rng = np.random.default_rng(5)
    X, y = np.hstack([rng.normal(size=(150, 4)), rng.integers(0, 3, (150, 4))]), rng.integers(0, 3, 150)
    w = {None: None, "whole": rng.integers(1, 9, 150), "fractions": rng.random(150) + 0.1}[weights]
    rows = measure.rows(X, y, sample_weight=w)
    assert rows.signed == measure.signed
    found = rows.take(np.arange(8))
    np.testing.assert_allclose(found, measure(X, y, sample_weight=w), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(rows.among([5, 0, 3]), found[np.ix_([5, 0, 3], [5, 0, 3])], atol=1e-9)
    if weights is None:
        np.testing.assert_array_equal(found, found.T)
    again = pickle.loads(pickle.dumps(rows))
    assert again.signed == rows.signed
    np.testing.assert_array_equal(again.take([2]), found[[2]])


@pytest.mark.parametrize("measure", WITH_TARGET, ids=repr)
def test_a_target_that_is_missing_or_of_another_length_is_refused(measure):
    for call in (measure, measure.rows):
        with pytest.raises(ValueError, match="X and y must have the same number of samples, got 3 and 2"):
            call([[1.0], [2.0], [3.0]], [0, 1])
        with pytest.raises(ValueError, match=r"target.*None"):
            call([[1.0], [2.0], [3.0]], None)


# --- correlation -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranks", [False, True])
def test_correlation_is_that_of_scipy_and_pandas(ranks):
    rng = np.random.default_rng(4)
    X = np.round(rng.normal(size=(80, 4)) @ rng.normal(size=(4, 4)), 1)
    got = Correlation(ranks=ranks)(X)
    twin = stats.spearmanr if ranks else stats.pearsonr
    assert got[1, 3] == pytest.approx(abs(twin(X[:, 1], X[:, 3]).statistic), abs=1e-13)
    X[rng.random(X.shape) < 0.2] = np.nan
    # Ranks are taken once for a feature, not anew for each pair.
    frame = pd.DataFrame(X).rank() if ranks else pd.DataFrame(X)
    expected = frame.corr().abs() - np.eye(4)
    np.testing.assert_allclose(Correlation(ranks=ranks)(X), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("ranks", [False, True])
def test_categories_and_codes_have_no_correlation(ranks):
    frame = pd.DataFrame({"age": [1, 2, 3], "city": ["a", "b", "a"]})
    with pytest.raises(ValueError, match=r"numbers.*'city'.*MutualInformation"):
        Correlation(ranks=ranks)(frame)
    with pytest.raises(ValueError, match="Correlation needs the values of the features, got Codes"):
        Correlation(ranks=ranks)(feature_codes([[1.0], [2.0]]))


def test_true_and_false_are_numbers():
    X = pd.DataFrame({"a": [True, False, True, False], "b": [1, 2, 1, 2]})
    assert Correlation()(X)[0, 1] == 1.0


# --- given -------------------------------------------------------------------------------------------------


def test_given_redundancy_is_returned_by_order_by_names_or_by_numbers():
    X = pd.DataFrame({"age": [1, 2], "city": ["a", "b"], "pay": [3, 4]})
    R = [[0, 0, 2], [0, 0, 1], [2, 1, 0]]
    for values in (R, pd.DataFrame(R), {("pay", "age"): 2, ("city", "pay"): 1}, {(0, 2): 2, (-1, 1): 1}):
        assert Precomputed(values)(X, sample_weight=[1, 2]).tolist() == R
        assert Precomputed(values)(as_table(X)).tolist() == R
    assert Precomputed(R)(feature_codes(X)).tolist() == R
    assert Precomputed({})(X).tolist() == np.zeros((3, 3)).tolist()


@pytest.mark.parametrize("named", [False, True])
def test_given_redundancy_is_a_value_that_nobody_changes(named):
    X = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
    values = {("a", "b"): 2.0} if named else np.array([[0.0, 2.0], [2.0, 0.0]])
    measure = Precomputed(values)
    values[("a", "b") if named else (0, 1)] = 99.0
    assert repr(measure) == ("Precomputed(1 pairs)" if named else "Precomputed(2 x 2 numbers)")
    for same in (measure, copy.deepcopy(measure), pickle.loads(pickle.dumps(measure))):
        assert same(X).tolist() == [[0.0, 2.0], [2.0, 0.0]]
        with pytest.raises((TypeError, ValueError), match=r"does not support item assignment|read-only"):
            same.values[("a", "b") if named else (0, 1)] = 99.0
    with pytest.raises(AttributeError, match="cannot assign to field"):
        measure.values = values


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.zeros((3, 3)), r"3 features.*table has 2.*\(2, 2\)"),
        ({("age", "pai"): 1}, "'pai'.*'pay'"),
        (
            {("age", "pay"): 1, ("pay", "age"): 2},
            "'pay' and feature 'age'",
        ),
        ({("age", "age"): 1}, "feature 'age' and feature 'age': a feature is not paired with itself"),
        ({(0, 2): 1}, "redundancy.Precomputed.*0 to 1.*got 2"),
    ],
)
def test_given_redundancy_must_fit_the_table(values, words):
    with pytest.raises(ValueError, match=words):
        Precomputed(values)(pd.DataFrame({"age": [1, 2], "pay": [3, 4]}))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[0, 1], [2, 0]], "redundancy must be symmetric with a zero diagonal"),
        ([[1, 0], [0, 1]], r"entry \(0, 0\) is 1. Use np.fill_diagonal"),
        ([[0, 1, 2], [1, 0, 2]], r"redundancy must have shape \(2, 2\), got \(2, 3\)"),
        ({"ab": 1}, r"redundancy must be given for pairs of features, \(first, second\), got 'ab'"),
        ({("a", "b"): np.inf}, "redundancy must be finite"),
    ],
)
def test_wrong_numbers_are_refused_when_given(values, words):
    with pytest.raises(ValueError, match=words):
        Precomputed(values)


def test_numbers_of_ones_own_may_be_negative_where_alpha_is_known():
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    for values in ({(0, 1): -1.0, (1, 2): 0.5}, [[0, -1, 0], [-1, 0, 0.5], [0, 0.5, 0]]):
        own = {"importance": importance.Precomputed([1, 1, 1.1]), "redundancy": Precomputed(values)}
        assert SelectQUBO(k=2, alpha=0.5, **own).fit(X, y).support_.tolist() == [True, True, False]
        with pytest.raises(ValueError, match=r"path over all sizes.*not negative.*the lowest here is -1"):
            SelectQUBO(k=2, **own).fit(X, y)


# --- wrong data --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([[1.0, np.inf]], "X must not hold infinities, but feature 1 is inf at sample 0"),
        ([1.0, 2.0], "X must be two-dimensional"),
        (np.zeros((3, 0)), r"X has 0 feature\(s\)"),
    ],
)
def test_wrong_data_are_refused(X, words):
    for measure in (MutualInformation(), Correlation()):
        with pytest.raises(ValueError, match=words):
            measure(X)


def test_fewer_than_two_bins_are_refused():
    with pytest.raises(ValueError, match=r"bins.*2 to 65536, got 1"):
        MutualInformation(bins=1)([[1.0], [2.0]])
