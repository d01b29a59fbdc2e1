"""Experiment 3: how well 25 pixels of an MNIST image reconstruct it. Errors are per image.

Which pixels say most about the others? Those of QFS, random ones, the most important ones, and 25 principal components,
which may look at all pixels, feed the paper's decoder each. The paper trains and measures on all 70 000 images
("all"); beside it stands a split: pixels are chosen and decoders trained on the first 60 000, and measured on the
last 10 000 ("split"). The full training is made for a GPU, in three steps that need not be on one machine::

    python experiments/three.py prepare                       # build/three/mnist.npz and latents.npz, 12 MB
    python experiments/decoder.py build/three/mnist.npz build/three/latents.npz --out build/three/out
    python experiments/three.py collect build/three/out       # into results/

`run` does all three where there is a GPU; elsewhere it does what needs none, and says so.
"""

import argparse
import csv
import importlib.util
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from constants import results, section
from data import DatasetUnavailable, mnist
from ledger import Ledger, store
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from quboselect import SelectQUBO
from quboselect.protocols import Solver
from quboselect.solvers import Portfolio

HERE = Path(__file__).parent
BUILD = HERE.parent / "build" / "three"
# The error is summed over the pixels of an image, and the mean over images.
K, EPOCHS = section("three")["k"], section("three")["epochs"]
# The side of the kernels of the transposed convolutions: the paper does not say, 2 and 4 are the usual ones.
KERNEL = 4
TRAINING = 60_000
QUICK = ["--epochs", "2", "--every", "1", "--only", "qfs", "random_0", "pca"]
RANDOM_SEEDS = (0, 1, 2)
METHODS = {"qfs": "QFS", "top": "top", "pca": "PCA"}
PROTOCOLS = {"all": "all images", "split": "60 000 and 10 000"}
MNIST, DIGITS = "mnist", "digits, framed"


class Images(NamedTuple):
    """Images, their labels, and how many of them the split trains on."""

    name: str
    X: NDArray[np.uint8]
    y: NDArray[np.int64]
    training: int

    def of(self, protocol: str) -> slice:
        """Return the images that a protocol may look at."""
        return slice(None) if protocol == "all" else slice(0, self.training)


def images(quick: bool) -> Images:
    """Return MNIST; or, quickly and everywhere, 600 of scikit-learn's digits of 8 x 8 pixels, in a wide frame."""
    if not quick:
        return Images(MNIST, mnist().X, mnist().y, TRAINING)
    X, y = load_digits(return_X_y=True)
    framed = np.pad(X[:600].reshape(-1, 8, 8), ((0, 0), (10, 10), (10, 10)))
    return Images(DIGITS, (framed * 15.9375).astype(np.uint8).reshape(-1, 784), y[:600], 500)


def method(latent: str) -> tuple[str, int | None]:
    """Return the method of a latent and its seed.

    Examples
    --------
    >>> method("random_2"), method("qfs")
    (('random', 2), ('QFS', None))
    """
    name, _, seed = latent.partition("_")
    return (name, int(seed)) if seed else (METHODS[name], None)


def latents(
    data: Images,
    solver: Solver = Portfolio(),  # noqa: B008
) -> tuple[dict[str, NDArray[np.generic]], dict[str, NDArray[np.float64]]]:
    """Return what the decoders see, and how it was selected: alpha, gap and seconds by ``about/protocol``.

    What they see is ``protocol/name`` -> indices of pixels, or a mean and principal directions. Random pixels are
    drawn from those that are not the same in all images, else most would say nothing.
    """
    found: dict[str, NDArray[np.generic]] = {}
    about: dict[str, NDArray[np.float64]] = {}
    for protocol in PROTOCOLS:
        X, y = data.X[data.of(protocol)], data.y[data.of(protocol)]
        start = time.perf_counter()
        selector = SelectQUBO.paper(k=K, solver=solver).fit(X, y)
        seconds = time.perf_counter() - start
        found[f"{protocol}/qfs"] = selector.get_support(indices=True)
        gap = (selector.energy_ - selector.bound_) / abs(selector.energy_)
        about[f"about/{protocol}"] = np.array([selector.alpha_, gap, seconds])
        order = np.argsort(-selector.importance_, kind="stable")
        found[f"{protocol}/top"] = np.sort(order[:K])
        live = np.flatnonzero(X.min(axis=0) < X.max(axis=0))
        for seed in RANDOM_SEEDS:
            drawn = np.random.default_rng(seed).choice(live, K, replace=False)
            found[f"{protocol}/random_{seed}"] = np.sort(drawn)
        found[f"{protocol}/pca"] = principal(X)
    return found, about


def principal(X: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the mean image and its K principal directions, one below the other."""
    mean, moment = np.zeros(X.shape[1]), np.zeros((X.shape[1],) * 2)
    for part in np.array_split(X, -(-len(X) // 10_000)):
        pixels = part / 255.0
        mean += pixels.sum(axis=0) / len(X)
        moment += pixels.T @ pixels / len(X)
    _, vectors = np.linalg.eigh(moment - np.outer(mean, mean))
    return np.vstack([mean, vectors[:, ::-1][:, :K].T]).astype(np.float32)


def linear_errors(data: Images, protocol: str, given: NDArray[np.generic]) -> tuple[float, float]:
    """Return the errors of the best linear decoder: of the images it was fitted to, and of those held out.

    For principal components it is their own reconstruction.
    """

    def seen(X: NDArray[np.uint8]) -> NDArray[np.float64]:
        pixels = X / 255.0
        latent = pixels[:, given] if given.ndim == 1 else (pixels - given[0]) @ given[1:].T
        return np.hstack([latent, np.ones((len(X), 1))])

    parts = np.array_split(data.X[data.of(protocol)], 7)
    gram = sum(seen(part).T @ seen(part) for part in parts)
    mixed = sum(seen(part).T @ (part / 255.0) for part in parts)
    # Pixels that are constant in the images at hand make it singular.
    weights = np.linalg.lstsq(gram, mixed, rcond=None)[0]

    def error(X: list[NDArray[np.uint8]]) -> float:
        total = sum(float(((seen(part) @ weights - part / 255.0) ** 2).sum()) for part in X)
        return total / sum(map(len, X))

    rest = data.X[data.training :]
    return error(parts), error([rest]) if protocol == "split" else float("nan")


def build_folder(ledger: Ledger, quick: bool) -> Path:
    """Return where the images and the latents lie, and in ``out`` what the decoder makes of them."""
    return ledger.folder / "three_build" if quick else BUILD


def prepare(folder: Path, *, quick: bool = False) -> tuple[Images, Path]:
    """Write the images and the latents into a folder, to be carried to a GPU; those that are there are kept."""
    data = images(quick)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "latents.npz"
    # A file of an earlier version does not say how its pixels were selected.
    if not file.exists() or "about/all" not in arrays(file):
        found, about = latents(data, Portfolio(effort=0 if quick else 1))
        store(file, **found, **about)
    if not (folder / "mnist.npz").exists():
        store(folder / "mnist.npz", X=data.X)
    return data, file


def arrays(file: Path) -> dict[str, NDArray[np.generic]]:
    """Return all that a file holds."""
    with np.load(file, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def write_linear(ledger: Ledger, data: Images, file: Path) -> None:
    """Write the rows that need no decoder, and the pixels that were chosen."""
    given = arrays(file)
    for protocol, model in PROTOCOLS.items():
        alpha, gap, seconds = given.pop(f"about/{protocol}")
        key = {"dataset": data.name, "method": "QFS", "model": model, "k": K}
        ledger.note(alpha, **key, metric="alpha", seconds=seconds)
        ledger.note(gap, **key, metric="gap", seconds=seconds)
    masks = {name.replace("/", "_"): part for name, part in given.items() if part.ndim == 1}
    store(ledger.folder / "three_pixels.npz", **masks)
    for name, part in given.items():
        protocol, _, latent = name.partition("/")
        key = dict(zip(("method", "seed"), method(latent), strict=True))
        key |= {"dataset": data.name, "model": f"linear, {PROTOCOLS[protocol]}", "k": K}
        metrics = ("held-out mse", "mse") if protocol == "split" else ("mse",)
        if all(ledger.has(**key, metric=metric) for metric in metrics):
            continue
        start = time.perf_counter()
        training, held_out = linear_errors(data, protocol, part)
        if protocol == "split":
            ledger.note(held_out, **key, metric="held-out mse")
        ledger.note(training, **key, metric="mse", seconds=time.perf_counter() - start)


def merge(about: dict[str, Any], shown: Path, path: Path) -> None:
    """Add the images of one run of the decoder to those of its protocol and kernel, and what is said about them.

    As in the ledger, what is there stays: only images of a training that had not ended are replaced. Beside them
    stands a ``.json`` with all ``latents``, the sum of the ``seconds``, and the ``runs``.
    """
    new, old = arrays(shown), arrays(path) if path.exists() else {}
    if old and not np.array_equal(old["originals"], new["originals"]):
        raise ValueError(f"{shown} should show the same originals as {path}: move one of them away.")
    said = json.loads(path.with_suffix(".json").read_text()) if old else {"runs": []}
    runs = said.get("runs", [said])
    ended = {name for run in runs if run["epoch"] >= run["settings"]["epochs"] for name in run["latents"]}
    taken = [name for name in about["latents"] if name not in ended or name not in old]
    runs = [run | {"latents": [name for name in run["latents"] if name not in taken]} for run in runs]
    runs = [run for run in [*runs, about | {"latents": taken}] if run["latents"]]
    names = [name for run in runs for name in run["latents"]]
    whole = {"latents": names, "seconds": round(sum(run["seconds"] for run in runs), 2), "runs": runs}
    # In this order: a name that has no image is taken again.
    path.with_suffix(".json").write_text(json.dumps(whole, indent=1) + "\n")
    store(path, **(new | {name: part for name, part in old.items() if name not in taken}))


def collect(ledger: Ledger, name: str, out: Path) -> None:
    """Take in what the decoder wrote, of all latents at once or of some: curves, last errors, and the 20 images."""
    tables = sorted(out.glob("*_?x?*.csv"))
    if not tables:
        raise FileNotFoundError(
            f"{out} should hold all_4x4.csv or the like, which experiments/decoder.py writes."
        )
    for table in tables:
        if not table.with_suffix(".json").exists():
            print(f"{table.stem} has no .json yet: it is in training or was killed, and is not taken in")
            continue
        about = json.loads(table.with_suffix(".json").read_text())
        with table.open(newline="") as file:
            rows = list(csv.DictReader(file))
        last = max(int(row["epoch"]) for row in rows)
        epochs = about["settings"]["epochs"]
        if last < epochs:
            print(f"{table.stem} ended after {last} of {epochs} epochs: its end is not taken in")
        about = {"epoch": last, "seconds": float(rows[-1]["seconds"])} | about
        about["latents"] = list(dict.fromkeys(row["latent"] for row in rows))
        group = f"three_{rows[0]['protocol']}_{rows[0]['kernel']}x{rows[0]['kernel']}"
        # Before the rows: if the rows are there, the images are not taken in again.
        merge(about, table.with_suffix(".npz"), ledger.folder / f"{group}.npz")
        for row in rows:
            model = f"decoder {row['kernel']}x{row['kernel']}, {PROTOCOLS[row['protocol']]}"
            key = dict(zip(("method", "seed"), method(row["latent"]), strict=True))
            key |= {"dataset": name, "model": model, "k": K}
            values = {"mse": row["training"], "held-out mse": row["held_out"]}
            ends = [f" after {row['epoch']} epochs"]
            if int(row["epoch"]) == epochs:
                ends.append("")
            for metric, value in values.items():
                for end in ends if value else ():
                    ledger.note(float(value), **key, metric=metric + end, seconds=float(row["seconds"]))


def run(ledger: Ledger, quick: bool = False, *, device: str | None = None) -> None:
    """Run experiment 3: all of it where there is a GPU, or where a device is named."""
    build = build_folder(ledger, quick)
    try:
        data, file = prepare(build, quick=quick)
    except DatasetUnavailable as reason:
        print(f"experiment 3 is left out: {reason}")
        return
    write_linear(ledger, data, file)
    if importlib.util.find_spec("torch") is None:
        print(
            'experiment 3: the decoder is left out, since torch is not installed: pip install "torch==2.13.0"'
        )
        return
    kernel = 2 if quick else KERNEL
    model = f"decoder {kernel}x{kernel}, {PROTOCOLS['split']}"
    if ledger.has(dataset=data.name, method="PCA", model=model, k=K, metric="held-out mse"):
        return
    import torch

    if not quick and device is None and not torch.cuda.is_available():
        print(
            "experiment 3: the decoder is left out, since there is no GPU. On a machine with one: python experiments/"
            "decoder.py build/three/mnist.npz build/three/latents.npz --out build/three/out; then here: python "
            "experiments/three.py collect build/three/out"
        )
        return
    words = [str(build / "mnist.npz"), str(file), "--out", str(build / "out"), "--kernels", str(kernel)]
    words += ["--training", str(data.training)]
    words += QUICK if quick else ["--epochs", str(EPOCHS)]
    words += ["--device", device or ("cuda" if torch.cuda.is_available() and not quick else "cpu")]
    # A process of its own gives the memory of the device back.
    subprocess.run([sys.executable, str(HERE / "decoder.py"), *words], check=True)
    collect(ledger, data.name, build / "out")


def main() -> None:
    """Prepare, collect, or run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", nargs="?", default="run", choices=("run", "prepare", "collect"))
    parser.add_argument("folder", nargs="?", type=Path, help="to prepare in, or to collect from")
    parser.add_argument("--quick", action="store_true", help="small images, two epochs, a few seconds")
    parser.add_argument("--device", help="cuda or cpu; a full run on a CPU takes a day")
    asked = parser.parse_args()
    ledger = Ledger(results(asked.quick) / "three.csv")
    build = build_folder(ledger, asked.quick)
    if asked.what == "run":
        run(ledger, asked.quick, device=asked.device)
    elif asked.what == "prepare":
        data, file = prepare(asked.folder or build, quick=asked.quick)
        write_linear(ledger, data, file)
    else:
        collect(ledger, DIGITS if asked.quick else MNIST, asked.folder or build / "out")


if __name__ == "__main__":
    main()
