"""How much each pair of features says twice: the matrix R. A table flows in, a matrix flows out.

Anything that maps ``X`` to a symmetric ``n x n`` matrix with a zero diagonal, no entry negative, can take the
place of what stands here.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .bins import Codes, quantile_codes
from .counts import joint_entropies, mutual_information


@dataclass(frozen=True)
class MutualInformation:
    """Mutual information of each pair of features, in bits.

    Equations 4 and 8 of the paper: ``R_ij = sum_b sum_c p(b, c) log2(p(b, c) / (p(b) p(c)))``, where ``b``
    and ``c`` run over the quantile bins of features ``i`` and ``j`` and ``p`` are observed shares; the
    diagonal is zero.

    Parameters
    ----------
    bins : int
        ``B``, the number of quantile bins; 20 in the paper.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> X = [[1.0, 8.0], [2.0, 7.0], [3.0, 6.0], [4.0, 5.0]]
    >>> MutualInformation(bins=2)(X).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """

    bins: int = 20
    n_jobs: int | None = -1

    def codes(self, X: ArrayLike | Codes, /) -> Codes:
        """Return the binned features, which may be passed for ``X`` wherever they were binned alike."""
        return quantile_codes(X, bins=self.bins, n_jobs=self.n_jobs)

    def __call__(self, X: ArrayLike | Codes, /) -> NDArray[np.float64]:
        """Return the redundancy of each pair, shape (n_features, n_features), bits, at least 0.

        Exactly symmetric, with a zero diagonal.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or Codes
            Finite numbers, or features binned before.
        """
        joint = joint_entropies(self.codes(X), n_jobs=self.n_jobs)
        alone = np.diagonal(joint)
        redundancy = mutual_information(alone[:, None], alone[None, :], joint)
        np.fill_diagonal(redundancy, 0.0)
        return redundancy
