"""Importance by explained variance: correlations and F statistics of numbers with the target."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..counting.bins import features_and_target, label_codes
from ..counting.correlations import (
    Explained,
    explained_by_classes,
    explained_by_line,
    mid_ranks,
    number_matrix,
)
from ..tables.target import Target

LEAST_LEFT = float(np.finfo(np.float64).eps)  # of the variance: what rounding alone leaves unexplained


@dataclass(frozen=True)
class Correlation:
    """Absolute correlation of each feature with the target, from 0 to 1, without a unit.

    For a continuous target ``|r|``, Pearson's. For classes the correlation ratio ``eta``: ``eta^2`` is the variance of
    the class means over that of the feature, ``sum_c N_c (m_c - m)^2 / sum_s (x_s - m)^2``. For two classes ``eta`` is
    ``|r|`` with the classes written as 0 and 1. A constant feature has 0.

    A missing value leaves its sample out, for that feature. Features must be numbers.

    Parameters
    ----------
    ranks : bool
        Whether to put ranks in the place of values: Spearman's correlation, which sees every monotone relation and
        is not moved by outliers. For classes ``eta`` of the ranks, whose square is Kruskal and Wallis' ``H / (N - 1)``.
        Equal values share the mean of their ranks. A feature is ranked once, over all samples that have it; the
        target over all samples.
    n_jobs : int or None
        Threads for ranking, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> X = [[1.0, 5.0], [2.0, 5.0], [4.0, 5.0], [8.0, 5.0]]
    >>> Correlation(ranks=True)(X, [0.1, 0.2, 0.3, 0.4]).tolist()
    [1.0, 0.0]
    """

    ranks: bool = False
    n_jobs: int | None = -1

    tables: ClassVar[bool] = True

    def __call__(self, X: Any, y: Any, /, *, sample_weight: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the importance of each feature, shape (n_features,), from 0 to 1.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or Table
            Numbers, NaN where missing.
        y : array of shape (n_samples,), or Target
            Labels of classes, or numbers.
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts; for a Table, which has its own, None.
        """
        return self.of_explained(explained(X, y, sample_weight, "Correlation", self.ranks, self.n_jobs))

    def of_explained(self, found: Explained, /) -> NDArray[np.float64]:
        """Return the importance of each feature, made of the variance that was explained, of values or of ranks."""
        return np.sqrt(found.share)


@dataclass(frozen=True)
class FStatistic:
    """F statistic of each feature: variance explained over variance left, each by its degrees of freedom.

    For classes that of a one-way analysis of variance, ``(between / (C - 1)) / (within / (N - C))`` with ``C`` classes;
    for a continuous target that of a regression on the feature, ``r^2 / (1 - r^2) (N - 2)``. The values of
    scikit-learn's ``f_classif`` and ``f_regression``; with weights, which those do not take, ``N`` is their sum.

    At least 0 and always finite: what is left counts as at least ``2^-52`` of the whole, which rounding alone may
    leave. A constant feature has 0, and so has every feature where no degrees of freedom are left. A missing value
    leaves its sample out, for that feature. Features must be numbers.

    Examples
    --------
    >>> FStatistic()([[1.0, 5.0], [3.0, 5.0], [5.0, 5.0], [7.0, 5.0]], ["a", "a", "b", "b"]).tolist()
    [8.0, 0.0]
    """

    tables: ClassVar[bool] = True

    def __call__(self, X: Any, y: Any, /, *, sample_weight: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the importance of each feature, shape (n_features,), at least 0.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or Table
            Numbers, NaN where missing.
        y : array of shape (n_samples,), or Target
            Labels of classes, or numbers.
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts; for a Table, which has its own, None.
        """
        return self.of_explained(explained(X, y, sample_weight, "FStatistic"))

    def of_explained(self, found: Explained, /) -> NDArray[np.float64]:
        """Return the importance of each feature, made of the variance that was explained."""
        left = np.maximum(found.left, LEAST_LEFT * (found.explained + found.left))
        some = (found.explained > 0) & (found.degrees > 0)
        ratio = found.explained / np.where(some, left, 1.0)
        return np.where(some, ratio * found.degrees / np.where(some, found.parameters, 1.0), 0.0)


def explained(
    X: Any,
    y: Any,
    sample_weight: ArrayLike | None,
    name: str,
    ranks: bool = False,
    n_jobs: int | None = -1,
) -> Explained:
    """Return how much a target and each feature explain of each other, in values or in ranks."""
    table, target = features_and_target(X, y, sample_weight)
    values, weights = number_matrix(table, name), table.weights
    values = mid_ranks(values, weights=weights, n_jobs=n_jobs) if ranks else values
    if not (isinstance(target, Target) and target.continuous):
        return explained_by_classes(values, label_codes(target).values[0], weights=weights)
    wanted = mid_ranks(target.values[:, None], weights=weights)[:, 0] if ranks else target.values
    return explained_by_line(values, wanted, weights=weights)
