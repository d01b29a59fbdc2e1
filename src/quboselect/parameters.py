"""Parameters of parameters. Names such as ``redundancy__bins`` flow in, an estimator with other measures flows out.

Measures and solvers are frozen, so that nothing changes under a fit: scikit-learn cannot set a part of one. This puts a
copy with that part in its place, and a grid can search over bins or effort.
"""

from dataclasses import fields, is_dataclass, replace
from typing import Any, Self

from sklearn.base import BaseEstimator


class NestedParameters(BaseEstimator):  # type: ignore[misc]
    """scikit-learn's estimator, whose parameters may be frozen dataclasses with parameters of their own."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool
            Whether those of measures and solvers are among them, as ``redundancy__bins``.
        """
        params: dict[str, Any] = super().get_params(deep=deep)
        if deep:
            for name, value in list(params.items()):
                if _is_value(value):
                    params |= {f"{name}__{part}": getattr(value, part) for part in _parts(value)}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, or none of them where one is refused.

        Parameters
        ----------
        **params : by name
            ``redundancy__bins=10`` sets a part of a measure or solver: a copy with that part takes its place.
        """
        own = self.get_params(deep=False)
        whole: dict[str, Any] = {}
        parts: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            owner, _, part = name.partition("__")
            if owner not in own:
                super().set_params(**{name: value})  # raises, and says which there are
            held = params.get(owner, own[owner])
            if not part or not _is_value(held):
                whole[name] = value
            elif part in _parts(held):
                parts.setdefault(owner, {})[part] = value
            else:
                raise ValueError(
                    f"Invalid parameter {part!r} for {owner}={held!r}. Valid parameters are: {', '.join(_parts(held))}."
                )
        for owner, changed in parts.items():
            whole[owner] = replace(params.get(owner, own[owner]), **changed)
        super().set_params(**whole)
        return self


def _is_value(held: Any) -> bool:
    return is_dataclass(held) and not isinstance(held, type)


def _parts(value: Any) -> list[str]:
    return [field.name for field in fields(value) if field.init]
