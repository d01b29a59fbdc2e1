"""The appendix, and what it overlooks: which sizes are optimal at some alpha.

The figure of the appendix shows Q*_{<=k}, the minimum over at most k features, for five features drawn at random.
Beside it stand the paths of real tables and of two counter-examples to Proposition 1: results/path_<name>.csv has a row
for each segment, and path.csv what they come to. The paths of madelon and MNIST are searched up to 100 features and
not proven, but where they jump over a size, or the size falls, below 20; all others are proven.
"""

import argparse
import csv
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

import data
import measures
import numpy as np
from constants import results, section
from ledger import Ledger, Progress, store

from quboselect import Tradeoff, alpha_path
from quboselect.search.choice import choice_of_size
from quboselect.search.path import Path as AlphaPath
from quboselect.solvers import Portfolio, Tabu

FIELDS = ("start", "stop", "size", "importance", "redundancy", "gap", "features")
APPENDIX_SIZE, SEED = section("appendix")["features"], section("ours")["seed"]
MOST = 100
PROVEN_BELOW = 20
# Too large to be proven at every alpha. All subsets of a search are lines: short ones at many alphas help each other.
SEARCHES = {"madelon": Tabu(), "mnist": Tabu(rounds=2)}


def appendix() -> Tradeoff:
    """Return five features whose importance and redundancy are drawn uniformly from 0 to 1."""
    rng = np.random.default_rng(SEED)
    upper = np.triu(rng.random((APPENDIX_SIZE, APPENDIX_SIZE)), 1)
    return Tradeoff(rng.random(APPENDIX_SIZE), upper + upper.T)


def never_two() -> Tradeoff:
    """Return a strong feature that repeats three weaker ones, which hardly repeat each other: no pair is ever best."""
    R = np.full((4, 4), 0.1)
    R[0, :] = R[:, 0] = 1.0
    np.fill_diagonal(R, 0.0)
    return Tradeoff([10.0, 5.0, 5.0, 5.0], R)


def never_four() -> Tradeoff:
    """Return three features that repeat nothing of each other, and five of another kind: no four are ever best."""
    R = np.full((8, 8), 100.0)
    R[:3, :3], R[3:, 3:] = 0.0, 1.0
    np.fill_diagonal(R, 0.0)
    # Without it all sizes of the five tie where the last of them enters.
    jitter = np.random.default_rng(0).uniform(0.0, 1e-3, 8)
    return Tradeoff(1.0 + jitter, R)


def table(name: str) -> Tradeoff:
    """Return I and R of a data set, in bits, by 20 quantile bins."""
    loaded = data.DATASETS[name]()
    return measures.tradeoff(loaded.X, loaded.y)


TRADEOFFS: dict[str, Callable[[], Tradeoff]] = {
    "appendix": appendix,
    "never_two": never_two,
    "never_four": never_four,
    **{name: partial(table, name) for name in ("ionosphere", "waveform", "madelon", "mnist")},
}
QUICK = ("appendix", "never_two", "never_four", "ionosphere")


def at_most(tradeoff: Tradeoff, alphas: np.ndarray) -> np.ndarray:
    """Return Q*_{<=k} for every k from 0 to n, one row each: the least energy of at most k features at each alpha."""
    n = tradeoff.size
    subsets = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    lines = np.array([tradeoff.line(x.astype(bool)) for x in subsets])
    energy = (1 - alphas) * lines[:, 1:] - alphas * lines[:, :1]
    return np.stack([energy[subsets.sum(axis=1) <= k].min(axis=0) for k in range(n + 1)])


def explored(name: str, tradeoff: Tradeoff) -> AlphaPath:
    """Return the path: proven, or for a large table the one that a search finds up to 100 features."""
    if name in SEARCHES:
        return alpha_path(tradeoff, SEARCHES[name], k=range(1, MOST + 1))
    return alpha_path(tradeoff, Portfolio())


def jumps(path: AlphaPath, most: int) -> dict[int, tuple[int, int]]:
    """Return the sizes up to ``most`` that no segment has, and between the places of which two segments they lie."""
    missing = sorted(set(range(most + 1)) - set(path.sizes))
    sizes = list(enumerate(path.sizes))
    found = {}
    for size in missing:
        found[size] = next((i, j) for (i, a), (j, b) in pairwise(sizes) if min(a, b) < size < max(a, b))
    return found


def absent(tradeoff: Tradeoff, path: AlphaPath, most: int) -> list[int]:
    """Return the sizes up to ``most`` that are never optimal; on a path that is not proven, those without a segment.

    A size without a segment may still be optimal where two segments meet, by a tie.
    """
    missing = list(jumps(path, most))
    return (
        [k for k in missing if not choice_of_size(tradeoff, k, path, Portfolio()).on_path]
        if path.proven
        else missing
    )


def proofs(tradeoff: Tradeoff, path: AlphaPath, most: int) -> Iterator[tuple[int, bool]]:
    """Yield the sizes that the path jumps over, and whether it is proven that the neighbours have nothing between them.

    It is where the least energy at the alpha at which they meet is theirs. A size may still lie elsewhere on the path.
    """
    proven: dict[tuple[int, int], bool] = {}
    for size, between in jumps(path, most).items():
        if between not in proven:
            before = path[between[0]]
            qubo = tradeoff.at(before.stop)
            bound = Portfolio(effort=3)(qubo).bound
            proven[between] = bound >= qubo.energy(before.x) - qubo.tolerance
        yield size, proven[between]


def proven_falls(tradeoff: Tradeoff, path: AlphaPath, most: int) -> Iterator[tuple[int, bool]]:
    """Yield the sizes from which the path falls to a smaller one, and whether that is proven.

    It is where both subsets are the proven optima in the middle of their windows.
    """
    for a, b in pairwise(path):
        if b.size < a.size <= most:
            found = [
                (segment, Portfolio(effort=3)(tradeoff.at(0.5 * (segment.start + segment.stop))))
                for segment in (a, b)
            ]
            yield a.size, all(proof.proven and (proof.best == segment.x).all() for segment, proof in found)


def write(file: Path, path: AlphaPath) -> None:
    """Write a path, a row for each segment, with the indices of its features."""
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(FIELDS)
        for segment in path:
            numbers = (f"{value:.9g}" for value in (segment.importance, segment.redundancy, segment.gap))
            features = " ".join(map(str, segment.features)) if segment.size <= MOST else ""
            writer.writerow((f"{segment.start:.9f}", f"{segment.stop:.9f}", segment.size, *numbers, features))


def run(ledger: Ledger, quick: bool = False) -> None:
    """Follow the paths that are not in the ledger yet."""
    names = QUICK if quick else tuple(TRADEOFFS)
    alphas = np.linspace(0.0, 1.0, 201)
    curves = at_most(appendix(), alphas)
    store(ledger.folder / "path_appendix.npz", alphas=alphas, curves=curves)
    with Progress(len(names), "paths") as progress:
        for name in names:
            progress.step(note=name)
            if ledger.has(dataset=name, metric="sizes missing"):
                continue
            try:
                tradeoff = TRADEOFFS[name]()
            except data.DatasetUnavailable as reason:
                print(f"the path of {name} is left out: {reason}")
                continue
            start = time.perf_counter()
            path = explored(name, tradeoff)
            seconds = time.perf_counter() - start
            write(ledger.folder / f"path_{name}.csv", path)
            most = min(path.sizes[-1], MOST)
            within = [segment for segment in path if segment.size <= most]
            falls = sum(b.size < a.size for a, b in pairwise(within))
            missing = absent(tradeoff, path, most)
            shown = {"segments": len(within), "solves": path.solves, "sizes falling": falls}
            shown |= {"segments proven": sum(segment.proven for segment in within)}
            for metric, value in shown.items():
                ledger.note(value, dataset=name, metric=metric, seconds=seconds)
            if not path.proven:
                for metric, found in (("jump proven", proofs), ("fall proven", proven_falls)):
                    for size, proven in found(tradeoff, path, PROVEN_BELOW):
                        ledger.note(proven, dataset=name, k=size, metric=metric)
            ledger.add(len(missing), dataset=name, metric="sizes missing", seconds=seconds)
            print(f"{name}: {len(within)} segments up to size {most}, {falls} falls, missing {missing}")


def main() -> None:
    """Run it alone."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small tables alone")
    asked = parser.parse_args()
    run(Ledger(results(asked.quick) / "path.csv"), asked.quick)


if __name__ == "__main__":
    main()
