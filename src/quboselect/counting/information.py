"""Information: what features and a target say alone, about each other, and within each class.

All measures in bits are arithmetic on it. It is made of codes in memory, here, or of the counts of batches, by
`JointCounts.information`, to the same bits. Everything is counted when it is first asked for, and once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._kernels.threads import ROWS, WORTH_A_THREAD, fill_rows
from ..tables.table import Table, as_table
from ..tables.target import Target
from .bins import (
    WEIGHTED_TWICE,
    Codes,
    bins_of,
    feature_codes,
    features_and_target,
    label_codes,
    target_bins,
)
from .cuts import check_edges
from .entropies import (
    check_estimate,
    entropies,
    joint_entropies,
    joint_entropies_with,
    mutual_information,
)
from .shrunk import shrunk_entropies, shrunk_information, shrunk_information_with

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

TRUST = 0.5  # how much of what pairs share within classes counts where samples are many
PRIOR = 1.0  # samples in a cell at which it is half of that
KEPT = 16  # what a table keeps at most, of all bins and targets; the oldest is dropped


class Counts(Protocol):
    """What `Information` is made of: samples in memory, or counts of batches."""

    def alone(self) -> Vector:
        """Return the entropy of each feature."""

    def label(self) -> float:
        """Return the entropy of the target."""

    def importance(self, alone: Vector, label: float, /) -> Vector:
        """Return the mutual information of each feature with the target."""

    def redundancy(self, alone: Vector, /) -> Matrix:
        """Return the mutual information of each pair of features; the diagonal means nothing."""

    def classes(self) -> "Sequence[tuple[float, Counts]]":
        """Return the share of each class that has samples, and its counts."""

    def cells(self) -> tuple[NDArray[np.int64], int, float]:
        """Return the number of codes of each feature, that of the target, and the number of samples."""


@dataclass(eq=False, repr=False)
class Information:
    """Entropies and mutual information of features and a target, in bits. Make it with `Information.of`.

    Parameters
    ----------
    counts : Counts
        Where the numbers come from.
    features : Information, optional
        That of the same features without a target, whose numbers are used.

    Attributes
    ----------
    alone : array of shape (n,)
        ``H(x_i)``, the entropy of each feature.
    label : float
        ``H(y)``, the entropy of the target.
    importance : array of shape (n,)
        ``I(x_i; y)``.
    chance : array of shape (n,)
        What importance is on average where a feature and the target have nothing to do with each other:
        ``(B_i - 1)(C - 1) / (2 N ln 2)`` for ``B_i`` codes, ``C`` labels and ``N`` samples.
    redundancy : array of shape (n, n)
        ``I(x_i; x_j)``; exactly symmetric, with a zero diagonal.
    conditional : array of shape (n, n)
        ``I(x_i; x_j | y)``, the mean of the redundancies within the classes.
    triples : array of shape (n, n)
        ``H(x_i, x_j, y)``, off the diagonal.

    Examples
    --------
    >>> features, label = Codes([[0, 0, 1, 1], [0, 1, 0, 1]], [2, 2]), Codes([[0, 1, 1, 0]], [2])
    >>> both = Information.of(features, label)
    >>> both.importance.tolist(), both.redundancy[0].tolist(), both.conditional[0].tolist()
    ([0.0, 0.0], [0.0, 0.0], [0.0, 1.0])
    """

    counts: Counts
    features: "Information | None" = None

    @classmethod
    def of(
        cls,
        codes: Codes,
        label: Codes | None = None,
        *,
        estimate: str = "plug-in",
        n_jobs: int | None = -1,
        device: str | None = None,
    ) -> "Information":
        """Return the information of codes in memory.

        Parameters
        ----------
        codes : Codes
            The features, and the weights of the samples.
        label : Codes, optional
            The target, one feature over the same samples; without it there are ``alone`` and ``redundancy`` only.
        estimate : "plug-in", "miller-madow" or "shrunk"
            How entropies and mutual information are estimated.
        n_jobs : int or None
            Threads, counted as joblib does. The result does not depend on it.
        device : str or None
            Where PyTorch counts the pairs, as in `redundancy.MutualInformation`.
        """
        return cls(CodeCounts(codes, label, estimate, n_jobs, device))

    @cached_property
    def alone(self) -> Vector:
        """The entropy of each feature."""
        return _closed(self.counts.alone()) if self.features is None else self.features.alone

    @cached_property
    def label(self) -> float:
        """The entropy of the target."""
        return float(self.counts.label())

    @cached_property
    def importance(self) -> Vector:
        """The mutual information of each feature with the target."""
        return _closed(self.counts.importance(self.alone, self.label))

    @property
    def chance(self) -> Vector:
        """What importance chance alone shows, on average."""
        sizes, n_labels, total = self.counts.cells()
        expected: Vector = (sizes - 1) * (n_labels - 1) / (2.0 * total * log(2.0))
        return expected

    @cached_property
    def redundancy(self) -> Matrix:
        """The mutual information of each pair of features."""
        if self.features is not None:
            return self.features.redundancy
        redundancy = self.counts.redundancy(self.alone)
        np.fill_diagonal(redundancy, 0.0)
        return _closed(redundancy)

    @cached_property
    def conditional(self) -> Matrix:
        """The mutual information of each pair of features within classes, in the mean over the classes."""
        conditional = np.zeros((self.alone.size, self.alone.size))
        # Class after class, so that no more than one matrix of a class is in memory.
        for share, counts in self.counts.classes():
            inside = Information(counts).redundancy
            fill_rows(
                conditional,
                lambda rows: conditional[rows] + share * inside[rows],  # noqa: B023
                n_jobs=-1,
                rows=max(ROWS, WORTH_A_THREAD // self.alone.size),
            )
        return _closed(conditional)

    @cached_property
    def triples(self) -> Matrix:
        """The joint entropy of each pair of features and the target."""
        inside = np.zeros_like(self.alone)
        for share, counts in self.counts.classes():
            inside += share * Information(counts).alone
        return _closed(self.label + (inside[:, None] + inside) - self.conditional)


@dataclass(frozen=True, eq=False, repr=False)
class CodeCounts:
    """What `Information` is made of where the samples are in memory.

    Parameters
    ----------
    codes, label, estimate, n_jobs, device
        As in `Information.of`.
    """

    codes: Codes
    target: Codes | None = None
    estimate: str = "plug-in"
    n_jobs: int | None = -1
    device: str | None = None

    def __post_init__(self) -> None:
        check_estimate(self.estimate)
        if self.device is not None and self.estimate == "shrunk":
            raise ValueError(
                f"estimate='shrunk' is counted on the processor only, got device={self.device!r}: use device=None."
            )

    def alone(self) -> Vector:
        """Return the entropy of each feature."""
        if self.estimate == "shrunk":
            return shrunk_entropies(self.codes, n_jobs=self.n_jobs)
        return entropies(self.codes, estimate=self.estimate, n_jobs=self.n_jobs)

    def label(self) -> float:
        """Return the entropy of the target."""
        if self.estimate == "shrunk":
            return float(shrunk_entropies(self._label, n_jobs=1)[0])
        return float(entropies(self._label, estimate=self.estimate, n_jobs=1)[0])

    def importance(self, alone: Vector, label: float, /) -> Vector:
        """Return the mutual information of each feature with the target."""
        if self.estimate == "shrunk":
            return shrunk_information_with(self.codes, self._label, n_jobs=self.n_jobs)
        joint = joint_entropies_with(self.codes, self._label, estimate=self.estimate, n_jobs=self.n_jobs)
        return mutual_information(alone, np.array([label]), joint)

    def redundancy(self, alone: Vector, /) -> Matrix:
        """Return the mutual information of each pair of features; the diagonal means nothing."""
        if self.estimate == "shrunk":
            return shrunk_information(self.codes, n_jobs=self.n_jobs)
        joint = joint_entropies(
            self.codes, estimate=self.estimate, alone=alone, n_jobs=self.n_jobs, device=self.device
        )
        fill_rows(
            joint,
            lambda rows: mutual_information(alone[rows, None], alone, joint[rows]),
            n_jobs=self.n_jobs,
            rows=max(ROWS, WORTH_A_THREAD // alone.size),
        )
        return joint

    def classes(self) -> "list[tuple[float, CodeCounts]]":
        """Return the share of each class that has samples, and its counts."""
        label = self._label
        members = (np.flatnonzero(label.values[0] == c) for c in range(int(label.sizes[0])))
        inside = [self.codes.take(some) for some in members if some.size]
        return [
            (codes.total / self.codes.total, CodeCounts(codes, None, self.estimate, self.n_jobs, self.device))
            for codes in inside
        ]

    def cells(self) -> tuple[NDArray[np.int64], int, float]:
        """Return the number of codes of each feature, that of the target, and the number of samples."""
        return self.codes.sizes, int(self._label.sizes[0]), self.codes.total

    @property
    def _label(self) -> Codes:
        if self.target is None:
            raise ValueError("this information has no target: make it with the codes of y.")
        return self.target


def binned(
    X: Any,
    y: Any = None,
    *,
    bins: int | str = "auto",
    edges: str = "apart",
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = -1,
) -> tuple[Codes, Codes | None]:
    """Return the codes of features and of their target, if there is one, in the same number of bins.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features), Table, or Codes
    y : array of shape (n_samples,), Target, or Codes, optional
    bins, edges
        As in `feature_codes`. ``"auto-by-class"`` needs a target.
    sample_weight : array of shape (n_samples,), optional
        How much each sample counts; for a Table or Codes, which have their own, None.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> features, label = binned([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"], bins=2)
    >>> features.values.tolist(), label.values.tolist()
    ([[0, 0, 1, 1]], [[0, 0, 1, 1]])
    """
    return _coded(X, y, bins, edges, sample_weight, n_jobs)[2:4]


def information_of(
    X: Any,
    y: Any = None,
    *,
    bins: int | str = "auto",
    edges: str = "apart",
    estimate: str = "plug-in",
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = -1,
    device: str | None = None,
) -> Information:
    """Return the information of a table and its target, if there is one.

    A Table keeps it: measures of the same bins, edges, estimate, device and Target count it once.

    Parameters
    ----------
    X, y, bins, edges, sample_weight, n_jobs
        As in `binned`.
    estimate, device
        As in `Information.of`.

    Examples
    --------
    >>> information_of([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"], bins=2).importance
    array([1.])
    """
    check_estimate(estimate)
    features, target, codes, label, number = _coded(X, y, bins, edges, sample_weight, n_jobs)
    if not isinstance(features, Table) or isinstance(target, Codes):
        return Information.of(codes, label, estimate=estimate, n_jobs=n_jobs, device=device)
    key = (number, edges, estimate, device)
    counts = CodeCounts(codes, None, estimate, n_jobs, device)
    plain: Information = features.counted.setdefault((*key, None), (None, Information(counts)))[1]
    if label is None:
        return plain
    # The target is kept too, as another one might get its place in memory.
    kept = (target, Information(CodeCounts(codes, label, estimate, n_jobs, device), plain))
    found: Information = features.counted.setdefault((*key, id(target)), kept)[1]
    for old in list(features.counted)[:-KEPT]:
        features.counted.pop(old, None)
    return found


def _coded(
    X: Any, y: Any, bins: int | str, edges: str, sample_weight: ArrayLike | None, n_jobs: int | None
) -> tuple[Table | Codes, Target | Codes | None, Codes, Codes | None, int]:
    """Return features and target as they were read, the codes of both, and the number of bins."""
    check_edges(edges)
    bins_of(bins, 0.0)  # refuses wrong numbers before the table is read
    features: Table | Codes
    target: Target | Codes | None = None
    if y is not None:
        features, target = features_and_target(X, y, sample_weight)
    elif isinstance(X, Codes):
        if sample_weight is not None:
            raise ValueError(WEIGHTED_TWICE)
        features = X
    elif bins == "auto-by-class":
        raise ValueError("bins='auto-by-class' needs a target, got none: pass y, or use bins='auto'.")
    else:
        features = as_table(X, sample_weight=sample_weight)
    weights, label = features.weights, None
    continuous = isinstance(target, Target) and target.continuous
    if target is not None and not continuous:
        label = label_codes(target, weights=weights)
    n_labels = 1 if target is None else None if label is None else int(label.sizes[0])
    total = features.total if isinstance(features, Codes) else features.binning_weight
    number = bins_of(bins, total, n_labels)
    codes = feature_codes(features, bins=number, edges=edges, n_jobs=n_jobs)
    if target is not None and continuous:
        label = label_codes(target, bins=target_bins(bins, number), edges=edges, weights=weights)
    return features, target, codes, label, number


def trust(together: float | str, sizes: Any, others: Any, n_labels: int, n_samples: float) -> Any:
    """Return how much of what pairs of features share within the classes counts, "auto" by how well it is known.

    That is half of ``c / (c + 1)`` for c samples in each of the cells that two features and the target have: nothing
    where there are none, and nearly half where there are many.

    Parameters
    ----------
    together : float or "auto"
        A number is returned as it is.
    sizes, others : int arrays
        The numbers of codes of some features, and of those that they are paired with.
    n_labels : int
    n_samples : float

    Examples
    --------
    >>> trust(0.5, [2], [2], 2, 24.0), trust("auto", [2], [2], 2, 24.0)
    (0.5, array([[0.375]]))
    """
    if not isinstance(together, str):
        return together
    samples = n_samples / (n_labels * np.multiply.outer(np.asarray(sizes, np.float64), others))
    return TRUST * samples / (samples + PRIOR)


def _closed(array: NDArray[np.float64]) -> NDArray[np.float64]:
    array.flags.writeable = False
    return array
