"""The three sockets: anything callable that fits one of these can be plugged in.

A plug-in is a value: made with its parameters, called with data, keeping no state. A function will do, and so
will scikit-learn's score functions for `Importance`. `quboselect.testing` certifies all three.
"""

import dataclasses
from typing import Any, Protocol, cast

from .qubo import QUBO, Matrix, Vector
from .samples import Samples


class Importance(Protocol):
    """I: what each feature says about the label."""

    def __call__(self, X: Any, y: Any, /) -> Vector:
        """Return one non-negative number per feature, shape (n,)."""


class Redundancy(Protocol):
    """R: what each pair of features says twice."""

    def __call__(self, X: Any, /) -> Matrix:
        """Return one non-negative number per pair, shape (n, n), symmetric with a zero diagonal."""


class Solver(Protocol):
    """argmin: bit vectors of low energy, and a proven bound where there is one.

    A solver that is a dataclass with a field ``k`` is also asked for the best subset of exactly k features,
    by ``dataclasses.replace(solver, k=k)``; one with a field ``hint`` is given the samples it returned at
    the alpha before. One with a method ``scout()`` names by it a quicker solver, with which a path is explored
    before the solver itself is asked to prove it.
    """

    def __call__(self, qubo: QUBO, /) -> Samples:
        """Return at least one sample, best first."""


def check_plugin(plugin: Any, name: str) -> None:
    """Raise unless a plug-in can be called with data: a function, or a value, not the class it is made of."""
    if isinstance(plugin, type):
        raise TypeError(
            f"{name} must be a value, got the class {plugin.__name__}: write {plugin.__name__}()."
        )
    if not callable(plugin):
        raise TypeError(f"{name} must be callable, got {plugin!r}.")


def takes(solver: Any, name: str) -> bool:
    """Return whether a solver is a value that can be made anew with this field."""
    return dataclasses.is_dataclass(solver) and name in {field.name for field in dataclasses.fields(solver)}


def hinted(solver: Solver, samples: Samples | None) -> Solver:
    """Return the solver with samples of a similar problem to start from, if it can use them."""
    if samples is None or not takes(solver, "hint"):
        return solver
    return cast(Solver, dataclasses.replace(cast(Any, solver), hint=samples))


def ask(solver: Solver, qubo: QUBO) -> Samples:
    """Return what a solver answers, or say in words that it is not what a solver must."""
    samples = solver(qubo)
    if not isinstance(samples, Samples):
        raise TypeError(f"a solver must return Samples (see Samples.of), got {type(samples).__name__}.")
    if samples.x.shape[1] != qubo.size:
        raise ValueError(f"a solver must return rows of {qubo.size} bits, got {samples.x.shape[1]}.")
    return samples
