"""QuantumAnnealing: an ideal annealer, simulated by the Schroedinger equation.

2**n amplitudes follow a field that is turned off while the energies are turned on; `solvers.Anneal` is a classical
method. Real annealers are warm, have noise, and anneal for longer than can be simulated here: this is no model of them.
"""

from dataclasses import dataclass
from numbers import Real

import numpy as np

from .._kernels.threads import thread_map
from ..errors import check_fields
from ..qubo import QUBO, Bits, Ising, Solutions, Vector
from .circuits.ansatz import Alternating
from .circuits.backends import check_size, measured_bits

LARGEST = 20


@dataclass(frozen=True)
class QuantumAnnealing:
    """Follow the ground state from a transverse field to the energies, and measure.

    The Hamiltonian is ``-(1 - s) sum_i X_i + s (h @ Z + sum_{i<j} J_ij Z_i Z_j)`` with ``s = t / time``, the energies
    divided by the largest of all ``|h|`` and ``|J|``. Time is in units of one over that (and Planck's constant is
    2 pi). Steps are split between both terms, at second order.

    Parameters
    ----------
    time : float
        How long the anneal takes.
    noise : float
        Standard deviation of what is added to every h and every J that is not zero, on the scale on which the
        largest is one: control errors of a machine.
    draws : int
        How often the noise is measured_bits; the shots are shared among the draws. Without noise all are the same.
    shots : int
        Measurements.
    step : float
        Length of a step in time.
    seed : int
        Seed of the noise and the shots.
    n_jobs : int or None
        Threads, as in joblib; one for each draw.
    calls : int or None
        How often a fit may ask it, see `quboselect.search.choice`. None sets no limit.

    Examples
    --------
    >>> qubo = QUBO([-1.0, -1.0, -1.0], [[0, 3, 0], [3, 0, 1], [0, 1, 0]])
    >>> solutions = QuantumAnnealing(time=20.0)(qubo)
    >>> solutions.best, int(solutions.count.sum())
    (array([ True, False,  True]), 1024)
    """

    time: float = 100.0
    noise: float = 0.0
    draws: int = 16
    shots: int = 1024
    step: float = 0.2
    seed: int = 0
    n_jobs: int | None = -1
    calls: int | None = 1

    def __post_init__(self) -> None:
        check_fields(self, draws=1, shots=1, seed=0)
        check_fields(self, none=True, calls=1)
        for name in ("time", "noise", "step"):
            value = getattr(self, name)
            real = isinstance(value, Real) and not isinstance(value, bool) and 0.0 <= float(value) < np.inf
            if not real or (value == 0.0 and name != "noise"):
                kind = "finite, non-negative" if name == "noise" else "finite, positive"
                raise ValueError(f"{name} must be a {kind} number, got {value!r}.")

    def angles(self) -> Vector:
        """Return the gammas of the phases, then the betas of the field: a Trotter step has one of each.

        A step is half a phase, a turn by the field, and half a phase. Halves that meet are one, and the last changes
        no probability.
        """
        steps = int(np.ceil(self.time / self.step))
        length = self.time / steps
        s = (np.arange(steps) + 0.5) / steps
        gammas = 0.5 * length * (s + np.concatenate([[0.0], s[:-1]]))
        return np.concatenate([gammas, length * (1.0 - s)])

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return all shots; nothing is proven."""
        check_size(
            qubo.size, LARGEST, "quantum.QuantumAnnealing",
            "Solve a QUBO of fewer features, or use solvers.Anneal, which is no physics but scales.",
        )  # fmt: skip
        ising = scaled_ising(qubo.ising())
        angles = self.angles()
        count = min(self.draws, self.shots) if self.noise else 1
        shares = np.diff(np.linspace(0, self.shots, count + 1).astype(int))
        streams = [np.random.default_rng(child) for child in np.random.SeedSequence(self.seed).spawn(count)]

        def anneal(draw: int) -> Bits:
            h, J, _ = noisy_ising(ising, self.noise, streams[draw])
            ansatz = Alternating(h, J, angles.size // 2, np.full(h.size, 0.5 * np.pi))
            return measured_bits(*ansatz.state(angles), int(shares[draw]), streams[draw])

        rows = thread_map(anneal, range(count), n_jobs=self.n_jobs)
        info = {"steps": angles.size // 2, "draws": count}
        return Solutions.of(qubo, np.concatenate(rows), info=info)


def scaled_ising(ising: Ising) -> Ising:
    """Return an Ising model divided by its largest field or coupling.

    Examples
    --------
    >>> scaled_ising(QUBO([-4.0], [[0.0]]).ising())
    Ising(h=array([1.]), J=array([[0.]]), offset=-1.0)
    """
    largest = float(max(np.abs(ising.h).max(initial=0.0), np.abs(ising.J).max(initial=0.0))) or 1.0
    return Ising(ising.h / largest, ising.J / largest, ising.offset / largest)


def noisy_ising(ising: Ising, noise: float, rng: np.random.Generator) -> Ising:
    """Return an Ising model with Gaussian noise on every field and every coupling that is there."""
    n = ising.h.size
    extra = np.triu(rng.normal(0.0, noise, (n, n)), 1)
    J = ising.J + np.where(ising.J != 0.0, extra + extra.T, 0.0)
    return Ising(ising.h + rng.normal(0.0, noise, n), J, ising.offset)
