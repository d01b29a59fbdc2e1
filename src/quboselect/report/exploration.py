"""The exploration around a fit, for a report: the path over all sizes, and the path of each size around k.

It is a search of bounded effort, joined with what the fit has proven; on small tables it proves as it goes.
"""

from dataclasses import replace

import numpy as np

from ..errors import check_integer
from ..protocols import Solver
from ..qubo import Solutions
from ..result import Result
from ..search.choice import classical
from ..search.constraints import Constraints
from ..search.envelope import alpha_path
from ..search.path import Path, Segment
from ..solvers import Portfolio, Tabu
from ..tradeoff import Tradeoff
from .comparison import compare
from .contents import Contents
from .sizes import Segments, cut, size_segments, unit_count

# Up to this many units a proof takes milliseconds; above, the path is only searched, and lightly.
MOST_PROVEN = 128
RESTARTS, ROUNDS = 6, 2
# Sizes to explore at least, and how many at most around k, and solves at most, where a solve takes a while.
LEAST_SIZES, MOST_SIZES, MOST_SOLVES = 20, 30, 400
# Above this many features nothing is explored any more, and the report is of those that the fit looked at.
MOST_EXPLORED = 2000
# Of a wider table without a path, other sizes are searched among this many.
MOST_POOLED = 200


def contents_of(result: Result, *, most: int | None = None, solver: Solver | None = None) -> Contents:
    """Return what a report shows of a result: the paths around it, and the baselines beside it.

    Parameters
    ----------
    result : Result
    most : int, optional
        The largest number of units to explore; by default twice those selected, and at least 20.
    solver : Solver, optional
        By default a light search, and for the path over all sizes the solver of the fit where units are few.
    """
    n = result.tradeoff.size
    if most is not None:
        check_integer(most, "most", 0, n)
    if n > MOST_EXPLORED or not result.tradeoff.dense:
        return wide_contents(result)
    whole, window = (None, (0.0, 1.0)) if signed(result) else explored_path(result, solver, most)
    sizes = size_segments(result, explored_sizes(result, most), whole, solver)
    comparison = compare(result) if result.k > result.constraints.kept else None
    return Contents(result, result.tradeoff, np.arange(n), whole, sizes, window, comparison)


def signed(result: Result) -> bool:
    """Return whether redundancies may be negative, so that there is no path over all sizes."""
    return result.tradeoff.deepest > 0.0 or result.problem.deepest > 0.0


def explored_sizes(result: Result, most: int | None = None) -> list[int]:
    """Return the numbers of units to explore, included ones counted, the nearest to the selection first."""
    kept, n = result.constraints.kept, result.problem.size
    first, last = size_range(result, most)
    # Nothing is no selection, unless it is the selection.
    first = max(first, min(1, n) if not kept and result.k else 0)
    return sorted(range(first + kept, last + kept + 1), key=lambda size: (abs(size - result.k), size))


def size_range(result: Result, most: int | None) -> tuple[int, int]:
    """Return the smallest and the largest number of free units to explore."""
    kept, n = result.constraints.kept, result.problem.size
    wanted = result.k - kept
    first, last = 0, min(max(2 * wanted, LEAST_SIZES) if most is None else most - kept, n)
    if n > MOST_PROVEN:
        first, last = max(0, wanted - MOST_SIZES), min(last, wanted + MOST_SIZES)
    return first, max(last, min(wanted, n), 0)


def explored_path(
    result: Result, solver: Solver | None = None, most: int | None = None
) -> tuple[Path, tuple[float, float]]:
    """Return the path around a selection, with what the fit has proven, and the window of alpha it is known in.

    A solver that is given is asked as it is. That of the fit gives way to a light search where units are many.
    """
    problem, wanted = result.problem, result.k - result.constraints.kept
    search, solves = classical(result.solver if solver is None else solver), None
    first, last = size_range(result, most)
    if problem.size > MOST_PROVEN and solver is None and isinstance(search, Portfolio):
        search = Tabu(seed=search.seed, n_jobs=search.n_jobs, restarts=RESTARTS, rounds=ROUNDS)
        solves = MOST_SOLVES
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
    x, alpha = result.support[features], result.alpha
    alone = Segment(alpha, alpha, x, *tradeoff.line(x), gap=result.gap)
    if path is None and result.constraints.trivial:
        return pool_contents(result)
    if path is None:
        return Contents(result, tradeoff, features, None, {result.k: (alone,)})
    sizes: dict[int, Segments] = {}
    for segment in segments:
        if segment.start < segment.stop:
            k = unit_count(result, segment.x)
            sizes[k] = (*sizes.get(k, ()), replace(segment, x=segment.x[features]))
    if not any(np.array_equal(each.x, x) for each in sizes.get(result.k, ())):
        sizes[result.k] = tuple(sorted((*sizes.get(result.k, ()), alone), key=lambda each: each.start))
    parts = tuple(replace(segment, x=segment.x[features]) for segment in path)
    part = Path(parts, path.knots, path.solves)
    since = min((segment.start for segment in segments if segment.size), default=0.0)
    until = next((segment.start for segment in path if segment.size > most), 1.0)
    return Contents(result, tradeoff, features, part, dict(sorted(sizes.items())), (since, until))


def pool_contents(result: Result) -> Contents:
    """Return what a report shows of a wide table of which the fit explored no path: a search among few features.

    They are the selected and the most important. Nothing is proven of the whole table but what the fit has proven.
    """
    whole = result.tradeoff
    first = np.lexsort((-whole.importance, ~result.support))
    features = np.sort(first[: max(MOST_POOLED, 2 * int(result.support.sum()))])
    tradeoff = Tradeoff(whole.importance[features], whole.among(features), whole.cost[features])
    found = Solutions.of(tradeoff.at(result.alpha), result.support[features])
    part = replace(
        result, tradeoff=tradeoff, constraints=Constraints.of(features.size), solutions=found, names=None
    )
    sizes = {
        k: tuple(replace(segment, gap=np.inf) for segment in segments)
        for k, segments in size_segments(part, explored_sizes(part)).items()
    }
    x, alpha = found.best, result.alpha
    own = Segment(alpha, alpha, x, *tradeoff.line(x), gap=result.gap)
    return Contents(result, tradeoff, features, None, {**sizes, result.k: cut(sizes[result.k], own)})
