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
    assert run("select", *typed, "--output", "none.csv", "--no-target", "--quiet").code == 0
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


def test_dates_are_numbers(folder, frame, run):
    place = (frame["class"] == "yes").cast(pl.Int64) * 500 + frame["age"]
    frame.with_columns(day=pl.lit(datetime.date(2026, 1, 1)) + pl.duration(days=place)).write_parquet(
        "dates.parquet"
    )
    assert run("select", "dates.parquet", "-t", "class", "-k", "1", "--names").out.split() == ["day"]


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
