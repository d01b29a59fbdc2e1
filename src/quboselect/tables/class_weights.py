"""Class weights: how much each sample counts, so that classes of few samples count as much as large ones."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .several import NoTarget, Targets
from .table import Vector, checked_sample_weight
from .target import Target

BALANCED = "balanced"


def class_weights(
    class_weight: str | Mapping[Any, float],
    target: Target | Targets | NoTarget,
    sample_weight: ArrayLike | None = None,
) -> Vector:
    """Return the weights of the samples, each times that of its class.

    Parameters
    ----------
    class_weight : "balanced" or mapping
        ``"balanced"`` weighs a class by ``W / (C W_c)``, for ``C`` classes and samples of weight ``W``, of which
        ``W_c`` are in the class: as scikit-learn does, and all classes weigh the same. A mapping has a weight for each
        label, and one it does not have has 1.
    target : Target or Targets
        Classes. Of several targets the weights of all are multiplied, and only ``"balanced"`` will do.
    sample_weight : array of shape (n_samples,), optional

    Examples
    --------
    >>> from quboselect.tables.target import as_target
    >>> class_weights("balanced", as_target(["a", "a", "a", "b"])).round(3).tolist()
    [0.667, 0.667, 0.667, 2.0]
    >>> class_weights({"b": 5}, as_target(["a", "b"]), [1, 2]).tolist()
    [1.0, 10.0]
    """
    if isinstance(target, NoTarget):
        raise ValueError("class_weight needs classes, but y is None: leave class_weight out, or pass y.")
    parts = target.parts if isinstance(target, Targets) else (target,)
    check_class_weight(class_weight, continuous=any(part.continuous for part in parts))
    if len(parts) > 1 and class_weight != BALANCED:
        raise ValueError(
            f"class_weight must be 'balanced' where there are several targets, got {class_weight!r}: use that, or "
            "sample_weight."
        )
    n = parts[0].values.size
    given = np.ones(n) if sample_weight is None else checked_sample_weight(sample_weight, n)
    weights = given.copy()
    for part in parts:
        labels, codes = np.unique(part.values, return_inverse=True)
        if isinstance(class_weight, Mapping):
            each = given_weights(class_weight, labels)
        else:
            each = balanced_weights(np.bincount(codes, given).astype(np.float64))
        weights *= each[codes]
    return weights


def check_class_weight(class_weight: Any, *, continuous: bool = False) -> None:
    """Raise unless classes can be weighted so, and there are classes."""
    if not isinstance(class_weight, Mapping) and class_weight != BALANCED:
        raise ValueError(
            f"class_weight must be None, 'balanced' or a mapping of labels to weights, got {class_weight!r}."
        )
    if continuous:
        raise ValueError(
            f"class_weight={class_weight!r} needs classes, but y is continuous: use sample_weight, or say "
            "target_type='classes' if it is classes."
        )


def balanced_weights(sums: Vector) -> Vector:
    """Return the weight of each class that makes all count alike, given what their samples weigh."""
    # A class whose samples all have weight zero is not there.
    each: Vector = np.divide(
        sums.sum(), np.count_nonzero(sums) * sums, out=np.zeros_like(sums), where=sums > 0
    )
    return each


def given_weights(class_weight: Mapping[Any, float], labels: NDArray[Any]) -> Vector:
    """Return the weight of each label, or say what is wrong with those that were given."""
    known = labels.tolist()
    for label, weight in class_weight.items():
        if label not in known:
            some = ", ".join(map(repr, known[:5]))
            raise ValueError(f"class_weight must be for labels of y, got {label!r}: there are {some}.")
        if not isinstance(weight, Real) or isinstance(weight, bool) or not 0 <= float(weight) < np.inf:
            raise ValueError(
                f"class_weight must hold finite numbers that are not negative, got {weight!r} for {label!r}."
            )
    return np.array([float(class_weight.get(label, 1.0)) for label in known])
