"""QUBOs go out as files, come back, and are solved."""

import json
from pathlib import Path

import numpy as np
import pytest

import quboselect
from quboselect import QUBO
from quboselect.cli.qubo_files import Problem, parsed, written

GOOD = ("table.csv", "--target", "class")


@pytest.mark.parametrize("form", ["npz", "json", "qubo", "bqm"])
def test_a_qubo_comes_back_as_it_went_out(form, folder, run):
    if form == "bqm":
        pytest.importorskip("dimod")
    asked = (*GOOD, "-k", "3", "--include", "noise", "--exclude", "age")
    selected = json.loads(run("select", *asked, "--json").out)
    ended = run("qubo", "export", *asked, "-o", f"q.{form}")
    assert (ended.code, ended.out) == (0, f"q.{form}: 3 bits at alpha {selected['alpha']:.6g}\n"), ended.err
    solved = json.loads(run("qubo", "solve", f"q.{form}", "--json").out)
    # A model of dimod's knows nothing of what was settled before.
    included = [] if form == "bqm" else ["noise"]
    assert {*solved["names"], "noise"} == set(selected["selected"])
    assert solved["included"] == included
    assert solved["energy"] == pytest.approx(selected["energy"])
    assert solved["proven"] is True
    piped = run("qubo", "solve", "-", "--names", stdin=Path(f"q.{form}").read_bytes())
    assert set(piped.out.split()) == {*solved["names"], *included}


@pytest.mark.parametrize("form", ["npz", "json", "qubo", "bqm"])
def test_every_coefficient_survives_a_file(form):
    if form == "bqm":
        pytest.importorskip("dimod")
    rng = np.random.default_rng(0)
    couplings = np.triu(rng.normal(size=(6, 6)) * (rng.random((6, 6)) < 0.6), 1)
    qubo = QUBO(rng.normal(size=6), couplings + couplings.T)
    problem = Problem(qubo, ("a", "b c", 'say "x"', "é", "5", "0"), 0.25, -1.5, ("in",))
    again = parsed(written(problem, form), "here")
    np.testing.assert_array_equal(again.qubo.linear, qubo.linear)
    np.testing.assert_array_equal(again.qubo.couplings, qubo.couplings)
    assert (again.names, again.offset) == (problem.names, -1.5)
    if form != "bqm":
        assert (again.alpha, again.included) == (0.25, ("in",))


def test_plain_text_of_others_is_read(folder, run):
    text = "c a comment\nc name\nc offset high\np qubo 0 3 3 2\n0 0 -1\n2 2 -2\n2 0 1.5\n0 2 1.5\n"
    Path("other.qubo").write_text(text)
    solved = json.loads(run("qubo", "solve", "other.qubo", "--json", "--solver", "exhaustive").out)
    assert (solved["energy"], solved["ones"], solved["names"], solved["bits"]) == (-2.0, [2], ["2"], 3)
    two = json.loads(run("qubo", "solve", "other.qubo", "--json", "-k", "2").out)
    assert (two["energy"], two["ones"]) == (-2.0, [1, 2])


def test_samples_are_kept_and_can_be_loaded(folder, run):
    Path("q.qubo").write_text("p qubo 0 2 2 1\n0 0 -1\n1 1 -1\n0 1 3\n")
    ended = run("qubo", "solve", "q.qubo", "-o", "samples.json", "--quiet")
    assert (ended.code, ended.out) == (0, "")
    samples = quboselect.Solutions.load("samples.json")
    assert (samples.energy[0], samples.proven) == (-1.0, True)
    assert "Proven: no other bits" in run("qubo", "solve", "q.qubo").out


def test_kept_samples_say_the_same_as_is_printed(folder, run):
    run("qubo", "export", *GOOD, "-k", "3", "--include", "noise", "-o", "q.qubo")
    printed = json.loads(run("qubo", "solve", "q.qubo", "-o", "samples.json", "--json").out)
    kept = json.loads(Path("samples.json").read_text())
    assert kept["solution"] == printed
    assert printed["included"] == ["noise"]
    assert printed["offset"] != 0.0
    assert kept["energy"][0] + printed["offset"] == pytest.approx(printed["energy"])
    assert quboselect.Solutions.load("samples.json").x.shape[1] == printed["bits"]


def test_a_proof_among_bits_of_a_size_says_so(folder, run):
    Path("q.qubo").write_text("p qubo 0 3 3 0\n0 0 -1\n1 1 -2\n2 2 -3\n")
    ended = run("qubo", "solve", "q.qubo", "-k", "2")
    assert "Proven: no other 2 bits have a lower energy." in ended.out
    assert json.loads(run("qubo", "solve", "q.qubo", "-k", "2", "--json").out)["proven_among"] == 2
    assert json.loads(run("qubo", "solve", "q.qubo", "--json").out)["proven_among"] is None
    assert "there is one way only to have 0 of 3 bits." in run("qubo", "solve", "q.qubo", "-k", "0").out
    assert run("qubo", "solve", "q.qubo", "-k", "0", "--names").out == ""
