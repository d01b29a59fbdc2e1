"""Fitting: from a tradeoff, or a table and the parameters of a selector, to a `Result`.

`best_subset` makes one of a tradeoff: it decides between a matrix and rows on demand, reduces the problem to the units
that are free, searches, and leads what was found back to all features. `table_result` makes one of a table, as the
parameters of a selector say.
"""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .counting.bins import feature_codes, few_samples_words, label_codes
from .criteria.criterion import criterion_of
from .errors import FewSamplesWarning, user_level
from .explain.notes import Facts
from .protocols import Solver, check_solver, importance_of, redundancy_of
from .qubo import Bits
from .result import Result
from .search.auto_size import auto_size
from .search.choice import choose
from .search.constraints import Constraints
from .search.discovery import Chance, rule_of
from .search.units import Units
from .search.wide import selection
from .solvers import Portfolio
from .tables.table import Repeats, Table, as_table
from .tables.target import Target, as_target
from .tradeoff import Tradeoff, check_alpha


def best_subset(
    tradeoff: Tradeoff,
    *,
    k: int | None = None,
    alpha: float | None = None,
    constraints: Constraints | None = None,
    solver: Solver = Portfolio(),  # noqa: B008
    names: Sequence[str] | None = None,
) -> Result:
    """Return the best subset of a tradeoff: of exactly k units, of any number at one alpha, or of k at one alpha.

    Parameters
    ----------
    tradeoff : Tradeoff
        Of all features. With rows of redundancy instead of a matrix, a core of features is searched.
    k : int, optional
        Wanted number of units: features, or groups where there are groups; included ones count. None is any number.
    alpha : float, optional
        The weight of importance. None is the alpha at which k units are optimal among subsets of every size.
    constraints : Constraints, optional
        Their costs are those of the tradeoff, or it has none.
    solver : Solver
    names : sequence of str, optional
        Of the features.

    Examples
    --------
    >>> tradeoff = Tradeoff([3.0, 2.0, 1.0], [[0, 2, 0], [2, 0, 0], [0, 0, 0]])
    >>> best_subset(tradeoff, k=2).features
    array([0, 2])
    >>> best_subset(tradeoff, k=2, alpha=0.9).features
    array([0, 1])
    >>> best_subset(tradeoff, k=2, constraints=Constraints.of(3, include=1)).features
    array([1, 2])
    """
    if not isinstance(tradeoff, Tradeoff):
        raise TypeError(f"tradeoff must be a Tradeoff, got {type(tradeoff).__name__}: write Tradeoff(I, R).")
    constraints = Constraints.of(tradeoff.size) if constraints is None else constraints
    if not isinstance(constraints, Constraints):
        raise TypeError(f"constraints must be Constraints, got {constraints!r}: see Constraints.of.")
    if constraints.unit.size != tradeoff.size:
        raise ValueError(
            f"constraints must be on the {tradeoff.size} features of the tradeoff, got {constraints.unit.size}."
        )
    if constraints.cost.any() and not np.array_equal(tradeoff.cost, constraints.cost):
        if tradeoff.cost.any():
            raise ValueError("tradeoff and constraints have different costs: give costs to one of the two.")
        tradeoff = Tradeoff(tradeoff.importance, tradeoff.redundancy, constraints.cost)
    check_solver(solver)
    if k is None and alpha is None:
        raise TypeError("best_subset needs k, alpha, or both, got neither.")
    if alpha is not None and (type(alpha) is not float or not 0.0 <= alpha <= 1.0):
        check_alpha(alpha)
    if k is not None:
        constraints.check_size(k)
    named = None if names is None else tuple(map(str, names))
    if named is not None and (isinstance(names, str) or len(named) != tradeoff.size):
        raise ValueError(f"names must be {tradeoff.size} texts, one for each feature, got {names!r}.")
    if not tradeoff.dense:
        choice = selection.choose_wide(tradeoff, constraints, solver, k=k, alpha=alpha)
    elif constraints.trivial:
        choice = choose(tradeoff, solver, k=k, alpha=alpha)
    else:
        units = Units(tradeoff, constraints)
        problem, kept = units.problem(), constraints.kept
        choice = choose(problem, solver, k=None if k is None else int(k) - kept, alpha=alpha)
        found = choice.solutions
        full = units.full_solutions(
            found,
            choice.alpha,
            bound=found.bound,
            proven=found.proven,
            reduced=(problem.at(choice.alpha), found),
        )
        choice = choice._replace(
            solutions=full,
            path=None if choice.path is None else units.full_path(choice.path),
            passes=None if choice.passes is None else (choice.passes[0] + kept, choice.passes[1] + kept),
        )
    return Result(tradeoff, constraints, *choice, solver, named)


class Parameters(Protocol):
    """What a selector says about how to select; `SelectQUBO` explains each of them."""

    k: int | str | None
    alpha: float | None
    criterion: Any
    importance: Any
    redundancy: Any
    solver: Any
    target_type: str
    categorical_features: Any
    include: Any
    exclude: Any
    groups: Any
    cost: Any
    fdr: Any


def read_table(
    selector: Parameters, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None
) -> tuple[Table, Target]:
    """Return the samples that have any weight, after every check that needs no counting."""
    table = as_table(
        X, categorical=selector.categorical_features, exclude=selector.exclude, sample_weight=sample_weight
    )
    criterion_of(selector)
    check_solver(selector.solver)
    if y is None:
        raise ValueError(
            f"This {type(selector).__name__} estimator requires y to be passed, but the target y is None."
        )
    return table, as_target(y, selector.target_type).of(table)


def constraints_of(selector: Parameters, n: int, names: Sequence[str] | None) -> Constraints:
    """Return the constraints of a selector on n features."""
    return Constraints.of(
        n,
        names,
        include=selector.include,
        exclude=selector.exclude,
        groups=selector.groups,
        cost=selector.cost,
    )


def wanted_size(selector: Parameters, constraints: Constraints) -> Any:
    """Return k, at most the number of units; ``"auto"`` or ``"fdr"``; or None for any number, at a given alpha."""
    n, k, alpha = constraints.unit.size, selector.k, selector.alpha
    if alpha is not None and (not isinstance(alpha, Real) or isinstance(alpha, bool) or not 0 <= alpha <= 1):
        raise ValueError(f"alpha must be a number from 0 to 1, or None, got {alpha!r}.")
    if (isinstance(k, str) and k in ("auto", "fdr")) or (k is None and alpha is not None):
        return k
    if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
        free = "; None, for any number, needs an alpha" if k is None else ""
        raise ValueError(
            f"k must be an integer from 1 to {n} (the table has {n} features), 'auto' or 'fdr', got {k!r}{free}."
        )
    if k > n:
        return constraints.kept + constraints.free
    constraints.check_size(int(k))
    return int(k)


def measured_tradeoff(
    selector: Parameters, table: Table, target: Target, constraints: Constraints, *, dense: bool = False
) -> Tradeoff:
    """Return I and R of a table, and the costs; if ``dense``, with a matrix for wide tables too."""
    criterion = criterion_of(selector)
    wide = table.n_features > selection.WIDE and not dense
    rows = selection.redundancy_rows(criterion.redundancy, table, target) if wide else None
    redundancy: Any
    if rows is None and (few := repeats_of(criterion, table)) is not None:
        importance = few.alone(importance_of(criterion.importance, few.table, target))
        redundancy = few.pairs(redundancy_of(criterion.redundancy, few.table, target))
    else:
        importance = importance_of(criterion.importance, table, target)
        redundancy = redundancy_of(criterion.redundancy, table, target) if rows is None else rows
    return Tradeoff(importance, redundancy, constraints.cost)


def repeats_of(criterion: Any, table: Table) -> Repeats | None:
    """Return what a table repeats, where a feature that is there many times may be measured once, and with itself."""
    measures = criterion.importance, criterion.redundancy
    # Functions may do as they like, and numbers that were given are those of all features.
    ours = all(getattr(each, "tables", False) and not hasattr(each, "values") for each in measures)
    return table.repeats if ours and table.n_features <= selection.WIDE else None


def table_result(selector: Parameters, table: Table, target: Target) -> Result:
    """Return what a selector finds in a table."""
    constraints = constraints_of(selector, table.n_features, table.names)
    k = wanted_size(selector, constraints)
    tradeoff = measured_tradeoff(selector, table, target, constraints)
    criterion, chance = criterion_of(selector), None
    if selector.fdr is not None or k == "fdr":
        chance = rule_of(selector.fdr)(criterion.importance, table, target, constraints)
        given, constraints = constraints, passing_constraints(chance, constraints)
        most = constraints.kept + constraints.free
        k = most if k == "fdr" else min(k, most) if isinstance(k, int) else k
    if k == "auto":
        measures = criterion.importance, criterion.redundancy
        k = auto_size(tradeoff, constraints, *measures, table, target, selector.solver)
    few = repeats_of(criterion, table)
    part, place = (few.table, few.first) if few else (table, slice(None))
    information, silent = None, None
    if hasattr(criterion.importance, "information"):
        information = criterion.importance.information(part, target)
        silent = criterion.silent(information)[place] if hasattr(criterion, "silent") else None
    result = heard_subset(
        tradeoff,
        silent,
        k=k,
        alpha=wanted_alpha(selector, k),
        constraints=constraints,
        solver=selector.solver,
        names=table.names,
    )
    codes = list(part.codes_by_bins.values())
    n_labels = np.unique(target.values).size if information is None else information.counts.cells()[1]
    facts = Facts(
        float(table.n_samples),
        codes[-1].sizes[place] if codes else None,
        table.categorical,
        0 if target.continuous else int(n_labels),
        np.nan if information is None or criterion.importance.normalised else float(information.label),
    )
    quiet = result.silent
    if chance is not None:
        lost = constraints.excluded & ~given.excluded
        quiet = lost if quiet is None else quiet | lost
    return replace(result, facts=facts, chance=chance, silent=quiet)


def passing_constraints(chance: Chance, constraints: Constraints) -> Constraints:
    """Return constraints that leave only features that pass, and those that are included; raise where there are none.

    Parameters
    ----------
    chance : Chance
        Of the features that these constraints leave.
    constraints : Constraints
    """
    lost = ~(chance.passed | constraints.included)
    if lost.all():
        raise ValueError(
            f"no feature passes at a rate of false discoveries of {chance.rate:g}, the first would at "
            f"{chance.q_values.min():.3g}: what the table shows may all be chance. Raise fdr, or use fdr=None and an "
            "integer k to select regardless."
        )
    return replace(constraints, excluded=constraints.excluded | lost)


def heard_subset(tradeoff: Tradeoff, silent: Bits | None, **wanted: Any) -> Result:
    """Return the best subset of k features that are not silent, if there are k; else that of all.

    Only where the best subset of all has silent features, these are excluded, and others take their place. A device,
    whose calls cost, is asked about the others at once.

    Parameters
    ----------
    tradeoff : Tradeoff
    silent : bool array of shape (n,), optional
        Which features say too little for a criterion that has a say in that, as `criteria.Pairs`.
    **wanted
        Parameters of `best_subset`.
    """
    k, constraints = wanted["k"], wanted["constraints"]
    if silent is None or k is None or constraints.grouped:
        return best_subset(tradeoff, **wanted)
    silent = silent & ~constraints.included
    excluded = constraints.excluded | silent
    if constraints.kept + (~excluded & ~constraints.included).sum() < k:
        return best_subset(tradeoff, **wanted)
    if getattr(wanted["solver"], "calls", None) is None:
        result = best_subset(tradeoff, **wanted)
        if not result.solutions.x[0, silent].any():
            return result
    heard = best_subset(tradeoff, **{**wanted, "constraints": replace(constraints, excluded=excluded)})
    return replace(heard, silent=silent & ~constraints.excluded)


def wanted_alpha(selector: Parameters, k: int | None) -> float | None:
    """Return alpha as it was given, or as the criterion has it for k; None where the path decides."""
    if selector.alpha is not None or k is None:
        return selector.alpha
    criterion = criterion_of(selector)
    alpha: float | None = criterion.alpha(k)
    return alpha


def warn_of_samples(selector: Parameters, table: Table, target: Target) -> None:
    """Warn where a number of bins was asked for that the samples do not fill; ``"auto"`` does what can be done."""
    redundancy = criterion_of(selector).redundancy
    bins, edges = getattr(redundancy, "bins", "auto"), getattr(redundancy, "edges", None)
    if isinstance(bins, str) or edges is None:
        return
    codes, n_labels = feature_codes(table, bins=bins, edges=edges), 1
    if needs_full_classes(redundancy):
        n_labels = int(label_codes(target, bins=bins, edges=edges).sizes[0])
    warn_of_cells(codes, codes.total, n_labels)


def needs_full_classes(redundancy: Any) -> bool:
    """Return whether samples must fill the cells of each class; ``together="auto"`` trusts them as they are filled."""
    return getattr(redundancy, "by_class", False) and getattr(redundancy, "together", None) != "auto"


def warn_of_cells(sizes: Any, n_samples: float, n_labels: int) -> None:
    """Warn where samples do not fill the cells of pairs of features of so many codes."""
    if (words := few_samples_words(sizes, n_samples, n_labels)) is not None:
        warnings.warn(words, FewSamplesWarning, stacklevel=user_level())
