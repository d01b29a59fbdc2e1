"""Every wrong use ends with a sentence, an exit code, and nothing left behind."""

import re

import pytest

GOOD = ("--target", "class", "-k", "2")

# What is typed, exit code, words; names of files stand for those that `files` makes.
WRONG = {
    "a file that is not there": ("select missing.csv", 2, "there is no file missing.csv"),
    "a name almost right": ("select tabel.csv", 2, "did you mean 'table.csv'?"),
    "a folder": ("select inside", 2, "inside is a folder"),
    "no target": ("select table.csv -k 2", 2, "--target is missing.*'pay'"),
    "an unknown target": ("select table.csv --target clas -k 2", 2, "got 'clas': did you mean 'class'"),
    "a target in other letters": ("select table.csv --target CLASS", 2, "did you mean 'class'"),
    "an empty file": ("select empty.csv", 1, "empty.csv is empty"),
    "a file of an empty line": ("select newline.csv", 1, "newline.csv is empty"),
    "a file of empty lines without names": ("select blank.csv --no-header", 1, "blank.csv is empty"),
    "a line of names alone": ("select header.csv", 1, "has names but no samples"),
    "binary junk": ("select junk.csv", 1, "is no text"),
    "a suffix that is none of ours": ("select table.xlsx", 2, "must be a CSV, TSV, Parquet or Arrow file"),
    "a spreadsheet": ("select sheet.xlsx", 2, "looks like a zip archive or spreadsheet"),
    "Parquet that is called CSV": ("select parquet.csv --format csv", 1, "is a Parquet file, not CSV"),
    "CSV that is called Parquet": ("select csv.parquet", 1, "should be Parquet, but it is something else"),
    "broken Parquet": ("select broken.parquet", 1, "is not a sound Parquet file"),
    "broken Arrow": ("select broken.arrow", 1, "is not a sound Arrow file"),
    "gzip that was cut off": ("select cut.csv.gz", 1, "cut.csv.gz cannot be read"),
    "k = 0": (
        "select table.csv --target class -k 0",
        2,
        "quboselect: -k must be an integer of at least 1, or auto, got '0'",
    ),
    "k below": ("select table.csv --target class -k -3", 2, "k must be an integer"),
    "k too large": (
        "select table.csv --target class -k 40",
        2,
        r"from 1 to 5 \(the table has 5 features\), got 40",
    ),
    "k that is no number": ("select table.csv --target class -k many", 2, "or auto, got 'many'"),
    "k and alpha": ("select table.csv --target class -k 2 --alpha 0.5", 2, "give -k.* or --alpha.*not both"),
    "alpha out of range": (
        "select table.csv --target class --alpha 1.5",
        2,
        "quboselect: --alpha must be a number from 0 to 1, got '1.5'",
    ),
    "alpha that is not a number": ("select table.csv --target class --alpha nan", 2, "a number from 0 to 1"),
    "a missing folder": ("select table.csv {good} -o nowhere/out.csv", 2, "there is no folder .*nowhere"),
    "an output that is a folder": ("select table.csv {good} -o inside.csv", 2, "inside.csv is a folder"),
    "an unknown output": ("select table.csv {good} -o out.xlsx", 2, "--output must end in .csv"),
    "an output without a suffix": ("select table.csv {good} -o out", 2, "got none"),
    "the output onto the input": (
        "select table.csv {good} -o table.csv",
        2,
        "is the table that is read.*--force",
    ),
    "the output onto a link to it": ("select table.csv {good} -o link.csv", 2, "is the table that is read"),
    "names that occur twice": ("select twice.csv", 1, "'a' occurs twice: rename one"),
    "a target that is never known": ("select nothing.csv", 1, "'class' has no value in any sample"),
    "a target that is missing at times": (
        "select some.csv",
        1,
        "no value in 2 of 4 samples.*sample 2.*--drop",
    ),
    "a constant target": ("select same.csv", 1, "'class' is 1 in every sample: there is nothing to tell"),
    "an unknown feature to include": ("select table.csv {good} --include pey", 2, "--include.*'pey'.*'pay'"),
    "an unknown feature to exclude": ("select table.csv {good} --exclude pey", 2, "--exclude.*'pey'"),
    "included and excluded": ("select table.csv {good} --include pay --exclude pay,age", 2, "'pay' is both"),
    "the target excluded": ("select table.csv {good} --exclude class", 2, "'class' is the target"),
    "the target among the excluded": (
        "select table.csv {good} --exclude age,class",
        2,
        "'class' is the target, and --exclude is for features",
    ),
    "a type of the target": ("select table.csv {good} --type class=text", 2, "'class' is the target"),
    "only a target": ("select only.csv", 1, "only.csv has no features, only the target 'class'"),
    "carriage returns alone": ("select mac.csv", 1, "ends its lines by carriage returns alone: .* tr "),
    "a giant name": ("select table.csv {good} --solver " + "x" * 3000, 2, r"got 'x{30}\.\.\.x{30}'"),
    "a file of a giant format": ("qubo solve giant.json", 1, r"got 'x{29}\.\.\.x{29}'"),
    "too large to be tried": (
        "qubo solve large.qubo --solver exhaustive",
        1,
        "--solver exhaustive takes at most 30 bits, got 40; use --solver branch",
    ),
    "everything excluded": (
        "select table.csv {good} --exclude pay,pay_eur,town,age,noise",
        2,
        "no feature left",
    ),
    "more included than k": ("select table.csv {good} --include pay,age,town", 2, "from 3 to 5"),
    "an unknown solver": ("select table.csv {good} --solver magic", 2, "--solver must be one of portfolio"),
    "an effort for a solver without": ("select table.csv {good} --solver tabu --effort 2", 2, "not for tabu"),
    "a bad type": ("select table.csv {good} --type age=date", 2, "NAME=KIND.*got 'age=date'"),
    "a type without a name": ("select table.csv {good} --type number", 2, "NAME=KIND"),
    "a type of nobody": ("select table.csv {good} --type nobody=text", 2, "--type must name features"),
    "two types": (
        "select table.csv {good} --type age=text --categorical age",
        2,
        "either categories or text",
    ),
    "a line with too many fields": (
        "select many.csv",
        1,
        "line 3 of many.csv has too many fields, 3 instead of 2",
    ),
    "a line with too few": ("select few.csv", 1, "line 4 of few.csv has too few fields, 1 instead of 2"),
    "Latin letters": ("select latin.csv", 1, "is not UTF-8.*iconv"),
    "Latin names": ("select latin_names.csv", 1, "is not UTF-8"),
    "UTF-16": ("select wide.csv", 1, "is UTF-16"),
    "a quotation mark too many": ("select quote.csv", 1, "never closed|cannot be read"),
    "dates": ("select dates.parquet", 1, "'day' holds Date.*--exclude day"),
    "infinities": ("select infinite.csv --target class -k 1", 1, "must not hold infinities.*'a'"),
    "a separator of two": ("select table.csv {good} --separator ::", 2, "--separator must be one character"),
    "bins of one": ("select table.csv {good} --bins 1", 2, "--bins must be an integer from 2"),
    "a seed below zero": ("select table.csv {good} --seed -1", 2, "--seed must be an integer"),
    "no threads": ("select table.csv {good} --threads 0", 2, "--threads must be an integer from 1"),
    "a target kind of nobody": ("select table.csv {good} --target-kind odd", 2, "auto, classes, continuous"),
    "text as a number": ("select table.csv {good} --target-kind continuous", 1, "say --target-kind classes"),
    "names and JSON": ("select table.csv {good} --names --json", 2, "--names or --json, not both"),
    "an output format without an output": ("select table.csv {good} --no-target", 2, "about --output"),
    "an unknown option": ("select table.csv {good} --sed 3", 2, "No such option: --sed"),
    "an unknown command": ("selct table.csv", 2, "No such command 'selct'"),
    "a report that is no page": ("report table.csv {good} -o report.pdf", 2, "must end in .html"),
    "a comparison too large": ("compare table.csv --target class -k 9", 2, "from 1 to 5"),
    "a path by a device": ("path table.csv --target class --solver qaoa", 2, "is asked once"),
    "no alpha": ("qubo export table.csv --target class -o q.npz", 2, "say at which alpha"),
    "an unknown QUBO": ("qubo export table.csv {good} -o q.txt", 2, "must end in .npz, .json, .bqm or .qubo"),
    "a QUBO that is not there": ("qubo solve q.qubo", 2, "there is no file q.qubo"),
    "a QUBO of rubbish": ("qubo solve rubbish.qubo", 1, "line 2 is 'this is rubbish'"),
    "a QUBO that is empty": ("qubo solve empty.csv", 1, "is empty: a QUBO was expected"),
    "JSON that is no QUBO": ("qubo solve odd.json", 1, '"format" must be "quboselect qubo"'),
    "a zip that is no QUBO": ("qubo solve sheet.xlsx", 1, "holds no QUBO"),
    "too many bits": ("qubo solve two.qubo -k 3", 2, "from 0 to 2"),
    "samples that are no JSON": ("qubo solve two.qubo -o two.csv", 2, "must end in .json"),
    "an unknown data set": ("datasets ionosfere", 2, "did you mean 'ionosphere'"),
    "a data set without a name": ("datasets -o out.csv", 2, "say which data set"),
}


@pytest.fixture
def files(folder, frame):
    """The files that the wrong uses name."""
    import datetime
    import gzip

    import polars as pl

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
        "csv.parquet": "a,class\n1,0\n2,1\n",
        "rubbish.qubo": "p qubo 0 2 2 1\nthis is rubbish\n",
        "two.qubo": "p qubo 0 2 2 1\n0 0 -1\n1 1 -1\n0 1 3\n",
        "odd.json": '{"odd": 1}',
        "giant.json": '{"format": "' + "x" * 3000 + '"}',
        "large.qubo": "p qubo 0 40 40 0\n",
        "only.csv": "class\n0\n1\n",
    }
    for name, content in text.items():
        (folder / name).write_text(content)
    raw = {
        "empty.csv": b"",
        "mac.csv": b"a,class\r1,0\r2,1\r",
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
    (folder / "inside").mkdir()
    (folder / "inside.csv").mkdir()
    (folder / "link.csv").symlink_to("table.csv")
    frame.write_parquet(folder / "parquet.csv")
    day = datetime.date(2026, 1, 1)
    pl.DataFrame({"day": [day, day, day], "class": [0, 1, 0]}).write_parquet(folder / "dates.parquet")
    return folder


def contents(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_use_gives_one_sentence_and_leaves_nothing(case, files, run):
    typed, code, words = WRONG[case]
    arguments = typed.format(good=" ".join(GOOD)).split()
    if arguments[0] == "select" and not {"--target", "-k"} & set(arguments):
        arguments += GOOD
    if arguments[0] == "select" and not {"-o", "--no-target"} & set(arguments):
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
