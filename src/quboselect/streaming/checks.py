"""Batches, and checks that they belong together. An error names the batch: "batch 3", a file or a partition."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..qubo import Bits
from ..tables.feature_names import positions

NO_TARGET = (
    "this estimator requires y to be passed, but the target y is None: pass y, or fit a table in memory."
)


class Batch(NamedTuple):
    """Some samples: the features X, the target y, the name that errors use, and the weights, if there are any."""

    X: Any
    y: Any
    name: str
    weight: Any = None


class Schema(NamedTuple):
    """The features of a batch: the name of the batch, the names of its features, and their number."""

    batch: str
    names: tuple[str, ...] | None
    n_features: int


def check_target(target: Any) -> None:
    """Raise where a target is not the name of one column."""
    if target is None or isinstance(target, list | tuple):
        raise ValueError(
            f"target must be the name of one column, got {target!r}: name one, or fit a table in memory with "
            "SelectQUBO, which takes several, times of events, or none."
        )


def named_batches(batches: Iterable[Any]) -> Iterator[Batch]:
    """Yield each batch with its name: its attribute ``name``, or its number.

    Examples
    --------
    >>> [batch.name for batch in named_batches([("X", "y"), ("X", "y")])]
    ['batch 1', 'batch 2']
    """
    for i, batch in enumerate(batches, start=1):
        name, named = getattr(batch, "name", f"batch {i}"), hasattr(batch, "name")
        if not isinstance(batch, tuple | list) or len(batch) - named not in (2, 3):
            what = f"{len(batch)} values" if isinstance(batch, tuple | list) else type(batch).__name__
            raise ValueError(f"{name} must be (X, y), or (X, y, weight), got {what}.")
        # A named one may have its fields in any order.
        weight = getattr(batch, "weight", None) if named else batch[2] if len(batch) == 3 else None
        yield Batch(batch[0], batch[1], name, weight)


def sample_batches(batches: Iterable[Any]) -> Iterator[Batch]:
    """Yield the batches that have samples, each with its name.

    Examples
    --------
    >>> [batch.name for batch in sample_batches([([[1.0]], [0]), ([], []), ([[2.0]], [1])])]
    ['batch 1', 'batch 3']
    """
    return (batch for batch in named_batches(batches) if not is_empty(batch.X, batch.y))


def is_empty(X: Any, y: Any) -> bool:
    """Return whether a batch has no samples, neither in X nor in y."""
    return y is not None and sample_number(X) == 0 and sample_number(y) == 0


def sample_number(values: Any) -> int | None:
    """Return the number of samples, or None where only reading the values would tell it."""
    if hasattr(values, "num_rows"):
        return int(values.num_rows)
    try:
        return int(np.shape(values)[0]) if hasattr(values, "shape") else len(values)
    except (TypeError, IndexError):
        return None


@contextmanager
def errors_naming(batch: str) -> Iterator[None]:
    """Put the name of the batch before the message of an error that is raised in the block."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if not batch:
            raise
        raise type(error)(f"{batch}: {error}") from error


def batch_prefix(batch: str) -> str:
    """Return the beginning of a message about a batch."""
    return f"{batch}: " if batch else ""


def check_features(first: Schema, second: Schema) -> None:
    """Raise unless two batches have the same features in the same order."""
    (here, names, n), (there, others, m) = first, second
    if (names, n) == (others, m):
        return
    if names is None or others is None:
        if n != m:
            raise ValueError(f"{there} has {m} features, {here} has {n}: all batches must have the same.")
        without = here if names is None else there
        raise ValueError(
            f"{without} has no feature names, but other batches have: use the same names in all."
        )
    for lacks, has, extra in (
        (there, here, [name for name in names if name not in set(others)]),
        (here, there, [name for name in others if name not in set(names)]),
    ):
        if extra:
            raise ValueError(
                f"{lacks} has no feature {extra[0]!r}, which {has} has: all batches must have the same features."
            )
    i = next(i for i, (a, b) in enumerate(zip(names, others, strict=True)) if a != b)
    raise ValueError(
        f"feature {i} is {names[i]!r} in {here} but {others[i]!r} in {there}: put the features in the same order."
    )


def check_same_samples(first: int, second: int) -> None:
    """Raise unless both passes over the batches saw the same number of samples."""
    if first != second:
        raise ValueError(
            f"batches must be the same each time they are read, got {first} samples and then {second}."
        )


def feature_mask(keys: Any, n: int, names: tuple[str, ...] | None, argument: str) -> Bits:
    """Return which of n features an argument names; None and ``"auto"`` name no feature."""
    mask = np.zeros(n, np.bool_)
    if keys is not None and not (isinstance(keys, str) and keys == "auto"):
        mask[positions(keys, n, names, argument)] = True
    return mask
