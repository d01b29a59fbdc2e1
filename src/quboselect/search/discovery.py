"""Which features are discoveries: those that say something of the target, with few false ones among them.

A false discovery is a feature that is selected and has nothing to do with the target. Its *rate* is the expected share
of false ones among all that are selected. A feature that only repeats another one which says something is no false
discovery here: alone it does say something, and redundancy, not chance, speaks against it.

======================  ==============================================================================================
rule                    what it does
======================  ==============================================================================================
`BenjaminiHochberg`     p-values by shuffles of the target, and the limit of Benjamini and Hochberg (1995); the default
`Twins`                 each feature must beat its shuffled twin, as with knockoffs (Barber and Candes, 2015)
======================  ==============================================================================================
"""

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from ..errors import check_integer, check_number
from ..protocols import importance_of
from ..qubo import Bits, Vector, frozen
from ..tables.table import Table
from ..tables.target import Target
from .chance import chi_square_p_values, is_moved, pooled_p_values, shuffled_importances
from .constraints import Constraints

NULLS = ("shuffles", "chi-square")
RATE = 0.1  # where none is given
SHUFFLES = 100
LEAST = 5  # shuffles for each false discovery in as many as the rate allows one in


@dataclass(frozen=True, eq=False, repr=False)
class Chance:
    """How sure it is that each feature says something of the target, and which features pass.

    Parameters
    ----------
    q_values : array of shape (n,)
        The least rate of false discoveries at which each feature passes; 1 for features that were not tested, because
        they were included, excluded, or constant. Features of a group have one in common.
    rate : float
        The rate that was asked for.
    p_values : array of shape (n,), optional
        How often chance alone shows as much importance as each feature has, 1 for constant ones. `Twins` have none.

    Examples
    --------
    >>> chance = Chance([0.04, 1.0], 0.1)
    >>> chance, chance.passed.tolist()
    (Chance(1 of 2 features pass at a rate of 0.1), [True, False])
    """

    q_values: Vector
    rate: float
    p_values: Vector | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "q_values", frozen(self.q_values, "q_values", 1))
        if self.p_values is not None:
            object.__setattr__(self, "p_values", frozen(self.p_values, "p_values", 1))

    def __repr__(self) -> str:
        return f"Chance({self.passed.sum()} of {self.passed.size} features pass at a rate of {self.rate:g})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, which closes the arrays to writing again.
        return Chance, (self.q_values, self.rate, self.p_values)

    @property
    def passed(self) -> Bits:
        """Which features pass at the rate that was asked for."""
        passed: Bits = self.q_values <= self.rate
        return passed


@dataclass(frozen=True)
class BenjaminiHochberg:
    """Features pass by their p-values: the largest number r of which the r-th is at most ``rate * r / n``.

    The expected share of false discoveries is then at most ``rate``, if features are independent, or depend on each
    other as is usual (Benjamini and Yekutieli, 2001); ``benchmarks/fdr.py`` measures it. A group has one p-value,
    Simes' of its features.

    Parameters
    ----------
    rate : float
        Above 0, at most 1. With 1 everything passes, and p-values are there to be read.
    null : "shuffles" or "chi-square"
        Where p-values come from. ``"shuffles"`` are for every measure. ``"chi-square"`` needs no shuffles and knows
        p-values of any smallness, but it is for mutual information, plug-in, without weights or blocks, and for full
        cells.
    shuffles : int, optional
        How often the target is shuffled; None is 100, or five over ``rate`` if that is more. With blocks it is shifted
        in a circle, of which there are as many ways as samples.
    seed : int
        Of the shuffles.

    Examples
    --------
    >>> from quboselect import SelectQUBO
    >>> from quboselect.datasets import load_ionosphere
    >>> X, y = load_ionosphere(return_X_y=True)
    >>> selector = SelectQUBO(k="fdr", fdr=BenjaminiHochberg(0.05)).fit(X, y)
    >>> selector.result_.chance
    Chance(33 of 34 features pass at a rate of 0.05)
    """

    rate: float = RATE
    null: str = "shuffles"
    shuffles: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_rate(self.rate)
        if self.null not in NULLS:
            raise ValueError(f"null must be one of {', '.join(map(repr, NULLS))}, got {self.null!r}.")
        if self.shuffles is not None:
            check_integer(self.shuffles, "shuffles", 3)
        check_integer(self.seed, "seed", 0)

    def __call__(self, importance: Any, table: Table, target: Target, constraints: Constraints, /) -> Chance:
        """Return which features of a table pass.

        Parameters
        ----------
        importance : Importance
        table : Table
        target : Target
        constraints : Constraints
            Features that are included or excluded are not tested, and have p-values all the same.
        """
        check_moving(importance)
        free = ~(constraints.included | constraints.excluded)
        if self.null == "chi-square":
            p_values = self._by_counts(importance, table, target)
            tested = free & (p_values < 1.0)
        else:
            m = max(SHUFFLES, ceil(LEAST / self.rate)) if self.shuffles is None else self.shuffles
            seen = np.asarray(importance_of(importance, table, target), np.float64)
            shuffled = shuffled_importances(importance, table, target, m, self.seed)
            tested = free & is_moved(np.vstack([seen, shuffled]))
            p_values = pooled_p_values(seen, shuffled)
            # What is not tested has no say in what chance shows of the others.
            p_values[tested] = pooled_p_values(seen[tested], shuffled[:, tested])
        places = constraints.unit[tested]
        units, p_units = np.unique(places), p_values[tested]
        if constraints.grouped:
            p_units = np.array([simes(p_values[tested][places == unit]) for unit in units])
        q_units = np.ones(constraints.unit.max() + 1)
        q_units[units] = adjusted(p_units)
        return Chance(np.where(free, q_units[constraints.unit], 1.0), self.rate, p_values)

    def _by_counts(self, importance: Any, table: Table, target: Target) -> Vector:
        """Return p-values by the chi-square distribution, or raise where that is not known to be the one."""
        plain = getattr(importance, "estimate", None) == "plug-in" and not getattr(
            importance, "normalised", True
        )
        if not plain or table.weights is not None or table.blocks is not None:
            series = "a table with weights" if table.blocks is None else f"blocks={table.blocks}"
            raise ValueError(
                "null='chi-square' is for plug-in mutual information of samples without weights or blocks, got "
                f"{series if plain else repr(importance)}: use null='shuffles'."
            )
        information = importance.information(table, target)
        return chi_square_p_values(
            information.counts.codes, information.counts.target, information.importance
        )


@dataclass(frozen=True)
class Twins:
    """Features pass that beat shuffled ones by so much that few shuffled ones beat theirs by as much.

    Each feature is shuffled once, which makes its twin: ``W`` is the importance of the feature less that of the twin.
    Useless features have ``W`` of either sign alike. Those with ``W`` of at least t pass, for the least t at which
    ``(1 + number of W <= -t) / number of W >= t`` is at most ``rate``: the knockoff+ limit of Barber and Candes.

    It asks for two measurements only. But the share of false discoveries is controlled only if useless features are
    independent of each other, as shuffled twins do not repeat how features are related, which knockoffs do; and at
    least ``1 / rate`` features must pass, or none does.

    Parameters
    ----------
    rate : float
        Above 0, at most 1.
    seed : int
        Of the twins.

    Examples
    --------
    >>> from quboselect import SelectQUBO
    >>> from quboselect.datasets import load_ionosphere
    >>> X, y = load_ionosphere(return_X_y=True)
    >>> SelectQUBO(k="fdr", fdr=Twins(0.1)).fit(X, y).result_.chance
    Chance(33 of 34 features pass at a rate of 0.1)
    """

    rate: float = RATE
    seed: int = 0

    def __post_init__(self) -> None:
        check_rate(self.rate)
        check_integer(self.seed, "seed", 0)

    def __call__(self, importance: Any, table: Table, target: Target, constraints: Constraints, /) -> Chance:
        """Return which features of a table pass.

        Parameters
        ----------
        importance : Importance
        table : Table
        target : Target
        constraints : Constraints
            Features that are included or excluded are not tested.
        """
        check_moving(importance)
        seen = np.asarray(importance_of(importance, table, target), np.float64)
        twins = np.asarray(importance_of(importance, table.shuffled(self.seed), target), np.float64)
        lead: Vector = np.bincount(constraints.unit, weights=seen - twins).astype(np.float64)
        free = ~(constraints.included | constraints.excluded)
        units = np.unique(constraints.unit[free])
        q_units = np.ones(lead.size)
        q_units[units] = knockoff_rates(lead[units])
        return Chance(np.where(free, q_units[constraints.unit], 1.0), self.rate)


def adjusted(p_values: Vector) -> Vector:
    """Return Benjamini and Hochberg's q-values: the least rate at which each passes.

    Examples
    --------
    >>> adjusted(np.array([0.01, 0.9, 0.02])).round(3).tolist()
    [0.03, 0.9, 0.03]
    """
    order = np.argsort(p_values, kind="stable")
    rates = p_values[order] * (p_values.size / np.arange(1.0, p_values.size + 1.0))
    q_values = np.empty(p_values.size)
    q_values[order] = np.minimum.accumulate(rates[::-1])[::-1]
    return q_values


def simes(p_values: Vector) -> float:
    """Return one p-value for several: that none of them says anything (Simes, 1986).

    Examples
    --------
    >>> simes(np.array([0.03, 0.5]))
    0.06
    """
    return float(adjusted(p_values).min())


def knockoff_rates(lead: Vector) -> Vector:
    """Return the least rate at which each lead over a twin passes the knockoff+ limit; 1 for those that trail.

    Examples
    --------
    >>> knockoff_rates(np.array([3.0, 2.0, -1.0, 0.5, 4.0])).round(3).tolist()
    [0.333, 0.333, 1.0, 0.5, 0.333]
    """
    order = np.argsort(-lead, kind="stable")
    ahead, trailing = lead[order], np.sort(-lead)
    at_least = np.searchsorted(-ahead, -ahead, side="right")
    rates = (1.0 + trailing.size - np.searchsorted(trailing, ahead, side="left")) / at_least
    rates = np.where(ahead > 0, np.minimum(rates, 1.0), 1.0)
    found = np.empty(lead.size)
    # A lower limit lets the higher ones pass as well.
    found[order] = np.where(ahead > 0, np.minimum.accumulate(rates[::-1])[::-1], 1.0)
    return found


def rule_of(fdr: Any) -> Any:
    """Return the rule that a parameter ``fdr`` means: a number is a rate, None that of ``k="fdr"``."""
    if fdr is None:
        return BenjaminiHochberg()
    if callable(fdr) and not isinstance(fdr, type):
        return fdr
    check_rate(fdr, "fdr")
    return BenjaminiHochberg(fdr)


def check_rate(rate: Any, name: str = "rate") -> None:
    """Raise unless a rate of false discoveries can be asked for."""
    check_number(rate, name, 1.0)
    if rate == 0:
        raise ValueError(f"{name} must be above 0, got {rate!r}: no feature is certain.")


def check_moving(importance: Any) -> None:
    """Raise where a measure does not depend on the target, so that shuffles show nothing."""
    if getattr(importance, "fixed", False):
        raise ValueError(
            f"fdr needs an importance that is measured of the samples and the target, got {importance!r}: use "
            "importance.MutualInformation(), or fdr=None."
        )
