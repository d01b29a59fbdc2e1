"""Naive twins for wide tables: every subset that fulfils every wish, and every exchange, by looking at all of them."""

import numpy as np

from constraint_oracles import feasible
from quboselect import Constraints, Tradeoff, solvers
from quboselect.redundancy.rows import Rows
from quboselect.search.wide import choose_wide


def random_wide(seed, n):
    """Return importance, redundancy and constraints of a small table: few features matter, some are copies or none."""
    rng = np.random.default_rng([seed, 7])
    importance = rng.exponential(1.0, n) ** (1 + seed % 3)
    upper = np.triu(rng.random((n, n)) ** rng.integers(1, 4), 1).astype(np.float32) + np.float32(seed % 2)
    redundancy = np.triu(upper, 1)
    redundancy = redundancy + redundancy.T
    if seed % 5 == 1:
        importance[2], redundancy[2], redundancy[:, 2] = 0.0, 0.0, 0.0
    if seed % 5 == 2:
        redundancy[4], redundancy[:, 4] = redundancy[1], redundancy[:, 1]
        redundancy[4, 4], redundancy[1, 4], redundancy[4, 1] = 0.0, 2.0, 2.0
        importance[4] = importance[1]
    wishes = [
        {},
        {"cost": rng.random(n)},
        {"include": [int(rng.integers(n))], "cost": rng.random(n)},
        {"exclude": [0, 3]},
        {"groups": [[0, 3], [1, 5, 6]], "exclude": [2], "cost": rng.random(n)},
        {"groups": [[0, 3], [1, 5]], "include": [1, 7]},
    ]
    return importance, redundancy, Constraints.of(n, **wishes[seed % 6])


def energies(importance, redundancy, cost, alpha, x):
    """Return the energy of rows of bits."""
    rows = x.astype(np.float64)
    pairs = 0.5 * ((rows @ redundancy.astype(np.float64)) * rows).sum(axis=1) + rows @ cost
    return (1 - alpha) * pairs - alpha * rows @ importance


def lowest(importance, redundancy, constraints, alpha, k=None):
    """Return the lowest energy of all subsets that fulfil every wish, of k units or of any number."""
    x, sizes = feasible(constraints)
    x = x if k is None else x[sizes == k]
    return energies(importance, redundancy, constraints.cost, alpha, x).min()


def neighbours(x, constraints, *, same_size):
    """Return every subset that differs by one unit added or removed, or by one exchanged for another."""
    free = [
        constraints.unit == unit
        for unit in range(constraints.unit.max() + 1)
        if not (constraints.included | constraints.excluded)[constraints.unit == unit].any()
    ]
    inside = [unit for unit in free if x[unit].all()]
    outside = [unit for unit in free if not x[unit].any()]
    found = [x & ~a | b for a in inside for b in outside]
    if not same_size:
        found += [x & ~a for a in inside] + [x | b for b in outside]
    return np.array(found).reshape(-1, x.size)


def wide_choice(importance, redundancy, constraints, *, whole=False, **wanted):
    """Return the choice from rows of a matrix: known as a whole, or computed on demand."""

    def pairs(features, others):
        return redundancy[features] if others is None else redundancy[np.ix_(features, others)]

    rows = Rows.of(redundancy) if whole else Rows(len(redundancy), pairs)
    tradeoff = Tradeoff(importance, rows, constraints.cost)
    return choose_wide(tradeoff, constraints, solvers.Portfolio(), **wanted)
