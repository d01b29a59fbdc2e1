"""The figure of the downstream benchmark: mean ranks of the methods, and how far apart they must be to differ."""

from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

OURS, OTHER, BAND = "#D55E00", "#555555", "#EFEFEF"


def figure(panels: dict[str, tuple[dict[str, float], float]], ours: set[str], path: Path) -> None:
    """Draw a panel per title: the mean rank of each method, and the critical difference.

    Bars are half the critical difference to either side: two methods whose bars do not overlap differ at 5 %.
    The band is what does not differ from the best.
    """
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "quboselect", "font.size": 9})
    most = max(len(means) for means, _ in panels.values())
    drawn, row = plt.subplots(
        1, len(panels), figsize=(4.4 * len(panels), 1.2 + 0.24 * most), layout="constrained"
    )
    for axes, (title, (means, difference)) in zip(np.atleast_1d(row), panels.items(), strict=True):
        names = sorted(means, key=means.__getitem__)
        best = means[names[0]]
        axes.axvspan(best, best + difference, color=BAND, zorder=0)
        for place, name in enumerate(names):
            style = {"color": OURS if name in ours else OTHER, "markersize": 5, "linewidth": 1, "capsize": 0}
            axes.errorbar(means[name], place, xerr=difference / 2, fmt="o", **style)
        axes.set_yticks(range(len(names)), names, fontsize=8)
        for label, name in zip(axes.get_yticklabels(), names, strict=True):
            label.set_color(OURS if name in ours else "black")
        axes.invert_yaxis()
        axes.set_title(title, loc="left", fontsize=9)
        axes.set_xlabel("mean rank over tables, 1 is best")
        axes.spines[["top", "right"]].set_visible(False)
    drawn.savefig(path, metadata={"Date": None})
    plt.close(drawn)
