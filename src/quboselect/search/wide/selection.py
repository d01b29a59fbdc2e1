"""Wide tables: the best subset where the matrix R is too large to be searched, or even to be made.

Importance, rows of redundancy, constraints and a solver flow in. A *core* of features is searched with all the means
of a small table; then every feature outside is priced: would adding it, or exchanging it for one of the subset, be
an improvement? That takes the rows of the subset alone. What improves enters the core, until nothing does. The choice
flows out as that of a small table would, with a bound for the whole table and words on what was proven.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ...constraints import Constraints
from ...protocols import Solver
from ...redundancy.rows import Rows
from ...solvers import Portfolio
from ...tables.table import Table
from ...tradeoff import Tradeoff
from ..choice import Chosen, choose
from ..devices import calls, quick
from .generation import grown, priced
from .units import Units
from .whole import Whole, everything, spread

FEW = 480  # units that the solver can still decide among with a proof
WIDE = 2000  # features above which a table is wide
MATRIX = 24_000  # features up to which all rows are made, if that is no more work than counting them at 1000 samples
WORK = 0.5 * MATRIX**2 * 1000
MOST = 6000  # units of a core at the most
AGAIN = (
    8  # times the solver itself may be asked anew, after something outside turned out to improve its answer
)
ENTER = 64  # units that may enter the core each time
KEPT = 256 * 2**20  # bytes of rows that are still kept when the choice is made


def rows_of(redundancy: Any, table: Table) -> Rows | None:
    """Return the rows of redundancy of a wide table; None of any other, and of a measure that has no ``rows``."""
    make = getattr(redundancy, "rows", None)
    if table.n_features <= WIDE or make is None or not getattr(redundancy, "tables", False):
        return None
    rows: Rows | None = make(table)
    return rows


def affordable(rows: Rows) -> bool:
    """Return whether all rows may be made, and kept as one matrix in single precision."""
    return rows.size <= MATRIX and 0.5 * rows.size**2 * rows.work <= WORK


def choose_wide(
    importance: npt.ArrayLike,
    rows: Rows,
    constraints: Constraints,
    solver: Solver = Portfolio(),  # noqa: B008
    *,
    k: int | None = None,
    alpha: float | None = None,
    whole: bool = False,
) -> Chosen:
    """Return the best subset found that fulfils every wish, as `choose` does, from rows of redundancy.

    The subset is optimal among those of the core as far as the solver proves it, and no single addition, removal or
    exchange with a feature of the whole table improves it. What is proven, ``bound`` and ``solutions.proven``, holds for
    the whole table: where ``on_path``, for subsets of every size, else for those of k units, at ``alpha``.

    ``solutions.info["wide"]`` says what was looked at: ``rows``, how many rows were computed; ``among``, how many units
    the core has, ``of`` how many; ``proven_among``, whether the subset is proven to be the best of the core;
    ``closed``, whether nothing outside improves it; ``useful``, how many units outside could still be in a better
    subset, where the core is proven; ``certified``, whether ``proof.verify(*solutions.info["reduced"])`` has a
    certificate to check; and ``said``, all this in words. A certificate is of the core alone, and there is one where
    the solver proved the very subset that was chosen: at one alpha, or off the path. Bounds on what is outside have
    none, nor has a subset that several proofs along the path enclose.

    Of the rows, those asked for last stay kept, up to ``KEPT`` bytes.

    Parameters
    ----------
    importance : array of shape (n,)
    rows : Rows
    constraints : Constraints
        On all n features, with their costs.
    solver : Solver
    k : int, optional
        Wanted number of units, which are groups or lone features; included ones count.
    alpha : float, optional
        Solve at this alpha instead.
    whole : bool
        Whether every row may be looked at for the bound. Otherwise only those of the core are, pairs of other
        features count as no redundancy, and nothing is claimed of sizes other than k.

    Examples
    --------
    >>> R = np.array([[0, 2, 0], [2, 0, 0], [0, 0, 0]])
    >>> chosen = choose_wide([3.0, 2.0, 1.0], Rows.of(R), Constraints.of(3, include=1), k=2)
    >>> chosen.solutions.best, chosen.solutions.info["wide"]["of"]
    (array([False,  True,  True]), 2)
    """
    units = Units(importance, rows, constraints)
    if alpha is None:
        if k is None:
            raise TypeError("choose_wide needs k, how many units are wanted, or alpha; got neither.")
        constraints.check_size(k)
    wanted = None if alpha is not None or k is None else int(k) - constraints.kept
    if alpha == 1.0 or (wanted == units.size > MOST):
        return everything(units, all_of_them=alpha is None)
    if wanted is not None and wanted > MOST:
        raise ValueError(
            f"k must be at most {MOST + constraints.kept}, or all, in a table as wide as this, got {k}: "
            f"exclude features before, or take fewer."
        )
    core, closed = grown(units, quick(solver), wanted, alpha, MOST)
    found, core, tradeoff, closed = _solved(units, core, solver, wanted, alpha, closed=closed)
    proof = Whole.of(units, core, found, wanted, whole)
    for _ in range(AGAIN):
        if not 0 < proof.useful.size <= FEW - core.size or calls(solver) is not None:
            break
        # All that a better subset could have, and few enough to decide among them.
        core = np.union1d(core, proof.useful)
        found, core, tradeoff, closed = _solved(units, core, solver, wanted, alpha)
        proof = Whole.of(units, core, found, wanted, whole)
    chosen = spread(units, core, tradeoff, found, proof, closed)
    rows.forget(KEPT)
    return chosen


def _solved(
    units: Units,
    core: npt.NDArray[np.intp],
    solver: Solver,
    wanted: int | None,
    alpha: float | None,
    *,
    closed: bool = False,
) -> tuple[Chosen, npt.NDArray[np.intp], Tradeoff, bool]:
    """Return what the solver chooses in a core, that core, its tradeoff, and whether nothing outside improves it."""
    for more in reversed(range(AGAIN)):
        tradeoff = units.among(core)
        found = choose(tradeoff, Constraints.of(core.size), solver, k=wanted, alpha=alpha)
        # A device is asked once, and what it reads need not be as good as what was found before.
        if calls(solver) is not None:
            return found, core, tradeoff, closed
        prices = priced(units, core, found, wanted)
        better = np.flatnonzero(prices < 0.0)
        if not better.size:
            return found, core, tradeoff, True
        if not more or core.size >= MOST:
            break
        core = np.union1d(core, better[np.argsort(prices[better], kind="stable")[:ENTER]])
    return found, core, tradeoff, False
