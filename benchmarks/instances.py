"""The problems of the solver benchmark: QUBOs of feature selection, and generic ones made by published recipes.

Feature selection: mutual information in bits over B = 20 quantile bins, by this library's own measures. Generic:
integers drawn with stated seeds, made as Beasley's and Palubeckis' sets are. Data sets that are not to be had are
left out, and `load` says which and why.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn.datasets import load_digits

from quboselect import QUBO, Tradeoff, importance, redundancy
from quboselect.datasets import fetch_madelon, fetch_mnist, fetch_waveform, load_ionosphere, make_synth

SYNTH_SEED = 0
# The middle of the window in which 20 features are optimal on madelon's path: alpha_path(tradeoff, k=20).
MADELON_ALPHA = 0.0  # set below
# Seconds that one heuristic may spend on one instance, all its runs together.
LITTLE, SOME, MUCH = 1.0, 3.0, 6.0


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
    """Return I and R of a data set, B = 20."""
    X, y = DATA[name]()
    codes = redundancy.MutualInformation().codes(X)
    return Tradeoff(importance.MutualInformation()(codes, y), redundancy.MutualInformation()(codes))


DATA: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "ionosphere": lambda: load_ionosphere(return_X_y=True),
    "waveform": lambda: fetch_waveform(return_X_y=True),
    "synth_10": lambda: make_synth(10, 4, seed=SYNTH_SEED, return_X_y=True),
    "synth_100": lambda: make_synth(100, 10, seed=SYNTH_SEED, return_X_y=True),
    "madelon": lambda: fetch_madelon(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "mnist": lambda: fetch_mnist(return_X_y=True),
}
