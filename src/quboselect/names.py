"""What people call features: names and numbers flow in, positions flow out, or an error that says what is wrong."""

from collections.abc import Sequence
from difflib import get_close_matches
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray


def label_of(i: int, names: Sequence[str] | None) -> str:
    """Return what an error calls a feature.

    Examples
    --------
    >>> label_of(1, ["age", "city"]), label_of(1, None)
    ("feature 'city'", 'feature 1')
    """
    return f"feature {i}" if names is None else f"feature {names[i]!r}"


def positions(keys: Any, n: int, names: Sequence[str] | None, name: str) -> NDArray[np.intp]:
    """Return the positions of features given by name, by number, or by a bool array.

    Parameters
    ----------
    keys : str, int, sequence of them, or bool array of shape (n,)
    n : int
        How many features there are.
    names : sequence of str, optional
        Their names.
    name : str
        What the argument is called, for errors.

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
                f"{name} as true and false must be {n} of them, one for each feature, got {len(keys)}."
            )
        return np.flatnonzero(keys)
    return np.array([position(key, n, names, name) for key in keys], np.intp)


def position(key: Any, n: int, names: Sequence[str] | None, name: str) -> int:
    """Return the position of one feature."""
    if isinstance(key, str):
        if names is None:
            raise ValueError(
                f"{name} names {key!r}, but the table has no names: use numbers from 0 to {n - 1}."
            )
        if key in names:
            return list(names).index(key)
        near = get_close_matches(key, names, 3)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"the first is {names[0]!r}."
        raise ValueError(f"{name} must name features of the table, got {key!r}: {hint}")
    if isinstance(key, bool | np.bool_) or not isinstance(key, Integral):
        raise TypeError(f"{name} must be names or numbers of features, got {key!r}.")
    number = int(key)
    if not -n <= number < n:
        raise ValueError(f"{name} must number features from 0 to {n - 1} (there are {n}), got {key}.")
    return number % n
