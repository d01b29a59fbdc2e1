"""Wide tables: the best subset where the matrix R is too large to be searched, or even to be made.

A *core* of features is searched with all the means of a small table. Then every feature outside is priced: would adding
it, or exchanging it for one of the subset, be an improvement? That takes the rows of the subset alone. What improves
enters the core, until nothing does. The choice comes with a bound for the whole table, and with words on what was
proven.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ...protocols import Solver
from ...redundancy.rows import Rows
from ...solvers.portfolio import with_size
from ...tables.table import Table
from ...tables.target import Target
from ...tradeoff import Tradeoff
from ..choice import Choice, choose, quick
from ..constraints import Constraints
from ..units import Units
from .generation import grown_core, prices_outside
from .whole import Whole, everything, full_choice, stepped

FEW = 480  # units that the solver can still decide among with a proof
WIDE = 2000  # features above which a table is wide
MATRIX = (
    24_000  # features up to which a matrix is made; its work is limited to that of so many at 1000 samples
)
WORK = 0.5 * MATRIX**2 * 1000
MOST = 6000  # units of a core at the most
AGAIN = 8  # how often the solver may be asked anew, after something outside turned out to improve its answer
ENTER = 64  # units that may enter the core each time
KEPT = 256 * 2**20  # bytes of rows that are still kept when the choice is made


def redundancy_rows(
    redundancy: Any, table: Table, target: Target | None = None, *, few: bool = False
) -> Rows | None:
    """Return the redundancy of a wide table as rows; None of a measure that has no ``rows``.

    Where all rows may be made and kept as one matrix in single precision, they are, unless ``few`` will be asked for.
    """
    make = getattr(redundancy, "rows", None)
    if make is None or not getattr(redundancy, "tables", False):
        return None
    rows: Rows | None = make(table, target) if getattr(redundancy, "by_class", False) else make(table)
    if rows is None or rows.known is not None or few:
        return rows
    affordable = rows.at_once is not None or (rows.size <= MATRIX and 0.5 * rows.size**2 * rows.work <= WORK)
    return Rows.of(rows.matrix(), signed=rows.signed) if affordable else rows


def choose_wide(
    tradeoff: Tradeoff,
    constraints: Constraints,
    solver: Solver,
    *,
    k: int | None = None,
    alpha: float | None = None,
) -> Choice:
    """Return the best subset found that fulfils the constraints, from rows of redundancy.

    The subset is optimal among those of the core as far as the solver proves it, and no single addition, removal or
    exchange with a feature of the whole table improves it. What is proven, ``bound`` and ``solutions.proven``, holds
    for the whole table: where ``on_path``, for subsets of every size, else for those of k units, at ``alpha``. Where
    the rows come from a matrix, every row is looked at for the bound. Otherwise only those of the core are, pairs of
    other features count as no redundancy, and nothing is claimed of sizes other than k.

    ``solutions.info["wide"]`` is a `Core`, which says what was looked at. A certificate is of the core alone, and there
    is one where the solver proved the very subset that was chosen: at one alpha, or off the path. Bounds on what is
    outside have none (`whole_proof` makes one of k units at one alpha), nor has a subset that several proofs along the
    path enclose. Of the rows, those asked for last
    stay kept, up to ``KEPT`` bytes.

    A solver with ``by_rows`` needs no core: at a given alpha and k it goes through all features, and proves nothing.

    Parameters
    ----------
    tradeoff : Tradeoff
        Of all features, with rows of redundancy and with costs.
    constraints : Constraints
    solver : Solver
    k : int, optional
        Wanted number of units, which are groups or lone features; included ones count. None is any number.
    alpha : float, optional
        None is the alpha at which k units are optimal.

    Examples
    --------
    >>> from quboselect.solvers import Portfolio
    >>> R = np.array([[0, 2, 0], [2, 0, 0], [0, 0, 0]])
    >>> tradeoff = Tradeoff([3.0, 2.0, 1.0], Rows.of(R))
    >>> choice = choose_wide(tradeoff, Constraints.of(3, include=1), Portfolio(), k=2)
    >>> choice.solutions.best, choice.solutions.info["wide"].of
    (array([False,  True,  True]), 2)
    """
    units = Units(tradeoff, constraints)
    whole = tradeoff.redundancy.known is not None
    wanted = None if k is None else int(k) - constraints.kept
    if (alpha == 1.0 and wanted is None) or (wanted == units.size > MOST):
        return everything(units, all_of_them=wanted is not None)
    if wanted is not None and wanted > MOST:
        raise ValueError(
            f"k must be at most {MOST + constraints.kept}, or all, in a table as wide as this, got {k}: "
            f"exclude features before, or take fewer."
        )
    if wanted is not None and alpha is not None and hasattr(solver, "by_rows"):
        return stepped(units, with_size(solver, wanted), alpha)
    core, closed = grown_core(units, quick(solver), wanted, alpha, MOST)
    found, core, problem, closed = _solved(units, core, solver, wanted, alpha, closed=closed)
    proof = Whole.of(units, core, found, wanted, whole)
    for _ in range(AGAIN):
        if not 0 < proof.useful.size <= FEW - core.size or getattr(solver, "calls", None) is not None:
            break
        # All that a better subset could have, and few enough to decide among them.
        core = np.union1d(core, proof.useful)
        found, core, problem, closed = _solved(units, core, solver, wanted, alpha)
        proof = Whole.of(units, core, found, wanted, whole, proof)
    choice = full_choice(units, core, problem, found, proof, closed)
    tradeoff.redundancy.forget(KEPT)
    return choice


def _solved(
    units: Units,
    core: npt.NDArray[np.intp],
    solver: Solver,
    wanted: int | None,
    alpha: float | None,
    *,
    closed: bool = False,
) -> tuple[Choice, npt.NDArray[np.intp], Tradeoff, bool]:
    """Return what the solver chooses in a core, that core, its tradeoff, and whether nothing outside improves it."""
    for more in reversed(range(AGAIN)):
        tradeoff = units.among(core)
        found = choose(tradeoff, solver, k=wanted, alpha=alpha)
        # A device is asked once, and what it reads need not be as good as what was found before.
        if getattr(solver, "calls", None) is not None:
            return found, core, tradeoff, closed
        prices = prices_outside(units, core, found, wanted)
        better = np.flatnonzero(prices < 0.0)
        if not better.size:
            return found, core, tradeoff, True
        if not more or core.size >= MOST:
            break
        core = np.union1d(core, better[np.argsort(prices[better], kind="stable")[:ENTER]])
    return found, core, tradeoff, False
