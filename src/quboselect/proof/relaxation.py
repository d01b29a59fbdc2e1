"""The doubly non-negative relaxation with cuts: a safe lower bound on a QUBO, with its dual.

x is lifted to ``Y = [[1, x'], [x, X]]``; ``<C, Y>`` is minimised over Y positive semidefinite, ``Y_ii = Y_0i``,
``Y >= 0``, and cuts. Alternating directions go back and forth between the semidefinite matrices and the rest; the
multipliers of every iterate, converged or not, give a bound that holds in floating point.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from .. import _kernels
from ..qubo import Bits, Matrix, Vector
from .certificate import Dual, Limits
from .cuts import Cuts, separate
from .projection import Projection

# Metric of the splitting: row 0 of Y counts this much more. Measured: 2 to 3 is best, 1 takes twice the iterations.
ROW_ZERO = 2.0
# A row's metric is this power of the share of what the most important bit can lower an energy by, and that share is at
# least so much. Measured: from 0.3 to 0.4 is best; at 0 redundancies of weak bits take three times the iterations.
POWER, WEAKEST = 0.375, 0.01
# Primal over dual residual aimed at: the bound is read off the dual, which is kept the more exact of the two.
BALANCE = 100.0
# The penalty to start with, in shares of a mean coefficient, and how much it may change at a look. Measured: too low at
# first, the multipliers run away and take hundreds of iterations to come back; too high costs some tens.
PENALTY, CHANGE = 4.0, 0.84
OVER_RELAXATION = 1.85
SWEEPS = 2


@dataclass(frozen=True, eq=False, repr=False)
class State:
    """Where alternating directions stand, enough to go on from: V is primal plus scaled dual, rho the penalty.

    X is the primal, where that is known to be the nearest positive semidefinite matrix to V, if only as exactly as the
    projection follows it.
    """

    V: Matrix
    rho: float
    scale: float
    cuts: Cuts
    metric: Vector
    away: Vector = field(default_factory=lambda: np.zeros(0))
    X: Matrix | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Relaxed:
    """What alternating directions found: the best dual, the relaxed Y, where they stand, iterations made."""

    dual: Dual
    Y: Matrix
    state: State
    iterations: int


def lagrangian(
    linear: Vector, couplings: Matrix, u: Vector, Z: Matrix, cuts: Cuts
) -> tuple[float, Vector, Matrix]:
    """Return (constant, l, K): for bits, ``Q(x) >= constant + l'x + x'K x + sum Z_ij x_i x_j``."""
    rest, pairs = linear.copy(), np.triu(couplings, 1)
    constant = -_kernels.relaxation.subtract_cuts(rest, pairs, *cuts.arrays())
    pairs -= Z
    K = (pairs + pairs.T) / 2
    np.fill_diagonal(K, u)
    return constant, rest - u, K


def dual_of(
    linear: Vector, couplings: Matrix, u: Vector, Z: Matrix, cuts: Cuts, k: int | None, metric: Vector
) -> Dual:
    """Return the dual with the best safe bound for given multipliers: u free, Z and ``cuts.mu`` not negative.

    As ``x_i^2 = x_i``, any delta may be added to u, here in the metric of the rows. The best one that makes K positive
    definite is a concave problem in one dimension in the eigenvalues of K, and the bound is the minimum over all real
    x.
    """
    n = linear.size
    constant, lin, K = lagrangian(linear, couplings, u, Z, cuts)
    m = lin / 2
    face = 0.0
    if k is not None:
        face = 4 * float(np.abs(K).max() + np.abs(m).max())
        K += face
        m -= face * k
        constant += face * k * k
    own = 1 / metric[1:]
    eigenvalues, Q = np.linalg.eigh(K * own * own[:, None])
    c, q = Q.T @ (m * own), Q.T @ metric[1:] / 2
    spread = abs(eigenvalues[-1]) + abs(eigenvalues[0])

    def slope(delta: float) -> float:
        x = (c - delta * q) / (eigenvalues + delta)
        return float(x @ x + 2 * (q @ x))

    delta = max(0.0, -eigenvalues[0]) + 1e-13 * (1 + spread)
    if slope(delta) > 0:
        low, high = delta, delta + spread
        while slope(high) > 0:
            high *= 2
        for _ in range(50):
            middle = np.sqrt(low * high)
            low, high = (middle, high) if slope(middle) > 0 else (low, middle)
        delta = high
    inverse = 1 / (eigenvalues + delta)
    x = -(c - delta * q) * inverse
    depth = float((x**2 * (eigenvalues + delta)).sum())
    more = delta * metric[1:] ** 2
    # Room for a check by a Cholesky factorisation: on the whole diagonal, and paid for in the bound.
    slack = 1e-15 * (n + 4) * (np.abs(np.diagonal(K) + more).sum() + abs(constant) + depth)
    margin = slack * (1 + (n if k is None else k)) + 1e-14 * (abs(constant) + depth)
    bound = float(constant - depth - margin)
    center, curvature = own * (Q @ x), metric[1:] ** 2 / (Q**2 @ inverse)
    return Dual(bound, u + more + slack, float(slack), Z, cuts, face, center, curvature)


def scale_of(linear: Vector, couplings: Matrix) -> float:
    """Return the size of the numbers of a problem."""
    return float(max(np.abs(linear).max(), np.abs(couplings).max())) or 1.0


def metric_of(linear: Vector, couplings: Matrix, k: int | None) -> Vector:
    """Return how much each row of a lifted matrix counts: less for a bit that can lower an energy by less.

    All count the same among vectors of k ones, where a bit takes the place of another, and where couplings are
    negative, so that no bit is weak by itself. Measured: be120.8.1 of BiqMac takes three times the nodes otherwise.
    """
    worth, metric = worth_of(linear, couplings), np.ones(1 + linear.size)
    metric[0] = ROW_ZERO
    if k is None and worth.max() > 0.0 and couplings.min() >= 0.0:
        metric[1:] = np.maximum(worth / worth.max(), WEAKEST) ** POWER
    return metric


def worth_of(linear: Vector, couplings: Matrix) -> Vector:
    """Return by how much each bit can lower an energy, whatever the others; of what signs settle at 0 not above 0."""
    return np.asarray(-(linear + np.minimum(couplings, 0.0).sum(axis=1)))


def norms_of(linear: Vector, couplings: Matrix, metric: Vector) -> tuple[float, float]:
    """Return the norms of energies and of couplings in a metric."""
    own = 1 / metric[1:]
    return float(np.linalg.norm(linear * own)), float(np.linalg.norm(couplings * own * own[:, None]))


def start_at(linear: Vector, couplings: Matrix, x: Bits, k: int | None) -> State:
    """Return where to start from, given a good bit vector: between it and the empty one."""
    metric = metric_of(linear, couplings, k)
    y = metric * np.concatenate([[1], x])
    V = np.outer(y, y) / 2
    V[0, 0] = y[0] ** 2
    scale = scale_of(linear, couplings)
    mean = float(np.hypot(*norms_of(linear, couplings, metric))) / scale / x.size
    return State(V, PENALTY * (mean or 1.0) * np.sqrt(max(x.sum(), 1) / x.size), scale, Cuts.none(), metric)


def relax(
    linear: Vector,
    couplings: Matrix,
    *,
    k: int | None,
    cutoff: float,
    warm: State,
    iterations: int,
    every: int,
    stop: Callable[[int, Dual], bool],
    limits: Limits | None = None,
) -> Relaxed:
    """Return what alternating directions find; no bit vector is below ``dual.bound``.

    Parameters
    ----------
    linear, couplings : arrays of shape (n,) and (n, n)
        Of a QUBO, with any signs.
    k : int or None
        Only bit vectors of exactly k ones.
    cutoff : float
        End once the bound reaches it.
    warm : State
        Where to start from, of the same n.
    iterations, every : int
        The most iterations, and how many lie between two looks at the bound, the penalty and the cuts.
    stop : callable
        Given (iteration, dual) at each look; true ends it.
    limits : Limits, optional
        Only bit vectors within them.
    """
    n = linear.size
    tau = warm.metric
    rho, scale, cuts = warm.rho, warm.scale, warm.cuts
    lin, pairs = np.ascontiguousarray(linear / scale), np.ascontiguousarray(couplings / scale)
    normal = None
    if k is not None:
        # On the face sum x = k, all of Y is orthogonal to (-k, 1, ..., 1).
        normal = np.concatenate([[-k], np.ones(n)]) / tau
        normal /= np.linalg.norm(normal)
    unscale = 1 / np.outer(tau, tau)
    most_cuts = 20 * n + 200
    size = 1 + sum(norms_of(lin, pairs, tau))
    mu, terms = cuts.mu / scale, cuts.terms(tau)
    limits = Limits(np.zeros((0, n), np.bool_), np.zeros(0, np.int64)) if limits is None else limits
    rows, most, away = np.ascontiguousarray(limits.rows), limits.most, np.zeros(len(limits.most))
    away[: warm.away.size] = warm.away[: away.size] / scale
    nearest = Projection(normal)
    V, P, nothing = warm.V.copy(), np.zeros_like(warm.V), np.zeros((0, 0))
    X = nearest(V)
    best: Dual | None = None
    for iteration in range(1, iterations + 1):
        look = iteration % every == 0 or iteration == iterations
        Z = np.zeros((n, n)) if look else nothing
        _kernels.relaxation.project(
            P, P.reshape(-1), X, V, tau, lin, pairs, rho, *terms, mu, rows, most, away, SWEEPS, Z
        )
        if look:
            # What x_i >= 0 holds back is given to the diagonal, where it helps.
            u = rho * (tau**2 * (2 * np.diagonal(X) - np.diagonal(V) - np.diagonal(P)))[1:] + np.diagonal(Z)
            charged, fee = limits.charged(lin, away)
            current = dual_of(charged, pairs, u, np.triu(Z, 1), replace(cuts, mu=mu.copy()), k, tau)
            current = multiple_of(replace(current, bound=current.bound - fee, away=away.copy()), scale)
        before = X
        V += OVER_RELAXATION * (P - X)
        X = nearest(V)
        if not look:
            continue
        if best is None or current.bound > best.bound:
            best = current
        if best.bound >= cutoff:
            break
        ended = stop(iteration, current)
        primal = float(np.linalg.norm(P - X) / (1 + np.linalg.norm(X)))
        dual = float(rho * np.linalg.norm(X - before) / size)
        factor = float(np.clip(np.sqrt(primal / max(dual, 1e-300) / BALANCE), CHANGE, 1 / CHANGE))
        rho, V = rho * factor, X + (V - X) / factor
        if iteration < iterations:
            # Also where it ends: it may go on from there.
            cuts = separate(P * unscale, replace(cuts, mu=mu).take(mu > 1e-7), most_cuts)
            mu, terms = cuts.mu.copy(), cuts.terms(tau)
        if ended:
            break
    assert best is not None, "at least one iteration is made, and the last one is looked at"
    state = State(
        V, rho, scale, replace(cuts, mu=mu * scale), tau, away * scale, X if normal is None else None
    )
    return Relaxed(best, P * unscale, state, iteration)


def multiple_of(dual: Dual, scale: float) -> Dual:
    """Return the dual of the QUBO times a positive number."""
    return Dual(
        bound=dual.bound * scale,
        u=dual.u * scale,
        shift=dual.shift * scale,
        Z=dual.Z * scale,
        cuts=replace(dual.cuts, mu=dual.cuts.mu * scale),
        face=dual.face * scale,
        center=dual.center,
        curvature=dual.curvature * scale,
        away=dual.away * scale,
    )
