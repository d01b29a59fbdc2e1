"""Optimisers: they lower a noisy objective from a start, and return the last parameters and the effort.

An objective takes a list of points and returns their values, so that one job of a machine can evaluate many. Effort is
the number of evaluations, with those of the calibration.
"""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import NamedTuple, Protocol

import numpy as np

from ...qubo import Vector

# Differences of values that are smaller than this share of them are none.
ROUNDING = 1e-12

Objective = Callable[[list[Vector]], Vector]


class Found(NamedTuple):
    """Where an optimiser ended."""

    parameters: Vector
    evaluations: int
    history: Vector


class Optimiser(Protocol):
    """Lowers an objective."""

    def __call__(self, objective: Objective, start: Vector, rng: np.random.Generator, /) -> Found:
        """Return the parameters found, the evaluations made, and the value at each of them but calibration."""


def check_positive(value: object, *names: str) -> None:
    """Raise unless the named fields are positive, finite numbers."""
    for name in names:
        number = getattr(value, name)
        real = isinstance(number, Real) and not isinstance(number, bool)
        if not real or not 0.0 < float(number) < np.inf:
            raise ValueError(f"{name} must be a positive number, got {number!r}.")


@dataclass(frozen=True)
class SPSA:
    """Simultaneous perturbation stochastic approximation (Spall 1998), with the defaults of Qiskit's.

    An iteration evaluates two points, ``c`` either side of the last one in a random direction. Steps shrink as
    ``a / t**0.602`` and ``c`` as ``c / t**0.101``. Before the first, ``a`` is set so that its step has the given
    length, from the slopes in some random directions: these evaluations count too.

    Parameters
    ----------
    iterations : int
    perturbation : float
        The first c.
    first_step : float
        How far the first iteration moves each parameter, in radians.
    calibration : int
        Directions to learn ``a`` from, two evaluations each; with 0, ``a`` is ``first_step``.

    Examples
    --------
    >>> def bowl(points):
    ...     return np.array([point @ point for point in points])
    >>> found = SPSA(iterations=100)(bowl, np.ones(2), np.random.default_rng(0))
    >>> bool(np.abs(found.parameters).max() < 0.1), found.evaluations
    (True, 250)
    """

    iterations: int = 32
    perturbation: float = 0.2
    first_step: float = 0.2 * np.pi
    calibration: int = 25

    def __post_init__(self) -> None:
        for name, least in (("iterations", 0), ("calibration", 0)):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
                raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}.")
        check_positive(self, "perturbation", "first_step")

    def __call__(self, objective: Objective, start: Vector, rng: np.random.Generator, /) -> Found:
        """Return the point after the last iteration."""
        point, gain = np.array(start, np.float64), self._gain(objective, start, rng)
        history = np.empty(2 * self.iterations)
        for t in range(self.iterations):
            c = self.perturbation / (t + 1) ** 0.101
            side = rng.choice((-1.0, 1.0), point.size)
            history[2 * t : 2 * t + 2] = objective([point + c * side, point - c * side])
            slope = (history[2 * t] - history[2 * t + 1]) / (2.0 * c)
            point = point - gain / (t + 1) ** 0.602 * slope * side
        return Found(point, 2 * (self.calibration + self.iterations), history)

    def _gain(self, objective: Objective, start: Vector, rng: np.random.Generator) -> float:
        """Return the a that makes the first step as long as wished for, on average."""
        if not self.calibration:
            return self.first_step
        c = self.perturbation
        sides = rng.choice((-1.0, 1.0), (self.calibration, start.size))
        values = objective([start + sign * c * side for side in sides for sign in (1.0, -1.0)])
        differences = np.abs(values[::2] - values[1::2])
        # A flat start, but for rounding, says nothing of how long a step should be.
        if not differences.mean() > ROUNDING * np.abs(values).max():
            return self.first_step
        return self.first_step / float(differences.mean() / (2.0 * c))


@dataclass(frozen=True)
class COBYLA:
    """Powell's method of linear approximations, as SciPy has it.

    Parameters
    ----------
    iterations : int
        Evaluations at most, and two more than there are parameters if that is more: the method needs them to begin.
    first_step : float
        How far the first points are from the start, in radians.
    tolerance : float
        Stop when steps are shorter than this.

    Examples
    --------
    >>> def bowl(points):
    ...     return np.array([point @ point for point in points])
    >>> found = COBYLA()(bowl, np.ones(2), np.random.default_rng(0))
    >>> bool(np.abs(found.parameters).max() < 0.01)
    True
    """

    iterations: int = 1000
    first_step: float = 1.0
    tolerance: float = 1e-3

    def __post_init__(self) -> None:
        value = self.iterations
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise ValueError(f"iterations must be an integer of at least 1, got {value!r}.")
        check_positive(self, "first_step", "tolerance")

    def __call__(self, objective: Objective, start: Vector, _rng: np.random.Generator, /) -> Found:
        """Return the best point evaluated."""
        from scipy.optimize import minimize

        points: list[Vector] = []
        history: list[float] = []

        def value(point: Vector) -> float:
            points.append(np.array(point, np.float64))
            history.append(float(objective([points[-1]])[0]))
            return history[-1]

        minimize(
            value, np.array(start, np.float64), method="COBYLA", tol=self.tolerance,
            options={"maxiter": max(self.iterations, start.size + 2), "rhobeg": self.first_step},
        )  # fmt: skip
        return Found(points[int(np.argmin(history))], len(history), np.array(history))
