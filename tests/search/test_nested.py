"""Nested subsets: each is the one before it and the feature that pays first."""

import numpy as np
import pytest

import path_oracles
from quboselect import Tradeoff
from quboselect.search import alpha_path
from quboselect.search.nested import nested_subsets


@pytest.mark.parametrize("seed", range(20))
def test_each_adds_the_feature_that_pays_at_the_lowest_alpha(seed):
    tradeoff = path_oracles.random_tradeoff(seed)
    worth = np.flatnonzero(tradeoff.importance > 0.0)
    before: list[int] = []
    for row in nested_subsets(tradeoff, worth.size):
        pays = {}
        for i in set(worth.tolist()) - set(before):
            more = tradeoff.cost[i] + sum(tradeoff.redundancy[i, j] for j in before)
            pays[i] = more / (more + tradeoff.importance[i])
        (entered,) = set(np.flatnonzero(row).tolist()) - set(before)
        assert pays[entered] == pytest.approx(min(pays.values()))
        before.append(entered)
    assert sorted(before) == worth.tolist()


def test_of_features_that_cost_nothing_the_most_important_comes_first():
    tradeoff = Tradeoff([1.0, 3.0, 2.0], np.zeros((3, 3)))
    np.testing.assert_array_equal(nested_subsets(tradeoff, 3).sum(axis=0), [1, 3, 2])


def test_a_path_near_a_size_finds_the_widest_of_the_windows_that_it_passes():
    # Sizes may fall: few strong features take the place of many weak ones. Of these tables all are found, of the next
    # 200 all but one.
    passed = 0
    for seed in range(200):
        tradeoff = path_oracles.random_tradeoff(seed)
        whole = alpha_path(tradeoff)
        for k in {size for size in whole.sizes if whole.sizes.count(size) > 1}:
            near, widest = alpha_path(tradeoff, k=k).of_size(k), whole.of_size(k)
            assert near.stop - near.start == pytest.approx(widest.stop - widest.start, abs=1e-9)
            passed += 1
    assert passed > 50
