"""Starts."""

import numpy as np
import pytest

from quboselect.quantum.circuits import Ramp, mean_field, uniform
from quboselect.quantum.circuits.starts import as_shares, start_parameters
from quboselect.qubo import QUBO
from solver_oracles import random_qubo

RNG = np.random.default_rng(0)


def test_a_ramp_rises_in_gamma_and_falls_in_beta():
    gammas, betas = Ramp(height=2.0)(8, RNG).reshape(2, 4)
    np.testing.assert_allclose(gammas, [0.25, 0.75, 1.25, 1.75])
    np.testing.assert_allclose(betas, gammas[::-1])


def test_random_angles_go_all_the_way_round():
    angles = uniform(2000, np.random.default_rng(0))
    assert -np.pi <= angles.min() < -3.1
    assert 3.1 < angles.max() < np.pi


def test_parameters_are_taken_as_they_are():
    np.testing.assert_array_equal(start_parameters([1.0, 2.0], 2, RNG), [1.0, 2.0])
    np.testing.assert_array_equal(start_parameters(lambda m, _: np.full(m, 3.0), 2, RNG), [3.0, 3.0])


def test_the_wrong_number_of_parameters_is_refused_in_words():
    with pytest.raises(ValueError, match=r"start must be 5 parameters, as many as the circuit has, got 2\."):
        start_parameters([1.0, 2.0], 5, RNG)


@pytest.mark.parametrize("height", [0, "a", None, np.nan])
def test_a_ramp_without_height_is_refused_in_words(height):
    with pytest.raises(ValueError, match=rf"height must be a positive number, got {height!r}\."):
        Ramp(height)


@pytest.mark.parametrize("values", [0.0, 1.1, True, "a", [], [0.1, 0.0]])
def test_what_is_no_share_is_refused_in_words(values):
    with pytest.raises(ValueError, match="cvar must be a share above 0 and at most 1, or several, got"):
        as_shares(values, "cvar")


def test_shares_can_be_compared():
    assert as_shares(0.5, "cvar") == 0.5
    assert as_shares(np.array([0.1, 0.5]), "cvar") == (0.1, 0.5)


def test_the_mean_field_of_bits_that_do_not_meet_is_their_optimum():
    chances = mean_field(QUBO([-1.0, 2.0, -0.5], np.zeros((3, 3))))
    np.testing.assert_allclose(chances, [1.0, 0.0, 1.0], atol=1e-3)


def test_the_mean_field_of_bits_that_push_each_other_away_comes_to_rest():
    # If both followed the other at once, they would jump between 0 and 1 for ever.
    qubo = QUBO([-1.0, -1.0], [[0.0, 1.0], [1.0, 0.0]])
    chances = mean_field(qubo)
    felt = qubo.linear + qubo.couplings @ chances
    np.testing.assert_allclose(chances, 1.0 / (1.0 + np.exp(30.0 * felt)), atol=1e-5)
    assert (chances < 0.99).all()


def test_the_mean_field_is_a_chance_whatever_the_unit_of_the_energies():
    qubo = random_qubo(8, 0)
    chances = mean_field(qubo)
    assert ((chances >= 0) & (chances <= 1)).all()
    np.testing.assert_allclose(mean_field(QUBO(1e6 * qubo.linear, 1e6 * qubo.couplings)), chances, atol=1e-9)
    np.testing.assert_array_equal(mean_field(QUBO(np.zeros(2), np.zeros((2, 2)))), 0.5)
