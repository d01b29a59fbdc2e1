"""Table: any table, read and checked once.

`as_table` reads arrays, frames, sparse matrices and weights. It leaves out samples of zero weight, refuses infinities
and integers that floats cannot tell apart, and turns text into codes, so that no measure has to check a table again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array, issparse

from .alike import alike_columns, numbers_used
from .blocks import shuffled_places
from .dates import seconds
from .feature_names import label_of, positions
from .frames import (
    Feature,
    as_frame,
    checked_numbers,
    frame_names,
    is_frame,
    plain_array,
    read_feature,
    read_values,
)

Bits = NDArray[np.bool_]
Vector = NDArray[np.float64]

NO_CATEGORIES = "use MutualInformation, encode it as numbers, or exclude it"
# Features are told apart by so many samples first.
SAMPLED = 64


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Features of samples, of any kind, with the weights of the samples. Make it with `as_table`.

    Parameters
    ----------
    source : array of shape (n_read, n_features), sparse matrix, or n_features arrays
        The values. Categories occur only in the last form, as codes from 0, -1 where missing.
    categorical : bool array of shape (n_features,)
        Which features are categories.
    boolean : bool array of shape (n_features,)
        Which of those are true and false, and so are numbers too.
    names : tuple of str, optional
    given : array of shape (n_samples,), optional
        The weights of the samples as the user gave them, positive; None is one each.
    kept_samples : int array, optional
        The samples of the source that the table consists of; None is all of them.
    labels : n_features tuples, optional
        The categories that the codes of each feature stand for, None for numbers; None where all are numbers.
    codes_by_bins : dict
        The binned features (`Codes`) for each number of bins and rule of edges that was asked for. A cache, as is the
        next, and they are the only parts of a table that change: `feature_codes` fills it, so that importance and
        redundancy bin a table once.
    counted : dict
        What was counted of it (`Information`), so that measures of the same bins count a table once.
    binned_as : float, optional
        The weight of the samples by which the number of bins is chosen, where the table keeps the bins of a larger one.
    blocks : int, optional
        How many neighbouring samples stay together where samples are shuffled or drawn; None is one by one.

    Attributes
    ----------
    n_features, n_samples : int
        The number of features, and of samples with a positive weight.
    n_read : int
        The number of samples in the source, those of zero weight included.
    weights : array of shape (n_samples,) or None
        The weights as they are counted: whole numbers as they are, others scaled to an average of one.
    """

    source: Any
    categorical: Bits
    boolean: Bits
    names: tuple[str, ...] | None = None
    given: Vector | None = None
    kept_samples: NDArray[np.intp] | None = None
    labels: tuple[tuple[Any, ...] | None, ...] | None = None
    codes_by_bins: dict[tuple[int, str], Any] = field(default_factory=dict)
    counted: dict[Any, Any] = field(default_factory=dict)
    binned_as: float | None = None
    blocks: int | None = None
    n_features: int = field(init=False)
    n_samples: int = field(init=False)
    n_read: int = field(init=False)
    weights: Vector | None = field(init=False)

    def __post_init__(self) -> None:
        source, kept = self.source, self.kept_samples
        n_read = len(source[0]) if isinstance(source, tuple) else int(source.shape[0])
        object.__setattr__(self, "n_features", int(self.categorical.size))
        object.__setattr__(self, "n_samples", n_read if kept is None else int(kept.size))
        object.__setattr__(self, "n_read", n_read)
        object.__setattr__(self, "weights", None if self.given is None else counted_weights(self.given))

    def __repr__(self) -> str:
        return f"Table({self.n_samples} samples, {self.n_features} features)"

    @property
    def binning_weight(self) -> float:
        """The weight of the samples, by which the number of bins is chosen."""
        if self.binned_as is not None:
            return self.binned_as
        return float(self.n_samples if self.weights is None else self.weights.sum())

    def label(self, i: int) -> str:
        """Return how an error names a feature: by name where it has one, else by number."""
        return label_of(int(i), self.names)

    def block(self, first: int, last: int) -> list[NDArray[Any]]:
        """Return features as contiguous arrays: numbers with NaN where missing, or codes with -1 there."""
        if isinstance(self.source, tuple):
            values = list(self.source[first:last])
            return values if self.kept_samples is None else [x[self.kept_samples] for x in values]
        part = self.source[:, first:last]
        part = part.toarray() if issparse(part) else part
        part = part if self.kept_samples is None else part[self.kept_samples]
        return list(np.ascontiguousarray(part.T))

    def matrix(self) -> NDArray[Any]:
        """Return all features as one array of numbers, NaN where missing; categories are refused."""
        wrong = np.flatnonzero(self.categorical & ~self.boolean)
        if wrong.size:
            raise ValueError(
                f"this measure needs numbers, but {self.label(wrong[0])} holds categories: {NO_CATEGORIES}."
            )
        if isinstance(self.source, tuple):
            columns = [
                np.where(x < 0, np.nan, x) if categorical and (x < 0).any() else x
                for x, categorical in zip(self.block(0, self.n_features), self.categorical, strict=True)
            ]
            return np.column_stack(columns)
        dense: NDArray[Any] = self.source.toarray() if issparse(self.source) else self.source
        return dense if self.kept_samples is None else dense[self.kept_samples]

    def samples(self, indices: NDArray[np.intp]) -> "Table":
        """Return some samples, repeats allowed, in the bins that the whole table was cut into, if it was."""
        binned = list(self.codes_by_bins.items())
        given = None if self.given is None else self.given[indices]
        kept = indices if self.kept_samples is None else self.kept_samples[indices]
        # Bins that were chosen by the number of all samples stay the bins of some.
        known = self.binning_weight if binned else None
        part = replace(self, given=given, kept_samples=kept, codes_by_bins={}, counted={}, binned_as=known)
        # Weights that are not whole have an average of one in the part too.
        for key, codes in binned:
            part.codes_by_bins[key] = replace(codes.take(indices), weights=part.weights)
        return part

    def features(self, indices: NDArray[np.intp]) -> "Table":
        """Return some of the features."""
        source = self.source
        labels = None if self.labels is None else tuple(self.labels[i] for i in indices)
        return replace(
            self,
            source=tuple(source[i] for i in indices) if isinstance(source, tuple) else source[:, indices],
            categorical=self.categorical[indices],
            boolean=self.boolean[indices],
            names=None if self.names is None else tuple(self.names[i] for i in indices),
            labels=labels,
            codes_by_bins={},
            counted={},
        )

    @cached_property
    def repeats(self) -> "Repeats | None":
        """What the table repeats; None if nothing."""
        # Features that differ at some samples are not the same, which settles most; the rest is looked at whole.
        some = np.linspace(0, self.n_samples - 1, min(self.n_samples, SAMPLED)).astype(np.intp)
        if isinstance(self.source, np.ndarray):
            leader = alike_columns(self.source, self.kept_samples, some)
        else:
            seen: dict[Any, list[int]] = {}
            for i, x in enumerate(self.samples(some).block(0, self.n_features)):
                seen.setdefault((bool(self.categorical[i]), x.dtype.str, x.tobytes()), []).append(i)
            leader = np.arange(self.n_features)
            for alike in seen.values():
                if len(alike) > 1:
                    firsts: dict[Any, int] = {}
                    for i in alike:
                        leader[i] = firsts.setdefault(whole_feature(self, i), i)
        own = leader == np.arange(leader.size)
        if own.all():
            return None
        distinct, later = np.flatnonzero(own), np.flatnonzero(~own)
        at = (np.cumsum(own) - 1)[leader]
        again, repeat, _ = numbers_used(at[later])
        second = np.arange(distinct.size)
        second[again] = distinct.size + np.arange(again.size)
        return Repeats(self.features(np.concatenate([distinct, later[repeat]])), at, second[at])

    def shuffled(self, seed: int) -> "Table":
        """Return a table in which each feature is shuffled on its own, so that no two are related."""
        rng = np.random.default_rng(seed)
        features = []
        for i in range(self.n_features):
            (x,) = self.block(i, i + 1)
            features.append(x[shuffled_places(self.n_samples, self.blocks, rng)])
        return replace(self, source=tuple(features), kept_samples=None, codes_by_bins={}, counted={})


class Repeats(NamedTuple):
    """A table without its repeated features, but for one repeat of each, and where all features are in it.

    Parameters
    ----------
    table : Table
    first, second : int arrays of shape (n,)
        For each feature the place of the first that is the same, and that of the first's repeat, if it has one.
    """

    table: Table
    first: NDArray[np.intp]
    second: NDArray[np.intp]

    def alone(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return one number for each feature, of those of the table."""
        return values[self.first]


def whole_feature(table: Table, i: int) -> tuple[Any, ...]:
    """Return what two features of one kind share only if all their values are the same."""
    (x,) = table.block(i, i + 1)
    return blake2b(x.tobytes()).digest(), None if table.labels is None else table.labels[i]


def as_table(
    X: Any, *, categorical: Any = "auto", exclude: Any = None, sample_weight: ArrayLike | None = None
) -> Table:
    """Return any table, read and checked; a `Table` is returned as it is.

    Parameters
    ----------
    X : array, pandas or polars frame, Arrow table, or sparse matrix, of shape (n_samples, n_features)
        Numbers, text, categories, true and false; dates and durations become numbers of seconds. Missing values (NaN,
        None, NA, NaT) are welcome; infinities, and integers of 2^53 and more, which floats cannot tell apart, are
        refused.
    categorical : "auto", or names, indices or a bool array of features
        Features to take as categories even if they are numbers. Text always is.
    exclude : names, indices or a bool array, optional
        Features of a frame, or of an array of objects, that are not read: they are constant in the table.
    sample_weight : array of shape (n_samples,), optional
        Not negative. Whole numbers count samples: the same as repeating them that often. Others are scaled to an
        average of one over the samples that have a positive one.

    Examples
    --------
    >>> table = as_table([["a", 1.5], ["b", None]])
    >>> table, table.categorical.tolist()
    (Table(2 samples, 2 features), [True, False])
    """
    if isinstance(categorical, str) and categorical == "auto":
        categorical = None
    if isinstance(X, Table):
        if sample_weight is not None:
            raise ValueError("sample_weight must be None where X is a Table: make the Table with it.")
        if categorical is not None:
            raise ValueError("categorical must be 'auto' where X is a Table: make the Table with it.")
        return X
    names = None
    if is_frame(X):
        read, names = _read_frame(X, categorical, exclude)
    else:
        read = _read_array(X, categorical, exclude)
    n_read = len(read[0].values) if isinstance(read, list) else read.shape[0]
    given = None if sample_weight is None else checked_sample_weight(sample_weight, n_read)
    kept = None if given is None or given.all() else np.flatnonzero(given)
    given = given if given is None or kept is None else given[kept]
    if not isinstance(read, list):
        none = np.zeros(read.shape[1], np.bool_)
        return Table(read, none, none, None, given, kept)
    return Table(
        tuple(np.ascontiguousarray(feature.values) for feature in read),
        np.array([feature.categorical for feature in read]),
        np.array([feature.boolean for feature in read]),
        names,
        given,
        kept,
        tuple(feature.labels for feature in read),
    )


def _read_frame(X: Any, categorical: Any, exclude: Any) -> tuple[list[Feature], tuple[str, ...] | None]:
    """Return the features of a frame, one by one, and their names."""
    frame = as_frame(X)
    names = frame_names(frame)
    n_samples, n = frame.shape
    if n_samples == 0 or n == 0:
        raise ValueError(_empty(frame.shape))
    chosen, left_out = set(), set()
    if categorical is not None:
        chosen = set(positions(categorical, n, names, "categorical_features").tolist())
    if exclude is not None:
        left_out = set(positions(exclude, n, names, "exclude").tolist())
    features = [
        Feature(np.zeros(n_samples, np.int8))
        if i in left_out
        else read_feature(series, i in chosen, i, names)
        for i, series in enumerate(frame.iter_columns())
    ]
    return features, names


def _read_array(X: Any, categorical: Any, exclude: Any) -> Any:
    """Return an array or a sparse matrix of numbers as it is, and anything else as a list of features."""
    X = csc_array(X) if issparse(X) else _two_dimensional(X)
    n_samples, n = X.shape
    if n_samples == 0 or n == 0:
        raise ValueError(_empty(X.shape))
    chosen, left_out = set(), set()
    if categorical is not None:
        chosen = set(positions(categorical, n, None, "categorical_features").tolist())
    if exclude is not None:
        left_out = set(positions(exclude, n, None, "exclude").tolist())
    kind = X.dtype.kind
    if kind == "c":
        raise ValueError("Complex data not supported: split complex numbers into two features.")
    if kind in "mM":
        X, kind = (X.astype(f"{kind}8[us]").astype(object), "O") if chosen else (seconds(X), "f")
    if not chosen and (kind in "uif" or issparse(X)):
        return checked_numbers(X, left_out=left_out)
    X = X.toarray() if issparse(X) else X
    if kind in "uif":
        return [
            _numeric_categories(x) if i in chosen else Feature(checked_numbers(x, i))
            for i, x in enumerate(X.T)
        ]
    if kind == "b":
        flags = np.ascontiguousarray(X.T).view(np.int8)
        return [Feature(x, True, True, (False, True)) for x in flags]
    if kind not in "OUST":
        raise ValueError(f"X must hold numbers, text, categories or true and false, got dtype {X.dtype}.")
    return [
        Feature(np.zeros(n_samples, np.int8))
        if i in left_out
        else read_values(X[:, i].tolist(), i in chosen, i)
        for i in range(n)
    ]


def _two_dimensional(X: Any) -> NDArray[Any]:
    """Return X as an array of two dimensions, or say what it should have been."""
    try:
        array = plain_array(X)
    except ValueError as error:
        raise ValueError(
            "X must be a table, with the same number of features in every sample: the rows of this list differ."
        ) from error
    if array.ndim != 2:
        first = array.flat[0] if array.size else None
        if array.ndim == 0 or isinstance(first, Mapping) or array.dtype.names:
            raise ValueError(
                f"X must be a table, two-dimensional (n_samples, n_features), got {type(X).__name__}. Reshape your "
                "data: pandas.DataFrame(X) may make a table of it."
            )
        raise ValueError(
            f"X must be two-dimensional (n_samples, n_features), got shape {array.shape}. Reshape your data: pass a "
            "single feature as x[:, None]."
        )
    return array.astype(np.float64) if array.dtype == np.longdouble else array


def _numeric_categories(x: NDArray[Any]) -> Feature:
    """Return a feature of which each number is a category of its own."""
    missing = np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.size, np.bool_)
    codes = np.full(x.size, -1, np.int32)
    present, codes[~missing] = np.unique(x[~missing], return_inverse=True)
    return Feature(codes, True, labels=tuple(present.tolist()))


def _empty(shape: tuple[int, ...]) -> str:
    """Return the message for a table without samples or features, in scikit-learn's words."""
    what = f"{shape[0]} sample(s)" if shape[0] == 0 else f"{shape[1]} feature(s)"
    return f"X has {what} (shape={shape}) while a minimum of 1 is required."


def checked_sample_weight(sample_weight: ArrayLike, n_samples: int, *, batch: bool = False) -> Vector:
    """Return weights as floats, zeros included, or say what is wrong with them; those of a batch may all be zero."""
    given = plain_array(sample_weight)
    try:
        if given.dtype.kind not in "buifO":
            raise TypeError(f"got {given.dtype}")
        weights: Vector = given.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must be numbers, one for each sample ({error}).") from error
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must be {n_samples} numbers, one for each sample, got shape {weights.shape}."
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        i = int((~(np.isfinite(weights) & (weights >= 0))).argmax())
        raise ValueError(f"sample_weight must be finite and not negative, but sample {i} has {weights[i]}.")
    if not weights.any() and not batch:
        raise ValueError("sample_weight must not be zero for every sample: no sample would be left.")
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise ValueError("sample_weight must have a finite sum: scale the weights down.")
    return weights


def counted_weights(weights: Vector) -> Vector | None:
    """Return positive weights as they are counted; None where each sample counts once.

    Whole numbers count samples. Others have no scale, and get an average of one.

    Examples
    --------
    >>> weights = np.array([1.0, 3.0])
    >>> counted_weights(weights), counted_weights(weights / 10), counted_weights(np.array([0.2, 0.2]))
    (array([1., 3.]), array([0.5, 1.5]), None)
    """
    if (weights == np.floor(weights)).all():
        return None if (weights == 1.0).all() else weights
    if (weights == weights[0]).all():
        return None
    # Beside the heaviest the lightest may be as good as nothing, but it is there.
    scaled: Vector = np.maximum(weights / weights.mean(), np.finfo(np.float64).tiny)
    return scaled
