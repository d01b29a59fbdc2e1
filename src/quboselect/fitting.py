"""Fitting: from a tradeoff, or a table and the parameters of a selector, to a `Result`.

`best_subset` makes one of a tradeoff: it decides between a matrix and rows on demand, reduces the problem to the units
that are free, searches, and leads what was found back to all features. `table_result` makes one of a table, as the
parameters of a selector say.
"""

import logging
import sys
import warnings
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .counting.bins import feature_codes, few_samples_words, label_codes
from .counting.joint_target import joint_target
from .criteria.criterion import Criterion, base_criterion, criterion_of
from .errors import FewSamplesWarning, check_integer, user_level
from .explain.notes import TableFacts
from .protocols import Solver, check_solver, importance_of, redundancy_of, takes
from .qubo import Bits
from .redundancy import MutualInformation
from .redundancy.repeated import Repeated
from .redundancy.rows import summed_rows
from .result import Result
from .search.auto_size import auto_size
from .search.choice import choose, choose_free
from .search.constraints import Constraints
from .search.discovery import Chance, rule_of
from .search.distinct import choose_distinct, distinct_number
from .search.units import Units
from .search.wide import selection
from .solvers import Portfolio
from .tables.class_weights import class_weights
from .tables.frames import is_frame, plain_array
from .tables.several import NoTarget, Targets, as_targets, check_way
from .tables.survival import survival_of
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
    distinct = None
    if tradeoff.repeated is not None:
        distinct = choose_distinct(tradeoff, constraints, solver, k=k, alpha=alpha)
    if distinct is not None:
        choice = distinct
    elif not tradeoff.dense:
        choice = selection.choose_wide(tradeoff, constraints, solver, k=k, alpha=alpha)
    elif constraints.trivial:
        choice = choose(tradeoff, solver, k=k, alpha=alpha)
    else:
        choice = choose_free(Units(tradeoff, constraints), solver, k=k, alpha=alpha)
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
    class_weight: Any
    targets: str
    categorical_features: Any
    include: Any
    exclude: Any
    groups: Any
    cost: Any
    fdr: Any
    blocks: Any
    n_jobs: Any
    random_state: Any
    verbose: bool


def read_table(
    selector: Parameters, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None
) -> tuple[Table, Any]:
    """Return the samples that have any weight, after every check that needs no counting."""
    given = y if y is None or is_frame(y, "y") else plain_array(y)
    one = isinstance(given, np.ndarray) and given.ndim < 2 and given.dtype.names is None
    if not one or selector.class_weight is not None:
        y, sample_weight = weighted_target(selector, y, sample_weight)
    table = as_table(
        X, categorical=selector.categorical_features, exclude=selector.exclude, sample_weight=sample_weight
    )
    criterion = criterion_of(selector)
    check_solver(selector.solver)
    target = y if isinstance(y, Targets | NoTarget) else as_target(y, selector.target_type)
    target = target.of(table)
    if selector.blocks is not None:
        most = max(table.n_samples // 2, 2)
        table = replace(table, blocks=check_integer(selector.blocks, "blocks", 2, most))
    if isinstance(target, Targets) and selector.targets == "joint":
        how = {name: getattr(criterion.importance, name, "auto") for name in ("bins", "edges")}
        how["edges"] = "apart" if how["edges"] == "auto" else how["edges"]
        target = joint_target(target, table, **how)
    return table, target


def weighted_target(
    selector: Parameters, y: Any, sample_weight: npt.ArrayLike | None
) -> tuple[Target | Targets | NoTarget, npt.ArrayLike | None]:
    """Return what is to be predicted where that is more than one column, and the weights that go with it."""
    survival = survival_of(y)
    if survival is None:
        target = as_targets(y, selector.target_type)
    else:
        target, sample_weight = survival.target(selector.target_type), survival.weights(sample_weight)
    if isinstance(target, Targets):
        check_way(selector.targets)
    if selector.class_weight is not None:
        sample_weight = class_weights(selector.class_weight, target, sample_weight)
    return target, sample_weight


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


def steered_like(selector: Any) -> Any:
    """Return a selector whose solver and measures have its threads and its seed, and tell what they are at."""
    if selector.n_jobs is not None and (not isinstance(selector.n_jobs, Integral) or selector.n_jobs == 0):
        raise ValueError(f"n_jobs must be an integer other than 0, or None, got {selector.n_jobs!r}.")
    if selector.random_state is not None:
        check_integer(selector.random_state, "random_state", 0)
    given = {"n_jobs": selector.n_jobs, "seed": selector.random_state}
    if selector.verbose:
        given["progress"] = tell
        log = logging.getLogger("quboselect")
        log.setLevel(logging.INFO)
        log.addHandler(LOGGED)  # it says when kernels are compiled
    steered = copy(selector)

    def with_given(part: Any) -> Any:
        known = {name: value for name, value in given.items() if value is not None and takes(part, name)}
        return replace(part, **known) if known else part

    for name in ("solver", "importance", "redundancy"):
        if (part := getattr(selector, name)) is not None:
            setattr(steered, name, with_given(part))
    if selector.importance is None and selector.redundancy is None:
        steered.criterion = with_given(base_criterion(selector.criterion, None, None))
    return steered


def tell(words: object) -> None:
    """Print on standard error."""
    print(f"quboselect: {words}", file=sys.stderr, flush=True)


class Logged(logging.Handler):
    """Prints what is logged on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message."""
        tell(record.getMessage())


LOGGED = Logged()


def measured_tradeoff(
    selector: Parameters, table: Table, target: Any, constraints: Constraints, *, dense: bool = False
) -> Tradeoff:
    """Return I and R of a table, and the costs; if ``dense``, with a matrix for wide tables too."""
    criterion = criterion_of(selector)
    if isinstance(target, NoTarget):
        return tradeoff_alone(criterion_alone(criterion), table, constraints, dense=dense)
    wide = table.n_features > selection.WIDE and not dense
    parts = getattr(target, "parts", (target,))
    few = hasattr(selector.solver, "by_rows")
    each = [selection.redundancy_rows(criterion.redundancy, table, one, few=few) for one in parts if wide]
    rows = summed_rows(each) if len(each) > 1 else each[0] if each else None
    redundancy: Any
    if rows is None and (once := repeats_of(criterion, table)) is not None:
        importance = once.alone(importance_of(criterion.importance, once.table, target))
        matrix = redundancy_of(criterion.redundancy, once.table, target)
        redundancy = Repeated(matrix, once.first, once.second)
    else:
        importance = importance_of(criterion.importance, table, target)
        redundancy = redundancy_of(criterion.redundancy, table, target) if rows is None else rows
    return Tradeoff(importance, redundancy, constraints.cost)


def criterion_alone(criterion: Any) -> Any:
    """Return a criterion that needs no target: redundancy less what is within classes becomes all that is shared."""
    importance, redundancy = criterion.importance, criterion.redundancy
    if not getattr(importance, "fixed", False) and not hasattr(importance, "information"):
        raise ValueError(
            f"importance={importance!r} requires y to be passed, but the target y is None: pass y, or no importance."
        )
    by_class = getattr(redundancy, "by_class", False)
    if by_class and not hasattr(redundancy, "together"):
        raise ValueError(
            f"redundancy={redundancy!r} requires y to be passed, but the target y is None: use another criterion."
        )
    if by_class:
        how = redundancy.bins, redundancy.edges, redundancy.estimate
        redundancy = MutualInformation(*how, n_jobs=redundancy.n_jobs)
    if getattr(redundancy, "bins", None) == "auto-by-class":
        redundancy = replace(redundancy, bins="auto")
    return Criterion(importance, redundancy, criterion.alpha)


def tradeoff_alone(
    criterion: Any, table: Table, constraints: Constraints, *, dense: bool = False
) -> Tradeoff:
    """Return I and R where there is no target: I is the mean redundancy with all features that are not excluded.

    An importance that has nothing to do with a target, as `importance.Entropy`, is taken as it is.
    """
    wide = table.n_features > selection.WIDE and not dense
    rows = selection.redundancy_rows(criterion.redundancy, table) if wide else None
    matrix: Any = None if rows is None else rows.known
    if rows is None:
        few = repeats_of(criterion, table)
        matrix = redundancy_of(criterion.redundancy, few.table if few else table, None)
        matrix = Repeated(matrix, few.first, few.second).whole() if few else np.asarray(matrix, np.float64)
    redundancy = matrix if rows is None else rows
    if getattr(criterion.importance, "fixed", False):
        return Tradeoff(importance_of(criterion.importance, table, None), redundancy, constraints.cost)
    if matrix is None:
        raise ValueError(
            f"without a target all pairs of features are looked at, and {table.n_features} features have too many: "
            "pass y, or fewer features."
        )
    others = ~constraints.excluded
    number = others.sum() - others
    sums = matrix[:, others].sum(axis=1, dtype=np.float64)
    importance = np.divide(sums, number, out=np.zeros(sums.size), where=number > 0)
    return Tradeoff(importance, redundancy, constraints.cost)


def repeats_of(criterion: Any, table: Table) -> Repeats | None:
    """Return what a table repeats, where a feature that is there many times may be measured once, and with itself."""
    measures = criterion.importance, criterion.redundancy
    # Functions may do as they like, numbers that were given are those of all features, and a model sees all at once.
    apart = [not hasattr(each, "values") and not hasattr(each, "estimator") for each in measures]
    ours = all(apart) and all(getattr(each, "tables", False) for each in measures)
    return table.repeats if ours and table.n_features <= selection.WIDE else None


def table_result(selector: Parameters, table: Table, target: Any) -> Result:
    """Return what a selector finds in a table."""
    constraints = constraints_of(selector, table.n_features, table.names)
    k = wanted_size(selector, constraints)
    parts = getattr(target, "parts", (target,))
    if (k in ("auto", "fdr") or selector.fdr is not None) and len(parts) != 1:
        what = "k='auto'" if k == "auto" else "fdr"
        several = f"shuffles one target, but y has {len(parts)}: give k alone, or use targets='joint'"
        none = "requires y to be passed, but the target y is None: give k alone"
        raise ValueError(f"{what} {several if parts else none}.")
    if selector.verbose:
        tell(f"counting {table.n_features} features of {table.n_samples} samples")
    tradeoff = measured_tradeoff(selector, table, target, constraints)
    criterion, chance = criterion_of(selector), None
    if selector.verbose:
        tell("searching, then proving")
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
    information: Any = None
    silent = None
    if hasattr(criterion.importance, "information") and parts:
        told = [criterion.importance.information(part, one) for one in parts]
        information = told[0] if len(told) == 1 else None
        if hasattr(criterion, "silent"):
            # Those that say nothing of any target.
            silent = np.logical_and.reduce([criterion.silent(one) for one in told])[place]
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
    n_labels = 0
    if len(parts) == 1 and not parts[0].continuous:
        known = information is not None
        n_labels = int(information.counts.cells()[1] if known else np.unique(parts[0].values).size)
    facts = TableFacts(
        float(table.n_samples),
        codes[-1].sizes[place] if codes else None,
        table.categorical,
        n_labels,
        np.nan if information is None or criterion.importance.normalised else float(information.label),
    )
    if selector.verbose:
        tell(result)
    quiet = result.silent
    if chance is not None:
        lost = constraints.excluded & ~given.excluded
        quiet = lost if quiet is None else quiet | lost
    return replace(result, facts=facts, chance=chance, silent=quiet)


class NothingPasses(ValueError):
    """No feature passes at the rate of false discoveries that was asked for."""


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
        raise NothingPasses(
            f"no feature passes at a rate of false discoveries of {chance.rate:g}, the first would at "
            f"{chance.q_values.min():.3g}: what the table shows may all be chance. Raise fdr, or use fdr=None and an "
            "integer k to select regardless."
        )
    return replace(constraints, excluded=constraints.excluded | lost)


def heard_subset(tradeoff: Tradeoff, silent: Bits | None, **wanted: Any) -> Result:
    """Return the best subset of k features that are not silent, if there are k distinct ones; else that of all.

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
    left = ~excluded & ~constraints.included
    if constraints.kept + left.sum() < k:
        return best_subset(tradeoff, **wanted)
    # Copies of those that are left would say nothing more; what has an importance of its own is none.
    few = constraints.kept + np.unique(tradeoff.importance[left]).size < k
    if few and constraints.kept + distinct_number(tradeoff, left, k, wanted["alpha"]) < k:
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


def warn_of_samples(selector: Parameters, table: Table, target: Any) -> None:
    """Warn where a number of bins was asked for that the samples do not fill; ``"auto"`` does what can be done."""
    redundancy = criterion_of(selector).redundancy
    bins, edges = getattr(redundancy, "bins", "auto"), getattr(redundancy, "edges", None)
    if isinstance(bins, str) or edges is None:
        return
    codes, n_labels = feature_codes(table, bins=bins, edges=edges), 1
    if needs_full_classes(redundancy):
        each = getattr(target, "parts", (target,))
        n_labels = max((int(label_codes(one, bins=bins, edges=edges).sizes[0]) for one in each), default=1)
    warn_of_cells(codes, codes.total, n_labels)


def needs_full_classes(redundancy: Any) -> bool:
    """Return whether samples must fill the cells of each class; ``together="auto"`` trusts them as they are filled."""
    return getattr(redundancy, "by_class", False) and getattr(redundancy, "together", None) != "auto"


def warn_of_cells(sizes: Any, n_samples: float, n_labels: int) -> None:
    """Warn where samples do not fill the cells of pairs of features of so many codes."""
    if (words := few_samples_words(sizes, n_samples, n_labels)) is not None:
        warnings.warn(words, FewSamplesWarning, stacklevel=user_level())
