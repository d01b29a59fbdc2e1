"""Tradeoff: importance against redundancy, before alpha is chosen.

I and R flow in, and a cost of each feature where there is one; ``at(alpha)`` gives the QUBO, and ``line(x)`` the
two numbers that a subset is for every alpha at once: ``Q(x, a) = -a * I(x) + (1-a) * R(x)``, its cost counted
in R(x), is a straight line in a.
"""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from .qubo import QUBO, Matrix, Vector, as_bits, check_nonnegative, frozen, symmetric
from .redundancy.rows import Rows


def check_alpha(alpha: float) -> None:
    """Raise unless alpha is a number from 0 to 1."""
    if isinstance(alpha, bool) or not isinstance(alpha, Real) or not 0.0 <= alpha <= 1.0:
        raise ValueError(f"alpha must be a number from 0 to 1, got {alpha!r}.")


@dataclass(frozen=True, eq=False, repr=False)
class Tradeoff:
    """Importance and redundancy of n features (paper, Eqs. 2 to 4).

    Parameters
    ----------
    importance : array of shape (n,)
        I, not negative.
    redundancy : array of shape (n, n)
        R, not negative, symmetric with a zero diagonal. A pair counts **once**, as in the authors'
        published matrices; the double sum of Eq. 2 in their text would count it twice.
    cost : array of shape (n,), optional
        What each feature costs by itself, not negative, in the unit of R: ``sum_i cost_i x_i`` is added to the
        redundancy of a subset. None is no cost.

    Examples
    --------
    >>> tradeoff = Tradeoff([1.0, 1.0], [[0.0, 0.5], [0.5, 0.0]])
    >>> tradeoff.at(0.5).energy([1, 1])
    -0.75
    >>> tradeoff.line([1, 1])
    (2.0, 0.5)
    >>> Tradeoff([1.0, 1.0], [[0.0, 0.5], [0.5, 0.0]], cost=[0.0, 3.0]).line([1, 1])
    (2.0, 3.5)
    """

    importance: Vector
    redundancy: Matrix
    cost: Vector = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        object.__setattr__(self, "importance", frozen(self.importance, "importance", 1))
        if isinstance(self.redundancy, Rows):
            raise TypeError(
                f"redundancy must be a matrix, got {self.redundancy!r}, of which none is made: take some features, "
                f"those of the highest importance for instance, and "
                f"Tradeoff(importance[features], redundancy.among(features))."
            )
        redundancy = frozen(self.redundancy, "redundancy", 2)
        if redundancy.shape != (self.size, self.size):
            raise ValueError(
                f"importance and redundancy must be of the same features, got {self.size} numbers "
                f"and a matrix of shape {redundancy.shape}."
            )
        object.__setattr__(self, "redundancy", symmetric(redundancy, "redundancy"))
        cost = np.zeros(self.size) if self.cost is None else self.cost
        object.__setattr__(self, "cost", frozen(cost, "cost", 1))
        if self.cost.size != self.size:
            raise ValueError(
                f"cost must be {self.size} numbers, one for each feature, got {self.cost.size}: "
                f"what costs nothing has a 0."
            )
        check_nonnegative(self.importance, "importance")
        check_nonnegative(self.cost, "cost")

    def __repr__(self) -> str:
        return f"Tradeoff(size={self.size})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, which closes the arrays to writing again.
        return Tradeoff, (self.importance, self.redundancy, self.cost)

    @property
    def size(self) -> int:
        """Number of features, n."""
        return int(self.importance.size)

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
        check_alpha(alpha)
        if not eps >= 0.0:
            raise ValueError(f"eps must not be negative, got {eps!r}.")
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
        scale = alpha * float(self.importance.max(initial=0.0)) if self.cost.any() else 0.0
        return QUBO(linear, couplings, scale or None)

    def line(self, x: npt.ArrayLike) -> tuple[float, float]:
        """Return (I(x), R(x)) of one subset, its cost counted in R: the energy is ``(1 - alpha) * R - alpha * I``."""
        bits = as_bits(x, self.size)
        if bits.ndim != 1:
            raise ValueError(f"x must be one subset of {self.size} bits, got shape {bits.shape}.")
        (chosen,) = np.nonzero(bits)
        pairs = self.redundancy[np.ix_(chosen, chosen)].sum()
        return float(self.importance[chosen].sum()), float(0.5 * pairs + self.cost[chosen].sum())
