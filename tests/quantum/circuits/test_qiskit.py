"""Circuits on Qiskit: the same circuit, the same bits, and words where something is missing."""

import copy
import pickle
import sys

import numpy as np
import pytest

from quboselect import QUBO
from quboselect.errors import MissingExtra
from quboselect.quantum import QAOA, VQE
from quboselect.quantum.circuits import SPSA, Alternating, Gate, Statevector, TwoDesign
from quboselect.quantum.circuits import qiskit as on_qiskit
from solver_oracles import random_qubo


def amplitudes(ansatz, parameters):
    re, im = ansatz.state(parameters)
    return re + 1j * im


def tilted(bits):
    """Return an ansatz and parameters that show these bits, nine times out of ten each."""
    ansatz = TwoDesign.random(len(bits), layers=1, seed=0).led_by_y()
    angles = np.where(bits, 2 * np.arcsin(np.sqrt(0.9)), 2 * np.arcsin(np.sqrt(0.1))) - np.pi / 4
    return ansatz, np.concatenate([angles, np.zeros(len(bits))])


BITS = [1, 0, 0, 1, 1, 0, 0, 0, 1, 0]


def test_without_qiskit_the_words_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "qiskit.circuit", None)
    monkeypatch.setitem(sys.modules, "qiskit_aer", None)
    monkeypatch.setitem(sys.modules, "qiskit_ibm_runtime", None)
    with pytest.raises(MissingExtra, match=r'circuits\.qiskit needs .*pip install "quboselect\[qiskit\]"'):
        on_qiskit.circuit(TwoDesign.random(2, layers=1, seed=0))
    with pytest.raises(
        MissingExtra, match=r'circuits\.qiskit\.aer needs .*pip install "quboselect\[qiskit\]"'
    ):
        on_qiskit.aer()
    with pytest.raises(MissingExtra, match=r'circuits\.qiskit\.ibm needs .*pip install "quboselect\[ibm\]"'):
        on_qiskit.ibm()


@pytest.mark.parametrize("n", [1, 2, 3, 8, 10])
def test_our_two_design_is_qiskits_of_the_same_seed(n):
    pytest.importorskip("qiskit")
    from qiskit.circuit.library import pauli_two_design
    from qiskit.quantum_info import Statevector as Reference

    for seed in range(3):
        ansatz = TwoDesign.random(n, layers=4, seed=seed)
        parameters = np.random.default_rng(seed).uniform(-7, 7, ansatz.parameters)
        ours = amplitudes(ansatz, parameters)
        for circuit in (pauli_two_design(n, reps=4, seed=seed), on_qiskit.circuit(ansatz)):
            theirs = Reference(circuit.assign_parameters(parameters)).data
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("warm", [False, True])
def test_our_alternating_layers_are_those_of_the_translated_circuit(warm):
    pytest.importorskip("qiskit")
    from qiskit.quantum_info import Statevector as Reference

    for seed in range(5):
        toward = np.random.default_rng(seed).random(6) if warm else None
        ansatz = Alternating.of(random_qubo(6, seed, signed=True), layers=3, toward=toward)
        parameters = np.random.default_rng(seed).uniform(-3, 3, 6)
        theirs = Reference(on_qiskit.circuit(ansatz).assign_parameters(parameters)).data
        np.testing.assert_allclose(amplitudes(ansatz, parameters), theirs, rtol=0, atol=1e-12)


def samplers():
    """Yield the makers of every backend on Qiskit that runs without an account."""

    def plain():
        return on_qiskit.Sampler(pytest.importorskip("qiskit.primitives").StatevectorSampler(seed=0))

    def aers_own():
        return on_qiskit.Sampler(pytest.importorskip("qiskit_aer.primitives").SamplerV2(seed=0))

    def aer():
        pytest.importorskip("qiskit_aer")
        return on_qiskit.aer()

    def noisy():
        pytest.importorskip("qiskit_aer")
        pytest.importorskip("qiskit_ibm_runtime")
        return on_qiskit.noisy()

    return [plain, aers_own, aer, noisy]


@pytest.mark.parametrize("make", samplers())
def test_qubit_0_is_bit_0_on_every_backend_as_on_ours(make):
    backend = make()
    bits = BITS[:4] if backend.mixed else BITS
    ansatz, parameters = tilted(bits)
    (ours,) = Statevector()(ansatz, 400, 0)([parameters])
    (theirs,) = backend(ansatz, 400, 0)([parameters])
    assert theirs.shape == ours.shape == (400, len(bits))
    assert (
        (theirs.mean(axis=0) > 0.5).tolist()
        == (ours.mean(axis=0) > 0.5).tolist()
        == np.array(bits, bool).tolist()
    )
    if not backend.mixed:
        np.testing.assert_allclose(theirs.mean(axis=0), np.where(bits, 0.9, 0.1), atol=0.1)


class Partly:
    """An ansatz of two qubits with three parameters, of which its gates take the last, or none."""

    size, parameters = 2, 3

    def __init__(self, used):
        self.used = used

    def gates(self):
        yield Gate("ry", (0,), 1.0, self.used)
        yield Gate("rx", (1,), 0.0 if self.used is None else 1.0, self.used)


@pytest.mark.parametrize("target", [False, True])
def test_parameters_keep_their_places_where_no_gate_takes_some(target):
    pytest.importorskip("qiskit_aer")
    backend = on_qiskit.aer()
    backend = backend if target else on_qiskit.Sampler(backend.sampler)
    points = [np.array([np.pi, 0.0, 0.0]), np.array([0.0, 0.0, np.pi])]
    shown = [bits.mean(axis=0).tolist() for bits in backend(Partly(2), 50, 0)(points)]
    assert shown == [[0.0, 0.0], [1.0, 1.0]]
    # A turn by one radian, whatever the parameters.
    fixed = [bits.mean(axis=0) for bits in backend(Partly(None), 4000, 0)(points)]
    np.testing.assert_allclose(fixed, [[np.sin(0.5) ** 2, 0.0]] * 2, atol=0.05)


class Generous:
    """A sampler that measures more often than it was asked to, as those that randomise circuits do."""

    def run(self, jobs, *, shots):
        primitives = pytest.importorskip("qiskit.primitives")
        return primitives.StatevectorSampler(seed=0).run(jobs, shots=shots + 24)


@pytest.mark.parametrize("bits", [BITS, BITS[:3]])
def test_more_shots_than_were_asked_for_are_taken_as_they_come(bits):
    pytest.importorskip("qiskit")
    ansatz, parameters = tilted(bits)
    one, two = on_qiskit.Sampler(Generous())(ansatz, 100, 0)([parameters, np.zeros(ansatz.parameters)])
    assert one.shape == two.shape == (124, len(bits))
    np.testing.assert_allclose(one.mean(axis=0), np.where(bits, 0.9, 0.1), atol=0.15)
    np.testing.assert_allclose(two.mean(axis=0), np.sin(np.pi / 8) ** 2, atol=0.2)
    samples = VQE(shots=100, backend=on_qiskit.Sampler(Generous()), optimiser=SPSA(iterations=1))(
        random_qubo(3, 0)
    )
    assert samples.count.sum() == 124


def test_no_qubits_are_measured_as_no_bits():
    nobody = on_qiskit.Sampler(None)
    for solver in (VQE(shots=7, backend=nobody), QAOA(shots=7, backend=nobody)):
        samples = solver(QUBO(np.zeros(0), np.zeros((0, 0))))
        assert samples.x.shape == (1, 0)
        assert samples.count.tolist() == [7]


def test_noise_is_simulated_as_a_density_matrix_unless_told_otherwise():
    pytest.importorskip("qiskit_aer")
    pytest.importorskip("qiskit_ibm_runtime")
    assert on_qiskit.noisy().target.options.method == "density_matrix"
    assert on_qiskit.noisy(method="statevector").target.options.method == "statevector"


def test_the_same_seed_gives_the_same_shots_and_every_job_others():
    pytest.importorskip("qiskit_aer")
    ansatz, parameters = tilted(BITS)
    backend = on_qiskit.aer()
    run, again = backend(ansatz, 100, 3), backend(ansatz, 100, 3)
    first, second = run([parameters])[0], run([parameters])[0]
    np.testing.assert_array_equal(first, again([parameters])[0])
    assert (first != second).any()


def test_a_backend_can_be_copied_to_another_process():
    pytest.importorskip("qiskit_aer")
    ansatz, parameters = tilted(BITS)
    backend = on_qiskit.aer()
    copied = pickle.loads(pickle.dumps(backend))
    np.testing.assert_array_equal(copied(ansatz, 50, 0)([parameters]), backend(ansatz, 50, 0)([parameters]))


def test_too_many_bits_for_noise_are_refused_with_the_memory_they_would_take():
    pytest.importorskip("qiskit_aer")
    pytest.importorskip("qiskit_ibm_runtime")
    words = r"aer \(fake_kolkata\) takes at most 14 bits, got 15: 4\*\*15 amplitudes are 16 GiB\."
    with pytest.raises(ValueError, match=words):
        on_qiskit.noisy()(TwoDesign.random(15, layers=1, seed=0), 1, 0)


def test_without_an_account_the_words_say_how_to_get_one(monkeypatch, tmp_path):
    pytest.importorskip("qiskit_ibm_runtime")
    from qiskit_ibm_runtime.accounts import management

    monkeypatch.setattr(management, "_DEFAULT_ACCOUNT_CONFIG_JSON_FILE", str(tmp_path / "none.json"))
    for name in ("QISKIT_IBM_TOKEN", "QISKIT_IBM_CHANNEL", "QISKIT_IBM_INSTANCE", "QISKIT_IBM_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(RuntimeError, match=r"needs an account of IBM Quantum.*save_account\(token="):
        on_qiskit.ibm("ibm_torino")


@pytest.fixture
def service(monkeypatch):
    """Return what was asked of a service that stands for IBM's: its fake machine is run on this computer."""
    runtime = pytest.importorskip("qiskit_ibm_runtime")
    pytest.importorskip("qiskit_aer")
    from qiskit_ibm_runtime.fake_provider import FakeKolkataV2

    asked = []

    class Service:
        def __init__(self, **account):
            asked.append(account)

        def backend(self, name):
            asked.append(name)
            return FakeKolkataV2()

        def least_busy(self, **wishes):
            asked.append(wishes)
            return FakeKolkataV2()

    monkeypatch.setattr(runtime, "QiskitRuntimeService", Service)
    return asked


def test_a_machine_is_asked_by_its_name_or_for_being_least_busy(service):
    backend = on_qiskit.ibm("some", token="t")
    assert service == [{"token": "t"}, "some"]
    assert backend.largest == 27
    ansatz, parameters = tilted(BITS[:4])
    one, two = backend(ansatz, 200, 0)([parameters, parameters])
    assert one.shape == two.shape == (200, 4)
    assert (one.mean(axis=0) > 0.5).tolist() == np.array(BITS[:4], bool).tolist()
    on_qiskit.ibm()
    assert service[-1] == {"operational": True, "simulator": False}


def test_a_session_is_opened_only_if_asked_for_and_closed_in_the_end(service, monkeypatch):
    runtime = pytest.importorskip("qiskit_ibm_runtime")
    log = []

    class Session(runtime.Session):
        def __init__(self, backend):
            log.append(f"opened on {backend.name}")
            super().__init__(backend)

        def close(self):
            log.append("closed")
            super().close()

    monkeypatch.setattr(runtime, "Session", Session)
    with on_qiskit.ibm("some"):
        pass
    assert log == []
    ansatz, parameters = tilted(BITS[:4])
    with on_qiskit.ibm("some", session=True) as backend:
        assert backend.sampler.mode is backend.session
        # As scikit-learn's clone does: jobs of the copy belong to the same session.
        assert copy.deepcopy(VQE(backend=backend)).backend.session is backend.session
        (bits,) = backend(ansatz, 50, 0)([parameters])
        assert log == ["opened on fake_kolkata"]
    assert bits.shape == (50, 4)
    assert log == ["opened on fake_kolkata", "closed"]
