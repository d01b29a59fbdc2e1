"""What files hold: separators, decimal commas, dates, names that are missing or odd."""

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from quboselect.cli.files import guessed_separator

GOOD = ("--target", "class")


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("1,5;2,5;0\n2,5;3,5;1\n", ";"),
        ("1,5\t2\n2,5\t3\n", "\t"),
        ('"a, b";b;c\n1;2;3\n', ";"),
        ('"a; b",b,c\n1,2,3\n', ","),
        ('"two\nlines, or;more"|b\n1|2\n', "|"),
        ("weight, kg;b;c\n1;2;3\n", ";"),
        ("a,b\nx;y,z;w\n", ","),
        ("1,2\n3,4\n", ","),
        ("a,b\n1,2,3\n", ","),
        ("alone\n1\n", ","),
        ("", ","),
    ],
)
def test_the_separator_is_the_one_that_every_line_has(text, separator):
    assert guessed_separator(text) == separator


def with_commas(frame, name, header=True):
    text = frame.write_csv(separator=";", include_header=header)
    Path(name).write_text(text.replace(".", ","))


def test_decimal_commas_are_numbers(folder, frame, run):
    asked = ("-k", "3", "--json")
    plain = json.loads(run("select", "table.csv", *GOOD, *asked).out)
    with_commas(frame, "commas.csv")
    ended = run("select", "commas.csv", *GOOD, *asked)
    assert json.loads(ended.out)["features"] == plain["features"]
    assert ended.err == ""
    with_commas(frame, "bare.csv", header=False)
    ended = run("select", "bare.csv", "--no-header", "-t", "column_6", *asked)
    bare = [feature["importance"] for feature in json.loads(ended.out)["features"]]
    assert bare == [feature["importance"] for feature in plain["features"]]
    typed = run("select", "commas.csv", *GOOD, "-k", "5", "--type", "pay=text", "-q", "-o", "out.parquet")
    assert typed.code == 0
    assert pl.read_parquet("out.parquet")["pay"].dtype == pl.String


def test_text_among_decimal_commas_is_noted_and_can_be_missing(folder, frame, run):
    with_commas(frame, "commas.csv")
    lines = Path("commas.csv").read_text().splitlines()
    lines[5] = "not known;" + lines[5].partition(";")[2]
    Path("commas.csv").write_text("\n".join(lines) + "\n")
    ended = run("select", "commas.csv", *GOOD, "-k", "1")
    assert "--null-value 'not known'" in ended.err
    typed = run("select", "commas.csv", *GOOD, "-k", "1", "--type", "pay=number")
    assert "1 values of 'pay' are no numbers" in typed.err
    assert run("select", "commas.csv", *GOOD, "-k", "1", "--null-value", "not known").err == ""


def test_a_comma_within_quotes_of_a_csv_is_no_decimal_comma(folder, run):
    Path("thousands.csv").write_text('a,class\n"1,234",0\n"2,345",1\n"1,234",0\n')
    assert run("select", "thousands.csv", *GOOD, "-k", "1", "-q", "-o", "out.parquet").code == 0
    assert pl.read_parquet("out.parquet")["a"].dtype == pl.String


def test_advice_about_a_target_of_mixed_kind_can_be_followed(folder, run):
    rows = [f"{i % 5},{i % 3}" for i in range(40)]
    Path("mixed.csv").write_text("\n".join(["a,class", *rows, "1,n/a"]) + "\n")
    ended = run("select", "mixed.csv", *GOOD, "-k", "1")
    assert "--null-value n/a --drop-missing-target" in ended.err
    assert (
        run("select", "mixed.csv", *GOOD, "-k", "1", "--null-value", "n/a", "--drop-missing-target").code == 0
    )


def indexed(frame, numbers):
    return frame.select(pl.Series("", numbers), pl.all())


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("name", ["indexed.csv", "indexed.parquet"])
def test_an_index_without_a_name_is_left_out_with_a_note(start, name, folder, frame, run):
    table = indexed(frame, range(start, start + 120))
    table.write_csv(name) if name.endswith("csv") else table.write_parquet(name)
    ended = run("select", name, *GOOD, "--json", "-o", "out.csv")
    assert "column 1 has no name and counts the samples" in ended.err
    document = json.loads(ended.out)
    assert document["selected"] == frame.columns[:-1]
    assert document["table"]["excluded"] == ["column_1"]
    assert pl.read_csv("out.csv").columns == frame.columns
    kept = run("select", name, *GOOD, "--include", "column_1", "--names")
    assert kept.out.splitlines()[0] == "column_1"


def test_a_column_without_a_name_has_one_name_everywhere(folder, frame, run):
    odd = indexed(frame, np.arange(120) % 17)
    odd.write_csv("odd.csv")
    ended = run("select", "odd.csv", *GOOD, "--names")
    assert "column 1 has no name, and is called 'column_1'" in ended.err
    assert ended.out.splitlines()[0] == "column_1"
    excluded = run("select", "odd.csv", *GOOD, "--names", "--exclude", "column_1")
    assert excluded.out.splitlines() == frame.columns[:-1]
    typed = run("select", "odd.csv", *GOOD, "--type", "column_1=category", "--json")
    assert json.loads(typed.out)["table"]["categorical"] == ["column_1"]


def test_names_with_quotation_marks_come_in_as_they_go_out(folder, frame, run):
    name = 'say "hi", twice'
    frame.rename({"pay": name}).write_csv("quoted.csv")
    ended = run("select", "quoted.csv", *GOOD, "-k", "2", "--include", name, "--names", "-o", "out.csv")
    assert (ended.code, ended.out.splitlines()[0]) == (0, name), ended.err
    assert Path("out.csv").read_text().startswith('"say ""hi"", twice",')
    again = run("select", "out.csv", *GOOD, "-k", "2", "--names", "--type", f"{name}=text")
    assert again.out.splitlines()[0] == name


def test_names_of_several_lines_are_printed_in_one(folder, frame, run):
    frame.rename({"pay": "two\nlines"}).write_csv("lines.csv")
    ended = run("select", "lines.csv", *GOOD, "-k", "5", "--names")
    assert ended.out.splitlines()[0] == '"two\\nlines"'
    assert len(ended.out.splitlines()) == 5
    assert '"two\\nlines"' in run("select", "lines.csv", *GOOD, "-k", "5").out


def test_dates_that_are_text_are_noted_as_names_of_the_samples(folder, frame, run):
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 4, 29), eager=True)
    frame.with_columns(day=days.dt.strftime("%d.%m.%Y")).write_csv("dates.csv")
    assert re.search("'day'.*120.*--exclude", run("select", "dates.csv", *GOOD, "-k", "2").err)
    assert run("select", "dates.csv", *GOOD, "-k", "2", "--exclude", "day").err == ""
    assert run("select", "dates.csv", *GOOD, "-k", "2", "--type", "day=text").err == ""
