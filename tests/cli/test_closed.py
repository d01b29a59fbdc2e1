"""Standard input, output or error may be closed: the command says so where it can."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

CLOSED = "quboselect: standard output is closed"
GOOD = "table.csv -t class -k 2"


def typed(arguments, closed, **how):
    command = shlex.join([sys.executable, "-m", "quboselect.cli"])
    # It is the shell that closes them: Python itself always has all three.
    return subprocess.run(
        ["sh", "-c", f"{command} {arguments} {closed}"],
        capture_output=True,
        check=False,
        timeout=60,
        text=True,
        **how,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        f"select {GOOD}",
        f"select {GOOD} --names",
        f"select {GOOD} --quiet --json -o out.csv",
        f"select {GOOD} --quiet --output-format csv -o /dev/stdout",
        "path table.csv -t class --json",
        f"compare {GOOD}",
        f"report {GOOD}",
        "datasets",
        "datasets ionosphere",
        "info",
        "info --json",
        "--version",
        "select --help",
    ],
)
def test_what_is_printed_nowhere_is_a_failure_in_words(arguments, folder, run, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    ended = run(*arguments.split())
    assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)
    assert ended.err.startswith(CLOSED)


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (f"select {GOOD}", "out.csv"),
        (f"report {GOOD}", "out.html"),
        (f"qubo export {GOOD}", "out.npz"),
        ("datasets ionosphere", "out.parquet"),
    ],
)
def test_who_prints_nothing_needs_no_standard_output(arguments, output, folder, run, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    ended = run(*arguments.split(), "--quiet", "-o", output)
    assert (ended.code, ended.err) == (0, "")
    assert Path(output).stat().st_size > 0


def test_a_process_without_standard_output_ends_in_words_too(folder):
    ended = typed("datasets ionosphere", ">&-")
    assert (ended.returncode, ended.stderr.startswith(CLOSED)) == (1, True)
    quiet = typed("datasets ionosphere --quiet -o out.csv", ">&-")
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert Path("out.csv").read_text().count("\n") == 352


def test_closed_standard_error_leaves_standard_output_to_programs(folder):
    failed = typed("select missing.csv -t class", "2>&-")
    assert (failed.returncode, failed.stdout) == (2, "")
    noted = typed("select table.csv -t class --json", "2>&-")
    assert json.loads(noted.stdout)["k"] == 5
    assert typed("info", ">&- 2>&-").returncode == 1


@pytest.mark.parametrize("arguments", ["select - -t class", "qubo solve -"])
def test_closed_standard_input_is_called_closed(arguments, folder):
    ended = typed(arguments, "<&-")
    assert ended.returncode == 2
    assert "standard input is closed" in ended.stderr
