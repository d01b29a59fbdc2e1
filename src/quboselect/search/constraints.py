"""Constraints: which features must be in, must be out, or belong together, and what each costs.

A *unit* is a group of features that come or go together, or a lone feature, which is a group of one. Constraints say
which units are settled and which are free to choose from; `search.units` makes the smaller problem of the free ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..errors import check_integer
from ..qubo import Bits, Vector, frozen
from ..tables.feature_names import label_of, lookup, position, positions

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
        What each feature costs, zero by default. It belongs to the tradeoff of all features:
        ``Tradeoff(I, R, constraints.cost)``.

    Attributes
    ----------
    kept, free : int
        How many units are always in, and how many are left to choose from.
    trivial : bool
        Whether every feature is a free unit, so that there is no smaller problem to make.
    grouped : bool
        Whether some unit has several features; then k counts units, not features.

    Examples
    --------
    >>> names = ["age", "city", "pay", "rent"]
    >>> Constraints.of(4, names, include="age", groups=[["pay", "rent"]])
    Constraints(4 features: 1 included, 0 excluded, 2 units free)
    """

    unit: Indices
    included: Bits
    excluded: Bits
    cost: Vector
    kept: int = field(init=False)
    free: int = field(init=False)
    trivial: bool = field(init=False)
    grouped: bool = field(init=False)

    def __post_init__(self) -> None:
        for name, kind in (("unit", np.intp), ("included", np.bool_), ("excluded", np.bool_)):
            array = np.array(getattr(self, name), kind)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "cost", frozen(self.cost, "cost", 1))
        distinct, at = np.unique(self.unit, return_inverse=True)
        units, counts = distinct.size, []
        for bits in (self.included, self.excluded):
            named = np.bincount(at[bits], minlength=units) > 0
            if (named[at] != bits).any():
                raise ValueError(
                    "included and excluded must be whole units: use Constraints.of, which completes them."
                )
            counts.append(int(named.sum()))
        free = units - int((np.bincount(at[self.included | self.excluded], minlength=units) > 0).sum())
        object.__setattr__(self, "kept", counts[0])
        object.__setattr__(self, "free", free)
        object.__setattr__(self, "trivial", free == self.unit.size)
        object.__setattr__(self, "grouped", units < self.unit.size)

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
        """Return the constraints on n features, or raise where they contradict each other.

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
        check_integer(n, "n", 0)
        if include is exclude is groups is cost is None:
            nothing = np.zeros(n, np.bool_)
            return cls(np.arange(n), nothing, nothing, np.zeros(n))
        if names is not None and len(names) != n:
            raise ValueError(f"names must be {n}, one for each feature, got {len(names)}.")
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
                f"{label_of(other, names)} of the same group is excluded: put them in different groups, or drop one "
                f"of the two."
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

    def check_size(self, k: int) -> None:
        """Raise unless a subset of k units, which are groups or lone features, fulfils the constraints."""
        n, most = self.unit.size, self.kept + self.free
        check_integer(k, "k", 0, n)
        what = "groups, lone features counted as such," if self.grouped else "features"
        if k < self.kept:
            raise ValueError(
                f"k must be at least {self.kept}, because {self.kept} {what} are included, got {k}: "
                f"raise k or include fewer."
            )
        if k > most:
            raise ValueError(
                f"k must be at most {most}, because only {most} {what} are left of {n} features, got {k}: "
                f"lower k, exclude fewer or group fewer."
            )


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
