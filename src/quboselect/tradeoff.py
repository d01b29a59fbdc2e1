"""Tradeoff: importance against redundancy, before alpha is chosen.

It holds I, R and the cost of each feature. ``at(alpha)`` gives the QUBO, and ``line(x)`` the two numbers that a subset
is for every alpha at once: ``Q(x, a) = (1-a) R(x) - a I(x)``, with its cost counted in R(x), is a straight line in a.
"""

import threading
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .qubo import QUBO, Matrix, Vector, as_bits, frozen, symmetric

# Of threads that ask for a matrix at once, one makes it.
_making = threading.Lock()


def check_alpha(alpha: float) -> None:
    """Raise unless alpha is a number from 0 to 1."""
    if isinstance(alpha, bool) or not isinstance(alpha, Real) or not 0.0 <= alpha <= 1.0:
        raise ValueError(f"alpha must be a number from 0 to 1, got {alpha!r}.")


class Line(NamedTuple):
    """The energy of a subset as a straight line in alpha: its importance, and its redundancy with its cost.

    Examples
    --------
    >>> Line(importance=2.0, redundancy=0.5).energy(0.5)
    -0.75
    """

    importance: Any
    redundancy: Any

    def energy(self, alpha: Any) -> Any:
        """Return ``(1 - alpha) * redundancy - alpha * importance``."""
        return (1.0 - alpha) * self.redundancy - alpha * self.importance


@dataclass(frozen=True, eq=False, repr=False)
class Tradeoff:
    """Importance and redundancy of n features (paper, Eqs. 2 to 4).

    Parameters
    ----------
    importance : array of shape (n,)
        I, not negative.
    redundancy : array of shape (n, n), or Rows
        R, symmetric with a zero diagonal. A pair counts **once**, as in the authors'
        published matrices; the double sum of Eq. 2 in their text would count it twice. `redundancy.rows.Rows`,
        which compute rows on demand, take the place of a matrix that is too large; see `dense`. Negative numbers, of
        pairs that say more together than apart, need an alpha: no path is followed around k where there are some.
    cost : array of shape (n,), optional
        What each feature costs by itself, in the unit of R: ``sum_i cost_i x_i`` is added to the redundancy of a
        subset. None is no cost.

    Attributes
    ----------
    size : int
        Number of features, n.
    dense : bool
        Whether redundancy is a matrix. Otherwise its rows are computed on demand, and there is no QUBO of all features.
    repeated : redundancy.repeated.Repeated, or None
        What the matrix is made of where many features are the same; then it is made when it is first asked for.
    deepest : float
        What the lowest redundancy or cost is below zero; 0 where none is negative.

    Examples
    --------
    >>> tradeoff = Tradeoff([1.0, 1.0], [[0.0, 0.5], [0.5, 0.0]])
    >>> tradeoff.at(0.5).energy([1, 1])
    -0.75
    >>> tradeoff.line([1, 1])
    Line(importance=2.0, redundancy=0.5)
    >>> Tradeoff([1.0, 1.0], [[0.0, 0.5], [0.5, 0.0]], cost=[0.0, 3.0]).line([1, 1])
    Line(importance=2.0, redundancy=3.5)
    """

    importance: Vector
    redundancy: Any
    cost: Vector = None  # type: ignore[assignment]
    size: int = field(init=False)
    dense: bool = field(init=False)
    repeated: Any = field(init=False)
    deepest: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "importance", frozen(self.importance, "importance", 1))
        object.__setattr__(self, "size", int(self.importance.size))
        redundancy = self.redundancy
        object.__setattr__(self, "repeated", redundancy if hasattr(redundancy, "whole") else None)
        object.__setattr__(self, "dense", self.repeated is not None or not hasattr(redundancy, "among"))
        if self.dense and self.repeated is None:
            redundancy = frozen(redundancy, "redundancy", 2)
        if redundancy.shape != (self.size, self.size):
            raise ValueError(
                f"importance and redundancy must be of the same features, got {self.size} numbers "
                f"and redundancies of shape {redundancy.shape}."
            )
        if self.repeated is not None:
            # The matrix is made when it is first asked for.
            object.__delattr__(self, "redundancy")
        elif self.dense:
            object.__setattr__(self, "redundancy", symmetric(redundancy, "redundancy"))
        cost = np.zeros(self.size) if self.cost is None else self.cost
        object.__setattr__(self, "cost", frozen(cost, "cost", 1))
        if self.cost.size != self.size:
            raise ValueError(
                f"cost must be {self.size} numbers, one for each feature, got {self.cost.size}: "
                f"what costs nothing has a 0."
            )
        if (self.importance < 0).any():
            i = int((self.importance < 0).argmax())
            raise ValueError(f"importance must not be negative; entry {i} is {self.importance[i]:g}.")
        matrix = redundancy if self.repeated is None else redundancy.few
        lowest = matrix.min(initial=0.0) if self.dense else -np.inf if redundancy.signed else 0.0
        # What the free features repeat of included ones is a cost, and may be negative too.
        object.__setattr__(self, "deepest", abs(float(min(lowest, self.cost.min(initial=0.0)))))

    def __getattr__(self, name: str) -> Any:
        repeated = self.__dict__.get("repeated")
        if name != "redundancy" or repeated is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        with _making:
            if "redundancy" not in self.__dict__:
                matrix = repeated.whole()
                matrix.flags.writeable = False
                object.__setattr__(self, "redundancy", matrix)
        return self.__dict__["redundancy"]

    def __repr__(self) -> str:
        return f"Tradeoff(size={self.size})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, which closes the arrays to writing again.
        return Tradeoff, (self.importance, self.repeated or self.redundancy, self.cost)

    def among(self, features: npt.ArrayLike) -> Matrix:
        """Return the redundancies among some features, in their order."""
        chosen = np.asarray(features, np.intp)
        some = self.repeated or (None if self.dense else self.redundancy)
        matrix: Matrix = self.redundancy[np.ix_(chosen, chosen)] if some is None else some.among(chosen)
        return matrix

    def rows(self, features: npt.ArrayLike) -> npt.NDArray[np.floating]:
        """Return the redundancy of some features with all, shape (len(features), n)."""
        chosen = np.asarray(features, np.intp)
        some: npt.NDArray[np.floating] = (
            self.redundancy[chosen] if self.dense else self.redundancy.take(chosen)
        )
        return some

    def at(self, alpha: float, eps: float = 0.0) -> QUBO:
        """Return the QUBO at one alpha (paper, Eq. 7; with ``eps`` > 0, Eq. 11).

        At 0 only redundancy and cost count, and the empty set is as good as any single feature that is free. At 1
        only importance counts, and every feature that has some is selected.

        Parameters
        ----------
        alpha : float
            Weight of importance, from 0 to 1.
        eps : float
            Features with ``alpha * I_i < eps`` get the energy mu, the largest entry of the matrix, and so
            never enter an optimum. The paper uses 1e-8.
        """
        if type(alpha) is not float or not 0.0 <= alpha <= 1.0:
            check_alpha(alpha)
            alpha = float(alpha)
        if not eps >= 0.0:
            raise ValueError(f"eps must not be negative, got {eps!r}.")
        if not self.dense:
            raise TypeError(
                f"redundancy must be a matrix to make a QUBO, got {self.redundancy!r}, which are computed on demand: "
                f"take some features, such as those of the highest importance, and "
                f"Tradeoff(importance[features], redundancy.among(features))."
            )
        linear = -alpha * self.importance
        couplings = (1.0 - alpha) * self.redundancy
        unimportant = -linear < eps
        if self.cost.any():
            linear += (1.0 - alpha) * self.cost
        if unimportant.any():
            # The largest entry is zero or less where nothing is redundant; any positive mu will do.
            mu = max(float(linear.max()), float(couplings.max()))
            linear[unimportant] = mu if mu > 0.0 else eps
        linear.flags.writeable = couplings.flags.writeable = False
        # Costs may cancel all but rounding of the coefficients that give a QUBO its scale, or dwarf them: what counts
        # as equal is what it is without costs.
        largest = max(alpha * float(self.importance.max(initial=0.0)), (1.0 - alpha) * self.deepest)
        scale = largest if self.cost.any() else 0.0
        # Shares of numbers that were checked when this was made need no check.
        return QUBO._of_checked(linear, couplings, scale or None)

    def line(self, x: npt.ArrayLike) -> Line:
        """Return I(x) and R(x) of one subset, with its cost counted in R."""
        bits = as_bits(x, self.size)
        if bits.ndim != 1:
            raise ValueError(f"x must be one subset of {self.size} bits, got shape {bits.shape}.")
        (chosen,) = np.nonzero(bits)
        pairs = self.among(chosen).sum()
        return Line(float(self.importance[chosen].sum()), float(0.5 * pairs + self.cost[chosen].sum()))
