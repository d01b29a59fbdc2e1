"""Frequent values apart: the rule against loops, weights as repeats, numbers of every kind, and no lost feature."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from quboselect.counting.bins import bins_of, feature_codes, few_samples_words, label_codes, numeric_codes
from quboselect.counting.cuts import apart_edges, check_edges, even_codes, reached
from quboselect.tables.table import as_table
from quboselect.tables.target import as_target

KINDS = {
    "zero-inflated": lambda rng, n: rng.normal(size=n) * (rng.random(n) < rng.random()),
    "tied": lambda rng, n: np.round(rng.normal(size=n) * rng.choice([0.5, 2, 9])),
    "two": lambda rng, n: (rng.random(n) < rng.random()).astype(float),
    "mixed": lambda rng, n: np.where(rng.random(n) < 0.5, rng.integers(0, 3, n), rng.normal(size=n)),
    "smooth": lambda rng, n: rng.normal(size=n),
    "integers": lambda rng, n: rng.integers(0, rng.choice([2, 5, 300, 10**6]), n),
    "holes": lambda rng, n: np.where(rng.random(n) < 0.2, np.nan, np.round(rng.normal(size=n), 1)),
    "powers": lambda rng, n: 2.0 ** rng.integers(-1074, 1000, n),
    "adjacent": lambda rng, n: 1.0 + rng.integers(0, 5, n) * 2.0**-52,
    "huge": lambda rng, n: 2**53 - rng.integers(1, 4, n),
    "subnormal": lambda rng, n: rng.integers(-3, 4, n) * 5e-324,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(12))
def test_codes_follow_the_rule(kind, seed):
    rng = np.random.default_rng([seed, len(kind)])
    n, bins = int(rng.integers(1, 70)), int(rng.integers(2, 21))
    x = KINDS[kind](rng, n)
    codes, size = numeric_codes(x, bins, "apart")
    assert (codes.tolist(), size) == oracles.apart_codes(x, [1] * n, bins)
    np.testing.assert_array_equal(np.unique(codes), np.arange(size))
    # Quarters are exact in floats, so that the twin, which counts in fractions, may be met to the last code.
    weights = rng.integers(1, 30, n) / 4
    if kind != "holes":
        codes, size = numeric_codes(x, bins, "apart", weights)
        assert (codes.tolist(), size) == oracles.apart_codes(x, weights, bins)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_whole_weights_are_repeated_samples(kind, seed):
    rng = np.random.default_rng([seed, len(kind)])
    n, bins = int(rng.integers(2, 200)), int(rng.integers(2, 21))
    x, weights = KINDS[kind](rng, n), rng.integers(0, 5, n)
    weights[0] += 1
    again = np.repeat(np.arange(n), weights)
    got = feature_codes(as_table(x[:, None], sample_weight=weights), bins=bins)
    expected = feature_codes(x[again, None], bins=bins)
    np.testing.assert_array_equal(np.repeat(got.values, weights[weights > 0], axis=1), expected.values)


@pytest.mark.parametrize("weight", [1e10, 1e13, 1e15, 1e17, 1e20, 1e100, 1e300])
@pytest.mark.parametrize("edges", ["apart", "quantile"])
def test_samples_repeated_more_often_than_floats_can_count_are_cut_as_if_repeated_a_thousand_times(
    edges, weight
):
    for n in (50, 60, 120):
        rng = np.random.default_rng(n)
        X = np.column_stack([rng.normal(size=(n, 3)), rng.integers(0, 9, n)])
        for bins in (5, 20):
            expected = feature_codes(np.repeat(X, 1000, axis=0), bins=bins, edges=edges).values[:, ::1000]
            got = feature_codes(as_table(X, sample_weight=np.full(n, weight)), bins=bins, edges=edges)
            np.testing.assert_array_equal(got.values, expected)


@pytest.mark.parametrize("seed", range(20))
def test_no_feature_of_two_values_in_five_samples_each_becomes_constant(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        n, bins = int(rng.integers(10, 2001)), int(rng.integers(2, 21))
        x = KINDS[rng.choice(["zero-inflated", "tied", "two", "mixed", "integers", "adjacent"])](rng, n)
        x[:5], x[5:10] = rng.choice(x, 1), rng.choice(x, 1)
        _, counts = np.unique(x, return_counts=True)
        _, size = numeric_codes(x, bins, "apart")
        assert size >= 2 or (counts >= 5).sum() < 2


def test_a_rare_value_is_seen_where_quantiles_do_not_see_it():
    x = np.array([0.0] * 95 + [1.0, 2.0, 3.0, 4.0, 5.0])[:, None]
    assert feature_codes(x, bins=5, edges="quantile").sizes.tolist() == [1]
    assert feature_codes(x, bins=5).sizes.tolist() == [2]


def test_values_without_ties_are_shared_out_evenly():
    x = np.random.default_rng(0).permutation(1000) * 0.1
    for bins in (2, 3, 7, 20):
        counts = np.bincount(numeric_codes(x, bins, "apart")[0])
        assert counts.size == bins
        assert counts.max() - counts.min() <= 1


def test_a_frequent_value_is_alone_between_the_others():
    x = np.concatenate([np.arange(-30.0, 0), np.zeros(40), np.arange(1.0, 31)])
    codes, size = numeric_codes(x, 10, "apart")
    assert size == 7
    assert np.bincount(codes).tolist() == [10, 10, 10, 40, 10, 10, 10]


def test_weights_that_are_one_but_for_rounding_are_none():
    x = np.random.default_rng(1).integers(0, 50, 2001)
    for same in (x, x * 1e9, np.where(x % 7 == 0, np.nan, x)):
        for weight in (np.nextafter(1, 0), 1 + 1e-13):
            expected, _ = numeric_codes(same, 9, "apart")
            np.testing.assert_array_equal(numeric_codes(same, 9, "apart", np.full(2001, weight))[0], expected)


def test_hardly_any_weight_has_no_edges():
    assert apart_edges(np.array([1.0, 2.0]), reached(np.array([1e-9, 1e-9])), 3).size == 0


def test_integers_and_floats_get_the_same_codes_in_any_type():
    X = np.random.default_rng(2).integers(0, 200, (3001, 3)).astype(np.uint8)
    expected = feature_codes(X, bins=7).values
    for dtype in (np.int16, np.int64, np.float32, np.float64, object):
        np.testing.assert_array_equal(feature_codes(X.astype(dtype), bins=7).values, expected)


def test_a_continuous_target_is_cut_as_a_feature_is():
    y = np.random.default_rng(3).normal(size=400).round(1)
    expected = feature_codes(y[:, None], bins=6).values
    np.testing.assert_array_equal(label_codes(as_target(y, "continuous"), bins=6).values, expected)


@pytest.mark.parametrize("edges", ["quantiles", None, 3, ["apart"]])
def test_edges_must_be_a_rule(edges):
    with pytest.raises(ValueError, match=r"edges.*'apart'.*'quantile'"):
        check_edges(edges)
    with pytest.raises(ValueError, match="edges"):
        feature_codes([[1.0], [2.0]], edges=edges)


def test_the_number_of_bins_grows_with_the_samples_and_shrinks_with_the_classes():
    # The cube root of the samples, rounded down: from 4^3 on it is 4, from 8^3 on it is 8, the most.
    assert [bins_of("auto", n) for n in (1, 63, 63.6, 511, 512, 10**9)] == [3, 3, 4, 7, 8, 8]
    # Four bins need 2 * 4^2 samples, eight 2 * 8^2: few classes leave what the samples say.
    assert [bins_of("auto-by-class", n, 2) for n in (17, 63, 64, 512)] == [3, 3, 4, 8]
    assert [bins_of("auto-by-class", n, 20) for n in (319, 320, 499, 500)] == [3, 4, 4, 5]
    assert bins_of("auto-by-class", 5000, 300) == 4
    # A continuous target has half as many bins again as the features.
    assert [bins_of("auto-by-class", n, None) for n in (26, 96, 768)] == [3, 4, 8]
    assert bins_of(np.int64(7), 1) == 7


@pytest.mark.parametrize("bins", ["Auto", "20", 1, 2.5, True, None])
def test_wrong_bins_are_refused(bins):
    with pytest.raises(ValueError, match=f"bins.*2 to 65536.*{bins!r}"):
        bins_of(bins, 100)


def test_a_part_of_a_binned_table_keeps_its_bins():
    table = as_table(np.arange(6000.0)[:, None])
    codes = feature_codes(table)
    assert codes.sizes.tolist() == [8]
    part = table.samples(np.arange(0, 6000, 60))
    np.testing.assert_array_equal(feature_codes(part).values, codes.values[:, ::60])
    fresh = as_table(np.arange(6000.0)[:, None]).samples(np.arange(0, 6000, 60))
    assert feature_codes(fresh).sizes.tolist() == [4]


def test_a_table_keeps_the_codes_of_each_number_and_rule():
    table = as_table(np.arange(30.0)[:, None] ** 2)
    assert feature_codes(table, bins="auto") is feature_codes(table, bins=3)
    assert feature_codes(table, bins=3, edges="quantile") is not feature_codes(table, bins=3)


def test_too_few_samples_are_told_in_words():
    words = few_samples_words([20, 20, 1, 20], 351)
    assert "351 samples" in words
    assert "20 x 20 cells" in words
    assert "0.88 to a cell" in words
    assert "20 x 20 x 2 cells" in few_samples_words([20, 20], 500, n_labels=2)
    assert few_samples_words([20, 20], 400) is None
    assert few_samples_words([1, 20], 3) is None
    assert few_samples_words(feature_codes(np.arange(40.0).reshape(8, 5), bins=4), 8) is not None


@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.sampled_from(["apart", "quantile"]))
def test_features_cut_together_have_the_codes_that_each_has_alone(seed, bins, edges):
    rng = np.random.default_rng(seed)
    samples = int(rng.integers(1, 200))
    block = [rng.normal(size=samples) * 10.0 ** rng.integers(-300, 300) for _ in range(6)]
    block[1] = rng.normal(size=samples).astype(np.float32)
    block[2] = np.round(rng.normal(size=samples), 1)
    block[3][rng.integers(samples)] = np.nan
    block[4] = rng.integers(0, 9, samples)
    found = even_codes(block, bins, edges)
    assert not {3, 4} & found.keys()
    assert samples < 3 * bins or {0, 5} <= found.keys()
    for i, (codes, size) in found.items():
        expected, number = numeric_codes(block[i], bins, edges)
        np.testing.assert_array_equal(codes, expected)
        assert size == number
