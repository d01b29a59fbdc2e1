"""Ansatz: the state of the kernels is the state of the gates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from circuit_oracles import all_bits, naive_state
from quboselect.quantum.circuits import Alternating, TwoDesign, tilts
from quboselect.qubo import QUBO
from solver_oracles import random_qubo


def amplitudes(ansatz, parameters):
    re, im = ansatz.state(parameters)
    return re + 1j * im


@settings(deadline=None, max_examples=20)
@given(n=st.integers(1, 5), layers=st.integers(0, 4), seed=st.integers(0, 999))
def test_the_two_design_is_the_product_of_its_gates(n, layers, seed):
    ansatz = TwoDesign.random(n, layers=layers, seed=seed)
    parameters = np.random.default_rng(seed).uniform(-7, 7, ansatz.parameters)
    expected = naive_state(ansatz, parameters)
    np.testing.assert_allclose(amplitudes(ansatz, parameters), expected, rtol=0, atol=1e-12)


@settings(deadline=None, max_examples=20)
@given(n=st.integers(1, 5), layers=st.integers(1, 4), seed=st.integers(0, 999), warm=st.booleans())
def test_alternating_layers_are_the_product_of_their_gates(n, layers, seed, warm):
    rng = np.random.default_rng(seed)
    toward = rng.random(n) if warm else None
    ansatz = Alternating.of(random_qubo(n, seed, signed=True), layers=layers, toward=toward)
    parameters = rng.uniform(-3, 3, ansatz.parameters)
    expected = naive_state(ansatz, parameters)
    np.testing.assert_allclose(amplitudes(ansatz, parameters), expected, rtol=0, atol=1e-12)


@settings(deadline=None, max_examples=20)
@given(n=st.integers(1, 7), seed=st.integers(0, 999))
def test_the_energies_of_the_spins_are_those_of_the_bits(n, seed):
    qubo = random_qubo(n, seed, signed=True)
    h, J, offset = qubo.ising()
    spread = np.sqrt((h**2).sum() + (np.triu(J) ** 2).sum())
    energies = spread * Alternating.of(qubo, layers=1).energies + offset
    np.testing.assert_allclose(energies, [qubo.energy(x) for x in all_bits(n)], rtol=0, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_angles_are_of_order_one_whatever_the_unit_of_the_energies(scale):
    qubo = random_qubo(6, 0)
    energies = Alternating.of(QUBO(scale * qubo.linear, scale * qubo.couplings), layers=1).energies
    assert energies.std() == pytest.approx(1.0)
    assert energies.mean() == pytest.approx(0.0, abs=1e-12)


def test_rising_gammas_and_falling_betas_lead_down_and_not_up():
    qubo = random_qubo(6, 1)
    ansatz = Alternating.of(qubo, layers=60)
    rise = (np.arange(60) + 0.5) / 60
    shares = np.abs(amplitudes(ansatz, np.concatenate([rise, 1 - rise]))) ** 2
    assert shares @ ansatz.energies < 0.8 * ansatz.energies.min()


def test_four_layers_on_ten_qubits_have_fifty_parameters_and_thirty_six_joined_neighbours():
    ansatz = TwoDesign.random(10, layers=4, seed=0)
    assert ansatz.parameters == 50
    assert sum(gate.name == "cz" for gate in ansatz.gates()) == 36


def test_axes_depend_on_the_seed_and_on_nothing_else():
    one, same, other = (TwoDesign.random(5, layers=2, seed=seed).axes for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()
    assert set(one.ravel()) <= {0, 1, 2}


def test_a_circuit_led_by_y_keeps_its_other_axes():
    ansatz = TwoDesign.random(5, layers=2, seed=1)
    led = ansatz.led_by_y()
    assert (led.axes[0] == 1).all()
    np.testing.assert_array_equal(led.axes[1:], ansatz.axes[1:])


def test_tilts_keep_off_certainty():
    np.testing.assert_allclose(np.sin(tilts([0.0, 0.3, 1.0], 3) / 2) ** 2, [0.1, 0.3, 0.9])


@pytest.mark.parametrize(
    ("toward", "words"),
    [
        ([0.5, 0.5], "toward must be 3 numbers from 0 to 1, one for each bit, got 2."),
        ([0.5, 1.5, 0.0], "toward must be numbers from 0 to 1, got 1.5."),
    ],
)
def test_chances_that_are_none_are_refused_in_words(toward, words):
    with pytest.raises(ValueError, match=words):
        tilts(toward, 3)


def test_axes_that_are_none_are_refused_in_words():
    with pytest.raises(ValueError, match=r"axes must be rows of 0, 1 and 2, .* got shape \(1, 2\)"):
        TwoDesign([[0, 3]])
