"""Data sets too large to ship. Verified arrays flow in from a folder or OpenML, a :class:`Dataset` flows out.

Where the arrays are looked for, and how they are checked, stands in :mod:`quboselect.datasets.sources`.
"""

from typing import Literal, overload

import numpy as np

from .dataset import XY, Dataset
from .generated import BREIMAN, WAVEFORM_INFORMATIVE, WAVEFORM_NAMES
from .sources import MADELON, MNIST, WAVEFORM

# The five features the label was made from and their fifteen linear combinations.
_MADELON_INFORMATIVE = np.array(
    [28, 48, 64, 105, 128, 153, 241, 281, 318, 336, 338, 378, 433, 442, 451, 453, 455, 472, 475, 493]
)


@overload
def fetch_mnist(*, return_X_y: Literal[False] = False) -> Dataset: ...
@overload
def fetch_mnist(*, return_X_y: Literal[True]) -> XY: ...
def fetch_mnist(*, return_X_y: bool = False) -> Dataset | XY:
    """Return MNIST: 70 000 handwritten digits of 28 x 28 pixels from 0 to 255, as uint8.

    The first 60 000 are the training images. The paper divides by 255, which changes no quantile bin.

    Parameters
    ----------
    return_X_y : bool
        Return the pair ``(X, y)`` instead of a :class:`Dataset`.

    Examples
    --------
    >>> fetch_mnist()  # doctest: +SKIP
    Dataset('mnist', 70000 samples x 784 features, 10 classes)
    """
    names = tuple(f"pixel_{row}_{column}" for row in range(28) for column in range(28))
    data = Dataset(
        "mnist",
        *MNIST.arrays(),
        names,
        citation="Y. LeCun, C. Cortes and C. J. C. Burges, MNIST handwritten digit database, 2010.",
    )
    return (data.X, data.y) if return_X_y else data


@overload
def fetch_madelon(*, return_X_y: Literal[False] = False) -> Dataset: ...
@overload
def fetch_madelon(*, return_X_y: Literal[True]) -> XY: ...
def fetch_madelon(*, return_X_y: bool = False) -> Dataset | XY:
    """Return the training set of MADELON: 2000 samples, 500 features of which 20 inform, labels -1 and 1.

    Parameters
    ----------
    return_X_y : bool
        Return the pair ``(X, y)`` instead of a :class:`Dataset`.

    Examples
    --------
    >>> fetch_madelon()  # doctest: +SKIP
    Dataset('madelon', 2000 samples x 500 features (20 informative), 2 classes)
    """
    data = Dataset(
        "madelon",
        *MADELON.arrays(),
        tuple(f"x{feature}" for feature in range(500)),
        _MADELON_INFORMATIVE,
        "I. Guyon, S. Gunn, A. Ben-Hur and G. Dror, Result analysis of the NIPS 2003 feature selection "
        "challenge, NIPS 17 (2004). UCI Machine Learning Repository, Madelon, doi:10.24432/C5602H.",
    )
    return (data.X, data.y) if return_X_y else data


@overload
def fetch_waveform(*, return_X_y: Literal[False] = False) -> Dataset: ...
@overload
def fetch_waveform(*, return_X_y: Literal[True]) -> XY: ...
def fetch_waveform(*, return_X_y: bool = False) -> Dataset | XY:
    """Return the waveforms of the paper: the first 21 features of UCI's waveform-5000 (version 2).

    See :func:`make_waveform` for how they came about; the other 19 features of version 2 are pure noise.

    Parameters
    ----------
    return_X_y : bool
        Return the pair ``(X, y)`` instead of a :class:`Dataset`.

    Examples
    --------
    >>> fetch_waveform()  # doctest: +SKIP
    Dataset('waveform', 5000 samples x 21 features (19 informative), 3 classes)
    """
    data = Dataset(
        "waveform",
        *WAVEFORM.arrays(),
        WAVEFORM_NAMES,
        WAVEFORM_INFORMATIVE,
        f"{BREIMAN} UCI Machine Learning Repository, Waveform Database Generator (Version 2), "
        "doi:10.24432/C56014.",
    )
    return (data.X, data.y) if return_X_y else data
