"""Tables come in as every format has them, and reduced ones go out."""

import gzip
import json

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from quboselect import SelectQUBO

GOOD = ("--target", "class", "-k", "2")
WRITE = {
    "t.csv": lambda frame, path: frame.write_csv(path),
    "t.tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "semicolon.csv": lambda frame, path: frame.write_csv(path, separator=";"),
    "t.csv.gz": lambda frame, path: path.write_bytes(gzip.compress(frame.write_csv().encode())),
    "t.parquet": lambda frame, path: frame.write_parquet(path),
    "t.arrow": lambda frame, path: frame.write_ipc(path),
    "t.feather": lambda frame, path: frame.write_ipc(path, compression="zstd"),
    "stream.arrow": lambda frame, path: frame.write_ipc_stream(path),
    "crlf.csv": lambda frame, path: frame.write_csv(path, line_terminator="\r\n"),
    "bom.csv": lambda frame, path: frame.write_csv(path, include_bom=True),
    "[odd] *.csv": lambda frame, path: frame.write_csv(path),
}
READ = {".csv": pl.read_csv, ".parquet": pl.read_parquet, ".arrow": pl.read_ipc, ".gz": pl.read_csv}


def expected(frame, k=2, **more):
    return list(SelectQUBO(k=k, **more).fit(frame.drop("class"), frame["class"]).get_feature_names_out())


@pytest.mark.parametrize("name", WRITE)
def test_every_format_gives_the_same_features_as_the_library(name, folder, frame, run):
    WRITE[name](frame, folder / name)
    ended = run("select", name, *GOOD, "--names")
    assert (ended.code, ended.out.split()) == (0, expected(frame)), ended.err


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.parquet", "t.arrow", "stream.arrow"])
def test_every_format_comes_through_a_pipe(name, folder, frame, run):
    WRITE[name](frame, folder / name)
    ended = run("select", "-", *GOOD, "--names", stdin=(folder / name).read_bytes())
    assert (ended.code, ended.out.split()) == (0, expected(frame)), ended.err


def test_a_file_is_what_it_holds(folder, frame, run):
    frame.write_parquet("wrong.csv")
    ended = run("select", "wrong.csv", *GOOD, "--names")
    assert ended.out.split() == expected(frame)
    frame.write_csv("table.data")
    assert run("select", "table.data", *GOOD, "--names", "--format", "csv").out.split() == expected(frame)


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.csv.gz", "out.parquet", "out.arrow"])
def test_the_reduced_table_is_the_selected_features_and_the_target(name, folder, frame, run):
    ended = run("select", "table.csv", *GOOD, "--output", name, "--quiet")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    read = READ.get((folder / name).suffix, pl.read_csv)
    written = read(name, separator="\t") if name.endswith("tsv") else read(name)
    assert_frame_equal(written, frame.select([*expected(frame), "class"]))
    assert sorted(path.name for path in folder.iterdir()) == sorted(["table.csv", name])


def test_the_target_stays_out_where_it_is_not_wanted(folder, frame, run):
    assert (
        run("select", "table.csv", *GOOD, "-o", "x", "--output-format", "parquet", "--drop-target").code == 0
    )
    assert pl.read_parquet("x").columns == expected(frame)


def test_force_lets_the_output_replace_the_table_and_a_link_stays_one(folder, frame, run):
    (folder / "link.csv").symlink_to("table.csv")
    (folder / "table.csv").chmod(0o640)
    assert run("select", "table.csv", *GOOD, "-o", "link.csv", "--force").code == 0
    assert (folder / "link.csv").is_symlink()
    assert pl.read_csv("table.csv").columns == [*expected(frame), "class"]
    assert (folder / "table.csv").stat().st_mode & 0o777 == 0o640


def test_a_late_text_among_numbers_makes_categories_and_a_note(folder, run):
    rng = np.random.default_rng(0)
    rows = 12_000
    y = rng.integers(0, 2, rows)
    text = ["a,b,class"] + [f"{i % 7},{2 * c + i % 3},{c}" for i, c in enumerate(y)]
    text[-1] = text[-1].replace(text[-1].split(",")[0] + ",", "unknown,", 1)
    (folder / "late.csv").write_text("\n".join(text) + "\n")
    ended = run("select", "late.csv", "-t", "class", "-k", "1", "--json")
    assert ended.code == 0
    assert "'a' is mostly numbers but holds text such as 'unknown'" in ended.err
    assert json.loads(ended.out)["selected"] == ["b"]
    for cure in (("--null-value", "unknown"), ("--type", "a=number")):
        ended = run("select", "late.csv", "-t", "class", "-k", "1", *cure)
        assert (ended.code, "mostly numbers" in ended.err) == (0, cure[0] == "--type")
    text[-1] = "0.5,1,1"
    (folder / "late.csv").write_text("\n".join(text) + "\n")
    assert run("select", "late.csv", "-t", "class", "-k", "1").err == ""


def test_types_can_be_said(folder, frame, run):
    categories = json.loads(run("select", "table.csv", *GOOD, "--type", "age=category", "--json").out)
    assert categories["table"]["categorical"] == ["age"]
    again = run("select", "table.csv", *GOOD, "--categorical", "age", "--names").out.split()
    told = SelectQUBO(k=2, categorical_features=["age"]).fit(frame.drop("class"), frame["class"])
    assert categories["selected"] == again == list(told.get_feature_names_out())
    numbers = run("select", "table.csv", *GOOD, "--type", "town=number")
    assert "120 values of 'town' are no numbers, and count as missing" in numbers.err
    as_text = run("select", "table.csv", "-t", "class", "-k", "1", "--type", "age=text", "--json")
    cast = frame.with_columns(pl.col("age").cast(pl.String))
    assert json.loads(as_text.out)["selected"] == expected(cast, 1)


def test_text_of_a_file_that_says_its_types_is_numbers_where_asked(folder, frame, run):
    text = frame.with_columns(pl.format(" {} ", pl.col("pay")).alias("pay"))
    text = text.with_columns(pl.when(pl.col("age") == 20).then(pl.lit("?")).otherwise("pay").alias("pay"))
    text.write_parquet("text.parquet")
    lost = (frame["age"] == 20).sum()
    numbers = frame.with_columns(pl.when(pl.col("age") != 20).then("pay").alias("pay"))
    numbers.write_parquet("numbers.parquet")
    asked = ("-t", "class", "-k", "3", "--json")
    typed = run("select", "text.parquet", *asked, "--type", "pay=number")
    assert lost > 0
    assert f"{lost} values of 'pay' are no numbers" in typed.err
    found, expected = (
        json.loads(out)["features"] for out in (typed.out, run("select", "numbers.parquet", *asked).out)
    )
    assert found == expected


def test_names_with_commas_and_lists_of_names(folder, frame, run):
    odd = frame.rename({"noise": "noise, pure"})
    odd.write_csv("odd.csv")
    ended = run(
        "select",
        "odd.csv",
        "-t",
        "class",
        "-k",
        "3",
        "--include",
        "noise, pure",
        "--exclude",
        "town,age",
        "--names",
    )
    assert ended.code == 0, ended.err
    assert "noise, pure" in ended.out.splitlines()
    assert not {"town", "age"} & set(ended.out.splitlines())


def test_samples_without_a_target_are_left_out_where_asked(folder, frame, run):
    holes = frame.with_columns(
        pl.when(pl.int_range(120) % 7 == 3).then(None).otherwise(pl.col("class")).alias("class")
    )
    holes.write_csv("holes.csv")
    ended = run("select", "holes.csv", *GOOD, "--drop-missing-target", "-o", "out.csv", "--json")
    document = json.loads(ended.out)
    kept = holes.drop_nulls("class")
    assert document["table"]["samples"] == kept.height == pl.read_csv("out.csv").height
    assert document["selected"] == expected(kept)


def test_empty_lines_are_left_out_and_missing_values_are_not(folder, run):
    (folder / "lines.csv").write_text("a,b,class\n1,2,0\n\n2,,1\n3,1,0\n\n")
    ended = run("select", "lines.csv", "-t", "class", "-k", "1", "--json")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["table"]["samples"] == 3


def test_a_table_without_names_is_numbered(folder, run):
    (folder / "plain.csv").write_text("1,5,0\n2,5,1\n1,6,0\n2,6,1\n")
    ended = run("select", "plain.csv", "--no-header", "-t", "column_3", "-k", "1", "--names")
    assert ended.out.split() == ["column_1"]
    ended = run("select", "plain.csv", "-t", "0", "-k", "1", "--names")
    assert "--no-header" in ended.err


def test_text_that_names_the_samples_is_noted(folder, frame, run):
    frame.with_columns(id=pl.int_range(120).cast(pl.String) + "x").write_csv("ids.csv")
    ended = run("select", "ids.csv", *GOOD, "--names")
    assert "'id' is text with 120 different values in 120 samples" in ended.err
    assert run("select", "ids.csv", *GOOD, "--names", "--exclude", "id").err == ""
    assert run("select", "ids.csv", *GOOD, "--names", "--quiet").err == ""


def test_a_continuous_target_is_told_from_classes(folder, frame, run):
    numbers = frame.drop("class").rename({"pay": "class"})
    numbers.write_csv("numbers.csv")
    ended = run("select", "numbers.csv", "-t", "class", "-k", "1", "--names")
    assert ended.out.split() == ["pay_eur"]
    aged = run("select", "table.csv", "-t", "age", "-k", "1", "--names")
    said = run("select", "table.csv", "-t", "age", "-k", "1", "--names", "--target-type", "continuous")
    assert (aged.out, aged.err) == (said.out, "")
    frame.with_columns(id=pl.int_range(120)).write_csv("codes.csv")
    coded = run("select", "codes.csv", "-t", "id", "-k", "1", "--names")
    assert "the target holds every whole number from 0 to 119" in coded.err
    assert "--target-type='classes'" in coded.err
