"""Every wrong use ends with a sentence, an exit code, and nothing left behind."""

import re
from datetime import date

import numpy as np
import polars as pl
import pytest

GOOD = ("--target", "class", "-k", "2")

# What is typed, the exit code, and the argument and value that the message names. `files` makes the files.
WRONG = {
    "a file that is not there": ("select missing.csv", 2, "missing.csv"),
    "a name almost right": ("select tabel.csv", 2, "tabel.csv.*'table.csv'"),
    "a folder": ("select inside", 2, "inside is a folder"),
    "no target": ("select table.csv -k 2", 2, "--target is missing.*'pay'"),
    "an unknown target": ("select table.csv --target clas -k 2", 2, "--target.*'clas'.*'class'"),
    "a target in other letters": ("select table.csv --target CLASS", 2, "--target.*'CLASS'.*'class'"),
    "an empty file": ("select empty.csv", 1, "empty.csv is empty"),
    "a file of an empty line": ("select newline.csv", 1, "newline.csv is empty"),
    "a file of empty lines without names": ("select blank.csv --no-header", 1, "blank.csv is empty"),
    "a line of names alone": ("select header.csv", 1, "header.csv.*no samples"),
    "binary junk": ("select junk.csv", 1, "junk.csv is not UTF-8"),
    "a suffix that is none of ours": ("select table.xlsx", 2, "table.xlsx.*.csv.*--format"),
    "Parquet that is called CSV": ("select parquet.csv --format csv", 1, "parquet.csv"),
    "CSV that is called Parquet": ("select csv.parquet", 1, "csv.parquet cannot be read"),
    "broken Parquet": ("select broken.parquet", 1, "broken.parquet cannot be read"),
    "Parquet of broken pages": ("select pages.parquet --target class", 1, "pages.parquet cannot be read"),
    "a target of dates": ("select odd.parquet --target when", 1, "'when'.*Date"),
    "a target of lists": ("select odd.parquet --target parts", 1, "'parts'.*List"),
    "a feature of lists": ("select odd.parquet --target class", 1, "'parts'.*List.*--exclude parts"),
    "broken Arrow": ("select broken.arrow", 1, "broken.arrow cannot be read"),
    "gzip that was cut off": ("select cut.csv.gz", 1, "cut.csv.gz cannot be read"),
    "gzip by its name only": ("select plain.csv.gz", 1, "plain.csv.gz ends in .gz, but is not compressed"),
    "k = 0": ("select table.csv --target class -k 0", 2, "-k.*'0'"),
    "k below": ("select table.csv --target class -k -3", 2, "-k.*'-3'"),
    "k too large": ("select table.csv --target class -k 40", 2, "-k.*from 1 to 5.*40"),
    "k that is no number": ("select table.csv --target class -k many", 2, "-k.*auto.*'many'"),
    "k and an alpha out of range": ("select table.csv {good} --alpha -0.5", 2, "--alpha.*0"),
    "alpha out of range": ("select table.csv --target class --alpha 1.5", 2, "--alpha.*1"),
    "alpha that is not a number": ("select table.csv --target class --alpha nan", 2, "--alpha"),
    "a missing folder": ("select table.csv {good} -o nowhere/out.csv", 2, "--output.*no folder .*nowhere"),
    "an output that is a folder": ("select table.csv {good} -o inside.csv", 2, "--output.*inside.csv"),
    "an unknown output": ("select table.csv {good} -o out.xlsx", 2, "--output.*.csv.*'.xlsx'"),
    "an output without a suffix": ("select table.csv {good} -o out", 2, "--output.*no suffix"),
    "the output onto the input": ("select table.csv {good} -o table.csv", 2, "--output table.csv.*--force"),
    "the output onto a link to it": ("select table.csv {good} -o link.csv", 2, "--output link.csv.*--force"),
    "names that occur twice": ("select twice.csv", 1, "'a' occurs twice"),
    "a target that is never known": ("select nothing.csv", 1, "'class' has no value in any"),
    "a target that is missing at times": ("select some.csv", 1, "'class'.* 2 of 4 .*sample 2.*--drop"),
    "a constant target": ("select same.csv", 1, "'class' is 1 in every sample"),
    "an unknown feature to include": ("select table.csv {good} --include pey", 2, "--include.*'pey'.*'pay'"),
    "an unknown feature to exclude": ("select table.csv {good} --exclude pey", 2, "--exclude.*'pey'"),
    "included and excluded": (
        "select table.csv {good} --include pay --exclude pay,age",
        2,
        "--include.*--exclude.*'pay'",
    ),
    "the target excluded": ("select table.csv {good} --exclude age,class", 2, "--exclude.*'class'"),
    "a type of the target": ("select table.csv {good} --type class=text", 2, "--type.*'class'"),
    "only a target": ("select only.csv", 1, "only.csv has no features"),
    "a giant name": ("select table.csv {good} --solver " + "x" * 3000, 2, "--solver.*x{30}.*portfolio"),
    "too large to be tried": ("qubo solve large.npy --solver exhaustive", 2, "exhaustive.*30.*40.*--solver"),
    "everything excluded": ("select table.csv {good} --exclude pay,pay_eur,town,age,noise", 2, "--exclude"),
    "more included than k": ("select table.csv {good} --include pay,age,town", 2, "-k.*from 3 to 5"),
    "an unknown solver": ("select table.csv {good} --solver magic", 2, "--solver.*magic.*portfolio"),
    "Parquet compressed by gzip": ("select table.csv {good} -o out.parquet.gz", 2, "--output out.parquet.gz"),
    "effort without end": ("select table.csv {good} --effort inf", 2, "--effort.*finite.*inf"),
    "effort without end for branch and bound": (
        "select table.csv {good} --effort inf --solver branch",
        2,
        "--effort.*finite.*inf",
    ),
    "an effort for a solver without": (
        "select table.csv {good} --solver tabu --effort 2",
        2,
        "--effort.*tabu",
    ),
    "a bad type": ("select table.csv {good} --type age=date", 2, "--type.*'age=date'"),
    "a type without a name": ("select table.csv {good} --type number", 2, "--type.*'number'"),
    "a type of an unknown feature": ("select table.csv {good} --type height=text", 2, "--type.*'height'"),
    "two types": ("select table.csv {good} --type age=text --categorical age", 2, "'age' is text"),
    "a line with too many fields": ("select many.csv", 1, "line 3 of many.csv.* 3 .* 2"),
    "a line with too few": ("select few.csv", 1, "line 4 of few.csv.* 1 .* 2"),
    "Latin letters": ("select latin.csv", 1, "latin.csv is not UTF-8"),
    "Latin names": ("select latin_names.csv", 1, "latin_names.csv is not UTF-8"),
    "Latin letters far below": ("select far.csv", 1, "far.csv is not UTF-8"),
    "UTF-16": ("select wide.csv", 1, "wide.csv is not UTF-8"),
    "a quotation mark too many": ("select quote.csv", 1, "quote.csv"),
    "infinities": ("select infinite.csv --target class -k 1", 1, "infinit.*'a'"),
    "a separator of two": ("select table.csv {good} --separator ::", 2, "--separator.*'::'"),
    "bins of one": ("select table.csv {good} --bins 1", 2, "--bins.*2.*auto.*'1'"),
    "bins below": ("select table.csv {good} --bins -4", 2, "--bins.*'-4'"),
    "too many bins": ("select table.csv {good} --bins 65537", 2, "--bins.*65536.*'65537'"),
    "bins in words": ("select table.csv {good} --bins twenty", 2, "--bins.*auto.*'twenty'"),
    "half a bin": ("path table.csv --target class --bins 2.5", 2, "--bins.*'2.5'"),
    "unknown edges": ("select table.csv {good} --edges round", 2, "--edges': 'round'.*'apart', 'quantile'"),
    "an unknown criterion": ("select table.csv {good} --criterion jim", 2, "--criterion': 'jim'.*'jmi'"),
    "a criterion with parentheses": ("compare table.csv {good} --criterion JMI()", 2, "--criterion.*'JMI"),
    "an unknown estimate": ("select table.csv {good} --estimate best", 2, "--estimate': 'best'.*'shrunk'"),
    "an option that is gone": ("select table.csv {good} --corrected", 2, "--corrected"),
    "a path too large": ("path table.csv --target class -k 9", 2, "-k.*from 1 to 5.*9"),
    "a path of fewer than are included": (
        "path table.csv --target class -k 1 --include pay,age",
        2,
        "-k.*from 2 to 5",
    ),
    "a path of no features": ("path table.csv --target class -k 0", 2, "-k.*1"),
    "a path of auto": ("path table.csv --target class -k auto", 2, "-k"),
    "a seed below zero": ("select table.csv {good} --seed -1", 2, "--seed.*0"),
    "no threads": ("select table.csv {good} --threads 0", 2, "--threads.*1"),
    "an unknown target type": ("select table.csv {good} --target-type odd", 2, "--target-type.*odd.*classes"),
    "text as a number": ("select table.csv {good} --target-type continuous", 1, "'class'.*--target-type"),
    "names and JSON": ("select table.csv {good} --names --json", 2, "--names or --json"),
    "an output without a target, but no output": (
        "select table.csv {good} --drop-target",
        2,
        "--drop-target.*--output",
    ),
    "an unknown option": ("select table.csv {good} --sed 3", 2, "--sed"),
    "an unknown command": ("selct table.csv", 2, "selct"),
    "a report that is no page": ("report table.csv {good} -o report.pdf", 2, "--output.*.html.*'report.pdf'"),
    "a comparison too large": ("compare table.csv --target class -k 9", 2, "-k.*from 1 to 5.*9"),
    "a path by a device": ("path table.csv --target class --solver qaoa", 2, "--solver qaoa"),
    "no alpha": ("qubo export table.csv --target class -o q.npz", 2, "--alpha is missing"),
    "an unknown QUBO": ("qubo export table.csv {good} -o q.txt", 2, "--output.*.npz.*'q.txt'"),
    "a QUBO that is not there": ("qubo solve q.npz", 2, "q.npz"),
    "a QUBO of rubbish": ("qubo solve rubbish.json", 1, "rubbish.json holds no QUBO"),
    "a QUBO with a pair of one bit": ("qubo solve pair.json", 1, r"pair.json.*\(1, 1\)"),
    "a QUBO that is empty": ("qubo solve empty.csv", 1, "empty.csv is empty"),
    "JSON that is no QUBO": ("qubo solve odd.json", 1, 'odd.json.*"format"'),
    "a list that is no QUBO": ("qubo solve list.json", 1, "list.json holds no QUBO"),
    "a zip that is no QUBO": ("qubo solve sheet.xlsx", 1, "sheet.xlsx holds no QUBO"),
    "a QUBO with too few names": ("qubo solve names.json", 1, "names.json.* 1 names for 2 bits"),
    "names and JSON of a QUBO": ("qubo solve large.npy --names --json", 2, "--names or --json"),
    "a size for a solver that keeps none": (
        "qubo solve large.npy -k 2 --solver qaoa",
        2,
        "--solver qaoa.*-k",
    ),
    "too many bits": ("qubo solve large.npy -k 41", 2, "-k.*from 0 to 40"),
    "solutions that are no JSON": ("qubo solve large.npy -o two.csv", 2, "--output.*.json.*'two.csv'"),
    "an unknown data set": ("datasets ionosfere", 2, "'ionosfere'.*'ionosphere'"),
    "a data set without a name": ("datasets -o out.csv", 2, "data set.*'ionosphere'"),
    "a data set in a format for files": ("datasets ionosphere --output-format arrow", 2, "arrow.*--output"),
}


@pytest.fixture
def files(folder, frame):
    """The files that the wrong uses name."""
    import gzip

    text = {
        "header.csv": "a,class\n",
        "newline.csv": "\n",
        "blank.csv": "\n  \r\n\n",
        "twice.csv": "a,a,class\n1,2,0\n2,1,1\n",
        "nothing.csv": "a,class\n1,\n2,\n",
        "some.csv": "a,class\n1,0\n2,\n3,\n4,1\n",
        "same.csv": "a,class\n1,1\n2,1\n",
        "many.csv": "a,class\n1,0\n2,1,7\n",
        "few.csv": "a,class\n1,0\n2,1\n3\n",
        "quote.csv": 'a,class\n1,"x\n2,y\n3,z\n',
        "infinite.csv": "a,class\n1.5,0\ninf,1\n2.5,0\n",
        "table.xlsx": "no spreadsheet",
        "plain.csv.gz": "a,class\n1,0\n2,1\n",
        "csv.parquet": "a,class\n1,0\n2,1\n",
        "rubbish.json": "p qubo 0 2 2 1\nthis is rubbish\n",
        "odd.json": '{"odd": 1}',
        "list.json": "[1, 2]",
        "pair.json": '{"format": "quboselect qubo", "version": 1, "linear": [0, 0], "couplings": [[1, 1, 2]]}',
        "names.json": '{"format": "quboselect qubo", "version": 1, "linear": [0, 0], "couplings": [], "names": ["a"]}',
        "only.csv": "class\n0\n1\n",
    }
    for name, content in text.items():
        (folder / name).write_text(content)
    raw = {
        "empty.csv": b"",
        "far.csv": b"a,class\n" + b"1,0\n" * 40_000 + "é,1\n".encode("latin1"),
        "junk.csv": bytes(range(256)) * 8,
        "sheet.xlsx": b"PK\x03\x04 and more",
        "broken.parquet": b"PAR1" + bytes(100),
        "broken.arrow": b"ARROW1" + bytes(100),
        "latin.csv": "a,class\né,0\nö,1\n".encode("latin1"),
        "latin_names.csv": "größe,class\n1,0\n2,1\n".encode("latin1"),
        "wide.csv": "a,class\n1,0\n2,1\n".encode("utf-16"),
        "cut.csv.gz": gzip.compress(b"a,class\n" + b"1,0\n2,1\n" * 9999)[:60],
    }
    for name, content in raw.items():
        (folder / name).write_bytes(content)
    np.save(folder / "large.npy", np.zeros((40, 40)))
    (folder / "inside").mkdir()
    (folder / "inside.csv").mkdir()
    (folder / "link.csv").symlink_to("table.csv")
    frame.write_parquet(folder / "parquet.csv")
    odd = pl.DataFrame(
        {"parts": [[1, 2], [3]], "when": [date(2026, 1, 31), date(2026, 2, 1)], "class": [0, 1]}
    )
    odd.write_parquet(folder / "odd.parquet")
    # Names are read from the end of a file, and values from its beginning.
    pages = bytearray((folder / "parquet.csv").read_bytes())
    pages[4:200] = bytes(196)
    (folder / "pages.parquet").write_bytes(pages)
    return folder


def contents(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_use_gives_one_sentence_and_leaves_nothing(case, files, run):
    typed, code, words = WRONG[case]
    arguments = typed.format(good=" ".join(GOOD)).split()
    if arguments[0] == "select" and not {"--target", "-k"} & set(arguments):
        arguments += GOOD
    if arguments[0] == "select" and not {"-o", "--drop-target"} & set(arguments):
        arguments += ["-o", "never.csv"]
    before = contents(files)
    ended = run(*arguments)
    assert ended.code == code, ended.err
    assert ended.out == ""
    lines = [line for line in ended.err.splitlines() if "note:" not in line]
    assert len(lines) == 1
    assert lines[0].startswith("quboselect: ")
    assert lines[0].count(". ") <= 1
    assert re.search(words, lines[0])
    assert contents(files) == before
