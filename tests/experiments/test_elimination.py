import numpy as np
import pytest
from elimination import eliminate
from sklearn.feature_selection import RFE
from sklearn.tree import DecisionTreeClassifier


@pytest.mark.parametrize("seed", range(5))
def test_it_leaves_what_scikit_learn_leaves_where_no_splits_tie(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1500, 10))
    y = np.digitize(X @ rng.normal(size=10) + rng.normal(size=1500), [-1, 1])
    theirs = RFE(DecisionTreeClassifier(max_depth=4, random_state=0), n_features_to_select=3).fit(X, y)
    assert eliminate(X, y, 3, depth=4).tolist() == theirs.support_.tolist()


def test_few_distinct_values_and_many_give_the_same():
    rng = np.random.default_rng(0)
    X = np.round(3 * rng.normal(size=(3000, 6)))
    y = X[:, 2] + X[:, 4] + rng.normal(size=3000) > 0
    spread = X + 0.0
    spread[0] += 1e6 * np.arange(1, 7)  # one sample far away; codes are ranks, and do not notice
    assert np.flatnonzero(eliminate(spread, y, 2, depth=5)).tolist() == [2, 4]


def test_exactly_k_are_left_even_where_none_is_used():
    assert eliminate(np.zeros((4, 5)), [0, 1, 0, 1], 2, depth=3).tolist() == [True, True, False, False, False]
