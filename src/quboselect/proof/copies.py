"""The check of copies: what is best of the first few copies of each bit is best of all.

Bits of one leader can be exchanged for each other, so the first n of them are as good as any n. And more copies than
are kept are of no use: if the t-th copy of i is there, and whatever else is, some j that is not would be better.
"""

from typing import Any

import numpy as np

from ..errors import Refuted
from ..qubo import Matrix, Vector
from . import form
from .certificate import Copies
from .sums import EPS, total

NESTED = 4  # problems of copies within each other


def farthest(linear: Vector, couplings: Matrix, leader: Any, ones: int, tolerance: float) -> float:
    """Return how far energies of so many ones may be apart if a bit takes the place of its leader, or raise."""
    widest = 0.0
    for bit, head in enumerate(leader):
        apart = np.abs(couplings[bit] - couplings[head])
        apart[[bit, head]] = 0
        far = float(np.sort(apart)[apart.size - ones :].sum() + abs(linear[bit] - linear[head]))
        if not far <= 0.05 * tolerance / ones:
            raise Refuted(f"bits {bit} and {head} cannot be exchanged for each other.")
        widest = max(widest, far)
    return widest


def without_copies(
    linear: Vector, couplings: Matrix, k: int, target: float, tree: Any, tolerance: float
) -> tuple[Vector, Matrix, int | None, float, Any]:
    """Return the problem that a tree about copies leaves, its k, what it must reach, and its tree; or raise."""
    size: int | None = k
    # What a table repeats, then what can be exchanged among the rest.
    for _ in range(NESTED):
        if not isinstance(tree, Copies) or size is None:
            break
        copies = form.copies_of(tree, linear.size)
        target += check_copies(linear, couplings, k, copies, tolerance)
        target += EPS * abs(target)
        linear, couplings = lowered(linear, couplings, copies)
        size, tree = copies.k, copies.tree
        if size is not None and form.integer(size, "k of the bits that are kept", 0, k) != k:
            raise Refuted(f"what is said of the bits that are kept must be about {k} ones, got {size}.")
    return linear, couplings, size, target, tree


def check_copies(linear: Vector, couplings: Matrix, k: int, copies: Copies, tolerance: float) -> float:
    """Return by how much what is best of the bits that are kept may be above what is best of all k ones, or raise."""
    leader, ones = copies.leader, max(k, 1)
    widest = farthest(linear, couplings, leader, ones, tolerance)
    heads, at = np.unique(leader, return_inverse=True)
    number = np.bincount(at)
    kept = np.bincount(at[copies.kept], minlength=heads.size)
    for unit, some in enumerate(kept):
        if not np.array_equal(np.flatnonzero(at == unit)[:some], copies.kept[at[copies.kept] == unit]):
            raise Refuted(f"of the copies of bit {heads[unit]} others than the first {some} are kept.")
    if (kept < np.minimum(number, k)).any():
        own = np.zeros(heads.size)
        for bit in np.flatnonzero(leader != np.arange(leader.size))[::-1]:
            own[at[bit]] = couplings[bit, leader[bit]]
        useful, before, among = np.minimum(number, k), number + 1, couplings[np.ix_(heads, heads)]
        while (kept < useful).any() and not np.array_equal(useful, before):
            # Each exchange is worked out with leaders in the place of all others, of both bits.
            before = useful
            useful = useful_copies(linear[heads], among, own, useful, k, 2 * (k + 1) * widest)
        if (kept < useful).any():
            raise Refuted(f"a copy of bit {heads[np.argmax(kept < useful)]} that is left out may be of use.")
    # Two bits of one leader are twice as far from each other, and so are their couplings to it.
    return 4 * ones * widest * (1 + 1e-6)


def lowered(linear: Vector, couplings: Matrix, copies: Copies) -> tuple[Vector, Matrix]:
    """Return the problem of the bits that are kept; of its best vector that has the first of copies, it is none above.

    On stairs each bit bears its couplings to the copies before it, which a vector of first copies has too.
    """
    linear, couplings = linear[copies.kept], couplings[np.ix_(copies.kept, copies.kept)]
    if not copies.stairs:
        return linear, couplings
    leader = copies.leader[copies.kept]
    borne, among = linear.copy(), couplings.copy()
    for head in np.unique(leader):
        (group,) = np.nonzero(leader == head)
        if (couplings[np.ix_(group, group)] < 0).any():
            continue
        for at, bit in enumerate(group):
            terms = [float(linear[bit]), *couplings[bit, group[:at]].tolist()]
            borne[bit] = total(terms) - EPS * abs(total(terms)) if at else linear[bit]
            among[bit, group] = 0.0
    return borne, among


def useful_copies(
    linear: Vector, couplings: Matrix, own: Vector, most: Any, k: int, margin: float = 0.0
) -> Any:
    """Return how many copies of each a best vector of k ones may have, where it has at most so many of others.

    What takes the place of one must be better by the margin.
    """
    useful = np.minimum(most, 1)
    for i in np.flatnonzero((most > 1) & (k > 1)):
        others = np.flatnonzero(np.arange(linear.size) != i)
        more = couplings[others] - couplings[i]
        more[:, i] = more[np.arange(others.size), others] = -np.inf
        # So many of the largest, each as often as there are copies.
        top, there = np.zeros((others.size, k - 2)), np.zeros((others.size, k - 2), np.bool_)
        for row, order in enumerate(np.argsort(-more, axis=1)[:, : k - 2]):
            values = np.repeat(more[row, order], most[order] * np.isfinite(more[row, order]))[: k - 2]
            top[row, : values.size], there[row, : values.size] = values, True
        for t in range(2, min(int(most[i]), k) + 1):
            r = k - t
            pair = (t - 1) * (couplings[i, others] - own[i])
            change = linear[others] - linear[i] + pair + top[:, :r].sum(axis=1)
            terms = np.abs(linear[others]) + abs(linear[i]) + np.abs(top[:, :r]).sum(axis=1)
            terms += (t - 1) * (np.abs(couplings[i, others]) + abs(own[i]))
            # Without so many others there is nothing that j is not in.
            better = ~there[:, :r].all(axis=1) | (change <= -(k + 16) * EPS * terms - margin)
            if better.sum() <= r:
                useful[i] = t
    return useful
