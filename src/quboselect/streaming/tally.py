"""Tally: the values of every feature, and how often. Batches flow in and add up; a `Coding` flows out.

The first of two passes over a table that does not fit into memory, or that lies in parts on a cluster.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._kernels.threads import thread_map
from ..counting.bins import BLOCK, inner_levels
from ..qubo import Bits
from ..tables.feature_names import label_of
from ..tables.table import Table, as_table
from ..tables.target import KINDS, MANY, as_target
from .coding import Coding, is_fractional, is_numeric, target_values
from .cuts import cut_at_quantiles, cut_by_label
from .schema import check_features, check_integers, chosen, naming
from .seen import NUMBER, Seen, seen_labels, seen_numbers


@dataclass(frozen=True, eq=False, repr=False)
class Tally:
    """What the features and the target of some batches hold. Make it with `Tally.of`; ``a + b`` adds up.

    Integers and categories are always kept exactly. Floats are, as long as their distinct values fit into
    ``exact_bytes``; those of a feature that has more become a sketch.

    Parameters
    ----------
    features : tuple of Seen
        The values of each feature.
    label : Seen, optional
        Those of the target.
    names : tuple of str, optional
    n_samples : int
    categorical, excluded : bool array of shape (n_features,)
        Features taken as categories though they are numbers, and those that are not looked at.
    target_type : "auto", "classes" or "continuous"
        What the target is; ``"auto"`` is decided once all of it was seen.
    exact_bytes : int
        About how much memory the values of floats may take.
    batch : str
        What errors call it.

    Examples
    --------
    >>> tally = Tally.of([[1.0], [2.0]], [0, 0]) + Tally.of([[3.0], [4.0]], [1, 1])
    >>> tally, tally.target_kind, tally.rank_error
    (Tally(4 samples, 1 features), 'classes', 0.0)
    >>> tally.coding(bins=2).codes([[4.0], [1.0]]).values
    array([[1, 0]], dtype=uint8)
    """

    features: tuple[Seen, ...]
    label: Seen | None
    names: tuple[str, ...] | None
    n_samples: int
    categorical: Bits
    excluded: Bits
    target_type: str = "auto"
    exact_bytes: int = 2**30
    batch: str = ""

    def __repr__(self) -> str:
        return f"Tally({self.n_samples} samples, {self.n_features} features)"

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any = None,
        *,
        categorical: Any = "auto",
        exclude: Any = None,
        target_type: str = "auto",
        exact_bytes: int = 2**30,
        n_jobs: int | None = -1,
        batch: str = "",
    ) -> "Tally":
        """Return the tally of one batch.

        Parameters
        ----------
        X : array, pandas or polars frame, Arrow table, or sparse matrix, of shape (n_samples, n_features)
        y : array or series of shape (n_samples,), optional
            Labels of any one type, or numbers.
        categorical : "auto", or names, indices or a bool array of features
            Features to take as categories even if they are numbers. Text always is.
        exclude : names, indices or a bool array, optional
            Features that are not looked at: they are taken to be constant.
        target_type : "auto", "classes" or "continuous"
            What y is; ``"auto"`` is decided as scikit-learn's ``type_of_target`` does, by all batches together.
        exact_bytes : int
            About how much memory the distinct values of floats may take before they become sketches, 16 bytes each.
            A sketch draws at random, without a seed: quantiles made of it differ a little from run to run.
        n_jobs : int or None
            Threads, counted as joblib does. The result does not depend on it.
        batch : str
            What errors call the batch, as "batch 3" or a file's name.
        """
        if target_type not in KINDS:
            raise ValueError(
                f"target_type must be one of {', '.join(map(repr, KINDS))}, got {target_type!r}."
            )
        if isinstance(exact_bytes, bool) or not isinstance(exact_bytes, int | np.integer) or exact_bytes < 0:
            raise ValueError(f"exact_bytes must be an integer, at least 0, got {exact_bytes!r}.")
        with naming(batch):
            table = as_table(X, categorical=categorical, exclude=exclude)
            label = None if y is None else _seen_target(y, target_type, table.n_samples, batch)
        if table.given is not None:
            raise ValueError("samples in batches have no weights: make the Table without.")
        n, names = table.n_features, table.names
        excluded, named = chosen(exclude, n, names, "exclude"), chosen(categorical, n, names, "categorical")
        tally = cls(
            _seen(table, excluded, n_jobs, batch),
            label,
            names,
            table.n_samples,
            named,
            excluded,
            target_type,
            int(exact_bytes),
            batch,
        )
        return tally._within()

    def __add__(self, other: "Tally") -> "Tally":
        if not isinstance(other, Tally):
            return NotImplemented
        here, there = self.batch or "one batch", other.batch or "another batch"
        check_features((here, self.names, self.n_features), (there, other.names, other.n_features))
        for name in ("target_type", "exact_bytes"):
            if getattr(self, name) != getattr(other, name):
                raise ValueError(
                    f"{name} is {getattr(self, name)!r} in {here} but {getattr(other, name)!r} in {there}: "
                    "make both tallies alike."
                )
        for name in ("categorical", "excluded"):
            if (getattr(self, name) != getattr(other, name)).any():
                raise ValueError(f"{name} features differ in {here} and {there}: make both tallies alike.")
        if (self.label is None) != (other.label is None):
            without = here if self.label is None else there
            raise ValueError(f"{without} has no target, and others have: give all of them y.")
        features = [
            _added(a, b, label_of(i, self.names))
            for i, (a, b) in enumerate(zip(self.features, other.features, strict=True))
        ]
        label = None if self.label is None or other.label is None else _added(self.label, other.label, "y")
        n_samples = self.n_samples + other.n_samples
        tally = Tally(
            tuple(features),
            label,
            self.names,
            n_samples,
            self.categorical,
            self.excluded,
            self.target_type,
            self.exact_bytes,
            self.batch,
        )
        return tally._within()

    def __radd__(self, other: Any) -> "Tally":
        # The sum of a list begins with 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.features)

    @property
    def target_kind(self) -> str | None:
        """What the target is, by all that was seen of it: "classes" or "continuous"; None without one."""
        if self.label is None:
            return None
        if self.target_type != "auto":
            return self.target_type
        return "continuous" if self._fractional else "classes"

    @property
    def _fractional(self) -> bool:
        label = self.label
        return label is not None and (label.sketch is not None or is_fractional(label.values))

    @property
    def approximate(self) -> tuple[str, ...]:
        """What has its quantiles from a sketch: features as errors call them, and y."""
        found = [label_of(i, self.names) for i, seen in enumerate(self.features) if seen.sketch is not None]
        return (*found, "y") if self.label is not None and self.label.sketch is not None else tuple(found)

    @property
    def rank_error(self) -> float:
        """How far the rank of an edge may be off, as a share of the samples; 0.0 where all values are kept.

        It is the bound of Apache DataSketches for the least certain feature, which holds in 99 of 100 cases. Above 0.0
        edges, and what is made of them, are not the same in two runs: sketches draw at random and take no seed.
        """
        labels = () if self.label is None else (self.label,)
        return float(max(seen.rank_error for seen in (*self.features, *labels)))

    def coding(self, bins: int = 20) -> Coding:
        """Return how features and target become codes, numbers cut at the quantiles of all that was seen.

        Parameters
        ----------
        bins : int
            The number of quantile bins, from 2 to 65536.
        """
        levels = inner_levels(bins)
        cuts = tuple(cut_at_quantiles(seen, levels) for seen in self.features)
        continuous, target = self.target_kind == "continuous", None
        if self.label is not None:
            target = cut_at_quantiles(self.label, levels) if continuous else cut_by_label(self.label)
            self._warn_of_many(target.size)
        return Coding(
            cuts,
            target,
            self.names,
            bins,
            continuous,
            self.categorical,
            self.excluded,
            self.label is not None and self.label.kind == NUMBER,
            self._fractional,
            self.rank_error,
        )

    def _warn_of_many(self, classes: int) -> None:
        """Warn where numbers are taken for labels but are so many that they hardly can be."""
        guessed = self.target_type == "auto" and self.label is not None and self.label.kind == NUMBER
        if guessed and self.target_kind == "classes" and MANY < classes > 0.1 * self.n_samples:
            warnings.warn(
                f"y is taken for {classes} classes in {self.n_samples} samples: if it is a number, say "
                "target_type='continuous'.",
                UserWarning,
                stacklevel=4,
            )

    def _within(self) -> "Tally":
        """Return the same, floats of too many values as sketches."""
        limit = self.exact_bytes // (16 * self.n_features)
        features = tuple(seen.within(limit) for seen in self.features)
        # Whole numbers may yet turn out to be classes, which must be told apart.
        label = self.label
        if label is not None and (
            self.target_type == "continuous" or (self.target_type == "auto" and is_fractional(label.values))
        ):
            label = label.within(limit)
        return replace(self, features=features, label=label)


def _seen(table: Table, excluded: Bits, n_jobs: int | None, batch: str) -> tuple[Seen, ...]:
    """Return what each feature of a batch holds."""
    constant = seen_numbers(np.zeros(table.n_samples, np.int8), batch)

    def look(first: int) -> list[Seen]:
        block = table.block(first, min(first + BLOCK, table.n_features))
        found = []
        for i, x in enumerate(block, start=first):
            labels = None if table.labels is None else table.labels[i]
            if excluded[i]:
                found.append(constant)
            elif labels is not None:
                found.append(seen_labels(x, labels, bool(table.boolean[i]), batch))
            else:
                check_integers(table, i, batch)
                found.append(seen_numbers(x, batch))
        return found

    blocks = thread_map(look, range(0, table.n_features, BLOCK), n_jobs=n_jobs)
    return tuple(seen for block in blocks for seen in block)


def _seen_target(y: Any, kind: str, n_samples: int, batch: str) -> Seen:
    """Return what the target of a batch holds."""
    target = as_target(y, "continuous" if kind == "continuous" else "classes")
    if target.values.size != n_samples:
        raise ValueError(
            f"X and y must have the same number of samples, got {n_samples} and {target.values.size}."
        )
    if is_numeric(target.values, y, kind):
        return seen_numbers(target.values, batch)
    codes, labels = target_values(target)
    return seen_labels(codes, labels or [], target.values.dtype.kind == "b", batch)


def _added(a: Seen, b: Seen, name: str) -> Seen:
    try:
        return a + b
    except ValueError as error:
        raise ValueError(f"{name} {error}") from error
