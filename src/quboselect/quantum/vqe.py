"""VQE: the variational quantum eigensolver, which the paper ran on a gate computer."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import check_fields
from ..qubo import QUBO, Solutions
from .circuits.ansatz import TwoDesign, tilts
from .circuits.backends import Backend, Statevector
from .circuits.loop import check_part, variational
from .circuits.optimisers import SPSA, Optimiser
from .circuits.starts import Start, Toward, as_numbers, as_shares, uniform


@dataclass(frozen=True)
class VQE:
    """Optimise the rotations of a Pauli two-design and measure it (paper, Section 3.2); the defaults are the paper's.

    A call is many evaluations of the circuit, each of ``shots`` measurements: with `circuits.SPSA` two for each
    direction of its calibration and two for each of its iterations, for every share of ``cvar``, and one in the end.
    By default these are 2 * 25 + 2 * 32 + 1 = 115, in 1 + 32 + 1 = 34 jobs that follow each other; on a machine each
    waits in its queue, unless there is a session, see `circuits.qiskit.ibm`.

    Parameters
    ----------
    layers : int
        Number of rows of rotations and joined neighbours; one more row of rotations follows.
    shots : int
        Measurements of each evaluation, and of the optimised circuit: these are the solutions.
    optimiser : callable
        `circuits.SPSA` or `circuits.COBYLA`.
    cvar : float or sequence of floats
        The share of the shots, the best ones, whose mean energy is minimised. A small share asks for a circuit that
        shows good bits sometimes, instead of passable ones always. Several are minimised one after the other, each
        from where the last one ended.
    start : callable or sequence of floats, optional
        The parameters to start from; random ones if there are none.
    toward : sequence of floats, or callable, optional
        Bits, or chances from 0 to 1, that the first circuit is to show, or a function from a QUBO to them such as
        `circuits.mean_field`: a warm start. Its first rotations are about Y then, and all others start at zero.
        Short steps of the optimiser go with it: ``SPSA(first_step=0.1)``.
    backend : callable
        What runs the circuit: `circuits.Statevector`, or one of `circuits.qiskit`.
    seed : int
        Seed of the axes, the start, the optimiser and the shots.
    calls : int or None
        How often a fit may ask it, see `quboselect.search.choice`: in calls, not in jobs. None sets no limit.

    Examples
    --------
    >>> qubo = QUBO([-1.0, -1.0, -1.0], [[0, 3, 0], [3, 0, 1], [0, 1, 0]])
    >>> solutions = VQE(cvar=0.1)(qubo)
    >>> solutions.best, int(solutions.count.sum()), solutions.info["evaluations"]
    (array([ True, False,  True]), 1024, 114)
    """

    layers: int = 4
    shots: int = 1024
    optimiser: Optimiser = field(default_factory=SPSA)
    cvar: float | Sequence[float] = 1.0
    start: Start | Sequence[float] | None = None
    toward: Toward | Sequence[float] | None = None
    backend: Backend = field(default_factory=Statevector)
    seed: int = 0
    calls: int | None = 1

    def __post_init__(self) -> None:
        check_fields(self, layers=0, shots=1, seed=0)
        check_fields(self, none=True, calls=1)
        check_part(self.optimiser, "optimiser", "objective, start, rng")
        check_part(self.backend, "backend", "ansatz, shots, seed")
        object.__setattr__(self, "cvar", as_shares(self.cvar, "cvar"))
        for name in ("start", "toward"):
            object.__setattr__(self, name, as_numbers(getattr(self, name), name))

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return the shots of the optimised circuit; nothing is proven."""
        ansatz = TwoDesign.random(qubo.size, layers=self.layers, seed=self.seed)
        start = uniform if self.start is None else self.start
        if self.toward is not None:
            ansatz = ansatz.led_by_y()
            chances = self.toward(qubo) if callable(self.toward) else self.toward
            if self.start is None:
                first = tilts(chances, qubo.size) - 0.25 * np.pi
                start = np.concatenate([first, np.zeros(ansatz.parameters - qubo.size)]).tolist()
        return variational(
            qubo, ansatz, start=start, optimiser=self.optimiser, shots=self.shots, shares=self.cvar,
            backend=self.backend, seed=self.seed, info={"axes": ansatz.axes, "axes_seed": self.seed},
        )  # fmt: skip
