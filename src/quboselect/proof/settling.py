"""Settled bits: the bits whose value a dual and a cutoff decide, and the smaller QUBO that is left.

A settled vector is int8 over bits: 0 or 1 where settled, -1 where free.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _kernels
from .._kernels.threads import in_blocks
from ..qubo import Matrix, Vector
from .certificate import Dual
from .outside import with_sum
from .projection import split
from .relaxation import State, lagrangian

Settled = npt.NDArray[np.int8]
Indices = npt.NDArray[np.intp]
FREE = -1
NEITHER = -2
CENTRED, SWEEPS, STEPS = 30, 600, 1000  # sweeps towards a first point, then sweeps and moves for each bit
WORTH_A_THREAD = 2_000_000  # products of a number of bits with itself that are worth a task of its own


class Rest(NamedTuple):
    """The QUBO over the free bits, and the energy of the settled ones."""

    free: Indices
    linear: Vector
    couplings: Matrix
    offset: float


def rest_of(linear: Vector, couplings: Matrix, x: Settled) -> Rest:
    """Return what is left of a QUBO."""
    free, ones = np.flatnonzero(x < 0), np.flatnonzero(x == 1)
    field = linear + couplings[:, ones].sum(axis=1)
    offset = float(linear[ones].sum() + couplings[np.ix_(ones, ones)].sum() / 2)
    return Rest(free, field[free], np.ascontiguousarray(couplings[np.ix_(free, free)]), offset)


def settled_by_signs(linear: Vector, couplings: Matrix) -> Settled:
    """Return the value that is never worse for any other bits, where there is one.

    0 is if ``l_i + sum_j min(D_ij, 0) >= 0``, and 1 is if ``l_i + sum_j max(D_ij, 0) <= 0``.
    """
    low = linear + np.minimum(couplings, 0).sum(axis=1)
    high = linear + np.maximum(couplings, 0).sum(axis=1)
    return np.where(low >= 0, 0, np.where(high <= 0, 1, FREE)).astype(np.int8)


def settled_by_dual(
    linear: Vector,
    couplings: Matrix,
    dual: Dual,
    cutoff: float,
    k: int | None,
    n_jobs: int | None = 1,
) -> tuple[Settled, Matrix]:
    """Return (values, witnesses): 1 where ``x_i = 0`` cannot beat the cutoff, 0 where ``x_i = 1`` cannot.

    First by curvature, ``Q >= bound + curvature_i (x_i - center_i)^2``, where the witness is left at zeros. Then over
    the box [0, 1]^n, of sum k where k is given; for ``x_i = 1`` the multipliers Z_ij come back, as ``X_ij = x_j``.
    ``witnesses[v, i]`` is the point whose tangent proves that ``x_i = v`` cannot. -2 says that neither value can beat
    the cutoff, so that nothing can.
    """
    n = linear.size
    cannot = np.stack(dual.flipped()) >= cutoff
    witnesses = np.zeros((2, n, n))
    values, rows = np.nonzero(~cannot & [dual.center > 0.1, dual.center < 0.9])
    if rows.size:
        constant, lin, K = lagrangian(linear, couplings, dual.u, dual.Z, dual.cuts)
        if k is not None:
            K += dual.face
            lin -= 2 * dual.face * k
            constant += dual.face * k * k
        goal = cutoff + 1e-9 * abs(cutoff - dual.bound)
        bounds, points = _flipped(linear, couplings, dual, (constant, lin, K), k, rows, values, goal, n_jobs)
        # Twice what a check takes off for rounding.
        largest = max(np.abs(K).max(), np.abs(lin).max())
        margin = 4e-15 * (n + 4) * (abs(constant) + 2 * largest * (1 + points.sum(axis=1)) ** 2)
        won = bounds >= cutoff + margin
        cannot[values[won], rows[won]] = True
        witnesses[values[won], rows[won]] = points[won]
    settled = np.where(cannot[1], 0, np.where(cannot[0], 1, FREE))
    return np.where(cannot.all(axis=0), NEITHER, settled).astype(np.int8), witnesses


def _flipped(
    linear: Vector,
    couplings: Matrix,
    dual: Dual,
    form: tuple[float, Vector, Matrix],
    k: int | None,
    rows: Indices,
    values: Indices,
    goal: float,
    n_jobs: int | None,
) -> tuple[Vector, Matrix]:
    """Return bounds where some bits have given values, and the points whose tangents these are."""
    n, (constant, lin, K) = linear.size, form
    Z, points, bounds = dual.Z + dual.Z.T, np.zeros((rows.size, n)), np.full(rows.size, -np.inf)
    G = np.linalg.inv(K)
    away = G / np.diagonal(G)
    if k is None:
        off = couplings + (linear + np.minimum(couplings, 0).sum(axis=1))[None, :] >= 0
        start = np.clip(dual.center, 0.0, 1.0)
        _kernels.settling.lowest_of_box(K, lin, start, CENTRED)
    else:
        start = with_sum(np.clip(dual.center, 0.0, 1.0), k)
        _kernels.outside.descend(K, lin + 2 * K @ start, start, k, 0.0, 10 * STEPS, 1e-3 * abs(goal))

    def bound(some: slice) -> None:
        bits, value = rows[some], values[some]
        at, fixed = np.arange(bits.size), np.zeros((bits.size, n), np.bool_)
        if k is None:
            x = np.clip(start + (value - start[bits])[:, None] * away[:, bits].T, 0.0, 1.0)
            fixed = off[bits] & (value == 1)[:, None]
            x[fixed] = 0.0
        else:
            x = start + (value - start[bits])[:, None] * away[:, bits].T
            _kernels.settling.shift_rows(x, bits, k - value.astype(float))
        x[at, bits], fixed[at, bits] = value, True
        c = lin + Z[bits] * value[:, None]
        h = c + 2 * x @ K
        # What is below the goal at its first point cannot be settled.
        (left,) = np.nonzero(constant + ((h + c) * x).sum(axis=1) / 2 >= goal)
        found, x, h, c = np.full(left.size, -np.inf), x[left], h[left], c[left]
        if k is None:
            _kernels.settling.descend_in_box(K, c, fixed[left], constant, goal, SWEEPS, x, h, found)
        else:
            of_size = c, bits[left], value[left], k, constant, goal, STEPS
            _kernels.settling.descend_of_size(K, G, *of_size, x, h, found)
        points[some][left], bounds[some][left] = x, found

    in_blocks(bound, rows.size, max(32, WORTH_A_THREAD // n**2), n_jobs=n_jobs)
    return bounds, points


def restricted(state: State, x: Settled) -> State:
    """Return where to start from once bits are settled.

    Rows of zeros go. Rows of ones are folded into row 0 of the dual, and the relaxed x becomes conditional on a
    single one.
    """
    free, ones = 1 + np.flatnonzero(x < 0), 1 + np.flatnonzero(x == 1)
    tau = state.metric
    X, U = split(state.V) if state.X is None else (state.X, state.V - state.X)
    keep = np.concatenate([[0], free])
    M = U * np.outer(tau, tau)
    top = M[0] + M[ones].sum(axis=0)
    corner = top[0] + top[ones].sum()
    Y = X / np.outer(tau, tau)
    row = Y[0]
    if ones.size == 1 and Y[0, ones[0]] > 0.05:
        row = np.clip(Y[ones[0]] / Y[0, ones[0]], 0, 1)
    M, Y = M[np.ix_(keep, keep)], Y[np.ix_(keep, keep)]
    M[0] = M[:, 0] = top[keep]
    M[0, 0] = corner
    Y[0] = Y[:, 0] = row[keep]
    Y[0, 0] = 1
    outer = np.outer(tau[keep], tau[keep])
    return State(Y * outer + M / outer, state.rho, state.scale, state.cuts.given(x), tau[keep], state.away)
