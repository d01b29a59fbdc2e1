"""The parameters that solvers share: a value flows in, and an error in words comes out if it is none."""

import numpy as np


def check_k(k: int | None, size: int) -> int:
    """Return the number of ones a solver must keep to, -1 for any, or raise if no bit vector has it.

    Examples
    --------
    >>> check_k(None, 3), check_k(2, 3)
    (-1, 2)
    """
    if k is None:
        return -1
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or not 0 <= k <= size:
        raise ValueError(f"k must be an integer from 0 to {size} (the QUBO has {size} bits), got {k!r}.")
    return int(k)


def check_fields(solver: object, *, none: bool = False, **least: int) -> None:
    """Raise unless the named fields are integers of at least what is given (or None, where allowed)."""
    for name, lowest in least.items():
        value = getattr(solver, name)
        if none and value is None:
            continue
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < lowest:
            raise ValueError(f"{name} must be an integer of at least {lowest}, got {value!r}.")
