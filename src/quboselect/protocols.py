"""The three sockets: anything callable that fits one of these can be plugged in.

A plug-in is a value: made with its parameters, called with data, keeping no state. A function will do, and so
will scikit-learn's score functions for `Importance`. `quboselect.testing` certifies all three.
"""

from typing import Any, Protocol

from .qubo import QUBO, Matrix, Samples, Vector


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
    by ``dataclasses.replace(solver, k=k)``. One with a method ``scout()`` names by it a quicker solver,
    with which a path is explored before the solver itself is asked to prove it.
    """

    def __call__(self, qubo: QUBO, /) -> Samples:
        """Return at least one sample, best first."""
