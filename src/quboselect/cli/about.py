"""The commands that need no table: data sets to try, and what is installed."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from .messages import Wrong, hint
from .options import Force, Json, Output, OutputFormat, Saying, Seed
from .writing import check_output, is_standard_output, output_form, print_text, write_table

TARGET = "class"

# The function of quboselect.datasets, its settings, then samples, features, classes and source.
SETS: dict[str, tuple[str, dict[str, int], int, int, int, str]] = {
    "ionosphere": ("load_ionosphere", {}, 351, 34, 2, "shipped"),
    "synth_10": ("make_synth", {}, 10_000, 10, 2, "generated"),
    "synth_100": ("make_synth", {"n": 100, "informative": 10}, 10_000, 100, 2, "generated"),
    "waveform": ("make_waveform", {}, 5_000, 21, 3, "generated"),
}
EXTRAS = {
    "cli": ("typer", "rich", "polars"),
    "plot": ("matplotlib",),
    "arrow": ("pyarrow",),
    "dask": ("dask", "distributed"),
    "gpu": ("torch",),
    "dwave": ("dimod", "dwave-samplers"),
    "dwave-qpu": ("dwave-system", "dwave-hybrid"),
    "qiskit": ("qiskit", "qiskit-aer"),
    "ibm": ("qiskit", "qiskit-ibm-runtime"),
}
CORE = ("numpy", "scipy", "numba", "scikit-learn", "narwhals", "joblib", "threadpoolctl")


def _set_names(incomplete: str) -> list[str]:
    return [name for name in SETS if name.startswith(incomplete)]


def datasets(
    saying: Saying,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="Data set to write; without it, list all.", autocompletion=_set_names
        ),
    ] = None,
    output: Output = None,
    output_format: OutputFormat = None,
    seed: Seed = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """List the data sets to try, or write one with its target as the column 'class'."""
    if name is None:
        if output is not None:
            raise Wrong(f"the name of the data set is missing: {hint('', SETS)}")
        from .documents import opening
        from .tables import print_document

        keys = ("name", "samples", "features", "classes", "source")
        every = [dict(zip(keys, (name, *rest), strict=True)) for name, (_, _, *rest) in SETS.items()]
        print_document({**opening("datasets"), "datasets": every}, json)
        return
    if name not in SETS:
        raise Wrong(f"there is no data set {name!r}: {hint(name, SETS)}")
    form = output_format or "csv"
    if output is not None:
        form = output_form(output, output_format)  # type: ignore[assignment]
        check_output(output, "-", force)
    elif form not in ("csv", "tsv"):
        raise Wrong(f"--output-format {form} cannot be printed: name a file with --output.")
    frame = _frame(name, seed)
    if output is None:
        print_text(frame.write_csv(separator="\t" if form == "tsv" else ",").removesuffix("\n"))
        return
    write_table(frame, output, form)
    if not saying.quiet and not is_standard_output(output):
        print(f"{output}: {frame.height} samples of {frame.width - 1} features, the target is {TARGET}")


def _frame(name: str, seed: int) -> Any:
    import polars as pl

    from .. import datasets as made

    function, settings, _, _, _, source = SETS[name]
    seeded = {"seed": seed} if source == "generated" else {}
    data = getattr(made, function)(**settings, **seeded)
    columns = {each: data.X[:, i] for i, each in enumerate(data.feature_names)}
    return pl.DataFrame({**columns, TARGET: data.y})


def info(saying: Saying, json: Json = False) -> None:  # noqa: ARG001
    """Show versions, cores, and which extras are installed."""
    from .documents import opening
    from .tables import print_document

    extras = {extra: {name: _found(name) for name in names} for extra, names in EXTRAS.items()}
    document = {
        **opening("info"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "libraries": {name: _found(name) for name in CORE},
        "extras": {
            extra: {"found": all(found.values()), "libraries": found} for extra, found in extras.items()
        },
    }
    print_document(document, json)


def _found(library: str) -> str | None:
    """Return the version of a library without loading it, None where it is missing."""
    try:
        return version(library)
    except PackageNotFoundError:
        return "found" if find_spec(library.replace("-", "_")) else None
