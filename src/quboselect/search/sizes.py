"""From a wanted size to a subset: the paper's bisection, and the answer where no alpha gives that size.

A tradeoff, a size k and a solver flow in. `alpha_search` is Algorithm 1, made to stop. `exactly` takes the path,
and returns the best subset of exactly k features, on it or where it passes that size.
"""

import dataclasses
import warnings
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np

from ..errors import OffPathWarning
from ..protocols import Solver, ask, takes
from ..qubo import QUBO
from ..solutions import Solutions
from ..solvers import Portfolio
from ..tradeoff import Tradeoff
from .envelope import tolerance
from .path import Path, alpha_path, check_count, check_size, check_solver


def alpha_search(
    tradeoff: Tradeoff,
    k: int,
    solver: Solver = Portfolio(),  # noqa: B008
    *,
    eps: float = 1e-8,
    max_solves: int = 50,
) -> tuple[float, Solutions]:
    """Return an alpha and its solutions by bisection until the best has k features (paper, Algorithm 1).

    Proposition 1 of the paper, that every size is optimal at some alpha, is false, and so the algorithm as
    printed may run for ever. This one stops, warns with `OffPathWarning`, and returns where it stood.
    ``info["stopped"]`` of the solutions says why it stopped, whether it found k or not.

    Parameters
    ----------
    tradeoff : Tradeoff
    k : int
        Wanted size.
    solver : Solver
    eps : float
        Features with ``alpha * I_i < eps`` are kept out (paper, Eq. 11).
    max_solves : int
        At most so many QUBOs are solved.

    Examples
    --------
    >>> tradeoff = Tradeoff([2.0, 1.0], [[0.0, 1.0], [1.0, 0.0]])
    >>> alpha, solutions = alpha_search(tradeoff, 2)
    >>> alpha, solutions.info["stopped"]
    (0.75, 'size 2 found after 2 solves')
    """
    alpha, solutions, found = bisected(tradeoff, k, solver, eps, max_solves)
    if not found:
        warnings.warn(
            f"{solutions.info['stopped']}. quboselect.exactly finds the best subset of that size.",
            OffPathWarning,
            stacklevel=2,
        )
    return alpha, solutions


def bisected(
    tradeoff: Tradeoff, k: int, solver: Solver, eps: float, max_solves: int
) -> tuple[float, Solutions, bool]:
    """Return what `alpha_search` does, and whether it found size k; without a warning."""
    check_size(k, tradeoff.size)
    check_count(max_solves, "max_solves")
    check_solver(solver)
    low, high = 0.0, 1.0
    sizes = {}
    for solve in range(1, max_solves + 1):
        alpha = (low + high) / 2
        if alpha in (low, high):
            break
        solutions = ask(solver, tradeoff.at(alpha, eps))
        size = sizes[alpha] = int(solutions.best.sum())
        solves, last = solve, alpha
        if size == k:
            return alpha, _stopped(solutions, f"size {k} found after {solve} {_plural(solve)}"), True
        low, high = (low, alpha) if size > k else (alpha, high)
    below, above = (
        f"size {sizes[alpha]} at alpha {alpha!r}" if alpha in sizes else f"alpha {alpha:g}"
        for alpha in (low, high)
    )
    reason = f"size {k} not found after {solves} {_plural(solves)}: between {below} and {above}"
    return last, _stopped(solutions, reason), False


def _plural(solves: int) -> str:
    return "solve" if solves == 1 else "solves"


def _stopped(solutions: Solutions, reason: str) -> Solutions:
    return dataclasses.replace(solutions, info={**solutions.info, "stopped": reason})


class Exactly(NamedTuple):
    """The best subset of a size, at an alpha.

    ``solutions`` have exactly k ones. ``on_path`` says whether the best one is on the path that was found, so that it is
    optimal at ``alpha`` among subsets of every size if it is proven, and their bound is one on that minimum; else it is
    one on the minimum of size k.
    """

    alpha: float
    solutions: Solutions
    on_path: bool


def exactly(
    tradeoff: Tradeoff,
    k: int,
    path: Path | None = None,
    solver: Solver = Portfolio(),  # noqa: B008
) -> Exactly:
    """Return the best subset of exactly k features: on the path, or where the path passes that size.

    On the path, alpha is the middle of its window. Where no alpha makes k features optimal, it is where the
    neighbours meet. Above the number of features that have any importance it is 1, and those of the others that add
    the least redundancy and cost fill up. Off the path the solver is asked if it takes a ``k``; else
    `solvers.Portfolio` is.

    Parameters
    ----------
    tradeoff : Tradeoff
    k : int
        Wanted size.
    path : Path, optional
        Of the same tradeoff, explored at least around k; by default it is explored now.
    solver : Solver

    Examples
    --------
    >>> redundancy = [[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]]
    >>> alpha, solutions, on_path = exactly(Tradeoff([10.0, 5.0, 5.0, 5.0], redundancy), 2)
    >>> solutions.best, on_path
    (array([False,  True,  True, False]), False)
    """
    check_size(k, tradeoff.size)
    path = alpha_path(tradeoff, solver, k=k) if path is None else path
    if path[0].x.size != tradeoff.size:
        raise ValueError(f"path is of {path[0].x.size} features, but the tradeoff has {tradeoff.size}.")
    if (segment := path.of_size(k)) is not None:
        alpha = 0.5 * (segment.start + segment.stop)
        qubo = tradeoff.at(alpha)
        bound = qubo.energy(segment.x) if segment.proven else path.bound(alpha)
        return Exactly(alpha, Solutions.of(qubo, segment.x, bound=bound), True)
    if k > path[-1].size:
        return Exactly(1.0, _filled(tradeoff, k, solver), True)
    before = next(a for a, b in pairwise(path) if (a.size < k) != (b.size < k))
    alpha = before.stop
    qubo = tradeoff.at(alpha)
    if alpha > 0.0:
        solutions = ask(_with_k(solver, k), qubo)
    else:
        # At 0 every subset free of redundancy and cost ties: of those the most important is wanted, which is the
        # optimum while the smallest redundancy or cost outweighs all importance together.
        priced = min(part[part > 0.0].min(initial=np.inf) for part in (tradeoff.redundancy, tradeoff.cost))
        weight = float(tradeoff.importance.sum())
        tiny = 0.5 * priced / (priced + weight) if np.isfinite(priced) else 0.5
        solutions = Solutions.of(qubo, ask(_with_k(solver, k), tradeoff.at(tiny)).best, bound=0.0)
    least = tolerance(alpha, float(tradeoff.importance.max()), before.importance, before.redundancy)
    slack = max(qubo.tolerance, least)
    if solutions.energy[0] > before.energy(alpha) + slack:
        return Exactly(alpha, solutions, False)
    # It ties with its neighbours, and is on the path if they are: what is proven is what is proven of them.
    floor = path.bound(alpha)
    if floor >= solutions.energy[0] - slack:
        return Exactly(alpha, dataclasses.replace(solutions, bound=float(solutions.energy[0])), True)
    return Exactly(alpha, Solutions.of(qubo, solutions.x, count=solutions.count, bound=floor), True)


def _with_k(solver: Any, k: int) -> Solver:
    """Return the solver for exactly k ones."""
    return cast(Solver, dataclasses.replace(solver, k=k)) if takes(solver, "k") else Portfolio(k=k)


def _filled(tradeoff: Tradeoff, k: int, solver: Solver) -> Solutions:
    """Return all important features and, to make k, those of the others that add the least."""
    x = tradeoff.importance > 0.0
    others = np.flatnonzero(~x)
    linear = tradeoff.redundancy[np.ix_(others, x)].sum(axis=1) + tradeoff.cost[others]
    fill = QUBO(linear, tradeoff.redundancy[np.ix_(others, others)])
    x[others] = ask(_with_k(solver, k - int(x.sum())), fill).best
    return Solutions.of(tradeoff.at(1.0), x, bound=-float(tradeoff.importance.sum()))
