"""What a command has to tell, as plain values. A selection, a path or a comparison flows in, a JSON document flows out.

`showing` draws the same documents for people, so that both always say the same. Their form is described in
``docs/json.md``; whoever changes it in a way that breaks readers raises `SCHEMA_VERSION`.
"""

import json
import math
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from .options import Measuring, Reading, Solving, Wishes

if TYPE_CHECKING:
    from ..report.comparison import Comparison
    from ..search.path import Path
    from ..selector import SelectQUBO
    from ..solutions import Solutions
    from .reading import Loaded

SCHEMA_VERSION = 1

Document = dict[str, Any]


def as_json(document: Document) -> str:
    """Return a document as JSON text, which has neither NaN nor infinity: they are null.

    Examples
    --------
    >>> print(as_json({"gap": float("inf"), "k": 2}))
    {
      "gap": null,
      "k": 2
    }
    """
    return json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def opening(command: str) -> Document:
    """Return how every document begins."""
    return {"schema_version": SCHEMA_VERSION, "command": command, "version": version("quboselect")}


def table_of(loaded: "Loaded") -> Document:
    """Return what was read."""
    return {
        "source": loaded.source,
        "samples": loaded.frame.height,
        "features": len(loaded.features),
        "target": loaded.target,
        "excluded": list(loaded.excluded),
        "categorical": list(loaded.categorical),
    }


def settings_of(
    reading: Reading, measuring: Measuring, solving: Solving, wishes: Wishes | None = None, **more: Any
) -> Document:
    """Return what was asked for, enough to ask again."""
    asked = {} if wishes is None else {"k": wishes.k, "alpha": wishes.alpha}
    return {
        **asked,
        **more,
        "target_kind": reading.target_kind,
        "bins": measuring.bins,
        "corrected": measuring.corrected,
        "solver": solving.solver,
        "effort": solving.effort,
        "seed": solving.seed,
    }


def selection(selector: "SelectQUBO", loaded: "Loaded", settings: Document) -> Document:
    """Return a selection: its features, best first, what they are worth, and what was proven."""
    names, alpha = loaded.features, selector.alpha_
    (chosen,) = np.nonzero(selector.support_)
    within = selector.redundancy_[np.ix_(chosen, chosen)].sum(axis=1)
    importance = selector.importance_[chosen]
    contribution = (1.0 - alpha) * within - alpha * importance
    features = [
        {
            "name": names[i],
            "index": int(i),
            "importance": float(importance[at]),
            "redundancy": float(within[at]),
            "contribution": float(contribution[at]),
        }
        for at, i in enumerate(chosen)
    ]
    return {
        **opening("select"),
        "table": table_of(loaded),
        "settings": settings,
        "selected": [names[i] for i in chosen],
        "k": int(selector.support_.sum()),
        "alpha": alpha,
        "alpha_window": list(selector.alpha_window_),
        "on_path": selector.on_path_,
        "importance": float(importance.sum()),
        "redundancy": float(0.5 * within.sum()),
        "energy": selector.energy_,
        "bound": selector.bound_,
        "proven": selector.proven_,
        "gap": selector.solutions_.gap,
        "features": sorted(features, key=lambda feature: (feature["contribution"], feature["index"])),
        "notes": loaded.notes,
    }


def whole_path(path: "Path", loaded: "Loaded", settings: Document) -> Document:
    """Return a path, one entry for each segment."""
    names = loaded.features
    before = np.zeros(len(names), np.bool_)
    segments = []
    for segment in path:
        segments.append(
            {
                "alpha": [segment.start, segment.stop],
                "size": segment.size,
                "importance": segment.importance,
                "redundancy": segment.redundancy,
                "proven": segment.proven,
                "gap": segment.gap,
                "entered": [names[i] for i in np.flatnonzero(segment.x & ~before)],
                "left": [names[i] for i in np.flatnonzero(before & ~segment.x)],
                "features": [names[i] for i in segment.features],
            }
        )
        before = segment.x
    return {
        **opening("path"),
        "table": table_of(loaded),
        "settings": settings,
        "solves": path.solves,
        "proven": path.proven,
        "segments": segments,
        "notes": loaded.notes,
    }


def comparison(compared: "Comparison", loaded: "Loaded", settings: Document) -> Document:
    """Return ours beside the baselines, ours first."""
    names = loaded.features
    methods = [
        {
            "name": row.name,
            "objective": row.objective,
            "worse_by": row.worse_by,
            "worse_by_relative": row.worse_by_relative,
            "importance": row.importance,
            "redundancy": row.redundancy,
            "mean_redundancy": row.mean_redundancy,
            "shared": row.shared,
            "jaccard": row.jaccard,
            "features": [names[i] for i in np.flatnonzero(row.x)],
        }
        for row in compared.rows
    ]
    return {
        **opening("compare"),
        "table": table_of(loaded),
        "settings": settings,
        "k": int(compared.ours.x.sum()),
        "alpha": compared.alpha,
        "proven": compared.proven,
        "gap": compared.gap,
        "mean_redundancy": compared.mean_redundancy,
        "bits": compared.bits,
        "penalised_bits": compared.penalised_bits,
        "methods": methods,
        "notes": loaded.notes,
    }


def solution(samples: "Solutions", problem: Any, source: str, settings: Document) -> Document:
    """Return what a solver found for a QUBO of a file, among all bits or those of a size."""
    ones = np.flatnonzero(samples.best)
    names = problem.labels
    return {
        **opening("qubo solve"),
        "source": source,
        "settings": settings,
        "bits": problem.qubo.size,
        "alpha": problem.alpha,
        "energy": float(samples.energy[0]) + problem.offset,
        "bound": samples.bound + problem.offset,
        "proven": samples.proven,
        "proven_among": settings["k"],
        "gap": samples.gap,
        "size": int(ones.size),
        "ones": ones,
        "names": [names[i] for i in ones],
        "included": list(problem.included),
        "offset": problem.offset,
    }
