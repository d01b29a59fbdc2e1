"""The kernels of state vectors against matrices of all amplitudes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from circuit_oracles import PAULI, all_bits, on
from quboselect._kernels import statevector as kernels
from solver_oracles import naive_energy, random_qubo


def random_state(n, seed):
    """Return a normalised state."""
    rng = np.random.default_rng(seed)
    state = rng.normal(size=2**n) + 1j * rng.normal(size=2**n)
    return state / np.linalg.norm(state)


def split(state):
    return state.real.copy(), state.imag.copy()


@settings(deadline=None, max_examples=30)
@given(n=st.integers(0, 7), seed=st.integers(0, 999), signed=st.booleans())
def test_energies_stand_where_their_bits_say(n, seed, signed):
    qubo = random_qubo(n, seed, signed=signed)
    energies = kernels.diagonal(qubo.linear, qubo.couplings)
    naive = [naive_energy(qubo.linear, qubo.couplings, x) for x in all_bits(n)]
    np.testing.assert_allclose(energies, naive, rtol=0, atol=1e-12)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("qubit", [0, 1, 2, 3])
def test_a_turn_is_the_exponential_of_its_pauli_matrix(axis, qubit):
    state, angle = random_state(4, 0), 1.3
    re, im = split(state)
    kernels.turn(re, im, qubit, axis, np.cos(angle / 2), np.sin(angle / 2))
    pauli = on(4, **{f"q{qubit}": "xyz"[axis]})
    expected = np.cos(angle / 2) * state - 1j * np.sin(angle / 2) * pauli @ state
    np.testing.assert_allclose(re + 1j * im, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("n", [1, 3, 12, 13])
def test_all_qubits_turn_whether_a_block_holds_them_or_not(n):
    rng = np.random.default_rng(n)
    state, axes, angles = random_state(n, 1), rng.integers(0, 3, n), rng.uniform(-7, 7, n)
    re, im = split(state)
    kernels.turn_all(re, im, axes, angles)
    # Axis 0 of the tensor is the highest qubit.
    tensor = state.reshape([2] * n)
    for i in range(n):
        pauli = PAULI["xyz"[axes[i]]]
        gate = np.cos(angles[i] / 2) * np.eye(2) - 1j * np.sin(angles[i] / 2) * pauli
        tensor = np.moveaxis(np.tensordot(gate, tensor, (1, n - 1 - i)), 0, n - 1 - i)
    np.testing.assert_allclose(re + 1j * im, tensor.ravel(), rtol=0, atol=1e-14)
    assert (re**2 + im**2).sum() == pytest.approx(1.0, abs=1e-13)


@pytest.mark.parametrize("n", [1, 2, 5, 18])
def test_neighbours_flip_the_sign_where_an_odd_number_of_pairs_is_one(n):
    state = random_state(n, 2)
    re, im = split(state)
    kernels.flip_neighbours(re, im)
    bits = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    pairs = (bits[:, 1:] * bits[:, :-1]).sum(axis=1)
    np.testing.assert_array_equal(re + 1j * im, np.where(pairs % 2, -state, state))


def test_a_phase_turns_every_amplitude_by_its_energy():
    state, energies = random_state(5, 3), np.random.default_rng(0).normal(size=32)
    re, im = split(state)
    kernels.phase(re, im, energies, 0.7)
    np.testing.assert_allclose(re + 1j * im, np.exp(-0.7j * energies) * state, rtol=0, atol=1e-14)


def test_probabilities_add_up_in_the_order_of_the_index():
    state = random_state(6, 4)
    np.testing.assert_allclose(kernels.cumulative(*split(state)), np.cumsum(np.abs(state) ** 2), rtol=1e-13)


def test_a_product_state_shows_every_qubit_with_its_own_chance():
    angles = np.array([0.3, 1.2, 2.9])
    re, im = kernels.product_state(angles)
    chances = np.sin(angles / 2) ** 2
    expected = np.where(all_bits(3), chances, 1 - chances).prod(axis=1)
    np.testing.assert_allclose(re**2 + im**2, expected, rtol=0, atol=1e-15)
    assert not im.any()
