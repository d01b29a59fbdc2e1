"""Experiment 4: the paper's alphas and printed shares, and runs that are made once."""

import four
import numpy as np
import pytest
from ledger import Ledger

published = pytest.mark.skipif(
    not four.REFERENCE.exists(), reason="the authors' files are not beside the checkout"
)


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("four")
    four.run(Ledger(folder / "four.csv"), quick=True)
    return folder


def shares(ledger, dataset, method):
    return np.array([row.value for row in ledger.rows(dataset=dataset, method=method, metric="hit share")])


@published
def test_algorithm_one_finds_the_alphas_of_the_paper(quick):
    ledger = Ledger(quick / "four.csv")
    for name, alpha in (("ionosphere", 0.90625), ("waveform", 0.78125), ("synth_10", 0.875)):
        assert ledger.value(dataset=name, metric="alpha") == alpha


@published
def test_the_published_reads_say_what_the_paper_prints(quick):
    ledger = Ledger(quick / "four_published.csv")
    for method, name in (
        ("annealer", "D-Wave Advantage 5.1"),
        ("simulated_annealing", "simulated annealing"),
    ):
        for dataset, printed in four.PAPER["theirs"][method].items():
            found = 100 * shares(ledger, dataset, f"{name}, published")
            assert found.size == 16
            if isinstance(printed, str):
                assert round(found.sum() * 1024 / 100) == 1
            else:
                assert (round(found.mean(), 2), round(found.std(), 2)) == pytest.approx(printed, abs=0.011)


def test_every_method_has_a_row_a_run(quick):
    ledger = Ledger(quick / "four.csv")
    assert shares(ledger, "synth_10", "VQE, ideal").size == 2
    assert shares(ledger, "synth_10", "QuantumAnnealing").size == 2
    assert shares(ledger, "ionosphere", "Anneal").size == 2
    # 34 qubits are too many to simulate.
    assert not shares(ledger, "ionosphere", "QuantumAnnealing").size


def test_what_was_run_is_not_run_again(quick, monkeypatch):
    monkeypatch.setattr(four.Anneal, "__call__", lambda *_: pytest.fail("it was run again"))
    before = (quick / "four.csv").read_bytes()
    four.run(Ledger(quick / "four.csv"), quick=True)
    assert (quick / "four.csv").read_bytes() == before


def test_the_pictures_are_kept_small_and_hold_no_reads(quick):
    file = quick / "four_samples.npz"
    assert file.stat().st_size < 200_000
    with np.load(file) as stored:
        assert stored["synth_10/Anneal/energies"].shape == (2, 64)
        assert stored["ionosphere/Anneal/bits"].shape == (2, 34)
        assert not any("published" in name for name in stored.files)


def test_what_is_not_installed_is_left_out_with_a_sentence(monkeypatch, capsys):
    monkeypatch.setattr(four, "installed", lambda module: False)
    names = [method.name for method in four.methods(quick=True, live=False)]
    assert names == ["Anneal", "QuantumAnnealing", "VQE, ideal"]
    assert 'pip install "quboselect[dwave]"' in capsys.readouterr().out


def test_machines_are_asked_only_where_that_is_wanted(monkeypatch, capsys):
    monkeypatch.setenv("DWAVE_API_TOKEN", "none of anybody")
    assert four.machines(64, live=False) == []
    assert "--live asks them too" in capsys.readouterr().out


def test_five_runs_of_the_published_vqe_cannot_be_told_from_guessing():
    from scipy.stats import binom

    reads = 5 * 1024
    hits = round(four.PAPER["theirs"]["vqe"]["synth_10"][0] / 100 * reads)
    assert hits == 7
    assert binom.sf(hits - 1, reads, 1 / 2**10) == pytest.approx(0.24, abs=0.005)
