"""Parameters of parameters: measures and solvers are frozen, and yet a grid can search over their parts."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from quboselect import SelectQUBO, SelectQUBOCV, importance, redundancy, solvers


def test_a_part_is_set_on_a_copy():
    selector = SelectQUBO()
    measure = selector.redundancy
    assert selector.set_params(redundancy__bins=7, solver__effort=5) is selector
    assert selector.redundancy == redundancy.MutualInformation(bins=7)
    assert selector.solver == solvers.Portfolio(effort=5)
    assert measure == redundancy.MutualInformation()
    assert SelectQUBO().redundancy == measure  # the default is shared by all


def test_parts_are_among_the_deep_parameters_only():
    deep, plain = SelectQUBO().get_params(), SelectQUBO().get_params(deep=False)
    assert deep["importance__bins"] == importance.MutualInformation().bins
    assert {name for name in deep if "__" not in name} == set(plain)
    assert clone(SelectQUBO(redundancy=redundancy.MutualInformation(bins=4))).redundancy.bins == 4


def test_a_whole_and_its_part_may_come_together_in_any_order():
    for names in (("solver", "solver__seed"), ("solver__seed", "solver")):
        values = {"solver": solvers.Anneal(reads=7), "solver__seed": 3}
        selector = SelectQUBO().set_params(**{name: values[name] for name in names})
        assert selector.solver == solvers.Anneal(reads=7, seed=3)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        (
            {"k": 3, "redundancy__bin": 7},
            "Invalid parameter 'bin' for redundancy=.*Valid parameters are: bins",
        ),
        ({"k": 3, "solver__effort": -1}, "effort"),
        ({"k": 3, "redundancies__bins": 7}, "Invalid parameter 'redundancies'"),
    ],
)
def test_where_one_is_refused_nothing_is_set(params, words):
    selector = SelectQUBO()
    with pytest.raises(ValueError, match=words):
        selector.set_params(**params)
    assert selector.k == 10
    assert selector.redundancy == redundancy.MutualInformation()


def test_a_grid_searches_over_bins_through_a_pipeline_and_a_search_of_sizes():
    X, y = load_wine(return_X_y=True)
    pipeline = make_pipeline(SelectQUBO(k=4), GaussianNB())
    grid = {"selectqubo__redundancy__bins": [4, 10], "selectqubo__importance__bins": [10]}
    found = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    assert found.best_estimator_[0].redundancy.bins in (4, 10)
    direct = SelectQUBO(k=4, redundancy=redundancy.MutualInformation(bins=4)).fit(X, y)
    assert np.array_equal(SelectQUBO(k=4).set_params(redundancy__bins=4).fit(X, y).support_, direct.support_)
    search = SelectQUBOCV(GaussianNB(), k=[2, 3], cv=3, selector=SelectQUBO())
    assert search.set_params(selector__redundancy__bins=4).fit(X, y).selector_.redundancy.bins == 4


def test_a_measure_that_is_no_dataclass_has_no_parts():
    def mine(X):
        return np.zeros((X.shape[1], X.shape[1]))

    assert not any(name.startswith("redundancy__") for name in SelectQUBO(redundancy=mine).get_params())
