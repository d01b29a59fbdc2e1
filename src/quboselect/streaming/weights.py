"""Weights of samples in batches, as whole numbers, whose sums depend on neither order nor grouping.

In memory whole weights count samples, and others have an average of one. Which of both holds is known when all weights
were seen. So they are looked at first: `Weighing` is what must be known of them, and adds up exactly. It makes a
`Scale`, by which each weight is a whole number of some unit: of one sample, or of so small a share of it that rounding
does not show. Batches count these units.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import frexp, inf, ldexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..counting.bins import MOST_CODES
from ..qubo import Vector
from ..tables.class_weights import balanced_weights, check_class_weight, given_weights
from ..tables.frames import in_order
from ..tables.table import Table, checked_sample_weight
from ..tables.target import as_target
from .checks import NO_TARGET, Batch, batch_prefix, errors_naming, sample_number

Units = NDArray[np.int64]

MOST = 62  # bits of the sum of all units
FINE = 30  # bits of the average weight of the first batch, where nobody knows how many will come
LOWEST = 1126  # no float has a bit below 2^-LOWEST


class Sums(NamedTuple):
    """What is known of some weights: how many are positive, their sum in units of 2^-LOWEST, and their range."""

    number: int = 0
    total: int = 0
    whole: bool = True
    low: float = inf
    high: float = 0.0

    @classmethod
    def of(cls, weights: Vector) -> "Sums":
        """Return what is known of positive weights."""
        if not weights.size:
            return cls()
        whole = bool((weights == np.floor(weights)).all())
        return cls(weights.size, exact_sum(weights), whole, float(weights.min()), float(weights.max()))

    def plus(self, other: "Sums") -> "Sums":
        """Return what is known of both."""
        return Sums(
            self.number + other.number,
            self.total + other.total,
            self.whole and other.whole,
            min(self.low, other.low),
            max(self.high, other.high),
        )

    @property
    def weight(self) -> float:
        """The sum, as the nearest float."""
        try:
            return float(Fraction(self.total, 1 << LOWEST))
        except OverflowError:
            raise ValueError("sample_weight must have a finite sum: scale the weights down.") from None

    def whole_times(self, each: float) -> bool:
        """Return whether all weights are whole once they are multiplied."""
        one = self.low == self.high and (self.low * each).is_integer()
        return self.number == 0 or one or (self.whole and each.is_integer())


def exact_sum(weights: Vector) -> int:
    """Return the sum of floats in units of 2^-LOWEST, without rounding.

    Examples
    --------
    >>> exact_sum(np.array([1e16, 1.0, -1e16])) == 2**LOWEST
    True
    """
    parts, powers = np.frexp(weights)
    digits, total = np.ldexp(parts, 53).astype(np.int64), 0
    for power in np.unique(powers).tolist():
        some = digits[powers == power]
        # In two halves, so that the sum of very many does not overflow.
        total += ((int((some >> 32).sum()) << 32) + int((some & 0xFFFFFFFF).sum())) << (power - 53 + LOWEST)
    return total


@dataclass(frozen=True)
class Scale:
    """How weights become whole numbers of units. Make it with `Weighing.scale`.

    Parameters
    ----------
    class_weight : "balanced" or mapping, optional
        As it was asked for.
    each : dict
        The weight of each label; one that it does not have has 1.
    power : int
        A weight w is ``w * 2**power`` units, rounded, at least one.
    whole : bool
        Whether weights count samples. Otherwise they have an average of one sample.
    alike : bool
        Whether all weights are the same, and not whole: then each is one unit.
    """

    class_weight: Any = None
    each: dict[Any, float] = field(default_factory=dict)
    power: int = 0
    whole: bool = True
    alike: bool = False

    def samples(self, number: int, units: int) -> float:
        """Return how many samples so many of them count, given their units."""
        return ldexp(units, -self.power) if self.whole and not self.alike else float(number)

    def units(self, batch: Batch) -> Units:
        """Return the units of each sample of a batch, 0 where the weight is."""
        labels, codes, weights = _read_weights(batch, classes=bool(self.each))
        if self.each:
            weights *= np.array([self.each.get(label, 1.0) for label in labels])[codes]
        if self.alike:
            return (weights > 0).astype(np.int64)
        if self.whole and (weights != np.floor(weights)).any():
            i = int((weights != np.floor(weights)).argmax())
            raise ValueError(
                f"{batch_prefix(batch.name)}weights must be whole numbers, as in the batches before, but that of "
                f"sample {i} is {weights[i]}: scale all weights alike, or use fit_batches."
            )
        units = np.rint(np.ldexp(weights, self.power))
        check_units(float(units.sum()), batch.name)
        return np.where(weights > 0, np.maximum(units, 1.0), 0.0).astype(np.int64)


def unit_sums(places: NDArray[Any], units: Units | None, size: int = 0) -> Units:
    """Return the sum of the units of the samples at each place; without units the number of samples.

    Examples
    --------
    >>> unit_sums(np.array([2, 0, 2]), None), unit_sums(np.array([2, 0, 2]), np.array([5, 6, 7]), 4)
    (array([1, 0, 2]), array([ 6,  0, 12,  0]))
    """
    if units is None:
        return np.bincount(places, minlength=size)
    # Weights of NumPy's bincount are floats, which round.
    sums = np.zeros(max(size, int(places.max()) + 1 if places.size else 0), np.int64)
    np.add.at(sums, places, units)
    return sums


def check_units(total: float, batch: str = "") -> None:
    """Raise where the sum of all units is too large to be counted."""
    if total >= 2.0**MOST:
        raise ValueError(
            f"{batch_prefix(batch)}sample_weight adds up to more than can be counted beside the batches before: scale "
            "all weights down, or use fit_batches."
        )


def has_weight(batch: Batch, scale: Scale | None) -> bool:
    """Return whether some sample of a batch has any weight."""
    return scale is None or bool(scale.units(batch).any())


def weighed(batch: Batch, scale: Scale | None) -> Batch | None:
    """Return the samples of a batch that have any weight, with their units; None where there are none.

    Parameters
    ----------
    batch : Batch
        With weights, or without: then each sample has weight one.
    scale : Scale, optional
        None where batches have no weights.

    Examples
    --------
    >>> weighed(Batch([[5.0], [6.0]], ["a", "b"], "batch 1", [0, 3]), Scale())
    Batch(X=[[6.0]], y=['b'], name='batch 1', weight=array([3]))
    """
    if scale is None:
        if batch.weight is not None:
            raise ValueError(
                f"{batch_prefix(batch.name)}sample_weight needs a Scale, made of the weights of all batches, but there "
                "is none: see Reading.weighing."
            )
        return batch
    units = scale.units(batch)
    n, kept = sample_number(batch.X), np.flatnonzero(units)
    if n not in (None, units.size):
        raise ValueError(
            f"{batch_prefix(batch.name)}X and y must have the same number of samples, got {n} and {units.size}."
        )
    if kept.size == units.size:
        return batch._replace(weight=units)
    if not kept.size:
        return None
    return batch._replace(X=_taken(batch.X, kept), y=_taken(batch.y, kept), weight=units[kept])


@dataclass(frozen=True, eq=False)
class Weighing:
    """What must be known of the weights of all batches. Make it with `Weighing.of`; ``a + b`` adds up, exactly.

    Parameters
    ----------
    sums : dict of Sums
        By label where classes have weights, those of a mapping multiplied already; else all under None.
    class_weight : "balanced" or mapping, optional

    Examples
    --------
    >>> Weighing.of(["a", "a", "a", "b"], class_weight="balanced").scale().each
    {'a': 0.6666666666666666, 'b': 2.0}
    """

    sums: dict[Any, Sums]
    class_weight: Any = None

    @classmethod
    def of(
        cls, y: Any, sample_weight: Any = None, *, class_weight: Any = None, batch: str = ""
    ) -> "Weighing":
        """Return what must be known of the weights of one batch.

        Parameters
        ----------
        y : target of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
            Not negative; None is one each.
        class_weight : "balanced" or mapping, optional
            As in `SelectQUBO`.
        batch : str
            The name of the batch in errors.
        """
        given = isinstance(class_weight, Mapping)
        if class_weight is not None:
            check_class_weight(class_weight)
        labels, codes, weights = _read_weights(Batch(None, y, batch, sample_weight), class_weight is not None)
        if given:
            known = np.array([*class_weight], object)
            each = dict(zip(known.tolist(), given_weights(class_weight, known).tolist(), strict=True))
            weights *= np.array([each.get(label, 1.0) for label in labels])[codes]
        sums = {label: Sums.of(weights[(codes == i) & (weights > 0)]) for i, label in enumerate(labels)}
        return cls(sums, class_weight)

    def __add__(self, other: "Weighing") -> "Weighing":
        if not isinstance(other, Weighing):
            return NotImplemented
        labels = [*self.sums, *(label for label in other.sums if label not in self.sums)]
        if len(labels) > MOST_CODES:
            raise ValueError(f"y has more than {MOST_CODES} labels, which are too many for class_weight.")
        both = {label: self.sums.get(label, Sums()).plus(other.sums.get(label, Sums())) for label in labels}
        return Weighing(both, self.class_weight)

    def __radd__(self, other: Any) -> "Weighing":
        # The sum of a list begins with 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def scale(self, *, more: bool = False) -> Scale:
        """Return how these weights become whole numbers.

        Parameters
        ----------
        more : bool
            Whether more batches will come, of which nothing is known.
        """
        each, factors = self._each(more)
        whole = all(some.whole_times(factors[label]) for label, some in self.sums.items())
        ends = {end * factors[label] for label, some in self.sums.items() if some.number for end in some[3:]}
        number = sum(some.number for some in self.sums.values())
        weight = sum(some.weight * factors[label] for label, some in self.sums.items())
        if not weight < inf:
            raise ValueError("sample_weight must have a finite sum: scale the weights down.")
        if not weight:
            raise ValueError("sample_weight must not be zero for every sample: no sample would be left.")
        power = FINE - frexp(weight / number)[1] if more else MOST - 1 - frexp(weight)[1]
        if whole:
            power = 0 if more else min(power, 0)
        return Scale(self.class_weight, each, power, whole, not more and not whole and len(ends) == 1)

    def _each(self, more: bool) -> tuple[dict[Any, float], dict[Any, float]]:
        """Return the weight of each label, and what the sums here are still to be multiplied with."""
        if self.class_weight is None:
            return {}, dict.fromkeys(self.sums, 1.0)
        labels = in_order(self.sums)
        if not isinstance(self.class_weight, Mapping):
            sums = np.array([self.sums[label].weight for label in labels])
            # Where they have no finite sum, `scale` says so.
            with np.errstate(over="ignore", invalid="ignore"):
                balanced = dict(zip(labels, balanced_weights(sums).tolist(), strict=True))
            return balanced, balanced
        # Labels that did not occur may still come.
        known = [*labels, *(label for label in self.class_weight if more and label not in self.sums)]
        values = np.empty(len(known), object)
        values[:] = known
        each = given_weights(self.class_weight, values).tolist()
        return dict(zip(known, each, strict=True)), dict.fromkeys(self.sums, 1.0)


def _read_weights(batch: Batch, classes: bool) -> tuple[list[Any], NDArray[Any], Vector]:
    """Return the labels of a batch, which of them each sample has, and the weights; without classes one label, None."""
    if batch.y is None:
        raise ValueError(f"{batch_prefix(batch.name)}{NO_TARGET}")
    with errors_naming(batch.name):
        values = as_target(batch.y, "classes").values
        weights = np.ones(values.size)
        if batch.weight is not None:
            weights = checked_sample_weight(batch.weight, values.size, batch=True)
    if not classes:
        return [None], np.zeros(values.size, np.intp), weights
    labels, codes = np.unique(values, return_inverse=True)
    return labels.tolist(), codes, weights


def _taken(values: Any, kept: NDArray[np.intp]) -> Any:
    """Return some samples of a table or of a target, of any kind."""
    if isinstance(values, Table):
        return values.samples(kept)
    if hasattr(values, "iloc"):
        return values.iloc[kept]
    if hasattr(values, "tocsr"):
        return values.tocsr()[kept]
    # Arrow's columns have no shape.
    if hasattr(values, "shape") and not hasattr(values, "num_rows"):
        return values[kept]
    return values.take(kept) if hasattr(values, "take") else [values[i] for i in kept.tolist()]
