"""Coding: how each feature, and the target, becomes codes. A batch of a table flows in, `Codes` flow out to be counted.

In memory a table is cut at its own quantiles. Here a first pass has seen all values (``tally.py``), the quantiles are
made of what it saw, to the last bit those of the whole table, and each batch of a second pass is cut at them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels.threads import thread_map
from ..counting.bins import BLOCK, MOST_CODES, Codes
from ..qubo import Bits
from ..tables.feature_names import label_of
from ..tables.frames import as_frame, frame_names, is_categories, is_frame
from ..tables.table import Table, as_table
from ..tables.target import Target, as_target
from .cuts import Cut
from .schema import check_features, check_integers, naming, within
from .seen import NOTHING, NUMBER

REMEDY = "make the first pass over the same batches"


@dataclass(frozen=True, eq=False, repr=False)
class Coding:
    """How every feature and the target become codes. Make it with `Tally.coding`.

    Parameters
    ----------
    cuts : tuple of Cut
        How each feature does.
    target : Cut, optional
        How the target does; None where there was none.
    names : tuple of str, optional
    bins : int
        The number of quantile bins that numbers were cut into.
    continuous : bool
        Whether the target was cut at its quantiles too.
    categorical, excluded : bool array of shape (n_features,)
        Features taken as categories though they are numbers, and those that are not looked at: they are constant.
    numeric, fractional : bool
        Whether the target holds numbers, be they labels, and whether one of them is not whole.
    rank_error : float
        How far an edge's rank may be off, as a share of the samples, in 99 of 100 cases; 0.0 where all is exact.

    Examples
    --------
    >>> from quboselect.streaming import Tally
    >>> coding = Tally.of([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]).coding(bins=2)
    >>> coding.codes([[0.0], [9.0]]).values.tolist(), coding.label([1, 0]).values.tolist()
    ([[0, 1]], [[1, 0]])
    """

    cuts: tuple[Cut, ...]
    target: Cut | None
    names: tuple[str, ...] | None
    bins: int
    continuous: bool
    categorical: Bits
    excluded: Bits
    numeric: bool = False
    fractional: bool = False
    rank_error: float = 0.0

    def __post_init__(self) -> None:
        everything = [*enumerate(self.cuts)] + ([] if self.target is None else [(-1, self.target)])
        for i, cut in everything:
            if cut.size > MOST_CODES:
                what = "y" if i < 0 else label_of(i, self.names)
                remedy = "use fewer bins" if cut.kind == NUMBER else "group its rare values, or leave it out"
                raise ValueError(
                    f"{what} has {cut.size} codes, at most {MOST_CODES} can be counted: {remedy}."
                )

    def __repr__(self) -> str:
        return f"Coding({self.n_features} features, {self.bins} bins)"

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.cuts)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of codes of each feature, shape (n_features,)."""
        return np.array([cut.size for cut in self.cuts], np.int64)

    @property
    def n_labels(self) -> int:
        """The number of codes of the target; one where there is none."""
        return 1 if self.target is None else self.target.size

    def same(self, other: "Coding") -> bool:
        """Return whether another makes the same codes of the same batches."""
        if self is other:
            return True
        if (self.names, self.bins, self.continuous) != (other.names, other.bins, other.continuous):
            return False
        if self.n_features != other.n_features or (self.target is None) != (other.target is None):
            return False
        mine = self.cuts if self.target is None else (*self.cuts, self.target)
        others = other.cuts if other.target is None else (*other.cuts, other.target)
        return all(a.same(b) for a, b in zip(mine, others, strict=True))

    def table(self, X: Any, *, batch: str = "") -> Table:
        """Return a batch as a table, after checking that it has the features that the coding was made of."""
        before, now = ("the first pass", self.names, self.n_features), batch or "this batch"
        wishes = {}
        # Before it is read, as what it lacks might be what is not to be read.
        if not isinstance(X, Table) and is_frame(X):
            frame = as_frame(X)
            check_features(before, (now, frame_names(frame), frame.shape[1]))
            wishes = {"categorical": self.categorical, "exclude": self.excluded}
        elif self.categorical.any() and not isinstance(X, Table) and len(np.shape(X)) == 2:
            check_features(before, (now, None, np.shape(X)[1]))
            wishes = {"categorical": self.categorical}
        with naming(batch):
            table = as_table(X, **wishes)
        check_features(before, (now, table.names, table.n_features))
        for i in np.flatnonzero(~self.excluded).tolist():
            check_integers(table, i, batch)
            holds = _kind(table, i)
            expected = (self.cuts[i].kind == NUMBER, self.cuts[i].boolean)
            if self.cuts[i].kind != NOTHING and holds != expected and not _all_missing(table, i):
                raise ValueError(
                    f"{within(batch)}{table.label(i)} must hold {_words(*expected)} as it did before, got "
                    f"{_words(*holds)}."
                )
        return table

    def codes(self, X: Any, *, n_jobs: int | None = -1, batch: str = "") -> Codes:
        """Return the codes of a batch.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            With the features that the coding was made of. A number that was not seen before falls into its bin; a
            label that was not is an error.
        n_jobs : int or None
            Threads, counted as joblib does. The result does not depend on it.
        batch : str
            What errors call the batch, as "batch 3" or a file's name.
        """
        table = self.table(X, batch=batch)
        values = np.zeros((self.n_features, table.n_samples), np.uint8 if self._narrow else np.uint16)

        def fill(first: int) -> None:
            block = table.block(first, min(first + BLOCK, self.n_features))
            for i, x in enumerate(block, start=first):
                if self.excluded[i]:
                    continue
                labels = _labels(table, i)
                self._refuse_unknown(self.cuts[i], x, labels, table.label(i), batch)
                values[i] = self.cuts[i].codes(x, labels)

        thread_map(fill, range(0, self.n_features, BLOCK), n_jobs=n_jobs)
        return Codes(values, self.sizes)

    def label(self, y: Any, *, batch: str = "") -> Codes:
        """Return the codes of a batch's target, as those of one feature."""
        if self.target is None:
            raise ValueError("the first pass had no target: make the tally with y.")
        x, labels = self._read_target(y, batch)
        self._refuse_unknown(self.target, x, labels, "y", batch)
        return Codes(self.target.codes(x, labels)[None, :], np.array([self.target.size]))

    def grown(self, X: Any, y: Any = None, *, target_type: str = "auto", batch: str = "") -> "Coding":
        """Return the coding with new codes for labels, and for missing values, that it has none for.

        Parameters
        ----------
        X, y : table of shape (n_samples, n_features), and target
        target_type : "auto", "classes" or "continuous"
            What people say that y is. Where they do not say, fractions after whole numbers are refused.
        batch : str
            What errors call the batch.

        Examples
        --------
        >>> from quboselect.streaming import Tally
        >>> Tally.of([["red"], ["blue"]]).coding().grown([["green"], ["blue"]]).sizes
        array([3])
        """
        table = self.table(X, batch=batch)
        cuts = []
        for i, cut in enumerate(self.cuts):
            (x,) = table.block(i, i + 1)
            cuts.append(cut if self.excluded[i] else cut.grown(x, _labels(table, i)))
        label, fractional = self.target, self.fractional
        if label is not None and y is not None:
            fractional |= self._check_target(y, target_type, batch)
            x, labels = self._read_target(y, batch)
            label = label.grown(x, labels)
        before = [*self.cuts, self.target]
        if fractional == self.fractional and all(a is b for a, b in zip(before, [*cuts, label], strict=True)):
            return self
        with naming(batch):
            return replace(self, cuts=tuple(cuts), target=label, fractional=fractional)

    @property
    def _narrow(self) -> bool:
        return bool(self.sizes.max() <= 256)

    def _check_target(self, y: Any, target_type: str, batch: str) -> bool:
        """Return whether a target has fractions, after refusing one that does not go with what was seen before."""
        with naming(batch):
            values = as_target(y, "continuous" if target_type == "continuous" else "classes").values
        if target_type == "continuous":
            return is_fractional(values)
        holds = (is_numeric(values, y, target_type), values.dtype.kind == "b")
        expected = (self.numeric, self.target is not None and self.target.boolean)
        if holds != expected:
            raise ValueError(
                f"{within(batch)}y must hold {_words(*expected)} as it did before, got {_words(*holds)}."
            )
        fractional = holds[0] and is_fractional(values)
        if fractional and not (self.fractional or self.continuous) and target_type == "auto":
            raise ValueError(
                f"{within(batch)}y holds fractions, and held whole numbers before, which were taken for classes: begin "
                "anew with target_type='continuous', or go on with target_type='classes'."
            )
        return fractional

    def _read_target(self, y: Any, batch: str) -> tuple[NDArray[Any], list[Any] | None]:
        """Return the numbers of a target; or, where it is classes, codes and what they stand for."""
        with naming(batch):
            target = as_target(y, "continuous" if self.continuous else "classes")
        return target_values(target)

    def _refuse_unknown(
        self, cut: Cut, x: NDArray[Any], labels: Sequence[Any] | None, name: str, batch: str
    ) -> None:
        new, missing = cut.unknown(x, labels)
        if new or missing:
            what = f"{new[0]!r}" if new else "a missing value"
            raise ValueError(f"{within(batch)}{name} has {what}, which the first pass did not see: {REMEDY}.")


def target_values(target: Target) -> tuple[NDArray[Any], list[Any] | None]:
    """Return the numbers of a continuous target; or, of one of classes, codes and what they stand for."""
    if target.continuous:
        return target.values, None
    classes, codes = np.unique(target.values, return_inverse=True)
    return codes, classes.tolist()


def is_numeric(values: NDArray[Any], y: Any, kind: str) -> bool:
    """Return whether a target, as read and as given, holds numbers and not categories."""
    return values.dtype.kind in "uif" and not (kind == "auto" and is_categories(y))


def is_fractional(values: NDArray[Any]) -> bool:
    """Return whether a number is not whole."""
    return values.dtype.kind == "f" and bool((values != np.floor(values)).any())


def _labels(table: Table, i: int) -> Sequence[Any] | None:
    return None if table.labels is None else table.labels[i]


def _kind(table: Table, i: int) -> tuple[bool, bool]:
    """Return whether a feature holds numbers, and whether it holds true and false."""
    return not table.categorical[i], bool(table.boolean[i])


def _all_missing(table: Table, i: int) -> bool:
    (x,) = table.block(i, i + 1)
    return bool((x < 0).all() if table.categorical[i] else x.dtype.kind == "f" and np.isnan(x).all())


def _words(number: bool, boolean: bool) -> str:
    return "numbers" if number else "true and false" if boolean else "text or categories"
