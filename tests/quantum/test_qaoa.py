"""QAOA."""

import numpy as np
import pytest

from quboselect.quantum.circuits import COBYLA, SPSA, Ramp, uniform
from quboselect.quantum.circuits import qiskit as on_qiskit
from quboselect.quantum.qaoa import QAOA
from quboselect.qubo import QUBO
from quboselect.testing import check_solver
from solver_oracles import lowest_energy, random_qubo

LIGHT = QAOA(layers=2, shots=100, optimiser=SPSA(iterations=5, calibration=3, first_step=0.1))
NOTHING = SPSA(iterations=0, calibration=0)
ASYMMETRIC = QUBO([-5.0, 3.0, -1.0, 2.0, 4.0], np.zeros((5, 5)))


def mean_energy(samples):
    return np.average(samples.energy, weights=samples.count)


def test_it_fits_the_socket():
    check_solver(LIGHT, success=0.8)


def test_all_shots_are_counted_and_nothing_is_proven():
    samples = QAOA(layers=3)(random_qubo(8, 0))
    assert samples.count.sum() == 1024
    assert samples.bound == -np.inf
    assert samples.info["evaluations"] == 114
    assert samples.info["parameters"].shape == (6,)
    assert samples.info["backend"] == "statevector"


@pytest.mark.parametrize("seed", range(4))
def test_a_ramp_alone_leads_far_below_chance_and_further_with_more_layers(seed):
    qubo = random_qubo(8, seed)
    few, many = (QAOA(layers=layers, optimiser=NOTHING)(qubo) for layers in (3, 30))
    chance, lowest = qubo.ising().offset, lowest_energy(qubo)
    assert mean_energy(few) < chance - 0.3 * (chance - lowest)
    assert mean_energy(many) < mean_energy(few)


@pytest.mark.parametrize("start", [Ramp(), uniform])
@pytest.mark.parametrize("optimiser", [SPSA(iterations=100, first_step=0.1), COBYLA(first_step=0.3)])
def test_optimising_lowers_the_mean_energy(start, optimiser):
    qubo = random_qubo(7, 1)
    raw, optimised = (QAOA(layers=3, start=start, optimiser=o, seed=2)(qubo) for o in (NOTHING, optimiser))
    assert mean_energy(optimised) < mean_energy(raw)
    assert optimised.energy[0] == pytest.approx(lowest_energy(qubo))


def test_bit_0_is_qubit_0():
    samples = QAOA(layers=20, optimiser=NOTHING)(ASYMMETRIC)
    assert samples.x[samples.count.argmax()].tolist() == [1, 0, 1, 0, 0]


def test_bit_0_is_qubit_0_on_qiskit():
    sampler = pytest.importorskip("qiskit.primitives").StatevectorSampler(seed=0)
    samples = QAOA(layers=20, optimiser=NOTHING, backend=on_qiskit.Sampler(sampler))(ASYMMETRIC)
    assert samples.x[samples.count.argmax()].tolist() == [1, 0, 1, 0, 0]


def test_a_warm_start_shows_more_of_its_bits():
    qubo = random_qubo(6, 4)
    x = np.array([1, 0, 0, 1, 0, 1])
    cold, warm = (QAOA(layers=1, optimiser=NOTHING, start=[0.0, 0.4], toward=t)(qubo) for t in (None, x))
    shown = [samples.count @ (samples.x == x.astype(bool)).mean(axis=1) / 1024 for samples in (cold, warm)]
    # Without a phase, neither start is moved by its own mixer.
    assert shown == pytest.approx([0.5, 0.9], abs=0.03)


def test_the_unit_of_the_energies_does_not_matter():
    qubo = random_qubo(7, 1)
    scaled = QUBO(2.0**40 * qubo.linear, 2.0**40 * qubo.couplings)
    np.testing.assert_array_equal(LIGHT(scaled).x, LIGHT(qubo).x)


def test_a_flat_landscape_is_no_problem():
    samples = QAOA(layers=1, shots=64)(QUBO(np.zeros(3), np.zeros((3, 3))))
    assert samples.count.sum() == 64


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"layers": 0}, "layers must be an integer of at least 1, got 0."),
        ({"shots": 1.5}, "shots must be an integer of at least 1, got 1.5."),
        ({"cvar": 2.0}, "cvar must be a share above 0 and at most 1, or several, got 2.0."),
    ],
)
def test_a_wrong_field_is_refused_in_words(fields, words):
    with pytest.raises(ValueError, match=words):
        QAOA(**fields)


def test_too_many_angles_are_refused_in_words():
    with pytest.raises(ValueError, match=r"start must be 4 parameters, as many as the circuit has, got 3\."):
        QAOA(layers=2, start=[1.0, 2.0, 3.0])(random_qubo(3, 0))
