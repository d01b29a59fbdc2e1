"""Weights in batches: as in memory, to the last bit where they are whole; in any order and grouping the same."""

import pickle
import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batch_oracles import summed, tables
from quboselect import SelectQUBO, criteria
from quboselect.counting.information import information_of
from quboselect.streaming import JointCounts, Reading, Tally, Weighing, selector_reading
from quboselect.streaming.batches import batch_counts
from quboselect.streaming.checks import Batch
from quboselect.streaming.weights import LOWEST, Scale, exact_sum, weighed
from quboselect.tables.table import as_table
from quboselect.tables.target import as_target

RNG = np.random.default_rng(0)
N = 300
X = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "b": np.round(RNG.normal(size=N), 1),
        "c": RNG.integers(0, 9, N),
        "t": RNG.choice(list("xyz"), N),
        "h": np.where(RNG.random(N) < 0.3, np.nan, RNG.normal(size=N)),
    }
)
Y = np.where(X["a"] + X["c"] / 4 > 1.4, "rare", "usual")
WHOLE = {
    "zeros": RNG.integers(0, 2, N),
    "small": RNG.integers(0, 4, N),
    "large": RNG.integers(0, 2000, N),
    "twos": np.full(N, 2.0),
    "halves": np.full(N, 0.5),  # all alike: the same as without weights
}
OTHERS = {"any": RNG.exponential(size=N) * (RNG.random(N) < 0.8), "tiny": RNG.exponential(size=N) * 1e-13}
WEIGHTS = WHOLE | OTHERS
PAPER = {"criterion": criteria.QFS(bins=20, edges="quantile")}


def pieces_of(X, y, weights, rng=RNG):
    """Return the samples in batches, in another order."""
    parts = np.split(rng.permutation(len(y)), np.sort(rng.integers(0, len(y), 3)))
    return [(X.iloc[p], y[p]) if weights is None else (X.iloc[p], y[p], weights[p]) for p in parts]


def assert_same_fit(one, other, atol=0.0):
    for name in ("importance_", "redundancy_", "energy_"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=0, atol=atol, err_msg=name)
    np.testing.assert_array_equal(one.support_, other.support_)


@settings(max_examples=10, deadline=None)
@given(
    tables(60),
    st.sampled_from(["zeros", "small", "large", "any"]),
    st.sampled_from(["plug-in", "miller-madow", "shrunk"]),
    st.sampled_from(["apart", "quantile"]),
)
def test_batches_count_what_a_table_in_memory_does(drawn, kind, estimate, edges):
    frame, y, _, rng = drawn
    weights = WEIGHTS[kind][rng.integers(0, N, len(y))]
    weights[rng.integers(len(y))] = 3 if kind != "any" else 0.3
    kept = weights > 0
    told = as_target(y)
    if as_target(y[kept]).continuous != told.continuous:
        return  # samples without weight have a say in what a target in memory is
    table = as_table(frame, sample_weight=weights)
    expected = information_of(table, told.of(table), bins=5, edges=edges, estimate=estimate)
    pieces = pieces_of(frame, y, weights, rng)
    counts = batch_counts(pieces, Reading(bins=5, edges=edges, by_class=True))
    found = counts.information(estimate)
    atol = 1e-9 if kind == "any" else 0.0
    for name in ("alone", "label", "importance", "redundancy", "conditional", "chance"):
        one, other = getattr(found, name), getattr(expected, name)
        np.testing.assert_allclose(one, other, rtol=0, atol=atol, err_msg=name)
    assert counts.n_samples == kept.sum()


@pytest.mark.parametrize(
    ("kind", "how"), [*((kind, {}) for kind in WEIGHTS), ("small", PAPER), ("any", PAPER)], ids=str
)
def test_a_fit_of_batches_is_that_of_the_table(kind, how):
    weights = WEIGHTS[kind]
    expected = SelectQUBO(k=2, **how).fit(X, Y, sample_weight=weights)
    found = SelectQUBO(k=2, **how).fit_batches(pieces_of(X, Y, weights))
    assert_same_fit(found, expected, 0.0 if kind in WHOLE else 1e-9)
    assert found.n_samples_seen_ == (weights > 0).sum()
    again = SelectQUBO(k=2, **how).fit_batches(pieces_of(X, Y, weights))
    np.testing.assert_array_equal(again.counts_.tables, found.counts_.tables)
    assert_same_fit(again, found)


@pytest.mark.parametrize(
    ("class_weight", "weights"),
    [
        ("balanced", None),
        ("balanced", WHOLE["small"]),
        ("balanced", OTHERS["any"]),
        ({"rare": 3, "usual": 0.5}, None),
        ({"rare": 3, "usual": 0.5}, OTHERS["any"]),
        ({"rare": 4}, WHOLE["small"]),
        ({"rare": 0}, None),
    ],
    ids=str,
)
def test_classes_weigh_as_in_memory(class_weight, weights):
    y = np.where(RNG.random(N) < 0.1, "odd", Y)
    make = SelectQUBO(k=2, class_weight=class_weight)
    expected = make.fit(X, y, sample_weight=weights)
    found = SelectQUBO(k=2, class_weight=class_weight).fit_batches(pieces_of(X, y, weights))
    whole = isinstance(class_weight, dict) and "usual" not in class_weight and weights is not OTHERS["any"]
    assert_same_fit(found, expected, 0.0 if whole else 1e-9)


@pytest.mark.parametrize("kind", ["small", "large"])
def test_whole_weights_are_repeated_samples(kind):
    weights = np.minimum(WHOLE[kind], 30)
    again = np.repeat(np.arange(N), weights)
    repeated = SelectQUBO(k=2).fit_batches(pieces_of(X.iloc[again], Y[again], None))
    weighted = SelectQUBO(k=2).fit_batches(pieces_of(X, Y, weights))
    np.testing.assert_array_equal(repeated.counts_.tables, weighted.counts_.tables)
    for a, b in zip(repeated.counts_.coding.cuts, weighted.counts_.coding.cuts, strict=True):
        assert a.same(b)
    assert_same_fit(weighted, repeated, 1e-12)


def test_a_sketch_counts_weights():
    rng = np.random.default_rng(1)
    x, weights = rng.normal(size=(4000, 2)), rng.integers(0, 9, 4000)
    y = (x[:, 0] > 0).astype(int)
    pieces = [(x[a : a + 500], y[a : a + 500], weights[a : a + 500]) for a in range(0, 4000, 500)]
    counts = batch_counts(pieces, Reading(bins=5), exact_bytes=2**14)
    assert 0 < counts.coding.rank_error < 0.02
    for i, cut in enumerate(counts.coding.cuts):
        shares = np.bincount(cut.codes(x[:, i]), weights) / weights.sum()
        np.testing.assert_allclose(shares, 0.2, atol=2 * counts.coding.rank_error)


@pytest.mark.parametrize(("kind", "class_weight"), [("small", "balanced"), ("any", None)])
def test_parquet_and_dask_take_weights(kind, class_weight, tmp_path):
    pa, da, dd = (pytest.importorskip(name) for name in ("pyarrow", "dask.array", "dask.dataframe"))
    pq = pytest.importorskip("pyarrow.parquet")
    weights = WEIGHTS[kind]

    def make():
        return SelectQUBO(k=2, class_weight=class_weight)

    expected = make().fit_batches([(X, Y, weights)])
    whole = pa.Table.from_pandas(X.assign(y=Y, w=weights), preserve_index=False)
    pq.write_table(whole, tmp_path / "t.parquet", row_group_size=70)
    found = [make().fit_parquet(tmp_path / "t.parquet", "y", weight="w", batch_size=60)]
    assert found[0].get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    lazy = dd.from_pandas(X.assign(y=Y, w=weights), npartitions=3)
    found.append(make().fit(lazy[list(X)], lazy["y"], sample_weight=lazy["w"]))
    found.append(make().fit(lazy[list(X)], Y, sample_weight=weights))
    for one in found:
        np.testing.assert_array_equal(one.counts_.tables, expected.counts_.tables)
        assert_same_fit(one, expected)
    with pytest.raises(ValueError, match=r"weight .*'v'.*did you mean|weight .*'v'.*there are"):
        make().fit_parquet(tmp_path / "t.parquet", "y", weight="v")
    with pytest.raises(ValueError, match=r"weight .*numbers.*'t'"):
        make().fit_parquet(tmp_path / "t.parquet", "y", weight="t")
    with pytest.raises(ValueError, match=r"weight .*'a'"):
        make().fit_parquet(tmp_path / "t.parquet", "y", weight="a", features=["a", "b"])
    with pytest.raises(ValueError, match=r"sample_weight .*2 and 3|sample_weight .*3 and 2"):
        make().fit(lazy[list(X)], lazy["y"], sample_weight=da.from_array(weights, chunks=150))


def test_only_targets_and_weights_are_looked_at_first(tmp_path, monkeypatch):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.Table.from_pandas(X.assign(y=Y, w=WHOLE["small"])), tmp_path / "t.parquet")
    read, iter_batches = [], pq.ParquetFile.iter_batches

    def watched(self, *args, columns, **options):
        read.append(columns)
        return iter_batches(self, *args, columns=columns, **options)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", watched)
    SelectQUBO(k=2).fit_parquet(tmp_path / "t.parquet", "y", weight="w", features=["a", "b", "c"])
    # The first batch tells whether there are weights.
    assert read == [
        ["a", "b", "c", "y", "w"],
        ["a", "y", "w"],
        ["a", "b", "c", "y", "w"],
        ["a", "b", "c", "y", "w"],
    ]


def test_one_pass_takes_weights_of_every_call():
    for weights, atol in ((WHOLE["small"], 0.0), (WHOLE["large"], 0.0), (OTHERS["any"], 1e-6)):
        whole = SelectQUBO(k=2).fit(X, Y, sample_weight=weights)
        assert_same_fit(SelectQUBO(k=2).partial_fit(X, Y, sample_weight=weights), whole, atol)
        parts = SelectQUBO(k=2).partial_fit(X, Y, sample_weight=weights)
        for some in (slice(0, 200), slice(200, N)):
            parts.partial_fit(X[some], Y[some], sample_weight=weights[some])
        twice = SelectQUBO(k=2).partial_fit(X, Y, sample_weight=weights)
        twice.partial_fit(X, Y, sample_weight=weights)
        np.testing.assert_array_equal(parts.counts_.tables, twice.counts_.tables)
        assert parts.n_samples_seen_ == 2 * (weights > 0).sum()


def test_one_pass_may_begin_without_weights_and_takes_those_of_classes():
    later = SelectQUBO(k=2).partial_fit(X, Y).partial_fit(X, Y, sample_weight=np.full(N, 2))
    assert later.counts_.weight == 3 * N
    thrice = SelectQUBO(k=2).partial_fit(X, Y).partial_fit(X, Y).partial_fit(X, Y)
    np.testing.assert_array_equal(later.counts_.tables, thrice.counts_.tables)
    classes = SelectQUBO(k=2, class_weight={"rare": 3, "none so far": 2}).partial_fit(X, Y)
    weights = np.where(Y == "rare", 3, 1)
    assert_same_fit(classes, SelectQUBO(k=2).partial_fit(X, Y, sample_weight=weights))
    grown = classes.partial_fit(X, np.full(N, "none so far"))
    assert grown.counts_.weight == weights.sum() + 2 * N
    with pytest.raises(AttributeError) as raised:
        SelectQUBO(k=2, class_weight="balanced").partial_fit(X, Y)
    assert re.search("class_weight='balanced'.*all batches.*mapping", str(raised.value.__cause__))
    with pytest.raises(ValueError, match=r"class_weight=\{.*class_weight=None"):
        grown.set_params(class_weight=None).partial_fit(X, Y)


NOT = {
    "negative": (-1.0, "batch 2: sample_weight .*sample 5 has -1"),
    "nan": (np.nan, "batch 2: sample_weight .*sample 5 has nan"),
    "inf": (np.inf, "batch 2: sample_weight .*sample 5 has inf"),
}


@pytest.mark.parametrize("kind", NOT)
def test_bad_weights_are_named_and_nothing_is_lost(kind):
    value, words = NOT[kind]
    wrong = np.ones(N)
    wrong[5] = value
    fitted = SelectQUBO(k=2).partial_fit(X, Y, sample_weight=WHOLE["small"])
    before = dict(vars(fitted))
    for call in (
        lambda: fitted.fit_batches([(X, Y, np.ones(N)), (X, Y, wrong)]),
        lambda: fitted.partial_fit(X, Y, sample_weight=wrong),
    ):
        with pytest.raises(ValueError, match=words):
            call()
        assert vars(fitted).keys() == before.keys()
        assert all(before[name] is value for name, value in vars(fitted).items())


def test_weights_of_another_length_of_no_sample_or_of_some_batches_are_refused():
    nothing = np.zeros(N)
    with pytest.raises(ValueError, match=r"batch 1: sample_weight .*300 numbers.*\(3,\)"):
        SelectQUBO(k=2).fit_batches([(X, Y, [1, 2, 3])])
    with pytest.raises(ValueError, match=r"batch 1: .*299 and 300"):
        SelectQUBO(k=2).fit_batches([(X[1:], Y, WHOLE["zeros"])])
    with pytest.raises(ValueError, match=r"sample_weight .*zero for every sample"):
        SelectQUBO(k=2).fit_batches([(X, Y, nothing), (X, Y, nothing)])
    with pytest.raises(ValueError, match=r"batch 1: sample_weight .*zero for every sample"):
        SelectQUBO(k=2).partial_fit(X, Y, sample_weight=nothing)
    with pytest.raises(ValueError, match=r"batch 2: sample_weight .*zero for every sample"):
        SelectQUBO(k=2).partial_fit(X, Y).partial_fit(X, Y, sample_weight=nothing)
    with pytest.raises(ValueError, match=r"first batch has weights, but batch 2 has none"):
        SelectQUBO(k=2).fit_batches([(X, Y, np.ones(N)), (X, Y)])
    with pytest.raises(ValueError, match=r"batch 2: .*whole.*sample 0 is 0.5"):
        SelectQUBO(k=2).partial_fit(X, Y, np.ones(N)).partial_fit(X, Y, np.full(N, 0.5))
    with pytest.raises(ValueError, match=r"batch 2: sample_weight adds up"):
        SelectQUBO(k=2).partial_fit(X, Y, np.ones(N)).partial_fit(X, Y, np.full(N, 2.0**60))
    with pytest.raises(ValueError, match="class_weight='balanced' needs classes"):
        SelectQUBO(k=2, class_weight="balanced").fit_batches([(X, np.arange(N) / 7)])
    with pytest.raises(ValueError, match=r"class_weight.*labels of y.*'common'"):
        SelectQUBO(k=2, class_weight={"common": 2}).fit_batches([(X, Y)])


def test_a_batch_of_no_weight_among_others_is_passed_over():
    nothing = (X.assign(t="new"), np.full(N, "unheard of"), np.zeros(N))
    one, other = (X, Y, WHOLE["small"]), SelectQUBO(k=2).fit(X, Y, sample_weight=WHOLE["small"])
    for pieces in ([nothing, one], [one, nothing]):
        assert_same_fit(SelectQUBO(k=2).fit_batches(pieces), other)


def test_batches_whose_weights_change_between_the_passes_are_refused():
    for values in ([1.0, 1.0, 2.0], [0.5, 0.5, 0.75]):
        calls, weights = iter(values), np.append(np.ones(N - 1), 0.25 if values[0] < 1 else 2)
        with pytest.raises(ValueError, match=r"same each time.*weights"):
            SelectQUBO(k=2).fit_batches(lambda: iter([(X, Y, weights * next(calls))]))  # noqa: B023


def test_steps_by_hand_add_up_in_any_order():
    selector, rng = SelectQUBO(k=2, class_weight="balanced"), np.random.default_rng(3)
    pieces = pieces_of(X, Y, OTHERS["any"], rng)
    reading = selector_reading(selector)
    reading = reading.weighed(summed([reading.weighing(y, w) for _, y, w in pieces], rng))
    coding = reading.coding(summed([reading.tally(*piece) for piece in pieces], rng))
    counts = summed([pickle.loads(pickle.dumps(JointCounts.of(coding, *piece))) for piece in pieces], rng)
    expected = SelectQUBO(k=2, class_weight="balanced").fit_batches([(X, Y, OTHERS["any"])])
    assert_same_fit(selector.fit_counts(counts), expected)
    with pytest.raises(ValueError, match=r"class_weight='balanced'.*class_weight=None"):
        SelectQUBO(k=2).fit_counts(counts)
    other = reading.weighed(reading.weighing(Y, np.arange(N) / 7))
    with pytest.raises(ValueError, match="one Scale"):
        reading.tally(*pieces[0]) + other.tally(*pieces[1])
    with pytest.raises(ValueError, match="one coding"):
        counts + JointCounts.of(other.coding(other.tally(X, Y)), X, Y)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(min_value=0, allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_sums_are_exact(weights):
    assert Fraction(exact_sum(np.array(weights)), 2**LOWEST) == sum(map(Fraction, weights))


def test_what_a_scale_makes_of_weights():
    y = ["a", "a", "b", "b"]
    assert Weighing.of(y, [1, 2, 0, 3]).scale() == Scale()
    assert Weighing.of(y, [0.5, 0.5, 0, 0.5]).scale().alike
    # Balanced, these are all one; and large whole numbers have a coarser unit.
    balanced = Weighing.of(y, [0.5, 0.5, 1.5, 1.5], class_weight="balanced").scale()
    assert balanced == Scale("balanced", {"a": 2.0, "b": 2 / 3})
    large = Weighing.of(y, [2.0**80, 2.0**81, 2.0**80, 2.0**80]).scale()
    assert large.whole
    assert large.samples(4, int(large.units(Batch(None, y, "", [2.0**80, 0, 0, 0])).sum())) == 2.0**80
    fine = Weighing.of(y, [1.0, 1e-30, 0.5, 2.0]).scale()
    units = fine.units(Batch(None, y, "", [1.0, 1e-30, 0.0, 2.0]))
    assert units.tolist() == [2**fine.power, 1, 0, 2 ** (fine.power + 1)]


def test_weights_add_up_as_a_list_does_and_with_nothing_else():
    parts = [Weighing.of(["a", "b"], [1, 2]), Weighing.of(["b"], [3])]
    assert sum(parts).sums[None] == Weighing.of(["a", "b", "b"], [1, 2, 3]).sums[None]
    for other in (1, None, "a"):
        with pytest.raises(TypeError, match="unsupported operand"):
            parts[0] + other
        with pytest.raises(TypeError, match=r"unsupported operand|can only concatenate"):
            other + parts[0]


def test_weights_whose_sum_is_no_float_are_refused():
    huge = np.full(4, np.finfo(float).max)
    for class_weight in (None, "balanced", {"a": 1}):
        with pytest.raises(ValueError, match="sample_weight must have a finite sum"):
            Weighing.of(list("abab"), huge, class_weight=class_weight).scale()
    # Each batch has a finite sum, and both together have none, be they of one label or of two.
    for class_weight in (None, "balanced", {"a": 1}):
        one, other = (Weighing.of([label], huge[:1], class_weight=class_weight) for label in "ab")
        one.scale()
        for both in (one + one, one + other):
            with pytest.raises(ValueError, match="sample_weight must have a finite sum"):
                both.scale()


def test_more_labels_than_codes_have_no_weights_of_classes(monkeypatch):
    monkeypatch.setattr("quboselect.streaming.weights.MOST_CODES", 3)
    two, other = (Weighing.of(labels, class_weight="balanced") for labels in (["a", "b"], ["c", "d"]))
    assert len((two + two).sums) == 2
    with pytest.raises(ValueError, match=r"y has more than 3 labels.*class_weight"):
        two + other


def test_weights_need_a_target():
    with pytest.raises(ValueError, match=r"batch 3: .*y is None"):
        Weighing.of(None, [1, 2], batch="batch 3")


def test_a_batch_of_no_weight_has_no_tally_of_its_own():
    with pytest.raises(ValueError, match=r"batch 7: sample_weight .*zero for every sample"):
        Tally.of(X, Y, np.zeros(N), scale=Scale(), batch="batch 7")


def test_batches_that_lose_all_weight_between_the_passes_are_refused():
    weights = iter([np.ones(N), np.zeros(N)])
    with pytest.raises(ValueError, match=r"same each time.*no sample has any weight"):
        SelectQUBO(k=2).fit_batches(lambda: iter([(X, Y, next(weights))]))


@pytest.mark.parametrize("kind", ["frame", "array", "list", "sparse", "polars", "arrow", "table"])
def test_samples_without_weight_leave_every_kind_of_table(kind):
    values = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    if kind == "polars":
        made = pytest.importorskip("polars").DataFrame(values, orient="row")
    elif kind == "arrow":
        made = pytest.importorskip("pyarrow").table({"a": [1.0, 3.0, 5.0], "b": [2.0, 4.0, 6.0]})
    elif kind == "sparse":
        made = pytest.importorskip("scipy.sparse").coo_array(values)
    else:
        kinds = {"frame": pd.DataFrame, "array": np.array, "list": list, "table": as_table}
        made = kinds[kind](values)
    for y in (["a", "b", "c"], np.array(["a", "b", "c"]), pd.Series(["a", "b", "c"], [7, 8, 9])):
        some = weighed(Batch(made, y, "", [1, 0, 2]), Scale())
        assert as_table(some.X).matrix().tolist() == [[1.0, 2.0], [5.0, 6.0]]
        assert list(some.y) == ["a", "c"]
