"""How many features are enough, without a model. A table's I and R flow in, and what chance makes of them; a size
flows out.

At ``alpha = 1/2`` a bit of redundancy costs what a bit of importance earns, so each feature of an optimal set adds
more importance than redundancy, and no other feature would. Both are counted above chance, which is what they are in
a table and a label that were shuffled and say nothing any more. Importance and redundancy must be of one unit for this
to mean anything: bits both, or correlations both.
"""

from typing import Any

import numpy as np

from .protocols import Solver, ask, pairs, scores
from .table import Table
from .target import Target
from .tradeoff import Tradeoff

SHUFFLES = 19  # to exceed all of so many by chance has a probability of 1 in 20


def above_chance(
    tradeoff: Tradeoff, importance: Any, redundancy: Any, table: Table, target: Target
) -> Tradeoff:
    """Return what a table's importance and redundancy show beyond chance, at least 0.

    A feature whose importance does not exceed that of 19 shuffles of the label has none; from that of others the mean
    of these is taken off. From redundancy that of a table is taken off in which each feature is shuffled by itself.
    What a shuffle does not change, as numbers of your own, stays what it is.

    Parameters
    ----------
    tradeoff : Tradeoff
        Of this table by these measures.
    importance : Importance
    redundancy : Redundancy
    table : Table
    target : Target
    """
    rng = np.random.default_rng(0)
    shuffles = [target.take(rng.permutation(target.values.size)) for _ in range(SHUFFLES)]
    chance = np.array([scores(importance, table, shuffled) for shuffled in shuffles])
    beyond = np.where(
        tradeoff.importance > chance.max(axis=0), tradeoff.importance - chance.mean(axis=0), 0.0
    )
    beyond = np.where((chance == tradeoff.importance).all(axis=0), tradeoff.importance, beyond)
    noise = np.asarray(pairs(redundancy, table.shuffled(0), target))
    repeated = np.maximum(tradeoff.redundancy - noise, 0.0)
    repeated = np.where(noise == tradeoff.redundancy, tradeoff.redundancy, repeated)
    return Tradeoff(beyond, 0.5 * (repeated + repeated.T), tradeoff.cost)


def enough(tradeoff: Tradeoff, solver: Solver) -> int:
    """Return how many features are enough: the size of the optimum at ``alpha = 1/2``.

    Parameters
    ----------
    tradeoff : Tradeoff
        Above chance; see `above_chance`.
    solver : Solver

    Examples
    --------
    >>> from quboselect.solvers import Portfolio
    >>> enough(Tradeoff([1.0, 1.0, 0.1], [[0, 0.2, 0.3], [0.2, 0, 0.3], [0.3, 0.3, 0]]), Portfolio())
    2
    """
    return int(ask(solver, tradeoff.at(0.5)).best.sum())
