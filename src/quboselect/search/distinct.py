"""Repeated features: the best k are looked for among the first few copies of each, as more are of no use.

The matrix of all is not made for that, so a table costs about what its distinct features cost.
"""

import numpy as np

from ..protocols import Solver
from ..qubo import QUBO, RELATIVE_TOLERANCE, Bits, Solutions
from ..solvers import Portfolio
from ..solvers.branch import leaders, numbered
from ..solvers.copies import Distinct, Fewer, tolerable
from ..tables.alike import numbers_used
from ..tradeoff import Tradeoff
from .choice import Choice, choose
from .constraints import Constraints
from .units import Units


def choose_distinct(
    tradeoff: Tradeoff, constraints: Constraints, solver: Solver, *, k: int | None, alpha: float | None
) -> Choice | None:
    """Return the best k features at one alpha, of a table that repeats some; None where all must be looked at.

    Examples
    --------
    >>> from ..redundancy.repeated import Repeated
    >>> few = np.array([[0, 1, 3], [1, 0, 1], [3, 1, 0]])
    >>> tradeoff = Tradeoff([2.0, 1.0, 2.0, 2.0], Repeated(few, np.array([0, 1, 0, 0]), np.array([2, 1, 2, 2])))
    >>> found = choose_distinct(tradeoff, Constraints.of(4), Portfolio(), k=2, alpha=0.5)
    >>> found.solutions.best, found.solutions.proven
    (array([ True,  True, False, False]), True)
    """
    repeated = tradeoff.repeated
    apart = constraints.kept or constraints.grouped or tradeoff.cost.any()
    if repeated is None or not k or alpha is None or apart or not isinstance(solver, Portfolio):
        return None
    free = np.flatnonzero(~constraints.excluded)
    places, firsts, at = numbers_used(repeated.first[free])
    among = (1.0 - alpha) * repeated.in_order[np.ix_(places, places)]
    importance = tradeoff.importance[free[firsts]]
    if not np.array_equal(importance[at], tradeoff.importance[free]):
        return None
    linear = -alpha * importance
    own = among.diagonal().copy()
    np.fill_diagonal(among, 0.0)
    # Which of two features comes first may change the last digit.
    farthest = k * float(np.abs(among - among.T).max(initial=0.0))
    deepest = max(-linear.min(initial=0.0), (1.0 - alpha) * tradeoff.deepest)
    if not tolerable(farthest, k, RELATIVE_TOLERANCE * deepest):
        return None
    distinct = Distinct(linear, np.maximum(among, among.T), own, np.bincount(at), farthest)
    number = numbered(at)
    kept = np.flatnonzero(number < distinct.useful(k)[at])
    units = Units(tradeoff, constraints)
    problem = units.among(kept)
    choice = choose(problem, solver, k=k, alpha=alpha)
    leader = firsts[at]
    full = units.full_solutions(
        choice.solutions,
        alpha,
        bound=choice.solutions.bound,
        proven=choice.solutions.proven,
        units=kept,
        few=(problem.at(alpha), choice.solutions, kept, leader),
    )
    return choice._replace(solutions=full)


def distinct_number(tradeoff: Tradeoff, features: Bits, k: int, alpha: float | None) -> int:
    """Return how many of some features say something of their own: copies, by what is measured, count once.

    Copies are alike but for rounding that matters to no k of them. Rows of redundancy are not looked at for that.

    Examples
    --------
    >>> same = np.array([[0.0, 2.0, 0.1], [2.0, 0.0, 0.1], [0.1, 0.1, 0.0]])
    >>> distinct_number(Tradeoff([1.0, 1.0, 0.5], same), np.ones(3, bool), 2, 0.5)
    2
    """
    some = np.flatnonzero(features)
    if not tradeoff.dense or alpha is None:
        return some.size
    if tradeoff.repeated is not None:
        some = some[np.unique(tradeoff.repeated.first[some], return_index=True)[1]]
    importance, pairs = tradeoff.importance[some], tradeoff.among(some)
    leader = leaders(Tradeoff(importance, pairs, tradeoff.cost[some]).at(alpha), k)
    # What can be exchanged for another, and says nothing beside it.
    copy = (leader < np.arange(some.size)) & (pairs[np.arange(some.size), leader] >= (1 - 1e-9) * importance)
    return int((~copy).sum())


def whole_claim(problem: Tradeoff, solutions: Solutions, alpha: float) -> tuple[QUBO, Solutions] | None:
    """Return the QUBO of all free features, and what was found, with a certificate about all; else None."""
    if (few := solutions.info.get("few")) is None:
        return None
    qubo, found, kept, leader = few
    whole = problem.at(alpha)
    return whole, Fewer(whole, qubo, kept, leader, False).solutions(found, int(found.best.sum()))
