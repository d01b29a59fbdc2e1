"""The commands that answer say what the library says, and take what people type."""

import json

import numpy as np
import polars as pl
import pytest

from quboselect import SelectQUBO

GOOD = ("table.csv", "--target", "class", "-k", "2")


@pytest.fixture
def selector(frame):
    return SelectQUBO(k=2).fit(frame.drop("class"), frame["class"])


def document(run, *typed):
    ended = run(*typed, "--json")
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


def test_rank_is_the_ranking(folder, run, selector, frame):
    found = document(run, "rank", *GOOD)
    order = [frame.columns[i] for i in np.argsort(selector.ranking_)]
    assert [each["name"] for each in found["features"]] == order
    assert run("rank", *GOOD, "--names").out.split() == order
    assert run("rank", *GOOD, "--names", "--json").code == 2


def test_explain_has_the_sentences(folder, run, selector):
    found = document(run, "explain", *GOOD)
    told = selector.explain()
    assert {each["name"]: each["sentence"] for each in found["features"]} == {
        reason.name: str(reason) for reason in told
    }
    out = run("explain", *GOOD, "--feature", "age,town").out
    assert str(told["age"]) in out
    assert str(told["pay"]) not in out
    ended = run("explain", *GOOD, "--feature", "aeg")
    assert (ended.code, "did you mean 'age'" in ended.err) == (2, True)
    assert "is the target" in run("explain", *GOOD, "--feature", "class").err


def test_alternatives_are_those_of_the_selector(folder, run, selector):
    found = document(run, "alternatives", *GOOD, "-m", "3", "--different", "1")
    ours = selector.alternatives(3, different=1)
    assert [each["energy"] for each in found["subsets"]] == [each.energy for each in ours]
    assert found["subsets"][0]["with"] == []
    assert {*found["subsets"][1]["with"], *found["subsets"][1]["without"]} == {"pay", "pay_eur"}
    assert "differ" in run("alternatives", *GOOD, "--different", "3").err
    assert run("alternatives", *GOOD, "--count", "0").code == 2


def test_stability_is_that_of_the_library(folder, run, selector, frame):
    found = document(run, "stability", *GOOD, "--resamples", "5", "--seed", "3")
    ours = selector.stability(frame.drop("class"), frame["class"], n_resamples=5, seed=3)
    assert found["index"] == pytest.approx(ours.index)
    assert {each["name"]: each["frequency"] for each in found["features"]} == dict(
        zip(frame.columns, ours.frequency.tolist(), strict=False)
    )
    assert "between 0 and 1, got 1.5" in run("stability", *GOOD, "--fraction", "1.5").err


@pytest.mark.parametrize("model", ["linear", "trees"])
@pytest.mark.parametrize("target", ["class", "pay"])
def test_cv_takes_categories_gaps_classes_and_numbers(folder, run, frame, model, target):
    rng = np.random.default_rng(0)
    gaps = frame.with_columns(
        pl.when(pl.Series(rng.random(120) < 0.1)).then(None).otherwise(pl.col(name)).alias(name)
        for name in ("age", "town")
    )
    gaps.write_csv("gaps.csv")
    found = document(run, "cv", "gaps.csv", "-t", target, "--most", "3", "--folds", "3", "--model", model)
    assert [each["k"] for each in found["sizes"]] == [1, 2, 3]
    assert len(found["selected"]) == found["k"] <= 3
    assert {"pay", "pay_eur"} & {*found["selected"], target}
    assert max(each["mean_score"] for each in found["sizes"]) > 0.5


@pytest.mark.parametrize(("typed", "name"), [("6", "class"), ("-1", "class"), ("1", "pay"), ("-6", "pay")])
def test_the_target_may_be_a_place(folder, run, typed, name):
    assert document(run, "select", "table.csv", "-t", typed, "-k", "1")["table"]["target"] == name


@pytest.mark.parametrize("typed", ["0", "7", "-7", "1.5"])
def test_a_place_that_is_none_is_refused(folder, run, typed):
    ended = run("select", "table.csv", "-t", typed, "-k", "1")
    assert ended.code == 2
    assert "--target must name a column of the table" in ended.err


def test_a_column_that_is_called_by_a_number_goes_before_its_place(folder, run, frame):
    frame.rename({"noise": "1"}).write_csv("odd.csv")
    assert document(run, "select", "odd.csv", "-t", "1", "-k", "1")["table"]["target"] == "1"


def test_a_file_without_names_has_a_last_column(folder, run, frame):
    frame.write_csv("bare.csv", include_header=False)
    found = document(run, "select", "bare.csv", "--no-header", "-t", "-1", "-k", "1")
    assert found["table"]["target"] == "column_6"


@pytest.mark.parametrize("command", ["rank", "explain", "alternatives", "stability", "report"])
def test_answers_take_several_targets(folder, run, command):
    ended = run(command, "table.csv", "-t", "class,town", "-k", "2")
    assert (ended.code, ended.err) == (0, "")
    assert "class, town" in (ended.out if command != "report" else (folder / "report.html").read_text())


def test_cv_takes_one_target(folder, run):
    ended = run("cv", "table.csv", "-t", "class,town")
    assert (ended.code, "cv takes one --target, got 2: name one." in ended.err) == (2, True)
