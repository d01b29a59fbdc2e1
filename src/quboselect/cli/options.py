"""The options that several commands share, in groups, and the solvers that ``--solver`` names.

A command takes a group as one argument; `app` makes typer see its fields as options.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from .messages import Wrong, hint, shortened

READING, SELECTING, SOLVING, OUTPUT = "Reading the table", "Selecting", "Solving", "Output"
NODES = 1_000_000  # of branch and bound, at effort 1

TableFormat = Literal["csv", "tsv", "parquet", "arrow"]
TargetType = Literal["auto", "classes", "continuous"]
Ways = Literal["sum", "joint"]
ClassWeight = Literal["balanced"]
SolverName = Literal[
    "portfolio",
    "branch",
    "exhaustive",
    "tabu",
    "anneal",
    "greedy",
    "quantum-annealing",
    "qaoa",
    "vqe",
    "dwave-annealing",
    "dwave-tabu",
]
CriterionName = Literal["pairs", "qfs", "mrmr", "mifs", "jmi", "cmi", "cife", "icap", "disr"]
Edges = Literal["apart", "quantile"]
Estimate = Literal["plug-in", "miller-madow", "shrunk"]
KINDS = ("number", "category", "text")
ANY_CASE = {"case_sensitive": False}  # people write JMI

# The class that each solver's name stands for, and the settings that it takes.
SOLVERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "portfolio": ("Portfolio", ("effort", "seed", "n_jobs")),
    "branch": ("BranchAndBound", ("nodes",)),
    "exhaustive": ("Exhaustive", ("n_jobs",)),
    "tabu": ("Tabu", ("seed", "n_jobs")),
    "anneal": ("Anneal", ("seed", "n_jobs")),
    "greedy": ("Greedy", ()),
    "quantum-annealing": ("QuantumAnnealing", ("seed", "n_jobs")),
    "qaoa": ("QAOA", ("seed",)),
    "vqe": ("VQE", ("seed",)),
    "dwave-annealing": ("SimulatedAnnealingSampler", ("seed",)),
    "dwave-tabu": ("TabuSampler", ("seed",)),
}
PROVING = ("portfolio", "branch")  # those that prove more with more effort

# What the library calls by its Python name, as it is typed.
TYPED = {
    "X": "the table",
    "y": "the target",
    "n_jobs": "--threads",
    **{f"solvers.{kind}": f"--solver {name}" for name, (kind, _) in SOLVERS.items()},
    **{
        name: f"--{name}"
        for name in (
            "k",
            "alpha",
            "bins",
            "blocks",
            "effort",
            "criterion",
            "edges",
            "estimate",
            "include",
            "seed",
            "solver",
        )
    },
    "target_type": "--target-type",
    "parts": "--date-parts",
    "targets": "--targets",
    "class_weight": "--class-weight",
}


def typed_names(words: str) -> str:
    """Return a sentence of the library in which parameters have the names of options.

    A parameter is a name at the start of the sentence or before "=".

    Examples
    --------
    >>> typed_names("solvers.Exhaustive takes at most 30 bits; use solvers.BranchAndBound().")
    '--solver exhaustive takes at most 30 bits; use --solver branch.'
    >>> typed_names("y has 9 classes: for a number, give target_type='continuous'.")
    "the target has 9 classes: for a number, give --target-type='continuous'."
    """
    parameter = re.compile(r"\bsolvers\.\w+(?:\(\))?|^\w+|\b\w+(?==)")
    return parameter.sub(lambda found: TYPED.get(found[0].removesuffix("()"), found[0]), words)


def option(usage: str, words: str, panel: str | None = None, **how: Any) -> Any:
    """Return an option of typer's.

    Parameters
    ----------
    usage : str
        Its names, and what stands for its value in the help: ``"--output -o FILE"``.
    words : str
        Its help text.
    panel : str, optional
        The panel of the help that shows it.
    """
    names = [part for part in usage.split() if part.startswith("-")]
    value = " ".join(usage.split()[len(names) :]) or None
    return typer.Option(*names, help=words, rich_help_panel=panel, metavar=value, **how)


def subset_size(value: str) -> int | str:
    """Return what ``-k`` asks for: a number of features, or "auto"."""
    if value == "auto" or (value.isdecimal() and int(value)):
        return value if value == "auto" else int(value)
    raise Wrong(f"-k must be an integer of at least 1, or auto, got {shortened(value)!r}.")


def bin_number(value: str) -> int | str:
    """Return what ``--bins`` asks for: a number of bins, or "auto"."""
    if value == "auto" or (value.isdecimal() and 2 <= int(value) <= 65_536):
        return value if value == "auto" else int(value)
    raise Wrong(f"--bins must be an integer from 2 to 65536, or auto, got {shortened(value)!r}.")


Names = list[str] | None
Include = Annotated[Names, option("--include NAMES", "Features to select in any case.", SELECTING)]
Output = Annotated[Path | None, option("--output -o FILE", "File to write.", OUTPUT)]
OutputFormat = Annotated[
    TableFormat | None, option("--output-format", "Format of --output, if not by its suffix.", OUTPUT)
]
Json = Annotated[bool, option("--json", "Print JSON, as docs/json.md describes it.", OUTPUT)]
NamesOnly = Annotated[bool, option("--names", "Print only names, one on each line.", OUTPUT)]
Force = Annotated[bool, option("--force", "Let --output replace the input file.", OUTPUT)]
Seed = Annotated[int, option("--seed INTEGER", "Seed of random numbers.", SOLVING, min=0)]


@dataclass(frozen=True)
class Reading:
    """The table, its target, and the types of its features."""

    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="CSV, TSV, Parquet or Arrow file; - is standard input.")
    ]
    target: Annotated[
        Names,
        option(
            "--target -t NAME",
            "Column to predict; 3 is the third, -1 the last; several are separated by commas.",
        ),
    ] = None
    no_target: Annotated[
        bool, option("--no-target", "Predict nothing: select features that say most of the others.")
    ] = False
    target_type: Annotated[
        TargetType, option("--target-type", "Classes or numbers; auto decides by the values.", READING)
    ] = "auto"
    targets: Annotated[
        Ways, option("--targets", "Add up several targets, or take their combinations.", SELECTING)
    ] = "sum"
    class_weight: Annotated[
        ClassWeight | None, option("--class-weight", "Let classes count alike.", SELECTING)
    ] = None
    drop_missing: Annotated[
        bool, option("--drop-missing-target", "Drop samples without a target.", READING)
    ] = False
    exclude: Annotated[
        Names, option("--exclude NAMES", "Features to ignore; separate names by commas.", SELECTING)
    ] = None
    form: Annotated[
        TableFormat | None, option("--format", "Format of the table, if not by its suffix.", READING)
    ] = None
    types: Annotated[
        Names, option("--type NAME=KIND", f"Type of a feature: {', '.join(KINDS)}. Can be repeated.", READING)
    ] = None
    categorical: Annotated[
        Names, option("--categorical NAMES", "Numeric features that are categories.", READING)
    ] = None
    date_parts: Annotated[
        Names,
        option("--date-parts NAMES", "Parts of dates as features, such as month,weekday,hour.", READING),
    ] = None
    separator: Annotated[
        str | None, option("--separator CHARACTER", "Separator of the CSV; guessed.", READING)
    ] = None
    null_value: Annotated[
        Names, option("--null-value TEXT", "Text of a missing value. Can be repeated.", READING)
    ] = None
    no_header: Annotated[
        bool, option("--no-header", "The CSV has no names: use column_1, column_2, ...", READING)
    ] = False


@dataclass(frozen=True)
class Measuring:
    """How importance and redundancy are measured."""

    criterion: Annotated[
        CriterionName,
        option(
            "--criterion",
            "What to select by; qfs is the paper's, docs/cli.md explains each.",
            SELECTING,
            **ANY_CASE,
        ),
    ] = "pairs"
    # typer knows no unions: it is an integer or "auto".
    bins: Annotated[
        Any,
        option(
            "--bins INTEGER|auto", "Bins of a number; auto goes by the samples.", SELECTING, parser=bin_number
        ),
    ] = "auto"
    edges: Annotated[
        Edges,
        option(
            "--edges", "Frequent values are bins apart, or all is cut at quantiles.", SELECTING, **ANY_CASE
        ),
    ] = "apart"
    estimate: Annotated[
        Estimate,
        option(
            "--estimate", "How counts become information; shrunk suits few samples.", SELECTING, **ANY_CASE
        ),
    ] = "plug-in"


@dataclass(frozen=True)
class Wishes:
    """What to select."""

    # typer knows no unions: it is an integer or "auto".
    k: Annotated[
        Any,
        option(
            "-k --k INTEGER|auto",
            "Number of features, exactly; 10 by default. auto finds a small one.",
            SELECTING,
            parser=subset_size,
        ),
    ] = None
    alpha: Annotated[
        float | None,
        option(
            "--alpha NUMBER",
            "Weight of importance, instead of the criterion's; without -k, as many features as are best at it.",
            SELECTING,
            min=0.0,
            max=1.0,
        ),
    ] = None
    include: Include = None
    blocks: Annotated[
        int | None,
        option("--blocks INTEGER", "Of a time series: neighbours that stay together.", SELECTING, min=2),
    ] = None


@dataclass(frozen=True)
class Solving:
    """The solver and its settings."""

    solver: Annotated[SolverName, option("--solver", "Solver of the QUBOs.", SOLVING)] = "portfolio"
    effort: Annotated[
        float | None,
        option("--effort NUMBER", "Work spent on a proof; 1 by default, 0 is none.", SOLVING, min=0.0),
    ] = None
    seed: Seed = 0
    threads: Annotated[
        int | None, option("--threads INTEGER", "Threads; all cores by default.", SOLVING, min=1, max=4096)
    ] = None

    @property
    def n_jobs(self) -> int:
        """The number of threads as the library takes it: -1 is all cores."""
        return -1 if self.threads is None else self.threads


@dataclass(frozen=True)
class Saying:
    """What is printed on standard error."""

    quiet: Annotated[bool, option("--quiet -q", "Print no progress and no notes.", OUTPUT)] = False
    debug: Annotated[bool, option("--debug", "Show where an error came from.", OUTPUT)] = False


def make_solver(solving: Solving) -> Any:
    """Return the solver that was asked for."""
    from .. import quantum, solvers

    name = solving.solver
    if solving.effort is not None and name not in PROVING:
        raise Wrong(f"--effort is for the solvers {' and '.join(PROVING)}, not for {name}: leave it out.")
    effort = 1.0 if solving.effort is None else solving.effort
    given: dict[str, Any] = {"effort": effort, "seed": solving.seed, "n_jobs": solving.n_jobs}
    kind, settings = SOLVERS[name]
    try:
        if name == "branch":
            if effort == inf:
                raise Wrong("--effort must be a finite number of at least 0, got inf.")
            given["nodes"] = max(int(effort * NODES), 1)
        chosen = {setting: given[setting] for setting in settings}
        if name.startswith("dwave"):
            from ..quantum.dimod import local_sampler

            return quantum.Dimod(local_sampler(kind, f"--solver {name}"), **chosen)
        return getattr(solvers if hasattr(solvers, kind) else quantum, kind)(**chosen)
    except (TypeError, ValueError, OverflowError) as error:
        raise Wrong(typed_names(str(error))) from error


def feature_names(given: Names, known: Iterable[str], typed: str, targets: Collection[str] = ()) -> list[str]:
    """Return the features that an option names, one by one or separated by commas; raise if one is unknown.

    Examples
    --------
    >>> feature_names(["a,b", "x,y"], ["a", "b", "x,y"], "--include")
    ['a', 'b', 'x,y']
    """
    there = set(known)
    found: list[str] = []
    for text in given or ():
        for name in [text] if text in there else [part.strip() for part in text.split(",")]:
            if name in targets:
                raise Wrong(
                    f"{typed} must name features, but {shortened(name)!r} is the target: leave it out."
                )
            if name not in there:
                others = (each for each in known if each not in targets)
                raise Wrong(
                    f"{typed} must name features of the table, got {shortened(name)!r}: {hint(name, others)}"
                )
            found.append(name)
    return list(dict.fromkeys(found))
