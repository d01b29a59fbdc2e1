"""Anneal."""

import numpy as np
import pytest

from quboselect.qubo import QUBO
from quboselect.solvers.anneal import Anneal, barrier
from solver_oracles import lowest_energy, random_qubo

CASES = [{}, {"signed": True}, {"whole": True}]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n", [1, 2, 5, 10])
def test_the_minimum_of_a_small_qubo_is_among_the_reads(n, case):
    qubo = random_qubo(n, 0, **case)
    samples = Anneal(reads=50, sweeps=100)(qubo)
    assert samples.energy[0] == pytest.approx(lowest_energy(qubo), abs=1e-9)
    assert samples.bound == -np.inf


@pytest.mark.parametrize("case", CASES)
def test_the_minimum_at_exactly_k_is_among_the_reads_for_every_k(case):
    qubo = random_qubo(8, 1, **case)
    for k in range(9):
        samples = Anneal(k=k, reads=50, sweeps=100)(qubo)
        assert (samples.x.sum(axis=1) == k).all()
        assert samples.energy[0] == pytest.approx(lowest_energy(qubo, k), abs=1e-9)


def test_every_read_is_counted():
    assert Anneal(reads=123, sweeps=10)(random_qubo(10, 0)).count.sum() == 123


@pytest.mark.parametrize("k", [None, 10])
def test_the_result_is_the_same_whatever_the_number_of_threads(k):
    qubo = random_qubo(50, 4, signed=True)
    one, two = (Anneal(k=k, reads=20, sweeps=300, n_jobs=n_jobs)(qubo) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.x, two.x)
    np.testing.assert_array_equal(one.count, two.count)


def test_another_seed_gives_other_reads():
    qubo = random_qubo(50, 4, signed=True)
    one, other = (Anneal(reads=3, sweeps=2, seed=seed)(qubo) for seed in (0, 1))
    assert set(map(bytes, one.x)) != set(map(bytes, other.x))


def test_more_sweeps_freeze_into_lower_energies():
    qubo = random_qubo(60, 2)
    short, long = (Anneal(reads=30, sweeps=sweeps)(qubo) for sweeps in (2, 500))
    assert np.average(long.energy, weights=long.count) < np.average(short.energy, weights=short.count)


def test_of_identical_bits_the_first_is_taken():
    linear, couplings = np.full(4, -1.0), 3.0 * (np.ones((4, 4)) - np.eye(4))
    for seed in range(5):
        assert Anneal(reads=1, sweeps=5, seed=seed)(QUBO(linear, couplings)).best.tolist() == [1, 0, 0, 0]


def test_the_unit_of_the_energies_does_not_matter():
    qubo = random_qubo(12, 1)
    scaled = QUBO(2.0**40 * qubo.linear, 2.0**40 * qubo.couplings)
    few = Anneal(reads=5, sweeps=20)
    np.testing.assert_array_equal(few(scaled).x, few(qubo).x)


def test_temperatures_fall_from_hot_to_cold_in_units_of_the_barrier():
    qubo = QUBO([-1.0, -4.0], [[0.0, 3.0], [3.0, 0.0]])
    betas = Anneal(hot=2.0, cold=0.5, sweeps=3).betas(qubo)
    np.testing.assert_allclose(1.0 / betas, [6.0, 3.0, 1.5])


def test_a_flat_landscape_has_some_barrier_still():
    flat = QUBO(np.zeros(3), np.zeros((3, 3)))
    assert barrier(flat) == barrier(flat, 2) == barrier(flat, 0) == barrier(flat, 3) == 1.0
    assert not Anneal(reads=3, sweeps=3)(flat).best.any()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"reads": 0}, "reads must be an integer of at least 1, got 0."),
        ({"sweeps": 0}, "sweeps must be an integer of at least 1, got 0."),
        ({"seed": -2}, "seed must be an integer of at least 0, got -2."),
        ({"hot": 1.0, "cold": 2.0}, "must be 0 < cold <= hot, got hot=1.0, cold=2.0."),
    ],
)
def test_a_wrong_field_is_refused_in_words(fields, words):
    with pytest.raises(ValueError, match=words):
        Anneal(**fields)


def test_more_ones_than_bits_are_refused_in_words():
    with pytest.raises(ValueError, match=r"k .* from 0 to 3, got 4"):
        Anneal(k=4)(random_qubo(3, 0))
