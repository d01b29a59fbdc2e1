"""Importance that you computed yourself: numbers of your own, checked against the table."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..counting.bins import Codes
from ..qubo import Vector, frozen
from ..tables.feature_names import label_of, lookup, position
from ..tables.table import as_table


@dataclass(frozen=True, eq=False, repr=False)
class Precomputed:
    """Importance that you computed yourself; the values of the table are not used.

    ``I_i`` is the number given for feature ``i``: at least 0, best in the unit of the redundancy.

    Parameters
    ----------
    values : array of shape (n_features,), or mapping
        One number for each feature, in the order of the table; or by name, ``{"age": 2.0, "pay": 1.0}``, or by number.

    Examples
    --------
    >>> Precomputed([2.0, 1.0])([[1.0, 5.0], [2.0, 6.0]]).tolist()
    [2.0, 1.0]
    """

    values: Any

    tables: ClassVar[bool] = True
    categories: ClassVar[bool] = True
    fixed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        named = isinstance(self.values, Mapping)
        numbers = frozen(list(self.values.values()) if named else self.values, "importance", 1)
        if (numbers < 0).any():
            i = int((numbers < 0).argmax())
            where = repr(list(self.values)[i]) if named else f"entry {i}"
            raise ValueError(f"importance must not be negative; {where} is {numbers[i]:g}.")
        if not numbers.size:
            raise ValueError("importance must have a number for each feature, got none.")
        kept = MappingProxyType(dict(zip(self.values, numbers.tolist(), strict=True))) if named else numbers
        object.__setattr__(self, "values", kept)

    def __repr__(self) -> str:
        return f"Precomputed({len(self.values)} numbers)"

    def __reduce__(self) -> tuple[Any, ...]:
        # Made again by the constructor, which makes the arrays read-only.
        return Precomputed, (dict(self.values) if isinstance(self.values, Mapping) else self.values,)

    def __call__(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002
        /,
        *,
        sample_weight: ArrayLike | None = None,  # noqa: ARG002
    ) -> Vector:
        """Return the importance of each feature, shape (n_features,), as it was given.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), Table, or Codes
            Its features must be those that numbers were given for.
        y, sample_weight : ignored
        """
        table = X if isinstance(X, Codes) else as_table(X)
        n, names = table.n_features, getattr(table, "names", None)
        if not isinstance(self.values, Mapping):
            if self.values.size != n:
                raise ValueError(
                    f"importance.Precomputed has {self.values.size} numbers, but the table has {n} features."
                )
            given: Vector = self.values
            return given
        result, places = np.full(n, np.nan), lookup(names)
        for key, value in self.values.items():
            i = position(key, n, places, "importance.Precomputed")
            if not np.isnan(result[i]):
                raise ValueError(
                    f"importance.Precomputed has two numbers for {label_of(i, names)}: remove one."
                )
            result[i] = value
        lost = np.flatnonzero(np.isnan(result))
        if lost.size:
            some = ", ".join(label_of(int(i), names) for i in lost[:5]) + (", ..." if lost.size > 5 else "")
            raise ValueError(
                f"importance.Precomputed has no number for {some}: give one, 0 if it says nothing of the target."
            )
        return result
