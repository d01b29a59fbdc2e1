"""The commands that read a table: select, path, report and compare.

Warnings of the library become notes on standard error, one line each.
"""

import os
import shlex
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .messages import (
    Failed,
    Wrong,
    end_progress,
    feature_count,
    one_line,
    say_notes,
    shortened,
    show_progress,
)
from .options import (
    OUTPUT,
    SELECTING,
    Force,
    Include,
    Json,
    Measuring,
    NamesOnly,
    Output,
    OutputFormat,
    Reading,
    Saying,
    Solving,
    Wishes,
    make_solver,
    option,
    typed_names,
)
from .writing import check_output, is_standard_output, output_form, print_text, write_table

if TYPE_CHECKING:
    from ..selector import SelectQUBO
    from .reading import Loaded

DEFAULT_SIZE = 10
OTHERS = "the other features"  # what features tell of where there is no target


def select(
    reading: Reading,
    wishes: Wishes,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    output: Output = None,
    output_format: OutputFormat = None,
    drop_target: Annotated[
        bool, option("--drop-target", "Leave the target out of --output.", OUTPUT)
    ] = False,
    force: Force = False,
    names: NamesOnly = False,
    json: Json = False,
) -> None:
    """Select the features that say most about the target and repeat each other least."""
    if names and json:
        raise Wrong("give --names or --json, not both.")
    form = ""
    if output is not None:
        form = output_form(output, output_format)
        check_output(output, reading.table, force)
    elif output_format is not None or drop_target:
        raise Wrong("--output-format and --drop-target need --output: name a file.")
    selector, loaded = fitted(reading, wishes, measuring, solving, saying)
    from .documents import selection

    found = selection(selector, loaded.features)
    if output is not None:
        kept = {*found["selected"], *([] if drop_target else loaded.targets)}
        write_table(
            loaded.frame.select([name for name in loaded.frame.columns if name in kept]), output, form
        )
    if names:
        print_names(found["selected"])
    elif json or not ((saying.quiet and output is not None) or is_standard_output(output)):
        answer("select", loaded, wished(wishes, loaded), found, (reading, measuring, solving), json)


def path(
    reading: Reading,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    k: Annotated[
        int | None, option("-k --k INTEGER", "Only subsets of this number of features.", SELECTING, min=1)
    ] = None,
    include: Include = None,
    json: Json = False,
) -> None:
    """Show the best features for every alpha at once: of any number, or exactly k of them."""
    check_classical(solving)
    # At alpha 1 there is nothing to search: it only measures.
    wishes = Wishes(alpha=1.0, include=include)
    selector, loaded = fitted(reading, wishes, measuring, solving, saying)
    from .documents import full_path

    if k is not None:
        _checked_size(k, loaded)
    show_progress("exploring the path", quiet=saying.quiet)
    found = full_path(selector.path(size=k), loaded.features)
    end_progress()
    asked = {"k": k, "include": loaded.included}
    answer("path", loaded, asked, found, (reading, measuring, solving), json)


def report(
    context: typer.Context,
    reading: Reading,
    wishes: Wishes,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    output: Annotated[Path, option("--output -o FILE", "Page to write.", OUTPUT)] = Path("report.html"),
    force: Force = False,
) -> None:
    """Select features and write a page that shows why: one HTML file for any browser."""
    if output.suffix.lower() not in (".html", ".htm"):
        raise Wrong(f"--output must end in .html, got {shortened(output.name)!r}.")
    check_output(output, reading.table, force)
    selector, loaded = fitted(reading, wishes, measuring, solving, saying)
    excluded = {"left out": ", ".join(map(one_line, loaded.excluded))} if loaded.excluded else {}
    command = shlex.join(("quboselect", *context.obj))
    target = ", ".join(loaded.targets)
    column = {"target column": target} if target else {}
    also = {"table": loaded.source, **column, **excluded, "command": command}
    show_progress(f"writing {output}", quiet=saying.quiet)
    try:
        with warnings_noted([]):  # the fit has told them
            selector.report(output, loaded.X, loaded.y, also=also, target=target or OTHERS)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise Failed(f"{error.strerror or error}.") from error
    end_progress()
    if not saying.quiet:
        print(output)


def compare(
    reading: Reading,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    k: Annotated[
        int | None, option("-k --k INTEGER", "Number of features; 10 by default.", SELECTING, min=1)
    ] = None,
    json: Json = False,
) -> None:
    """Compare the selection with those of common methods, on the same importance and redundancy."""
    check_classical(solving)
    selector, loaded = fitted(reading, Wishes(k=k), measuring, solving, saying)
    from .. import compare as compare_methods
    from .documents import comparison

    show_progress("comparing methods", quiet=saying.quiet)
    compared = compare_methods(selector)
    end_progress()
    if compared.left_text:
        loaded.notes.append(compared.left_text)
        say_notes([compared.left_text], quiet=saying.quiet)
    answer(
        "compare",
        loaded,
        {"k": selector.k},
        comparison(compared, loaded.features),
        (reading, measuring, solving),
        json,
    )


def answer(
    command: str,
    loaded: "Loaded",
    asked: dict[str, Any],
    found: dict[str, Any],
    how: tuple[Reading, Measuring, Solving],
    json: bool,
) -> None:
    """Print what a command found in a table, with what was read and asked for before it and the notes after it."""
    from .documents import table_opening

    print_document({**table_opening(command, loaded, asked, *how), **found, "notes": loaded.notes}, json)


def print_document(document: dict[str, Any], json: bool) -> None:
    """Print a document as JSON, or as a table for the terminal."""
    if json:
        from .documents import json_text

        print_text(json_text(document))
        return
    from . import showing

    show = {
        "select": showing.show_selection,
        "path": showing.show_path,
        "compare": showing.show_comparison,
        "rank": showing.show_ranking,
        "explain": showing.show_reasons,
        "alternatives": showing.show_alternatives,
        "stability": showing.show_stability,
        "cv": showing.show_scores,
        "qubo solve": showing.show_solution,
        "datasets": showing.show_datasets,
        "info": showing.show_info,
    }
    show[document["command"]](document)


def print_names(names: list[str]) -> None:
    """Print names, one on each line."""
    if names:
        print_text("\n".join(map(one_line, names)))


def fitted(
    reading: Reading, wishes: Wishes, measuring: Measuring, solving: Solving, saying: Saying
) -> tuple["SelectQUBO", "Loaded"]:
    """Return a selector fitted to the table, and the table."""
    if reading.no_target and (wishes.k == "auto" or measuring.criterion == "disr"):
        what = "-k auto" if wishes.k == "auto" else "--criterion disr"
        raise Wrong(f"{what} needs a --target: name one, or leave {what} out.")
    loaded = _loaded(reading, solving, saying, wishes.include)
    free = wishes.k is None and wishes.alpha is not None
    k = None if free else _checked_size(wishes.k, loaded)
    show_progress("selecting features", quiet=saying.quiet)
    solver = make_solver(solving)
    from .. import SelectQUBO

    selector = SelectQUBO(
        k=k,
        alpha=wishes.alpha,
        criterion=_criterion(measuring, solving),
        solver=solver,
        target_type=reading.target_type,
        class_weight=reading.class_weight,
        targets=reading.targets,
        categorical_features=list(loaded.categorical) or "auto",
        include=list(loaded.included) or None,
        blocks=wishes.blocks,
    )
    with warnings_noted(loaded.notes):
        selector.fit(loaded.X, loaded.y)
    say_notes(loaded.notes, quiet=saying.quiet)
    return selector, loaded


def wished(wishes: Wishes, loaded: "Loaded") -> dict[str, Any]:
    """Return what was to be selected, for the settings of a document."""
    return {"k": wishes.k, "alpha": wishes.alpha, "include": loaded.included, "blocks": wishes.blocks}


@contextmanager
def warnings_noted(notes: list[str]) -> Iterator[None]:
    """Turn the library's warnings within the block into notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    notes += [
        typed_names(" ".join(str(each.message).split()))
        for each in caught
        if issubclass(each.category, UserWarning)
    ]


def _loaded(reading: Reading, solving: Solving, saying: Saying, include: list[str] | None = None) -> "Loaded":
    """Return the table that was named."""
    if solving.threads is not None:
        # polars reads it once, when it is loaded.
        os.environ.setdefault("POLARS_MAX_THREADS", str(solving.threads))
    from .reading import read_table

    show_progress(f"reading {reading.table}", quiet=saying.quiet)
    return read_table(reading, include)


def _checked_size(k: Any, loaded: "Loaded") -> Any:
    """Return how many features to select, by default ten, or all where there are fewer."""
    n, least = len(loaded.features), max(len(loaded.included), 1)
    if k is None:
        if n < DEFAULT_SIZE:
            loaded.notes.append(
                f"the table has {feature_count(n)}, fewer than {DEFAULT_SIZE}: all are selected."
            )
        k = min(DEFAULT_SIZE, n)
    if k != "auto" and not least <= k <= n:
        included = f"{len(loaded.included)} are included, and " if loaded.included else ""
        raise Wrong(f"-k must be from {least} to {n} ({included}the table has {feature_count(n)}), got {k}.")
    return k


def _criterion(measuring: Measuring, solving: Solving) -> Any:
    from .. import criteria

    kinds = {name.lower(): getattr(criteria, name) for name in criteria.__all__}
    return kinds[measuring.criterion](
        measuring.bins, measuring.edges, measuring.estimate, n_jobs=solving.n_jobs
    )


def check_classical(solving: Solving) -> None:
    """Raise where the solver is a device, for commands that solve many QUBOs."""
    if getattr(make_solver(solving), "calls", None) is not None:
        raise Wrong(
            f"--solver {solving.solver} solves one QUBO only, and this needs many: use a classical one."
        )
