"""The figures of the paper, drawn from the tables and arrays in ``results``; nothing is computed here.

``python experiments/figures.py`` draws what there are results for and names what is missing. Experiments 1 and 2 are in
`figures_models`, the reads of experiment 4 in `figures_reads`.
"""

import argparse
import csv
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("agg")

import figures_models
import numpy as np
from constants import RESULTS, section
from figures_reads import Reads
from ledger import Row, read
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from reads import Band, HitRate

from quboselect.plots.drawing import BLUE, GREEN, GREY, ORANGE, RED, plain_axes

FIGURES = Path(__file__).with_name("figures")
DATASETS = ("synth_10", "waveform", "ionosphere")
SAMPLERS = {
    "annealing": "SimulatedAnnealingSampler",
    "quantum_annealing": "PathIntegralAnnealingSampler",
    "schroedinger": "QuantumAnnealing",
    "vqe": "VQE, ideal",
}
SHOWN = {"qfs": "QFS", "random_0": "random", "top": "top", "pca": "PCA"}
COLOURS = {"QFS": BLUE, "random": GREY, "top": ORANGE, "PCA": GREEN}
ALL, SPLIT = "all images", "60 000 and 10 000"


def reconstructions(results: Path) -> dict[str, Figure]:
    """Return 20 images, and below each what decoders make of 25 of its pixels or of 25 components."""
    made = {}
    for protocol in ("all", "split"):
        file = results / f"three_{protocol}_4x4.npz"
        if not file.exists():
            raise FileNotFoundError(file.name)
        with np.load(file, allow_pickle=False) as stored:
            rows = {"original": stored["originals"]}
            rows |= {word: stored[name] for name, word in SHOWN.items() if name in stored.files}
        figure, axes = plt.subplots(len(rows), 1, figsize=(7.5, 0.42 * len(rows)), layout="constrained")
        for axis, (word, images) in zip(axes, rows.items(), strict=True):
            strip = np.hstack([np.pad(image.reshape(28, 28), 1) for image in images])
            axis.imshow(255 - strip, cmap="gray", vmin=0, vmax=255, interpolation="nearest")
            axis.set_ylabel(word, rotation=0, ha="right", va="center", fontsize=9)
            axis.set_xticks([])
            axis.set_yticks([])
            axis.spines[:].set_visible(False)
        made[f"three_reconstructions_{protocol}.png"] = figure
    return made


def final(rows: list[Row], model: str, metric: str) -> dict[str, np.ndarray]:
    """Return the errors of each method, one for each seed."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.model == model and row.metric == metric:
            found.setdefault(row.method, []).append(row.value)
    return {method: np.array(values) for method, values in found.items()}


def errors(results: Path) -> dict[str, Figure]:
    """Return the errors of each method as bars: linear and by the decoder, of images seen and of images held out."""
    rows = [row for row in read(results / "three.csv") if row.dataset == "mnist"]
    panels = (
        ("the paper's protocol, all images", ALL, "mse"),
        ("trained on 60 000, 10 000 held out", SPLIT, "held-out mse"),
    )
    if not final(rows, f"decoder 4x4, {ALL}", "mse"):
        raise FileNotFoundError("what the decoder adds to three.csv")
    figure, axes = plt.subplots(1, 2, figsize=(7.5, 3.0), sharey=True, layout="constrained")
    for axis, (title, protocol, metric) in zip(axes, panels, strict=True):
        for shift, (model, word, shade) in enumerate(
            (("linear", "linear", 0.4), ("decoder 4x4", "decoder", 1.0))
        ):
            found = final(rows, f"{model}, {protocol}", metric)
            for place, method in enumerate(COLOURS):
                if method in found:
                    bar = {"color": COLOURS[method], "alpha": shade, "width": 0.38}
                    at, mean = place + 0.4 * (shift - 0.5), found[method].mean()
                    spread = found[method].std()
                    axis.bar(at, mean, yerr=spread or None, label=word if not place else None, **bar)
                    above = {"textcoords": "offset points", "ha": "center", "fontsize": 8}
                    axis.annotate(f"{mean:.1f}", (at, mean + spread), (0, 2), **above)
        if protocol == ALL:
            theirs = section("three")["theirs"]["mse_per_image"]
            axis.axhline(theirs, color=RED, linestyle="--", linewidth=1.2, label=f"the paper's, {theirs}")
            axis.legend(frameon=False, fontsize=8, loc="upper right")
        axis.set_xticks(range(len(COLOURS)), COLOURS)
        axis.set_title(title, loc="left", fontsize=10)
        plain_axes(axis)
    axes[0].set_ylabel("squared error per image")
    axes[0].set_ylim(0, 48)
    return {"three_errors.svg": figure}


def curves(results: Path) -> dict[str, Figure]:
    """Return the errors over the epochs, of images seen and held out."""
    rows = [row for row in read(results / "three.csv") if row.dataset == "mnist"]
    panels = (
        ("the paper's protocol, all images", ALL, "mse"),
        ("held-out images of the split", SPLIT, "held-out mse"),
    )
    figure, axes = plt.subplots(1, 2, figsize=(7.5, 3.0), sharey=True, layout="constrained")
    drawn = 0
    for axis, (title, protocol, metric) in zip(axes, panels, strict=True):
        lines: dict[tuple[str, str], list[tuple[int, float]]] = {}
        for row in rows:
            match = re.fullmatch(rf"{metric} after (\d+) epochs", row.metric)
            if match and row.model == f"decoder 4x4, {protocol}":
                lines.setdefault((row.method, row.seed), []).append((int(match[1]), row.value))
        for (method, seed), points in lines.items():
            epochs, values = zip(*sorted(points), strict=True)
            label = method if seed in ("", "0") else None
            axis.plot(epochs, values, color=COLOURS[method], linewidth=1.3, label=label)
            drawn += 1
        axis.set_title(title, loc="left", fontsize=10)
        axis.set_xlabel("epoch")
        plain_axes(axis)
    if not drawn:
        raise FileNotFoundError("what the decoder adds to three.csv")
    theirs = section("three")["theirs"]["mse_per_image"]
    axes[0].axhline(theirs, color=RED, linestyle="--", linewidth=1.2, label=f"the paper's, {theirs}")
    axes[0].legend(frameon=False, fontsize=8)
    axes[0].set_ylabel("squared error per image")
    return {"three_curves.svg": figure}


def stored_reads(stored: Any, dataset: str, sampler: str) -> Reads:
    """Return what is drawn of some runs, from what experiment 4 stored of them."""
    part = {name: stored[f"{dataset}/{sampler}/{name}"] for name in
            ("energies", "bits", "shares", "counts", "optimum", "minimum")}  # fmt: skip
    runs = part["shares"].size
    energies, bits = (Band(*part[name].astype(float), runs) for name in ("energies", "bits"))
    rate = HitRate(part["shares"], *map(int, part["counts"]))
    return Reads(energies, bits, part["optimum"], float(part["minimum"][0]), rate)


def reads(results: Path) -> dict[str, Figure]:
    """Return, for each sampler, all reads sorted by energy and how often each bit was 1; a row for each data set."""
    made = {}
    with np.load(results / "four_samples.npz", allow_pickle=False) as stored:
        for name, sampler in SAMPLERS.items():
            found = [dataset for dataset in DATASETS if f"{dataset}/{sampler}/bits" in stored.files]
            if not found:
                continue
            sides = {"width_ratios": (1.0, 1.35)}
            figure, axes = plt.subplots(
                len(found),
                2,
                figsize=(7.5, 2.4 * len(found)),
                squeeze=False,
                layout="constrained",
                gridspec_kw=sides,
            )
            for row, dataset in zip(axes, found, strict=True):
                stored_reads(stored, dataset, sampler).plot(row, dataset)
            made[f"four_{name}.svg"] = figure
    return made


def hits(results: Path) -> dict[str, Figure]:
    """Return the share of reads that show the optimum, of every method on every data set."""
    # The authors' reads are counted where their files are.
    published = results / "four_published.csv"
    tables = [results / "four.csv", *([published] if published.exists() else [])]
    if not published.exists():
        print("four_hits goes without the authors' reads: run paper.py 4 beside their files", file=sys.stderr)
    rows = [row for table in tables for row in read(table) if row.metric == "hit share"]
    figure, axes = plt.subplots(1, 3, figsize=(7.5, 3.0), sharey=True, layout="constrained")
    order = list(dict.fromkeys(row.method for row in rows))
    for axis, dataset in zip(axes, DATASETS, strict=True):
        for place, method in enumerate(order):
            shares = 100 * np.array(
                [row.value for row in rows if (row.method, row.dataset) == (method, dataset)]
            )
            if shares.size:
                axis.barh(
                    place, shares.mean(), xerr=shares.std(), color=GREY if "published" in method else BLUE
                )
                at = (shares.mean() + shares.std(), place)
                axis.annotate(
                    f"{shares.mean():.3g}", at, (4, 0), textcoords="offset points", va="center", fontsize=8
                )
        axis.set_yticks(range(len(order)), order, fontsize=8)
        axis.set_title(dataset, loc="left", fontsize=10)
        axis.set_xlabel("% of reads")
        axis.set_xlim(0, 130)
        axis.set_xticks([0, 50, 100])
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].invert_yaxis()
    return {"four_hits.svg": figure}


def appendix(results: Path) -> dict[str, Figure]:
    """Return the figure of Appendix A: the least energy of at most k features over alpha."""
    with np.load(results / "path_appendix.npz", allow_pickle=False) as stored:
        alphas, energies = stored["alphas"], stored["curves"]
    figure, axis = plt.subplots(figsize=(5.0, 3.2), layout="constrained")
    colours = mpl.colormaps["viridis"](np.linspace(0.0, 0.9, len(energies)))
    for k in range(len(energies)):
        axis.plot(alphas, energies[k], color=colours[k], linewidth=1.6, label=f"k = {k}")
    axis.set_xlabel("alpha")
    axis.set_ylabel("least energy of at most k features")
    axis.legend(frameon=False, fontsize=8)
    plain_axes(axis)
    return {"path_appendix.svg": figure}


def segments(file: Path) -> dict[str, np.ndarray]:
    """Return the numbers of a path, one of each for a segment."""
    with file.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0] if name != "features"}


def mnist_path(results: Path) -> dict[str, Figure]:
    """Return the path of MNIST: size, importance and redundancy over alpha, where the size falls and what it misses."""
    path = segments(results / "path_mnist.csv")
    # Further on it was not explored.
    known = np.flatnonzero(path["size"] <= 100)[-1] + 1
    path = {name: values[:known] for name, values in path.items()}
    edges = np.append(path["start"], path["stop"][-1])
    figure, axes = plt.subplots(1, 3, figsize=(7.5, 2.7), layout="constrained")
    for axis, name, colour in zip(
        axes, ("size", "importance", "redundancy"), (BLUE, GREEN, ORANGE), strict=True
    ):
        axis.stairs(path[name], edges, baseline=None, color=colour, linewidth=1.4)
        axis.set_title({"size": "features"}.get(name, f"{name} (bits)"), loc="left", fontsize=10)
        axis.set_xlabel("alpha")
        axis.set_xlim(0, edges[-1])
        plain_axes(axis)
    size = path["size"].astype(int)
    falls = np.flatnonzero(np.diff(size) < 0)
    axes[0].plot(edges[falls + 1], size[falls], "v", color=RED, markersize=4, label="the size falls")
    missing = sorted(set(range(size.max())) - set(size))
    where = [edges[np.flatnonzero(size < gap)[-1] + 1] for gap in missing]
    axes[0].plot(where, missing, "x", color="0.15", markersize=5, label="size not found")
    axes[0].legend(frameon=False, fontsize=8, loc="upper left")
    return {"path_mnist.svg": figure}


def counter_examples(results: Path) -> dict[str, Figure]:
    """Return where Proposition 1 fails: the paths of the two counter-examples, and the sizes they pass over."""
    figure, axes = plt.subplots(1, 2, figsize=(7.5, 2.6), layout="constrained")
    titles = {"never_two": "two features are never optimal", "never_four": "four features are never optimal"}
    for axis, (name, title) in zip(axes, titles.items(), strict=True):
        path = segments(results / f"path_{name}.csv")
        axis.stairs(path["size"], np.append(path["start"], 1.0), baseline=None, color=BLUE, linewidth=1.6)
        axis.axhline({"never_two": 2, "never_four": 4}[name], color=RED, linestyle="--", linewidth=1.0)
        axis.set_title(title, loc="left", fontsize=10)
        axis.set_xlabel("alpha")
        axis.set_ylabel("features")
        plain_axes(axis)
    return {"path_counter_examples.svg": figure}


def grover(results: Path) -> dict[str, Figure]:
    """Return what the Grover search takes to find the largest of N values, and the accuracies of the wrappers."""
    rows = read(results / "grover.csv")
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.5, 3.2), layout="constrained")
    means: dict[str, dict[int, float]] = {}
    for row in rows:
        if row.method == "search":
            means.setdefault(row.metric, {})[2 ** int(row.dataset.split()[0])] = row.value
    sizes = np.array(sorted(means["calls"]))
    calls, checks, found_after = (
        np.array([means[name][n] for n in sizes]) for name in ("calls", "checks", "found_after")
    )
    left.loglog(sizes, calls + checks, "s-", color=RED, markersize=4, label="search, calls and checks")
    left.loglog(sizes, calls, "o-", color=ORANGE, markersize=4, label="its oracle calls, the published limit")
    left.loglog(sizes, sizes, color=GREY, label="classical, all N values")
    left.loglog(
        sizes, found_after, "^-", color=BLUE, markersize=4, label="calls and checks until it was found"
    )
    left.set_ylim(2, 4e4)
    left.set_xlabel("values N")
    left.set_title("what the largest of N values takes", loc="left", fontsize=10)
    left.legend(frameon=False, fontsize=8, loc="upper left")
    methods = list(dict.fromkeys(row.method for row in rows if row.metric == "accuracy"))
    colours = dict(zip(("ionosphere", "waveform", "synth_10"), (BLUE, ORANGE, GREEN), strict=True))
    for dataset, colour in colours.items():
        for place, method in enumerate(methods):
            found = [
                row.value
                for row in rows
                if (row.dataset, row.method, row.metric) == (dataset, method, "accuracy")
            ]
            label = dataset if place == 0 else None
            if found:
                right.plot(
                    found, np.full(len(found), place), "o", color=colour, markersize=4, alpha=0.5, label=label
                )
                right.plot(np.mean(found), place, "|", color=colour, markersize=12)
    right.set_yticks(range(len(methods)), methods, fontsize=8)
    right.invert_yaxis()
    right.set_xlabel("accuracy on the other half")
    right.legend(frameon=False, fontsize=8, ncols=3, loc="lower right", bbox_to_anchor=(1.0, 1.0))
    for axis in (left, right):
        plain_axes(axis)
    return {"grover.svg": figure}


def models(results: Path) -> dict[str, Figure]:
    """Return the figures of experiments 1 and 2."""
    return {f"{name}.svg": figure for name, figure in figures_models.figures(results)}


DRAWINGS: tuple[Callable[[Path], dict[str, Figure]], ...] = (
    models,
    reconstructions,
    errors,
    curves,
    reads,
    hits,
    appendix,
    mnist_path,
    counter_examples,
    grover,
)


def draw(results: Path, figures: Path) -> list[str]:
    """Write every picture there are results for, and return their names."""
    figures.mkdir(parents=True, exist_ok=True)
    written = []
    # The same results make the same files, byte for byte.
    with mpl.rc_context({"svg.hashsalt": "quboselect", "svg.fonttype": "none", "font.size": 9}):
        for drawing in DRAWINGS:
            try:
                made = drawing(results)
            except FileNotFoundError as missing:
                name = Path(missing.filename or str(missing)).name
                print(f"{drawing.__name__} is left out: {name} is not there yet")
                continue
            for name, figure in made.items():
                metadata = {"Date": None} if name.endswith(".svg") else None
                figure.savefig(figures / name, dpi=150, metadata=metadata)
                plt.close(figure)
                written.append(name)
    return written


def main() -> None:
    """Draw all figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--figures", type=Path, default=FIGURES)
    asked = parser.parse_args()
    print(*draw(asked.results, asked.figures), sep="\n")


if __name__ == "__main__":
    main()
