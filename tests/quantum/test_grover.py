"""The search for the largest value: the circuit gate by gate, the published success, and what is counted."""

import numpy as np
import pytest

import circuit_oracles
from quboselect.quantum import maximum_search
from quboselect.quantum.circuits import Statevector
from quboselect.quantum.circuits import qiskit as on_qiskit
from quboselect.quantum.grover import Amplification, Maximum, published_limit

NOTHING = np.zeros(0)


@pytest.mark.parametrize("qubits", [1, 2, 3, 5])
def test_gates_and_amplitudes_are_those_of_a_reflection_by_matrices(qubits):
    rng = np.random.default_rng(qubits)
    for iterations in range(4):
        marked = rng.random(2**qubits) < 0.3
        even = np.full(2**qubits, 2 ** (-qubits / 2))
        step = (2 * np.outer(even, even) - np.eye(2**qubits)) @ np.diag(np.where(marked, -1, 1))
        expected = np.linalg.matrix_power(step, iterations) @ even
        circuit = Amplification(marked, iterations)
        np.testing.assert_allclose(circuit.state(NOTHING)[0], expected, atol=1e-12)
        assert not circuit.state(NOTHING)[1].any()
        # But for a phase of all amplitudes, which nobody can measure.
        overlap = np.vdot(expected, circuit_oracles.naive_state(circuit, NOTHING))
        assert abs(overlap) == pytest.approx(1.0)


def test_it_is_right_as_often_as_published_and_spends_all_calls_it_has():
    for qubits in (1, 2, 4, 7):
        tables = np.random.default_rng(qubits).random((20, 2**qubits))
        found = [maximum_search(table, seed=seed) for seed, table in enumerate(tables)]
        right = [each.index == table.argmax() for each, table in zip(found, tables, strict=True)]
        assert np.mean(right) >= 0.5
        assert {each.calls for each in found} == {int(published_limit(qubits))}
        assert {each.probability for each in found} == {0.5}


def test_every_call_and_every_measurement_is_counted():
    seen = []

    def counting(ansatz, shots, seed):
        seen.append(ansatz.iterations)
        return Statevector()(ansatz, shots, seed)

    for arguments in ({"rounds": 2}, {"limit": 17}):
        seen.clear()
        found = maximum_search([2.0, 3.0, 1.0, 0.0, 5.0], seed=3, backend=counting, **arguments)
        assert (found.calls, found.checks) == (sum(seen), len(seen) + 1)
        assert found.found_after <= found.calls + found.checks
    assert found.calls + found.checks == 17
    assert found.probability == 0.0
    assert maximum_search([2.0, 3.0], rounds=2).probability == 0.75


def test_the_number_of_iterations_grows_until_an_index_is_found():
    seen = []

    def failing(ansatz, shots, seed):
        seen.append(ansatz.iterations)
        return lambda points: [np.zeros((1, ansatz.size), bool)]

    # The first value is the least, so that what is measured is never marked.
    maximum_search(np.arange(256.0), backend=failing)
    assert seen[0] == 0
    assert max(seen[:6]) <= 2
    assert 8 <= max(seen) < 16


def test_indices_beyond_the_values_are_never_found_and_ties_do_no_harm():
    for seed in range(8):
        assert maximum_search(-np.ones(5), limit=4, seed=seed).index < 5
        assert maximum_search([1.0, 0.0, 1.0, 0.0, 0.0], seed=seed).index in (0, 2)
    assert maximum_search([7.0]) == Maximum(0, 0, 1, 1, 1.0)


def test_the_same_seed_gives_the_same_search():
    values = np.random.default_rng(0).random(32)
    assert maximum_search(values, seed=1) == maximum_search(values, seed=1)
    assert len({maximum_search(values, seed=seed).checks for seed in range(5)}) > 1


def test_a_backend_on_qiskit_finds_it_too():
    pytest.importorskip("qiskit_aer")
    values = [0.3, 0.1, 0.9, 0.4, 0.2]
    # Without a target no circuit is translated, which takes most of the time.
    backend = on_qiskit.Sampler(on_qiskit.aer().sampler)
    found = maximum_search(values, backend=backend, limit=25)
    assert found == maximum_search(values, backend=backend, limit=25)
    assert found.index == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"values": []}, "values must be one number or more"),
        ({"values": [1.0, np.nan]}, "values must be finite"),
        ({"limit": 0}, "limit must be an integer of at least 1, got 0"),
        ({"rounds": 0.5}, "rounds must be an integer of at least 1, got 0.5"),
    ],
)
def test_wrong_arguments_are_refused_in_words(arguments, words):
    with pytest.raises(ValueError, match=words):
        maximum_search(**{"values": [1.0, 2.0], **arguments})
