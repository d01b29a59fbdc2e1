"""Algorithm 1 of the paper: bisection of alpha until the optimum has k features, made to stop."""

import dataclasses
import warnings

from ..errors import OffPathWarning, check_integer
from ..protocols import Solver, ask, check_solver
from ..qubo import Solutions
from ..solvers import Portfolio
from ..tradeoff import Tradeoff


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
        The most QUBOs to solve.

    Examples
    --------
    >>> tradeoff = Tradeoff([2.0, 1.0], [[0.0, 1.0], [1.0, 0.0]])
    >>> alpha, solutions = alpha_search(tradeoff, 2)
    >>> alpha, solutions.info["stopped"]
    (0.75, 'size 2 found after 2 solves')
    """
    alpha, solutions, found = bisection(tradeoff, k, solver, eps, max_solves)
    if not found:
        warnings.warn(
            f"{solutions.info['stopped']}. quboselect.best_subset finds the best subset of that size.",
            OffPathWarning,
            stacklevel=2,
        )
    return alpha, solutions


def bisection(
    tradeoff: Tradeoff, k: int, solver: Solver, eps: float, max_solves: int
) -> tuple[float, Solutions, bool]:
    """Return what `alpha_search` does, and whether it found size k; without a warning."""
    check_integer(k, "k", 0, tradeoff.size)
    check_integer(max_solves, "max_solves", 1)
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
