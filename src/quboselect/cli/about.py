"""The commands about what there is: data sets to try, and this installation. A name flows in, a table flows out."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from .failures import Wrong, near
from .options import OUTPUT, Force, Json, Output, Saying, number, one_of
from .writing import FORMATS, check_output, is_standard_output, put, table_format, write_table

TARGET = "class"

# name: what makes it in quboselect.datasets, samples, features, classes, where it comes from
SETS: dict[str, tuple[str, dict[str, int], int, int, int, str]] = {
    "ionosphere": ("load_ionosphere", {}, 351, 34, 2, "shipped"),
    "synth_10": ("make_synth", {}, 10_000, 10, 2, "generated"),
    "synth_100": ("make_synth", {"n": 100, "informative": 10}, 10_000, 100, 2, "generated"),
    "waveform": ("make_waveform", {}, 5_000, 21, 3, "generated"),
    "waveform-uci": ("fetch_waveform", {}, 5_000, 21, 3, "QUBOSELECT_DATA or OpenML"),
    "madelon": ("fetch_madelon", {}, 2_000, 500, 2, "QUBOSELECT_DATA or OpenML"),
    "mnist": ("fetch_mnist", {}, 70_000, 784, 10, "QUBOSELECT_DATA or OpenML"),
}
EXTRAS = {
    "cli": ("typer", "rich", "polars"),
    "plot": ("matplotlib",),
    "arrow": ("pyarrow", "datasketches"),
    "dask": ("dask", "distributed"),
    "gpu": ("torch",),
    "dwave": ("dimod", "dwave-samplers"),
    "dwave-qpu": ("dwave-system", "dwave-hybrid"),
    "qiskit": ("qiskit", "qiskit-aer"),
    "ibm": ("qiskit", "qiskit-ibm-runtime"),
}
CORE = ("numpy", "scipy", "numba", "scikit-learn", "narwhals", "joblib", "threadpoolctl")


def _sets(incomplete: str) -> list[str]:
    return [name for name in SETS if name.startswith(incomplete)]


def datasets(
    saying: Saying,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Which one to write; none lists them.", autocompletion=_sets),
    ] = None,
    output: Output = None,
    output_format: Annotated[
        str | None,
        typer.Option(
            "--output-format",
            help="Format, whatever the name.",
            rich_help_panel=OUTPUT,
            **one_of(FORMATS, "--output-format"),
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", help="Of those that are generated.", **number(0, 2**63 - 1, "--seed", whole=True)
        ),
    ] = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """List the data sets to try things on, or write one, with its target as the feature 'class'."""
    if name is None:
        if output is not None:
            raise Wrong(f"say which data set to write: {near('', SETS)}")
        _list(json)
        return
    if name not in SETS:
        raise Wrong(f"there is no data set {name!r}: {near(name, SETS)}")
    form = output_format or "csv"
    if output is not None:
        form = table_format(output, output_format)
        check_output(output, None, force)
    elif form not in ("csv", "tsv"):
        raise Wrong(f"{form} is not for standard output: name a file with --output.")
    frame = _frame(name, seed)
    if output is None:
        put(frame.write_csv(separator="\t" if form == "tsv" else ",").removesuffix("\n"))
        return
    write_table(frame, output, form)
    if not saying.quiet and not is_standard_output(output):
        print(f"{output}: {frame.height} samples of {frame.width - 1} features, the target is {TARGET}")


def _frame(name: str, seed: int) -> Any:
    import polars as pl

    from .. import datasets as made

    function, settings, _, _, _, where = SETS[name]
    seeded = {"seed": seed} if where == "generated" else {}
    data = getattr(made, function)(**settings, **seeded)
    columns = {each: data.X[:, i] for i, each in enumerate(data.feature_names)}
    return pl.DataFrame({**columns, TARGET: data.y})


def _list(json: bool) -> None:
    from .documents import as_json, opening

    if json:
        keys = ("name", "samples", "features", "classes", "source")
        every = [dict(zip(keys, (name, *rest), strict=True)) for name, (_, _, *rest) in SETS.items()]
        put(as_json({**opening("datasets"), "datasets": every}))
        return
    from .showing import show_rows

    columns = (
        ("name", "left"),
        ("samples", "right"),
        ("features", "right"),
        ("classes", "right"),
        ("from", "left"),
    )
    rows = [(name, *map(str, rest)) for name, (_, _, *rest) in SETS.items()]
    show_rows("Data sets: quboselect datasets NAME --output FILE writes one", columns, rows)


def info(saying: Saying, json: Json = False) -> None:  # noqa: ARG001
    """Tell versions, cores, and which extras were found."""
    from .documents import as_json, opening

    extras: dict[str, Any] = {
        extra: {
            "found": all(_found(each) for each in names),
            "libraries": {each: _found(each) for each in names},
        }
        for extra, names in EXTRAS.items()
    }
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    document: dict[str, Any] = {
        **opening("info"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": cores,
        "libraries": {name: _found(name) for name in CORE},
        "extras": extras,
    }
    if json:
        put(as_json(document))
        return
    from .showing import show_rows

    rows = [
        ("quboselect", document["version"]),
        ("python", document["python"]),
        ("platform", document["platform"]),
        ("cores", str(cores)),
        *((name, found or "missing") for name, found in document["libraries"].items()),
    ]
    show_rows("This installation", (("", "left"), ("version", "left")), rows)
    lines = []
    for extra, state in extras.items():
        inside = ", ".join(f"{each} {found or 'missing'}" for each, found in state["libraries"].items())
        lines.append((extra, "yes" if state["found"] else "no", inside))
    show_rows(
        'Extras: pip install "quboselect[NAME]" brings one',
        (("extra", "left"), ("found", "left"), ("libraries", "left")),
        lines,
    )


def _found(library: str) -> str | None:
    """Return the version of a library, without loading it, None where there is none."""
    try:
        return version(library)
    except PackageNotFoundError:
        return "found" if find_spec(library.replace("-", "_")) else None
