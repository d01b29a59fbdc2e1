"""QuantumAnnealing: the Schroedinger equation, against exponentials of its Hamiltonian."""

import numpy as np
import pytest

from authors import REFERENCE
from circuit_oracles import naive_anneal
from quboselect.quantum.circuits.ansatz import Alternating
from quboselect.quantum.quantum_annealing import QuantumAnnealing, noisy_ising, scaled_ising
from quboselect.qubo import QUBO
from quboselect.testing import check_solver
from solver_oracles import lowest_energy, random_qubo

FILE = REFERENCE / "qubo_synth_10.npy"


def probabilities(solver, qubo):
    """Return what the solver draws its shots from."""
    h, J, _ = scaled_ising(qubo.ising())
    angles = solver.angles()
    re, im = Alternating(h, J, angles.size // 2, np.full(h.size, np.pi / 2)).state(angles)
    return re**2 + im**2


def test_it_fits_the_socket():
    check_solver(QuantumAnnealing(time=5.0, shots=100), success=0.9)
    check_solver(QuantumAnnealing(time=5.0, shots=100, noise=0.05, draws=3), success=0.8)


@pytest.mark.parametrize("n", [1, 3, 4])
@pytest.mark.parametrize("time", [1.0, 12.0])
def test_steps_follow_the_schroedinger_equation(n, time):
    qubo = random_qubo(n, n, signed=True)
    h, J, _ = scaled_ising(qubo.ising())
    expected = naive_anneal(h, J, time, steps=int(100 * time))
    np.testing.assert_allclose(
        probabilities(QuantumAnnealing(time=time, step=0.01), qubo), expected, atol=1e-5
    )
    np.testing.assert_allclose(probabilities(QuantumAnnealing(time=time), qubo), expected, atol=0.01)


def test_halving_the_step_quarters_the_error():
    qubo = random_qubo(3, 7)
    h, J, _ = scaled_ising(qubo.ising())
    expected = naive_anneal(h, J, 4.0, steps=4000)
    errors = [
        np.abs(probabilities(QuantumAnnealing(time=4.0, step=step), qubo) - expected).max()
        for step in (0.4, 0.2)
    ]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_a_slow_anneal_ends_in_the_optimum_and_a_sudden_one_anywhere():
    qubo = random_qubo(6, 0)
    lowest = lowest_energy(qubo)

    def share(time):
        samples = QuantumAnnealing(time=time)(qubo)
        return samples.count[samples.energy <= lowest + 1e-9].sum() / 1024

    assert share(1e-3) < 0.1
    assert share(300.0) > 0.9


def test_bit_0_is_qubit_0():
    samples = QuantumAnnealing(time=200.0)(QUBO([-5.0, 3.0, -1.0, 2.0, 4.0], np.zeros((5, 5))))
    assert samples.x[samples.count.argmax()].tolist() == [1, 0, 1, 0, 0]


@pytest.mark.skipif(not FILE.exists(), reason="the authors' files are not beside this checkout")
def test_the_papers_ten_features_are_found_as_often_as_an_independent_simulation_says():
    qubo = QUBO.from_matrix(np.load(FILE))
    energies = np.array([qubo.energy(((m >> np.arange(10)) & 1).astype(bool)) for m in range(1024)])
    for time, percent in ((1, 0.12), (5, 0.57), (20, 1.54), (50, 3.28), (100, 5.62), (200, 9.51)):
        share = probabilities(QuantumAnnealing(time=time), qubo)[energies.argmin()]
        assert 100 * share == pytest.approx(percent, rel=0.02, abs=0.01)


def test_noise_disturbs_fields_and_those_couplings_that_are_there():
    ising = scaled_ising(QUBO([-1.0, -1.0, -1.0], [[0, 3, 0], [3, 0, 1], [0, 1, 0]]).ising())
    noisy = [noisy_ising(ising, 0.1, np.random.default_rng(seed)) for seed in range(2000)]
    J = np.array([draw.J for draw in noisy])
    assert (J.transpose(0, 2, 1) == J).all()
    assert not J[:, 0, 2].any()
    np.testing.assert_allclose(J[:, [0, 1], [1, 2]].std(axis=0), 0.1, rtol=0.1)
    np.testing.assert_allclose(np.std([draw.h for draw in noisy], axis=0), 0.1, rtol=0.1)
    assert noisy_ising(ising, 0.0, np.random.default_rng(0)).h.tolist() == ising.h.tolist()


def test_shots_are_shared_among_the_draws_of_the_noise():
    qubo = random_qubo(5, 0)
    samples = QuantumAnnealing(time=5.0, noise=0.2, draws=7, shots=100)(qubo)
    assert samples.count.sum() == 100
    assert samples.info["draws"] == 7
    assert samples.bound == -np.inf
    assert QuantumAnnealing(time=5.0, noise=0.2, draws=7, shots=3)(qubo).info["draws"] == 3
    assert QuantumAnnealing(time=5.0)(qubo).info["draws"] == 1


def test_strong_noise_costs_hits():
    qubo = random_qubo(6, 0)
    lowest = lowest_energy(qubo)
    quiet, loud = (QuantumAnnealing(time=200.0, noise=noise, draws=8)(qubo) for noise in (0.0, 0.5))
    hits = [samples.count[samples.energy <= lowest + 1e-9].sum() for samples in (quiet, loud)]
    assert hits[1] < 0.8 * hits[0]


def test_the_result_is_the_same_whatever_the_number_of_threads():
    qubo = random_qubo(6, 3)
    one, two = (QuantumAnnealing(time=5.0, noise=0.1, draws=4, n_jobs=n_jobs)(qubo) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.x, two.x)
    np.testing.assert_array_equal(one.count, two.count)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"time": 0.0}, "time must be a finite, positive number, got 0.0."),
        ({"step": -1.0}, "step must be a finite, positive number, got -1.0."),
        ({"noise": np.inf}, "noise must be a finite, non-negative number, got inf."),
        ({"draws": 0}, "draws must be an integer of at least 1, got 0."),
    ],
)
def test_a_wrong_field_is_refused_in_words(fields, words):
    with pytest.raises(ValueError, match=words):
        QuantumAnnealing(**fields)


def test_too_many_bits_are_refused_with_the_memory_they_would_take():
    words = (
        r"QuantumAnnealing takes at most 20 bits, got 34: 2\*\*34 amplitudes are 256 GiB\. .* solvers\.Anneal"
    )
    with pytest.raises(ValueError, match=words):
        QuantumAnnealing()(random_qubo(34, 0))
