"""Joint counts: any batches in any order give the bits of the whole table, and what does not fit is refused."""

import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batch_oracles import pair_table, summed, tables
from quboselect._kernels import counting
from quboselect.counting.bins import Codes, feature_codes, label_codes
from quboselect.counting.information import information_of
from quboselect.importance import Entropy
from quboselect.importance import MutualInformation as Importance
from quboselect.redundancy import CoInformation, SymmetricalRelevance
from quboselect.redundancy import MutualInformation as Redundancy
from quboselect.streaming import Coding, JointCounts, Tally
from quboselect.streaming import layout as module
from quboselect.streaming import tables as entropies
from quboselect.streaming.layout import Layout
from quboselect.tables.table import as_table
from quboselect.tables.target import as_target

WISHES = [
    {},
    {"estimate": "miller-madow"},
    {"estimate": "shrunk"},
    {"normalised": True},
    {"estimate": "miller-madow", "normalised": True, "edges": "quantile"},
]
ESTIMATES = ["plug-in", "miller-madow", "shrunk"]


def counted(pieces, rng, bins=20, edges="apart", by_class=False):
    """Return the coding and the counts of batches, both summed in any order."""
    coding = summed([Tally.of(X, y) for X, y in pieces], rng).coding(bins, edges=edges, by_class=by_class)
    order = rng.permutation(len(pieces))
    return coding, summed([JointCounts.of(coding, *pieces[i], n_jobs=1) for i in order], rng)


def assert_same_bits(counts, X, y, bins, wishes):
    table, target = as_table(X), as_target(y)
    information = counts.information(wishes.get("estimate", "plug-in"))
    for measure in (Importance(bins, **wishes), Entropy(bins, **plain(wishes))):
        np.testing.assert_array_equal(measure.of(information), measure(table, target))
    measure = Redundancy(bins, **wishes)
    np.testing.assert_array_equal(measure.of(information), measure(table))


def plain(wishes):
    return {name: value for name, value in wishes.items() if name != "normalised"}


@settings(max_examples=40, deadline=None)
@given(tables(), st.integers(2, 40), st.sampled_from(WISHES))
def test_any_batches_give_the_bits_of_the_whole_table(drawn, bins, wishes):
    X, y, pieces, rng = drawn
    _, counts = counted(pieces, rng, bins, wishes.get("edges", "apart"))
    assert counts.n_samples == len(X)
    assert_same_bits(counts, X, y, bins, wishes)


@settings(max_examples=40, deadline=None)
@given(tables(), st.sampled_from([2, 5, 30, "auto", "auto-by-class"]), st.sampled_from(ESTIMATES))
def test_any_batches_counted_by_class_give_the_bits_of_the_whole_table(drawn, bins, estimate):
    X, y, pieces, rng = drawn
    coding, counts = counted(pieces, rng, bins, by_class=True)
    assert counts.nbytes == JointCounts.bytes_needed(coding)
    table, target, information = as_table(X), as_target(y), counts.information(estimate)
    options = {"bins": bins, "estimate": estimate, "n_jobs": 1}
    for measure in (
        Importance(**options),
        CoInformation(**options),
        CoInformation(clipped=True, **options),
        CoInformation(together="auto", **options),
        CoInformation(together=0.3, **options),
        SymmetricalRelevance(**options),
    ):
        np.testing.assert_array_equal(measure.of(information), measure(table, target))
    measure = Redundancy(**options)
    np.testing.assert_array_equal(measure.of(information), measure(table, target))
    both = information_of(table, target, bins=bins, estimate=estimate)
    assert [share for share, _ in information.counts.classes()] == [
        share for share, _ in both.counts.classes()
    ]


def test_counts_that_are_not_by_class_say_so():
    X, y = np.arange(20.0)[:, None], [0, 1] * 10
    information = JointCounts.of(Tally.of(X, y).coding(), X, y).information()
    for name in ("conditional", "triples"):
        with pytest.raises(ValueError, match="by_class=True"):
            getattr(information, name)
    for options in ({"by_class": True}, {"bins": "auto-by-class"}):
        with pytest.raises(ValueError, match=r"target.*with y"):
            Tally.of(X).coding(**options)
    with pytest.raises(ValueError, match=r"estimate.*'naive'"):
        JointCounts.of(Tally.of(X, y).coding(), X, y).information("naive")


@pytest.mark.parametrize("wishes", WISHES, ids=str)
def test_features_of_many_codes_give_the_bits_of_the_whole_table(wishes):
    rng = np.random.default_rng(0)
    n = 2500
    X = pd.DataFrame(
        {
            "few": rng.integers(0, 3, n),
            "hundreds": rng.permutation(np.arange(n) % 300).astype(str),
            "more": (rng.random(n) ** 2 * 400).astype(int).astype(str),
            "float": rng.normal(size=n),
            "constant": 1,
        }
    )
    y = rng.integers(0, 400, n).astype(str)
    pieces = [(X[a : a + 700], y[a : a + 700]) for a in (1400, 0, 2100, 700)]
    coding, counts = counted(pieces, rng, 40, wishes.get("edges", "apart"))
    assert (coding.sizes > 256).sum() == 2
    assert_same_bits(counts, X, y, 40, wishes)


def test_entropies_do_not_depend_on_the_order_of_the_samples():
    # Features of so many codes are counted by another route.
    rng = np.random.default_rng(1)
    codes = Codes(rng.integers(0, 400, (3, 900)), [400, 400, 400])
    np.testing.assert_array_equal(
        Redundancy()(codes), Redundancy()(codes.take(rng.permutation(codes.n_samples)))
    )


@settings(max_examples=25, deadline=None)
@given(tables(60), st.integers(2, 30))
def test_the_tables_are_the_naive_counts(drawn, bins):
    X, y, pieces, rng = drawn
    coding, counts = counted(pieces, rng, bins)
    codes, label = feature_codes(as_table(X), bins=bins), label_codes(as_target(y), bins=bins)
    np.testing.assert_array_equal(coding.codes(X).values, codes.values)
    np.testing.assert_array_equal(coding.label(y).values, label.values)
    layout, sizes = counts.layout, coding.sizes
    for i, j in combinations(range(coding.n_features), 2):
        expected = pair_table(codes.values[i], codes.values[j], sizes[i], sizes[j])
        start, stop = layout.starts[j : j + 2] - layout.starts[i + 1]
        np.testing.assert_array_equal(
            layout.panel(layout.panels(counts.tables)[0], i)[:, start:stop], expected[1:, 1:]
        )
    for i in range(coding.n_features):
        expected = pair_table(label.values[0], codes.values[i], coding.n_labels, sizes[i])
        start, stop = layout.bounds[i : i + 2]
        np.testing.assert_array_equal(layout.with_label(counts.tables)[:, start:stop], expected)


@pytest.mark.parametrize("narrow", [0, 4, 1000])
def test_every_route_of_counting_gives_the_same_counts(narrow, monkeypatch):
    rng = np.random.default_rng(2)
    X, y = (
        np.column_stack([rng.integers(0, size, 700) for size in (2, 1, 9, 40, 300)]),
        rng.integers(0, 3, 700),
    )
    coding = Tally.of(X, y).coding(60)
    expected = JointCounts.of(coding, X, y).tables
    monkeypatch.setattr(counting, "NARROW", narrow)
    for n_jobs in (1, 2):
        np.testing.assert_array_equal(JointCounts.of(coding, X, y, n_jobs=n_jobs).tables, expected)


@pytest.mark.parametrize("wishes", WISHES, ids=str)
def test_beyond_the_look_up_the_same_bits_come_from_logarithms(wishes, monkeypatch):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(1000, 4)), rng.integers(0, 3, 1000)
    coding = Tally.of(X, y).coding(20, edges=wishes.get("edges", "apart"))
    counts = JointCounts.of(coding, X, y)
    monkeypatch.setattr(entropies, "LOOK_UP", 10)
    assert_same_bits(counts, X, y, 20, wishes)


def test_small_pieces_of_a_panel_give_the_same_bits(monkeypatch):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(300, 6)), rng.integers(0, 3, 300)
    counts = JointCounts.of(Tally.of(X, y).coding(20), X, y)
    monkeypatch.setattr(entropies, "CELLS", 100)
    assert_same_bits(counts, X, y, 20, {})


def test_counts_widen_before_they_overflow():
    X, y = [[0, 0], [1, 1], [1, 0]], [0, 1, 1]
    coding = Tally.of(X, y).coding()
    one = JointCounts.of(coding, X, y)
    half = JointCounts(coding, 3 * 2**30, one.tables * np.uint32(2**30))
    assert half.tables.dtype == np.uint32
    both = half + half
    assert both.tables.dtype == np.uint64
    assert both.n_samples == 3 * 2**31
    np.testing.assert_array_equal(both.tables, one.tables.astype(np.uint64) * np.uint64(2**31))
    np.testing.assert_allclose(both.information().importance, one.information().importance, atol=1e-12)
    np.testing.assert_allclose(both.information().redundancy, one.information().redundancy, atol=1e-12)
    more = both.with_batch(X, y)
    assert more.n_samples == both.n_samples + 3
    np.testing.assert_array_equal(more.tables - both.tables, one.tables)
    # The one batch that makes the difference is counted in the wider type too.
    nearly = JointCounts(coding, 2**32 - 1, one.tables)
    assert nearly.with_batch(X, y).tables.dtype == np.uint64
    assert nearly.tables.dtype == np.uint32


def test_batches_counted_in_place_are_those_added_up():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 3, 300)
    coding, pieces = Tally.of(X, y).coding(), [(X[a : a + 90], y[a : a + 90]) for a in range(0, 300, 90)]
    added = summed([JointCounts.of(coding, *piece) for piece in pieces], rng)
    one_by_one = JointCounts.of(coding, *pieces[0])
    first = one_by_one.tables.copy()
    later = one_by_one
    for piece in pieces[1:]:
        later = later.with_batch(*piece)
    for counts in (added, JointCounts.over(coding, pieces), later):
        assert counts.n_samples == 300
        np.testing.assert_array_equal(counts.tables, added.tables)
    np.testing.assert_array_equal(one_by_one.tables, first)
    assert JointCounts.over(coding, []).n_samples == 0


def test_counts_and_codings_survive_pickling_and_are_read_only():
    X, y = pd.DataFrame({"a": [1.0, 2.0, np.nan], "b": ["x", "y", "x"]}), ["p", "q", "p"]
    coding, copy = (pickle.loads(pickle.dumps(one)) for one in [Tally.of(X, y).coding()] * 2)
    counts = pickle.loads(pickle.dumps(JointCounts.of(coding, X, y)))
    assert isinstance(counts.coding, Coding)
    both = counts + JointCounts.of(copy, X, y)
    assert both.n_samples == 6
    assert both.nbytes == JointCounts.bytes_needed(coding) == both.tables.nbytes
    assert repr(both) == "JointCounts(6 samples, 2 features)"
    with pytest.raises(ValueError, match="read-only"):
        both.tables[0] = 1


@settings(max_examples=25, deadline=None)
@given(tables(60), st.integers(2, 30), st.booleans())
def test_grown_counts_are_those_of_the_grown_coding(drawn, bins, by_class):
    _, _, pieces, _ = drawn
    coding = Tally.of(*pieces[0], target_type="classes").coding(bins, by_class=by_class)
    counts = JointCounts.of(coding, *pieces[0])
    for X, y in pieces[1:]:
        coding = coding.grown(X, y, target_type="classes")
        counts = counts.grown(coding).with_batch(X, y)
    again = JointCounts.over(coding, pieces)
    assert counts.n_samples == again.n_samples
    np.testing.assert_array_equal(counts.tables, again.tables)


def test_counts_without_a_target_have_redundancy_only():
    X = np.random.default_rng(6).normal(size=(100, 3))
    counts = JointCounts.of(Tally.of(X).coding(), X)
    np.testing.assert_array_equal(counts.information().redundancy, Redundancy()(X))
    with pytest.raises(ValueError, match=r"target.*importance"):
        _ = counts.information().importance


def test_a_list_of_tallies_and_of_counts_can_be_summed():
    X, y = np.arange(40.0).reshape(-1, 2), np.arange(20) % 2
    pieces = [(X[a : a + 5], y[a : a + 5]) for a in range(0, 20, 5)]
    tally = sum(Tally.of(*piece) for piece in pieces)
    assert tally.n_samples == 20
    counts = sum([JointCounts.of(tally.coding(3), *piece) for piece in pieces])
    np.testing.assert_array_equal(counts.tables, JointCounts.of(Tally.of(X, y).coding(3), X, y).tables)
    for total in (tally, counts):
        with pytest.raises(TypeError, match="unsupported operand"):
            1 + total


def test_counts_of_different_codings_are_not_added():
    X = np.arange(8.0)[:, None]
    a, b = (JointCounts.of(Tally.of(X[:n]).coding(20), X[:n]) for n in (8, 4))
    with pytest.raises(ValueError, match="coding"):
        a + b
    with pytest.raises(TypeError, match="unsupported operand"):
        a + 1
    with pytest.raises(ValueError, match=r"tables.* 8 .*\(3,\)"):
        JointCounts(a.coding, 8, np.zeros(3, np.uint32))


def test_what_does_not_fit_is_refused_before_it_is_counted():
    X = pd.DataFrame({f"f{i}": np.random.default_rng(i).normal(size=200) for i in range(12)})
    X["id"] = [f"u{i}" for i in range(200)]
    coding = Tally.of(X).coding(50)
    needed = JointCounts.bytes_needed(coding)
    assert needed == Layout.of(coding).total * 4
    words = r"13 features.*\S+ MB.*\S+ MB.*bins \(20 .*'id'.*200.*max_bytes"
    with pytest.raises(MemoryError, match=words):
        JointCounts.of(coding, X, max_bytes=needed - 1)
    assert JointCounts.of(coding, X, max_bytes=needed).nbytes == needed
    with pytest.raises(MemoryError, match=r"1 B: exclude"):
        JointCounts.over(coding, [(X, None)], max_bytes=1)


def test_a_system_that_does_not_tell_its_memory_is_given_some(monkeypatch):
    assert module.half_of_memory() > 2**20
    monkeypatch.delattr(module.os, "sysconf")
    assert module.half_of_memory() == 2**33


def test_wrong_batches_are_refused_by_name():
    X, y = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), [0, 1]
    coding = Tally.of(X, y).coding()
    with pytest.raises(ValueError, match=r"part 7: .*2 and 1"):
        JointCounts.of(coding, X, [0], batch="part 7")
    with pytest.raises(ValueError, match=r"batch 2: .*'b'.*'z'"):
        JointCounts.over(coding, [(X, y), (X.assign(b="z"), y)])
    with pytest.raises(ValueError, match=r"batch 1 .*\(X, y\).*4 values"):
        JointCounts.over(coding, [(X, y, [1, 1], 7)])
    with pytest.raises(ValueError, match=r"batch 1: .*Scale"):
        JointCounts.over(coding, [(X, y, [1, 1])])
    with pytest.raises(ValueError, match=r"batch 1 .*\(X, y\).*DataFrame"):
        JointCounts.over(coding, [X])
