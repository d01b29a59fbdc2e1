"""A table is read, once. A file or standard input flows in; a polars frame, features and target, flows out.

What was typed is checked against the names of the columns before the rest is read; how a format is read stands in
`formats` and `texts`. What has no place in a table for `SelectQUBO` is refused here, in words that name the option to
use.
"""

from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from .failures import Failed, Wrong, cut, listed, near
from .formats import Binary, start_of
from .looking import note_odd_categories, number_of, runs
from .names import KINDS
from .options import Reading, names_in
from .progress import Stages
from .sources import source_of
from .texts import Text
from .writing import SUFFIXES, suffix_of

MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
BINARY = {b"PK\x03\x04": "a zip archive or spreadsheet", b"\x89HDF": "HDF5", b"\x93NUMPY": "a NumPy array"}


@dataclass(frozen=True)
class Loaded:
    """A table as it was read: features and target, what it is called, and what people should know of it."""

    frame: pl.DataFrame
    target: str
    source: str
    excluded: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features, without the target."""
        return tuple(name for name in self.frame.columns if name != self.target)


def path_of(table: str) -> Path | None:
    """Return the path of a table, or None where it is standard input."""
    return None if table == "-" else Path(table)


def read_table(
    reading: Reading, stages: Stages, include: list[str] | None = None
) -> tuple[Loaded, list[str]]:
    """Return a table and the features of it that must be in.

    Everything that was typed is checked against the names of its columns before the rest of it is read.

    Parameters
    ----------
    reading : Reading
    stages : Stages
        Told how far it is.
    include : list of str, optional
        Features that must be in, as typed.
    """
    notes: list[str] = []
    source, label = source_of(reading.table, "table", "a table with a line of names")
    form = _form(reading, source, label, notes)
    file = _file(source, label, form, reading, notes)
    names = file.names()
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise Failed(f"the names in {label} must be distinct, but {twice!r} occurs twice: rename one.")
    target = _target(reading.target, names)
    excluded = names_in(reading.exclude, names, "--exclude", target)
    out = set(excluded)
    wanted = [name for name in names if name not in out]
    kinds = _kinds(reading, wanted, target)
    kept = names_in(include, names, "--include", target)
    if both := [name for name in kept if name in excluded]:
        raise Wrong(f"a feature is either included or excluded, but {both[0]!r} is both.")
    if len(names) == 1:
        raise Failed(f"{label} has no features, only the target {target!r}{_perhaps(file)}.")
    if len(wanted) < 2:
        raise Wrong(f"{label} has no feature left beside the target {target!r}: exclude fewer.")
    tick = stages.begin(f"reading {label}")
    frame = file.read(wanted, [name for name, kind in kinds.items() if kind == "text"], tick)
    if not frame.height:
        raise Failed(f"{label} has names but no samples.")
    for name in file.unnamed:
        if name in out or name in kept or name in kinds or name == target:
            continue
        if frame.width > 2 and runs(frame[name]):
            notes.append(
                f"column {names.index(name) + 1} has no name and counts the samples, and is left out: --include "
                f"{name} takes it in."
            )
            frame = frame.drop(name)
            excluded.append(name)
        else:
            notes.append(f"column {names.index(name) + 1} has no name, and is called {name!r}.")
    frame = _typed(frame, kinds, file.decimal_comma, notes)
    frame = _with_target(frame, target, reading, label)
    _check_features(frame, target, kinds, notes)
    categorical = tuple(name for name, kind in kinds.items() if kind == "category")
    return Loaded(frame, target, label, tuple(excluded), categorical, notes), kept


def _perhaps(file: Text | Binary) -> str:
    return f": say --separator if {file.between!r} is not the one" if isinstance(file, Text) else ""


def _form(reading: Reading, source: Path | bytes, label: str, notes: list[str]) -> str:
    """Return the format of a table: as said, else by its content and its name."""
    start = start_of(source, 8)
    inside = next((form for magic, form in MAGIC.items() if start.startswith(magic)), None)
    named = "csv"
    if isinstance(source, Path):
        suffix, _ = suffix_of(source)
        named = SUFFIXES.get(suffix, "" if suffix else "csv")
        strange = next((what for magic, what in BINARY.items() if start.startswith(magic)), None)
        if not named and reading.form is None and inside is None:
            what = f", and it looks like {strange}" if strange else ""
            raise Wrong(
                f"{label} must be a CSV, TSV, Parquet or Arrow file by its name ({', '.join(SUFFIXES)}){what}: "
                "save it as one of these, or say --format."
            )
    form = reading.form or inside or named
    if reading.form is None and inside is not None and isinstance(source, Path) and named not in ("", inside):
        notes.append(f"{label} is a {inside.capitalize()} file, whatever its name, and read as one.")
    if form in ("csv", "tsv") and inside is not None:
        raise Failed(f"{label} is a {inside.capitalize()} file, not {form.upper()}: say --format {inside}.")
    if form in ("parquet", "arrow") and inside != form and not (form == "arrow" and inside is None):
        what = f"a {inside.capitalize()} file" if inside else "something else, or broken"
        raise Failed(
            f"{label} should be {form.capitalize()}, but it is {what}: say --format, or write it again."
        )
    return form


def _file(source: Path | bytes, label: str, form: str, reading: Reading, notes: list[str]) -> Text | Binary:
    if form in ("parquet", "arrow"):
        return Binary(source, label, form)
    separator = reading.separator or ("\t" if form == "tsv" else None)
    if separator is not None and len(separator.encode()) != 1:
        tab = separator in ("\\t", "tab")
        separator = "\t" if tab else separator
        if not tab:
            raise Wrong(f"--separator must be one character, or tab, got {separator!r}.")
    return Text(
        source,
        label,
        separator,
        tuple(reading.null_value or ()),
        not reading.no_header,
        notes,
        reading.target,
    )


def _target(target: str | None, names: list[str]) -> str:
    if target is None:
        raise Wrong(f"--target is missing: say what the features are to tell. There are {listed(names)}.")
    if target not in names:
        raise Wrong(f"--target must name a column of the table, got {cut(target)!r}: {near(target, names)}")
    return target


def _kinds(reading: Reading, names: list[str], target: str) -> dict[str, str]:
    """Return the features whose kind was said, and which it is."""
    kinds: dict[str, str] = {}
    for text in reading.types or ():
        name, equals, kind = text.rpartition("=")
        if not equals or kind not in KINDS:
            raise Wrong(f"--type must be NAME=KIND with KIND one of {', '.join(KINDS)}, got {cut(text)!r}.")
        kinds |= dict.fromkeys(names_in([name], names, "--type", target), kind)
    for name in names_in(reading.categorical, names, "--categorical", target):
        if kinds.get(name, "category") != "category":
            raise Wrong(f"{name!r} is either categories or {kinds[name]}: say one of the two.")
        kinds[name] = "category"
    return kinds


def _typed(frame: pl.DataFrame, kinds: dict[str, str], decimal_comma: bool, notes: list[str]) -> pl.DataFrame:
    """Return a table in which what was to be numbers, or text, is; what cannot be is missing."""
    for name, kind in kinds.items():
        before = frame[name]
        if kind == "text" and before.dtype != pl.String:
            frame = frame.with_columns(before.cast(pl.String))
        if kind == "number" and not before.dtype.is_numeric():
            after = number_of(before.cast(pl.String), decimal_comma=decimal_comma)
            lost = after.null_count() - before.null_count()
            if lost:
                notes.append(f"{lost} values of {name!r} are no numbers, and count as missing.")
            frame = frame.with_columns(after)
    return frame


def _with_target(frame: pl.DataFrame, target: str, reading: Reading, label: str) -> pl.DataFrame:
    """Return a table whose target is known for every sample, and not always the same."""
    y = frame[target]
    gone = y.is_null() | y.is_nan() if y.dtype.is_float() else y.is_null()
    missing = int(gone.sum())
    if missing == len(y):
        raise Failed(f"the target {target!r} has no value in any sample of {label}.")
    if missing and not reading.drop_missing:
        first = gone.arg_max()
        raise Failed(
            f"the target {target!r} has no value in {missing} of {len(y)} samples, the first of them sample "
            f"{(first or 0) + 1}: fill it in, or say --drop-missing-target."
        )
    if missing:
        frame = frame.filter(~gone)
        y = frame[target]
    if y.dtype.is_temporal() or y.dtype.is_nested():
        raise Failed(f"the target {target!r} must be labels or numbers, got {y.dtype}.")
    if y.n_unique() == 1:
        raise Failed(f"the target {target!r} is {y[0]!r} in every sample: there is nothing to tell of it.")
    if reading.target_kind == "continuous" and not (y.dtype.is_numeric() or y.dtype == pl.Boolean):
        raise Failed(f"the target {target!r} is {y.dtype}, not numbers: say --target-kind classes.")
    return frame


def _check_features(frame: pl.DataFrame, target: str, kinds: dict[str, str], notes: list[str]) -> None:
    """Refuse features that have no place in a bin, and note those that look better than they are."""
    for name in frame.columns:
        x = frame[name]
        if name == target:
            continue
        if x.dtype.is_temporal() or x.dtype.is_nested() or x.dtype == pl.Binary:
            raise Failed(
                f"the feature {name!r} holds {x.dtype}, which has no place in a bin: make numbers or text of it, or "
                f"say --exclude {name}."
            )
        # Whoever said what it is, knows.
        if x.dtype == pl.String and name not in kinds:
            note_odd_categories(x, notes)
