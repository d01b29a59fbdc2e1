"""Tradeoff: the QUBO at an alpha, the two ends, the eps rule, and what is refused."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import path_oracles
from quboselect import Tradeoff, solvers


@given(seed=st.integers(0, 10**6), alpha=st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_a_subset_is_a_line_in_alpha(seed, alpha):
    tradeoff = path_oracles.random_tradeoff(seed)
    x = np.random.default_rng(seed).random(tradeoff.size) < 0.5
    importance, redundancy = tradeoff.line(x)
    energy = (1 - alpha) * redundancy - alpha * importance
    assert tradeoff.at(alpha).energy(x) == pytest.approx(energy, abs=1e-12)


def test_at_zero_the_empty_set_ties_with_every_single_feature():
    qubo = Tradeoff([1.0, 2.0], [[0, 1], [1, 0]]).at(0.0)
    assert qubo.energy([[0, 0], [1, 0], [0, 1]]).tolist() == [0.0, 0.0, 0.0]
    assert solvers.Exhaustive()(qubo).best.sum() == 0


def test_at_one_every_feature_of_any_importance_is_selected():
    redundancy = 9.0 * (1 - np.eye(4))
    everything = solvers.Exhaustive()(Tradeoff([1.0, 2.0, 3.0, 4.0], redundancy).at(1.0))
    assert everything.best.all()
    without = solvers.Exhaustive()(Tradeoff([1.0, 0.0, 3.0, 4.0], redundancy).at(1.0))
    assert without.best.tolist() == [True, False, True, True]


def test_the_eps_rule_gives_unimportant_features_the_largest_entry():
    tradeoff = Tradeoff([1.0, 1e-9, 0.0], [[0, 2, 1], [2, 0, 3], [1, 3, 0]])
    qubo = tradeoff.at(0.5, eps=1e-8)
    assert qubo.linear.tolist() == [-0.5, 1.5, 1.5]
    assert tradeoff.at(0.5).linear.tolist() == [-0.5, -0.5e-9, 0.0]


def test_mu_is_positive_even_where_nothing_is_redundant():
    qubo = Tradeoff([1.0, 0.0], np.zeros((2, 2))).at(1.0, eps=1e-8)
    assert qubo.linear[1] > 0
    assert solvers.Exhaustive()(qubo).best.tolist() == [True, False]


@pytest.mark.parametrize(
    ("importance", "redundancy", "words"),
    [
        ([1.0, -1.0], np.zeros((2, 2)), "importance must not be negative; entry 1 is -1"),
        (
            [1.0, 1.0],
            [[0, 0.41], [0.40, 0]],
            r"redundancy must be symmetric with a zero diagonal; entry \(0, 1\)",
        ),
        ([1.0, np.inf], np.zeros((2, 2)), "importance must be finite"),
    ],
)
def test_wrong_measures_are_refused_in_words(importance, redundancy, words):
    with pytest.raises(ValueError, match=words):
        Tradeoff(importance, redundancy)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan")])
def test_alpha_outside_its_range_is_refused(alpha):
    with pytest.raises(ValueError, match="alpha must be a number from 0 to 1"):
        Tradeoff([1.0], [[0.0]]).at(alpha)


def test_a_negative_eps_and_a_batch_of_lines_are_refused():
    tradeoff = Tradeoff([1.0], [[0.0]])
    with pytest.raises(ValueError, match="eps must not be negative, got -1"):
        tradeoff.at(0.5, eps=-1)
    with pytest.raises(ValueError, match="x must be one subset of 1 bits"):
        tradeoff.line([[1], [0]])


def test_rounding_in_a_symmetric_matrix_is_mended():
    X = np.random.default_rng(0).normal(size=(50, 6))
    matrix = np.abs(np.corrcoef(X, rowvar=False))
    np.fill_diagonal(matrix, 0.0)
    matrix[0, 1] *= 1 + 1e-15
    tradeoff = Tradeoff(np.ones(6), matrix)
    assert np.array_equal(tradeoff.redundancy, tradeoff.redundancy.T)
    with pytest.raises(ValueError, match=r"np\.fill_diagonal"):
        Tradeoff(np.ones(6), matrix + np.eye(6))


@pytest.mark.parametrize("alpha", ["0.5", None, True])
def test_alpha_that_is_no_number_is_refused(alpha):
    with pytest.raises(ValueError, match="alpha must be a number from 0 to 1, got"):
        Tradeoff([1.0], [[0.0]]).at(alpha)


@given(seed=st.integers(0, 10**6), alpha=st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_cost_weighs_as_redundancy_does(seed, alpha):
    tradeoff = path_oracles.random_priced(seed)
    x, importance, redundancy = path_oracles.all_lines(tradeoff)
    energy = (1 - alpha) * redundancy - alpha * importance
    np.testing.assert_allclose(tradeoff.at(alpha).energy(x), energy, atol=1e-12)
    assert tradeoff.line(x[-1]) == pytest.approx((importance[-1], redundancy[-1]), abs=1e-12)


@pytest.mark.parametrize("cost", [None, np.zeros(3)])
def test_no_cost_changes_no_bit(cost):
    importance, redundancy = [1.0, 0.3, 0.0], [[0, 2, 1], [2, 0, 3], [1, 3, 0]]
    tradeoff = Tradeoff(importance, redundancy, cost)
    assert tradeoff.cost.tolist() == [0.0, 0.0, 0.0]
    assert not tradeoff.cost.flags.writeable
    for alpha in (0.0, 0.3, 1.0):
        qubo = tradeoff.at(alpha)
        assert qubo.linear.tobytes() == (-alpha * np.array(importance)).tobytes()
        assert qubo.couplings.tobytes() == ((1.0 - alpha) * np.array(redundancy, float)).tobytes()
        assert qubo.scale is None


def test_a_cost_travels_with_its_tradeoff():
    tradeoff = pickle.loads(pickle.dumps(Tradeoff([1.0, 2.0], np.zeros((2, 2)), [3.0, 0.0])))
    assert tradeoff.cost.tolist() == [3.0, 0.0]
    assert not tradeoff.cost.flags.writeable


def test_the_eps_rule_looks_at_importance_not_at_cost():
    tradeoff = Tradeoff([1.0, 1e-9, 1.0], np.zeros((3, 3)), [0.0, 0.0, 4.0])
    assert tradeoff.at(0.5, eps=1e-8).linear.tolist() == [-0.5, 1.5, 1.5]


@pytest.mark.parametrize("expensive", [0.7, 1e9])
def test_what_counts_as_equal_is_what_it_is_without_costs(expensive):
    # At 0.7 the first feature's energy is all rounding, and the second's may be a billion.
    qubo = Tradeoff([0.3, 0.3], np.zeros((2, 2)), [0.7, expensive]).at(0.7)
    assert qubo.tolerance == pytest.approx(1e-9 * 0.7 * 0.3)
    assert solvers.Exhaustive()(qubo).best.sum() == 0


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        ([1.0, np.nan], "cost must be finite"),
        ([1.0], "cost must be 2 numbers, one for each feature, got 1: what costs nothing has a 0"),
        (3.0, "cost must have 1 dimension"),
    ],
)
def test_a_wrong_cost_is_refused_in_words(cost, words):
    with pytest.raises(ValueError, match=words):
        Tradeoff([1.0, 1.0], np.zeros((2, 2)), cost)


@pytest.mark.parametrize("alpha", [Fraction(1, 2), np.longdouble("0.5"), np.float32(0.5), 0.5])
def test_any_real_number_may_be_alpha(alpha):
    qubo = Tradeoff([1.0, 2.0], [[0, 0.5], [0.5, 0]], cost=[0.0, 1.0]).at(alpha)
    assert qubo.linear.dtype == qubo.couplings.dtype == np.float64
    assert type(qubo.scale) is float
    np.testing.assert_array_equal(qubo.linear, [-0.5, -0.5])
