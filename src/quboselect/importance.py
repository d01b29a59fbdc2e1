"""How much each feature says about the label: the vector I. A table and labels flow in, a vector flows out.

Anything that maps ``(X, y)`` to ``n`` numbers, none negative, can take the place of what stands here;
scikit-learn's score functions do.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .bins import Codes, label_codes, quantile_codes
from .counts import entropies, joint_entropies_with, mutual_information


@dataclass(frozen=True)
class MutualInformation:
    """Mutual information of each feature with the label, in bits.

    Equations 3 and 7 of the paper: ``I_i = sum_b sum_y p(b, y) log2(p(b, y) / (p(b) p(y)))``, where ``b``
    runs over the quantile bins of feature ``i`` and ``p`` are observed shares.

    Parameters
    ----------
    bins : int
        ``B``, the number of quantile bins; 20 in the paper.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> X = [[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0]]
    >>> MutualInformation(bins=2)(X, ["a", "a", "b", "b"]).tolist()
    [1.0, 0.0]
    """

    bins: int = 20
    n_jobs: int | None = -1

    def codes(self, X: ArrayLike | Codes, /) -> Codes:
        """Return the binned features, which may be passed for ``X`` wherever they were binned alike."""
        return quantile_codes(X, bins=self.bins, n_jobs=self.n_jobs)

    def __call__(self, X: ArrayLike | Codes, y: ArrayLike | Codes, /) -> NDArray[np.float64]:
        """Return the importance of each feature, shape (n_features,), bits, at least 0.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or Codes
            Finite numbers, or features binned before.
        y : array of shape (n_samples,)
            Class labels of any kind that can be sorted.
        """
        codes, label = self.codes(X), label_codes(y)
        joint = joint_entropies_with(codes, label, n_jobs=self.n_jobs)
        alone = entropies(codes, n_jobs=self.n_jobs)
        return mutual_information(alone, entropies(label, n_jobs=1), joint)
