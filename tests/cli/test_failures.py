"""What goes wrong outside of what was typed is a sentence too."""

import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from quboselect.cli import main

GOOD = ("--target", "class", "-k", "2")


def test_standard_input_must_not_be_empty_nor_a_terminal(folder, run, monkeypatch):
    ended = run("select", "-", *GOOD, stdin=b"")
    assert (ended.code, "standard input is empty" in ended.err) == (1, True)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    for typed in (("select", "-", *GOOD), ("qubo", "solve", "-")):
        ended = run(*typed)
        assert ended.code == 2
        assert "standard input is a terminal" in ended.err


def test_a_folder_closed_to_this_process_is_said_to_be(folder, run, monkeypatch):
    closed = (folder / "closed").resolve()
    closed.mkdir()
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != closed and real(path, mode))
    ended = run("select", "table.csv", *GOOD, "-o", "closed/out.csv")
    assert (ended.code, list(closed.iterdir())) == (1, [])
    assert "closed/out.csv cannot be written" in ended.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this machine has no /dev/full")
def test_a_full_device_is_a_failure_in_words(folder, run):
    ended = run("select", "table.csv", *GOOD, "-o", "/dev/full", "--output-format", "csv")
    assert ended.code == 1
    assert ended.err == "quboselect: /dev/full could not be written: No space left on device.\n"
    assert Path("/dev/full").is_char_device()


def test_a_missing_extra_says_what_to_install(folder, run, monkeypatch):
    for library in ("dwave", "dwave.samplers", "dimod"):
        monkeypatch.setitem(sys.modules, library, None)
    ended = run("select", "table.csv", *GOOD, "--solver", "dwave-annealing", "-o", "out.csv")
    assert ended.code == 1
    assert 'pip install "quboselect[dwave]"' in ended.err
    ended = run("qubo", "export", "table.csv", *GOOD, "-o", "out.bqm")
    assert ended.code == 1
    assert re.search(r'dimod.*pip install "quboselect\[dwave\]"', ended.err)
    assert not list(folder.glob("out*"))


def test_the_command_without_its_extra_says_what_to_install(monkeypatch, run):
    for module in [name for name in sys.modules if name.startswith("quboselect.cli.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "typer", None)
    ended = run("info")
    assert ended.code == 1
    assert ended.err.strip() == (
        'quboselect: the command needs typer, which is not installed: pip install "quboselect[cli]".'
    )


def test_a_part_of_the_command_itself_that_is_missing_is_not_called_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "quboselect.cli.app", None)
    with pytest.raises(ModuleNotFoundError, match=r"quboselect\.cli\.app"):
        main(["info"])


def test_debug_shows_where_an_error_came_from(folder, run):
    ended = run("select", "missing.csv", *GOOD, "--debug")
    assert ended.code == 2
    assert "Traceback" in ended.err
    assert ended.err.splitlines()[-1].startswith("quboselect: there is no file")


def test_no_error_lists_thousands_of_names(folder, run):
    names = [f"feature_{i}" for i in range(3000)]
    Path("wide.csv").write_text(",".join([*names, "class"]) + "\n" + ",".join(["1"] * 3001) + "\n")
    for typed in (
        (),
        ("-t", "other"),
        ("-t", "class", "--exclude", "feature"),
        ("-t", "class", "--type", "z=text"),
    ):
        ended = run("select", "wide.csv", *typed)
        assert ended.code == 2
        assert len(ended.err) < 400


def test_too_little_memory_is_said_of_tables_and_qubos(folder, run, monkeypatch):
    from quboselect.cli import qubos

    def full(*_):
        raise MemoryError

    monkeypatch.setattr(qubos, "problem_of", full)
    Path("two.npy").write_bytes(b"large")
    ended = run("qubo", "solve", "two.npy")
    assert (ended.code, "not enough memory" in ended.err) == (1, True)


def test_an_error_of_ours_is_called_one(folder, run, monkeypatch):
    from quboselect.cli import reading

    def broken(*_):
        raise RuntimeError("impossible\nand more")

    monkeypatch.setattr(reading, "file_of", broken)
    ended = run("select", "table.csv", *GOOD)
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert re.search("RuntimeError: impossible.*--debug", ended.err)


def test_a_dash_is_no_file_to_write(folder, run):
    ended = run("select", "table.csv", "--target", "class", "-k", "1", "-o", "-", "--output-format", "csv")
    assert ended.code == 2
    assert "--output" in ended.err
    assert "/dev/stdout" in ended.err
