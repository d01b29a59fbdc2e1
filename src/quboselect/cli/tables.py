"""The commands that read a table: select, path, report, compare. Options flow in; what was asked for flows out."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .failures import Wrong, cut, one_line
from .options import (
    OUTPUT,
    SELECTING,
    Force,
    Json,
    Measuring,
    Output,
    Reading,
    Saying,
    Solving,
    Wishes,
    number,
    one_of,
)
from .writing import FORMATS, check_output, is_standard_output, put, table_format, write_by, write_table

if TYPE_CHECKING:
    from .reading import Loaded

OutputFormat = Annotated[
    str | None,
    typer.Option(
        "--output-format",
        help="Format of --output, whatever its name.",
        rich_help_panel=OUTPUT,
        **one_of(FORMATS, "--output-format"),
    ),
]
NoTarget = Annotated[
    bool, typer.Option("--no-target", help="Leave the target out of --output.", rich_help_panel=OUTPUT)
]
NamesOnly = Annotated[
    bool, typer.Option("--names", help="Print only names, one a line.", rich_help_panel=OUTPUT)
]
Size = Annotated[
    int | None,
    typer.Option(
        "-k",
        "--k",
        help="How many features; 10 if not said.",
        rich_help_panel=SELECTING,
        **number(1, float("inf"), "-k", whole=True),
    ),
]


def select(
    reading: Reading,
    wishes: Wishes,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    output: Output = None,
    output_format: OutputFormat = None,
    no_target: NoTarget = False,
    force: Force = False,
    names: NamesOnly = False,
    json: Json = False,
) -> None:
    """Select the features that say most about the target and repeat each other least."""
    from .reading import path_of
    from .selecting import fitted

    if names and json:
        raise Wrong("give --names or --json, not both.")
    form = ""
    if output is not None:
        form = table_format(output, output_format)
        check_output(output, path_of(reading.table), force)
    elif output_format is not None or no_target:
        raise Wrong("--output-format and --no-target are about --output, which is missing.")
    selector, loaded = fitted(reading, measuring, wishes, solving, saying)
    chosen = [name for name, taken in zip(loaded.features, selector.support_, strict=True) if taken]
    if output is not None:
        kept = {*chosen, *([] if no_target else [loaded.target])}
        write_table(
            loaded.frame.select([name for name in loaded.frame.columns if name in kept]), output, form
        )
    if names:
        if chosen:
            put("\n".join(map(one_line, chosen)))
        return
    if ((saying.quiet and output is not None) or is_standard_output(output)) and not json:
        return
    from .documents import selection, settings_of
    from .showing import show_selection

    settings = settings_of(reading, measuring, solving, wishes, include=_included(selector))
    _tell(selection(selector, loaded, settings), show_selection, json)


def _included(selector: Any) -> list[str]:
    return list(selector.include or ())


def _tell(document: dict[str, Any], show: Callable[[dict[str, Any]], None], json: bool) -> None:
    """Print a document, as JSON or for people."""
    if not json:
        show(document)
        return
    from .documents import as_json

    put(as_json(document))


def path(
    reading: Reading,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    include: Annotated[
        list[str] | None,
        typer.Option(
            "--include", metavar="NAMES", help="Features that must be in.", rich_help_panel=SELECTING
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Show the best features for every alpha at once, from none to all."""
    from .documents import settings_of, whole_path
    from .selecting import finish, measured
    from .showing import show_path

    found = measured(reading, measuring, solving, saying, include=include)
    from ..search.choice import full_path
    from ..search.path import alpha_path

    explored = alpha_path(found.constraints.reduce(found.tradeoff), found.solver)
    explored = full_path(explored, found.tradeoff, found.constraints)
    finish(found.loaded, found.stages, saying)
    included = [
        name for name, taken in zip(found.loaded.features, found.constraints.included, strict=True) if taken
    ]
    settings = settings_of(reading, measuring, solving, include=included)
    _tell(whole_path(explored, found.loaded, settings), show_path, json)


def report(
    context: typer.Context,
    reading: Reading,
    wishes: Wishes,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="The page to write.", rich_help_panel=OUTPUT),
    ] = Path("report.html"),
    force: Force = False,
) -> None:
    """Select features, and write a page that shows why: one file that any browser opens."""
    from .reading import path_of
    from .selecting import fitted

    if output.suffix.lower() not in (".html", ".htm"):
        raise Wrong(f"--output must end in .html, as a report is a page, got {cut(output.name)!r}.")
    check_output(output, path_of(reading.table), force)
    selector, loaded = fitted(reading, measuring, wishes, solving, saying)
    also = _asked(loaded, context.obj)
    write_by(lambda part: selector.report(part, also=also), output)
    if not saying.quiet:
        print(output)


def _asked(loaded: "Loaded", arguments: tuple[str, ...]) -> dict[str, str]:
    """Return what the selector knows nothing of, and whoever makes its report again has to."""
    excluded = {"left out": ", ".join(map(one_line, loaded.excluded))} if loaded.excluded else {}
    return {
        "table": loaded.source,
        "target column": loaded.target,
        **excluded,
        "command": shlex.join(("quboselect", *arguments)),
    }


def compare(
    reading: Reading,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    k: Size = None,
    json: Json = False,
) -> None:
    """Set the selection beside those of the usual methods, on the same importance and redundancy."""
    from .documents import comparison, settings_of
    from .selecting import default_size, finish, measured, noted
    from .showing import show_comparison

    found = measured(reading, measuring, solving, saying, k=k)
    k = default_size(found.loaded) if k is None else k
    from ..report import comparison as comparing

    with noted(found.loaded.notes):
        compared = comparing.compare(found.tradeoff, k, solver=found.solver, names=found.loaded.features)
    finish(found.loaded, found.stages, saying)
    settings = settings_of(reading, measuring, solving, k=k)
    _tell(comparison(compared, found.loaded, settings), show_comparison, json)
