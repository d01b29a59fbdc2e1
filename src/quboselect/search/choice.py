"""The choice: the best subset that fulfils every wish, of a wanted number of units or at one alpha.

A tradeoff of all features, constraints and a solver flow in. The smaller problem of the free units is solved, and what
is known of it, paths, solutions and proofs, flows out as paths, solutions and proofs of all features.
"""

from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..constraints import Constraints
from ..protocols import Solver, ask
from ..qubo import QUBO
from ..solutions import Solutions
from ..solvers import Portfolio
from ..tradeoff import Tradeoff
from .devices import calls, on_device, planner, told
from .path import Path, alpha_path
from .sizes import exactly


class Chosen(NamedTuple):
    """The subset that was chosen, over all features.

    ``window`` is from where to where alpha gives it, ``path`` what was explored on the way (None at one alpha).
    ``on_path`` says whether it is on the path that was found. Where no subset of its size is, the path passes there
    from the first to the second number of units in ``passes``.
    """

    alpha: float
    window: tuple[float, float]
    solutions: Solutions
    on_path: bool
    path: Path | None = None
    passes: tuple[int, int] | None = None


def choose(
    tradeoff: Tradeoff,
    constraints: Constraints,
    solver: Solver = Portfolio(),  # noqa: B008
    *,
    k: int | None = None,
    alpha: float | None = None,
) -> Chosen:
    """Return the best subset that fulfils every wish: of exactly k units, or of any number at one alpha.

    Parameters
    ----------
    tradeoff : Tradeoff
        Of all features, with their costs.
    constraints : Constraints
    solver : Solver
    k : int, optional
        Wanted number of units, which are groups or lone features; included ones count.
    alpha : float, optional
        Solve at this alpha instead.

    Examples
    --------
    >>> tradeoff = Tradeoff([3.0, 2.0, 1.0], [[0, 2, 0], [2, 0, 0], [0, 0, 0]])
    >>> choose(tradeoff, Constraints.of(3, include=1), k=2).solutions.best
    array([False,  True,  True])
    """
    reduced = constraints.reduce(tradeoff)
    if alpha is not None:
        qubo = reduced.at(alpha)
        # Where nothing is free there is nothing to ask.
        found = ask(solver, qubo) if constraints.free else Solutions.of(qubo, np.zeros(0), bound=0.0)
        device = calls(solver) is not None
        found = replace(found, info=told(found)) if device else found
        solutions = _solutions(found, qubo, alpha, tradeoff, constraints)
        return Chosen(alpha, (alpha, alpha), solutions, found.proven or not device)
    if k is None:
        raise TypeError("choose needs k, how many units are wanted, or alpha; got neither.")
    constraints.check_size(k)
    wanted = int(k) - constraints.kept
    path: Path | None
    # A device is not asked where there is nothing to decide.
    if calls(solver) is not None and 0 < wanted < constraints.free:
        path, (alpha, found, on_path), planned = on_device(reduced, wanted, solver)
    else:
        path = alpha_path(reduced, planner(solver), k=wanted)
        alpha, found, on_path = exactly(reduced, wanted, path, planner(solver))
        planned = on_path
    solutions = _solutions(found, reduced.at(alpha), alpha, tradeoff, constraints)
    if path is None:
        return Chosen(alpha, (alpha, alpha), solutions, on_path)
    segment = path.of_size(wanted)
    its_own = segment is not None and np.array_equal(segment.x, found.best)
    window = (segment.start, segment.stop) if segment is not None and its_own else (alpha, alpha)
    passes = None
    if not planned:
        a, b = next((a, b) for a, b in pairwise(path) if (a.size < wanted) != (b.size < wanted))
        passes = (a.size + constraints.kept, b.size + constraints.kept)
    return Chosen(alpha, window, solutions, on_path, full_path(path, tradeoff, constraints), passes)


def full_path(path: Path, tradeoff: Tradeoff, constraints: Constraints) -> Path:
    """Return the path of all features from that of the free units, ``tradeoff`` being of all features.

    Included features add a straight line in alpha to every energy and to every bound, so that windows, order and proofs
    stay what they are. Sizes are of features again, not of units.

    Examples
    --------
    >>> tradeoff, wishes = Tradeoff([3.0, 2.0], [[0, 1], [1, 0]]), Constraints.of(2, include=1)
    >>> print(full_path(alpha_path(wishes.reduce(tradeoff)), tradeoff, wishes))
                  alpha  size  importance  redundancy  proof     features
    0.000000 - 0.250000     1      2.0000      0.0000  proven    +1
    0.250000 - 1.000000     2      5.0000      1.0000  proven    +0
    """
    if constraints.trivial:
        return path
    importance, redundancy = tradeoff.line(constraints.included)
    knots = path.knots.copy()
    knots[:, 1] += (1.0 - knots[:, 0]) * redundancy - knots[:, 0] * importance
    segments = []
    for segment in path:
        x = constraints.expand(segment.x)
        x.flags.writeable = False
        line = tradeoff.line(x)
        full = replace(segment, x=x, importance=line[0], redundancy=line[1])
        if not segment.proven:
            # What is missing is the same, but it is relative to the energy, which is another one now.
            ends = [
                (segment.energy(a) - path.bound(a), full.energy(a)) for a in (segment.start, segment.stop)
            ]
            gaps = [missing / abs(energy) if energy else np.inf for missing, energy in ends if missing > 0.0]
            full = replace(full, gap=max(gaps))
        segments.append(full)
    return Path(segments, knots, path.solves)


def _solutions(
    found: Solutions, qubo: QUBO, alpha: float, tradeoff: Tradeoff, constraints: Constraints
) -> Solutions:
    """Return solutions of all features from those of the free units, found for their QUBO at one alpha.

    Their order and what is proven of them are those of the free units, to which a certificate belongs too:
    ``proof.verify(*solutions.info["reduced"])`` checks it there.
    """
    if constraints.trivial:
        return found
    importance, redundancy = tradeoff.line(constraints.included)
    x = constraints.expand(found.x)
    energy = np.asarray(tradeoff.at(alpha).energy(x))
    bound = found.bound + (1.0 - alpha) * redundancy - alpha * importance
    # Beside a large constant a small gap may be lost to rounding, and must not become a proof by it.
    bound = energy[0] if found.proven else min(bound, np.nextafter(energy[0], -np.inf))
    info = {key: value for key, value in found.info.items() if key not in ("certificate", "state")}
    if isinstance(answer := info.get("answer"), Solutions):
        # A device's reads, of all features too.
        reads = constraints.expand(answer.x)
        energies = np.asarray(tradeoff.at(alpha).energy(reads))
        info["answer"] = Solutions(reads, energies, answer.count, info=answer.info)
    return Solutions(x, energy, found.count, float(bound), {**info, "reduced": (qubo, found)})
