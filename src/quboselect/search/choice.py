"""The choice: the best subset of a problem, of a wanted size, at one alpha, or of a size at an alpha.

`choose` takes a tradeoff without constraints; `best_subset` of `quboselect.result` is its face, which knows constraints
and wide tables. A size that is optimal at some alpha is found on the path. One that is not is answered by the best
subset of exactly that size, at the alpha where the path passes it.

A solver with an attribute ``calls`` is a device, such as a quantum computer, whose calls cost time or money. With 1 it
is asked once, at an alpha that was found classically, as in the paper's experiment 4; with more it searches alpha
itself, by bisection. At a given alpha a penalty holds it to the size.
"""

import dataclasses
import logging
import warnings
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np

from ..errors import check_integer
from ..proof.certificate import Certificate, Node
from ..protocols import Solver, ask, takes
from ..qubo import PATH, RELATIVE_TOLERANCE, TIES, Solutions
from ..solvers import Portfolio
from ..solvers.portfolio import with_size
from ..tradeoff import Line, Tradeoff
from .baselines import penalised
from .bisection import bisection
from .envelope import EPS, alpha_path, most_important, tolerance
from .path import Path
from .units import Units

log = logging.getLogger("quboselect")


class Choice(NamedTuple):
    """The subset that was chosen.

    ``window`` is from where to where alpha gives it; ``path`` is what was explored on the way, None at one alpha.
    ``on_path`` says whether the best solution is on that path: it is then optimal at ``alpha`` among subsets of every
    size if it is proven, and its bound is one on that minimum. Otherwise both hold among subsets of its size. Where the
    path has no subset of that size, it passes there from the first to the second size in ``passes``.
    """

    alpha: float
    window: tuple[float, float]
    solutions: Solutions
    on_path: bool
    path: Path | None = None
    passes: tuple[int, int] | None = None


def choose(tradeoff: Tradeoff, solver: Solver, *, k: int | None = None, alpha: float | None = None) -> Choice:
    """Return the best subset of exactly k features, of any number at one alpha, or of exactly k at one alpha.

    Parameters
    ----------
    tradeoff : Tradeoff
        With a matrix of redundancy.
    solver : Solver
    k : int, optional
        None is any number of features.
    alpha : float, optional
        None is the alpha at which k features are optimal among subsets of every size.
    """
    calls = getattr(solver, "calls", None)
    if alpha is not None and k is not None:
        return best_at(tradeoff, k, alpha, solver)
    if alpha is not None:
        qubo = tradeoff.at(alpha)
        # An empty problem needs no solver.
        found = ask(solver, qubo) if tradeoff.size else Solutions.of(qubo, np.zeros(0), bound=0.0)
        if calls is not None:
            found = dataclasses.replace(found, info=device_info(found))
        return Choice(alpha, (alpha, alpha), found, found.proven or calls is None)
    assert k is not None
    # A device is not asked where there is nothing to decide.
    if calls is not None and 0 < k < tradeoff.size:
        check_integer(calls, "calls", 1)
        # Told before the first call, which may cost money.
        log.info("the device will be called at most %d time(s)", calls)
        return (_asked_once if calls == 1 else _asked_often)(tradeoff, k, solver)
    solver = solver if calls is None else Portfolio()
    return choice_of_size(tradeoff, k, alpha_path(tradeoff, solver, k=k), solver)


def choose_free(units: Units, solver: Solver, *, k: int | None = None, alpha: float | None = None) -> Choice:
    """Return the choice among free units, k with those that are included, as one of all features."""
    problem, kept = units.problem(), units.constraints.kept
    choice = choose(problem, solver, k=None if k is None else int(k) - kept, alpha=alpha)
    found = choice.solutions
    full = units.full_solutions(
        found,
        choice.alpha,
        bound=found.bound,
        proven=found.proven,
        reduced=(problem.at(choice.alpha), found),
    )
    return choice._replace(
        solutions=full,
        path=None if choice.path is None else units.full_path(choice.path),
        passes=None if choice.passes is None else (choice.passes[0] + kept, choice.passes[1] + kept),
    )


def best_at(tradeoff: Tradeoff, k: int, alpha: float, solver: Solver) -> Choice:
    """Return the best subset of exactly k features at one alpha; what is proven of it holds among those of its size.

    Examples
    --------
    >>> tradeoff = Tradeoff([3.0, 2.0, 1.0], [[0, 2, 0.5], [2, 0, 1], [0.5, 1, 0]])
    >>> best_at(tradeoff, 2, 0.5, Portfolio()).solutions
    Solutions(1 of 3 bits, best energy -1.75, proven)
    """
    window, qubo = (alpha, alpha), tradeoff.at(alpha)
    if k in (0, tradeoff.size):
        only = np.full(tradeoff.size, k > 0)
        energy = qubo.energy(only)
        info = {"certificate": Certificate(energy, k, Node(end="enumerate"))}
        return Choice(alpha, window, Solutions.of(qubo, only, bound=energy, info=info), False)
    device, held = getattr(solver, "calls", None) is not None, takes(solver, "k")
    if not device and not held:
        return Choice(alpha, window, _penalised(tradeoff, k, alpha, solver), False)
    plan: Solver = Portfolio() if device else solver
    found = most_important(tradeoff, k, plan) if alpha == 1.0 else ask(with_size(plan, k), qubo)
    planned = Choice(alpha, window, found, False)
    if not device:
        return planned
    answer = ask(with_size(solver, k), qubo) if held else ask(solver, penalised(tradeoff, k, alpha=alpha))
    return _read(tradeoff, k, planned, answer)


def _penalised(tradeoff: Tradeoff, k: int, alpha: float, solver: Solver) -> Solutions:
    """Return what a solver that cannot be held to a size finds where a penalty asks for k features.

    The penalty is so large that the minimum has k features: a proof of that minimum is one among those of k.
    """
    qubo = tradeoff.at(alpha)
    # What is proven is said of the problem without the penalty, and so is what counts as equal.
    scale = qubo.tolerance / RELATIVE_TOLERANCE
    answer = ask(solver, dataclasses.replace(penalised(tradeoff, k, alpha=alpha), scale=scale or None))
    reads = answer.x.sum(axis=1) == k
    if not reads.any():
        _warn_of_no_read(answer, k, "the solver's")
        return ask(Portfolio(k=k), qubo)
    found = Solutions.of(qubo, answer.x[reads], count=answer.count[reads], info=answer.info)
    proven = answer.proven and bool(reads[0])
    return dataclasses.replace(found, bound=float(found.energy[0])) if proven else found


def classical(solver: Solver) -> Solver:
    """Return the solver that explores: the solver itself, or the default where it is a device."""
    return solver if getattr(solver, "calls", None) is None else Portfolio()


def quick(solver: Solver) -> Solver:
    """Return the search without proofs that explores, where the solver has one."""
    plan = classical(solver)
    scout = getattr(plan, "scout", None)
    return plan if scout is None else cast(Solver, scout())


def choice_of_size(tradeoff: Tradeoff, k: int, path: Path, solver: Solver) -> Choice:
    """Return the best subset of exactly k features: on the path, or where the path passes that size.

    On the path, alpha is the middle of its window. Where no alpha makes k features optimal, alpha is where the
    neighbours meet. Above the number of features that have any importance alpha is 1, and those of the others that add
    the least redundancy and cost fill up. Off the path the solver is asked if it takes a ``k``; otherwise
    `solvers.Portfolio` is.

    Parameters
    ----------
    tradeoff : Tradeoff
    k : int
    path : Path
        Of the same tradeoff, explored at least around k.
    solver : Solver

    Examples
    --------
    >>> redundancy = [[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]]
    >>> tradeoff = Tradeoff([10.0, 5.0, 5.0, 5.0], redundancy)
    >>> choice = choice_of_size(tradeoff, 2, alpha_path(tradeoff, k=2), Portfolio())
    >>> choice.solutions.best, choice.on_path, choice.passes
    (array([False,  True,  True, False]), False, (1, 3))
    """
    if (segment := path.of_size(k)) is not None:
        window = segment.start, segment.stop
        alpha = 0.5 * sum(window)
        qubo = tradeoff.at(alpha)
        bound = path.bound(alpha) if segment.gap else qubo.energy(segment.x)
        steepest = max(abs(each.redundancy) for each in path if {each.start, each.stop} & {*window})
        if bound > -np.inf and 8 * EPS * steepest > qubo.tolerance:
            # Redundancy dwarfs importance: where the window ends is less exact than the proof must be.
            bound = ask(solver, qubo).bound
        found = Solutions.of(qubo, segment.x, bound=bound)
        return Choice(alpha, window, found, True, path)
    if k > path[-1].size:
        return Choice(1.0, (1.0, 1.0), most_important(tradeoff, k, solver), True, path)
    before, after = next((a, b) for a, b in pairwise(path) if (a.size < k) != (b.size < k))
    alpha = before.stop
    qubo = tradeoff.at(alpha)
    if alpha > 0.0:
        solutions = ask(with_size(solver, k), qubo)
    else:
        # At 0 every subset free of redundancy and cost ties: of those the most important is wanted, which is the
        # optimum while the smallest redundancy or cost outweighs all importance together.
        priced = min(part[part > 0.0].min(initial=np.inf) for part in (tradeoff.redundancy, tradeoff.cost))
        weight = float(tradeoff.importance.sum())
        tiny = 0.5 * priced / (priced + weight) if np.isfinite(priced) else 0.5
        solutions = Solutions.of(qubo, ask(with_size(solver, k), tradeoff.at(tiny)).best, bound=0.0)
    line = Line(before.importance, before.redundancy)
    slack = max(PATH * qubo.tolerance, tolerance(alpha, float(tradeoff.importance.max()), line))
    # What alpha itself is off may be more than a proof may be.
    slack = min(slack, 0.5 * qubo.tolerance)
    if solutions.energy[0] > before.energy(alpha) + slack:
        return Choice(alpha, (alpha, alpha), solutions, False, path, (before.size, after.size))
    # It ties with its neighbours, and is on the path if they are: what is proven is what is proven of them.
    floor = path.bound(alpha)
    if floor >= solutions.energy[0] - slack:
        solutions = dataclasses.replace(solutions, bound=float(solutions.energy[0]))
    else:
        solutions = Solutions.of(qubo, solutions.x, count=solutions.count, bound=floor)
    return Choice(alpha, (alpha, alpha), solutions, True, path)


def device_info(answer: Solutions) -> dict[str, Any]:
    """Return what a device said of its answer as a whole, and the answer."""
    info = {key: value for key, value in answer.info.items() if key != "chain_break_fraction"}
    return {**info, "answer": answer}


def _asked_once(tradeoff: Tradeoff, k: int, device: Solver) -> Choice:
    """Return the best read of exactly k features at the alpha of the classical choice.

    The solutions are the reads of k features; all reads stand in ``info["answer"]``. Where no read has k features the
    classical subset is returned, with a warning. The bound is that of the classical proof, and says whether the device
    found the optimum.
    """
    planned = choice_of_size(tradeoff, k, alpha_path(tradeoff, k=k), Portfolio())
    return _read(tradeoff, k, planned, ask(device, tradeoff.at(planned.alpha)))


def _read(tradeoff: Tradeoff, k: int, planned: Choice, answer: Solutions) -> Choice:
    """Return the best of a device's reads of k features, or the classical choice where no read has k features."""
    qubo = tradeoff.at(planned.alpha)
    reads = answer.x.sum(axis=1) == k
    info = device_info(answer)
    if not reads.any():
        _warn_of_no_read(answer, k)
        return planned._replace(
            solutions=dataclasses.replace(planned.solutions, info={**planned.solutions.info, **info})
        )
    found = Solutions.of(
        qubo, answer.x[reads], count=answer.count[reads], bound=planned.solutions.bound, info=info
    )
    if planned.alpha == 1.0:
        found = _least_redundant_first(found, tradeoff, TIES * qubo.tolerance)
    optimal = bool(found.energy[0] <= planned.solutions.energy[0] + qubo.tolerance)
    same = np.array_equal(found.best, planned.solutions.best)
    window = planned.window if same else (planned.alpha, planned.alpha)
    return planned._replace(solutions=found, on_path=planned.on_path and optimal, window=window)


def _least_redundant_first(found: Solutions, tradeoff: Tradeoff, equal: float) -> Solutions:
    """Return solutions at alpha 1, where only importance counts, with the least redundant of the equally good first."""
    tied = np.flatnonzero(found.energy <= found.energy[0] + equal)
    first = min(tied, key=lambda i: tradeoff.line(found.x[i]).redundancy)
    order = np.r_[first, np.delete(np.arange(len(found)), first)]
    bound = float(found.energy[first]) if found.proven else found.bound
    return Solutions(found.x[order], found.energy[order], found.count[order], bound, found.info)


def _asked_often(tradeoff: Tradeoff, k: int, device: Solver) -> Choice:
    """Return the best read of k features after the paper's Algorithm 1, each solve of which is a call."""
    answers: list[Solutions] = []
    most = device.calls  # type: ignore[attr-defined]

    def call(qubo: Any, /) -> Solutions:
        log.info("call %d of at most %d", len(answers) + 1, most)
        answers.append(ask(device, qubo))
        return answers[-1]

    alpha, last, _ = bisection(tradeoff, k, call, 1e-8, most)
    x = np.concatenate([answer.x for answer in answers])
    count = np.concatenate([answer.count for answer in answers])
    reads = x.sum(axis=1) == k
    info = {**device_info(last), "calls": len(answers)}
    if reads.any():
        found = Solutions.of(tradeoff.at(alpha), x[reads], count=count[reads], info=info)
    else:
        _warn_of_no_read(last, k)
        found = Portfolio(k=k)(tradeoff.at(alpha))
        found = dataclasses.replace(found, info={**found.info, **info})
    return Choice(alpha, (alpha, alpha), found, False)


def _warn_of_no_read(answer: Solutions, k: int, whose: str = "the device's") -> None:
    warnings.warn(
        f"none of {whose} {int(answer.count.sum())} reads has exactly {k} features: a classical solver's subset "
        "was selected instead. More reads, or another device, may help.",
        UserWarning,
        stacklevel=2,
    )
