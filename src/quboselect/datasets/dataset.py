"""Dataset: what every function of `quboselect.datasets` returns. A table, its labels, and where they come from."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Labels = NDArray[np.int64]
XY = tuple[NDArray[Any], Labels]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table, its labels, and what is known about them.

    Parameters
    ----------
    name : str
        Name of the data set in the paper.
    X : array of shape (samples, features)
        The table; read-only.
    y : array of int64, shape (samples,)
        The class of each sample; read-only.
    feature_names : tuple of str
        One name for each feature.
    informative : array of int64 or None
        The features, counted from 0 and ascending, that carry information about ``y``, where that is known
        from how the data were made; read-only.
    citation : str
        The publication to cite.

    Examples
    --------
    >>> Dataset("xor", [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], ("a", "b"))
    Dataset('xor', 4 samples x 2 features, 2 classes)
    """

    name: str
    X: NDArray[Any]
    y: Labels
    feature_names: tuple[str, ...]
    informative: Labels | None = None
    citation: str = ""

    def __post_init__(self) -> None:
        X, y = _read_only(self.X), _read_only(self.y, np.int64)
        if X.ndim != 2:
            raise ValueError(f"X must be a table (samples, features), got an array of shape {X.shape}.")
        samples, n = X.shape
        if y.shape != (samples,):
            raise ValueError(f"y must hold one label for each of the {samples} samples, got shape {y.shape}.")
        if len(self.feature_names) != n:
            raise ValueError(
                f"feature_names must hold a name for each of the {n} features, got {len(self.feature_names)}."
            )
        # a frozen dataclass leaves no other way to normalise its own fields
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "y", y)
        object.__setattr__(self, "feature_names", tuple(self.feature_names))
        if self.informative is not None:
            object.__setattr__(self, "informative", _read_only(self.informative, np.int64))

    def __repr__(self) -> str:
        samples, n = self.X.shape
        known = "" if self.informative is None else f" ({len(self.informative)} informative)"
        classes = np.unique(self.y).size
        return f"Dataset({self.name!r}, {samples} samples x {n} features{known}, {classes} classes)"


def _read_only(array: ArrayLike, dtype: type[np.generic] | None = None, /) -> NDArray[Any]:
    # a view, so that the caller's own array stays writable
    view = np.asarray(array, dtype=dtype).view()
    view.flags.writeable = False
    return view
