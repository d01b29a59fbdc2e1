"""Importance in bits: features are binned, and counted with the target."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..counting.bins import Codes
from ..counting.entropies import symmetric_uncertainty
from ..counting.information import Information, binned, information_of


@dataclass(frozen=True)
class MutualInformation:
    """Mutual information of each feature with the target, in bits.

    Equations 3 and 7 of the paper: ``I_i = sum_b sum_y p(b, y) log2(p(b, y) / (p(b) p(y)))``, where ``b``
    runs over the bins of feature ``i`` and ``p`` are observed shares, by weight where there are weights.
    From 0 to the smaller of the two entropies. Categories are bins as they are, a missing value is a bin of its own,
    and a continuous target is cut into bins too.

    With few samples mutual information is too high, by about ``(B - 1)(C - 1) / (2 N ln 2)`` bits with C classes. Noise
    in 20 bins and two classes seem to share 0.16 bits at 100 samples, 0.039 at 351, 0.013 at 1000 and 0.0014 at 10 000;
    corrected 0.045, 0.005, 0.0015 and 0.0002 (``benchmarks/bias.py``). This matters where importances are as small as
    that, and between features of different numbers of codes; for equal numbers it cancels. Below about three samples
    to a cell no such correction is enough: use fewer bins.

    Parameters
    ----------
    bins : int, "auto" or "auto-by-class"
        ``B``, the number of bins; 20 in the paper. ``"auto"`` chooses it by the number of samples, and
        ``"auto-by-class"`` by that in each class too (`counting.bins.bins_of`).
    edges : "apart" or "quantile"
        Where numbers are cut: ``"apart"`` gives frequent values bins of their own, ``"quantile"`` is the paper's.
    estimate : "plug-in", "miller-madow" or "shrunk"
        ``"plug-in"``, the paper's, takes observed shares as they are. ``"miller-madow"`` takes the bias off by the
        correction of Miller and Madow: each entropy gets ``(occupied cells - 1) / (2 N ln 2)`` bits more, and what
        falls below 0 is 0. ``"shrunk"`` pulls the shares of a table towards equal ones, as far as they are uncertain,
        as James and Stein do; it is for samples too few to fill the cells.
    normalised : bool
        Whether to return the symmetric uncertainty ``2 I(x; y) / (H(x) + H(y))``, from 0 to 1, without a unit;
        0 where both are constant.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> X = [[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0]]
    >>> MutualInformation(bins=2)(X, ["a", "a", "b", "b"]).tolist()
    [1.0, 0.0]
    """

    bins: int | str = "auto"
    edges: str = "apart"
    estimate: str = "plug-in"
    normalised: bool = False
    n_jobs: int | None = -1

    tables: ClassVar[bool] = True
    categories: ClassVar[bool] = True

    def codes(self, X: Any, y: Any = None, /) -> Codes:
        """Return the binned features, which may be passed as ``X`` to any measure of the same ``bins``.

        ``bins="auto-by-class"`` needs ``y``.
        """
        return binned(X, y, bins=self.bins, edges=self.edges, n_jobs=self.n_jobs)[0]

    def information(self, X: Any, y: Any, /, *, sample_weight: ArrayLike | None = None) -> Information:
        """Return what is counted of a table and its target; a Table keeps it."""
        return information_of(
            X,
            y,
            bins=self.bins,
            edges=self.edges,
            estimate=self.estimate,
            sample_weight=sample_weight,
            n_jobs=self.n_jobs,
        )

    def of(self, information: Information, /) -> NDArray[np.float64]:
        """Return the importance of each feature, made of what was counted before, with the same estimate."""
        if not self.normalised:
            return np.array(information.importance)
        return symmetric_uncertainty(information.alone, np.array([information.label]), information.importance)

    def __call__(self, X: Any, y: Any, /, *, sample_weight: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the importance of each feature, shape (n_features,), at least 0.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), Table, or Codes
            Numbers or categories, or features binned before.
        y : array of shape (n_samples,), Target, or Codes
            Labels of classes, or numbers.
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts; for a Table or Codes, which have their own, None.
        """
        return self.of(self.information(X, y, sample_weight=sample_weight))


@dataclass(frozen=True)
class Entropy:
    """Entropy of each feature, in bits: how much it varies, for a table without a meaningful target.

    ``H_i = -sum_b p(b) log2 p(b)``, where ``b`` runs over the bins of feature ``i``; from 0 for a constant one
    to ``log2(bins)`` for numbers without ties, or to that of the number of categories. The target is ignored.

    Parameters
    ----------
    bins, edges, estimate
        As of `MutualInformation`.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> Entropy()([[1, 5], [2, 5], [1, 5], [2, 5]]).tolist()
    [1.0, 0.0]
    """

    bins: int | str = "auto"
    edges: str = "apart"
    estimate: str = "plug-in"
    n_jobs: int | None = -1

    tables: ClassVar[bool] = True
    categories: ClassVar[bool] = True
    fixed: ClassVar[bool] = True

    def of(self, information: Information, /) -> NDArray[np.float64]:
        """Return the entropy of each feature, made of what was counted before, with the same estimate."""
        return np.array(information.alone)

    def __call__(
        self,
        X: Any,
        y: Any = None,
        /,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """Return the entropy of each feature, shape (n_features,), bits, at least 0.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), Table, or Codes
            Numbers or categories, or features binned before.
        y : ignored, but for the number of its classes where ``bins="auto-by-class"``
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts; for a Table or Codes, which have their own, None.
        """
        information = information_of(
            X,
            y if self.bins == "auto-by-class" else None,
            bins=self.bins,
            edges=self.edges,
            estimate=self.estimate,
            sample_weight=sample_weight,
            n_jobs=self.n_jobs,
        )
        return self.of(information)
