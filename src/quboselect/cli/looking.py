"""What text looks like. The start of a file flows in and its separator flows out; columns of text flow in and numbers,
or notes about what they seem to be, flow out.
"""

import re
import shlex

import polars as pl

from .failures import one_line

SEPARATORS = (",", ";", "\t", "|")
LINES = 50  # lines that are looked at for the separator
MOSTLY = 0.5  # share of numbers above which text among them is worth a note
NEARLY = 0.9  # share of dates above which a feature is taken for dates
MANY = 0.5  # share of different texts above which a feature is hardly a category
FEW = 20  # samples below which all texts may well differ

QUOTED = re.compile(r'"(?:[^"]|"")*"')
DECIMAL_COMMA = r"^\s*([+-]?\d+),(\d+(?:[eE][+-]?\d+)?)\s*$"
DATE = r"^\s*(\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})([T ]+\d{1,2}:\d{2}.*)?\s*$"


def separator_of(start: str) -> str:
    r"""Return what stands between two fields, judging by the start of a file.

    It stands in the first line, and equally often in the others. A comma loses against another one where it stands
    between digits alone. What is quoted does not count.

    Examples
    --------
    >>> separator_of('"a, b";c\n1;2\n'), separator_of("1,5;2\n2,5;3\n"), separator_of("a,b\n1,x;y\n")
    (';', ';', ',')
    """
    lines = [line for line in QUOTED.sub('""', start).splitlines() if line.strip()][:LINES]
    first = lines[0] if lines else ""
    there = [each for each in SEPARATORS if each in first]
    steady = [each for each in there if len({line.count(each) for line in lines}) == 1]
    if len(steady) > 1 and steady[0] == ",":
        looked = "\n".join(lines)
        within = len(re.findall(r"(?<=\d),(?=\d)", looked))
        return steady[1] if within == looked.count(",") else ","
    if steady:
        return steady[0]
    return max(there, key=lambda each: (each == ",", first.count(each)), default=",")


def with_decimal_commas(frame: pl.DataFrame, text: list[str], notes: list[str]) -> pl.DataFrame:
    """Return a table in which text such as 1,5 is a number, wherever a column holds nothing else but numbers."""
    found = {}
    for name in frame.columns:
        x = frame[name]
        if x.dtype != pl.String or name in text or not x.str.contains(DECIMAL_COMMA).any():
            continue
        numbers = number_of(x, decimal_comma=True)
        if numbers.null_count() == x.null_count():
            found[name] = numbers
    if found:
        names = list(map(one_line, found))
        more = f" and {len(names) - 6} more" if len(names) > 6 else ""
        notes.append(
            f"decimal commas are read as such, 1,5 as 1.5, in {', '.join(names[:6])}{more}: "
            "--type NAME=text takes one as categories."
        )
        frame = frame.with_columns(**found)
    return frame


def number_of(x: pl.Series, *, decimal_comma: bool) -> pl.Series:
    """Return text as numbers, missing where it is none."""
    if decimal_comma:
        x = x.str.replace(DECIMAL_COMMA, "${1}.${2}")
    return x.str.strip_chars().cast(pl.Float64, strict=False)


def with_bare_numbers(
    frame: pl.DataFrame, text: list[str], target: str | None, notes: list[str], *, decimal_comma: bool
) -> pl.DataFrame:
    """Return a table in which numbers with spaces beside them are numbers, wherever a column holds nothing else.

    Spaces alone are missing there, as an empty field is. Columns of numbers that some text has made categories are
    noted, and so are texts that differ by spaces alone.
    """
    for name in frame.columns:
        x = frame[name]
        known = len(x) - x.null_count()
        if x.dtype != pl.String or name in text or not known:
            continue
        numbers = number_of(x, decimal_comma=decimal_comma)
        found = len(x) - numbers.null_count()
        no_number = numbers.is_null() & (x.str.strip_chars() != "")
        if found and not no_number.any():
            whole = x.str.strip_chars().cast(pl.Int64, strict=False)
            # Classes that are whole numbers stay whole.
            frame = frame.with_columns(whole if whole.null_count() == numbers.null_count() else numbers)
            continue
        _note_spaces(x, notes)
        if found > MOSTLY * known:
            example = x.filter(no_number)[0]
            missing = f"--null-value {shlex.quote(example)}"
            cure = (
                f"{missing} --drop-missing-target leaves such samples out."
                if name == target
                else f"{missing} or --type {shlex.quote(name + '=number')} makes that missing."
            )
            notes.append(
                f"{name!r} is mostly numbers but holds text such as {example!r}, and is taken as categories: {cure}"
            )
    return frame


def _note_spaces(x: pl.Series, notes: list[str]) -> None:
    """Note texts that are one to whoever reads them, and two to whoever counts them."""
    if not x.str.contains(r"^\s|\s$").any():
        return
    alike = x.drop_nulls().unique(maintain_order=True)
    bare = alike.str.strip_chars()
    if twice := alike.filter(bare.is_duplicated()).to_list():
        pair = [each for each in twice if each.strip() == twice[0].strip()][:2]
        notes.append(
            f"{x.name!r} holds values that differ by spaces alone, such as {pair[0]!r} and {pair[1]!r}, and each is "
            "taken as it is: take the spaces out of the file if they mean the same."
        )


def without_null_values(frame: pl.DataFrame, null_values: tuple[str, ...]) -> pl.DataFrame:
    """Return a table in which what stands for a missing value is missing with spaces beside it, too."""
    for name in frame.columns if null_values else ():
        x = frame[name]
        if x.dtype == pl.String and (null := x.str.strip_chars().is_in(null_values)).any():
            frame = frame.with_columns(x.set(null, None))
    return frame


def note_odd_categories(x: pl.Series, notes: list[str]) -> None:
    """Note a feature of text that is hardly a category: dates, or names of the samples."""
    known = x.drop_nulls().head(1000)
    if len(known) and float(known.str.contains(DATE).mean() or 0.0) >= NEARLY:  # type: ignore[arg-type]
        notes.append(
            f"{x.name!r} holds dates such as {known[0]!r}, and each is taken as a category: make numbers of them, or "
            f"say --exclude {shlex.quote(x.name)}."
        )
    elif len(x) >= FEW and (different := x.n_unique()) > MANY * len(x):
        notes.append(
            f"{x.name!r} is text with {different} different values in {len(x)} samples, and looks important by that "
            "alone: --exclude it if it names the samples."
        )


def runs(x: pl.Series) -> bool:
    """Return whether a column counts its samples: 0, 1, 2, ... or 1, 2, 3, ...

    Examples
    --------
    >>> runs(pl.Series([1, 2, 3])), runs(pl.Series([0.0, 1.0])), runs(pl.Series([3, 4]))
    (True, True, False)
    """
    if not x.dtype.is_numeric() or not len(x) or x.null_count() or x[0] not in (0, 1):
        return False
    counted = pl.int_range(len(x), eager=True) + int(x[0])
    return bool((x.cast(pl.Float64) == counted.cast(pl.Float64)).all())
