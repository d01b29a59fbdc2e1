"""Moments: sums of batches against whole tables, in long doubles, SciPy and scikit-learn, in any grouping."""

import pickle
import re
from functools import reduce
from itertools import product
from operator import add

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.feature_selection import f_classif, f_regression

from batch_oracles import summed
from quboselect import SelectQUBO, importance, redundancy
from quboselect.counting import correlations as whole
from quboselect.streaming import JointCounts, Reading, selector_reading
from quboselect.streaming.moments import class_moments, line_moments, pair_moments

EXACT = 1e-12  # how far correlations of batches may be from those of the whole table
SCALES = (1e-200, 1.0, 1e150)


@st.composite
def batches(draw):
    """Numbers of any size, far from zero or not, with holes, two targets, weights, and the batches of them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_samples, n = draw(st.integers(1, 60)), draw(st.integers(1, 5))
    X = rng.normal(size=(n_samples, n)) @ rng.normal(size=(n, n))
    X = np.round(X, draw(st.sampled_from([0, 1, 9]))) + draw(st.sampled_from([0.0, 1e6]))
    X *= np.array([draw(st.sampled_from(SCALES)) for _ in range(n)])
    y = np.round(X[:, 0] / X[:, 0].std() if X[:, 0].std() > 0 else X[:, 0], 2) + rng.normal(size=n_samples)
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.1, 0.6]))] = np.nan
    if draw(st.booleans()):
        order = np.argsort(X[:, 0])  # batches that have little in common
        X, y = X[order], y[order]
    cuts = sorted(draw(st.sets(st.integers(1, n_samples), max_size=6)) - {n_samples})
    parts = [slice(a, b) for a, b in zip([0, *cuts], [*cuts, n_samples], strict=True)]
    weights = rng.integers(1, 5, n_samples) / 2.0 if draw(st.booleans()) else None
    return X, y, rng.integers(0, 3, n_samples), weights, draw(st.permutations(parts)), rng


def naive(x, y, w):
    """Pearson's correlation over the samples that have both, in long doubles; 0 where one does not vary."""
    both = ~(np.isnan(x) | np.isnan(y))
    x, y, w = (v[both].astype(np.longdouble) for v in (x, y, w))
    if x.size < 2 or x.min() == x.max() or y.min() == y.max():
        return 0.0
    x, y = (v - (w * v).sum() / w.sum() for v in (x, y))
    return float((w * x * y).sum() / np.sqrt((w * x * x).sum()) / np.sqrt((w * y * y).sum()))


def part_of(weights, part):
    return None if weights is None else weights[part]


@settings(max_examples=60, deadline=None)
@given(batches())
def test_batches_of_pairs_correlate_as_the_whole_table_in_long_doubles(drawn):
    X, _, _, weights, parts, rng = drawn
    got = summed([pair_moments(X[part], part_of(weights, part)) for part in parts], rng).correlations()
    w = np.ones(len(X)) if weights is None else weights
    expected = np.array([[naive(a, b, w) for b in X.T] for a in X.T])
    np.fill_diagonal(expected, [len(np.unique(x[~np.isnan(x)])) > 1 for x in X.T])
    np.testing.assert_allclose(got, expected, rtol=0, atol=EXACT)
    np.testing.assert_array_equal(got, got.T)


@settings(max_examples=60, deadline=None)
@given(batches(), st.booleans())
def test_batches_explain_what_the_whole_table_does(drawn, continuous):
    X, y, classes, weights, parts, rng = drawn
    if continuous:
        of_batches = [line_moments(X[part], y[part], part_of(weights, part)) for part in parts]
        expected = whole.explained_by_line(X, y, weights=weights)
    else:
        of_batches = [class_moments(X[part], classes[part], 3, part_of(weights, part)) for part in parts]
        expected = whole.explained_by_classes(X, classes, weights=weights)
    got = summed(of_batches, rng).explained()
    np.testing.assert_allclose(got.share, expected.share, rtol=0, atol=EXACT)
    some = expected.explained > 0
    np.testing.assert_array_equal(got.parameters[some], expected.parameters[some])
    np.testing.assert_allclose(got.degrees[some], expected.degrees[some], rtol=EXACT)
    # An F statistic is as certain as the square root of what is left.
    F, F0 = (importance.FStatistic().of_explained(one) for one in (got, expected))
    certain = expected.left > 1e-20 * (expected.explained + expected.left)
    error = np.abs(F - F0)[certain] / np.maximum(F0, 1.0)[certain]
    assert (error <= EXACT / np.sqrt(1 - expected.share[certain] + 1e-20)).all()


def test_chunks_of_a_batch_change_nothing_but_rounding(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.normal(size=300)
    X[rng.random(X.shape) < 0.2] = np.nan
    pairs, line = pair_moments(X).correlations(), line_moments(X, y).explained().share
    monkeypatch.setattr(whole, "CHUNK", 64)
    np.testing.assert_allclose(pair_moments(X).correlations(), pairs, rtol=0, atol=1e-15)
    np.testing.assert_allclose(line_moments(X, y).explained().share, line, rtol=0, atol=1e-15)
    np.testing.assert_allclose(pairs, pd.DataFrame(X).corr(), rtol=0, atol=1e-14)


@pytest.mark.parametrize("offset", [0.0, 1e9, -1e12])
def test_a_large_offset_costs_no_digits_in_any_number_of_batches(offset):
    rng = np.random.default_rng(1)
    small = rng.integers(-1000, 1000, (600, 4)) / 1024  # exact after the shift
    far, y = small + offset, small[:, 0] + small[:, 1] + offset
    parts = np.split(np.argsort(small[:, 0]), 60)
    pairs = reduce(add, [pair_moments(far[part]) for part in parts])
    np.testing.assert_allclose(pairs.correlations(), np.corrcoef(small.T), rtol=0, atol=EXACT)
    line = reduce(add, [line_moments(far[part], y[part]) for part in parts])
    np.testing.assert_allclose(
        importance.FStatistic().of_explained(line.explained()), f_regression(small, y - offset)[0], rtol=1e-10
    )


def test_samples_in_common_that_lie_far_from_the_others_lose_no_digits():
    rng = np.random.default_rng(2)
    X = np.vstack([np.zeros((100, 2)), rng.integers(-99, 99, (100, 2)) / 64 + 1e7])
    X[:100, 1] = np.nan  # over the samples that have both, the first is 1e7 and a little
    expected = stats.pearsonr(*X[100:].T - 1e7).statistic
    shuffled = rng.permutation(200)
    got = reduce(add, [pair_moments(X[part]) for part in np.split(shuffled, 20)]).correlations()
    assert got[0, 1] == pytest.approx(expected, abs=EXACT)


def test_a_pair_that_is_constant_where_it_is_complete_has_no_correlation():
    X = np.array([[0.1, np.nan], [0.7, 1.0], [0.7, 2.0], [0.3, np.nan], [0.7, 4.0], [0.7, 8.0]])
    for size in (1, 2, 3, 6):
        got = reduce(add, [pair_moments(X[a : a + size]) for a in range(0, 6, size)]).correlations()
        np.testing.assert_array_equal(got, np.eye(2))


def test_a_nearly_perfect_line_leaves_what_it_leaves():
    rng = np.random.default_rng(3)
    x, noise = rng.normal(size=1000), rng.normal(size=1000)
    y = x + 1e-6 * noise
    slope = np.linalg.lstsq(np.column_stack([x - x.mean()]), noise - noise.mean(), rcond=None)[0]
    left = 1e-12 * ((noise - noise.mean() - slope * (x - x.mean())) ** 2).sum()
    got = reduce(add, [line_moments(x[a : a + 10, None], y[a : a + 10]) for a in range(0, 1000, 10)])
    unit = np.ldexp(1.0, 2 * got.y.exponent)
    assert got.left[0] * unit[0] == pytest.approx(
        left, rel=1e-8
    )  # the numbers y have ten digits of the noise


def frame(n=400, seed=0):
    """Numbers with holes, a constant, true and false, whole numbers, a copy, and two targets."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=n)
    X = pd.DataFrame({f"f{i}": hidden * (i % 3) + rng.normal(size=n) for i in range(4)})
    X["far"] = hidden + rng.normal(size=n) + 1e8
    X["holes"] = np.where(rng.random(n) < 0.3, np.nan, X["f1"] + rng.normal(size=n))
    X["more holes"] = np.where(rng.random(n) < 0.5, np.nan, np.round(X["f2"]))
    X["constant"], X["flag"], X["copy"] = 7.5, hidden > 0.3, X["f1"]
    X["maybe"] = pd.array(np.where(rng.random(n) < 0.1, None, hidden > rng.normal(size=n)), "boolean")
    X["whole"], X["nothing"] = rng.integers(0, 9, n).astype(np.uint8), np.nan
    y = hidden + rng.normal(size=n)
    return X, y, np.where(y > 0.5, "high", np.where(y < -0.5, "low", "middle"))


X, NUMBER, CLASS = frame()
IMPORTANCES = [
    importance.Correlation(),
    importance.Correlation(ranks=True),
    importance.FStatistic(),
    importance.MutualInformation(bins=4),
]
REDUNDANCIES = [
    redundancy.Correlation(),
    redundancy.Correlation(ranks=True),
    redundancy.MutualInformation(bins=4),
]


def pieces(y, size):
    return [(X[a : a + size], y[a : a + size]) for a in range(0, len(X), size)]


def assert_same_fit(found, expected):
    np.testing.assert_allclose(found.importance_, expected.importance_, rtol=EXACT, atol=EXACT)
    np.testing.assert_allclose(found.redundancy_, expected.redundancy_, rtol=0, atol=EXACT)
    np.testing.assert_array_equal(found.support_, expected.support_)


@pytest.mark.parametrize(("I", "R"), list(product(IMPORTANCES, REDUNDANCIES)), ids=str)
def test_every_mix_of_measures_is_that_of_the_table_in_memory(I, R):  # noqa: E741
    chosen = {"k": 4, "importance": I, "redundancy": R}
    y = NUMBER if (IMPORTANCES.index(I) + REDUNDANCIES.index(R)) % 2 else CLASS
    expected = SelectQUBO(**chosen).fit(X, y)
    assert_same_fit(SelectQUBO(**chosen).fit_batches(pieces(y, 150)), expected)


@pytest.mark.parametrize(
    ("kind", "ranks", "y"),
    [
        ("whole", False, NUMBER),
        ("whole", True, CLASS),
        ("any", False, CLASS),
        ("any", True, NUMBER),
        ("alike", False, NUMBER),
        ("balanced", False, CLASS),
    ],
    ids=["whole", "whole, ranks", "any", "any, ranks", "alike", "balanced"],
)
def test_weights_count_as_in_memory(kind, ranks, y):
    rng = np.random.default_rng(5)
    weights = {"whole": rng.integers(0, 4, len(X)), "any": rng.random(len(X)), "alike": np.full(len(X), 0.3)}
    given = weights.get(kind, weights["any"])
    chosen = {
        "k": 4,
        "importance": importance.Correlation(ranks=True) if ranks else importance.FStatistic(),
        "redundancy": redundancy.Correlation(ranks=ranks),
        "class_weight": "balanced" if kind == "balanced" else None,
    }
    expected = SelectQUBO(**chosen).fit(X, y, sample_weight=given)
    parts = [
        (*piece, given[a : a + 150]) for a, piece in zip(range(0, len(X), 150), pieces(y, 150), strict=True)
    ]
    assert_same_fit(SelectQUBO(**chosen).fit_batches(parts), expected)
    if not ranks and kind in ("whole", "any"):
        found = SelectQUBO(**chosen)
        for part in parts:
            found.partial_fit(*part)
        np.testing.assert_allclose(found.importance_, expected.importance_, rtol=1e-7)
        np.testing.assert_allclose(found.redundancy_, expected.redundancy_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("size", [1, 7, 30])
def test_the_size_of_batches_does_not_matter(size):
    chosen = {"k": 4, "importance": importance.FStatistic(), "redundancy": redundancy.Correlation()}
    some, y = X[:30], CLASS[:30]
    parts = [(some[a : a + size], y[a : a + size]) for a in range(0, 30, size)]
    assert_same_fit(SelectQUBO(**chosen).fit_batches(parts), SelectQUBO(**chosen).fit(some, y))


def test_correlations_of_batches_are_those_of_scipy_and_scikit_learn():
    numbers = X[["f0", "f1", "f2", "f3", "whole"]]
    parts = [(numbers[a : a + 90], CLASS[a : a + 90]) for a in range(0, 400, 90)]
    measures = {"importance": importance.FStatistic(), "redundancy": redundancy.Correlation(ranks=True)}
    found = SelectQUBO(k=2, **measures).fit_batches(parts)
    np.testing.assert_allclose(found.importance_, f_classif(numbers, CLASS)[0], rtol=1e-9)
    expected = np.abs(stats.spearmanr(numbers).statistic)
    np.testing.assert_allclose(found.redundancy_ + np.eye(5), expected, rtol=0, atol=EXACT)


@pytest.mark.parametrize("y", [NUMBER, CLASS], ids=["number", "classes"])
def test_one_pass_is_as_good_as_two_and_classes_may_come_later(y):
    chosen = {"k": 4, "importance": importance.Correlation(), "redundancy": redundancy.Correlation()}
    order = np.argsort(y, kind="stable")  # the first batches have one class
    selector = SelectQUBO(**chosen)
    for part in np.array_split(order, 9):
        selector.partial_fit(X.iloc[part], y[part])
    assert_same_fit(selector, SelectQUBO(**chosen).fit(X, y))


def test_a_refused_batch_is_named_and_loses_nothing():
    chosen = {"k": 3, "importance": importance.Correlation(), "redundancy": redundancy.Correlation()}
    selector = SelectQUBO(**chosen)
    for part in pieces(NUMBER, 100)[:2]:
        selector.partial_fit(*part)
    counts = selector.counts_
    with pytest.raises(ValueError, match="batch 3: feature 'f0' must hold numbers"):
        selector.partial_fit(X[200:300].assign(f0="text"), NUMBER[200:300])
    assert selector.counts_ is counts
    for part in pieces(NUMBER, 100)[2:]:
        selector.partial_fit(*part)
    assert_same_fit(selector, SelectQUBO(**chosen).fit(X, NUMBER))


def test_counts_travel_and_counts_without_the_moments_are_refused():
    selector = SelectQUBO(
        k=3, importance=importance.Correlation(ranks=True), redundancy=redundancy.Correlation()
    )
    reading = selector_reading(selector)
    coding = pickle.loads(
        pickle.dumps(reading.coding(sum(reading.tally(*part) for part in pieces(NUMBER, 80))))
    )
    counts = sum(pickle.loads(pickle.dumps(JointCounts.of(coding, *part))) for part in pieces(NUMBER, 80))
    expected = SelectQUBO(**selector.get_params(deep=False)).fit(X, NUMBER)
    assert_same_fit(selector.fit_counts(counts), expected)
    for other, words in (
        ({"importance": importance.Correlation()}, "importance needs moments of values"),
        ({"redundancy": redundancy.Correlation(ranks=True)}, "redundancy needs moments of ranks"),
        ({"redundancy": redundancy.MutualInformation()}, "1 bins.*'auto'"),
    ):
        with pytest.raises(ValueError, match=words):
            SelectQUBO(**selector.get_params(deep=False) | other).fit_counts(counts)
    plain = Reading(bins=4)
    counted = JointCounts.of(plain.coding(plain.tally(X, NUMBER)), X, NUMBER)
    with pytest.raises(ValueError, match="importance needs moments of ranks"):
        selector.fit_counts(counted)
    with pytest.raises(ValueError, match="one coding"):
        counts + counted


def test_parquet_dask_and_excluded_features(tmp_path):
    chosen = {
        "k": 3,
        "importance": importance.Correlation(),
        "redundancy": redundancy.Correlation(ranks=True),
    }
    chosen["exclude"] = ["town", "f0"]
    whole_table = X.drop(columns="maybe").assign(town="Ulm")
    expected = SelectQUBO(**chosen).fit(whole_table, NUMBER)
    dask = pytest.importorskip("dask.dataframe")
    parts = dask.from_pandas(whole_table.assign(y=NUMBER), npartitions=3)
    assert_same_fit(SelectQUBO(**chosen).fit(parts.drop(columns="y"), parts["y"]), expected)
    pytest.importorskip("pyarrow")
    whole_table.assign(y=NUMBER).to_parquet(tmp_path / "table.parquet")
    found = SelectQUBO(**chosen).fit_parquet(tmp_path / "table.parquet", "y", batch_size=64)
    assert_same_fit(found, expected)


def test_what_correlations_cannot_be_made_of_is_refused():
    ranked = {"importance": importance.Correlation(ranks=True), "redundancy": redundancy.Correlation()}
    with pytest.raises(AttributeError) as raised:
        SelectQUBO(k=2, **ranked).partial_fit(X, NUMBER)
    assert re.search("partial_fit.*ranks=True.*fit_batches", str(raised.value.__cause__))
    towns = X.assign(town=np.where(NUMBER > 0, "Ulm", "Bonn"))
    with pytest.raises(ValueError, match=r"batch 1: .*needs? numbers.*'town' holds categories"):
        SelectQUBO(k=2, **ranked).fit_batches([(towns, NUMBER)])
    with pytest.raises(ValueError, match=r"batch 1: .*'whole' holds categories"):
        SelectQUBO(k=2, categorical_features=["whole"], **ranked).fit_batches([(X, NUMBER)])
    with pytest.raises(MemoryError, match="moments of all pairs of 13 features need"):
        SelectQUBO(k=2, **ranked).fit_batches([(X, NUMBER)], max_bytes=1000)
    changing = iter([NUMBER, NUMBER + 1])
    with pytest.raises(ValueError, match=r"batch 1: y has .*first pass"):
        SelectQUBO(k=2, **ranked).fit_batches(lambda: [(X, next(changing))])
    changing = iter([X, X.assign(f1=X["f1"] + 1)])
    with pytest.raises(ValueError, match=r"batch 1: feature 'f1' has .*first pass"):
        SelectQUBO(k=2, **ranked).fit_batches(lambda: [(next(changing), NUMBER)])


def test_sketches_have_no_ranks_and_values_need_none():
    measures = {"importance": importance.Correlation(), "redundancy": redundancy.Correlation(ranks=True)}
    with pytest.raises(ValueError, match=r"ranks.*'f0'.*exact_bytes.*ranks=False"):
        SelectQUBO(k=2, **measures).fit_batches(pieces(NUMBER, 100), exact_bytes=16)
    whole_numbers = X[["whole", "flag"]]  # exact, in any number
    found = SelectQUBO(k=1, **measures).fit_batches([(whole_numbers, NUMBER)], exact_bytes=16)
    assert_same_fit(found, SelectQUBO(k=1, **measures).fit(whole_numbers, NUMBER))
    measures["redundancy"] = redundancy.Correlation()
    found = SelectQUBO(k=2, **measures).fit_batches(pieces(NUMBER, 100), exact_bytes=16)
    assert found.rank_error_ == 0.0
    assert_same_fit(found, SelectQUBO(k=2, **measures).fit(X, NUMBER))


def test_moments_of_a_coding_are_no_larger_than_was_said():
    reading = selector_reading(
        SelectQUBO(k=2, importance=importance.Correlation(), redundancy=redundancy.Correlation())
    )
    coding = reading.coding(reading.tally(X, CLASS))
    counts = JointCounts.of(coding, X, CLASS)
    target, pairs = counts.moments.target.spread, counts.moments.pairs
    held = [
        getattr(one, name) for one in (target, pairs.spread) for name in ("total", "pivot", "mean", "square")
    ]
    taken = sum(array.nbytes for array in (*held, pairs.product)) + counts.nbytes
    assert taken <= JointCounts.bytes_needed(coding)
