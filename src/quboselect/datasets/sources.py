"""Where the large data sets are found. A folder or OpenML flows in, arrays with the right checksum flow out.

Looked for in this order: the folder named by the environment variable ``QUBOSELECT_DATA``; ``shared/data``
beside a source checkout; OpenML, whose answers scikit-learn keeps on disk. A folder holds ``mnist.npz``,
``madelon.npz`` and ``waveform.npz``, each with the arrays ``X`` and ``y``.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from ..errors import DatasetUnavailable
from .dataset import XY, Checksum

Arrays = tuple[NDArray[Any], NDArray[Any]]


def _as_sent(X: NDArray[Any], y: NDArray[Any], /) -> Arrays:
    return X, y


def _madelon_training(X: NDArray[Any], y: NDArray[Any], /) -> Arrays:
    start = [485, 477, 537, 479, 452]
    if X[0, :5].tolist() != start:
        raise ValueError(
            "OpenML data set 1485 should begin with the MADELON training set, whose first sample starts with "
            f"{start}, got {X[0, :5].tolist()}."
        )
    # OpenML renames the classes; the first sample is known to be of class -1, whatever that is called there
    return X[:2000], np.where(y[:2000] == y[0], -1, 1)


def _waveform_of_paper(X: NDArray[Any], y: NDArray[Any], /) -> Arrays:
    # the file has two decimals; a fast parser may miss the nearest float by one unit in the last place
    return np.round(X[:, :21].astype(np.float64), 2), y


@dataclass(frozen=True)
class Source:
    """A data set's file name and OpenML number, its checksum, and what turns OpenML's form into the file's.

    Examples
    --------
    >>> MNIST.name, MNIST.data_id, MNIST.checksum.dtype
    ('mnist', 554, 'uint8')
    """

    name: str
    data_id: int
    checksum: Checksum
    converted: Callable[[NDArray[Any], NDArray[Any]], Arrays] = _as_sent

    def arrays(self) -> XY:
        """Return ``X`` and ``y``.

        Raises
        ------
        DatasetUnavailable
            No folder has the file, and OpenML did not answer.
        ValueError
            What was found is not the expected data.
        """
        file = f"{self.name}.npz"
        for folder in folders():
            if (folder / file).is_file():
                return self.checksum.checked(*_stored(folder / file), source=str(folder / file))
        try:
            X, y = _downloaded(self.data_id)
        except (OSError, HTTPException, ValueError) as error:  # OpenML's own complaints are ValueErrors
            places = " and ".join(map(str, folders())) or "no folder"
            unset = "" if os.environ.get("QUBOSELECT_DATA") else " (QUBOSELECT_DATA is not set)"
            raise DatasetUnavailable(
                f"{file} was looked for in {places}{unset} and not found, and data set {self.data_id} "
                f"could not be fetched from OpenML: {error}. "
                f"Set QUBOSELECT_DATA to a folder that holds {file}, or connect to the network."
            ) from error
        return self.checksum.checked(*self.converted(X, y), source=f"OpenML data set {self.data_id}")


def folders() -> list[Path]:
    """Return the folders that are looked into, first to last; they need not exist.

    Examples
    --------
    >>> all(isinstance(folder, Path) for folder in folders())
    True
    """
    named = os.environ.get("QUBOSELECT_DATA")
    places = [Path(named).expanduser()] if named else []
    source = Path(__file__).resolve().parents[2]
    # only a checkout keeps the package in "src"; the neighbours of site-packages are none of our business
    if source.name == "src":
        places.append(source.parents[1] / "shared" / "data")
    return places


def _stored(path: Path, /) -> Arrays:
    wanted = f"{path} should be a NumPy .npz file with the arrays X and y"
    try:
        with path.open("rb") as file:  # np.load leaves a path open when its content is broken
            arrays = np.load(file, allow_pickle=False)
            if isinstance(arrays, np.lib.npyio.NpzFile) and {"X", "y"} <= set(arrays.files):
                return arrays["X"], arrays["y"]
    except (OSError, ValueError, BadZipFile) as error:
        raise ValueError(f"{wanted}; it cannot be read: {error}") from error
    names = ", ".join(getattr(arrays, "files", ["a single array without a name"])) or "nothing"
    raise ValueError(f"{wanted}; it holds {names}.")


def _downloaded(data_id: int, /) -> Arrays:
    from sklearn.datasets import fetch_openml

    # scikit-learn chooses pandas, the faster parser by far, and fails where it is not installed
    parser = "pandas" if find_spec("pandas") else "liac-arff"
    X, y = fetch_openml(data_id=data_id, as_frame=False, return_X_y=True, parser=parser)
    return np.asarray(X), np.asarray(y)


MNIST = Source(
    "mnist",
    554,
    Checksum(
        "uint8",
        X="5b92582eb909c82a9bfefcd44acbe9233be3eb5b419a44cf211022ad2bf4bf96",
        y="818800b46032126b329f9306cb69a6842cc53ea30318374769bb6f46cc861467",
    ),
)
MADELON = Source(
    "madelon",
    1485,
    Checksum(
        "float64",
        X="795b67c6656c15833b3d450d335f74c08f07a97355c31c4e8d8bc55d8f8cf02b",
        y="5f8aa1daea0553deab4fd0c6ff30dc324547cf47e9c3c8a71386537fe8bb51e9",
    ),
    _madelon_training,
)
WAVEFORM = Source(
    "waveform",
    60,
    Checksum(
        "float64",
        X="6be7868804006d528dfea148920e5f70b328ec7641b8b1e35d356eee652fd962",
        y="c1a906e252c7974f41b5f48975b0f9e69177903ff36ad4d023735e8e484c423b",
    ),
    _waveform_of_paper,
)
