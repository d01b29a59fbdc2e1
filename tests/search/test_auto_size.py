"""How many are enough: more importance than redundancy, above chance."""

import numpy as np
import pytest

from quboselect import Constraints, SelectQUBO, Tradeoff, importance, redundancy, solvers
from quboselect.protocols import importance_of, redundancy_of
from quboselect.search.auto_size import above_chance, auto_size
from quboselect.tables.table import as_table
from quboselect.tables.target import as_target


def everyone(n, redundancy):
    return redundancy * (1 - np.eye(n))


def enough(tradeoff, **constraints):
    """Return how many of the features of a tradeoff are enough; its numbers do not depend on chance."""
    X, y = np.random.default_rng(0).normal(size=(10, tradeoff.size)), np.arange(10) % 2
    table, target = as_table(X), as_target(y)
    measures = importance.Precomputed(tradeoff.importance), redundancy.Precomputed(tradeoff.redundancy)
    wishes = Constraints.of(tradeoff.size, **constraints)
    return auto_size(tradeoff, wishes, *measures, table, target, solvers.Exhaustive())


def test_features_that_repeat_nothing_are_all_needed():
    assert enough(Tradeoff(np.full(6, 0.1), np.zeros((6, 6)))) == 6


def test_of_copies_one_is_enough():
    assert enough(Tradeoff(np.ones(5), everyone(5, 1.0))) == 1


def test_included_features_count_and_excluded_ones_do_not():
    assert enough(Tradeoff(np.full(6, 0.1), np.zeros((6, 6))), include=[0], exclude=[1, 2]) == 4


def test_at_least_one_is_taken_where_nothing_is_said():
    assert enough(Tradeoff(np.zeros(4), everyone(4, 0.3))) == 1


@pytest.mark.parametrize("seed", range(20))
def test_each_feature_adds_more_than_it_repeats_and_no_other_would(seed):
    rng = np.random.default_rng(seed)
    R = np.triu(rng.random((8, 8)), 1)
    tradeoff = Tradeoff(rng.random(8), R + R.T)
    x = solvers.Exhaustive()(tradeoff.at(0.5)).best
    gain = tradeoff.importance - tradeoff.redundancy @ x
    assert (gain[x] > 0).all()
    assert (gain[~x] <= 0).all()
    assert enough(tradeoff) == x.sum()


def measured(X, y, importance, redundancy):
    table, target = as_table(X), as_target(y)
    tradeoff = Tradeoff(importance_of(importance, table, target), redundancy_of(redundancy, table, target))
    return tradeoff, above_chance(tradeoff, importance, redundancy, table, target)


def test_what_chance_shows_is_taken_off():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    X = np.column_stack([y + 0.3 * rng.normal(size=300), rng.normal(size=(300, 3))])
    X = np.column_stack([X, X[:, 0]])
    cut = {"bins": 20, "edges": "quantile"}  # as in the paper, so many that chance shows
    seen, beyond = measured(X, y, importance.MutualInformation(**cut), redundancy.MutualInformation(**cut))
    assert (seen.importance > 0.02).all()
    assert beyond.importance[0] > 0.5
    assert (beyond.importance[1:4] < 0.03).all()
    assert seen.redundancy[1, 2] > 0.5
    assert beyond.redundancy[1, 2] < 0.2
    assert beyond.redundancy[0, 4] > 2.0


def test_next_to_no_feature_of_noise_passes_for_important():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 400)), rng.integers(0, 2, 200)
    X[:, 0] += y
    seen, beyond = measured(X, y, importance.MutualInformation(), lambda X: np.zeros((400, 400)))
    assert 0.0 < beyond.importance[0] < seen.importance[0]
    assert (beyond.importance[1:] > 0).sum() <= 4  # 1 % of 399


def test_a_feature_with_a_value_for_every_sample_says_nothing_of_the_label():
    y = np.random.default_rng(0).integers(0, 3, 100)
    X = np.array([[f"id {i}", "abc"[label]] for i, label in enumerate(y)], object)
    seen, beyond = measured(X, y, importance.MutualInformation(), redundancy.MutualInformation())
    assert seen.importance[0] == pytest.approx(seen.importance[1])
    assert beyond.importance[0] == 0.0
    assert beyond.importance[1] > 1.0


def test_numbers_of_ones_own_know_no_chance():
    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.arange(30) % 2
    R = everyone(3, 0.4)
    seen, beyond = measured(X, y, importance.Precomputed([0.5, 0.0, 0.2]), redundancy.Precomputed(R))
    np.testing.assert_array_equal(beyond.importance, seen.importance)
    np.testing.assert_array_equal(beyond.redundancy, R)


@pytest.mark.parametrize("given", [{}, {"include": [50]}, {"exclude": [0]}], ids=str)
def test_a_wide_table_has_the_size_that_all_pairs_give(given, monkeypatch):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 60))
    X[:, 10:15] = X[:, :5] + 0.2 * rng.normal(size=(400, 5))
    y = (X[:, :5].sum(axis=1) + 0.5 * rng.normal(size=400) > 0).astype(int)
    dense = SelectQUBO(k="auto", **given).fit(X, y)
    monkeypatch.setattr("quboselect.search.wide.selection.WIDE", 20)
    wide = SelectQUBO(k="auto", **given).fit(X, y)
    assert not wide.result_.tradeoff.dense
    assert 1 < wide.k_ == dense.k_


def test_of_a_wide_table_without_anything_to_tell_one_feature_is_enough(monkeypatch):
    monkeypatch.setattr("quboselect.search.wide.selection.WIDE", 20)
    assert SelectQUBO(k="auto").fit(np.ones((60, 40)), np.arange(60) % 2).k_ == 1


def test_what_a_wide_table_cannot_count_is_refused(monkeypatch):
    monkeypatch.setattr("quboselect.search.wide.selection.WIDE", 20)
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 40)), rng.integers(0, 2, 60)
    with pytest.raises(ValueError, match="k='auto' of 40 features takes neither groups"):
        SelectQUBO(k="auto", groups=[[0, 1]]).fit(X, y)
