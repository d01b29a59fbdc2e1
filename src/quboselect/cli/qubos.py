"""The commands about QUBOs as files: export writes the QUBO of a table, solve reads one and solves it.

========  ==========================================================================================
suffix    what it is
========  ==========================================================================================
.npz      NumPy arrays ``linear``, ``couplings``, ``names``, ``alpha``, ``offset``, ``included``, ``ones``
.npy      one NumPy matrix M with energy x' M x
.bqm      dimod's binary quadratic model, in its binary format
.json     the same model as JSON; names, alpha and included features stand under ``info``
========  ==========================================================================================

The content of a file tells its format, not its name.
"""

import io
import json as jsons
import shlex
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from .messages import Failed, Wrong, end_progress, say_notes, shortened, show_progress
from .options import (
    OUTPUT,
    SOLVING,
    Force,
    Json,
    Measuring,
    NamesOnly,
    Output,
    Reading,
    Saying,
    Solving,
    Wishes,
    make_solver,
    option,
)
from .writing import check_output, complete_file, is_standard_output

if TYPE_CHECKING:
    from ..qubo import QUBO

QuboFormat = Literal["npz", "npy", "bqm", "json"]
SUFFIXES = ", ".join(f".{form}" for form in get_args(QuboFormat))
FORMAT, VERSION = "quboselect qubo", 1


@dataclass(frozen=True)
class Problem:
    """A QUBO, the names of its bits, and where it came from.

    ``offset`` is the energy of the features that were included before the export; it is added to every energy. ``ones``
    is how many bits are to be 1, None where any number may be, because the lowest energy of all has that many.
    """

    qubo: "QUBO"
    names: tuple[str, ...]
    alpha: float | None = None
    offset: float = 0.0
    included: tuple[str, ...] = ()
    ones: int | None = None


def export(
    reading: Reading,
    wishes: Wishes,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    output: Annotated[Path, option("--output -o FILE", f"Ends in {SUFFIXES}.", OUTPUT)],
    output_format: Annotated[
        QuboFormat | None, option("--output-format", "Format of --output, if not by its suffix.", OUTPUT)
    ] = None,
    force: Force = False,
) -> None:
    """Write the QUBO of a table at one alpha, or at the alpha that the criterion has for k features.

    The lowest energy of that QUBO need not have k ones: where it must be held to them, the output says so.
    """
    if wishes.k is None and wishes.alpha is None:
        raise Wrong("--alpha is missing: give it, or -k for the alpha that the criterion has for k features.")
    form = output_format or output.suffix.lower().removeprefix(".")
    if form not in get_args(QuboFormat):
        raise Wrong(
            f"--output must end in {SUFFIXES}, got {shortened(output.name)!r}: or add --output-format."
        )
    check_output(output, reading.table, force)
    if form == "bqm":
        from ..quantum.dimod import dimod_library

        dimod_library("a .bqm file")
    from .tables import fitted

    selector, loaded = fitted(reading, wishes, measuring, solving, saying)
    problem = exported_problem(selector, loaded.features)
    with complete_file(output) as part:
        part.write_bytes(file_content(problem, form))
    if not saying.quiet and not is_standard_output(output):
        print(
            f"{output}: {problem.qubo.size} bits at alpha {problem.alpha:.6g}{_held_words(problem, output)}"
        )


def _held_words(problem: Problem, output: Path) -> str:
    """Return how to solve a QUBO whose lowest energy may have another number of ones than was asked for."""
    if problem.ones is None:
        return ""
    are = "is" if problem.ones == 1 else "are"
    return (
        f", of which exactly {problem.ones} {are} to be 1: solve it with quboselect qubo solve "
        f"{shlex.quote(str(output))} -k {problem.ones}"
    )


def exported_problem(selector: Any, names: tuple[str, ...]) -> Problem:
    """Return the QUBO of a fit over the features that were not included beforehand."""
    result = selector.result_
    settled = dict(zip(names, result.constraints.included, strict=True))
    return Problem(
        result.problem.at(result.alpha),
        tuple(name for name in names if not settled[name]),
        result.alpha,
        result.units.constant.energy(result.alpha),
        tuple(name for name in names if settled[name]),
        None if result.on_path else result.k - result.constraints.kept,
    )


def solve(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help=f"File of a QUBO ({SUFFIXES}); - is standard input.")
    ],
    solving: Solving,
    saying: Saying,
    k: Annotated[int | None, option("-k --k INTEGER", "Set exactly k bits to 1.", SOLVING, min=0)] = None,
    output: Output = None,
    force: Force = False,
    names: NamesOnly = False,
    json: Json = False,
) -> None:
    """Solve the QUBO of a file; --output writes all solutions as JSON."""
    if names and json:
        raise Wrong("give --names or --json, not both.")
    from .files import source_of

    source, label = source_of(file, "QUBO")
    if output is not None:
        if output.suffix.lower() != ".json" and not str(output).startswith("/dev/"):
            raise Wrong(f"--output must end in .json, got {shortened(output.name)!r}.")
        check_output(output, file, force)
    problem = problem_of(source if isinstance(source, bytes) else source.read_bytes(), label)
    solver = _sized(make_solver(solving), k, problem.qubo.size, solving.solver)
    from ..protocols import ask
    from .documents import every_solution, json_text, solution
    from .tables import print_document, print_names

    if k is None and problem.ones is not None:
        say_notes(
            [
                f"{label} was exported for a fixed number of ones: add -k {problem.ones}, or as many come as are best."
            ],
            quiet=saying.quiet,
        )
    show_progress("solving", quiet=saying.quiet)
    solutions = ask(solver, problem.qubo)
    end_progress()
    settings = {"k": k, "solver": solving.solver, "effort": solving.effort, "seed": solving.seed}
    document = solution(solutions, problem, label, settings)
    if output is not None:
        with complete_file(output) as part:
            part.write_text(json_text({**document, "solutions": every_solution(solutions)}) + "\n", "utf-8")
    if names:
        print_names([*document["included"], *document["names"]])
    elif json or not ((saying.quiet and output is not None) or is_standard_output(output)):
        print_document(document, json)


def _sized(solver: Any, k: int | None, bits: int, name: str) -> Any:
    """Return a solver that sets exactly k bits."""
    if k is None:
        return solver
    from dataclasses import replace

    from ..protocols import takes

    if k > bits:
        raise Wrong(f"-k must be from 0 to {bits} (the QUBO has {bits} bits), got {k}.")
    if not takes(solver, "k"):
        raise Wrong(f"--solver {name} cannot fix the number of ones: leave -k out, or use portfolio.")
    return replace(solver, k=k)


def file_content(problem: Problem, form: str) -> bytes:
    """Return a problem as the content of a file."""
    import numpy as np

    qubo, file = problem.qubo, io.BytesIO()
    i, j = np.nonzero(np.triu(qubo.couplings, 1))
    if form == "npz":
        np.savez_compressed(
            file,
            linear=qubo.linear,
            couplings=qubo.couplings,
            names=np.array(problem.names, np.str_),
            alpha=np.array(np.nan if problem.alpha is None else problem.alpha),
            offset=np.array(problem.offset),
            included=np.array(problem.included, np.str_),
            ones=np.array(np.nan if problem.ones is None else problem.ones),
        )
    elif form == "npy":
        np.save(file, np.triu(qubo.couplings, 1) + np.diag(qubo.linear))
    elif form == "bqm":
        from ..quantum.dimod import quadratic_model

        model = quadratic_model(qubo)
        model.offset = problem.offset
        model.relabel_variables(dict(enumerate(problem.names)))
        with model.to_file() as content:
            file.write(content.read())
    else:
        document = {
            "format": FORMAT,
            "version": VERSION,
            "alpha": problem.alpha,
            "offset": problem.offset,
            "names": problem.names,
            "included": problem.included,
            "ones": problem.ones,
            "linear": qubo.linear.tolist(),
            "couplings": list(zip(i.tolist(), j.tolist(), qubo.couplings[i, j].tolist(), strict=True)),
        }
        file.write(jsons.dumps(document).encode() + b"\n")
    return file.getvalue()


def problem_of(content: bytes, label: str) -> Problem:
    """Return the problem that a file holds, or raise in words if it holds none."""
    try:
        if content.startswith(b"PK"):
            return _from_npz(content)
        if content.startswith(b"\x93NUMPY"):
            return _from_npy(content)
        if content.startswith(b"DIMODBQM"):
            return _from_dimod(lambda model: model.from_file(content))
        return _from_json(jsons.loads(content))
    except (
        KeyError,
        IndexError,
        TypeError,
        ValueError,
        AttributeError,
        OSError,
        zipfile.BadZipFile,
    ) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error).rstrip(".")
        raise Failed(
            f"{label} holds no QUBO ({shortened(reason, 200)}): one of {SUFFIXES} was expected."
        ) from error


def _from_npz(content: bytes) -> Problem:
    import numpy as np

    from ..qubo import QUBO

    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        values = {name: arrays[name].tolist() for name in arrays if name not in ("linear", "couplings")}
        return _named_problem(QUBO(arrays["linear"], arrays["couplings"]), values)


def _from_npy(content: bytes) -> Problem:
    import numpy as np

    from ..qubo import QUBO

    return _named_problem(QUBO.from_matrix(np.load(io.BytesIO(content), allow_pickle=False)), {})


def _from_json(document: dict[str, Any]) -> Problem:
    import numpy as np

    from ..qubo import QUBO

    if document.get("type") == "BinaryQuadraticModel":
        return _from_dimod(lambda model: model.from_serializable(document))
    if (document.get("format"), document.get("version")) != (FORMAT, VERSION):
        raise ValueError(f'"format" must be "{FORMAT}" and "version" {VERSION}')
    matrix = np.diag(np.array(document["linear"], np.float64))
    for i, j, value in document["couplings"]:
        if i == j or min(i, j) < 0:
            raise ValueError(f"({i}, {j}) is no pair of bits")
        matrix[i, j] += value
    return _named_problem(QUBO.from_matrix(matrix), document)


def _from_dimod(read: Any) -> Problem:
    """Return the problem of dimod's model, over bits or over spins."""
    import numpy as np

    from ..quantum.dimod import dimod_library
    from ..qubo import QUBO

    model = read(dimod_library("a file of dimod's").BinaryQuadraticModel).change_vartype(
        "BINARY", inplace=False
    )
    at = {variable: i for i, variable in enumerate(model.variables)}
    matrix = np.diag(np.array([model.linear[variable] for variable in at], np.float64))
    for (u, v), bias in model.quadratic.items():
        matrix[at[u], at[v]] += bias
    return _named_problem(QUBO.from_matrix(matrix), {"names": list(at), "offset": model.offset})


def _named_problem(qubo: "QUBO", values: dict[str, Any]) -> Problem:
    """Return a problem with what its file says beside the QUBO."""
    names = tuple(map(str, values.get("names") or range(qubo.size)))
    if len(names) != qubo.size:
        raise ValueError(f"there are {len(names)} names for {qubo.size} bits")
    alpha, ones = values.get("alpha"), values.get("ones")
    return Problem(
        qubo,
        names,
        None if alpha is None or alpha != alpha else float(alpha),
        float(values.get("offset") or 0.0),
        tuple(map(str, values.get("included") or ())),
        None if ones is None or ones != ones else int(ones),
    )
