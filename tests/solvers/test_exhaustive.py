"""Exhaustive: the oracle of the others has an oracle of its own."""

from fractions import Fraction

import numpy as np
import pytest

import solver_oracles as oracles
from quboselect import QUBO
from quboselect.solvers import Exhaustive
from quboselect.testing import check_solver


@pytest.mark.parametrize("kind", [{}, {"signed": True}, {"whole": True}])
@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_it_finds_the_minimum_of_every_size(n, kind):
    qubo = oracles.random_qubo(n, n, **kind)
    for k in (None, *range(n + 1)):
        samples = Exhaustive(k=k)(qubo)
        assert samples.energy[0] == pytest.approx(oracles.lowest_energy(qubo, k), abs=1e-12)
        assert samples.proven


def test_ties_go_to_fewer_ones_then_to_lower_indices_among_all_subsets():
    for seed in range(30):
        qubo = oracles.random_qubo(7, seed, whole=True)
        rows = oracles.subsets(7)
        energy = np.asarray(qubo.energy(rows))
        tied = [np.flatnonzero(x).tolist() for x in rows[energy <= energy.min() + 1e-12]]
        best = min(tied, key=lambda chosen: (len(chosen), chosen))
        assert np.flatnonzero(Exhaustive()(qubo).best).tolist() == best


def test_blocks_and_threads_change_nothing():
    qubo = oracles.random_qubo(18, 3, signed=True)
    one, two = Exhaustive(n_jobs=1)(qubo), Exhaustive(n_jobs=4)(qubo)
    assert np.array_equal(one.x, two.x)
    assert one.energy[0] == two.energy[0]


def test_it_passes_the_conformance_kit():
    check_solver(Exhaustive(), success=1.0)


def test_too_many_bits_are_refused_in_words():
    with pytest.raises(ValueError, match=r"takes at most 30 bits, got 31; use solvers\.BranchAndBound"):
        Exhaustive()(QUBO(-np.ones(31), np.zeros((31, 31))))
    with pytest.raises(ValueError, match="k must be an integer from 0 to 2"):
        Exhaustive(k=3)(QUBO(-np.ones(2), np.zeros((2, 2))))


@pytest.mark.parametrize("couplings", [1.0, 1e6, 1e12, 1e17])
def test_large_couplings_do_not_drown_small_energies(couplings):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        pairs = np.triu(couplings * rng.random((7, 7)) * (rng.random((7, 7)) < 0.5), 1)
        qubo = QUBO(-rng.random(7), pairs + pairs.T)
        exact = [
            sum(map(Fraction, qubo.linear[x]), Fraction(0))
            + sum(
                (Fraction(qubo.couplings[i, j]) for i in range(7) for j in range(i) if x[i] and x[j]),
                Fraction(0),
            )
            for x in oracles.subsets(7)
        ]
        assert Exhaustive()(qubo).energy[0] == pytest.approx(float(min(exact)), rel=1e-9)


def exact_energy(qubo, x):
    ones = np.flatnonzero(x)
    pairs = [qubo.couplings[i, j] for i in ones for j in ones if j < i]
    return sum(map(Fraction, [*qubo.linear[ones], *pairs]), Fraction(0))


@pytest.mark.parametrize("negative", [False, True])
def test_the_best_of_a_size_is_proven_where_its_energy_is_a_sum_of_huge_and_tiny_numbers(negative):
    for seed in range(60):
        rng = np.random.default_rng([seed, negative])
        n = int(rng.integers(3, 8))
        pairs = np.triu(rng.normal(size=(n, n)) * 10.0 ** rng.uniform(0, 15, (n, n)), 1)
        pairs = pairs if negative else np.abs(pairs)
        qubo = QUBO(rng.normal(size=n), pairs + pairs.T)
        k = int(rng.integers(1, n + 1))
        solutions = Exhaustive(k=k)(qubo)
        best = min(exact_energy(qubo, x) for x in oracles.subsets(n) if x.sum() == k)
        assert solutions.proven
        assert float(exact_energy(qubo, solutions.best) - best) <= qubo.tolerance


@pytest.mark.parametrize("k", ["a", -1, 1.0])
def test_a_wrong_k_is_refused_where_it_is_made(k):
    with pytest.raises(ValueError, match="k must be an integer of at least 0"):
        Exhaustive(k=k)


def test_among_equal_energies_the_fewest_bits_win_wherever_they_are_tried():
    # One bit that is tried among the last ties with two that are tried among the first.
    n = 16
    linear, couplings = np.ones(n), np.full((n, n), 5.0)
    linear[[0, 1, n - 1]] = -1.0, -1.0, -2.0
    couplings[0, 1] = couplings[1, 0] = 0.0
    np.fill_diagonal(couplings, 0.0)
    found = Exhaustive()(QUBO(linear, couplings))
    assert found.energy[0] == -2.0
    assert np.flatnonzero(found.best).tolist() == [n - 1]
