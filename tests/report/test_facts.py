"""What a report is told is checked where it is given, and named in the error."""

from pathlib import Path

import numpy as np
import pytest

from quboselect import Tradeoff, best_subset
from quboselect.report import FeatureProfile, Frequencies, Score, TableProfile, write_report
from quboselect.report.facts import facts_of, frequencies_of

RESULT = best_subset(Tradeoff([2.0, 1.0], [[0.0, 1.0], [1.0, 0.0]]), k=1)


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ({"target": 3}, TypeError, "target.*3"),
        ({"notes": "one text"}, TypeError, "notes.*'one text'"),
        ({"notes": [1]}, TypeError, r"notes.*\[1\]"),
        ({"score": 0.9}, TypeError, r"score.*model_score.*0\.9"),
        ({"profile": [1]}, TypeError, r"profile.*table_profile.*\[1\]"),
        ({"profile": TableProfile(5, (FeatureProfile(0.0, 1),))}, ValueError, "profile.*2 features.*1"),
        ({"stability": 0.5}, TypeError, r"stability.*frequency.*0\.5"),
        ({"stability": Frequencies([1.0], 0.5)}, ValueError, r"stability.*2 frequencies.*\(1,\)"),
        ({"stability": Frequencies([1.5, 0.0], 0.5)}, ValueError, r"stability.*0 to 1.*1\.5"),
        ({"stability": Frequencies([np.nan, 0.0], 0.5)}, ValueError, "stability.*0 to 1"),
    ],
)
def test_what_does_not_go_with_the_result_is_refused_before_a_file_is_made(given, kind, words, tmp_path):
    with pytest.raises(kind, match=words):
        write_report(tmp_path / "report.html", RESULT, **given)
    assert not list(tmp_path.iterdir())


def test_facts_are_frozen_and_keep_no_array_of_the_caller():
    share = np.array([1.0, 0.5])
    facts = facts_of(2, stability=Frequencies(share, 0.5, 9), notes=["a"])
    share[0] = 0.0
    assert facts.stability.frequency == (1.0, 0.5)
    assert facts.notes == ("a",)
    with pytest.raises(AttributeError):
        facts.target = "other"
    with pytest.raises(AttributeError):
        facts.stability.index = 1.0
    with pytest.raises(AttributeError):
        Score("a", 1.0, 1.0).metric = "b"


def test_a_table_may_be_a_path():
    assert facts_of(2, also={"table": Path("radar.csv")}).table == "radar.csv"
    assert facts_of(2).table == ""


def test_the_number_of_resamples_is_that_of_the_subsets_where_it_is_not_said():
    assert frequencies_of({"frequency": [0.5], "index": 0.1, "supports": [[1], [0]]}, 1).resamples == 2
    assert frequencies_of({"frequency": [0.5], "index": 0.1}, 1).resamples == 0
