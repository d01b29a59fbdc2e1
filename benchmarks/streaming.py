"""Does memory stay flat while a table grows? MNIST as Parquet files, once, 4 times and 16 times, and in memory.

Every fit runs in a process of its own, whose peak of memory is read at its end. Beside the fit from files, the same
table is fitted in memory: same features, same numbers? Prints a table and writes it to ``results/streaming.csv`` and
into README.md. ``--quick`` takes a small made-up table, and writes nothing.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from page import machine, put
from paper_data import mnist

from quboselect import SelectQUBO

RESULT = Path(__file__).parent / "results" / "streaming.csv"
COPIES = (1, 4, 16)
K = 30


def data(quick):
    """Return a table, a label and the names of the features."""
    if not quick:
        return mnist().X, mnist().y, mnist().feature_names
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(20_000, 1))
    X = rng.poisson(np.exp(rng.normal(size=(1, 60)) + 0.5 * hidden)).astype(np.uint8)
    return X, (hidden[:, 0] > 0).astype(int), [f"f{i}" for i in range(60)]


def write(folder, X, y, names, copies):
    """Write a table so many times, each into a file."""
    table = pa.table({name: X[:, i] for i, name in enumerate(names)} | {"label": y})
    for i in range(copies):
        pq.write_table(table, folder / f"{i:02}.parquet")


def peak():
    """Return the most memory that this process has had, in MiB."""
    try:
        # The kernel's rusage would count what the parent had before this process was its own.
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def child(how, folder, k):
    """Fit, and print what it took and what came out."""
    # Kernels are compiled or loaded before the clock starts.
    SelectQUBO(k=2).fit(np.random.default_rng(0).integers(0, 9, (500, 5)), np.arange(500) % 2)
    before, start = peak(), time.perf_counter()
    selector = SelectQUBO.paper(k=k)
    if how == "Parquet":
        selector.fit_parquet(folder, "label")
    else:
        table = pq.read_table(folder)
        selector.fit(table.drop_columns(["label"]), table.column("label"))
    seconds = time.perf_counter() - start
    sums = [float(selector.importance_.sum()), float(selector.redundancy_.sum())]
    found = [*selector.get_support(indices=True).tolist(), *sums]
    print(json.dumps({"seconds": seconds, "before": before, "peak": peak(), "found": found}))


def rows(quick):
    X, y, names = data(quick)
    for copies in COPIES:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), X, y, names, copies)
            size = sum(file.stat().st_size for file in Path(folder).iterdir())
            found = {}
            for how in ("Parquet", "memory"):
                run = [sys.executable, __file__, "--child", how, folder, str(5 if quick else K)]
                done = subprocess.run(run, stdout=subprocess.PIPE, text=True)
                if done.returncode:
                    print(f"{copies} x {len(X)} samples: the fit from {how} failed", file=sys.stderr)
                    continue
                found[how] = json.loads(done.stdout.splitlines()[-1])
            for how, result in found.items():
                yield {
                    "copies": copies,
                    "samples": copies * len(X),
                    "features": len(names),
                    "file_mib": size / 2**20,
                    "from": how,
                    "seconds": result["seconds"],
                    "before_mib": result["before"],
                    "peak_mib": result["peak"],
                    "same": "memory" in found and result["found"] == found["memory"]["found"],
                }


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a small table; writes nothing")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        how, folder, k = arguments.child
        child(how, folder, int(k))
        return
    lines = [
        "| samples | fitted from | seconds | peak memory | the same features and numbers |",
        "|---|---|---|---|---|",
    ]
    found = []
    for row in rows(arguments.quick):
        found.append(row)
        same = "yes" if row["same"] else "no"
        cells = (
            f"{row['samples']:,}",
            row["from"],
            f"{row['seconds']:.1f}",
            f"{row['peak_mib']:.0f} MiB",
            same,
        )
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    if arguments.quick:
        return
    with RESULT.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(found[0]))
        writer.writeheader()
        writer.writerows(
            {key: f"{v:.4g}" if isinstance(v, float) else v for key, v in row.items()} for row in found
        )
    put("streaming", "\n".join([*lines, "", f"Measured by `benchmarks/streaming.py`: {machine()}."]))


if __name__ == "__main__":
    main()
