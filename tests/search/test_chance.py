"""Chance: what shuffled targets show, and p-values that are as small as often as they say."""

from math import log

import numpy as np
import pytest
from scipy.stats import chi2

from quboselect import importance
from quboselect.counting.bins import Codes
from quboselect.protocols import importance_of
from quboselect.search.chance import (
    chi_square_p_values,
    is_moved,
    pooled_p_values,
    shuffled_importances,
)
from quboselect.tables.table import as_table
from quboselect.tables.target import as_target


def naive_p_values(seen, shuffled):
    """Return the p-values, one feature and one shuffle at a time."""
    rows = np.cbrt(np.vstack([seen, shuffled]))
    pool, reached = [], []
    for column in rows.T:
        for s, value in enumerate(column):
            others = np.delete(column, s)
            away = (value - others.mean()) / others.std(ddof=1)
            (pool if s else reached).append(away)
    return [(1 + sum(other >= away for other in pool)) / (1 + len(pool)) for away in reached]


@pytest.mark.parametrize("seed", range(5))
def test_p_values_are_those_of_a_loop(seed):
    rng = np.random.default_rng(seed)
    shuffled = rng.gamma(2.0, size=(12, 4)) * [1.0, 5.0, 0.1, 2.0]
    seen = rng.gamma(3.0, size=4) * [1.0, 5.0, 0.1, 2.0]
    np.testing.assert_allclose(pooled_p_values(seen, shuffled), naive_p_values(seen, shuffled))


def test_the_least_p_value_is_one_of_all_shuffles_of_all_features():
    shuffled = np.random.default_rng(0).random((50, 8))
    assert pooled_p_values(np.full(8, 1e6), shuffled).tolist() == [1 / 401] * 8


def test_what_no_shuffle_changes_is_never_sure_and_has_no_say():
    shuffled = np.random.default_rng(0).random((50, 3))
    both = np.column_stack([shuffled, np.full(50, 0.7)])
    assert is_moved(both).tolist() == [True, True, True, False]
    found = pooled_p_values(np.array([0.5, 0.9, 2.0, 0.7]), both)
    np.testing.assert_array_equal(found[:3], pooled_p_values(np.array([0.5, 0.9, 2.0]), shuffled))
    assert found[3] == 1.0


def test_a_shuffle_that_alone_differs_from_the_others_is_as_far_out_as_can_be():
    rare = np.zeros((50, 1))
    rare[7] = 0.3
    # Two of fifty-one: the one shuffle, and the table itself.
    assert pooled_p_values(np.array([0.3]), rare).tolist() == [2 / 51]
    assert pooled_p_values(np.array([0.3]), np.zeros((50, 1))).tolist() == [1 / 51]
    assert pooled_p_values(np.array([0.0]), rare).tolist() == [1.0]


# A table and a target which have nothing in common, of a generator.
KINDS = {
    "two classes": lambda rng: (rng.normal(size=(60, 40)), rng.integers(0, 2, 60)),
    "continuous": lambda rng: (rng.normal(size=(90, 40)), rng.normal(size=90)),
    "rare": lambda rng: (rng.random((150, 40)) < rng.uniform(0.03, 0.5, 40), rng.random(150) < 0.2),
}


@pytest.mark.parametrize("kind", KINDS)
def test_useless_features_have_small_p_values_as_seldom_as_they_say(kind):
    found = []
    for seed in range(25):
        X, y = KINDS[kind](np.random.default_rng(seed))
        X, y = as_table(X), as_target(y)
        measure = importance.MutualInformation()
        shuffled = shuffled_importances(measure, X, y, 60, seed)
        found.append(pooled_p_values(importance_of(measure, X, y), shuffled))
    p_values = np.concatenate(found)  # a thousand, which is what the limits below are for
    assert (p_values <= 0.2).mean() < 0.2 + 3 * np.sqrt(0.2 * 0.8 / 1000)
    assert (p_values <= 0.01).mean() < 0.01 + 3 * np.sqrt(0.01 * 0.99 / 1000)
    assert (p_values <= 0.2).mean() > 0.1


@pytest.mark.parametrize("weights", ["by class", "by feature", "any"])
def test_weights_make_useless_features_no_surer(weights):
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(200, 30)), (rng.random(200) < 0.12).astype(int)
        given = {"by class": np.where(y, 7, 1), "by feature": np.exp(X[:, 0]), "any": rng.integers(1, 4, 200)}
        table, target = as_table(X, sample_weight=given[weights]), as_target(y)
        measure = importance.MutualInformation()
        seen = importance_of(measure, table, target)
        found.append(pooled_p_values(seen, shuffled_importances(measure, table, target, 60, seed)))
    for limit in (0.1, 0.01):
        # Features of one table share its weights, so tables are what is counted.
        share = np.mean(np.array(found) <= limit, axis=1)
        assert share.mean() < limit + 3 * share.std(ddof=1) / np.sqrt(20)
    assert np.mean(np.array(found) <= 0.1) > 0.05


def test_weights_of_classes_go_with_the_target():
    rng = np.random.default_rng(3)
    X, y = np.round(rng.normal(size=(60, 4))), np.arange(60) % 3 // 2
    weights = np.where(y, 4.0, 1.0)
    measure = importance.MutualInformation()
    table, target = as_table(X, sample_weight=weights), as_target(y)
    measure(table, target)
    found = shuffled_importances(measure, table, target, 5, seed=7)
    order = np.random.default_rng(7)
    for row in found:
        at = order.permutation(60)
        np.testing.assert_allclose(
            row,
            measure(np.repeat(X, weights[at].astype(int), axis=0), np.repeat(y[at], weights[at].astype(int))),
        )


@pytest.mark.parametrize(
    "measure",
    [importance.MutualInformation(n_jobs=2), importance.Correlation(), lambda X, y: np.abs(X[y == 1].sum(0))],
    ids=["information", "correlation", "function"],
)
def test_shuffles_are_the_measure_of_shuffled_targets(measure):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 5)), rng.integers(0, 2, 40)
    table, target = as_table(X), as_target(y)
    found = shuffled_importances(measure, table, target, 20, seed=7)
    order = np.random.default_rng(7)
    expected = [importance_of(measure, as_table(X), as_target(y[order.permutation(40)])) for _ in range(20)]
    np.testing.assert_array_equal(found, expected)


def test_shuffles_do_not_drive_out_what_a_table_has_counted():
    rng = np.random.default_rng(0)
    table, target = as_table(rng.normal(size=(40, 3))), as_target(rng.integers(0, 2, 40))
    measure = importance.MutualInformation()
    counted = measure.information(table, target)
    shuffled_importances(measure, table, target, 40)
    assert measure.information(table, target) is counted


def test_chi_square_is_that_of_the_counts_with_williams_correction():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 4, 200), rng.integers(0, 3, 200)
    x[:20] = y[:20]
    counts = np.array([[((x == b) & (y == c)).sum() for c in range(3)] for b in range(4)])
    expected = counts.sum(1, keepdims=True) * counts.sum(0) / 200
    G = 2 * (counts * np.log(counts / expected)).sum()
    one, other = (200 / counts.sum(1)).sum() - 1, (200 / counts.sum(0)).sum() - 1
    p_value = chi2.sf(G / (1 + one * other / (6 * 200 * 6)), 6)
    codes, label = Codes([x, np.zeros(200, int)], [4, 1]), Codes([y], [3])
    found = chi_square_p_values(codes, label, np.array([G / (400 * log(2)), 0.0]))
    np.testing.assert_allclose(found, [p_value, 1.0])
