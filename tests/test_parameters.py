"""Parameters of parameters: measures and solvers are frozen, and yet a grid can search over their parts."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from quboselect import SelectQUBO, SelectQUBOCV, criteria, importance, redundancy, solvers


def test_a_part_is_set_on_a_copy():
    measure, criterion = redundancy.MutualInformation(), criteria.MRMR()
    selector = SelectQUBO(redundancy=measure, criterion=criterion)
    assert selector.set_params(redundancy__bins=7, criterion__bins=4, solver__effort=5) is selector
    assert selector.redundancy == redundancy.MutualInformation(bins=7)
    assert selector.criterion == criteria.MRMR(bins=4)
    assert selector.solver == solvers.Portfolio(effort=5)
    assert (measure, criterion) == (redundancy.MutualInformation(), criteria.MRMR())
    assert SelectQUBO().solver == solvers.Portfolio()  # the default is shared by all


def test_parts_are_among_the_deep_parameters_only():
    selector = SelectQUBO(importance=importance.MutualInformation(bins=6), criterion=criteria.JMI())
    deep, plain = selector.get_params(), selector.get_params(deep=False)
    assert deep["importance__bins"] == 6
    assert deep["criterion__bins"] == "auto"
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
    selector = SelectQUBO(redundancy=redundancy.MutualInformation())
    with pytest.raises(ValueError, match=words):
        selector.set_params(**params)
    assert selector.k == 10
    assert selector.redundancy == redundancy.MutualInformation()


def test_a_grid_searches_over_bins_through_a_pipeline_and_a_search_of_sizes():
    X, y = load_wine(return_X_y=True)
    measures = {"importance": importance.MutualInformation(), "redundancy": redundancy.MutualInformation()}
    pipeline = make_pipeline(SelectQUBO(k=4, **measures), GaussianNB())
    grid = {"selectqubo__redundancy__bins": [4, 10], "selectqubo__importance__bins": [10]}
    found = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    assert found.best_estimator_[0].redundancy.bins in (4, 10)
    direct = SelectQUBO(k=4, redundancy=redundancy.MutualInformation(bins=4)).fit(X, y)
    named = SelectQUBO(k=4, **measures).set_params(redundancy__bins=4)
    assert np.array_equal(named.fit(X, y).support_, direct.support_)
    search = SelectQUBOCV(GaussianNB(), k=[2, 3], cv=3, selector=SelectQUBO(**measures))
    assert search.set_params(selector__redundancy__bins=4).fit(X, y).selector_.redundancy.bins == 4


def test_a_measure_that_is_no_dataclass_has_no_parts():
    def mine(X):
        return np.zeros((X.shape[1], X.shape[1]))

    assert not any(name.startswith("redundancy__") for name in SelectQUBO(redundancy=mine).get_params())


def test_a_part_of_a_measure_that_is_not_there_is_refused_by_name():
    selector = SelectQUBO(k=3)
    with pytest.raises(ValueError, match=r"redundancy__bins .*redundancy is None.*criteria\.Pairs\(bins=5\)"):
        selector.set_params(k=2, redundancy__bins=5)
    assert selector.k == 3
    selector.set_params(redundancy=redundancy.MutualInformation(), redundancy__bins=5)
    assert selector.redundancy == redundancy.MutualInformation(bins=5)


def test_a_measure_whose_signature_cannot_be_read_is_called_with_the_table_alone():
    class Odd:
        __signature__ = "none"

        def __call__(self, X):
            return np.zeros((X.shape[1], X.shape[1]))

    X, y = load_wine(return_X_y=True)
    selector = SelectQUBO(k=2, redundancy=Odd(), alpha=0.5).fit(X, y)
    best = np.argsort(-selector.importance_)[:2]
    assert np.flatnonzero(selector.support_).tolist() == sorted(best.tolist())
    with pytest.raises(ValueError, match="redundancy takes no sample_weight"):
        selector.fit(X, y, sample_weight=np.arange(1, len(y) + 1))
