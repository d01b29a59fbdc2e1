"""The one shape in which every data set arrives. Arrays flow in, a :class:`Dataset` flows out.

It stands before the table of the picture: whatever was shipped, generated or fetched becomes a ``Dataset``,
and the checksums here say that the arrays are the ones the published results rest on.
"""

import hashlib
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
        What the data set is called in the paper.
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
        Whom to cite.

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


@dataclass(frozen=True)
class Checksum:
    """The SHA-256 of ``X`` and ``y``, and the dtype in which ``X`` is hashed and handed out.

    What is hashed are the bytes of the C-contiguous array, little-endian: ``X`` in ``dtype``, ``y`` in int64.
    A negative zero counts as zero, because equal tables must have equal checksums.
    """

    dtype: str
    X: str
    y: str

    def checked(self, X: ArrayLike, y: ArrayLike, /, *, source: str) -> XY:
        """Return ``X`` and ``y`` in their dtypes, or raise ``ValueError`` if they are not the data.

        Examples
        --------
        >>> Checksum("uint8", sha256([[1]], "uint8"), sha256([2], "int64")).checked([[1]], [2], source="here")
        (array([[1]], dtype=uint8), array([2]))
        """
        with np.errstate(invalid="ignore"):  # a NaN in a table of integers is reported by the checksum
            table, labels = np.asarray(X).astype(self.dtype, copy=False), np.asarray(y).astype(np.int64)
        for name, array, expected in (("X", table, self.X), ("y", labels, self.y)):
            found = sha256(array, array.dtype.name)
            if found != expected:
                raise ValueError(
                    f"{name} from {source} is not the expected data: the SHA-256 of its {array.dtype} bytes "
                    f"should begin with {expected[:12]}, got {found[:12]} (shape {array.shape}). "
                    "Remove or replace that copy."
                )
        return table, labels


def sha256(array: ArrayLike, dtype: str, /) -> str:
    """Return the SHA-256 of an array as C-contiguous little-endian ``dtype``, in hexadecimal.

    Examples
    --------
    >>> sha256([0.0], "float64") == sha256([-0.0], "float64")
    True
    """
    data = np.ascontiguousarray(array, dtype=np.dtype(dtype).newbyteorder("<"))
    if data.dtype.kind == "f":
        data = data + 0.0  # turns -0.0 into 0.0: text files and parsers disagree on its sign
    return hashlib.sha256(data.data).hexdigest()


def _read_only(array: ArrayLike, dtype: type[np.generic] | None = None, /) -> NDArray[Any]:
    # a view, so that the caller's own array stays writable
    view = np.asarray(array, dtype=dtype).view()
    view.flags.writeable = False
    return view
