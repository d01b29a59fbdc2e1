"""JointCounts: how often each pair of codes occurs together, and the I and R that follow from it.

It is made in the second of two passes over a table that does not fit into memory or is spread over a cluster. Counts
are whole numbers, so ``a + b`` depends on neither order nor grouping, and the entropies made of them are, to the last
bit, those of a table in memory.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import log
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels import counting, joint
from .._kernels.threads import thread_map
from ..counting.bins import Codes
from ..counting.entropies import BitPlanes, entropy_terms, mutual_information, symmetric_uncertainty
from ..qubo import Vector
from ..tables.feature_names import label_of
from .checks import Batch, batch_prefix, named_batches
from .edges import NUMBER, Coding

LOOK_UP = 2**17  # samples up to which the terms of entropies are tabulated: memory must not grow with samples
CELLS = 2**16  # counts made into entropies at a time
LARGEST = 2**32  # samples from which counts need 64 bits
UNITS = ("B", "kB", "MB", "GB")


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the counts of each pair of features lie in one flat array, so that adding counts is adding arrays.

    A feature of B codes has B - 1 planes, for the codes 1, 2, ...: the counts of code 0 follow from the margins. First
    come panels, one for each feature, its planes by those of all features after it; then the full table of the
    target with every feature, which holds the margins.

    Parameters
    ----------
    starts, bounds, offsets : int array of shape (n_features + 1,)
        Where the planes, the codes, and the panel of each feature start.
    n_labels : int
        The number of codes of the target.

    Examples
    --------
    >>> layout = Layout.of_sizes([2, 3, 1], 2)
    >>> layout.starts.tolist(), layout.bounds.tolist(), layout.offsets.tolist(), layout.total
    ([0, 1, 3, 3], [0, 2, 5, 6], [0, 2, 2, 2], 14)
    """

    starts: NDArray[np.int64]
    bounds: NDArray[np.int64]
    offsets: NDArray[np.int64]
    n_labels: int

    @classmethod
    def of(cls, coding: Coding) -> "Layout":
        """Return the layout of the counts of a coding."""
        return cls.of_sizes(coding.sizes, coding.n_labels)

    @classmethod
    def of_sizes(cls, sizes: Any, n_labels: int) -> "Layout":
        """Return the layout for features of these numbers of codes."""
        sizes = np.asarray(sizes, np.int64)
        starts, bounds = _sums_from_zero(sizes - 1), _sums_from_zero(sizes)
        return cls(starts, bounds, _sums_from_zero((sizes - 1) * (starts[-1] - starts[1:])), n_labels)

    @property
    def total(self) -> int:
        """The number of counts."""
        return int(self.offsets[-1]) + self.n_labels * int(self.bounds[-1])

    @property
    def nbytes(self) -> int:
        """The bytes they take while there are fewer than 2^32 samples."""
        return 4 * self.total

    def panel(self, tables: NDArray[Any], i: int) -> NDArray[Any]:
        """Return the counts of feature i with all after it: planes of i by planes of those."""
        shape = (self.starts[i + 1] - self.starts[i], self.starts[-1] - self.starts[i + 1])
        return tables[self.offsets[i] : self.offsets[i + 1]].reshape(shape)

    def with_label(self, tables: NDArray[Any]) -> NDArray[Any]:
        """Return the counts of the target with every feature: codes of the target by codes of all features."""
        return tables[self.offsets[-1] :].reshape(self.n_labels, -1)

    def in_layout(self, tables: NDArray[Any], other: "Layout") -> NDArray[Any]:
        """Return counts of this layout in another one, whose coding was grown out of this one's."""
        moved = np.zeros(other.total, tables.dtype)
        planes, codes = _new_places(self.starts, other.starts), _new_places(self.bounds, other.bounds)
        for i in range(self.starts.size - 1):
            old, new = self.panel(tables, i), other.panel(moved, i)
            new[: len(old), planes[self.starts[i + 1] :] - other.starts[i + 1]] = old
        other.with_label(moved)[: self.n_labels, codes] = self.with_label(tables)
        return moved

    def add(self, codes: Codes, label: Codes, tables: NDArray[Any], n_jobs: int | None) -> None:
        """Add the counts of a batch to the tables, in place."""
        sizes = codes.sizes
        together = self.with_label(tables)

        def with_target(i: int) -> None:
            out = together[:, self.bounds[i] : self.bounds[i + 1]]
            joint.add_pair(label.values[0], self.n_labels, codes.values[i], sizes[i], 0, out)

        def with_others(task: tuple[int, NDArray[np.int64]]) -> None:
            i, others = task
            panel = self.panel(tables, i)
            for j in others:
                start, stop = self.starts[j : j + 2] - self.starts[i + 1]
                out = panel[:, start:stop]
                joint.add_pair(codes.values[i], sizes[i], codes.values[j], sizes[j], 1, out)

        thread_map(with_target, range(sizes.size), n_jobs=n_jobs)
        narrow = np.flatnonzero((sizes > 1) & (sizes <= counting.NARROW))
        wide = np.flatnonzero(sizes > counting.NARROW)
        planes = BitPlanes.of(codes, narrow, n_jobs)
        places = self.starts, self.offsets, tables
        thread_map(
            lambda tile: joint.add_tile(planes.common_ones(tile), narrow, planes.starts, *tile, *places),
            planes.tiles,
            n_jobs=n_jobs,
        )
        live = np.flatnonzero(sizes > 1) if wide.size else wide
        tasks = [(int(i), live if sizes[i] > counting.NARROW else wide) for i in live]
        thread_map(with_others, [(i, others[others > i]) for i, others in tasks], n_jobs=n_jobs)


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
                f"tables must be {expected[0]} unsigned integers, as the coding needs, got shape "
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
            That of the whole table: the same for every batch.
        X, y : table of shape (n_samples, n_features), and target
            y is None where the tally had none.
        n_jobs : int or None
            Threads, counted as joblib does. The result does not depend on it.
        batch : str
            The name of the batch in errors, as "batch 3" or a file's name.
        max_bytes : int, optional
            The most memory for the counts; None is half of the memory.
        """
        return cls.over(coding, [Batch(X, y, batch)], n_jobs=n_jobs, max_bytes=max_bytes)

    @classmethod
    def over(
        cls,
        coding: Coding,
        batches: Iterable[Any],
        *,
        n_jobs: int | None = -1,
        max_bytes: int | None = None,
    ) -> "JointCounts":
        """Return the counts of many batches ``(X, y)``, without a table of counts for each.

        Parameters
        ----------
        coding : Coding
        batches : iterable of (X, y)
            Errors use the attribute ``name`` of a batch that has one.
        n_jobs, max_bytes
            As in `of`.
        """
        check_memory(coding, max_bytes)
        tables, n_samples = np.zeros(Layout.of(coding).total, np.uint32), 0
        for X, y, name in named_batches(batches):
            tables, n_samples = _with_batch(coding, tables, n_samples, X, y, n_jobs, name)
        return cls(coding, n_samples, tables)

    def with_batch(self, X: Any, y: Any = None, *, n_jobs: int | None = -1, batch: str = "") -> "JointCounts":
        """Return these counts plus those of one more batch; these stay as they are."""
        tables, n_samples = _with_batch(
            self.coding, self.tables, self.n_samples, X, y, n_jobs, batch, copy=True
        )
        return JointCounts(self.coding, n_samples, tables)

    def __add__(self, other: "JointCounts") -> "JointCounts":
        if not isinstance(other, JointCounts):
            return NotImplemented
        if not self.coding.same(other.coding):
            raise ValueError(
                "counts can be added only where both were made with one coding: add up all tallies, make the coding of "
                "the sum (tally.coding), and count every batch with it."
            )
        n_samples = self.n_samples + other.n_samples
        tables = np.add(self.tables, other.tables, dtype=counter_type(n_samples))
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
        """The bytes that the counts take."""
        return int(self.tables.nbytes)

    @staticmethod
    def bytes_needed(coding: Coding) -> int:
        """Return the bytes that the counts of up to 2^32 samples take, for any number of batches."""
        return Layout.of(coding).nbytes

    def grown(self, coding: Coding) -> "JointCounts":
        """Return the same counts under a coding that was grown out of theirs."""
        if coding is self.coding:
            return self
        return JointCounts(coding, self.n_samples, self.layout.in_layout(self.tables, Layout.of(coding)))

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
        alone = self._feature_entropies(corrected)
        information = mutual_information(alone, entropy, both)
        return symmetric_uncertainty(alone, entropy, information) if normalised else information

    def redundancy(
        self,
        *,
        corrected: bool = False,
        normalised: bool = False,
        n_jobs: int | None = -1,
    ) -> Vector:
        """Return what `redundancy.MutualInformation` would of all batches together, shape (n_features, n_features).

        Parameters
        ----------
        corrected, normalised : bool
            As there.
        n_jobs : int or None
            Threads, counted as joblib does. The result does not depend on it.
        """
        alone = self._feature_entropies(corrected)
        both = self._pair_entropies(alone, corrected, n_jobs)
        redundancy = mutual_information(alone[:, None], alone[None, :], both)
        if normalised:
            redundancy = symmetric_uncertainty(alone[:, None], alone[None, :], redundancy)
        np.fill_diagonal(redundancy, 0.0)
        return redundancy

    @cached_property
    def margins(self) -> NDArray[np.int64]:
        """How often each code of each feature occurs, feature after feature."""
        margins: NDArray[np.int64] = self.layout.with_label(self.tables).sum(axis=0, dtype=np.int64)
        return margins

    def _feature_entropies(self, corrected: bool) -> Vector:
        """Return the entropy of each feature."""
        return self._entropies(self.margins, 1, self.coding.sizes, corrected)

    def _pair_entropies(self, alone: Vector, corrected: bool, n_jobs: int | None) -> Vector:
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
            entropies = self._entropies(cells, rows, sizes, corrected, terms)
            # A constant feature adds nothing to the other, whose entropy stands there already.
            there = first + np.flatnonzero(live[first:last])
            both[i, there] = both[there, i] = entropies[there - first]

        thread_map(fill, [task for i in range(n) if live[i] for task in self._tasks(i)], n_jobs=n_jobs)
        return both

    def _tasks(self, i: int) -> list[tuple[int, int, int]]:
        """Return the features after i in pieces whose counts with it fit into a core's own cache."""
        n, bounds = self.coding.n_features, self.layout.bounds
        tasks, first = [], i + 1
        while first < n:
            room = bounds[first] + CELLS // int(self.coding.sizes[i])
            last = max(int(np.searchsorted(bounds, room, side="right")) - 1, first + 1)
            tasks.append((i, first, min(last, n)))
            first = last
        return tasks

    def _terms(self, corrected: bool) -> Vector | None:
        """Return what each count adds to an entropy, unless there are too many samples to tabulate it."""
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
        """Return the entropies of flat tables that lie one after the other, each of this number of rows."""
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


def counter_type(n_samples: int) -> type[np.generic]:
    """Return the type that can count this number of samples."""
    return np.uint32 if n_samples < LARGEST else np.uint64


def _with_batch(
    coding: Coding,
    tables: NDArray[Any],
    n_samples: int,
    X: Any,
    y: Any,
    n_jobs: int | None,
    batch: str,
    copy: bool = False,
) -> tuple[NDArray[Any], int]:
    """Return the tables with the counts of a batch added, and the number of samples; a wrong batch adds nothing."""
    codes = coding.codes(X, n_jobs=n_jobs, batch=batch)
    if y is None and coding.target is None:
        label = Codes(np.zeros((1, codes.n_samples), np.uint8), np.ones(1, np.int64))
    else:
        label = coding.label(y, batch=batch)
    if label.n_samples != codes.n_samples:
        raise ValueError(
            f"{batch_prefix(batch)}X and y must have the same number of samples, got {codes.n_samples} and "
            f"{label.n_samples}."
        )
    n_samples += codes.n_samples
    tables = tables.astype(counter_type(n_samples), copy=copy)
    Layout.of(coding).add(codes, label, tables, n_jobs)
    return tables, n_samples


def _sums_from_zero(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)])


def _new_places(old: NDArray[np.int64], new: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the new place of each entry of pieces that started at ``old`` and now start at ``new``."""
    return np.arange(old[-1]) + np.repeat(new[:-1] - old[:-1], np.diff(old))


def half_of_memory() -> int:
    """Return half of the bytes of memory of this machine."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):
        # Not every system tells.
        return 2**33


def check_bytes(max_bytes: Any) -> None:
    """Raise unless ``max_bytes`` is a number of bytes or None."""
    integral = isinstance(max_bytes, Integral) and not isinstance(max_bytes, bool)
    if max_bytes is not None and not (integral and max_bytes >= 0):
        raise ValueError(
            f"max_bytes must be a whole number of bytes, as 2**30, or None for half of the memory, got {max_bytes!r}."
        )


def byte_words(n: int) -> str:
    """Return a number of bytes in words.

    Examples
    --------
    >>> byte_words(1), byte_words(41_700), byte_words(2**30)
    ('1 B', '41.7 kB', '1.07 GB')
    """
    power = min(max(len(str(n)) - 1, 0) // 3, len(UNITS) - 1)
    return f"{n / 1000**power:.3g} {UNITS[power]}"


def check_memory(coding: Coding, max_bytes: int | None = None) -> None:
    """Raise where the counts would take more memory than they may, saying what would take less."""
    check_bytes(max_bytes)
    allowed = half_of_memory() if max_bytes is None else max_bytes
    needed = Layout.of(coding).nbytes
    if needed <= allowed:
        return
    advice = []
    number = np.array([cut.kind == NUMBER for cut in coding.cuts])
    for bins in (b for b in (50, 20, 10, 5, 3, 2) if b < coding.bins):
        sizes = np.where(number, np.minimum(coding.sizes, bins + 1), coding.sizes)
        n_labels = min(coding.n_labels, bins) if coding.continuous else coding.n_labels
        if Layout.of_sizes(sizes, n_labels).nbytes <= allowed:
            advice.append(f"use fewer bins ({bins} would fit)")
            break
    widest = int(np.argmax(coding.sizes))
    advice.append(
        f"exclude features ({label_of(widest, coding.names)} has most codes, {coding.sizes[widest]})"
    )
    raise MemoryError(
        f"the counts of all pairs of {coding.n_features} features need {byte_words(needed)}, and may take "
        f"{byte_words(allowed)}: {', '.join(advice)}, or allow more by max_bytes."
    )
