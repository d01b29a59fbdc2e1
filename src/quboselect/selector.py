"""SelectQUBO: the scikit-learn face. A table and labels flow in, the chosen features flow out.

Everything it knows is made elsewhere: the measures give I and R, the path and its proofs come from a solver.
"""

import warnings
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from .errors import OffPathWarning
from .importance import MutualInformation as ImportanceInformation
from .path import Path, alpha_path, check_solver
from .protocols import Importance, Redundancy, Solver, ask, check_plugin
from .qubo import Bits, Matrix, Vector
from .redundancy import MutualInformation as RedundancyInformation
from .samples import Samples
from .sizes import exactly
from .solvers import Portfolio
from .tradeoff import Tradeoff


class SelectQUBO(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Select the k features that say most about the label and repeat each other least.

    Minimises ``-a * sum_i I_i x_i + (1-a) * sum_{i<j} R_ij x_i x_j`` over all subsets x (paper, Eq. 2), with
    importance I, redundancy R, and the a (alpha) at which k features are optimal. Where no alpha makes k
    features optimal, it is the best subset of k features where the path passes that size, and an
    `OffPathWarning` says so. ``k`` is a promise: exactly k features come back.

    Parameters
    ----------
    k : int, default=10
        How many features, at least 1. More than the table has keeps all, with a warning.
    alpha : float, optional
        Solve at this one alpha, from 0 to 1, and take as many features as it gives, instead of k.
    importance : Importance
        ``(X, y) -> (n,)``, not negative; scikit-learn's score functions will do. Mutual information in bits on
        20 quantile bins is the paper's.
    redundancy : Redundancy
        ``X -> (n, n)``, not negative, symmetric with a zero diagonal.
    solver : Solver
        ``QUBO -> Samples``.

    Attributes
    ----------
    support_ : bool array of shape (n,)
        The selected features.
    alpha_ : float
        An alpha at which they were selected: the middle of the window.
    alpha_window_ : tuple of float
        From where to where alpha gives this subset.
    on_path_ : bool
        Whether they are optimal among subsets of *every* size at `alpha_`; otherwise among those of size k.
    energy_, bound_ : float
        Their energy at `alpha_`, and a proven lower bound on the minimum. Off the path it is the minimum
        among subsets of size k.
    proven_ : bool
        Whether the bound meets the energy: no better subset exists, for the whole window.
    importance_ : array of shape (n,)
    redundancy_ : array of shape (n, n)
    path_ : Path or None
        What was explored of the path, around k; `alpha_path` gives all of it. None with ``alpha``.
    n_features_in_ : int
    feature_names_in_ : array of str, where the table has names

    See Also
    --------
    quboselect.alpha_path : The optimal subset for every alpha at once.

    Examples
    --------
    >>> from quboselect.datasets import load_ionosphere
    >>> X, y = load_ionosphere(return_X_y=True)
    >>> selector = SelectQUBO(k=5).fit(X, y)
    >>> selector.get_support(indices=True), selector.proven_
    (array([ 0,  2,  4,  5, 20]), True)
    >>> selector.transform(X).shape
    (351, 5)
    """

    support_: Bits
    alpha_: float
    alpha_window_: tuple[float, float]
    on_path_: bool
    energy_: float
    bound_: float
    proven_: bool
    importance_: Vector
    redundancy_: Matrix
    path_: Path | None

    def __init__(
        self,
        k: int = 10,
        *,
        alpha: float | None = None,
        importance: Importance = ImportanceInformation(),  # noqa: B008
        redundancy: Redundancy = RedundancyInformation(),  # noqa: B008
        solver: Solver = Portfolio(),  # noqa: B008
    ) -> None:
        self.k = k
        self.alpha = alpha
        self.importance = importance
        self.redundancy = redundancy
        self.solver = solver

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Select features of a table.

        Parameters
        ----------
        X : array or dataframe of numbers, shape (samples, n)
        y : class labels of any type, shape (samples,)
        """
        X, y = validate_data(self, X, y, dtype="numeric")
        check_classification_targets(y)
        k = self._checked_k()
        check_plugin(self.importance, "importance")
        check_plugin(self.redundancy, "redundancy")
        check_solver(self.solver)
        tradeoff = self._tradeoff(X, y)
        self.importance_, self.redundancy_ = tradeoff.importance, tradeoff.redundancy
        if k is not None:
            self._solve_for_k(tradeoff, k)
            return self
        alpha = float(self.alpha)  # type: ignore[arg-type]
        self.path_ = None
        self._keep(ask(self.solver, tradeoff.at(alpha)), alpha, (alpha, alpha), True)
        return self

    def _checked_k(self) -> int | None:
        """Return k, at most the number of features, or None where alpha is given instead."""
        n = self.n_features_in_
        if self.alpha is not None:
            if not isinstance(self.alpha, Real) or isinstance(self.alpha, bool) or not 0 <= self.alpha <= 1:
                raise ValueError(f"alpha must be a number from 0 to 1, or None to use k, got {self.alpha!r}.")
            return None
        if not isinstance(self.k, Integral) or isinstance(self.k, bool) or self.k < 1:
            raise ValueError(
                f"k must be an integer from 1 to {n} (the table has {n} features), got {self.k!r}."
            )
        if self.k > n:
            warnings.warn(
                f"k={self.k} is greater than n_features={n}. All the features will be returned.",
                UserWarning,
                stacklevel=3,
            )
        return min(int(self.k), n)

    def _tradeoff(self, X: Any, y: Any) -> Tradeoff:
        """Return I and R of a table, binned once where both measures bin it alike."""
        importance, redundancy = self.importance, self.redundancy
        table = X
        alike = getattr(importance, "bins", None) == getattr(redundancy, "bins", ())
        if alike and hasattr(importance, "codes") and hasattr(redundancy, "codes"):
            table = importance.codes(X)
        scores = importance(table, y)
        # scikit-learn's score functions may return p-values as well, and know nothing of a constant feature.
        scores = scores[0] if isinstance(scores, tuple) else scores
        if scores is not None and np.shape(scores) == X.shape[1:]:
            scores = np.where(np.isnan(scores) & (X[:1] == X).all(axis=0), 0.0, scores)
        return Tradeoff(scores, redundancy(table))

    def _solve_for_k(self, tradeoff: Tradeoff, k: int) -> None:
        self.path_ = path = alpha_path(tradeoff, self.solver, k=k)
        alpha, samples, on_path = exactly(tradeoff, k, path, self.solver)
        segment = path.of_size(k)
        window = (alpha, alpha) if segment is None else (segment.start, segment.stop)
        self._keep(samples, alpha, window, on_path)
        if not on_path:
            sizes = path.at(alpha).size, path.at(np.nextafter(alpha, 2)).size
            warnings.warn(
                f"k={k} is off the path: at alpha {alpha:.6g} it passes from {sizes[0]} to {sizes[1]} features. "
                f"The best subset of exactly {k} features at that alpha was selected.",
                OffPathWarning,
                stacklevel=3,
            )

    def _keep(self, samples: Samples, alpha: float, window: tuple[float, float], on_path: bool) -> None:
        self.support_ = samples.best.copy()
        self.alpha_, self.alpha_window_, self.on_path_ = alpha, window, on_path
        self.energy_, self.bound_, self.proven_ = float(samples.energy[0]), samples.bound, samples.proven

    def _get_support_mask(self) -> Bits:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
