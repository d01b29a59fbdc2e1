"""The commands about QUBOs: a table flows in and its QUBO flows out as a file; a file flows in and is solved."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .failures import Wrong, cut, one_line, wrong_use
from .names import QUBO_FORMATS
from .options import (
    OUTPUT,
    SOLVING,
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
from .sources import source_of
from .writing import check_output, is_standard_output, put, write_by, write_bytes


def export(
    reading: Reading,
    wishes: Wishes,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Ends in .npz, .json, .bqm or .qubo.",
            rich_help_panel=OUTPUT,
        ),
    ],
    output_format: Annotated[
        str | None,
        typer.Option(
            "--output-format",
            help="Format of --output, whatever its name.",
            rich_help_panel=OUTPUT,
            **one_of(QUBO_FORMATS, "--output-format"),
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Write the QUBO of a table at one alpha, or at the alpha that gives k features."""
    from .reading import path_of
    from .selecting import check_wishes, fitted

    check_wishes(wishes)
    if wishes.k is None and wishes.alpha is None:
        raise Wrong("say at which alpha: --alpha, or -k for the one that gives so many features.")
    form = output_format or output.suffix.lower().removeprefix(".")
    if form not in QUBO_FORMATS:
        raise Wrong(
            f"--output must end in .npz, .json, .bqm or .qubo, got {cut(output.name)!r}: or say --output-format."
        )
    check_output(output, path_of(reading.table), force)
    if form == "bqm":
        from ..errors import optional

        optional("dimod", "dwave", "a .bqm file")
    selector, loaded = fitted(reading, measuring, wishes, solving, saying)
    from ..constraints import Constraints
    from ..tradeoff import Tradeoff
    from .qubo_files import Problem, written

    tradeoff = Tradeoff(selector.importance_, selector.redundancy_)
    constraints = Constraints.of(tradeoff.size, loaded.features, include=selector.include)
    importance, redundancy = tradeoff.line(constraints.included)
    alpha = selector.alpha_
    problem = Problem(
        constraints.reduce(tradeoff).at(alpha),
        _named(loaded.features, ~constraints.included),
        alpha,
        (1.0 - alpha) * redundancy - alpha * importance,
        _named(loaded.features, constraints.included),
    )
    write_bytes(written(problem, form), output)
    if not saying.quiet and not is_standard_output(output):
        print(f"{output}: {problem.qubo.size} bits at alpha {alpha:.6g}")


def _named(names: tuple[str, ...], taken: Any) -> tuple[str, ...]:
    return tuple(name for name, here in zip(names, taken, strict=True) if here)


def solve(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="An .npz, .json, .bqm or .qubo file; - is standard input.")
    ],
    solving: Solving,
    saying: Saying,
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            "--k",
            help="Only subsets of exactly so many bits.",
            rich_help_panel=SOLVING,
            **number(0, float("inf"), "-k", whole=True),
        ),
    ] = None,
    output: Output = None,
    force: Force = False,
    names: Annotated[
        bool,
        typer.Option("--names", help="Print only the names of the ones, one a line.", rich_help_panel=OUTPUT),
    ] = False,
    json: Json = False,
) -> None:
    """Solve the QUBO of a file; --output keeps all samples, as JSON."""
    from .progress import stages_for

    if names and json:
        raise Wrong("give --names or --json, not both.")
    source, label = source_of(file, "QUBO", "a QUBO")
    if output is not None:
        if output.suffix.lower() != ".json" and not str(output).startswith("/dev/"):
            raise Wrong(f"--output must end in .json, as samples are JSON, got {cut(output.name)!r}.")
        check_output(output, None if file == "-" else Path(file), force)
    from .names import solver_of
    from .qubo_files import parsed

    problem = parsed(source if isinstance(source, bytes) else source.read_bytes(), label)
    with wrong_use():
        solver = solver_of(solving.solver, effort=solving.effort, seed=solving.seed, threads=solving.threads)
    solver = _with_size(solver, k, problem.qubo.size, solving.solver)
    from ..protocols import ask
    from .watching import watched_solver

    stages = stages_for(saying.quiet)
    stages.begin("solving")
    samples = ask(watched_solver(solver, stages, whole=False), problem.qubo)
    stages.stop()
    from .documents import as_json, solution

    settings = {"k": k, "solver": solving.solver, "effort": solving.effort, "seed": solving.seed}
    document = solution(samples, problem, label, settings)
    if output is not None:
        write_by(lambda part: _keep(samples, problem.qubo, document, part), output)
    if names:
        if every := (*document["included"], *document["names"]):
            put("\n".join(map(one_line, every)))
    elif json:
        put(as_json(document))
    elif not (saying.quiet and output is not None) and not is_standard_output(output):
        from .showing import show_solution

        show_solution(document)


def _keep(samples: Any, qubo: Any, document: dict[str, Any], part: Path) -> None:
    """Write all samples as `Solutions.load` reads them, and beside them what is printed of the best one."""
    from json import loads

    from .documents import as_json

    samples.save(part, qubo=qubo)
    part.write_text(as_json({**loads(part.read_text("utf-8")), "solution": document}) + "\n", "utf-8")


def _with_size(solver: Any, k: int | None, bits: int, name: str) -> Any:
    if k is None:
        return solver
    from dataclasses import replace

    from ..protocols import takes

    if k > bits:
        raise Wrong(f"-k must be from 0 to {bits} (the QUBO has {bits} bits), got {k}.")
    if not takes(solver, "k"):
        raise Wrong(f"--solver {name} knows no size: leave -k out, or use portfolio.")
    return replace(solver, k=k)
