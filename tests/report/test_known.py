"""What a report is told where the table is at hand again: notes, profile, stability and a score."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB

from quboselect import SelectQUBO
from quboselect.report import Score, known_facts


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


def test_without_the_table_there_are_notes_alone(wine):
    selector = SelectQUBO(k=4).fit(*wine)
    facts = known_facts(selector, None, None, None, {})
    assert facts == {"notes": [note.text for note in selector.warnings_]}
    assert facts["notes"]


def test_with_the_table_there_are_profile_stability_and_the_name_of_the_target(wine, monkeypatch):
    monkeypatch.setattr("quboselect.report.known.RESAMPLES", 4)
    X, y = wine
    selector = SelectQUBO(k=4).fit(X, y)
    facts = known_facts(selector, X, y, GaussianNB(), {})
    assert facts["target"] == "target"
    assert facts["profile"].samples == 178
    assert facts["profile"].target.distinct == 3
    assert facts["stability"].supports.shape == (4, 13)
    assert isinstance(facts["score"], Score)
    own = known_facts(selector, X, y, None, {"target": "vineyard", "stability": None, "notes": ["mine"]})
    assert (own["target"], own["stability"], own["notes"]) == ("vineyard", None, ["mine"])
    assert "score" not in own


def test_a_model_needs_the_table(wine):
    with pytest.raises(ValueError, match="needs X and y to score a model"):
        SelectQUBO(k=4).fit(*wine).report("report.html", estimator=GaussianNB())


@pytest.mark.parametrize("kind", ["several", "none", "survival"])
def test_other_targets_have_a_report_too(wine, kind, tmp_path, monkeypatch):
    monkeypatch.setattr("quboselect.report.known.RESAMPLES", 3)
    X, y = wine
    rng = np.random.default_rng(0)
    targets = {
        "several": pd.DataFrame({"vineyard": y, "strength": X["alcohol"]}),
        "none": None,
        "survival": pd.DataFrame({"event": rng.random(len(y)) < 0.7, "time": X["proline"]}),
    }
    selector = SelectQUBO(k=3).fit(X, targets[kind])
    selector.report(tmp_path / "report.html", X, targets[kind])
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "3 of 13 features selected" in text
    assert "chosen in resamples" in text


def test_a_report_says_why_and_a_hostile_name_stays_harmless(tmp_path):
    rng = np.random.default_rng(1)
    hostile = "<img src=x onerror=alert(1)>"
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=[hostile, "b", "\N{RIGHT-TO-LEFT OVERRIDE}c"])
    y = (X["b"] + X[hostile] > 0).astype(int)
    SelectQUBO(k=2).fit(X, y).report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Why, and why not" in text
    assert "Is selected:" in text
    assert "<img" not in text
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in text
