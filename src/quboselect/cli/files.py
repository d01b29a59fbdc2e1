"""The files that the command reads: where they are, which format they have, and how polars reads them.

What polars leaves open is decided here: the separator of a CSV, names of columns that have none, numbers with spaces
beside them or decimal commas, and lines that end early.
"""

import csv
import gzip
import io
import re
import shlex
import sys
from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

import polars as pl

from .messages import Failed, Wrong, hint, shortened
from .options import Reading
from .writing import SUFFIXES, suffix_of

MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
GZIP = b"\x1f\x8b"
BROKEN = (pl.exceptions.PolarsError, OSError, EOFError, UnicodeDecodeError, csv.Error)
START = 65_536  # characters in which names and separator are looked for
LOOK = 10_000  # samples from which types are guessed first
SCANNED = 10_000_000  # fields that are searched for a line with too few or too many
MOSTLY = 0.5  # share of numbers above which text among them is worth a note
QUOTED = re.compile(r'"(?:[^"]|"")*"')
DECIMAL_COMMA = r"^([+-]?\d+),(\d+(?:[eE][+-]?\d+)?)$"


def source_of(typed: str, what: str) -> tuple[Path | bytes, str]:
    """Return what to read, a file or the bytes of a pipe, and what to call it in messages."""
    path = Path(typed)
    if typed == "-":
        if sys.stdin is None or sys.stdin.isatty():
            state = "closed" if sys.stdin is None else "a terminal"
            raise Wrong(f"standard input is {state}: pipe a {what} into it, or name a file instead of -.")
        source, typed = sys.stdin.buffer.read(), "standard input"
    elif not path.exists():
        similar = hint(str(path), map(str, path.parent.iterdir()) if path.parent.is_dir() else ())
        advice = similar if similar.startswith("did") else "check its name and its folder."
        raise Wrong(f"there is no file {path}: {advice}")
    elif path.is_dir():
        raise Wrong(f"{path} is a folder: name a file in it.")
    else:
        source = path if path.is_file() else path.read_bytes()
    if not first_bytes(source, 1):
        raise Failed(f"{typed} is empty: a {what} was expected.")
    return source, typed


def first_bytes(source: Path | bytes, size: int) -> bytes:
    """Return the first bytes of a file, or of what came through a pipe."""
    if isinstance(source, bytes):
        return source[:size]
    with source.open("rb") as file:
        return file.read(size)


def complete_names(names: list[str]) -> tuple[list[str], list[str]]:
    """Return names of which none is empty, and those that were made up from the column's place.

    Examples
    --------
    >>> complete_names(["", "a", "column_1"])
    (['column_1_', 'a', 'column_1'], ['column_1_'])
    """
    complete, made = [], []
    for i, name in enumerate(names, 1):
        new = name or f"column_{i}"
        while not name and new in names:
            new += "_"
        complete.append(new)
        if not name:
            made.append(new)
    return complete, made


def contiguous(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with each column in one piece, so that arrays of it need no second copy of the table."""
    columns = frame.get_columns()
    # Pieces are freed as soon as their column is put together.
    del frame
    for i, _ in enumerate(columns):
        columns[i] = columns[i].rechunk()
    return pl.DataFrame(columns)


def guessed_separator(start: str) -> str:
    r"""Return the separator of a CSV: one that every line holds equally often, outside of quotation marks.

    A comma loses against another such separator, as it may be a decimal comma.

    Examples
    --------
    >>> guessed_separator('"a, b";c\n1;2\n'), guessed_separator("1,5;2\n2,5;3\n"), guessed_separator("a,b\n1,x;y\n")
    (';', ';', ',')
    """
    lines = [line for line in QUOTED.sub("", start).splitlines() if line.strip()][:50]
    counts = {each: [line.count(each) for line in lines] for each in (",", ";", "\t", "|")}
    steady = [each for each, found in counts.items() if len(set(found)) == 1 and found[0]]
    return steady[-1] if steady else max(counts, key=lambda each: counts[each][:1])


@dataclass(frozen=True)
class TextFile:
    """A CSV or TSV file, compressed by gzip or not. Make it with `text_file`."""

    source: Path | bytes
    label: str
    separator: str
    names: list[str]
    unnamed: list[str]
    header: bool
    null_values: list[str]
    dates: bool

    def read(
        self, columns: list[str], text: list[str], targets: Collection[str], notes: list[str]
    ) -> pl.DataFrame:
        """Return some columns, those in ``text`` without a guess at their type."""
        try:
            try:
                frame = contiguous(self._scan(text, LOOK).select(columns).collect())
            except pl.exceptions.ComputeError as error:
                if "could not parse" not in str(error):
                    raise
                # A later value does not fit: guess from the whole file.
                frame = contiguous(self._scan(text, None).select(columns).collect())
            if frame.height and frame[columns[-1]].null_count():
                # polars fills lines that end early: often the file was cut off.
                self._check_lines()
        except BROKEN as error:
            if "more fields" in str(error):
                self._check_lines()
            raise broken(self.label, error) from error
        if frame.width > 1 and all(column.null_count() for column in frame.get_columns()):
            # Empty lines are read as samples without any value.
            frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
        return frame.with_columns(
            [
                self._with_numbers(frame[name], name in targets, notes)
                for name in columns
                if frame[name].dtype == pl.String and name not in text
            ]
        )

    def number_column(self, x: pl.Series) -> pl.Series:
        """Return text as numbers, missing where it is none; spaces beside a number do not count."""
        bare = x.str.strip_chars()
        if self.separator != ",":
            bare = bare.str.replace(DECIMAL_COMMA, "${1}.${2}")
        return bare.cast(pl.Float64, strict=False)

    def _scan(self, text: list[str], look: int | None) -> pl.LazyFrame:
        source: Any = io.BytesIO(self.source) if isinstance(self.source, bytes) else self.source
        return pl.scan_csv(
            source,
            has_header=self.header,
            separator=self.separator,
            null_values=self.null_values or None,
            schema_overrides=dict.fromkeys(text, pl.String) or None,
            # polars leaves doubled quotation marks in names as they are.
            with_column_names=lambda _: self.names,
            infer_schema_length=look,
            try_parse_dates=self.dates,
            glob=False,
        )

    def _check_lines(self) -> None:
        """Raise if a line has too few fields or too many."""
        with opened_text(self.source) as file:
            lines = csv.reader(file, delimiter=self.separator)
            for fields in islice(lines, SCANNED // len(self.names) + 1):
                if fields and len(fields) != len(self.names):
                    few = "few" if len(fields) < len(self.names) else "many"
                    raise Failed(
                        f"line {lines.line_num} of {self.label} has too {few} fields, {len(fields)} instead of "
                        f"{len(self.names)}: correct it, or give --separator if it is not {self.separator!r}."
                    )

    def _with_numbers(self, x: pl.Series, is_target: bool, notes: list[str]) -> pl.Series:
        """Return a column of text as numbers where it holds nothing else, and note one that nearly does."""
        if self.null_values:
            x = x.set(x.str.strip_chars().is_in([value.strip() for value in self.null_values]), None)
        bare = x.str.strip_chars()
        numbers = self.number_column(x)
        other = x.filter(numbers.is_null() & (bare != ""))
        found = len(numbers) - numbers.null_count()
        if found and not len(other):
            whole = bare.cast(pl.Int64, strict=False)
            # Classes that are whole numbers stay whole.
            return whole if whole.null_count() == numbers.null_count() else numbers
        if found > MOSTLY * (len(x) - x.null_count()):
            cure = f"--null-value {shlex.quote(other[0])}" + (" --drop-missing-target" if is_target else "")
            notes.append(
                f"{x.name!r} is mostly numbers but holds text such as {other[0]!r}, and is taken as categories: {cure} "
                "makes that missing."
            )
        return x


def text_file(source: Path | bytes, label: str, form: str, reading: Reading, notes: list[str]) -> TextFile:
    """Return a CSV or TSV file with the names of its columns."""
    separator = reading.separator or ("\t" if form == "tsv" else None)
    separator = "\t" if separator in ("\\t", "tab") else separator
    if separator is not None and len(separator.encode()) != 1:
        raise Wrong(f"--separator must be one character, or tab, got {separator!r}.")
    if isinstance(source, Path) and suffix_of(source)[1] and first_bytes(source, 2) != GZIP:
        raise Failed(f"{label} ends in .gz, but is not compressed by gzip: rename it, or compress it.")
    try:
        with opened_text(source) as file:
            start = file.read(START) + file.readline()
        separator = separator or guessed_separator(start)
        rows = csv.reader(io.StringIO(start, newline=""), delimiter=separator)
        first = next((row for row in rows if any(map(str.strip, row))), None)
    except BROKEN as error:
        raise broken(label, error) from error
    if first is None:
        raise Failed(f"{label} is empty: a table was expected.")
    header = not reading.no_header
    names, unnamed = complete_names(first) if header else (complete_names([""] * len(first))[0], [])
    missing, dates = list(reading.null_value or ()), bool(reading.date_parts)
    file_ = TextFile(source, label, separator, names, unnamed, header, missing, dates)
    if header and not file_.number_column(pl.Series(first)).null_count():
        notes.append(f"the first line of {label} is numbers, taken as names: add --no-header if it is data.")
    return file_


def opened_text(source: Path | bytes) -> IO[str]:
    """Return an open file of text, unpacked where it is compressed by gzip."""
    file: Any = io.BytesIO(source) if isinstance(source, bytes) else source
    if first_bytes(source, 2) == GZIP:
        return gzip.open(file, "rt", encoding="utf-8-sig", newline="")
    file = file if isinstance(source, bytes) else source.open("rb")
    return io.TextIOWrapper(file, encoding="utf-8-sig", newline="")


@dataclass(frozen=True)
class BinaryFile:
    """A Parquet or Arrow file, which says its types itself. Make it with `binary_file`."""

    frame: pl.LazyFrame
    label: str
    names: list[str]
    unnamed: list[str]

    def read(self, columns: list[str], *_: Any) -> pl.DataFrame:
        """Return some columns; the other arguments are for text."""
        try:
            return self.frame.select(columns).collect()
        except BROKEN as error:
            raise broken(self.label, error) from error

    def number_column(self, x: pl.Series) -> pl.Series:
        """Return text as numbers, missing where it is none."""
        return x.str.strip_chars().cast(pl.Float64, strict=False)


def binary_file(source: Path | bytes, label: str, form: str) -> BinaryFile:
    """Return a Parquet or Arrow file with the names of its columns."""
    place: Any = io.BytesIO(source) if isinstance(source, bytes) else source
    try:
        if form == "parquet":
            lazy = pl.scan_parquet(place, glob=False)
        elif first_bytes(source, 6) == b"ARROW1":
            lazy = pl.scan_ipc(place)
        else:
            lazy = pl.read_ipc_stream(place).lazy()
        there = lazy.collect_schema().names()
    except BROKEN as error:
        raise broken(label, error) from error
    names, unnamed = complete_names(there)
    return BinaryFile(lazy.rename(dict(zip(there, names, strict=True))), label, names, unnamed)


def file_of(reading: Reading, notes: list[str]) -> TextFile | BinaryFile:
    """Return the file that was named, in the format that was asked for or that its content and suffix tell."""
    source, label = source_of(reading.table, "table")
    form = reading.form
    if form is None:
        start = first_bytes(source, 8)
        suffix = "" if isinstance(source, bytes) else suffix_of(source)[0]
        inside = (name for magic, name in MAGIC.items() if start.startswith(magic))
        form = next(inside, SUFFIXES.get(suffix or ".csv"))  # type: ignore[arg-type]
    if form is None:
        raise Wrong(f"{label} must end in {', '.join(SUFFIXES)}: save it as such a file, or add --format.")
    if form in ("parquet", "arrow"):
        return binary_file(source, label, form)
    return text_file(source, label, form, reading, notes)


def broken(label: str, error: Exception) -> Failed:
    """Return the error of a file that cannot be read."""
    words = str(error).partition("\n")[0].rstrip(".") or type(error).__name__
    if isinstance(error, UnicodeDecodeError) or re.search("utf-?8", words.lower()):
        return Failed(
            f"{label} is not UTF-8 text: save it as UTF-8, for example by iconv -f latin1 -t utf-8."
        )
    return Failed(f"{label} cannot be read: {shortened(words, 200)}.")
