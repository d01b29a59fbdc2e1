"""Codings: the codes of any batch are those of the whole table, and what was never seen is refused or grown."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batch_oracles import KINDS, summed, tables
from quboselect import SelectQUBO, importance, redundancy
from quboselect.counting.bins import feature_codes, label_codes
from quboselect.streaming import Tally, selector_reading
from quboselect.streaming.edges import Coding
from quboselect.tables.table import as_table
from quboselect.tables.target import as_target


@settings(max_examples=50, deadline=None)
@given(tables(), st.integers(2, 100), st.sampled_from(["apart", "quantile"]))
def test_the_codes_of_batches_are_those_of_the_table(drawn, bins, edges):
    X, y, pieces, rng = drawn
    coding = summed([Tally.of(*piece) for piece in pieces], rng).coding(bins, edges=edges)
    expected = feature_codes(as_table(X), bins=bins, edges=edges)
    np.testing.assert_array_equal(coding.sizes, expected.sizes)
    assert coding.names == tuple(X.columns)
    for part, labels in pieces:
        rows = X.index.get_indexer(part.index)
        np.testing.assert_array_equal(coding.codes(part).values, expected.values[:, rows])
        label = label_codes(as_target(y), bins=bins, edges=edges)
        np.testing.assert_array_equal(coding.label(labels).values, label.values[:, rows])
        np.testing.assert_array_equal(coding.label(labels).sizes, label.sizes)


@pytest.mark.parametrize("n", [300, 5000])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_long_features_of_every_kind_have_the_codes_of_the_table(kind, n):
    rng = np.random.default_rng(n)
    X = pd.DataFrame({"x": KINDS[kind](rng, n)})
    coding = summed([Tally.of(X[a : a + 77]) for a in range(0, n, 77)], rng).coding(256)
    expected = feature_codes(as_table(X), bins=256)
    np.testing.assert_array_equal(coding.sizes, expected.sizes)
    for a in range(0, n, 1234):
        np.testing.assert_array_equal(coding.codes(X[a : a + 1234]).values, expected.values[:, a : a + 1234])


def test_numbers_that_were_never_seen_fall_into_their_bins():
    tally = Tally.of([[1.0], [2.0], [3.0], [4.0]])
    for edges, codes in (("quantile", [0, 0, 1, 1]), ("apart", [0, 0, 0, 1])):
        coding = tally.coding(bins=2, edges=edges)
        assert coding.codes([[-9.0], [2.4], [2.6], [9.0]]).values.tolist() == [codes]
    whole = Tally.of([[1], [2], [3], [4]]).coding(bins=2)
    assert whole.codes([[-9], [2], [3], [900]]).values.tolist() == [[0, 0, 1, 1]]
    # A bin that held nothing has no code: what falls into it joins the one below, or the first.
    tied = Tally.of(np.array([[0], [0], [0], [5]])).coding(bins=4)
    assert tied.sizes.tolist() == [2]
    assert tied.codes([[-3], [0], [1], [5], [7]]).values.tolist() == [[0, 0, 0, 1, 1]]


def test_a_label_or_a_missing_value_that_was_never_seen_is_refused_by_name():
    X, y = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"], "c": [None, None]}), ["p", "q"]
    coding = Tally.of(X, y).coding()
    for wrong, words in (
        (X.assign(b=["x", "new"]), "part 3: .*'b'.*'new'"),
        (X.assign(a=[1.0, np.nan]), "part 3: .*'a'.*missing"),
        (X.assign(b=["x", None]), "part 3: .*'b'.*missing"),
        (X.assign(c=[None, 2.5]), r"part 3: .*'c'.*2\.5"),
        (X.assign(a=["w", "w"]), "part 3: .*'a'.*numbers.*text"),
        (X.assign(b=[True, True]), "part 3: .*'b'.*text.*true and false"),
        (X.assign(a=[1.0, np.inf]), "part 3: .*'a'.*inf"),
        (X[["a", "b"]], "^part 3 .*'c'"),
        (X[:0], "part 3: .*0 sample"),
    ):
        with pytest.raises(ValueError, match=words):
            coding.codes(wrong, batch="part 3")
    with pytest.raises(ValueError, match=r"part 3: y .*'r'"):
        coding.label(["p", "r"], batch="part 3")
    with pytest.raises(ValueError, match=r"part 3: y .*sample 1"):
        coding.label(["p", None], batch="part 3")
    with pytest.raises(ValueError, match="no target"):
        Tally.of(X).coding().label(y)


def test_what_is_always_missing_in_a_batch_goes_with_any_kind():
    X = pd.DataFrame({"a": [1.0, np.nan], "b": ["x", None], "c": [True, None]})
    coding = Tally.of(X).coding()
    nothing = pd.DataFrame({"a": [None, None], "b": [np.nan, np.nan], "c": [None, None]})
    assert coding.codes(nothing).values.tolist() == [[1, 1]] * 3


def test_excluded_features_are_constant_and_not_even_read():
    X = pd.DataFrame({"when": pd.to_datetime(["2026-01-01"] * 3), "a": [1.0, 2.0, 3.0]})
    coding = Tally.of(X, exclude=["when"]).coding()
    assert coding.sizes.tolist() == [1, 3]
    assert coding.codes(X).values.tolist() == [[0, 0, 0], [0, 1, 2]]
    array = Tally.of(X[["a", "a"]].to_numpy(), exclude=[0]).coding()
    assert array.codes(X[["a", "a"]].to_numpy()).values.tolist() == [[0, 0, 0], [0, 1, 2]]


def test_numbers_taken_as_categories_have_a_code_each():
    X = np.array([[3, 10], [1, 20], [3, 30]])
    coding = Tally.of(X, categorical=[0]).coding(bins=2)
    assert coding.codes(X).values.tolist() == [[1, 0, 1], [0, 0, 1]]
    with pytest.raises(ValueError, match=r"feature 0 .*7"):
        coding.codes([[7, 10]])
    with pytest.raises(ValueError, match=r"3 features.* 2"):
        coding.codes([[7, 10, 1]])


def test_a_grown_coding_keeps_its_codes_and_appends_new_ones():
    X, y = pd.DataFrame({"a": [1.0, 2.0], "b": ["m", "x"], "c": [None, None], "d": [None, None]}), ["p", "q"]
    coding = Tally.of(X, y).coding(bins=2)
    assert coding.grown(X, y) is coding
    more = pd.DataFrame({"a": [np.nan, 1.0], "b": ["a", None], "c": [5.0, None], "d": [True, None]})
    grown = coding.grown(more, ["r", "a"], batch="part 2")
    assert isinstance(grown, Coding)
    assert grown.sizes.tolist() == [3, 4, 2, 2]
    np.testing.assert_array_equal(grown.codes(X).values, coding.codes(X).values)
    assert grown.codes(more).values.tolist() == [[2, 0], [2, 3], [1, 0], [1, 0]]
    assert grown.label(["p", "q", "a", "r"]).values.tolist() == [[0, 1, 2, 3]]
    assert grown.cuts[3].boolean
    assert not grown.same(coding)
    assert grown.same(coding.grown(more, ["r", "a"]))


def test_codings_that_differ_in_anything_are_not_the_same():
    X, y = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]}), [0, 1, 0]
    coding = Tally.of(X, y).coding(3)
    assert coding.same(Tally.of(X, y).coding(3))
    assert repr(coding) == "Coding(2 features, 3 bins)"
    others = [
        Tally.of(X, y).coding(2),
        Tally.of(X, y).coding(3, edges="quantile"),
        Tally.of(X, y).coding(3, by_class=True),
        Tally.of(X).coding(3),
        Tally.of(X, [0, 1, 2]).coding(3),
        Tally.of(X[["a"]], y).coding(3),
        Tally.of(X.rename(columns={"b": "c"}), y).coding(3),
        Tally.of(X.assign(a=[1.0, 2.0, 4.0]), y).coding(3),
        Tally.of(X.assign(b=["x", "z", "x"]), y).coding(3),
    ]
    assert not any(coding.same(other) or other.same(coding) for other in others)


def test_codings_that_rank_values_otherwise_are_not_the_same():
    ranks = {
        "importance": importance.Correlation(ranks=True),
        "redundancy": redundancy.Correlation(ranks=True),
    }
    reading = selector_reading(SelectQUBO(**ranks))
    tables = [
        pd.DataFrame({"a": values})
        for values in ([1.0, 2.0, 3.0, 3.0], [3.0, 1.0, 3.0, 2.0], [1.0, 1.0, 2.0, 3.0])
    ]
    one, same, other = (reading.coding(reading.tally(table, [0.5, 1.5, 2.5, 3.5])) for table in tables)
    # The same values, of which another one is there twice.
    assert all(a.same(b) for a, b in zip(one.cuts, other.cuts, strict=True))
    assert one.same(same)
    assert not one.same(other)


def test_too_many_codes_are_refused_by_name():
    X = pd.DataFrame({"id": np.arange(70_000).astype(str)})
    with pytest.raises(ValueError, match=r"'id'.*70000.*65536"):
        Tally.of(X).coding()
    with pytest.raises(ValueError, match=r"y .*70000.*65536"):
        Tally.of(np.zeros((70_000, 1)), np.arange(70_000).astype(str)).coding()
    with pytest.raises(ValueError, match=r"bins.*65536.*1"):
        Tally.of([[1.0]]).coding(1)
