"""The best known subset of each instance, whoever found it: the target of the race, kept in best_known.json.

The file holds the ones of each subset, so that its energy is always computed from the instance at hand.
``python benchmarks/targets.py 2`` looks for lower ones: every heuristic climbs its ladder until a run takes two
seconds.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import peers
from instances import Instance, load

FILE = Path(__file__).parent / "best_known.json"
RELATIVE = 1e-9


def read() -> dict[str, dict]:
    """Return what is known: for each instance its energy, the ones of the subset, and who found it."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def write(known: dict[str, dict]) -> None:
    """Write one line per instance."""
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in known.items())
    FILE.write_text("{\n" + lines + "\n}\n")


def target(known: dict[str, dict], instance: Instance) -> float:
    """Return the best known energy of an instance, 0 (nothing selected) where nobody has tried."""
    if instance.name not in known:
        return 0.0
    x = np.zeros(instance.qubo.size, bool)
    x[known[instance.name]["ones"]] = True
    return instance.qubo.energy(x)


def reached(energy: float, goal: float) -> bool:
    """Whether an energy is the target, within 1e-9 of it."""
    return energy <= goal + RELATIVE * abs(goal)


def offer(known: dict[str, dict], instance: Instance, x: np.ndarray, who: str) -> bool:
    """Keep a subset if it is lower than the best known one, and return whether it was."""
    energy, best = instance.qubo.energy(x), target(known, instance)
    if instance.name in known and energy >= best - RELATIVE * abs(best):
        return False
    known[instance.name] = {"energy": energy, "by": who, "ones": np.flatnonzero(x).tolist()}
    write(known)
    return True


def search(seconds: float) -> None:
    """Let every heuristic look for lower energies, and print what was found."""
    known, heuristics = read(), peers.installed()
    for instance in load():
        for heuristic in heuristics:
            solve = peers.prepared(heuristic, instance.qubo)
            for effort in heuristic.rungs:
                start = time.perf_counter()
                x = solve(12_345, **effort)
                if offer(known, instance, x[int(np.argmin(instance.qubo.energy(x)))], heuristic.name):
                    print(f"{instance.name}: {target(known, instance):.9g} by {heuristic.name}", flush=True)
                if time.perf_counter() - start > seconds:
                    break


if __name__ == "__main__":
    search(float(sys.argv[1]) if sys.argv[1:] else 1.0)
