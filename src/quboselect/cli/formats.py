"""How each format is read. A file, or the bytes that came through a pipe, flows in; names, then columns, flow out.

Types of CSV are guessed as polars does, from the first ten thousand samples, and from the whole file where these
mislead. It is read batch by batch and put together column by column, so that no second copy of the table is made.
"""

import csv
import gzip
import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from .failures import Failed

LOOK = 10_000  # samples whose types are looked at first
MOSTLY = 0.5  # share of numbers above which text among them is worth a note
SCANNED = 64_000_000  # bytes of a file that are looked through for short lines, a second or two
SEPARATORS = (",", ";", "\t", "|")

Tick = Callable[[float, float], object]


def start_of(source: Path | bytes, size: int) -> bytes:
    """Return the first bytes of a file, or of what came through a pipe."""
    if isinstance(source, bytes):
        return source[:size]
    with source.open("rb") as file:
        return file.read(size)


@dataclass(frozen=True)
class Text:
    """A file of lines, each of them fields with separators between: CSV or TSV, compressed by gzip or not.

    Parameters
    ----------
    source : path or bytes
    label : str
        What errors call it.
    separator : str, optional
        Guessed from the first line where it is None.
    null_values : tuple of str
        What stands for a missing value, beside an empty field.
    header : bool
        Whether the first line is names.
    notes : list of str
        What people should know is added to it.
    """

    source: Path | bytes
    label: str
    separator: str | None
    null_values: tuple[str, ...]
    header: bool
    notes: list[str]

    @cached_property
    def gzipped(self) -> bool:
        """Whether it is compressed by gzip, whatever its name."""
        return start_of(self.source, 2) == b"\x1f\x8b"

    @cached_property
    def between(self) -> str:
        """The separator: as said, or the one that the first line has."""
        if self.separator is not None:
            return self.separator
        with self._open() as file:
            line = next((line for line in file if line.strip()), "")
        counts = {each: line.count(each) for each in SEPARATORS}
        best = "," if counts[","] else max(counts, key=lambda each: counts[each])
        return best if counts[best] else ","

    def _open(self) -> Any:
        how: dict[str, Any] = {"encoding": "utf-8-sig", "errors": "replace", "newline": ""}
        if self.gzipped:
            return gzip.open(self._bytes(), "rt", **how)
        if isinstance(self.source, bytes):
            return io.TextIOWrapper(io.BytesIO(self.source), **how)
        return self.source.open(**how)

    def _bytes(self) -> Any:
        return io.BytesIO(self.source) if isinstance(self.source, bytes) else self.source

    def names(self) -> list[str]:
        """Return the names of the columns, as the first line has them."""
        start = start_of(self.source, 8192)
        if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise Failed(
                f"{self.label} is UTF-16: save it as UTF-8, or pipe it through iconv -f utf-16 -t utf-8."
            )
        if not self.gzipped and b"\0" in start:
            raise Failed(f"{self.label} is no text: a CSV, TSV, Parquet or Arrow file was expected.")
        try:
            first = pl.read_csv(
                self._bytes(),
                has_header=False,
                n_rows=1,
                infer_schema=False,
                separator=self.between,
                truncate_ragged_lines=True,
                glob=False,
            )
        except (pl.exceptions.PolarsError, OSError, EOFError) as error:
            raise self._broken(error) from error
        if not self.header:
            return _numbered(first.width)
        names = ["" if name is None else str(name) for name in first.row(0)]
        if any("\ufffd" in name for name in names):
            raise self._not_utf8()
        if pl.Series(names).cast(pl.Float64, strict=False).null_count() == 0:
            self.notes.append(
                f"the first line of {self.label} is numbers, taken as names: say --no-header if not."
            )
        return names

    def read(self, columns: list[str], text: list[str], tick: Tick) -> pl.DataFrame:
        """Return some columns, those named in ``text`` as text whatever they look like.

        A late text in a column of numbers makes the whole file be looked at for the types.
        """
        try:
            try:
                frame = self._read(columns, text, LOOK, tick)
            except pl.exceptions.ComputeError as error:
                if "could not parse" not in str(error):
                    raise
                frame = self._read(columns, text, None, tick)
        except (pl.exceptions.PolarsError, OSError, EOFError) as error:
            raise self._broken(error) from error
        self._check_ends(frame, columns)
        self._note_text(frame, text)
        return _without_empty_lines(frame, self.notes)

    def _read(self, columns: list[str], text: list[str], look: int | None, tick: Tick) -> pl.DataFrame:
        lazy = pl.scan_csv(
            self._bytes(),
            has_header=self.header,
            separator=self.between,
            null_values=list(self.null_values) or None,
            # Names of ours are unknown to polars while it reads: then text is cast to afterwards.
            schema_overrides=dict.fromkeys(text, pl.String) if self.header else None,
            with_column_names=None if self.header else lambda names: _numbered(len(names)),
            infer_schema_length=look,
            glob=False,
        ).select(columns)
        if not hasattr(lazy, "collect_batches"):
            return contiguous([lazy.collect()])
        parts, rows, expected = [], 0, self._expected()
        for part in lazy.collect_batches(maintain_order=True):
            parts.append(part)
            rows += part.height
            tick(rows, max(expected, rows))
        return contiguous(parts or [lazy.collect()])

    def _expected(self) -> float:
        """Return about how many samples there are, judging by the first megabyte; 0 where nobody can tell."""
        if self.gzipped:
            return 0.0
        start = start_of(self.source, 1_000_000)
        size = len(self.source) if isinstance(self.source, bytes) else self.source.stat().st_size
        return size * start.count(b"\n") / max(len(start), 1)

    def _check_ends(self, frame: pl.DataFrame, columns: list[str]) -> None:
        """Refuse lines that end early, which polars fills up: a file that was cut off, most of the time."""
        if frame.height and frame[columns[-1]].null_count() and (line := self._ragged()) is not None:
            raise Failed(line)

    def _ragged(self) -> str | None:
        """Return in words which line has too many fields or too few, None where no such line was found."""
        with self._open() as file:
            expected = read = 0
            lines = csv.reader(file, delimiter=self.between)
            try:
                for fields in lines:
                    expected = expected or len(fields)
                    if fields and len(fields) != expected:
                        few = "few" if len(fields) < expected else "many"
                        return (
                            f"line {lines.line_num} of {self.label} has too {few} fields, {len(fields)} instead of "
                            f"{expected}: mend it, or say --separator if {self.between!r} is not the one."
                        )
                    read += sum(map(len, fields))
                    if read > SCANNED:
                        break
            except csv.Error:
                return None
        return None

    def _note_text(self, frame: pl.DataFrame, text: list[str]) -> None:
        """Note columns of numbers that some text has made categories."""
        for name in frame.columns:
            x = frame[name]
            known = len(x) - x.null_count()
            if x.dtype != pl.String or name in text or not known:
                continue
            no_number = x.str.strip_chars().cast(pl.Float64, strict=False).is_null() & x.is_not_null()
            if known - int(no_number.sum()) > MOSTLY * known:
                example = x.filter(no_number)[0]
                self.notes.append(
                    f"{name!r} is mostly numbers but holds text such as {example!r}, and is taken as categories: "
                    f"--null-value {example} or --type {name}=number makes that missing."
                )

    def _broken(self, error: Exception) -> Failed:
        words = str(error)
        if "utf-8" in words.lower() or "utf8" in words.lower():
            return self._not_utf8()
        if "more fields" in words and (line := self._ragged()) is not None:
            return Failed(line)
        if isinstance(error, pl.exceptions.NoDataError):
            return Failed(f"{self.label} is empty: a table with a line of names was expected.")
        if "could not parse" in words and '`"' in words:
            return Failed(f'{self.label} has a quotation mark that is never closed: look for a lone ".')
        reason = next(iter(words.splitlines()), type(error).__name__).rstrip(".")
        return Failed(f"{self.label} cannot be read as a table of text: {reason}.")

    def _not_utf8(self) -> Failed:
        return Failed(
            f"{self.label} is not UTF-8: save it as that, or pipe it through iconv -f latin1 -t utf-8 and read -."
        )


def _numbered(width: int) -> list[str]:
    """Return names for columns that have none; polars counts them from 0 or from 1, depending on its version."""
    return [f"column_{i}" for i in range(1, width + 1)]


def _without_empty_lines(frame: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Return a table without samples of which nothing is known, as empty lines make them."""
    if frame.width < 2 or not frame.height or not all(x.null_count() for x in frame.get_columns()):
        return frame
    empty = frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
    if count := int(empty.sum()):
        notes.append(f"{count} empty line{'s' if count > 1 else ''} left out.")
        # The usual one stands at the end, and cutting that off copies nothing.
        frame = frame.head(-1) if count == 1 and empty[-1] else frame.filter(~empty)
    return frame


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

    def names(self) -> list[str]:
        """Return the names of the columns."""
        try:
            return self._scan().collect_schema().names()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise self._broken(error) from error

    def read(self, columns: list[str], text: list[str], tick: Any) -> pl.DataFrame:  # noqa: ARG002
        """Return some columns; ``text`` is cast later, and nobody knows how far it is."""
        try:
            return contiguous([self._scan().select(columns).collect()])
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
