"""Redundancy that knows the target: what pairs of features fall short of the best pair, as in MIQUBO."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..counting.bins import Codes, features_and_target, label_codes, quantile_codes
from ..counting.entropies import entropies, joint_entropies, joint_entropies_with


@dataclass(frozen=True)
class ConditionalMutualInformation:
    """What each pair of features falls short of the pair that tells most about the target, in bits.

    ``R_ij = c - (I(x_i; y | x_j) + I(x_j; y | x_i))``: how much each says about the target when the other
    is known, subtracted from the largest such sum over all pairs, ``c``, so that the best pair has 0. From 0 to ``c``,
    at most twice the entropy of the target. Two features that say much about the target only together, which mutual
    information overlooks, have a low redundancy here, and copies have a high one.

    With mutual information as importance this is MIQUBO, as in D-Wave's example of feature selection, which
    minimises ``-sum_i I(x_i; y) - sum_{i != j} I(x_j; y | x_i)`` over subsets of k features. Among those the
    constant ``c`` adds the same to each, and at alpha = 1/2 both have the same optimum:
    ``solvers.Portfolio(k=k)(Tradeoff(I, R).at(0.5))``. ``SelectQUBO(k=k)`` does not stay at 1/2: it takes the alpha at
    which k features are best among subsets of every size, where ``c``, a price on each pair, does count. Its subset
    may differ.

    Parameters
    ----------
    bins : int
        The number of quantile bins, of a continuous target too.
    corrected : bool
        Whether to add to each entropy the ``(occupied cells - 1) / (2 N ln 2)`` bits of Miller and Madow. Two features
        of 20 bins and two classes make 800 cells, and where these are not well filled no correction is enough: use
        fewer bins.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> X = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]]
    >>> ConditionalMutualInformation()(X, [0, 1, 1, 0]).tolist()
    [[0.0, 0.0, 2.0], [0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]
    """

    bins: int = 20
    corrected: bool = False
    n_jobs: int | None = -1

    tables: ClassVar[bool] = True
    categories: ClassVar[bool] = True

    def __call__(self, X: Any, y: Any, /, *, sample_weight: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the redundancy of each pair, shape (n_features, n_features), bits, at least 0.

        Exactly symmetric, with a zero diagonal.

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
        conditional = self.conditional(codes, label)
        both = conditional + conditional.T
        pairs = ~np.eye(codes.n_features, dtype=np.bool_)
        redundancy: NDArray[np.float64] = np.where(pairs, both.max(where=pairs, initial=0.0) - both, 0.0)
        return redundancy

    def conditional(self, codes: Codes, label: Codes, /) -> NDArray[np.float64]:
        """Return ``I(x_i; y | x_j)`` in row i and column j, in bits, never negative."""
        pairs = joint_entropies(codes, corrected=self.corrected, n_jobs=self.n_jobs)
        with_label = joint_entropies_with(codes, label, corrected=self.corrected, n_jobs=self.n_jobs)
        # H(x_i, x_j, y) is H(y) and, in the mean over classes, H(x_i, x_j) within each: counted class by class, the
        # codes stay few. The corrections add up to that of the three, cell by cell.
        triples = np.full_like(pairs, entropies(label, corrected=self.corrected, n_jobs=1)[0])
        for c in range(int(label.sizes[0])):
            members = np.flatnonzero(label.values[0] == c)
            if members.size:
                inside = codes.take(members)
                share = inside.total / codes.total
                triples += share * joint_entropies(inside, corrected=self.corrected, n_jobs=self.n_jobs)
        alone = np.diagonal(pairs)
        information: NDArray[np.float64] = np.maximum((pairs - alone) + (with_label - triples), 0.0)
        return information
