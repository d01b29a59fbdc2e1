"""Redundancy that you computed yourself: numbers of your own, checked against the table."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..counting.bins import Codes
from ..qubo import Matrix, frozen, symmetric
from ..tables.feature_names import label_of, lookup, position
from ..tables.table import as_table


@dataclass(frozen=True, eq=False, repr=False)
class Precomputed:
    """Redundancy that you computed yourself; the values of the table are not used.

    ``R_ij`` is the number given for features ``i`` and ``j``, best in the unit of the importance. It may be negative,
    where two features say more together than apart, if there is an alpha; a path over all sizes needs at least 0.

    Parameters
    ----------
    values : array or frame of shape (n_features, n_features), or mapping
        Symmetric with a zero diagonal, in the order of the table; or by names, ``{("age", "pay"): 2.0}``, or by
        numbers, each pair in one of its two orders. A pair that is not given has 0.

    Examples
    --------
    >>> Precomputed({(0, 2): 0.5})([[1.0, 5.0, 7.0], [2.0, 6.0, 8.0]]).tolist()
    [[0.0, 0.0, 0.5], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]
    """

    values: Any

    tables: ClassVar[bool] = True
    categories: ClassVar[bool] = True
    fixed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        named = isinstance(self.values, Mapping)
        kept = _pairs(self.values) if named else symmetric(self.values, "redundancy")
        object.__setattr__(self, "values", kept)

    def __repr__(self) -> str:
        if isinstance(self.values, Mapping):
            return f"Precomputed({len(self.values)} pairs)"
        return f"Precomputed({len(self.values)} x {len(self.values)} numbers)"

    def __reduce__(self) -> tuple[Any, ...]:
        # Made again by the constructor, which makes the arrays read-only.
        return Precomputed, (dict(self.values) if isinstance(self.values, Mapping) else self.values,)

    def __call__(
        self,
        X: Any,
        /,
        *,
        sample_weight: ArrayLike | None = None,  # noqa: ARG002
    ) -> Matrix:
        """Return the redundancy of each pair, shape (n_features, n_features), as it was given.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), Table, or Codes
            Its features must be those that numbers were given for.
        sample_weight : ignored
        """
        table = X if isinstance(X, Codes) else as_table(X)
        n, names = table.n_features, getattr(table, "names", None)
        if not isinstance(self.values, Mapping):
            if len(self.values) != n:
                size = len(self.values)
                raise ValueError(
                    f"redundancy.Precomputed has numbers for {size} features, but the table has {n}: values must have "
                    f"shape ({n}, {n}), got ({size}, {size})."
                )
            given: Matrix = self.values
            return given
        result, seen, places = np.zeros((n, n)), np.eye(n, dtype=np.bool_), lookup(names)
        for pair, value in self.values.items():
            i, j = (position(key, n, places, "redundancy.Precomputed") for key in pair)
            if seen[i, j]:
                both = f"{label_of(i, names)} and {label_of(j, names)}"
                why = "a feature is not paired with itself" if i == j else "give each pair once"
                raise ValueError(f"redundancy.Precomputed has one number too many for {both}: {why}.")
            result[i, j] = result[j, i] = value
            seen[i, j] = seen[j, i] = True
        return result


def _pairs(values: Mapping[Any, Any]) -> Mapping[Any, float]:
    """Return a mapping of redundancies as it is kept, or say why it cannot be."""
    for key in values:
        if not isinstance(key, tuple) or len(key) != 2:
            raise ValueError(f"redundancy must be given for pairs of features, (first, second), got {key!r}.")
    numbers = frozen(list(values.values()), "redundancy", 1)
    return MappingProxyType(dict(zip(values, numbers.tolist(), strict=True)))
