"""What it takes to make a report again. A fitted selector flows in; Python that makes it flows out, and its unit."""

import ast
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from ..importance import Entropy
from ..importance import MutualInformation as ImportanceInformation
from ..redundancy import ConditionalMutualInformation
from ..redundancy import MutualInformation as RedundancyInformation

IN_BITS = (ImportanceInformation, RedundancyInformation, Entropy, ConditionalMutualInformation)
PLUGINS = ("importance", "redundancy", "solvers")


def unit_of(*measures: Any) -> str | None:
    """Return ``"bits"`` where all measures are in bits, else None.

    Examples
    --------
    >>> unit_of(ImportanceInformation()), unit_of(ImportanceInformation(normalised=True))
    ('bits', None)
    """
    bits = all(
        isinstance(measure, IN_BITS) and not getattr(measure, "normalised", False) for measure in measures
    )
    return "bits" if bits else None


def code(selector: Any) -> str:
    """Return the Python that makes a selector and its report again, given the table.

    It has k, or alpha in its place, and every parameter that is not what it is by default. What cannot be written as
    Python, as a matrix that was given, is three dots and a comment.
    """
    fresh = clone(selector)
    plain = type(selector)().get_params(deep=False)
    imports, arguments, left = {"from quboselect import SelectQUBO"}, {}, []
    for name, value in fresh.get_params(deep=False).items():
        shown = said(value)
        if shown == said(plain[name]) and (name != "k" or fresh.alpha is not None):
            continue
        home = getattr(value, "__module__", None) or type(value).__module__
        parts = home.split(".")
        word = getattr(value, "__name__", None) if isinstance(value, Callable) else None  # type: ignore[arg-type]
        if word is not None and word.isidentifier():
            imports.add(f"from {home} import {word}")
            shown = word
        elif not is_python(shown):
            left.append(f"# {name} was {' '.join(shown.split())}")
            shown = f"{type(value).__name__}(...)" if parts[1:2] and parts[1] in PLUGINS else "..."
        if parts[0] == "quboselect" and len(parts) > 1 and word is None and parts[1] in PLUGINS:
            imports.add(f"from quboselect import {parts[1]}")
            shown = f"{parts[1]}.{shown}" if shown != "..." else shown
        arguments[name] = f"{name}={shown}"
    ordered = [arguments[name] for name in sorted(arguments, key=lambda name: name != "k")]
    lines = [*sorted(imports), "", *left, f"selector = SelectQUBO({', '.join(ordered)}).fit(X, y)"]
    return "\n".join([*lines, 'selector.report("report.html")'])


def is_python(text: str) -> bool:
    """Return whether a text is an expression, and so may be what made the object that it is of.

    Examples
    --------
    >>> is_python("Tabu(seed=0)"), is_python("Precomputed(4 numbers)")
    (True, False)
    """
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def said(value: Any) -> str:
    """Return a parameter as Python; an array as a list, since its own text needs an import and may be cut.

    Examples
    --------
    >>> said(np.array([0.5, 2.0])), said("auto")
    ('[0.5, 2.0]', "'auto'")
    """
    return repr(value.tolist() if isinstance(value, np.ndarray) else value)
