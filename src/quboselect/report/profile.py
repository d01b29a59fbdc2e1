"""The profile of a table for a report: of each column the missing share, the number of values, and counts of them.

Only counts leave the table. Bins have no edges in it, as the ends of a range are values of samples, and a category is
named only where many samples have it.
"""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from ..tables.feature_names import positions
from ..tables.table import Table, as_table
from ..tables.target import as_target
from .facts import MOST_COUNTS, FeatureProfile, TableProfile

# A category of fewer samples is not named: it could be somebody's.
LEAST_NAMED = 10
# Numbers beyond these quantiles count in the first and the last bin, so that one of them does not flatten the others.
LOW, HIGH = 0.01, 0.99
OTHER = "other"
# Features that are read at a time.
BLOCK = 64


def table_profile(
    X: Any, y: Any = None, *, categorical: Any = "auto", exclude: Any = None, target_type: str = "auto"
) -> TableProfile:
    """Return what the columns of a table hold, as counts alone.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        As given to ``SelectQUBO.fit``.
    y : array or series of shape (n_samples,), optional
        As given to ``SelectQUBO.fit``.
    categorical : "auto", or names, indices or a bool array
        As ``categorical_features`` of the selector.
    exclude : names, indices or a bool array, optional
        As in the selector: these columns are not read, and have no profile.
    target_type : "auto", "classes" or "continuous"
        As in the selector.

    Examples
    --------
    >>> profile = table_profile([[1.0, "a"]] * 10 + [[2.0, "a"]] * 9 + [[None, "b"]], [0] * 20)
    >>> profile.features[0]
    FeatureProfile(missing=0.05, distinct=2, counts=(10, 9), labels=())
    >>> profile.features[1]
    FeatureProfile(missing=0.0, distinct=2, counts=(19, 1), labels=('a', 'other'))
    """
    table = as_table(X, categorical=categorical, exclude=exclude)
    n, names = table.n_features, table.names
    left_out = set() if exclude is None else {*positions(exclude, n, names, "exclude").tolist()}
    found: list[FeatureProfile | None] = []
    for first in range(0, n, BLOCK):
        for i, x in enumerate(table.block(first, first + BLOCK), first):
            found.append(None if i in left_out else column_profile(x, _labels(table, i)))
    return TableProfile(table.n_samples, tuple(found), None if y is None else target_profile(y, target_type))


def target_profile(y: Any, target_type: str = "auto") -> FeatureProfile:
    """Return the profile of a target: of classes, or of numbers.

    Parameters
    ----------
    y : array or series of shape (n_samples,)
    target_type : "auto", "classes" or "continuous"
    """
    with warnings.catch_warnings():
        # The fit has warned.
        warnings.simplefilter("ignore")
        target = as_target(y, target_type)
    if target.continuous:
        return column_profile(target.values, None)
    classes, codes = np.unique(target.values, return_inverse=True)
    return column_profile(codes.astype(np.int64), tuple(map(str, classes.tolist())))


def column_profile(x: npt.NDArray[Any], labels: tuple[str, ...] | None) -> FeatureProfile:
    """Return the profile of numbers, NaN where missing, or of codes of categories, -1 where missing.

    Parameters
    ----------
    x : array of shape (n_samples,)
    labels : tuple of str, or None
        The names of the categories; None for numbers.
    """
    missing = (
        x < 0 if labels is not None else np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.size, np.bool_)
    )
    present, share = x[~missing], float(missing.mean())
    if labels is not None:
        return FeatureProfile(share, *_category_counts(np.bincount(present, minlength=len(labels)), labels))
    values, counts = np.unique(present, return_counts=True)
    if values.size <= MOST_COUNTS:
        return FeatureProfile(share, int(values.size), tuple(counts.tolist()))
    low, high = np.quantile(present, [LOW, HIGH])
    if low == high:  # nearly all are one value
        low, high = values[0], values[-1]
    bins, _ = np.histogram(np.clip(present.astype(np.float64), low, high), MOST_COUNTS, (low, high))
    return FeatureProfile(share, int(values.size), tuple(bins.tolist()))


def _category_counts(
    counts: npt.NDArray[np.intp], labels: tuple[str, ...]
) -> tuple[int, tuple[int, ...], tuple[str, ...]]:
    """Return how many categories there are, and the counts and names of the most frequent and of the rest as one."""
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > 0]
    named = order[counts[order] >= LEAST_NAMED][:MOST_COUNTS]
    if named.size < order.size:
        named = named[: MOST_COUNTS - 1]
    rest = int(counts.sum() - counts[named].sum())
    shown = tuple(counts[named].tolist()) + ((rest,) if rest else ())
    return int(order.size), shown, (*(labels[i] for i in named), *([OTHER] if rest else []))


def _labels(table: Table, i: int) -> tuple[str, ...] | None:
    """Return the names of the categories of a feature, or None where it holds numbers."""
    if not table.categorical[i] or table.labels is None:
        return None
    return tuple(map(str, table.labels[i] or ()))
