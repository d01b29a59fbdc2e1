"""The figure of the solver benchmark, from the times and gaps that `report` computes."""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.ticker import NullFormatter

from report import CLOSED, STYLE, Reach

GREY = "#999999"


def marker(solver: str) -> dict[str, Any]:
    colour, shape = STYLE.get(solver, (GREY, "."))
    ours = solver in ("Tabu", "Portfolio")
    return {
        "color": colour,
        "marker": shape,
        "linestyle": "none",
        "markersize": 6 if ours else 4.5,
        "markerfacecolor": colour if ours else "none",
        "zorder": 3 if ours else 2,
    }


def names(axes: Any, instances: list[str]) -> None:
    """Write the instances below, and light lines to find them by."""
    axes.set_xticks(range(len(instances)), instances, rotation=90, fontsize=7)
    axes.set_xlim(-0.7, len(instances) - 0.3)
    axes.grid(True, color="#E6E6E6", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def race(axes: Any, missed: Any, table: dict[str, dict[str, Reach]]) -> None:
    """Draw time to target; a mark in the strip above says that a solver missed."""
    instances = list(table)
    solvers = list(dict.fromkeys(solver for line in table.values() for solver in line))
    for lane, solver in enumerate(solvers):
        found = [(i, table[name].get(solver)) for i, name in enumerate(instances)]
        hits = [(i, reach.seconds) for i, reach in found if reach and reach.hits]
        misses = [i for i, reach in found if reach and not reach.hits]
        axes.plot([i for i, _ in hits], [t for _, t in hits], label=solver, **marker(solver))
        missed.plot(misses, [-lane] * len(misses), **{**marker(solver), "markersize": 3.5})
    axes.set_yscale("log")
    axes.set_ylabel("seconds to target, 99 %")
    names(axes, instances)
    axes.legend(ncols=4, fontsize=7, frameon=False, loc="lower left", bbox_to_anchor=(0.0, 1.0))
    missed.set_yticks([-lane for lane in range(len(solvers))], solvers, fontsize=6)
    missed.set_ylim(-len(solvers) + 0.3, 0.7)
    missed.set_title("target missed", fontsize=8, loc="left")
    missed.tick_params(length=0, labelbottom=False)
    missed.spines[:].set_visible(False)
    missed.grid(True, color="#E6E6E6", linewidth=0.5)


def proof(times: Any, gaps: Any, table: dict[str, dict[str, dict]]) -> None:
    """Draw time to proof on the left, and the gap of those that did not close on the right."""
    instances = list(table)
    for solver in dict.fromkeys(solver for line in table.values() for solver in line):
        rows = [(i, table[name][solver]) for i, name in enumerate(instances) if solver in table[name]]
        closed = [(i, row["seconds"]) for i, row in rows if row["gap"] <= CLOSED]
        left = [(i, 100 * min(row["gap"], 100.0)) for i, row in rows if row["gap"] > CLOSED]
        for axes, points in ((times, closed), (gaps, left)):
            axes.plot([i for i, _ in points], [v for _, v in points], label=solver, **marker(solver))
    for axes, label in ((times, "seconds to proof"), (gaps, "gap left, % (at most 10 000)")):
        axes.set_yscale("log")
        axes.set_ylabel(label)
        axes.yaxis.set_minor_formatter(NullFormatter())
        names(axes, instances)
    times.legend(ncols=3, fontsize=7, frameon=False, loc="lower left", bbox_to_anchor=(0.0, 1.0))


def figure(reached: dict[str, dict[str, Reach]], proven: dict[str, dict[str, dict]], path: Path) -> None:
    """Write the figure to a file."""
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "quboselect", "font.size": 9})
    drawn = plt.figure(figsize=(max(8.0, 0.2 * len(reached)), 9.5), layout="constrained")
    grid = drawn.add_gridspec(3, 2, height_ratios=[0.28, 1, 0.8])
    axes = drawn.add_subplot(grid[1, :])
    race(axes, drawn.add_subplot(grid[0, :], sharex=axes), reached)
    if proven:
        proof(drawn.add_subplot(grid[2, 0]), drawn.add_subplot(grid[2, 1]), proven)
    drawn.savefig(path, metadata={"Date": None})
    plt.close(drawn)
