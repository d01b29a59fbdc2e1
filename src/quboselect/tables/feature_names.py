"""Look-up of features by name or by number, and how errors name them."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray


def label_of(i: int, names: Sequence[str] | None) -> str:
    """Return how an error names a feature.

    Examples
    --------
    >>> label_of(1, ["age", "city"]), label_of(1, None)
    ("feature 'city'", 'feature 1')
    """
    return f"feature {i}" if names is None else f"feature {names[i]!r}"


def lookup(names: Sequence[str] | Mapping[str, int] | None) -> Mapping[str, int] | None:
    """Return a dictionary from names to positions; a name that occurs twice has its first. A dictionary stays as it is.

    Make it once to look up many features: searching all names for each would take quadratic time.

    Examples
    --------
    >>> lookup(["age", "city"])
    {'age': 0, 'city': 1}
    """
    if names is None or isinstance(names, Mapping):
        return names
    places: dict[str, int] = {}
    for i, name in enumerate(names):
        places.setdefault(name, i)
    return places


def positions(
    keys: Any, n: int, names: Sequence[str] | Mapping[str, int] | None, name: str
) -> NDArray[np.intp]:
    """Return the positions of features given by name, by number, or by a bool array.

    Parameters
    ----------
    keys : str, int, sequence of them, or bool array of shape (n,)
    n : int
        The number of features.
    names : sequence of str, or `lookup` of them, optional
        Their names.
    name : str
        The name of the argument, for errors.

    Examples
    --------
    >>> positions(["city", 0], 3, ["age", "city", "pay"], "include").tolist()
    [1, 0]
    """
    if isinstance(keys, str | Integral) and not isinstance(keys, bool):
        keys = [keys]
    try:
        keys = list(keys)
    except TypeError as error:
        raise TypeError(f"{name} must be names or numbers of features, got {keys!r}.") from error
    if keys and all(isinstance(key, bool | np.bool_) for key in keys):
        if len(keys) != n:
            raise ValueError(
                f"{name} as a bool array must have {n} entries, one for each feature, got {len(keys)}."
            )
        return np.flatnonzero(keys)
    places = lookup(names)
    return np.array([position(key, n, places, name) for key in keys], np.intp)


def position(key: Any, n: int, places: Mapping[str, int] | None, name: str) -> int:
    """Return the position of one feature; ``places`` is the `lookup` of the names."""
    if isinstance(key, str):
        if places is None:
            raise ValueError(
                f"{name} names {key!r}, but the table has no names: use numbers from 0 to {n - 1}."
            )
        if key in places:
            return places[key]
        near = get_close_matches(key, places, 3)
        hint = (
            f"did you mean {' or '.join(map(repr, near))}?"
            if near
            else f"the first is {next(iter(places))!r}."
        )
        raise ValueError(f"{name} must name features of the table, got {key!r}: {hint}")
    if isinstance(key, bool | np.bool_) or not isinstance(key, Integral):
        raise TypeError(f"{name} must be names or numbers of features, got {key!r}.")
    number = int(key)
    if not -n <= number < n:
        raise ValueError(f"{name} must number features from 0 to {n - 1} (there are {n}), got {key}.")
    return number % n
