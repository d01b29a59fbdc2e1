"""The paper, reproduced: runs the experiments, and writes their results to ``results/*.csv``.

``python experiments/paper.py`` runs all of them in order, or what is missing of them; ``--quick`` the same on a few
hundred samples, into ``results/quick``. Pictures are made from the results by ``figures.py``.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import constants
from ledger import Ledger, clock

EXPERIMENTS = {"1": "one", "2": "two", "3": "three", "4": "four", "path": "path", "grover": "grover"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named experiments, and return how many failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "experiments", nargs="*", metavar="1 2 3 4 path grover", help="all of them where none is named"
    )
    parser.add_argument("--quick", action="store_true", help="a few hundred samples, everything in seconds")
    parser.add_argument("--results", type=Path, help="another folder for the results")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.experiments) - EXPERIMENTS.keys():
        parser.error(f"the experiments are {', '.join(EXPERIMENTS)}, not {', '.join(sorted(unknown))}.")
    folder = asked.results or constants.results(asked.quick)
    failed = 0
    for name in asked.experiments or EXPERIMENTS:
        start = time.monotonic()
        try:
            module = import_module(EXPERIMENTS[name])
            module.run(Ledger(folder / f"{EXPERIMENTS[name]}.csv"), asked.quick)
        except Exception as error:
            # The others are still worth running, and what was measured is in the ledger.
            failed += 1
            print(f"experiment {name} failed: {type(error).__name__}: {error}", file=sys.stderr)
        else:
            print(f"experiment {name}: {clock(time.monotonic() - start)}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
