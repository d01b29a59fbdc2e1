"""What formats have in common, and those that say their types. A file, or the bytes that came through a pipe, flows in;
names, then columns, flow out. How text is read stands in `texts`.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from .failures import Failed

Tick = Callable[[float, float], object]


def start_of(source: Path | bytes, size: int) -> bytes:
    """Return the first bytes of a file, or of what came through a pipe."""
    if isinstance(source, bytes):
        return source[:size]
    with source.open("rb") as file:
        return file.read(size)


def numbered(width: int) -> list[str]:
    """Return names for columns that have none; polars counts them from 0 or from 1, depending on its version."""
    return [f"column_{i}" for i in range(1, width + 1)]


def with_names(names: list[str]) -> tuple[list[str], list[str]]:
    """Return names of which none is empty, and those that were made up: where the column stands, from 1.

    Examples
    --------
    >>> with_names(["", "a", "column_1"])
    (['column_1_', 'a', 'column_1'], ['column_1_'])
    """
    there, named, made = set(names), [], []
    for name, number in zip(names, numbered(len(names)), strict=True):
        if not name:
            while number in there:
                number += "_"
            made.append(number)
        named.append(name or number)
    return named, made


@dataclass(frozen=True)
class Binary:
    """A Parquet or Arrow file, whose types are written in it."""

    source: Path | bytes
    label: str
    form: str

    def _scan(self) -> pl.LazyFrame:
        source: Any = io.BytesIO(self.source) if isinstance(self.source, bytes) else self.source
        if self.form == "parquet":
            return pl.scan_parquet(source, glob=False)
        if start_of(self.source, 6) == b"ARROW1":
            return pl.scan_ipc(source)
        return pl.read_ipc_stream(source).lazy()

    decimal_comma = False

    def names(self) -> list[str]:
        """Return the names of the columns, or those we give."""
        return self._names[0]

    @property
    def unnamed(self) -> list[str]:
        """What we call the columns without a name."""
        return self._names[1]

    @cached_property
    def _names(self) -> tuple[list[str], list[str]]:
        try:
            return with_names(self._scan().collect_schema().names())
        except (pl.exceptions.PolarsError, OSError) as error:
            raise self._broken(error) from error

    def read(self, columns: list[str], text: list[str], tick: Any) -> pl.DataFrame:  # noqa: ARG002
        """Return some columns; ``text`` is cast later, and nobody knows how far it is."""
        try:
            there = self._scan().collect_schema().names()
            renamed = {old: new for old, new in zip(there, self.names(), strict=True) if old != new}
            return contiguous([self._scan().rename(renamed).select(columns).collect()])
        except (pl.exceptions.PolarsError, OSError) as error:
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> Failed:
        reason = str(error).splitlines()[0].rstrip(".")
        return Failed(
            f"{self.label} is not a sound {self.form.capitalize()} file ({reason}): write it again."
        )


def contiguous(parts: list[pl.DataFrame]) -> pl.DataFrame:
    """Return a table whose columns lie in one piece each, made one after the other: what was read is freed on the way.

    ``parts`` is emptied, so that nothing else holds on to it.
    """
    frame = pl.concat(parts, rechunk=False) if len(parts) != 1 else parts[0]
    parts.clear()
    columns = frame.get_columns()
    del frame
    for i, column in enumerate(columns):
        columns[i] = column.rechunk()
        del column
    return pl.DataFrame(columns)
