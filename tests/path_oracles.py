"""Naive twins of the path: every subset is looked at."""

import numpy as np

from quboselect import Tradeoff


def all_subsets(n):
    return ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(bool)


def all_lines(tradeoff):
    """Return (subsets, I, R) of all 2^n subsets, the cost counted in R."""
    x = all_subsets(tradeoff.size)
    rows = x.astype(float)
    pairs = 0.5 * ((rows @ tradeoff.redundancy) * rows).sum(axis=1)
    return x, rows @ tradeoff.importance, pairs + rows @ tradeoff.cost


def minimum(tradeoff, alpha, k=None):
    """Return the lowest energy at one alpha, of all subsets or of those of size k."""
    x, importance, redundancy = all_lines(tradeoff)
    energy = (1 - alpha) * redundancy - alpha * importance
    return energy.min() if k is None else energy[x.sum(axis=1) == k].min()


def hull(tradeoff):
    """Return the (I, R) corners of the envelope over all subsets."""
    _, importance, redundancy = all_lines(tradeoff)
    return corners_of(importance, redundancy)


def corners_of(importance, redundancy):
    """Return the corners of the envelope of lines (I, R), by gift wrapping from the lowest R."""
    free = redundancy <= redundancy.min() + 1e-12
    # The path of a tradeoff starts with the empty set, the least important of those that cost nothing.
    corners = [(importance[free].min(), redundancy.min())]
    while True:
        at, height = corners[-1]
        ahead = importance > at + 1e-9 * max(1.0, importance.max())
        if not ahead.any():
            return corners
        slope = (redundancy[ahead] - height) / (importance[ahead] - at)
        lowest = np.flatnonzero(ahead)[slope <= slope.min() + 1e-9 * max(1.0, abs(slope.min()))]
        furthest = importance[lowest].max()
        last = lowest[importance[lowest] >= furthest - 1e-12]
        corners.append((furthest, redundancy[last].min()))


def random_tradeoff(seed, most=12):
    """Return a tradeoff of up to 12 features: dense, sparse, with ties, with duplicates, with zero rows."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, most + 1))
    importance, redundancy = rng.random(n), rng.random((n, n)) * rng.choice([0.1, 0.5, 2.0])
    kind = seed % 5
    if kind == 1:
        redundancy *= rng.random((n, n)) < 0.3
    if kind == 2:
        importance, redundancy = np.round(3 * importance), np.round(2 * redundancy)
    redundancy = np.triu(redundancy, 1)
    redundancy = redundancy + redundancy.T
    if kind == 3:
        twins = rng.integers(0, n, n)
        importance, redundancy = importance[twins], redundancy[np.ix_(twins, twins)]
        redundancy = redundancy + 1.5 * (twins[:, None] == twins)
        np.fill_diagonal(redundancy, 0.0)
    if kind == 4:
        dead = rng.random(n) < 0.4
        importance[dead] = 0.0
        redundancy[dead] = 0.0
        redundancy[:, dead] = 0.0
    return Tradeoff(importance, redundancy)


def random_priced(seed, most=9):
    """Return a tradeoff with costs: of all features, of some, in ties, in proportion to importance, all alike."""
    tradeoff = random_tradeoff(seed, most)
    rng = np.random.default_rng([seed, 1])
    n = tradeoff.size
    cost = rng.random(n) * rng.choice([0.1, 1.0, 5.0])
    kind = seed // 5 % 6
    if kind == 1:
        cost *= rng.random(n) < 0.4
    if kind == 2:
        cost = np.round(2 * cost)
    if kind == 3:
        cost = 0.7 * tradeoff.importance
    if kind == 4:
        cost = 0.7 * tradeoff.importance * (rng.random(n) < 0.6)
    if kind == 5:
        cost = np.full(n, rng.random())
    return Tradeoff(tradeoff.importance, tradeoff.redundancy, cost)


def never_size_two():
    """Return a tradeoff whose optimal sizes are 0, 1, 3 and 4, never 2."""
    redundancy = np.full((4, 4), 0.1)
    redundancy[0, :] = redundancy[:, 0] = 1.0
    np.fill_diagonal(redundancy, 0.0)
    return Tradeoff([10.0, 5.0, 5.0, 5.0], redundancy)


def never_size_four():
    """Return three features free of each other beside a clique of five: never 4 together."""
    redundancy = np.full((8, 8), 100.0)
    redundancy[:3, :3] = 0.0
    redundancy[3:, 3:] = 1.0
    np.fill_diagonal(redundancy, 0.0)
    return Tradeoff(1.0 + 1e-3 * np.arange(8), redundancy)
