"""Codes of features and labels: the paper's rule, its corners, and the words of the errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import oracles
from quboselect.counting import bins as module
from quboselect.counting.bins import (
    Codes,
    bins_of,
    category_codes,
    feature_codes,
    features_and_target,
    label_codes,
    numeric_codes,
    target_bins,
)
from quboselect.counting.cuts import quantiles, reached
from quboselect.counting.information import binned
from quboselect.tables.table import Table, as_table
from quboselect.tables.target import Target, as_target


def quantile_codes(X, bins=20, **options):
    """Return the codes of the paper's rule."""
    return feature_codes(X, bins=bins, edges="quantile", **options)


ELEMENTS = {
    "int8": st.integers(-128, 127),
    "uint8": st.integers(0, 255),
    "int64": st.integers(-(2**40), 2**40),
    "uint16": st.integers(0, 12),
    "float32": st.floats(-100, 100, width=32),
    "float64": st.floats(-1e6, 1e6) | st.integers(-2, 2).map(float),
}


@st.composite
def tables(draw):
    dtype = draw(st.sampled_from(sorted(ELEMENTS)))
    shape = draw(st.tuples(st.integers(1, 25), st.integers(1, 4)))
    return draw(arrays(dtype, shape, elements=ELEMENTS[dtype]))


@settings(max_examples=200, deadline=None)
@given(tables(), st.integers(2, 40))
def test_codes_follow_the_rule_of_the_published_results(X, bins):
    got = quantile_codes(X, bins=bins, n_jobs=1)
    values, sizes = oracles.quantile_codes(X, bins)
    np.testing.assert_array_equal(got.values, values)
    np.testing.assert_array_equal(got.sizes, sizes)


@settings(max_examples=50, deadline=None)
@given(tables(), st.integers(2, 300))
def test_every_code_below_the_size_occurs(X, bins):
    codes = quantile_codes(X, bins=bins, n_jobs=1)
    for row, size in zip(codes.values, codes.sizes, strict=True):
        np.testing.assert_array_equal(np.unique(row), np.arange(size))


@pytest.mark.parametrize("bins", [2, 7, 20, 50])
def test_integers_and_the_same_numbers_as_floats_get_the_same_codes(bins):
    X = np.random.default_rng(0).integers(0, 256, (3001, 5)).astype(np.uint8)
    expected = quantile_codes(X, bins=bins).values
    for dtype in (np.int16, np.int64, np.float16, np.float32, np.float64, object):
        np.testing.assert_array_equal(quantile_codes(X.astype(dtype), bins=bins).values, expected)


def test_far_apart_integers_do_not_overflow():
    X = np.array([[-128, -(2**52)], [127, 2**52 + 2**51]])
    assert quantile_codes(X.astype(np.int64), bins=2).values.tolist() == [[0, 1], [0, 1]]
    assert quantile_codes(X[:, :1].astype(np.int8), bins=2).values.tolist() == [[0, 1]]


def test_a_constant_feature_has_one_code():
    assert quantile_codes(np.full((9, 2), 3.5)).sizes.tolist() == [1, 1]


def test_one_sample_gives_one_code():
    codes = quantile_codes([[1.0, 2.0]])
    assert codes.sizes.tolist() == [1, 1]
    assert codes.values.tolist() == [[0], [0]]


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_more_bins_than_samples_separate_the_samples(dtype):
    X = np.arange(10).astype(dtype)[:, None]
    assert quantile_codes(X, bins=1000).values.tolist() == [list(range(10))]


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_more_than_256_codes_need_two_bytes(dtype):
    X = np.arange(2000).astype(dtype)[:, None]
    codes = quantile_codes(np.hstack([X, X % 2]), bins=500)
    assert codes.values.dtype == np.uint16
    assert codes.sizes.tolist() == [500, 2]
    assert quantile_codes(X[:100], bins=500).values.dtype == np.uint8


def test_codes_do_not_depend_on_memory_order_or_threads():
    X = np.random.default_rng(1).normal(size=(200, 70))
    expected = quantile_codes(X, n_jobs=1).values
    wide = np.zeros((400, 140))
    wide[::2, ::2] = X
    for same in (np.asfortranarray(X), wide[::2, ::2], X[::-1][::-1], X.tolist()):
        np.testing.assert_array_equal(quantile_codes(same, n_jobs=3).values, expected)


def test_booleans_of_any_layout_are_two_codes_however_rare():
    X = np.random.default_rng(2).random((50, 6)) < 0.5
    np.testing.assert_array_equal(quantile_codes(X[:, ::2]).values, X[:, ::2].T)
    assert quantile_codes(np.arange(50)[:, None] == 7, bins=2).sizes.tolist() == [2]


@settings(max_examples=100, deadline=None)
@given(tables(), st.integers(2, 40), st.data())
def test_whole_weights_are_repeated_samples(X, bins, data):
    X = X.copy()
    weights = data.draw(arrays(np.int64, len(X), elements=st.integers(0, 4)))
    weights[0] += 1
    if X.dtype.kind == "f":
        X[data.draw(arrays(bool, X.shape))] = np.nan
    got = quantile_codes(as_table(X, sample_weight=weights), bins=bins, n_jobs=1)
    expected = quantile_codes(np.repeat(X, weights, axis=0), bins=bins, n_jobs=1)
    np.testing.assert_array_equal(np.repeat(got.values, weights[weights > 0], axis=1), expected.values)
    np.testing.assert_array_equal(got.sizes, expected.sizes)
    assert got.total == weights.sum()


def test_the_codes_carry_the_weights_of_the_table():
    table = as_table(np.arange(4.0)[:, None], sample_weight=[1.0, 0.0, 2.5, 2.5])
    codes = quantile_codes(table)
    assert codes.n_samples == 3
    np.testing.assert_array_equal(codes.weights, table.weights)
    assert codes.total == pytest.approx(3)


def test_codes_of_weighted_samples_depend_neither_on_their_order_nor_on_threads():
    rng = np.random.default_rng(3)
    X = np.hstack([rng.normal(size=(500, 20)).round(1), rng.integers(0, 9, (500, 20))])
    X[rng.random(X.shape) < 0.1] = np.nan
    weights, order = rng.integers(1, 20, 500) / 3, rng.permutation(500)
    expected = quantile_codes(as_table(X, sample_weight=weights), n_jobs=1).values
    shuffled = as_table(X[order], sample_weight=weights[order])
    np.testing.assert_array_equal(quantile_codes(shuffled, n_jobs=3).values, expected[:, order])


def test_missing_values_are_a_code_of_their_own_after_the_others():
    X = np.array([[1.0, np.nan, 5], [np.nan, np.nan, 6], [2.0, np.nan, 7], [3.0, np.nan, 8]])
    codes = quantile_codes(X, bins=2)
    assert codes.values.tolist() == [[0, 2, 1, 1], [0, 0, 0, 0], [0, 0, 1, 1]]
    assert codes.sizes.tolist() == [3, 1, 2]


def test_missing_values_beside_256_bins_need_two_bytes():
    X = np.arange(2000.0)[:, None]
    X[5] = np.nan
    codes = quantile_codes(np.hstack([X, X % 3]), bins=256)
    assert codes.values.dtype == np.uint16
    assert codes.sizes.tolist() == [257, 4]
    assert codes.values[:, 5].tolist() == [256, 3]


def test_each_category_that_occurs_is_a_code_in_sorted_order():
    X = np.array([["b", 2.0], ["a", 1.0], [None, 4.0], ["c", 3.0], ["b", 5.0]], dtype=object)
    codes = quantile_codes(X, bins=2)
    assert codes.values.tolist() == [[1, 0, 3, 2, 1], [0, 0, 1, 1, 1]]
    assert codes.sizes.tolist() == [4, 2]
    without = quantile_codes(as_table(X, sample_weight=[1, 0, 0, 1, 1]), bins=2)
    assert without.values.tolist() == [[0, 1, 0], [0, 1, 1]]
    assert without.sizes.tolist() == [2, 2]


def test_more_than_256_categories_beside_few():
    many = Table((np.arange(300), np.arange(300) % 2), np.array([True, True]), np.zeros(2, bool))
    codes = quantile_codes(many)
    assert codes.values.tolist() == [list(range(300)), [0, 1] * 150]
    assert codes.sizes.tolist() == [300, 2]


def test_more_codes_than_can_be_counted_are_refused_by_name():
    both = np.array([False, True])
    table = Table((np.arange(65537) % 7, np.arange(65537)), both, np.zeros(2, bool), ("age", "city"))
    words = (
        "feature 'city' has 65537 codes, at most 65536 can be counted: exclude it, or group its rare values"
    )
    with pytest.raises(ValueError, match=words):
        quantile_codes(table)


def test_a_missing_value_beside_as_many_bins_as_can_be_counted_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_CODES", 300)
    X = np.append(np.arange(1000.0), np.nan)[:, None]
    with pytest.raises(ValueError, match=r"feature 0 has 301.*300.*fewer bins"):
        quantile_codes(X, bins=300)


def test_a_table_is_binned_once_for_each_number_of_bins():
    table = as_table(np.arange(30.0)[:, None])
    codes = quantile_codes(table, bins=5)
    assert quantile_codes(table, bins=5) is codes
    assert quantile_codes(table, bins=6).sizes.tolist() == [6]
    part = quantile_codes(table.samples(np.array([29, 0, 0])), bins=5)
    assert part.values.tolist() == [[4, 0, 0]]


@settings(max_examples=30, deadline=None)
@given(tables(), st.data())
def test_taken_samples_keep_their_codes_and_weights(X, data):
    codes = quantile_codes(X, n_jobs=1)
    codes = Codes(codes.values, codes.sizes, np.arange(1, len(X) + 1))
    rows = data.draw(st.lists(st.integers(0, len(X) - 1), min_size=1, max_size=40))
    taken = codes.take(rows)
    assert taken.values.tolist() == [[row[i] for i in rows] for row in codes.values.tolist()]
    assert taken.sizes.tolist() == codes.sizes.tolist()
    assert taken.weights.tolist() == [i + 1 for i in rows]
    assert taken.total == sum(rows) + len(rows)
    assert Codes(codes.values, codes.sizes).take(rows).total == len(rows)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([True, False], r"samples.*indices.*shape \(2,\) of bool"),
        ([0.0], "of float64"),
        (0, r"got shape \(\)"),
        (np.array([], int), "non-empty"),
    ],
)
def test_samples_are_taken_by_their_indices(rows, words):
    with pytest.raises(ValueError, match=words):
        Codes(np.array([[0, 1]]), np.array([2])).take(rows)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0], r"weights must be 2 numbers, one for each sample, got shape \(1,\) of float64"),
        (["1", "2"], "of <U1"),
        ([1.0, 0.0], "finite and positive, but that of sample 1 is 0.0: leave the sample out"),
        ([-1, 1], "sample 0 is -1"),
        ([1.0, np.nan], "sample 1 is nan"),
        ([np.inf, 1.0], "sample 0 is inf"),
    ],
)
def test_wrong_weights_are_refused(weights, words):
    with pytest.raises(ValueError, match=words):
        Codes(np.array([[0, 1]]), np.array([2]), np.array(weights))
    with pytest.raises(ValueError, match=words):
        label_codes(["a", "b"], weights=weights)


def test_codes_are_returned_unchanged():
    codes = quantile_codes([[1.0], [2.0]])
    assert quantile_codes(codes) is codes
    assert label_codes(codes) is codes


def test_codes_are_contiguous_and_read_only():
    codes = Codes(np.array([[0, 1], [1, 0], [0, 0]])[:, ::-1], [2, 2, 1], [3, 4])
    assert codes.values.flags.c_contiguous
    assert codes.sizes.dtype == np.int64
    assert (codes.n_features, codes.n_samples) == (3, 2)
    assert codes.weights.dtype == np.float64
    for array in (codes.values, codes.sizes, codes.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_making_codes_leaves_the_callers_array_writeable():
    values = np.zeros((1, 3), np.uint8)
    Codes(values, [1])
    values[0, 0] = 1


@pytest.mark.parametrize(
    ("values", "sizes", "words"),
    [
        ([0, 1], [2], r"values must be a non-empty table .* got shape \(2,\) of int64"),
        ([[0.5, 1.0]], [2], "got shape .* of float64"),
        (np.zeros((0, 3), int), [], "non-empty"),
        ([[0, 1]], [2, 2], r"sizes must be 1 integers, one for each feature, got shape \(2,\)"),
        ([[0, 2]], [2], "feature 0 has size 2 and codes from 0 to 2"),
        ([[0, 0], [-1, 0]], [1, 1], "feature 1 has size 1 and codes from -1 to 0"),
        ([[0, 1]], [65537], "65536.*feature 0 has 65537"),
    ],
)
def test_wrong_codes_are_refused(values, sizes, words):
    with pytest.raises(ValueError, match=words):
        Codes(np.array(values), np.array(sizes, dtype=int))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_infinite_values_are_refused_where_they_stand(n_jobs):
    X = np.zeros((50, 40))
    X[7, 35] = -np.inf
    with pytest.raises(ValueError, match="feature 35 is -inf at sample 7"):
        quantile_codes(X, n_jobs=n_jobs)


@pytest.mark.parametrize("bins", [1, 0, -3, 2.0, "20", True, 65537, None])
def test_bins_must_be_an_integer_from_two(bins):
    with pytest.raises(ValueError, match=f"bins.*2 to 65536.*{bins!r}"):
        quantile_codes([[1.0], [2.0]], bins=bins)
    with pytest.raises(ValueError, match=f"bins.*2 to 65536.*{bins!r}"):
        label_codes([0.5, 1.5], bins=bins)


@pytest.mark.parametrize(
    "y",
    [
        [3, -1, 3],
        [0.5, 0.25, 0.5],
        ["no", "maybe", "no"],
        [True, False, True],
        np.array(["b", "a", "b"], object),
    ],
)
def test_labels_of_any_kind_are_numbered_in_sorted_order(y):
    codes = label_codes(y)
    assert codes.values.tolist() == [[1, 0, 1]]
    assert codes.sizes.tolist() == [2]


@settings(max_examples=50, deadline=None)
@given(arrays(np.float64, st.integers(1, 40), elements=st.floats(-9, 9)), st.integers(2, 30), st.data())
def test_a_continuous_target_is_cut_as_a_feature_is(y, bins, data):
    weights = data.draw(arrays(np.int64, y.shape, elements=st.integers(1, 4)))
    target = as_target(y, "continuous")
    plain, weighted = (
        label_codes(target, bins=bins, edges="quantile"),
        label_codes(target, bins=bins, edges="quantile", weights=weights),
    )
    expected = quantile_codes(as_table(y[:, None], sample_weight=weights), bins=bins, n_jobs=1)
    np.testing.assert_array_equal(plain.values, quantile_codes(y[:, None], bins=bins, n_jobs=1).values)
    np.testing.assert_array_equal(weighted.values, expected.values)
    np.testing.assert_array_equal(weighted.weights, weights)
    assert plain.weights is None


def test_numbers_that_are_not_whole_are_a_continuous_target():
    y = np.random.default_rng(4).normal(size=1000)
    assert label_codes(y).sizes.tolist() == [12]
    assert label_codes(y[:100]).sizes.tolist() == [6]
    assert label_codes(y, bins=7).sizes.tolist() == [7]
    assert label_codes(as_target(y, "classes")).sizes.tolist() == [1000]


def test_automatic_bins_are_the_cube_root_of_the_samples_from_three_to_eight():
    down = [int(min(max(np.floor(np.cbrt(n)), 3), 8)) for n in range(1, 2000)]
    assert [bins_of("auto", n) for n in range(1, 2000)] == down
    borders = {1: 3, 63: 3, 64: 4, 124: 4, 125: 5, 215: 5, 216: 6, 342: 6, 343: 7, 511: 7, 512: 8, 10**9: 8}
    assert {n: bins_of("auto", n) for n in borders} == borders
    assert bins_of("auto", 0.0) == 3
    assert bins_of("auto", 63.4) == 3  # a weight is rounded
    assert bins_of("auto", 63.6) == 4


def test_automatic_bins_by_class_leave_a_sample_for_each_cell_of_a_class():
    for n in (1, 30, 47, 48, 49, 200, 351, 1000, 5000):
        for labels in (1, 2, 3, 10, 100):
            number = bins_of("auto", n)
            fits = [b for b in range(4, number + 1) if n >= labels * b * b]
            assert bins_of("auto-by-class", n, labels) == max(fits, default=3)
    # A continuous target has half as many bins again: 6 * 16 = 96 cells of four bins.
    assert [bins_of("auto-by-class", n, None) for n in (95, 96, 174, 175, 767, 768)] == [3, 4, 4, 5, 7, 8]


def test_a_continuous_target_has_half_as_many_bins_again_unless_a_number_was_asked_for():
    assert [target_bins("auto", b) for b in range(3, 9)] == [4, 6, 7, 9, 10, 12]
    assert [target_bins("auto-by-class", b) for b in (3, 8)] == [4, 12]
    assert [target_bins(b, b) for b in (2, 5, 20)] == [2, 5, 20]
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 2)), rng.normal(size=600)
    for bins, sizes in (("auto", (8, 12)), ("auto-by-class", (7, 10)), (20, (20, 20))):
        features, label = binned(X, y, bins=bins)
        assert (features.sizes.tolist(), label.sizes.tolist()) == ([sizes[0]] * 2, [sizes[1]])


def test_classes_carry_weights_too():
    codes = label_codes(["b", "a", "b"], weights=[1, 2, 3])
    assert codes.values.tolist() == [[1, 0, 1]]
    assert codes.total == 6
    assert label_codes(Codes(codes.values, codes.sizes), weights=[1, 2, 3]).total == 6


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([], "non-empty"),
        ([0.0, np.nan], "sample 1 is nan: drop it"),
        (
            Target(np.arange(65537), False),
            "y has 65537.*65536.*target_type='continuous'",
        ),
        (Codes(np.zeros((2, 2), int), np.array([1, 1])), "must hold one feature, got 2"),
    ],
)
def test_labels_that_cannot_be_counted_are_refused(y, words):
    with pytest.raises(ValueError, match=words):
        label_codes(y)


NUMBERS = {
    "float64": st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float) | st.just(np.nan),
    "uint8": st.integers(0, 255),
    "int16": st.integers(-4, 4),
    "int64": st.integers(-(2**40), 2**40),
}


def levels(bins):
    return np.arange(1, bins) / bins


@st.composite
def single_features(draw):
    dtype = draw(st.sampled_from(sorted(NUMBERS)))
    return draw(arrays(dtype, draw(st.integers(1, 30)), elements=NUMBERS[dtype]))


@settings(max_examples=200, deadline=None)
@given(single_features(), st.integers(2, 90), st.data())
def test_codes_follow_the_rule_for_weights_of_any_kind(x, bins, data):
    # Quarters are exact in floats, so that the twin, which counts in fractions, may be met to the last code.
    weights = data.draw(arrays(np.float64, x.shape, elements=st.integers(4, 40).map(lambda w: w / 4)))
    codes, size = numeric_codes(x, bins, "quantile", weights)
    assert (codes.tolist(), size) == oracles.weighted_codes(x, weights, bins)


@settings(max_examples=100, deadline=None)
@given(single_features(), st.integers(2, 90))
def test_codes_follow_the_rule_without_weights(x, bins):
    codes, size = numeric_codes(x, bins, "quantile")
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
        expected, _ = numeric_codes(same, 20, "quantile")
        got, _ = numeric_codes(same, 20, "quantile", np.full(n_samples, weight))
        np.testing.assert_array_equal(got, expected)


def test_integers_and_the_same_numbers_as_floats_get_the_same_codes_at_any_weight():
    rng = np.random.default_rng(1)
    x, weights = rng.integers(0, 60, 3000), rng.exponential(size=3000)
    for bins in (3, 20, 100):
        expected, _ = numeric_codes(x, bins, "quantile", weights)
        np.testing.assert_array_equal(numeric_codes(x * 1.0, bins, "quantile", weights)[0], expected)


def test_heavy_samples_draw_the_edges_towards_them():
    x = np.arange(10.0)
    assert numeric_codes(x, 2, "quantile")[0].tolist() == [0] * 5 + [1] * 5
    heavy = np.where(x == 8, 20.0, 1.0)
    assert numeric_codes(x, 2, "quantile", heavy)[0].tolist() == [0] * 8 + [1] * 2


@pytest.mark.parametrize("x", [np.array([1.0, 2.0, 3.0]), np.array([1, 2, 3])])
@pytest.mark.parametrize("weight", [0.2, 1e-9])
def test_less_than_one_sample_in_all_is_one_code(x, weight):
    codes, size = numeric_codes(x, 4, "quantile", np.full(3, weight))
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
    for codes, size in (
        category_codes(np.full(4, -1, dtype)),
        numeric_codes(np.full(4, np.nan), 5, "quantile"),
    ):
        assert (codes.tolist(), size) == ([0, 0, 0, 0], 1)


def test_codes_have_their_weights_already():
    X, y = np.arange(8.0).reshape(4, 2), [0, 1, 0, 1]
    codes = feature_codes(X, bins=2)
    assert feature_codes(codes) is codes
    with pytest.raises(ValueError, match="sample_weight must be None where X is Codes"):
        feature_codes(codes, sample_weight=np.ones(4))
    with pytest.raises(ValueError, match="sample_weight must be None where X is Codes"):
        features_and_target(codes, y, np.ones(4))
