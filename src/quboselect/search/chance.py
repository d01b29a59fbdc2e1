"""What chance alone shows: importances of shuffled targets, and the p-values that follow.

A p-value says how often a feature that has nothing to do with the target shows as much importance. By default it is
asked of the table itself: the target is shuffled, and every feature is measured anew. This needs no formula, so any
measure will do. It assumes that samples could stand in any order: no several samples of one and the same thing. Of a
series in time, whose table has ``blocks``, the target is moved along as a whole; see `quboselect.tables.blocks`.

A few shuffles of each feature would not do: among many features only tiny p-values count, and ``1 / (1 + m)`` is the
least that m shuffles can show. So the shuffles of all features are put together. For this they are brought to one
scale: the table and its m shuffles are each compared with the m others, by their mean and standard deviation. For a
useless feature the table is just one more shuffle, so this treats all alike. If some features have longer
tails than others, single p-values are too small or too large, but their sum is right: above any limit there are on
average no more useless features than shuffles of features, divided by m. That is what the control of false discoveries
needs.
"""

from dataclasses import replace
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from .._kernels.threads import thread_count, thread_map
from ..counting.bins import Codes
from ..protocols import importance_of, takes
from ..qubo import RELATIVE_TOLERANCE, Matrix, Vector
from ..tables.blocks import shuffled_places
from ..tables.table import Table
from ..tables.target import Target

AT_ONCE = 16  # shuffled targets in memory


def shuffled_importances(importance: Any, table: Table, target: Target, m: int, seed: int = 0) -> Matrix:
    """Return what a measure says of each feature for m shuffles of the target, shape (m, n).

    Values of the target change places, and samples keep their weights; but weights that are the same for all samples of
    a class, as those that balance classes, go with the target. With blocks the target is shifted in a circle.

    Parameters
    ----------
    importance : Importance
    table : Table
    target : Target
    m : int
    seed : int
        Of the shuffles.
    """
    rng, threads = np.random.default_rng(seed), 1
    if getattr(importance, "tables", False) and takes(importance, "n_jobs"):
        # Shuffle by shuffle, and not block by block of each: the answer is the same, and threads start less often.
        threads = thread_count(importance.n_jobs)
        importance = replace(importance, n_jobs=1)
    # The bins are shared; what is counted of shuffles must not drive out what is counted of the table.
    aside = replace(table, counted={})
    along, given = has_class_weights(table, target), np.asarray(table.given)

    def measured(order: NDArray[np.intp]) -> Vector:
        # Bins go by the weights, so they are cut anew.
        shuffled = replace(aside, given=given[order], codes_by_bins={}, counted={}) if along else aside
        return np.asarray(importance_of(importance, shuffled, target.take(order)), np.float64)

    rows: list[Vector] = []
    while len(rows) < m:
        number, n = min(AT_ONCE, m - len(rows)), target.values.size
        orders = [shuffled_places(n, table.blocks, rng) for _ in range(number)]
        rows += thread_map(measured, orders, n_jobs=threads)
    return np.array(rows)


def has_class_weights(table: Table, target: Target) -> bool:
    """Return whether samples have weights, one and the same for each class.

    Parameters
    ----------
    table : Table
    target : Target
    """
    if table.weights is None or target.continuous:
        return False
    _, classes = np.unique(target.values, return_inverse=True)
    first = np.zeros(classes.max() + 1)
    first[classes] = table.weights
    return bool((table.weights == first[classes]).all())


def is_moved(importances: Matrix) -> NDArray[np.bool_]:
    """Return which features shuffles change: not constant ones, nor those with a value of their own for every sample.

    Parameters
    ----------
    importances : array of shape (m, n)
        In m shuffles, or in the table and shuffles of it.
    """
    moved: NDArray[np.bool_] = importances.std(axis=0) > RELATIVE_TOLERANCE * importances.mean(axis=0)
    return moved


def pooled_p_values(seen: Vector, shuffled: Matrix) -> Vector:
    """Return a p-value for each feature, by the shuffles of all of them; at least ``1 / (1 + n m)``.

    Importances are compared by their cube roots, which are nearly normal for mutual information in any number of cells
    (Wilson and Hilferty, 1931), so that features of few codes and of many can be put together. What no shuffle changes
    has 1.

    Parameters
    ----------
    seen : array of shape (n,)
        The importances in the table.
    shuffled : array of shape (m, n)
        Those in m shuffles, at least 3.

    Examples
    --------
    >>> shuffled = np.random.default_rng(0).random((99, 2))
    >>> pooled_p_values(np.array([9.0, 0.5]), shuffled).round(3).tolist()
    [0.005, 0.543]
    """
    rows = np.vstack([seen, shuffled])
    moved = is_moved(rows)
    roots, m = np.cbrt(rows[:, moved]), len(shuffled)
    mean = roots.mean(axis=0)
    off = roots - mean
    # How far each row is from the mean of the others, in their standard deviations.
    left = np.square(off).sum(axis=0) - np.square(off) * ((m + 1) / m)
    spread = np.sqrt(np.maximum(left, 0.0) / (m - 1))
    some = spread > RELATIVE_TOLERANCE * mean
    alone = np.where(np.abs(off) > RELATIVE_TOLERANCE * mean, np.copysign(np.inf, off), 0.0)
    away = np.where(some, off * ((m + 1) / m) / np.where(some, spread, 1.0), alone)
    pool = np.sort(away[1:], axis=None)
    p_values = np.ones(rows.shape[1])
    p_values[moved] = (1.0 + pool.size - np.searchsorted(pool, away[0], side="left")) / (1.0 + pool.size)
    return p_values


def chi_square_p_values(codes: Codes, label: Codes, information: Vector) -> Vector:
    """Return a p-value for each feature by the chi-square distribution of ``2 N ln 2 I``, with Williams' correction.

    It needs no shuffles and has no least value, but it is for full cells only: with 3 samples to a cell, in 20 bins and
    three classes, p-values near 0.001 come twice as often as they should (``benchmarks/fdr.py``).

    Parameters
    ----------
    codes, label : Codes
        The binned features and target, without weights.
    information : array of shape (n,)
        Their mutual information, plug-in, in bits.

    Examples
    --------
    >>> features = Codes([[0, 0, 1, 1] * 10, [0, 1, 0, 1] * 10], [2, 2])
    >>> chi_square_p_values(features, Codes([[0, 0, 1, 1] * 10], [2]), np.array([1.0, 0.0])).round(6).tolist()
    [0.0, 1.0]
    """
    total = codes.total

    def margins(x: NDArray[Any]) -> tuple[int, float]:
        filled = np.bincount(x)
        filled = filled[filled > 0]
        return filled.size - 1, float((total / filled).sum() - 1.0)

    label_freedom, label_spread = margins(label.values[0])
    found = [margins(x) for x in codes.values]
    freedom = label_freedom * np.array([own for own, _ in found])
    spread = label_spread * np.array([own for _, own in found])
    some = freedom > 0
    correction = 1.0 + spread / (6.0 * total * np.where(some, freedom, 1))
    p_values: Vector = chdtrc(
        np.where(some, freedom, 1), np.where(some, 2.0 * total * log(2.0) * information / correction, 0.0)
    )
    return p_values
