"""The options that commands share, in groups. What was typed flows in; frozen values, checked, flow out.

A command names the groups it takes as arguments, and `spreading` makes typer see their fields as its options.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from .failures import Wrong, cut, near
from .names import KINDS, SOLVERS, TARGETS
from .writing import FORMATS

READING, SELECTING, SOLVING, OUTPUT = "Reading the table", "Selecting", "Solving", "Output"


def one_of(names: Iterable[str], what: str) -> dict[str, Any]:
    """Return how an option is parsed and completed that must be one of some names."""
    known = tuple(names)

    def parse(value: str) -> str:
        if value not in known:
            raise Wrong(f"{what} must be one of {', '.join(known)}, got {cut(value)!r}.")
        return value

    def complete(incomplete: str) -> list[str]:
        return [name for name in known if name.startswith(incomplete)]

    return {"parser": parse, "autocompletion": complete, "metavar": "|".join(known)}


def number(least: float, most: float, what: str, *, whole: bool = False) -> dict[str, Any]:
    """Return how an option is parsed that must be a number within two ends."""
    kind = "an integer" if whole else "a number"
    span = f"from {least:g} to {most:g}" if most < float("inf") else f"of at least {least:g}"

    def parse(value: Any) -> Any:
        try:
            parsed = (int if whole else float)(value)
        except ValueError:
            parsed = None
        if parsed is None or not least <= parsed <= most or parsed == float("inf"):
            raise Wrong(f"{what} must be {kind} {span}, got {cut(str(value))!r}.")
        return parsed

    return {"parser": parse, "metavar": "INTEGER" if whole else "NUMBER"}


def _size(value: str) -> int | str:
    if value == "auto":
        return value
    try:
        k = int(value)
    except ValueError:
        k = 0
    if k < 1:
        raise Wrong(f"-k must be an integer of at least 1, or auto, got {cut(value)!r}.")
    return k


Names = list[str] | None
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to this file.", rich_help_panel=OUTPUT),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print JSON, as docs/json.md has it.", rich_help_panel=OUTPUT)
]
Force = Annotated[
    bool, typer.Option("--force", help="Let --output replace the table itself.", rich_help_panel=OUTPUT)
]


@dataclass(frozen=True)
class Reading:
    """Which table, which target, and what its features are."""

    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="CSV, TSV, Parquet or Arrow file; - is standard input.")
    ]
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="NAME", help="What the features are to tell.")
    ] = None
    target_kind: Annotated[
        str,
        typer.Option(
            "--target-kind",
            help="Whether the target is classes or a number; auto looks at it.",
            rich_help_panel=READING,
            **one_of(TARGETS, "--target-kind"),
        ),
    ] = "auto"
    drop_missing: Annotated[
        bool,
        typer.Option(
            "--drop-missing-target", help="Leave out samples without a target.", rich_help_panel=READING
        ),
    ] = False
    exclude: Annotated[
        Names,
        typer.Option(
            "--exclude",
            metavar="NAMES",
            help="Features to leave out. Repeat it, or use commas.",
            rich_help_panel=SELECTING,
        ),
    ] = None
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="Format of the table, whatever its name.",
            rich_help_panel=READING,
            **one_of(FORMATS, "--format"),
        ),
    ] = None
    types: Annotated[
        Names,
        typer.Option(
            "--type",
            metavar="NAME=KIND",
            help=f"Take a feature as {', '.join(KINDS)}. Repeat it.",
            rich_help_panel=READING,
        ),
    ] = None
    categorical: Annotated[
        Names,
        typer.Option(
            "--categorical",
            metavar="NAMES",
            help="Features of numbers that are categories.",
            rich_help_panel=READING,
        ),
    ] = None
    separator: Annotated[
        str | None,
        typer.Option(
            "--separator",
            metavar="CHARACTER",
            help="Between two fields of a CSV; guessed.",
            rich_help_panel=READING,
        ),
    ] = None
    null_value: Annotated[
        Names,
        typer.Option(
            "--null-value",
            metavar="TEXT",
            help="What stands for a missing value in a CSV. Repeat it.",
            rich_help_panel=READING,
        ),
    ] = None
    no_header: Annotated[
        bool,
        typer.Option(
            "--no-header",
            help="The CSV has no line of names: they are column_1, column_2, ...",
            rich_help_panel=READING,
        ),
    ] = False


@dataclass(frozen=True)
class Measuring:
    """How importance and redundancy are measured."""

    bins: Annotated[
        int,
        typer.Option(
            "--bins",
            help="Quantile bins of a number.",
            rich_help_panel=SELECTING,
            **number(2, 65_535, "--bins", whole=True),
        ),
    ] = 20
    corrected: Annotated[
        bool,
        typer.Option(
            "--corrected",
            help="Take off the bias of few samples (Miller and Madow).",
            rich_help_panel=SELECTING,
        ),
    ] = False


@dataclass(frozen=True)
class Wishes:
    """What is to be selected."""

    # typer knows no unions: it is an integer or "auto".
    k: Annotated[
        Any,
        typer.Option(
            "-k",
            "--k",
            metavar="INTEGER|auto",
            parser=_size,
            help="How many features; 10 if not said.",
            rich_help_panel=SELECTING,
        ),
    ] = None
    alpha: Annotated[
        float | None,
        typer.Option(
            "--alpha",
            help="Importance against redundancy, 0 to 1, instead of -k.",
            rich_help_panel=SELECTING,
            **number(0.0, 1.0, "--alpha"),
        ),
    ] = None
    include: Annotated[
        Names,
        typer.Option(
            "--include",
            metavar="NAMES",
            help="Features that must be in. Repeat it, or use commas.",
            rich_help_panel=SELECTING,
        ),
    ] = None


@dataclass(frozen=True)
class Solving:
    """Who solves, how hard, and with how many threads."""

    solver: Annotated[
        str,
        typer.Option(
            "--solver", help="Who solves the QUBOs.", rich_help_panel=SOLVING, **one_of(SOLVERS, "--solver")
        ),
    ] = "portfolio"
    effort: Annotated[
        float | None,
        typer.Option(
            "--effort",
            help="How much a proof may cost; 1 is usual, 0 leaves it out.",
            rich_help_panel=SOLVING,
            **number(0.0, float("inf"), "--effort"),
        ),
    ] = None
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            help="Seed of the search.",
            rich_help_panel=SOLVING,
            **number(0, 2**63 - 1, "--seed", whole=True),
        ),
    ] = 0
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            help="Threads; all cores if not said.",
            rich_help_panel=SOLVING,
            **number(1, 4096, "--threads", whole=True),
        ),
    ] = None


@dataclass(frozen=True)
class Saying:
    """What is said on standard error."""

    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress, no notes.", rich_help_panel=OUTPUT)
    ] = False
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where an error came from.", rich_help_panel=OUTPUT)
    ] = False


def names_in(given: Names, known: Iterable[str], option: str, target: str | None = None) -> list[str]:
    """Return features that were named one by one or with commas between them, or say which are none.

    Examples
    --------
    >>> names_in(["a,b", "x,y"], ["a", "b", "x,y"], "--include")
    ['a', 'b', 'x,y']
    """
    there = set(known)
    found: list[str] = []
    for text in given or ():
        for name in [text] if text in there else [part.strip() for part in text.split(",")]:
            if name == target:
                raise Wrong(f"{cut(name)!r} is the target, and {option} is for features: leave it out there.")
            if name not in there:
                others = (each for each in known if each != target)
                raise Wrong(
                    f"{option} must name features of the table, got {cut(name)!r}: {near(name, others)}"
                )
            found.append(name)
    return list(dict.fromkeys(found))
