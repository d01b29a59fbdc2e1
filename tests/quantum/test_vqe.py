"""VQE."""

import numpy as np
import pytest

from circuit_oracles import all_bits
from quboselect.quantum.circuits import COBYLA, SPSA, Statevector, TwoDesign, cvar, mean_field
from quboselect.quantum.circuits import qiskit as on_qiskit
from quboselect.quantum.qaoa import QAOA
from quboselect.quantum.vqe import VQE
from quboselect.qubo import QUBO
from quboselect.testing import check_solver
from solver_oracles import lowest_energy, random_qubo

LIGHT = VQE(layers=1, shots=100, optimiser=SPSA(iterations=5, calibration=3), cvar=0.2)
NOTHING = SPSA(iterations=0, calibration=0)
# Bits of very different weight, so that an order taken the wrong way round shows.
ASYMMETRIC = QUBO([-5.0, 3.0, -1.0, 2.0, 4.0], np.zeros((5, 5)))


def mean_energy(samples):
    return np.average(samples.energy, weights=samples.count)


def test_it_fits_the_socket():
    check_solver(LIGHT, success=0.5)


def test_the_defaults_are_the_papers():
    samples = VQE()(random_qubo(10, 0))
    assert samples.count.sum() == 1024
    assert samples.bound == -np.inf
    assert samples.info["evaluations"] == 114
    assert samples.info["parameters"].shape == (50,)
    assert samples.info["history"].shape == (64,)
    assert samples.info["backend"] == "statevector"
    axes = TwoDesign.random(10, layers=4, seed=samples.info["axes_seed"]).axes
    np.testing.assert_array_equal(samples.info["axes"], axes)


@pytest.mark.parametrize("optimiser", [SPSA(iterations=100), COBYLA()])
def test_optimising_lowers_the_mean_energy_and_finds_the_optimum(optimiser):
    qubo = random_qubo(6, 2)
    raw, optimised = (VQE(optimiser=o, seed=1)(qubo) for o in (NOTHING, optimiser))
    assert mean_energy(optimised) < mean_energy(raw) - 0.5
    assert optimised.energy[0] == pytest.approx(lowest_energy(qubo))


@pytest.mark.parametrize("instance", range(3))
def test_each_share_is_best_at_what_it_minimises(instance):
    qubo = random_qubo(10, instance)

    def reached(share, judged):
        runs = [VQE(cvar=share, seed=seed)(qubo) for seed in range(12)]
        return np.mean([cvar(np.repeat(run.energy, run.count), judged) for run in runs])

    assert reached(0.1, judged=0.1) < reached(1.0, judged=0.1)
    assert reached(1.0, judged=1.0) < reached(0.1, judged=1.0)


def test_bit_0_is_qubit_0():
    samples = VQE(optimiser=SPSA(iterations=200), cvar=0.3)(ASYMMETRIC)
    assert samples.best.tolist() == [1, 0, 1, 0, 0]
    assert samples.x[samples.count.argmax()].tolist() == [1, 0, 1, 0, 0]


def test_bit_0_is_qubit_0_on_qiskit():
    sampler = pytest.importorskip("qiskit.primitives").StatevectorSampler(seed=0)
    samples = VQE(optimiser=SPSA(iterations=60), cvar=0.3, backend=on_qiskit.Sampler(sampler))(ASYMMETRIC)
    assert samples.x[samples.count.argmax()].tolist() == [1, 0, 1, 0, 0]
    assert samples.info["backend"] == "qiskit"


@pytest.mark.parametrize("layers", [0, 1, 2, 5])
def test_a_warm_start_shows_the_bits_it_was_given(layers):
    toward = [1.0, 0.0, 0.3, 0.7, 0.0]
    samples = VQE(layers=layers, shots=20_000, optimiser=NOTHING, toward=toward)(random_qubo(5, 0))
    shown = samples.count @ samples.x / 20_000
    np.testing.assert_allclose(shown, [0.9, 0.1, 0.3, 0.7, 0.1], atol=0.02)


def test_a_warm_start_may_depend_on_the_qubo():
    qubo = random_qubo(5, 0)
    given, computed = (
        VQE(optimiser=NOTHING, toward=toward)(qubo) for toward in (mean_field(qubo), mean_field)
    )
    np.testing.assert_array_equal(given.x, computed.x)
    np.testing.assert_array_equal(given.info["start"], computed.info["start"])


def test_it_goes_on_from_the_parameters_of_an_earlier_run():
    qubo = random_qubo(5, 1)
    first = LIGHT(qubo)
    again = VQE(layers=1, optimiser=NOTHING, start=first.info["parameters"])(qubo)
    np.testing.assert_array_equal(again.info["parameters"], first.info["parameters"])


def test_another_seed_gives_other_axes_and_other_shots():
    one, other = (VQE(optimiser=NOTHING, seed=seed)(random_qubo(6, 0)) for seed in (0, 1))
    assert (one.info["axes"] != other.info["axes"]).any()
    assert set(map(bytes, one.x)) != set(map(bytes, other.x)) or (one.count != other.count).any()


def test_solvers_of_the_same_fields_are_equal_even_with_arrays():
    one, same, other = (VQE(start=np.full(4, value), toward=np.ones(2)) for value in (1.0, 1.0, 2.0))
    assert one == same != other


def test_every_bit_vector_of_a_small_qubo_has_its_true_energy():
    qubo = random_qubo(3, 5, signed=True)
    samples = VQE(shots=5000, optimiser=NOTHING)(qubo)
    energies = {bytes(x): qubo.energy(x) for x in all_bits(3)}
    assert all(energies[bytes(x)] == pytest.approx(e) for x, e in zip(samples.x, samples.energy, strict=True))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"layers": -1}, "layers must be an integer of at least 0, got -1."),
        ({"shots": 0}, "shots must be an integer of at least 1, got 0."),
        ({"seed": 0.5}, "seed must be an integer of at least 0, got 0.5."),
        ({"cvar": 0.0}, "cvar must be a share above 0 and at most 1, or several, got 0.0."),
        ({"toward": [[1.0]]}, r"toward must have 1 dimension\(s\), got 2."),
    ],
)
def test_a_wrong_field_is_refused_in_words(fields, words):
    with pytest.raises(ValueError, match=words):
        VQE(**fields)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"backend": on_qiskit.aer}, r"backend must be called with \(ansatz, shots, seed\).*write aer\(\)"),
        ({"backend": "aer"}, "backend must be callable, got 'aer'"),
        (
            {"backend": Statevector},
            r"backend must be a value, got the class Statevector: write Statevector\(\)",
        ),
        ({"optimiser": SPSA}, r"optimiser must be a value, got the class SPSA: write SPSA\(\)"),
        (
            {"optimiser": lambda objective: objective},
            r"optimiser must be called with \(objective, start, rng\)",
        ),
    ],
)
def test_a_part_that_is_none_is_refused_in_words(fields, words):
    for solver in (VQE, QAOA):
        with pytest.raises(TypeError, match=words):
            solver(**fields)


def test_a_call_is_as_many_evaluations_and_jobs_as_the_docstrings_say():
    jobs = []

    def counting(ansatz, shots, seed):
        run = Statevector()(ansatz, shots, seed)

        def counted(points):
            jobs.append(len(points))
            return run(points)

        return counted

    for solver in (VQE(shots=8, backend=counting), QAOA(shots=8, backend=counting)):
        jobs.clear()
        solver(random_qubo(3, 0))
        assert jobs == [50] + [2] * 32 + [1]
        assert "2 * 25 + 2 * 32 + 1 = 115, in 1 + 32 + 1 = 34 jobs" in solver.__doc__


def test_small_energies_are_lowered_as_large_ones_are():
    qubo = random_qubo(4, 0)
    small = QUBO(2.0**-45 * qubo.linear, 2.0**-45 * qubo.couplings)
    np.testing.assert_array_equal(LIGHT(small).info["parameters"], LIGHT(qubo).info["parameters"])


def test_a_qubo_without_bits_has_one_sample():
    samples = LIGHT(QUBO(np.zeros(0), np.zeros((0, 0))))
    assert samples.x.shape == (1, 0)
    assert samples.count.tolist() == [100]


def test_what_is_told_of_a_run_cannot_be_written_to():
    info = LIGHT(random_qubo(3, 0)).info
    for name in ("axes", "start", "parameters", "history"):
        assert not info[name].flags.writeable


def test_too_many_bits_are_refused_with_the_memory_they_would_take():
    with pytest.raises(ValueError, match=r"at most 24 bits, got 34: 2\*\*34 amplitudes are 256 GiB\."):
        VQE()(random_qubo(34, 0))
