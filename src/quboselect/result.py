"""Result: what a fit found, frozen. Reports, plots, comparisons and the command line are made of it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import notebook
from .errors import check_integer
from .protocols import Solver
from .qubo import QUBO, Bits, Solutions, percent
from .search.choice import classical
from .search.constraints import Constraints
from .search.discovery import Chance
from .search.distinct import whole_claim
from .search.envelope import alpha_path, joined_path, size_path
from .search.path import Path
from .search.units import Units
from .search.wide import selection
from .search.wide.whole import Core, whole_proof
from .tradeoff import Line, Tradeoff

if TYPE_CHECKING:
    from .explain.alternatives import Alternatives
    from .explain.changes import Changes
    from .explain.notes import Note, TableFacts
    from .explain.reasons import Explanation, Swap


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
    silent : bool array of shape (n,), optional
        Features that say too little for the criterion, and were left out for that.
    facts : TableFacts, optional
        What is kept of a table for `warnings`.
    chance : Chance, optional
        How sure each feature is, and which of them pass, where a rate of false discoveries was asked for; those that
        do not pass are among the excluded ones.
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
    silent: Bits | None = None
    facts: "TableFacts | None" = None
    chance: Chance | None = None

    def __repr__(self) -> str:
        proof = "proven" if self.proven else "not proven"
        return f"Result({self.support.sum()} of {self.support.size} features, alpha {self.alpha:g}, {proof})"

    def _repr_html_(self) -> str:
        chosen, labels = self.features, self.labels
        repeated = self.tradeoff.among(chosen).sum(axis=1) + self.tradeoff.cost[chosen]
        importance = self.tradeoff.importance[chosen]
        gained = 0.0 - Line(importance, repeated).energy(self.alpha)
        rows = map(notebook.Chosen, (labels[i] for i in chosen), importance, repeated, gained)
        return notebook.selection_html(
            sorted(rows, key=lambda row: -row.contribution),
            summary=f"selected at alpha {self.alpha:g}",
            proof=self._proof,
            total=self.tradeoff.size,
        )

    @property
    def _proof(self) -> str:
        """What is proven, in a sentence."""
        among = "no selection of any size" if self.on_path else "no other of this size"
        if self.proven:
            return f"Proven: {among}{self.heard_words} has a better value of this objective."
        far = (
            f"its value would be better by at most {percent(self.gap)}."
            if self.gap <= 1.0
            else "how far is not known."
        )
        return f"Not proven: a better one may exist; {far}"

    @property
    def heard_words(self) -> str:
        """What a claim must add where features were left out as they say no more than chance; else nothing.

        Examples
        --------
        >>> from quboselect import best_subset
        >>> result = best_subset(Tradeoff([3.0, 2.0], np.zeros((2, 2))), k=1)
        >>> out = np.array([False, True])
        >>> replace(result, silent=out, constraints=replace(result.constraints, excluded=out)).heard_words
        ' among the 1 that say more than chance'
        """
        if self.silent is None or not self.silent.any():
            return ""
        return f" among the {int((~self.constraints.excluded).sum())} that say more than chance"

    @property
    def constrained(self) -> bool:
        """Whether the user left less than every subset: what says no more than chance is no constraint of theirs."""
        if self.constraints.trivial or self.silent is None:
            return not self.constraints.trivial
        own = self.constraints.excluded & ~self.silent
        return bool(self.constraints.grouped or self.constraints.included.any() or own.any())

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

        Where k is None it is about subsets of every size. Constraints make it a smaller problem. Of a wide table that
        is proven at one alpha, among subsets of one size, the certificate is of the whole table: it is made whenever it
        is asked for, in seconds, and the QUBO holds all pairs. Otherwise it is of the core.
        """
        qubo, found = self._reduced
        k = getattr(found.info.get("certificate"), "k", None)
        if self.core is not None and self.core.size < self.core.of and self.proven and k is not None:
            qubo, found = whole_proof(self.units, self.support, self.alpha, k) or (qubo, found)
        return qubo, found, k

    @property
    def _reduced(self) -> tuple[QUBO, Solutions]:
        """The problem that was solved, without what is settled and outside the core, and what was found."""
        if "reduced" in self.solutions.info:
            reduced: tuple[QUBO, Solutions] = self.solutions.info["reduced"]
            return reduced
        repeated = whole_claim(self.problem, self.solutions, self.alpha)
        return repeated or (self.tradeoff.at(self.alpha), self.solutions)

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
        >>> from quboselect import Constraints, best_subset
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
            return replace(self._size_path(size, solver, max_solves), names=self.names)
        sizes: list[Any] | None = None if k is None else list(k) if isinstance(k, Iterable) else [k]
        if sizes is not None and not sizes:
            raise ValueError(f"k must hold at least one size, got {k!r}.")
        for each in sizes or ():
            self.constraints.check_size(each)
        wanted = None if sizes is None else [size - self.constraints.kept for size in sizes]
        found = alpha_path(self.problem, classical(solver or self.solver), k=wanted, max_solves=max_solves)
        return replace(self.joined(found), names=self.names)

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
        before it, as far as that is proven. In a wide table they are of the core alone, and no more is proven of them
        than of the first.

        Parameters
        ----------
        m : int
            How many, with the selection; fewer where no more were found (``complete``: where there are no more).
        different : int
            Each has so many features, or groups, that any other one does not have. 1 gives the m best of all.
        effort : float
            How much the proof of each may cost, as in `solvers.Portfolio`.

        Examples
        --------
        >>> from quboselect import best_subset
        >>> result = best_subset(Tradeoff([3.0, 2.0, 1.0], np.zeros((3, 3))), k=1, alpha=0.5)
        >>> print(result.alternatives(3, different=1))
        rank   worse by  proof         instead of the first
           1     0.000%  proven
           2    33.333%  proven        -x0  +x1
           3    66.667%  proven        -x0  +x2
        """
        from .explain.alternatives import Alternative, listed

        (qubo, found), info = self._reduced, self.solutions.info
        first = Alternative(self.support, self.energy, self.bound)
        whole = not info.keys() & {"reduced", "few"}
        features = np.array if whole else partial(self.units.features, units=info.get("core"))
        problem = qubo, found.best, features, self.tradeoff.dense
        return listed(first, *problem, self.labels, m=m, different=different, effort=effort)

    @cached_property
    def ranking(self) -> npt.NDArray[np.intp]:
        """The rank of each feature, 1 for the first: the selected ones, then those that would enter next.

        The size of the selection is walked down to one feature and up to all, by single exchanges, and a feature ranks
        by the smallest size at which it is in. Included features come first, excluded ones last. No rank is proven;
        `quboselect.explain.ranking` has the rule.
        """
        from .explain.ranking import feature_ranks

        return feature_ranks(self.units, self._changes(), self.alpha)

    def explain(self, *, unit: str = "") -> "Explanation":
        """Return why each feature was selected or left out: a sequence of reasons, each of which prints as a sentence.

        Parameters
        ----------
        unit : str
            Of importance, such as bits.

        Examples
        --------
        >>> from quboselect import best_subset
        >>> tradeoff = Tradeoff([3.0, 2.9, 1.0], [[0, 2, 0], [2, 0, 0], [0, 0, 0]])
        >>> print(best_subset(tradeoff, k=2, alpha=0.5, names=["age", "born", "pay"]).explain())
        age is selected: 3, repeats nothing; without it the objective is 75.0% worse, with born instead 2.50% worse.
        pay is selected: 1, repeats nothing; without it the objective is 25.0% worse, with born instead 2.50% worse.
        born is left out: 2.9, repeats 2 of age; in place of age the objective is 2.50% worse.
        """
        from .explain.reasons import explained

        how = self._changes(), self.ranking, self.energy, self.labels
        return explained(self.units, self.support, *how, unit, self.silent)

    def swaps(self, feature: int | str, most: int = 5) -> "list[Swap]":
        """Return the best exchanges of a feature, best first, with how much worse the objective gets.

        Parameters
        ----------
        feature : int or str
            A selected one is exchanged for others, one that was left out for those selected.
        most : int
            How many exchanges.
        """
        from .explain.reasons import swaps_of

        check_integer(most, "most", 1)
        return swaps_of(self.units, self._changes(), self.energy, self.labels, feature, most)

    @cached_property
    def warnings(self) -> "list[Note]":
        """What people should know before they trust the selection, in sentences; empty where all is well."""
        from .explain.notes import result_notes, table_notes, window_notes

        out = self.constraints.excluded if self.silent is None else self.constraints.excluded & ~self.silent
        found = table_notes(self.facts, self.tradeoff.importance, out, self.labels) if self.facts else []
        found += result_notes(self.units, self._changes(), self.energy, self.gap, self.labels)
        return found + window_notes(self.explored, self.support)

    def _changes(self) -> "Changes":
        """Return what single changes of the selection do to its energy."""
        from .explain.changes import unit_changes

        return unit_changes(self.units, self.support, self.alpha)
