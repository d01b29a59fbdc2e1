"""Backends on Qiskit: an ansatz becomes a circuit of Qiskit's, which any of its samplers runs.

`Sampler` turns a sampler of the second version (``BaseSamplerV2``) into a backend; `aer` is an ideal simulator,
`noisy` one with the noise of a machine, and `ibm` a machine. Qiskit is imported at the first use.
"""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ...errors import optional
from ...qubo import Bits, Vector
from .ansatz import Ansatz
from .backends import Run, check_size


def circuit(ansatz: Ansatz) -> Any:
    """Return an ansatz as a ``QuantumCircuit``, its parameters in a vector ``θ``, without measurements."""
    library = optional("qiskit.circuit", "qiskit", "circuits.qiskit")
    made = library.QuantumCircuit(ansatz.size)
    theta = library.ParameterVector("θ", ansatz.parameters)
    for gate in ansatz.gates():
        apply = getattr(made, gate.name)
        if gate.name == "cz":
            apply(*gate.qubits)
        else:
            apply(
                gate.factor if gate.parameter is None else gate.factor * theta[gate.parameter], *gate.qubits
            )
    return made


@dataclass(frozen=True)
class Sampler:
    """A backend made of any sampler of Qiskit's that fits ``BaseSamplerV2``.

    Parameters
    ----------
    sampler : BaseSamplerV2, or callable
        A sampler, or a function from a seed to one, asked anew for each job so that results can be repeated.
    target : optional
        The machine or simulator whose gates and couplings the circuit is to be translated to, once, before the first
        job. Without one it is run as it is: in rotations, controlled Z and ZZ.
    level : int
        How hard the translation tries, 0 to 3.
    name : str
        What it is called in `Solutions.info`.
    largest : int
        Most qubits it takes.
    mixed : bool
        Whether it holds the square of 2**n amplitudes, as with noise.
    session : optional
        What is closed when a ``with`` block ends that the backend is opened for.
    """

    sampler: Any
    target: Any = None
    level: int = 3
    name: str = "qiskit"
    largest: int = 1000
    mixed: bool = field(default=False, repr=False)
    session: Any = field(default=None, repr=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.session is not None:
            self.session.close()

    def __deepcopy__(self, memo: Any) -> Self:
        # Nothing here changes, and a connection to a machine cannot be copied: scikit-learn's clone shares it.
        return self

    def __call__(self, ansatz: Ansatz, shots: int, seed: int, /) -> Run:
        """Return the function from a list of parameters to the shots of each; a list is one job."""
        check_size(
            ansatz.size, self.largest, f"the backend {self.name}",
            "Solve a QUBO of fewer features, or give a backend such as circuits.qiskit.ibm().", mixed=self.mixed,
        )  # fmt: skip
        if not ansatz.size:
            # Machines take no circuit without qubits, and there is nothing to measure.
            return lambda points: [np.zeros((shots, 0), np.bool_) for _ in points]
        measured = circuit(ansatz)
        measured.measure_all()
        if self.target is not None:
            transpiler = optional("qiskit.transpiler", "qiskit", "circuits.qiskit")
            passes = transpiler.generate_preset_pass_manager(
                optimization_level=self.level, backend=self.target, seed_transpiler=0
            )
            measured = passes.run(measured)
        # An ansatz may have parameters that none of its gates takes, and a circuit has only those of its gates.
        used = [parameter.index for parameter in measured.parameters]
        rng = np.random.default_rng(seed)
        made = callable(self.sampler)

        def run(points: list[Vector]) -> list[Bits]:
            sampler = self.sampler(int(rng.integers(2**31))) if made else self.sampler
            bound: list[Any] = [(measured, np.stack(points)[:, used])]
            jobs = bound if used else [(measured,)] * len(points)
            result = sampler.run(jobs, shots=shots).result()
            arrays = [job.data.meas.array for job in result]
            # A sampler that randomises circuits rounds the shots up, and all that were paid for are taken.
            packed = [rows for array in arrays for rows in array.reshape(-1, *array.shape[-2:])]
            return [unpacked_bits(rows, ansatz.size) for rows in packed]

        return run


def unpacked_bits(rows: Any, size: int) -> Bits:
    """Return bits, qubit 0 first, from the bytes of Qiskit's bit arrays, where it comes last."""
    bits: Bits = np.unpackbits(rows, axis=-1)[:, ::-1][:, :size].astype(np.bool_)
    return bits


@dataclass(frozen=True)
class Seeded:
    """The function from a seed to a sampler on a simulator; a value, so that it can be copied to other processes."""

    simulator: Any

    def __call__(self, seed: int, /) -> Any:
        """Return a sampler."""
        primitives = optional("qiskit.primitives", "qiskit", "circuits.qiskit")
        return primitives.BackendSamplerV2(backend=self.simulator, options={"seed_simulator": seed})


def aer(*, largest: int = 28, **options: Any) -> Sampler:
    """Return the ideal simulator of Qiskit Aer; ``options`` are those of its ``AerSimulator``."""
    simulator = optional("qiskit_aer", "qiskit", "circuits.qiskit.aer").AerSimulator(**options)
    return Sampler(Seeded(simulator), simulator, name=f"aer ({simulator.name})", largest=largest)


def noisy(backend: Any = None, *, largest: int = 14, **options: Any) -> Sampler:
    """Return Qiskit Aer with the gates, the couplings and the noise of a machine.

    Parameters
    ----------
    backend : optional
        A backend of Qiskit's, real or fake, or the class of a fake one. Without one it is ``FakeKolkataV2``, whose
        processor, a Falcon r5.11, is of the same kind as that of the paper's machine.
    largest : int
        Most qubits it takes; it holds 4**n amplitudes.
    options
        Of its ``AerSimulator``.
    """
    if backend is None:
        backend = optional("qiskit_ibm_runtime.fake_provider", "ibm", "circuits.qiskit.noisy").FakeKolkataV2
    machine = backend() if isinstance(backend, type) else backend
    simulators = optional("qiskit_aer", "qiskit", "circuits.qiskit.noisy")
    # Noise as a density matrix: faster by half than one trajectory for each shot, up to some ten qubits.
    simulator = simulators.AerSimulator.from_backend(machine, **{"method": "density_matrix", **options})
    return Sampler(Seeded(simulator), simulator, name=f"aer ({machine.name})", largest=largest, mixed=True)


def ibm(backend: str | None = None, *, session: bool = False, **account: Any) -> Sampler:
    """Return a machine of IBM's, by its name, or the least busy one.

    An optimiser sends one job after the other, and each waits in the queue of the machine. In a session only the first
    one does: ``with circuits.qiskit.ibm(session=True) as backend:``, whose end closes it.

    Parameters
    ----------
    backend : str, optional
        Its name.
    session : bool
        Whether to open a session, which IBM's free plan does not have. It is paid for until it is closed, also while
        nothing runs.
    account
        Of ``QiskitRuntimeService``: ``token``, ``instance`` and so on. Without any, the account saved on this computer.
    """
    runtime = optional("qiskit_ibm_runtime", "ibm", "circuits.qiskit.ibm")
    executor = optional("qiskit_ibm_runtime.executor_sampler", "ibm", "circuits.qiskit.ibm")
    accounts = optional("qiskit_ibm_runtime.accounts", "ibm", "circuits.qiskit.ibm")
    try:
        service = runtime.QiskitRuntimeService(**account)
    except accounts.AccountNotFoundError as error:
        raise RuntimeError(
            "circuits.qiskit.ibm needs an account of IBM Quantum, and none is saved on this computer: get a token at "
            "https://quantum.cloud.ibm.com, then call "
            'qiskit_ibm_runtime.QiskitRuntimeService.save_account(token="...") once, or pass token="...".'
        ) from error
    chosen = (
        service.least_busy(operational=True, simulator=False) if backend is None else service.backend(backend)
    )
    opened = runtime.Session(backend=chosen) if session else None
    return Sampler(
        executor.Sampler(mode=opened or chosen),
        chosen,
        name=f"ibm ({chosen.name})",
        largest=chosen.num_qubits,
        session=opened,
    )
