"""How long do the everyday things take? A first fit, later fits, a whole path, and counting.

Prints a table and writes it into README.md beside this file. Counting is compared with NumPy's ``bincount`` on a
sample of pairs, in the same run on the same machine.
"""

import subprocess
import sys
import time

import numpy as np
import page
from paper_data import IMPORTANCE, REDUNDANCY, DatasetUnavailable, mnist

from quboselect import SelectQUBO, alpha_path
from quboselect.datasets import load_ionosphere

FIRST_FIT = """
import time; start = time.perf_counter()
from quboselect import SelectQUBO
from quboselect.datasets import load_ionosphere
SelectQUBO.paper(k=5).fit(*load_ionosphere(return_X_y=True))
print(time.perf_counter() - start)
"""


def best(function, repeats=5):
    """Return the shortest of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def first_fit():
    run = [sys.executable, "-c", FIRST_FIT]
    return min(
        float(subprocess.run(run, capture_output=True, text=True, check=True).stdout) for _ in range(4)
    )


def bincount_pairs(codes, pairs):
    for i, j in pairs:
        joint = np.bincount(codes.values[i].astype(np.int64) * codes.sizes[j] + codes.values[j])
        joint = joint[joint > 0] / codes.n_samples
        -(joint * np.log2(joint)).sum()


def rows():
    X, y = load_ionosphere(return_X_y=True)
    yield "first fit in a new process, import included (ionosphere, k = 5)", first_fit(), ""
    selector = SelectQUBO.paper(k=5).fit(X, y)
    yield (
        "later fits (ionosphere, k = 5)",
        best(lambda: selector.fit(X, y)),
        "proven" if selector.proven_ else "",
    )
    tradeoff = selector.result_.tradeoff
    path = alpha_path(tradeoff)
    note = f"{len(path)} segments, {'all' if path.proven else 'not all'} proven"
    yield "the whole path of ionosphere (n = 34)", best(lambda: alpha_path(tradeoff)), note
    try:
        data = mnist()
    except DatasetUnavailable:
        return
    codes = REDUNDANCY.codes(data.X)
    yield "binning mnist (70 000 x 784)", best(lambda: REDUNDANCY.codes(data.X)), ""
    ours = best(lambda: (IMPORTANCE(codes, data.y), REDUNDANCY(codes)))
    live = np.flatnonzero(codes.sizes > 1)
    sample = np.random.default_rng(0).choice(live, (200, 2))
    theirs = best(lambda: bincount_pairs(codes, sample), 3) / 200 * live.size * (live.size - 1) / 2
    yield (
        "I and R of mnist, binned",
        ours,
        f"{theirs / ours:.0f} x faster than bincount per pair ({theirs:.0f} s, 200 pairs)",
    )


def main():
    lines = ["| what | seconds | |", "|---|---|---|"]
    for what, seconds, note in rows():
        lines.append(f"| {what} | {seconds:.3g} | {note} |")
        print(lines[-1], flush=True)
    text = "\n".join([*lines, "", f"Measured by `benchmarks/core.py`: {page.machine()}."])
    page.put("core", text)


if __name__ == "__main__":
    main()
