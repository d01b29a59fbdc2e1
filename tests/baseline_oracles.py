"""Naive twins of the baselines, and tradeoffs of many kinds to try them on."""

import numpy as np

from quboselect import Tradeoff

KINDS = ("uniform", "low rank", "twins", "unimportant", "rounded")


def tradeoff_and_size(seed):
    """Return a tradeoff of 3 to 12 features, of a kind that the seed names, and a size from 0 to n."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    n = int(rng.integers(3, 13))
    importance, redundancy = rng.random(n), rng.random((n, n)) * rng.choice([0.05, 0.5, 3.0])
    if kind == "low rank":
        # Features that share a few sources, as in tables of mutual information.
        sources = rng.random((n, 3)) ** 3
        importance, redundancy = sources @ rng.random(3), sources @ sources.T
    if kind == "rounded":
        importance, redundancy = np.round(3 * importance), np.round(redundancy)
    redundancy = np.triu(redundancy, 1)
    redundancy = redundancy + redundancy.T
    if kind == "twins":
        twins = rng.integers(0, n, n)
        importance, redundancy = importance[twins], redundancy[np.ix_(twins, twins)]
        redundancy = redundancy + 2.0 * (twins[:, None] == twins)
        np.fill_diagonal(redundancy, 0.0)
    if kind == "unimportant":
        importance[rng.random(n) < 0.5] = 0.0
    return Tradeoff(importance, redundancy), int(rng.integers(0, n + 1))


def mrmr(tradeoff, k, quotient):
    """Return the features of greedy mRMR in the order in which they are taken, one at a time."""
    taken = []
    for _ in range(k):
        best = None
        for i in range(tradeoff.size):
            if i in taken:
                continue
            score = (tradeoff.importance[i], 0.0)
            if taken:
                total = 0.0
                for s in taken:
                    total += tradeoff.redundancy[s, i]
                mean = total / len(taken)
                if not quotient:
                    score = (tradeoff.importance[i] - mean, 0.0)
                elif mean > 0.0:
                    score = (tradeoff.importance[i] / mean, 0.0)
                else:
                    score = (np.inf, tradeoff.importance[i]) if tradeoff.importance[i] > 0.0 else (0.0, 0.0)
            if best is None or score > best[0]:
                best = (score, i)
        taken.append(best[1])
    return taken


def programme(tradeoff, alpha=None, diagonal=None):
    """Return (M, g) of QPFS: minimise w'Mw / 2 - g'w over the simplex."""
    redundancy, importance = tradeoff.redundancy, tradeoff.importance
    n = tradeoff.size
    similarity = redundancy + np.diag(redundancy.max(axis=1) if diagonal is None else diagonal)
    if alpha is None:
        total = similarity.sum() / n**2 + importance.sum() / n
        alpha = similarity.sum() / n**2 / total if total else 0.0
    least = 1e-6 * (similarity.max() or importance.max() or 1.0)
    lowest = np.linalg.eigvalsh(similarity).min()
    similarity = similarity + max(0.0, least - lowest) * np.eye(n)
    return (1 - alpha) * similarity, alpha * importance


def dynamic_range(qubo):
    """Return log2 of the largest over the smallest difference between any two coefficients, or zero."""
    values = {0.0, *qubo.linear.tolist()}
    values |= {qubo.couplings[i, j] for i in range(qubo.size) for j in range(i)}
    gaps = [abs(a - b) for a in values for b in values if a != b]
    return np.log2(max(gaps) / min(gaps)) if gaps else 0.0
