"""Baselines: the usual methods, on the same I and R.

Each returns exactly k features of a tradeoff: by a ranking (`top`), by greed (`mrmr`, and `greedy` on the very
objective), by a continuous relaxation (`qpfs`), or by the QUBO in which a penalty asks for k (`penalised`).
`report.comparison` sets them beside the optimum. Ties go to the lower index, and nothing is random.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from ..errors import check_integer
from ..qubo import QUBO, Bits, Matrix, Vector, frozen
from ..tradeoff import Line, Tradeoff, check_alpha

Baseline = Callable[[Tradeoff, int], npt.ArrayLike]

# Below this share of the largest entry an eigenvalue counts as zero, and weights would not be unique.
LEAST_CURVATURE = 1e-6
# Weights closer than this share of the largest are equal: what a solution can differ by from rounding alone.
EQUAL_WEIGHTS = 1e-9
WARM_STEPS = 300
EPS, TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)


def top(tradeoff: Tradeoff, k: int) -> Bits:
    """Return the k most important features; what they repeat does not count.

    Examples
    --------
    >>> top(Tradeoff([1.0, 3.0, 2.0], [[0, 0, 0], [0, 0, 9], [0, 9, 0]]), 2)
    array([False,  True,  True])
    """
    check_integer(k, "k", 0, tradeoff.size)
    return _first(np.argsort(-tradeoff.importance, kind="stable"), k)


def mrmr(tradeoff: Tradeoff, k: int, *, quotient: bool = False) -> Bits:
    """Return k features by greedy mRMR (Peng, Long and Ding, 2005).

    First comes the most important feature, then again and again the one of the largest ``I_i - mean_s R_is`` over the
    features s taken before; k times n operations in all.

    Parameters
    ----------
    tradeoff : Tradeoff
    k : int
    quotient : bool
        Take the largest ``I_i / mean_s R_is`` instead. A feature of some importance that repeats nothing beats all
        that do, the most important of several first; one without importance counts 0.

    Examples
    --------
    >>> mrmr(Tradeoff([1.0, 3.0, 2.0], [[0, 0, 0], [0, 0, 9], [0, 9, 0]]), 2)
    array([ True,  True, False])
    """
    check_integer(k, "k", 0, tradeoff.size)
    importance = tradeoff.importance
    open_, repeated = np.ones(tradeoff.size, np.bool_), np.zeros(tradeoff.size)
    for taken in range(k):
        score = importance
        if taken and not quotient:
            score = importance - repeated / taken
        elif taken and not (free := open_ & (importance > 0.0) & (repeated == 0.0)).any():
            with np.errstate(over="ignore"):
                score = np.divide(
                    importance, repeated / taken, out=np.zeros_like(importance), where=repeated > 0
                )
        elif taken:
            score = np.where(free, importance, -np.inf)
        best = int(np.where(open_, score, -np.inf).argmax())
        open_[best] = False
        repeated += tradeoff.redundancy[best]
    return ~open_


def greedy(tradeoff: Tradeoff, k: int, *, alpha: float) -> Bits:
    """Return k features by greed on the objective itself: again and again the one that lowers the energy most.

    Rows of redundancy will do in place of a matrix.

    Parameters
    ----------
    tradeoff : Tradeoff
    k : int
    alpha : float
        The weight of importance, from 0 to 1.

    Examples
    --------
    >>> redundancy = [[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]]
    >>> greedy(Tradeoff([6.0, 5.0, 5.0, 5.0], redundancy), 3, alpha=0.3)
    array([ True,  True,  True, False])
    """
    check_integer(k, "k", 0, tradeoff.size)
    check_alpha(alpha)
    added, open_ = Line(tradeoff.importance, tradeoff.cost).energy(alpha), np.ones(tradeoff.size, np.bool_)
    for _ in range(k):
        best = int(np.where(open_, added, np.inf).argmin())
        open_[best] = False
        added = added + (1.0 - alpha) * tradeoff.rows([best])[0]
    return ~open_


def qpfs(
    tradeoff: Tradeoff, k: int, *, alpha: float | None = None, diagonal: npt.ArrayLike | None = None
) -> Bits:
    """Return the k features of the largest weight in the quadratic programme of `qpfs_weights`.

    Equal weights, and the many that are zero, are ranked by importance, then by index.

    Examples
    --------
    >>> qpfs(Tradeoff([1.0, 3.0, 2.0], [[0, 0, 0], [0, 0, 9], [0, 9, 0]]), 2, diagonal=[9, 9, 9])
    array([ True,  True, False])
    """
    check_integer(k, "k", 0, tradeoff.size)
    weights = qpfs_weights(tradeoff, alpha=alpha, diagonal=diagonal)
    level = np.round(weights / (EQUAL_WEIGHTS * weights.max(initial=0.0) or 1.0))
    return _first(np.lexsort((-tradeoff.importance, -level)), k)


def qpfs_weights(
    tradeoff: Tradeoff, *, alpha: float | None = None, diagonal: npt.ArrayLike | None = None
) -> Vector:
    """Return the weights of QPFS (Rodriguez-Lujan, Huerta, Elkan and Santa Cruz, 2010), which sum to one.

    They minimise ``(1-a)/2 * w'Qw - a * I'w`` over ``w >= 0, sum(w) = 1``, where Q is the redundancy with a diagonal.

    Where the smallest eigenvalue of Q is not at least a millionth of its largest entry, the diagonal is raised by what
    is missing: then the problem is convex, and its solution is unique. It is exact but for rounding: projected
    gradients, accelerated, find which weights are positive, and an active set puts right what they missed.

    Parameters
    ----------
    tradeoff : Tradeoff
    alpha : float, optional
        The a above, from 0 to 1. By default ``mean(Q) / (mean(Q) + mean(I))``, as its authors propose, with Q
        before its diagonal is raised.
    diagonal : array of shape (n,), optional
        What a feature says of itself, not negative: its entropy, where R is mutual information. By default
        the largest redundancy of each feature.

    Examples
    --------
    >>> qpfs_weights(Tradeoff([1.0, 1.0], [[0.0, 1.0], [1.0, 0.0]]), diagonal=[2.0, 3.0], alpha=0.0)
    array([0.66666667, 0.33333333])
    """
    importance, n = tradeoff.importance, tradeoff.size
    if not n:
        return np.zeros(0)
    similarity = np.array(tradeoff.redundancy)
    np.fill_diagonal(similarity, _diagonal(tradeoff, diagonal))
    if alpha is None:
        both = float(similarity.mean() + importance.mean())
        alpha = float(similarity.mean()) / both if both else 0.0
    check_alpha(alpha)
    if alpha == 1.0:
        weights = np.zeros(n)
        weights[importance.argmax()] = 1.0
        return weights
    scale = float(similarity.max() or importance.max() or 1.0)
    spectrum = np.linalg.eigvalsh(similarity)
    raised = max(0.0, LEAST_CURVATURE * scale - float(spectrum[0]))
    similarity[np.diag_indices(n)] += raised
    gain = alpha / (1.0 - alpha) * importance
    weights = _warm(similarity, gain, float(spectrum[-1]) + raised)
    return _exact(similarity, gain, weights)


def _diagonal(tradeoff: Tradeoff, diagonal: npt.ArrayLike | None) -> Vector:
    """Return the given diagonal, checked, or the largest redundancy of each feature."""
    given = frozen(tradeoff.redundancy.max(axis=1) if diagonal is None else diagonal, "diagonal", 1)
    if given.size != tradeoff.size or (given < 0.0).any():
        raise ValueError(
            f"diagonal must be {tradeoff.size} numbers, one for each feature and none negative, "
            f"got {given.size}{f' with {given.min():g} among them' if (given < 0.0).any() else ''}."
        )
    return given


def _warm(matrix: Matrix, gain: Vector, steepest: float) -> Vector:
    """Return weights close to the minimum of ``w'Mw / 2 - g'w`` over the simplex, by accelerated gradients."""
    weights = ahead = np.full(gain.size, 1.0 / gain.size)
    pace = 1.0
    for _ in range(WARM_STEPS):
        after = _simplex(ahead - (matrix @ ahead - gain) / steepest)
        # Momentum that points uphill is dropped.
        pace = 1.0 if (ahead - after) @ (after - weights) > 0.0 else pace
        faster = 0.5 * (1.0 + (1.0 + 4.0 * pace * pace) ** 0.5)
        ahead = after + (pace - 1.0) / faster * (after - weights)
        weights, pace = after, faster
    return weights


def _simplex(point: Vector) -> Vector:
    """Return the nearest point that is not negative and sums to one."""
    # A constant changes nothing, and a large one would swallow the one that the weights sum to.
    point = point - point.max()
    falling = np.sort(point)[::-1]
    levels = (np.cumsum(falling) - 1.0) / np.arange(1, point.size + 1)
    nearest: Vector = np.maximum(point - levels[np.flatnonzero(falling > levels)[-1]], 0.0)
    return nearest


def _exact(matrix: Matrix, gain: Vector, weights: Vector) -> Vector:
    """Return the minimum of ``w'Mw / 2 - g'w`` over the simplex for a positive definite M, by an active set.

    The minimum on the positive weights, the others left out, is a linear system. It is gone towards until a weight is
    zero, which leaves; once it is reached, the weight that the slope favours most enters, until none does.
    """
    support = np.flatnonzero(weights)
    inside = weights[support]
    rounding = 64.0 * EPS * (float(matrix.max()) + float(gain.max()))
    # Many more steps than it takes: only rounding could go round in circles.
    for _ in range(100 + 20 * gain.size):
        block = matrix[np.ix_(support, support)]
        uphill = block @ inside - gain[support]
        mean = float(uphill @ inside)
        sides = np.stack([mean - uphill, np.ones(support.size)], axis=1)
        move, level = np.linalg.solve(block, sides).T
        rise = -float(move.sum() / level.sum())
        there = inside + move + rise * level
        if (there > 0.0).all():
            inside = there
            slopes = matrix[:, support] @ inside - gain
            entering = int(slopes.argmin())
            if entering in support or slopes[entering] >= mean + rise - rounding:
                break
            support, inside = np.append(support, entering), np.append(inside, 0.0)
        else:
            down = there <= 0.0
            reach = np.full(support.size, np.inf)
            reach[down] = inside[down] / np.maximum(inside - there, TINY)[down]
            stays = reach > reach.min()
            inside = (inside + reach.min() * (there - inside))[stays]
            support = support[stays]
    found = np.zeros(gain.size)
    found[support] = inside
    exact: Vector = found / found.sum()
    return exact


def penalised(tradeoff: Tradeoff, k: int, *, alpha: float, weight: float | None = None) -> QUBO:
    """Return the QUBO in which a penalty asks for k features (paper, Section 4; Tanahashi et al., 2018).

    It is ``Q(x, alpha) + weight * (sum(x) - k)^2`` without the constant ``weight * k^2``, which a QUBO has no place
    for: of k features the energy is that of ``tradeoff.at(alpha)`` less this constant.

    The default weight is enough, and so small that the comparison is fair. With fewer than k features one of the k
    that cost least to add is missing: adding it costs at most its linear term and its k-1 largest couplings. With more,
    one of the n-k that gain least is in: removing it costs at most its gain. The weight is above both, and either
    step lowers the penalty by at least the weight, so that no subset of another size is even a local minimum.

    Parameters
    ----------
    tradeoff : Tradeoff
    k : int
    alpha : float
    weight : float, optional
        Above 0; the lambda of the paper.

    Examples
    --------
    >>> qubo = penalised(Tradeoff([2.0, 1.0], [[0.0, 1.0], [1.0, 0.0]]), 1, alpha=0.5, weight=2.0)
    >>> qubo.energy([[0, 0], [1, 0], [0, 1], [1, 1]]) + 2.0
    array([ 2. , -1. , -0.5,  1. ])
    """
    check_integer(k, "k", 0, tradeoff.size)
    qubo = tradeoff.at(alpha)
    weight = _enough(qubo, k) if weight is None else weight
    if not 0.0 < weight < np.inf:
        raise ValueError(
            f"weight must be a finite number above 0, or None for one that is enough, got {weight!r}."
        )
    couplings = qubo.couplings + 2.0 * weight
    np.fill_diagonal(couplings, 0.0)
    return QUBO(qubo.linear + weight * (1 - 2 * k), couplings)


def _enough(qubo: QUBO, k: int) -> float:
    """Return a weight above what one step towards k features can cost."""
    n = qubo.size
    cost = 0.0
    if k:
        largest = np.sort(np.maximum(qubo.couplings, 0.0), axis=1)[:, n - k + 1 :].sum(axis=1)
        cost = float(np.sort(qubo.linear + largest)[k - 1])
    if k < n:
        gain = -qubo.linear - np.minimum(qubo.couplings, 0.0).sum(axis=1)
        cost = max(cost, float(np.sort(gain)[n - k - 1]))
    # By a hundredth above, so that the difference is more than the tolerance with which solvers compare.
    return max(1.01 * cost, 1e-3 * float(np.abs(qubo.linear).max(initial=0.0))) or 1.0


def dynamic_range(qubo: QUBO) -> float:
    """Return how many bits it takes to tell the coefficients apart (Muecke, Gerlach and Piatkowski, 2023).

    It is ``log2(largest / smallest difference)`` between distinct coefficients, zero being one of them. Analogue
    hardware has few such bits, and noise in the others. Differences of no more than 16 roundings of the largest
    coefficient are taken for rounding, so that there are at most 48 bits; coefficients that are all equal need none,
    and give 0.

    Examples
    --------
    >>> dynamic_range(QUBO([-4.0, -4.0], [[0.0, 0.5], [0.5, 0.0]]))
    3.169925001442312
    """
    pairs = qubo.couplings[np.triu_indices(qubo.size, 1)]
    values = np.sort(np.concatenate([[0.0], qubo.linear, pairs]))
    steps = np.diff(values)
    steps = steps[steps > 16.0 * EPS * np.abs(values).max()]
    return float(np.log2((values[-1] - values[0]) / steps.min())) if steps.size else 0.0


def _first(order: npt.NDArray[np.intp], k: int) -> Bits:
    bits = np.zeros(order.size, np.bool_)
    bits[order[:k]] = True
    return bits


BASELINES: dict[str, Baseline] = {
    "mRMR difference": mrmr,
    "mRMR quotient": partial(mrmr, quotient=True),
    "QPFS": qpfs,
    "top": top,
}
# Those that negative redundancies make no difference to.
SIGNED = ("mRMR difference", "top")
