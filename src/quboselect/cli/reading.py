"""Reading a table: what was typed becomes a frame of features and a target.

Names are checked before the values are read. Columns that `SelectQUBO` cannot use are refused in words that name the
option to use.
"""

import re
from dataclasses import dataclass, field

import polars as pl

from .files import file_of
from .messages import Failed, Wrong, hint, name_list, shortened
from .options import KINDS, Reading, feature_names

MANY = 0.5  # share of different texts above which a feature is hardly a category
FEW = 20  # samples below which all texts may well differ
PLACE = re.compile(r"[+-]?\d{1,6}")


@dataclass(frozen=True)
class Loaded:
    """A table as it was read: features and target, where it came from, and notes for the user."""

    frame: pl.DataFrame
    targets: tuple[str, ...]
    source: str
    excluded: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    included: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features, without the targets."""
        return tuple(name for name in self.frame.columns if name not in self.targets)

    @property
    def X(self) -> pl.DataFrame:  # noqa: N802
        """The features."""
        return self.frame.drop(self.targets)

    @property
    def y(self) -> pl.Series | pl.DataFrame | None:
        """The target, or several, or None."""
        return None if self.target is None else self.frame[self.target]

    @property
    def target(self) -> str | list[str] | None:
        """The name of the target, or those of several, or None."""
        return self.targets[0] if len(self.targets) == 1 else list(self.targets) or None


def read_table(reading: Reading, include: list[str] | None = None) -> Loaded:
    """Return the table that was named.

    Parameters
    ----------
    reading : Reading
    include : list of str, optional
        Features to select in any case, as typed.
    """
    notes: list[str] = []
    file = file_of(reading, notes)
    names, label = file.names, file.label
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise Failed(f"the names in {label} must differ, but {twice!r} occurs twice: rename one.")
    targets = _targets(reading, names)
    excluded = feature_names(reading.exclude, names, "--exclude", targets)
    included = feature_names(include, names, "--include", targets)
    if both := [name for name in included if name in excluded]:
        raise Wrong(f"--include and --exclude must not name the same feature, but {both[0]!r} is in both.")
    wanted = [name for name in names if name not in set(excluded)]
    kinds = _kinds(reading, wanted, targets)
    told = ", ".join(map(repr, targets))
    if len(names) == len(targets):
        raise Failed(f"{label} has no features, only the target {told}: is --separator correct?")
    if len(wanted) == len(targets):
        beside = f" beside the target {told}" if targets else ""
        raise Wrong(f"--exclude leaves no feature of {label}{beside}: exclude fewer.")
    frame = file.read(wanted, [name for name, kind in kinds.items() if kind == "text"], targets, notes)
    if not frame.height:
        raise Failed(f"{label} has names but no samples.")
    settled = {*excluded, *included, *kinds, *targets}
    for name in (name for name in file.unnamed if name not in settled):
        place = names.index(name) + 1
        if frame.width > 1 + len(targets) and counts_samples(frame[name]):
            notes.append(
                f"column {place} has no name and counts the samples: it is left out. Use --include {name}."
            )
            frame = frame.drop(name)
            excluded.append(name)
        else:
            notes.append(f"column {place} has no name, and is called {name!r}.")
    for name, kind in kinds.items():
        x = frame[name]
        if kind == "text":
            frame = frame.with_columns(x.cast(pl.String))
        elif kind == "number" and not x.dtype.is_numeric():
            numbers = file.number_column(x.cast(pl.String))
            if lost := numbers.null_count() - x.null_count():
                notes.append(f"{lost} values of {name!r} are no numbers, and count as missing.")
            frame = frame.with_columns(numbers)
    for target in targets:
        frame = _with_target(frame, target, reading)
    if reading.date_parts:
        from ..tables import date_parts

        width = frame.width
        frame = date_parts(frame, [part.strip() for text in reading.date_parts for part in text.split(",")])
        if frame.width == width:
            raise Failed(
                f"--date-parts needs dates, such as 2026-01-31, but {label} has none: leave the option out."
            )
    _check_features(frame.drop(targets), set(kinds), notes)
    categorical = tuple(name for name, kind in kinds.items() if kind == "category")
    return Loaded(frame, targets, label, tuple(excluded), categorical, tuple(included), notes)


def counts_samples(x: pl.Series) -> bool:
    """Return whether a column counts the samples: 0, 1, 2, ... or 1, 2, 3, ...

    Examples
    --------
    >>> [counts_samples(pl.Series(x)) for x in ([1, 2, 3], [0.0, 1.0], [3, 4])]
    [True, True, False]
    """
    if not x.dtype.is_numeric() or not len(x) or x.null_count() or x[0] not in (0, 1):
        return False
    return bool((x == pl.int_range(len(x), eager=True) + int(x[0])).all())


def _targets(reading: Reading, names: list[str]) -> tuple[str, ...]:
    """Return the columns to predict, named one by one or separated by commas; none where none is wanted."""
    given = reading.target
    if reading.no_target:
        about = {
            "--target": given,
            "--target-type": reading.target_type != "auto",
            "--targets": reading.targets != "sum",
            "--class-weight": reading.class_weight,
            "--drop-missing-target": reading.drop_missing,
        }
        if wrong := [name for name, value in about.items() if value]:
            cure = "; --drop-target leaves it out of --output" if given else ""
            raise Wrong(f"give --no-target or {wrong[0]}, not both{cure}.")
        return ()
    if not given:
        raise Wrong(
            f"--target is missing: name the column to predict, or say --no-target. There are {name_list(names)}."
        )
    found: list[str] = []
    for text in given:
        for name in [text] if text in names else [part.strip() for part in text.split(",")]:
            if name not in names and PLACE.fullmatch(name) and 1 <= abs(int(name)) <= len(names):
                name = names[int(name) - (int(name) > 0)]
            if name not in names:
                raise Wrong(
                    f"--target must name a column of the table, got {shortened(name)!r}: {hint(name, names)}"
                )
            found.append(name)
    return tuple(dict.fromkeys(found))


def _kinds(reading: Reading, names: list[str], targets: tuple[str, ...]) -> dict[str, str]:
    """Return the kind of every feature for which one was given."""
    kinds: dict[str, str] = {}
    for text in reading.types or ():
        name, _, kind = text.rpartition("=")
        if not name or kind not in KINDS:
            raise Wrong(
                f"--type must be NAME=KIND with KIND one of {', '.join(KINDS)}, got {shortened(text)!r}."
            )
        kinds |= dict.fromkeys(feature_names([name], names, "--type", targets), kind)
    for name in feature_names(reading.categorical, names, "--categorical", targets):
        if kinds.setdefault(name, "category") != "category":
            raise Wrong(
                f"--categorical and --type contradict each other: {name!r} is {kinds[name]} in --type."
            )
    return kinds


def _with_target(frame: pl.DataFrame, target: str, reading: Reading) -> pl.DataFrame:
    """Return a table whose target has a value in every sample, and more than one value."""
    y = frame[target]
    missing = y.is_null() | y.is_nan() if y.dtype.is_float() else y.is_null()
    if missing.all():
        raise Failed(f"the target {target!r} has no value in any sample.")
    if missing.any():
        if not reading.drop_missing:
            raise Failed(
                f"the target {target!r} has no value in {missing.sum()} of {len(y)} samples, the first of them sample "
                f"{(missing.arg_max() or 0) + 1}: fill it in, or add --drop-missing-target."
            )
        frame = frame.filter(~missing)
        y = frame[target]
    if y.dtype.is_temporal() or y.dtype.is_nested():
        raise Failed(f"the target {target!r} must be labels or numbers, got {y.dtype}.")
    if y.n_unique() == 1:
        raise Failed(f"the target {target!r} is {y[0]!r} in every sample: there is nothing to predict.")
    if reading.target_type == "continuous" and not (y.dtype.is_numeric() or y.dtype == pl.Boolean):
        raise Failed(f"the target {target!r} is {y.dtype}, not numbers: use --target-type classes.")
    return frame


def _check_features(features: pl.DataFrame, known: set[str], notes: list[str]) -> None:
    """Refuse features that cannot be binned, and note text that looks like names of the samples."""
    for x in features.get_columns():
        if x.dtype.is_nested() or x.dtype == pl.Binary:
            raise Failed(
                f"the feature {x.name!r} holds {x.dtype}, which cannot be binned: convert it to numbers or text, or "
                f"add --exclude {x.name}."
            )
        if x.dtype != pl.String or x.name in known or len(x) < FEW:
            continue
        if (different := x.n_unique()) > MANY * len(x):
            notes.append(
                f"{x.name!r} is text with {different} different values in {len(x)} samples, which alone makes it look "
                "important: --exclude it if it names the samples."
            )
