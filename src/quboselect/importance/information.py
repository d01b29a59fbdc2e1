"""Importance in bits: features are binned, and counted with the target."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..counting.bins import Codes, features_and_target, label_codes, quantile_codes
from ..counting.entropies import entropies, joint_entropies_with, mutual_information, symmetric_uncertainty


@dataclass(frozen=True)
class MutualInformation:
    """Mutual information of each feature with the target, in bits.

    Equations 3 and 7 of the paper: ``I_i = sum_b sum_y p(b, y) log2(p(b, y) / (p(b) p(y)))``, where ``b``
    runs over the quantile bins of feature ``i`` and ``p`` are observed shares, by weight where there are weights.
    From 0 to the smaller of the two entropies. Categories are bins as they are, a missing value is a bin of its own,
    and a continuous target is cut at quantiles too.

    With few samples mutual information is too high, by about ``(B - 1)(C - 1) / (2 N ln 2)`` bits with C classes. Noise
    in 20 bins and two classes seem to share 0.16 bits at 100 samples, 0.039 at 351, 0.013 at 1000 and 0.0014 at 10 000;
    corrected 0.045, 0.005, 0.0015 and 0.0002 (``benchmarks/bias.py``). This matters where importances are as small as
    that, and between features of different numbers of codes; for equal numbers it cancels. Below about three samples
    to a cell no such correction is enough: use fewer bins.

    Parameters
    ----------
    bins : int
        ``B``, the number of quantile bins; 20 in the paper.
    corrected : bool
        Whether to take the bias off, by the correction of Miller and Madow: each entropy gets
        ``(occupied cells - 1) / (2 N ln 2)`` bits more. What falls below 0 is 0. The paper has none.
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

    bins: int = 20
    corrected: bool = False
    normalised: bool = False
    n_jobs: int | None = -1

    tables: ClassVar[bool] = True
    categories: ClassVar[bool] = True

    def codes(self, X: Any, /) -> Codes:
        """Return the binned features, which may be passed as ``X`` to any measure of the same ``bins``."""
        return quantile_codes(X, bins=self.bins, n_jobs=self.n_jobs)

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
        features, target = features_and_target(X, y, sample_weight)
        codes = quantile_codes(features, bins=self.bins, n_jobs=self.n_jobs)
        label = label_codes(target, bins=self.bins, weights=codes.weights)
        joint = joint_entropies_with(codes, label, corrected=self.corrected, n_jobs=self.n_jobs)
        alone = entropies(codes, corrected=self.corrected, n_jobs=self.n_jobs)
        entropy = entropies(label, corrected=self.corrected, n_jobs=1)
        information = mutual_information(alone, entropy, joint)
        if self.normalised:
            return symmetric_uncertainty(alone, entropy, information)
        return information


@dataclass(frozen=True)
class Entropy:
    """Entropy of each feature, in bits: how much it varies, for a table without a meaningful target.

    ``H_i = -sum_b p(b) log2 p(b)``, where ``b`` runs over the quantile bins of feature ``i``; from 0 for a constant one
    to ``log2(bins)`` for numbers without ties, or to that of the number of categories. The target is ignored.

    Parameters
    ----------
    bins : int
        The number of quantile bins.
    corrected : bool
        Whether to add the ``(occupied bins - 1) / (2 N ln 2)`` bits of Miller and Madow.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> Entropy()([[1, 5], [2, 5], [1, 5], [2, 5]]).tolist()
    [1.0, 0.0]
    """

    bins: int = 20
    corrected: bool = False
    n_jobs: int | None = -1

    tables: ClassVar[bool] = True
    categories: ClassVar[bool] = True
    fixed: ClassVar[bool] = True

    def __call__(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002
        /,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """Return the entropy of each feature, shape (n_features,), bits, at least 0.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), Table, or Codes
            Numbers or categories, or features binned before.
        y : ignored
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts; for a Table or Codes, which have their own, None.
        """
        codes = quantile_codes(X, bins=self.bins, sample_weight=sample_weight, n_jobs=self.n_jobs)
        return entropies(codes, corrected=self.corrected, n_jobs=self.n_jobs)
