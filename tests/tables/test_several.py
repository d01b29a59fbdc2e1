"""Several targets, of any frame and kind, and none."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from quboselect.tables.several import NoTarget, Targets, as_targets, check_way
from quboselect.tables.table import as_table
from quboselect.tables.target import Target

COLUMNS = {"kind": ["a", "b", "a"], "size": [0.5, 1.5, 2.5], "many": [1, 2, 2]}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_each_column_of_a_frame_is_read_for_itself(library):
    targets = as_targets(library(COLUMNS))
    assert [part.continuous for part in targets.parts] == [False, True, False]
    assert [part.values.tolist() for part in targets.parts] == list(COLUMNS.values())


def test_arrays_and_lists_have_columns_too():
    for y in (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]):
        assert [part.values.tolist() for part in as_targets(y).parts] == [[1, 3], [2, 4]]
    assert [part.continuous for part in as_targets([[1, 0.5], [2, 1.5]], "classes").parts] == [False, False]


def test_one_column_is_one_target():
    for y in (["a", "b"], pd.DataFrame({"y": ["a", "b"]}), pl.Series(["a", "b"])):
        target = as_targets(y)
        assert isinstance(target, Target)
        assert target.values.tolist() == ["a", "b"]
    categories = pd.DataFrame({"y": pd.Categorical(np.arange(40))})
    assert not as_targets(categories).continuous
    with pytest.warns(UserWarning, match="column-vector y was passed"):
        assert as_targets([[1], [2]]).values.tolist() == [1, 2]


def test_some_samples_can_be_taken_of_all():
    targets = as_targets(pd.DataFrame(COLUMNS))
    assert [part.values.tolist() for part in targets.take(np.array([2, 0])).parts] == [
        ["a", "a"],
        [2.5, 0.5],
        [2, 1],
    ]
    kept = targets.of(as_table(np.zeros((3, 1)), sample_weight=[0, 1, 1]))
    assert kept.parts[0].values.tolist() == ["b", "a"]
    with pytest.raises(ValueError, match=r"X and y .*2 and 3"):
        targets.of(as_table(np.zeros((2, 1))))


def test_what_was_read_is_returned_as_it_is_and_nothing_is_no_target():
    targets, none = as_targets(pd.DataFrame(COLUMNS)), as_targets(None)
    assert isinstance(targets, Targets)
    assert as_targets(targets) is targets
    assert isinstance(none, NoTarget)
    assert as_targets(none).take(np.array([0])).of(as_table([[1.0]])).parts == ()


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (pd.DataFrame({"a": [1, 2], "b": [1.0, np.nan]}), "column 'b' of y: .*sample 1 is nan"),
        (np.array([[1.0, np.inf], [1, 2]]), "column 1 of y: .*infinity"),
        (pd.DataFrame(index=[0, 1]), "at least one column"),
    ],
)
def test_a_wrong_column_is_named(y, words):
    with pytest.raises(ValueError, match=words):
        as_targets(y)


def test_there_are_two_ways():
    check_way("sum")
    check_way("joint")
    with pytest.raises(ValueError, match="targets must be 'sum' or 'joint', got 'mean'"):
        check_way("mean")
