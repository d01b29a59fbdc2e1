"""The decoder of experiment 3: many at once are the same as one at a time, and a killed run goes on."""

import csv

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="experiment 3 needs torch")

import decoder  # noqa: E402


def models(count, kernel, k=5):
    made = []
    for seed in range(count):
        torch.manual_seed(seed)
        made.append(decoder.Decoder(k, kernel))
    return made


@pytest.fixture(scope="module")
def images():
    """Blobs at random places: pixels that say something about their neighbours."""
    rng = np.random.default_rng(0)
    place = rng.uniform(6, 22, (400, 2, 1, 1))
    y, x = np.mgrid[:28, :28]
    away = (y - place[:, 0]) ** 2 + (x - place[:, 1]) ** 2
    return (255 * np.exp(-away / 18)).astype(np.uint8).reshape(400, 784)


@pytest.fixture
def files(images, tmp_path):
    rng = np.random.default_rng(1)
    pixels = {f"{p}/{name}": rng.choice(784, 5, replace=False) for p in ("all", "split") for name in "ab"}
    directions = np.linalg.svd(images / 255 - images.mean(0) / 255, full_matrices=False)[2][:5]
    pixels["split/pca"] = np.vstack([images.mean(0) / 255, directions]).astype(np.float32)
    np.savez_compressed(tmp_path / "images.npz", X=images)
    np.savez_compressed(tmp_path / "latents.npz", **pixels)
    return tmp_path


def run(files, out, *more):
    words = [
        str(files / "images.npz"),
        str(files / "latents.npz"),
        "--out",
        str(files / out),
        "--device",
        "cpu",
    ]
    return decoder.main([*words, "--training", "300", *more])


def table(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("kernel", [2, 3, 4])
def test_the_layers_have_the_shapes_of_the_paper(kernel):
    model = decoder.Decoder(25, kernel)
    x = model.linear(torch.zeros(3, 25)).view(3, 8, 7, 7)
    assert model.linear.out_features == 392
    assert model.first(x).shape == (3, 16, 14, 14)
    assert model.second(model.first(x)).shape == (3, 1, 28, 28)


@pytest.mark.parametrize("kernel", [2, 3, 4])
def test_decoders_side_by_side_show_what_each_shows_alone(kernel):
    several = models(3, kernel)
    latent = torch.rand(3, 7, 5)
    together = decoder.Batched(several, torch.device("cpu"))(latent)
    for place, model in enumerate(several):
        torch.testing.assert_close(together[place], model(latent[place]), rtol=0, atol=1e-6)


@pytest.mark.parametrize("kernel", [2, 3, 4])
def test_products_of_matrices_say_what_transposed_convolutions_say(kernel):
    x, weight, bias = torch.rand(3, 2, 4, 5, 6), torch.rand(3, 6, 7, kernel, kernel), torch.rand(3, 7)
    products = decoder.as_products(x, weight) + bias[:, None, None, None]
    torch.testing.assert_close(products, decoder.transposed(x, weight, bias), rtol=0, atol=1e-5)


def test_the_learning_rate_and_momentum_are_those_of_torch():
    parameter = torch.nn.Parameter(torch.zeros(1))
    optimiser = torch.optim.Adam([parameter])
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, decoder.LEARNING_RATE, total_steps=57)
    rate, beta1 = decoder.one_cycle(57)
    for step in range(57):
        group = optimiser.param_groups[0]
        assert rate[step] == pytest.approx(group["lr"], rel=1e-12)
        assert beta1[step] == pytest.approx(group["betas"][0], rel=1e-12)
        optimiser.step()
        if step < 56:
            schedule.step()


@pytest.mark.parametrize("kernel", [2, 4])
def test_steps_of_several_are_the_steps_of_each_alone_with_torchs_own_adam(images, kernel):
    pixels = torch.as_tensor(images)
    latents = torch.rand(2, 400, 5, generator=torch.Generator().manual_seed(2))
    settings = decoder.Settings("all", kernel, 3, 400, 0, "float32")
    trainer = decoder.Trainer(pixels, latents, settings)
    # The second batch of an epoch would be cut short, and is left out.
    assert trainer.steps == 1
    alone = []
    for _ in range(2):
        torch.manual_seed(0)
        alone.append(decoder.Decoder(5, kernel))
    for place, model in enumerate(alone):
        optimiser = torch.optim.Adam(model.parameters())
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 0.01, total_steps=3)
        for step in range(3):
            optimiser.zero_grad()
            rows = torch.arange(250)
            guess = model(latents[place, rows])
            torch.nn.functional.mse_loss(guess, pixels[rows] / 255.0).backward()
            optimiser.step()
            if step < 2:
                schedule.step()
    for _ in range(3):
        trainer.step()
    together = [torch.cat([part[place].flatten() for part in trainer.model.parts]) for place in range(2)]
    for model, ours in zip(alone, together, strict=True):
        theirs = torch.nn.utils.parameters_to_vector(model.parameters())
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)


def test_timing_changes_nothing(images):
    settings = decoder.Settings("all", 2, 3, 400, 0, "float32")
    trainer = decoder.Trainer(torch.as_tensor(images), torch.rand(1, 400, 5), settings)
    before = trainer.model.flat.clone()
    assert trainer.milliseconds(2) > 0
    assert torch.equal(trainer.model.flat, before)
    assert trainer.count == 0


def test_a_short_run_lowers_the_error_of_every_latent(files):
    assert run(files, "out", "--epochs", "24", "--every", "8", "--kernels", "2") == 0
    for protocol, names in (("all", "ab"), ("split", ("a", "b", "pca"))):
        rows = table(files / "out" / f"{protocol}_2x2.csv")
        assert [int(row["epoch"]) for row in rows if row["latent"] == "a"] == [8, 16, 24]
        for name in names:
            errors = [float(row["training"]) for row in rows if row["latent"] == name]
            assert errors[-1] < 0.8 * errors[0]
            assert all((row["held_out"] == "") == (protocol == "all") for row in rows)
        with np.load(files / "out" / f"{protocol}_2x2.npz") as shown:
            assert shown["originals"].shape == shown["a"].shape == (20, 784)
            # Seen by neither in training under the split.
            assert shown["rows"].min() >= 300


def test_the_errors_are_sums_over_the_pixels_of_an_image(images):
    settings = decoder.Settings("split", 2, 1, 300, 0, "float32")
    trainer = decoder.Trainer(torch.as_tensor(images), torch.rand(1, 400, 5), settings)
    guess = trainer.reconstructed(torch.arange(400))[0].numpy()
    each = ((guess - images / 255.0) ** 2).sum(axis=1)
    training, held_out = trainer.errors()
    assert training[0] == pytest.approx(each[:300].mean(), rel=1e-5)
    assert held_out[0] == pytest.approx(each[300:].mean(), rel=1e-5)


def test_a_run_that_was_stopped_goes_on_to_the_same_end(files):
    words = ("--epochs", "6", "--every", "2", "--kernels", "2", "--protocols", "split")
    assert run(files, "whole", *words) == 0
    assert run(files, "part", *words, "--seconds", "0") == decoder.STOPPED
    assert [row["epoch"] for row in table(files / "part" / "split_2x2.csv")] == ["1"] * 3
    assert run(files, "rest", *words, "--resume", str(files / "part")) == 0
    whole, rest = (torch.load(files / name / "split_2x2.pt", weights_only=True) for name in ("whole", "rest"))
    for a, b in zip(whole["state"], rest["state"], strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)


def test_a_checkpoint_of_other_settings_is_refused(files):
    words = ("--kernels", "2", "--protocols", "all", "--every", "1")
    run(files, "out", *words, "--epochs", "1")
    with pytest.raises(ValueError, match="move it away"):
        run(files, "out", *words, "--epochs", "2")


def test_latents_trained_one_by_one_in_one_folder_do_not_touch_each_other(files):
    words = ("--kernels", "2", "--protocols", "split", "--epochs", "2", "--every", "1")
    for name in ("a", "b"):
        assert run(files, "both", *words, "--only", name) == 0
    assert run(files, "alone", *words, "--only", "b") == 0
    both, alone = (np.load(files / out / "split_2x2_b.npz") for out in ("both", "alone"))
    np.testing.assert_array_equal(both["b"], alone["b"])
    assert {row["latent"] for row in table(files / "both" / "split_2x2_a.csv")} == {"a"}
    endings = {path.name for path in (files / "both").iterdir()}
    assert endings == {f"split_2x2_{name}.{end}" for name in "ab" for end in ("csv", "json", "npz", "pt")}


def test_a_checkpoint_of_other_latents_is_refused_before_anything_is_trained(files):
    words = ("--kernels", "2", "--epochs", "1")
    run(files, "out", *words, "--protocols", "split")
    with np.load(files / "latents.npz") as stored:
        given = dict(stored)
    np.savez_compressed(files / "latents.npz", **(given | {"split/a": given["split/b"]}))
    with pytest.raises(ValueError, match=r"split_2x2\.pt is of .*'sha256': .* move it away"):
        run(files, "out", *words, "--protocols", "all", "split")
    assert not (files / "out" / "all_2x2.csv").exists()
    np.savez_compressed(files / "latents.npz", **{n: part for n, part in given.items() if n != "split/b"})
    with pytest.raises(
        ValueError, match=r"'latents': \('a', 'b', 'pca'\).* but .*\('a', 'pca'\).* move it away"
    ):
        run(files, "out", *words, "--protocols", "split")


def test_a_name_that_is_none_of_a_latent_is_refused_with_those_there_are(files, capsys):
    with pytest.raises(SystemExit):
        run(files, "out", "--only", "a", "bogus", "--epochs", "1")
    assert "--only bogus: the latents of all are a, b" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(files, "out", "--only", "pca", "--epochs", "1")
    assert "--only pca: the latents of all are a, b" in capsys.readouterr().err


def test_a_kill_while_images_or_rows_are_written_leaves_what_was_there(files, monkeypatch):
    words = ("--kernels", "2", "--protocols", "split", "--epochs", "2", "--every", "1")
    run(files, "out", *words)
    before = {end: (files / "out" / f"split_2x2.{end}").read_bytes() for end in ("npz", "csv")}

    def killed(path, **_):
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(decoder.np, "savez_compressed", killed)
    with pytest.raises(KeyboardInterrupt):
        run(files, "out", *words)
    with pytest.raises(csv.Error):
        decoder.write_rows(files / "out" / "split_2x2.csv", [["split"], 0])
    for end, content in before.items():
        assert (files / "out" / f"split_2x2.{end}").read_bytes() == content
