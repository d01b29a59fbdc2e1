"""Readings: made of two measures, and compared with those that counts were made by."""

import numpy as np
import pandas as pd
import pytest

from quboselect.datasets import load_ionosphere
from quboselect.importance import MutualInformation as Importance
from quboselect.importance import Precomputed
from quboselect.redundancy import CoInformation, Correlation
from quboselect.redundancy import MutualInformation as Redundancy
from quboselect.streaming import (
    JointCounts,
    Reading,
    Tally,
    batch_counts,
    check_counts,
    more_counts,
    reading_of,
)

X, Y = load_ionosphere(return_X_y=True)
ALL = np.ones(34, bool)


class TestReading:
    def test_it_is_made_of_two_measures(self):
        reading = reading_of(
            Importance(bins=7), Redundancy(bins=7, n_jobs=2), exclude=[1], target_type="classes"
        )
        assert (reading.bins, reading.n_jobs, reading.exclude) == (7, 2, [1])
        assert (reading.categorical, reading.target_type) == ("auto", "classes")

    @pytest.mark.parametrize(
        ("wrong", "words"),
        [
            ({"importance": Precomputed([1.0])}, "importance.*Precomputed"),
            ({"redundancy": Correlation}, "redundancy.*class"),
            ({"importance": Importance(bins=5)}, "bins.*5 and 'auto'"),
            ({"importance": Importance(edges="quantile")}, "edges.*'quantile' and 'apart'"),
            ({"redundancy": Redundancy(estimate="shrunk")}, "estimate.*'plug-in' and 'shrunk'"),
        ],
        ids=str,
    )
    def test_measures_that_counts_cannot_give_are_refused(self, wrong, words):
        with pytest.raises(ValueError, match=words):
            reading_of(**{"importance": Importance(), "redundancy": Redundancy()} | wrong)

    def test_a_reading_counts_by_class_where_a_measure_needs_it(self):
        plain = reading_of(Importance(), Redundancy())
        told = reading_of(Importance("auto-by-class"), CoInformation(n_jobs=1))
        assert (plain.by_class, told.by_class, told.bins, told.n_jobs) == (False, True, "auto-by-class", 1)


class TestCheckCounts:
    @pytest.mark.parametrize(
        ("before", "after", "words"),
        [
            ({"exclude": [3]}, {}, "feature 3.*exclude"),
            ({}, {"bins": 6}, "4 .*bins=6"),
            ({"bins": 5}, {}, "5 .*bins='auto'"),
            ({}, {"edges": "quantile"}, "'apart'.*edges='quantile'"),
            ({}, {"by_class": True}, "by_class=True"),
            ({}, {"target_type": "continuous"}, "'classes'.*target_type='continuous'"),
            ({"target_type": "continuous"}, {}, "'continuous'.*target_type='auto'.*'classes'"),
            ({}, {"categorical": [4]}, "feature 4 for numbers.*categories.*categorical_features"),
            ({"categorical": [4]}, {}, "feature 4 for categories.*numbers.*categorical_features"),
        ],
        ids=str,
    )
    def test_another_reading_than_before_is_refused_also_by_the_next_batch(self, before, after, words):
        y = (Y[0] == Y).astype(int)
        counts = more_counts(None, X[:100], y[:100], Reading(**before), batch="batch 1")
        kept = ~np.isin(np.arange(34), after.get("exclude", []))
        with pytest.raises(ValueError, match=words):
            check_counts(counts, Reading(**after), kept)
        with pytest.raises(ValueError, match=words):
            more_counts(counts, X[100:], y[100:], Reading(**after), batch="batch 2")
        check_counts(counts, Reading(**before), ~np.isin(np.arange(34), before.get("exclude", [])))

    def test_a_reading_that_changes_nothing_is_no_other(self):
        frame = pd.DataFrame({"a": ["x", "y"] * 20, "b": np.arange(40.0), "c": [True, False] * 20})
        counts = more_counts(None, frame, [0, 1] * 20, Reading(), batch="batch 1")
        for same in ({"target_type": "classes"}, {"categorical": ["a", "c"]}, {"exclude": ["b"]}):
            assert more_counts(counts, frame, [0, 1] * 20, Reading(**same), batch="").n_samples == 80

    def test_counts_without_samples_or_target_are_refused(self):
        with pytest.raises(ValueError, match="samples"):
            check_counts(JointCounts.over(Tally.of(X, Y).coding(), []), Reading(), ALL)
        with pytest.raises(ValueError, match="target"):
            check_counts(JointCounts.of(Tally.of(X).coding(), X), Reading(), ALL)

    def test_bins_that_the_first_batch_chose_stay_and_numbers_of_bins_are_what_is_compared(self):
        first = more_counts(None, X[:10], Y[:10], Reading("auto-by-class", by_class=True), batch="batch 1")
        assert (first.coding.bins, first.coding.asked_bins) == (3, "auto-by-class")
        reading = Reading("auto-by-class", by_class=True)
        counts = more_counts(first, X[10:], Y[10:], reading, batch="batch 2")
        assert counts.coding.bins == 3
        check_counts(counts, Reading(3), ALL)
        check_counts(batch_counts([(X, Y)], Reading(7)), Reading("auto"), ALL)
