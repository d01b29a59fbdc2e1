"""Any frame becomes a Table and a Target."""

from .parts import date_parts

__all__ = ["date_parts"]
