"""Recursive feature elimination with a decision tree, one feature at a time.

It is scikit-learn's ``RFE(DecisionTreeClassifier(max_depth=...))`` without what that computes over and over. A feature
that no node uses can go without changing the tree. One that some nodes use changes only these and what hangs below,
because every other node has its best split as before: nodes are kept from step to step, and a step costs only what it
changes, on mnist seconds in all instead of an hour. Between splits that are equally good scikit-learn draws a lot, and
this takes the feature of the lowest index; of features that no node uses the last go first. With such ties the two may
differ, as scikit-learn does from itself under another ``random_state``.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit


@dataclass(eq=False)
class Node:
    """Some samples, and how good the best split of them by each active feature is; ``feature`` is -1 while open."""

    rows: npt.NDArray[np.int32]
    depth: int
    active: npt.NDArray[np.int64]
    gain: npt.NDArray[np.float64]
    edge: npt.NDArray[np.int64]
    feature: int = -1
    children: tuple["Node", ...] = ()


def eliminate(X: npt.ArrayLike, y: npt.ArrayLike, k: int, *, depth: int) -> npt.NDArray[np.bool_]:
    """Return the k features that are left when the least important one goes, again and again.

    Examples
    --------
    >>> eliminate([[0, 5, 1], [1, 5, 1], [2, 5, 0], [3, 5, 0]], [0, 0, 1, 1], 1, depth=2)
    array([ True, False, False])
    """
    table = np.asarray(X)
    ranks = [np.unique(column, return_inverse=True)[1] for column in table.T]
    codes = np.ascontiguousarray(ranks).astype(np.uint16)
    classes, labels = np.unique(y, return_inverse=True)
    left = np.ones(table.shape[1], np.bool_)

    def node(rows: npt.NDArray[np.int32], level: int) -> Node:
        active = np.flatnonzero(left)
        if level == depth or (labels[rows] == labels[rows[0]]).all():
            active = active[:0]
        return Node(rows, level, active, *_best_splits(codes, labels, classes.size, rows, active))

    root = node(np.arange(len(table), dtype=np.int32), 0)
    while (size := int(left.sum())) > k:
        importance, used = np.zeros(left.size), np.zeros(left.size, np.bool_)
        todo = [root]
        while todo:
            here = todo.pop()
            gain = np.where(left[here.active], here.gain, -1.0)
            if gain.max(initial=-1.0) < 0.0:  # pure, deep enough, or nothing left to split by
                continue
            best = int(gain.argmax())
            if here.feature != here.active[best]:
                here.feature = int(here.active[best])
                below = codes[here.feature, here.rows] <= here.edge[best]
                here.children = tuple(
                    node(part, here.depth + 1) for part in (here.rows[below], here.rows[~below])
                )
            importance[here.feature] += gain[best]
            used[here.feature] = True
            todo += here.children
        if (idle := np.flatnonzero(left & ~used)).size:
            left[idle[::-1][: size - k]] = False
        else:
            left[np.where(left, importance, np.inf).argmin()] = False
    return left


@njit(cache=True, nogil=True)
def _best_splits(codes, labels, classes, rows, active):  # type: ignore[no-untyped-def]
    """Return by how much the best split of each feature lowers samples times Gini impurity (-1: none), and its code."""
    m = rows.size
    gain, edge = np.full(active.size, -1.0), np.zeros(active.size, np.int64)
    if active.size == 0:
        return gain, edge
    total = np.zeros(classes)
    for row in rows:
        total[labels[row]] += 1.0
    whole = (total * total).sum() / m
    for at in range(active.size):
        values = codes[active[at]][rows]
        highest = np.int64(values.max())
        counted = highest < 4 * m  # else bins would be emptier than sorting is dear
        counts = np.zeros((highest + 1 if counted else 1, classes))
        order = np.argsort(values) if not counted else np.zeros(0, np.int64)
        if counted:
            for i in range(m):
                counts[values[i], labels[rows[i]]] += 1.0
        below, size = np.zeros(classes), 0.0
        for step in range(highest + 1 if counted else m):
            if counted:
                below += counts[step]
                filled = counts[step].sum()
                code = step
            else:
                below[labels[rows[order[step]]]] += 1.0
                filled, code = 1.0, np.int64(values[order[step]])
            size += filled
            if size == m:
                break
            if filled == 0.0 or (not counted and values[order[step + 1]] == values[order[step]]):
                continue
            above = total - below
            found = (below * below).sum() / size + (above * above).sum() / (m - size) - whole
            if found > gain[at]:
                gain[at], edge[at] = max(found, 0.0), code
    return gain, edge
