"""Redundancy by correlation: the absolute correlation of each pair of numeric features."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..counting.bins import Codes
from ..counting.correlations import correlations, mid_ranks, number_matrix
from ..tables.table import as_table
from .pairs import CorrelationPairs
from .rows import Rows


@dataclass(frozen=True)
class Correlation:
    """Absolute correlation of each pair of features, from 0 to 1, without a unit.

    ``R_ij = |sum_s (x_si - m_i)(x_sj - m_j)| / sqrt(sum_s (x_si - m_i)^2 sum_s (x_sj - m_j)^2)``, Pearson's, over the
    samples that have both features; the diagonal is zero, and so is every pair of a feature that is constant
    there. Features must be numbers.

    Parameters
    ----------
    ranks : bool
        Whether to put ranks in the place of values: Spearman's correlation, which sees every monotone relation and
        is not moved by outliers. Equal values share the mean of their ranks. A feature is ranked once, over all
        samples that have it, where ``pandas.DataFrame.corr`` ranks anew for each pair: the same only without
        missing values.
    n_jobs : int or None
        Threads for ranking, counted as joblib does; products take those of NumPy's linear algebra.

    Examples
    --------
    >>> X = [[1.0, 8.0], [2.0, 4.0], [3.0, 2.0], [4.0, 1.0]]
    >>> Correlation(ranks=True)(X).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """

    ranks: bool = False
    n_jobs: int | None = -1

    tables: ClassVar[bool] = True

    def __call__(self, X: Any, /, *, sample_weight: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the redundancy of each pair, shape (n_features, n_features), from 0 to 1.

        Exactly symmetric, with a zero diagonal.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or Table
            Numbers, NaN where missing.
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts; for a Table, which has its own, None.
        """
        table = X if isinstance(X, Codes) else as_table(X, sample_weight=sample_weight)
        values, weights = number_matrix(table, "Correlation"), table.weights
        values = mid_ranks(values, weights=weights, n_jobs=self.n_jobs) if self.ranks else values
        return self.of_correlations(correlations(values, weights=weights))

    def of_correlations(self, matrix: NDArray[np.float64], /) -> NDArray[np.float64]:
        """Return the redundancy of each pair, made of the correlations of all, of values or of ranks."""
        redundancy = np.abs(matrix)
        np.fill_diagonal(redundancy, 0.0)
        return redundancy

    def rows(self, X: Any, /, *, sample_weight: ArrayLike | None = None) -> Rows | None:
        """Return the same in single precision, one row at a time, computed when it is first used.

        None where values are missing: then every pair has samples of its own.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or Table
        sample_weight : array of shape (n_samples,), optional
            As above.
        """
        table = X if isinstance(X, Codes) else as_table(X, sample_weight=sample_weight)
        values, weights = number_matrix(table, "Correlation"), table.weights
        if values.dtype.kind == "f" and np.isnan(values.min()):
            return None
        values = mid_ranks(values, weights=weights, n_jobs=self.n_jobs) if self.ranks else values
        # Products take far less than counting does.
        return Rows(values.shape[1], CorrelationPairs(values, weights), work=len(values) / 16)
