"""The exceptions and warnings, and the checks that several modules share.

::

    Exception
    ├── AssertionError
    │   └── Refuted             a certificate does not prove what it is said to prove
    ├── ImportError
    │   └── MissingExtra        an optional library is not installed
    └── UserWarning
        ├── FewSamplesWarning   the samples do not fill the cells that were asked for
        └── OffPathWarning      no alpha makes a subset of the wanted size optimal

Wrong arguments are plain ``ValueError`` and ``TypeError``: what was expected, what came, what to do.
"""

import sys
import warnings
from importlib import import_module
from math import inf
from numbers import Integral, Real
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


class Refuted(AssertionError):
    """A certificate does not prove what it is said to prove."""


class FewSamplesWarning(UserWarning):
    """There are fewer samples than cells in a pair of features: what is counted there is mostly chance."""


class OffPathWarning(UserWarning):
    """No alpha makes a subset of the wanted size optimal; the best subset of that size was returned."""


def check_integer(value: Any, name: str, least: int, most: int | None = None) -> int:
    """Return an integer, or raise unless it is one from ``least`` to ``most``.

    Examples
    --------
    >>> check_integer(2.5, "k", 0, 9)
    Traceback (most recent call last):
    ValueError: k must be an integer from 0 to 9, got 2.5.
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        span = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be an integer {span}, got {value!r}.")
    return int(value)


def check_number(value: Any, name: str, most: float = inf, *, auto: bool = False) -> None:
    """Raise unless a value is a finite number that is not negative, and at most ``most``; or "auto" where allowed.

    Examples
    --------
    >>> check_number(1.5, "together", 1.0)
    Traceback (most recent call last):
    ValueError: together must be a number from 0 to 1, got 1.5.
    """
    if auto and isinstance(value, str) and value == "auto":
        return
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not 0.0 <= float(value) <= most or value == inf:
        what = "a finite number that is not negative" if most == inf else f"a number from 0 to {most:g}"
        other = ", or 'auto'" if auto else ""
        raise ValueError(f"{name} must be {what}{other}, got {value!r}.")


def check_fields(value: object, *, none: bool = False, **least: int) -> None:
    """Raise unless the named fields of a value are integers of at least what is given, or None where allowed."""
    for name, lowest in least.items():
        if not (none and getattr(value, name) is None):
            check_integer(getattr(value, name), name, lowest)


def user_level() -> int:
    """Return the ``stacklevel`` of a warning that points at the first caller outside of this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "quboselect":
        level, frame = level + 1, frame.f_back
    return level


def warn_of_result(selector: Any, result: Any) -> None:
    """Warn where a fit could not do just what was asked for."""
    k, n = selector.k, result.tradeoff.size
    if isinstance(k, Integral) and k > n:
        left = "" if result.support.all() else ", but for excluded ones"
        warnings.warn(
            f"k={k} is greater than n_features={n}. All the features will be returned{left}.",
            UserWarning,
            stacklevel=user_level(),
        )
    units = "groups" if result.constraints.grouped else "features"
    if result.chance is not None and isinstance(k, Integral) and result.k < min(k, n):
        warnings.warn(
            f"k={k} {units} were asked for, but {result.k} pass at a rate of false discoveries of "
            f"{result.chance.rate:g}, included ones counted: all of these were selected.",
            UserWarning,
            stacklevel=user_level(),
        )
    if result.passes is not None:
        before, after = result.passes
        warnings.warn(
            f"k={result.k} is off the path: at alpha {result.alpha:.6g} it passes from {before} to {after} {units}. "
            f"The best subset of exactly {result.k} {units} {'' if result.proven else 'found '}at that alpha was "
            "selected.",
            OffPathWarning,
            stacklevel=user_level(),
        )
    facts, x = result.facts, result.solutions.x[0]
    if facts is None or (facts.n_classes != 1 and not (facts.categorical & x).any()):
        return
    for note in result.warnings:
        if note.kind == "one class" or (note.kind == "identifier" and x[list(note.features)].any()):
            warnings.warn(note.text, UserWarning, stacklevel=user_level())
