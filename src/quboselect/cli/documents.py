"""What a command has found, as plain values that become JSON.

`showing` prints the same documents on a terminal, so that both say the same. docs/json.md describes them; a change that
breaks readers of it raises `SCHEMA_VERSION`.
"""

import json
import math
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from .options import Measuring, Reading, Solving

if TYPE_CHECKING:
    from ..evaluation.cross_validation import SelectQUBOCV
    from ..explain.alternatives import Alternatives
    from ..qubo import Solutions
    from ..report.comparison import Comparison
    from ..report.stability import Stability
    from ..search.path import Path
    from ..selector import SelectQUBO
    from .qubos import Problem
    from .reading import Loaded

SCHEMA_VERSION = 3

Document = dict[str, Any]


def json_text(document: Document) -> str:
    """Return a document as JSON text, in which NaN and infinity are null.

    Examples
    --------
    >>> print(json_text({"gap": float("inf"), "k": 2}))
    {
      "gap": null,
      "k": 2
    }
    """
    return json.dumps(json_value(document), indent=2, ensure_ascii=False, allow_nan=False)


def json_value(value: Any) -> Any:
    """Return a value as JSON has it."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): json_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def opening(command: str) -> Document:
    """Return how every document begins."""
    return {"schema_version": SCHEMA_VERSION, "command": command, "version": version("quboselect")}


def table_opening(
    command: str, loaded: "Loaded", asked: Document, reading: Reading, measuring: Measuring, solving: Solving
) -> Document:
    """Return how the document of a table begins: what was read, and what was asked for."""
    return {
        **opening(command),
        "table": {
            "source": loaded.source,
            "samples": loaded.frame.height,
            "features": len(loaded.features),
            "target": loaded.target,
            "excluded": loaded.excluded,
            "categorical": loaded.categorical,
        },
        "settings": {
            **asked,
            "target_type": reading.target_type,
            "targets": reading.targets,
            "class_weight": reading.class_weight,
            "criterion": measuring.criterion,
            "bins": measuring.bins,
            "edges": measuring.edges,
            "estimate": measuring.estimate,
            "solver": solving.solver,
            "effort": solving.effort,
            "seed": solving.seed,
        },
    }


def selection(selector: "SelectQUBO", names: tuple[str, ...]) -> Document:
    """Return what a fit selected: its features, best first, what they are worth, and what was proven.

    Only here the command reads what a fit found.
    """
    import numpy as np

    from ..tradeoff import Line

    result = selector.result_
    chosen, tradeoff = result.features, result.tradeoff
    within = tradeoff.among(chosen).sum(axis=1)
    importance = tradeoff.importance[chosen]
    contribution = -Line(importance, within).energy(result.alpha)
    return {
        "selected": [names[i] for i in chosen],
        "k": len(chosen),
        "alpha": result.alpha,
        "alpha_window": result.window,
        "on_path": result.on_path,
        "passes": result.passes,
        "left_out": [] if result.silent is None else [names[i] for i in np.flatnonzero(result.silent)],
        "importance": float(importance.sum()),
        "redundancy": float(0.5 * within.sum()),
        "energy": result.energy,
        "bound": result.bound,
        "proven": result.proven,
        "gap": result.gap,
        "warnings": [{"kind": each.kind, "text": each.text} for each in result.warnings],
        "features": [
            {
                "name": names[chosen[at]],
                "index": int(chosen[at]),
                "importance": float(importance[at]),
                "redundancy": float(within[at]),
                "contribution": float(contribution[at]),
            }
            for at in np.argsort(-contribution, kind="stable")
        ],
    }


def ranking(selector: "SelectQUBO", names: tuple[str, ...]) -> Document:
    """Return all features, the first rank first."""
    result = selector.result_
    importance = result.tradeoff.importance
    rows = [
        {
            "rank": int(rank),
            "name": name,
            "selected": bool(result.support[i]),
            "importance": float(importance[i]),
        }
        for i, (name, rank) in enumerate(zip(names, result.ranking, strict=True))
    ]
    return {"k": result.k, "alpha": result.alpha, "features": sorted(rows, key=lambda row: row["rank"])}


def reasons(selector: "SelectQUBO", wanted: list[str]) -> Document:
    """Return why features were selected or left out: some, or all, the first rank first."""
    found = [reason for reason in selector.explain().ranked if not wanted or reason.name in wanted]
    keys = [key for key in found[0]._fields if key != "unit"]
    rows = [{**{key: getattr(each, key) for key in keys}, "sentence": str(each)} for each in found]
    return {"k": selector.k_, "alpha": selector.alpha_, "features": rows}


def other_subsets(found: "Alternatives", names: tuple[str, ...]) -> Document:
    """Return the best subsets of one size, best first."""
    first = found[0].support
    subsets = [
        {
            "features": [name for name, taken in zip(names, each.support, strict=True) if taken],
            "without": [name for name, gone in zip(names, first & ~each.support, strict=True) if gone],
            "with": [name for name, new in zip(names, each.support & ~first, strict=True) if new],
            "energy": each.energy,
            "worse_by_relative": each.worse,
            "proven": each.proven,
            "gap": each.gap,
        }
        for each in found
    ]
    return {
        "k": int(first.sum()),
        "proven": found.proven,
        "complete": found.complete,
        "subsets": subsets,
    }


def stable(found: "Stability", names: tuple[str, ...]) -> Document:
    """Return how often each feature was selected, the most frequent first."""
    import numpy as np

    order = np.argsort(-found.frequency, kind="stable")
    return {
        "index": found.index,
        "interval": found.interval(),
        "resamples": len(found.supports),
        "features": [
            {
                "name": names[i],
                "frequency": float(found.frequency[i]),
                "selected": bool(found.support[i]),
            }
            for i in order
        ],
    }


def scores(found: "SelectQUBOCV", names: tuple[str, ...]) -> Document:
    """Return the score of every number of features, and what was chosen."""
    results = found.cv_results_
    return {
        "k": found.k_,
        "selected": [names[i] for i in found.get_support(indices=True)],
        "proven": bool(found.selector_.proven_),
        "choice": found.choice_,
        "sizes": [
            {"k": int(k), "mean_score": float(mean), "std_score": float(spread)}
            for k, mean, spread in zip(
                results["k"], results["mean_test_score"], results["std_test_score"], strict=True
            )
        ],
    }


def full_path(path: "Path", names: tuple[str, ...]) -> Document:
    """Return a path, with one entry for each segment."""
    segments: list[Document] = []
    before: list[str] = []
    for segment in path:
        features = [names[i] for i in segment.features]
        segments.append(
            {
                "alpha": [segment.start, segment.stop],
                "size": segment.size,
                "importance": segment.importance,
                "redundancy": segment.redundancy,
                "proven": segment.proven,
                "gap": segment.gap,
                "entered": [name for name in features if name not in set(before)],
                "left": [name for name in before if name not in set(features)],
                "features": features,
            }
        )
        before = features
    return {"solves": path.solves, "proven": path.proven, "segments": segments}


def comparison(compared: "Comparison", names: tuple[str, ...]) -> Document:
    """Return our selection and those of other methods, ours first."""
    keys = (
        "name",
        "objective",
        "worse_by",
        "worse_by_relative",
        "importance",
        "redundancy",
        "mean_redundancy",
        "shared",
        "jaccard",
    )
    return {
        "k": int(compared.ours.x.sum()),
        "alpha": compared.alpha,
        "proven": compared.proven,
        "gap": compared.gap,
        "mean_redundancy": compared.mean_redundancy,
        "bits": compared.bits,
        "penalised_bits": compared.penalised_bits,
        "methods": [
            {
                **{key: getattr(row, key) for key in keys},
                "features": [name for name, taken in zip(names, row.x, strict=True) if taken],
            }
            for row in compared.rows
        ],
    }


def solution(solutions: "Solutions", problem: "Problem", source: str, settings: Document) -> Document:
    """Return the best solution of a QUBO, among all bits or those of a size."""
    ones = solutions.best.nonzero()[0]
    return {
        **opening("qubo solve"),
        "source": source,
        "settings": settings,
        "bits": problem.qubo.size,
        "alpha": problem.alpha,
        "energy": float(solutions.energy[0]) + problem.offset,
        "bound": solutions.bound + problem.offset,
        "proven": solutions.proven,
        "proven_among": settings["k"],
        "gap": solutions.gap,
        "size": int(ones.size),
        "ones": ones,
        "names": [problem.names[i] for i in ones],
        "included": problem.included,
        "offset": problem.offset,
    }


def every_solution(solutions: "Solutions") -> list[Document]:
    """Return all solutions, the best first: energy, bits as text, and how often each was found."""
    found = zip(
        solutions.energy.tolist(), solutions.x.astype(int).tolist(), solutions.count.tolist(), strict=True
    )
    return [
        {"energy": energy, "bits": "".join(map(str, bits)), "count": count} for energy, bits, count in found
    ]
