"""Redundancy in bits: features are binned and counted pair by pair."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..counting.bins import Codes
from ..counting.entropies import symmetric_uncertainty
from ..counting.gpu import device_of
from ..counting.information import CodeCounts, Information, binned, information_of
from .pairs import InformationPairs, counted_at_once
from .rows import Rows

# Features of which a device counts all pairs at once: the matrix then takes some 20 GB.
MOST_ON_DEVICE = 24_000


@dataclass(frozen=True)
class MutualInformation:
    """Mutual information of each pair of features, in bits.

    Equations 4 and 8 of the paper: ``R_ij = sum_b sum_c p(b, c) log2(p(b, c) / (p(b) p(c)))``, where ``b``
    and ``c`` run over the bins of features ``i`` and ``j`` and ``p`` are observed shares, by weight where
    there are weights; the diagonal is zero. From 0 to the smaller of the two entropies.
    Categories are bins as they are, and a missing value is a bin of its own.

    With few samples mutual information is too high, by about ``(B - 1)^2 / (2 N ln 2)`` bits, far more than between a
    feature and few classes, which is why few samples need a high alpha. Independent features in 20 bins seem to
    share 2.2 bits at 100 samples, 0.87 at 351, 0.29 at 1000 and 0.026 at 10 000; corrected 1.8, 0.46, 0.054 and 0.0009
    (``benchmarks/bias.py``). Below about three samples to a cell, ``N / B^2``, the correction is not enough: use fewer
    bins too. At 351 samples 10 bins leave 0.18 bits, corrected 0.024, and 5 bins 0.033, corrected 0.005.

    Parameters
    ----------
    bins : int, "auto" or "auto-by-class"
        ``B``, the number of bins; 20 in the paper. ``"auto"`` chooses it by the number of samples, and
        ``"auto-by-class"``, which needs the target, by that in each class too (`counting.bins.bins_of`).
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
    device : str or None
        Where PyTorch counts, as it names it: ``"cuda"``, ``"cuda:1"``, ``"cpu"``; weights must then be whole numbers.
        The result does not depend on it. None counts on the processor, needs no PyTorch, and is faster there. The
        device counts the whole matrix, and `rows`, which `SelectQUBO` uses above 2 000 features, up to 24 000 features;
        `rows` of more features are counted on the processor. Batches are counted there too, one after the other.

    Examples
    --------
    >>> X = [[1.0, 8.0], [2.0, 7.0], [3.0, 6.0], [4.0, 5.0]]
    >>> MutualInformation(bins=2)(X).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """

    bins: int | str = "auto"
    edges: str = "apart"
    estimate: str = "plug-in"
    normalised: bool = False
    n_jobs: int | None = -1
    device: str | None = None

    tables: ClassVar[bool] = True
    categories: ClassVar[bool] = True

    def codes(self, X: Any, y: Any = None, /) -> Codes:
        """Return the binned features, which may be passed as ``X`` to any measure of the same ``bins``.

        ``bins="auto-by-class"`` needs ``y``.
        """
        return binned(X, y, bins=self.bins, edges=self.edges, n_jobs=self.n_jobs)[0]

    def of(self, information: Information, /) -> NDArray[np.float64]:
        """Return the redundancy of each pair, made of what was counted before, with the same estimate."""
        if not self.normalised:
            return np.array(information.redundancy)
        alone = information.alone
        return symmetric_uncertainty(alone[:, None], alone[None, :], information.redundancy)

    def __call__(
        self, X: Any, y: Any = None, /, *, sample_weight: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Return the redundancy of each pair, shape (n_features, n_features), at least 0.

        Exactly symmetric, with a zero diagonal.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), Table, or Codes
            Numbers or categories, or features binned before.
        y : array of shape (n_samples,), Target, or Codes, optional
            Ignored, but for the number of its classes where ``bins="auto-by-class"``, which needs it.
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
            device=self.device,
        )
        return self.of(information)

    def rows(self, X: Any, y: Any = None, /, *, sample_weight: ArrayLike | None = None) -> Rows:
        """Return the same in single precision, one row at a time, computed when it is first used.

        With a ``device`` and at most 24 000 features, all of them are computed there at once.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), Table, or Codes
        y : array of shape (n_samples,), Target, or Codes, optional
        sample_weight : array of shape (n_samples,), optional
            As above.
        """
        if self.device is not None:
            device_of(self.device)
        told = y if self.bins == "auto-by-class" else None
        codes, _ = binned(
            X, told, bins=self.bins, edges=self.edges, sample_weight=sample_weight, n_jobs=self.n_jobs
        )
        CodeCounts(codes, None, self.estimate, self.n_jobs, self.device)  # refuses what cannot be counted
        if self.device is not None and codes.n_features <= MOST_ON_DEVICE:
            return Rows.of(self(codes).astype(np.float32))
        pairs = InformationPairs(codes, self.estimate, self.normalised, self.n_jobs)
        at_once: Callable[[], NDArray[np.float32]] | None = None
        if counted_at_once(codes):
            at_once = pairs.matrix if pairs.plain else lambda: self(codes).astype(np.float32)
        return Rows(codes.n_features, pairs, work=pairs.codes.n_samples, at_once=at_once)
