"""The variational loop: optimises the parameters of a circuit for a QUBO, and returns its shots as `Solutions`.

At every point, the optimiser sees the mean energy of the best shots. The loop is the same for a simulator, a noisy
simulator and a machine. Nothing is proven.
"""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...protocols import check_plugin
from ...qubo import QUBO, Solutions, Vector, frozen
from .ansatz import Ansatz
from .backends import Backend
from .optimisers import Optimiser
from .starts import Start, start_parameters


def cvar(energies: Vector, share: float) -> float:
    """Return the mean of the lowest energies, this share of them: the conditional value at risk.

    Examples
    --------
    >>> cvar(np.array([3.0, -1.0, 1.0, 5.0]), 0.5), cvar(np.array([3.0, -1.0, 1.0, 5.0]), 1.0)
    (0.0, 2.0)
    """
    kept = max(int(np.ceil(share * len(energies) - 1e-9)), 1)
    if kept < len(energies):
        energies = np.partition(energies, kept - 1)[:kept]
    return float(energies.mean())


def check_part(part: Any, name: str, called_with: str) -> None:
    """Raise unless a part of the loop is a value that can be called with what it will be given.

    Examples
    --------
    >>> from quboselect.quantum.circuits import qiskit
    >>> check_part(qiskit.aer, "backend", "ansatz, shots, seed")
    Traceback (most recent call last):
    TypeError: backend must be called with (ansatz, shots, seed), and aer is not: if it makes a backend, write aer().
    """
    check_plugin(part, name)
    try:
        signature = inspect.signature(part)
    except ValueError:
        # Some callables have no signature.
        return
    try:
        signature.bind(*called_with.split(", "))
    except TypeError as error:
        said = getattr(part, "__name__", None) or repr(part)
        raise TypeError(
            f"{name} must be called with ({called_with}), and {said} is not: if it makes a {name}, write {said}()."
        ) from error


def variational(
    qubo: QUBO,
    ansatz: Ansatz,
    *,
    start: Start | Sequence[float],
    optimiser: Optimiser,
    shots: int,
    shares: float | Sequence[float],
    backend: Backend,
    seed: int,
    info: Mapping[str, Any],
) -> Solutions:
    """Return the shots of a circuit whose parameters were optimised, all of them.

    Parameters
    ----------
    qubo : QUBO
    ansatz : Ansatz
    start : callable or sequence of floats
    optimiser : Optimiser
    shots : int
        Number of measurements of each evaluation, and of the optimised circuit.
    shares : float or sequence of floats
        The share of the shots, the best ones, whose mean is the objective; several are used one after the other.
    backend : Backend
    seed : int
        Seed of the start, the optimiser, and the shots where the backend takes one.
    info : mapping
        Further entries of `Solutions.info`.
    """
    # Three streams, so that another start does not change the shots.
    starts, steps, measured = np.random.SeedSequence(seed).spawn(3)
    run = backend(ansatz, shots, int(measured.generate_state(1)[0]))
    first = start_parameters(start, ansatz.parameters, np.random.default_rng(starts))

    rng = np.random.default_rng(steps)
    parameters, evaluations, history = first, 0, []
    for share in np.atleast_1d(shares):

        def objective(points: list[Vector], share: float = share) -> Vector:
            return np.array([cvar(qubo.energy(bits), share) for bits in run(points)])

        found = optimiser(objective, parameters, rng)
        parameters, evaluations = found.parameters, evaluations + found.evaluations
        history.append(found.history)
    (bits,) = run([parameters])
    report = {
        **info,
        "backend": getattr(backend, "name", repr(backend)),
        "start": first,
        "parameters": frozen(parameters, "parameters", 1),
        "evaluations": evaluations,
        "history": frozen(np.concatenate(history), "history", 1),
    }
    return Solutions.of(qubo, bits, info=report)
