"""The Grover wrapper: feature by feature the classical one, but where the search failed."""

import grover
import numpy as np
import pytest
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.naive_bayes import GaussianNB

from quboselect.datasets import load_ionosphere
from quboselect.quantum import maximum_search

IONOSPHERE = load_ionosphere()
X, Y = IONOSPHERE.X[::2, 2:9], IONOSPHERE.y[::2]


@pytest.fixture(scope="module")
def chosen():
    return {
        (method, seed): (features, counts)
        for method, seed, features, counts in grover.selections(X, Y, 4, range(3))
    }


@pytest.mark.parametrize("way", ["forward", "backward"])
def test_the_classical_step_is_scikit_learns_feature_by_feature(chosen, way):
    wrapper = SequentialFeatureSelector(GaussianNB(), n_features_to_select=4, direction=way, cv=grover.FOLDS)
    theirs = wrapper.fit(X, Y).get_support(indices=True).tolist()
    assert chosen[way, None][0] == chosen[f"{way}, scikit-learn", None][0] == theirs
    candidates = 7 + 6 + 5 + (4 if way == "forward" else 0)
    assert chosen[way, None][1]["model fits"] == grover.FOLDS * candidates


def test_features_are_others_only_where_a_step_was_wrong(chosen):
    for (method, _), (_, counts) in chosen.items():
        if "search" in method and not counts["wrong"]:
            assert counts["other features"] == 0
    assert {method for method, _ in chosen} >= {
        "forward, search",
        "forward, search cut short",
        "backward, search",
        "QFS",
    }


@pytest.mark.parametrize(("candidates", "limit"), [(2, 3), (5, 5), (6, 14), (9, 9)])
def test_a_search_cut_short_is_right_as_often_as_its_exact_probability_says(candidates, limit):
    rng = np.random.default_rng(limit)
    runs = 300
    right = 0
    for seed in range(runs):
        values = rng.permutation(candidates)
        right += maximum_search(values, limit=limit, seed=seed).index == values.argmax()
    chance = grover.chance(candidates, limit)
    assert right / runs == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / runs))


def test_one_look_is_a_guess_and_two_are_better():
    assert grover.chance(8, 1) == pytest.approx(1 / 8)
    # A second look at random is larger, and the largest, in one case of eight unless the first was.
    assert grover.chance(8, 2) == pytest.approx(1 / 8 + 7 / 8 / 8)


def test_of_equal_scores_the_first_is_chosen_by_both_steps():
    scores = [0.5, 0.9, 0.9, 0.1]
    assert {grover.Step(seed)(scores) for seed in (None, 0, 1, 2)} == {1}
