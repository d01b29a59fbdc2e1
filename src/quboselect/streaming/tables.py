"""Information made of tables of counts: the entropies that a table in memory would have, to the last bit."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _kernels
from .._kernels.threads import thread_map
from ..counting.entropies import REPEATS, bits_per_cell, check_estimate, entropy_terms, mutual_information
from ..counting.information import Counts
from ..qubo import Matrix, Vector
from .edges import Coding
from .layout import Layout

LOOK_UP = 2**17  # samples up to which the terms of entropies are tabulated: memory must not grow with samples
CELLS = 2**16  # counts made into entropies at a time


@dataclass(frozen=True, eq=False, repr=False)
class TableCounts:
    """What `Information` is made of where tables were counted. Make it with `table_counts`.

    Parameters
    ----------
    layout : Layout
        What lies where in the panels.
    sizes : int array of shape (n_features,)
        The numbers of codes.
    n_samples : int
        The number of samples, or of units of weights.
    margins : int array
        How often each code of each feature occurs, feature after feature.
    panels : array
        The counts of the pairs of features; of all samples, or of those of one class.
    estimate : str
    n_jobs : int or None
    together : array, optional
        The counts of the target with every feature; None within a class.
    by_class : array, optional
        The panels of each class, where pairs were counted class by class.
    unit : float
        How many units of weights are a sample.
    members : int array, optional
        How many samples of each class, or of this one, have weights; None where there are no weights.
    """

    layout: Layout
    sizes: NDArray[np.int64]
    n_samples: int
    margins: NDArray[np.int64]
    panels: NDArray[Any]
    estimate: str
    n_jobs: int | None
    together: NDArray[Any] | None = None
    by_class: NDArray[Any] | None = None
    unit: float = 1.0
    members: NDArray[np.int64] | None = None

    def alone(self) -> Vector:
        """Return the entropy of each feature."""
        return self._entropies(self.margins, 1, self.sizes)

    def label(self) -> float:
        """Return the entropy of the target."""
        together = self._together()
        label = together[:, : self.layout.bounds[1]].sum(axis=1, dtype=np.int64)
        return float(self._entropies(label, 1, np.array([label.size]))[0])

    def importance(self, alone: Vector, label: float, /) -> Vector:
        """Return the mutual information of each feature with the target."""
        together, bounds = self._together(), self.layout.bounds
        cells = np.concatenate([together[:, start:stop].ravel() for start, stop in pairwise(bounds)])
        if self.estimate == "shrunk":
            return self._shrunk(cells, together.shape[0], self.sizes)[:, 1]
        both = self._entropies(cells, together.shape[0], self.sizes)
        return mutual_information(alone, np.array([label]), both)

    def redundancy(self, alone: Vector, /) -> Matrix:
        """Return the mutual information of each pair of features; the diagonal means nothing."""
        layout, plain = self.layout, self.estimate != "shrunk"
        both = np.maximum(alone[:, None], alone[None, :]) if plain else np.zeros((alone.size, alone.size))
        live = alone > 0
        terms = self._terms()

        def fill(task: tuple[int, int, int]) -> None:
            i, first, last = task
            rows, sizes = int(self.sizes[i]), self.sizes[first:last]
            cells = np.empty(rows * int(sizes.sum()), np.int64)
            panel = layout.panel(self.panels, i)
            _kernels.joint.whole_tables(
                panel, self.margins, layout.starts, layout.bounds, i, first, last, cells
            )
            found = (
                self._entropies(cells, rows, sizes, terms)
                if plain
                else self._shrunk(cells, rows, sizes)[:, 1]
            )
            # A constant feature adds nothing to the other, whose entropy stands there already.
            there = first + np.flatnonzero(live[first:last])
            both[i, there] = both[there, i] = found[there - first]

        tasks = [task for i in range(alone.size) if live[i] for task in self._tasks(i)]
        thread_map(fill, tasks, n_jobs=self.n_jobs)
        return mutual_information(alone[:, None], alone[None, :], both) if plain else both

    def classes(self) -> list[tuple[float, Counts]]:
        """Return the share of each class that has samples, and its counts."""
        together = self._together()
        if self.by_class is None:
            raise ValueError(
                "the counts are not by class, which this measure needs: make the coding with by_class=True, as "
                "tally.coding(by_class=True), and count anew."
            )
        counted: list[tuple[float, Counts]] = []
        for i, (margins, panels) in enumerate(zip(together, self.by_class, strict=True)):
            n_samples = int(margins[: self.layout.bounds[1]].sum(dtype=np.int64))
            if n_samples:
                inside = TableCounts(
                    self.layout,
                    self.sizes,
                    n_samples,
                    margins.astype(np.int64),
                    panels,
                    self.estimate,
                    self.n_jobs,
                    unit=self.unit,
                    members=None if self.members is None else self.members[i : i + 1],
                )
                counted.append((n_samples / self.n_samples, inside))
        return counted

    def cells(self) -> tuple[NDArray[np.int64], int, float]:
        """Return the number of codes of each feature, that of the target, and the number of samples."""
        return self.sizes, self._together().shape[0], self.n_samples / self.unit

    def _together(self) -> NDArray[Any]:
        if self.together is None:
            raise ValueError(
                "counts without a target have no importance and no classes: make the tally and the counts with y."
            )
        return self.together

    def _tasks(self, i: int) -> list[tuple[int, int, int]]:
        """Return the features after i in pieces whose counts with it fit into a core's own cache."""
        n, bounds = self.sizes.size, self.layout.bounds
        tasks, first = [], i + 1
        while first < n:
            room = bounds[first] + CELLS // int(self.sizes[i])
            last = max(int(np.searchsorted(bounds, room, side="right")) - 1, first + 1)
            tasks.append((i, first, min(last, n)))
            first = last
        return tasks

    def _terms(self) -> Vector | None:
        """Return what each count adds to an entropy, unless there are too many samples to tabulate it."""
        few = self.n_samples <= LOOK_UP and self.estimate != "shrunk" and not self._weighted
        return entropy_terms(self.n_samples, self._extra) if few else None

    @property
    def _extra(self) -> float:
        return bits_per_cell(self.n_samples / self.unit, self.estimate)

    @property
    def _weighted(self) -> bool:
        """Whether weights are more than a few repeats of samples, which add up in another order in memory too."""
        several = self.members is not None and self.n_samples > REPEATS * int(self.members.sum())
        return several or self.unit != 1.0

    def _entropies(
        self, cells: NDArray[Any], rows: int, sizes: NDArray[np.int64], terms: Vector | None = None
    ) -> Vector:
        """Return the entropies of flat tables that lie one after the other, each of this number of rows."""
        if self.estimate == "shrunk":
            return self._shrunk(cells, rows, sizes)[:, 0]
        extra = self._extra
        terms = self._terms() if terms is None else terms
        out = np.empty(sizes.size)
        if self._weighted:
            units = cells.astype(np.int64, copy=False)
            _kernels.joint.weighted_sums(units, rows, sizes, self.n_samples, extra, out)
            return out - extra
        if terms is not None:
            added = np.take(terms, cells)
        else:
            # The steps of entropy_terms, and so its numbers.
            share = cells / self.n_samples
            inside = (cells > 0) & (cells < self.n_samples)
            added = np.zeros(cells.size)
            added[inside] = -share[inside] * np.log2(share[inside])
            added[cells > 0] += extra
        _kernels.joint.table_sums(added, rows, sizes, out)
        return out - extra

    def _shrunk(self, cells: NDArray[Any], rows: int, sizes: NDArray[np.int64]) -> Matrix:
        """Return the shrunk joint entropy and mutual information of flat tables."""
        out = np.empty((sizes.size, 2))
        _kernels.shrunk.shrunk_tables(
            cells.astype(np.int64, copy=False), rows, sizes, self.n_samples / self.unit, out
        )
        return out


def table_counts(
    tables: NDArray[Any],
    coding: Coding,
    layout: Layout,
    estimate: str,
    n_jobs: int | None,
    members: NDArray[np.int64] | None = None,
) -> TableCounts:
    """Return what `Information` is made of, given all counts of a coding.

    Parameters
    ----------
    tables : array
        The counts, as the layout says.
    coding, layout
    estimate, n_jobs
        As in `JointCounts.information`.
    members : int array, optional
        How many samples of each class have weights; None where there are no weights.
    """
    check_estimate(estimate)
    together, panels = layout.with_label(tables), layout.panels(tables)
    margins = together.sum(axis=0, dtype=np.int64)
    total = int(margins[: layout.bounds[1]].sum())
    scale, unit = coding.scale, 1.0
    if scale is not None and members is not None and total:
        unit = total / scale.samples(int(members.sum()), total)
    return TableCounts(
        layout,
        coding.sizes,
        total,
        margins,
        # Of all samples: the sum over the classes, which fits as the number of samples does.
        panels.sum(axis=0, dtype=tables.dtype) if layout.by_class else panels[0],
        estimate,
        n_jobs,
        None if coding.target is None else together,
        panels if layout.by_class else None,
        unit,
        members,
    )
