"""The independent check of a certificate, which raises `Refuted` unless it proves the bound.

It shares no code with the search. For a tree of relaxations it rests on one identity. For bits x, multipliers u,
shift, Z >= 0, mu >= 0 and cuts ``(b'x - t)(b'x - t - 1) >= 0``, products of two consecutive integers::

    Q(x) = y + (1, x)' M (1, x) - shift sum(x) + sum_{i<j} Z_ij x_i x_j
             + sum_c mu_c (b'x - t)(b'x - t - 1) / 2 - face (sum x - k)^2

defines a symmetric M; if M is positive semidefinite then ``Q(x) >= y - shift * (the most ones that x can have)``. So
"no x is below the target" is one Cholesky factorisation. A matrix whose factorisation succeeds after
``(n + 3) eps trace`` was taken off its diagonal is positive semidefinite in exact arithmetic (Rump, 2006); the
entries of M are exact to a few eps themselves, and twice as much is taken off for that.
"""

import itertools
from typing import Any, NamedTuple

import numpy as np

from .._kernels.threads import single_blas_thread
from ..errors import Refuted
from ..qubo import QUBO, Matrix, Solutions, Vector
from .certificate import Certificate, Dual, Node, Outside, Step, Trace

EPS = float(np.finfo(float).eps)


def verify(qubo: QUBO, solutions: Solutions) -> None:
    """Raise `Refuted` unless the certificate in ``solutions.info`` proves ``solutions.bound``.

    Everything is computed again from the coefficients: the energies, the bound on every leaf, and that the leaves
    together cover all bit vectors. A claim is met within `QUBO.tolerance`.

    Examples
    --------
    >>> from quboselect.solvers import Portfolio
    >>> qubo = QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]])
    >>> verify(qubo, Portfolio()(qubo))
    """
    certificate = solutions.info.get("certificate")
    if not isinstance(certificate, Certificate):
        raise Refuted(
            "solutions carry no certificate. There is one where solvers.Portfolio or solvers.BranchAndBound proved "
            "these very solutions: fit with alpha=, not with k=, whose proof encloses a whole window of alpha."
        )
    if solutions.x.shape[1] != qubo.size:
        raise Refuted(f"solutions have {solutions.x.shape[1]} bits, but the QUBO has {qubo.size}.")
    linear, couplings = np.array(qubo.linear), np.array(qubo.couplings)
    best = _energy(linear, couplings, solutions.best)
    if abs(best - solutions.energy[0]) > qubo.tolerance:
        raise Refuted(f"the best sample has the energy {best!r}, not {solutions.energy[0]!r}.")
    if certificate.k is not None and solutions.best.sum() != certificate.k:
        raise Refuted(f"the best sample has {solutions.best.sum()} ones, not k = {certificate.k}.")
    if solutions.bound > min(certificate.bound, best) + qubo.tolerance:
        raise Refuted(
            f"the bound {solutions.bound!r} is above what the certificate claims, {certificate.bound!r}."
        )
    target = solutions.bound - qubo.tolerance
    if isinstance(certificate.tree, Trace):
        _Tracer(linear, couplings, certificate.k, target, certificate.tree, qubo.tolerance).follow()
        return
    with single_blas_thread():
        _check_tree(linear, couplings, certificate.k, target, certificate.tree)


def _energy(linear: Vector, couplings: Matrix, x: Any) -> float:
    (ones,) = np.nonzero(x)
    return float(linear[ones].sum() + couplings[np.ix_(ones, ones)].sum() / 2)


class Rest(NamedTuple):
    """What is left of a QUBO once some bits are fixed."""

    free: Any
    linear: Vector
    couplings: Matrix
    offset: float
    k: int | None


def _rest(linear: Vector, couplings: Matrix, x: Any, k: int | None) -> Rest:
    free, ones = np.flatnonzero(x == -1), np.flatnonzero(x == 1)
    field = (linear + couplings[:, ones].sum(axis=1))[free]
    offset = float(linear[ones].sum() + couplings[np.ix_(ones, ones)].sum() / 2)
    return Rest(free, field, couplings[np.ix_(free, free)], offset, None if k is None else k - len(ones))


def _check_tree(linear: Vector, couplings: Matrix, k: int | None, target: float, root: Node) -> None:
    # Rounding of the energies of fixed bits, of which the part is a sum of the whole.
    slack = 1e-13 * (np.abs(linear).sum() + abs(target))
    stack = [(root, np.full(linear.size, -1))]
    while stack:
        node, x = stack.pop()
        x = x.copy()
        for step in node.steps:
            rest = _rest(linear, couplings, x, k)
            if isinstance(step, Outside):
                _check_outside(step, rest, target - rest.offset - slack)
                x[step.bits] = 0
            else:
                _check_step(step, rest, target - slack, slack)
                x[step.bits] = step.values
        rest = _rest(linear, couplings, x, k)
        goal = target - rest.offset - slack
        if node.end == "branch":
            if node.dual is not None and excludes(lagrangian(rest, node.dual), node.dual, rest, goal):
                continue
            if x[node.bit] != -1 or len(node.children) != 2:
                raise Refuted("a branch does not cover both values of a free bit.")
            for value, child in enumerate(node.children):
                below = x.copy()
                below[node.bit] = value
                stack.append((child, below))
        elif node.end in ("bound", "flip") and node.dual is not None:
            M = lagrangian(rest, node.dual)
            tests: list[tuple[Any, Any]] = [(None, None)]
            if node.end == "flip":
                at = int(np.flatnonzero(rest.free == node.bit)[0])
                tests = [((at, 0), None), ((at, 1), node.witness)]
            if not all(excludes(M, node.dual, rest, goal, fixed, witness) for fixed, witness in tests):
                raise Refuted(f"an end with {len(rest.free)} free bits is not closed by its dual.")
        elif node.end == "enumerate":
            _check_all(rest, goal - slack)
        elif not (node.end == "infeasible" and rest.k is not None and not 0 <= rest.k <= len(rest.free)):
            raise Refuted(f"a node with {len(rest.free)} free bits is {node.end}.")


def _check_step(step: Step, rest: Rest, target: float, slack: float) -> None:
    place = {int(bit): at for at, bit in enumerate(rest.free)}
    M = None if step.dual is None else lagrangian(rest, step.dual)
    for row, (bit, value) in enumerate(zip(step.bits, step.values, strict=True)):
        at = place.get(int(bit))
        if at is None or value not in (0, 1):
            raise Refuted(f"bit {bit} is settled twice, or at {value}.")
        if step.dual is None or M is None:
            signs = np.minimum(rest.couplings[at], 0) if value == 0 else np.maximum(rest.couplings[at], 0)
            field = rest.linear[at] + signs.sum()
            better = field >= -slack if value == 0 else field <= slack
            if not (better and rest.k is None):
                raise Refuted(f"bit {bit} is not settled at {value} by signs.")
        else:
            witness = None if step.witnesses is None else step.witnesses[row]
            if not excludes(M, step.dual, rest, target - rest.offset, (at, 1 - int(value)), witness):
                raise Refuted(f"bit {bit} is not settled at {value} by its dual.")


def _check_all(rest: Rest, goal: float) -> None:
    free = len(rest.free)
    if rest.k in (0, free):
        rows = [(int(rest.k > 0),) * free] if rest.k is not None else []
    elif free > 20:
        raise Refuted(f"an end with {free} free bits cannot be enumerated.")
    else:
        rows = list(itertools.product((0, 1), repeat=free))
    for row in rows:
        bits = np.array(row, float)
        if rest.k is None or bits.sum() == rest.k:
            energy = rest.linear @ bits + bits @ rest.couplings @ bits / 2
            if energy < goal:
                raise Refuted("an enumerated end holds a better bit vector.")


def _check_outside(step: Outside, rest: Rest, target: float) -> None:
    """Raise unless no vector of k ones with some of the bits outside the core is below the target.

    The dual makes ``Q(x) >= q(x)`` over the core, with q convex where the number of ones there is given. With b ones
    outside, each of these takes a share of all; a tangent bounds it, with ``sum x = k - b`` and x in the box.
    """
    k = rest.k
    place = {int(bit): at for at, bit in enumerate(rest.free)}
    bits, core = ([place.get(int(bit), -1) for bit in some] for some in (step.bits, step.core))
    if k is None or sorted(bits + core) != list(range(len(rest.free))):
        raise Refuted("the bits of a core and those outside are not all that are free, or there is no size.")
    if (
        not 0 <= k <= len(core)
        or step.points.shape != (min(k, len(bits)), len(core))
        or len(step.given) != len(step.points)
    ):
        raise Refuted(f"a core of {len(core)} bits has points of shape {step.points.shape}.")
    inner = Rest(np.array(core), rest.linear[core], rest.couplings[np.ix_(core, core)], 0.0, k)
    M = lagrangian(inner, step.dual)
    if not is_semidefinite(M[1:, 1:]):
        raise Refuted("the dual of a core is not convex.")
    K, face = M[1:, 1:], float(step.dual.face)
    lin = 2 * M[0, 1:] - step.dual.shift + 2 * face * k
    constant = float(M[0, 0]) - face * k * k
    own, pairs = rest.linear[bits], rest.couplings[np.ix_(bits, core)]
    among = rest.couplings[np.ix_(bits, bits)].copy()
    np.fill_diagonal(among, np.inf)
    for b in range(1, len(step.points) + 1):
        ones = k - b
        start, flat = lin - 2 * face * ones, constant + face * ones**2

        def tangent(
            w: Any, rows: Any, b: int = b, ones: int = ones, start: Any = start, flat: float = flat
        ) -> Any:
            if not ((w >= 0) & (w <= 1)).all():
                raise Refuted("a witness lies outside the box.")
            slopes = start + 2 * w @ K + b * pairs[rows]
            values = (
                flat + ((start + w @ K) * w).sum(axis=-1) + b * (own[rows] + (pairs[rows] * w).sum(axis=-1))
            )
            lowest = np.sort(slopes, axis=1)[:, :ones].sum(axis=1)
            sizes = abs(flat) + np.abs(slopes).max(axis=1) * (1 + ones) + np.abs(K).max() * (1 + k) ** 2
            return (
                values
                + lowest
                - (slopes * w).sum(axis=1)
                - 1e-15 * (len(core) + k + 4) * (sizes + b * np.abs(own[rows]))
            )

        part = tangent(step.points[b - 1], np.arange(len(bits)))
        for rows, number, witnesses in step.hard:
            if number == b:
                part[rows] = np.maximum(part[rows], tangent(witnesses, rows))
        above = (part - target) / b
        high, low = (float(share) for share in step.given[b - 1])
        if not (0 <= high <= 1 and 0 <= low <= 1):
            raise Refuted(f"bits outside a core give shares of {high} and {low} of their parts.")
        gift = high * np.maximum(above, 0) + low * np.minimum(above, 0)
        borne = above - gift
        if b > 1:
            borne = borne + np.sort(among / 2 + gift / (b - 1), axis=1)[:, : b - 1].sum(axis=1)
        if not np.sort(borne)[:b].sum() >= 0:
            raise Refuted(f"{b} bits outside a core of {len(core)} are not excluded by its dual.")


def lagrangian(rest: Rest, dual: Dual) -> Matrix:
    """Return M of the identity above, shape (n + 1, n + 1), for ``y = 0``."""
    n = len(rest.linear)
    Z, mu = np.triu(np.asarray(dual.Z, float), 1), np.asarray(dual.cuts.mu, float)
    if Z.shape != (n, n) or (Z < 0).any() or (mu < 0).any() or not (dual.shift >= 0 and dual.face >= 0):
        raise Refuted("a multiplier is negative, or there are too many.")
    linear, pairs = np.array(rest.linear), np.triu(rest.couplings, 1) - Z
    constant = 0.0
    for members, signs, t, weight in zip(
        dual.cuts.members, dual.cuts.signs, dual.cuts.offsets, mu, strict=True
    ):
        on = [(int(i) - 1, int(b)) for i, b in zip(members, signs, strict=True) if i > 0]
        if int(t) != t or len({i for i, _ in on}) != len(on):
            raise Refuted("a cut has a broken offset or a repeated member.")
        constant -= weight * t * (t + 1) / 2
        for i, b in on:
            linear[i] -= weight * (b * b - (2 * t + 1) * b) / 2
        for (i, b), (j, c) in itertools.combinations(on, 2):
            pairs[min(i, j), max(i, j)] -= weight * b * c
    M = np.zeros((n + 1, n + 1))
    M[1:, 1:] = (pairs + pairs.T) / 2 + np.diag(dual.u)
    M[0, 1:] = M[1:, 0] = (linear - dual.u + dual.shift) / 2
    if rest.k is not None:
        w = np.concatenate([[-float(rest.k)], np.ones(n)])
        M += dual.face * np.outer(w, w)
    M[0, 0] += constant
    return M


def is_semidefinite(M: Matrix) -> bool:
    """Return True only if M is positive semidefinite in exact arithmetic."""
    off = 2 * (len(M) + 3) * EPS * np.abs(np.diagonal(M)).sum()
    try:
        np.linalg.cholesky(M - off * np.eye(len(M)))
    except np.linalg.LinAlgError:
        return False
    return True


def excludes(
    M: Matrix,
    dual: Dual,
    rest: Rest,
    target: float,
    fixed: tuple[int, int] | None = None,
    witness: Any = None,
) -> bool:
    """Return True only if no x, with ``x_i = v`` where ``fixed = (i, v)``, has an energy below the target.

    With a witness w in the box [0, 1]^n, and v = 1: given ``x_i = 1`` the term ``Z_ij x_i x_j`` is linear, and a
    convex function lies above its tangent at w. Bits that signs settle at 0 given ``x_i = 1`` are taken as 0.
    """
    n = len(rest.linear)
    if fixed is not None and fixed[1] == 1 and witness is not None and np.any(witness):
        i, w, Z = fixed[0], np.asarray(witness, float), np.triu(dual.Z, 1) + np.triu(dual.Z, 1).T
        if not is_semidefinite(M[1:, 1:]):
            return False
        off = np.zeros(n, np.bool_)
        if rest.k is None:
            off = rest.couplings[i] + rest.linear + np.minimum(rest.couplings, 0).sum(axis=1) >= 0
            off[i] = False
        lin = 2 * M[0, 1:] - dual.shift + Z[i]
        if (w < 0).any() or (w > 1).any() or w[i] != 1 or w[off].any():
            return False
        gradient = lin + 2 * M[1:, 1:] @ w
        move = np.minimum(-gradient * w, gradient * (1 - w))
        move[off] = move[i] = 0
        rounding = (
            1e-15 * (n + 4) * (np.abs(M).max() * (1 + w.sum()) ** 2 + np.abs(move).sum() + abs(M[0, 0]))
        )
        return bool(M[0, 0] + (lin + gradient) @ w / 2 + move.sum() - rounding >= target)
    most = dual.shift * (n if rest.k is None else rest.k)
    M = M.copy()
    M[0, 0] -= target + most * (1 + 1e-14)
    if fixed is not None:
        i, value = fixed[0] + 1, fixed[1]
        M[0] += value * M[i]
        M[:, 0] += value * M[:, i]
        M = np.delete(np.delete(M, i, 0), i, 1)
    return is_semidefinite(M)


class _Tracer:
    """Follows a trace: adding t of the candidates cannot gain more than the t largest of
    ``gain_j - 1/2 (sum of the t - 1 smallest couplings of j to candidates)``.
    """

    def __init__(
        self, linear: Vector, couplings: Matrix, k: int | None, target: float, trace: Trace, tolerance: float
    ) -> None:
        self.gain, self.couplings, self.k = -linear, couplings, k
        self.ceiling = -target + 1e-13 * (np.abs(linear).sum() + abs(target))
        self.promise = -np.minimum(couplings, 0).sum(axis=1)
        self.trace = trace
        for bit, head in enumerate(trace.leader):
            apart = np.abs(couplings[bit] - couplings[head])
            apart[[bit, head]] = 0
            # So little that exchanging all bits one after the other changes no energy by what matters.
            if apart.sum() + abs(linear[bit] - linear[head]) > 0.05 * tolerance / linear.size:
                raise Refuted(f"bits {bit} and {head} cannot be exchanged for each other.")

    def follow(self) -> None:
        # Each entry: chosen bits, candidates, and the tightest bound of the nodes above.
        stack = [(np.zeros(0, np.intp), np.ones(self.gain.size, np.bool_), np.inf)]
        for bit in self.trace.bits:
            if not stack:
                raise Refuted("the trace goes on after its tree is complete.")
            chosen, candidates, above = stack.pop()
            gain = self.gain - self.couplings[:, chosen].sum(axis=1)
            if self.k is None:
                candidates = candidates & (gain + self.promise > 0)
            value = self.gain[chosen].sum() - self.couplings[np.ix_(chosen, chosen)].sum() / 2
            wanted = None if self.k is None else self.k - len(chosen)
            bound = min(above, value + self._most(gain, candidates, wanted))
            if bit < 0:
                if bound > self.ceiling:
                    raise Refuted(f"an end with {candidates.sum()} candidates may still gain.")
                continue
            if not candidates[bit]:
                raise Refuted(f"the trace branches on bit {bit}, which is not a candidate.")
            inside, outside = candidates.copy(), candidates & (self.trace.leader != self.trace.leader[bit])
            inside[bit] = False
            stack.append((chosen, outside, bound))
            stack.append((np.append(chosen, bit), inside, bound))
        if stack:
            raise Refuted(f"the trace ends with {len(stack)} nodes open.")

    def _most(self, gain: Vector, candidates: Any, wanted: int | None) -> float:
        (free,) = np.nonzero(candidates)
        if wanted is not None and wanted > free.size:
            return -np.inf
        if wanted == 0 or not free.size:
            return 0.0
        pairs = self.couplings[np.ix_(free, free)].copy()
        np.fill_diagonal(pairs, np.inf)
        smallest = np.sort(pairs, axis=1)[:, :-1]
        taken = np.concatenate([np.zeros((free.size, 1)), np.cumsum(smallest, axis=1)], axis=1)
        terms = -np.sort(-(gain[free, None] - taken / 2), axis=0)
        totals = np.diagonal(np.cumsum(terms, axis=0))
        return float(max(totals.max(), 0.0) if wanted is None else totals[wanted - 1])
