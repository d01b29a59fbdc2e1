"""How fast is counting, beside what people use instead and beside what the machine allows? On MNIST, in one run.

Importance and redundancy of the binned pixels, all cores, against the authors' seleqt, scikit-learn's
`mutual_info_score`, NumPy's `bincount` and a plain histogram in Numba. Slow ones do a sample of the pairs and are
extrapolated to the pairs of pixels that are not constant. Then whole selections of thirty pixels, and what instructions
and memory would allow. Prints tables, writes results/counting.csv, and puts them into README.md beside this file.
`--quick` takes fewer rows, and writes nothing.
"""

import argparse
import csv
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import page
import roofline
from numba import njit
from paper_data import IMPORTANCE, REDUNDANCY, mnist
from sklearn.feature_selection import SelectKBest, mutual_info_classif
from sklearn.metrics import mutual_info_score

from quboselect import SelectQUBO, Tradeoff
from quboselect.counting.bins import Codes

RESULTS = Path(__file__).parent / "results" / "counting.csv"
K = 30


class Rival(NamedTuple):
    """A way to the mutual information of pairs, in bits, the pairs it is timed on, and the threads it runs in."""

    name: str
    pairs: int
    threads: str
    information: Callable[[Codes, np.ndarray], np.ndarray]


def bits(counts: np.ndarray) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log2(share)).sum())


def by_bincount(codes: Codes, pairs: np.ndarray) -> np.ndarray:
    found = np.empty(len(pairs))
    for k, (i, j) in enumerate(pairs):
        cells = codes.values[i].astype(np.int64) * codes.sizes[j] + codes.values[j]
        table = np.bincount(cells, minlength=codes.sizes[i] * codes.sizes[j]).reshape(codes.sizes[i], -1)
        found[k] = bits(table.sum(axis=0)) + bits(table.sum(axis=1)) - bits(table.ravel())
    return found


def by_scikit_learn(codes: Codes, pairs: np.ndarray) -> np.ndarray:
    nats = [mutual_info_score(codes.values[i], codes.values[j]) for i, j in pairs]
    return np.array(nats) / np.log(2)


def by_seleqt(codes: Codes, pairs: np.ndarray) -> np.ndarray:
    """Return what `seleqt.redundancy` makes of one pair; the entropies of single features, which it keeps, untimed."""
    from seleqt.stats import joint_entropy

    return np.array([joint_entropy(codes.values[i], codes.values[j]) for i, j in pairs])


def entropies_by_seleqt(codes: Codes, pairs: np.ndarray) -> np.ndarray:
    from seleqt.stats import entropy

    return np.array([entropy(codes.values[i]) + entropy(codes.values[j]) for i, j in pairs])


@njit(nogil=True)
def histogram_entropy(x, y, columns, table, terms):
    table[:] = 0
    for sample in range(x.size):
        table[np.int64(x[sample]) * columns + y[sample]] += 1
    total = 0.0
    for count in table:
        total += terms[count]
    return total


def by_histogram(codes: Codes, pairs: np.ndarray) -> np.ndarray:
    share = np.arange(1, codes.n_samples) / codes.n_samples
    terms = np.concatenate([[0.0], -share * np.log2(share), [0.0]])
    one = np.zeros(codes.n_samples, np.uint8)

    def entropy(x: np.ndarray, y: np.ndarray, rows: int, columns: int) -> float:
        return histogram_entropy(x, y, columns, np.empty(rows * columns, np.int64), terms)

    alone = [entropy(one, x, 1, size) for x, size in zip(codes.values, codes.sizes, strict=True)]

    def information(pair: np.ndarray) -> float:
        i, j = pair
        return alone[i] + alone[j] - entropy(codes.values[i], codes.values[j], codes.sizes[i], codes.sizes[j])

    with ThreadPoolExecutor(roofline.CORES) as pool:
        return np.array(list(pool.map(information, pairs)))


RIVALS = (
    Rival("seleqt", 10, "1", by_seleqt),
    Rival("scikit-learn, mutual_info_score", 100, "1", by_scikit_learn),
    Rival("NumPy, bincount", 400, "1", by_bincount),
    Rival("Numba, a histogram of each pair", 4000, "all", by_histogram),
)


def best(function: Callable[[], Any], repeats: int = 5) -> float:
    """Return the shortest of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def counted(codes: Codes, y: np.ndarray, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield our row, and that of every rival: seconds, extrapolated, and how far its numbers are from ours."""
    R = REDUNDANCY(codes)
    ours = best(lambda: (IMPORTANCE(codes, y), REDUNDANCY(codes)))
    live = np.flatnonzero(codes.sizes > 1)
    total = live.size * (live.size - 1) // 2
    yield {"what": "quboselect, I and R", "threads": "all", "pairs": total, "seconds": ours}
    rng = np.random.default_rng(0)
    for rival in RIVALS:
        pairs = rng.choice(live, (max(3, rival.pairs // 20) if quick else rival.pairs, 2))
        pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
        rival.information(codes, pairs[:1])
        seconds = best(lambda run=rival.information, some=pairs: run(codes, some), 3)
        found = rival.information(codes, pairs)
        if rival.information is by_seleqt:
            found = entropies_by_seleqt(codes, pairs) - found
        whole = seconds / len(pairs) * total
        yield {
            "what": f"{rival.name}, R",
            "threads": rival.threads,
            "pairs": len(pairs),
            "seconds": whole,
            "times ours": whole / ours,
            "largest difference": float(np.abs(found - R[pairs[:, 0], pairs[:, 1]]).max()),
        }


def binned(X: np.ndarray) -> dict[str, Any]:
    """Return the row of binning: seconds, and in how many features a code is not what `np.quantile`'s edges make it."""
    codes = REDUNDANCY.codes(X)
    levels = np.arange(1, 20) / 20
    wrong = 0
    for i, x in enumerate(X.T.astype(np.float64)):
        expected = np.searchsorted(np.quantile(x, levels), x, side="right")
        wrong += not np.array_equal(np.unique(expected, return_inverse=True)[1], codes.values[i])
    seconds = best(lambda: REDUNDANCY.codes(X), 3)
    return {
        "what": f"binning {X.shape[1]} features",
        "seconds": seconds,
        "note": f"{wrong} unlike np.quantile's",
    }


def selections(X: np.ndarray, y: np.ndarray) -> Iterator[dict[str, Any]]:
    """Yield the row of every whole selection: seconds, and what is selected, measured in our bits."""
    import pandas as pd
    from mrmr import mrmr_classif

    numbers = partial(mutual_info_classif, random_state=0, n_jobs=-1)
    classes = partial(mutual_info_classif, discrete_features=True, n_jobs=-1)
    frame, label = pd.DataFrame(X), pd.Series(y)
    runs: dict[str, Callable[[int], Any]] = {
        f"SelectQUBO.paper(k={K})": lambda rows: SelectQUBO.paper(k=K).fit(X[:rows], y[:rows]),
        f"mrmr_classif(K={K})": lambda rows: mrmr_classif(
            frame[:rows], label[:rows], K=K, show_progress=False
        ),
        "SelectKBest, mutual_info_classif of discrete features": lambda rows: SelectKBest(classes, k=K).fit(
            X[:rows], y[:rows]
        ),
        "SelectKBest, mutual_info_classif": lambda rows: SelectKBest(numbers, k=K).fit(X[:rows], y[:rows]),
    }

    first: dict[str, Any] = {}
    for name, run in runs.items():
        run(300)  # compiles, and starts what others start
        start = time.perf_counter()
        found = run(len(X))
        seconds = time.perf_counter() - start
        if not first:
            tradeoff = Tradeoff(found.importance_, found.redundancy_)
        support = np.zeros(X.shape[1], bool)
        support[found if isinstance(found, list) else found.get_support()] = True
        informs, repeats = tradeoff.line(support)
        row = {
            "what": name,
            "seconds": seconds,
            "note": f"importance {informs:.3f} bits, redundancy {repeats:.2f} bits",
        }
        first = first or row
        yield row | {"times ours": seconds / first["seconds"]}


def shown(cell: Any) -> str:
    """Return a cell as text; only small numbers need an exponent."""
    if isinstance(cell, str):
        return cell
    return f"{cell:.0f}" if isinstance(cell, int) or cell >= 1000 else f"{cell:.3g}"


def table(rows: list[dict[str, Any]], names: list[str]) -> list[str]:
    """Return the lines of a table."""
    cells = [[shown(row.get(name, "")) for name in names] for row in rows]
    return [f"| {' | '.join(line)} |" for line in (names, ["---"] * len(names), *cells)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows, and nothing is written")
    quick = parser.parse_args().quick
    X, y = mnist().X, mnist().y
    if quick:
        X, y = X[:3000], y[:3000]
    codes = REDUNDANCY.codes(X)

    parts: list[list[dict[str, Any]]] = []
    for rows in (counted(codes, y, quick), [binned(X)], roofline.rows(codes), selections(X, y)):
        parts.append([])
        for row in rows:
            print(row, flush=True)
            parts[-1].append(row)
    counting, binning, limits, whole = parts
    versions = ", ".join(
        f"{name} {version(name)}" for name in ("seleqt", "scikit-learn", "numpy", "mrmr-selection")
    )
    lines = [
        *table(counting, ["what", "threads", "pairs", "seconds", "times ours", "largest difference"]),
        "",
        *table([*binning, *limits], ["what", "seconds", "note"]),
        "",
        *table(whole, ["what", "seconds", "times ours", "note"]),
        "",
        f"Measured by `benchmarks/counting.py`: {versions}, {page.machine()}.",
    ]
    print("\n".join(lines))
    if quick:
        return
    page.put("counting", "\n".join(lines))
    with RESULTS.open("w", newline="") as file:
        rows = [row for part in parts for row in part]
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
