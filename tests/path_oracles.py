"""Naive twins of the path: every subset is looked at."""

import numpy as np

from quboselect import Tradeoff


def all_subsets(n):
    return ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(bool)


def all_lines(tradeoff):
    """Return (subsets, I, R) of all 2^n subsets."""
    x = all_subsets(tradeoff.size)
    rows = x.astype(float)
    pairs = 0.5 * ((rows @ tradeoff.redundancy) * rows).sum(axis=1)
    return x, rows @ tradeoff.importance, pairs


def minimum(tradeoff, alpha, k=None):
    """Return the lowest energy at one alpha, of all subsets or of those of size k."""
    x, importance, redundancy = all_lines(tradeoff)
    energy = (1 - alpha) * redundancy - alpha * importance
    return energy.min() if k is None else energy[x.sum(axis=1) == k].min()


def hull(tradeoff):
    """Return the (I, R) corners of the envelope over all subsets, by gift wrapping from the empty set."""
    _, importance, redundancy = all_lines(tradeoff)
    corners = [(0.0, 0.0)]
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


def random_tradeoff(seed):
    """Return a tradeoff of up to 12 features: dense, sparse, with ties, with duplicates, with zero rows."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 13))
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
