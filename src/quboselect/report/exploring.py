"""From a fitted selector to its report. A selector flows in; its path is explored further, the baselines are run beside
it, and a file flows out.

Exploring is a search of bounded effort, joined with what the fit has proven; on small tables it proves as it goes.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from ..constraints import Constraints
from ..protocols import Solver
from ..qubo import Bits
from ..search.baselines import BASELINES, dynamic_range, penalised
from ..search.choice import Chosen, full_path
from ..search.devices import planner
from ..search.envelope import Envelope, Vertex
from ..search.path import Path, Segment, alpha_path, check_size, path_of
from ..solvers import Portfolio, Tabu
from ..tradeoff import Tradeoff
from .again import code, unit_of
from .comparison import OURS, Comparison, row_of
from .page import TITLE, check_target, write_report

# Up to so many features a proof takes milliseconds; above, the path is only searched, and lightly.
MOST_PROVEN = 128
RESTARTS, ROUNDS = 6, 2
# Sizes to explore at least, and how many at most around k, and solves at most, where a solve takes a while.
LEAST_SIZES, MOST_SIZES, MOST_SOLVES = 20, 30, 400
# Above this many features nothing is explored any more, and the report is of those that the fit looked at.
MOST_EXPLORED = 2000


class Reporting:
    """What `SelectQUBO` adds to itself to be reported on."""

    def report(
        self,
        file: str | os.PathLike[str],
        *,
        most: int | None = None,
        solver: Solver | None = None,
        title: str = TITLE,
        also: Mapping[str, str] | None = None,
    ) -> None:
        """Write what was selected and why as one HTML file, which needs no network and holds no samples.

        The path is explored beyond what the fit needed: on up to 128 features with proofs, on more by a quick search,
        so that only what the fit has proven is proven. Above 2000 features it is as the fit left it.

        Parameters
        ----------
        file : path
            Its folder must exist. A file of that name is replaced, whole or not at all.
        most : int, optional
            The largest number of features, or groups, to explore; by default 2k, and at least 20.
        solver : Solver, optional
            What to explore with. ``solvers.Portfolio()`` proves as much as it can, which may take minutes.
        title : str
        also : mapping of str to str, optional
            What else it takes to make it again, such as where the table is: lines that are shown as text.
        """
        check_is_fitted(self)
        check_target(file)
        names = getattr(self, "feature_names_in_", None)
        self._report(file, most, solver, title, also, None if names is None else list(map(str, names)))

    def _report(
        self: Any,
        file: str | os.PathLike[str],
        most: int | None,
        solver: Solver | None,
        title: str,
        also: Mapping[str, str] | None,
        names: list[str] | None,
    ) -> None:
        n = self.support_.size
        constraints = self._constraints(n, names)
        labels = [f"x{i}" for i in range(n)] if names is None else names
        chosen = Chosen(
            self.alpha_, self.alpha_window_, self.solutions_, self.on_path_, self.path_, self._passes
        )
        window, compared, kept = (0.0, 1.0), None, np.arange(n)
        if n <= MOST_EXPLORED and isinstance(self.redundancy_, np.ndarray):
            tradeoff = Tradeoff(self.importance_, self.redundancy_, constraints.cost)
            path, window = explored(tradeoff, constraints, chosen, self.k_, solver or self.solver, most)
            compared = beside(tradeoff, constraints, chosen, self.k_)
        else:
            tradeoff, path, chosen, kept, window = part(self, constraints, chosen)
        # Of a wide table the fit says in words what it looked at.
        wide = self.solutions_.info.get("wide", {})
        told = {"what was proven": wide["said"]} if "said" in wide else {}
        write_report(
            file,
            tradeoff,
            path,
            names=[labels[i] for i in kept],
            chosen=chosen,
            settings={**self.get_params(deep=False), **told},
            compared=compared,
            title=title,
            unit=unit_of(self.importance, self.redundancy) or "",
            window=window,
            wishes=wishes(constraints),
            code=code(self),
            also=also,
            numbers=kept,
            total=n,
            excluded=constraints.excluded[kept],
        )


def explored(
    tradeoff: Tradeoff,
    constraints: Constraints,
    chosen: Chosen,
    k: int,
    solver: Solver,
    most: int | None = None,
) -> tuple[Path, tuple[float, float]]:
    """Return the path of all features around k, with what is proven already, and the window of alpha it is known in.

    Parameters
    ----------
    tradeoff : Tradeoff
        Of all features.
    constraints : Constraints
    chosen : Chosen
        What is known already.
    k : int
        How many units were chosen.
    solver : Solver
        A `Portfolio` explores with its proofs on small tables, with a light search on others.
    most : int, optional
        The largest number of units to explore.
    """
    reduced = constraints.reduce(tradeoff)
    if most is not None:
        check_size(most, tradeoff.size)
    wanted = max(k - constraints.kept, 0)
    last = min(max(2 * wanted, LEAST_SIZES) if most is None else most - constraints.kept, reduced.size)
    search, solves = planner(solver), None
    first = 0
    if reduced.size > MOST_PROVEN and isinstance(search, Portfolio):
        search = Tabu(seed=search.seed, n_jobs=search.n_jobs, restarts=RESTARTS, rounds=ROUNDS)
        first, last = max(0, wanted - MOST_SIZES), min(last, wanted + MOST_SIZES)
        solves = MOST_SOLVES
    last = max(last, min(wanted, reduced.size), 0)
    sizes = sorted(range(first, last + 1), key=lambda size: abs(size - wanted))
    found = alpha_path(reduced, search, k=sizes, max_solves=solves)
    # From the first segment of a size that was looked for to the last one before a larger size.
    inside = [segment for segment in found if segment.size >= first]
    until = next((segment.start for segment in inside if segment.size > last), 1.0)
    since = min((segment.start for segment in inside), default=0.0)
    whole = full_path(found, tradeoff, constraints)
    known = [whole] if chosen.path is None else [whole, chosen.path]
    return joined(tradeoff, known), (since, until)


def joined(tradeoff: Tradeoff, paths: list[Path]) -> Path:
    """Return one path of several of the same tradeoff: the best subsets of all, and every proof.

    Examples
    --------
    >>> tradeoff = Tradeoff([2.0, 1.0], [[0.0, 1.0], [1.0, 0.0]])
    >>> searched, proven = alpha_path(tradeoff, Tabu()), alpha_path(tradeoff)
    >>> searched.proven, joined(tradeoff, [searched, proven]).proven
    (False, True)
    """
    if len(paths) == 1 or len(paths[0]) == 1:
        return paths[0]
    envelope = Envelope(tradeoff)
    ends = (paths[0][0], paths[0][-1])
    envelope.vertices = [Vertex(end.x, end.importance, end.redundancy) for end in ends]
    envelope.floor = {}
    for path in paths:
        envelope.add(np.array([segment.x for segment in path]))
        for alpha, bound in path.knots:
            envelope.prove(float(alpha), float(bound))
    return path_of(envelope, sum(path.solves for path in paths))


def beside(tradeoff: Tradeoff, constraints: Constraints, chosen: Chosen, k: int) -> Comparison | None:
    """Return the chosen subset beside those of the baselines, which keep to the same constraints.

    Each chooses as many of the free units as we did. None where there is nothing to choose.
    """
    reduced, wanted = constraints.reduce(tradeoff), k - constraints.kept
    if not 0 < wanted <= reduced.size:
        return None
    best, qubo = chosen.solutions.best, tradeoff.at(chosen.alpha)
    subsets: dict[str, Bits] = {OURS: best}
    subsets |= {
        name: constraints.expand(np.asarray(baseline(reduced, wanted)))
        for name, baseline in BASELINES.items()
    }
    # What is excluded is not always measured, and its zeros are no redundancy.
    measured = ~constraints.excluded
    pairs = int(measured.sum()) * (int(measured.sum()) - 1)
    every = tradeoff.redundancy if measured.all() else tradeoff.redundancy[np.ix_(measured, measured)]
    return Comparison(
        rows=tuple(row_of(name, x, best, tradeoff, qubo) for name, x in subsets.items()),
        alpha=chosen.alpha,
        gap=chosen.solutions.gap,
        mean_redundancy=float(every.sum()) / pairs if pairs else 0.0,
        bits=dynamic_range(qubo),
        penalised_bits=dynamic_range(penalised(tradeoff, int(best.sum()), alpha=chosen.alpha)),
    )


def part(
    selector: Any, constraints: Constraints, chosen: Chosen
) -> tuple[Tradeoff, Path, Chosen, npt.NDArray[np.intp], tuple[float, float]]:
    """Return what a report needs of a huge table, cut to the features that the fit looked at around k."""
    support: Bits = selector.support_
    most = max(2 * int(support.sum()), LEAST_SIZES)
    path = chosen.path
    segments = [] if path is None else [segment for segment in path if segment.size <= most]
    used = np.any([support, *(segment.x for segment in segments)], axis=0)
    kept = np.flatnonzero(used)
    every = selector.redundancy_
    among = every[np.ix_(kept, kept)] if isinstance(every, np.ndarray) else every.among(kept)
    tradeoff = Tradeoff(selector.importance_[kept], among, constraints.cost[kept])
    solutions = replace(chosen.solutions, x=chosen.solutions.x[:, kept])
    line = tradeoff.line(support[kept])
    if path is None:
        alone = Segment(chosen.alpha, chosen.alpha, support[kept], *line, gap=solutions.gap)
        return (
            tradeoff,
            Path([alone], np.zeros((0, 2)), 0),
            chosen._replace(solutions=solutions),
            kept,
            (0.0, 1.0),
        )
    cut = Path([replace(segment, x=segment.x[kept]) for segment in path], path.knots, path.solves)
    since = min((s.start for s in segments if s.size), default=0.0)
    until = next((s.start for s in path if s.size > most), 1.0)
    return tradeoff, cut, chosen._replace(solutions=solutions), kept, (since, until)


def wishes(constraints: Constraints) -> str:
    """Return in words what subsets have to fulfil.

    Examples
    --------
    >>> wishes(Constraints.of(4, include=[0], groups=[[1, 2]]))
    '1 included, groups kept together'
    """
    n_in, n_out = int(constraints.included.sum()), int(constraints.excluded.sum())
    grouped = np.unique(constraints.unit).size < constraints.unit.size
    said = [
        f"{n_in} included" * bool(n_in),
        f"{n_out} excluded" * bool(n_out),
        "groups kept together" * grouped,
    ]
    return ", ".join(filter(None, said))
