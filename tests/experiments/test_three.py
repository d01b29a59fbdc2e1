"""Experiment 3: latents that see only what they may, errors by hand, and results that are taken in once."""

import json
import sys

import numpy as np
import pytest
import three
from ledger import Ledger

from experiment_oracles import decoder_wrote


@pytest.fixture(scope="module")
def data():
    return three.images(quick=True)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Images, and the file of their latents."""
    return three.prepare(tmp_path_factory.mktemp("build"), quick=True)


def wrote(folder, *names, originals=0, shade=90, last=4):
    """Write what the decoder would for some latents of the split in one run: files that carry their names."""
    made = decoder_wrote(folder / "all_at_once", last=last)
    stem = folder / "_".join(["split_4x4", *names])
    header, *rows = (made / "split_4x4.csv").read_text().splitlines()
    rows = [row.replace("qfs", name) for name in names for row in rows if ",qfs," in row]
    stem.with_suffix(".csv").write_text("\n".join([header, *rows]) + "\n")
    about = {"epoch": last, "seconds": 1.5, "latents": names, "settings": {"epochs": 4}}
    stem.with_suffix(".json").write_text(json.dumps(about))
    parts = {name: np.full((20, 784), shade, np.uint8) for name in names}
    whole = np.full((20, 784), originals, np.uint8)
    np.savez_compressed(stem.with_suffix(".npz"), rows=np.arange(20), originals=whole, **parts)
    return folder


def taken(folder):
    """Return the shade of each latent's images in the results, and what is said about them."""
    with np.load(folder / "three_split_4x4.npz") as stored:
        assert {"rows", "originals"} < set(stored.files)
        shades = {n: int(stored[n][0, 0]) for n in stored.files if n not in ("rows", "originals")}
    return shades, json.loads((folder / "three_split_4x4.json").read_text())


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
    found, _ = three.latents(data, solver=three.Portfolio(effort=0))
    assert len(found) == 12
    for name, part in found.items():
        if part.ndim == 1:
            assert np.unique(part).size == 25
        else:
            assert name.endswith("/pca")
            assert part.shape == (26, 784)
            np.testing.assert_allclose(part[1:] @ part[1:].T, np.eye(25), atol=1e-5)
    changed = data._replace(y=np.concatenate([data.y[:500], data.y[:99:-1][:100]]))
    again, _ = three.latents(changed, solver=three.Portfolio(effort=0))
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


def test_latents_that_were_trained_one_by_one_come_together(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    wrote(out, "qfs", shade=1)
    wrote(out, "random_0", "pca", shade=2)
    three.collect(Ledger(tmp_path / "three.csv"), "mnist", out)
    shades, about = taken(tmp_path)
    assert shades == {"qfs": 1, "random_0": 2, "pca": 2}
    assert sorted(about["latents"]) == sorted(shades)
    assert about["seconds"] == 3.0
    assert sorted(run["latents"] for run in about["runs"]) == [["qfs"], ["random_0", "pca"]]
    ledger = Ledger(tmp_path / "three.csv")
    assert {row.method for row in ledger.rows(metric="held-out mse")} == {"QFS", "random", "PCA"}


def test_collecting_again_or_a_latent_later_keeps_what_was_there(tmp_path):
    ledger = Ledger(tmp_path / "three.csv")
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
    wrote(tmp_path / "first", "qfs", shade=1)
    three.collect(ledger, "mnist", tmp_path / "first")
    once = taken(tmp_path)
    three.collect(ledger, "mnist", tmp_path / "first")
    assert taken(tmp_path) == once
    # Trained once more: the ledger keeps its row, so its images are kept too.
    wrote(tmp_path / "second", "qfs", shade=3)
    wrote(tmp_path / "second", "top", shade=2)
    three.collect(ledger, "mnist", tmp_path / "second")
    shades, about = taken(tmp_path)
    assert shades == {"qfs": 1, "top": 2}
    assert about["latents"] == ["qfs", "top"]
    assert about["seconds"] == 3.0


def test_a_file_of_an_earlier_version_is_one_run_of_those_that_are_merged(tmp_path):
    wrote(tmp_path, "qfs", "pca", shade=1)
    for end in ("npz", "json"):
        (tmp_path / f"split_4x4_qfs_pca.{end}").rename(tmp_path / f"three_split_4x4.{end}")
    out = tmp_path / "out"
    out.mkdir()
    three.collect(Ledger(tmp_path / "three.csv"), "mnist", wrote(out, "top", shade=2))
    shades, about = taken(tmp_path)
    assert shades == {"qfs": 1, "pca": 1, "top": 2}
    assert about["latents"] == ["qfs", "pca", "top"]


def test_images_of_a_training_that_had_not_ended_are_replaced_by_those_of_its_end(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    for last, shade in ((2, 1), (4, 2), (2, 3)):
        wrote(out, "qfs", last=last, shade=shade)
        three.collect(Ledger(tmp_path / "three.csv"), "mnist", out)
    shades, about = taken(tmp_path)
    assert shades == {"qfs": 2}
    assert [run["epoch"] for run in about["runs"]] == [4]


def test_images_of_other_originals_are_refused_and_nothing_of_them_is_taken_in(tmp_path):
    ledger = Ledger(tmp_path / "three.csv")
    for folder, name, originals in (("first", "qfs", 0), ("second", "top", 7)):
        (tmp_path / folder).mkdir()
        wrote(tmp_path / folder, name, originals=originals)
    three.collect(ledger, "mnist", tmp_path / "first")
    count, before = len(ledger), taken(tmp_path)
    with pytest.raises(ValueError, match=r"split_4x4_top\.npz should show the same originals as .*move one"):
        three.collect(ledger, "mnist", tmp_path / "second")
    assert len(ledger) == count
    assert taken(tmp_path) == before


def test_a_latent_that_is_still_in_training_is_left_for_later(tmp_path, capsys):
    out = tmp_path / "out"
    out.mkdir()
    wrote(out, "qfs")
    wrote(out, "top")
    (out / "split_4x4_top.json").unlink()
    three.collect(Ledger(tmp_path / "three.csv"), "mnist", out)
    assert "split_4x4_top has no .json yet" in capsys.readouterr().out
    assert list(taken(tmp_path)[0]) == ["qfs"]


def test_a_quick_collection_is_filed_under_the_quick_images(tmp_path, monkeypatch, data):
    monkeypatch.setattr(three, "results", lambda quick: tmp_path)
    for words, name in ((["--quick"], data.name), ([], "mnist")):
        decoder_wrote(tmp_path / "out")
        monkeypatch.setattr(sys, "argv", ["three.py", "collect", str(tmp_path / "out"), *words])
        three.main()
        assert list(Ledger(tmp_path / "three.csv").rows(dataset=name, metric="held-out mse"))
        (tmp_path / "three.csv").unlink()


@pytest.mark.parametrize("lost", ["mse", "held-out mse", "alpha", "gap"])
def test_a_row_that_a_kill_left_out_is_written_by_the_next_run(tmp_path, prepared, lost):
    path = tmp_path / "three.csv"
    three.write_linear(Ledger(path), *prepared)
    whole = {row.key: row.value for row in Ledger(path).rows()}
    lines = path.read_text().splitlines(keepends=True)
    kept = [line for line in lines if not ("60 000" in line and f",{lost}," in line)]
    assert len(kept) < len(lines)
    path.write_text("".join(kept))
    three.write_linear(Ledger(path), *prepared)
    again = {row.key: row.value for row in Ledger(path).rows()}
    assert again == pytest.approx(whole)


def test_latents_are_enough_for_the_rows_of_their_selection(tmp_path, prepared):
    data, file = prepared
    three.write_linear(Ledger(tmp_path / "three.csv"), data, file)
    ledger = Ledger(tmp_path / "three.csv")
    for protocol, model in three.PROTOCOLS.items():
        alpha, gap, _ = three.arrays(file)[f"about/{protocol}"]
        assert ledger.value(model=model, metric="alpha") == alpha
        assert ledger.value(model=model, metric="gap") == gap
    assert set(three.arrays(tmp_path / "three_pixels.npz")) == {
        f"{protocol}_{name}"
        for protocol in three.PROTOCOLS
        for name in ("qfs", "top", "random_0", "random_1", "random_2")
    }


def test_latents_that_do_not_say_how_they_were_selected_are_made_again(tmp_path, prepared):
    whole = three.arrays(prepared[1])
    latents = {name: part for name, part in whole.items() if not name.startswith("about/")}
    np.savez_compressed(tmp_path / "latents.npz", **latents)
    _, file = three.prepare(tmp_path, quick=True)
    assert three.arrays(file).keys() == whole.keys()


def test_a_kill_while_latents_or_images_are_written_leaves_no_half_a_file(tmp_path, monkeypatch, prepared):
    def killed(path, **_):
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(three, "latents", lambda *_: ({"all/qfs": np.arange(25)}, {"about/all": np.zeros(3)}))
    (tmp_path / "half").mkdir()
    three.store(tmp_path / "half" / "latents.npz", **{"about/all": np.zeros(3)})
    monkeypatch.setattr(np, "savez_compressed", killed)
    for folder, name in (("none", "latents.npz"), ("half", "mnist.npz")):
        with pytest.raises(KeyboardInterrupt):
            three.prepare(tmp_path / folder, quick=True)
        assert not (tmp_path / folder / name).exists()
    with pytest.raises(KeyboardInterrupt):
        three.write_linear(Ledger(tmp_path / "three.csv"), *prepared)
    assert not (tmp_path / "three_pixels.npz").exists()


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
