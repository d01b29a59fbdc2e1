"""BatchCodes: a table of very many features whose batches were kept as codes, one byte for each value.

All pairs of very many features are too many to count, and a search asks for few rows of them. So above the number of
features at which `fit` searches by rows, the second pass turns batches into codes and keeps them, and the search is
that of `fit`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..counting.bins import Codes
from ..fitting import Parameters, table_result, warn_of_samples
from ..qubo import Vector
from ..result import Result
from ..search.wide import selection
from ..tables.table import Table, counted_weights
from ..tables.target import Target, as_target
from .checks import Batch, batch_prefix, check_same_samples, errors_naming, named_batches
from .edges import CATEGORY, Coding
from .layout import Layout, byte_words, half_of_memory
from .weights import Units, weighed


class CodedBatch(NamedTuple):
    """The codes of a batch, shape (n_features, n_samples), its target (codes of classes, or numbers), and its units."""

    codes: NDArray[Any]
    target: NDArray[Any]
    units: Units | None = None


class CodedTable(Table):
    """A table of which only the codes are known."""

    def block(self, first: int, last: int) -> NoReturn:
        """Raise, as there are no values."""
        raise TypeError(
            f"features {first} to {last} are known by their codes only: use the bins and edges that they were cut by."
        )

    def matrix(self) -> NoReturn:
        """Raise, as there are no values."""
        self.block(0, self.n_features)


@dataclass(frozen=True, eq=False, repr=False)
class BatchCodes:
    """The codes of all batches of a table. Make it with `BatchCodes.of` or `BatchCodes.over`.

    Parameters
    ----------
    coding : Coding
        How features became codes.
    codes : Codes
    target : Target
        The codes of classes, or the numbers of a continuous target.
    units : int
        What all samples add up to: their number, or that of the units of their weights.
    given : array of shape (n_samples,), optional
        The weights of the samples; None is one each.

    Examples
    --------
    >>> from quboselect.streaming import Tally
    >>> first, second = ([[1.0], [2.0]], ["a", "a"]), ([[3.0], [4.0]], ["b", "b"])
    >>> coding = (Tally.of(*first) + Tally.of(*second)).coding(bins=2)
    >>> both = BatchCodes.over(coding, 4, [first, second])
    >>> both, both.codes.values.tolist()
    (BatchCodes(4 samples, 1 features), [[0, 0, 1, 1]])
    """

    coding: Coding
    codes: Codes
    target: Target
    units: int
    given: Vector | None = None

    def __repr__(self) -> str:
        return f"BatchCodes({self.n_samples} samples, {self.codes.n_features} features)"

    @classmethod
    def of(cls, coding: Coding, n_samples: int, parts: Iterable[CodedBatch]) -> "BatchCodes":
        """Return the codes of a table, put together from what `coded_batch` returns of each batch.

        Parameters
        ----------
        coding : Coding
        n_samples : int
            How many there are in all, or an error says how many came.
        parts : iterable of CodedBatch
            A part may be dropped once the next is asked for.
        """
        values, start = np.empty((coding.n_features, n_samples), coding.code_type), 0
        targets, weights = [], list[Units]()
        for some in parts:
            stop = start + some.target.size
            if stop <= n_samples:
                values[:, start:stop] = some.codes
                targets.append(some.target)
                weights += [] if some.units is None else [some.units]
            start = stop
        check_same_samples(n_samples, start)
        target = Target(np.concatenate(targets), coding.continuous)
        if coding.scale is None:
            return cls(coding, Codes(values, coding.sizes), target, n_samples)
        units = np.concatenate(weights)
        given = np.ldexp(units.astype(np.float64), -coding.scale.power)
        codes = Codes(values, coding.sizes, counted_weights(given))
        return cls(coding, codes, target, int(units.sum()), given)

    @classmethod
    def over(
        cls, coding: Coding, n_samples: int, batches: Iterable[Any], *, n_jobs: int | None = -1
    ) -> "BatchCodes":
        """Return the codes of many batches, one of which is in memory at a time.

        Parameters
        ----------
        coding, n_samples
            As in `of`.
        batches : iterable of (X, y) or (X, y, weight)
            Errors use the attribute ``name`` of a batch that has one.
        n_jobs : int or None
            Threads, counted as joblib does.
        """
        coded = (coded_batch(coding, batch, n_jobs=n_jobs) for batch in named_batches(batches))
        return cls.of(coding, n_samples, (some for some in coded if some is not None))

    @property
    def n_samples(self) -> int:
        """The number of samples."""
        return self.codes.n_samples

    def table(self) -> Table:
        """Return the table, which measures of the same bins and edges take as one in memory."""
        coding, codes, scale = self.coding, self.codes, self.coding.scale
        return CodedTable(
            codes.values.T,
            np.array([cut.kind == CATEGORY for cut in coding.cuts]),
            np.array([cut.boolean for cut in coding.cuts]),
            coding.names,
            self.given,
            codes_by_bins={(coding.bins, coding.edges): codes},
            binned_as=None if scale is None else scale.samples(self.n_samples, self.units),
        )


def coded_batch(coding: Coding, batch: Batch, *, n_jobs: int | None = -1) -> CodedBatch | None:
    """Return the codes of the samples of a batch that have any weight; None where there are none.

    Parameters
    ----------
    coding : Coding
        That of the whole table.
    batch : Batch
    n_jobs : int or None
        Threads, counted as joblib does.
    """
    some = weighed(batch, coding.scale)
    if some is None:
        return None
    X, y, name, units = some
    codes = coding.codes(X, n_jobs=n_jobs, batch=name)
    if coding.continuous:
        with errors_naming(name):
            target = as_target(y, "continuous").values
    else:
        target = coding.label(y, batch=name).values[0]
    if target.size != codes.n_samples:
        raise ValueError(
            f"{batch_prefix(name)}X and y must have the same number of samples, got {codes.n_samples} and "
            f"{target.size}."
        )
    return CodedBatch(codes.values, target, units)


def are_kept(coding: Coding, n_samples: int, max_bytes: int | None = None) -> bool:
    """Return whether batches are kept as codes, and not counted: of very many features, if the codes fit into memory.

    Where they do not, the counts of all pairs may, as these do not grow with the samples. It raises where neither fits.

    Parameters
    ----------
    coding : Coding
    n_samples : int
        Of all batches.
    max_bytes : int, optional
        How much memory either may take; None is half of the memory.
    """
    if coding.n_features <= selection.WIDE:
        return False
    allowed = half_of_memory() if max_bytes is None else max_bytes
    # What is counted class by class has its samples in the order of the classes too.
    needed = n_samples * coding.n_features * coding.code_type.itemsize * (1 + coding.by_class)
    if needed <= allowed:
        return True
    counts = Layout.of(coding).nbytes
    if counts <= allowed:
        return False
    twice = ", twice as they are counted class by class" if coding.by_class else ""
    raise MemoryError(
        f"the codes of {n_samples} samples x {coding.n_features} features need {byte_words(needed)}{twice}, the counts "
        f"of all pairs {byte_words(counts)}, and either may take {byte_words(allowed)}: exclude features, take some of "
        "the samples, or allow more by max_bytes."
    )


def codes_result(selector: Parameters, seen: BatchCodes) -> Result:
    """Return what a selector finds in codes: what it finds in the same table in memory."""
    table = seen.table()
    result = table_result(selector, table, seen.target)
    warn_of_samples(selector, table, seen.target)
    return result
