"""The exact solvers that are compared: others' mixed-integer programming, and ours.

Each returns the best subset, a proven lower bound, and the seconds it took. Others are limited by the clock, ours by
effort. HiGHS and SCIP get the same standard linearisation: a continuous y_ij in [0, 1] for each coupled pair, with
``y_ij >= x_i + x_j - 1`` where it costs energy, and ``y_ij <= x_i, y_ij <= x_j`` where it gains some. They see only
the bits that can lower an energy.
"""

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from peers import THREADS, TINY, reduced

from quboselect import QUBO, __version__
from quboselect.solvers import BranchAndBound, Exhaustive, Portfolio

# Seconds for HiGHS and SCIP. Ours climb their ladder only while the next rung is expected to take no longer.
LIMIT = 10.0


class Proof(NamedTuple):
    """What an exact solver says: bits, a lower bound on the minimum (-inf if none), and its seconds."""

    x: np.ndarray
    bound: float
    seconds: float


@dataclass(frozen=True)
class Exact:
    """An exact solver, the distribution it comes from, its ladder of efforts, and the most bits it is asked for."""

    name: str
    package: str
    prove: Callable[..., Proof]
    rungs: tuple[dict[str, Any], ...]
    largest: int = 10_000

    @property
    def version(self) -> str:
        """The installed version; raises PackageNotFoundError."""
        return __version__ if self.package == "quboselect" else version(self.package)


def linearised(qubo: QUBO) -> Any:
    """Return the mixed-integer program of a QUBO as a HighsLp; columns are x, then one y per coupled pair."""
    import highspy

    n = qubo.size
    i, j = np.nonzero(np.triu(qubo.couplings, 1))
    cost = qubo.couplings[i, j]
    y = n + np.arange(i.size)
    up = cost > 0
    above, ones = y[up], np.ones(int(up.sum()))
    below = np.repeat(y[~up], 2)
    ends = np.stack([i[~up], j[~up]], axis=1).ravel()
    rows = above.size + below.size
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = n + i.size, rows
    lp.col_cost_ = np.concatenate([qubo.linear, cost])
    lp.col_lower_, lp.col_upper_ = np.zeros(n + i.size), np.ones(n + i.size)
    # Rows: x_i + x_j - y <= 1, and y - x <= 0.
    lp.row_lower_ = np.full(rows, -highspy.kHighsInf)
    lp.row_upper_ = np.concatenate([ones, np.zeros(below.size)])
    lp.integrality_ = [highspy.HighsVarType.kInteger] * n + [highspy.HighsVarType.kContinuous] * i.size
    matrix = lp.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.start_ = np.concatenate(
        [3 * np.arange(above.size), 3 * above.size + 2 * np.arange(below.size + 1)]
    )
    first = np.stack([i[up], j[up], above], axis=1).ravel()
    matrix.index_ = np.concatenate([first, np.stack([below, ends], axis=1).ravel()])
    matrix.value_ = np.concatenate([np.tile([1.0, 1.0, -1.0], above.size), np.tile([1.0, -1.0], below.size)])
    lp.a_matrix_ = matrix
    return lp


def silent_highs(qubo: QUBO) -> Any:
    import highspy

    highs = highspy.Highs()
    highs.silent()
    highs.passModel(linearised(qubo))
    return highs


def highs(qubo: QUBO, *, limit: float) -> Proof:
    """Solve with HiGHS in two threads."""
    small, keep = reduced(qubo)
    model = silent_highs(small)
    for name, value in (
        ("threads", THREADS),
        ("time_limit", limit),
        ("mip_rel_gap", 1e-9),
        ("mip_abs_gap", 1e-9),
    ):
        model.setOptionValue(name, value)
    start = time.perf_counter()
    model.run()
    seconds = time.perf_counter() - start
    x = np.zeros(qubo.size, bool)
    values = np.asarray(model.getSolution().col_value)
    if values.size:
        x[keep] = values[: keep.size] > 0.5
    return Proof(x, float(model.getInfo().mip_dual_bound), seconds)


def scip(qubo: QUBO, *, limit: float) -> Proof:
    """Solve with SCIP, which uses one thread; the program is read from a file that HiGHS writes."""
    from pyscipopt import Model

    small, keep = reduced(qubo)
    model = Model()
    model.hideOutput()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "qubo.mps"
        silent_highs(small).writeModel(str(file))
        model.readProblem(str(file))
    model.setParam("limits/time", limit)
    model.setParam("limits/gap", 1e-9)
    columns = {variable.name: variable for variable in model.getVars()}
    start = time.perf_counter()
    model.optimize()
    seconds = time.perf_counter() - start
    x = np.zeros(qubo.size, bool)
    if model.getNSols():
        best = model.getBestSol()
        x[keep] = [best[columns[f"c{i}"]] > 0.5 for i in range(keep.size)]
    bound = model.getDualbound()
    return Proof(x, -np.inf if model.isInfinity(-bound) else float(bound), seconds)


def ours(solver: Callable[..., Any]) -> Callable[..., Proof]:
    """Return the prover of a solver of this library, which gets the whole problem."""

    def prove(qubo: QUBO, **parameters: Any) -> Proof:
        start = time.perf_counter()
        samples = solver(**parameters)(qubo)
        return Proof(samples.best, samples.bound, time.perf_counter() - start)

    return prove


EXACT = (
    Exact("Exhaustive", "quboselect", ours(Exhaustive), ({"n_jobs": THREADS},), largest=25),
    Exact(
        "BranchAndBound",
        "quboselect",
        ours(BranchAndBound),
        tuple({"nodes": nodes} for nodes in (1_000, 10_000, 100_000, 1_000_000)),
    ),
    Exact(
        "Portfolio",
        "quboselect",
        ours(Portfolio),
        tuple({"effort": effort, "n_jobs": THREADS} for effort in (1.0, 4.0, 16.0)),
    ),
    Exact("HiGHS", "highspy", highs, ({"limit": LIMIT},)),
    Exact("SCIP", "pyscipopt", scip, ({"limit": LIMIT},)),
)


def installed() -> list[Exact]:
    """Return the exact solvers that can run here, warm; the others are left out with a line that says why."""
    found = []
    for solver in EXACT:
        try:
            solver.version  # noqa: B018
            solver.prove(TINY, **solver.rungs[0])
        except (ImportError, PackageNotFoundError) as reason:
            print(f"left out: {solver.name}: {reason}", flush=True)
        else:
            found.append(solver)
    return found
