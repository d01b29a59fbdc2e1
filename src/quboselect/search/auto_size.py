"""How many features are enough, without a model: ``k="auto"``.

At ``alpha = 1/2`` a bit of redundancy costs what a bit of importance earns, so each feature of an optimal set adds
more importance than redundancy, and no other feature would. Both are counted above chance, which is what they are in
a table and a label that were shuffled and say nothing any more. Importance and redundancy must be of one unit for this
to mean anything: bits both, or correlations both.
"""

from typing import Any

import numpy as np

from ..protocols import Solver, ask, redundancy_of
from ..tables.table import Table
from ..tables.target import Target
from ..tradeoff import Tradeoff
from .chance import is_moved, shuffled_importances
from .choice import classical
from .constraints import Constraints
from .units import Units

SHUFFLES = 19


def above_chance(
    tradeoff: Tradeoff, importance: Any, redundancy: Any, table: Table, target: Target
) -> Tradeoff:
    """Return what a table's importance and redundancy show beyond chance, at least 0.

    The label is shuffled 19 times. From the importance of a feature its mean over the shuffles is taken off, and it
    counts as none unless it exceeds that by more standard deviations than any feature does in any shuffle: so next to
    no useless feature passes, however many there are. From redundancy that of a table is taken off in which each
    feature is shuffled by itself. A measure with a true attribute ``fixed``, as `importance.Precomputed`, is taken as
    it is.

    Parameters
    ----------
    tradeoff : Tradeoff
        Of this table by these measures.
    importance : Importance
    redundancy : Redundancy
    table : Table
    target : Target
    """
    beyond, repeated = tradeoff.importance, tradeoff.redundancy
    if not getattr(importance, "fixed", False):
        chance = shuffled_importances(importance, table, target, SHUFFLES)
        mean, spread = chance.mean(axis=0), chance.std(axis=0)
        # What no shuffle changes says nothing of this label: a feature with a value of its own for every sample.
        spread = np.where(is_moved(chance), spread, np.inf)
        highest = float(((chance - mean) / spread).max(initial=0.0))
        beyond = np.where((beyond - mean) / spread > highest, beyond - mean, 0.0)
    if not getattr(redundancy, "fixed", False):
        noise = np.asarray(redundancy_of(redundancy, table.shuffled(0), target))
        repeated = np.maximum(repeated - noise, 0.0)
    return Tradeoff(beyond, 0.5 * (repeated + repeated.T), tradeoff.cost)


def auto_size(
    tradeoff: Tradeoff,
    constraints: Constraints,
    importance: Any,
    redundancy: Any,
    table: Table,
    target: Target,
    solver: Solver,
) -> int:
    """Return how many units are enough: the size of the optimum at ``alpha = 1/2``, above chance.

    Parameters
    ----------
    tradeoff : Tradeoff
        Of this table by these measures.
    constraints : Constraints
    importance : Importance
    redundancy : Redundancy
    table : Table
    target : Target
    solver : Solver
    """
    if not tradeoff.dense:
        raise ValueError(
            f"k='auto' compares all pairs with chance, and {tradeoff.size} features have too many of them: give k."
        )
    beyond = above_chance(tradeoff, importance, redundancy, table, target)
    problem = beyond if constraints.trivial else Units(beyond, constraints).problem()
    return max(constraints.kept + int(ask(classical(solver), problem.at(0.5)).best.sum()), 1)
