"""What a selector asks of batches, and what it finds in their counts."""

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
from ..result import Result
from ..tables.class_weights import check_class_weight
from ..tradeoff import Tradeoff
from .batches import Reading, check_counts, reading_of
from .counts import JointCounts
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


def counts_result(selector: Parameters, counts: JointCounts | BatchCodes) -> Result:
    """Return what a selector finds by counts, if they were made as its parameters say, or by codes."""
    if isinstance(counts, BatchCodes):
        return codes_result(selector, counts)
    constraints = constraints_of(selector, counts.coding.n_features, counts.coding.names)
    check_counts(counts, selector_reading(selector), ~constraints.excluded)
    criterion = criterion_of(selector)
    measures = criterion.importance, criterion.redundancy
    information = counts.information(measures[1].estimate, n_jobs=measures[1].n_jobs)
    importance, redundancy = (measure.of(information) for measure in measures)
    if not isinstance(measures[1].bins, str):
        n_labels = counts.coding.n_labels if needs_full_classes(measures[1]) else 1
        warn_of_cells(counts.coding.sizes, counts.weight, n_labels)
    k = wanted_size(selector, constraints)
    return heard_subset(
        Tradeoff(importance, redundancy, constraints.cost),
        criterion.silent(information) if hasattr(criterion, "silent") else None,
        k=k,
        alpha=wanted_alpha(selector, k),
        constraints=constraints,
        solver=selector.solver,
        names=counts.coding.names,
    )
