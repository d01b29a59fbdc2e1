"""Tallies: exact sums in any order, sketches within their stated error, and batches that do not belong together."""

import pickle
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings

from batch_oracles import summed, tables
from quboselect.streaming import Tally
from quboselect.streaming.values import label_values, number_values
from quboselect.tables.table import as_table


def naive(x):
    """Return the distinct values that are there with their counts, and how many are not."""
    there = [value for value in x.tolist() if not pd.isna(value)]
    return {value: there.count(value) for value in set(there)}, len(x) - len(there)


def is_number(y):
    """Return whether a target is a number: one that is not whole, or more than thirty of them."""
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in y.tolist()):
        return False
    return any(value % 1 for value in y.tolist()) or len(set(y.tolist())) > 30


@settings(max_examples=40, deadline=None)
@given(tables(60))
def test_any_sum_of_batches_holds_each_value_as_often_as_the_table(drawn):
    X, y, pieces, rng = drawn
    tally = summed([Tally.of(*piece, n_jobs=1) for piece in pieces], rng)
    assert tally.n_samples == len(X)
    assert tally.names == tuple(X.columns)
    for name, seen in zip(X.columns, tally.features, strict=True):
        counts, missing = naive(X[name].astype(object))
        assert dict(zip(seen.values.tolist(), seen.counts.tolist(), strict=True)) == counts
        assert seen.missing == missing
        assert seen.values.dtype == object or (np.diff(seen.values.astype(object)) > 0).all()
    assert dict(zip(tally.label.values.tolist(), tally.label.counts.tolist(), strict=True)) == naive(y)[0]


@settings(max_examples=40, deadline=None)
@given(tables(60))
def test_a_tally_survives_pickling_and_knows_the_kind_of_the_target_only_at_the_end(drawn):
    X, y, pieces, rng = drawn
    tally = pickle.loads(pickle.dumps(summed([Tally.of(*piece) for piece in pieces], rng)))
    assert tally.target_kind == ("continuous" if is_number(y) else "classes")
    assert (tally.rank_error, tally.approximate) == (0.0, ())
    assert repr(tally) == f"Tally({len(X)} samples, {X.shape[1]} features)"


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_every_library_is_tallied_alike(library):
    columns = {"n": [1.5, None, 1.5], "t": ["b", "a", None], "i": [3, 3, 1], "f": [True, False, True]}
    tally = Tally.of(library(columns), ["x", "y", "x"])
    found = [(seen.kind, seen.values.tolist(), seen.counts.tolist(), seen.missing) for seen in tally.features]
    assert found == [
        ("number", [1.5], [2], 1),
        ("category", ["a", "b"], [1, 1], 1),
        ("number", [1, 3], [1, 2], 0),
        ("category", [False, True], [1, 2], 0),
    ]
    assert [seen.boolean for seen in tally.features] == [False, False, False, True]


def test_numbers_can_be_taken_as_categories_and_features_can_be_left_out():
    X = np.array([[3.0, 1.0, 5.0], [1.0, 2.0, np.nan]])
    tally = Tally.of(X, categorical=[0, 2], exclude=[1])
    assert [seen.kind for seen in tally.features] == ["category", "number", "category"]
    assert tally.features[0].values.tolist() == [1.0, 3.0]
    assert tally.features[1].values.tolist() == [0]
    assert tally.target_kind is None
    frame = pd.DataFrame({"a": [1, 2], "when": pd.to_datetime(["2026-01-01", "2026-01-02"])})
    assert Tally.of(frame, exclude="when").features[1].counts.tolist() == [2]


def test_the_asked_kind_of_the_target_is_kept():
    X, y = np.zeros((3, 1)), [0.5, 1.0, 2.0]
    assert Tally.of(X, y, target_type="classes").target_kind == "classes"
    assert Tally.of(X, [1, 2, 3], target_type="continuous").target_kind == "continuous"
    assert Tally.of(X, pd.Series(y, dtype="category")).target_kind == "classes"
    with pytest.raises(ValueError, match=r"target_type.*'auto', 'classes', 'continuous'.*'numbers'"):
        Tally.of(X, y, target_type="numbers")
    with pytest.raises(ValueError, match=r"exact_bytes.*-1"):
        Tally.of(X, y, exact_bytes=-1)


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float64])
def test_many_whole_numbers_are_a_number_once_all_were_seen(kind):
    X, y = np.zeros((20, 1)), np.arange(5, 45).astype(kind)
    first, second = Tally.of(X, y[:20]), Tally.of(X, y[20:])
    assert (first.target_kind, second.target_kind) == ("classes", "classes")
    both = first + second
    assert both.target_kind == "continuous"
    assert both.coding(4).n_labels == 4
    assert (first + first).target_kind == "classes"
    same = Tally.of(np.zeros((30, 1)), y[:30])
    assert same.target_kind == "classes"
    assert (same + Tally.of(X[:1], y[30:31])).target_kind == "continuous"


def test_codes_of_classes_that_are_taken_for_a_number_are_warned_of():
    X, y = np.zeros((30, 1)), np.arange(60)
    tally = Tally.of(X, y[:30]) + Tally.of(X, y[30:])
    with pytest.warns(UserWarning, match="from 0 to 59.*target_type='classes'"):
        tally.coding()
    Tally.of(X, y[2:32]).coding()
    Tally.of(np.zeros((60, 1)), y, target_type="continuous").coding()


def test_many_categories_stay_classes():
    y = pd.Categorical(np.arange(40))
    assert Tally.of(np.zeros((40, 1)), y).target_kind == "classes"
    assert Tally.of(np.zeros((40, 1)), np.arange(40).astype(str)).target_kind == "classes"


N = 20_000


@cache
def sketched():
    """Return a table, and its tally with room for a few values of each feature."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=N), rng.exponential(size=N), rng.random(N)])
    X[:, 1] *= rng.random(N) < 0.5  # half of it is one value
    pieces = [(X[a : a + 1700], X[a : a + 1700, 0] * 2) for a in range(0, N, 1700)]
    return X, summed([Tally.of(*piece, exact_bytes=2**14) for piece in pieces], rng)


def test_edges_are_within_the_stated_rank_error():
    X, tally = sketched()
    assert tally.approximate == ("feature 0", "feature 1", "feature 2", "y")
    assert 0 < tally.rank_error < 0.02
    levels, off = np.arange(1, 20) / 20, []
    coding = tally.coding(20, edges="quantile")
    for x, cut in zip([*X.T, X[:, 0] * 2], [*coding.cuts, coding.target], strict=True):
        # Edges that coincide are one: each must be right for some level, and each level have an edge.
        low = (x[:, None] < cut.edges).mean(axis=0)[:, None]
        high = (x[:, None] <= cut.edges).mean(axis=0)[:, None]
        errors = np.maximum(np.maximum(low - levels, levels - high), 0)
        off += [*errors.min(axis=0), *errors.min(axis=1)]
    # A level lies between two samples.
    assert max(off) <= tally.rank_error + 1 / N
    assert coding.rank_error == tally.rank_error


def test_a_sketch_keeps_frequent_values_apart():
    rng = np.random.default_rng(0)
    x = rng.normal(size=20_000) * (rng.random(20_000) < 0.3)
    X = np.column_stack([x, rng.normal(size=20_000)])
    pieces = [Tally.of(X[a : a + 5000], exact_bytes=2**14) for a in range(0, 20_000, 5000)]
    coding = sum(pieces).coding(10)
    assert coding.rank_error > 0
    counts = [np.bincount(row) for row in coding.codes(X).values]
    assert coding.sizes.tolist() == [counts[0].size, counts[1].size]
    assert abs(counts[0].max() - (x == 0).sum()) < 0.02 * 20_000
    assert counts[1].size == 10
    assert np.abs(counts[1] / 20_000 - 0.1).max() < 2 * coding.rank_error


def test_as_many_samples_are_counted_as_there_are():
    X, tally = sketched()
    for seen, x in zip(tally.features, X.T, strict=True):
        values, counts = seen.weights()
        assert counts.sum() == N
        assert (np.diff(values) >= 0).all()
        assert values[0] >= x.min()
    assert pickle.loads(pickle.dumps(tally)).rank_error == tally.rank_error


def test_a_feature_is_sketched_in_any_order_or_in_none():
    rng = np.random.default_rng(1)
    pieces = [rng.normal(size=(40, 1)) for _ in range(4)]
    for _ in range(5):
        order = rng.permutation(4)
        assert summed([Tally.of(pieces[i], exact_bytes=16 * 159) for i in order], rng).approximate
        assert not summed([Tally.of(pieces[i], exact_bytes=16 * 160) for i in order], rng).approximate


def test_integers_categories_and_classes_are_always_exact():
    X = pd.DataFrame({"i": np.arange(300), "t": np.arange(300).astype(str)})
    tally = Tally.of(X, np.arange(300.0) % 30, exact_bytes=0)
    assert tally.approximate == ()
    assert tally.target_kind == "classes"
    assert (tally + Tally.of(X, np.arange(300) / 2, exact_bytes=0)).approximate == ("y",)
    assert (tally + Tally.of(X, np.arange(300.0) % 30 + 1, exact_bytes=0)).approximate == ("y",)
    classes = Tally.of(X, np.arange(300.0), target_type="classes", exact_bytes=0)
    assert (classes.approximate, classes.target_kind) == ((), "classes")


def test_a_value_seen_often_is_not_added_as_often():
    values = np.sort(np.random.default_rng(2).normal(size=1000))
    often = number_values(values)
    counts = np.ones(1000, np.int64)
    counts[300] = 10**12
    often = type(often)("number", often.values, counts).within(10)
    assert often.weights()[1].sum() == 10**12 + 999
    assert often.cut(2, "quantile").edges.tolist() == [values[300]]


FRAME = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (FRAME[["a"]], "batch 2 .*'b'.*batch 1"),
        (FRAME.assign(c=1), "batch 1 .*'c'.*batch 2"),
        (FRAME[["b", "a"]], "feature 0 .*'a' in batch 1 .*'b' in batch 2"),
        (FRAME.to_numpy(), "batch 2 .*names"),
        (FRAME.to_numpy()[:, :1], "batch 2 has 1 .*batch 1 has 2"),
        (FRAME.assign(a="w"), "'a'.*numbers in batch 1 .*text or categories in batch 2"),
        (FRAME.assign(a=True), "'a'.*numbers in batch 1 .*true and false in batch 2"),
        (FRAME.assign(b=1), "'b'.*text or categories in batch 1 .*numbers in batch 2"),
    ],
)
def test_batches_of_different_features_are_not_added(other, words):
    tally = Tally.of(FRAME, [0, 1], batch="batch 1")
    with pytest.raises(ValueError, match=words):
        tally + Tally.of(other, [0, 1], batch="batch 2")
    assert tally.n_samples == 2


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (Tally.of(FRAME, ["p", "q"]), "y.*numbers in .*text or categories in"),
        (Tally.of(FRAME), "no target"),
        (
            Tally.of(FRAME, [0, 1], target_type="continuous"),
            "target_type.*'auto'.*'continuous'",
        ),
        (Tally.of(FRAME, [0, 1], exact_bytes=2**20), "exact_bytes.*1073741824.* 1048576 "),
        (Tally.of(FRAME, [0, 1], exclude="a"), "excluded"),
        (Tally.of(FRAME, [0, 1], categorical="b"), "categorical"),
    ],
)
def test_tallies_made_differently_are_not_added(other, words):
    with pytest.raises(ValueError, match=words):
        Tally.of(FRAME, [0, 1]) + other


def test_a_conflict_names_the_batch_that_first_told_the_kind():
    nothing = Tally.of(FRAME.assign(a=None), [0, 1], batch="part 1")
    tally = nothing + Tally.of(FRAME, [0, 1], batch="part 2")
    with pytest.raises(ValueError, match=r"'a'.*numbers in part 2 .*text or categories in part 3"):
        tally + Tally.of(FRAME.assign(a="w"), [0, 1], batch="part 3")


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[np.inf]], [0], "part 4: .*feature 0 .*inf"),
        ([[1.0]], [None], "part 4: y .*sample 0"),
        ([[1.0]], [np.nan], "part 4: y .*sample 0"),
        ([[1.0]], [0, 1], "part 4: .*1 and 2"),
        (np.empty((0, 2)), [], "part 4: .*0 sample"),
        (
            [["a", 1], [2, 1]],
            [0, 1],
            "part 4: .*feature 0 ",
        ),
    ],
)
def test_a_wrong_batch_is_refused_by_name(X, y, words):
    with pytest.raises(ValueError, match=words):
        Tally.of(X, y, batch="part 4")


def test_small_integers_and_floats_go_together():
    tally = Tally.of(np.array([[1], [2]])) + Tally.of(np.array([[2.0], [np.nan]]))
    assert tally.features[0].values.tolist() == [1.0, 2.0]
    assert tally.features[0].counts.tolist() == [1, 2]


def test_weights_are_refused_and_other_things_are_not_added():
    with pytest.raises(ValueError, match="weights"):
        Tally.of(as_table([[1.0], [2.0]], sample_weight=[1, 2]))
    with pytest.raises(TypeError, match="unsupported operand"):
        Tally.of([[1.0]]) + 1
    with pytest.raises(TypeError, match="unsupported operand"):
        label_values(np.array([0]), ["a"]) + 1


def test_integers_that_floats_cannot_tell_apart_are_refused_by_feature_and_batch():
    large = pd.DataFrame({"id": pd.array([2**60, None], "Int64")})
    with pytest.raises(ValueError, match=r"part 2: .*'id'.*2\^53"):
        Tally.of(large, batch="part 2")
    small = Tally.of(pd.DataFrame({"id": [1, 2]}))
    with pytest.raises(ValueError, match=r"part 2: .*'id'.*2\^53"):
        small.coding().codes(large, batch="part 2")
