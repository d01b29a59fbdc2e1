"""The independent check of a certificate, which raises `Refuted` unless it proves the bound.

It shares no code with the search. For a tree of relaxations it rests on one identity. For bits x, multipliers u,
shift, Z >= 0, mu >= 0 and cuts ``(b'x - t)(b'x - t - 1) >= 0``, products of two consecutive integers::

    Q(x) = y + (1, x)' M (1, x) - shift sum(x) + sum_{i<j} Z_ij x_i x_j
             + sum_c mu_c (b'x - t)(b'x - t - 1) / 2 - face (sum x - k)^2

defines a symmetric M; if M is positive semidefinite then ``Q(x) >= y - shift * (the most ones that x can have)``. So
"no x is below the target" is one Cholesky factorisation. A matrix whose factorisation succeeds after
``(n + 3) eps trace`` was taken off its diagonal is positive semidefinite in exact arithmetic (Rump, 2006); the
entries of M are exact to a few eps themselves, and twice as much is taken off for that. Where x must be `Apart` from
others, it has at most so many ones of each of these, and ``away_r (ones of row r - limit_r)``, which is never positive,
may be added to Q(x).

**Rounding works against the claim.** Everything that is computed is lowered by what rounding may have added to it, and
that follows from the terms of this very sum: a large coefficient elsewhere loosens nothing. `QUBO.tolerance` is granted
once, at the start.
"""

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._kernels.threads import single_blas_thread
from ..errors import Refuted, check_integer
from ..qubo import QUBO, Matrix, Solutions, Vector
from . import form
from .certificate import Apart, Certificate, Copies, Dual, Further, Node, Outside, Step, Trace
from .copies import without_copies
from .neighbours import apart_further
from .sums import EPS, energy, fields, total
from .trace import Tracer

# An end may leave this many bits to enumeration, so many of them at a time.
ENUMERATED, AT_ONCE = 20, 12


def verify(qubo: QUBO, solutions: Solutions, k: int | None = None, *, apart: Apart | None = None) -> None:
    """Raise `Refuted` unless the certificate in ``solutions.info`` proves ``solutions.bound``.

    Everything is computed again from the coefficients: the energies, the bound on every leaf, and that the leaves
    together cover all bit vectors. A claim is met within `QUBO.tolerance`, or within the rounding of the energy that is
    claimed where that is more: a huge cost that k forces in leaves no digits for less.

    Parameters
    ----------
    qubo : QUBO
    solutions : Solutions
    k : int, optional
        What the claim is about: bit vectors of exactly k ones, or by default those of every size. A proof for every
        size is also one for the size of its best bit vector; a proof for one size is none for the others.
    apart : Apart, optional
        The claim is about those only that are far enough from some others of k ones; see `Result.alternatives`.

    Examples
    --------
    >>> from quboselect.solvers import Portfolio
    >>> qubo = QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]])
    >>> verify(qubo, Portfolio()(qubo))
    >>> verify(qubo, Portfolio(k=2)(qubo), k=2)
    """
    wanted = None if k is None else check_integer(k, "k", 0, qubo.size)
    apart = None if apart is None else form.apart_of(apart, qubo.size, wanted)
    certificate = solutions.info.get("certificate")
    if not isinstance(certificate, Certificate):
        raise Refuted(
            "solutions carry no certificate. There is one where solvers.Portfolio or solvers.BranchAndBound proved "
            "these very solutions: fit with alpha=, not with k=, whose proof encloses a whole window of alpha."
        )
    if solutions.x.shape[1] != qubo.size:
        raise Refuted(f"solutions have {solutions.x.shape[1]} bits, but the QUBO has {qubo.size}.")
    size = certificate.k if certificate.k is None else form.integer(certificate.k, "k", 0, qubo.size)
    ones = int(solutions.best.sum())
    if wanted is None and size is not None:
        raise Refuted(
            f"the certificate is about bit vectors of exactly {size} ones, not about those of every size: "
            f"pass k={size} to check what it says of these."
        )
    if size not in (None, wanted):
        raise Refuted(f"the certificate is about bit vectors of exactly {size} ones, not of k = {wanted}.")
    if wanted is not None and ones != wanted:
        raise Refuted(f"the best sample has {ones} ones, not k = {wanted}.")
    if apart is not None and apart.near(solutions.best):
        raise Refuted(f"the best sample is not {apart.different} ones away from the others.")
    # What holds for every size holds for what is apart too. There signs settle bits, also where all that is left is
    # near to others: no node of such a tree may be closed for that.
    apart = None if size is None else apart
    with np.errstate(all="ignore"):
        _check_claim(qubo, solutions, size, certificate, apart)


def _check_claim(
    qubo: QUBO, solutions: Solutions, k: int | None, certificate: Certificate, apart: Apart | None
) -> None:
    linear, couplings, tolerance = np.array(qubo.linear), np.array(qubo.couplings), qubo.tolerance
    (ones,) = np.nonzero(solutions.best)
    best, claimed = energy(linear, couplings, ones), float(solutions.energy[0])
    largest = energy(np.abs(linear), np.abs(couplings), ones)
    granted = max(tolerance, (2 * len(ones) + 32) * EPS * largest)
    if not abs(best - claimed) <= tolerance / 16 + (len(ones) + 4) * EPS * largest:
        raise Refuted(f"the best sample has the energy {best!r}, not {claimed!r}.")
    if not solutions.bound > -np.inf:
        raise Refuted("the bound is -inf, which claims nothing.")
    said = form.number(certificate.bound, "the bound of a certificate")
    if not solutions.bound <= min(said, best) + granted:
        raise Refuted(f"the bound {solutions.bound!r} is above what the certificate claims, {said!r}.")
    # What is called proven is the best sample itself, whatever energy was written beside it.
    target = max(solutions.bound, best if solutions.proven else -np.inf) - granted
    tree = certificate.tree
    if isinstance(tree, Copies):
        if k is None or apart is not None:
            raise Refuted("a certificate about copies must be about all bit vectors of exactly k ones.")
        linear, couplings, k, target, tree = without_copies(linear, couplings, k, target, tree, tolerance)
    if isinstance(tree, Trace):
        Tracer(linear, couplings, k, target, form.trace_of(tree, linear.size), tolerance).follow()
        return
    if isinstance(tree, Further):
        if apart is None:
            raise Refuted("the certificate is about a list, and there is nothing to be apart from.")
        apart = apart_further(linear, couplings, tree.rows, apart, len(ones), target)
        tree = tree.tree
    with single_blas_thread():
        _check_tree(linear, couplings, k, target, tree, tolerance, apart)


class Rest(NamedTuple):
    """What is left of a QUBO once some bits are fixed: ``linear`` and ``offset`` are too low, if anything."""

    free: Any
    linear: Vector
    couplings: Matrix
    offset: float
    k: int | None
    doubt: Vector  # linear is too low by twice this at the most
    rows: Any = ()  # of the free bits of each row at most so many are ones
    limits: Any = ()


def _rest(linear: Vector, couplings: Matrix, x: Any, k: int | None, apart: Apart | None) -> Rest:
    free, ones = np.flatnonzero(x == -1), np.flatnonzero(x == 1)
    field, doubt = fields(linear, couplings, ones)
    offset = energy(linear, couplings, ones)
    left = None if k is None else k - len(ones)
    rest = Rest(
        free,
        (field - doubt)[free],
        couplings[np.ix_(free, free)],
        offset - EPS * abs(offset),
        left,
        doubt[free],
    )
    if apart is None:
        return rest
    limits = apart.rows.sum(axis=1) - apart.different - apart.rows[:, ones].sum(axis=1)
    return rest._replace(rows=apart.rows[:, free], limits=limits)


def _charged(rest: Rest, goal: float, dual: Dual) -> tuple[Rest, float]:
    """Return the rest with a charge for each one of a row, and the goal with as much as the limits allow of it."""
    if not dual.away.any():
        return rest, goal
    charges = [
        total([own, *dual.away[row].tolist()]) for own, row in zip(rest.linear, rest.rows.T, strict=True)
    ]
    linear, fees = np.array(charges), dual.away * rest.limits
    off = EPS * np.abs(linear)
    goal += total(fees.tolist()) + 4 * EPS * (abs(goal) + float(np.abs(fees).sum()))
    return rest._replace(linear=linear - off, doubt=rest.doubt + off), goal


def _check_tree(
    linear: Vector,
    couplings: Matrix,
    k: int | None,
    target: float,
    root: Any,
    tolerance: float,
    apart: Apart | None,
) -> None:
    # Each entry: a node, the bits that are fixed there, and what settling by signs may have cost by rounding.
    stack: list[tuple[Any, Any, float]] = [(root, np.full(linear.size, -1), 0.0)]
    seen: set[int] = set()
    while stack:
        given, x, loss = stack.pop()
        node = form.node_of(given, linear.size)
        # A tree that shares its branches could be as large as it likes.
        if id(given) in seen:
            raise Refuted("a node stands twice in the tree.")
        seen.add(id(given))
        x = x.copy()
        for step in node.steps:
            rest = _rest(linear, couplings, x, k, apart)
            if isinstance(step, Outside):
                x[_check_outside(step, rest, _goal(target, loss, rest), linear.size)] = 0
            else:
                step = form.step_of(step, linear.size, len(rest.free), len(rest.limits))
                loss += _check_step(step, rest, _goal(target, loss, rest), tolerance)
                x[step.bits] = step.values
        rest = _rest(linear, couplings, x, k, apart)
        if node.end == "branch":
            if x[node.bit] != -1:
                raise Refuted("a branch does not cover both values of a free bit.")
            if node.dual is not None:
                dual = form.dual_of(node.dual, len(rest.free), len(rest.limits))
                charged, goal = _charged(rest, _goal(target, loss, rest), dual)
                if excludes(lagrangian(charged, dual), dual, charged, goal, None, None):
                    continue
            for value, child in enumerate(node.children):
                below = x.copy()
                below[node.bit] = value
                stack.append((child, below, loss))
        elif node.end == "near":
            if apart is None or not apart.near(x == 1):
                raise Refuted("a node is said to be near others that it is not near.")
        else:
            _check_end(node, rest, _goal(target, loss, rest), partial(far, x=x, apart=apart))


def _goal(target: float, loss: float, rest: Rest) -> float:
    """Return what the rest must reach."""
    goal = target + loss - rest.offset
    return goal + 4 * EPS * (abs(target) + loss + abs(rest.offset))


def far(rows: Matrix, x: Any, apart: Apart | None) -> Matrix:
    """Return the rows of values of the free bits that count."""
    if apart is None:
        return rows
    full = np.repeat((x == 1)[None], len(rows), axis=0)
    full[:, x == -1] = rows == 1
    return rows[~apart.near(full)]


def _check_end(node: Node, rest: Rest, goal: float, counted: Callable[[Matrix], Matrix]) -> None:
    if node.end in ("bound", "flip") and node.dual is not None:
        dual = form.dual_of(node.dual, len(rest.free), len(rest.limits))
        rest, goal = _charged(rest, goal, dual)
        M = lagrangian(rest, dual)
        tests: list[tuple[Any, Any]] = [(None, None)]
        if node.end == "flip":
            if node.bit not in rest.free:
                raise Refuted(f"bit {node.bit} is not free where neither of its values is said to win.")
            at = int(np.flatnonzero(rest.free == node.bit)[0])
            witnesses = form.witnesses_of(node.witnesses, len(rest.free))
            tests = [((at, value), witnesses[value]) for value in (0, 1)]
        if not all(excludes(M, dual, rest, goal, fixed, witness) for fixed, witness in tests):
            raise Refuted(f"an end with {len(rest.free)} free bits is not closed by its dual.")
    elif node.end == "enumerate":
        _check_all(rest, goal, counted)
    elif not (node.end == "infeasible" and rest.k is not None and not 0 <= rest.k <= len(rest.free)):
        raise Refuted(f"a node with {len(rest.free)} free bits is {node.end}.")


def _check_step(step: Step, rest: Rest, goal: float, tolerance: float) -> float:
    """Return what settling these bits may cost by rounding: nothing, unless signs settle them."""
    place = {int(bit): at for at, bit in enumerate(rest.free)}
    M, convex, loss = None, False, 0.0
    if step.dual is not None:
        rest, goal = _charged(rest, goal, step.dual)
        M = lagrangian(rest, step.dual)
        # The same for all bits of the step.
        convex = is_semidefinite(M[1:, 1:])
    for row, (bit, value) in enumerate(zip(step.bits, step.values, strict=True)):
        at = place.get(int(bit))
        if at is None:
            raise Refuted(f"bit {bit} is settled twice.")
        if step.dual is None or M is None:
            cost = _cost_of_sign(rest, at, int(value))
            if not (cost <= tolerance and rest.k is None):
                raise Refuted(f"bit {bit} is not settled at {value} by signs.")
            loss += cost
        else:
            witness = None if step.witnesses is None else step.witnesses[row]
            fixed, by_tangent = (at, 1 - int(value)), witness is not None and witness.any()
            shown = _tangent_excludes if by_tangent else excludes
            if (by_tangent and not convex) or not shown(M, step.dual, rest, goal, fixed, witness):
                raise Refuted(f"bit {bit} is not settled at {value} by its dual.")
    return loss


def _cost_of_sign(rest: Rest, at: int, value: int) -> float:
    """Return by how much the energy may rise, whatever the other bits, when a bit takes a value."""
    row, own = rest.couplings[at], float(rest.linear[at])
    worst = np.minimum(row, 0) if value == 0 else np.maximum(row, 0)
    field = total([own, *worst.tolist()])
    rise = -field if value == 0 else field + 2 * float(rest.doubt[at])
    return float(np.maximum(rise + 4 * EPS * abs(field), 0.0))


def _check_all(rest: Rest, goal: float, counted: Callable[[Matrix], Matrix]) -> None:
    free = len(rest.free)
    if rest.k is not None and not 0 <= rest.k <= free:
        return
    if rest.k in (0, free):
        _check_rows(rest, counted(np.full((1, free), float(rest.k > 0))), goal)
        return
    if free > ENUMERATED:
        raise Refuted(f"an end with {free} free bits cannot be enumerated.")
    low = min(free, AT_ONCE)
    for first in range(0, 1 << free, 1 << low):
        rows = ((np.arange(first, first + (1 << low))[:, None] >> np.arange(free)) & 1).astype(float)
        rows = rows if rest.k is None else rows[rows.sum(axis=1) == rest.k]
        _check_rows(rest, counted(rows), goal)


def _check_rows(rest: Rest, rows: Matrix, goal: float) -> None:
    found = rows @ rest.linear + ((rows @ rest.couplings) * rows).sum(axis=1) / 2
    largest = rows @ np.abs(rest.linear) + ((rows @ np.abs(rest.couplings)) * rows).sum(axis=1) / 2
    if not (found - (2 * len(rest.free) + 8) * EPS * largest >= goal).all():
        raise Refuted("an enumerated end holds a better bit vector.")


def _check_outside(given: Outside, rest: Rest, target: float, size: int) -> npt.NDArray[np.int64]:
    """Return the bits outside the core, or raise unless no vector of k ones with some of them is below the target.

    The dual makes ``Q(x) >= q(x)`` over the core, with q convex where the number of ones there is given. With b ones
    outside, each of these takes a share of all; a tangent bounds it, with ``sum x = k - b`` and x in the box.
    """
    k = rest.k
    if k is None or k < 0:
        raise Refuted("the bits outside a core are settled where there is no size.")
    step = form.outside_of(given, size, k)
    place = {int(bit): at for at, bit in enumerate(rest.free)}
    bits, core = ([place.get(int(bit), -1) for bit in some] for some in (step.bits, step.core))
    if sorted(bits + core) != list(range(len(rest.free))):
        raise Refuted("the bits of a core and those outside are not all that are free.")
    if k > len(core):
        raise Refuted(f"a core of {len(core)} bits cannot hold {k} ones.")
    inner = Rest(
        np.array(core), rest.linear[core], rest.couplings[np.ix_(core, core)], 0.0, k, rest.doubt[core]
    )
    M = lagrangian(inner, step.dual)
    if not is_semidefinite(M[1:, 1:]):
        raise Refuted("the dual of a core is not convex.")
    K, face = M[1:, 1:], step.dual.face
    lin = 2 * M[0, 1:] - step.dual.shift + 2 * face * k
    constant = float(M[0, 0]) - face * k * k
    # How large the terms are that cancel here.
    start_size = 2 * np.abs(M[0, 1:]) + step.dual.shift + 4 * face * k
    flat_size = abs(float(M[0, 0])) + 2 * face * k * k
    own, pairs = rest.linear[bits], rest.couplings[np.ix_(bits, core)]
    among = rest.couplings[np.ix_(bits, bits)].copy()
    np.fill_diagonal(among, np.inf)

    def tangent(w: Matrix, rows: Any, b: int) -> Vector:
        """Return bounds on the part of each row by the tangent at its point."""
        ones = k - b
        start, flat = lin - 2 * face * ones, constant + face * ones**2
        slopes = start + 2 * w @ K + b * pairs[rows]
        values = flat + ((start + w @ K) * w).sum(axis=-1) + b * (own[rows] + (pairs[rows] * w).sum(axis=-1))
        # How large the terms of each slope are, and of the sums.
        sizes, wrong = start_size + 2 * w @ np.abs(K) + b * np.abs(pairs[rows]), 4 * EPS * (len(core) + 4)
        lowest = np.sort(slopes - wrong * sizes, axis=1)[:, :ones]
        terms = flat_size + b * np.abs(own[rows]) + 2 * (sizes * w).sum(axis=1) + np.abs(lowest).sum(axis=1)
        return np.asarray(values + lowest.sum(axis=1) - (slopes * w).sum(axis=1) - wrong * terms)

    every = np.arange(len(bits))
    for b in range(1, len(step.points) + 1):
        part = tangent(step.points[b - 1 : b], every, b)
        for rows, number, witnesses in step.hard:
            if number == b:
                part[rows] = np.maximum(part[rows], tangent(witnesses, rows, b))
        above = (part - target) / b
        above -= 2 * EPS * (np.abs(part) + abs(target))
        high, low = (float(share) for share in step.given[b - 1])
        gift = high * np.maximum(above, 0) + low * np.minimum(above, 0)
        borne, sizes = above - gift, np.abs(above)
        if b > 1:
            with_others = among / 2 + gift / (b - 1)
            chosen = np.argsort(with_others, axis=1)[:, : b - 1]
            borne = borne + np.take_along_axis(with_others, chosen, 1).sum(axis=1)
            parts = np.abs(np.take_along_axis(among, chosen, 1)) / 2 + np.abs(gift)[chosen] / (b - 1)
            sizes = sizes + parts.sum(axis=1)
        borne = borne - 2 * (b + 4) * EPS * sizes
        worst = np.sort(borne)[:b]
        if not worst.sum() >= (b + 4) * EPS * np.abs(worst).sum():
            raise Refuted(f"{b} bits outside a core of {len(core)} are not excluded by its dual.")
    return step.bits


def lagrangian(rest: Rest, dual: Dual) -> Matrix:
    """Return M of the identity above, shape (n + 1, n + 1), for ``y = 0``, each entry exact to a few roundings."""
    n = len(rest.linear)
    linear: list[list[float]] = [[float(value)] for value in rest.linear]
    pairs, cut_pairs = np.triu(rest.couplings, 1) - dual.Z, defaultdict(list)
    constants: list[float] = []
    for members, signs, t, weight in zip(
        dual.cuts.members.tolist(),
        dual.cuts.signs.tolist(),
        dual.cuts.offsets.tolist(),
        dual.cuts.mu.tolist(),
        strict=True,
    ):
        on = [(i - 1, b) for i, b in zip(members, signs, strict=True) if i > 0]
        constants.append(-weight * (t * (t + 1) // 2))
        for at, (i, b) in enumerate(on):
            linear[i].append(-weight * ((b * b - (2 * t + 1) * b) // 2))
            for j, c in on[at + 1 :]:
                cut_pairs[min(i, j), max(i, j)].append(-weight * b * c)
    for (i, j), terms in cut_pairs.items():
        pairs[i, j] = total([float(rest.couplings[i, j]), -float(dual.Z[i, j]), *terms])
    M = np.zeros((n + 1, n + 1))
    M[1:, 1:] = (pairs + pairs.T) / 2
    M[1:, 1:][np.diag_indices(n)] = dual.u
    M[0, 1:] = M[1:, 0] = [
        total([*terms, -u, dual.shift]) / 2 for terms, u in zip(linear, dual.u.tolist(), strict=True)
    ]
    constant, face = total(constants), 0.0
    if rest.k is not None:
        w = np.concatenate([[-float(rest.k)], np.ones(n)])
        M += dual.face * np.outer(w, w)
        face = dual.face * rest.k**2
    M[0, 0] += constant - 4 * EPS * (abs(constant) + face)
    return M


def is_semidefinite(M: Matrix, extra: float = 0.0) -> bool:
    """Return True only if M is positive semidefinite in exact arithmetic, also if it is off by ``extra`` in norm."""
    off = 2 * (len(M) + 3) * EPS * np.abs(np.diagonal(M)).sum() + extra
    shifted = M - off * np.eye(len(M))
    # The factorisation of what is no number may succeed.
    if not np.isfinite(shifted).all():
        return False
    try:
        return bool(np.isfinite(np.linalg.cholesky(shifted)).all())
    except np.linalg.LinAlgError:
        return False


def excludes(
    M: Matrix, dual: Dual, rest: Rest, target: float, fixed: tuple[int, int] | None, witness: Any
) -> bool:
    """Return True only if no x, with ``x_i = v`` where ``fixed = (i, v)``, has an energy below the target.

    With a witness w in the box [0, 1]^n: a convex function lies above its tangent at w, over the box and, where k is
    given, over its points of sum k. Given ``x_i = 1`` the term ``Z_ij x_i x_j`` is linear, and bits that signs settle
    at 0 are taken as 0. A witness of zeros may stand for the curvature alone, or be a point like any other.
    """
    if fixed is None or witness is None:
        return _curvature_excludes(M, dual, rest, target, fixed)
    curved = not witness.any() and _curvature_excludes(M, dual, rest, target, fixed)
    return curved or (is_semidefinite(M[1:, 1:]) and _tangent_excludes(M, dual, rest, target, fixed, witness))


def _curvature_excludes(
    M: Matrix, dual: Dual, rest: Rest, target: float, fixed: tuple[int, int] | None
) -> bool:
    most = dual.shift * (len(rest.linear) if rest.k is None else max(rest.k, 0))
    doubt = abs(M[0, 0]) + abs(target) + most
    M, extra = M.copy(), 0.0
    M[0, 0] -= target + most
    if fixed is not None:
        i = fixed[0] + 1
        if fixed[1] == 1:
            # What cancels here may be larger than anything that stays.
            doubt += 2 * abs(M[0, i]) + abs(M[i, i])
            extra = 2 * EPS * float(np.linalg.norm(np.abs(M[0, 1:]) + np.abs(M[i, 1:])))
            M[0] += M[i]
            M[:, 0] += M[:, i]
        M = np.delete(np.delete(M, i, 0), i, 1)
    M[0, 0] -= 8 * EPS * doubt
    return is_semidefinite(M, extra)


def _tangent_excludes(
    M: Matrix, dual: Dual, rest: Rest, target: float, fixed: tuple[int, int], w: Any
) -> bool:
    (i, v), n, K, cost = fixed, len(rest.linear), M[1:, 1:], 0.0
    if w[i] != v:
        return False
    off = np.zeros(n, np.bool_)
    if rest.k is None and v == 1:
        low = np.minimum(rest.couplings, 0).sum(axis=1)
        alone = rest.couplings[i] + rest.linear + low
        hair = (n + 4) * EPS * (np.abs(rest.couplings[i]) + np.abs(rest.linear) - low)
        off = (alone >= -hair) & (w == 0)
        off[i] = False
        cost = float(np.maximum(hair - alone, 0.0)[off].sum())
    own = v * (dual.Z + dual.Z.T)[i]
    lin = 2 * M[0, 1:] - dual.shift + own
    gradient = lin + 2 * K @ w
    sizes = 2 * np.abs(M[0, 1:]) + dual.shift + own + 2 * np.abs(K) @ w
    wrong = (n + 8) * EPS * sizes
    if rest.k is None:
        move = np.minimum(-(gradient + wrong) * w, (gradient - wrong) * (1 - w))
        move[off] = move[i] = 0
    else:
        others, ones = np.arange(n) != i, rest.k - v
        if not 0 <= ones < n:
            return True
        lowest = np.sort((gradient - wrong)[others])[:ones]
        move = np.concatenate([lowest, -((gradient + wrong) * w)[others]])
    value = M[0, 0] + (lin + gradient) @ w / 2 + move.sum() - cost
    rounding = (n + 8) * EPS * (abs(M[0, 0]) + sizes @ w + np.abs(move).sum() + cost + abs(target))
    return bool(value - rounding >= target)
