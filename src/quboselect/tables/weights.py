"""Weights: how much each sample counts. Numbers flow in; checked ones, on the scale they are counted on, flow out."""

import numpy as np
from numpy.typing import ArrayLike

from ..qubo import Vector
from .frames import plain_array


def as_weights(sample_weight: ArrayLike | None, n_samples: int) -> Vector | None:
    """Return weights as numbers that were checked, zeros included; None where there are none."""
    if sample_weight is None:
        return None
    given = plain_array(sample_weight)
    try:
        if given.dtype.kind not in "buifO":
            raise TypeError(f"got {given.dtype}")
        weights = given.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must be numbers, one for each sample ({error}).") from error
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must be {n_samples} numbers, one for each sample, got shape {weights.shape}."
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        i = int((~(np.isfinite(weights) & (weights >= 0))).argmax())
        raise ValueError(f"sample_weight must be finite and not negative, but sample {i} has {weights[i]}.")
    if not weights.any():
        raise ValueError("sample_weight must not be zero for every sample: nothing would be left to count.")
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise ValueError("sample_weight must have a finite sum: scale the weights down.")
    return weights


def counted(weights: Vector) -> Vector | None:
    """Return positive weights as they are counted; None where each counts once.

    Whole numbers count samples. Others have no scale, and get an average of one.

    Examples
    --------
    >>> counted(np.array([1.0, 3.0])), counted(np.array([0.1, 0.3])), counted(np.array([0.2, 0.2]))
    (array([1., 3.]), array([0.5, 1.5]), None)
    """
    if (weights == np.floor(weights)).all():
        return None if (weights == 1.0).all() else weights
    if (weights == weights[0]).all():
        return None
    scaled: Vector = weights / weights.mean()
    return scaled
