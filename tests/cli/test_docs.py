"""Every command that the documentation shows runs, and every option that there is stands in it."""

import re
import shlex
from pathlib import Path

import pytest
import typer

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(name):
    lines = [line for block in BLOCKS.findall((ROOT / name).read_text()) for line in block.splitlines()]
    return [line.removeprefix("$ ").partition("  #")[0].strip() for line in lines if "quboselect " in line]


def typed(line, folder, run):
    """Type a line of a shell: ``cat`` before a pipe is standard input, what comes after the command is left out."""
    words = shlex.split(line)
    stdin = None
    if words[0] == "cat":
        stdin = (folder / words[1]).read_bytes()
        words = words[words.index("|") + 1 :]
    for end in ("|", ">"):
        words = words[: words.index(end)] if end in words else words
    assert words[0] == "quboselect"
    return run(*words[1:], stdin=stdin)


def pages():
    """Return the pages that show a command to type."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page.relative_to(ROOT).as_posix() for page in found if "\n$ quboselect " in page.read_text()]


def test_the_pages_with_commands_are_found():
    assert {"README.md", "docs/cli.md"} <= set(pages())


@pytest.mark.parametrize("name", pages())
def test_every_command_of_a_page_runs(name, tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    shown = [line for line in commands(name) if "pip install" not in line]
    assert shown
    run("datasets", "ionosphere", "-o", "ionosphere.csv")
    for line in shown:
        ended = typed(line, tmp_path, run)
        assert ended.code == 0, (line, ended.err)
        assert "note:" not in ended.err, (line, ended.err)


def test_every_option_stands_in_the_documentation():
    from quboselect.cli.app import app

    def options(command):
        for child in getattr(command, "commands", {}).values():
            yield from options(child)
        for parameter in command.params:
            yield from (option for option in getattr(parameter, "opts", ()) if option.startswith("--"))

    text = (ROOT / "docs" / "cli.md").read_text()
    there = set(options(typer.main.get_command(app))) - {"--k"}
    assert len(there) > 25
    assert {option for option in there if f"`{option}" not in text} == set()
