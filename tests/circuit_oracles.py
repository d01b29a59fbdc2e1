"""Naive twins of circuits: gates as matrices of all amplitudes, and the Schroedinger equation by exponentials."""

import itertools
from functools import reduce

import numpy as np
import scipy.linalg

PAULI = {
    "x": np.array([[0, 1], [1, 0]], complex),
    "y": np.array([[0, -1j], [1j, 0]]),
    "z": np.array([[1, 0], [0, -1]], complex),
}


def on(n, **paulis):
    """Return a product of Pauli matrices on n qubits, ``q3="x"`` being X on qubit 3; qubit 0 comes last."""
    parts = [PAULI[paulis[f"q{i}"]] if f"q{i}" in paulis else np.eye(2) for i in reversed(range(n))]
    return reduce(np.kron, parts)


def matrix(gate, parameters, n):
    """Return a gate of an ansatz as a matrix of 2**n rows."""
    angle = gate.factor if gate.parameter is None else gate.factor * parameters[gate.parameter]
    if gate.name == "cz":
        i, j = gate.qubits
        both = (np.eye(2**n) - on(n, **{f"q{i}": "z"})) @ (np.eye(2**n) - on(n, **{f"q{j}": "z"})) / 4
        return np.eye(2**n) - 2 * both
    axes = gate.name.removeprefix("r")
    generator = on(n, **{f"q{i}": axis for i, axis in zip(gate.qubits, axes, strict=True)})
    return np.cos(angle / 2) * np.eye(2**n) - 1j * np.sin(angle / 2) * generator


def naive_state(ansatz, parameters):
    """Return the amplitudes of an ansatz, one matrix after the other."""
    state = np.zeros(2**ansatz.size, complex)
    state[0] = 1
    for gate in ansatz.gates():
        state = matrix(gate, parameters, ansatz.size) @ state
    return state


def all_bits(n):
    """Return all rows of n bits, bit 0 changing fastest."""
    return np.array([row[::-1] for row in itertools.product((False, True), repeat=n)])


def naive_anneal(h, J, time, steps):
    """Return the probabilities after an anneal, the Hamiltonian held at the middle of each of many steps."""
    n = len(h)
    spins = 1 - 2.0 * all_bits(n)
    energies = np.diag(spins @ h + np.einsum("mi,ij,mj->m", spins, np.triu(J, 1), spins))
    field = -sum(on(n, **{f"q{i}": "x"}) for i in range(n))
    state = np.full(2**n, 2 ** (-n / 2), complex)
    for s in (np.arange(steps) + 0.5) / steps:
        state = scipy.linalg.expm(-1j * time / steps * ((1 - s) * field + s * energies)) @ state
    return np.abs(state) ** 2
