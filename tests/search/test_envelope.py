"""The path of one size against enumeration, with negative pairs, costs and ties among them; wide tables held to k."""

from itertools import combinations, pairwise, product

import numpy as np
import pytest

from quboselect import Constraints, Tradeoff, best_subset, solvers
from quboselect.redundancy.rows import Rows
from quboselect.search import alpha_path, size_path


def problem(seed, most=12):
    """Return a tradeoff, negative pairs in every other, ties in some, costs in some, and a size."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, most + 1))
    importance = rng.random(n) * rng.choice([1.0, 0.1])
    pairs = rng.random((n, n)) - (0.5 if seed % 2 else 0.0)
    if seed % 5 == 0:
        importance = np.round(importance * 3) / 3
    if seed % 7 == 0:
        pairs = np.round(pairs * 4) / 4
    pairs = np.triu(pairs, 1)
    cost = rng.random(n) if seed % 3 == 0 else None
    return Tradeoff(importance, pairs + pairs.T, cost), int(rng.integers(0, n + 1))


def lines(tradeoff, k):
    """Return (I, R) of every subset of a size."""
    bits = [np.isin(np.arange(tradeoff.size), chosen) for chosen in combinations(range(tradeoff.size), k)]
    return np.array([tradeoff.line(x) for x in bits]), bits


@pytest.mark.parametrize("block", range(10))
def test_the_path_of_a_size_is_the_lower_envelope_of_all_its_subsets(block):
    for seed in range(50 * block, 50 * block + 50):
        tradeoff, k = problem(seed)
        path = size_path(tradeoff, k)
        points, _ = lines(tradeoff, k)
        assert path.proven
        assert set(path.sizes) == {k}
        assert (path[0].start, path[-1].stop) == (0.0, 1.0)
        ends = [segment.start for segment in path] + [segment.stop for segment in path]
        for alpha in [*np.linspace(0, 1, 21), *ends]:
            least = ((1 - alpha) * points[:, 1] - alpha * points[:, 0]).min()
            assert path.at(alpha).energy(alpha) == pytest.approx(least, abs=1e-8)
            assert path.bound(alpha) <= least + 1e-8
        for a, b in pairwise(path):
            assert a.stop == b.start
            assert a.importance < b.importance
            assert a.redundancy < b.redundancy


def test_the_best_of_a_size_at_an_alpha_is_that_of_enumeration():
    for seed in range(150):
        tradeoff, k = problem(seed, most=9)
        points, _ = lines(tradeoff, k)
        for alpha in (0.0, 0.4, 0.9, 1.0):
            result = best_subset(tradeoff, k=k, alpha=alpha)
            assert result.support.sum() == k
            assert result.proven
            assert result.energy == pytest.approx((points @ [-alpha, 1 - alpha]).min(), abs=1e-9)


def test_constraints_hold_on_the_path_of_a_size_and_at_an_alpha():
    for seed in range(40):
        tradeoff, _ = problem(seed, most=8)
        n = tradeoff.size
        if n < 4:
            continue
        rng = np.random.default_rng(seed)
        order = rng.permutation(n)
        constraints = Constraints.of(n, include=order[:1], exclude=order[1:2])
        k = int(rng.integers(1, n))
        points, bits = lines(tradeoff, k)
        fits = [x[order[0]] and not x[order[1]] for x in bits]
        result = best_subset(tradeoff, k=k, alpha=0.6, constraints=constraints)
        least = (points[fits] @ [-0.6, 0.4]).min()
        assert result.energy == pytest.approx(least, abs=1e-9)
        path = result.path(size=k)
        assert path.at(0.6).energy(0.6) == pytest.approx(least, abs=1e-9)
        assert path.proven


def test_of_equally_important_features_the_least_redundant_are_taken_at_alpha_one():
    tradeoff = Tradeoff([2.0, 1.0, 1.0], [[0, 0.5, 0.1], [0.5, 0, 0.9], [0.1, 0.9, 0]])
    assert best_subset(tradeoff, k=2, alpha=1.0).features.tolist() == [0, 2]
    assert size_path(tradeoff, 2)[-1].features.tolist() == [0, 2]


def test_what_was_not_solved_is_not_proven():
    tradeoff, _ = problem(3)
    assert not size_path(tradeoff, 4, solvers.Tabu()).proven
    few = size_path(tradeoff, 4, max_solves=1)
    assert few.solves == 1
    assert not few.proven


def test_a_path_around_a_size_refuses_negative_redundancy_in_words():
    with pytest.raises(ValueError, match=r"not negative.*lowest here is -1"):
        alpha_path(Tradeoff([1.0, 1.0], [[0, -1], [-1, 0]]), k=1)


@pytest.mark.parametrize("solver", [solvers.Portfolio(), solvers.Tabu(restarts=1, rounds=0, steps=1)])
def test_a_path_over_all_sizes_begins_with_the_least_redundant_where_pairs_are_negative(solver):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 8))
        pairs = np.triu(rng.random((n, n)) - rng.choice([0.1, 0.5, 0.9]), 1)
        pairs = np.round(pairs, 1) if seed % 3 == 0 else pairs
        cost = rng.random(n) - 0.3 if seed % 4 == 0 else None
        tradeoff = Tradeoff(rng.random(n) * (rng.random(n) < 0.7), pairs + pairs.T, cost)
        path = alpha_path(tradeoff, solver)
        subsets = np.array(list(product([False, True], repeat=n)))
        points = np.array([tradeoff.line(x) for x in subsets])
        assert (path[0].start, path[-1].stop) == (0.0, 1.0)
        assert path.proven or not isinstance(solver, solvers.Portfolio)
        for alpha in np.linspace(0.0, 1.0, 41):
            least = ((1 - alpha) * points[:, 1] - alpha * points[:, 0]).min()
            assert path.bound(alpha) <= least + 1e-9
            if path.at(alpha).proven:
                assert path.at(alpha).energy(alpha) == pytest.approx(least, abs=1e-8)


@pytest.mark.parametrize("signed", [False, True])
def test_a_wide_table_is_held_to_k_at_alpha_with_sound_bounds(signed):
    proven = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n, k, alpha = 100, int(rng.integers(1, 6)), float(rng.choice([0.0, 0.5, 0.8, 0.95]))
        groups = rng.integers(0, 6, n)
        pairs = rng.random((n, n)) * 0.2 + (groups[:, None] == groups) - (0.4 if signed else 0.0)
        pairs = np.triu(pairs, 1).astype(np.float32)
        pairs = pairs + pairs.T
        importance = rng.random(n) * (rng.random(n) < 0.3)
        exact = best_subset(Tradeoff(importance, pairs.astype(float)), k=k, alpha=alpha)
        wide = best_subset(Tradeoff(importance, Rows.of(pairs, signed=signed)), k=k, alpha=alpha)
        assert wide.support.sum() == k
        assert wide.core is not None
        assert wide.bound <= exact.energy + 1e-6
        assert wide.energy >= exact.bound - 1e-6
        if wide.proven:
            proven += 1
            assert wide.energy == pytest.approx(exact.energy, abs=1e-6)
    assert proven


def test_a_search_without_bounds_proves_nothing_of_negative_pairs():
    for seed in range(1, 60, 2):
        tradeoff, k = problem(seed)
        path = size_path(tradeoff, k, solvers.Tabu(restarts=1, rounds=0, steps=1))
        points, _ = lines(tradeoff, k)
        for segment in path:
            for alpha in np.linspace(segment.start, segment.stop, 5):
                least = ((1 - alpha) * points[:, 1] - alpha * points[:, 0]).min()
                assert path.bound(alpha) <= least + 1e-9
                assert not segment.proven or segment.energy(alpha) == pytest.approx(least, abs=1e-8)


def test_a_path_is_of_a_tradeoff():
    with pytest.raises(TypeError, match=r"tradeoff must be a Tradeoff, got tuple: write Tradeoff\(I, R\)"):
        alpha_path(([1.0], [[0.0]]))
    with pytest.raises(TypeError, match=r"tradeoff must be a Tradeoff, got list"):
        size_path([1.0], 1)
