"""200 fits, and what each of them found, to the last bit.

``python tests/golden/fits.py`` compares them with ``fits.json`` bit for bit. With ``--write`` it makes that file anew,
which is right only when a change of the numbers was meant. `test_golden` runs the same fits with a tolerance, because
another machine may round otherwise.
"""

import argparse
import hashlib
import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn import datasets as tables
from sklearn.feature_selection import f_classif

import quboselect as qs
from quboselect import SelectQUBO, importance, quantum, redundancy, solvers
from quboselect.errors import FewSamplesWarning

HERE = Path(__file__).parent
FILE = HERE / "fits.json"


@cache
def table(name: str) -> tuple[Any, Any]:
    rng = np.random.default_rng(len(name))
    if name == "ionosphere":
        return qs.datasets.load_ionosphere(return_X_y=True)
    if name == "synth":
        return qs.datasets.make_synth(samples=2000, return_X_y=True)
    if name == "waveform":
        return qs.datasets.make_waveform(samples=1000, return_X_y=True)
    if name == "mixed":
        return mixed()
    if name == "holes":
        X, y = tables.load_breast_cancer(return_X_y=True)
        X = X.copy()
        X[rng.random(X.shape) < 0.1] = np.nan
        return X, y
    if name == "twice":
        X, y = tables.load_wine(return_X_y=True)
        return np.hstack([X, X]), y
    if name == "latent":
        factors = rng.normal(size=(300, 6))
        X = factors @ rng.normal(size=(6, 60)) + 0.7 * rng.normal(size=(300, 60))
        return X.round(2), (factors[:, 0] + factors[:, 1] ** 2 > 0.8).astype(int)
    if name == "wide":
        factors = rng.normal(size=(80, 5))
        X = factors @ rng.normal(size=(5, 2100)) + rng.normal(size=(80, 2100))
        return X, (factors[:, 0] > 0).astype(int)
    if name == "wide_integers":
        X = rng.integers(0, 4, size=(60, 2050))
        return X, (X[:, 3] + X[:, 700] > 3).astype(int)
    return getattr(tables, f"load_{name}")(return_X_y=True)


def mixed() -> tuple[Any, Any]:
    import pandas as pd

    rng = np.random.default_rng(5)
    n = 400
    age = rng.integers(18, 90, n)
    city = rng.choice(["Bonn", "Rome", "Oslo", "Lima"], n)
    pay = np.where(rng.random(n) < 0.1, np.nan, rng.lognormal(7, 1, n))
    frame = pd.DataFrame(
        {
            "age": age,
            "city": pd.Categorical(city),
            "pay": pay,
            "rent": pay * 0.3 + rng.normal(0, 50, n),
            "member": rng.random(n) < 0.4,
            "note": [None if v < 0.2 else "long" if v < 0.6 else "short" for v in rng.random(n)],
            "code": rng.integers(0, 5, n),
            "zero": np.where(rng.random(n) < 0.9, 0, rng.integers(1, 50, n)),
        }
    )
    y = np.where((age > 50) ^ (city == "Rome"), "yes", "no")
    return frame, y


Case = tuple[str, Callable[[], SelectQUBO]]
PAPER = {"bins": 20, "edges": "quantile"}


def paper(**parameters: Any) -> SelectQUBO:
    """Return a selector with the paper's setting; an alpha without k is for subsets of every size."""
    if "alpha" in parameters:
        parameters = {"k": None, **parameters}
    return SelectQUBO.paper(**parameters)


def plain(name: str, **parameters: Any) -> Callable[[], SelectQUBO]:
    return lambda: paper(**parameters).fit(*table(name))


def weighted(name: str, whole: bool, **parameters: Any) -> Callable[[], SelectQUBO]:
    def fit() -> SelectQUBO:
        X, y = table(name)
        rng = np.random.default_rng(3)
        w = rng.integers(0, 4, len(y)) if whole else rng.random(len(y))
        return paper(**parameters).fit(X, y, sample_weight=w)

    return fit


def parts(name: str, size: int) -> list[tuple[Any, Any]]:
    X, y = table(name)
    rows = getattr(X, "iloc", X)
    return [(rows[i : i + size], y[i : i + size]) for i in range(0, len(y), size)]


def in_batches(name: str, size: int, **parameters: Any) -> Callable[[], SelectQUBO]:
    return lambda: paper(**parameters).fit_batches(parts(name, size))


def bit_by_bit(name: str, size: int, **parameters: Any) -> Callable[[], SelectQUBO]:
    def fit() -> SelectQUBO:
        selector = paper(**parameters)
        for X, y in parts(name, size):
            selector.partial_fit(X, y)
        return selector

    return fit


def from_parquet(name: str, **parameters: Any) -> Callable[[], SelectQUBO]:
    def fit() -> SelectQUBO:
        import pandas as pd

        X, y = table(name)
        frame = X.copy() if isinstance(X, pd.DataFrame) else pd.DataFrame(X).rename(columns=lambda i: f"f{i}")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.parquet"
            frame.assign(label=y).to_parquet(path, row_group_size=97)
            return paper(**parameters).fit_parquet(path, target="label")

    return fit


def dimod_annealer() -> Any:
    from dwave.samplers import SimulatedAnnealingSampler

    return quantum.Dimod(SimulatedAnnealingSampler(), num_reads=50, seed=7)


def wishes(n: int, seed: int) -> dict[str, Any]:
    """Return random constraints on n features."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    found: dict[str, Any] = {}
    if seed % 2:
        found["include"] = order[:1].tolist()
    if seed % 3:
        found["exclude"] = order[1 : 1 + n // 6].tolist()
    if seed % 4 != 1:
        found["groups"] = [order[n // 2 : n // 2 + 2].tolist(), order[n // 2 + 2 : n // 2 + 4].tolist()]
    if seed % 5 != 2:
        found["cost"] = {int(i): float(c) for i, c in zip(order[-4:], rng.random(4).round(3), strict=True)}
    return found


def cases() -> Iterator[Case]:
    small = ["ionosphere", "synth", "waveform", "breast_cancer", "wine", "holes", "mixed", "latent", "digits"]
    for name in small:
        for k in (1, 3, 5, 8):
            yield f"{name} k={k}", plain(name, k=k)
        yield f"{name} alpha=0.7", plain(name, alpha=0.7)
    for alpha in (0.0, 0.3, 0.906, 1.0):
        yield f"ionosphere alpha={alpha}", plain("ionosphere", alpha=alpha)
    for name in ("ionosphere", "wine", "breast_cancer", "mixed"):
        yield f"{name} k=auto", plain(name, k="auto")
    # Whole numbers of many values were classes when the file was made.
    yield "diabetes k=auto", plain("diabetes", k="auto", target_type="classes")
    for k in (2, 5, 10):
        yield f"diabetes k={k}", plain("diabetes", k=k, target_type="classes")
        yield f"diabetes classes k={k}", plain("diabetes", k=k, target_type="classes")
        yield f"iris numbers k={k}", plain("iris", k=min(k, 4), target_type="continuous")

    measures = {
        "5 bins": {"bins": 5, "edges": "quantile"},
        "corrected": {**PAPER, "estimate": "miller-madow"},
        "normalised": {**PAPER, "normalised": True},
        "300 bins": {"bins": 300, "edges": "quantile"},
        "entropy": {"bins": 8, "edges": "quantile"},
    }
    measures = {
        what: (
            (importance.Entropy if what == "entropy" else importance.MutualInformation)(**how),
            redundancy.MutualInformation(**how),
        )
        for what, how in measures.items()
    }
    numeric = {
        "correlation": (importance.Correlation(), redundancy.Correlation()),
        "ranks": (importance.Correlation(ranks=True), redundancy.Correlation(ranks=True)),
        "F": (importance.FStatistic(), redundancy.Correlation()),
        "sklearn": (f_classif, redundancy.Correlation()),
    }
    for name in ("ionosphere", "wine", "mixed", "holes"):
        for what, (i, r) in measures.items():
            yield f"{name} {what}", plain(name, k=4, importance=i, redundancy=r)
    for name in ("ionosphere", "wine", "breast_cancer"):
        for what, (i, r) in numeric.items():
            yield f"{name} {what}", plain(name, k=4, importance=i, redundancy=r)
    rng = np.random.default_rng(1)
    made = rng.random((13, 13))
    made = np.triu(made, 1) + np.triu(made, 1).T
    given = importance.Precomputed(rng.random(13)), redundancy.Precomputed(made)
    for k in (3, 6):
        yield f"wine precomputed k={k}", plain("wine", k=k, importance=given[0], redundancy=given[1])

    never = [[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]]
    for k in (1, 2, 3):
        four = {
            "importance": importance.Precomputed([10.0, 5.0, 5.0, 5.0]),
            "redundancy": redundancy.Precomputed(never),
        }
        yield f"never two k={k}", plain("iris", k=k, **four)
        yield f"never two wishes k={k}", plain("iris", k=k, include=1, cost=[0, 0, 0.5, 0], **four)
    for k in (3, 4, 5, 9):
        yield f"twice k={k}", plain("twice", k=k)
    for k in (20, 30, 55, 70):
        yield f"digits k={k}", plain("digits", k=k)

    sizes = {"ionosphere": 34, "breast_cancer": 30, "wine": 13, "waveform": 21}
    for name, n in sizes.items():
        for seed in range(7):
            yield f"{name} wishes {seed}", plain(name, k=5, **wishes(n, seed))
    yield (
        "mixed wishes",
        plain("mixed", k=3, include="city", exclude=["zero"], groups=[["pay", "rent"]], cost={"age": 0.1}),
    )
    yield "ionosphere wishes alpha", plain("ionosphere", alpha=0.9, **wishes(34, 7))
    for name in ("ionosphere", "wine", "mixed", "holes"):
        for whole in (True, False):
            yield f"{name} weights {'whole' if whole else 'any'}", weighted(name, whole, k=4)
    yield (
        "wine weights F",
        weighted("wine", False, k=4, importance=importance.FStatistic(), redundancy=redundancy.Correlation()),
    )

    for name in ("ionosphere", "wine", "mixed", "holes"):
        yield f"{name} batches", in_batches(name, 60, k=4)
        yield f"{name} partial", bit_by_bit(name, 150, k=4)
        yield f"{name} parquet", from_parquet(name, k=4)
    yield "ionosphere batches wishes", in_batches("ionosphere", 100, k=5, **wishes(34, 8))
    yield "diabetes batches", in_batches("diabetes", 100, k=4, target_type="continuous")

    for k in (3, 12):
        yield f"wide k={k}", plain("wide", k=k)
        yield (
            f"wide wishes k={k}",
            plain("wide", k=k, include=5, exclude=[7, 8], groups=[[1, 2], [3, 4, 900]], cost={9: 1.0}),
        )
        yield f"wide integers k={k}", plain("wide_integers", k=k)
    yield "wide alpha", plain("wide", alpha=0.9)
    yield (
        "wide correlation",
        plain("wide", k=5, importance=importance.Correlation(), redundancy=redundancy.Correlation()),
    )

    found = {
        "Tabu": solvers.Tabu(seed=3),
        "Anneal": solvers.Anneal(reads=20, sweeps=200, seed=4),
        "BranchAndBound": solvers.BranchAndBound(nodes=50_000),
        "Portfolio": solvers.Portfolio(effort=0.3, seed=5),
    }
    for name in ("ionosphere", "waveform", "latent"):
        for what, solver in found.items():
            yield f"{name} {what}", plain(name, k=6, solver=solver)
    yield "wine Exhaustive", plain("wine", k=4, solver=solvers.Exhaustive())
    machines = {
        "VQE": lambda: quantum.VQE(layers=2, shots=256, seed=2),
        "QAOA": lambda: quantum.QAOA(layers=2, shots=256, seed=2),
        "QuantumAnnealing": lambda: quantum.QuantumAnnealing(time=20.0, shots=128, seed=2),
        "Dimod": dimod_annealer,
    }
    for name in ("synth", "wine"):
        for what, machine in machines.items():
            yield (
                f"{name} {what}",
                lambda name=name, machine=machine: paper(k=4, solver=machine()).fit(*table(name)),
            )
    yield "synth QAOA calls", plain("synth", k=4, solver=quantum.QAOA(layers=1, shots=128, calls=6))
    yield "synth QAOA alpha", plain("synth", alpha=0.875, solver=quantum.QAOA(layers=1, shots=128))
    yield "sparse", lambda: paper(k=5).fit(csr_array(table("digits")[0]), table("digits")[1])
    yield "polars", polars_fit
    yield "objects", lambda: paper(k=3).fit(table("mixed")[0].to_numpy(object), table("mixed")[1])


def polars_fit() -> SelectQUBO:
    import polars as pl

    X, y = table("mixed")
    return paper(k=3).fit(pl.from_pandas(X), y)


def digest(*arrays: Any) -> str:
    total = hashlib.sha256()
    for array in arrays:
        array = np.ascontiguousarray(array)
        total.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())
    return total.hexdigest()[:32]


def found(fit: Callable[[], SelectQUBO]) -> dict[str, Any]:
    """Return what a fit found: numbers as the hex of their bits."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        s = fit()
        selected = np.flatnonzero(s.support_)
    path = s.path_
    answers = s.result_.solutions if hasattr(s, "result_") else s.solutions_
    window = s.alpha_window_
    return {
        "selected": selected.tolist(),
        "k": int(s.k_),
        "alpha": float(s.alpha_).hex(),
        "window": [float(end).hex() for end in window],
        "energy": float(s.energy_).hex(),
        "bound": float(s.bound_).hex(),
        "proven": bool(s.proven_),
        "on_path": bool(s.on_path_),
        "importance": digest(s.importance_),
        "importance_sum": float(np.sum(s.importance_)).hex(),
        "redundancy": digest(s.redundancy_),
        "redundancy_sum": float(np.sum(s.redundancy_, dtype=np.float64)).hex(),
        "solutions": digest(answers.x, answers.energy, answers.count),
        "path": None
        if path is None
        else digest(
            *[np.r_[p.start, p.stop, p.importance, p.redundancy, p.gap, p.features] for p in path], path.knots
        ),
        "sizes": None if path is None else list(path.sizes),
        # That samples are few was not said when these fits were written down.
        "warned": sorted({w.category.__name__ for w in said if w.category is not FewSamplesWarning}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    made = {name: found(fit) for name, fit in cases()}
    if write:
        rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in made.items())
        FILE.write_text(f"{{\n{rows}\n}}\n")
        print(f"{len(made)} fits written")
        return
    kept = json.loads(FILE.read_text())
    different = [name for name in kept if made.get(name) != kept[name]]
    for name in different:
        parts = [key for key in kept[name] if kept[name][key] != made.get(name, {}).get(key)]
        print(f"{name}: {', '.join(parts)}")
    print(f"{len(kept) - len(different)} of {len(kept)} fits bit for bit")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
