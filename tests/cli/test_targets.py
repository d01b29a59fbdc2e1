"""What the command selects for: several targets, classes that count alike, and times of events."""

import datetime
import json
import re

import numpy as np
import polars as pl
import pytest

from quboselect import SelectQUBO

TWO = ["class", "age"]


@pytest.mark.parametrize(
    "typed", [("--target", "class,age"), ("-t", "class", "-t", "age"), ("-t", "class, age")]
)
@pytest.mark.parametrize("targets", ["sum", "joint"])
def test_several_targets_are_named_by_commas_or_again(typed, targets, folder, frame, run):
    ended = run("select", "table.csv", *typed, "-k", "2", "--names", "--targets", targets)
    expected = SelectQUBO(k=2, targets=targets).fit(frame.drop(TWO), frame.select(TWO))
    assert (ended.code, ended.out.split(), ended.err) == (0, list(expected.get_feature_names_out()), "")


def test_a_comma_in_the_name_of_a_target_is_no_separator(folder, frame, run):
    frame.rename({"class": "class,age"}).write_csv("comma.csv")
    ended = run("select", "comma.csv", "-t", "class,age", "-k", "2", "--json")
    assert json.loads(ended.out)["table"]["target"] == "class,age"


def test_several_targets_are_shown_written_and_reported(folder, frame, run):
    typed = ("table.csv", "--target", "class,age", "-k", "2")
    assert "for the target class, age, 120 samples" in run("select", *typed).out
    assert "class, age" in run("path", *typed).out
    document = json.loads(run("select", *typed, "--json").out)
    assert document["table"]["target"] == TWO
    assert document["table"]["features"] == 4
    assert document["settings"]["targets"] == "sum"
    assert run("select", *typed, "--output", "both.csv", "--quiet").code == 0
    assert set(TWO) < set(pl.read_csv("both.csv").columns)
    assert run("select", *typed, "--output", "none.csv", "--drop-target", "--quiet").code == 0
    assert set(pl.read_csv("none.csv").columns).isdisjoint(TWO)
    assert run("report", *typed).code == 0
    assert "class, age" in (folder / "report.html").read_text()


def test_classes_count_alike(folder, run):
    rng = np.random.default_rng(2)
    y = (np.arange(2000) % 100 == 0).astype(int) * 2
    y[(y == 0) & (rng.random(2000) < 0.5)] = 1
    split = np.where(rng.random(2000) < 0.9, y == 1, y != 1)
    pl.DataFrame({"rare": y == 2, "split": split, "y": y}).write_csv("rare.csv")
    typed = ("select", "rare.csv", "-t", "y", "-k", "1", "--names")
    assert run(*typed).out.split() == ["split"]
    assert run(*typed, "--class-weight", "balanced").out.split() == ["rare"]
    wrong = run(
        "select",
        "rare.csv",
        "-t",
        "y",
        "-k",
        "1",
        "--class-weight",
        "balanced",
        "--target-type",
        "continuous",
    )
    assert wrong.code != 0
    assert "--class-weight='balanced'" in wrong.err
    assert run(*typed, "--class-weight", "some").code == 2


def test_columns_event_and_time_are_times_of_events(folder, frame, run):
    rng = np.random.default_rng(0)
    features = frame.drop("class", "age")
    times = pl.DataFrame(
        {"time": np.exp(features["pay"].to_numpy()).round(3), "event": rng.integers(0, 2, 120).astype(int)}
    )
    pl.concat([features, times], how="horizontal").write_csv("times.csv")
    ended = run("select", "times.csv", "--target", "event,time", "-k", "2", "--names")
    expected = SelectQUBO(k=2).fit(features, times)
    assert ended.out.split() == list(expected.get_feature_names_out())


BARE = ("bare.csv", "--no-target", "-k", "2")


@pytest.fixture
def bare(folder, frame):
    """A table without a target, and what is found in it."""
    features = frame.drop("class")
    features.write_csv("bare.csv")
    return SelectQUBO(k=2).fit(features)


def test_without_a_target_features_tell_of_each_other(bare, folder, run):
    names = list(bare.get_feature_names_out())
    assert run("select", *BARE, "--names").out.split() == names
    assert "of bare.csv without a target, 120 samples" in run("select", *BARE).out
    document = json.loads(run("select", *BARE, "--json").out)
    assert document["table"]["target"] is None
    assert document["table"]["features"] == 5
    assert document["importance"] == pytest.approx(bare.importance_[bare.support_].sum())
    assert run("select", *BARE, "--output", "two.csv", "--quiet").code == 0
    assert pl.read_csv("two.csv").columns == names


def test_every_answer_is_there_without_a_target(bare, folder, run):
    ranked = [bare.feature_names_in_[i] for i in np.argsort(bare.ranking_)]
    assert run("rank", *BARE, "--names").out.split() == ranked
    assert str(bare.explain()["age"]) in run("explain", *BARE, "--feature", "age").out
    found = json.loads(run("stability", *BARE, "--resamples", "3", "--json").out)
    assert found["resamples"] == 3
    for command in ("alternatives", "path"):
        assert "of bare.csv without a target" in run(command, *BARE).out
    assert f"Ours: {', '.join(bare.get_feature_names_out())}" in run("compare", *BARE).out
    assert run("qubo", "export", *BARE, "-o", "q.npz").code == 0
    assert run("report", *BARE).code == 0
    page = (folder / "report.html").read_text()
    assert "the other features" in page
    assert "target column" not in page


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("select --target class", "--no-target or --target, not both; --drop-target"),
        ("select --target-type classes", "--no-target or --target-type, not both"),
        ("rank --targets joint", "--no-target or --targets"),
        ("explain --class-weight balanced", "--no-target or --class-weight"),
        ("report --drop-missing-target", "--no-target or --drop-missing-target"),
        ("select -k auto", "-k auto needs a --target"),
        ("path --criterion disr", "--criterion disr needs a --target"),
        ("cv", "cv needs a --target"),
        ("select --exclude pay,pay_eur,town,age,noise,class", "--exclude leaves no feature of table.csv:"),
    ],
)
def test_what_needs_a_target_is_refused_without_one(typed, words, folder, run):
    command, *options = typed.split()
    ended = run(command, "table.csv", "--no-target", *options)
    assert (ended.code, ended.out) == (2, "")
    assert len(ended.err.splitlines()) == 1
    assert words in ended.err


def test_a_target_that_is_missing_may_be_none_at_all(folder, run):
    assert "--target is missing" in run("select", "table.csv").err
    assert "--no-target" in run("select", "table.csv").err


def test_blocks_reach_the_selector(folder, frame, run):
    typed = ("stability", "table.csv", "--target", "class", "-k", "2", "--resamples", "8", "--json")
    how = {"n_resamples": 8, "seed": 0}
    expected = SelectQUBO(k=2, blocks=20).stability(frame.drop("class"), frame["class"], **how)
    found = json.loads(run(*typed, "--blocks", "20").out)
    shares = dict(zip(frame.columns, expected.frequency.tolist(), strict=False))
    assert {each["name"]: each["frequency"] for each in found["features"]} == shares
    assert found["settings"]["blocks"] == 20
    assert found["features"] != json.loads(run(*typed).out)["features"]
    wrong = run("select", "table.csv", "--target", "class", "-k", "2", "--blocks", "61")
    assert (wrong.code, "--blocks must be an integer from 2 to 60, got 61" in wrong.err) == (2, True)


def test_dates_are_numbers(folder, frame, run):
    place = (frame["class"] == "yes").cast(pl.Int64) * 500 + frame["age"]
    frame.with_columns(day=pl.lit(datetime.date(2026, 1, 1)) + pl.duration(days=place)).write_parquet(
        "dates.parquet"
    )
    assert run("select", "dates.parquet", "-t", "class", "-k", "1", "--names").out.split() == ["day"]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_parts_of_dates_are_features_where_asked_for(form, folder, frame, run):
    start, rng = datetime.datetime(2026, 1, 5), np.random.default_rng(0)
    saturday = frame["class"].to_numpy() == "yes"
    days = 7 * rng.integers(0, 50, 120) + np.where(saturday, 5, rng.integers(0, 5, 120))
    dated = frame.with_columns(when=pl.Series([start + datetime.timedelta(days=int(day)) for day in days]))
    dated.write_csv("dated.csv") if form == "csv" else dated.write_parquet("dated.parquet")
    typed = ("select", f"dated.{form}", "-t", "class", "-k", "1")
    parts = ("--date-parts", "month, weekday", "--date-parts", "hour")
    document = json.loads(run(*typed, *parts, "--json").out)
    assert document["selected"] == ["when: weekday"]
    assert document["table"]["features"] == 5 + 1 + 3
    assert run(*typed, *parts, "--quiet", "--output", "one.csv").code == 0
    assert pl.read_csv("one.csv").columns == ["class", "when: weekday"]
    assert "when: weekday" not in run(*typed, "--quiet", "--json").out
    wrong = run(*typed, "--date-parts", "moth")
    assert (wrong.code, "--date-parts must be of 'year'" in wrong.err) == (2, True)
    none = run("select", "table.csv", "-t", "class", "--date-parts", "year")
    assert (none.code, "--date-parts needs dates" in none.err) == (1, True)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("select table.csv -t class -t agee", "--target.*'agee'.*'age'"),
        ("select table.csv -t class,age -k 9", "-k.*from 1 to 4.*9"),
        ("select table.csv -t class,age --include age", "--include.*'age' is the target"),
        ("select table.csv -t class,age --exclude pay,pay_eur,town,noise", "--exclude.*'class', 'age'"),
        ("select table.csv -t class,age -k 2 --targets all", "--targets"),
        ("select table.csv -t class,age -k auto", "--k='auto'.*--targets='joint'"),
    ],
)
def test_wrong_targets_are_refused(line, words, folder, run):
    ended = run(*line.split())
    assert ended.code != 0
    assert re.search(words, " ".join(ended.err.split())), ended.err
