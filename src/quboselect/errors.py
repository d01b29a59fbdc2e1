"""The exceptions and warnings. Nothing flows in; every other module may raise what stands here.

::

    Exception
    ├── AssertionError
    │   └── Refuted             a certificate does not prove what it is said to prove
    ├── ImportError
    │   └── MissingExtra        an optional library is not installed
    ├── OSError
    │   └── DatasetUnavailable  a data set is neither on this machine nor within reach
    └── UserWarning
        └── OffPathWarning      no alpha makes a subset of the wanted size optimal

Wrong arguments are plain ``ValueError`` and ``TypeError``: what was expected, what came, what to do.
"""

from importlib import import_module
from typing import Any


class MissingExtra(ImportError):
    """An optional library is not installed; the message says how to install it."""


def optional(module: str, extra: str, user: str) -> Any:
    """Return an optional module, or say who needs it and which extra brings it.

    Examples
    --------
    >>> optional("nonsense", "plot", "a plot")
    Traceback (most recent call last):
    quboselect.errors.MissingExtra: a plot needs nonsense, which is not installed: pip install "quboselect[plot]".
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        raise MissingExtra(
            f'{user} needs {module}, which is not installed: pip install "quboselect[{extra}]".'
        ) from error


class DatasetUnavailable(OSError):
    """A data set is neither on this machine nor within reach."""


class Refuted(AssertionError):
    """A certificate does not prove what it is said to prove."""


class OffPathWarning(UserWarning):
    """No alpha makes a subset of the wanted size optimal; the best subset of that size was returned."""
