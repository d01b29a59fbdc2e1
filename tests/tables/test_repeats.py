"""Repeated features: found whatever their kind, and measured once, to the same numbers."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_array
from sklearn.linear_model import LogisticRegression

from quboselect import SelectQUBO, criteria, importance, redundancy
from quboselect.tables.table import as_table

SAMPLES = 120


def some(rng):
    """Return a frame of six features of every kind, one with gaps, and a label."""
    numbers = rng.normal(size=(SAMPLES, 4))
    numbers[rng.random(SAMPLES) < 0.1, 3] = np.nan
    y = (numbers[:, 0] + numbers[:, 1] > 0).astype(int)
    frame = pd.DataFrame(numbers, columns=list("abcd"))
    frame["text"] = rng.choice(["red", "green"], SAMPLES)
    frame["flag"] = rng.random(SAMPLES) < 0.5
    return frame, y


def repeated(frame, order):
    """Return the features of a frame in an order that repeats some, named anew."""
    wide = pd.concat([frame.iloc[:, i] for i in order], axis=1)
    wide.columns = [f"f{i}" for i in range(len(order))]
    return wide


@pytest.mark.parametrize("seed", range(5))
def test_a_table_without_its_repeats_has_each_feature_once_and_once_more(seed):
    rng = np.random.default_rng(seed)
    frame, _ = some(rng)
    order = rng.permutation(np.concatenate([np.arange(6), rng.integers(0, 6, 9)]))
    few = as_table(repeated(frame, order)).repeats
    assert few.table.n_features == sum(min(2, (order == i).sum()) for i in range(6))
    names = np.array(few.table.names)
    for i, which in enumerate(order):
        same = [f"f{j}" for j in np.flatnonzero(order == which)]
        assert names[few.first[i]] == same[0]
        assert names[few.second[i]] == same[min(1, len(same) - 1)]


def test_what_is_alike_but_not_the_same_is_told_apart():
    x = np.zeros((1000, 3))
    x[537, 1] = 1.0  # not among the samples that are looked at first
    table = as_table(np.column_stack([x, x[:, 1]]))
    assert table.repeats.first.tolist() == [0, 1, 0, 1]
    words = pd.DataFrame({"a": ["x", "y"] * 20, "b": ["u", "v"] * 20})
    assert as_table(words).repeats is None  # the same codes of other categories
    assert as_table(np.arange(30.0).reshape(10, 3)).repeats is None


MEASURES = [
    {},
    {"criterion": criteria.QFS(bins=5, edges="quantile")},
    {"criterion": criteria.JMI()},
    {"criterion": criteria.DISR()},
    {"importance": importance.Entropy(), "redundancy": redundancy.MutualInformation(normalised=True)},
]


@pytest.mark.parametrize("given", MEASURES, ids=str)
@pytest.mark.parametrize("kind", ["frame", "array", "sparse", "weighted"])
def test_numbers_are_those_of_measuring_every_feature(given, kind, monkeypatch):
    rng = np.random.default_rng(3)
    frame, y = some(rng)
    X, order = frame, [0, 1, 2, 0, 3, 4, 5, 4, 3, 0]
    if kind != "frame":
        X, order = frame[list("abc")], [0, 1, 2, 0, 2, 0]
    X = repeated(X, order)
    X = X if kind == "frame" else csc_array(X.to_numpy()) if kind == "sparse" else X.to_numpy()
    weight = rng.integers(0, 4, SAMPLES) if kind == "weighted" else None
    fits = [SelectQUBO(3, **given).fit(X, y, weight)]
    monkeypatch.setattr("quboselect.fitting.repeats_of", lambda *_: None)
    fits.append(SelectQUBO(3, **given).fit(X, y, weight))
    np.testing.assert_array_equal(fits[0].importance_, fits[1].importance_)
    np.testing.assert_array_equal(fits[0].redundancy_, fits[1].redundancy_)
    np.testing.assert_array_equal(fits[0].get_support(), fits[1].get_support())


def test_a_function_of_the_user_sees_every_feature():
    rng = np.random.default_rng(4)
    frame, y = some(rng)
    X = repeated(frame[["a", "b"]], [0, 1, 0, 0])
    selector = SelectQUBO(2, importance=lambda X, y: np.arange(1.0, 5.0)).fit(X, y)
    assert selector.importance_.tolist() == [1.0, 2.0, 3.0, 4.0]
    given = importance.Precomputed([1.0, 2.0, 3.0, 4.0])
    assert SelectQUBO(2, importance=given).fit(X, y).importance_.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_a_model_sees_every_feature(monkeypatch):
    rng = np.random.default_rng(4)
    frame, y = some(rng)
    X = repeated(frame[["a", "b"]], [0, 1, 0, 0])
    asked = {
        "importance": importance.Permutation(LogisticRegression()),
        "redundancy": redundancy.MutualInformation(),
    }
    found = SelectQUBO(2, **asked).fit(X, y).importance_
    monkeypatch.setattr("quboselect.fitting.repeats_of", lambda *_: None)
    np.testing.assert_array_equal(found, SelectQUBO(2, **asked).fit(X, y).importance_)


def test_features_that_look_alike_are_each_read_whole_once(monkeypatch):
    from quboselect.tables import table as module

    rng = np.random.default_rng(0)
    X = csc_array((rng.random((3000, 40)) < 0.001).astype(float))  # mostly zero, so alike at first
    read = []
    whole = module.whole_feature
    monkeypatch.setattr(module, "whole_feature", lambda table, i: (read.append(i), whole(table, i))[1])
    found = as_table(X).repeats
    dense = X.toarray()
    first = [next(j for j in range(40) if (dense[:, j] == dense[:, i]).all()) for i in range(40)]
    assert len(read) == len(set(read)) > 30
    assert (found is None) == (first == list(range(40)))
    if found is not None:
        names = [
            int(np.flatnonzero((found.table.block(i, i + 1)[0][:, None] == dense).all(0))[0])
            for i in found.first
        ]
        assert names == first
