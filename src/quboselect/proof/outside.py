"""Outside a core: a proof that no bit vector of k ones with a one outside the core is below a cutoff.

The dual of the core's relaxation says ``Q(x) >= q(x)`` for the bits of the core, and q is convex where their sum is
given. Take b ones outside, the set B, and k - b in the core, x. Every i in B has the energy ``l_i``, couplings ``D_i``
to the core and ``D_ij`` to the others of B. Shared out among the members of B, the energy is at least::

    1/b sum over i in B of [ q(x) + b (l_i + D_i'x) + b/2 sum over the other j in B of D_ij ]

The first two terms are convex in x, so a tangent bounds them from below: as if i were there b times. What is left is a
problem over B alone, which the bound of Gilmore and Lawler closes: each i bears at least its own part and the b - 1
smallest parts that it can have with others, and B at least the b smallest of these sums. A bit whose own part is above
the cutoff may give some of it to its pairs. Nothing here asks for the sign of a coupling.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _kernels
from .._kernels.threads import fill_rows, in_blocks
from ..qubo import Matrix, Vector
from .certificate import Dual, Outside
from .relaxation import lagrangian

Indices = npt.NDArray[np.intp]

STEPS = 400
GAP = 1e-4  # how exact a tangent is, of the cutoff
# How much of a part above the cutoff, and below it, a bit may give to its pairs.
GIVEN = ((0.0, 0.0), (0.5, 0.0), (0.99, 0.0), (0.5, 0.5), (0.99, 0.99))
MOST_REFINED = 15_000_000  # entries of points of their own at the most, over all b
BLOCK = 256  # rows of a task
FULL = 2000  # bits outside up to which all pairs are looked at again
EPS = float(np.finfo(np.float64).eps)


class Outsiders(NamedTuple):
    """The bits outside a core.

    Parameters
    ----------
    linear : array of shape (m,)
        Their energies.
    pairs : array of shape (m, c)
        Their couplings to the core.
    near : array of shape (m, T)
        In column t the sum of the t smallest couplings to each other, for t below the size of a subset.
    rows : callable
        Of places among them, returns all their couplings to each other, inf with themselves.
    """

    linear: Vector
    pairs: Matrix
    near: Matrix
    rows: Callable[[Indices], Matrix]

    @classmethod
    def of(cls, linear: Vector, couplings: Matrix, out: Indices, core: Indices, k: int) -> "Outsiders":
        """Return those of a QUBO, for subsets of k bits."""
        among = couplings[np.ix_(out, out)]
        np.fill_diagonal(among, np.inf)
        pairs = np.ascontiguousarray(couplings[np.ix_(out, core)])
        return cls(linear[out], pairs, nearest(among, min(k, out.size)), lambda places: among[places])


def nearest(among: Matrix, columns: int) -> Matrix:
    """Return for each row the sums of its 0, 1, ... smallest entries, so many columns."""
    sums = np.zeros((len(among), columns))
    if columns > 1:
        smallest = np.partition(among, columns - 2, axis=1)[:, : columns - 1]
        np.cumsum(np.sort(smallest, axis=1), axis=1, out=sums[:, 1:])
    return sums


def prices(
    linear: Vector,
    couplings: Matrix,
    dual: Dual,
    k: int,
    cutoff: float,
    outsiders: Outsiders,
    *,
    early: bool = False,
) -> tuple[Vector, Outside]:
    """Return by how much every vector of k ones with a one at bit i outside is above the cutoff, at least, and why.

    If ``early``, only until some are not: those that should join the core are known then, and nothing else.

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
    D, own = outsiders.pairs, outsiders.linear
    m, c = D.shape
    most = min(k, m)
    # How large the terms are that are added up, for what may be lost by rounding.
    largest = float(np.abs(lin).max() + np.abs(K).max() * k + np.abs(own).max(initial=0.0))
    lost = 8 * EPS * (c + k) * (abs(constant) + dual.face * k * k + 2 * k * largest)
    gap = GAP * abs(cutoff)
    mean = D.mean(axis=0)
    least = np.full(m, np.inf)
    points, given = np.zeros((most, c)), np.zeros((most, 2))
    hard: list[tuple[Indices, int, Matrix]] = []

    def borne(b: int, x: Vector) -> Vector:
        """Return what each bit bears at least in a set of b; x moves to where the common tangent is taken."""
        ones = k - b
        slope, flat = lin - 2 * dual.face * ones, constant + dual.face * ones**2
        # The tangent that serves all: at the best point for an average bit outside.
        g = slope + b * mean + 2 * K @ x
        _kernels.outside.descend(
            K, g, x, ones, float(flat + (slope + b * mean) @ x + x @ K @ x), 20 * STEPS, 0.1 * gap
        )
        g, value, part = slope + 2 * K @ x, float(flat + slope @ x + x @ K @ x), np.empty(m)
        height, near = value - float(g @ x), outsiders.near[:, b - 1]
        in_blocks(
            lambda some: _kernels.outside.tangents(D[some], own[some], b, g, height, ones, part[some]), m
        )
        # Points of their own: first for those that need them, then, where that is not enough, for all others.
        needy = (part - cutoff - lost) / b + near / 2 < 0.0
        for rows in (np.flatnonzero(needy), np.flatnonzero(~needy)):
            if 0 < rows.size * most * c <= MOST_REFINED:
                witnesses = np.zeros((rows.size, c))

                def bend(some: slice, rows: Indices = rows, witnesses: Matrix = witnesses) -> None:
                    _kernels.outside.refine(
                        K, D, own, b, g, x, value, ones, rows[some], STEPS, gap, part, witnesses[some]
                    )

                in_blocks(bend, rows.size)
                hard.append((rows, b, witnesses))
            best, given[b - 1] = shared_out((part - cutoff - lost) / b, near, outsiders.rows, b)
            if smallest_sum(best, b) >= 0.0:
                break
        return best

    x = np.clip(dual.center, 0.0, 1.0)
    for b in range(1, most + 1):
        x = with_sum(x, k - b)
        np.minimum(least, margins(borne(b, x), b), out=least)
        points[b - 1] = x
        if early and least.min() < 0.0:
            break
    return least - lost, Outside(np.zeros(0, np.intp), np.zeros(0, np.intp), dual, points, given, tuple(hard))


def with_sum(x: Vector, total: int) -> Vector:
    """Return a point of the box with a given sum, near x."""
    low, high = -1.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.clip(x + middle, 0.0, 1.0).sum() < total else (low, middle)
    return np.clip(x + high, 0.0, 1.0)


def shared_out(
    above: Vector, near: Vector, rows: Callable[[Indices], Matrix], b: int
) -> tuple[Vector, tuple[float, float]]:
    """Return what each bit of a set of b bears at least, and which shares of their own parts bits gave to their pairs.

    ``above`` is the own part of each, and ``near`` the sum of its b - 1 smallest couplings. The first share is of parts
    above the cutoff, the second of parts below it. Where only those above give, others can but gain: rows that are
    fine stay as they are.
    """
    best, shares = above + near / 2, GIVEN[0]
    short = np.flatnonzero(best < 0.0)
    if b == 1 or not short.size or smallest_sum(best, b) >= 0.0:
        return best, shares
    couplings, full = halves(rows, short, above.size), False
    for high, low in GIVEN[1:]:
        if low and not full:
            if above.size > FULL:
                break
            short, full = np.arange(above.size), True
            couplings = halves(rows, short, above.size)
        gift = high * np.maximum(above, 0.0) + low * np.minimum(above, 0.0)
        borne = above - gift + near / 2
        borne[short] = (above - gift)[short] + smallest_sums(couplings, gift / (b - 1), b - 1)
        if smallest_sum(borne, b) > smallest_sum(best, b):
            best, shares = borne, (high, low)
        if smallest_sum(best, b) >= 0.0:
            break
    return best, shares


def halves(rows: Callable[[Indices], Matrix], places: Indices, size: int) -> Matrix:
    """Return half the couplings of some bits to all others, made by all cores."""
    half = np.empty((places.size, size))
    fill_rows(half, lambda some: rows(places[some]) / 2, n_jobs=-1, rows=BLOCK)
    return half


def smallest_sums(couplings: Matrix, gift: Vector, number: int) -> Vector:
    """Return for each row, with gifts added, the sum of so many smallest entries, made by all cores."""
    sums = np.empty(len(couplings))

    def of_rows(some: slice) -> Vector:
        smallest = np.partition(couplings[some] + gift, number - 1, axis=1)[:, :number]
        return np.asarray(smallest.sum(axis=1))

    fill_rows(sums, of_rows, n_jobs=-1, rows=BLOCK)
    return sums


def smallest_sum(borne: Vector, b: int) -> float:
    """Return what a set of b bears at least: the b smallest."""
    return float(np.sort(borne)[:b].sum())


def margins(borne: Vector, b: int) -> Vector:
    """Return what a set of b bears at least that has bit i: i and the b - 1 smallest others."""
    smallest = np.sort(borne)[:b]
    least: Vector = smallest.sum() + np.maximum(borne - smallest[-1], 0.0)
    return least
