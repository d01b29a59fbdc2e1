"""Layout: where the counts of each pair of features lie, and how much memory they take."""

import os
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _kernels
from .._kernels.threads import thread_map
from ..counting import gpu
from ..counting.bins import Codes
from ..counting.entropies import BitPlanes, Tile, samples_of_both
from ..search.wide import selection
from ..tables.feature_names import label_of
from .edges import NUMBER, Coding

TOGETHER = 16  # features of a task, where a device has counted
UNITS = ("B", "kB", "MB", "GB", "TB")


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the counts of each pair of features lie in one flat array, so that adding counts is adding arrays.

    A feature of B codes has B - 1 planes, for the codes 1, 2, ...: the counts of code 0 follow from the margins. First
    come panels, one for each feature, its planes by those of all features after it, and all of them once for each class
    where pairs are counted class by class; then the full table of the target with every feature, which holds the
    margins.

    Parameters
    ----------
    starts, bounds, offsets : int array of shape (n_features + 1,)
        Where the planes, the codes, and the panel of each feature start.
    n_labels : int
        The number of codes of the target.
    by_class : bool
        Whether there are panels for each class.
    width : int
        The bytes of a count, while there are fewer than 2^32 samples: counts of weights may be larger.

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
    by_class: bool = False
    width: int = 4

    @classmethod
    def of(cls, coding: Coding) -> "Layout":
        """Return the layout of the counts of a coding."""
        width = 4 if coding.scale is None or coding.scale.whole else 8
        return cls.of_sizes(coding.sizes, coding.n_labels, coding.by_class, width)

    @classmethod
    def of_sizes(cls, sizes: Any, n_labels: int, by_class: bool = False, width: int = 4) -> "Layout":
        """Return the layout for features of these numbers of codes."""
        sizes = np.asarray(sizes, np.int64)
        starts, bounds = _sums_from_zero(sizes - 1), _sums_from_zero(sizes)
        offsets = _sums_from_zero((sizes - 1) * (starts[-1] - starts[1:]))
        return cls(starts, bounds, offsets, n_labels, by_class, width)

    @property
    def total(self) -> int:
        """The number of counts."""
        return self.n_pairs + self.n_labels * int(self.bounds[-1])

    @property
    def n_pairs(self) -> int:
        """The number of counts in panels."""
        return int(self.offsets[-1]) * (self.n_labels if self.by_class else 1)

    @property
    def nbytes(self) -> int:
        """The bytes they take while there are fewer than 2^32 samples."""
        return self.width * self.total

    def panels(self, tables: NDArray[Any]) -> NDArray[Any]:
        """Return all panels one after the other, in one row, or in a row for each class."""
        return tables[: self.n_pairs].reshape(self.n_labels if self.by_class else 1, -1)

    def panel(self, panels: NDArray[Any], i: int) -> NDArray[Any]:
        """Return the counts of feature i with all after it, in a row of panels: planes of i by planes of those."""
        shape = (self.starts[i + 1] - self.starts[i], self.starts[-1] - self.starts[i + 1])
        return panels[self.offsets[i] : self.offsets[i + 1]].reshape(shape)

    def with_label(self, tables: NDArray[Any]) -> NDArray[Any]:
        """Return the counts of the target with every feature: codes of the target by codes of all features."""
        return tables[self.n_pairs :].reshape(self.n_labels, -1)

    def members(self, tables: NDArray[Any]) -> NDArray[np.int64]:
        """Return what the samples of each label add up to."""
        sums: NDArray[np.int64] = self.with_label(tables)[:, : self.bounds[1]].sum(axis=1, dtype=np.int64)
        return sums

    def sum_of(self, tables: NDArray[Any]) -> int:
        """Return what all samples add up to."""
        return int(self.members(tables).sum())

    def in_layout(self, tables: NDArray[Any], other: "Layout") -> NDArray[Any]:
        """Return counts of this layout in another one, whose coding was grown out of this one's."""
        moved = np.zeros(other.total, tables.dtype)
        planes, codes = _new_places(self.starts, other.starts), _new_places(self.bounds, other.bounds)
        # New classes come last, and have no counts.
        for before, after in zip(self.panels(tables), other.panels(moved), strict=False):
            for i in range(self.starts.size - 1):
                old, new = self.panel(before, i), other.panel(after, i)
                new[: len(old), planes[self.starts[i + 1] :] - other.starts[i + 1]] = old
        other.with_label(moved)[: self.n_labels, codes] = self.with_label(tables)
        return moved

    def add(
        self,
        codes: Codes,
        label: Codes,
        tables: NDArray[Any],
        n_jobs: int | None,
        device: str | None = None,
    ) -> None:
        """Add the counts of a batch to the tables, in place; pairs of features may be counted on a device."""
        # Weights that are small whole numbers are repeated samples, which are counted faster.
        codes, label = samples_of_both(codes, label)
        weights = unit_weights(codes)
        # A device multiplies weights as floats, which do not hold all units.
        device = device if weights is None else None
        together, panels = self.with_label(tables), self.panels(tables)

        def with_target(i: int) -> None:
            out = together[:, self.bounds[i] : self.bounds[i + 1]]
            add_pair(label.values[0], self.n_labels, codes.values[i], codes.sizes[i], weights, 0, out)

        thread_map(with_target, range(codes.n_features), n_jobs=n_jobs)
        if not self.by_class:
            self._add_pairs(codes, panels[0], n_jobs, device)
            return
        for c in range(self.n_labels):
            members = np.flatnonzero(label.values[0] == c)
            if members.size:
                self._add_pairs(codes.take(members), panels[c], n_jobs, device)

    def _add_pairs(self, codes: Codes, panels: NDArray[Any], n_jobs: int | None, device: str | None) -> None:
        """Add the counts of pairs of features to panels, in place."""
        sizes, weights = codes.sizes, unit_weights(codes)

        def with_others(task: tuple[int, NDArray[np.int64]]) -> None:
            i, others = task
            panel = self.panel(panels, i)
            for j in others:
                start, stop = self.starts[j : j + 2] - self.starts[i + 1]
                out = panel[:, start:stop]
                add_pair(codes.values[i], sizes[i], codes.values[j], sizes[j], weights, 1, out)

        def add_counted(tile: Tile, common: NDArray[np.uint32], starts: NDArray[np.int64]) -> None:
            i0, i1, j0, j1 = tile

            def add_some(first: int) -> None:
                last = min(first + TOGETHER, i1)
                lines = common[starts[first] - starts[i0] : starts[last] - starts[i0]]
                _kernels.joint.add_tile(lines, narrow, starts, first, last, j0, j1, *places)

            thread_map(add_some, range(i0, i1, TOGETHER), n_jobs=n_jobs)

        most = 1 if weights is not None else _kernels.counting.NARROW if device is None else gpu.MOST_CODES
        narrow, wide = np.flatnonzero((sizes > 1) & (sizes <= most)), np.flatnonzero(sizes > most)
        places = self.starts, self.offsets, panels
        if device is None:
            planes = BitPlanes.of(codes, narrow, n_jobs)
            thread_map(
                lambda tile: _kernels.joint.add_tile(
                    planes.common_ones(tile), narrow, planes.starts, *tile, *places
                ),
                planes.tiles,
                n_jobs=n_jobs,
            )
        else:
            starts = _sums_from_zero(sizes[narrow] - 1)
            for tile, common in gpu.common_counts(codes, narrow, device):
                add_counted(tile, common, starts)
        live = np.flatnonzero(sizes > 1) if wide.size else wide
        tasks = [(int(i), live if sizes[i] > most else wide) for i in live]
        thread_map(with_others, [(i, others[others > i]) for i, others in tasks], n_jobs=n_jobs)


def unit_weights(codes: Codes) -> NDArray[np.int64] | None:
    """Return the weights of codes, which are whole numbers here; None where each sample counts once."""
    return None if codes.weights is None else codes.weights.astype(np.int64)


def add_pair(x: Any, x_size: int, y: Any, y_size: int, weights: Any, skip: int, out: NDArray[Any]) -> None:
    """Add the joint counts of two features to ``out``; ``skip`` 1 leaves out the codes 0."""
    if weights is None:
        _kernels.joint.add_pair(x, x_size, y, y_size, skip, out)
    else:
        _kernels.joint.add_weighted_pair(x, y, weights, skip, out)


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


def moments_bytes(coding: Coding) -> int:
    """Return the bytes that the moments of a coding take, for any number of batches."""
    n, kinds = coding.n_features, coding.moments
    with_target = 10 if coding.continuous else 4 * coding.n_labels
    return 8 * n * ((kinds.target is not None) * with_target + (kinds.pairs is not None) * 5 * n)


def check_memory(coding: Coding, max_bytes: int | None = None) -> None:
    """Raise where counts and moments would take more memory than they may, saying what would take less."""
    check_bytes(max_bytes)
    allowed = half_of_memory() if max_bytes is None else max_bytes
    moments = moments_bytes(coding)
    if moments > allowed:
        raise MemoryError(
            f"the moments of all pairs of {coding.n_features} features need {byte_words(moments)}, and may take "
            f"{byte_words(allowed)}: use a criterion of information, which keeps a byte of each value of very many "
            "features, give fewer features, or allow more by max_bytes."
        )
    needed, allowed = Layout.of(coding).nbytes, allowed - moments
    if needed <= allowed:
        return
    advice = []
    number = np.array([cut.kind == NUMBER for cut in coding.cuts])
    for bins in (b for b in (50, 20, 10, 5, 3, 2) if b < coding.bins):
        sizes = np.where(number, np.minimum(coding.sizes, bins + 1), coding.sizes)
        n_labels = min(coding.n_labels, bins) if coding.continuous else coding.n_labels
        if Layout.of_sizes(sizes, n_labels, coding.by_class, Layout.of(coding).width).nbytes <= allowed:
            advice.append(f"use fewer bins ({bins} would fit)")
            break
    if coding.n_features > selection.WIDE and not any(coding.moments):
        advice.append("use fit_batches or fit_parquet, which keep a byte of each value instead")
    widest = int(np.argmax(coding.sizes))
    advice.append(
        f"exclude features ({label_of(widest, coding.names)} has most codes, {coding.sizes[widest]})"
    )
    raise MemoryError(
        f"the counts of all pairs of {coding.n_features} features need {byte_words(needed)}, and may take "
        f"{byte_words(allowed)}: {', '.join(advice)}, or allow more by max_bytes."
    )
