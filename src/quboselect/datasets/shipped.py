"""The data set that comes with the package. A file flows in, a :class:`Dataset` flows out."""

from importlib.resources import files
from typing import Literal, overload

import numpy as np

from .dataset import XY, Checksum, Dataset

_CHECKSUM = Checksum(
    "float64",
    X="69468e18f3a97d2ed2709a0ad1fb4263f1dbd16f658b15500513ef06ccd7af71",
    y="8e41f89b0be084f4e7f94f54ec6443d5a9a6818ae56420c408d682b3ef73a4f4",
)
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
        X, y = _CHECKSUM.checked(arrays["X"], arrays["y"], source="the package's ionosphere.npz")
    names = tuple(f"pulse{pulse}_{part}" for pulse in range(17) for part in ("real", "imag"))
    data = Dataset("ionosphere", X, y, names, citation=_CITATION)
    return (data.X, data.y) if return_X_y else data
