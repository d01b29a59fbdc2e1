"""How much mutual information do strangers seem to share? Independent pairs, counted plainly and corrected.

Uniform features, a feature against a feature and against two classes, over N samples in B bins. Nothing is shared, so
every bit is bias. Beside it the first-order formula ``(Bx - 1)(By - 1) / (2 N ln 2)``. Prints a table and writes it
to ``results/bias.csv`` and into README.md.
"""

import csv
from math import log
from pathlib import Path

import numpy as np
from page import machine, put

from quboselect import importance, redundancy

RESULT = Path(__file__).parent / "results" / "bias.csv"
SAMPLES = (100, 351, 1000, 10_000, 70_000)
BINS = (5, 10, 20)
FEATURES = 60  # 1770 pairs


def rows():
    rng = np.random.default_rng(0)
    for n_samples in SAMPLES:
        X = rng.random((n_samples, FEATURES))
        y = rng.permutation(np.arange(n_samples) % 2)
        for bins in BINS:
            for pair, other in (("feature-feature", bins), ("feature-label", 2)):
                seen = []
                for estimate in ("plug-in", "miller-madow"):
                    if pair == "feature-feature":
                        R = redundancy.MutualInformation(bins, "quantile", estimate)(X)
                        seen.append(R[np.triu_indices(FEATURES, 1)].mean())
                    else:
                        seen.append(importance.MutualInformation(bins, "quantile", estimate)(X, y).mean())
                yield {
                    "samples": n_samples,
                    "bins": bins,
                    "pair": pair,
                    "samples_per_cell": n_samples / (bins * other),
                    "plain_bits": seen[0],
                    "corrected_bits": seen[1],
                    "formula_bits": (bins - 1) * (other - 1) / (2 * n_samples * log(2)),
                }


def page(found):
    """Return the table of README.md: bits plain, corrected and by the formula."""
    kinds = [(bins, pair) for pair in ("feature-feature", "feature-label") for bins in BINS]
    lines = [
        "| samples | " + " | ".join(f"{pair}, B = {bins}" for bins, pair in kinds) + " |",
        "|---" * 7 + "|",
    ]
    for n_samples in SAMPLES:
        cells = [
            f"{row['plain_bits']:.2g}, {row['corrected_bits']:.2g}"
            for bins, pair in kinds
            for row in found
            if (row["samples"], row["bins"], row["pair"]) == (n_samples, bins, pair)
        ]
        lines.append(f"| {n_samples} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", f"Measured by `benchmarks/bias.py`: {machine()}."])


def main():
    print(f"{'N':>6} {'B':>3} {'pair':<16} {'per cell':>9} {'plain':>9} {'corrected':>9} {'formula':>9}")
    found = []
    for row in rows():
        found.append(row)
        print("{:>6} {:>3} {:<16} {:>9.3g} {:>9.5f} {:>9.5f} {:>9.5f}".format(*row.values()), flush=True)
    with RESULT.open("w", newline="") as file:
        writer = csv.DictWriter(file, found[0], lineterminator="\n")
        writer.writeheader()
        for row in found:
            writer.writerow({k: f"{v:.5g}" if isinstance(v, float) else v for k, v in row.items()})
    put("bias", page(found))


if __name__ == "__main__":
    main()
