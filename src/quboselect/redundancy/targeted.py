"""Redundancy that knows the target: what two features say twice about it, and what they say of it together."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._kernels.threads import ROWS, WORTH_A_THREAD, fill_rows
from ..counting.gpu import device_of
from ..counting.information import Information, binned, information_of, trust
from ..errors import check_number
from .pairs import TargetPairs, counted_at_once, symmetrical_relevance
from .rows import Rows

# Features of which a device counts all pairs at once: the matrices, within classes too, then take some 8 GB.
MOST_ON_DEVICE = 16_000


class OfTarget:
    """What measures share that are made of `Information` with a target: they are called with a table and a target."""

    bins: int | str
    edges: str
    estimate: str
    n_jobs: int | None
    device: str | None

    def of(self, information: Information, /) -> NDArray[np.float64]:
        """Return the redundancy of each pair, made of what was counted before, with the same estimate."""
        raise NotImplementedError

    def __call__(self, X: Any, y: Any, /, *, sample_weight: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the redundancy of each pair, shape (n_features, n_features).

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
        if y is None:
            raise ValueError(f"{type(self).__name__} needs a target, got None: pass y.")
        information = information_of(
            X,
            y,
            bins=self.bins,
            edges=self.edges,
            estimate=self.estimate,
            sample_weight=sample_weight,
            n_jobs=self.n_jobs,
            device=self.device,
        )
        return self.of(information)


@dataclass(frozen=True)
class CoInformation(OfTarget):
    """What each pair of features says twice about the target, in bits.

    ``R_ij = I(x_i; x_j) - I(x_i; x_j | y)``, which is ``I(x_i; y) + I(x_j; y) - I(x_i, x_j; y)``: what both share, less
    what they share within the classes. Negative where two features say more about the target together than each alone,
    as two bits of which the target is the parity, so it is for problems that allow negative redundancy. From minus to
    plus the entropy of the target.

    Pairs are counted class by class, in ``C B^2`` cells for ``C`` classes, which samples must fill.

    Parameters
    ----------
    bins, edges, estimate
        As of `MutualInformation`. ``"auto-by-class"`` chooses the bins by the number of samples in a class too.
    together : float or "auto"
        How much of ``I(x_i; x_j | y)``, what two features say only together, is taken off, from 0 to 1. ``"auto"`` goes
        by how well it is known: half of ``c / (c + 1)`` for ``c = N / (C B_i B_j)`` samples in a cell.
    clipped : bool
        Whether negative numbers are 0, as in ICAP.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.
    device : str or None
        Where PyTorch counts, as of `MutualInformation`.

    Examples
    --------
    >>> X, y = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]], [0, 1, 1, 0]
    >>> CoInformation(bins=2)(X, y).tolist()
    [[0.0, -1.0, 0.0], [-1.0, 0.0, -1.0], [0.0, -1.0, 0.0]]
    """

    bins: int | str = "auto-by-class"
    edges: str = "apart"
    estimate: str = "plug-in"
    together: float | str = 1.0
    clipped: bool = False
    n_jobs: int | None = -1
    device: str | None = None

    tables: ClassVar[bool] = True
    categories: ClassVar[bool] = True
    by_class: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number(self.together, "together", 1.0, auto=True)

    @property
    def signed(self) -> bool:
        """Whether its numbers may be negative."""
        return not self.clipped

    def of(self, information: Information, /) -> NDArray[np.float64]:
        """Return the redundancy of each pair, made of what was counted before, with the same estimate."""
        sizes, n_labels, total = information.counts.cells()
        shared, inside = information.redundancy, information.conditional
        both = np.empty_like(shared)
        fill_rows(
            both,
            lambda rows: (
                shared[rows] - trust(self.together, sizes[rows], sizes, n_labels, total) * inside[rows]
            ),
            n_jobs=self.n_jobs,
            rows=max(ROWS, WORTH_A_THREAD // len(both)),
        )
        return np.maximum(both, 0.0, out=both) if self.clipped else both

    def rows(self, X: Any, y: Any, /, *, sample_weight: ArrayLike | None = None) -> Rows:
        """Return the same in single precision, one row at a time, computed when it is first used.

        Parameters
        ----------
        X, y, sample_weight
            As above.
        """
        return _rows(self, X, y, sample_weight, together=self.together, clipped=self.clipped)


@dataclass(frozen=True)
class SymmetricalRelevance(OfTarget):
    """Minus the share of what two features and the target hold that both say about the target together, without a unit.

    ``R_ij = -I(x_i, x_j; y) / H(x_i, x_j, y)``, as in DISR, and 0 where all three are constant. From -1 to 0: the
    lower, the more two features say together, so it is for problems that allow negative redundancy.

    Pairs are counted class by class, in ``C B^2`` cells for ``C`` classes, which samples must fill.

    Parameters
    ----------
    bins, edges, estimate
        As of `MutualInformation`. ``"auto-by-class"`` chooses the bins by the number of samples in a class too.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.
    device : str or None
        Where PyTorch counts, as of `MutualInformation`.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> SymmetricalRelevance(bins=2)(X, y).tolist()
    [[0.0, -0.5], [-0.5, 0.0]]
    """

    bins: int | str = "auto-by-class"
    edges: str = "apart"
    estimate: str = "plug-in"
    n_jobs: int | None = -1
    device: str | None = None

    tables: ClassVar[bool] = True
    categories: ClassVar[bool] = True
    by_class: ClassVar[bool] = True
    signed: ClassVar[bool] = True

    def of(self, information: Information, /) -> NDArray[np.float64]:
        """Return the redundancy of each pair, made of what was counted before, with the same estimate."""
        told = information.importance
        relevance = symmetrical_relevance(
            told[:, None], told, information.redundancy, information.conditional, information.triples
        )
        np.fill_diagonal(relevance, 0.0)
        return relevance

    def rows(self, X: Any, y: Any, /, *, sample_weight: ArrayLike | None = None) -> Rows:
        """Return the same in single precision, one row at a time, computed when it is first used.

        Parameters
        ----------
        X, y, sample_weight
            As above.
        """
        return _rows(self, X, y, sample_weight, relevance=True)


def _rows(measure: Any, X: Any, y: Any, sample_weight: ArrayLike | None, **how: Any) -> Rows:
    if y is None:
        raise ValueError(f"{type(measure).__name__} needs a target, got None: pass y.")
    if measure.device is not None:
        device_of(measure.device)
    codes, label = binned(
        X, y, bins=measure.bins, edges=measure.edges, sample_weight=sample_weight, n_jobs=measure.n_jobs
    )

    def matrix(device: str | None = None) -> NDArray[np.float32]:
        counted = Information.of(
            codes, label, estimate=measure.estimate, n_jobs=measure.n_jobs, device=device
        )
        single: NDArray[np.float32] = measure.of(counted).astype(np.float32)
        return single

    if measure.device is not None and codes.n_features <= MOST_ON_DEVICE:
        return Rows.of(matrix(measure.device), signed=measure.signed)
    pairs = TargetPairs(codes, label, measure.estimate, n_jobs=measure.n_jobs, **how)
    at_once = None
    if counted_at_once(codes):
        at_once = pairs.matrix if pairs.plain else matrix
    return Rows(pairs.size, pairs, work=pairs.work, signed=measure.signed, at_once=at_once)
