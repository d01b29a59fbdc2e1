"""Targets: labels of any type, continuous numbers, and what is neither."""

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from quboselect.tables.table import as_table
from quboselect.tables.target import Target, as_target


@pytest.mark.parametrize(
    "y",
    [
        ["a", "b", "a"],
        [1, 2, 1],
        [1.0, 2.0, 1.0],
        [True, False, True],
        np.array(["a", "b", "a"], dtype=object),
        np.array([1, 2, 1], dtype=object),
        pd.Series(["a", "b", "a"], dtype="category"),
        pd.Series([1, 2, 1], dtype="Int64"),
        pl.Series(["a", "b", "a"]),
        pl.Series(["a", "b", "a"], dtype=pl.Categorical),
        pa.array(["a", "b", "a"]),
        pa.chunked_array([["a"], ["b", "a"]]),
        pd.DataFrame({"y": ["a", "b", "a"]})["y"],
        pd.Categorical([0.5, 1.5, 0.5]),
        pd.Series([0.5, 1.5, 0.5], dtype="category"),
        pd.cut(pd.Series([1.0, 9.0, 2.0]), 2),
        pd.Series([False, True, False], dtype=object),
        np.array([np.int64(1), np.int64(2), np.int64(1)], dtype=object),
        np.array([2**70, 2**71, 2**70], dtype=object),
        np.array([b"a", b"b", b"a"]),
    ],
)
def test_labels_of_any_type_are_classes(y):
    target = as_target(y)
    assert not target.continuous
    assert (
        np.unique(target.values, return_inverse=True)[1].tolist() == [0, 1, 0] or target.values.dtype == bool
    )


@pytest.mark.parametrize(
    "y", [[0.5, 1.0], np.array([1.5, 2], dtype=object), pd.Series([0.1, 0.2]), pl.Series([0.1, 0.2])]
)
def test_floats_that_are_not_whole_are_continuous(y):
    target = as_target(y)
    assert target.continuous
    assert target.values.dtype == np.float64


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float32, np.float64, object])
def test_more_than_thirty_distinct_whole_numbers_are_a_number(dtype):
    for distinct, repeats in ((30, 1), (30, 400), (31, 1), (31, 400)):
        y = np.tile(np.arange(17, 17 + distinct), repeats).astype(dtype)
        target = as_target(y)
        assert target.continuous == (distinct > 30)
        assert target.values.tolist() == y.tolist()
    assert as_target(np.arange(-40, 0).astype(dtype) if dtype != np.uint8 else y).values.dtype == np.float64


@pytest.mark.parametrize(
    "y",
    [
        np.arange(40).astype(str),
        pd.Categorical(np.arange(40)),
        pd.Series(np.arange(40), dtype="category"),
        np.tile([True, False], 40),
        np.arange(10).repeat(40),
        np.arange(1, 27).repeat(2),
    ],
)
def test_text_categories_and_few_numbers_stay_classes_however_many_samples(y):
    assert not as_target(y).continuous


def test_codes_of_many_classes_are_warned_of_unless_it_is_said_what_they_are():
    for first in (0, 1):
        y = np.arange(first, first + 40)
        with pytest.warns(UserWarning, match=f"from {first} to {first + 39} .*target_type='classes'"):
            assert as_target(y).continuous
        assert as_target(y, "continuous").continuous
        assert not as_target(y, "classes").continuous
    assert as_target(np.arange(2, 42)).continuous
    assert as_target(np.delete(np.arange(42), 7)).continuous


def test_many_whole_numbers_that_floats_cannot_hold_are_refused():
    with pytest.raises(ValueError, match=r"y holds integers .*target_type='classes'"):
        as_target(2**53 + np.arange(42))


def test_the_kind_can_be_said():
    assert as_target([1, 2, 3], "continuous").continuous
    assert not as_target([0.5, 1.5, 0.5], "classes").continuous
    assert as_target(Target(np.arange(3), True), "classes").continuous


def test_some_samples_can_be_taken():
    target = as_target(["a", "b", "c"])
    assert target.take(np.array([2, 2, 0])).values.tolist() == ["c", "c", "a"]


def test_samples_of_no_weight_leave_the_target_too():
    target, X = as_target(["a", "b", "c"]), [[1.0], [2.0], [3.0]]
    assert target.of(as_table(X)) is target
    assert target.of(as_table(X, sample_weight=[1, 0, 2])).values.tolist() == ["a", "c"]
    with pytest.raises(ValueError, match="X and y must have the same number of samples, got 2 and 3"):
        target.of(as_table(X[:2]))


def test_a_column_is_flattened_with_a_warning():
    with pytest.warns(UserWarning, match="column-vector y was passed"):
        assert as_target([[1], [2]]).values.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("y", "kind", "words"),
    [
        ([1.0, np.nan], "auto", "y .*sample 1 is nan: drop it"),
        (["a", None], "auto", "y .*sample 1 is None"),
        (pl.Series([None, "a"]), "auto", "but sample 0 is None"),
        (pd.Series(["a", pd.NA], dtype="string"), "auto", "but sample 1 is"),
        ([1.5, np.inf], "auto", "y must be finite, but sample 1 is infinity"),
        ([[1, 2], [3, 4]], "auto", "y must be one target, got 2 columns: pick one"),
        (
            pd.DataFrame({"a": [1], "b": [2]}),
            "auto",
            r"y must be one target, got 2 columns \(a, b\): pick one",
        ),
        (
            pl.DataFrame({"a": [1], "b": [2]}),
            "auto",
            r"y must be one target, got 2 columns \(a, b\): pick one",
        ),
        ([], "auto", "y must be a non-empty one-dimensional array"),
        (5, "auto", "y must be a non-empty one-dimensional array"),
        ([1j, 2j], "auto", "Complex data not supported"),
        (
            np.array(["2020", "2021"], dtype="M8[Y]"),
            "auto",
            "y must be labels or numbers, got dates or times",
        ),
        ([date(2020, 1, 1), date(2021, 1, 1)], "auto", r"got dates or times \(date\)"),
        (
            np.array([{}, {}], dtype=object),
            "auto",
            "Unknown label type.*labels in y.*one kind",
        ),
        (["a", 1], "auto", "labels in y.*one kind"),
        (
            np.ma.masked_array([1, 2], [False, True]),
            "auto",
            "y .*sample 1 is nan",
        ),
        (pl.DataFrame({"y": [1]}).lazy(), "auto", "y .*lazy LazyFrame"),
        (np.array(["a", 1], dtype=object), "classes", "labels in y.*one kind"),
        (["a", "b"], "continuous", "continuous.*numbers.*target_type='classes'"),
        ([2**60, 1], "continuous", f"y holds integers .*{2**60}.*subtract"),
        ([1, 2], "regression", "target_type.*'auto', 'classes', 'continuous'.*'regression'"),
    ],
)
def test_what_is_no_target_is_refused_in_words(y, kind, words):
    with pytest.raises((ValueError, TypeError), match=words):
        as_target(y, kind)


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize(
    "values", [[1, 2, 1], [True, False, True], ["a", "b", "a"], [0.5, 1.5, 2.5], [2**60, 2**60 + 1]]
)
def test_a_frame_of_one_column_is_that_column(values):
    expected = as_target(np.array(values))
    arrow = pa.table({"y": values})
    frames = (pd.DataFrame({"y": values}), pl.DataFrame({"y": values}), arrow, arrow.to_batches()[0])
    for frame in (
        *frames,
        pd.DataFrame({"y": pd.array(values)}),
        pd.DataFrame({"y": pd.Categorical(values)}),
    ):
        found = as_target(frame)
        assert found.values.tolist() == expected.values.tolist()
        assert found.continuous == expected.continuous


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
def test_a_frame_of_one_column_must_have_every_value():
    for column in (pd.array([1, None], "Int64"), pd.Categorical(["a", None])):
        with pytest.raises(ValueError, match="sample 1 is nan"):
            as_target(pd.DataFrame({"y": column}))
