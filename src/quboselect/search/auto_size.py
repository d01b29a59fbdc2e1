"""How many features are enough, without a model: ``k="auto"``.

At ``alpha = 1/2`` a bit of redundancy costs what a bit of importance earns, so each feature of an optimal set adds
more importance than redundancy, and no other feature would. Both are counted above chance, which is what they are in
a table and a label that were shuffled and say nothing any more. Importance and redundancy must be of one unit for this
to mean anything: bits both, or correlations both.
"""

from typing import Any

import numpy as np

from ..protocols import Solver, ask, redundancy_of
from ..qubo import Matrix, Vector
from ..tables.table import Table
from ..tables.target import Target
from ..tradeoff import Tradeoff
from .chance import is_moved, shuffled_importances
from .choice import classical
from .constraints import Constraints
from .units import Units

SHUFFLES = 19
WIDEST = 1000  # features of a wide table whose pairs are compared with chance


def importance_above_chance(seen: Vector, importance: Any, table: Table, target: Target) -> Vector:
    """Return what importance shows beyond chance, at least 0.

    The label is shuffled 19 times. From the importance of a feature its mean over the shuffles is taken off, and it
    counts as none unless it exceeds that by more standard deviations than any feature does in any shuffle: so next to
    no useless feature passes, however many there are. A measure with a true attribute ``fixed``, as
    `importance.Precomputed`, is taken as it is.

    Parameters
    ----------
    seen : array of shape (n,)
        The importance of the features of this table.
    importance : Importance
    table : Table
    target : Target
    """
    if getattr(importance, "fixed", False):
        return seen
    chance = shuffled_importances(importance, table, target, SHUFFLES)
    mean, spread = chance.mean(axis=0), chance.std(axis=0)
    # What no shuffle changes says nothing of this label: a feature with a value of its own for every sample.
    spread = np.where(is_moved(chance), spread, np.inf)
    highest = float(((chance - mean) / spread).max(initial=0.0))
    return np.where((seen - mean) / spread > highest, seen - mean, 0.0)


def above_chance(
    tradeoff: Tradeoff, importance: Any, redundancy: Any, table: Table, target: Target
) -> Tradeoff:
    """Return what a table's importance and redundancy show beyond chance, at least 0.

    Of importance it is `importance_above_chance`. From redundancy that of a table is taken off in which each feature is
    shuffled by itself, unless its measure is ``fixed``.

    Parameters
    ----------
    tradeoff : Tradeoff
        Of this table by these measures, with a matrix of redundancy.
    importance : Importance
    redundancy : Redundancy
    table : Table
    target : Target
    """
    beyond = importance_above_chance(tradeoff.importance, importance, table, target)
    return Tradeoff(
        beyond, redundancy_above_chance(tradeoff.redundancy, redundancy, table, target), tradeoff.cost
    )


def redundancy_above_chance(repeated: Matrix, redundancy: Any, table: Table, target: Target) -> Matrix:
    """Return what redundancy shows beyond that of a table whose features are shuffled, each by itself."""
    if not getattr(redundancy, "fixed", False):
        noise = np.asarray(redundancy_of(redundancy, table.shuffled(0), target))
        repeated = np.maximum(repeated - noise, 0.0)
    return 0.5 * (repeated + repeated.T)


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

    Of a wide table only features that show anything beyond chance are looked at, the 1000 that show most.

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
    if tradeoff.dense:
        beyond = above_chance(tradeoff, importance, redundancy, table, target)
    else:
        if constraints.grouped or getattr(redundancy, "fixed", False):
            raise ValueError(
                f"k='auto' of {tradeoff.size} features takes neither groups nor a redundancy that was given: give k."
            )
        shown = importance_above_chance(tradeoff.importance, importance, table, target)
        free = np.where(constraints.included | constraints.excluded, 0.0, shown)
        first = np.argsort(-free, kind="stable")[:WIDEST]
        keep = np.union1d(first[free[first] > 0.0], np.flatnonzero(constraints.included))
        if not keep.size:
            return 1
        among = np.asarray(tradeoff.among(keep), np.float64)
        beyond = Tradeoff(
            shown[keep],
            redundancy_above_chance(among, redundancy, table.features(keep), target),
            tradeoff.cost[keep],
        )
        constraints = Constraints.of(keep.size, include=constraints.included[keep])
    problem = beyond if constraints.trivial else Units(beyond, constraints).problem()
    return max(constraints.kept + int(ask(classical(solver), problem.at(0.5)).best.sum()), 1)
