"""What a terminal shows: whole numbers on every terminal, names as they are, the sign of the report."""

import json
import re
from pathlib import Path

import pytest

from quboselect.cli import showing

GOOD = ("table.csv", "--target", "class")


@pytest.fixture
def narrow(monkeypatch):
    """Make standard output a terminal of some width."""

    def wide(width):
        monkeypatch.setattr(
            showing, "console", lambda: showing.Out(highlight=False, emoji=False, markup=False, width=width)
        )

    return wide


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("command", ["select", "compare", "path"])
def test_numbers_are_never_cut(width, command, folder, run, narrow):
    asked = () if command == "path" else ("-k", "2")
    whole = run(command, *GOOD, *asked).out
    narrow(width)
    out = run(command, *GOOD, *asked).out
    assert max(map(len, out.splitlines())) <= width
    assert "…" not in out
    numbers = re.compile(r"[-+]?\d+\.\d+")
    assert set(numbers.findall(out)) <= set(numbers.findall(whole))
    kept = {"select": "contribution", "compare": "objective", "path": "alpha from"}[command]
    assert kept in out


@pytest.mark.parametrize("width", [40, 60, 80])
def test_other_tables_fit_as_well(width, run, narrow):
    narrow(width)
    for typed in (("datasets",), ("info",)):
        assert max(map(len, run(*typed).out.splitlines())) <= width


def test_names_stay_what_they_are(folder, frame, run):
    odd = {"pay": ":smile:", "pay_eur": "[red]", "town": "[/]", "class": ":cat:"}
    frame.rename(odd).write_csv("odd.csv")
    asked = ("odd.csv", "-t", ":cat:", "-k", "5")
    outs = [run(command, *asked).out for command in ("select", "compare")]
    outs.append(run("path", *asked[:3]).out)
    run("qubo", "export", *asked, "-o", "q.npz")
    outs.append(run("qubo", "solve", "q.npz", "-k", "5").out)
    for out in outs:
        assert {":smile:", "[red]", "[/]"} <= set(re.findall(r":smile:|\[red\]|\[/\]", out))


@pytest.mark.parametrize("mark", ["\u202e", "\u2028", "\u2066", "\u200f", "\x1b"], ids=ascii)
def test_characters_that_turn_or_break_a_line_are_written_out(mark, folder, frame, run):
    name, target, source = (f"{word}{mark}{word}" for word in ("pay", "class", "od"))
    frame.rename({"pay": name, "class": target}).write_csv(source := f"{source}.csv")
    asked = (source, "-t", target)
    for command in ("select", "explain"):
        ended = run(command, *asked, "-k", "2", "--include", name)
        assert mark not in ended.out + ended.err
        assert json.dumps(mark)[1:-1] in ended.out
    for typed in (
        ("path", *asked),
        ("rank", *asked),
        ("select", *asked, "-k", "9"),
        ("select", f"{source}x"),
    ):
        ended = run(*typed)
        assert mark not in ended.out + ended.err


def test_a_good_contribution_is_above_zero(folder, run):
    out = run("select", *GOOD, "-k", "2").out
    assert re.search(r"^pay\w* .* \+0\.\d{4}\s*$", out, re.MULTILINE)
    assert "above 0 it is worth having" in out


def test_what_to_know_is_said_below_the_proof(folder, run):
    out = run("select", *GOOD, "-k", "2").out
    assert "Note: pay_eur instead of pay is just as good." in out
    assert out.index("Proven:") < out.index("Note:")


ANSWERS = {
    "rank": "rank",
    "explain": "is selected:",
    "alternatives": "worse by",
    "stability": "chosen in",
    "cv": "mean score",
}


@pytest.mark.parametrize("command", ANSWERS)
@pytest.mark.parametrize("width", [60, 100])
def test_answers_fit_the_terminal(command, width, folder, run, narrow):
    asked = ("--most", "2", "--folds", "2") if command == "cv" else ("-k", "2")
    asked += ("--resamples", "3") if command == "stability" else ()
    whole = run(command, *GOOD, *asked).out
    assert ANSWERS[command] in whole
    narrow(width)
    out = run(command, *GOOD, *asked).out
    assert max(map(len, out.splitlines())) <= width
    assert "…" not in out


def test_what_is_not_proven_is_said_of_alternatives_and_of_a_comparison(folder, run):
    for command in ("alternatives", "compare"):
        assert "Proven:" in run(command, *GOOD, "-k", "2").out
        out = run(command, *GOOD, "-k", "2", "--effort", "0").out
        assert "Not proven:" in out
        assert "Proven:" not in out


def test_resamples_that_select_everything_have_no_index(folder, run):
    out = run("stability", *GOOD, "-k", "5", "--resamples", "3").out
    assert len(re.findall(r" 100% ", out)) == 5
    assert "All resamples select the same" in out


def test_methods_that_cannot_take_negative_redundancies_are_named(folder, run):
    ended = run("compare", *GOOD, "-k", "2", "--criterion", "jmi")
    assert re.search("mRMR quotient.* left out.* negative", ended.err)
    assert "mRMR quotient" not in ended.out
    assert "left out" not in run("compare", *GOOD, "-k", "2").err


def test_nothing_selected_is_told_without_features(folder, run):
    out = run("select", *GOOD, "--alpha", "0").out
    assert out.startswith("0 of 5 features")
    assert "Contribution" not in out
    assert run("select", *GOOD, "--alpha", "0", "--names").out == ""
    assert Path("table.csv").exists()
