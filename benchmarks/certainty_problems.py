"""The problems on which certainty is measured: each is asked with an effort, and times itself.

Pixels of MNIST and features of madelon, by the paper's numbers and by every criterion's; lists of the ten best; tables
of genes, fitted whole; tables with copies; dense problems of up to 2000 bits; and generic QUBOs of the BiqMac library.
mnist and madelon are looked for as everywhere here; the other files lie in folders that are named. Nothing is read
before its first problem is asked, and what was counted is kept.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from instances import DATA, MADELON_ALPHA, tradeoff
from paper_data import IMPORTANCE, mnist

from quboselect import QUBO, SelectQUBO, Solutions, Tradeoff, alpha_path, best_subset, criteria
from quboselect.explain.alternatives import Alternatives
from quboselect.fitting import constraints_of, measured_tradeoff
from quboselect.proof import Apart
from quboselect.search.choice import choice_of_size
from quboselect.solvers import Portfolio
from quboselect.tables.table import Table, as_table
from quboselect.tables.target import Target, as_target

ALL_DIGITS = "all ten digits"
EVERY = (
    criteria.QFS(),
    criteria.Pairs(),
    criteria.MRMR(),
    criteria.MIFS(),
    criteria.JMI(),
    criteria.CMI(),
    criteria.CIFE(),
    criteria.ICAP(),
    criteria.DISR(),
)
SOME = (criteria.Pairs(), criteria.MRMR(), criteria.JMI(), criteria.ICAP())
GENES = ("colon", "leukemia", "lymphoma", "GLIOMA", "TOX-171")
TEN, LIST_ALPHA = 10, 0.784
DISTINCT, COPIED, FITS = 50, 1900, 15
EFFORTS = (1.0, 10.0)


class Answer(NamedTuple):
    """What came back: seconds, alpha in words, how many bits have any coefficient, and the solutions.

    ``certified`` is the QUBO, the solutions and the size that a certificate would be about, None where there is none;
    ``apart`` is what it is apart from, if from anything.
    """

    seconds: float
    alpha: str
    n: int
    solutions: Solutions
    certified: tuple[QUBO, Solutions, int | None] | None
    apart: Apart | None = None


@dataclass(frozen=True)
class Problem:
    """A problem: what to ask, how many features are wanted, the efforts to try, and the published minimum, if any."""

    name: str
    ask: Callable[[float], Answer]
    k: int | None = None
    efforts: tuple[float, ...] = (1.0,)
    published: float | None = None


def live(qubo: QUBO) -> int:
    """Return how many bits have any coefficient."""
    return int(((qubo.linear != 0) | (qubo.couplings != 0).any(axis=1)).sum())


def solved(qubo: QUBO, k: int | None, alpha: str, effort: float) -> Answer:
    """Return what the default solver finds and proves."""
    start = time.perf_counter()
    found = Portfolio(k=k, effort=effort)(qubo)
    return Answer(time.perf_counter() - start, alpha, live(qubo), found, (qubo, found, k))


@cache
def codes() -> Any:
    """Return the pixels of MNIST in the paper's bins."""
    return IMPORTANCE.codes(mnist().X)


@cache
def of_digit(digit: int | None) -> Tradeoff:
    """Return the paper's I and R of MNIST, for all ten digits or for one of them against the rest."""
    whole = tradeoff("mnist")
    return whole if digit is None else Tradeoff(IMPORTANCE(codes(), mnist().y == digit), whole.redundancy)


def on_the_path(digit: int | None, k: int, effort: float, *, auto: bool = False) -> Answer:
    """Return the best k pixels, at the alpha at which k are optimal: by `SelectQUBO.paper`, or with bins="auto"."""
    numbers = with_few_bins(digit) if auto else of_digit(digit)
    start, solver = time.perf_counter(), Portfolio(effort=effort)
    path = alpha_path(numbers, solver, k=k)
    choice = choice_of_size(numbers, k, path, solver)
    seconds, segment = time.perf_counter() - start, path.of_size(k)
    alpha = f"{segment.start:.6f} to {segment.stop:.6f}" if segment else f"{choice.alpha:.6f}"
    qubo = numbers.at(choice.alpha)
    # On the path several proofs enclose the subset, and a certificate would be about one of them.
    certified = None if choice.on_path else (qubo, choice.solutions, k)
    alpha = alpha if choice.on_path else f"{alpha}, off the path"
    return Answer(seconds, alpha, live(qubo), choice.solutions, certified)


@cache
def table(name: str) -> tuple[Table, Target]:
    """Return a data set, read once."""
    X, y = DATA[name]()
    return as_table(X), as_target(y)


@cache
def with_few_bins(digit: int | None) -> Tradeoff:
    """Return the I and R of MNIST that `criteria.QFS()` has, for all ten digits or for one against the rest."""
    samples, target = table("mnist")
    target = target if digit is None else as_target(mnist().y == digit)
    selector = SelectQUBO(criterion=criteria.QFS())
    constraints = constraints_of(selector, samples.n_features, samples.names)
    return measured_tradeoff(selector, samples, target, constraints, dense=True)


@cache
def by_criterion(name: str, criterion: Any, k: int) -> Tradeoff:
    """Return I and R of a data set as a criterion has them."""
    samples, target = table(name)
    selector = SelectQUBO(k, criterion=criterion)
    constraints = constraints_of(selector, samples.n_features, samples.names)
    return measured_tradeoff(selector, samples, target, constraints, dense=True)


def at_alpha(name: str, criterion: Any, k: int, alpha: float, effort: float) -> Answer:
    """Return the best k features by a criterion, or by the paper's numbers where it is None, at one alpha."""
    numbers = tradeoff(name) if criterion is None else by_criterion(name, criterion, k)
    return solved(numbers.at(alpha), k, f"{alpha:.6g}", effort)


@cache
def listed(different: int, effort: float) -> tuple[float, int, Alternatives]:
    """Return the seconds, the bits that have any coefficient, and the ten best subsets of thirty pixels."""
    result = best_subset(tradeoff("mnist"), k=30, alpha=LIST_ALPHA)
    start = time.perf_counter()
    found = result.alternatives(TEN, different=different, effort=effort)
    return time.perf_counter() - start, live(result.tradeoff.at(LIST_ALPHA)), found


def of_rank(rank: int, different: int, effort: float) -> Answer:
    """Return one of the ten best subsets after the first; its seconds are those of all ten."""
    seconds, n, found = listed(different, effort)
    qubo, solutions, k, apart = found[rank - 1].certified
    return Answer(seconds, str(LIST_ALPHA), n, solutions, (qubo, solutions, k), apart)


def fitted(file: Path, k: int, effort: float) -> Answer:
    """Return what a whole fit finds; its seconds are those of counting too."""
    with np.load(file) as arrays:
        X, y = arrays["X"], arrays["y"]
    start = time.perf_counter()
    result = SelectQUBO(k, solver=Portfolio(effort=effort)).fit(X, y).result_
    seconds = time.perf_counter() - start
    return Answer(seconds, f"{result.alpha:.6g}", X.shape[1], result.solutions, result.certified)


@cache
def copied(features: int) -> tuple[Any, Any]:
    """Return a table of 200 samples of which 50 columns are distinct, and a label that five of them tell."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=(200, DISTINCT))
    y = (base[:, :5].sum(axis=1) + rng.normal(size=200) > 0).astype(int)
    return base[:, np.r_[:DISTINCT, rng.integers(0, DISTINCT, features - DISTINCT)]], y


def with_copies(features: int, k: int, effort: float) -> Answer:
    """Return what a whole fit of a table with copies finds; its seconds are the fewest of some fits."""
    X, y = copied(features)
    fewest = np.inf
    for _ in range(FITS):
        start = time.perf_counter()
        result = SelectQUBO(k, solver=Portfolio(effort=effort)).fit(X, y).result_
        fewest = min(fewest, time.perf_counter() - start)
    return Answer(fewest, f"{result.alpha:.6g}", features, result.solutions, result.certified)


def made(kind: str, n: int) -> QUBO:
    """Return a dense QUBO of some kind: even redundancies, features of thirty hidden factors, or both signs."""
    rng = np.random.default_rng(n)
    if kind == "even":
        linear, pairs = -10.0 * rng.random(n), rng.random((n, n))
    elif kind == "factors":
        loadings = rng.normal(size=(n, 30)) * rng.random((n, 1))
        pairs = (loadings @ loadings.T) ** 2
        linear, pairs = -2.0 * rng.random(n), pairs / pairs.max()
    else:
        linear, pairs = 3.0 * rng.normal(size=n), rng.normal(size=(n, n))
    pairs = np.triu(pairs, 1)
    return QUBO(linear, pairs + pairs.T)


def of_kind(kind: str, n: int, k: int | None, effort: float) -> Answer:
    """Return the minimum of a problem that is made, over subsets of k or of every size."""
    return solved(made(kind, n), k, "", effort)


def sparse(file: Path) -> QUBO:
    """Return the QUBO of a file of BiqMac's: ``n entries``, then ``i j w`` with i <= j, from 1; pairs count twice."""
    (n, _), *_ = numbers = [line.split() for line in file.read_text().splitlines() if line.strip()]
    matrix = np.zeros((int(n), int(n)))
    for i, j, weight in numbers[1:]:
        matrix[int(i) - 1, int(j) - 1] = matrix[int(j) - 1, int(i) - 1] = float(weight)
    return QUBO.from_matrix(matrix)


def from_file(file: Path, effort: float) -> Answer:
    """Return the minimum of a generic QUBO, over subsets of every size."""
    return solved(sparse(file), None, "", effort)


def windows(_: Path | None) -> Iterator[Problem]:
    """Yield thirty pixels of MNIST, for all ten digits and for each digit against the rest."""
    for digit in (None, *range(10)):
        name = ALL_DIGITS if digit is None else f"{digit} or not"
        yield Problem(name, partial(on_the_path, digit, 30), 30)


def few_bins(_: Path | None) -> Iterator[Problem]:
    """Yield the same with bins="auto", of which more pixels say something."""
    for digit in (None, *range(10)):
        name = ALL_DIGITS if digit is None else f"{digit} or not"
        yield Problem(name, partial(on_the_path, digit, 30, auto=True), 30, EFFORTS)


def pixels(_: Path | None) -> Iterator[Problem]:
    """Yield thirty pixels of MNIST at one alpha, by the paper's numbers and by some criteria."""
    for criterion, name in ((None, "the paper's numbers"), (criteria.Pairs(), "Pairs")):
        for alpha in (0.784, 0.9, 0.97):
            yield Problem(f"{name}, alpha {alpha}", partial(at_alpha, "mnist", criterion, 30, alpha), 30)
    for criterion in SOME:
        ask = partial(at_alpha, "mnist", criterion, 30, criterion.alpha(30))
        yield Problem(type(criterion).__name__, ask, 30)


def alternatives(_: Path | None) -> Iterator[Problem]:
    """Yield the ten best subsets of thirty pixels of MNIST but for the first, one to three pixels from each other."""
    for different in (1, 2, 3):
        for rank in range(2, TEN + 1):
            yield Problem(f"different={different}, rank {rank}", partial(of_rank, rank, different), 30)


def madelon(_: Path | None) -> Iterator[Problem]:
    """Yield twenty features of madelon by every criterion."""
    for criterion in EVERY:
        alpha = criterion.alpha(20)
        ask = partial(at_alpha, "madelon", criterion, 20, MADELON_ALPHA if alpha is None else alpha)
        yield Problem(type(criterion).__name__, ask, 20)


def genes(folder: Path | None) -> Iterator[Problem]:
    """Yield whole fits of tables of genes; those that are not in the folder are left out, with a line."""
    for name in GENES:
        if folder is None or not (folder / f"{name}.npz").is_file():
            print(f"left out: {name}: --data names no folder with {name}.npz", flush=True)
            continue
        for k in (10, 20, 50):
            yield Problem(name, partial(fitted, folder / f"{name}.npz", k), k)


def copies(_: Path | None) -> Iterator[Problem]:
    """Yield fits of fifty distinct columns, and of a table that repeats them."""
    for k in (10, 20, 40):
        for features in (DISTINCT, COPIED):
            name = (
                f"{features} columns" if features == DISTINCT else f"{features} columns, {DISTINCT} distinct"
            )
            yield Problem(name, partial(with_copies, features, k), k)


def sizes(_: Path | None) -> Iterator[Problem]:
    """Yield every number of pixels of MNIST from 1 to 60."""
    for k in range(1, 61):
        yield Problem(ALL_DIGITS, partial(on_the_path, None, k), k, EFFORTS)


def large(_: Path | None) -> Iterator[Problem]:
    """Yield dense problems of up to 2000 bits, most of which are out of reach: what the default effort takes then."""
    for n in (400, 1000, 2000):
        for kind in ("even", "factors", "signed"):
            for k in (20, None):
                name = f"{kind}, {n} bits" + (", every size" if k is None else "")
                yield Problem(name, partial(of_kind, kind, n, k), k)


def biqmac(folder: Path | None) -> Iterator[Problem]:
    """Yield the generic QUBOs of a folder, with the minima that its optima.txt has."""
    if folder is None:
        print("left out: biqmac: --biqmac names no folder", flush=True)
        return
    listed = folder / "optima.txt"
    lines = listed.read_text().splitlines() if listed.is_file() else []
    optima = {name: float(energy) for name, energy in (line.split() for line in lines if line.strip())}
    for file in sorted(folder.glob("*.sparse")):
        yield Problem(file.stem, partial(from_file, file), None, EFFORTS, optima.get(file.stem))


FAMILIES: dict[str, Callable[[Path | None], Iterator[Problem]]] = {
    "windows": windows,
    "auto": few_bins,
    "mnist": pixels,
    "alternatives": alternatives,
    "madelon": madelon,
    "genes": genes,
    "copies": copies,
    "sizes": sizes,
    "large": large,
    "biqmac": biqmac,
}
