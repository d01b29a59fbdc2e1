"""What the commands say: the same as the library, on a terminal and as JSON."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import numpy as np
import polars as pl
import pytest

import quboselect
from quboselect import SelectQUBO, Tradeoff, alpha_path, compare, criteria
from quboselect.cli.options import PROVING, SOLVERS, CriterionName, Edges, Estimate, SolverName
from quboselect.datasets import load_ionosphere
from quboselect.search.envelope import size_path

GOOD = ("table.csv", "--target", "class")
PAPER = ("--criterion", "qfs", "--bins", "20", "--edges", "quantile")
DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def selector(frame):
    return SelectQUBO(k=2).fit(frame.drop("class"), frame["class"])


def no_constants(text):
    """Read JSON, and fail on NaN and infinity, which it has not."""

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_select_says_what_the_library_found(folder, run, selector, frame):
    document = no_constants(run("select", *GOOD, "-k", "2", "--json").out)
    assert document["selected"] == list(selector.get_feature_names_out())
    assert document["alpha_window"] == list(selector.alpha_window_)
    assert (document["alpha"], document["energy"]) == (selector.alpha_, selector.energy_)
    assert (document["proven"], document["gap"], document["on_path"]) == (True, 0.0, False)
    assert (document["alpha"], document["passes"]) == (0.5, None)
    settings = {key: document["settings"][key] for key in ("criterion", "bins", "edges", "estimate")}
    assert settings == {"criterion": "pairs", "bins": "auto", "edges": "apart", "estimate": "plug-in"}
    qubo = Tradeoff(selector.importance_, selector.redundancy_).at(selector.alpha_)
    for feature in document["features"]:
        i = feature["index"]
        without = selector.support_.copy()
        without[i] = False
        assert feature["name"] == frame.columns[i]
        assert feature["importance"] == selector.importance_[i]
        assert feature["redundancy"] == pytest.approx(selector.redundancy_[i, selector.support_].sum())
        assert feature["contribution"] == pytest.approx(qubo.energy(without) - selector.energy_)
    contributions = [feature["contribution"] for feature in document["features"]]
    assert contributions == sorted(contributions, reverse=True)
    assert contributions[-1] > 0.0
    assert document["warnings"] == [{"kind": each.kind, "text": each.text} for each in selector.warnings_]
    assert document["warnings"]


def test_the_paper_has_its_features_and_its_window(folder, run):
    run("datasets", "ionosphere", "-o", "ionosphere.csv")
    ended = run("select", "ionosphere.csv", "-t", "class", "-k", "5", *PAPER)
    assert "Selected for every alpha from 0.8961 to 0.9232." in ended.out
    document = no_constants(run("select", "ionosphere.csv", "-t", "class", "-k", "5", *PAPER, "--json").out)
    assert [each["index"] for each in sorted(document["features"], key=lambda each: each["index"])] == [
        *(0, 2, 4, 5, 20)
    ]


def test_the_terminal_says_the_same_in_words(folder, run, selector):
    out = run("select", *GOOD, "-k", "2").out
    for i in np.flatnonzero(selector.support_):
        assert f"{selector.importance_[i]:.4f}" in out
    assert "The best 2 features at alpha 0.5000." in out
    assert "Proven: no other subset of 2 features is better there." in out
    assert "no other subset of 1 feature is better" in run("select", *GOOD, "-k", "1").out


def test_the_terminal_tells_the_window_of_the_paper(folder, run, frame):
    selector = SelectQUBO.paper(k=2).fit(frame.drop("class"), frame["class"])
    out = run("select", *GOOD, "-k", "2", *PAPER).out
    for i in np.flatnonzero(selector.support_):
        assert f"{selector.importance_[i]:.4f}" in out
    start, stop = selector.alpha_window_
    assert f"every alpha from {start:.4f} to {stop:.4f}" in out
    assert "Proven: no other subset is better anywhere in that window." in out


def test_what_is_not_proven_is_not_called_proven(folder, run):
    for how in (("--effort", "0"), ("--solver", "tabu"), ("--solver", "anneal")):
        ended = run("select", *GOOD, "-k", "2", *how)
        assert "Not proven" in ended.out
        assert "Proven:" not in ended.out
        # Advice is such that it can be followed.
        assert ("A larger --effort proves more." in ended.out) == (how[0] == "--effort")
        assert ("--solver portfolio proves" in ended.out) == (how[0] == "--solver")
        document = no_constants(run("select", *GOOD, "-k", "2", "--json", *how).out)
        assert document["proven"] is False
        assert document["gap"] is None or document["gap"] > 0.0


def test_a_size_off_the_path_is_said_once_in_words(folder, run):
    # Three parts that say nothing of each other say more than any two, and than the class seen through noise.
    rng = np.random.default_rng(1)
    parts = rng.integers(0, 2, (3, 400))
    y = (parts.sum(axis=0) > 1).astype(int)
    strong = np.where(rng.random(400) < 0.9, y, 1 - y)
    columns = {f"p{i}": part for i, part in enumerate(parts)}
    pl.DataFrame({"strong": strong, **columns, "class": y}).write_csv("off.csv")
    sizes = set(alpha_path(tradeoff_of("off.csv", criterion=criteria.QFS())).sizes)
    assert sizes == {0, 1, 3, 4}
    for k in range(1, 5):
        ended = run("select", "off.csv", "-t", "class", "-k", str(k), "--criterion", "qfs")
        off = k not in sizes
        # Where the criterion has an alpha for k, the path is not asked.
        default = run("select", "off.csv", "-t", "class", "-k", str(k))
        assert (default.err, "ff the path" in default.out) == ("", False)
        assert ("Off the path" in ended.out) == off
        assert ended.err.count("is off the path") == int(off)
        assert "Proven" in ended.out


def tradeoff_of(name, **how):
    frame = pl.read_csv(name)
    selector = SelectQUBO(k=1, **how).fit(frame.drop("class"), frame["class"])
    return Tradeoff(selector.importance_, selector.redundancy_)


def test_without_k_ten_are_taken_or_all_with_a_note(folder, run):
    ended = run("select", *GOOD, "--names")
    assert len(ended.out.split()) == 5
    assert "the table has 5 features, fewer than 10" in ended.err
    assert run("select", *GOOD, "--names", "-k", "auto").code == 0


def test_at_one_alpha_as_many_come_as_are_best_there(folder, run, frame):
    for alpha in (0.0, 0.6, 1.0):
        told = SelectQUBO(k=None, alpha=alpha).fit(frame.drop("class"), frame["class"])
        document = no_constants(run("select", *GOOD, "--alpha", str(alpha), "--json").out)
        assert document["selected"] == list(told.feature_names_in_[told.support_])
        assert run("select", *GOOD, "--alpha", str(alpha)).code == 0


def test_every_solver_that_can_be_typed_is_in_the_table():
    assert get_args(SolverName) == tuple(SOLVERS)
    assert set(PROVING) <= set(SOLVERS)


@pytest.mark.parametrize("solver", [name for name in SOLVERS if not name.startswith("dwave")])
def test_every_solver_has_a_name_and_gives_k_features(solver, folder, run):
    ended = run(
        "select", *GOOD, "-k", "2", "--solver", solver, "--seed", "3", "--threads", "1", "--names", "-q"
    )
    assert (ended.code, len(ended.out.split())) == (0, 2), ended.err


def test_k_and_alpha_together_give_exactly_k_at_that_alpha(folder, run, frame):
    for alpha in (0.0, 0.3, 1.0):
        told = SelectQUBO(k=3, alpha=alpha).fit(frame.drop("class"), frame["class"])
        document = no_constants(run("select", *GOOD, "-k", "3", "--alpha", str(alpha), "--json").out)
        assert document["selected"] == list(told.get_feature_names_out())
        assert (document["k"], document["alpha"], document["alpha_window"]) == (3, alpha, [alpha, alpha])
        assert (document["on_path"], document["passes"], document["proven"]) == (False, None, True)
        assert (document["settings"]["k"], document["settings"]["alpha"]) == (3, alpha)
        assert (
            f"The best 3 features at alpha {alpha:.4f}."
            in run("select", *GOOD, "-k", "3", "--alpha", alpha).out
        )
    assert len(run("select", *GOOD, "-k", "auto", "--alpha", "0.5", "--names").out.split()) >= 1


def test_a_contribution_below_zero_is_explained(folder, run):
    words = "below 0 is there because 4 features were asked for"
    assert words in run("select", *GOOD, "-k", "4", "--alpha", "0.1").out
    assert words not in run("select", *GOOD, "-k", "4", "--alpha", "1").out
    # It may have been included instead.
    assert words not in run("select", *GOOD, "-k", "4", "--alpha", "0.1", "--include", "noise").out


def test_every_criterion_of_information_can_be_typed():
    kinds = [getattr(criteria, name) for name in criteria.__all__]
    made = {
        kind.__name__.lower() for kind in kinds if isinstance(kind, type) and kind is not criteria.Criterion
    }
    assert set(get_args(CriterionName)) == made


@pytest.mark.parametrize("name", get_args(CriterionName))
def test_a_criterion_is_that_of_the_library(name, folder, run, frame):
    kinds = {each.lower(): getattr(criteria, each) for each in criteria.__all__}
    told = SelectQUBO(3, criterion=kinds[name]()).fit(frame.drop("class"), frame["class"])
    document = no_constants(run("select", *GOOD, "-k", "3", "--criterion", name.upper(), "--json").out)
    assert document["selected"] == list(told.get_feature_names_out())
    assert (document["alpha"], document["energy"]) == (told.alpha_, told.energy_)
    assert (document["settings"]["criterion"], document["proven"]) == (name, True)
    out = run("select", *GOOD, "-k", "3", "--criterion", name).out
    assert (" bits. " in out) == (name != "disr")
    path = size_path(Tradeoff(told.importance_, told.redundancy_), 3)
    document = no_constants(run("path", *GOOD, "-k", "3", "--criterion", name, "--json").out)
    assert [each["alpha"] for each in document["segments"]] == [[each.start, each.stop] for each in path]


@pytest.mark.parametrize("edges", get_args(Edges))
@pytest.mark.parametrize("estimate", get_args(Estimate))
def test_bins_edges_and_estimate_reach_the_measures(edges, estimate, folder, run, frame):
    from quboselect.importance import MutualInformation

    asked = ("--bins", "4", "--edges", edges, "--estimate", estimate)
    document = no_constants(run("select", *GOOD, "-k", "5", *asked, "--json").out)
    measure = MutualInformation(bins=4, edges=edges, estimate=estimate)
    importance = measure(frame.drop("class"), frame["class"].to_numpy())
    for feature in document["features"]:
        assert feature["importance"] == importance[feature["index"]]
    assert [document["settings"][key] for key in ("bins", "edges", "estimate")] == [4, edges, estimate]


def test_the_path_is_that_of_the_library(folder, run, frame):
    path = alpha_path(tradeoff_of("table.csv"))
    document = no_constants(run("path", *GOOD, "--json").out)
    assert [each["size"] for each in document["segments"]] == list(path.sizes)
    assert [each["alpha"] for each in document["segments"]] == [[each.start, each.stop] for each in path]
    names = frame.columns[:-1]
    assert [each["features"] for each in document["segments"]] == [
        [names[i] for i in segment.features] for segment in path
    ]
    out = run("path", *GOOD).out
    assert f"{len(path)} segments" in out
    assert "Proven: every segment" in out
    kept = no_constants(run("path", *GOOD, "--json", "--include", "noise", "--exclude", "age").out)
    assert all("noise" in each["features"] for each in kept["segments"])
    assert "Not proven" in run("path", *GOOD, "--effort", "0").out


def test_a_path_with_k_is_that_of_one_size(folder, run, frame):
    path = size_path(tradeoff_of("table.csv"), 2)
    document = no_constants(run("path", *GOOD, "-k", "2", "--json").out)
    assert [each["alpha"] for each in document["segments"]] == [[each.start, each.stop] for each in path]
    assert {each["size"] for each in document["segments"]} == {2}
    assert document["settings"]["k"] == 2
    assert no_constants(run("path", *GOOD, "--json").out)["settings"]["k"] is None
    out = run("path", *GOOD, "-k", "2").out
    assert out.startswith("The path among subsets of 2 features of table.csv")
    assert "Proven: every segment is the best 2 features in all of its window" in out
    # The selection of that size at an alpha is where the path is then, if that has nothing that is mere chance.
    found = no_constants(run("select", *GOOD, "-k", "2", "--alpha", "0.9", "--json").out)
    (there,) = (each for each in document["segments"] if each["alpha"][0] <= 0.9 < each["alpha"][1])
    assert there["features"] == found["selected"]
    kept = no_constants(run("path", *GOOD, "-k", "2", "--json", "--include", "noise").out)
    assert {(each["size"], "noise" in each["features"]) for each in kept["segments"]} == {(2, True)}
    assert run("path", *GOOD, "-k", "5").code == 0


@pytest.mark.parametrize("criterion", get_args(CriterionName))
def test_every_criterion_has_a_path_over_all_sizes_and_one_of_each_size(criterion, folder, run):
    assert run("path", *GOOD, "--criterion", criterion).code == 0
    assert run("path", *GOOD, "--criterion", criterion, "-k", "1").code == 0


def test_the_comparison_is_that_of_the_library(folder, run, frame):
    ended = run("compare", *GOOD, "--json")
    assert no_constants(ended.out)["k"] == no_constants(ended.out)["settings"]["k"] == 5
    assert "the table has 5 features, fewer than 10" in ended.err
    compared = compare(SelectQUBO(k=3).fit(frame.drop("class"), frame["class"]))
    document = no_constants(run("compare", *GOOD, "-k", "3", "--json").out)
    assert [each["name"] for each in document["methods"]] == [row.name for row in compared.rows]
    assert [each["objective"] for each in document["methods"]] == [row.objective for row in compared.rows]
    out = run("compare", *GOOD, "-k", "3").out
    assert "mRMR difference" in out
    assert "Proven: no 3 features have a lower objective than ours." in out
    assert "Proven: no 1 feature has a lower objective than ours." in run("compare", *GOOD, "-k", "1").out


def test_the_report_is_written_by_the_selector_itself(folder, run, monkeypatch):
    told = {}

    def report(self, file, X, y, *, also, target):
        told.update(also, target=target)
        assert (X.columns, y.name) == (["pay", "pay_eur", "noise"], "class")
        Path(file).write_text(f"<html>{self.k_}</html>")

    monkeypatch.setattr(SelectQUBO, "report", report)
    ended = run("report", *GOOD, "--exclude", "age, town", "-k", "2", "-o", "page.html")
    assert (ended.code, ended.out) == (0, "page.html\n"), ended.err
    assert Path("page.html").read_text() == "<html>2</html>"
    assert told == {
        "table": "table.csv",
        "target column": "class",
        "target": "class",
        "left out": "age, town",
        "command": "quboselect report table.csv --target class --exclude 'age, town' -k 2 -o page.html",
    }


def test_a_report_on_a_full_disk_leaves_the_old_one(folder, run, monkeypatch):
    Path("page.html").write_text("old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    ended = run("report", *GOOD, "-k", "2", "-o", "page.html")
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert re.search("page.html.*No space left", ended.err)
    assert sorted(path.name for path in folder.iterdir()) == ["page.html", "table.csv"]
    assert Path("page.html").read_text() == "old"


def test_a_real_report_tells_how_to_make_it_again(folder, run):
    assert run("report", *GOOD, "-k", "2", "--exclude", "noise").code == 0
    page = Path("report.html").read_text()
    assert "<html" in page[:500].lower()
    assert "quboselect report table.csv --target class -k 2 --exclude noise" in page
    head = page.partition("<header>")[2].partition("</header>")[0]
    assert "selected for <bdi" in head
    assert ">class</bdi>" in head
    assert ">table.csv</bdi>" in head


@pytest.mark.parametrize("name", ["ionosphere", "synth_10", "waveform"])
def test_data_sets_are_written_with_their_target(name, folder, run):
    listed = {each["name"]: each for each in no_constants(run("datasets", "--json").out)["datasets"]}
    assert name in run("datasets").out
    assert run("datasets", name, "-o", "data.parquet").code == 0
    frame = pl.read_parquet("data.parquet")
    assert frame.shape == (listed[name]["samples"], listed[name]["features"] + 1)
    assert frame["class"].n_unique() == listed[name]["classes"]
    text = run("datasets", name).out
    assert pl.read_csv(text.encode()).shape == frame.shape


def test_info_tells_versions_cores_and_extras(run):
    document = no_constants(run("info", "--json").out)
    assert document["version"] == quboselect.__version__
    assert document["libraries"]["numpy"] == np.__version__
    assert document["extras"]["cli"]["found"] is True
    assert document["cores"] >= 1
    out = run("info").out
    assert np.__version__ in out
    assert run("--version").out == f"quboselect {quboselect.__version__}\n"


def test_every_document_has_the_keys_that_are_written_down(folder, run):
    np.save("q.npy", [[-1.0]])
    documents = {
        "select": run("select", *GOOD, "-k", "2", "--json"),
        "rank": run("rank", *GOOD, "-k", "2", "--json"),
        "explain": run("explain", *GOOD, "-k", "2", "--json"),
        "alternatives": run("alternatives", *GOOD, "-k", "2", "--json"),
        "stability": run("stability", *GOOD, "-k", "2", "--resamples", "3", "--json"),
        "cv": run("cv", *GOOD, "--most", "2", "--folds", "2", "--json"),
        "path": run("path", *GOOD, "--json"),
        "compare": run("compare", *GOOD, "-k", "2", "--json"),
        "qubo solve": run("qubo", "solve", "q.npy", "--json"),
        "datasets": run("datasets", "--json"),
        "info": run("info", "--json"),
    }
    text = (DOCS / "json.md").read_text()
    for command, ended in documents.items():
        document = no_constants(ended.out)
        assert (document["schema_version"], document["command"]) == (3, command)
        section = re.search(rf"^## `{command}`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL).group(1)
        common = re.search(r"^## Every document\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL).group(1)
        told = set(re.findall(r"^\| `(\w+)` \|", section + common, re.MULTILINE))
        inside = {
            key
            for part in ("features", "segments", "methods", "datasets", "subsets", "sizes")
            for each in document.get(part, [])
            for key in each
        }
        assert set(document) | inside <= told
        assert {key for key in told if key not in common} <= set(document) | inside
        if command in ("select", "qubo solve"):  # the others are as in select
            (settings,) = re.findall(r"^\| `settings` \|.*$", section, re.MULTILINE)
            assert set(document["settings"]) == set(re.findall(r"`(\w+)`", settings)) - {"settings"}


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("select", ("--criterion", "--bins", "--edges", "--estimate", "--alpha", "INTEGER|auto", "paper")),
        ("path", ("--criterion", "-k", "exactly k", "Only subsets of this number")),
        ("compare", ("--criterion", "--estimate", "10 by default")),
        ("qubo export", ("--criterion", "--alpha", "need not have k ones")),
        ("qubo solve", ("Set exactly k bits to 1",)),
    ],
)
def test_the_help_of_a_command_names_what_it_takes(command, words, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERMINAL_WIDTH", "200")
    ended = run(*command.split(), "--help")
    assert ended.code == 0
    text = " ".join(re.sub("[│╭╮╰╯─]", " ", ended.out).split())
    assert [word for word in words if word not in text] == []
    assert "--corrected" not in text
    assert "int range" not in text


def test_the_package_itself_is_the_command():
    ended = subprocess.run([sys.executable, "-m", "quboselect", "--version"], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout.split()[0]) == (0, "quboselect"), ended.stderr


def test_a_proof_names_the_features_that_it_is_not_about(run, tmp_path):
    X, y = load_ionosphere(return_X_y=True)
    pl.DataFrame(X, schema=[f"f{i}" for i in range(34)]).with_columns(pl.Series("class", y)).write_csv(
        tmp_path / "i.csv"
    )
    ended = run("select", str(tmp_path / "i.csv"), "--target", "class", "-k", "8")
    left = json.loads(run("select", str(tmp_path / "i.csv"), "--target", "class", "-k", "8", "--json").out)[
        "left_out"
    ]
    assert left == ["f1"]
    assert "without the 1 feature that says no more than chance, is better" in " ".join(ended.out.split())
