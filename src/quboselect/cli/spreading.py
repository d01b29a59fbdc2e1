"""Groups of options become options: a function of dataclasses flows in, one of all their fields flows out."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


def spread(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose parameters are the fields of the groups of options that the given one takes."""
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        kind = hints[name]
        if isinstance(kind, type) and is_dataclass(kind):
            groups[name] = kind
            annotations = get_type_hints(kind, include_extras=True)
            for field in fields(kind):
                default = inspect.Parameter.empty if field.default is MISSING else field.default
                parameters.append(_parameter(field.name, default, annotations[field.name]))
        else:
            parameters.append(_parameter(name, parameter.default, hints[name]))

    @wraps(function)
    def command(**given: Any) -> Any:
        made = {
            name: kind(**{field.name: given.pop(field.name) for field in fields(kind)})
            for name, kind in groups.items()
        }
        return function(**made, **given)

    del command.__wrapped__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


def _parameter(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
