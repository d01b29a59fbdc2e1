"""How do time and memory grow with samples and with features? Ours and others', in one run.

Made-up tables of numbers that share three factors, in twenty bins. Importance and redundancy of all pairs: ours from
the bins on, and with binning; the authors' seleqt, `mutual_info_score` and `bincount` by a few pairs, extrapolated.
`mutual_info_classif` (importance only) by two features, extrapolated; `mrmr_classif` whole, ten features. Each is a new
process, whose peak of memory is given above what it held when the table was there. Exponents are fitted to the larger
half of the sizes. Prints a table, writes results/scaling.csv and results/scaling.svg, and puts the table into README.md
beside this file. `--quick` takes tiny tables, and writes nothing but into the folder `--to`.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
SAMPLES, FEATURES = 10_000, 200  # of the table whose other side grows
OVER_SAMPLES = (10_000, 31_623, 100_000, 316_228, 1_000_000)
OVER_FEATURES = (50, 100, 200, 400, 800, 1600)
LIMIT = 40.0  # a tool that took so many seconds, its process and all, is not given a larger table

Table = tuple[np.ndarray, np.ndarray]


def made_up(n_samples: int, n_features: int) -> Table:
    """Return numbers that share three factors with each other and with two classes; made piece by piece."""
    rng = np.random.default_rng(0)
    mix = rng.normal(size=(3, n_features)).astype(np.float32)
    X = np.empty((n_samples, n_features), np.float32)
    y = np.empty(n_samples, np.int64)
    for first in range(0, n_samples, 4096):
        piece = X[first : first + 4096]
        factors = rng.standard_normal((len(piece), 3), dtype=np.float32)
        rng.standard_normal(out=piece, dtype=np.float32)
        piece += factors @ mix
        y[first : first + 4096] = factors[:, 0] > 0
    return X, y


def best(function: Callable[[], Any], repeats: int = 3) -> float:
    """Return the shortest of several runs, fewer where they are long, in seconds."""
    times: list[float] = []
    while len(times) < repeats and sum(times) < 10:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def few_codes(X: np.ndarray, features: int) -> np.ndarray:
    """Return the first features in bins, one row each, as any of the others would be given them."""
    from quboselect.counting.bins import feature_codes

    return feature_codes(X[:, :features], bins=20, edges="quantile").values


def by_pairs(X: np.ndarray, pairs: int, of_pair: Callable[[np.ndarray, np.ndarray], Any]) -> float:
    pairs = min(pairs, X.shape[1] - 1)
    values = few_codes(X, pairs + 1)
    of_pair(values[0], values[1])
    seconds = best(lambda: [of_pair(values[i], values[i + 1]) for i in range(pairs)]) / pairs
    return seconds * X.shape[1] * (X.shape[1] - 1) / 2


def counting(X: np.ndarray, y: np.ndarray) -> float:
    from paper_data import IMPORTANCE, REDUNDANCY

    codes = REDUNDANCY.codes(X)
    return best(lambda: (IMPORTANCE(codes, y), REDUNDANCY(codes)))


def binning(X: np.ndarray, y: np.ndarray) -> float:
    from paper_data import IMPORTANCE, REDUNDANCY

    def run() -> None:
        codes = REDUNDANCY.codes(X)
        IMPORTANCE(codes, y)
        REDUNDANCY(codes)

    return best(run)


def seleqt(X: np.ndarray, _: np.ndarray) -> float:
    from seleqt.stats import joint_entropy

    return by_pairs(X, 2, joint_entropy)


def scikit_learn(X: np.ndarray, _: np.ndarray) -> float:
    from sklearn.metrics import mutual_info_score

    return by_pairs(X, 3, mutual_info_score)


def bincount(X: np.ndarray, _: np.ndarray) -> float:
    def of_pair(a: np.ndarray, b: np.ndarray) -> float:
        share = np.bincount(a.astype(np.int64) * 20 + b) / a.size
        share = share[share > 0]
        return -(share * np.log2(share)).sum()

    return by_pairs(X, 20, of_pair)


def classif(X: np.ndarray, y: np.ndarray) -> float:
    from sklearn.feature_selection import mutual_info_classif

    return best(lambda: mutual_info_classif(X[:, :2], y, random_state=0), 1) / 2 * X.shape[1]


def mrmr(X: np.ndarray, y: np.ndarray) -> float:
    import pandas as pd
    from mrmr import mrmr_classif

    frame, label = pd.DataFrame(X), pd.Series(y)
    return best(lambda: mrmr_classif(frame, label, K=10, show_progress=False), 1)


# What it is called, what it does, and how it is drawn: Okabe and Ito's colours, and a marker of its own.
TOOLS: dict[str, tuple[Callable[[np.ndarray, np.ndarray], float], str, str]] = {
    "quboselect, from bins": (counting, "#000000", "o"),
    "quboselect, with binning": (binning, "#0072B2", "s"),
    "bincount": (bincount, "#009E73", "D"),
    "mutual_info_score": (scikit_learn, "#D55E00", "^"),
    "seleqt": (seleqt, "#CC79A7", "x"),
    "mutual_info_classif, I only": (classif, "#E69F00", "v"),
    "mrmr_classif, 10 features": (mrmr, "#56B4E9", "P"),
}


def resident() -> float:
    """Return the bytes this process holds now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def child(tool: str, n_samples: int, n_features: int) -> dict[str, float]:
    """Return seconds and bytes of one tool on one table; runs in a process of its own."""
    function = TOOLS[tool][0]
    function(*made_up(200, 4 if n_features < 30 else 30))  # compiles, and loads what loads late
    X, y = made_up(n_samples, n_features)
    held = resident()
    seconds = function(X, y)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"seconds": seconds, "memory": max(peak - held, 0.0), "table": float(X.nbytes)}


def measured(tool: str, n_samples: int, n_features: int) -> dict[str, Any] | None:
    """Return the row of one tool on one table, or None where it cannot run."""
    command = [sys.executable, __file__, "--child", tool, str(n_samples), str(n_features)]
    start = time.perf_counter()
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        print(f"left out: {tool}: {run.stderr.strip().splitlines()[-1]}", flush=True)
        return None
    row = {
        "tool": tool,
        "samples": n_samples,
        "features": n_features,
        **json.loads(run.stdout.splitlines()[-1]),
    }
    print(row, flush=True)
    return row | {"wall": time.perf_counter() - start}


def exponent(sizes: list[int], numbers: list[float]) -> float:
    """Return the slope of a line through the logarithms of the larger half, at least three."""
    half = max(3, (len(sizes) + 1) // 2)
    if len(sizes) < 3 or min(numbers[-half:]) <= 0:
        return float("nan")
    return float(np.polyfit(np.log(sizes[-half:]), np.log(numbers[-half:]), 1)[0])


def series(rows: list[dict[str, Any]], tool: str, axis: str, other: int) -> list[dict[str, Any]]:
    """Return the rows of one tool along one axis, the other side of the table being fixed."""
    fixed = "features" if axis == "samples" else "samples"
    return sorted((r for r in rows if r["tool"] == tool and r[fixed] == other), key=lambda r: r[axis])


def lines(rows: list[dict[str, Any]], base: tuple[int, int]) -> list[str]:
    """Return the lines of the table: the largest size of each, and the exponents."""
    found = [
        "| | exponent over samples | exponent over features | most samples | seconds | peak, MB | most features "
        "| seconds | peak, MB |",
        "|---" * 9 + "|",
    ]
    for tool in TOOLS:
        cells = [tool]
        tails: list[str] = []
        for axis, other in (("samples", base[1]), ("features", base[0])):
            line = series(rows, tool, axis, other)
            power = exponent([r[axis] for r in line], [r["seconds"] for r in line])
            cells.append("" if np.isnan(power) else f"{power:.2f}")
            last = line[-1] if line else None
            tails += (
                [f"{last[axis]}", f"{last['seconds']:.3g}", f"{last['memory'] / 1e6:.0f}"]
                if last
                else [""] * 3
            )
        found.append(f"| {' | '.join([*cells, *tails])} |")
    return found


def figure(rows: list[dict[str, Any]], base: tuple[int, int], path: Path) -> None:
    """Draw time and memory, over samples and over features, with the exponents in the legends."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "quboselect", "font.size": 9})
    drawn, grid = plt.subplots(
        2, 2, figsize=(9.5, 8.5), height_ratios=[1.5, 1], sharex="col", layout="constrained"
    )
    for column, (axis, other) in enumerate((("samples", base[1]), ("features", base[0]))):
        fixed = "features" if axis == "samples" else "samples"
        for place, (what, unit, scale) in enumerate(
            (("seconds", "seconds", 1.0), ("memory", "peak above the table, MB", 1e6))
        ):
            axes = grid[place, column]
            for tool, (_, colour, shape) in TOOLS.items():
                line = series(rows, tool, axis, other)
                sizes, numbers = [r[axis] for r in line], [r[what] / scale for r in line]
                ours = tool.startswith("quboselect")
                power = exponent(sizes, numbers)
                label = tool if np.isnan(power) else f"{tool}: {power:.2f}"
                axes.plot(
                    sizes,
                    numbers,
                    color=colour,
                    marker=shape,
                    label=label,
                    linewidth=1.8 if ours else 1.0,
                    markersize=5,
                    markerfacecolor=colour if ours else "none",
                    zorder=3 if ours else 2,
                )
            axes.set(xscale="log", yscale="log", ylabel=unit)
            axes.grid(True, color="#E6E6E6", linewidth=0.5)
            axes.set_axisbelow(True)
            axes.spines[["top", "right"]].set_visible(False)
        grid[0, column].set_title(f"{other:,} {fixed}; exponents of the larger half", fontsize=9, loc="left")
        grid[0, column].legend(
            fontsize=7, frameon=False, loc="lower left", bbox_to_anchor=(0.0, 1.06), ncols=2
        )
        grid[1, column].set_xlabel(axis)
    drawn.savefig(path, metadata={"Date": None})
    plt.close(drawn)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--quick", action="store_true", help="tiny tables, and nothing is written into README.md"
    )
    parser.add_argument(
        "--to", type=Path, help="the folder of the files; results beside this file without --quick"
    )
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        tool, n_samples, n_features = options.child
        print(json.dumps(child(tool, int(n_samples), int(n_features))))
        return
    base = (500, 20) if options.quick else (SAMPLES, FEATURES)
    over_samples = (500, 1000, 2000) if options.quick else OVER_SAMPLES
    over_features = (10, 20, 40) if options.quick else OVER_FEATURES
    rows: list[dict[str, Any]] = []
    for tool in TOOLS:
        for sizes in ([(s, base[1]) for s in over_samples], [(base[0], f) for f in over_features]):
            for size in sizes:
                if any(r["tool"] == tool and (r["samples"], r["features"]) == size for r in rows):
                    continue
                row = measured(tool, *size)
                rows += [row] if row else []
                if row is None or row["wall"] > LIMIT:
                    break

    folder = options.to or (None if options.quick else HERE / "results")
    text = "\n".join(lines(rows, base))
    print(text)
    if folder is None:
        return
    figure(rows, base, folder / "scaling.svg")
    with (folder / "scaling.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [name for name in rows[0] if name != "wall"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    if not options.quick:
        import page

        page.put(
            "scaling",
            f"![Time and peak memory over samples and over features](results/scaling.svg)\n\n{text}\n\n"
            f"Measured by `benchmarks/scaling.py`: {page.machine()}.",
        )


if __name__ == "__main__":
    main()
