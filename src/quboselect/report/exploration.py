"""The exploration of a path beyond what a fit needed, for a report.

It is a search of bounded effort, joined with what the fit has proven; on small tables it proves as it goes.
"""

from dataclasses import replace

import numpy as np

from ..errors import check_integer
from ..protocols import Solver
from ..result import Result
from ..search.choice import classical
from ..search.envelope import alpha_path
from ..search.path import Path, Segment
from ..solvers import Portfolio, Tabu
from ..tradeoff import Tradeoff
from .comparison import compare
from .contents import Contents

# Up to this many units a proof takes milliseconds; above, the path is only searched, and lightly.
MOST_PROVEN = 128
RESTARTS, ROUNDS = 6, 2
# Sizes to explore at least, and how many at most around k, and solves at most, where a solve takes a while.
LEAST_SIZES, MOST_SIZES, MOST_SOLVES = 20, 30, 400
# Above this many features nothing is explored any more, and the report is of those that the fit looked at.
MOST_EXPLORED = 2000


def contents_of(result: Result, *, most: int | None = None, solver: Solver | None = None) -> Contents:
    """Return what a report shows of a result: the path around it, and the baselines beside it.

    Parameters
    ----------
    result : Result
    most : int, optional
        The largest number of units to explore; by default twice those selected, and at least 20.
    solver : Solver, optional
        By default that of the fit, or a light search instead of its proofs where there are many units.
    """
    n = result.tradeoff.size
    if most is not None:
        check_integer(most, "most", 0, n)
    if n > MOST_EXPLORED or not result.tradeoff.dense:
        return wide_contents(result)
    path, window = explored_path(result, solver or result.solver, most)
    comparison = compare(result) if result.k > result.constraints.kept else None
    return Contents(result, result.tradeoff, np.arange(n), path, window, comparison)


def explored_path(
    result: Result, solver: Solver, most: int | None = None
) -> tuple[Path, tuple[float, float]]:
    """Return the path around a selection, with what the fit has proven, and the window of alpha it is known in."""
    problem, kept = result.problem, result.constraints.kept
    wanted = result.k - kept
    last = min(max(2 * wanted, LEAST_SIZES) if most is None else most - kept, problem.size)
    search, solves, first = classical(solver), None, 0
    if problem.size > MOST_PROVEN and isinstance(search, Portfolio):
        search = Tabu(seed=search.seed, n_jobs=search.n_jobs, restarts=RESTARTS, rounds=ROUNDS)
        first, last = max(0, wanted - MOST_SIZES), min(last, wanted + MOST_SIZES)
        solves = MOST_SOLVES
    last = max(last, min(wanted, problem.size), 0)
    sizes = sorted(range(first, last + 1), key=lambda size: abs(size - wanted))
    found = alpha_path(problem, search, k=sizes, max_solves=solves)
    # From the first segment of a size that was looked for to the last one before a larger size.
    inside = [segment for segment in found if segment.size >= first]
    until = next((segment.start for segment in inside if segment.size > last), 1.0)
    since = min((segment.start for segment in inside), default=0.0)
    return result.joined(found), (since, until)


def wide_contents(result: Result) -> Contents:
    """Return what a report shows of a wide table: the features of the path that the fit explored around k."""
    most = max(2 * int(result.support.sum()), LEAST_SIZES)
    path = result.explored
    segments = [] if path is None else [segment for segment in path if segment.size <= most]
    features = np.flatnonzero(np.any([result.support, *(segment.x for segment in segments)], axis=0))
    whole = result.tradeoff
    tradeoff = Tradeoff(whole.importance[features], whole.among(features), whole.cost[features])
    if path is None:
        x, alpha = result.support[features], result.alpha
        alone = Segment(alpha, alpha, x, *tradeoff.line(x), gap=result.gap)
        return Contents(result, tradeoff, features, Path((alone,), np.zeros((0, 2)), 0))
    cut = tuple(replace(segment, x=segment.x[features]) for segment in path)
    part = Path(cut, path.knots, path.solves)
    since = min((segment.start for segment in segments if segment.size), default=0.0)
    until = next((segment.start for segment in path if segment.size > most), 1.0)
    return Contents(result, tradeoff, features, part, (since, until))
