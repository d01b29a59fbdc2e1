"""QUBO: energies, forms, and what is refused."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import solver_oracles as oracles
from quboselect import QUBO, Tradeoff, solvers


@given(n=st.integers(1, 6), seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_energies_count_each_pair_once(n, seed):
    qubo = oracles.random_qubo(n, seed, signed=True)
    for x in oracles.subsets(n):
        naive = oracles.naive_energy(qubo.linear, qubo.couplings, x)
        assert qubo.energy(x) == pytest.approx(naive, abs=1e-12)
    batch = oracles.subsets(n)
    for rows in (batch[:3], np.concatenate([batch] * 32)):
        np.testing.assert_allclose(qubo.energy(rows), [qubo.energy(x) for x in rows], atol=1e-12)


@given(n=st.integers(1, 6), seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_any_square_matrix_folds_to_the_same_energies(n, seed):
    matrix = np.random.default_rng(seed).normal(size=(n, n))
    qubo = QUBO.from_matrix(matrix)
    for x in oracles.subsets(n):
        assert qubo.energy(x) == pytest.approx(x @ matrix @ x, abs=1e-12)
    assert np.array_equal(qubo.matrix, np.triu(qubo.matrix))
    np.testing.assert_array_equal(QUBO.from_matrix(qubo.matrix).couplings, qubo.couplings)


@given(n=st.integers(1, 6), seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_the_ising_form_has_the_same_energies_and_comes_back(n, seed):
    qubo = oracles.random_qubo(n, seed, signed=True)
    h, J, offset = qubo.ising()
    for x in oracles.subsets(n):
        s = 1 - 2 * x.astype(float)
        assert h @ s + s @ np.triu(J) @ s + offset == pytest.approx(qubo.energy(x), abs=1e-12)
    back, constant = QUBO.from_ising(h, J, offset)
    np.testing.assert_allclose(back.linear, qubo.linear, atol=1e-12)
    np.testing.assert_allclose(back.couplings, qubo.couplings, atol=1e-12)
    assert constant == pytest.approx(0.0, abs=1e-12)


def test_an_ising_model_without_offset_keeps_its_constant():
    qubo, constant = QUBO.from_ising([1.0, -2.0], [[0.0, 0.5], [0.5, 0.0]], 3.0)
    for x in oracles.subsets(2):
        s = 1 - 2 * x.astype(float)
        assert qubo.energy(x) + constant == pytest.approx(s[0] - 2 * s[1] + 0.5 * s[0] * s[1] + 3)


def test_arrays_are_read_only_and_apart_from_what_was_given():
    linear = np.array([-1.0, -2.0])
    qubo = QUBO(linear, np.zeros((2, 2)))
    linear[0] = 5.0
    assert qubo.linear[0] == -1.0
    with pytest.raises(ValueError, match="read-only"):
        qubo.couplings[0, 1] = 1.0


def test_the_tolerance_follows_the_energies_not_the_largest_penalty():
    small = QUBO([-1e-6, -1e-6], [[0.0, 1e6], [1e6, 0.0]])
    assert 0 < small.tolerance <= 1e-9 * 1e-6
    assert QUBO([0.0, 2.0], np.zeros((2, 2))).tolerance == 2e-9
    assert QUBO([0.0, 0.0], np.zeros((2, 2))).tolerance == 0.0


@pytest.mark.parametrize(
    ("linear", "couplings", "words"),
    [
        (
            [1.0, 2.0],
            [[0, 1], [2, 0]],
            r"couplings must be symmetric .* entry \(0, 1\) is 1\.0 but \(1, 0\) is 2\.0\. Use",
        ),
        ([1.0, 2.0], [[0, 1], [1, 3]], r"zero diagonal; entry \(1, 1\) is 3"),
        ([1.0, 2.0], np.zeros((3, 3)), r"couplings must have shape \(2, 2\), got \(3, 3\)"),
        ([1.0, np.nan], np.zeros((2, 2)), r"linear must be finite; entry \(1,\) is nan"),
        ([1.0, 1e308], np.zeros((2, 2)), r"linear .* at most 1e\+300 in size; entry \(1,\) is 1e\+308"),
        ([1.0, 2.0], [[0, -1e301], [-1e301, 0]], r"couplings .* entry \(0, 1\) is -1e\+301"),
        ([[1.0]], np.zeros((1, 1)), r"linear must have 1 dimension\(s\), got 2"),
    ],
)
def test_wrong_coefficients_are_refused_in_words(linear, couplings, words):
    with pytest.raises(ValueError, match=words):
        QUBO(linear, couplings)


@pytest.mark.parametrize("solver", [solvers.Exhaustive(), solvers.Portfolio(), solvers.BranchAndBound()])
def test_energies_of_the_largest_coefficients_are_finite(solver):
    couplings = 1e300 * (np.eye(6) - 1.0)
    solutions = solver(QUBO([-1e300, 1e300, -1e300, 1e300, -1e300, 1e300], couplings))
    assert solutions.proven
    assert solutions.energy[0] == pytest.approx(-15e300)
    with pytest.raises(ValueError, match=r"importance .* at most 1e\+300"):
        Tradeoff([1e308, 1e308], np.zeros((2, 2)))


def test_coefficients_that_are_not_numbers_are_refused_in_words():
    with pytest.raises(TypeError, match="linear must be 1-dimensional real numbers"):
        QUBO(["a"], [[0.0]])
    with pytest.raises(ValueError, match=r"matrix must be square, got shape \(1, 2\)"):
        QUBO.from_matrix([[1.0, 2.0]])


def test_wrong_bits_are_refused_in_words():
    qubo = QUBO([-1.0, -1.0], np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"x must be 2 bits, or rows of 2 bits; got shape \(3,\)"):
        qubo.energy([0, 1, 1])
    with pytest.raises(ValueError, match="x must hold only 0 and 1; got"):
        qubo.energy([0, 2])


def test_what_others_could_still_write_is_copied():
    linear = np.array([-1.0, -2.0])
    view = linear[:]
    view.flags.writeable = False
    qubo = QUBO(view, np.zeros((2, 2)))
    linear[0] = 9.0
    assert qubo.linear[0] == -1.0
    again = pickle.loads(pickle.dumps(qubo))
    assert not again.linear.flags.writeable
    assert again.linear.flags.c_contiguous


@pytest.mark.parametrize("linear", [None, [1j]])
def test_nothing_and_complex_numbers_are_refused(linear):
    with pytest.raises(TypeError, match="linear must be real numbers, got"):
        QUBO(linear, [[0.0]])
