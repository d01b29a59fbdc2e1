"""Quantile codes and label codes: the rule, its corners, and the words of the errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import oracles
from quboselect.bins import Codes, label_codes, quantile_codes

ELEMENTS = {
    "bool": st.booleans(),
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
    X = np.array([[-128, -(2**62)], [127, 2**62 + 2**61]])
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


def test_booleans_of_any_layout_are_two_codes():
    X = np.random.default_rng(2).random((50, 6)) < 0.5
    np.testing.assert_array_equal(quantile_codes(X[:, ::2]).values, X[:, ::2].T)


def test_codes_are_returned_unchanged():
    codes = quantile_codes([[1.0], [2.0]])
    assert quantile_codes(codes) is codes
    assert label_codes(codes) is codes


def test_codes_are_contiguous_and_read_only():
    codes = Codes(np.array([[0, 1], [1, 0], [0, 0]])[:, ::-1], [2, 2, 1])
    assert codes.values.flags.c_contiguous
    assert codes.sizes.dtype == np.int64
    assert (codes.n_features, codes.n_samples) == (3, 2)
    for array in (codes.values, codes.sizes):
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
        ([[0, 1]], [65537], "at most 65536 codes, feature 0 has 65537: use fewer bins"),
    ],
)
def test_wrong_codes_are_refused(values, sizes, words):
    with pytest.raises(ValueError, match=words):
        Codes(np.array(values), np.array(sizes, dtype=int))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_missing_and_infinite_values_are_refused_where_they_stand(value, n_jobs):
    X = np.zeros((50, 40))
    X[7, 35] = X[3, 38] = value
    words = f"X must be finite, but feature 35 is {value} at sample 7: impute or drop"
    with pytest.raises(ValueError, match=words):
        quantile_codes(X, n_jobs=n_jobs)


@pytest.mark.parametrize("bins", [1, 0, -3, 2.0, "20", True, 65537, None])
def test_bins_must_be_an_integer_from_two(bins):
    with pytest.raises(ValueError, match=r"bins must be an integer from 2 to 65536, got"):
        quantile_codes([[1.0], [2.0]], bins=bins)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (
            [1.0, 2.0],
            r"X must be two-dimensional .* got shape \(2,\): a single feature goes in as x\[:, None\]",
        ),
        (np.zeros((2, 2, 2)), r"got shape \(2, 2, 2\)"),
        (np.zeros((0, 3)), r"at least one sample and one feature, got shape \(0, 3\)"),
        (np.zeros((3, 0)), r"at least one sample and one feature, got shape \(3, 0\)"),
        ([["a"], ["b"]], "X must hold real numbers, got dtype <U1: encode categories"),
        (np.array([["a"], [1.0]], dtype=object), "X must hold real numbers .*: encode categories"),
        ([[1j]], "X must hold real numbers, got dtype complex128"),
    ],
)
def test_tables_that_cannot_be_binned_are_refused(X, words):
    with pytest.raises(ValueError, match=words):
        quantile_codes(X)


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


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([[0], [1]], r"y must be a non-empty one-dimensional array of labels, got shape \(2, 1\)"),
        ([], "non-empty"),
        ([0.0, np.nan], "sample 1 is nan: drop it"),
        (np.array(["a", None], object), "of one kind that can be sorted .*: make them all strings"),
        (np.arange(65537), "y has 65537 distinct labels, at most 65536 can be counted: bin a continuous y"),
        (Codes(np.zeros((2, 2), int), np.array([1, 1])), "must hold one feature, got 2"),
    ],
)
def test_labels_that_cannot_be_counted_are_refused(y, words):
    with pytest.raises(ValueError, match=words):
        label_codes(y)
