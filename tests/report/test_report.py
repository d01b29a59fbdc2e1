"""The report: what the file says is what was found, names are only ever text, and it is whole or not there at all."""

import base64
import dataclasses
import errno
import json
import os
import re
import signal
import stat
import subprocess
import sys
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import f_classif
from sklearn.naive_bayes import GaussianNB

from pipe_ends import in_background
from quboselect import (
    Constraints,
    SelectQUBO,
    SelectQUBOCV,
    Solutions,
    Tradeoff,
    best_subset,
    criteria,
    importance,
    quantum,
    redundancy,
    solvers,
)
from quboselect.datasets import load_ionosphere
from quboselect.errors import OffPathWarning
from quboselect.redundancy.rows import Rows
from quboselect.report import code_of, contents, unit_of, words, write_report
from quboselect.report.comparison import constraint_text
from quboselect.report.exploration import contents_of, explored_path
from quboselect.report.page import SCRIPTS
from quboselect.report.tables import visible_text

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    "<!-- <script>",
    "]]>&amp;\"'`",
    "emoji 🦜 and \N{RIGHT-TO-LEFT OVERRIDE}turned",
    "long " * 200,
    "$title ${data} %s {0}",
    "",
]


class Page(HTMLParser):
    """The elements of a page: how many of each tag, the text of each, and of each id."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.said, self.open, self.ids, self.attributes = [], {}, [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.open.append((tag, dict(attrs).get("id")))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        for tag, name in self.open:
            self.said[tag] = self.said.get(tag, "") + data
            self.ids[name] = self.ids.get(name, "") + data


def page_of(file):
    return Page(Path(file).read_text(encoding="utf-8"))


def data_of(file):
    return json.loads(page_of(file).ids["data"])


def here_of(data):
    """Return the place of the selection on the path of its size."""
    own = next(path for path in data["paths"] if path["k"] == data["here"]["k"])
    return own["places"][data["here"]["place"]]


def places_of(data):
    """Return all places of all sizes."""
    return [place for path in data["paths"] for place in path["places"]]


def random_tradeoff(seed, n):
    rng = np.random.default_rng(seed)
    R = np.triu(rng.random((n, n)), 1)
    return Tradeoff(rng.random(n), R + R.T)


@pytest.fixture(scope="module")
def ionosphere():
    X, y = load_ionosphere(return_X_y=True)
    return SelectQUBO.paper(k=5).fit(pd.DataFrame(X, columns=[f"pulse {i}" for i in range(34)]), y)


def test_the_headline_says_what_was_selected_and_that_it_is_proven(ionosphere, tmp_path):
    ionosphere.report(tmp_path / "report.html")
    page = page_of(tmp_path / "report.html")
    assert page.said["h1"] == "5 of 34 features selected"
    assert (
        "Proven: no subset of any size has a lower objective at any alpha from 0.8961 to 0.9232."
        in page.said["p"]
    )
    assert "1.786 bits" in page.said["dd"]
    assert "6.992 bits" in page.said["dd"]


def test_without_a_script_the_selected_features_and_every_proof_are_there(ionosphere, tmp_path):
    ionosphere.report(tmp_path / "report.html")
    page = page_of(tmp_path / "report.html")
    for name in ionosphere.get_feature_names_out():
        assert name in page.ids["selected"]
    assert page.ids["segments"].count("proven") == len(data_of(tmp_path / "report.html")["whole"]) == 26
    assert "needs no network" in page.said["footer"]


def test_the_numbers_of_the_file_are_those_of_the_tradeoff(ionosphere, tmp_path):
    ionosphere.report(tmp_path / "report.html")
    data = data_of(tmp_path / "report.html")
    R = ionosphere.redundancy_
    np.testing.assert_array_equal(data["importance"], ionosphere.importance_)
    block = np.frombuffer(base64.b64decode(data["precise"]["bytes"]), "<f4")
    features = data["precise"]["features"]
    np.testing.assert_allclose(
        block.reshape(len(data["live"]), len(features)), R[np.ix_(data["live"], features)], rtol=1e-6
    )
    order, cells = data["map"]["order"], np.frombuffer(base64.b64decode(data["map"]["bytes"]), np.uint8)
    pairs = R[np.ix_(order, order)][np.triu_indices(len(order), 1)]
    assert np.abs(cells / 255.0 * data["map"]["largest"] - pairs).max() <= data["map"]["largest"] / 509.0
    for place in places_of(data):
        x = np.isin(np.arange(34), place["x"])
        line = ionosphere.result_.tradeoff.line(x)
        assert (place["importance"], place["redundancy"]) == pytest.approx(line)
    assert here_of(data)["x"] == np.flatnonzero(ionosphere.support_).tolist()
    window = next(place for place in data["whole"] if place["k"] == 5)
    assert (window["start"], window["stop"]) == pytest.approx(ionosphere.alpha_window_)


def test_the_places_are_the_proven_path_up_to_the_size_explored(ionosphere, tmp_path):
    ionosphere.report(tmp_path / "report.html", most=8)
    data, expected = data_of(tmp_path / "report.html"), [s for s in ionosphere.path() if 0 < s.size <= 8]
    assert [place["size"] for place in data["whole"]] == [segment.size for segment in expected]
    assert [path["k"] for path in data["paths"]] == list(range(1, 9))
    for segment in expected:
        own = [place for place in places_of(data) if place["x"] == segment.features.tolist()]
        # What is optimal among all sizes is so in its window among those of its own.
        assert any(
            place["start"] <= segment.start + 1e-9
            and segment.stop - 1e-9 <= place["stop"]
            and place["gap"] == 0.0
            for place in own
        )
    assert (
        "Sizes from 1 to 8 are shown, alpha from 0 to 0.9560;" in page_of(tmp_path / "report.html").said["p"]
    )


def test_the_file_is_the_same_every_time_and_has_no_sample_in_it(ionosphere, tmp_path):
    ionosphere.report(tmp_path / "a.html")
    ionosphere.report(tmp_path / "b.html")
    text = (tmp_path / "a.html").read_bytes()
    assert text == (tmp_path / "b.html").read_bytes()
    assert len(text) < 200_000
    X, _ = load_ionosphere(return_X_y=True)
    assert not any(repr(float(value)).encode() in text for value in X[5, [3, 9, 17]])


def test_baselines_settings_versions_and_code_stand_in_the_file(ionosphere, tmp_path):
    ionosphere.report(tmp_path / "report.html", title="Radar & <returns>")
    page = page_of(tmp_path / "report.html")
    for said in ("mRMR difference", "QPFS", "most important", "16.92% worse", "4 of 5", "equal"):
        assert said in page.said["table"]
    assert "MutualInformation(bins=20" in page.said["code"]
    assert "QFS(bins=20, edges='quantile'" in page.said["code"]
    assert (
        "selector = SelectQUBO(k=5, criterion=criteria.QFS(bins=20, edges='quantile')).fit(X, y)"
        in page.said["pre"]
    )
    assert f"numpy {np.__version__}" in page.said["p"]
    assert page.said["title"] == "Radar & <returns>"


def test_names_are_text_wherever_they_stand(tmp_path):
    tradeoff = random_tradeoff(0, len(HOSTILE))
    result = best_subset(tradeoff, k=4, names=HOSTILE)
    write_report(tmp_path / "bad.html", result, title=HOSTILE[1])
    write_report(tmp_path / "good.html", best_subset(tradeoff, k=4))
    bad, good = page_of(tmp_path / "bad.html"), page_of(tmp_path / "good.html")
    assert bad.tags == good.tags
    assert data_of(tmp_path / "bad.html")["names"] == HOSTILE
    assert {name for name, _ in bad.attributes} == {name for name, _ in good.attributes}
    assert not any(name.startswith("on") or name in ("style", "src") for name, _ in bad.attributes)
    for i in result.features:
        assert (visible_text(HOSTILE[i]) or "no name") in bad.ids["selected"]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=3, max_size=3))
def test_any_text_can_be_a_name(tmp_path_factory, names):
    file = tmp_path_factory.mktemp("names") / "report.html"
    tradeoff = random_tradeoff(1, 3)
    write_report(file, best_subset(tradeoff, k=2, solver=solvers.Exhaustive(), names=names))
    assert data_of(file)["names"] == names


def test_a_name_that_is_no_valid_text_does_not_stop_the_report(tmp_path):
    tradeoff = random_tradeoff(1, 2)
    write_report(tmp_path / "report.html", best_subset(tradeoff, k=1, names=["half \ud83e", "b"]))
    assert "half ?" in page_of(tmp_path / "report.html").ids["segments"]


def test_the_policy_forbids_all_but_this_script_and_this_style(ionosphere, tmp_path):
    ionosphere.report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "http" not in policy
    links = [value for name, value in page_of(tmp_path / "report.html").attributes if name in ("href", "src")]
    assert links == ["data:,", "#explore"]


@pytest.mark.parametrize(
    "wished",
    [
        {"include": ["pulse 1"], "exclude": ["pulse 4"]},
        {"groups": [["pulse 0", "pulse 2"], ["pulse 4", "pulse 5", "pulse 6"]]},
        {"cost": {"pulse 4": 0.5}},
        {"include": ["pulse 0"], "groups": [["pulse 0", "pulse 2"]], "cost": {"pulse 9": 2.0}},
    ],
)
def test_constraints_are_kept_and_named(wished, tmp_path):
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(k=4, **wished).fit(pd.DataFrame(X, columns=[f"pulse {i}" for i in range(34)]), y)
    selector.report(tmp_path / "report.html")
    data, page = data_of(tmp_path / "report.html"), page_of(tmp_path / "report.html")
    here = here_of(data)
    assert here["x"] == np.flatnonzero(selector.support_).tolist()
    assert here["gap"] == 0.0
    constraints = Constraints.of(34, [f"pulse {i}" for i in range(34)], **wished)
    for path in data["paths"]:
        for place in path["places"]:
            assert np.unique(constraints.unit[place["x"]]).size == path["k"]
    for place in places_of(data):
        x = np.isin(np.arange(34), place["x"])
        assert x[constraints.included].all()
        assert not x[constraints.excluded].any()
        assert all(x[constraints.unit == u].all() or not x[constraints.unit == u].any() for u in range(34))
    assert ("keeps to the constraints" in page.said["p"]) == bool(constraint_text(constraints))
    assert (data["cost"] is not None) == ("cost" in wished)


def test_a_subset_off_the_path_has_a_place_of_its_own(tmp_path):
    R = np.array([[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]])
    tradeoff = Tradeoff([10, 5, 5, 5], R)
    write_report(tmp_path / "report.html", best_subset(tradeoff, k=2))
    data, page = data_of(tmp_path / "report.html"), page_of(tmp_path / "report.html")
    here = here_of(data)
    assert (here["x"], here["gap"]) == ([1, 2], 0.0)
    assert [place["size"] for place in data["whole"]] == [1, 3, 4]
    assert [path["k"] for path in data["paths"]] == [1, 2, 3, 4]
    assert "Proven: no subset of 2 features has a lower objective at alpha" in page.said["p"]
    assert "the path passes over this size, from 1 to 3 features" in page.said["p"]


def test_k_features_at_one_alpha_are_told_to_be_the_best_of_their_size(tmp_path):
    X, y = load_ionosphere(return_X_y=True)
    SelectQUBO(k=5).fit(X, y).report(tmp_path / "report.html")
    page = page_of(tmp_path / "report.html")
    assert "Proven: no subset of 5 features has a lower objective at alpha 0.8000." in page.said["p"]
    assert "off the path" not in page.said["p"]
    assert "passes" not in page.said["p"]
    assert "Pairs()" in page.said["code"]
    assert "greedy, the same objective" in page.said["table"]


def test_negative_redundancies_have_no_path_over_all_sizes_and_a_sentence_says_why(tmp_path):
    X, y = load_ionosphere(return_X_y=True)
    SelectQUBO(k=3, criterion=criteria.JMI()).fit(X[:, :8], y).report(tmp_path / "report.html")
    page, data = page_of(tmp_path / "report.html"), data_of(tmp_path / "report.html")
    assert data["whole"] == []
    assert "None is shown: redundancies below 0" in page.said["p"]
    assert "mRMR quotient and QPFS are left out" in page.said["p"]
    assert data["map"]["lowest"] < 0.0


def test_a_selector_off_the_path_says_so(tmp_path):
    X, y = load_ionosphere(return_X_y=True)
    R = np.array([[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]])
    measures = {
        "importance": importance.Precomputed([10.0, 5.0, 5.0, 5.0]),
        "redundancy": redundancy.Precomputed(R),
    }
    with pytest.warns(OffPathWarning):
        selector = SelectQUBO(k=2, **measures).fit(X[:, :4], y)
    selector.report(tmp_path / "report.html")
    assert "the path passes over this size" in page_of(tmp_path / "report.html").said["p"]


def test_a_selector_with_an_alpha_and_without_names_is_reported(tmp_path):
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(k=None, alpha=0.91).fit(X, y)
    selector.report(tmp_path / "report.html")
    data = data_of(tmp_path / "report.html")
    assert data["here"]["alpha"] == 0.91
    assert here_of(data)["x"] == np.flatnonzero(selector.support_).tolist()
    assert data["names"][:2] == ["x0", "x1"]


def test_a_proof_at_one_alpha_is_not_told_of_the_whole_window(tmp_path):
    tradeoff = random_tradeoff(9, 12)
    result = best_subset(tradeoff, alpha=0.6)
    write_report(tmp_path / "report.html", result, solver=solvers.Tabu())
    page = page_of(tmp_path / "report.html")
    assert "Proven: no subset of any size has a lower objective at alpha 0.6000." in page.said["p"]
    assert "proven at the alpha chosen" in page.said["dd"]
    write_report(tmp_path / "report.html", result)
    assert "has a lower objective at any alpha from" in page_of(tmp_path / "report.html").said["p"]


def test_a_subset_that_the_report_beats_is_not_called_the_best(tmp_path):
    tradeoff = random_tradeoff(3, 8)
    result = best_subset(tradeoff, k=3)
    x = np.zeros(8, bool)
    x[np.argsort(tradeoff.importance)[:3]] = True
    poor = dataclasses.replace(result, solutions=Solutions.of(tradeoff.at(result.alpha), x))
    write_report(tmp_path / "report.html", poor)
    page = page_of(tmp_path / "report.html")
    assert "Not the best: the search of this report found 3 features of a lower objective" in page.said["p"]
    assert "Proven: no" not in page.said["p"]


def test_what_is_not_proven_is_not_called_proven(tmp_path):
    tradeoff = random_tradeoff(4, 12)
    result = best_subset(tradeoff, k=4, solver=solvers.Tabu())
    write_report(tmp_path / "report.html", result)
    path = result.path()
    page = page_of(tmp_path / "report.html")
    assert "Best found, not proven:" in page.said["p"]
    assert "gap" in page.ids["segments"]
    proven = sum(segment.proven for segment in path if segment.stop > segment.start)
    assert page.ids["segments"].count("proven") == proven < len(path)


@pytest.mark.parametrize("weights", [[0.0, 0.0], [1.0, 0.0], [1.0]])
def test_corners_of_tables_are_reported(weights, tmp_path):
    n = len(weights)
    tradeoff = Tradeoff(weights, np.zeros((n, n)))
    write_report(tmp_path / "report.html", best_subset(tradeoff, k=n))
    data = data_of(tmp_path / "report.html")
    assert here_of(data)["x"] == list(range(n))


def test_many_features_are_searched_and_only_what_the_fit_proved_is_proven():
    result = best_subset(random_tradeoff(7, 140), k=3)
    path, (since, until) = explored_path(result)
    assert path.of_size(3).gap == pytest.approx(result.explored.of_size(3).gap)
    inside = [segment for segment in path if since <= segment.start and segment.stop <= until]
    assert max(segment.size for segment in inside) <= 20
    assert {segment.size for segment in inside} >= {1, 2, 3, 4}


def test_a_file_of_784_features_is_less_than_a_megabyte_even_with_a_full_map(tmp_path):
    rng = np.random.default_rng(0)
    R = np.triu(rng.random((784, 784)), 1)
    tradeoff = Tradeoff(rng.random(784), R + R.T)
    search = solvers.Tabu(restarts=1, rounds=0)
    result = best_subset(tradeoff, k=10, solver=search, names=[f"pixel {i}" for i in range(784)])
    write_report(tmp_path / "report.html", result, most=11)
    assert os.path.getsize(tmp_path / "report.html") < 1_000_000
    assert len(data_of(tmp_path / "report.html")["map"]["order"]) == 784


def test_of_more_than_900_features_the_most_important_and_those_on_the_path_are_shown():
    rng = np.random.default_rng(0)
    weights = rng.random(1000)
    weights[7] = 0.0
    tradeoff = Tradeoff(weights, np.zeros((1000, 1000)))
    result = best_subset(tradeoff, k=1, constraints=Constraints.of(1000, include=7))
    alone = contents.Segment(0.1, 0.2, result.support, 0.0, 0.0, 0.0)
    path = contents.Path((alone,), np.zeros((0, 2)), 0)
    shown = contents.features_shown(contents.Contents(result, tradeoff, np.arange(1000), path, {1: (alone,)}))
    assert shown.size == 401
    assert set(np.argsort(-weights)[:400]) | {7} == set(shown)


@pytest.mark.parametrize("rows", [False, True])
def test_a_huge_table_is_cut_to_the_features_of_its_path(ionosphere, rows, tmp_path, monkeypatch):
    monkeypatch.setattr("quboselect.report.exploration.MOST_EXPLORED", 20)
    result = ionosphere.result_
    if rows:
        on_demand = Tradeoff(result.tradeoff.importance, Rows.of(result.tradeoff.redundancy))
        result = dataclasses.replace(result, tradeoff=on_demand)
    write_report(tmp_path / "report.html", result)
    data, page = data_of(tmp_path / "report.html"), page_of(tmp_path / "report.html")
    here = here_of(data)
    assert len(data["names"]) < 34
    assert [data["numbers"][i] for i in here["x"]] == result.features.tolist()
    assert [data["names"][i] for i in here["x"]] == [f"pulse {i}" for i in result.features]
    assert here["redundancy"] == pytest.approx(6.9922, abs=1e-4)
    assert page.said["h1"] == "5 of 34 features selected"
    assert "No baselines were run" in page.said["p"]


def test_precision_falls_with_the_number_of_cells_and_never_silently(monkeypatch):
    rng = np.random.default_rng(0)
    R = rng.random((6, 6))
    few = contents.precise_block(R, np.arange(6), np.arange(3))
    assert few["width"] == 4
    monkeypatch.setattr(contents, "FEW_CELLS", 10)
    some = contents.precise_block(R, np.arange(6), np.arange(3))
    cells = np.frombuffer(base64.b64decode(some["bytes"]), "<u2") * some["scale"]
    assert some["width"] == 2
    np.testing.assert_allclose(cells.reshape(6, 3), R[:, :3], atol=1e-5)
    monkeypatch.setattr(contents, "MOST_CELLS", 10)
    assert contents.precise_block(R, np.arange(6), np.arange(3)) is None


def test_features_that_repeat_each_other_stand_together_in_the_map():
    R = np.zeros((6, 6))
    for i, j in ((0, 3), (1, 4), (2, 5)):
        R[i, j] = R[j, i] = 1.0
    order = contents.similarity_order(R).tolist()
    assert all(abs(order.index(i) - order.index(i + 3)) == 1 for i in range(3))


def test_a_missing_folder_and_a_folder_are_refused_before_anything_is_explored(ionosphere, tmp_path):
    with pytest.raises(FileNotFoundError, match="the folder of the report must exist"):
        ionosphere.report(tmp_path / "nowhere" / "report.html")
    with pytest.raises(IsADirectoryError, match=r"add a name such as report\.html"):
        ionosphere.report(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_disk_that_fills_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    result = best_subset(random_tradeoff(0, 3), k=1)
    (tmp_path / "report.html").write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"could not be written to .*report\.html': No space left on device"):
        write_report(tmp_path / "report.html", result)
    assert (tmp_path / "report.html").read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_what_cannot_be_a_report_is_refused_in_words(ionosphere, tmp_path):
    with pytest.raises(ValueError, match=r"most.*from 0 to 34.*99"):
        ionosphere.report(tmp_path / "a.html", most=99)
    with pytest.raises(AttributeError, match="not fitted"):
        SelectQUBO().report(tmp_path / "a.html")
    assert not list(tmp_path.iterdir())


def test_the_code_makes_the_same_selector_again():
    selector = SelectQUBO(
        k=4,
        importance=importance.MutualInformation(bins=7),
        redundancy=redundancy.Correlation(),
        solver=solvers.Portfolio(effort=0.5),
        include=[3],
    )
    made = {}
    exec(code_of(selector).split("selector =")[0], made)
    again = eval(code_of(selector).split("selector = ")[1].split(".fit(X, y)")[0], made)
    assert repr(again) == repr(selector)
    assert "from sklearn.feature_selection" in code_of(SelectQUBO(importance=f_classif))
    assert unit_of(selector.importance, selector.redundancy) == ""


@pytest.mark.parametrize(
    "changed",
    [
        {"cost": np.arange(2000.0)},
        {"importance": importance.Entropy(), "redundancy": redundancy.MutualInformation(bins=5)},
        {"alpha": 0.5, "target_type": "classes", "exclude": ["a\N{RIGHT-TO-LEFT OVERRIDE}b"]},
        {"criterion": criteria.MIFS(bins=5, beta=0.5)},
    ],
)
def test_the_code_has_every_parameter_that_was_changed(changed):
    made, selector = {}, SelectQUBO(k=3, **changed)
    exec(code_of(selector).split("selector =")[0], made)
    again = eval(code_of(selector).split("selector = ")[1].split(".fit(X, y)")[0], made)
    for name, value in selector.get_params(deep=False).items():
        np.testing.assert_array_equal(getattr(again, name), value)


def test_the_code_says_k_and_what_it_cannot_say():
    assert "SelectQUBO(k=10).fit" in code_of(SelectQUBO())
    assert "SelectQUBO(k=10, alpha=0.5).fit" in code_of(SelectQUBO(alpha=0.5))
    assert "SelectQUBO(k=None, alpha=0.5).fit" in code_of(SelectQUBO(k=None, alpha=0.5))
    jmi = code_of(SelectQUBO(k=3, criterion=criteria.JMI()))
    assert "from quboselect import criteria" in jmi
    assert "SelectQUBO(k=3, criterion=criteria.JMI()).fit" in jmi
    given = code_of(
        SelectQUBO(k=2, importance=importance.Precomputed([1.0, 2.0]), redundancy=lambda X: X.T @ X)
    )
    compile(given, "report", "exec")
    assert "SelectQUBO(k=2, importance=importance.Precomputed(...), redundancy=...)" in given
    assert "# importance was Precomputed(2 numbers)" in given


def test_how_many_are_proven_is_said_in_sentences():
    tradeoff = random_tradeoff(4, 12)
    result = best_subset(tradeoff, k=4)
    known = contents.Contents(result, tradeoff, np.arange(12), result.explored, {4: result.explored[:1]})
    proven = sum(segment.proven for segment in known.segments)
    assert proven == 1
    text = words.whole_summary(known)
    assert f"1 of {len(known.segments)} segments is proven:" in text
    assert f"What is shown of the other {len(known.segments) - 1} is the best that was found" in text


def test_the_unit_is_bits_of_every_measure_in_bits():
    assert unit_of(importance.Entropy(), redundancy.MutualInformation()) == "bits"
    assert unit_of(importance.Entropy(), redundancy.MutualInformation(normalised=True)) == ""
    assert unit_of(importance.MutualInformation(), redundancy.CoInformation()) == "bits"
    assert unit_of(importance.MutualInformation(), redundancy.SymmetricalRelevance()) == ""

    class MutualInformationOfMine:
        pass

    assert unit_of(MutualInformationOfMine(), redundancy.MutualInformation()) == ""


def test_what_else_it_takes_to_make_it_again_is_shown_whole_as_text(ionosphere, tmp_path):
    also = {"table": "<b>radar.csv", "command": "quboselect report " + "x" * 900}
    ionosphere.report(tmp_path / "report.html", also=also)
    page = page_of(tmp_path / "report.html")
    for text in also.values():
        assert text in page.said["code"]
    assert "b" not in page.tags[page.tags.index("footer") :]
    assert page.said["th"].index("table") < page.said["th"].index("categorical_features")


def test_a_selector_found_by_cross_validation_is_reported(tmp_path):
    X, y = load_ionosphere(return_X_y=True)
    frame = pd.DataFrame(X[:, :8], columns=list("abcdefgh"))
    found = SelectQUBOCV(GaussianNB(), k=[2, 3], cv=2).fit(frame, y)
    found.report(tmp_path / "report.html", title="Radar", also={"table": "radar.csv"})
    page, data = page_of(tmp_path / "report.html"), data_of(tmp_path / "report.html")
    names = [data["names"][i] for i in here_of(data)["x"]]
    assert names == list(found.get_feature_names_out())
    assert page.said["title"] == "Radar"
    assert "SelectQUBOCV(" in page.said["code"]
    assert "radar.csv" in page.said["code"]
    with pytest.raises(AttributeError, match="not fitted"):
        SelectQUBOCV(GaussianNB()).report(tmp_path / "report.html")


def test_an_excluded_feature_has_no_number_and_counts_in_no_sum(tmp_path):
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(k=3, exclude=[4, 5]).fit(X, y)
    selector.report(tmp_path / "report.html")
    data, page = data_of(tmp_path / "report.html"), page_of(tmp_path / "report.html")
    assert data["excluded"] == [4, 5]
    assert not {4, 5} & {*data["live"], *data["map"]["order"]}
    kept = np.delete(selector.importance_, [4, 5])
    share = selector.importance_[selector.support_].sum() / kept.sum()
    assert f"{share:.0%} of the sum of the 32 not excluded" in page.said["dd"]
    assert "1 feature that repeats no other is left out. So are 2 that were excluded." in page.said["p"]


def test_what_the_map_leaves_out_is_counted_in_words():
    assert words.map_note(34, 34, 34) == ""
    assert words.map_note(33, 34, 34, 1) == " 1 feature that was excluded is left out."
    assert words.map_note(30, 34, 34).endswith("4 features that repeat no other are left out.")
    assert words.map_note(32, 34, 34, 1).endswith("is left out. So is 1 that was excluded.")


def test_nothing_to_choose_has_no_baselines_beside_it():
    constraints = Constraints.of(6, include=[0, 1])
    assert contents_of(best_subset(random_tradeoff(2, 6), k=2, constraints=constraints)).comparison is None


def test_a_name_that_turns_its_letters_round_is_shown_as_it_is_written(tmp_path):
    tradeoff = random_tradeoff(1, 2)
    names = ["gpj\N{RIGHT-TO-LEFT OVERRIDE}a\x07", "family \N{WOMAN}\N{ZERO WIDTH JOINER}\N{BOY}"]
    write_report(tmp_path / "report.html", best_subset(tradeoff, k=1, names=names))
    page = page_of(tmp_path / "report.html")
    assert "gpj[U+202E]a\N{SYMBOL FOR BELL}" in page.ids["segments"]
    assert names[1] in page.ids["segments"]
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in (tmp_path / "report.html").read_text(encoding="utf-8")


def read_all(end):
    with open(end, "rb") as file:
        return file.read()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_given_the_whole_report_and_stays_one(ionosphere, tmp_path):
    ionosphere.report(tmp_path / "report.html")
    os.mkfifo(tmp_path / "pipe")
    reader, got = in_background(read_all, tmp_path / "pipe")
    writer, ended = in_background(ionosphere.report, tmp_path / "pipe")
    writer.join(60)
    reader.join(30)
    assert ended == [None]
    assert got == [(tmp_path / "report.html").read_bytes()]
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["pipe", "report.html"]


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="this system has no names for open files")
def test_an_open_pipe_that_has_no_name_of_its_own_is_given_the_whole_report(ionosphere, tmp_path):
    ionosphere.report(tmp_path / "report.html")
    end, start = os.pipe()
    reader, got = in_background(read_all, end)
    writer, ended = in_background(ionosphere.report, f"/dev/fd/{start}")
    writer.join(60)
    # Only then has the reader all.
    os.close(start)
    reader.join(30)
    assert ended == [None]
    assert got == [(tmp_path / "report.html").read_bytes()]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_that_is_not_read_to_its_end_is_an_error_in_words_and_stays_one(ionosphere, tmp_path):
    def little():
        with open(tmp_path / "pipe", "rb", buffering=0) as file:
            file.read(1)

    os.mkfifo(tmp_path / "pipe")
    in_background(little)
    writer, ended = in_background(ionosphere.report, tmp_path / "pipe")
    writer.join(30)
    with pytest.raises(BrokenPipeError, match=r"the report could not be written to '.*pipe': Broken pipe"):
        raise ended[0]
    assert [file.is_fifo() for file in tmp_path.iterdir()] == [True]


@pytest.mark.skipif(os.name != "posix", reason="this system has other modes")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666], ids=oct)
def test_a_report_that_is_replaced_leaves_its_mode_to_the_new_one(tmp_path, mode):
    file = tmp_path / "report.html"
    file.write_text("old")
    file.chmod(mode)
    (tmp_path / "link.html").symlink_to(file)
    write_report(tmp_path / "link.html", best_subset(random_tradeoff(0, 3), k=1))
    assert page_of(file).said["title"]
    assert (tmp_path / "link.html").is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == mode


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system kills in another way")
def test_a_process_that_is_killed_while_it_writes_leaves_the_old_report(tmp_path):
    (tmp_path / "report.html").write_text("old")
    code = (
        "import os, signal; from quboselect import Tradeoff; from quboselect.report import write_report\n"
        "from quboselect import best_subset\n"
        "result = best_subset(Tradeoff([1.0], [[0.0]]), k=1)\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_report('report.html', result)"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    assert (tmp_path / "report.html").read_text() == "old"


def test_the_template_the_style_and_the_script_are_part_of_the_package():
    for name in ("template.html", "style.css", *SCRIPTS):
        text = files("quboselect").joinpath("report", name).read_text(encoding="utf-8")
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")


def test_code_of_numpys_values_runs_without_numpy():
    selector = SelectQUBO(
        k=np.int64(2),
        include=[np.int64(1)],
        groups=[np.array([0, 3])],
        cost={0: np.float64(0.1)},
        solver=quantum.QuantumAnnealing(time=10.0),
    )
    given = {"X": np.random.default_rng(0).normal(size=(60, 5)), "y": np.arange(60) % 2}
    code = code_of(selector).rsplit("\n", 1)[0]
    assert "np." not in code
    exec(code, given)
    assert given["selector"].k_ == 2
