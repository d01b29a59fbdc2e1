"""The tables of the downstream benchmark: 22 real ones, how they are read, cut, split and given to whom.

A table is looked for in the folder ``QUBOSELECT_DATA`` and in the one above it, as ``name.npz`` (X and y) or as
``name.csv.gz``; then it comes from scikit-learn, from this library, or from OpenML. OpenML has not all of them, and
some under other names; its answers have not been tried.

Mixed tables are frames. Our selectors get them as they are, with missing values. Others get numbers: medians and
most frequent values for what is missing, and ordinal codes for categories. Models get the same, but categories one-hot.
All of this is learnt from the training part.
"""

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from quboselect.datasets import load_ionosphere

SEED = 0
FOLDS = 5
SIZES = (5, 10, 20)
CHOSEN, REPORTED = "chosen on", "reported on"
# In alphabetical order every second one: defaults may be chosen on one half, and are then reported on the other.
HALVES = {
    "adult": CHOSEN,
    "breast_cancer": REPORTED,
    "colon": CHOSEN,
    "diabetes": REPORTED,
    "digits": CHOSEN,
    "german": REPORTED,
    "GLIOMA": CHOSEN,
    "housing": REPORTED,
    "ionosphere": CHOSEN,
    "Isolet": REPORTED,
    "leukemia": CHOSEN,
    "lung_small": REPORTED,
    "lymphoma": CHOSEN,
    "madelon": REPORTED,
    "mnist": CHOSEN,
    "oil-spill": REPORTED,
    "PCMAC": CHOSEN,
    "TOX-171": REPORTED,
    "warpAR10P": CHOSEN,
    "waveform": REPORTED,
    "wine": CHOSEN,
    "winequality-white": REPORTED,
}
FEATURES = {
    "adult": 14,
    "breast_cancer": 30,
    "colon": 2000,
    "diabetes": 10,
    "digits": 64,
    "german": 20,
    "GLIOMA": 4434,
    "housing": 13,
    "ionosphere": 34,
    "Isolet": 617,
    "leukemia": 7070,
    "lung_small": 325,
    "lymphoma": 4026,
    "madelon": 500,
    "mnist": 784,
    "oil-spill": 49,
    "PCMAC": 3289,
    "TOX-171": 5748,
    "warpAR10P": 2400,
    "waveform": 21,
    "wine": 13,
    "winequality-white": 11,
}
REGRESSION = ("diabetes", "housing", "winequality-white")
# Larger tables are cut to so many samples, drawn with SEED, classes in proportion.
# The Isolet of OpenML is five times the file, and is cut to its size.
MOST = {"adult": 5000, "Isolet": 1560, "mnist": 4000, "waveform": 2500, "winequality-white": 2500}
# The target column of a csv.
TARGETS = {
    "adult": "income",
    "german": "class",
    "oil-spill": "spill",
    "housing": "MEDV",
    "winequality-white": "quality",
}
SHIPPED: dict[str, Callable[[], Any]] = {
    "breast_cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "diabetes": lambda: datasets.load_diabetes(return_X_y=True),
    "digits": lambda: datasets.load_digits(return_X_y=True),
    "ionosphere": lambda: load_ionosphere(return_X_y=True),
    "wine": lambda: datasets.load_wine(return_X_y=True),
}
# Name and version there, of those that are the same table. The others are in the ASU feature selection repository.
OPENML = {
    "adult": ("adult", 2),
    "german": ("credit-g", 1),
    "oil-spill": ("oil_spill", 1),
    "housing": ("boston", 1),
    "winequality-white": ("wine-quality-white", 1),
    "Isolet": ("isolet", 1),
    "madelon": ("madelon", 1),
    "mnist": ("mnist_784", 1),
    "waveform": ("waveform-5000", 1),
}


class TableMissing(OSError):
    """A table is in no folder, and OpenML has it not or did not answer."""


@dataclass(frozen=True)
class Table:
    """A table: an array, or a frame if it is mixed; the target; and whether that is classes or numbers."""

    name: str
    X: Any
    y: np.ndarray
    task: str

    @property
    def n(self) -> int:
        return self.X.shape[1]

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(k for k in SIZES if k < self.n)

    @property
    def mixed(self) -> bool:
        return isinstance(self.X, pd.DataFrame)

    def rows(self, samples: np.ndarray) -> Any:
        return self.X.iloc[samples] if self.mixed else self.X[samples]

    def columns(self, features: np.ndarray, samples: np.ndarray) -> Any:
        """Return some features of some samples, in the order of the table."""
        features = np.sort(features)
        return self.X.iloc[samples, features] if self.mixed else self.X[np.ix_(samples, features)]

    @cached_property
    def splits(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the samples of each fold, to train on and to test on."""
        kind = KFold if self.task == "regression" else StratifiedKFold
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # lymphoma has classes of two samples
            return list(kind(FOLDS, shuffle=True, random_state=SEED).split(np.zeros(len(self.y)), self.y))


def folders() -> list[Path]:
    given = os.environ.get("QUBOSELECT_DATA")
    return [Path(given), Path(given).parent] if given else []


def from_file(name: str) -> tuple[Any, Any] | None:
    """Return X and y of a file, or None if there is none."""
    for folder in folders():
        if (path := folder / f"{name}.npz").exists():
            with np.load(path) as arrays:
                return arrays["X"], arrays["y"]
        if (path := folder / f"{name}.csv.gz").exists():
            frame = pd.read_csv(path, na_values="?", skipinitialspace=True)
            return frame.drop(columns=TARGETS[name]), frame[TARGETS[name]]
    return None


def from_openml(name: str) -> tuple[Any, Any]:
    if name not in OPENML:
        raise TableMissing(
            f"{name}: no file in {folders() or 'QUBOSELECT_DATA, which is not set'}, and OpenML has it not"
        )
    called, version = OPENML[name]
    try:
        X, y = datasets.fetch_openml(called, version=version, as_frame=True, return_X_y=True, parser="auto")
    except (
        Exception
    ) as error:  # no network, no such table, a changed format: whatever it is, this table is missing
        raise TableMissing(f"{name}: no file, and OpenML says {type(error).__name__}: {error}") from error
    return (X.iloc[:, :21] if name == "waveform" else X), y  # the paper's: without the columns of noise


@cache
def load(name: str) -> Table:
    """Return a table by name; raises TableMissing."""
    X, y = from_file(name) or (SHIPPED[name]() if name in SHIPPED else from_openml(name))
    if X.shape[1] != FEATURES[name]:
        raise TableMissing(f"{name}: it has {FEATURES[name]} features, but what was found has {X.shape[1]}")
    task = "regression" if name in REGRESSION else "classes"
    y = np.asarray(y, float) if task == "regression" else np.unique(np.asarray(y), return_inverse=True)[1]
    X = X.reset_index(drop=True) if isinstance(X, pd.DataFrame) else X
    if len(y) > MOST.get(name, len(y)):
        classes = y if task == "classes" else None
        keep, _ = train_test_split(
            np.arange(len(y)), train_size=MOST[name], random_state=SEED, stratify=classes
        )
        X, y = (X.iloc[keep].reset_index(drop=True) if isinstance(X, pd.DataFrame) else X[keep]), y[keep]
    mixed = isinstance(X, pd.DataFrame) and any(is_category(X[column]) for column in X)
    X = X if mixed else np.asarray(X, float)
    return Table(name, X, y, task)


def is_category(column: pd.Series) -> bool:
    return not pd.api.types.is_numeric_dtype(column.dtype)


def filled(train: pd.Series, *parts: pd.Series) -> list[pd.Series]:
    """Return parts of a column, with the middle of the training part where values are missing."""
    middle = train.mode().iloc[0] if is_category(train) else train.median()
    return [part.fillna(middle) for part in (train, *parts)]


def numbers_of(train: Any) -> np.ndarray:
    """Return a training part as others get it: numbers, categories as ordinal codes."""
    if not isinstance(train, pd.DataFrame):
        return train
    columns = [filled(train[name])[0] for name in train]
    coded = [np.unique(c.astype(str), return_inverse=True)[1] if is_category(c) else c for c in columns]
    return np.column_stack(coded).astype(float)


def design(train: Any, test: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return both parts as models get them: categories one-hot, new ones all zero."""
    if not isinstance(train, pd.DataFrame):
        return train, test
    both: tuple[list, list] = ([], [])
    for name in train:
        parts = filled(train[name], test[name])
        if is_category(parts[0]):
            known = np.unique(parts[0].astype(str))
            parts = [np.asarray(part.astype(str))[:, None] == known for part in parts]
        for columns, part in zip(both, parts, strict=True):
            columns.append(np.asarray(part, float).reshape(len(part), -1))
    return np.hstack(both[0]), np.hstack(both[1])
