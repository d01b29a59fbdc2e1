"""The Grover wrapper of the related research (paper, Section 4; He et al. 2018), beside the classical one and QFS.

A wrapper adds or removes one feature at a time, the one that leaves the best cross-validated score. The classical step
scores all candidates; the other one looks for the best by `quantum.maximum_search`. Its oracle is simulated, and for
that every candidate is scored beforehand: the model fits are those of the classical step, and oracle calls are what a
quantum computer that trains models in superposition would make. Each data set is halved: features are chosen on one
half and the accuracy is that on the other, both ways round. All data are shipped or generated here.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import measures
import numpy as np
import numpy.typing as npt
from constants import results, section
from ledger import Ledger, Progress
from numba import njit
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from quboselect import best_subset
from quboselect.datasets import Dataset, load_ionosphere, make_synth, make_waveform
from quboselect.quantum import maximum_search
from quboselect.quantum.grover import GROWTH

DATASETS: dict[str, Callable[[], Dataset]] = {
    "ionosphere": load_ionosphere,
    "waveform": make_waveform,
    "synth_10": lambda: make_synth(10, 4),
}
SIZES = {name: section("four")["datasets"][name]["k"] for name in DATASETS}
FOLDS, SEEDS, FUNCTIONS, QUBITS = 5, 5, 100, range(2, 11)
SEARCH, FEW = ", search", ", search cut short"
TAKEN = ("calls", "checks", "found_after")
SHOWN = {"accuracy": ".4f", "model fits": ".0f", "oracle calls": ".0f", "checks": ".0f", "seconds": ".3g",
         "other features": ".2f"}  # fmt: skip
Scored = Callable[[tuple[int, ...]], tuple[float, float]]


@cache
def chance(candidates: int, limit: int) -> float:
    """Return the exact probability that a search of so many calls and checks is right.

    Values are distinct, and the machine is without noise. Then the search is a Markov chain: its state is how many
    values are larger than the one held, how far the number of iterations has grown, and how much is left.
    """
    amplitudes = 1 << (candidates - 1).bit_length()
    below = [1.0]
    while below[-1] < amplitudes**0.5:
        below.append(min(GROWTH * below[-1], amplitudes**0.5))
    right = _right(candidates, amplitudes, np.ceil(below).astype(np.int64), limit)
    return float(right[:, 0, limit - 1].mean())


@njit(cache=True)
def _right(candidates, amplitudes, numbers, limit):  # type: ignore[no-untyped-def]
    last = numbers.size - 1
    right = np.zeros((candidates, numbers.size, limit))
    right[0] = 1.0
    for larger in range(1, candidates):
        angle = np.arcsin(np.sqrt(larger / amplitudes))
        for left in range(1, limit):
            for level in range(numbers.size):
                for drawn in range(numbers[level]):
                    iterations = min(drawn, left - 1)
                    rest = left - 1 - iterations
                    hit = np.sin((2 * iterations + 1) * angle) ** 2
                    after = hit * right[:larger, 0, rest].mean()
                    after += (1.0 - hit) * right[larger, min(level + 1, last), rest]
                    right[larger, level, left] += after / numbers[level]
    return right


@dataclass
class Step:
    """Chooses the best of some scores, classically or by the search, and counts what the searches take.

    Parameters
    ----------
    seed : int, optional
        Seed of the searches; without one the choice is classical.
    few : bool
        Whether a search has as many calls and checks as there are candidates, instead of the published number of calls.
    """

    seed: int | None = None
    few: bool = False
    counts: dict[str, float] = field(default_factory=dict)

    def __call__(self, scores: Sequence[float]) -> int:
        """Return the place of the chosen score; of equal ones the first is the best."""
        order = np.argsort(-np.asarray(scores), kind="stable")
        if self.seed is None:
            return int(order[0])
        ranks = np.empty(order.size)
        ranks[order] = -np.arange(order.size)
        seed = np.random.SeedSequence([self.seed, order.size]).generate_state(1)[0]
        found = maximum_search(ranks, limit=order.size if self.few else None, seed=int(seed))
        taken = {
            "oracle calls": found.calls,
            "checks": found.checks,
            "steps": 1,
            "wrong": found.index != order[0],
        }
        if self.few:
            taken["expected"] = 1.0 - chance(order.size, order.size)
        self.counts = {name: self.counts.get(name, 0.0) + float(value) for name, value in taken.items()}
        return found.index


def selection(scored: Scored, n: int, k: int, way: str, step: Step) -> tuple[list[int], dict[str, float]]:
    """Return the k features to which a wrapper comes forward or backward, and what it took."""
    chosen: set[int] = set() if way == "forward" else set(range(n))
    fits, seconds = 0, 0.0
    while len(chosen) != k:
        candidates = [i for i in range(n) if (i in chosen) == (way == "backward")]
        pairs = [scored(tuple(sorted(chosen ^ {i}))) for i in candidates]
        start = time.process_time()
        chosen ^= {candidates[step([score for score, _ in pairs])]}
        # Scores that are known from another selection cost as much as they did there.
        seconds += time.process_time() - start + sum(took for _, took in pairs)
        fits += FOLDS * len(pairs)
    return sorted(chosen), {**step.counts, "model fits": fits, "seconds": seconds}


def selections(
    X: npt.NDArray[np.float64], y: npt.NDArray[np.generic], k: int, seeds: range
) -> Iterator[tuple[str, int | None, list[int], dict[str, float]]]:
    """Yield each method with its seed, the features it chooses, and what that took."""

    @cache
    def scored(features: tuple[int, ...]) -> tuple[float, float]:
        start = time.process_time()
        score = float(cross_val_score(GaussianNB(), X[:, features], y, cv=FOLDS).mean())
        return score, time.process_time() - start

    for way in ("forward", "backward"):
        classical, counts = selection(scored, X.shape[1], k, way, Step())
        yield way, None, classical, counts
        start = time.process_time()
        theirs = SequentialFeatureSelector(GaussianNB(), n_features_to_select=k, direction=way, cv=FOLDS)
        chosen = theirs.fit(X, y).get_support(indices=True).tolist()
        counts = {"model fits": counts["model fits"], "seconds": time.process_time() - start}
        counts["other features"] = len(set(chosen) - set(classical))
        yield f"{way}, scikit-learn", None, chosen, counts
        # A wrong step leads to subsets that nobody has scored; backward these would take minutes.
        for kind in (SEARCH, FEW) if way == "forward" else (SEARCH,):
            for seed in seeds:
                chosen, counts = selection(scored, X.shape[1], k, way, Step(seed, kind == FEW))
                yield way + kind, seed, chosen, counts | {"other features": len(set(chosen) - set(classical))}
    start = time.process_time()
    chosen = np.flatnonzero(best_subset(measures.tradeoff(X, y), k=k).support).tolist()
    yield "QFS", None, chosen, {"model fits": 0, "seconds": time.process_time() - start}


def add_wrappers(ledger: Ledger, name: str, seeds: int, samples: int | None) -> None:
    """Write what each method takes to choose on one half of a data set, and its accuracy on the other."""
    X, y, k = DATASETS[name]().X[:samples], DATASETS[name]().y[:samples], SIZES[name]
    halves = StratifiedKFold(2, shuffle=True, random_state=0).split(X, y)
    for fold, (train, test) in enumerate(halves):
        if ledger.has(dataset=name, method="QFS", k=k, fold=fold, metric="accuracy"):
            continue
        draws = range(fold * seeds, (fold + 1) * seeds)
        for method, seed, chosen, counts in selections(X[train], y[train], k, draws):
            model = GaussianNB().fit(X[train][:, chosen], y[train])
            for metric, value in (*counts.items(), ("accuracy", model.score(X[test][:, chosen], y[test]))):
                ledger.note(value, dataset=name, method=method, k=k, seed=seed, fold=fold, metric=metric)


def add_searches(ledger: Ledger, qubits: int, functions: int) -> None:
    """Write how often the search finds the maximum of random functions, and what it takes on average."""
    key = {"dataset": f"{qubits} qubits", "method": "search"}
    if not ledger.has(**key, metric="right"):
        tables = np.random.default_rng(qubits).random((functions, 1 << qubits))
        found = [maximum_search(table, seed=seed) for seed, table in enumerate(tables)]
        for metric in TAKEN:
            ledger.note(np.mean([getattr(each, metric) for each in found]), **key, metric=metric)
        ledger.note(np.mean([each.index for each in found] == tables.argmax(axis=1)), **key, metric="right")


def report(ledger: Ledger) -> Iterator[str]:
    """Yield the tables of README.md."""
    searches: dict[int, dict[str, float]] = {}
    for row in ledger.rows(method="search"):
        searches.setdefault(int(row.dataset.split()[0]), {})[row.metric] = row.value
    yield "| N | right | oracle calls | checks | calls and checks until found |"
    yield "|---|---|---|---|---|"
    for qubits, numbers in searches.items():
        cells = [f"{numbers['right']:.1%}", *(f"{numbers[name]:.3g}" for name in TAKEN)]
        yield f"| {2**qubits} | {' | '.join(cells)} |"
    for name in ("calls", "found_after"):
        means = np.log([numbers[name] for numbers in searches.values()])
        power = np.polyfit(np.log(2.0) * np.array(list(searches)), means, 1)[0]
        yield f"{name}: N to the power of {power:.3f}"
    yield f"| data set | method | {' | '.join(SHOWN)} | wrong steps | expected |"
    yield "|---" * (len(SHOWN) + 4) + "|"
    for dataset, method in dict.fromkeys((row.dataset, row.method) for row in ledger.rows(metric="accuracy")):
        found: dict[str, list[float]] = {}
        for row in ledger.rows(dataset=dataset, method=method):
            found.setdefault(row.metric, []).append(row.value)
        cells = [f"{np.mean(found[name]):{form}}" if name in found else "" for name, form in SHOWN.items()]
        if "steps" in found:
            cells.append(f"{sum(found['wrong']):.0f} of {sum(found['steps']):.0f}")
            cells.append(f"{sum(found['expected']):.1f}" if "expected" in found else "at most half")
        cells += [""] * (len(SHOWN) + 2 - len(cells))
        yield f"| {dataset} | {method} | {' | '.join(cells)} |"


def run(ledger: Ledger, quick: bool = False) -> None:
    """Run the searches and the wrappers that are not in the ledger yet, and print the tables."""
    # Kernels are compiled before anything is timed.
    best_subset(measures.tradeoff(*load_ionosphere(return_X_y=True)), k=2)
    with Progress(len(QUBITS) + len(DATASETS), "Grover wrapper") as progress:
        for qubits in QUBITS[:3] if quick else QUBITS:
            progress.step(note=f"{qubits} qubits")
            add_searches(ledger, qubits, 20 if quick else FUNCTIONS)
        for name in list(DATASETS)[2:] if quick else DATASETS:
            progress.step(note=name)
            # Naive Bayes divides by the variance, and ionosphere has a constant feature.
            with np.errstate(divide="ignore", invalid="ignore"):
                add_wrappers(
                    ledger, name, 1 if quick else SEEDS, section("quick")["samples"] if quick else None
                )
    print(*report(ledger), sep="\n")


def main() -> None:
    """Run it alone."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few functions, and synth_10 alone")
    asked = parser.parse_args()
    run(Ledger(results(asked.quick) / "grover.csv"), asked.quick)


if __name__ == "__main__":
    main()
