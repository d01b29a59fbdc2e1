"""Growth: the relaxation of a core, carried over to more bits.

An iteration over n bits costs n^3, and few bits matter. The dual of a core says ``Q(x) >= q(x)`` for its bits, with q
convex and x^ its minimum. Multipliers ``z_i >= 0`` carry it over to a bit i outside, of energy ``l_i`` and couplings
``D_i`` to the core::

    q(x) + x_i (l_i - u_i + (D_i - z_i)'x) + u_i x_i^2

With ``u_i = l_i + (D_i - z_i)'x^`` the minimum stays where it is, and the form stays convex if at ``x_i = 1`` its least
value is no lower than that of q. That is highest for the z_i that belong to the minimum of ``q(x) + D_i'x`` over
``x >= 0``. By how much it is above q's is the bit's margin: those without are to join the core, then others that have
little. Two bits that join get what of ``D_ij`` they need to be convex together, and the rest goes into z.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _kernels
from .._kernels.threads import in_blocks
from ..qubo import Matrix, Vector
from .certificate import Dual
from .outside import with_sum
from .relaxation import ROW_ZERO, Relaxed, State, lagrangian, scale_of

Indices = npt.NDArray[np.intp]

SWEEPS, STEPS = 30, 10  # sweeps for a bit's multipliers; of a given size, moves for each of the ones
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
    """

    multipliers: Matrix
    u: Vector
    margin: Vector
    rows: Matrix
    solved: Matrix

    def some(self, places: Indices) -> "Carried":
        """Return it for some of the others."""
        return Carried(*(entries[places] for entries in self))


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
    start, kernel = np.maximum(dual.center, 0.0), _kernels.growth.descend_rows
    most = SWEEPS
    if k is not None:
        start, kernel, most = with_sum(start, k - 1), _kernels.growth.descend_rows_of_size, STEPS * k
    X, H = np.tile(start, (own.size, 1)), pairs + (lin + 2 * K @ start)
    in_blocks(lambda some: kernel(K, X[some], H[some], most), own.size, BLOCK, n_jobs=n_jobs)
    if k is not None:
        H -= H.min(axis=1)[:, None]
    z = np.maximum(H, 0.0)
    rows = (pairs - z) / 2
    u = own + 2 * rows @ dual.center - (lin + 2 * K @ dual.center).mean()
    rows += dual.face
    solved = np.asarray(np.linalg.solve(K + dual.face, rows.T).T, np.float64)
    return Carried(z, u, u + dual.face - (rows * solved).sum(axis=1), rows, solved)


def joined(linear: Vector, couplings: Matrix, place: Indices, found: Relaxed, carried: Carried) -> State:
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
    """
    dual, state, n = found.dual, found.state, place.size
    old, new = place[: dual.u.size], place[dual.u.size :]
    # What of the couplings among the new bits is needed, and the multipliers of the rest.
    needed = carried.rows @ carried.solved.T - dual.face
    u, Z = np.empty(n), np.zeros((n, n))
    u[old], u[new] = dual.u, np.maximum(carried.u, np.diagonal(needed))
    Z[np.ix_(old, old)] = dual.Z + dual.Z.T
    Z[np.ix_(new, old)], Z[np.ix_(old, new)] = carried.multipliers, carried.multipliers.T
    Z[np.ix_(new, new)] = np.maximum(couplings[np.ix_(new, new)] - 2 * needed, 0.0)
    lifted = np.concatenate([[0], 1 + old])
    cuts, before = (
        replace(cuts, members=np.ascontiguousarray(lifted.astype(np.int32)[cuts.members]))
        for cuts in (state.cuts, dual.cuts)
    )
    _, lin, K = lagrangian(linear, couplings, u, np.triu(Z, 1), before)
    # The slack of the dual, 0 at x^, and the relaxed Y of the core.
    x, S, Y = np.zeros(n), np.empty((n + 1, n + 1)), np.zeros((n + 1, n + 1))
    x[old] = dual.center
    S[0, 0], S[0, 1:], S[1:, 0], S[1:, 1:] = -(lin @ x + x @ K @ x), lin / 2, lin / 2, K
    Y[np.ix_(lifted, lifted)] = found.Y
    tau = np.ones(n + 1)
    tau[0] = ROW_ZERO
    metric = np.outer(tau, tau)
    scale, penalty = scale_of(linear, couplings), state.rho * state.scale
    return State(Y * metric - S / penalty / metric, penalty / scale, scale, cuts)
