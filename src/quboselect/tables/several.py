"""Several targets at once, or none: what a fit is given in place of one `Target`."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .frames import as_frame, is_frame, plain_array
from .table import Table
from .target import Target, as_target

WAYS = ("sum", "joint")


@dataclass(frozen=True, eq=False)
class Targets:
    """Several columns to predict, of the same samples. Make it with `as_targets`.

    Parameters
    ----------
    parts : tuple of Target
        At least two; each is classes or continuous for itself.

    Examples
    --------
    >>> both = as_targets([[0, 1.5], [1, 2.5]])
    >>> [part.continuous for part in both.parts], both.take(np.array([1])).parts[1].values.tolist()
    ([False, True], [2.5])
    """

    parts: tuple[Target, ...]

    def take(self, indices: NDArray[np.intp]) -> "Targets":
        """Return the targets of some samples."""
        return Targets(tuple(part.take(indices) for part in self.parts))

    def of(self, table: Table) -> "Targets":
        """Return the targets of the samples that a table kept."""
        return Targets(tuple(part.of(table) for part in self.parts))


@dataclass(frozen=True, eq=False)
class NoTarget:
    """No column to predict: the features say what they say of each other."""

    parts: ClassVar[tuple[Target, ...]] = ()

    def take(self, indices: NDArray[np.intp]) -> "NoTarget":  # noqa: ARG002
        """Return that there is none for some samples either."""
        return self

    def of(self, table: Table) -> "NoTarget":  # noqa: ARG002
        """Return that there is none for the samples of a table either."""
        return self


def as_targets(y: Any, target_type: str = "auto") -> Target | Targets | NoTarget:
    """Return a target, several of them, or none, read and checked; what is one of these is returned as it is.

    Parameters
    ----------
    y : array or frame of shape (n_samples,) or (n_samples, t), or None
        Columns of labels, of numbers, or of both.
    target_type : "auto", "classes" or "continuous"
        What the columns are; ``"auto"`` decides for each as `as_target` does.
    """
    if isinstance(y, Target | Targets | NoTarget):
        return y
    if y is None:
        return NoTarget()
    columns = _columns(y)
    if len(columns) == 1:
        return as_target(columns[0][1], target_type)
    parts = []
    for name, column in columns:
        try:
            parts.append(as_target(column, target_type))
        except ValueError as error:
            raise type(error)(f"column {name!r} of y: {error}") from error
    return Targets(tuple(parts))


def check_way(targets: Any) -> None:
    """Raise unless ``targets`` says how several targets go together."""
    if targets not in WAYS:
        raise ValueError(f"targets must be 'sum' or 'joint', got {targets!r}.")


def _columns(y: Any) -> list[tuple[Any, Any]]:
    """Return the columns of y with their names; one column, of no name, where it is one-dimensional."""
    if is_frame(y, "y"):
        frame = as_frame(y)
        if not frame.columns:
            raise ValueError("y must have at least one column, got a frame without columns.")
        return [(x.name, x.to_native()) for x in frame.iter_columns()]
    values = plain_array(y)
    if values.ndim != 2 or values.shape[1] < 2:
        return [("", y)]
    return list(enumerate(values.T))
