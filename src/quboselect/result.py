"""Result: what a fit found, frozen. Reports, plots, comparisons and the command line are made of it.

`best_subset` makes one of a tradeoff: it decides between a matrix and rows on demand, reduces the problem to the units
that are free, searches, and leads what was found back to all features. `table_result` makes one of a table, as the
parameters of a selector say.
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from . import notebook
from .constraints import Constraints
from .counting.bins import feature_codes, few_samples_words, label_codes
from .criteria.criterion import criterion_of
from .errors import FewSamplesWarning, user_level
from .protocols import Solver, check_solver, importance_of, redundancy_of
from .qubo import QUBO, Bits, Solutions
from .search.auto_size import auto_size
from .search.choice import choose, classical
from .search.envelope import alpha_path, joined_path, size_path
from .search.path import Path
from .search.units import Units
from .search.wide import selection
from .search.wide.whole import Core
from .solvers import Portfolio
from .tables.table import Table, as_table
from .tables.target import Target, as_target
from .tradeoff import Line, Tradeoff, check_alpha

if TYPE_CHECKING:
    from .search.alternatives import Alternatives


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The subset that was selected, the problem it was selected for, and what is proven of it.

    Parameters
    ----------
    tradeoff : Tradeoff
        I, R and costs of all features.
    constraints : Constraints
        Which features had to be in, had to be out, or belong together.
    alpha : float
        An alpha at which the subset was selected: the middle of the window.
    window : tuple of float
        From where to where alpha gives this subset; one alpha twice where it is not on the path.
    solutions : Solutions
        What the solver returned at `alpha`, best first, over all features.
    on_path : bool
        Whether the subset is on the path that was found: optimal among subsets of *every* size at `alpha`, if it is
        proven. Otherwise among those of its size.
    explored : Path or None
        What was explored of the path, around k; None at one alpha, and where a device searched alpha itself. `path`
        gives all of it.
    passes : tuple of int, or None
        Where no subset of the wanted size is on the path: the sizes from which and to which the path passes there.
    solver : Solver
        What searched.
    names : tuple of str, optional
        Of the features.
    """

    tradeoff: Tradeoff
    constraints: Constraints
    alpha: float
    window: tuple[float, float]
    solutions: Solutions
    on_path: bool
    explored: Path | None
    passes: tuple[int, int] | None
    solver: Solver
    names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        proof = "proven" if self.proven else "not proven"
        return f"Result({self.support.sum()} of {self.support.size} features, alpha {self.alpha:g}, {proof})"

    def _repr_html_(self) -> str:
        chosen, labels = self.features, self.labels
        repeated = self.tradeoff.among(chosen).sum(axis=1) + self.tradeoff.cost[chosen]
        importance = self.tradeoff.importance[chosen]
        added = Line(importance, repeated).energy(self.alpha)
        rows = zip((labels[i] for i in chosen), importance, repeated, added, strict=True)
        return notebook.selection_html(sorted(rows, key=lambda row: row[3]), summary=repr(self))

    @property
    def support(self) -> Bits:
        """Which features are selected."""
        return self.solutions.best

    @property
    def features(self) -> npt.NDArray[np.intp]:
        """The indices of the selected features."""
        return np.flatnonzero(self.support)

    @property
    def labels(self) -> list[str]:
        """The names of all features; x0, x1 and so on where they have none."""
        return [f"x{i}" for i in range(self.tradeoff.size)] if self.names is None else list(self.names)

    @property
    def k(self) -> int:
        """How many units are selected: features, or groups where there are groups."""
        return int(np.unique(self.constraints.unit[self.support]).size)

    @property
    def energy(self) -> float:
        """The energy of the subset at `alpha`."""
        return float(self.solutions.energy[0])

    @property
    def bound(self) -> float:
        """A proven lower bound on the minimum energy; off the path, on that among subsets of the same size."""
        return self.solutions.bound

    @property
    def proven(self) -> bool:
        """Whether the bound meets the energy: no subset has a better value of this objective, in the whole window."""
        return self.solutions.proven

    @property
    def gap(self) -> float:
        """How far the energy may be from the minimum, relative to it; 0 where proven."""
        return self.solutions.gap

    @property
    def core(self) -> Core | None:
        """What was looked at of a wide table, and what was proven of it; None of other tables."""
        return self.solutions.info.get("wide")

    @property
    def reads(self) -> Solutions | None:
        """Everything that a device answered; None where the solver is none."""
        return self.solutions.info.get("answer")

    @property
    def certified(self) -> tuple[QUBO, Solutions, int | None]:
        """The QUBO, the solutions and the k that a certificate is about, if any: ``proof.verify(*certified)``.

        Where k is None it is about subsets of every size. Constraints and wide tables make it a smaller problem.
        """
        qubo, found = self.solutions.info.get("reduced") or (self.tradeoff.at(self.alpha), self.solutions)
        return qubo, found, getattr(found.info.get("certificate"), "k", None)

    @cached_property
    def units(self) -> Units:
        """The free units of the problem."""
        return Units(self.tradeoff, self.constraints)

    @property
    def problem(self) -> Tradeoff:
        """The tradeoff of the free units, which is what was searched: included features are settled in it."""
        return self.tradeoff if self.constraints.trivial else self.units.problem()

    def path(
        self,
        *,
        k: int | Iterable[int] | None = None,
        size: int | None = None,
        solver: Solver | None = None,
        max_solves: int | None = None,
    ) -> Path:
        """Return the optimal subset for every alpha, for the problem that was fitted: with its costs and constraints.

        What the fit has proven counts in it. If the selection is on the path, it is one of its segments.

        Parameters
        ----------
        k : int or several, optional
            Explore only around these numbers of units; by default everything.
        size : int, optional
            Only subsets of exactly this number of units: every trade-off between importance and redundancy at that
            size. By default subsets of every size compete.
        solver : Solver, optional
            By default the one of the fit, or the default solver where that was a device.
        max_solves : int, optional
            Stop after this many solves; what is left open is not proven.

        Examples
        --------
        >>> result = best_subset(Tradeoff([3.0, 2.0], [[0, 1], [1, 0]]), k=1, constraints=Constraints.of(2, include=1))
        >>> print(result.path())
                      alpha  size  importance  redundancy  proof     features
        0.000000 - 0.250000     1      2.0000      0.0000  proven    +1
        0.250000 - 1.000000     2      5.0000      1.0000  proven    +0
        """
        if not self.tradeoff.dense:
            raise ValueError(
                f"a whole path is explored on tables of up to {selection.WIDE} features, this one has "
                f"{self.tradeoff.size}: `explored` has the part around k; select among fewer features for all of it."
            )
        if size is not None:
            return self._size_path(size, solver, max_solves)
        sizes: list[Any] | None = None if k is None else list(k) if isinstance(k, Iterable) else [k]
        if sizes is not None and not sizes:
            raise ValueError(f"k must hold at least one size, got {k!r}.")
        for each in sizes or ():
            self.constraints.check_size(each)
        wanted = None if sizes is None else [size - self.constraints.kept for size in sizes]
        found = alpha_path(self.problem, classical(solver or self.solver), k=wanted, max_solves=max_solves)
        return self.joined(found)

    def _size_path(self, size: int, solver: Solver | None, max_solves: int | None) -> Path:
        """Return the path among subsets of one number of units."""
        self.constraints.check_size(size)
        wanted = size - self.constraints.kept
        path = size_path(self.problem, wanted, classical(solver or self.solver), max_solves=max_solves)
        return path if self.constraints.trivial else self.units.full_path(path)

    def joined(self, path: Path) -> Path:
        """Return a path of the free units as one of all features, joined with what the fit explored and proved."""
        whole = path if self.constraints.trivial else self.units.full_path(path)
        if self.explored is not None:
            whole = joined_path(self.tradeoff, [whole, self.explored])
        if not self.on_path or any(np.array_equal(segment.x, self.support) for segment in whole):
            return whole
        line = self.tradeoff.line(self.support)
        return whole.showing(
            self.support, line, self.alpha, self.gap, lambda at: self.tradeoff.at(at).tolerance
        )

    def alternatives(self, m: int = 5, *, different: int = 2, effort: float = 1.0) -> "Alternatives":
        """Return the m best subsets of the size of the selection, at its alpha: what else would do.

        The first is the selection. Each other is the best of all subsets of that size that are far enough from those
        before it, as far as that is proven. In a wide table they are of the core alone, and nothing is proven of them.

        Parameters
        ----------
        m : int
            How many, with the selection; fewer where no more were found (``complete``: where there are no more).
        different : int
            Each has so many features, or groups, that any other one does not have. 1 gives the m best of all.
        effort : float
            How much each proof may cost, as in `solvers.Portfolio`.

        Examples
        --------
        >>> result = best_subset(Tradeoff([3.0, 2.0, 1.0], np.zeros((3, 3))), k=1, alpha=0.5)
        >>> print(result.alternatives(3, different=1))
        rank   worse by  proof         instead of the first
           1     0.000%  proven
           2    33.333%  proven        -x0  +x1
           3    66.667%  proven        -x0  +x2
        """
        from .search.alternatives import Alternative, listed

        (qubo, found, _), info = self.certified, self.solutions.info
        first = Alternative(self.support, self.energy, self.bound)
        features = partial(self.units.features, units=info.get("core")) if "reduced" in info else np.array
        problem = qubo, found.best, features, self.tradeoff.dense
        return listed(first, *problem, self.labels, m=m, different=different, effort=effort)


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
    if alpha is not None:
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
    """Return k, at most the number of units; ``"auto"``; or None for any number, at a given alpha."""
    n, k, alpha = constraints.unit.size, selector.k, selector.alpha
    if alpha is not None and (not isinstance(alpha, Real) or isinstance(alpha, bool) or not 0 <= alpha <= 1):
        raise ValueError(f"alpha must be a number from 0 to 1, or None, got {alpha!r}.")
    if (isinstance(k, str) and k == "auto") or (k is None and alpha is not None):
        return k
    if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
        free = "; None, for any number, needs an alpha" if k is None else ""
        raise ValueError(
            f"k must be an integer from 1 to {n} (the table has {n} features) or 'auto', got {k!r}{free}."
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
    importance = importance_of(criterion.importance, table, target)
    wide = table.n_features > selection.WIDE and not dense
    rows = selection.redundancy_rows(criterion.redundancy, table, target) if wide else None
    redundancy = redundancy_of(criterion.redundancy, table, target) if rows is None else rows
    return Tradeoff(importance, redundancy, constraints.cost)


def table_result(selector: Parameters, table: Table, target: Target) -> Result:
    """Return what a selector finds in a table."""
    constraints = constraints_of(selector, table.n_features, table.names)
    k = wanted_size(selector, constraints)
    tradeoff = measured_tradeoff(selector, table, target, constraints)
    criterion = criterion_of(selector)
    if k == "auto":
        measures = criterion.importance, criterion.redundancy
        k = auto_size(tradeoff, constraints, *measures, table, target, selector.solver)
    silent = None
    if hasattr(criterion, "silent"):
        silent = criterion.silent(criterion.importance.information(table, target))
    return heard_subset(
        tradeoff,
        silent,
        k=k,
        alpha=wanted_alpha(selector, k),
        constraints=constraints,
        solver=selector.solver,
        names=table.names,
    )


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
        if not (result.solutions.best & silent).any():
            return result
    return best_subset(tradeoff, **{**wanted, "constraints": replace(constraints, excluded=excluded)})


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
