"""Any frame becomes a Table and a Target."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .parts import date_parts

__all__ = ["date_parts"]


def __getattr__(name: str) -> Any:
    # The command names the parts of dates before it reads a table, and loads nothing heavy for it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .parts import date_parts

    return date_parts
