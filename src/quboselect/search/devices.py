"""Devices: solvers whose calls are dear, as those of a quantum computer. A tradeoff and a size flow in, reads flow out.

A solver with an attribute ``calls`` is one. With 1 it is asked once, at an alpha that was found classically, as in the
paper's experiment 4; with more it searches alpha itself, by bisection in at most so many calls.
"""

import logging
import warnings
from dataclasses import replace
from typing import Any, cast

import numpy as np

from ..protocols import Solver, ask
from ..solutions import Solutions
from ..solvers import Portfolio
from ..tradeoff import Tradeoff
from .path import Path, alpha_path
from .sizes import Exactly, bisected, exactly

log = logging.getLogger("quboselect")


def calls(solver: Any) -> int | None:
    """Return how often a solver may be asked in a fit, None where nobody counts."""
    return cast("int | None", getattr(solver, "calls", None))


def planner(solver: Solver) -> Solver:
    """Return the solver that explores: itself, or for a device the classical default."""
    return solver if calls(solver) is None else Portfolio()


def quick(solver: Solver) -> Solver:
    """Return a search without proofs to explore with, where the planner has one."""
    plan = planner(solver)
    scout = getattr(plan, "scout", None)
    return plan if scout is None else cast(Solver, scout())


def on_device(tradeoff: Tradeoff, k: int, device: Solver) -> tuple[Path | None, Exactly, bool]:
    """Return the path by which alpha was found, the best read of exactly k features, and whether k is on that path.

    The solutions are the reads of k features; all of them stand in ``info["answer"]``. Where no read has k features the
    classical subset is returned, with a warning. With one call the bound is that of the classical proof, and says
    whether the device found the optimum; with more there is none, and no path.

    Parameters
    ----------
    tradeoff : Tradeoff
    k : int
        Wanted size.
    device : Solver
        With an attribute ``calls``, how often it may be asked.
    """
    most = calls(device) or 1
    # Told before the first: they may cost money.
    log.info("the device will be called at most %d time(s)", most)
    if most > 1:
        return None, _searched(tradeoff, k, device, most), False
    path = alpha_path(tradeoff, Portfolio(), k=k)
    planned = exactly(tradeoff, k, path)
    qubo = tradeoff.at(planned.alpha)
    answer = ask(device, qubo)
    fits = answer.x.sum(axis=1) == k
    info = told(answer)
    if not fits.any():
        _warn_of_none(answer, k)
        kept = replace(planned.solutions, info={**planned.solutions.info, **info})
        return path, planned._replace(solutions=kept), planned.on_path
    found = Solutions.of(
        qubo, answer.x[fits], count=answer.count[fits], bound=planned.solutions.bound, info=info
    )
    if planned.alpha == 1.0:
        found = _least_redundant_first(found, tradeoff, qubo.tolerance)
    optimal = bool(found.energy[0] <= planned.solutions.energy[0] + qubo.tolerance)
    return path, Exactly(planned.alpha, found, planned.on_path and optimal), planned.on_path


def told(answer: Solutions) -> dict[str, Any]:
    """Return what a device said of its answer as a whole, and the answer."""
    return {
        **{key: said for key, said in answer.info.items() if key != "chain_break_fraction"},
        "answer": answer,
    }


def _least_redundant_first(found: Solutions, tradeoff: Tradeoff, tolerance: float) -> Solutions:
    """Return solutions at alpha 1, where only importance counts, with the least redundant of the equally good first."""
    tied = np.flatnonzero(found.energy <= found.energy[0] + tolerance)
    first = min(tied, key=lambda i: tradeoff.line(found.x[i])[1])
    order = np.r_[first, np.delete(np.arange(len(found)), first)]
    bound = float(found.energy[first]) if found.proven else found.bound
    return Solutions(found.x[order], found.energy[order], found.count[order], bound, found.info)


def _searched(tradeoff: Tradeoff, k: int, device: Solver, most: int) -> Exactly:
    """Return the best read of k features after the paper's Algorithm 1, each of its solves a call."""
    answers: list[Solutions] = []

    def called(qubo: Any, /) -> Solutions:
        log.info("call %d of at most %d", len(answers) + 1, most)
        answers.append(ask(device, qubo))
        return answers[-1]

    alpha, last, _ = bisected(tradeoff, k, called, 1e-8, most)
    rows = np.concatenate([answer.x for answer in answers])
    seen = np.concatenate([answer.count for answer in answers])
    fits = rows.sum(axis=1) == k
    info = {**told(last), "calls": len(answers)}
    if fits.any():
        return Exactly(
            alpha, Solutions.of(tradeoff.at(alpha), rows[fits], count=seen[fits], info=info), False
        )
    _warn_of_none(last, k)
    planned = Portfolio(k=k)(tradeoff.at(alpha))
    return Exactly(alpha, replace(planned, info={**planned.info, **info}), False)


def _warn_of_none(answer: Solutions, k: int) -> None:
    warnings.warn(
        f"none of the device's {int(answer.count.sum())} reads has exactly {k} features: a classical solver's subset "
        "was selected instead. More reads, or another device, may help.",
        UserWarning,
        stacklevel=2,
    )
