"""QUBOs go out as files, come back, and are solved."""

import json
from pathlib import Path

import numpy as np
import pytest

from quboselect import QUBO
from quboselect.cli.qubos import Problem, file_content, problem_of

GOOD = ("table.csv", "--target", "class")
FORMS = ["npz", "npy", "json", "bqm"]


def matrix_file(name, matrix):
    np.save(name, np.array(matrix, float))


PAPER = ("--criterion", "qfs", "--bins", "20", "--edges", "quantile")


@pytest.mark.parametrize("form", FORMS)
def test_a_qubo_comes_back_as_it_went_out(form, folder, run):
    if form == "bqm":
        pytest.importorskip("dimod")
    asked = (*GOOD, "-k", "3", "--include", "noise", "--exclude", "age", *PAPER, "--quiet")
    selected = json.loads(run("select", *asked, "--json").out)
    ended = run("qubo", "export", *asked[:-1], "-o", f"q.{form}")
    assert (ended.code, ended.out) == (0, f"q.{form}: 3 bits at alpha {selected['alpha']:.6g}\n"), ended.err
    solved = json.loads(run("qubo", "solve", f"q.{form}", "--json").out)
    free = [name for name in ("pay", "pay_eur", "town") if name in selected["selected"]]
    assert solved["names"] == ([str(i) for i in solved["ones"]] if form == "npy" else free)
    # A model of dimod's does not know what was included before, and a matrix not even the energy of that.
    assert solved["included"] == ([] if form in ("bqm", "npy") else ["noise"])
    if form != "npy":
        assert solved["energy"] == pytest.approx(selected["energy"])
    assert solved["proven"] is True
    piped = run("qubo", "solve", "-", "--names", stdin=Path(f"q.{form}").read_bytes())
    assert piped.out.split() == [*solved["included"], *solved["names"]]


@pytest.mark.parametrize("form", FORMS)
def test_a_qubo_at_a_fixed_alpha_says_how_many_ones_it_is_for(form, folder, run):
    if form == "bqm":
        pytest.importorskip("dimod")
    for criterion in ("pairs", "jmi"):
        asked = (*GOOD, "-k", "3", "--include", "noise", "--criterion", criterion)
        selected = json.loads(run("select", *asked, "--json").out)
        ended = run("qubo", "export", *asked, "-o", f"q.{form}")
        typed = f"quboselect qubo solve q.{form} -k 2"
        words = f"q.{form}: 4 bits at alpha 0.666667, of which exactly 2 are to be 1: solve it with {typed}\n"
        assert (ended.code, ended.out) == (0, words), ended.err
        ended = run(*typed.split()[1:], "--json")
        solved = json.loads(ended.out)
        assert (ended.err, solved["size"], solved["proven"]) == ("", 2, True)
        if form != "npy":
            assert {*solved["names"], "noise"} == set(selected["selected"])
            assert solved["energy"] == pytest.approx(selected["energy"])
        # A file of ours remembers it, and says so where -k was left out.
        free = run("qubo", "solve", f"q.{form}")
        assert (free.code, f"q.{form} was exported" in free.err) == (0, form in ("npz", "json"))
        assert free.err == "" or "-k 2" in free.err
        assert run("qubo", "solve", f"q.{form}", "--quiet").err == ""


def test_a_qubo_at_one_alpha_is_for_any_number_of_ones(folder, run):
    ended = run("qubo", "export", *GOOD, "--alpha", "0.6", "-o", "q.json")
    assert ended.out == "q.json: 5 bits at alpha 0.6\n"
    assert run("qubo", "solve", "q.json").err == ""
    ended = run("qubo", "export", *GOOD, "--alpha", "0.6", "-k", "1", "-o", "q 1.json")
    assert "exactly 1 is to be 1: solve it with quboselect qubo solve 'q 1.json' -k 1" in ended.out
    assert "Proven: no other bit has a lower energy." in run("qubo", "solve", "q 1.json", "-k", "1").out


@pytest.mark.parametrize("form", FORMS)
def test_every_coefficient_survives_a_file(form):
    if form == "bqm":
        pytest.importorskip("dimod")
    rng = np.random.default_rng(0)
    couplings = np.triu(rng.normal(size=(6, 6)) * (rng.random((6, 6)) < 0.6), 1)
    qubo = QUBO(rng.normal(size=6), couplings + couplings.T)
    problem = Problem(qubo, ("a", "b c", 'say "x"', "é", "5", "0"), 0.25, -1.5, ("in",), 4)
    again = problem_of(file_content(problem, form), "here")
    np.testing.assert_array_equal(again.qubo.linear, qubo.linear)
    np.testing.assert_array_equal(again.qubo.couplings, qubo.couplings)
    if form != "npy":
        assert (again.names, again.offset) == (problem.names, -1.5)
    if form in ("npz", "json"):
        assert (again.alpha, again.included, again.ones) == (0.25, ("in",), 4)
        without = problem_of(file_content(Problem(qubo, problem.names), form), "here")
        assert (without.alpha, without.ones) == (None, None)


def test_a_model_of_dimod_is_read_over_bits_and_over_spins(folder, run):
    dimod = pytest.importorskip("dimod")
    spins = dimod.BinaryQuadraticModel({"a": 1.0, "b": -2.0}, {("a", "b"): 0.5}, 3.0, "SPIN")
    Path("spins.json").write_text(json.dumps(spins.to_serializable()))
    solved = json.loads(run("qubo", "solve", "spins.json", "--json").out)
    best = dimod.ExactSolver().sample(spins).first
    assert solved["energy"] == pytest.approx(best.energy)
    assert solved["names"] == [name for name, spin in best.sample.items() if spin == 1]


def test_a_matrix_of_others_is_read_whichever_triangle_it_fills(folder, run):
    matrix_file("other.npy", [[-1, 0, 1.5], [0, 0, 0], [1.5, 0, -2]])
    solved = json.loads(run("qubo", "solve", "other.npy", "--json", "--solver", "exhaustive").out)
    assert (solved["energy"], solved["ones"], solved["names"], solved["bits"]) == (-2.0, [2], ["2"], 3)
    two = json.loads(run("qubo", "solve", "other.npy", "--json", "-k", "2").out)
    assert (two["energy"], two["ones"]) == (-2.0, [1, 2])


def test_output_holds_what_is_printed_and_all_solutions(folder, run):
    run("qubo", "export", *GOOD, "-k", "3", "--include", "noise", "-o", "q.json")
    printed = json.loads(run("qubo", "solve", "q.json", "-o", "found.json", "--json").out)
    kept = json.loads(Path("found.json").read_text())
    solutions = kept.pop("solutions")
    assert kept == printed
    assert (printed["included"], printed["proven"]) == (["noise"], True)
    problem = problem_of(Path("q.json").read_bytes(), "q.json")
    bits = [[bit == "1" for bit in each["bits"]] for each in solutions]
    energies = [each["energy"] for each in solutions]
    np.testing.assert_allclose(energies, problem.qubo.energy(bits))
    assert energies == sorted(energies)
    assert energies[0] + printed["offset"] == pytest.approx(printed["energy"])
    assert all(each["count"] >= 1 for each in solutions)
    ended = run("qubo", "solve", "q.json", "-o", "again.json", "--quiet")
    assert (ended.code, ended.out) == (0, "")


def test_a_proof_among_bits_of_a_size_says_so(folder, run):
    matrix_file("q.npy", np.diag([-1, -2, -3]))
    assert "Proven: no other bits have a lower energy." in run("qubo", "solve", "q.npy").out
    assert "Proven: no other 2 bits have a lower energy." in run("qubo", "solve", "q.npy", "-k", "2").out
    assert json.loads(run("qubo", "solve", "q.npy", "-k", "2", "--json").out)["proven_among"] == 2
    assert json.loads(run("qubo", "solve", "q.npy", "--json").out)["proven_among"] is None
    assert run("qubo", "solve", "q.npy", "-k", "0", "--names").out == ""
