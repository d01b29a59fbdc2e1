"""How much faster does a GPU count? Redundancy on a device of PyTorch against all cores of the same machine.

`python benchmarks/gpu.py mnist.npz` takes arrays X and y from the file, and then counts made-up features of twenty
codes each, which pixels have not. Says of each table how far both results are apart, 0 being the same to the last bit.
Where Numba is not installed the device alone is timed, and some pairs are compared with NumPy's. Prints a table, and
writes it to results/gpu.csv and into README.md beside this file. `--batches` counts tables in
batches alone. `--device cpu --quick` tries the program anywhere.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np
import page
import torch

from quboselect.counting import gpu
from quboselect.counting.bins import Codes, feature_codes, label_codes

try:
    from quboselect import criteria, importance, redundancy
    from quboselect.counting import entropies as counts
    from quboselect.streaming import JointCounts, Tally
except ImportError as reason:
    print(f"the processor is not timed: {reason}", flush=True)
    counts = None

RESULTS = Path(__file__).parent / "results" / "gpu.csv"
PAIRS = 300


def timed(function, device, repeats=3):
    """Return the first and the shortest time of several calls, in seconds, and the last result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        if device.startswith("cuda"):
            torch.cuda.synchronize(device)
        times.append(time.perf_counter() - start)
    return times[0], min(times), result


def made_up(n_features, n_samples, size=20):
    """Return features of uniform codes, half of their samples the same, so that there is something to find."""
    values = np.random.default_rng(0).integers(0, size, (n_features, n_samples), dtype=np.uint8)
    values[1:, : n_samples // 2] = values[0, : n_samples // 2]
    return Codes(values, np.full(n_features, size))


def entropy_terms(n_samples):
    share = np.arange(1, n_samples) / n_samples
    return np.concatenate([[0.0], -share * np.log2(share), [0.0]])


def entropy(codes, i, j):
    """Return the joint entropy of a pair as NumPy counts it, added up in the order of the kernels."""
    cells = np.bincount(
        codes.values[i].astype(np.int64) * codes.sizes[j] + codes.values[j],
        minlength=codes.sizes[i] * codes.sizes[j],
    )
    terms = entropy_terms(codes.n_samples)[cells.reshape(codes.sizes[i], codes.sizes[j])]
    return terms.cumsum(axis=0)[-1].cumsum()[-1]


def compared(name, codes, label, device):
    """Return the row of one table: seconds on both sides, and how far the results are apart."""
    live = np.flatnonzero(codes.sizes > 1)
    pairs = live.size * (live.size - 1) // 2
    row = {"table": name, "features": codes.n_features, "samples": codes.n_samples}
    terms = entropy_terms(codes.n_samples)
    first, alone, joint = timed(lambda: gpu.entropies_by_products(codes, live, terms, 0.0, device), device)
    row |= {"first call, s": first, "pairs, s": alone}
    row["ps per pair and sample"] = alone / pairs / codes.n_samples * 1e12
    rng = np.random.default_rng(1)
    sample = np.sort(rng.permuted(np.tile(np.arange(live.size), (PAIRS, 1)), axis=1)[:, :2], axis=1)
    apart = max(abs(joint[i, j] - entropy(codes, live[i], live[j])) for i, j in sample)
    if counts is not None:

        def both(**options):
            relevant = importance.MutualInformation()(codes, label)
            return relevant, redundancy.MutualInformation(**options)(codes)

        both()
        _, row["I and R, device, s"], found = timed(lambda: both(device=device), device)
        _, row["I and R, all cores, s"], expected = timed(both, device)
        row["times faster"] = row["I and R, all cores, s"] / row["I and R, device, s"]
        apart = max(apart, *(np.abs(a - b).max() for a, b in zip(found, expected, strict=True)))
    row["largest difference"] = float(apart)
    return row


def wide(n_features, n_samples, size, device):
    """Return the row of a wide table: what `SelectQUBO` asks of the default criterion above 2 000 features."""
    codes = made_up(n_features, n_samples, size)
    label = Codes(np.random.default_rng(1).integers(0, 2, (1, n_samples), dtype=np.uint8), np.array([2]))
    row = {"features": n_features, "samples": n_samples, "codes": size}

    def rows(where):
        measure = criteria.Pairs(bins=size, device=where).redundancy
        return measure.rows(codes, label).matrix()

    row["first call, s"], row["device, s"], found = timed(lambda: rows(device), device, 2)
    _, row["all cores, s"], expected = timed(lambda: rows(None), device, 2)
    row["times faster"] = row["all cores, s"] / row["device, s"]
    row["largest difference"] = float(np.abs(found - expected).max())
    return row


def batches(n_features, n_samples, n_batches, size, device):
    """Return the row of a table in batches: counts of all pairs, class by class, as the default criterion needs."""
    rng = np.random.default_rng(0)
    tables = [rng.integers(0, size, (n_samples, n_features), dtype=np.uint8) for _ in range(n_batches)]
    parts = [(X, rng.integers(0, 2, n_samples)) for X in tables]
    coding = sum(Tally.of(*part) for part in parts).coding(size, by_class=True)
    row = {"features": n_features, "samples": n_samples, "batches": n_batches, "codes": size}

    def counted(where):
        return JointCounts.over(coding, parts, device=where).tables

    counted(None)
    row["first call, s"], row["device, s"], found = timed(lambda: counted(device), device, 2)
    _, row["all cores, s"], expected = timed(lambda: counted(None), device, 2)
    assert np.array_equal(found, expected), "the device counted otherwise"
    row["times faster"] = row["all cores, s"] / row["device, s"]
    return row


def table_text(rows):
    """Return rows as a table of Markdown."""
    names = list(rows[0])
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    for row in rows:
        cells = [f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in row.values()]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def tables(path, quick):
    """Yield (name, codes, label) of the tables."""
    with np.load(path) as file:
        X, y = file["X"], file["y"]
    if quick:
        X, y = X[:2000], y[:2000]
    yield Path(path).stem, feature_codes(X, bins=20, edges="quantile"), label_codes(y)
    for n_features, n_samples in ((60, 1000), (80, 500)) if quick else ((784, 70_000), (5000, 10_000)):
        codes = made_up(n_features, n_samples)
        yield "made up, 20 codes", codes, Codes(codes.values[:1], codes.sizes[:1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", nargs="?", help="a file with the arrays X and y, as mnist.npz")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--quick", action="store_true", help="small tables, and nothing is written")
    parser.add_argument(
        "--batches", action="store_true", help="tables in batches alone, and nothing is written"
    )
    options = parser.parse_args()
    on_gpu = options.device.startswith("cuda")
    if options.quick:
        shapes = ((60, 500, 3, 5), (60, 500, 3, 20))
    else:
        shapes = ((200, 300_000, 3, 8), (1000, 60_000, 3, 8), (2000, 30_000, 3, 8), (1000, 60_000, 3, 20))
    if options.batches:
        print("\n".join(table_text([batches(*shape, options.device) for shape in shapes])))
        return
    if options.data is None:
        parser.error("data is needed: a file with the arrays X and y, as mnist.npz; --batches needs none.")
    where = torch.cuda.get_device_name(options.device) if on_gpu else options.device
    rows = []
    for table in tables(options.data, options.quick):
        rows.append(compared(*table, options.device))
        print(rows[-1], flush=True)
    memory = torch.cuda.max_memory_allocated(options.device) / 2**30 if on_gpu else float("nan")

    sizes = ((60, 500, 5), (60, 500, 10)) if options.quick else ((5000, 10_000, 10), (12_000, 1000, 5))
    many = [wide(*size, options.device) for size in sizes] if counts is not None else []
    parts = [batches(*shape, options.device) for shape in shapes] if counts is not None else []
    text = "\n".join(
        [
            *table_text(rows),
            "",
            "All pairs of the default criterion, class by class, two classes, as above 2 000 features:",
            "",
            *(table_text(many) if many else []),
            "",
            "Batches, whose pairs are counted class by class, two classes, and added up; both give the same counts:",
            "",
            *(table_text(parts) if parts else []),
            "",
            f"Measured by `benchmarks/gpu.py`: {where}, torch {torch.__version__}, at most {memory:.2g} GiB on the "
            f"device; {page.machine()}.",
        ]
    )
    print(text, flush=True)
    if options.quick:
        return
    page.put("gpu", text)
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
