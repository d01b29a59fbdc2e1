"""JointCounts: how often each pair of codes occurs together, and the I and R that follow from it.

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
from .layout import Layout, check_memory
from .tables import table_counts

LARGEST = 2**32  # samples from which counts need 64 bits


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
    >>> counts, counts.information().importance.tolist()
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
        device: str | None = None,
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
        device : str or None
            Where PyTorch counts the pairs of features of at most 255 codes, as ``"cuda"``. The result does not depend
            on it.
        """
        return cls.over(coding, [Batch(X, y, batch)], n_jobs=n_jobs, max_bytes=max_bytes, device=device)

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
        """Return the counts of many batches ``(X, y)``, without a table of counts for each.

        Parameters
        ----------
        coding : Coding
        batches : iterable of (X, y)
            Errors use the attribute ``name`` of a batch that has one.
        n_jobs, max_bytes, device
            As in `of`.
        """
        check_memory(coding, max_bytes)
        tables, n_samples = np.zeros(Layout.of(coding).total, np.uint32), 0
        for X, y, name in named_batches(batches):
            tables, n_samples = _with_batch(coding, tables, n_samples, X, y, n_jobs, name, device)
        return cls(coding, n_samples, tables)

    def with_batch(
        self, X: Any, y: Any = None, *, n_jobs: int | None = -1, batch: str = "", device: str | None = None
    ) -> "JointCounts":
        """Return these counts plus those of one more batch; these stay as they are."""
        tables, n_samples = _with_batch(
            self.coding, self.tables, self.n_samples, X, y, n_jobs, batch, device, copy=True
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
        return Information(table_counts(self.tables, self.coding, self.layout, estimate, n_jobs))


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
    device: str | None,
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
    Layout.of(coding).add(codes, label, tables, n_jobs, device)
    return tables, n_samples
