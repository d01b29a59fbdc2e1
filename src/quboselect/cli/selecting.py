"""From what was typed to what was selected. Options and a table flow in; a fitted `SelectQUBO`, or I and R, flow out.

Warnings of the library become notes, one line each; errors about what was typed end with exit code 2.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .failures import Wrong, plural, say, typed_names, wrong_use
from .names import solver_of
from .options import Measuring, Reading, Saying, Solving, Wishes
from .progress import Stages, stages_for

if TYPE_CHECKING:
    from ..constraints import Constraints
    from ..selector import SelectQUBO
    from ..tradeoff import Tradeoff
    from .reading import Loaded

DEFAULT_SIZE = 10


@dataclass(frozen=True)
class Measured:
    """A table's I and R, what must be in, and who is to solve."""

    loaded: "Loaded"
    tradeoff: "Tradeoff"
    constraints: "Constraints"
    solver: Any
    stages: Stages


def check_wishes(wishes: Wishes) -> None:
    """Raise if what is wished for contradicts itself, before anything is read."""
    if wishes.k is not None and wishes.alpha is not None:
        raise Wrong(
            "give -k, how many features, or --alpha, which gives as many as are best there: not both."
        )


def fitted(
    reading: Reading, measuring: Measuring, wishes: Wishes, solving: Solving, saying: Saying
) -> tuple["SelectQUBO", "Loaded"]:
    """Return a selector fitted to the table, and the table."""
    check_wishes(wishes)
    loaded, included, stages = _ready(reading, solving, saying, wishes.include)
    k = default_size(loaded, told=wishes.alpha is None) if wishes.k is None else wishes.k
    if wishes.alpha is None:
        check_size(k, loaded, included)
    solver = _solver(solving, stages)
    from ..selector import SelectQUBO
    from .watching import watched_redundancy, watched_solver

    importance, redundancy = _measures(measuring, solving)
    selector = SelectQUBO(
        k=k,
        alpha=wishes.alpha,
        importance=importance,
        redundancy=watched_redundancy(redundancy, stages),
        solver=watched_solver(solver, stages, whole=False),
        target_type=reading.target_kind,
        categorical_features=list(loaded.categorical) or "auto",
        include=included or None,
    )
    with noted(loaded.notes):
        selector.fit(loaded.frame.drop(loaded.target), loaded.frame[loaded.target])
    selector.set_params(redundancy=redundancy, solver=solver)
    finish(loaded, stages, saying)
    return selector, loaded


def measured(
    reading: Reading,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    *,
    include: list[str] | None = None,
    k: int | None = None,
) -> Measured:
    """Return the importance and redundancy of a table, for commands that ask more of them than one subset."""
    loaded, included, stages = _ready(reading, solving, saying, include)
    if k is not None:
        check_size(k, loaded, included)
    solver = _solver(solving, stages)
    if getattr(solver, "calls", None) is not None:
        raise Wrong(
            f"--solver {solving.solver} is asked once, and this takes many QUBOs: use a classical solver."
        )
    from ..constraints import Constraints
    from ..protocols import pairs, scores
    from ..tables.table import as_table
    from ..tables.target import as_target
    from ..tradeoff import Tradeoff
    from .watching import watched_redundancy, watched_solver

    importance, redundancy = _measures(measuring, solving)
    with noted(loaded.notes):
        table = as_table(loaded.frame.drop(loaded.target), categorical=list(loaded.categorical) or "auto")
        target = as_target(loaded.frame[loaded.target], reading.target_kind).of(table)
        tradeoff = Tradeoff(
            scores(importance, table, target), pairs(watched_redundancy(redundancy, stages), table, target)
        )
    constraints = Constraints.of(tradeoff.size, loaded.features, include=included or None)
    return Measured(loaded, tradeoff, constraints, watched_solver(solver, stages, whole=True), stages)


def _ready(
    reading: Reading, solving: Solving, saying: Saying, include: list[str] | None
) -> tuple["Loaded", list[str], Stages]:
    """Return the table, what must be in, and the stages."""
    if solving.threads is not None:
        import os

        # polars reads it once, when it is loaded.
        os.environ.setdefault("POLARS_MAX_THREADS", str(solving.threads))
    stages = stages_for(saying.quiet)
    from .reading import read_table

    return *read_table(reading, stages, include), stages


def _solver(solving: Solving, stages: Stages) -> Any:
    stages.begin("loading the solvers")
    with wrong_use():
        return solver_of(solving.solver, effort=solving.effort, seed=solving.seed, threads=solving.threads)


def _measures(measuring: Measuring, solving: Solving) -> tuple[Any, Any]:
    from .. import importance, redundancy

    settings: dict[str, Any] = {
        "bins": measuring.bins,
        "corrected": measuring.corrected,
        "n_jobs": -1 if solving.threads is None else solving.threads,
    }
    return importance.MutualInformation(**settings), redundancy.MutualInformation(**settings)


def default_size(loaded: "Loaded", *, told: bool = True) -> int:
    """Return ten, or all there are where these are fewer, which is noted if it is to be ``told``."""
    n = len(loaded.features)
    if told and n < DEFAULT_SIZE:
        loaded.notes.append(
            f"the table has {n} {plural(n)}, fewer than {DEFAULT_SIZE}: all are taken. -k says how many."
        )
    return min(DEFAULT_SIZE, n)


def check_size(k: Any, loaded: "Loaded", included: list[str]) -> None:
    """Raise unless the table can give so many features, and what must be in fits among them."""
    n = len(loaded.features)
    if k != "auto" and not len(included) <= k <= n:
        least = max(len(included), 1)
        why = f"{len(included)} are included, and " if included else ""
        raise Wrong(f"-k must be from {least} to {n} ({why}the table has {n} {plural(n)}), got {k}.")


@contextmanager
def noted(notes: list[str]) -> Iterator[None]:
    """Turn the warnings of the library within the block into notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    notes += [
        typed_names(" ".join(str(each.message).split()))
        for each in caught
        if issubclass(each.category, UserWarning)
    ]


def finish(loaded: "Loaded", stages: Stages, saying: Saying) -> None:
    """Take progress away, and say what people should know."""
    stages.stop()
    if not saying.quiet:
        for words in loaded.notes:
            say(words, "note: ")
