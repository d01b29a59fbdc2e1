"""The problems of the solver benchmark: QUBOs of feature selection, and generic ones made by published recipes.

Feature selection: mutual information in bits over B = 20 quantile bins, by this library's own measures. Generic:
integers drawn with stated seeds, made as Beasley's and Palubeckis' sets are. Data sets that are not to be had are
left out, and `load` says which and why.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from paper_data import IMPORTANCE, REDUNDANCY, DatasetUnavailable, madelon, mnist, waveform
from sklearn.datasets import load_digits

from quboselect import QUBO, Tradeoff
from quboselect.datasets import load_ionosphere, make_synth

SYNTH_SEED = 0
# The middle of the window in which 20 features are optimal on madelon's path: alpha_path(tradeoff, k=20).
MADELON_ALPHA = 0.9948
# Seconds that one heuristic may spend on one instance, all its runs together.
LITTLE, SOME, MUCH = 1.0, 3.0, 5.0


@dataclass(frozen=True)
class Instance:
    """A problem: its QUBO, the size the method asks for (if any), and how much time it is worth."""

    name: str
    qubo: QUBO
    k: int | None = None
    seconds: float = LITTLE
    exact: bool = False


@cache
def tradeoff(name: str) -> Tradeoff:
    """Return I and R of a data set, in the paper's 20 quantile bins."""
    X, y = DATA[name]()
    codes = REDUNDANCY.codes(X)
    return Tradeoff(IMPORTANCE(codes, y), REDUNDANCY(codes))


DATA: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "ionosphere": lambda: load_ionosphere(return_X_y=True),
    "waveform": lambda: (waveform().X, waveform().y),
    "synth_10": lambda: make_synth(10, 4, seed=SYNTH_SEED, return_X_y=True),
    "synth_100": lambda: make_synth(100, 10, seed=SYNTH_SEED, return_X_y=True),
    "madelon": lambda: (madelon().X, madelon().y),
    "digits": lambda: load_digits(return_X_y=True),
    "mnist": lambda: (mnist().X, mnist().y),
}


def generic(n: int, density: float, seed: int) -> QUBO:
    """Return the minimisation of ``-x' M x``, M symmetric with integers from -100 to 100.

    The diagonal is full; each pair is there with the given probability. Beasley's sets maximise such forms at a
    density of 10 % (n up to 2500), Palubeckis' at 50 to 100 % (n from 3000).
    """
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(-100, 101, (n, n)), 1) * (rng.random((n, n)) < density)
    return QUBO.from_matrix(-(upper + upper.T + np.diag(rng.integers(-100, 101, n))).astype(float))


def of_paper() -> Iterator[Instance]:
    """Yield the problems of the paper's hardware experiments, each at the alpha of its k."""
    for name, alpha, k in (("synth_10", 0.875, 4), ("ionosphere", 0.90625, 5), ("waveform", 0.78125, 5)):
        yield Instance(name, tradeoff(name).at(alpha), k, exact=True)


def of_synth_100() -> Iterator[Instance]:
    """Yield a table of 100 features, 10 of them informative; 10 are optimal at 0.988."""
    for alpha, k in ((0.9, None), (0.988, 10), (0.998, None)):
        yield Instance(f"synth_100 {alpha:g}", tradeoff("synth_100").at(alpha), k, exact=True)


def of_digits() -> Iterator[Instance]:
    """Yield scikit-learn's digits over the whole range of alpha; every third one is tried for a proof."""
    for step in range(1, 20):
        alpha = round(0.05 * step, 2)
        yield Instance(f"digits {alpha:.2f}", tradeoff("digits").at(alpha), exact=step % 3 == 2)


def of_madelon() -> Iterator[Instance]:
    """Yield madelon where 20 features are optimal, as many as are informative."""
    yield Instance("madelon", tradeoff("madelon").at(MADELON_ALPHA), 20, MUCH, exact=True)


def of_mnist() -> Iterator[Instance]:
    """Yield all ten classes; then each digit against the rest, its importance being MI with 1[y == d]."""
    whole = tradeoff("mnist")
    yield Instance("mnist 0.784", whole.at(0.784), 30, MUCH, exact=True)
    yield Instance("mnist 0.600", whole.at(0.6), None, MUCH, exact=True)
    codes = IMPORTANCE.codes(mnist().X)
    for digit in range(10):
        one = Tradeoff(IMPORTANCE(codes, mnist().y == digit), whole.redundancy)
        for alpha in (0.96, 0.9):
            yield Instance(
                f"mnist digit {digit}, {alpha:.2f}",
                one.at(alpha),
                None,
                SOME,
                exact=digit == 0 and alpha == 0.96,
            )


def of_beasley() -> Iterator[Instance]:
    """Yield sparse generic QUBOs, seed n."""
    for n in (100, 250, 500):
        seconds = {100: LITTLE, 250: SOME}.get(n, MUCH)
        yield Instance(f"beasley {n}", generic(n, 0.1, n), None, seconds, exact=n == 100)


def of_palubeckis() -> Iterator[Instance]:
    """Yield dense generic QUBOs, seed n plus the density in per cent."""
    for n, density in ((500, 0.5), (500, 1.0), (1000, 1.0)):
        percent = round(100 * density)
        yield Instance(f"palubeckis {n}, {percent} %", generic(n, density, n + percent), None, MUCH)


FAMILIES: dict[str, Callable[[], Iterator[Instance]]] = {
    "paper": of_paper,
    "synth_100": of_synth_100,
    "digits": of_digits,
    "madelon": of_madelon,
    "mnist": of_mnist,
    "beasley": of_beasley,
    "palubeckis": of_palubeckis,
}
QUICK = {"synth_10", "ionosphere", "synth_100 0.988", "digits 0.70", "digits 0.85", "beasley 100"}


def load(quick: bool = False) -> Iterator[Instance]:
    """Yield the instances one after the other; those whose data cannot be had are left out, with a line."""
    for family, instances in FAMILIES.items():
        if quick and family in ("madelon", "mnist", "palubeckis"):
            continue
        try:
            for instance in instances():
                if not quick or instance.name in QUICK:
                    yield instance
        except DatasetUnavailable as reason:
            print(f"left out from here on: {family}: {reason}", flush=True)
