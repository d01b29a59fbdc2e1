"""Constraints: what people know about features before anything is counted.

Names, numbers and costs flow in; positions flow out, and with them a smaller `Tradeoff` whose features are *units*:
groups that come or go together, and lone features, which are groups of one. Excluded units are left out of it, and
included ones are settled. `expand` leads back from its subsets to those of all features.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from .qubo import Bits, Vector, as_bits, frozen
from .tables.feature_names import label_of, lookup, position, positions
from .tradeoff import Tradeoff

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False)
class Constraints:
    """Which features are in, which are out, which come or go together, and what each costs.

    Make them with `Constraints.of`, which finds features by name and refuses contradictions.

    Parameters
    ----------
    unit : int array of shape (n,)
        The unit of each feature, numbered from 0 in the order of their first features.
    included, excluded : bool array of shape (n,)
        Features that are in every subset, and in none; whole units.
    cost : array of shape (n,)
        What each feature costs, zeros where nobody said. It belongs to the tradeoff of all features:
        ``Tradeoff(I, R, constraints.cost)``.

    Examples
    --------
    >>> names = ["age", "city", "pay", "rent"]
    >>> wishes = Constraints.of(4, names, include="age", groups=[["pay", "rent"]])
    >>> wishes
    Constraints(4 features: 1 included, 0 excluded, 2 units free)
    >>> wishes.expand([False, True])
    array([ True, False,  True,  True])
    """

    unit: Indices
    included: Bits
    excluded: Bits
    cost: Vector

    def __post_init__(self) -> None:
        for name, kind in (("unit", np.intp), ("included", np.bool_), ("excluded", np.bool_)):
            array = np.array(getattr(self, name), kind)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "cost", frozen(self.cost, "cost", 1))

    @classmethod
    def of(
        cls,
        n: int,
        names: Sequence[str] | None = None,
        *,
        include: Any = None,
        exclude: Any = None,
        groups: Any = None,
        cost: Any = None,
    ) -> Self:
        """Return the constraints on n features, or say in words what contradicts what.

        Parameters
        ----------
        n : int
            How many features there are.
        names : sequence of str, optional
            Their names.
        include, exclude : str, int, sequence of them, or bool array of shape (n,)
            Features that must be in, and that must not. The rest of their group goes with them.
        groups : sequence of such sequences
            Features that come or go together. All others are groups of one.
        cost : sequence of n numbers, or mapping of features to numbers
            What each feature costs, in the unit of redundancy; what a mapping leaves out costs nothing.
        """
        unit, places = _units(n, names, groups), lookup(names)
        included, excluded = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        included[[] if include is None else positions(include, n, places, "include")] = True
        excluded[[] if exclude is None else positions(exclude, n, places, "exclude")] = True
        if (both := np.flatnonzero(included & excluded)).size:
            raise ValueError(
                f"a feature is either included or excluded, but {label_of(both[0], names)} is both: "
                f"take it out of one of the two."
            )
        whole_in, whole_out = (np.isin(unit, unit[bits]) for bits in (included, excluded))
        if (torn := np.flatnonzero(whole_in & whole_out)).size:
            group = unit == unit[torn[0]]
            one, other = (np.flatnonzero(bits & group)[0] for bits in (included, excluded))
            raise ValueError(
                f"the features of a group come or go together, but {label_of(one, names)} is included and "
                f"{label_of(other, names)} of the same group is excluded: part them, or wish for one of the two."
            )
        if n and whole_out.all():
            raise ValueError(
                f"exclude must leave a feature to select, but all {n} are excluded, groups counted whole."
            )
        return cls(unit, whole_in, whole_out, _costs({} if cost is None else cost, n, names))

    def __repr__(self) -> str:
        return (
            f"Constraints({self.unit.size} features: {self.included.sum()} included, "
            f"{self.excluded.sum()} excluded, {self.free} units free)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, which closes the arrays to writing again.
        return Constraints, (self.unit, self.included, self.excluded, self.cost)

    @cached_property
    def order(self) -> Indices:
        """The free features, those of a unit one after the other."""
        features = np.flatnonzero(~self.included & ~self.excluded)
        return features[np.argsort(self.unit[features], kind="stable")]

    @cached_property
    def starts(self) -> Indices:
        """Where each free unit starts in that order."""
        return np.flatnonzero(np.diff(self.unit[self.order], prepend=-1))

    @property
    def free(self) -> int:
        """How many units are left to choose from."""
        return self.starts.size

    @cached_property
    def kept(self) -> int:
        """How many units are always in."""
        return np.unique(self.unit[self.included]).size

    @property
    def trivial(self) -> bool:
        """Whether every feature is a free unit, so that there is nothing to reduce or to expand."""
        return self.free == self.unit.size

    def check_size(self, k: int) -> None:
        """Raise unless a subset of k units, which are groups or lone features, fulfils every wish."""
        n, most = self.unit.size, self.kept + self.free
        whole = isinstance(k, int | np.integer) and not isinstance(k, bool)
        what = "features" if len(np.unique(self.unit)) == n else "groups, lone features counted as such,"
        if whole and 0 <= k < self.kept:
            raise ValueError(
                f"k must be at least {self.kept}, as so many {what} are included, got {k}: "
                f"raise k or include fewer."
            )
        if whole and most < k <= n:
            raise ValueError(
                f"k must be at most {most}, as only so many {what} are left of {n} features, got {k}: "
                f"lower k, exclude fewer or group fewer."
            )
        if not whole or not 0 <= k <= n:
            raise ValueError(
                f"k must be an integer from {self.kept} to {most} (there are {n} features), got {k!r}."
            )

    def reduce(self, tradeoff: Tradeoff) -> Tradeoff:
        """Return the tradeoff of the free units alone, which is the same problem less a constant.

        A unit has the importance of its features together, and the redundancy and cost within it as its cost. What
        it repeats of the included features is there whatever else is chosen, and so is a cost of it as well.
        """
        if self.trivial:
            return tradeoff
        order, starts = self.order, self.starts
        across = tradeoff.redundancy[np.ix_(order, order)]
        cost = tradeoff.cost[order] + tradeoff.redundancy[np.ix_(order, self.included)].sum(axis=1)
        importance: Vector = np.add.reduceat(tradeoff.importance[order], starts)
        if starts.size < order.size:
            across = np.add.reduceat(np.add.reduceat(across, starts, axis=0), starts, axis=1)
            # Sums over two groups come out a rounding apart, depending on which is first.
            across = 0.5 * (across + across.T)
            cost = np.add.reduceat(cost, starts) + 0.5 * np.diagonal(across)
            np.fill_diagonal(across, 0.0)
        return Tradeoff(importance, across, cost)

    def expand(self, x: npt.ArrayLike) -> Bits:
        """Return the bits of all n features, of one subset of the free units or of rows of them."""
        bits = as_bits(x, self.free)
        if self.trivial:
            return bits
        features = np.broadcast_to(self.included, (*bits.shape[:-1], self.unit.size)).copy()
        features[..., self.order] = np.repeat(bits, np.diff(self.starts, append=self.order.size), axis=-1)
        return features


def _units(n: int, names: Sequence[str] | None, groups: Any) -> Indices:
    """Return the unit of each feature, numbered in the order of their first features."""
    if isinstance(groups, str | Mapping) or (groups is not None and not np.iterable(groups)):
        raise TypeError(
            f"groups must be a sequence of groups, each of them a sequence of features, got {groups!r}: "
            f"write [[0, 1], [4, 5]], or list(groups.values()) of a mapping."
        )
    first, places = np.arange(n), lookup(names)
    owner = np.full(n, -1)
    for number, group in enumerate(() if groups is None else groups):
        name = f"group {number}"
        if isinstance(group, str) or not np.iterable(group):
            raise TypeError(
                f"groups must be a sequence of groups, each of them a sequence of features, but {name} is "
                f"{group!r}: write [[...]] for a single group."
            )
        members = positions(group, n, places, name)
        if not members.size:
            raise ValueError(f"{name} must have at least one feature, got none: leave it out.")
        if members.size > np.unique(members).size:
            twice = members[np.bincount(members)[members] > 1][0]
            raise ValueError(f"{name} has {label_of(twice, names)} twice: name it once.")
        if (shared := members[owner[members] >= 0]).size:
            raise ValueError(
                f"a feature belongs to at most one group, but {label_of(shared[0], names)} is in "
                f"group {owner[shared[0]]} and in {name}: make one group of the two, or take it out of one."
            )
        owner[members] = number
        first[members] = members.min()
    return np.unique(first, return_inverse=True)[1].reshape(n)


def _costs(cost: Any, n: int, names: Sequence[str] | None) -> Vector:
    """Return n costs from an array of them or a mapping of features to numbers."""
    # A pandas Series has items too, and its labels are what is meant, not its order.
    if hasattr(cost, "items"):
        values, known, places = np.zeros(n), set(), lookup(names)
        for key, value in cost.items():
            i = position(key, n, places, "cost")
            if isinstance(value, bool) or not isinstance(value, Real):
                raise TypeError(f"cost of {label_of(i, names)} must be a number, got {value!r}.")
            if i in known:
                raise ValueError(
                    f"cost gives {label_of(i, names)} twice, by name or by number: give it once."
                )
            known.add(i)
            values[i] = value
    elif np.ndim(cost) != 1 or len(cost) != n:
        came = f"shape {np.shape(cost)}" if np.ndim(cost) else repr(cost)
        raise ValueError(
            f"cost must be {n} numbers, one for each feature, or a mapping of features to numbers, got {came}."
        )
    else:
        values = frozen(cost, "cost", 1)
    if (wrong := np.flatnonzero(~(np.isfinite(values) & (values >= 0.0)))).size:
        raise ValueError(
            f"cost must be finite and not negative, but {label_of(wrong[0], names)} has {values[wrong[0]]:g}: "
            f"use exclude for what must not be chosen, include for what must."
        )
    return values
