"""What a selector asks of batches, and what it finds in their counts."""

from typing import Any

import numpy as np

from ..counting.information import Information
from ..criteria.criterion import criterion_of
from ..fitting import (
    Parameters,
    constraints_of,
    heard_subset,
    needs_full_classes,
    wanted_alpha,
    wanted_size,
    warn_of_cells,
)
from ..protocols import check_solver
from ..redundancy.rows import Rows
from ..result import Result
from ..search.wide import selection
from ..tables.class_weights import check_class_weight
from ..tradeoff import Tradeoff
from .batches import check_one_pass
from .counts import JointCounts
from .reading import Reading, check_counts, reading_of
from .wide import BatchCodes, codes_result


def selector_reading(selector: Parameters) -> Reading:
    """Return how a selector reads and counts batches, or raise where that cannot give what it asks for."""
    if isinstance(selector.k, str):
        raise ValueError(
            f"k must be a number where features are selected by counts, got {selector.k!r}, which shuffles the "
            "samples, and counts do not have them; use fit."
        )
    if selector.fdr is not None:
        raise ValueError(
            f"fdr must be None where features are selected by counts, got {selector.fdr!r}: it shuffles the samples, "
            "which counts do not have; use fit."
        )
    if selector.class_weight is not None:
        check_class_weight(selector.class_weight, continuous=selector.target_type == "continuous")
    check_solver(selector.solver)
    criterion = criterion_of(selector)
    return reading_of(
        criterion.importance,
        criterion.redundancy,
        categorical=selector.categorical_features,
        exclude=selector.exclude,
        target_type=selector.target_type,
        class_weight=selector.class_weight,
    )


def one_pass_reading(selector: Parameters) -> Reading:
    """Return how a selector reads batch after batch, or raise where it would have to know all batches."""
    reading = selector_reading(selector)
    check_one_pass(reading)
    return reading


def counts_result(selector: Parameters, counts: JointCounts | BatchCodes) -> Result:
    """Return what a selector finds by counts, if they were made as its parameters say, or by codes."""
    if isinstance(counts, BatchCodes):
        return codes_result(selector, counts)
    constraints = constraints_of(selector, counts.coding.n_features, counts.coding.names)
    check_counts(counts, selector_reading(selector), ~constraints.excluded)
    criterion = criterion_of(selector)
    importance, redundancy, information = counts_measures(criterion, counts)
    if not isinstance(getattr(criterion.redundancy, "bins", "auto"), str):
        n_labels = counts.coding.n_labels if needs_full_classes(criterion.redundancy) else 1
        warn_of_cells(counts.coding.sizes, counts.weight, n_labels)
    if counts.coding.n_features > selection.WIDE and hasattr(criterion.redundancy, "rows"):
        # The search is that of a wide table in memory, which has single precision.
        signed = getattr(criterion.redundancy, "signed", False)
        redundancy = Rows.of(redundancy.astype(np.float32), signed=signed)
    k = wanted_size(selector, constraints)
    return heard_subset(
        Tradeoff(importance, redundancy, constraints.cost),
        criterion.silent(information) if hasattr(criterion, "silent") and information is not None else None,
        k=k,
        alpha=wanted_alpha(selector, k),
        constraints=constraints,
        solver=selector.solver,
        names=counts.coding.names,
    )


def counts_measures(criterion: Any, counts: JointCounts) -> tuple[Any, Any, Information | None]:
    """Return I and R of counts and moments, and what was counted, where a measure is made of it."""
    importance, redundancy, moments = criterion.importance, criterion.redundancy, counts.moments
    estimates = [measure.estimate for measure in (importance, redundancy) if hasattr(measure, "estimate")]
    information = counts.information(estimates[0], n_jobs=redundancy.n_jobs) if estimates else None
    alone, pairs = (
        measure.of(information) if hasattr(measure, "of") else None for measure in (importance, redundancy)
    )
    if alone is None and moments.target is not None:
        alone = importance.of_explained(moments.target.explained(counts.units / counts.weight))
    if pairs is None and moments.pairs is not None:
        pairs = redundancy.of_correlations(moments.pairs.correlations())
    return alone, pairs, information
