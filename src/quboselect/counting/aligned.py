"""A table and its target, sample by sample. What a measure is called with flows in; what it computes on flows out.

Samples of no weight are gone from a `Table` once it is made; here they leave the target too.
"""

from typing import Any

from numpy.typing import ArrayLike, NDArray

from ..tables.table import Table, as_table
from ..tables.target import Target, as_target
from .bins import Codes, label_codes


def weighted(X: Any, sample_weight: ArrayLike | None) -> Table | Codes:
    """Return a table with its weights; `Codes` and a `Table` have theirs already.

    Examples
    --------
    >>> weighted([[1.0], [2.0], [3.0]], [1, 0, 1])
    Table(2 samples, 1 features)
    """
    if not isinstance(X, Codes):
        return as_table(X, sample_weight=sample_weight)
    if sample_weight is not None:
        raise ValueError("sample_weight must be None where X is Codes: make the Codes with weights.")
    return X


def with_target(X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Table | Codes, Target | Codes]:
    """Return a table and the target of the same samples.

    Examples
    --------
    >>> with_target([[1.0], [2.0], [3.0]], ["a", "b", "c"], [1, 0, 1])[1].values.tolist()
    ['a', 'c']
    """
    table = weighted(X, sample_weight)
    target = y if isinstance(y, Codes) else as_target(y)
    # A Table comes with the target of its own samples; what was only now made into one may have lost some.
    rows = None if isinstance(table, Codes) or table is X else table.rows
    given = target.n_samples if isinstance(target, Codes) else target.values.size
    expected = table.n_samples if rows is None else len(sample_weight)  # type: ignore[arg-type]
    if given != expected:
        raise ValueError(f"X and y must have the same number of samples, got {expected} and {given}.")
    return table, target if rows is None else target.take(rows)


def numbers(table: Table | Codes, name: str) -> NDArray[Any]:
    """Return the numbers in a table, for a measure called ``name`` that needs them and not their bins."""
    if isinstance(table, Codes):
        raise ValueError(f"{name} needs the values of the features, got Codes: pass the table itself.")
    return table.matrix()


def classes_of(target: Target | Codes) -> NDArray[Any] | None:
    """Return the class of each sample as numbers from 0; None where the target is continuous."""
    if isinstance(target, Target) and target.continuous:
        return None
    classes: NDArray[Any] = label_codes(target).values[0]
    return classes
