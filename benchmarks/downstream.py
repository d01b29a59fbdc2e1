# ruff: noqa: E402 - threads are set before NumPy is imported
"""What is a selection worth to a model? 22 real tables, our selectors and 15 others, five models.

Features are selected in the training part of each of five folds, k = 5, 10 and 20 (k < n), and models are scored on
the test part: accuracy, or R^2 and not below 0. Writes rows to ``results/downstream.csv`` and
``results/downstream_subsets.csv`` as it goes, skips what is there, and ends with ``results/downstream.md`` and
``results/downstream.svg``. README.md says how it is done.

    python benchmarks/downstream.py --data DIR              # everything
    python benchmarks/downstream.py --data DIR --quick      # a part, anew, in minutes
    python benchmarks/downstream.py --summary               # only what the rows say
"""

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # so that times compare

import downstream_others as others
import downstream_ours as ours
from downstream_limit import LIMIT
from downstream_models import MODELS
from downstream_rows import SCORES, SUBSETS, forget
from downstream_run import run_fold
from downstream_summary import write_summary
from downstream_tables import FOLDS, HALVES, Table, TableMissing, load

RESULTS = Path(__file__).parent / "results"
QUICK = {
    "tables": ["wine", "breast_cancer", "housing", "german", "lung_small"],
    "models": ["linear", "forest", "neighbours"],
    "folds": 2,
}
QUICK_METHODS = ("ReliefF", "Boruta")  # left out of it: slow


def reachable(names: list[str]) -> list[Table]:
    """Return the tables that are to be had, the smallest first, and say which are not."""
    tables = []
    for name in names:
        try:
            tables.append(load(name))
        except TableMissing as missing:
            print(f"left out: {missing}")
    return sorted(tables, key=lambda table: len(table.y) * table.n)


def usable(names: list[str]) -> list[str]:
    """Return the methods that can run here, and say which cannot."""
    methods = []
    for name in names:
        if name in others.OTHERS:
            why = None if others.installed(name) else f"pip install {others.OTHERS[name][1]}"
        else:
            why = ours.missing(name)
        if why:
            print(f"left out: {name}: {why}")
        else:
            methods.append(name)
    return methods


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    every = [*others.OTHERS, *ours.NAMES]
    parser.add_argument("--data", help="folder of the tables; otherwise the variable QUBOSELECT_DATA")
    parser.add_argument("--tables", nargs="+", choices=list(HALVES), metavar="TABLE", default=list(HALVES))
    parser.add_argument(
        "--methods", nargs="+", choices=[*every, "ours", "others"], metavar="METHOD", default=every
    )
    parser.add_argument("--models", nargs="+", choices=MODELS, metavar="MODEL", default=list(MODELS))
    parser.add_argument("--folds", type=int, default=FOLDS, help="the first so many of five")
    parser.add_argument("--jobs", type=int, default=1, help="folds at a time")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds that a selection may take")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the rows")
    parser.add_argument(
        "--again", nargs="+", choices=every, metavar="METHOD", default=[], help="forget their rows"
    )
    parser.add_argument(
        "--quick", action="store_true", help="five tables, two folds, three models, in results/quick"
    )
    parser.add_argument("--summary", action="store_true", help="measure nothing")
    given = parser.parse_args()
    if given.quick:
        vars(given).update(QUICK, results=given.results / "quick")
        if given.methods == every:
            given.methods = [name for name in every if name not in QUICK_METHODS]
    groups = {"ours": list(ours.NAMES), "others": list(others.OTHERS)}
    given.methods = list(dict.fromkeys(m for name in given.methods for m in groups.get(name, [name])))
    return given


def main() -> None:
    given = arguments()
    if given.data:
        os.environ["QUBOSELECT_DATA"] = str(Path(given.data).resolve())
    given.results.mkdir(exist_ok=True)
    for path, header in (("downstream.csv", SCORES), ("downstream_subsets.csv", SUBSETS)):
        if given.again:
            forget(given.results / path, header, set(given.again))
    if not given.summary:
        methods = usable(given.methods)
        tasks = [(table.name, fold) for table in reachable(given.tables) for fold in range(given.folds)]
        rest = (methods, given.models, given.results, given.limit)
        if given.jobs == 1:
            for task in tasks:
                print(run_fold(*task, *rest), flush=True)
        else:
            with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
                for told in [pool.submit(run_fold, *task, *rest) for task in tasks]:
                    print(told.result(), flush=True)
    print(write_summary(given.results))


if __name__ == "__main__":
    main()
