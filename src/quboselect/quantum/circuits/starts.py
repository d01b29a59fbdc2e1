"""Starts: the parameters an optimiser begins with.

A start is a function from the number of parameters and a random generator to the parameters, or the parameters.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ...qubo import QUBO, Vector, frozen
from .optimisers import check_positive

Start = Callable[[int, np.random.Generator], Vector]
Toward = Callable[[QUBO], Vector]


def uniform(parameters: int, rng: np.random.Generator, /) -> Vector:
    """Return random angles, all equally likely.

    Examples
    --------
    >>> bool(np.abs(uniform(1000, np.random.default_rng(0))).max() < np.pi)
    True
    """
    return rng.uniform(-np.pi, np.pi, parameters)


@dataclass(frozen=True)
class Ramp:
    """Angles of a short anneal: gammas that rise from 0 and betas that fall to 0, both with one slope.

    Parameters
    ----------
    height : float
        What the gammas rise to and the betas fall from.

    Examples
    --------
    >>> Ramp(height=1.0)(4, np.random.default_rng(0))
    array([0.25, 0.75, 0.75, 0.25])
    """

    height: float = 1.5

    def __post_init__(self) -> None:
        check_positive(self, "height")

    def __call__(self, parameters: int, _rng: np.random.Generator, /) -> Vector:
        """Return the gammas, then the betas; nothing is drawn."""
        rise = (np.arange(parameters // 2) + 0.5) / max(parameters // 2, 1)
        return self.height * np.concatenate([rise, 1.0 - rise])


def mean_field(qubo: QUBO, /) -> Vector:
    """Return the chance of each bit to be 1 if it feels only the chances of the others, after slow cooling.

    It is a cheap relaxation, to start a circuit from. Where the chances are close to 0 and 1, this relaxation and not
    the circuit has found the bits.

    Examples
    --------
    >>> mean_field(QUBO([-1.0, -1.0, -1.0], [[0, 3, 0], [3, 0, 1], [0, 1, 0]])).round(2)
    array([1., 0., 1.])
    """
    largest = max(np.abs(qubo.linear).max(initial=0.0), np.abs(qubo.couplings).max(initial=0.0)) or 1.0
    chances = np.full(qubo.size, 0.5)
    for beta in np.geomspace(1.0, 30.0, 50) / largest:
        for _ in range(20):
            field = qubo.linear + qubo.couplings @ chances
            chances = 0.5 * chances + 0.25 * (1.0 - np.tanh(0.5 * beta * field))
    return chances


def as_numbers(values: Any, name: str) -> Any:
    """Return what is callable, or None, as it is, and numbers as a tuple, so that solvers can be compared."""
    return values if values is None or callable(values) else tuple(frozen(values, name, 1).tolist())


def as_shares(values: float | Sequence[float], name: str) -> float | tuple[float, ...]:
    """Return a share above 0 and at most 1, or a tuple of them, or raise."""
    shares = (values,) if np.isscalar(values) else tuple(values)  # type: ignore[arg-type]
    for share in shares or (None,):
        real = isinstance(share, Real) and not isinstance(share, bool)
        if not real or not 0.0 < float(share) <= 1.0:  # type: ignore[arg-type]
            raise ValueError(f"{name} must be a share above 0 and at most 1, or several, got {values!r}.")
    return values if np.isscalar(values) else shares  # type: ignore[return-value]


def start_parameters(start: Start | Sequence[float], parameters: int, rng: np.random.Generator) -> Vector:
    """Return the parameters to start from, or raise if the circuit has another number of them."""
    values = frozen(start(parameters, rng) if callable(start) else start, "start", 1)
    if values.size != parameters:
        raise ValueError(
            f"start must be {parameters} parameters, as many as the circuit has, got {values.size}."
        )
    return values
