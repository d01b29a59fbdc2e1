"""Layout: where the counts of each pair of features lie. The sizes of a coding flow in, places in one array flow out.

All counts of a `JointCounts` are one flat array, so that adding two is adding two arrays. A feature of B codes has
B - 1 planes, for the codes 1, 2, ...: code 0 is what the margins leave. First come panels, one for each feature, its
planes by those of all features after it; then the whole table of the target with every feature, which has the margins.
"""

import os
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels import counting, joint
from .._kernels.threads import thread_map
from ..counting.bins import Codes
from ..counting.bit_planes import Counts, each_tile
from ..tables.feature_names import label_of
from .coding import Coding
from .schema import within
from .seen import NUMBER

UNITS = ("B", "kB", "MB", "GB")
LARGEST = 2**32  # samples from which counts need 64 bits


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the counts of each pair of features lie.

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
        """Return the layout for features of so many codes."""
        sizes = np.asarray(sizes, np.int64)
        starts, bounds = _cumulated(sizes - 1), _cumulated(sizes)
        return cls(starts, bounds, _cumulated((sizes - 1) * (starts[-1] - starts[1:])), n_labels)

    @property
    def total(self) -> int:
        """How many counts there are."""
        return int(self.offsets[-1]) + self.n_labels * int(self.bounds[-1])

    @property
    def nbytes(self) -> int:
        """How many bytes they take while there are fewer than 2^32 samples."""
        return 4 * self.total

    def panel(self, tables: NDArray[Any], i: int) -> NDArray[Any]:
        """Return the counts of feature i with all after it: planes of i by planes of those."""
        shape = (self.starts[i + 1] - self.starts[i], self.starts[-1] - self.starts[i + 1])
        return tables[self.offsets[i] : self.offsets[i + 1]].reshape(shape)

    def with_label(self, tables: NDArray[Any]) -> NDArray[Any]:
        """Return the counts of the target with every feature: codes of the target by codes of all features."""
        return tables[self.offsets[-1] :].reshape(self.n_labels, -1)

    def moved(self, tables: NDArray[Any], to: "Layout") -> NDArray[Any]:
        """Return counts that lie as here as they lie in the layout of a coding grown out of this one's."""
        moved = np.zeros(to.total, tables.dtype)
        planes, codes = _places(self.starts, to.starts), _places(self.bounds, to.bounds)
        for i in range(self.starts.size - 1):
            old, new = self.panel(tables, i), to.panel(moved, i)
            new[: len(old), planes[self.starts[i + 1] :] - to.starts[i + 1]] = old
        to.with_label(moved)[: self.n_labels, codes] = self.with_label(tables)
        return moved

    def count(self, codes: Codes, label: Codes, tables: NDArray[Any], n_jobs: int | None) -> None:
        """Add the counts of a batch to the tables."""
        sizes = codes.sizes
        together = self.with_label(tables)

        def with_target(i: int) -> None:
            out = together[:, self.bounds[i] : self.bounds[i + 1]]
            joint.add_pair(label.values[0], self.n_labels, codes.values[i], sizes[i], 0, out)

        def pair(task: tuple[int, NDArray[np.int64]]) -> None:
            i, others = task
            panel = self.panel(tables, i)
            for j in others:
                start, stop = self.starts[j : j + 2] - self.starts[i + 1]
                out = panel[:, start:stop]
                joint.add_pair(codes.values[i], sizes[i], codes.values[j], sizes[j], 1, out)

        thread_map(with_target, range(sizes.size), n_jobs=n_jobs)
        narrow = np.flatnonzero((sizes > 1) & (sizes <= counting.NARROW))
        wide = np.flatnonzero(sizes > counting.NARROW)
        self._by_planes(codes, narrow, tables, n_jobs)
        live = np.flatnonzero(sizes > 1) if wide.size else wide
        tasks = [(int(i), live if sizes[i] > counting.NARROW else wide) for i in live]
        thread_map(pair, [(i, others[others > i]) for i, others in tasks], n_jobs=n_jobs)

    def _by_planes(
        self, codes: Codes, features: NDArray[np.int64], tables: NDArray[Any], n_jobs: int | None
    ) -> None:
        """Add the counts among some features, each of few codes, by way of bit planes."""

        def use(common: Counts, _: Counts, starts: Counts, i0: int, i1: int, j0: int, j1: int) -> None:
            joint.add_tile(common, features, starts, i0, i1, j0, j1, self.starts, self.offsets, tables)

        each_tile(codes, features, use, n_jobs)


def counter(n_samples: int) -> type[np.generic]:
    """Return the type in which so many samples can be counted."""
    return np.uint32 if n_samples < LARGEST else np.uint64


def add_batch(
    coding: Coding,
    tables: NDArray[Any],
    n_samples: int,
    X: Any,
    y: Any,
    n_jobs: int | None,
    batch: str,
    copied: bool = False,
) -> tuple[NDArray[Any], int]:
    """Return the tables with the counts of a batch added, in a new array where ``copied``, and the samples they count.

    What is wrong with the batch is said before anything is added.
    """
    codes = coding.codes(X, n_jobs=n_jobs, batch=batch)
    if y is None and coding.target is None:
        label = Codes(np.zeros((1, codes.n_samples), np.uint8), np.ones(1, np.int64))
    else:
        label = coding.label(y, batch=batch)
    if label.n_samples != codes.n_samples:
        raise ValueError(
            f"{within(batch)}X and y must have the same number of samples, got {codes.n_samples} and "
            f"{label.n_samples}."
        )
    n_samples += codes.n_samples
    tables = tables.astype(counter(n_samples), copy=copied)
    Layout.of(coding).count(codes, label, tables, n_jobs)
    return tables, n_samples


def _cumulated(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)])


def _places(old: NDArray[np.int64], new: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where what started at ``old`` stands when its pieces start at ``new``."""
    return np.arange(old[-1]) + np.repeat(new[:-1] - old[:-1], np.diff(old))


def half_of_memory() -> int:
    """Return half of the bytes of memory that this machine has."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):
        # Not every system tells.
        return 2**33


def check_bytes(max_bytes: Any) -> None:
    """Raise unless what counts may take is a number of bytes, or None."""
    whole = isinstance(max_bytes, Integral) and not isinstance(max_bytes, bool)
    if max_bytes is not None and not (whole and max_bytes >= 0):
        raise ValueError(
            f"max_bytes must be a whole number of bytes, as 2**30, or None for half of the memory, got {max_bytes!r}."
        )


def in_units(n: int) -> str:
    """Return a number of bytes as people say it.

    Examples
    --------
    >>> in_units(1), in_units(41_700), in_units(2**30)
    ('1 B', '41.7 kB', '1.07 GB')
    """
    power = min(max(len(str(n)) - 1, 0) // 3, len(UNITS) - 1)
    return f"{n / 1000**power:.3g} {UNITS[power]}"


def check_memory(coding: Coding, max_bytes: int | None) -> None:
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
        f"the counts of all pairs of {coding.n_features} features need {in_units(needed)}, and may take "
        f"{in_units(allowed)}: {', '.join(advice)}, or allow more by max_bytes."
    )
