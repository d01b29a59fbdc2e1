"""The paths of single sizes around a selection: for each k, the best k units over alpha.

A proof of every size at every alpha would take minutes. A light search of bounded effort finds the subsets, from the
alpha of the fit outwards; few units are proven as they are found. What the fit and the path over all sizes have proven
counts.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..protocols import Solver, ask
from ..qubo import Bits
from ..result import Result
from ..search.envelope import EPS, Corner, Envelope, crossing, explored, least_redundancy, most_important
from ..search.path import Path, Segment
from ..solvers import Portfolio, Tabu
from ..solvers.portfolio import with_size
from ..tradeoff import Tradeoff

Segments = tuple[Segment, ...]

# Up to this many units the proofs of all sizes take a second.
MOST_SETTLED = 16
RESTARTS, ROUNDS = 6, 2
# Solves at most for the size of the fit, and for each other size; and for all together, times the units.
OWN_SOLVES, OTHER_SOLVES, MOST_WORK = 48, 16, 30_000


def size_segments(
    result: Result, sizes: Sequence[int], whole: Path | None = None, solver: Solver | None = None
) -> dict[int, Segments]:
    """Return, for each number of units, the best subsets of that size from alpha 0 to 1, with what is proven of them.

    The selection is among those of its size, at the alpha of the fit.

    Parameters
    ----------
    result : Result
    sizes : sequence of int
        Numbers of units, included ones counted; those first in the sequence get the effort first.
    whole : Path, optional
        The path over all sizes, of all features: its subsets are the best of their sizes too, and so are its bounds.
    solver : Solver, optional
        By default a light search of bounded effort. A solver that is given is asked for as long as it takes.
    """
    problem, kept = result.problem, result.constraints.kept
    search: Any = solver if solver is not None else light_search(result)
    left = MOST_WORK // max(problem.size, 1)
    found: dict[int, Segments] = {}
    seeds: dict[int, list[Bits]] = {}
    for segment in whole or ():
        seeds.setdefault(unit_count(result, segment.x), []).append(unit_bits(result, segment.x))
    seeds.setdefault(result.k, []).append(unit_bits(result, result.support))
    for place, k in enumerate(sizes):
        limit = None
        if solver is None and problem.size > MOST_SETTLED:
            # A third of the effort at most for the size of the fit; the others share the rest.
            fair = left // 3 if k == result.k else left // (len(sizes) - place)
            limit = max(min(OWN_SOLVES if k == result.k else OTHER_SOLVES, fair), 0)
        starts = [*seeds.get(k, ()), *neighbours(problem, seeds, k - kept, kept)]
        path = size_envelope(result, k - kept, search, starts, whole, limit)
        left -= path.solves
        seeds[k] = [segment.x for segment in path]
        full = path if result.constraints.trivial else result.units.full_path(path)
        found[k] = with_proofs(result, k, full.segments, whole)
    return dict(sorted(found.items()))


def light_search(result: Result) -> Solver:
    """Return what explores: proofs where units are few, else a light search."""
    seed = getattr(result.solver, "seed", 0)
    if result.problem.size <= MOST_SETTLED:
        return Portfolio(seed=seed)
    return Tabu(seed=seed, restarts=RESTARTS, rounds=ROUNDS, n_jobs=getattr(result.solver, "n_jobs", -1))


def size_envelope(
    result: Result, k: int, solver: Any, starts: Sequence[Bits], whole: Path | None, limit: int | None
) -> Path:
    """Return the path of k free units: from the subsets that are known, by as many solves as there may be."""
    problem = result.problem
    held = with_size(solver, k)
    trivial = k in (0, problem.size)
    pool = [np.full(problem.size, k > 0)] if trivial else [*starts, most_important(problem, k, held).best]
    solves, floor = 0, {0.0: least_redundancy(problem, k)}
    if not trivial and (limit is None or limit > 0):
        least = ask(held, problem.at(0.0))
        pool += [*least.x]
        solves, floor[0.0] = 1, max(least.bound, floor[0.0])
    floor[1.0] = -float(np.sort(problem.importance)[problem.size - k :].sum())
    envelope = Envelope(problem, pool)
    for alpha, bound in (*floor.items(), *known_bounds(result, k, whole)):
        envelope.prove(alpha, bound)
    if trivial:
        return envelope.path(0)
    near = result.alpha

    def outwards(corners: list[Corner], *_: Any) -> list[Corner]:
        return sorted(corners, key=lambda corner: abs(crossing(*corner[1:]) - near))

    rest = None if limit is None else max(limit - solves, 0)
    path = explored(envelope, held, outwards, rest)
    return Path(path.segments, path.knots, path.solves + solves)


def known_bounds(result: Result, k: int, whole: Path | None) -> list[tuple[float, float]]:
    """Return the alphas and bounds, of the free units, that are proven of k of them by the fit and by the path."""
    # No subset of one size is better than the best of all sizes.
    known = [] if whole is None else whole.knots.tolist()
    if k + result.constraints.kept == result.k:
        known.append([result.alpha, result.bound])
    if result.constraints.trivial:
        return [(alpha, bound) for alpha, bound in known]
    settled = [(alpha, bound, float(result.units.constant.energy(alpha))) for alpha, bound in known]
    # What rounding may add to a difference must not become a proof.
    return [(alpha, bound - fixed - 4.0 * EPS * abs(fixed)) for alpha, bound, fixed in settled]


def neighbours(problem: Tradeoff, seeds: dict[int, list[Bits]], k: int, kept: int) -> list[Bits]:
    """Return subsets of k units made of those of the next sizes that are known, by adding or removing one of each.

    Along the path of a size alpha rises: it is that of the place of the subset among the others.
    """
    found = []
    for size, sign in ((k - 1, 1.0), (k + 1, -1.0)):
        known = seeds.get(size + kept, [])
        for place, x in enumerate(known):
            alpha = (place + 0.5) / len(known)
            added = (1.0 - alpha) * (problem.redundancy[x].sum(axis=0) + problem.cost)
            added = sign * (added - alpha * problem.importance)
            added[x if sign > 0 else ~x] = np.inf
            bits = x.copy()
            bits[int(added.argmin())] ^= True
            found.append(bits)
    return found


def with_proofs(result: Result, k: int, segments: Segments, whole: Path | None) -> Segments:
    """Return the path of a size, cut where the path over all sizes or the fit has proven more, with the selection."""
    for segment in whole or ():
        if segment.start < segment.stop and unit_count(result, segment.x) == k:
            segments = cut(segments, segment)
    if k == result.k:
        own = Segment(
            result.alpha, result.alpha, result.support, *result.tradeoff.line(result.support), result.gap
        )
        segments = cut(segments, own)
    return segments


def cut(segments: Segments, piece: Segment) -> Segments:
    """Return a path with a piece in place of what stands there, where the piece says more.

    A piece of one alpha is put in unless that very subset stands there and is as well proven. A wider one is of the
    subset that stands there, or changes nothing.
    """
    found: list[Segment] = []
    point, done = piece.start == piece.stop, False
    for segment in segments:
        low, high = max(segment.start, piece.start), min(segment.stop, piece.stop)
        same = np.array_equal(segment.x, piece.x)
        known = same and segment.gap <= piece.gap
        outside = low > high or (low == high and not point)
        if outside or known or done or not (same or point):
            done = done or (point and known and not outside)
            found.append(segment)
            continue
        parts = [
            replace(segment, stop=low),
            replace(piece, start=low, stop=high),
            replace(segment, start=high),
        ]
        found += [part for part in parts if part.start < part.stop or (point and part is parts[1])]
        done = point
    return tuple(found)


def unit_count(result: Result, x: Bits) -> int:
    """Return how many units a subset of features has."""
    return int(np.unique(result.constraints.unit[x]).size)


def unit_bits(result: Result, x: Bits) -> Bits:
    """Return the bits of the free units of a subset of features."""
    if result.constraints.trivial:
        return np.array(x, np.bool_)
    bits: Bits = x[result.units.order[result.units.starts]]
    return bits
