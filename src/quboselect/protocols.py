"""The three sockets: anything callable that fits one of these can be plugged in.

A plug-in is a value: it is made with its parameters, called with data, and keeps no state. A function will do, and so
will scikit-learn's score functions for `Importance`. `quboselect.testing` certifies all three. This module also calls
them, and sets their parameters by name. A plug-in may have more, which is found by these attributes:

==============  ===============  =====================================================================================
of              attribute        what it says
==============  ===============  =====================================================================================
a measure       tables           true: it takes a `Table` and a `Target`, with missing values and weights
a measure       categories       true: it also takes features that are no numbers
a measure       fixed            true: it does not depend on the samples, so shuffling them shows nothing
a measure       of               ``of(information)`` returns it of counts, so that batches can be fitted
an importance   of_explained     ``of_explained(explained)`` returns it of explained variance, for batches too
a redundancy    of_correlations  ``of_correlations(matrix)`` returns it of correlations, for batches too
a measure       ranks            true: these two are made of ranks, and not of values
a measure       by_class         true: it needs the pairs of features counted class by class
a redundancy    signed           true: its numbers may be negative
a redundancy    rows             ``rows(table)`` returns `Rows`, for tables too wide for a matrix
a solver        k                a field of a dataclass: ``replace(solver, k=k)`` searches subsets of exactly k features
a solver        hint             a field of a dataclass: solutions of a similar problem to start from
a solver        scout            ``scout()`` returns a quicker solver, which explores a path before it is proven
a solver        n_jobs           it may be asked from this many threads at once
a solver        by_rows          ``by_rows(linear, row)`` takes one feature after the other, by the row of each alone
a solver        calls            it is a device: a fit asks it at most this often
==============  ===============  =====================================================================================
"""

import dataclasses
import inspect
from typing import Any, Protocol, Self, cast

import numpy as np
from sklearn.base import BaseEstimator

from .qubo import QUBO, Matrix, Solutions, Vector
from .tables.several import Targets
from .tables.table import Table
from .tables.target import Target


class Importance(Protocol):
    """I: what each feature says about the label.

    It is given an array of numbers and the labels. One that has a parameter ``sample_weight`` is given weights by it.
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
    """argmin: bit vectors of low energy, and a proven bound where there is one."""

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return at least one solution, best first."""


USUAL = {
    "solver": "solvers.Portfolio() or solvers.Tabu()",
    "importance": "importance.MutualInformation() or importance.Correlation()",
    "redundancy": "redundancy.MutualInformation() or redundancy.Correlation()",
}


def check_plugin(plugin: Any, name: str) -> None:
    """Raise unless a plug-in can be called with data: a function, or a value, not the class it is made of."""
    if isinstance(plugin, type):
        raise TypeError(
            f"{name} must be a value, got the class {plugin.__name__}: write {plugin.__name__}()."
        )
    if not callable(plugin):
        known = f": write {USUAL[name]}" if name in USUAL else ""
        raise TypeError(f"{name} must be callable, got {plugin!r}{known}.")


def check_solver(solver: Solver) -> None:
    """Raise unless a solver can be asked about every size."""
    check_plugin(solver, "solver")
    if takes(solver, "k") and (k := solver.k) is not None:  # type: ignore[attr-defined]
        raise ValueError(
            f"solver must not be bound to a size of its own, got one with k={k!r}: leave k out of it."
        )


def importance_of(importance: Any, table: Table, target: Any) -> Vector:
    """Return what an importance answers for a table: one number per feature, of several targets the sum."""
    if isinstance(target, Targets):
        return cast(Vector, sum(importance_of(importance, table, one) for one in target.parts))
    if getattr(importance, "tables", False):
        return cast(Vector, importance(table, target))
    X, y, weights = _arguments(importance, "importance", table, target)
    answer = importance(X, y, **weights)
    # scikit-learn's score functions may return p-values as well, and know nothing of a constant feature.
    answer = answer[0] if isinstance(answer, tuple) else answer
    if answer is not None and np.shape(answer) == (table.n_features,) and np.isnan(answer).any():
        X = table.matrix()
        answer = np.where(np.isnan(answer) & (X[:1] == X).all(axis=0), 0.0, answer)
    return cast(Vector, answer)


def redundancy_of(redundancy: Any, table: Table, target: Any) -> Matrix:
    """Return what a redundancy answers for a table: one number per pair of features, of several targets the sum."""
    if isinstance(target, Targets):
        return cast(Matrix, sum(redundancy_of(redundancy, table, one) for one in target.parts))
    X: Any = table
    y: Any = target
    weights: dict[str, Any] = {}
    if not getattr(redundancy, "tables", False):
        X, y, weights = _arguments(redundancy, "redundancy", table, target)
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    required = (p for p in _parameters(redundancy).values() if p.default is inspect.Parameter.empty)
    takes_target = sum(p.kind in kinds for p in required) > 1
    return cast(Matrix, redundancy(X, y, **weights) if takes_target else redundancy(X, **weights))


def _arguments(measure: Any, name: str, table: Table, target: Any) -> tuple[Any, Any, dict[str, Any]]:
    """Return what a plain function is called with: numbers, labels and perhaps weights."""
    X = table.matrix()
    if X.dtype.kind == "f" and np.isnan(X).any():
        i = int(np.isnan(X).any(axis=0).argmax())
        raise ValueError(
            f"{name} is a function of numbers, but {table.label(i)} has missing values (NaN): use a measure of "
            f"quboselect.{name}, or fill them in."
        )
    y = target.values if isinstance(target, Target) else None
    if table.weights is None:
        return X, y, {}
    if "sample_weight" not in _parameters(measure):
        raise ValueError(
            f"{name} takes no sample_weight: use a measure of quboselect.{name}, or a function that has this parameter."
        )
    return X, y, {"sample_weight": table.weights}


def _parameters(measure: Any) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(measure).parameters)
    except (TypeError, ValueError):
        return {}


def takes(solver: Any, name: str) -> bool:
    """Return whether a solver is a value that can be made anew with this field."""
    return dataclasses.is_dataclass(solver) and name in {field.name for field in dataclasses.fields(solver)}


def ask(solver: Solver, qubo: QUBO) -> Solutions:
    """Return what a solver answers, or raise where that is not what a solver must return."""
    solutions = solver(qubo)
    if not isinstance(solutions, Solutions):
        raise TypeError(f"a solver must return Solutions (see Solutions.of), got {type(solutions).__name__}.")
    if solutions.x.shape[1] != qubo.size:
        raise ValueError(f"a solver must return rows of {qubo.size} bits, got {solutions.x.shape[1]}.")
    return solutions


class NestedParameters(BaseEstimator):  # type: ignore[misc]
    """scikit-learn's estimator, whose parameters may be frozen dataclasses with parameters of their own."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool
            Whether those of measures and solvers are among them, as ``redundancy__bins``.
        """
        params: dict[str, Any] = super().get_params(deep=deep)
        if deep:
            for name, value in list(params.items()):
                if _is_value(value):
                    params |= {f"{name}__{part}": getattr(value, part) for part in _parts(value)}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, or none of them where one is refused.

        Parameters
        ----------
        **params : by name
            ``redundancy__bins=10`` sets a part of a measure or solver: a copy with that part takes its place.
        """
        own = self.get_params(deep=False)
        whole: dict[str, Any] = {}
        parts: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            owner, _, part = name.partition("__")
            if owner not in own:
                super().set_params(**{name: value})  # raises, and says which there are
            held = params.get(owner, own[owner])
            if part and held is None:
                raise ValueError(
                    f"{name} cannot be set, because {owner} is None: give {owner} a value, or set that part of the "
                    f"criterion, as in criterion=criteria.Pairs({part}={value!r})."
                )
            if not part or not _is_value(held):
                whole[name] = value
            elif part in _parts(held):
                parts.setdefault(owner, {})[part] = value
            else:
                raise ValueError(
                    f"Invalid parameter {part!r} for {owner}={held!r}. Valid parameters are: {', '.join(_parts(held))}."
                )
        for owner, changed in parts.items():
            whole[owner] = dataclasses.replace(params.get(owner, own[owner]), **changed)
        super().set_params(**whole)
        return self

    def _html_repr(self) -> str:
        # In a notebook: scikit-learn's box, and under it what a fit has found.
        found = vars(self).get("result_")
        return super()._html_repr() + ("" if found is None else found._repr_html_())  # type: ignore[no-any-return]


def _is_value(held: Any) -> bool:
    return dataclasses.is_dataclass(held) and not isinstance(held, type)


def _parts(value: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(value) if field.init]
