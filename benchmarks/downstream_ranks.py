"""Ranks of methods over tables, whether they differ (Friedman, Nemenyi), and how alike the subsets of folds are."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range


def ranks(scores: np.ndarray) -> np.ndarray:
    """Return the rank of every method (column) on every table (row): 1 is the highest score, equals share."""
    return rankdata(-np.round(scores, 9), axis=1)


def friedman(scores: np.ndarray) -> float:
    """Return how likely ranks differ so much by chance; NaN with fewer than 3 methods or 2 tables."""
    if scores.shape[0] < 2 or scores.shape[1] < 3:
        return float("nan")
    return float(friedmanchisquare(*np.round(scores, 9).T).pvalue)


def critical_difference(methods: int, tables: int, level: float = 0.05) -> float:
    """Return the difference of mean ranks from which on two methods differ (Nemenyi; Demsar, JMLR 2006)."""
    q = studentized_range.ppf(1 - level, methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(methods * (methods + 1) / (6 * tables)))


def jaccard(subsets: Sequence[frozenset[int]]) -> float:
    """Return the mean, over pairs of subsets, of the share of their union that both have."""
    return float(np.mean([len(a & b) / len(a | b) for a, b in combinations(subsets, 2)]))


def kuncheva(subsets: Sequence[frozenset[int]], n: int) -> float:
    """Return the mean overlap of pairs of subsets of one size, 0 by chance and 1 for equal ones (Kuncheva 2007)."""
    k = len(subsets[0])
    chance = k * k / n
    return float(np.mean([(len(a & b) - chance) / (k - chance) for a, b in combinations(subsets, 2)]))
