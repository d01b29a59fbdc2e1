"""Naive twins of constraints: every bit vector that fulfils every wish, by looking at all of them."""

import numpy as np

from path_oracles import all_subsets
from quboselect import Constraints


def random_constraints(seed, n):
    """Return constraints on n features that leave something: some in, some out, some together."""
    rng = np.random.default_rng([seed, 2])
    shuffled = rng.permutation(n).tolist()
    sizes = rng.integers(1, 4, rng.integers(0, 3))
    groups = [[shuffled.pop() for _ in range(size)] for size in sizes if size < len(shuffled)]
    wished = [*(group[0] for group in groups), *shuffled]
    fates = rng.choice(["in", "out", "free"], len(wished), p=[0.2, 0.2, 0.6])
    include, exclude = (
        [i for i, f in zip(wished, fates, strict=True) if f == fate] for fate in ("in", "out")
    )
    if len(exclude) == len(wished):
        exclude.pop()
    return Constraints.of(n, include=include, exclude=exclude, groups=groups)


def feasible(constraints):
    """Return every bit vector over all features that fulfils every wish, and its number of units."""
    x = all_subsets(constraints.unit.size)
    fine = x[:, constraints.included].all(axis=1) & ~x[:, constraints.excluded].any(axis=1)
    units = [constraints.unit == unit for unit in range(constraints.unit.max() + 1)]
    for unit in units:
        fine &= x[:, unit].all(axis=1) | ~x[:, unit].any(axis=1)
    sizes = sum(x[:, unit].all(axis=1).astype(int) for unit in units)
    return x[fine], sizes[fine]
