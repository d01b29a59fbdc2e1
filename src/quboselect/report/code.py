"""What a report takes from a selector: the Python that makes it again, and the unit of its measures."""

import ast
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..criteria.criterion import base_criterion
from ..importance import Entropy
from ..importance import MutualInformation as ImportanceInformation
from ..redundancy import CoInformation
from ..redundancy import MutualInformation as RedundancyInformation

IN_BITS = (ImportanceInformation, RedundancyInformation, Entropy, CoInformation)
PLUGINS = ("criteria", "importance", "quantum", "redundancy", "search", "solvers")


def unit_of(*measures: Any) -> str:
    """Return ``"bits"`` where all measures are in bits, else an empty text.

    Examples
    --------
    >>> unit_of(ImportanceInformation()), unit_of(ImportanceInformation(normalised=True))
    ('bits', '')
    """
    bits = all(
        isinstance(measure, IN_BITS) and not getattr(measure, "normalised", False) for measure in measures
    )
    return "bits" if bits else ""


def code_of(selector: Any) -> str:
    """Return the Python that makes a selector and its report again, given the table.

    It has k, and every parameter that differs from its default: alpha, where one was given, stands beside k. What
    cannot be written as Python, such as a matrix that was given, is three dots and a comment.
    """
    fresh = clone(selector)
    defaults = type(selector)().get_params(deep=False)
    imports, arguments, comments = {"from quboselect import SelectQUBO"}, {}, []
    for name, value in fresh.get_params(deep=False).items():
        text = parameter_text(value)
        if text == parameter_text(defaults[name]) and name != "k":
            continue
        home = getattr(value, "__module__", None) or type(value).__module__
        parts = home.split(".")
        word = getattr(value, "__name__", None) if isinstance(value, Callable) else None  # type: ignore[arg-type]
        if word is not None and word.isidentifier():
            imports.add(f"from {home} import {word}")
            text = word
        elif not is_expression(text):
            comments.append(f"# {name} was {' '.join(text.split())}")
            text = f"{type(value).__name__}(...)" if parts[1:2] and parts[1] in PLUGINS else "..."
        if parts[0] == "quboselect" and len(parts) > 1 and word is None and parts[1] in PLUGINS:
            imports.add(f"from quboselect import {parts[1]}")
            text = f"{parts[1]}.{text}" if text != "..." else text
        arguments[name] = f"{name}={text}"
    ordered = [arguments[name] for name in sorted(arguments, key=lambda name: name != "k")]
    lines = [*sorted(imports), "", *comments, f"selector = SelectQUBO({', '.join(ordered)}).fit(X, y)"]
    return "\n".join([*lines, 'selector.report("report.html")'])


def meant_settings(settings: Mapping[str, object]) -> dict[str, object]:
    """Return the parameters of a selector with the criterion that is meant where none was given, and its measures.

    Examples
    --------
    >>> meant_settings({"criterion": None, "importance": None, "redundancy": None})["criterion"]
    Pairs()
    """
    meant = dict(settings)
    if "criterion" in settings:
        measures = {name: settings.get(name) for name in ("importance", "redundancy")}
        # With measures of one's own, the criterion's part is its alpha.
        base = base_criterion(settings["criterion"], **measures)
        own = {name: getattr(base, name) if given is None else given for name, given in measures.items()}
        meant |= {"criterion": base, **own}
    return meant


def is_expression(text: str) -> bool:
    """Return whether a text is a Python expression.

    Examples
    --------
    >>> is_expression("Tabu(seed=0)"), is_expression("Precomputed(4 numbers)")
    (True, False)
    """
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def parameter_text(value: Any) -> str:
    """Return a parameter as Python; NumPy's values as plain ones, whose text needs no import and is not cut.

    Examples
    --------
    >>> parameter_text(np.array([0.5, 2.0])), parameter_text({"a": np.int64(3)}), parameter_text("auto")
    ('[0.5, 2.0]', "{'a': 3}", "'auto'")
    """
    return short_text(value) if is_plugin(value) else repr(plain_value(value))


def is_plugin(value: Any) -> bool:
    """Return whether a value is one of this library's, of which only what differs from the defaults is written."""
    return type(value).__module__.startswith("quboselect.") and is_dataclass(value)


def short_text(value: Any) -> str:
    """Return a value of this library as Python, without what is as by default.

    Examples
    --------
    >>> short_text(RedundancyInformation(bins=5)), short_text(Entropy())
    ('MutualInformation(bins=5)', 'Entropy()')
    """
    # The text that dataclasses make is wrapped; one of the class's own says what it wants to say.
    if not hasattr(type(value).__repr__, "__wrapped__"):
        return repr(value)
    parts = []
    for each in fields(value):
        now = getattr(value, each.name)
        if each.repr and repr(now) != repr(each.default):
            parts.append(f"{each.name}={parameter_text(now)}")
    return f"{type(value).__name__}({', '.join(parts)})"


def plain_value(value: Any) -> Any:
    """Return a value with everything of NumPy, pandas or polars in it as plain numbers, texts and lists."""
    if isinstance(value, Mapping):
        return {plain_value(key): plain_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set):
        return type(value)(plain_value(each) for each in value)
    is_plain = isinstance(value, str | bytes | int | float) and not isinstance(value, np.generic)
    return value if is_plain or not hasattr(value, "tolist") else value.tolist()
