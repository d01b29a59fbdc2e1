"""Cut: how one feature becomes codes. What was seen of it flows in; the codes of any batch flow out to a `Coding`.

The rules are those of ``quantiles.py``, and so are the numbers: what is cut batch by batch has the codes that it would
have had as a whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..counting.quantiles import FEW_EDGES, MANY, Vector, quantiles
from ..tables.frames import in_order
from .seen import CATEGORY, NOTHING, NUMBER, Seen

EXACT = 2**53  # integers below are exact as floats


@dataclass(frozen=True, eq=False)
class Cut:
    """How one feature becomes codes.

    Parameters
    ----------
    kind : "number", "category" or "nothing"
        What it holds; a feature that was always missing holds nothing.
    size : int
        How many codes there are.
    missing : int
        The code of a missing value; -1 where there is none.
    boolean : bool
        Whether its categories are true and false.
    edges : array
        Where numbers are cut, ascending.
    number : int array of shape (edges + 1,)
        The code of each interval between the edges.
    origin : int
        What integers are counted from, as floats tell large ones apart no more.
    labels : tuple
        The labels of categories; the one at i has ``number[i]`` for its code.

    Examples
    --------
    >>> from quboselect.streaming.seen import seen_numbers
    >>> cut_at_quantiles(seen_numbers(np.array([1.0, 2.0, 3.0, 4.0])), np.array([0.5])).codes(np.array([0.0, 9.0]))
    array([0, 1], dtype=uint8)
    """

    kind: str
    size: int
    missing: int = -1
    boolean: bool = False
    edges: Vector = field(default_factory=lambda: np.empty(0))
    number: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    origin: int = 0
    labels: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.edges, self.number):
            array.flags.writeable = False

    def same(self, other: "Cut") -> bool:
        """Return whether another makes the same codes of the same values."""
        plain = ("kind", "size", "missing", "boolean", "origin", "labels")
        return self is other or (
            all(getattr(self, name) == getattr(other, name) for name in plain)
            and np.array_equal(self.edges, other.edges)
            and np.array_equal(self.number, other.number)
        )

    def codes(self, x: NDArray[Any], labels: Sequence[Any] | None = None) -> NDArray[Any]:
        """Return the codes of numbers, or of categories given as codes and the ``labels`` they stand for."""
        if labels is not None:
            return self._of_labels(x, labels)
        return self._of_integers(x) if x.dtype.kind in "ui" else self._of_floats(x)

    def unknown(self, x: NDArray[Any], labels: Sequence[Any] | None = None) -> tuple[tuple[Any, ...], bool]:
        """Return what has no code here, labels in order, and whether missing values have none but should."""
        if labels is None:
            missing = np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.size, np.bool_)
            new = x[~missing][:1].tolist() if self.kind == NOTHING else []
            return tuple(new), self.missing < 0 and bool(missing.any())
        occurs = np.bincount(x.astype(np.intp) + 1, minlength=len(labels) + 1) > 0
        known = set(self.labels)
        new = [label for label, there in zip(labels, occurs[1:], strict=True) if there and label not in known]
        return in_order(new), self.missing < 0 and bool(occurs[0])

    def grown(self, x: NDArray[Any], labels: Sequence[Any] | None = None) -> "Cut":
        """Return the cut with new codes, after those it has, for whatever has none."""
        new, missing = self.unknown(x, labels)
        cut, size = self, self.size + len(new)
        if new and labels is None:
            cut = replace(self, kind=NUMBER, size=size, number=np.array([self.size]))
        elif new:
            before = self.number if self.kind == CATEGORY else np.empty(0, np.int64)
            cut = replace(
                self,
                kind=CATEGORY,
                size=size,
                boolean=self.boolean or (self.kind == NOTHING and isinstance(new[0], bool)),
                number=np.append(before, np.arange(self.size, size)),
                labels=self.labels + new,
            )
        return replace(cut, size=cut.size + 1, missing=cut.size) if missing else cut

    def _of_labels(self, x: NDArray[Any], labels: Sequence[Any]) -> NDArray[Any]:
        code = dict(zip(self.labels, self.number.tolist(), strict=True)) if self.kind == CATEGORY else {}
        # Minus one, a missing value, looks up the last entry.
        table = [code.get(label, 0) for label in labels] + [max(self.missing, 0)]
        found: NDArray[Any] = np.array(table, np.min_scalar_type(self.size))[x.astype(np.intp, copy=False)]
        return found

    def _of_integers(self, x: NDArray[Any]) -> NDArray[Any]:
        low, high = int(x.min()), int(x.max())
        if high - low >= max(256, min(x.size, MANY)):
            return self._of_floats(x)
        # Each value is cut once, not each sample.
        values = self._intervals(_from(np.arange(high - low + 1), low - self.origin))
        index = x - x.dtype.type(low) if x.dtype.kind == "u" else x.astype(np.int64) - low
        index = index if index.dtype == np.uint8 else index.astype(np.int64)
        return np.take(values, index, mode="clip")

    def _of_floats(self, x: NDArray[Any]) -> NDArray[Any]:
        if x.dtype.kind in "ui" and self.origin:
            x = x.astype(object) - self.origin
        x = x.astype(np.float64, copy=False)
        codes = self._intervals(x)
        if self.missing >= 0:
            codes[np.isnan(x)] = self.missing
        return codes

    def _intervals(self, x: Vector) -> NDArray[Any]:
        """Return the codes of floats by the edges that are not above each."""
        dtype = np.min_scalar_type(max(self.size, self.edges.size))
        if self.edges.size <= FEW_EDGES:
            interval: NDArray[Any] = np.zeros(x.size, np.uint8)
            for edge in self.edges:
                interval += x >= edge
        else:
            interval = np.searchsorted(self.edges, x, side="right")
        return np.take(self.number.astype(dtype), interval, mode="clip")


def cut_at_quantiles(seen: Seen, levels: Vector) -> Cut:
    """Return how numbers, or categories, that were seen become codes: as ``quantiles.py`` would have it."""
    if seen.kind == NOTHING:
        return Cut(NOTHING, 1, 0)
    if seen.kind == CATEGORY:
        return cut_by_label(seen)
    values, counts = seen.weighed()
    origin = _origin(values, int(counts.sum())) if values.dtype.kind in "ui" else 0
    if origin:
        values = values.astype(object) - origin
    values = values.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        edges = np.unique(quantiles(values, np.cumsum(counts), levels))
    if seen.sketch is None:
        occurs = np.zeros(edges.size + 1, np.bool_)
        occurs[np.searchsorted(edges, values, side="right")] = True
    else:
        # What a sketch kept does not tell which bins are empty.
        occurs = np.ones(edges.size + 1, np.bool_)
    number = np.maximum(np.cumsum(occurs) - 1, 0)
    return _with_missing(Cut(NUMBER, int(occurs.sum()), edges=edges, number=number, origin=origin), seen)


def cut_by_label(seen: Seen) -> Cut:
    """Return how labels, or numbers that are labels, become codes: one for each that was seen, in order."""
    labels = tuple(seen.values.tolist())
    cut = Cut(CATEGORY, len(labels), boolean=seen.boolean, number=np.arange(len(labels)), labels=labels)
    return _with_missing(cut, seen)


def _with_missing(cut: Cut, seen: Seen) -> Cut:
    return replace(cut, size=cut.size + 1, missing=cut.size) if seen.missing else cut


def _origin(values: NDArray[Any], n_samples: int) -> int:
    """Return what integers are counted from so that floats tell them apart, as ``quantiles.py`` does."""
    low, high = int(values[0]), int(values[-1])
    if high - low < max(256, min(n_samples, MANY)):
        return 0 if abs(low) + high - low < EXACT else low
    return low if max(abs(low), abs(high)) >= EXACT else 0


def _from(steps: NDArray[np.int64], low: int) -> Vector:
    """Return ``low + steps`` as floats, rounded once."""
    if abs(low) + int(steps[-1]) < EXACT:
        return (steps + low).astype(np.float64)
    return (steps.astype(object) + low).astype(np.float64)
