"""Coding: the edges that cut each feature, and the target, into codes.

In memory a table is cut by its own values. Here `Tally` has seen all values in a first pass, the edges are made of what
it saw, and a second pass cuts each batch at them. The edges come from the same function as those of a table in memory,
so the codes are the same, to the last bit of each edge.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels.threads import thread_map
from ..counting.bins import BLOCK, MOST_CODES, Codes, are_close, distances
from ..counting.cuts import edge_values, interval_numbers, reached
from ..qubo import Bits, Vector
from ..tables.feature_names import label_of
from ..tables.frames import as_frame, frame_names, in_order, is_categories, is_frame
from ..tables.table import Table, as_table
from ..tables.target import MANY, Target, as_target
from .checks import Schema, batch_prefix, check_features, errors_naming
from .ranks import NO_KINDS, Kinds, Ranks
from .weights import Scale

NUMBER, CATEGORY, NOTHING = "number", "category", "nothing"


@dataclass(frozen=True, eq=False)
class Cut:
    """How the values of one feature become codes. Make it with `number_cut` or `label_cut`.

    Parameters
    ----------
    kind : "number", "category" or "nothing"
        What the feature holds; a feature that was always missing holds nothing.
    size : int
        The number of codes.
    missing : int
        The code of a missing value; -1 where there was none.
    boolean : bool
        Whether the categories are true and false.
    edges : array
        Where numbers are cut, ascending.
    numbers : int array
        The code of each interval between the edges, shape (edges + 1,), or of each label.
    labels : tuple
        The labels of the categories.

    Examples
    --------
    >>> cut = number_cut(np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4, int), 2)
    >>> cut.edges, cut.codes(np.array([0.0, 9.0]))
    (array([3.]), array([0, 1], dtype=uint8))
    """

    kind: str
    size: int
    missing: int = -1
    boolean: bool = False
    edges: Vector = field(default_factory=lambda: np.empty(0))
    numbers: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    labels: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.edges, self.numbers):
            array.flags.writeable = False

    def same(self, other: "Cut") -> bool:
        """Return whether another cut makes the same codes of the same values."""
        scalars = ("kind", "size", "missing", "boolean", "labels")
        return self is other or (
            all(getattr(self, name) == getattr(other, name) for name in scalars)
            and np.array_equal(self.edges, other.edges)
            and np.array_equal(self.numbers, other.numbers)
        )

    def codes(self, x: NDArray[Any], labels: Sequence[Any] | None = None) -> NDArray[Any]:
        """Return the codes of numbers, or of categories given as positions in ``labels``, -1 where missing."""
        if labels is not None:
            code = dict(zip(self.labels, self.numbers.tolist(), strict=True)) if self.kind == CATEGORY else {}
            # Minus one, a missing value, looks up the last entry.
            by_position = [code.get(label, 0) for label in labels] + [max(self.missing, 0)]
            return np.array(by_position, np.min_scalar_type(self.size))[x.astype(np.intp, copy=False)]
        return self._integer_codes(x) if x.dtype.kind in "ui" else self._float_codes(x)

    def unknown(self, x: NDArray[Any], labels: Sequence[Any] | None = None) -> tuple[tuple[Any, ...], bool]:
        """Return the values that have no code, labels in order, and whether missing values should have one."""
        if labels is None:
            missing = np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.size, np.bool_)
            new = x[~missing][:1].tolist() if self.kind == NOTHING else []
            return tuple(new), self.missing < 0 and bool(missing.any())
        occurs = np.bincount(x.astype(np.intp) + 1, minlength=len(labels) + 1) > 0
        known = set(self.labels)
        new = [label for label, there in zip(labels, occurs[1:], strict=True) if there and label not in known]
        return in_order(new), self.missing < 0 and bool(occurs[0])

    def grown(self, x: NDArray[Any], labels: Sequence[Any] | None = None) -> "Cut":
        """Return the cut with new codes, after the old ones, for what has none."""
        new, missing = self.unknown(x, labels)
        cut, size = self, self.size + len(new)
        if new and labels is None:
            cut = replace(self, kind=NUMBER, size=size, numbers=np.array([self.size]))
        elif new:
            before = self.numbers if self.kind == CATEGORY else np.empty(0, np.int64)
            cut = replace(
                self,
                kind=CATEGORY,
                size=size,
                boolean=self.boolean or (self.kind == NOTHING and isinstance(new[0], bool)),
                numbers=np.append(before, np.arange(self.size, size)),
                labels=self.labels + new,
            )
        return cut.with_missing() if missing else cut

    def with_missing(self) -> "Cut":
        """Return the cut with one more code, for missing values."""
        return replace(self, size=self.size + 1, missing=self.size)

    def _integer_codes(self, x: NDArray[Any]) -> NDArray[Any]:
        low, high = int(x.min()), int(x.max())
        if not are_close(low, high, x.size):
            return self._float_codes(x)
        # Each distinct value is cut once, not each sample.
        values = np.arange(low, high + 1).astype(np.float64)
        return np.take(self._interval_codes(values), distances(x, low), mode="clip")

    def _float_codes(self, x: NDArray[Any]) -> NDArray[Any]:
        x = x.astype(np.float64, copy=False)
        codes = self._interval_codes(x)
        if self.missing >= 0:
            codes[np.isnan(x)] = self.missing
        return codes

    def _interval_codes(self, x: Vector) -> NDArray[Any]:
        """Return the code of the interval of each float: the number of edges that are not above it decides."""
        dtype = np.min_scalar_type(max(self.size, self.edges.size))
        return np.take(self.numbers.astype(dtype), interval_numbers(x, self.edges), mode="clip")


def number_cut(
    values: NDArray[Any],
    counts: NDArray[np.int64],
    bins: int,
    edges: str = "apart",
    *,
    missing: bool = False,
    exact: bool = True,
    samples: float | None = None,
) -> Cut:
    """Return the cut of numbers into about so many bins.

    Parameters
    ----------
    values, counts : arrays
        Ascending numbers, and the number of samples of each.
    bins : int
    edges : "apart" or "quantile"
        Where numbers are cut, as in `feature_codes`.
    missing : bool
        Whether there are missing values too.
    exact : bool
        Whether the values are all there are. A sketch keeps some, which do not tell which bins are empty.
    samples : float, optional
        How many samples the counts stand for, where they are those of weights; None is as many as they add up to.
    """
    values = values.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        reach = np.cumsum(counts) if samples is None else reached(counts * (samples / counts.sum()))
        cuts = edge_values(values, reach, bins, edges)
    occurs = np.full(cuts.size + 1, not exact)
    if exact:
        occurs[np.searchsorted(cuts, values, side="right")] = True
    # A bin that never occurs has no code of its own: it shares that of the bin below.
    numbers = np.maximum(np.cumsum(occurs) - 1, 0)
    cut = Cut(NUMBER, int(occurs.sum()), edges=cuts, numbers=numbers)
    return cut.with_missing() if missing else cut


def label_cut(labels: Sequence[Any], *, boolean: bool = False, missing: bool = False) -> Cut:
    """Return the cut that gives each label a code of its own, in their order."""
    numbers = np.arange(len(labels))
    cut = Cut(CATEGORY, len(labels), boolean=boolean, numbers=numbers, labels=tuple(labels))
    return cut.with_missing() if missing else cut


@dataclass(frozen=True, eq=False, repr=False)
class Coding:
    """How every feature and the target become codes. Make it with `Tally.coding`.

    Parameters
    ----------
    cuts : tuple of Cut
        One for each feature.
    target : Cut, optional
        That of the target; None where there was no target.
    names : tuple of str, optional
    bins : int
        About how many bins numbers were cut into.
    continuous : bool
        Whether the target was cut into bins too.
    categorical, excluded : bool array of shape (n_features,)
        Features taken as categories though they are numbers, and those that are not read: they are constant.
    numeric, measured : bool
        Whether the target holds numbers, labels or not, and whether they are more than labels by what was seen of them:
        one is not whole, or there are more than 30.
    rank_error : float
        How far the rank of an edge may be off, as a share of the samples; 0.0 where all is exact.
    edges : "apart" or "quantile"
        Where numbers were cut.
    asked_bins : int, "auto" or "auto-by-class", optional
        The bins that were asked for, of which the number was made; None is that number.
    by_class : bool
        Whether pairs of features are counted class by class.
    moments : Kinds
        Which moments are kept beside the counts, for measures by correlation.
    ranks : tuple of Ranks
        Those of each feature and of a continuous target, where moments are of ranks.
    scale : Scale, optional
        How weights are counted; None where there are none.

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
    measured: bool = False
    rank_error: float = 0.0
    edges: str = "apart"
    asked_bins: int | str | None = None
    by_class: bool = False
    moments: Kinds = NO_KINDS
    ranks: tuple[Ranks, ...] = ()
    scale: Scale | None = None

    def __post_init__(self) -> None:
        for i, cut in enumerate(self._all_cuts):
            if cut.size > MOST_CODES:
                what = "y" if i == self.n_features else label_of(i, self.names)
                remedy = "use fewer bins" if cut.kind == NUMBER else "group its rare values, or leave it out"
                raise ValueError(f"{what} has {cut.size} codes, the most is {MOST_CODES}: {remedy}.")

    def __repr__(self) -> str:
        return f"Coding({self.n_features} features, {self.bins} bins)"

    @property
    def _all_cuts(self) -> tuple[Cut, ...]:
        return self.cuts if self.target is None else (*self.cuts, self.target)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.cuts)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of codes of each feature, shape (n_features,)."""
        return np.array([cut.size for cut in self.cuts], np.int64)

    @property
    def code_type(self) -> np.dtype[Any]:
        """The type of the codes of features: one byte, or two where a feature has more than 256 codes."""
        return np.dtype(np.uint8 if self.sizes.max() <= 256 else np.uint16)

    @property
    def n_labels(self) -> int:
        """The number of codes of the target; one where there is no target."""
        return 1 if self.target is None else self.target.size

    def same(self, other: "Coding") -> bool:
        """Return whether another coding makes the same codes of the same batches."""
        if self is other:
            return True
        scalars = ("names", "bins", "edges", "continuous", "by_class", "moments", "scale")
        if any(getattr(self, name) != getattr(other, name) for name in scalars):
            return False
        if self.n_features != other.n_features or (self.target is None) != (other.target is None):
            return False
        if not all(a.same(b) for a, b in zip(self.ranks, other.ranks, strict=True)):
            return False
        return all(a.same(b) for a, b in zip(self._all_cuts, other._all_cuts, strict=True))

    def table(self, X: Any, *, batch: str = "") -> Table:
        """Return a batch as a table, after checking that it has the features of the first pass."""
        first, now = Schema("the first pass", self.names, self.n_features), batch or "this batch"
        options = {}
        # The features are checked before they are read: `categorical` and `exclude` are meant for these features.
        if not isinstance(X, Table) and is_frame(X):
            frame = as_frame(X)
            check_features(first, Schema(now, frame_names(frame), frame.shape[1]))
            options = {"categorical": self.categorical, "exclude": self.excluded}
        elif (self.categorical | self.excluded).any() and not isinstance(X, Table) and len(np.shape(X)) == 2:
            check_features(first, Schema(now, None, np.shape(X)[1]))
            options = {"categorical": self.categorical, "exclude": self.excluded}
        with errors_naming(batch):
            table = as_table(X, **options)
        check_features(first, Schema(now, table.names, table.n_features))
        for i in np.flatnonzero(~self.excluded).tolist():
            found = not table.categorical[i], bool(table.boolean[i])
            expected = (self.cuts[i].kind == NUMBER, self.cuts[i].boolean)
            if self.cuts[i].kind != NOTHING and found != expected and not _all_missing(table, i):
                raise ValueError(
                    f"{batch_prefix(batch)}{table.label(i)} must hold {kind_words(*expected)} as before, got "
                    f"{kind_words(*found)}."
                )
        return table

    def codes(self, X: Any, *, n_jobs: int | None = -1, batch: str = "") -> Codes:
        """Return the codes of a batch.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            With the features of the first pass. A number that was not seen before falls into its bin; a label that was
            not is an error.
        n_jobs : int or None
            Threads, counted as joblib does. The result does not depend on it.
        batch : str
            The name of the batch in errors, as "batch 3" or a file's name.
        """
        table = self.table(X, batch=batch)
        values = np.zeros((self.n_features, table.n_samples), self.code_type)

        def fill(first: int) -> None:
            block = table.block(first, min(first + BLOCK, self.n_features))
            for i, x in enumerate(block, start=first):
                if not self.excluded[i]:
                    values[i] = _known_codes(self.cuts[i], x, table_labels(table, i), table.label(i), batch)

        thread_map(fill, range(0, self.n_features, BLOCK), n_jobs=n_jobs)
        return Codes(values, self.sizes)

    def ranked(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the numbers of a batch as ranks among all samples, shape (n_samples, n_features); NaN stays NaN."""
        ranked = np.empty(values.shape)
        for i, ranks in enumerate(self.ranks[: self.n_features]):
            ranked[:, i] = ranks.of(values[:, i], label_of(i, self.names))
        return ranked

    def label(self, y: Any, *, batch: str = "") -> Codes:
        """Return the codes of a batch's target, as those of one feature."""
        if self.target is None:
            raise ValueError("the first pass had no target: make the tally with y.")
        codes = _known_codes(self.target, *self._target_values(y, batch), "y", batch)
        return Codes(codes[None, :], np.array([self.target.size]))

    def grown(self, X: Any, y: Any = None, *, target_type: str = "auto", batch: str = "") -> "Coding":
        """Return the coding with new codes for the labels and the missing values that have none.

        Parameters
        ----------
        X, y : table of shape (n_samples, n_features), and target
        target_type : "auto", "classes" or "continuous"
            What y is. With "auto", fractions and more than 30 whole numbers are refused after whole numbers that were
            taken for classes.
        batch : str
            The name of the batch in errors.

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
            cuts.append(cut if self.excluded[i] else cut.grown(x, table_labels(table, i)))
        target, measured = self.target, self.measured
        if target is not None and y is not None:
            fractional = self._has_fractions(y, target_type, batch)
            target = target.grown(*self._target_values(y, batch))
            many = self.numeric and not self.continuous and target.size > MANY
            if (fractional or many) and not (measured or self.continuous) and target_type == "auto":
                what = "fractions" if fractional else f"more than {MANY} distinct whole numbers by now"
                raise ValueError(
                    f"{batch_prefix(batch)}y holds {what}, so it is a number, but was taken for classes before: start "
                    "again with target_type='continuous', or go on with target_type='classes'."
                )
            measured |= fractional or many
        unchanged = all(a is b for a, b in zip([*self.cuts, self.target], [*cuts, target], strict=True))
        if unchanged and measured == self.measured:
            return self
        with errors_naming(batch):
            return replace(self, cuts=tuple(cuts), target=target, measured=measured)

    def _has_fractions(self, y: Any, target_type: str, batch: str) -> bool:
        """Return whether a target has fractions, after refusing one of another kind than before."""
        with errors_naming(batch):
            values = as_target(y, "continuous" if target_type == "continuous" else "classes").values
        if target_type == "continuous":
            return is_fractional(values)
        found = (is_numeric(values, y, target_type), values.dtype.kind == "b")
        expected = (self.numeric, self.target is not None and self.target.boolean)
        if found != expected:
            raise ValueError(
                f"{batch_prefix(batch)}y must hold {kind_words(*expected)} as before, got {kind_words(*found)}."
            )
        return found[0] and is_fractional(values)

    def _target_values(self, y: Any, batch: str) -> tuple[NDArray[Any], list[Any] | None]:
        with errors_naming(batch):
            return target_values(as_target(y, "continuous" if self.continuous else "classes"))


def target_values(target: Target) -> tuple[NDArray[Any], list[Any] | None]:
    """Return the numbers of a continuous target and None; or positions and the labels they stand for."""
    if target.continuous:
        return target.values, None
    classes, codes = np.unique(target.values, return_inverse=True)
    return codes, classes.tolist()


def is_numeric(values: NDArray[Any], y: Any, target_type: str) -> bool:
    """Return whether a target, as read and as given, holds numbers and not categories."""
    return values.dtype.kind in "uif" and not (target_type == "auto" and is_categories(y))


def is_fractional(values: NDArray[Any]) -> bool:
    """Return whether some number is not whole."""
    return values.dtype.kind == "f" and bool((values != np.floor(values)).any())


def table_labels(table: Table, i: int) -> Sequence[Any] | None:
    """Return the labels of a feature; None where it holds numbers."""
    return None if table.labels is None else table.labels[i]


def kind_words(number: bool, boolean: bool) -> str:
    """Return the words of an error for what a feature holds."""
    return "numbers" if number else "true and false" if boolean else "text or categories"


def _known_codes(
    cut: Cut, x: NDArray[Any], labels: Sequence[Any] | None, name: str, batch: str
) -> NDArray[Any]:
    """Return the codes of a feature, or raise where a value has none."""
    new, missing = cut.unknown(x, labels)
    if new or missing:
        what = repr(new[0]) if new else "a missing value"
        raise ValueError(
            f"{batch_prefix(batch)}{name} has {what}, which the first pass did not see: make the first pass over the "
            "same batches."
        )
    return cut.codes(x, labels)


def _all_missing(table: Table, i: int) -> bool:
    (x,) = table.block(i, i + 1)
    return bool((x < 0).all() if table.categorical[i] else x.dtype.kind == "f" and np.isnan(x).all())
