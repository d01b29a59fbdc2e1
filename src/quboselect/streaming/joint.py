"""JointCounts: how often each pair of codes met. Batches flow in and add up; I and R flow out.

The second of two passes over a table that does not fit into memory, or that lies in parts on a cluster. Counts are
whole numbers, so ``a + b`` depends on neither order nor grouping, and the entropies made of them are, to the last bit,
those of ``counts.py``, which makes them without keeping the counts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._kernels import joint
from .._kernels.threads import thread_map
from ..counting.entropies import entropy_terms, mutual_information, symmetric_uncertainty
from .coding import Coding
from .layout import Layout, add_batch, check_memory, counter
from .schema import named

Vector = NDArray[np.float64]

LOOK_UP = 2**17  # samples up to which the terms of entropies are kept: memory is not to grow with samples
CELLS = 2**16  # counts made into entropies at a time


@dataclass(frozen=True, eq=False, repr=False)
class JointCounts:
    """Every pair's table of counts. Make it with `JointCounts.of`; ``a + b`` adds up batches.

    Parameters
    ----------
    coding : Coding
        How features and target became codes.
    n_samples : int
    tables : array
        The counts, uint32, or uint64 from 2^32 samples on; `Layout` says what lies where.

    Examples
    --------
    >>> from quboselect.streaming import Tally
    >>> first, second = ([[1.0], [2.0]], ["a", "a"]), ([[3.0], [4.0]], ["b", "b"])
    >>> coding = (Tally.of(*first) + Tally.of(*second)).coding(bins=2)
    >>> counts = JointCounts.of(coding, *first) + JointCounts.of(coding, *second)
    >>> counts, counts.importance().tolist()
    (JointCounts(4 samples, 1 features), [1.0])
    """

    coding: Coding
    n_samples: int
    tables: NDArray[Any]

    def __post_init__(self) -> None:
        expected = (self.layout.total,)
        if self.tables.shape != expected or self.tables.dtype not in (np.uint32, np.uint64):
            raise ValueError(
                f"tables must be {expected[0]} unsigned integers, as the coding has it, got shape "
                f"{self.tables.shape} of {self.tables.dtype}."
            )
        self.tables.flags.writeable = False

    def __repr__(self) -> str:
        return f"JointCounts({self.n_samples} samples, {self.coding.n_features} features)"

    @classmethod
    def of(
        cls,
        coding: Coding,
        X: Any,
        y: Any = None,
        *,
        n_jobs: int | None = -1,
        batch: str = "",
        max_bytes: int | None = None,
    ) -> "JointCounts":
        """Return the counts of one batch.

        Parameters
        ----------
        coding : Coding
            Of the whole table: the same for every batch.
        X, y : table of shape (n_samples, n_features), and target
            y is None where the tally had none.
        n_jobs : int or None
            Threads, counted as joblib does. The result does not depend on it.
        batch : str
            What errors call the batch, as "batch 3" or a file's name.
        max_bytes : int, optional
            The most that counts may take; None is half of the memory.
        """
        return cls.over(coding, [(X, y)], n_jobs=n_jobs, max_bytes=max_bytes, names=[batch])

    @classmethod
    def over(
        cls,
        coding: Coding,
        batches: Iterable[tuple[Any, Any]],
        *,
        n_jobs: int | None = -1,
        max_bytes: int | None = None,
        names: Iterable[str] | None = None,
    ) -> "JointCounts":
        """Return the counts of many batches ``(X, y)``, without a table of counts for each.

        Parameters
        ----------
        coding : Coding
        batches : iterable of (X, y)
            Those with an attribute ``name`` are called by it in errors.
        n_jobs, max_bytes
            As in `of`.
        names : iterable of str, optional
            What errors call the batches.
        """
        check_memory(coding, max_bytes)
        tables, n_samples = np.zeros(Layout.of(coding).total, np.uint32), 0
        for name, (X, y) in named(batches, names):
            tables, n_samples = add_batch(coding, tables, n_samples, X, y, n_jobs, name)
        return cls(coding, n_samples, tables)

    def with_batch(self, X: Any, y: Any = None, *, n_jobs: int | None = -1, batch: str = "") -> "JointCounts":
        """Return these counts and those of one batch more; these stay as they are."""
        made = add_batch(self.coding, self.tables, self.n_samples, X, y, n_jobs, batch, copied=True)
        return JointCounts(self.coding, made[1], made[0])

    def __add__(self, other: "JointCounts") -> "JointCounts":
        if not isinstance(other, JointCounts):
            return NotImplemented
        if not self.coding.same(other.coding):
            raise ValueError(
                "counts can be added only where both were made with one coding: make it of all tallies together "
                "(tally.coding), and count every batch with it."
            )
        n_samples = self.n_samples + other.n_samples
        tables = np.add(self.tables, other.tables, dtype=counter(n_samples))
        return JointCounts(self.coding, n_samples, tables)

    def __radd__(self, other: Any) -> "JointCounts":
        # The sum of a list begins with 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    @cached_property
    def layout(self) -> Layout:
        """What lies where in the tables."""
        return Layout.of(self.coding)

    @property
    def nbytes(self) -> int:
        """How many bytes the counts take."""
        return int(self.tables.nbytes)

    @staticmethod
    def bytes_needed(coding: Coding) -> int:
        """Return how many bytes the counts of up to four thousand million samples take, however many batches."""
        return Layout.of(coding).nbytes

    def grown(self, coding: Coding) -> "JointCounts":
        """Return the same counts under a coding that was grown out of theirs."""
        if coding is self.coding:
            return self
        tables = self.layout.moved(self.tables, Layout.of(coding))
        return JointCounts(coding, self.n_samples, tables)

    def importance(self, *, corrected: bool = False, normalised: bool = False) -> Vector:
        """Return what `importance.MutualInformation` would of all batches together, shape (n_features,).

        Parameters
        ----------
        corrected, normalised : bool
            As there.
        """
        if self.coding.target is None:
            raise ValueError(
                "counts without a target have no importance: make the tally and the counts with y."
            )
        layout = self.layout
        together = layout.with_label(self.tables)
        spans = zip(layout.bounds[:-1], layout.bounds[1:], strict=True)
        cells = np.concatenate([together[:, start:stop].ravel() for start, stop in spans])
        both = self._entropies(cells, layout.n_labels, self.coding.sizes, corrected)
        label = together[:, : layout.bounds[1]].sum(axis=1, dtype=np.int64)
        entropy = self._entropies(label, 1, np.array([layout.n_labels]), corrected)
        alone = self._alone(corrected)
        information = mutual_information(alone, entropy, both)
        return symmetric_uncertainty(alone, entropy, information) if normalised else information

    def redundancy(
        self,
        *,
        corrected: bool = False,
        normalised: bool = False,
        dtype: DTypeLike = np.float64,
        n_jobs: int | None = -1,
    ) -> NDArray[Any]:
        """Return what `redundancy.MutualInformation` would of all batches together, shape (n_features, n_features).

        Parameters
        ----------
        corrected, normalised : bool
            As there.
        dtype : float64 or float32
        n_jobs : int or None
            Threads, counted as joblib does. The result does not depend on it.
        """
        alone = self._alone(corrected)
        both = self._joint(alone, corrected, n_jobs)
        redundancy = mutual_information(alone[:, None], alone[None, :], both)
        if normalised:
            redundancy = symmetric_uncertainty(alone[:, None], alone[None, :], redundancy)
        np.fill_diagonal(redundancy, 0.0)
        return redundancy.astype(dtype, copy=False)

    @cached_property
    def margins(self) -> NDArray[np.int64]:
        """How often each code of each feature occurs, feature after feature."""
        margins: NDArray[np.int64] = self.layout.with_label(self.tables).sum(axis=0, dtype=np.int64)
        return margins

    def _alone(self, corrected: bool) -> Vector:
        """Return the entropy of each feature."""
        return self._entropies(self.margins, 1, self.coding.sizes, corrected)

    def _joint(self, alone: Vector, corrected: bool, n_jobs: int | None) -> Vector:
        """Return the joint entropy of every pair of features; the diagonal means nothing."""
        n, layout = self.coding.n_features, self.layout
        both = np.maximum(alone[:, None], alone[None, :])
        live = alone > 0
        terms = self._terms(corrected)

        def fill(task: tuple[int, int, int]) -> None:
            i, first, last = task
            rows, sizes = int(self.coding.sizes[i]), self.coding.sizes[first:last]
            cells = np.empty(rows * int(sizes.sum()), np.int64)
            panel = layout.panel(self.tables, i)
            joint.whole_tables(panel, self.margins, layout.starts, layout.bounds, i, first, last, cells)
            found = self._entropies(cells, rows, sizes, corrected, terms)
            # A constant feature adds nothing to the other, which is what stands there.
            there = first + np.flatnonzero(live[first:last])
            both[i, there] = both[there, i] = found[there - first]

        thread_map(fill, [task for i in range(n) if live[i] for task in self._tasks(i)], n_jobs=n_jobs)
        return both

    def _tasks(self, i: int) -> list[tuple[int, int, int]]:
        """Return the features after i in pieces, of so many cells with it that they fit a core's own cache."""
        n, bounds = self.coding.n_features, self.layout.bounds
        tasks, first = [], i + 1
        while first < n:
            room = bounds[first] + CELLS // int(self.coding.sizes[i])
            last = max(int(np.searchsorted(bounds, room, side="right")) - 1, first + 1)
            tasks.append((i, first, min(last, n)))
            first = last
        return tasks

    def _terms(self, corrected: bool) -> Vector | None:
        """Return what each count adds to an entropy, unless there are too many samples to keep that."""
        return entropy_terms(self.n_samples, self._extra(corrected)) if self.n_samples <= LOOK_UP else None

    def _extra(self, corrected: bool) -> float:
        return 1.0 / (2.0 * float(self.n_samples) * log(2.0)) if corrected else 0.0

    def _entropies(
        self,
        cells: NDArray[Any],
        rows: int,
        sizes: NDArray[np.int64],
        corrected: bool,
        terms: Vector | None = None,
    ) -> Vector:
        """Return the entropies of flat tables of so many rows, one after the other."""
        extra = self._extra(corrected)
        terms = self._terms(corrected) if terms is None else terms
        if terms is not None:
            added = np.take(terms, cells)
        else:
            # The steps of entropy_terms, and so its numbers.
            share = cells / self.n_samples
            inside = (cells > 0) & (cells < self.n_samples)
            added = np.zeros(cells.size)
            added[inside] = -share[inside] * np.log2(share[inside])
            added[cells > 0] += extra
        out = np.empty(sizes.size)
        joint.table_sums(added, rows, sizes, out)
        return out - extra
