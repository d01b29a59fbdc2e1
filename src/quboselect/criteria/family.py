"""The criteria of information: one family, ``a * sum I - (1-a) * sum R``, each with its R and its alpha for k."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..counting.information import Information
from ..errors import check_number
from ..importance import MutualInformation as ImportanceInformation
from ..redundancy import CoInformation, SymmetricalRelevance
from ..redundancy import MutualInformation as RedundancyInformation


@dataclass(frozen=True, repr=False)
class Family:
    """What the criteria of information share: how features are binned, and how information is estimated.

    Parameters
    ----------
    bins : int or "auto"
        The number of bins. ``"auto"`` goes by the number of samples, and of classes where classes are counted apart.
    edges : "apart" or "quantile"
        Whether frequent values are bins of their own, or all is cut at quantiles as in the paper.
    estimate : "plug-in", "miller-madow" or "shrunk"
        How information is estimated from counts.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.
    device : str or None
        Where PyTorch counts pairs of features, as ``"cuda"``: see `redundancy.MutualInformation`. None is here.
    """

    bins: int | str = "auto"
    edges: str = "apart"
    estimate: str = "plug-in"
    n_jobs: int | None = -1
    device: str | None = None

    def __repr__(self) -> str:
        # What is as it comes goes without saying.
        given = [(field.name, getattr(self, field.name), field.default) for field in fields(self)]
        told = ", ".join(f"{name}={value!r}" for name, value, default in given if value != default)
        return f"{type(self).__name__}({told})"

    @property
    def importance(self) -> Any:
        """``I(x_i; y)``."""
        return ImportanceInformation(self.bins, self.edges, self.estimate, n_jobs=self.n_jobs)

    @property
    def redundancy(self) -> Any:
        """``I(x_i; x_j)``."""
        return RedundancyInformation(
            self.bins, self.edges, self.estimate, n_jobs=self.n_jobs, device=self.device
        )


@dataclass(frozen=True, repr=False)
class ClassFamily(Family):
    """The same, where the redundancy of two features is what they say twice about the target: ``R - R|y``."""

    @property
    def _bins(self) -> int | str:
        return "auto-by-class" if self.bins == "auto" else self.bins

    @property
    def importance(self) -> Any:
        """``I(x_i; y)``."""
        return ImportanceInformation(self._bins, self.edges, self.estimate, n_jobs=self.n_jobs)

    @property
    def redundancy(self) -> Any:
        """``I(x_i; x_j) - I(x_i; x_j | y)``, negative where two features say more together than apart."""
        return CoInformation(self._bins, self.edges, self.estimate, n_jobs=self.n_jobs, device=self.device)


@dataclass(frozen=True, repr=False)
class QFS(Family):
    """The paper's: k features at the alpha at which they are optimal among subsets of every size.

    ``QFS(bins=20, edges="quantile")`` is the paper's setting to the letter; see `SelectQUBO.paper`. The parameters are
    those of every criterion here, explained at `Pairs`.

    Examples
    --------
    >>> QFS().alpha(10) is None
    True
    """

    def alpha(self, k: int) -> float | None:  # noqa: ARG002
        """Return None: the path decides."""
        return None


@dataclass(frozen=True, repr=False)
class Pairs(Family):
    """What each two of the chosen features say together, cautiously: the sum over pairs of ``I_i + I_j - R_ij``.

    Here ``R_ij = I(x_i; x_j) - together * I(x_i; x_j | y)``, and not below 0. With ``together=0`` it is the least that
    two features can say about the target, where what they share is all about it and neither helps the other; with 1 it
    is what they say as counted, but for pairs that say more together than apart (`JMI` has these too). By default what
    is counted class by class is trusted as far as samples fill its cells, and by half at most. It is the paper's QUBO
    at ``alpha = (k-1) / k`` over subsets of k features, times k. It is the default, and was chosen on tables of its own
    (``benchmarks/choosing.py``).

    Parameters
    ----------
    bins : int or "auto"
        The number of bins. ``"auto"`` goes by the number of samples, and of classes where classes are counted apart.
    edges : "apart" or "quantile"
        Whether frequent values are bins of their own, or all is cut at quantiles as in the paper.
    estimate : "plug-in", "miller-madow" or "shrunk"
        How information is estimated from counts.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.
    device : str or None
        Where PyTorch counts pairs of features, as ``"cuda"``: see `redundancy.MutualInformation`. None is here.
    together : float or "auto"
        How much of what two features say only together counts, from 0 to 1; 0 counts no classes apart. ``"auto"`` is
        half of ``c / (c + 1)`` for ``c = N / (C B_i B_j)`` samples in each cell of two features and the target.
    chance : float
        Features that say no more than so many times what chance alone shows on average, ``(B - 1)(C - 1) / (2 N ln 2)``
        bits for B codes, C classes and N samples, give way to others, as long as k distinct others are there: noise,
        and columns with a value of their own for every sample, which repeat nothing, would be taken for that. 0 lets
        them in.

    Examples
    --------
    >>> Pairs().alpha(10)
    0.9
    """

    together: float | str = "auto"
    chance: float = 2.0

    def __post_init__(self) -> None:
        check_number(self.together, "together", 1.0, auto=True)
        check_number(self.chance, "chance")

    @property
    def redundancy(self) -> Any:
        """``max(0, I(x_i; x_j) - together * I(x_i; x_j | y))``."""
        if self.together == 0:
            return super().redundancy
        return CoInformation(
            self.bins,
            self.edges,
            self.estimate,
            self.together,
            clipped=True,
            n_jobs=self.n_jobs,
            device=self.device,
        )

    def silent(self, information: Information, /) -> NDArray[np.bool_]:
        """Return which features say no more than ``chance`` times what chance alone shows; none if that is 0."""
        low: NDArray[np.bool_] = information.importance <= self.chance * information.chance
        return low & (self.chance > 0.0)

    def alpha(self, k: int) -> float:
        """Return ``(k-1) / k``, at which importance counts once in every pair; one feature has no pair."""
        return (k - 1) / k if k > 1 else 0.5


@dataclass(frozen=True, repr=False)
class MRMR(Family):
    """Most relevant, least redundant (Peng, Long and Ding, 2005), by difference: ``mean I - mean R``, exactly.

    The mean of R is over all ordered pairs, ``2 sum R / k^2``, so importance counts ``k / 2`` times a pair.

    Examples
    --------
    >>> MRMR().alpha(10)
    0.8333333333333334
    """

    def alpha(self, k: int) -> float:
        """Return ``k / (k + 2)``."""
        return k / (k + 2)


@dataclass(frozen=True, repr=False)
class MIFS(Family):
    """Battiti's (1994): ``sum I - beta * sum R``, exactly, with a beta of your own.

    Parameters
    ----------
    bins, edges, estimate, n_jobs, device
        As of `Pairs`.
    beta : float
        What a bit of redundancy costs, not negative.

    Examples
    --------
    >>> MIFS(beta=1.0).alpha(10)
    0.5
    """

    beta: float = 1.0

    def __post_init__(self) -> None:
        check_number(self.beta, "beta")

    def alpha(self, k: int) -> float:  # noqa: ARG002
        """Return ``1 / (1 + beta)``."""
        return 1.0 / (1.0 + self.beta)


@dataclass(frozen=True, repr=False)
class JMI(ClassFamily):
    """What each two of the chosen features say about the target together: the sum over pairs of ``I(x_i, x_j; y)``.

    Yang and Moody's (1999), exactly, not by greed. It finds features that speak only together, such as the two of an
    exclusive or.

    Examples
    --------
    >>> JMI().alpha(10)
    0.9
    """

    def alpha(self, k: int) -> float:
        """Return ``(k-1) / k``, at which importance counts once in every pair; one feature has no pair."""
        return (k - 1) / k if k > 1 else 0.5


@dataclass(frozen=True, repr=False)
class CMI(ClassFamily):
    """MIQUBO: ``sum_i I(x_i; y) + sum_{i != j} I(x_j; y | x_i)``, as in D-Wave's example of feature selection.

    Examples
    --------
    >>> CMI().alpha(10)
    0.8333333333333334
    """

    def alpha(self, k: int) -> float:
        """Return ``k / (k + 2)``."""
        return k / (k + 2)


@dataclass(frozen=True, repr=False)
class CIFE(ClassFamily):
    """Lin and Tang's (2006): ``sum I - sum (R - R|y)``, exactly.

    Examples
    --------
    >>> CIFE().alpha(10)
    0.5
    """

    def alpha(self, k: int) -> float:  # noqa: ARG002
        """Return 1/2."""
        return 0.5


@dataclass(frozen=True, repr=False)
class ICAP(ClassFamily):
    """Jakulin's (2005): ``sum I - sum max(0, R - R|y)``, exactly: what two features say more together earns nothing.

    Examples
    --------
    >>> ICAP().alpha(10)
    0.5
    """

    @property
    def redundancy(self) -> Any:
        """``max(0, I(x_i; x_j) - I(x_i; x_j | y))``."""
        return CoInformation(
            self._bins, self.edges, self.estimate, clipped=True, n_jobs=self.n_jobs, device=self.device
        )

    def alpha(self, k: int) -> float:  # noqa: ARG002
        """Return 1/2."""
        return 0.5


@dataclass(frozen=True, repr=False)
class DISR(ClassFamily):
    """Meyer and Bontempi's (2006): the sum over pairs of ``I(x_i, x_j; y) / H(x_i, x_j, y)``, exactly.

    Examples
    --------
    >>> DISR().alpha(10)
    0.0
    """

    @property
    def redundancy(self) -> Any:
        """Minus ``I(x_i, x_j; y) / H(x_i, x_j, y)``."""
        return SymmetricalRelevance(
            self._bins, self.edges, self.estimate, n_jobs=self.n_jobs, device=self.device
        )

    def alpha(self, k: int) -> float:
        """Return 0, as pairs say it all; of one feature alone, which has no pair, 1/2."""
        return 0.0 if k > 1 else 0.5
