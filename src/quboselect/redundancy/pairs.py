"""Suppliers of `Rows`: mutual information and correlation of some features with others, computed when asked for.

A supplier holds what all rows share, the binned or scaled features, and no row.
"""

from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from math import ldexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _kernels
from .._kernels.threads import thread_map
from ..counting.bins import Codes
from ..counting.correlations import Centred
from ..counting.entropies import (
    BitPlanes,
    Matrix,
    Tile,
    bits_per_cell,
    entropies_by_samples,
    entropy_terms,
    fine_units,
    mutual_information,
    put_tile,
    repeated_samples,
    symmetric_uncertainty,
    tiled_entropies,
)
from ..counting.information import CodeCounts, Information, trust

Single = NDArray[np.float32]
Indices = NDArray[np.intp]

POINT = 50  # binary places of an entropy: sums stay below 2^63, and agree with double precision
PIECE = 8192  # features counted against one in a task
SCALED = 1024  # features scaled at a time
PLANE_CODES = 9  # up to here, rows are counted by bit planes: twice to ten times as fast
FEW_CODES, MOST_AT_ONCE = 8, 8000  # codes, and features whose matrix takes a quarter of a gigabyte
MOST_CELLS = 65536  # a larger table of counts is nearly empty, and is counted code by code


def counted_at_once(codes: Codes) -> bool:
    """Return whether the pairs of a wide table are counted all at once: bit planes of few codes beat row after row."""
    return codes.n_features <= MOST_AT_ONCE and int(codes.sizes.max()) <= FEW_CODES


@dataclass(frozen=True, eq=False, repr=False)
class InformationPairs:
    """Mutual information of pairs of features in bits, in single precision.

    Parameters
    ----------
    codes : Codes
    estimate : str
    normalised : bool
        As of `MutualInformation`.
    n_jobs : int or None
    """

    codes: Codes
    estimate: str = "plug-in"
    normalised: bool = False
    n_jobs: int | None = -1
    alone: NDArray[np.float64] = field(init=False)
    extra: float = field(init=False)
    terms: NDArray[np.int64] = field(init=False)
    steps: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        codes = self.codes if self.codes.weights is None else repeated_samples(self.codes)
        object.__setattr__(self, "codes", codes)
        alone = CodeCounts(codes, None, self.estimate, self.n_jobs).alone()
        extra = bits_per_cell(codes.total, self.estimate)
        terms = np.zeros(0, np.int64)
        if codes.weights is None:
            terms = np.rint(entropy_terms(codes.n_samples, extra) * ldexp(1.0, POINT)).astype(np.int64)
        object.__setattr__(self, "alone", alone)
        object.__setattr__(self, "extra", extra)
        object.__setattr__(self, "terms", terms)
        object.__setattr__(self, "steps", np.diff(terms))

    def __call__(self, features: Indices, others: Indices | None, /) -> Single:
        """Return the redundancy of some features with others, or with all, shape (len(features), len(others))."""
        single: Single = self.bits(features, others, np.float32)
        return single

    def bits(self, features: Indices, others: Indices | None, dtype: Any = np.float64) -> NDArray[Any]:
        """Return the same in double precision, or as any other type."""
        planes = self.planes if others is None else None
        others = np.arange(self.codes.n_features) if others is None else others
        out = np.empty((features.size, others.size), dtype)
        stride = int(self.codes.sizes.max())

        def fill(task: tuple[int, int]) -> None:
            row, first = task
            piece = slice(first, min(first + PIECE, others.size))
            out[row, piece] = self._row_part(int(features[row]), others[piece], stride, planes)

        tasks = [(row, first) for row in range(features.size) for first in range(0, others.size, PIECE)]
        thread_map(fill, tasks, n_jobs=self.n_jobs)
        return out

    @cached_property
    def planes(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]] | None:
        """The planes of all codes, word by word, and where those of each feature start; None where they do not pay."""
        if (
            self.codes.weights is not None
            or self.estimate == "shrunk"
            or self.codes.sizes.max() > PLANE_CODES
        ):
            return None
        planes = BitPlanes.of(self.codes, np.arange(self.codes.n_features), self.n_jobs, skip=0)
        return np.ascontiguousarray(planes.bits.T), planes.starts

    @property
    def plain(self) -> bool:
        """Whether `tiled` and `matrix` may be asked for: entropies of samples that count alike, and few codes."""
        return self.codes.weights is None and self.estimate != "shrunk" and counted_at_once(self.codes)

    def tiled(self) -> tuple[list[Tile], Callable[[Tile], Matrix]]:
        """Return all pairs in tiles, and what returns the redundancies of any tile, in double precision."""
        alone, normalised = self.alone, self.normalised
        tiles, joint = tiled_entropies(
            self.codes, np.arange(self.codes.n_features), self.estimate, self.n_jobs
        )

        def redundancies(tile: Tile) -> Matrix:
            first, second = alone[tile[0] : tile[1], None], alone[tile[2] : tile[3]]
            shared = mutual_information(first, second, joint(tile))
            return symmetric_uncertainty(first, second, shared) if normalised else shared

        return tiles, redundancies

    def matrix(self) -> Single:
        """Return all pairs at once, each counted once: to the bit what a matrix in double precision rounds to."""
        return matrix_of(self.codes.n_features, *self.tiled(), self.n_jobs)

    def _row_part(self, i: int, others: Indices, stride: int, planes: Any) -> NDArray[np.float64]:
        """Return the redundancy of feature i with others, which are neighbours where there are planes.

        No feature has more codes than ``stride``.
        """
        alone = self.alone
        if self.estimate == "shrunk":
            shared = self._shrunk(i, others)
        else:
            shared = self._shared(i, others, stride, planes)
        if self.normalised:
            shared = symmetric_uncertainty(alone[i], alone[others], shared)
        shared[others == i] = 0.0
        return shared

    def _shared(self, i: int, others: Indices, stride: int, planes: Any) -> NDArray[np.float64]:
        codes, alone = self.codes, self.alone
        size = int(codes.sizes[i])
        if planes is not None:
            first = int(others[0])
            (whole,) = _kernels.counting.short_entropies(
                *planes, i, i + 1, first, first + others.size, self.terms
            )
            joint = np.ldexp(whole.astype(np.float64), -POINT) - self.extra
        elif codes.weights is None and size * stride <= MOST_CELLS:
            whole = np.empty(others.size, np.int64)
            table = np.empty(size * stride, np.uint16 if codes.n_samples < 2**16 else np.uint32)
            _kernels.rows.joint_row(
                codes.values[i], stride, codes.values, others, self.terms, self.steps, table, whole
            )
            joint = np.ldexp(whole.astype(np.float64), -POINT) - self.extra
        else:
            (joint,) = entropies_by_samples(codes, codes, [(i, others)], self.estimate, 1)
        return mutual_information(alone[i], alone[others], joint)

    def _shrunk(self, i: int, others: Indices) -> NDArray[np.float64]:
        codes, shared = self.codes, np.empty(others.size)
        weights = np.empty(0, np.int64) if codes.weights is None else fine_units(codes.weights)
        _kernels.shrunk.shrunk_row(i, codes.values, codes.sizes, others, weights, codes.total, shared)
        return shared


@dataclass(frozen=True, eq=False, repr=False)
class TargetPairs:
    """Redundancy that knows the target, of pairs of features, in single precision.

    Parameters
    ----------
    codes, label : Codes
        The features and the target.
    estimate : str
    together : float or "auto"
        How much of what two features share within the classes is taken off.
    clipped : bool
        Whether negative co-information is 0.
    relevance : bool
        Whether it is the symmetrical relevance, and not co-information.
    n_jobs : int or None

    Attributes
    ----------
    size, work : int
        The number of features, and what a pair costs.
    """

    codes: InitVar[Codes]
    label: InitVar[Codes | None]
    estimate: str = "plug-in"
    together: float | str = 1.0
    clipped: bool = False
    relevance: bool = False
    n_jobs: int | None = -1
    size: int = field(init=False)
    work: int = field(init=False)
    importance: NDArray[np.float64] = field(init=False)
    target: float = field(init=False)
    cells: tuple[NDArray[np.int64], int, float] = field(init=False)
    whole: InformationPairs = field(init=False)
    within: tuple[tuple[float, InformationPairs], ...] = field(init=False)
    inside: NDArray[np.float64] = field(init=False)

    def __post_init__(self, codes: Codes, label: Codes | None) -> None:
        def pairs(some: Codes) -> InformationPairs:
            return InformationPairs(some, self.estimate, False, self.n_jobs)

        if label is None:
            raise ValueError("redundancy that knows the target needs one, got None: pass y.")
        counts = CodeCounts(codes, label, self.estimate, self.n_jobs)
        both = Information(counts)
        within = tuple((share, pairs(inside.codes)) for share, inside in counts.classes())
        made = {
            "size": codes.n_features,
            "work": 2 * codes.n_samples,
            "importance": both.importance,
            "target": both.label,
            "cells": counts.cells(),
            "whole": pairs(codes),
            "within": within,
            "inside": sum((share * inside.alone for share, inside in within), np.zeros(codes.n_features)),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    def __call__(self, features: Indices, others: Indices | None, /) -> Single:
        """Return the redundancy of some features with others, or with all, shape (len(features), len(others))."""
        shared = self.whole.bits(features, others)
        conditional = np.zeros_like(shared)
        for share, inside in self.within:
            conditional += share * inside.bits(features, others)
        others = np.arange(self.size) if others is None else others
        out = self._redundancies(features, others, shared, conditional)
        out[features[:, None] == others] = 0.0
        return out.astype(np.float32)

    @property
    def plain(self) -> bool:
        """Whether `matrix` may be asked for."""
        return self.whole.plain and all(inside.plain for _, inside in self.within)

    def matrix(self) -> Single:
        """Return all pairs at once, each counted once: to the bit what a matrix in double precision rounds to."""
        tiles, shared = self.whole.tiled()
        within = [(share, inside.tiled()[1]) for share, inside in self.within]

        def redundancies(tile: Tile) -> Matrix:
            conditional = np.zeros((tile[1] - tile[0], tile[3] - tile[2]))
            for share, inside in within:
                conditional += share * inside(tile)
            return self._redundancies(slice(*tile[:2]), slice(*tile[2:]), shared(tile), conditional)

        return matrix_of(self.size, tiles, redundancies, self.n_jobs)

    def _redundancies(self, features: Any, others: Any, shared: Matrix, conditional: Matrix) -> Matrix:
        """Return the redundancies of some features with others, given what they share, and share within classes."""
        if self.relevance:
            told, inside = self.importance, self.inside
            triples = self.target + (inside[features][:, None] + inside[others]) - conditional
            return symmetrical_relevance(told[features][:, None], told[others], shared, conditional, triples)
        sizes, n_labels, total = self.cells
        out: Matrix = (
            shared - trust(self.together, sizes[features], sizes[others], n_labels, total) * conditional
        )
        return np.maximum(out, 0.0, out=out) if self.clipped else out


def matrix_of(
    size: int, tiles: list[Tile], redundancies: Callable[[Tile], Matrix], n_jobs: int | None
) -> Single:
    """Return the matrix of all pairs, in single precision, from its tiles."""
    out = np.zeros((size, size), np.float32)
    thread_map(lambda tile: put_tile(redundancies(tile), tile, out), tiles, n_jobs=n_jobs)
    return out


def symmetrical_relevance(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    shared: NDArray[np.float64],
    conditional: NDArray[np.float64],
    triples: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return ``-I(x_i, x_j; y) / H(x_i, x_j, y)``, never positive, given what each says about the target."""
    together = np.maximum(first + second - shared + conditional, 0.0)
    return -np.divide(together, triples, out=np.zeros_like(together), where=triples > 0)


@dataclass(frozen=True, eq=False, repr=False)
class CorrelationPairs:
    """Absolute correlation of pairs of features without missing values, in single precision.

    Parameters
    ----------
    values : array of shape (n_samples, n_features)
        Numbers, none of them missing.
    weights : array of shape (n_samples,), optional
    """

    values: InitVar[NDArray[Any]]
    weights: InitVar[NDArray[np.float64] | None] = None
    scaled: Single = field(init=False)

    def __post_init__(self, values: NDArray[Any], weights: NDArray[np.float64] | None) -> None:
        table = Centred.of(values, weights)
        scaled = np.empty(values.shape[::-1], np.float32)
        root = 1.0 if weights is None else np.sqrt(weights)[:, None]
        for first in range(0, values.shape[1], SCALED):
            some = slice(first, first + SCALED)
            Z = (table.scaled(slice(None), some) - table.centre[some]) * root
            length = np.sqrt((Z * Z).sum(axis=0))
            varies = ~table.constant[some] & (length > 0.0)
            scaled[some] = np.where(varies, Z / np.where(varies, length, 1.0), 0.0).T
        object.__setattr__(self, "scaled", scaled)

    def __call__(self, features: Indices, others: Indices | None, /) -> Single:
        """Return the redundancy of some features with others, or with all, shape (len(features), len(others))."""
        scaled = self.scaled if others is None else self.scaled[others]
        out: Single = np.abs(self.scaled[features] @ scaled.T)
        np.minimum(out, 1.0, out=out)
        if others is None:
            out[np.arange(features.size), features] = 0.0
        else:
            out[features[:, None] == others] = 0.0
        return out
