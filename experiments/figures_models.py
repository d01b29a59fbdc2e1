"""The figures of experiments 1 and 2, made from rows of the ledgers and from masks.

`figures` gives all that the results in a folder allow, by name; ``figures.py`` writes them. Nothing is computed but
means and standard deviations over folds. Colours are Okabe and Ito's, which can be told apart with any colour vision.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from ledger import Row, read
from matplotlib.figure import Figure
from numpy.typing import NDArray

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PINK = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip
GREY = "#999999"
METHODS = {
    "QFS": BLUE,
    "authors' QFS": SKY,
    "LR ranking": YELLOW,
    "ET ranking": ORANGE,
    "RFE": RED,
    "mRMR": GREEN,
    "QPFS": PINK,
    "most informative": "#8C6BB1",
    "F statistic": "#6B4F1D",
    "random": GREY,
}
MODELS = {
    "neural network": "neural\nnetwork",
    "logistic regression": "logistic\nregression",
    "decision tree": "decision\ntree",
    "random forest": "random\nforest",
    "naive Bayes": "naive\nBayes",
}
SHORT = {
    "LR ranking": "LR",
    "ET ranking": "ET",
    "ground truth": "GT",
    "most informative": "MI",
    "F statistic": "F",
}


def figures(folder: Path) -> Iterator[tuple[str, Figure]]:
    """Yield the name and the figure of everything that was measured."""
    if (folder / "one_masks.npz").exists():
        with np.load(folder / "one_masks.npz", allow_pickle=False) as arrays:
            yield "one_masks", masks(arrays["masks"])
    if (folder / "one.csv").exists() and (rows := _accuracies(read(folder / "one.csv"))):
        yield "one_accuracies", small_forests(rows)
    if not (folder / "two.csv").exists():
        return
    everything = read(folder / "two.csv")
    if rows := _accuracies(everything):
        yield "two_accuracies", comparison(rows)
    if rows := [row for row in everything if row.metric == "selection seconds"]:
        yield "two_seconds", seconds(rows)
    if rows := [row for row in everything if row.metric == "edit distance"]:
        yield "two_distances", distances(rows)


def masks(bits: NDArray[np.bool_]) -> Figure:
    """Return the selected pixels of every digit in a row."""
    figure = Figure(figsize=(10, 1.35), layout="constrained")
    for digit, (ax, mask) in enumerate(zip(figure.subplots(1, len(bits)), bits, strict=True)):
        ax.imshow(mask.reshape(28, 28), cmap="gray_r", interpolation="nearest")
        ax.set(xticks=[], yticks=[])
        ax.set_title(str(digit), fontsize=10)
    return figure


def small_forests(rows: Sequence[Row]) -> Figure:
    """Return the bars of experiment 1: every digit, on the pixels of QFS, on random ones, on all."""
    colours = {"QFS": BLUE, "authors' QFS": SKY, "random": GREY, "all": ORANGE}
    names = {
        "QFS": "QFS, 30 pixels",
        "authors' QFS": "the authors' 30",
        "random": "random 30",
        "all": "all 784",
    }
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    ax = figure.subplots()
    digits = sorted({row.dataset for row in rows}, key=lambda name: int(name.split()[-1]))
    present = [method for method in colours if any(row.method == method for row in rows)]
    lowest = 1.0
    for at, method in enumerate(present):
        found = [_mean(rows, dataset=digit, method=method) for digit in digits]
        mean, deviation = np.array(found).T
        lowest = min(lowest, float((mean - deviation).min()))
        _bars(ax, np.arange(len(digits)), at, len(present), mean, deviation, colours[method], names[method])
    ax.set_xticks(range(len(digits)), [name.split()[-1] for name in digits])
    # Nine images of ten are of another digit, so that the bars differ near the top only.
    ax.set(ylim=(np.floor(20 * lowest) / 20, 1.0), xlabel="digit, against the rest", ylabel="accuracy")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 1.16), ncols=len(present), frameon=False, fontsize=9)
    return _plain(figure)


def comparison(rows: Sequence[Row]) -> Figure:
    """Return the bars of experiment 2: a row a data set, a group a model, a bar a method."""
    sets = [name for name in dict.fromkeys(row.dataset for row in rows) if "levels" not in name]
    figure = Figure(figsize=(10, 2.05 * len(sets) + 0.5), layout="constrained")
    axes = np.atleast_1d(figure.subplots(len(sets), 1, sharex=True))
    for ax, name in zip(axes, sets, strict=True):
        here = [row for row in rows if row.dataset == name]
        present = [method for method in METHODS if any(row.method == method for row in here)]
        for at, method in enumerate(present):
            found = [_mean(here, method=method, model=model) for model in MODELS]
            mean, deviation = np.array(found).T
            label = method if ax is axes[0] else None
            _bars(ax, np.arange(len(MODELS)), at, len(present), mean, deviation, METHODS[method], label)
        ax.set_ylabel(f"{name}, k = {here[0].k}", fontsize=9)
        values = [row.value for row in here]
        ax.set_ylim(max(0.0, min(values) - 0.08), min(1.0, max(values) + 0.03))
        ax.set_xticks(range(len(MODELS)), MODELS.values(), fontsize=9)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=5, frameon=False, fontsize=9)
    return _plain(figure)


def seconds(rows: Sequence[Row]) -> Figure:
    """Return how long each selection took, a panel a data set, seconds on a logarithmic axis."""
    sets = list(dict.fromkeys(row.dataset for row in rows))
    figure = Figure(figsize=(10, 2.6), layout="constrained")
    axes = np.atleast_1d(figure.subplots(1, len(sets), sharey=True))
    order = [method for method in METHODS if any(row.method == method for row in rows)][::-1]
    for ax, name in zip(axes, sets, strict=True):
        took = {row.method: row.value for row in rows if row.dataset == name}
        ax.barh(range(len(order)), [took.get(m, np.nan) for m in order], color=[METHODS[m] for m in order])
        ax.set_yticks(range(len(order)), order, fontsize=9)
        ax.set_xscale("log")
        ax.set_title(name, fontsize=10)
    figure.supxlabel("seconds of selection, counting included", fontsize=9)
    return _plain(figure)


def distances(rows: Sequence[Row]) -> Figure:
    """Return the graphs of edit distances: a node a method, an edge's number the features to swap.

    Edges between methods that have less than half in common are left out.
    """
    sets = [
        name
        for name in dict.fromkeys(row.dataset for row in rows)
        if any(row.dataset == name and "ground truth" in (row.method, row.model) for row in rows)
    ]
    figure = Figure(figsize=(5.6 * len(sets), 5.6), layout="constrained")
    for ax, name in zip(np.atleast_1d(figure.subplots(1, len(sets))), sets, strict=True):
        _graph(ax, [row for row in rows if row.dataset == name])
        ax.set_title(f"{name}: features to swap", fontsize=10)
    return figure


def _graph(ax: Any, rows: Sequence[Row]) -> None:
    between = {frozenset((row.method, row.model)): row.value for row in rows}
    shown = [
        m for m in dict.fromkeys(x for row in rows for x in (row.method, row.model)) if "random" not in m
    ]
    clusters: list[list[str]] = []
    for method in shown:
        same = next((c for c in clusters if between[frozenset((c[0], method))] == 0), None)
        clusters.append([method]) if same is None else same.append(method)
    far = np.array([[between.get(frozenset((a[0], b[0])), 0.0) for b in clusters] for a in clusters])
    # Ground truth in the middle, the others on a ring by how far they are from each other along it.
    centre = next(i for i, cluster in enumerate(clusters) if "ground truth" in cluster)
    ring = _tour(far, centre)
    place = {centre: np.zeros(2)}
    for at, i in enumerate(ring):
        angle = 2 * np.pi * at / len(ring) + np.pi / 2
        place[i] = np.array([np.cos(angle), np.sin(angle)])
    for i in range(len(clusters)):
        for j in range(i):
            p, q = place[i], place[j]
            near = 1 - far[i, j] / far.max()
            strong = centre in (i, j)
            if not strong and near < 0.5:
                continue  # all pairs at once could not be read
            ax.plot(
                *np.transpose([p, q]), color=BLUE if strong else GREY, lw=0.6 + 3 * near, alpha=0.8, zorder=1
            )
            spot = p + (q - p) * 0.5
            box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
            ax.text(*spot, f"{far[i, j]:.0f}", ha="center", va="center", fontsize=8, bbox=box, zorder=2)
    for i, cluster in enumerate(clusters):
        text = "\n".join(_short(method) for method in cluster)
        style = "dotted" if len(cluster) > 1 else "solid"
        box = {"boxstyle": "round,pad=0.35", "facecolor": "#F4F4F4", "edgecolor": BLACK, "linestyle": style}
        ax.text(*place[i], text, ha="center", va="center", fontsize=9, bbox=box, zorder=3)
    ax.set(xlim=(-1.3, 1.3), ylim=(-1.25, 1.25), aspect="equal")
    ax.axis("off")


def _tour(far: NDArray[np.float64], centre: int) -> list[int]:
    """Return all but the centre, each beside one that is near to it."""
    left = [i for i in range(len(far)) if i != centre]
    ring = [left.pop(0)] if left else []
    while left:
        ring.append(left.pop(int(np.argmin([far[ring[-1], i] for i in left]))))
    return ring


def _short(method: str) -> str:
    for long, short in SHORT.items():
        method = method.replace(long, short)
    return method


def _accuracies(rows: Sequence[Row]) -> list[Row]:
    """Return the accuracies of models that started from our seed, or belong to a random subset."""
    return [row for row in rows if row.metric == "accuracy" and (row.method == "random" or not row.seed)]


def _mean(rows: Sequence[Row], **parts: str) -> tuple[float, float]:
    values = [row.value for row in rows if all(getattr(row, name) == part for name, part in parts.items())]
    return (float(np.mean(values)), float(np.std(values))) if values else (np.nan, np.nan)


def _bars(
    ax: Any, x: Any, at: int, of: int, mean: Any, deviation: Any, colour: str, label: str | None
) -> None:
    width = 0.82 / of
    error = {"elinewidth": 0.9, "ecolor": "#333333", "capsize": 0}
    ax.bar(
        x + (at - (of - 1) / 2) * width,
        mean,
        width,
        yerr=deviation,
        color=colour,
        label=label,
        error_kw=error,
    )


def _plain(figure: Figure) -> Figure:
    for ax in figure.axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=9)
    return figure
