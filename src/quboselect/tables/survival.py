"""Survival: times of events of which some were not waited for, as a target with weights.

A sample whose event was not seen, a censored one, says only that the event came later. Left out, it would make times
look too short, so each event seen stands for the others that were lost before: it gets the weight ``1 / G(t-)``, where
``G(t-)`` is the share of samples that are not lost before ``t``, by Kaplan and Meier. Censored samples get weight 0.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .frames import as_frame, is_frame, plain_array
from .table import Vector, checked_sample_weight
from .target import Target, as_target

EVENT, TIME = "event", "time"


class Survival(NamedTuple):
    """Times, and whether the event was seen at each or the sample was lost. Make it with `survival_of`."""

    time: Vector
    event: NDArray[np.bool_]

    def target(self, target_type: str = "auto") -> Target:
        """Return the times as a continuous target."""
        if target_type == "classes":
            raise ValueError(
                "target_type must be 'auto' or 'continuous' where y is times of events, got 'classes'."
            )
        return Target(self.time, True)

    def weights(self, sample_weight: ArrayLike | None = None) -> Vector:
        """Return the weights of the samples: times those that were given, 0 for censored ones.

        Examples
        --------
        >>> Survival(np.array([1.0, 2.0, 3.0]), np.array([True, False, True])).weights().tolist()
        [1.0, 0.0, 2.0]
        """
        n = self.time.size
        given = np.ones(n) if sample_weight is None else checked_sample_weight(sample_weight, n)
        if not (given[self.event] > 0).any():
            raise ValueError(
                "y must have at least one event that was seen, in a sample with weight, got none."
            )
        left = not_lost_before(self.time, self.event, given)
        return np.divide(given, left, out=np.zeros(n), where=self.event & (given > 0))


def not_lost_before(time: Vector, event: NDArray[np.bool_], weights: Vector) -> Vector:
    """Return ``G(t-)`` at the time of each sample: which share is not censored before, by Kaplan and Meier.

    Of samples of one time, events come before censoring.

    Parameters
    ----------
    time : array of shape (n_samples,)
    event : bool array of shape (n_samples,)
        Whether the event was seen; else the sample was lost at that time.
    weights : array of shape (n_samples,)
        How much each sample counts.

    Examples
    --------
    >>> not_lost_before(np.array([1.0, 1.0, 2.0]), np.array([True, False, True]), np.ones(3)).tolist()
    [1.0, 1.0, 0.5]
    """
    times, at = np.unique(time, return_inverse=True)
    both = np.bincount(at, weights)
    lost = np.bincount(at, weights * ~event)
    seen = both - lost
    exposed = np.cumsum(both[::-1])[::-1] - seen
    stays = 1.0 - np.divide(lost, exposed, out=np.zeros(times.size), where=lost > 0)
    before: Vector = np.concatenate([[1.0], np.cumprod(stays)[:-1]])
    return before[at]


def survival_of(y: Any) -> Survival | None:
    """Return times of events, or None where y is something else.

    Parameters
    ----------
    y : anything
        Times of events are a structured array of two fields, one of them true and false, as scikit-survival has them;
        or a frame of the columns ``event``, of true and false or 1 and 0, and ``time``.

    Examples
    --------
    >>> y = np.array([(True, 5.0), (False, 7.0)], dtype=[("event", bool), ("time", float)])
    >>> survival_of(y).time.tolist(), survival_of([1, 2]) is None
    ([5.0, 7.0], True)
    """
    if is_frame(y, "y"):
        frame = as_frame(y)
        if set(frame.columns) != {EVENT, TIME}:
            return None
        return _checked(frame[EVENT].to_native(), frame[TIME].to_native())
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names is None:
        return None
    flags = [name for name in names if y[name].dtype.kind == "b"]
    if len(names) != 2 or len(flags) != 1:
        raise ValueError(
            f"y with fields must be times of events, with one field of true and false and one of times, got "
            f"{', '.join(names)}: pass several targets as a frame."
        )
    (time,) = (name for name in names if name != flags[0])
    return _checked(y[flags[0]], y[time])


def _checked(event: Any, time: Any) -> Survival:
    """Return times of events, or say what is wrong with them."""
    flags = as_target(event, "classes").values
    if not set(flags.tolist()) <= {False, True}:
        raise ValueError(
            f"event must be true where the event was seen and false where the sample was lost, or 1 and 0, got "
            f"{sorted(set(flags.tolist()))[:5]}."
        )
    if plain_array(time).dtype.kind not in "uifO":
        raise ValueError(f"time must be numbers, got {plain_array(time).dtype}: convert it.")
    times = as_target(time, "continuous").values
    if (times < 0).any():
        i = int((times < 0).argmax())
        raise ValueError(f"time must not be negative, but that of sample {i} is {times[i]}.")
    return Survival(times, flags.astype(np.bool_))
