"""The codes of one feature: weighted quantiles, missing values and categories, against naive twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import oracles
from quboselect.counting.quantiles import category_codes, numeric_codes, quantiles, reached

FEATURES = {
    "float64": st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float) | st.just(np.nan),
    "uint8": st.integers(0, 255),
    "int16": st.integers(-4, 4),
    "int64": st.integers(-(2**40), 2**40),
}


def levels(bins):
    return np.arange(1, bins) / bins


@st.composite
def features(draw):
    dtype = draw(st.sampled_from(sorted(FEATURES)))
    return draw(arrays(dtype, draw(st.integers(1, 30)), elements=FEATURES[dtype]))


@settings(max_examples=200, deadline=None)
@given(features(), st.integers(2, 90), st.data())
def test_codes_follow_the_rule_for_weights_of_any_kind(x, bins, data):
    # Quarters are exact in floats, so that the twin, which counts in fractions, may be met to the last code.
    weights = data.draw(arrays(np.float64, x.shape, elements=st.integers(4, 40).map(lambda w: w / 4)))
    codes, size = numeric_codes(x, levels(bins), weights)
    assert (codes.tolist(), size) == oracles.weighted_codes(x, weights, bins)


@settings(max_examples=100, deadline=None)
@given(features(), st.integers(2, 90))
def test_codes_follow_the_rule_without_weights(x, bins):
    codes, size = numeric_codes(x, levels(bins))
    assert (codes.tolist(), size) == oracles.weighted_codes(x, [1] * x.size, bins)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 40), st.integers(2, 50), st.data())
def test_weighted_quantiles_are_those_of_numpy_on_repeated_samples(size, bins, data):
    x = np.sort(data.draw(arrays(np.float64, size, elements=st.floats(-1e9, 1e9))))
    weights = data.draw(arrays(np.float64, size, elements=st.integers(1, 9).map(float)))
    got = quantiles(x, reached(weights), levels(bins))
    np.testing.assert_array_equal(got, np.quantile(np.repeat(x, weights.astype(int)), levels(bins)))


@pytest.mark.parametrize("weight", [np.nextafter(1, 0), np.nextafter(1, 2), 1 + 1e-13, 1 - 1e-13])
@pytest.mark.parametrize("n_samples", [11, 101, 2001, 20_001])
def test_weights_that_are_one_but_for_rounding_are_none(weight, n_samples):
    # With n - 1 divisible by the bins every edge is a value, the case that rounding would upset.
    x = np.random.default_rng(0).permutation(n_samples)
    for same in (x, x * 1e9, np.where(x % 7 == 0, np.nan, x)):
        expected, _ = numeric_codes(same, levels(20))
        got, _ = numeric_codes(same, levels(20), np.full(n_samples, weight))
        np.testing.assert_array_equal(got, expected)


def test_integers_and_the_same_numbers_as_floats_get_the_same_codes_at_any_weight():
    rng = np.random.default_rng(1)
    x, weights = rng.integers(0, 60, 3000), rng.exponential(size=3000)
    for bins in (3, 20, 100):
        expected, _ = numeric_codes(x, levels(bins), weights)
        np.testing.assert_array_equal(numeric_codes(x * 1.0, levels(bins), weights)[0], expected)


def test_heavy_samples_draw_the_edges_towards_them():
    x = np.arange(10.0)
    assert numeric_codes(x, levels(2))[0].tolist() == [0] * 5 + [1] * 5
    heavy = np.where(x == 8, 20.0, 1.0)
    assert numeric_codes(x, levels(2), heavy)[0].tolist() == [0] * 8 + [1] * 2


@pytest.mark.parametrize("x", [np.array([1.0, 2.0, 3.0]), np.array([1, 2, 3])])
@pytest.mark.parametrize("weight", [0.2, 1e-9])
def test_less_than_one_sample_in_all_is_one_code(x, weight):
    codes, size = numeric_codes(x, levels(4), np.full(3, weight))
    assert (codes.tolist(), size) == ([0, 0, 0], 1)


@settings(deadline=None)
@given(arrays(np.int32, st.integers(1, 30), elements=st.integers(-1, 9)))
def test_categories_are_numbered_as_they_sort_and_missing_ones_last(x):
    codes, size = category_codes(x)
    order = [*sorted(set(x.tolist()) - {-1}), -1]
    assert codes.tolist() == [order.index(value) for value in x]
    assert size == len(set(x.tolist()))


@pytest.mark.parametrize("dtype", [np.int8, np.int64])
def test_a_feature_that_is_all_missing_is_constant(dtype):
    for codes, size in (category_codes(np.full(4, -1, dtype)), numeric_codes(np.full(4, np.nan), levels(5))):
        assert (codes.tolist(), size) == ([0, 0, 0, 0], 1)
