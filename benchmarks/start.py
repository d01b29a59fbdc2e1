"""How soon is a fit done in a new process, on a new machine and later, and does a transform need Numba?

Every figure is of a new process, which imports scikit-learn before its clock starts: what is measured is what we add.
With an empty cache nothing was compiled before. Rows of a run replace those of the same label in ``results/start.csv``,
and ``results/start.md`` sets all labels side by side.

    python benchmarks/start.py --label after
    python benchmarks/start.py --label before --source OTHER/CHECKOUT/src
"""

import argparse
import csv
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
FIELDS = ("label", "what", "run", "seconds", "cpu_seconds", "numba")
SKLEARN = "import sklearn.feature_selection, sklearn.pipeline, sklearn.utils.metaestimators"
LOAD = "import numpy as np; X, y = np.load('X.npy'), np.load('y.npy')"
FIT = "from quboselect import SelectQUBO; s = SelectQUBO(k=5).fit(X, y)"
# What is done before the clock starts, and what is measured.
MEASURED = {
    "scikit-learn alone": ("", SKLEARN),
    "import quboselect": ("", "import quboselect"),
    "first fit, empty cache": (f"{SKLEARN}; {LOAD}", FIT),
    "first fit, warm cache": (f"{SKLEARN}; {LOAD}", FIT),
    "unpickle and transform": (
        f"{SKLEARN}; {LOAD}; import pickle",
        "s = pickle.load(open('fitted.pickle', 'rb')); s.transform(X)",
    ),
}
CHILD = """
import sys, time
{before}
start = time.perf_counter(), time.process_time()
{measured}
import json
took = time.perf_counter() - start[0], time.process_time() - start[1]
print(json.dumps([*took, "numba" in sys.modules]))
"""


def run(code: str, folder: str, source: Path, cache: str) -> str:
    """Return what a new process prints last."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA"))}
    own = {
        "PYTHONPATH": str(source.resolve()),
        "PYTHONPYCACHEPREFIX": f"{folder}/bytecode",
        "NUMBA_CACHE_DIR": cache,
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=kept | own,
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip().splitlines()[-1] if done.stdout else ""


def measure(label: str, source: Path, repeats: int) -> list[dict]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        warm = f"{folder}/warm"
        prepare = (
            "import numpy as np, pickle; from quboselect.datasets import load_ionosphere; "
            "X, y = load_ionosphere(return_X_y=True); np.save('X.npy', X); np.save('y.npy', y); "
            f"{FIT}; pickle.dump(s, open('fitted.pickle', 'wb'))"
        )
        run(prepare, folder, source, warm)
        for number in range(repeats):
            for what, (before, measured) in MEASURED.items():
                cache = f"{folder}/empty{number}" if "empty" in what else warm
                seconds, cpu, numba = json.loads(
                    run(CHILD.format(before=before, measured=measured), folder, source, cache)
                )
                rows.append(dict(zip(FIELDS, (label, what, number, seconds, cpu, numba), strict=True)))
                print(
                    f"{what}: {seconds:.3f} s, {cpu:.3f} s of a core{', Numba' if numba else ''}", flush=True
                )
    return rows


def page(rows: list[dict]) -> str:
    labels = list(dict.fromkeys(row["label"] for row in rows))
    lines = [
        "# How soon a fit is done",
        "",
        "Five of ionosphere's 34 features, in new processes that have imported scikit-learn before, but for the first",
        "two rows. The lowest of the runs in seconds, and in seconds of a core; other programs slow down both.",
        "The library is that of compiled kernels, which `hatch_build.py` makes and wheels for one platform hold.",
        "",
        f"| | {' | '.join(labels)} |",
        f"|---|{'---|' * len(labels)}",
    ]
    for what in MEASURED:
        cells = []
        for label in labels:
            some = [row for row in rows if row["label"] == label and row["what"] == what]
            cell = f"{min(float(r['seconds']) for r in some):.3f}, {min(float(r['cpu_seconds']) for r in some):.3f}"
            cells.append(cell + (", Numba loaded" if str(some[0]["numba"]) == "True" else ""))
        lines.append(f"| {what} | {' | '.join(cells)} |")
    runs = statistics.median(sum(r["label"] == label for r in rows) // len(MEASURED) for label in labels)
    lines += ["", f"Python {platform.python_version()}, {os.cpu_count()} cores, {runs:g} runs."]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--label", default="now")
    parser.add_argument("--source", type=Path, default=Path(__file__).parents[1] / "src")
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    path = RESULTS / "start.csv"
    rows = list(csv.DictReader(path.open(newline=""))) if path.exists() else []
    rows = [row for row in rows if row["label"] != asked.label]
    rows += measure(asked.label, asked.source, asked.repeats)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (RESULTS / "start.md").write_text(page(rows))
    print(page(rows))


if __name__ == "__main__":
    main()
