"""The core of a wide table: the units worth deciding among.

This is column generation by hand: search among those whose rows are known, price all others at the alphas that
matter, take in what improves, again.
"""

import numpy as np
import numpy.typing as npt

from ...protocols import Solver
from ...qubo import Bits, Vector
from ..choice import Choice, choose
from ..envelope import CLOSE
from ..units import Units

Indices = npt.NDArray[np.intp]

FIRST = 128  # units to start with, beside twice the wanted ones
NEAR = 32  # units that nearly improve, taken in as well
BATCH = 48  # units taken in at a time, at least
BLOCK = 64  # rows handled at a time


def grown_core(
    units: Units, scout: Solver, wanted: int | None, alpha: float | None, most: int
) -> tuple[Indices, bool]:
    """Return the units of the core, ascending, and whether no other improves what a search finds in it.

    Parameters
    ----------
    units : Units
    scout : Solver
        A quick one.
    wanted : int, optional
        Number of units of the subset; None is any number.
    alpha : float, optional
        None is the alpha at which that number is optimal.
    most : int
        Units of the core at the most.
    """
    size = min(units.size, FIRST + 2 * (wanted or 0))
    core = np.sort(np.argsort(-units.importance, kind="stable")[:size])
    greedy = near = False
    while core.size < units.size:
        found = choose(units.among(core), scout, k=wanted, alpha=alpha)
        prices = prices_outside(units, core, found, wanted)
        entering = np.flatnonzero(prices < 0.0)
        if not greedy:
            greedy = True
            entering = np.union1d(entering, _greedy(units, found.alpha, wanted, held=alpha is not None))
        elif not entering.size:
            if near:
                return core, True
            # A subset that no single exchange improves may be improved by two at once.
            near, entering = True, np.flatnonzero(prices < np.inf)
            entering = entering[np.argsort(prices[entering], kind="stable")[:NEAR]]
        if core.size >= most:
            return core, not (prices < 0.0).any()
        batch = min(max(BATCH, core.size // 3), most - core.size)
        entering = np.setdiff1d(entering, core)
        core = np.union1d(core, entering[np.argsort(prices[entering], kind="stable")[:batch]])
    return core, True


def prices_outside(units: Units, core: Indices, found: Choice, wanted: int | None) -> Vector:
    """Return what each unit outside the core would change at best, below 0 where it improves, inf in the core.

    Looked at are the subset at both ends of its window and its neighbours on the path where they meet it; each
    with one more unit, or with one exchanged for another. What is within the tolerance is no improvement. A subset of
    a size at a given alpha, which has no path, is held to that size.
    """
    best = np.full(units.size, np.inf)
    x = found.solutions.best
    held = wanted is not None and found.path is None
    if held:
        best = changes(units, core[x], found.alpha, add=False)
        share = abs(float(found.solutions.energy[0])) / max(int(x.sum()), 1)
        best += CLOSE * max(found.alpha * float(units.importance.max(initial=0.0)), share)
    elif wanted is not None and wanted > (units.importance > 0.0).sum():
        # All that has any importance is in, and the least redundant fill up: of these alone one may be exchanged.
        fillers = units.importance[core] == 0.0
        change = changes(units, core[x], 0.0, add=False, out=core[x & fillers])
        change += CLOSE * float(np.abs(change[np.isfinite(change)]).max(initial=0.0))
        best = np.where(units.importance > 0.0, np.inf, change)
    else:
        for bits, alpha, add in _views(found, x, wanted):
            change = changes(units, core[bits], alpha, add=add)
            change += CLOSE * alpha * float(units.importance.max(initial=0.0))
            np.minimum(best, change, out=best)
    best[core] = np.inf
    return best


def _views(found: Choice, x: Bits, wanted: int | None) -> list[tuple[Bits, float, bool]]:
    """Return which subsets are priced, at which alpha, and whether one more unit may be added."""
    ends = sorted(set(found.window))
    views = [(x, alpha, wanted is None or found.passes is None) for alpha in ends]
    for segment in found.path or ():
        # The neighbour of all units of the core is no neighbour in the whole table.
        if segment.size <= 2 * (wanted or 0) + BLOCK and not np.array_equal(segment.x, x):
            views += [(segment.x, alpha, True) for alpha in ends if alpha in (segment.start, segment.stop)]
    return views


def changes(units: Units, subset: Indices, alpha: float, *, add: bool, out: Indices | None = None) -> Vector:
    """Return what each unit would change in the energy of a subset: added, or in the place of the best one for that.

    ``out`` are those that may leave, by default all.
    """
    weight = 1.0 - alpha
    fields = units.linear(alpha)
    for first in range(0, subset.size, BLOCK):
        fields += weight * units.rows(subset[first : first + BLOCK]).sum(axis=0, dtype=np.float64)
    best = fields.copy() if add else np.full(units.size, np.inf)
    leaving = subset if out is None else out
    for first in range(0, leaving.size, BLOCK):
        some = leaving[first : first + BLOCK]
        for i, row in zip(some, units.rows(some), strict=True):
            # In double precision: what a product in single precision rounds would make copies improve on each other.
            np.minimum(best, fields - (weight * row.astype(np.float64) + fields[i]), out=best)
    return best


def _greedy(units: Units, alpha: float, wanted: int | None, *, held: bool) -> Indices:
    """Return the units taken one after the other, each the best beside those before it, at one alpha.

    Where the subset is ``held`` to the wanted size, units that lower no energy are taken too.
    """
    held = held and wanted is not None
    if not 0.0 < alpha < 1.0 and not held:
        return np.zeros(0, np.intp)
    fields, taken = units.linear(alpha), []
    for _ in range(BLOCK if wanted is None else min(wanted, 4 * BLOCK)):
        i = int(fields.argmin())
        if fields[i] >= 0.0 and not held:
            break
        taken.append(i)
        fields += (1.0 - alpha) * units.rows([i])[0]
        fields[taken] = np.inf
    return np.array(taken, np.intp)
