"""What one feature was seen to hold. Its values flow in; distinct values and how often each, which add up, flow out.

Batches of a table that does not fit into memory are each seen once, and ``a + b`` is what both saw: whole numbers, so
that neither order nor grouping shows. Floats of too many values are kept as a sketch of Apache DataSketches instead
(KLL), whose ranks are right to a stated share of the samples.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import optional
from ..tables.frames import EXACT, in_order

Vector = NDArray[np.float64]

WIDTH = 4096  # the size of a sketch: 90 kilobytes, ranks right to 0.07 percent of the samples
NUMBER, CATEGORY, NOTHING = "number", "category", "nothing"
MANY = 65536  # integers that lie further apart are sorted, not counted


@dataclass(frozen=True, eq=False)
class Seen:
    """The distinct values of one feature, and how often each was seen. ``a + b`` adds up two batches.

    Parameters
    ----------
    kind : "number", "category" or "nothing"
        What it holds; nothing where all were missing so far, which goes with either.
    values : array
        Distinct and ascending; numbers as int64, uint64 or float64, labels as objects. Empty where there is a sketch.
    counts : int64 array
        How often each was seen.
    missing : int
        How many samples had none.
    boolean : bool
        Whether the labels are true and false.
    sketch : bytes, optional
        A serialised KLL sketch of numbers, instead of the values.
    batch : str
        Where the kind was first seen, for errors.

    Examples
    --------
    >>> both = seen_numbers(np.array([2.0, 1.0])) + seen_numbers(np.array([2.0, np.nan]))
    >>> both.values.tolist(), both.counts.tolist(), both.missing
    ([1.0, 2.0], [1, 2], 1)
    """

    kind: str
    values: NDArray[Any]
    counts: NDArray[np.int64]
    missing: int = 0
    boolean: bool = False
    sketch: bytes | None = None
    batch: str = ""

    def __post_init__(self) -> None:
        for array in (self.values, self.counts):
            array.flags.writeable = False

    def __add__(self, other: "Seen") -> "Seen":
        if not isinstance(other, Seen):
            return NotImplemented
        missing = self.missing + other.missing
        if NOTHING in (self.kind, other.kind):
            return replace(other if self.kind == NOTHING else self, missing=missing)
        if (self.kind, self.boolean) != (other.kind, other.boolean):
            raise ValueError(
                f"holds {self.words} in {self.batch or 'one batch'} but {other.words} in "
                f"{other.batch or 'another'}: make it the same in all of them."
            )
        if self.kind == CATEGORY:
            found = dict(zip(self.values.tolist(), self.counts.tolist(), strict=True))
            for value, count in zip(other.values.tolist(), other.counts.tolist(), strict=True):
                found[value] = found.get(value, 0) + count
            return replace(_categories(found), missing=missing, boolean=self.boolean, batch=self.batch)
        a, b = _same_type(self, other)
        if a.sketch is None and b.sketch is None:
            values, counts = _summed(a, b)
            return replace(self, missing=missing, values=values, counts=counts)
        total = a.opened()
        total.merge(b.opened())
        return replace(_sketched(self, total), missing=missing)

    @property
    def words(self) -> str:
        """What it holds, for errors."""
        if self.kind == NUMBER:
            return "numbers"
        return "true and false" if self.boolean else "text or categories"

    @property
    def rank_error(self) -> float:
        """How far a rank may be off, as a share of the samples, in 99 of 100 cases; 0.0 where all values are kept."""
        return 0.0 if self.sketch is None else float(self.opened().normalized_rank_error(False))

    def within(self, limit: int) -> "Seen":
        """Return the same, as a sketch where the numbers are floats of more than ``limit`` distinct values."""
        if self.values.dtype.kind != "f" or self.values.size <= limit:
            return self
        # A table of very many features leaves less room for each.
        width = int(np.clip(2 * limit // 3, 200, WIDTH))
        return _sketched(self, self.opened(width))

    def opened(self, width: int = WIDTH) -> Any:
        """Return the numbers as a sketch that can be added to."""
        kll = optional("datasketches", "arrow", "a feature of too many distinct values").kll_doubles_sketch
        if self.sketch is not None:
            return kll.deserialize(self.sketch)
        total = kll(width)
        counts = self.counts
        for bit in range(int(counts.max(initial=0)).bit_length()):
            # A value seen a billion times is not added a billion times: a sketch is doubled with itself.
            part = kll(width)
            part.update(self.values[(counts >> bit) & 1 == 1].astype(np.float64))
            for _ in range(bit):
                part.merge(kll.deserialize(part.serialize()))
            total.merge(part)
        return total

    def weighed(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return ascending numbers and how many samples each stands for; those of a sketch are some of all."""
        if self.sketch is None:
            return self.values, self.counts
        sketch = self.opened()
        # The weights that its iterator tells are wrong after some merges (datasketches 5.2); its ranks are right.
        values = np.unique([value for value, _ in sketch])
        reach = np.rint(np.array(sketch.get_cdf(values.tolist(), True))[:-1] * sketch.n).astype(np.int64)
        return values, np.diff(reach, prepend=0)


def seen_numbers(x: NDArray[Any], batch: str = "") -> Seen:
    """Return what numbers were seen, NaN being a missing one.

    Examples
    --------
    >>> seen_numbers(np.array([3, 1, 3], np.uint8)).counts.tolist()
    [1, 2]
    """
    if x.dtype.kind in "ui":
        low, high = int(x.min()), int(x.max())
        if high - low < max(256, min(x.size, MANY)):
            index = x - x.dtype.type(low) if x.dtype.kind == "u" else x.astype(np.int64) - low
            counts = np.bincount(index if index.dtype == np.uint8 else index.astype(np.int64))
            occurs = np.flatnonzero(counts)
            dtype = np.int64 if high < 2**63 else np.uint64
            # Adding to the type's own number, as the sum of an unsigned and a signed one would be a float.
            return Seen(NUMBER, occurs.astype(dtype) + dtype(low), counts[occurs], batch=batch)
        x = x.astype(np.int64 if high < 2**63 else np.uint64, copy=False)
        values, counts = np.unique(x, return_counts=True)
        return Seen(NUMBER, values, counts, batch=batch)
    x = x.astype(np.float64, copy=False)
    missing = np.isnan(x)
    n_missing = int(missing.sum())
    values, counts = np.unique(x[~missing] if n_missing else x, return_counts=True)
    return Seen(NUMBER if values.size else NOTHING, values, counts, n_missing, batch=batch)


def seen_labels(codes: NDArray[Any], labels: Sequence[Any], boolean: bool = False, batch: str = "") -> Seen:
    """Return what labels were seen, given their codes, of which -1 is a missing one.

    Examples
    --------
    >>> seen_labels(np.array([0, -1, 0]), ["red", "blue"]).values
    array(['red'], dtype=object)
    """
    counts = np.bincount(codes.astype(np.intp) + 1, minlength=len(labels) + 1)
    found = {label: count for label, count in zip(labels, counts[1:].tolist(), strict=True) if count}
    return replace(_categories(found), missing=int(counts[0]), boolean=boolean, batch=batch)


def _categories(counts: dict[Any, int]) -> Seen:
    labels = in_order(counts)
    values = np.empty(len(labels), object)
    values[:] = labels
    seen = np.array([counts[label] for label in labels], np.int64)
    return Seen(CATEGORY if labels else NOTHING, values, seen)


def _sketched(seen: Seen, sketch: Any) -> Seen:
    return replace(seen, sketch=sketch.serialize(), values=np.empty(0), counts=np.empty(0, np.int64))


def _summed(a: Seen, b: Seen) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the distinct values of two, and the sums of their counts."""
    many, few = (a, b) if a.values.size >= b.values.size else (b, a)
    # A batch brings few values that all batches before it did not.
    place = np.searchsorted(many.values, few.values)
    known = many.values[np.minimum(place, many.values.size - 1)] == few.values
    counts = many.counts.copy()
    counts[place[known]] += few.counts[known]
    if known.all():
        return many.values, counts
    place, new = place[~known], ~known
    return np.insert(many.values, place, few.values[new]), np.insert(counts, place, few.counts[new])


def _same_type(a: Seen, b: Seen) -> tuple[Seen, Seen]:
    """Return two sets of numbers in the one type that holds both."""
    kinds = {a.values.dtype, b.values.dtype}
    if len(kinds) == 1:
        return a, b
    whole = [seen for seen in (a, b) if seen.values.dtype.kind in "ui"]
    if len(whole) == 1:
        if max(abs(int(whole[0].values[0])), abs(int(whole[0].values[-1]))) >= EXACT:
            raise ValueError(
                f"holds integers beyond 2^53 in {whole[0].batch or 'one batch'} and missing values or fractions in "
                "another: floats cannot tell such integers apart; fill the missing ones in, or subtract the least."
            )
        return _as(a, np.float64), _as(b, np.float64)
    if min(int(seen.values[0]) for seen in whole) < 0:
        raise ValueError(
            "holds negative integers and integers beyond 2^63, which no one type holds: scale it down."
        )
    return _as(a, np.uint64), _as(b, np.uint64)


def _as(seen: Seen, dtype: type[np.generic]) -> Seen:
    return replace(seen, values=cast(Any, seen.values.astype(dtype)))
