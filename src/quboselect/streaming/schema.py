"""Whether batches belong together. What each has flows in; nothing flows out, or an error that names the batch."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..qubo import Bits
from ..tables.feature_names import positions
from ..tables.table import Table

Schema = tuple[
    str, tuple[str, ...] | None, int
]  # what a batch is called, the names of its features, how many


class Batch(NamedTuple):
    """Some samples: a table of the features, the target, and where they stood, for errors."""

    X: Any
    y: Any
    name: str


def named(
    batches: Iterable[tuple[Any, Any]], names: Iterable[str] | None = None
) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Yield what each batch is called, and the batch; they are numbered where they have no names.

    Examples
    --------
    >>> [name for name, batch in named([("X", "y"), ("X", "y")])]
    ['batch 1', 'batch 2']
    """
    given = iter(names) if names is not None else None
    for i, batch in enumerate(batches, start=1):
        name = getattr(batch, "name", f"batch {i}") if given is None else next(given)
        if not isinstance(batch, tuple | list) or len(batch) != 2 + hasattr(batch, "name"):
            what = f"{len(batch)} values" if isinstance(batch, tuple | list) else type(batch).__name__
            raise ValueError(f"{name} must be a pair (X, y), got {what}: batches have no weights.")
        yield name, (batch[0], batch[1])


def filled(batches: Iterable[tuple[Any, Any]]) -> Iterator[Batch]:
    """Yield the batches that have samples, each with its name.

    Examples
    --------
    >>> [batch.name for batch in filled([([[1.0]], [0]), ([], []), ([[2.0]], [1])])]
    ['batch 1', 'batch 3']
    """
    for name, (X, y) in named(batches):
        if not is_empty(X, y):
            yield Batch(X, y, name)


def is_empty(X: Any, y: Any) -> bool:
    """Return whether a batch has no samples, neither in X nor in y."""
    return y is not None and _length(X) == 0 and _length(y) == 0


def _length(values: Any) -> int | None:
    """Return how many samples there are, or None where that takes a closer look."""
    if hasattr(values, "num_rows"):
        return int(values.num_rows)
    try:
        return int(np.shape(values)[0]) if hasattr(values, "shape") else len(values)
    except (TypeError, IndexError):
        return None


@contextmanager
def naming(batch: str) -> Iterator[None]:
    """Let what is refused within the block say in which batch it stood."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if not batch:
            raise
        raise type(error)(f"{batch}: {error}") from error


def check_features(first: Schema, second: Schema) -> None:
    """Raise unless two batches, each given by what it is called, its names and its size, have the same features."""
    (here, names, n), (there, others, m) = first, second
    if (names, n) == (others, m):
        return
    if names is None or others is None:
        if n != m:
            raise ValueError(f"{there} has {m} features, {here} has {n}: all must have the same.")
        without = here if names is None else there
        raise ValueError(f"{without} has no names of features, and others have: give all of them the same.")
    for lacks, has, extra in (
        (there, here, [name for name in names if name not in set(others)]),
        (here, there, [name for name in others if name not in set(names)]),
    ):
        if extra:
            raise ValueError(f"{lacks} has no feature {extra[0]!r}, which {has} has: all must have the same.")
    i = next(i for i, (a, b) in enumerate(zip(names, others, strict=True)) if a != b)
    raise ValueError(
        f"feature {i} is {names[i]!r} in {here} but {others[i]!r} in {there}: put them in the same order."
    )


def chosen(keys: Any, n: int, names: tuple[str, ...] | None, name: str) -> Bits:
    """Return which features were named; none where they are None or ``"auto"``."""
    found = np.zeros(n, np.bool_)
    if keys is not None and not (isinstance(keys, str) and keys == "auto"):
        found[positions(keys, n, names, name)] = True
    return found


def check_integers(table: Table, i: int, batch: str) -> None:
    """Raise where a feature holds integers that floats cannot tell apart, and some are missing."""
    if table.origins is not None and table.origins[i]:
        raise ValueError(
            f"{within(batch)}{table.label(i)} holds integers beyond 2^53, and some are missing: floats cannot tell "
            "such integers apart; fill the missing ones in, or subtract the least."
        )


def begun_anew(batches: Any) -> Callable[[], Iterable[tuple[Any, Any]]]:
    """Return a function that begins the batches anew, or say why they cannot be gone through twice."""
    if hasattr(batches, "__iter__"):
        if iter(batches) is batches:
            raise TypeError(
                f"batches are gone through twice, which a {type(batches).__name__} cannot: give a list, an iterable "
                "that begins anew, or the function that makes it."
            )
        return lambda: batches
    if callable(batches):
        return lambda: batches()
    raise TypeError(f"batches must be an iterable of (X, y) or a function, got {type(batches).__name__}.")


@contextmanager
def unchanged_if_refused(estimator: Any) -> Iterator[None]:
    """Leave an estimator as it was where the block raises."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def within(batch: str) -> str:
    """Return how an error about a batch begins."""
    return f"{batch}: " if batch else ""
