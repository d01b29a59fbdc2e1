"""Criterion: an importance, a redundancy, and the rule that gives alpha for k. Anything with these three will do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..protocols import Importance, Redundancy, check_plugin
from .family import QFS, Pairs

PARTS = ("importance", "redundancy", "alpha")


@dataclass(frozen=True)
class Criterion:
    """A criterion of your own: ``alpha(k) * sum I - (1 - alpha(k)) * sum R`` over subsets of k features.

    Parameters
    ----------
    importance : Importance
        A function ``(X, y) -> (n,)`` of numbers that are not negative.
    redundancy : Redundancy
        A function ``X -> (n, n)`` or ``(X, y) -> (n, n)``, symmetric with a zero diagonal. Numbers may be negative if
        there is an alpha for every k.
    alpha : callable
        Of k, returns alpha, from 0 to 1; or None, for the alpha at which k features are best among subsets of every
        size, which needs no common unit of the two measures.

    Examples
    --------
    >>> from quboselect import SelectQUBO, importance, redundancy
    >>> from quboselect.datasets import load_ionosphere
    >>> half = Criterion(importance.Correlation(), redundancy.Correlation(), lambda k: 0.5)
    >>> SelectQUBO(k=3, criterion=half).fit(*load_ionosphere(return_X_y=True)).alpha_
    0.5
    """

    importance: Importance
    redundancy: Redundancy
    alpha: Callable[[int], float | None]


def check_criterion(criterion: Any) -> None:
    """Raise unless a criterion is a value that has its three parts."""
    if isinstance(criterion, type):
        raise TypeError(
            f"criterion must be a value, got the class {criterion.__name__}: write {criterion.__name__}()."
        )
    lacking = [part for part in PARTS if not hasattr(criterion, part)]
    if lacking or not callable(criterion.alpha):
        what = (
            f"{criterion!r} has no {lacking[0]}" if lacking else f"the alpha of {criterion!r} is no function"
        )
        raise TypeError(
            f"criterion must have an importance, a redundancy and alpha(k), as criteria.JMI() has, but {what}: see "
            "criteria.Criterion."
        )
    check_plugin(criterion.importance, "importance")
    check_plugin(criterion.redundancy, "redundancy")


def base_criterion(criterion: Any, importance: Any, redundancy: Any) -> Any:
    """Return the criterion that was given, or the one that is meant where it is None.

    Measures that are given need not have a common unit, so `QFS`, which needs none, goes with them; else it is `Pairs`.
    """
    alone = importance is None and redundancy is None
    meant = criterion if criterion is not None else Pairs() if alone else QFS()
    check_criterion(meant)
    return meant


def criterion_of(selector: Any) -> Any:
    """Return the criterion that a selector means: measures that it was given take the place of the criterion's own."""
    importance, redundancy = selector.importance, selector.redundancy
    base = base_criterion(selector.criterion, importance, redundancy)
    if importance is None and redundancy is None:
        return base
    meant = Criterion(
        base.importance if importance is None else importance,
        base.redundancy if redundancy is None else redundancy,
        base.alpha,
    )
    check_criterion(meant)
    return meant
