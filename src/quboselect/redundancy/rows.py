"""Rows: the redundancy R of very many features, one row at a time.

A table of 200 000 features has 20 000 million pairs, and a search needs a few hundred rows of them. `Rows` replaces the
matrix R where that is too large: it computes a row when the row is first used, and caches rows up to a limit of bytes.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.intp]
Single = npt.NDArray[np.float32]
Pairs = Callable[[Indices, Indices | None], npt.NDArray[Any]]

LIMIT = 4 * 2**30
BLOCK = 64  # rows made at a time where all of them are
# Of the largest in size, unless all are 0: single precision keeps these, and sums of very many of them.
SMALLEST, LARGEST = 1e-30, 1e30


class Rows:
    """The redundancy of n features, row by row, in single precision: what is proven is proven of the rounded numbers.

    Parameters
    ----------
    size : int
        Number of features, n.
    pairs : callable
        ``pairs(features, others)`` returns redundancies of shape (len(features), len(others)): finite, not negative
        unless ``signed``, zero between a feature and itself, and the same for (i, j) as for (j, i). Where they come in
        double precision, the largest must be from 1e-30 to 1e30 in size. ``others`` are indices in any order, or None
        for all n features.
    limit : int
        Cache size in bytes; least recently used rows are dropped first.
    work : float
        The cost of a pair, in operations: the number of samples, where samples are counted.
    signed : bool
        Whether redundancies may be negative.
    at_once : callable, optional
        Returns the matrix of all rows in single precision, quicker than row after row.

    Attributes
    ----------
    computed : int
        The number of rows computed so far.
    known : array of shape (n, n) or None
        The matrix that the rows were made of by `Rows.of`; None where rows are computed.

    Examples
    --------
    >>> R = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]], np.float32)
    >>> rows = Rows.of(R)
    >>> rows.take([2]), rows.among([0, 1]).tolist()
    (array([[2., 3., 0.]], dtype=float32), [[0.0, 1.0], [1.0, 0.0]])
    >>> rows[2], rows[2, 1]
    (array([2., 3., 0.], dtype=float32), 3.0)
    """

    def __init__(
        self,
        size: int,
        pairs: Pairs,
        *,
        limit: int = LIMIT,
        work: float = 1.0,
        signed: bool = False,
        at_once: Callable[[], Single] | None = None,
    ) -> None:
        self.size, self.pairs, self.limit, self.work = int(size), pairs, int(limit), float(work)
        self.signed, self.at_once = bool(signed), at_once
        self.computed = 0
        self._kept: OrderedDict[int, Single] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def of(cls, matrix: npt.NDArray[Any], *, signed: bool = False) -> Self:
        """Return the rows of a matrix, which is not copied."""
        rows = cls(len(matrix), MatrixPairs(matrix), limit=0, signed=signed)
        rows.computed = rows.size
        return rows

    def __repr__(self) -> str:
        return f"Rows({self.size} features, {len(self._kept)} kept, {self.computed} computed)"

    def __reduce__(self) -> tuple[Any, ...]:
        # Cached rows can be computed again, and all of them row after row.
        return partial(Rows, limit=self.limit, work=self.work, signed=self.signed), (self.size, self.pairs)

    def __getitem__(self, key: Any) -> Any:
        """Return one row, ``rows[i]``, or the redundancy of one pair, ``rows[i, j]``."""
        single = key if isinstance(key, tuple) else (key,)
        integers = (isinstance(i, int | np.integer) and not isinstance(i, bool) for i in single)
        if not 1 <= len(single) <= 2 or not all(integers):
            raise TypeError(
                f"a row is rows[i] and a pair is rows[i, j], for integers i and j, got {key!r}: "
                f"use .take(features) for several rows, .among(features) for the pairs among some features."
            )
        for i in single:
            if not -self.size <= i < self.size:
                raise IndexError(f"there are {self.size} features, from 0 to {self.size - 1}, got {i}.")
        features = [int(i) % self.size for i in single]
        return self.take(features)[0] if len(features) == 1 else float(self.among(features)[0, 1])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Raise: a matrix of all rows may not fit into memory."""
        raise TypeError(
            f"the redundancies of {self.size} features are computed row by row, as their matrix would take "
            f"{self.size**2 * 4 / 1e9:.3g} GB in single precision: use .among(features) for a part of it, "
            f".take(features) for some rows."
        )

    @property
    def known(self) -> npt.NDArray[Any] | None:
        """The matrix that the rows were made of by `Rows.of`; None where rows are computed."""
        return self.pairs.matrix if isinstance(self.pairs, MatrixPairs) else None

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the matrix of all rows."""
        return self.size, self.size

    @property
    def kept(self) -> int:
        """The number of bytes of cached rows."""
        return sum(row.nbytes for row in self._kept.values())

    def take(self, features: npt.ArrayLike) -> Single:
        """Return the rows of some features, shape (len(features), n)."""
        chosen = np.asarray(features, np.intp)
        if self.known is not None:
            return self._checked(chosen, None)
        with self._lock:
            found = {int(i): self._kept[int(i)] for i in chosen if int(i) in self._kept}
            for i in found:
                self._kept.move_to_end(i)
        absent = np.array([i for i in dict.fromkeys(chosen.tolist()) if i not in found], np.intp)
        if absent.size:
            fresh = self._checked(absent, None)
            with self._lock:
                self.computed += absent.size
                for i, row in zip(absent.tolist(), fresh, strict=True):
                    found[i] = row
                    self._keep(i, row)
        return (
            np.stack([found[int(i)] for i in chosen]) if chosen.size else np.zeros((0, self.size), np.float32)
        )

    def among(self, features: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the redundancies among some features in double precision, exactly symmetric with a zero diagonal.

        Cached rows are used; of the others only these pairs are computed, and not cached.
        """
        chosen = np.asarray(features, np.intp)
        pairs = np.zeros((chosen.size, chosen.size))
        with self._lock:
            cached = np.array([int(i) in self._kept for i in chosen], np.bool_)
            for place in np.flatnonzero(cached):
                pairs[place] = self._kept[int(chosen[place])][chosen]
        if not cached.all():
            pairs[~cached] = self._checked(chosen[~cached], chosen)
        # Where the rounding of a plug-in depends on the order of a pair, the row of the lower feature counts.
        order = np.argsort(chosen, kind="stable")
        upper = np.triu(pairs[np.ix_(order, order)], 1)
        both = np.empty_like(pairs)
        both[np.ix_(order, order)] = upper + upper.T
        return both

    def matrix(self) -> Single:
        """Return all rows as one read-only matrix, each pair computed once."""
        full = self._by_blocks() if self.at_once is None else self.at_once()
        with self._lock:
            self.computed += self.size
        full.flags.writeable = False
        return full

    def _by_blocks(self) -> Single:
        full = np.zeros(self.shape, np.float32)
        for first in range(0, self.size, BLOCK):
            last = min(first + BLOCK, self.size)
            block = self._checked(np.arange(first, last), np.arange(first, self.size))
            full[first:last, last:] = block[:, last - first :]
            corner = np.triu(block[:, : last - first], 1)
            full[first:last, first:last] = corner + corner.T
            full[last:, first:last] = block[:, last - first :].T
        return full

    def forget(self, limit: int = 0) -> None:
        """Drop cached rows, least recently used first, until at most ``limit`` bytes are left."""
        with self._lock:
            self._shrink(limit)

    def _checked(self, features: Indices, others: Indices | None) -> Single:
        """Return the redundancies that the supplier returns, or say what is wrong with them."""
        block = np.asarray(self.pairs(features, others))
        expected = features.size, self.size if others is None else others.size
        if block.shape != expected:
            raise ValueError(f"rows of redundancy must have shape {expected}, got {block.shape}.")
        # A minimum is NaN where any entry is, and takes no memory; so does the maximum.
        least = -np.finfo(np.float64).max if self.signed else 0.0
        if block.size and not (block.min() >= least and block.max() < np.inf):
            i, j = np.argwhere(~((block >= least) & (block < np.inf)))[0]
            where = int(features[i]), int(j if others is None else others[j])
            wanted = "finite" if self.signed else "finite and not negative"
            raise ValueError(f"redundancy must be {wanted}; entry {where} is {block[i, j]:g}.")
        if block.dtype == np.float32:
            return block
        # Beside larger ones a tiny redundancy may be lost, but not all of them.
        largest = max(block.max(initial=0.0), -block.min(initial=0.0))
        if largest and not SMALLEST <= largest <= LARGEST:
            i, j = np.argwhere(np.abs(block) == largest)[0]
            where = int(features[i]), int(j if others is None else others[j])
            raise ValueError(
                f"the largest redundancy must be from {SMALLEST:g} to {LARGEST:g} in size, as rows are in single "
                f"precision; entry {where} is {block[i, j]:g}: multiply all redundancies by one number."
            )
        return block.astype(np.float32)

    def _keep(self, i: int, row: Single) -> None:
        """Cache a row, and drop others until the limit is met."""
        if row.nbytes > self.limit:
            return
        row = row.copy()
        row.flags.writeable = False
        self._kept[i] = row
        self._shrink(self.limit)

    def _shrink(self, limit: int) -> None:
        while len(self._kept) * self.size * 4 > limit:
            self._kept.popitem(last=False)


class MatrixPairs:
    """Supplier of rows of a known matrix."""

    def __init__(self, matrix: npt.NDArray[Any]) -> None:
        self.matrix = matrix

    def __call__(self, features: Indices, others: Indices | None, /) -> npt.NDArray[Any]:
        """Return some rows of the matrix, at all features or at some."""
        return self.matrix[features] if others is None else self.matrix[np.ix_(features, others)]


class SumPairs:
    """Supplier of the sum of the rows of several."""

    def __init__(self, parts: Sequence[Rows]) -> None:
        self.parts = tuple(part.pairs for part in parts)

    def __call__(self, features: Indices, others: Indices | None, /) -> npt.NDArray[Any]:
        """Return the sums of some rows, at all features or at some."""
        total = self.parts[0](features, others)
        for part in self.parts[1:]:
            total = total + part(features, others)
        return total


def summed_rows(parts: Sequence[Rows | None]) -> Rows | None:
    """Return the sum of the rows of several measures, of one size; None where one of them has none.

    Examples
    --------
    >>> R = Rows.of(np.array([[0, 1], [1, 0]], np.float32))
    >>> summed_rows([R, R])[0], summed_rows([R, None]) is None
    (array([0., 2.], dtype=float32), True)
    """
    there = [part for part in parts if part is not None]
    if len(there) < len(parts):
        return None
    signed = any(part.signed for part in there)
    rows = Rows(there[0].size, SumPairs(there), work=sum(part.work for part in there), signed=signed)
    known = all(part.known is not None for part in there)
    return Rows.of(SumPairs(there)(np.arange(rows.size), None), signed=signed) if known else rows
