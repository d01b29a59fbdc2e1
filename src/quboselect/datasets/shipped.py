"""The data set that is shipped with the package: ionosphere."""

from importlib.resources import files
from typing import Literal, overload

import numpy as np

from .dataset import XY, Dataset

_CITATION = (
    "V. G. Sigillito, S. P. Wing, L. V. Hutton and K. B. Baker, Classification of radar returns from the "
    "ionosphere using neural networks, Johns Hopkins APL Technical Digest 10 (1989), 262-266. "
    "UCI Machine Learning Repository, Ionosphere, doi:10.24432/C5W01B."
)


@overload
def load_ionosphere(*, return_X_y: Literal[False] = False) -> Dataset: ...
@overload
def load_ionosphere(*, return_X_y: Literal[True]) -> XY: ...
def load_ionosphere(*, return_X_y: bool = False) -> Dataset | XY:
    """Return the ionosphere data: 351 radar returns, 34 features, good (1) or bad (0).

    Each of 17 pulses gives a complex number, so the features come in pairs, real and imaginary part, all
    within [-1, 1]. Feature 1 is constant.

    Parameters
    ----------
    return_X_y : bool
        Return the pair ``(X, y)`` instead of a :class:`Dataset`.

    Examples
    --------
    >>> load_ionosphere()
    Dataset('ionosphere', 351 samples x 34 features, 2 classes)
    """
    with files(__package__).joinpath("ionosphere.npz").open("rb") as file, np.load(file) as arrays:
        X, y = arrays["X"], arrays["y"]
    names = tuple(f"pulse{pulse}_{part}" for pulse in range(17) for part in ("real", "imag"))
    data = Dataset("ionosphere", X, y, names, citation=_CITATION)
    return (data.X, data.y) if return_X_y else data
