"""Experiment 3: latents that see only what they may, errors by hand, and results that are taken in once."""

import numpy as np
import pytest
import three
from ledger import Ledger

from experiment_oracles import decoder_wrote


@pytest.fixture(scope="module")
def data():
    return three.images(quick=True)


def naive_error(latent, seen, rest):
    """Return the errors of least squares: of the images it was fitted to, and of the rest."""
    A = np.hstack([latent(seen), np.ones((len(seen), 1))])
    weights = np.linalg.lstsq(A, seen / 255.0, rcond=None)[0]
    B = np.hstack([latent(rest), np.ones((len(rest), 1))])
    return tuple((((M @ weights - Y / 255.0) ** 2).sum(axis=1)).mean() for M, Y in ((A, seen), (B, rest)))


def test_the_quick_images_are_of_the_size_of_mnist(data):
    assert data.X.shape == (600, 784)
    assert data.X.dtype == np.uint8
    assert data.X.max() == 255
    assert data.of("split") == slice(0, 500)


def test_every_latent_has_25_numbers_an_image(data):
    found = three.latents(data, solver=three.Portfolio(effort=0))
    assert len(found) == 12
    for name, part in found.items():
        if part.ndim == 1:
            assert np.unique(part).size == 25
        else:
            assert name.endswith("/pca")
            assert part.shape == (26, 784)
            np.testing.assert_allclose(part[1:] @ part[1:].T, np.eye(25), atol=1e-5)
    changed = data._replace(y=np.concatenate([data.y[:500], data.y[:99:-1][:100]]))
    again = three.latents(changed, solver=three.Portfolio(effort=0))
    for name in found:
        if name.startswith("split/"):
            np.testing.assert_array_equal(found[name], again[name])


def test_the_principal_directions_are_those_of_a_singular_value_decomposition(data):
    mean, *directions = three.principal(data.X)
    pixels = data.X / 255.0
    np.testing.assert_allclose(mean, pixels.mean(axis=0), atol=1e-6)
    theirs = np.linalg.svd(pixels - pixels.mean(axis=0), full_matrices=False)[2][:5]
    np.testing.assert_allclose(np.abs(np.sum(directions[:5] * theirs, axis=1)), 1.0, atol=1e-4)


@pytest.mark.parametrize("protocol", ["all", "split"])
def test_linear_errors_are_those_of_least_squares(data, protocol):
    given = np.flatnonzero(data.X.std(axis=0) > 60)
    seen, rest = data.X[data.of(protocol)], data.X[500:]
    training, held_out = naive_error(lambda X: X[:, given] / 255.0, seen, rest)
    ours = three.linear_errors(data, protocol, given)
    assert ours[0] == pytest.approx(training, rel=1e-6)
    assert ours[1] == pytest.approx(held_out, rel=1e-6) if protocol == "split" else np.isnan(ours[1])


def test_components_reconstruct_better_than_any_25_pixels_linearly(data):
    pca = three.linear_errors(data, "all", three.principal(data.X))[0]
    for seed in range(3):
        pixels = np.random.default_rng(seed).choice(np.flatnonzero(data.X.any(axis=0)), 25, replace=False)
        assert pca < three.linear_errors(data, "all", pixels)[0]


def test_what_the_decoder_wrote_is_taken_in_once(tmp_path):
    out = decoder_wrote(tmp_path / "out")
    ledger = Ledger(tmp_path / "three.csv")
    three.collect(ledger, "mnist", out)
    key = {
        "dataset": "mnist",
        "method": "random",
        "model": "decoder 4x4, 60 000 and 10 000",
        "k": 25,
        "seed": 1,
    }
    assert ledger.value(**key, metric="held-out mse") == 31.25
    assert ledger.value(**key, metric="mse after 2 epochs") == 30.5
    count = len(ledger)
    three.collect(Ledger(tmp_path / "three.csv"), "mnist", out)
    assert len(Ledger(tmp_path / "three.csv")) == count
    assert (tmp_path / "three_all_4x4.npz").exists()


def test_a_run_that_did_not_end_gives_its_curve_and_no_end(tmp_path, capsys):
    ledger = Ledger(tmp_path / "three.csv")
    three.collect(ledger, "mnist", decoder_wrote(tmp_path / "out", last=2))
    assert "ended after 2 of 4 epochs" in capsys.readouterr().out
    assert list(ledger.rows(metric="mse after 2 epochs"))
    assert not list(ledger.rows(metric="mse"))


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"decoder\.py writes"):
        three.collect(Ledger(tmp_path / "three.csv"), "mnist", tmp_path)


def test_a_quick_run_writes_rows_for_all_and_is_not_run_again(tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="experiment 3 needs torch")
    three.run(Ledger(tmp_path / "three.csv"), quick=True)
    ledger = Ledger(tmp_path / "three.csv")
    for method in ("QFS", "random", "PCA"):
        for protocol in three.PROTOCOLS.values():
            key = {
                "method": method,
                "model": f"decoder 2x2, {protocol}",
                "seed": "0" if method == "random" else "",
            }
            assert ledger.value(**key, metric="mse") < ledger.value(**key, metric="mse after 1 epochs")
    monkeypatch.setattr(three.subprocess, "run", lambda *_, **__: pytest.fail("it was run again"))
    three.run(Ledger(tmp_path / "three.csv"), quick=True)


def test_without_torch_the_rest_is_done_and_a_sentence_says_what_is_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(three.importlib.util, "find_spec", lambda name: None)
    ledger = Ledger(tmp_path / "three.csv")
    three.run(ledger, quick=True)
    assert "torch is not installed" in capsys.readouterr().out
    assert ledger.value(method="top", model="linear, all images", metric="mse") > 0
