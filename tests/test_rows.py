"""Rows: the matrix of redundancy a row at a time, the same numbers, kept up to a limit."""

import pickle

import numpy as np
import pytest

from quboselect.redundancy import Correlation, MutualInformation
from quboselect.rows import Rows


def table(seed=0, n=30, samples=200):
    """Return a table with a constant feature, two copies, and features of few codes and of many."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(samples, n))
    X[:, 3] = 1.0
    X[:, 5] = X[:, 4]
    X[:, 6] = rng.integers(0, 3, samples)
    return X


def counting(matrix, asked, **limits):
    """Return rows of a matrix that write down which were asked for."""

    def pairs(features, others):
        asked.append(features.tolist())
        return matrix[np.ix_(features, others)]

    return Rows(len(matrix), pairs, **limits)


def random_matrix(n, seed=0):
    upper = np.triu(np.random.default_rng(seed).random((n, n)), 1).astype(np.float32)
    return upper + upper.T


WEIGHTS = {
    "none": None,
    "whole": np.arange(200) % 3,
    "large": 1 + np.arange(200) % 9,
    "any": 0.1 + np.arange(200) / 100,
}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("corrected", [False, True])
def test_rows_of_mutual_information_are_those_of_the_matrix(corrected, normalised, weights):
    X, w = table(), WEIGHTS[weights]
    measure = MutualInformation(corrected=corrected, normalised=normalised)
    R, rows = measure(X, sample_weight=w), measure.rows(X, sample_weight=w)
    np.testing.assert_allclose(rows.take(np.arange(30)), R, rtol=2e-7, atol=2e-7)
    np.testing.assert_allclose(rows.matrix(), R, rtol=2e-7, atol=2e-7)
    assert rows.matrix().dtype == np.float32
    assert not rows.take([3]).any()


def test_features_of_very_many_codes_are_counted_too():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.permutation(600), rng.permutation(600), rng.integers(0, 2, 600)])
    measure = MutualInformation(bins=600)
    np.testing.assert_allclose(measure.rows(X).matrix(), measure(X), rtol=1e-6)


@pytest.mark.parametrize("ranks", [False, True])
@pytest.mark.parametrize("weights", [None, np.arange(200) / 100 + 0.1])
def test_rows_of_correlation_are_those_of_the_matrix(ranks, weights):
    X, measure = 1e3 * table() + 1e6, Correlation(ranks=ranks)
    rows = measure.rows(X, sample_weight=weights)
    np.testing.assert_allclose(rows.matrix(), measure(X, sample_weight=weights), atol=1e-6)
    np.testing.assert_allclose(rows.take([7, 3]), rows.matrix()[[7, 3]], atol=1e-6)


def test_correlation_has_no_rows_where_values_are_missing():
    X = table()
    X[0, 0] = np.nan
    assert Correlation().rows(X) is None


def test_a_whole_matrix_is_symmetric_to_the_last_bit_closed_and_has_a_zero_diagonal():
    whole = MutualInformation().rows(table(n=150)).matrix()
    np.testing.assert_array_equal(whole, whole.T)
    assert not np.diagonal(whole).any()
    assert not whole.flags.writeable


def test_threads_change_nothing():
    X = table(n=80)
    one, two = (MutualInformation(n_jobs=jobs).rows(X).matrix() for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_a_row_is_computed_once_while_it_is_kept():
    asked, R = [], random_matrix(6)
    rows = counting(R, asked)
    np.testing.assert_array_equal(rows.take([4, 1, 4]), R[[4, 1, 4]])
    np.testing.assert_array_equal(rows.take([1, 2]), R[[1, 2]])
    assert asked == [[4, 1], [2]]
    assert rows.computed == 3
    assert rows.kept == 3 * 6 * 4


def test_the_row_that_was_not_asked_for_longest_is_forgotten_first():
    asked = []
    rows = counting(random_matrix(6), asked, limit=2 * 6 * 4)
    rows.take([0])
    rows.take([1])
    rows.take([0])
    rows.take([2])
    assert rows.kept <= 2 * 6 * 4
    asked.clear()
    rows.take([0])
    assert not asked
    rows.take([1])
    assert asked == [[1]]


def test_pairs_among_features_use_kept_rows_and_compute_no_whole_others():
    asked, R = [], random_matrix(6)
    rows = counting(R, asked)
    rows.take([4])
    asked.clear()
    np.testing.assert_array_equal(rows.among([4, 0, 5]), R[np.ix_([4, 0, 5], [4, 0, 5])])
    assert asked == [[0, 5]]
    assert rows.computed == 1


def test_of_a_measure_whose_rounding_depends_on_the_order_the_lower_feature_is_believed():
    R = random_matrix(5).astype(np.float64)
    R[3, 1] += 1e-3
    among = Rows(5, lambda a, b: R[np.ix_(a, b)]).among([3, 1])
    np.testing.assert_array_equal(among, np.float32(R[1, 3]) * (1 - np.eye(2)))


@pytest.mark.parametrize(("wrong", "said"), [(-1.0, "is -1"), (np.nan, "is nan"), (np.inf, "is inf")])
def test_what_is_no_redundancy_is_named(wrong, said):
    R = random_matrix(5)
    R[2, 4] = wrong
    with pytest.raises(ValueError, match=rf"finite and not negative; entry \(2, 4\) {said}"):
        Rows.of(R).take([2])


def test_rows_of_a_wrong_shape_are_refused():
    with pytest.raises(ValueError, match=r"must have shape \(1, 5\), got \(5, 5\)"):
        Rows(5, lambda a, b: np.zeros((5, 5))).take([2])


def test_rows_are_pickled_without_what_they_kept():
    rows = MutualInformation().rows(table())
    before = rows.take([4])
    again = pickle.loads(pickle.dumps(rows))
    assert (again.kept, again.size, again.work, again.shape) == (0, 30, rows.work, (30, 30))
    np.testing.assert_array_equal(again.take([4]), before)
