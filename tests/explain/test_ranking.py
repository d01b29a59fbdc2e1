"""The ranking: a permutation that begins with the selection, and follows the best subsets where these are nested."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from quboselect import Constraints, SelectQUBO, Tradeoff, best_subset
from quboselect.datasets import load_ionosphere
from quboselect.explain.ranking import MOST


def random_tradeoff(rng, n):
    shared = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.5), 1)
    return Tradeoff(rng.random(n), shared + shared.T)


def best_of_size(tradeoff, size, alpha):
    """Return the best subset of a size by enumeration."""
    rows = np.array(
        [np.isin(np.arange(tradeoff.size), some) for some in combinations(range(tradeoff.size), size)]
    )
    return rows[np.argmin(tradeoff.at(alpha).energy(rows))]


def alpha_of(size, k, alpha):
    odds = alpha / (1 - alpha) * max(size - 1, 1) / max(k - 1, 1)
    return odds / (1 + odds)


@pytest.mark.parametrize("seed", range(150))
def test_where_the_best_subsets_are_nested_the_ranking_is_their_order(seed):
    rng = np.random.default_rng(seed)
    n, k, alpha = 7, 3, 0.6
    tradeoff = random_tradeoff(rng, n)
    result = best_subset(tradeoff, k=k, alpha=alpha)
    best = [best_of_size(tradeoff, size, alpha_of(size, k, alpha)) for size in range(1, n + 1)]
    ranking = result.ranking
    assert sorted(ranking) == list(range(1, n + 1))
    assert set(np.flatnonzero(ranking <= k)) == set(result.features)
    if all((a <= b).all() for a, b in pairwise(best)):
        for size, x in enumerate(best, 1):
            assert set(np.flatnonzero(ranking <= size)) == set(np.flatnonzero(x))


def test_some_of_these_are_nested():
    nested = 0
    for seed in range(150):
        tradeoff = random_tradeoff(np.random.default_rng(seed), 7)
        best = [best_of_size(tradeoff, size, alpha_of(size, 3, 0.6)) for size in range(1, 8)]
        nested += all((a <= b).all() for a, b in pairwise(best))
    assert 20 < nested < 150


@pytest.mark.parametrize("seed", range(20))
def test_included_features_come_first_excluded_ones_last_and_groups_together(seed):
    rng = np.random.default_rng(seed)
    tradeoff = random_tradeoff(rng, 12)
    constraints = Constraints.of(12, include=[0], exclude=[1, 2], groups=[[3, 4], [5, 6, 7]])
    result = best_subset(tradeoff, k=4, alpha=0.7, constraints=constraints)
    ranking = result.ranking
    assert ranking[0] == 1
    assert sorted(ranking[[1, 2]]) == [11, 12]
    for group in ([3, 4], [5, 6, 7]):
        assert np.ptp(ranking[group]) == len(group) - 1
    selected = int(result.support.sum())
    assert set(np.flatnonzero(ranking <= selected)) == set(result.features)


def test_by_importance_alone_the_ranking_is_that_of_importance():
    tradeoff = random_tradeoff(np.random.default_rng(3), 10)
    result = best_subset(tradeoff, k=4, alpha=1.0)
    assert np.argsort(result.ranking).tolist() == np.argsort(-tradeoff.importance).tolist()


@pytest.mark.parametrize("k", [1, 2, MOST + 20])
def test_many_features_are_all_ranked(k):
    rng = np.random.default_rng(0)
    n = MOST + 60
    shared = np.triu(rng.random((n, n)) / n, 1)
    result = best_subset(
        Tradeoff(rng.random(n), shared + shared.T), k=k, alpha=0.5, solver=lambda qubo: best_linear(qubo, k)
    )
    assert sorted(result.ranking) == list(range(1, n + 1))
    assert set(np.flatnonzero(result.ranking <= k)) == set(result.features)


def best_linear(qubo, k):
    from quboselect import Solutions

    x = np.zeros(qubo.size, bool)
    x[np.argsort(qubo.linear)[:k]] = True
    return Solutions.of(qubo, x)


@pytest.mark.parametrize("selector", [SelectQUBO(k=5), SelectQUBO.paper(k=5), SelectQUBO(k=None, alpha=0.9)])
def test_a_selector_has_it_after_a_fit_and_after_batches(selector):
    X, y = load_ionosphere(return_X_y=True)
    ranking = selector.fit(X, y).ranking_
    assert set(np.flatnonzero(ranking <= selector.support_.sum())) == set(selector.get_support(indices=True))
    if selector.k is not None:
        assert (
            selector.fit_batches([(X[:200], y[:200]), (X[200:], y[200:])]).ranking_.tolist()
            == ranking.tolist()
        )


def test_copies_are_not_exchanged_for_each_other_for_ever():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        d, n = 4, 14
        shared = rng.random((d, d))
        at = rng.integers(0, d, n)
        redundancy = (shared + shared.T)[np.ix_(at, at)]
        np.fill_diagonal(redundancy, 0.0)
        # Without importance, rounding of redundancies is all that tells copies apart.
        ranking = best_subset(Tradeoff(np.zeros(n), redundancy), k=6, alpha=0.5).ranking
        assert sorted(ranking) == list(range(1, n + 1))
