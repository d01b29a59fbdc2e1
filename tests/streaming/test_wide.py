"""Batches of very many features, kept as codes: the fit is that of the whole table in memory, to the last bit."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

from quboselect import SelectQUBO, criteria, importance, redundancy, solvers
from quboselect.counting.bins import feature_codes
from quboselect.search.wide import selection
from quboselect.streaming import BatchCodes, JointCounts, Tally, batch_counts, reading_of, selector_reading
from quboselect.streaming.checks import Batch
from quboselect.streaming.spark import codes as spark_codes
from quboselect.streaming.wide import are_kept, coded_batch

N, FEATURES = 120, 30


def frame(seed=0):
    """Return features of every kind that say something, repeat each other, or are constant."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(N, 3))
    columns = {f"x{i}": hidden[:, i % 3] + rng.normal(size=N) * (1 + i % 5) for i in range(FEATURES - 5)}
    columns["holes"] = np.where(rng.random(N) < 0.2, np.nan, hidden[:, 0])
    columns["whole"] = rng.integers(-4, 5, N)
    columns["constant"] = np.full(N, 3.0)
    columns["town"] = rng.choice(["Ulm", "Bonn", "Linz"], N)
    columns["key"] = [f"key {i}" for i in range(N)]
    return pd.DataFrame(columns), hidden[:, 0] + hidden[:, 1] * hidden[:, 2]


X, Y = frame()
LABELS = np.where(Y > 0, "yes", "no")


def pieces(X, y, size=37):
    return [(X[i : i + size], y[i : i + size]) for i in range(0, len(X), size)]


@pytest.fixture
def wide(monkeypatch):
    monkeypatch.setattr(selection, "WIDE", 20)


def assert_same_fit(batches, memory):
    """What was found is the same, and so is what is said of it."""
    np.testing.assert_array_equal(batches.support_, memory.support_)
    np.testing.assert_array_equal(batches.importance_, memory.importance_)
    np.testing.assert_array_equal(batches.ranking_, memory.ranking_)
    for name in ("energy_", "bound_", "alpha_", "alpha_window_", "proven_", "on_path_"):
        assert getattr(batches, name) == getattr(memory, name), name
    assert batches.warnings_ == memory.warnings_
    there, here = (one.result_.tradeoff.redundancy for one in (memory, batches))
    assert here.signed == there.signed
    everything = np.arange(len(memory.support_))
    np.testing.assert_array_equal(here.take(everything), there.take(everything))


def fitted(fit, *given):
    """Return what a fit found, and the warnings that it gave."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = fit(*given)
    assert {one.filename for one in heard} <= {__file__}
    return found, sorted(str(one.message) for one in heard)


CRITERIA = {
    "default": {},
    "paper": {"criterion": criteria.QFS(bins=20, edges="quantile")},
    "together": {"criterion": criteria.Pairs(together=0)},
    **{name: {"criterion": getattr(criteria, name)()} for name in ("MRMR", "JMI", "ICAP", "DISR")},
    "corrected": {"criterion": criteria.JMI(estimate="miller-madow")},
    "shrunk": {"criterion": criteria.Pairs(estimate="shrunk")},
    "normalised": {"redundancy": redundancy.MutualInformation(normalised=True)},
    "greedy": {"solver": solvers.Greedy()},
    "wishes": {"include": ["x3"], "exclude": ["key"], "groups": [["x1", "x4"]], "cost": {"x0": 0.1}},
}


@pytest.mark.parametrize(
    ("name", "target"), [*((name, LABELS) for name in CRITERIA), ("default", Y), ("JMI", Y), ("paper", Y)]
)
def test_batches_give_the_fit_in_memory(wide, name, target):
    memory, expected = fitted(SelectQUBO(k=4, **CRITERIA[name]).fit, X, target)
    batches, heard = fitted(SelectQUBO(k=4, **CRITERIA[name]).fit_batches, pieces(X, target))
    assert_same_fit(batches, memory)
    assert heard == expected
    assert not hasattr(batches, "counts_")
    assert (batches.n_samples_seen_, batches.rank_error_, batches.n_features_in_) == (N, 0.0, FEATURES)
    assert batches.get_feature_names_out().tolist() == memory.get_feature_names_out().tolist()


def test_a_table_that_is_wide_indeed_is_never_counted_pair_by_pair(monkeypatch):
    rng = np.random.default_rng(2)
    A = rng.integers(0, 3, (40, selection.WIDE + 1))
    y = A[:, 7] + A[:, 9]
    monkeypatch.setattr(JointCounts, "over", None)
    given = {"criterion": criteria.MRMR(), "solver": solvers.Greedy()}
    found = SelectQUBO(k=2, **given).fit_batches(pieces(A, y, 25), max_bytes=A.size)
    memory = SelectQUBO(k=2, **given).fit(A, y)
    np.testing.assert_array_equal(found.support_, memory.support_)
    np.testing.assert_array_equal(found.importance_, memory.importance_)


def test_warnings_are_those_of_the_table_in_memory(wide):
    selector = SelectQUBO(k=2, criterion=criteria.JMI(bins=9), include=["key", "x0"])
    _, expected = fitted(selector.fit, X, LABELS)
    _, heard = fitted(selector.fit_batches, pieces(X, LABELS))
    assert heard == expected
    assert [text.partition(":")[0] for text in heard][1:] == ["key"]
    assert "do not fill the 9 x 9 x 2 cells" in heard[0]


WEIGHTS = {
    "whole": np.arange(N) % 4,
    "large": 10.0 ** (np.arange(N) % 5),
    "alike": np.full(N, 0.3),
    "shares": 0.5 ** (np.arange(N) % 3),
}


@pytest.mark.parametrize(
    ("name", "criterion"),
    [*((name, criteria.Pairs()) for name in WEIGHTS), ("shares", criteria.MRMR(bins=4))],
)
def test_weights_count_as_in_memory(wide, name, criterion):
    weight, selector = WEIGHTS[name], SelectQUBO(k=4, criterion=criterion)
    memory, expected = fitted(selector.fit, X, LABELS, weight)
    batches = [(*some, weight[i * 37 : i * 37 + 37]) for i, some in enumerate(pieces(X, LABELS))]
    found, heard = fitted(SelectQUBO(k=4, criterion=criterion).fit_batches, batches)
    assert_same_fit(found, memory)
    assert heard == expected
    assert found.n_samples_seen_ == (weight > 0).sum()


def test_weights_of_classes_count_as_in_memory(wide):
    selector = SelectQUBO(k=4, class_weight={"yes": 3, "no": 1})
    memory = selector.fit(X, LABELS)
    assert_same_fit(SelectQUBO(k=4, class_weight={"yes": 3, "no": 1}).fit_batches(pieces(X, LABELS)), memory)
    balanced = SelectQUBO(k=4, class_weight="balanced").fit_batches(pieces(X, LABELS))
    memory = SelectQUBO(k=4, class_weight="balanced").fit(X, LABELS)
    np.testing.assert_array_equal(balanced.support_, memory.support_)
    np.testing.assert_allclose(balanced.importance_, memory.importance_, rtol=0, atol=1e-9)


def test_weights_that_change_between_the_passes_are_refused(wide):
    ones, twos = ([(X, LABELS, np.full(N, weight))] for weight in (1, 2))
    passes = [ones, ones, twos]
    with pytest.raises(ValueError, match="weights have changed"):
        SelectQUBO().fit_batches(lambda: passes.pop(0))


def test_parquet_dask_and_spark_give_the_fit_in_memory(wide, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    memory = SelectQUBO(k=4).fit(X, LABELS)
    whole = pa.table({**{name: X[name] for name in X}, "label": LABELS})
    pq.write_table(whole, tmp_path / "table.parquet", row_group_size=50)
    parquet = SelectQUBO(k=4).fit_parquet(tmp_path / "table.parquet", "label", batch_size=40)
    assert_same_fit(parquet, memory)

    reading = selector_reading(SelectQUBO(k=4))
    coding = reading.coding(reading.tally(X, LABELS))
    rows = [
        row for batch in whole.to_batches(40) for row in spark_codes([batch], ends=["label"], coding=coding)
    ]
    parts = [pickle.loads(row.column(0)[0].as_py()) for row in rows]
    assert [part.target.size for part in parts] == [40, 40, 40]
    assert_same_fit(SelectQUBO(k=4)._fit_seen(BatchCodes.of(coding, N, parts)), memory)

    dd = pytest.importorskip("dask.dataframe")
    table = dd.from_pandas(X, npartitions=3)
    assert_same_fit(SelectQUBO(k=4).fit(table, LABELS), memory)


def test_batches_and_partitions_without_weight_or_samples_are_left_out(wide):
    dd = pytest.importorskip("dask.dataframe")
    weights = np.r_[np.ones(80), np.zeros(40)]
    memory = SelectQUBO(k=4).fit(X, LABELS, sample_weight=weights)
    parts = [(X[i : i + 40], LABELS[i : i + 40], weights[i : i + 40]) for i in (0, 40, 80)]
    assert_same_fit(SelectQUBO(k=4).fit_batches(parts), memory)
    table = dd.from_pandas(X.assign(label=LABELS, weight=weights, place=range(N)), npartitions=6)
    # Two partitions are empty now, and the last two of the others weigh nothing.
    table = table[table["place"] >= 40]
    assert table.map_partitions(len).compute().tolist()[:2] == [0, 0]
    kept = slice(40, N)
    memory = SelectQUBO(k=4).fit(X[kept], LABELS[kept], sample_weight=weights[kept])
    lazy = SelectQUBO(k=4).fit(table[list(X)], table["label"], sample_weight=table["weight"])
    assert_same_fit(lazy, memory)


def test_codes_are_those_of_the_table_in_memory_in_the_order_of_the_batches():
    reading = selector_reading(SelectQUBO(criterion=criteria.MRMR(bins=6)))
    coding = reading.coding(reading.tally(X, LABELS))
    seen = BatchCodes.over(coding, N, pieces(X, LABELS))
    assert repr(seen) == f"BatchCodes({N} samples, {FEATURES} features)"
    np.testing.assert_array_equal(seen.codes.values, feature_codes(X, bins=6).values)
    assert seen.codes.values.dtype == np.uint8
    assert seen.target.values.tolist() == (LABELS == "yes").astype(int).tolist()


def test_more_than_256_codes_take_two_bytes(wide):
    places = np.arange(300)
    columns = {f"k{i}": np.roll(places, i).astype(str) for i in range(21)}
    keys = pd.DataFrame({**columns, "x": places % 2})
    y = np.arange(300) % 2
    found, _ = fitted(SelectQUBO(k=2).fit_batches, pieces(keys, y, 100))
    assert_same_fit(found, fitted(SelectQUBO(k=2).fit, keys, y)[0])
    coding = Tally.of(keys, y).coding(5)
    with pytest.raises(MemoryError, match=r"13\.2 kB"):
        are_kept(coding, 300, 1000)


def test_codes_that_do_not_fit_are_refused_before_anything_is_read_again(wide):
    reads = []

    def batches():
        reads.append(1)
        return pieces(X, LABELS)

    by_class = 2 * N * FEATURES
    message = f"codes of {N} samples x {FEATURES} features need 7.2 kB, twice.*may take 7.2 kB.*max_bytes"
    with pytest.raises(MemoryError, match=message):
        SelectQUBO().fit_batches(batches, max_bytes=by_class - 1)
    assert len(reads) == 1
    SelectQUBO(k=3).fit_batches(batches, max_bytes=by_class)
    with pytest.raises(MemoryError, match=r"need 3\.6 kB, the counts"):
        SelectQUBO(criterion=criteria.MRMR()).fit_batches(batches, max_bytes=N * FEATURES - 1)


def test_pairs_are_counted_where_only_the_counts_fit(wide):
    A = np.tile(np.arange(25) % 2, (4000, 1)) ^ np.random.default_rng(0).integers(0, 2, (4000, 25))
    found = SelectQUBO(k=3).fit_batches(pieces(A, A[:, 0], 1000), max_bytes=20_000)
    assert isinstance(found.counts_, JointCounts)
    assert found.n_samples_seen_ == 4000


@pytest.mark.parametrize("measure", [importance.Correlation(), importance.MutualInformation()])
def test_what_is_not_kept_as_codes_is_searched_as_in_memory_too(wide, measure):
    numbers = X.drop(columns=["holes", "town", "key"])
    chosen = {"k": 4, "importance": measure, "redundancy": redundancy.Correlation()}
    memory = SelectQUBO(**chosen).fit(numbers, LABELS)
    for found in (
        SelectQUBO(**chosen).fit_batches(pieces(numbers, LABELS)),
        SelectQUBO(**chosen).partial_fit(numbers, LABELS),
    ):
        assert not found.result_.tradeoff.dense
        np.testing.assert_array_equal(found.support_, memory.support_)
        np.testing.assert_allclose(found.importance_, memory.importance_, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.redundancy_, memory.redundancy_, rtol=0, atol=1e-6)


def test_counts_of_very_many_features_give_the_fit_in_memory(wide):
    memory, counted = SelectQUBO(k=4).fit(X, LABELS), SelectQUBO(k=4).partial_fit(X, LABELS)
    for name in ("support_", "importance_", "redundancy_", "energy_", "bound_", "alpha_"):
        np.testing.assert_array_equal(getattr(counted, name), getattr(memory, name), err_msg=name)


def test_a_measure_without_rows_is_counted_pair_by_pair(wide):
    class Counted:
        bins, edges, estimate, n_jobs = "auto", "apart", "plug-in", 1
        of = staticmethod(lambda information: information.redundancy)

        def __call__(self, X):
            raise AssertionError

    reading = reading_of(criteria.MRMR().importance, Counted())
    assert not reading.by_rows
    assert isinstance(batch_counts(pieces(X, LABELS), reading), JointCounts)


def test_batches_that_change_between_the_passes_are_refused(wide):
    for later in (pieces(X, LABELS)[:-1], [*pieces(X, LABELS), (X[:9], LABELS[:9])]):
        passes = [pieces(X, LABELS), later]
        many = sum(len(y) for _, y in later)
        with pytest.raises(ValueError, match=f"same each time.*{N} samples and then {many}"):
            SelectQUBO().fit_batches(lambda passes=passes: passes.pop(0))


def test_a_batch_whose_target_has_another_length_is_refused():
    for target in (LABELS, Y):
        coding = Tally.of(X, target).coding(3)
        with pytest.raises(ValueError, match=r"batch 7: .*same number of samples, got 10 and 9"):
            coded_batch(coding, Batch(X[:10], target[:9], "batch 7"))


def test_a_fit_that_counts_after_one_that_kept_codes_has_its_own_counts(wide):
    selector = SelectQUBO(k=3).fit_batches(pieces(X, LABELS))
    small = X[["x0", "x1", "x2", "x3"]]
    selector.partial_fit(small, LABELS)
    assert (selector.n_features_in_, selector.counts_.n_samples) == (4, N)
    selector.fit_batches(pieces(X, LABELS))
    assert not hasattr(selector, "counts_")


def test_partial_fit_says_what_takes_less_memory(wide, monkeypatch):
    monkeypatch.setattr("quboselect.streaming.layout.half_of_memory", lambda: 1000)
    with pytest.raises(MemoryError, match="fit_batches or fit_parquet"):
        SelectQUBO().partial_fit(X, LABELS)


def test_a_coded_table_has_no_values_to_cut_otherwise():
    coding = Tally.of(X, LABELS).coding(3)
    table = BatchCodes.over(coding, N, [(X, LABELS)]).table()
    np.testing.assert_array_equal(feature_codes(table, bins=3).values, feature_codes(X, bins=3).values)
    with pytest.raises(TypeError, match="codes only"):
        feature_codes(table, bins=4)
    with pytest.raises(TypeError, match="codes only"):
        table.matrix()


def test_a_fitted_selector_can_be_pickled(wide):
    found = pickle.loads(pickle.dumps(SelectQUBO(k=3).fit_batches(pieces(X, LABELS))))
    assert_same_fit(found, SelectQUBO(k=3).fit(X, LABELS))
