"""How text is read: CSV and TSV. A file, or the bytes that a pipe brought, flows in; names, then columns, flow out.

Types are guessed as polars does, from the first ten thousand samples, and from the whole file where these mislead. It
is read batch by batch and put together column by column, so that no second copy of the table is made.
"""

import csv
import gzip
import io
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from .failures import Failed, cut
from .formats import Tick, contiguous, numbered, start_of, with_names
from .looking import number_of, separator_of, with_bare_numbers, with_decimal_commas, without_null_values

LOOK = 10_000  # samples whose types are looked at first
LINES = 1_000_000  # bytes in which the first line is looked for first
START = 65_536  # characters that are looked at for the separator
SCANNED = 64_000_000  # bytes of a file that are looked through for short lines, a second or two


@dataclass(frozen=True)
class Text:
    """A file of lines, each of them fields with separators between: CSV or TSV, compressed by gzip or not.

    Parameters
    ----------
    source : path or bytes
    label : str
        What errors call it.
    separator : str, optional
        Guessed from the first lines where it is None.
    null_values : tuple of str
        What stands for a missing value, beside an empty field.
    header : bool
        Whether the first line is names.
    notes : list of str
        What people should know is added to it.
    target : str, optional
        Of which other things are advised than of features.
    """

    source: Path | bytes
    label: str
    separator: str | None
    null_values: tuple[str, ...]
    header: bool
    notes: list[str]
    target: str | None = None

    @cached_property
    def gzipped(self) -> bool:
        """Whether it is compressed by gzip, whatever its name."""
        return start_of(self.source, 2) == b"\x1f\x8b"

    @cached_property
    def between(self) -> str:
        """The separator: as said, or the one that the first lines have."""
        if self.separator is not None:
            return self.separator
        start = self._start
        # A line that is cut off says nothing.
        return separator_of(start if len(start) < START else start.rpartition("\n")[0] or start)

    @cached_property
    def _start(self) -> str:
        with self._open() as file:
            return str(file.read(START))

    @property
    def decimal_comma(self) -> bool:
        """Whether a comma may stand within a number, as it stands between no fields."""
        return self.between != ","

    def _open(self) -> Any:
        how: dict[str, Any] = {"encoding": "utf-8-sig", "errors": "replace", "newline": ""}
        if self.gzipped:
            return gzip.open(self._bytes(), "rt", **how)
        if isinstance(self.source, bytes):
            return io.TextIOWrapper(io.BytesIO(self.source), **how)
        return self.source.open(**how)

    def _bytes(self) -> Any:
        return io.BytesIO(self.source) if isinstance(self.source, bytes) else self.source

    def _beginning(self) -> Any:
        """Return some lines of a long file: polars would hold far more of it for the first one."""
        start = start_of(self.source, LINES)
        lines, end, _ = start.rpartition(b"\n")
        return self._bytes() if self.gzipped or not end or len(start) < LINES else io.BytesIO(lines + end)

    def names(self) -> list[str]:
        """Return the names of the columns, as the first line has them, or those we give."""
        return self._names[0]

    @property
    def unnamed(self) -> list[str]:
        """What we call the columns whose name the first line leaves out."""
        return self._names[1]

    @cached_property
    def _names(self) -> tuple[list[str], list[str]]:
        start = start_of(self.source, 8192)
        if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise Failed(
                f"{self.label} is UTF-16: save it as UTF-8, or pipe it through iconv -f utf-16 -t utf-8."
            )
        if not self.gzipped and b"\0" in start:
            raise Failed(f"{self.label} is no text: a CSV, TSV, Parquet or Arrow file was expected.")
        if not self.gzipped and b"\r" in start and b"\n" not in start:
            raise Failed(
                f"{self.label} ends its lines by carriage returns alone: pipe it through tr '\\r' '\\n' and read -."
            )
        try:
            if not self._start.strip():
                raise self._empty()
            first = pl.read_csv(
                self._beginning(),
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
            return numbered(first.width), []
        names = ["" if name is None else str(name) for name in first.row(0)]
        if any("\ufffd" in name for name in names):
            raise self._not_utf8()
        if not number_of(pl.Series(names), decimal_comma=self.decimal_comma).null_count():
            self.notes.append(
                f"the first line of {self.label} is numbers, taken as names: say --no-header if not."
            )
        return with_names(names)

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
        frame = without_null_values(frame, self.null_values)
        if self.decimal_comma:
            frame = with_decimal_commas(frame, text, self.notes)
        frame = with_bare_numbers(frame, text, self.target, self.notes, decimal_comma=self.decimal_comma)
        return _without_empty_lines(frame, self.notes)

    def _read(self, columns: list[str], text: list[str], look: int | None, tick: Tick) -> pl.DataFrame:
        lazy = pl.scan_csv(
            self._bytes(),
            has_header=self.header,
            separator=self.between,
            null_values=list(self.null_values) or None,
            schema_overrides=dict.fromkeys(text, pl.String) or None,
            # polars leaves doubled quotation marks in names as they are.
            with_column_names=lambda _: self.names(),
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

    def _broken(self, error: Exception) -> Failed:
        words = str(error)
        if "utf-8" in words.lower() or "utf8" in words.lower():
            return self._not_utf8()
        if "more fields" in words and (line := self._ragged()) is not None:
            return Failed(line)
        if isinstance(error, pl.exceptions.NoDataError):
            return self._empty()
        if "could not parse" in words and '`"' in words:
            return Failed(f'{self.label} has a quotation mark that is never closed: look for a lone ".')
        reason = next(iter(words.splitlines()), type(error).__name__).rstrip(".")
        return Failed(f"{self.label} cannot be read as a table of text: {cut(reason, 200)}.")

    def _empty(self) -> Failed:
        return Failed(f"{self.label} is empty: a table with a line of names was expected.")

    def _not_utf8(self) -> Failed:
        return Failed(
            f"{self.label} is not UTF-8: save it as that, or pipe it through iconv -f latin1 -t utf-8 and read -."
        )


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
