"""JointCounts: how often each pair of codes occurs together, and the I and R that follow from it.

Measures by correlation need `Moments`, which are kept beside the counts, and added up with them.

It is made in the second of two passes over a table that does not fit into memory or is spread over a cluster. Counts
are whole numbers, so ``a + b`` depends on neither order nor grouping, and the entropies made of them are, to the last
bit, those of a table in memory.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..counting.bins import Codes
from ..counting.information import Information
from .checks import Batch, batch_prefix, named_batches
from .edges import Coding
from .layout import Layout, check_memory, moments_bytes
from .moments import NO_MOMENTS, Moments, batch_moments
from .tables import table_counts
from .weights import check_units, weighed

LARGEST = 2**32  # samples from which counts need 64 bits

# The number of samples, the tables, the members, and the moments.
Counted = tuple[int, NDArray[Any], NDArray[np.int64] | None, Moments]


@dataclass(frozen=True, eq=False, repr=False)
class JointCounts:
    """Every pair's table of counts. Make it with `JointCounts.of`; ``a + b`` adds up batches.

    Parameters
    ----------
    coding : Coding
        How features and target became codes.
    n_samples : int
        The number of samples that have any weight.
    tables : array
        The counts, uint32, or uint64 from 2^32 samples on; `Layout` says what lies where. Of samples with weights they
        are units, as the scale of the coding says.
    members : int array of shape (n_labels,), optional
        How many samples have each label, where they have weights; None where they have none.
    moments : Moments
        What measures by correlation need, if the coding wants it; they weigh samples by the same units.

    Examples
    --------
    >>> from quboselect.streaming import Tally
    >>> first, second = ([[1.0], [2.0]], ["a", "a"]), ([[3.0], [4.0]], ["b", "b"])
    >>> coding = (Tally.of(*first) + Tally.of(*second)).coding(bins=2)
    >>> counts = JointCounts.of(coding, *first) + JointCounts.of(coding, *second)
    >>> counts, counts.information().importance.tolist()
    (JointCounts(4 samples, 1 features), [1.0])
    """

    coding: Coding
    n_samples: int
    tables: NDArray[Any]
    members: NDArray[np.int64] | None = None
    moments: Moments = NO_MOMENTS

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
        sample_weight: Any = None,
        *,
        n_jobs: int | None = -1,
        batch: str = "",
        max_bytes: int | None = None,
        device: str | None = None,
    ) -> "JointCounts":
        """Return the counts of one batch.

        Parameters
        ----------
        coding : Coding
            That of the whole table: the same for every batch.
        X, y : table of shape (n_samples, n_features), and target
            y is None where the tally had none.
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts, where the tally had weights; None is one each.
        n_jobs : int or None
            Threads, counted as joblib does. The result does not depend on it.
        batch : str
            The name of the batch in errors, as "batch 3" or a file's name.
        max_bytes : int, optional
            The most memory for the counts; None is half of the memory.
        device : str or None
            Where PyTorch counts the pairs of features of at most 255 codes, as ``"cuda"``, unless samples have weights
            other than small whole numbers. The result does not depend on it.
        """
        some = [Batch(X, y, batch, sample_weight)]
        return cls.over(coding, some, n_jobs=n_jobs, max_bytes=max_bytes, device=device)

    @classmethod
    def over(
        cls,
        coding: Coding,
        batches: Iterable[Any],
        *,
        n_jobs: int | None = -1,
        max_bytes: int | None = None,
        device: str | None = None,
    ) -> "JointCounts":
        """Return the counts of many batches, without a table of counts for each.

        Parameters
        ----------
        coding : Coding
        batches : iterable of (X, y) or (X, y, weight)
            Errors use the attribute ``name`` of a batch that has one.
        n_jobs, max_bytes, device
            As in `of`.
        """
        check_memory(coding, max_bytes)
        members = None if coding.scale is None else np.zeros(coding.n_labels, np.int64)
        counted: Counted = 0, np.zeros(Layout.of(coding).total, np.uint32), members, NO_MOMENTS
        for batch in named_batches(batches):
            some = weighed(batch, coding.scale)
            if some is not None:
                counted = _with_batch(coding, counted, some, n_jobs, device)
        return cls(coding, *counted)

    def with_batch(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        n_jobs: int | None = -1,
        batch: str = "",
        device: str | None = None,
    ) -> "JointCounts":
        """Return these counts plus those of one more batch; these stay as they are."""
        some = weighed(Batch(X, y, batch, sample_weight), self.coding.scale)
        return self if some is None else self.with_units(some, n_jobs, device)

    def with_units(self, batch: Batch, n_jobs: int | None, device: str | None = None) -> "JointCounts":
        """Return these counts plus those of a batch that `weighed` returned."""
        counted = self.n_samples, self.tables, self.members, self.moments
        return JointCounts(self.coding, *_with_batch(self.coding, counted, batch, n_jobs, device, copy=True))

    def __add__(self, other: "JointCounts") -> "JointCounts":
        if not isinstance(other, JointCounts):
            return NotImplemented
        if not self.coding.same(other.coding):
            raise ValueError(
                "counts can be added only where both were made with one coding: add up all tallies, make the coding of "
                "the sum (tally.coding), and count every batch with it."
            )
        n_samples, members = self.n_samples + other.n_samples, None
        total = n_samples
        if self.members is not None and other.members is not None:
            total, members = self.units + other.units, self.members + other.members
            check_units(total)
        tables = np.add(self.tables, other.tables, dtype=counter_type(total))
        return JointCounts(self.coding, n_samples, tables, members, self.moments + other.moments)

    def __radd__(self, other: Any) -> "JointCounts":
        # The sum of a list begins with 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    @cached_property
    def layout(self) -> Layout:
        """What lies where in the tables."""
        return Layout.of(self.coding)

    @property
    def units(self) -> int:
        """What all samples add up to in the tables."""
        return self.n_samples if self.members is None else self.layout.sum_of(self.tables)

    @property
    def weight(self) -> float:
        """How many samples they count: as their weights say, where these are whole."""
        scale = self.coding.scale
        return float(self.n_samples) if scale is None else scale.samples(self.n_samples, self.units)

    @property
    def nbytes(self) -> int:
        """The bytes that the counts take, without moments."""
        return int(self.tables.nbytes)

    @staticmethod
    def bytes_needed(coding: Coding) -> int:
        """Return the bytes that counts of up to 2^32 samples, and moments, take, for any number of batches."""
        return Layout.of(coding).nbytes + moments_bytes(coding)

    def grown(self, coding: Coding) -> "JointCounts":
        """Return the same counts under a coding that was grown out of theirs."""
        if coding is self.coding:
            return self
        members = self.members
        if coding.scale is not None:
            # Samples without weights are one unit each.
            known = self.layout.members(self.tables) if members is None else members
            members = np.zeros(coding.n_labels, np.int64)
            members[: known.size] = known
        tables = self.layout.in_layout(self.tables, Layout.of(coding))
        return JointCounts(coding, self.n_samples, tables, members, self.moments.grown(coding.n_labels))

    def information(self, estimate: str = "plug-in", *, n_jobs: int | None = -1) -> Information:
        """Return the `Information` of all batches together, which every measure in bits is made of.

        It is that of a table in memory, to the last bit. What it holds within classes needs counts by class.

        Parameters
        ----------
        estimate : "plug-in", "miller-madow" or "shrunk"
            How entropies and mutual information are estimated.
        n_jobs : int or None
            Threads, counted as joblib does. The result does not depend on it.
        """
        return Information(
            table_counts(self.tables, self.coding, self.layout, estimate, n_jobs, self.members)
        )


def counter_type(n_samples: int) -> type[np.generic]:
    """Return the type that can count this number of samples."""
    return np.uint32 if n_samples < LARGEST else np.uint64


def _with_batch(
    coding: Coding,
    counted: Counted,
    batch: Batch,
    n_jobs: int | None,
    device: str | None,
    copy: bool = False,
) -> Counted:
    """Return what was counted with a batch added; a wrong batch adds nothing."""
    n_samples, tables, members, moments = counted
    table = coding.table(batch.X, batch=batch.name)
    codes = coding.codes(table, n_jobs=n_jobs, batch=batch.name)
    if batch.y is None and coding.target is None:
        label = Codes(np.zeros((1, codes.n_samples), np.uint8), np.ones(1, np.int64))
    else:
        label = coding.label(batch.y, batch=batch.name)
    if label.n_samples != codes.n_samples:
        raise ValueError(
            f"{batch_prefix(batch.name)}X and y must have the same number of samples, got {codes.n_samples} and "
            f"{label.n_samples}."
        )
    moments = moments + batch_moments(coding, table, label, batch)
    n_samples += codes.n_samples
    layout, total = Layout.of(coding), n_samples
    if members is not None:
        members = members + np.bincount(label.values[0], minlength=coding.n_labels)
        total = layout.sum_of(tables) + int(batch.weight.sum())
        check_units(total, batch.name)
        codes = Codes(codes.values, codes.sizes, batch.weight)
    tables = tables.astype(counter_type(total), copy=copy)
    layout.add(codes, label, tables, n_jobs, device)
    return n_samples, tables, members, moments
