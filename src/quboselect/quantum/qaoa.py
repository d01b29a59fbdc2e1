"""QAOA: the quantum approximate optimisation algorithm."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import check_fields
from ..qubo import QUBO, Solutions
from .circuits.ansatz import Alternating
from .circuits.backends import Backend, Statevector
from .circuits.loop import check_part, variational
from .circuits.optimisers import SPSA, Optimiser
from .circuits.starts import Ramp, Start, Toward, as_numbers, as_shares

# A ramp is a good start already, and one long step leaves it.
SHORT_STEPS = SPSA(first_step=0.1)


@dataclass(frozen=True)
class QAOA:
    """Optimise the angles of phases and mixers in alternation, and measure (Farhi et al. 2014).

    Energies are divided by their standard deviation over all bit vectors, so that good angles are of order one for
    every QUBO.

    A call is many evaluations of the circuit, each of ``shots`` measurements: with `circuits.SPSA` two for each
    direction of its calibration and two for each of its iterations, for every share of ``cvar``, and one in the end.
    By default these are 2 * 25 + 2 * 32 + 1 = 115, in 1 + 32 + 1 = 34 jobs that follow each other; on a machine each
    waits in its queue, unless there is a session, see `circuits.qiskit.ibm`.

    Parameters
    ----------
    layers : int
        Number of phases and of mixers; each has one parameter.
    shots : int
        Measurements of each evaluation, and of the optimised circuit: these are the solutions.
    optimiser : callable
        `circuits.SPSA` or `circuits.COBYLA`.
    cvar : float or sequence of floats
        The share of the shots, the best ones, whose mean energy is minimised; of several, one after the other.
    start : callable or sequence of floats
        The angles to start from, first the gammas of the phases and then the betas of the mixers: `circuits.Ramp`, a
        short anneal, or `circuits.uniform`, random ones.
    toward : sequence of floats, or callable, optional
        Bits, or chances from 0 to 1, that qubits are to show at the start, or a function from a QUBO to them such as
        `circuits.mean_field`: a warm start. Mixers are tilted with them (Egger et al. 2021).
    backend : callable
        What runs the circuit: `circuits.Statevector`, or one of `circuits.qiskit`.
    seed : int
        Seed of the start, the optimiser and the shots.
    calls : int or None
        How often a fit may ask it, see `quboselect.search.choice`: in calls, not in jobs. None sets no limit.

    Examples
    --------
    >>> qubo = QUBO([-1.0, -1.0, -1.0], [[0, 3, 0], [3, 0, 1], [0, 1, 0]])
    >>> solutions = QAOA()(qubo)
    >>> solutions.best, int(solutions.count.sum()), solutions.info["parameters"].size
    (array([ True, False,  True]), 1024, 10)
    """

    layers: int = 5
    shots: int = 1024
    optimiser: Optimiser = SHORT_STEPS
    cvar: float | Sequence[float] = 1.0
    start: Start | Sequence[float] = field(default_factory=Ramp)
    toward: Toward | Sequence[float] | None = None
    backend: Backend = field(default_factory=Statevector)
    seed: int = 0
    calls: int | None = 1

    def __post_init__(self) -> None:
        check_fields(self, layers=1, shots=1, seed=0)
        check_fields(self, none=True, calls=1)
        check_part(self.optimiser, "optimiser", "objective, start, rng")
        check_part(self.backend, "backend", "ansatz, shots, seed")
        object.__setattr__(self, "cvar", as_shares(self.cvar, "cvar"))
        for name in ("start", "toward"):
            object.__setattr__(self, name, as_numbers(getattr(self, name), name))

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return the shots of the optimised circuit; nothing is proven."""
        toward = self.toward(qubo) if callable(self.toward) else self.toward
        ansatz = Alternating.of(qubo, layers=self.layers, toward=toward)
        return variational(
            qubo, ansatz, start=self.start, optimiser=self.optimiser, shots=self.shots, shares=self.cvar,
            backend=self.backend, seed=self.seed, info={},
        )  # fmt: skip
