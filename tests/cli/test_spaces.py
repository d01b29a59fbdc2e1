"""Spaces beside the fields of a CSV: numbers are numbers all the same, and texts are what they are."""

import json
from pathlib import Path

import polars as pl
import pytest

GOOD = ("--target", "y")


def table(pad=lambda text, i: text, labels=("0", "1"), separator=","):
    """Sixty samples of two numbers and a text, each field padded as wished for."""
    rows = [
        separator.join(
            pad(text, i)
            for text in (f"{i * 0.37 % 1:.3f}", str(i % 7), "xyz"[i % 3], labels[i % 3 == 1 or i % 5 == 2])
        )
        for i in range(60)
    ]
    return separator.join(["a", "b", "c", "y"]) + "\n" + "\n".join(rows) + "\n"


PADS = {
    "before": lambda text, i: f" {text}",
    "after": lambda text, i: f"{text}  ",
    "some": lambda text, i: f" {text}\t" if i % 4 == 3 else text,
    "the last": lambda text, i: f" {text} " if i == 59 else text,
    "plus signs": lambda text, i: f" +{text}" if text[-1].isdigit() and i else text,
}


@pytest.mark.parametrize("pad", PADS)
@pytest.mark.parametrize("command", ["select -k 2", "path", "compare -k 2"])
def test_numbers_beside_spaces_are_read_as_numbers(command, pad, folder, run):
    Path("bare.csv").write_text(table())
    Path("padded.csv").write_text(table(PADS[pad]))
    name, *rest = command.split()
    # The text is padded too, and is another one by that.
    asked = (*GOOD, *rest, "--exclude", "c", "--json")
    plain, ended = run(name, "bare.csv", *asked), run(name, "padded.csv", *asked)
    assert (ended.code, ended.err) == (0, plain.err)
    bare, padded = json.loads(plain.out), json.loads(ended.out)
    for each in (bare, padded):
        del each["table"]["source"]
    assert padded == bare


@pytest.mark.parametrize("pad", PADS)
def test_reduced_tables_have_bare_whole_numbers_and_texts_as_they_were(pad, folder, run):
    Path("padded.csv").write_text(table(PADS[pad]))
    assert run("select", "padded.csv", *GOOD, "-k", "3", "-q", "-o", "out.csv").code == 0
    out = pl.read_csv("out.csv")
    bare = pl.read_csv(table().encode())
    assert out.drop("c").equals(bare.drop("c"))
    assert out["c"].to_list() == [PADS[pad](text, i) for i, text in enumerate(bare["c"])]


def test_a_report_reads_numbers_beside_spaces(folder, run):
    Path("padded.csv").write_text(table(PADS["before"]))
    ended = run("report", "padded.csv", *GOOD, "-k", "1", "-o", "out.html")
    assert (ended.code, ended.err) == (0, "")


def test_decimal_commas_beside_spaces_are_numbers_too(folder, run):
    text = table(PADS["some"], separator=";").replace(".", ",")
    Path("commas.csv").write_text(text)
    assert run("select", "commas.csv", *GOOD, "-k", "3", "-q", "-o", "out.csv").code == 0
    out = pl.read_csv("out.csv")
    assert [str(each) for each in out.select("a", "b", "y").dtypes] == ["Float64", "Int64", "Int64"]


def test_a_feature_typed_as_text_keeps_its_spaces(folder, run):
    Path("padded.csv").write_text(table(PADS["before"]))
    asked = ("--type", "b=text", "-k", "3", "-q", "-o", "out.parquet")
    assert run("select", "padded.csv", *GOOD, *asked).code == 0
    assert pl.read_parquet("out.parquet")["b"][:2].to_list() == [" 0", " 1"]


def test_spaces_alone_among_numbers_are_missing(folder, run):
    lines = table(PADS["before"]).splitlines()
    lines[5] = "  , 4, x, 0"
    Path("blank.csv").write_text("\n".join(lines) + "\n")
    ended = run("select", "blank.csv", *GOOD, "-k", "3", "-q", "-o", "out.parquet")
    assert (ended.code, ended.err) == (0, "")
    out = pl.read_parquet("out.parquet")
    assert (out["a"].dtype, out["a"].null_count(), out["a"][4]) == (pl.Float64, 1, None)
    lines[5] = " 1.5, 4, x,  "
    Path("blank.csv").write_text("\n".join(lines) + "\n")
    assert "has no value in 1 of 60 samples" in run("select", "blank.csv", *GOOD, "-k", "3").err


def test_a_column_of_spaces_alone_and_text_is_not_called_numbers(folder, run):
    lines = table().splitlines()
    lines[1:] = [
        f"{'x' if i % 3 == 0 else '  '},{line.partition(',')[2]}" for i, line in enumerate(lines[1:])
    ]
    Path("blank.csv").write_text("\n".join(lines) + "\n")
    ended = run("select", "blank.csv", *GOOD, "-k", "3")
    assert (ended.code, ended.err) == (0, "")


def test_a_missing_value_is_one_with_spaces_beside_it(folder, run):
    lines = table(PADS["before"]).splitlines()
    lines[5] = " ?, 4, ?, 0"
    Path("asked.csv").write_text("\n".join(lines) + "\n")
    ended = run("select", "asked.csv", *GOOD, "-k", "3")
    assert "'a' is mostly numbers but holds text such as ' ?'" in ended.err
    for typed in ("?", " ?"):
        ended = run("select", "asked.csv", *GOOD, "-k", "3", "-q", "--null-value", typed, "-o", "out.parquet")
        assert (ended.code, ended.err) == (0, "")
        out = pl.read_parquet("out.parquet")
        assert out["a"].dtype == pl.Float64
        assert out.null_count().row(0) == (1, 0, 1, 0)
