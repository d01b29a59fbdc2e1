"""Growth: the dual of a core, carried over to the other bits.

An iteration over n bits costs n^3, and few bits matter. The dual of a core says ``Q(x) >= q(x)`` for its bits, with q
convex and x^ its minimum over ``x >= 0``. Multipliers ``z_i >= 0`` carry it over to a bit i outside, of energy ``l_i``
and couplings ``D_i`` to the core::

    q(x) + x_i (l_i - u_i + (D_i - z_i)'x) + u_i x_i^2

With ``u_i = l_i + (D_i - z_i)'x^`` the minimum stays where it is, and the form stays convex if at ``x_i = 1`` its least
value is no lower than that of q. That is highest for the z_i that belong to the minimum of ``q(x) + D_i'x`` over
``x >= 0``. By how much it is above q's is the bit's margin. Two bits outside get what of ``D_ij`` they need to be
convex together, and the rest goes into z. What they lack of that, their margins must bear: where they cannot, the dual
of all bits has a lower bound than that of the core, and those that lack most are to join it.

A multiplier of ``x_i >= 0`` is one of ``x_i^2``, as ``x_i = x_i^2``: it goes to the diagonal, so that x^ is the minimum
over all real x too.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _kernels
from .._kernels.threads import in_blocks
from ..qubo import Matrix, Vector
from .certificate import Dual
from .cuts import Cuts
from .outside import with_sum
from .relaxation import Relaxed, State, dual_of, lagrangian, metric_of, multiple_of, scale_of

Indices = npt.NDArray[np.intp]

# Sweeps for x^, and for a bit's z; of a given size, moves for each of the ones.
LOWEST, SWEEPS, STEPS = 1000, 15, 10
BLOCK = 64  # rows of a task


class Carried(NamedTuple):
    """The dual of a core of c bits, carried over to m others, each alone.

    Parameters
    ----------
    multipliers : array of shape (m, c)
        z.
    u, margin : arrays of shape (m,)
    rows, solved : arrays of shape (m, c)
        Half of D - z, and that times the inverse of the core's form; both count the size where it is given.
    center, held : arrays of shape (c,)
        x^, and the multipliers of x >= 0 there.
    """

    multipliers: Matrix
    u: Vector
    margin: Vector
    rows: Matrix
    solved: Matrix
    center: Vector
    held: Vector

    def some(self, places: Indices) -> "Carried":
        """Return it for some of the others."""
        return self._replace(
            multipliers=self.multipliers[places],
            u=self.u[places],
            margin=self.margin[places],
            rows=self.rows[places],
            solved=self.solved[places],
        )


def carried_over(
    linear: Vector,
    couplings: Matrix,
    dual: Dual,
    own: Vector,
    pairs: Matrix,
    k: int | None,
    n_jobs: int | None = -1,
) -> Carried:
    """Return the dual of a core, carried over to bits outside.

    Parameters
    ----------
    linear, couplings : arrays of shape (c,) and (c, c)
        Of the core.
    dual : Dual
        Of the core, at size k where it is given.
    own, pairs : arrays of shape (m,) and (m, c)
        Energies of the others, and their couplings to the core.
    k : int or None
    n_jobs : int or None
        Threads. The result does not depend on it.
    """
    _, lin, K = lagrangian(linear, couplings, dual.u, dual.Z, dual.cuts)
    center, held = lowest(lin, K, dual.center, k)
    lin, K = lin - held, K + np.diag(held)
    start, kernel, most = center, _kernels.growth.descend_rows, SWEEPS
    if k is not None:
        start, kernel, most = with_sum(center, k - 1), _kernels.growth.descend_rows_of_size, STEPS * k
    X, H = np.tile(start, (own.size, 1)), pairs + (lin + 2 * K @ start)
    in_blocks(lambda some: kernel(K, X[some], H[some], most), own.size, BLOCK, n_jobs=n_jobs)
    if k is not None:
        H -= H.min(axis=1)[:, None]
    z = np.maximum(H, 0.0)
    rows = (pairs - z) / 2
    u = own + 2 * rows @ center - (lin + 2 * K @ center).mean()
    rows += dual.face
    solved = np.asarray(np.linalg.solve(K + dual.face, rows.T).T, np.float64)
    return Carried(z, u, u + dual.face - (rows * solved).sum(axis=1), rows, solved, center, held)


def lowest(lin: Vector, K: Matrix, center: Vector, k: int | None) -> tuple[Vector, Vector]:
    """Return the lowest point of a convex form where nothing is negative, of sum k if given, and the multipliers."""
    x = (np.maximum(center, 0.0) if k is None else with_sum(center, k))[None].copy()
    h = np.ascontiguousarray(lin + 2 * x @ K)
    if k is None:
        _kernels.growth.descend_rows(K, x, h, LOWEST)
    else:
        _kernels.growth.descend_rows_of_size(K, x, h, LOWEST)
        h -= h.min()
    return x[0], np.where(x[0] > 0.0, 0.0, np.maximum(h[0], 0.0))


def lacking(carried: Carried, among: Matrix, dual: Dual) -> Vector:
    """Return how much each of the others lacks to be convex together with the rest of them.

    ``among`` are their couplings to each other.
    """
    short = np.maximum(carried.rows @ carried.solved.T - dual.face - among / 2, 0.0)
    np.fill_diagonal(short, 0.0)
    return np.asarray(short.sum(axis=1))


def multipliers(
    couplings: Matrix, place: Indices, dual: Dual, carried: Carried
) -> tuple[Vector, Matrix, Cuts]:
    """Return u, Z, on both sides of the diagonal, and the cuts of the dual of a core and others.

    The parameters are those of `joined`.
    """
    n, (old, new) = place.size, (place[: dual.u.size], place[dual.u.size :])
    # What of the couplings among the new bits is needed, and the multipliers of the rest.
    needed = carried.rows @ carried.solved.T - dual.face
    u, Z = np.empty(n), np.zeros((n, n))
    u[old], u[new] = dual.u + carried.held, np.maximum(carried.u, np.diagonal(needed))
    Z[np.ix_(old, old)] = dual.Z + dual.Z.T
    Z[np.ix_(new, old)], Z[np.ix_(old, new)] = carried.multipliers, carried.multipliers.T
    Z[np.ix_(new, new)] = np.maximum(couplings[np.ix_(new, new)] - 2 * needed, 0.0)
    return u, Z, moved(dual.cuts, old)


def moved(cuts: Cuts, places: Indices) -> Cuts:
    """Return cuts of bits that are now at other places."""
    lifted = np.concatenate([[0], 1 + places]).astype(np.int32)
    return replace(cuts, members=np.ascontiguousarray(lifted[cuts.members]))


def extended(
    linear: Vector, couplings: Matrix, place: Indices, dual: Dual, carried: Carried, k: int | None
) -> Dual:
    """Return the dual of a core, extended to all bits, whose bound holds for these.

    The parameters are those of `joined`.
    """
    scale = scale_of(linear, couplings)
    u, Z, cuts = multipliers(couplings, place, dual, carried)
    cuts, metric = replace(cuts, mu=cuts.mu / scale), metric_of(linear, couplings, k)
    found = dual_of(linear / scale, couplings / scale, u / scale, np.triu(Z, 1) / scale, cuts, k, metric)
    return multiple_of(found, scale)


def joined(
    linear: Vector, couplings: Matrix, place: Indices, found: Relaxed, carried: Carried, k: int | None
) -> State:
    """Return where the relaxation of a core and more bits starts from.

    Parameters
    ----------
    linear, couplings : arrays of shape (c + m,) and (c + m, c + m)
        Of all bits.
    place : int array of shape (c + m,)
        Where among them the bits of the core are, then the others.
    found : Relaxed
        The relaxation of the core.
    carried : Carried
        Its dual, carried over to the others.
    k : int or None
    """
    state, n, old = found.state, place.size, place[: found.dual.u.size]
    u, Z, before = multipliers(couplings, place, found.dual, carried)
    _, lin, K = lagrangian(linear, couplings, u, np.triu(Z, 1), before)
    # The slack of the dual, 0 at x^, and the relaxed Y of the core.
    x, S, Y = np.zeros(n), np.empty((n + 1, n + 1)), np.zeros((n + 1, n + 1))
    x[old], lifted = carried.center, np.concatenate([[0], 1 + old])
    S[0, 0], S[0, 1:], S[1:, 0], S[1:, 1:] = -(lin @ x + x @ K @ x), lin / 2, lin / 2, K
    Y[np.ix_(lifted, lifted)] = found.Y
    rows = metric_of(linear, couplings, k)
    metric = np.outer(rows, rows)
    scale, penalty = scale_of(linear, couplings), state.rho * state.scale
    V = Y * metric - S / penalty / metric
    return State(V, penalty / scale, scale, moved(state.cuts, old), rows, state.away)
