"""Counts of batches: the I and R of the table in two passes, growing codes in one, and refusals by argument."""

import pickle
from collections import namedtuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batch_oracles import tables
from quboselect import SelectQUBO, criteria
from quboselect.datasets import load_ionosphere
from quboselect.importance import MutualInformation as Importance
from quboselect.importance import Precomputed
from quboselect.redundancy import CoInformation, SymmetricalRelevance
from quboselect.redundancy import MutualInformation as Redundancy
from quboselect.streaming import JointCounts, Reading, Tally, check_counts, reading_of
from quboselect.streaming.batches import batch_counts, more_counts

X, Y = load_ionosphere(return_X_y=True)
BATCHES = [(X[a : a + 100], Y[a : a + 100]) for a in range(0, len(X), 100)]
ALL = np.ones(34, bool)
CRITERIA = [
    criteria.Pairs(),
    criteria.Pairs(together=0),
    criteria.Pairs(together=0.5),
    criteria.QFS(),
    criteria.QFS(bins=20, edges="quantile"),
    criteria.MRMR(),
    criteria.MIFS(beta=0.5),
    criteria.JMI(),
    criteria.CMI(),
    criteria.CIFE(),
    criteria.ICAP(),
    criteria.DISR(),
]
FRAME = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]})


def measures(**options):
    return {"importance": Importance(**options), "redundancy": Redundancy(**options)}


def assert_same_counts(one, other):
    assert one.n_samples == other.n_samples
    assert one.coding.same(other.coding)
    np.testing.assert_array_equal(one.tables, other.tables)


def assert_same_fit(one, other):
    for name in ("support_", "alpha_", "energy_", "bound_", "importance_", "redundancy_", "n_features_in_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    np.testing.assert_array_equal(one.get_feature_names_out(), other.get_feature_names_out())


def one_pass(batches, reading=None):
    counts = None
    for i, (part, y) in enumerate(batches, start=1):
        counts = more_counts(counts, part, y, reading or Reading(), batch=f"batch {i}")
    return counts


class TestBatchCounts:
    @settings(max_examples=25, deadline=None)
    @given(tables(60), st.booleans())
    def test_batches_count_what_the_table_does(self, drawn, normalised):
        frame, y, pieces, _ = drawn
        counts = batch_counts(pieces, Reading(bins=5))
        for measure in measures(bins=5, normalised=normalised).values():
            of_table = measure(frame, y) if isinstance(measure, Importance) else measure(frame)
            np.testing.assert_array_equal(measure.of(counts.information()), of_table)
        assert_same_counts(counts, one_pass([(frame, y)], Reading(bins=5)))

    def test_a_reading_decides_how_batches_are_read(self):
        reading = Reading(bins=4, categorical=[1], exclude=[3], target_type="continuous")
        y = np.arange(351)
        counts = batch_counts([(X[:200], y[:200]), (X[200:], y[200:])], reading)
        tally = Tally.of(X, y, categorical=[1], exclude=[3], target_type="continuous")
        assert_same_counts(counts, JointCounts.of(tally.coding(4), X, y))
        assert counts.coding.sizes[3] == 1

    def test_a_function_of_generators_and_named_batches_will_do(self):
        Named = namedtuple("Named", "X y name")
        expected = batch_counts([(X, Y)], Reading())
        assert_same_counts(batch_counts(lambda: (batch for batch in BATCHES), Reading()), expected)
        assert_same_counts(batch_counts(tuple(Named(*b, "file") for b in BATCHES), Reading()), expected)
        named = [Named(*BATCHES[0], "a.parquet"), Named(BATCHES[1][0][:, :3], BATCHES[1][1], "b.parquet")]
        with pytest.raises(ValueError, match=r"b\.parquet .*3.*a\.parquet .*34"):
            batch_counts(named, Reading())

    def test_batches_without_samples_are_skipped(self):
        nothing, frame = (X[:0], Y[:0]), pd.DataFrame(X)
        expected = batch_counts([(X, Y)], Reading())
        for pieces in ([nothing, *BATCHES, nothing], [(frame[:0], Y[:0]), (frame, Y), ([], [])]):
            assert_same_counts(batch_counts(pieces, Reading()), expected)
        with pytest.raises(ValueError, match=r"batch 3 .*3.*batch 2 .*34"):
            batch_counts([nothing, (X, Y), (X[:, :3], Y)], Reading())

    def test_sketches_are_used_where_values_do_not_fit(self):
        rng = np.random.default_rng(0)
        signal = rng.normal(size=(4000, 4))
        y = (signal[:, 0] + signal[:, 1] > 0).astype(int)
        pieces = [(signal[a : a + 500], y[a : a + 500]) for a in range(0, 4000, 500)]
        counts = batch_counts(pieces, Reading(), exact_bytes=2**15)
        assert 0 < counts.coding.rank_error < 0.02
        np.testing.assert_allclose(counts.information().importance, Importance()(signal, y), atol=0.02)

    def test_the_check_is_asked_once_between_the_passes(self, monkeypatch):
        asked = []
        frame = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
        batch_counts([(frame, [0, 1])] * 3, Reading(), check=lambda n, names: asked.append((n, names)))
        assert asked == [(2, ("a", "b"))]

        def refuse(n, names):
            raise ValueError("not these")

        monkeypatch.setattr(JointCounts, "over", lambda *_, **__: pytest.fail("it was counted"))
        with pytest.raises(ValueError, match="not these"):
            batch_counts(BATCHES, Reading(), check=refuse)

    @pytest.mark.parametrize(
        ("wrong", "error", "words"),
        [
            (iter(BATCHES), TypeError, "batches.*twice.*list_iterator"),
            (7, TypeError, "batches.*int"),
            ([], ValueError, "at least one batch"),
            ([*BATCHES, (X, Y, Y, Y)], ValueError, r"batch 5 .*\(X, y\).*4 values"),
            ([*BATCHES, (X, Y, np.ones(351))], ValueError, "no weights.*batch 5 has some"),
            ([*BATCHES, (X[:, :3], Y)], ValueError, "batch 5 .*3.*batch 1 .*34"),
            ([*BATCHES, (X, Y[:5])], ValueError, "batch 5: .*351 and 5"),
            ([*BATCHES, (X[:0], Y)], ValueError, "batch 5: .*0 sample"),
            ([(X[:0], Y[:0]), ([], [])], ValueError, "at least one batch"),
            ([*BATCHES, (X, None)], ValueError, "batch 5: .*y is None"),
        ],
    )
    def test_wrong_batches_are_refused(self, wrong, error, words):
        with pytest.raises(error, match=words):
            batch_counts(wrong, Reading())

    def test_the_limit_of_memory_is_kept(self):
        with pytest.raises(MemoryError, match=r"34 features.*528 kB.*10 B"):
            batch_counts(BATCHES, Reading(bins=20, edges="quantile"), max_bytes=10)
        for wrong in ("1GB", True, -1, 1e9):
            with pytest.raises(ValueError, match="max_bytes"):
                batch_counts(lambda: pytest.fail("it was read"), Reading(), max_bytes=wrong)

    def test_batches_that_change_between_the_passes_are_refused(self):
        passes = iter([BATCHES, BATCHES[:2]])
        with pytest.raises(ValueError, match=r"351 .*200"):
            batch_counts(lambda: next(passes), Reading())
        frame = pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]})
        passes = iter([[(frame, [0, 1])], [(frame.assign(a="new"), [0, 1])]])
        with pytest.raises(ValueError, match=r"batch 1: .*'a'.*'new'"):
            batch_counts(lambda: next(passes), Reading())


class TestMoreCounts:
    def test_the_first_batch_decides_the_edges(self):
        counts = one_pass(BATCHES)
        assert_same_counts(counts, JointCounts.over(Tally.of(*BATCHES[0]).coding(), BATCHES))

    def test_new_labels_and_missing_values_get_codes(self):
        first = pd.DataFrame({"t": ["a", "b"] * 20, "x": np.arange(40.0), "z": np.arange(40) % 4})
        later = pd.DataFrame({"t": ["c", None] * 20, "x": [np.nan, 3.0] * 20, "z": np.arange(40) % 4})
        counts = one_pass([(first, [0, 1] * 20), (later, [2, 1] * 20)], Reading(bins=20))
        assert counts.coding.sizes.tolist() == [4, 21, 4]
        assert counts.coding.n_labels == 3
        both = Importance(20)(pd.concat([first, later]), [0, 1] * 20 + [2, 1] * 20)
        np.testing.assert_allclose(counts.information().importance[[0, 2]], both[[0, 2]])

    def test_a_batch_without_samples_changes_nothing(self):
        assert more_counts(None, X[:0], Y[:0], Reading(), batch="batch 1") is None
        counts = one_pass(BATCHES[:1])
        for part, y in ((X[:0], Y[:0]), ([], [])):
            assert more_counts(counts, part, y, Reading(), batch="batch 2") is counts

    @pytest.mark.parametrize(
        ("wrong", "y", "words"),
        [
            (FRAME[["a"]], [0, 1, 0], "batch 2 .*'b'"),
            (FRAME.rename(columns={"b": "c"}), [0, 1, 0], "batch 2 .*'b'"),
            (FRAME.assign(a="w"), [0, 1, 0], "batch 2: .*'a'.*numbers.*text"),
            (FRAME.assign(a=np.inf), [0, 1, 0], "batch 2: .*'a'.*inf"),
            (FRAME, [0, None, 1], "batch 2: y .*sample 1"),
            (FRAME, [0, 1], "batch 2: .*3 and 2"),
            (FRAME[:0], [0, 1], "batch 2: .*0 sample"),
            (FRAME, ["0", "1", "0"], "batch 2: y .*numbers.*text or categories"),
            (FRAME, [True, False, True], "batch 2: y .*numbers.*true and false"),
            (FRAME, [0.5, 1.0, 2.0], "batch 2: y .*fractions.*'continuous'"),
            (
                pd.concat([FRAME] * 10),
                np.arange(2, 32),
                "batch 2: y .*more than 30 distinct .*'continuous'.*'classes'",
            ),
            (FRAME, None, "batch 2: .*y is None"),
        ],
    )
    def test_a_wrong_batch_is_refused_by_name(self, wrong, y, words):
        counts = one_pass([(FRAME, [0, 1, 0])])
        with pytest.raises(ValueError, match=words):
            more_counts(counts, wrong, y, Reading(), batch="batch 2")
        assert counts.n_samples == 3

    @pytest.mark.parametrize(
        ("reading", "first", "second", "continuous"),
        [
            (Reading(target_type="classes"), [0, 1] * 5, [0.5, 1] * 5, False),
            (Reading(target_type="continuous"), [0, 1] * 5, [0.5, 1] * 5, True),
            (Reading(), [0.5, 1] * 5, [0, 1] * 5, True),
            (Reading(), [0.0, 1] * 5, [0, 1] * 5, False),
            (Reading(), np.arange(5, 15), np.arange(20, 30), False),
            (Reading(), pd.Categorical([0, 1] * 5), pd.Categorical([0.5, 1] * 5), False),
        ],
    )
    def test_fractions_and_whole_numbers_go_together_where_it_is_said_or_seen(
        self, reading, first, second, continuous
    ):
        counts = one_pass([(X[:10], first), (X[10:20], second)], reading)
        assert counts.coding.continuous == continuous
        assert counts.n_samples == 20
        if reading.target_type != "auto":
            assert counts.coding.measured

    def test_many_whole_numbers_go_on_as_what_was_said_or_seen(self):
        rng = np.random.default_rng(1)
        X, many = rng.normal(size=(80, 2)), np.arange(10, 50)
        seen = one_pass([(X[:40], many), (X[40:], many % 7)], Reading())
        assert seen.coding.continuous
        said = one_pass([(X[:40], many % 7), (X[40:], many)], Reading(target_type="classes"))
        assert (said.coding.continuous, said.coding.measured, said.coding.n_labels) == (False, True, 47)
        with pytest.raises(ValueError, match=r"target_type='classes'.*which is 'continuous' here"):
            check_counts(said, Reading(), np.ones(2, bool))

    def test_what_is_no_number_is_refused_by_a_continuous_target(self):
        continuous = Reading(target_type="continuous")
        for reading, first, second in (
            (continuous, [0, 1], ["a", "b"]),
            (Reading(), [0.5, 1.5], ["0.5", "1.5"]),
        ):
            counts = more_counts(None, X[:2], first, reading, batch="batch 1")
            with pytest.raises(ValueError, match=r"batch 2: .*numbers"):
                more_counts(counts, X[:2], second, reading, batch="batch 2")


class TestByClass:
    @pytest.mark.parametrize("estimate", ["plug-in", "miller-madow", "shrunk"])
    def test_batches_give_the_measures_of_the_table(self, estimate):
        for measure in (CoInformation(estimate=estimate), SymmetricalRelevance(estimate=estimate)):
            reading = reading_of(Importance("auto-by-class", estimate=estimate), measure)
            counts = batch_counts(BATCHES, reading)
            check_counts(counts, reading, ALL)
            assert counts.coding.bins == 7
            np.testing.assert_array_equal(measure.of(counts.information(estimate)), measure(X, Y))


@pytest.mark.filterwarnings("ignore::quboselect.errors.OffPathWarning")
class TestSelector:
    @pytest.mark.parametrize(
        "wishes",
        [
            {"k": 5},
            measures(bins=7, estimate="miller-madow") | {"k": 4},
            {"k": 3, "include": [7], "exclude": [0, 2]},
            {"k": None, "alpha": 0.7},
            {"k": 5, "groups": [[4, 5], [9, 20]]},
            {"k": 5, "cost": {3: 0.1, 4: 0.2}},
            {"k": 5, "target_type": "classes"},
            {"k": 5, "categorical_features": [0, 1]},
        ],
        ids=str,
    )
    def test_batches_select_what_the_table_does(self, wishes):
        table = SelectQUBO(**wishes).fit(X, Y)
        fits = [SelectQUBO(**wishes).fit_batches(BATCHES), SelectQUBO(**wishes).partial_fit(X, Y)]
        fits.append(SelectQUBO(**wishes).fit_counts(fits[0].counts_))
        left = np.isin(np.arange(34), wishes.get("exclude", []))
        for parts in fits:
            np.testing.assert_array_equal(parts.support_, table.support_)
            np.testing.assert_array_equal(parts.importance_[~left], table.importance_[~left])
            assert (parts.alpha_, parts.n_samples_seen_, parts.rank_error_) == (table.alpha_, 351, 0.0)

    @pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
    def test_every_criterion_gives_the_same_bits_in_batches(self, criterion):
        for k in (1, 5):
            table = SelectQUBO(k=k, criterion=criterion).fit(X, Y)
            parts = SelectQUBO(k=k, criterion=criterion).fit_batches(BATCHES)
            assert_same_fit(parts, table)
            assert_same_fit(SelectQUBO(k=k, criterion=criterion).fit_counts(parts.counts_), table)

    @pytest.mark.parametrize("estimate", ["miller-madow", "shrunk"])
    def test_every_estimate_of_a_criterion_gives_the_same_bits_in_batches(self, estimate):
        for made in (criteria.Pairs, criteria.JMI, criteria.DISR):
            criterion = made(bins=3, estimate=estimate)
            table = SelectQUBO(k=4, criterion=criterion).fit(X, Y)
            assert_same_fit(SelectQUBO(k=4, criterion=criterion).fit_batches(BATCHES), table)

    def test_a_continuous_target_is_cut_the_same_in_batches(self):
        y = X[:, 4] + np.random.default_rng(0).normal(size=351)
        batches = [(X[a : a + 100], y[a : a + 100]) for a in range(0, len(X), 100)]
        for criterion in CRITERIA:
            table = SelectQUBO(k=4, criterion=criterion).fit(X, y)
            assert_same_fit(SelectQUBO(k=4, criterion=criterion).fit_batches(batches), table)

    def test_batch_after_batch_is_searched_each_time_unless_told_not_to(self):
        one, other = SelectQUBO(k=5), SelectQUBO(k=5)
        for i, batch in enumerate(BATCHES):
            assert one.partial_fit(*batch).support_.sum() == 5
            other.partial_fit(*batch, search=i == 3)
        assert_same_fit(one, other)
        assert_same_fit(pickle.loads(pickle.dumps(one)), other)
        assert_same_counts(one.counts_, one_pass(BATCHES, Reading(by_class=True)))

    def test_a_later_fit_forgets_the_batches_and_batches_go_on_after_files(self):
        parts = SelectQUBO(k=5).partial_fit(*BATCHES[0]).partial_fit(*BATCHES[1])
        assert_same_fit(parts.fit(X, Y), SelectQUBO(k=5).fit(X, Y))
        for name in ("counts_", "n_samples_seen_", "rank_error_"):
            assert not hasattr(parts, name)
        assert parts.partial_fit(*BATCHES[0]).n_samples_seen_ == 100
        assert SelectQUBO(k=5).fit_batches(BATCHES[:3]).partial_fit(*BATCHES[3]).n_samples_seen_ == 351

    def test_names_are_set_as_fit_sets_them(self):
        frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(34)])
        parts = SelectQUBO(k=5).fit_batches([(frame[:200], Y[:200]), (frame[200:], Y[200:])])
        assert_same_fit(parts, SelectQUBO(k=5).fit(frame, Y))
        assert parts.feature_names_in_.dtype == object
        assert not hasattr(parts.fit_batches(BATCHES), "feature_names_in_")

    @pytest.mark.parametrize(
        ("wishes", "words"),
        [
            ({"importance": Precomputed([1.0])}, "importance.*Precomputed"),
            ({"k": "auto"}, "k.*'auto'"),
            ({"k": 0}, "k.*0"),
            ({"alpha": 2}, "alpha.*2"),
            ({"exclude": "age"}, "exclude.*'age'"),
        ],
        ids=str,
    )
    def test_wrong_wishes_are_refused_before_anything_is_counted(self, wishes, words, monkeypatch):
        counts = one_pass(BATCHES[:1], Reading(by_class=True))
        monkeypatch.setattr(JointCounts, "over", lambda *_, **__: pytest.fail("it was counted"))
        with pytest.raises(ValueError, match=words):
            SelectQUBO(**wishes).fit_batches(BATCHES)
        with pytest.raises(ValueError, match=words):
            SelectQUBO(**wishes).fit_counts(counts)

    def test_what_is_refused_leaves_the_fit_as_it_was(self):
        fitted = SelectQUBO(k=5).partial_fit(*BATCHES[0])
        before = dict(vars(fitted))
        for wrong in (
            lambda: fitted.fit_batches([*BATCHES, (X, Y[:5])]),
            lambda: fitted.partial_fit(X[:, :3], Y),
            lambda: fitted.partial_fit(X, Y, sample_weight=np.full(351, 0.5)),
            lambda: fitted.partial_fit(X, Y, sample_weight=np.ones(350)),
            lambda: fitted.fit_counts(JointCounts.of(Tally.of(X, Y).coding(5), X, Y)),
        ):
            with pytest.raises((ValueError, TypeError)):
                wrong()
            assert vars(fitted).keys() == before.keys()
            assert all(before[name] is value for name, value in vars(fitted).items())
        with pytest.raises(TypeError, match=r"counts.*list"):
            fitted.fit_counts([])
