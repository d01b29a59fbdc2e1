"""The three sockets: anything callable that fits one of these can be plugged in, and how each is called.

A plug-in is a value: made with its parameters, called with data, keeping no state. A function will do, and so
will scikit-learn's score functions for `Importance`. `quboselect.testing` certifies all three.
"""

import dataclasses
import inspect
from typing import Any, Protocol, cast

import numpy as np

from .qubo import QUBO, Matrix, Vector
from .solutions import Solutions
from .tables.table import Table
from .tables.target import Target


class Importance(Protocol):
    """I: what each feature says about the label.

    It is given an array of numbers and the labels. With a true attribute ``tables`` it is given a `Table` and a
    `Target` instead, which hold features of any kind, missing values and weights; with ``categories``, also true of
    features that are no numbers. One that has a parameter ``sample_weight`` is given weights by it.
    """

    def __call__(self, X: Any, y: Any, /) -> Vector:
        """Return one non-negative number per feature, shape (n,)."""


class Redundancy(Protocol):
    """R: what each pair of features says twice.

    It is called as `Importance` is, without y; one that takes two positional arguments is given y too.
    """

    def __call__(self, X: Any, /) -> Matrix:
        """Return one non-negative number per pair, shape (n, n), symmetric with a zero diagonal."""


class Solver(Protocol):
    """argmin: bit vectors of low energy, and a proven bound where there is one.

    A solver that is a dataclass with a field ``k`` is also asked for the best subset of exactly k features,
    by ``dataclasses.replace(solver, k=k)``; one with a field ``hint`` is given the solutions it returned at
    the alpha before. One with a method ``scout()`` names by it a quicker solver, with which a path is explored
    before the solver itself is asked to prove it; with a field ``n_jobs`` it is asked from several threads at once.
    One with a number ``calls`` is a device, which a fit asks at most so often.
    """

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return at least one sample, best first."""


def check_plugin(plugin: Any, name: str) -> None:
    """Raise unless a plug-in can be called with data: a function, or a value, not the class it is made of."""
    if isinstance(plugin, type):
        raise TypeError(
            f"{name} must be a value, got the class {plugin.__name__}: write {plugin.__name__}()."
        )
    if not callable(plugin):
        raise TypeError(f"{name} must be callable, got {plugin!r}.")


def scores(importance: Any, table: Table, target: Target) -> Vector:
    """Return what an importance answers for a table: one number per feature."""
    X, y, weights = _arguments(importance, "importance", table, target)
    answer = importance(X, y, **weights)
    # scikit-learn's score functions may return p-values as well, and know nothing of a constant feature.
    answer = answer[0] if isinstance(answer, tuple) else answer
    if answer is not None and np.shape(answer) == (table.n_features,) and np.isnan(answer).any():
        X = table.matrix()
        answer = np.where(np.isnan(answer) & (X[:1] == X).all(axis=0), 0.0, answer)
    return cast(Vector, answer)


def pairs(redundancy: Any, table: Table, target: Target) -> Matrix:
    """Return what a redundancy answers for a table: one number per pair of features."""
    X, y, weights = _arguments(redundancy, "redundancy", table, target)
    return cast(
        Matrix, redundancy(X, y, **weights) if _positional(redundancy) > 1 else redundancy(X, **weights)
    )


def _arguments(measure: Any, name: str, table: Table, target: Target) -> tuple[Any, Any, dict[str, Any]]:
    """Return what a measure is called with: the table as it is, or plain numbers, labels and perhaps weights."""
    if getattr(measure, "tables", False):
        return table, target, {}
    X = table.matrix()
    if X.dtype.kind == "f" and np.isnan(X).any():
        i = int(np.isnan(X).any(axis=0).argmax())
        raise ValueError(
            f"{name} is a function of numbers, but {table.label(i)} has missing values (NaN): use a measure of "
            f"quboselect.{name}, or fill them in."
        )
    if table.weights is None:
        return X, target.values, {}
    if "sample_weight" not in _parameters(measure):
        raise ValueError(
            f"{name} takes no sample_weight: use a measure of quboselect.{name}, or a function that has this parameter."
        )
    return X, target.values, {"sample_weight": table.weights}


def _parameters(measure: Any) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(measure).parameters)
    except (TypeError, ValueError):
        return {}


def _positional(measure: Any) -> int:
    """Return how many positional arguments a measure must be given."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = _parameters(measure).values()
    return sum(p.kind in kinds and p.default is inspect.Parameter.empty for p in found)


def takes(solver: Any, name: str) -> bool:
    """Return whether a solver is a value that can be made anew with this field."""
    return dataclasses.is_dataclass(solver) and name in {field.name for field in dataclasses.fields(solver)}


def hinted(solver: Solver, solutions: Solutions | None) -> Solver:
    """Return the solver with solutions of a similar problem to start from, if it can use them."""
    if solutions is None or not takes(solver, "hint"):
        return solver
    return cast(Solver, dataclasses.replace(cast(Any, solver), hint=solutions))


def ask(solver: Solver, qubo: QUBO) -> Solutions:
    """Return what a solver answers, or say in words that it is not what a solver must."""
    solutions = solver(qubo)
    if not isinstance(solutions, Solutions):
        raise TypeError(f"a solver must return Solutions (see Solutions.of), got {type(solutions).__name__}.")
    if solutions.x.shape[1] != qubo.size:
        raise ValueError(f"a solver must return rows of {qubo.size} bits, got {solutions.x.shape[1]}.")
    return solutions
