"""Outside a core: a proof that no bit vector of k ones with a one outside the core is below a cutoff.

The dual of the core's relaxation says ``Q(x) >= q(x)`` for the bits of the core, and q is convex where their sum is
given. Take b ones outside, the set B, and k - b in the core, x. Every i in B has the energy ``l_i``, couplings ``D_i``
to the core and ``D_ij`` to the others of B. Shared out among the members of B, the energy is at least::

    1/b sum over i in B of [ q(x) + b (l_i + D_i'x) + b/2 sum over the other j in B of D_ij ]

The first two terms are convex in x, so a tangent bounds them from below: as if i were there b times. What is left is a
problem over B alone, which the bound of Gilmore and Lawler closes: each i bears at least its own part and the b - 1
smallest parts that it can have with others, and B at least the b smallest of these sums. Nothing here asks for the sign
of a coupling.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .._kernels.outside import descend, refine, tangents
from .._kernels.threads import thread_map
from ..qubo import Matrix, Vector
from .certificate import Dual, Outside
from .relaxation import lagrangian

STEPS = 400
GAP = 1e-4  # how exact a tangent is, of the cutoff
SHARES = (1.0, 0.5, 0.0)  # how much of its own part each bit keeps, the rest goes to its pairs
BLOCK = 256
EPS = float(np.finfo(np.float64).eps)


class Outsiders(NamedTuple):
    """The bits outside a core: their energies, their couplings to the core, and to each other, inf on the diagonal."""

    linear: Vector
    pairs: Matrix
    among: Matrix


def prices(
    linear: Vector, couplings: Matrix, dual: Dual, k: int, cutoff: float, outsiders: Outsiders
) -> tuple[Vector, Outside]:
    """Return by how much every vector of k ones with a one at bit i outside is above the cutoff, at least, and why.

    Parameters
    ----------
    linear, couplings : arrays of shape (c,) and (c, c)
        Of the core, which has at least k bits.
    dual : Dual
        Of the core, at size k.
    k : int
    cutoff : float
    outsiders : Outsiders
        Of the m bits outside.
    """
    constant, lin, K = lagrangian(linear, couplings, dual.u, dual.Z, dual.cuts)
    K += dual.face
    m, c = outsiders.pairs.shape
    most = min(k, m)
    # How large the terms are that are added up, for what may be lost by rounding.
    size = (
        1.0
        + k
        + np.abs(constant)
        + dual.face * k * k
        + 2 * k * float(np.abs(lin).max() + np.abs(K).max() * k)
    )
    lost = 8 * EPS * (c + k) * size
    gap = GAP * abs(cutoff)
    mean = outsiders.pairs.mean(axis=0)
    least = np.full(m, np.inf)
    points, kept = np.zeros((most, c)), np.ones(most)
    hard: list[tuple[npt.NDArray[np.intp], int, Matrix]] = []
    x = np.clip(dual.center, 0.0, 1.0)
    for b in range(1, most + 1):
        ones = k - b
        x = with_sum(x, ones)
        start, flat = lin - 2 * dual.face * ones, constant + dual.face * ones**2
        # The tangent that serves all: at the best point for an average bit outside.
        g = start + b * mean + 2 * K @ x
        descend(K, g, x, ones, float(flat + (start + b * mean) @ x + x @ K @ x), 20 * STEPS, 0.1 * gap)
        points[b - 1] = x
        g = start + 2 * K @ x
        value = float(flat + start @ x + x @ K @ x)
        part = np.empty(m)
        _in_blocks(
            m,
            lambda some, b=b, g=g, x=x, value=value, part=part, ones=ones: tangents(
                outsiders.pairs[some], outsiders.linear[some], b, g, x, value - g @ x, ones, part[some]
            ),
        )
        near = smallest_sums(outsiders.among, b - 1)
        low = (part - cutoff - lost) / b + near / 2
        rows = np.flatnonzero(low < 0.0)
        if rows.size:
            witnesses = np.zeros((rows.size, c))
            _in_blocks(
                rows.size,
                lambda some, b=b, g=g, x=x, value=value, part=part, ones=ones, rows=rows, witnesses=witnesses: refine(
                    K, outsiders.pairs, outsiders.linear, b, g, x, value, ones,
                    rows[some], STEPS, gap, part, witnesses[some],
                ),
            )  # fmt: skip
            hard.append((rows, b, witnesses))
        above = (part - cutoff - lost) / b
        best, kept[b - 1] = shared_out(above, outsiders.among, b, near)
        least = np.minimum(least, margins(best, b))
    return least, Outside(np.zeros(0, np.intp), np.zeros(0, np.intp), dual, points, kept, tuple(hard))


def _in_blocks(size: int, task: object) -> None:
    blocks = [slice(first, first + BLOCK) for first in range(0, size, BLOCK)]
    thread_map(task, blocks, n_jobs=-1 if len(blocks) > 1 else 1)  # type: ignore[arg-type]


def with_sum(x: Vector, total: int) -> Vector:
    """Return a point of the box with a given sum, near x."""
    low, high = -1.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.clip(x + middle, 0.0, 1.0).sum() < total else (low, middle)
    return np.clip(x + high, 0.0, 1.0)


def smallest_sums(among: Matrix, number: int) -> Vector:
    """Return for each row the sum of its smallest entries, so many."""
    if number == 0:
        return np.zeros(len(among))
    return np.asarray(np.partition(among, number - 1, axis=1)[:, :number].sum(axis=1))


def shared_out(above: Vector, among: Matrix, b: int, near: Vector) -> tuple[Vector, float]:
    """Return what each bit of a set of b bears at least, and which share of its own part it kept for that."""
    best, share = above + near / 2, 1.0
    if b == 1:
        return best, share
    for kept in SHARES[1:]:
        if np.sort(best)[:b].sum() >= 0.0:
            break
        borne = kept * above + smallest_sums(among / 2 + ((1.0 - kept) / (b - 1)) * above, b - 1)
        if np.sort(borne)[:b].sum() > np.sort(best)[:b].sum():
            best, share = borne, kept
    return best, share


def margins(borne: Vector, b: int) -> Vector:
    """Return what a set of b bears at least that has bit i: i and the b - 1 smallest others."""
    smallest = np.sort(borne)[:b]
    return np.asarray(smallest.sum() + np.maximum(borne - smallest[-1], 0.0))
