"""The figures: drawn from what there is, and what is missing is named."""

import numpy as np
import pytest
from ledger import Ledger

from experiment_oracles import decoder_wrote

pytest.importorskip("matplotlib", reason="figures need matplotlib")

import figures
import four
import path
import three


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    path.run(Ledger(folder / "path.csv"), quick=True)
    (folder / "path_mnist.csv").write_bytes((folder / "path_never_two.csv").read_bytes())
    four.run(Ledger(folder / "four.csv"), quick=True)
    out = decoder_wrote(folder / "out")
    for protocol in ("all", "split"):
        parts = {name: np.full((20, 784), 90, np.uint8) for name in ("originals", "qfs", "random_0", "pca")}
        np.savez_compressed(out / f"{protocol}_4x4.npz", **parts)
    three.collect(Ledger(folder / "three.csv"), "mnist", out)
    return folder


def test_every_picture_is_drawn_and_small(results, tmp_path):
    written = figures.draw(results, tmp_path)
    expected = {
        "three_reconstructions_all.png", "three_reconstructions_split.png", "three_errors.svg", "three_curves.svg",
        "four_schroedinger.svg", "four_vqe.svg", "four_hits.svg", "path_appendix.svg", "path_mnist.svg",
        "path_counter_examples.svg",
    }  # fmt: skip
    assert expected <= set(written)
    assert all((tmp_path / name).stat().st_size < 200_000 for name in written)


def test_the_same_results_make_the_same_files(results, tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "DRAWINGS", (figures.curves, figures.appendix, figures.reconstructions))
    for folder in ("a", "b"):
        figures.draw(results, tmp_path / folder)
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


def test_what_there_are_no_results_for_is_named(tmp_path, capsys):
    assert figures.draw(tmp_path, tmp_path / "figures") == []
    said = capsys.readouterr().out
    assert "mnist_path is left out: path_mnist.csv is not there yet" in said
    assert "hits is left out: four.csv is not there yet" in said


def test_the_picture_of_some_runs_says_their_share_of_hits(results):
    with np.load(results / "four_samples.npz") as stored:
        shown = figures.stored_reads(stored, "synth_10", "Anneal")
    ledger = Ledger(results / "four.csv")
    rows = ledger.rows(dataset="synth_10", method="Anneal", metric="hit share")
    assert shown.rate.mean == pytest.approx(np.mean([row.value for row in rows]))
    assert shown.energies.mean.size == 64
