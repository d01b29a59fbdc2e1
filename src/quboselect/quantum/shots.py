"""Shots: what several runs of a sampler say together. Runs flow in, each a `Solutions`; rates and means flow out.

A sample that was read 300 times counts 300 times. Spreads are standard deviations over the runs, of the runs that there
are (``ddof=0``), as the paper has them; a single run has a spread of zero, which says nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..qubo import QUBO, RELATIVE_TOLERANCE, Bits, Vector, as_bits, frozen
from ..solutions import Solutions, best_first

Runs = Solutions | Iterable[Solutions]

# Below this many hits a share in per cent says more than is known.
FEW = 10


def as_runs(runs: Runs) -> tuple[Solutions, ...]:
    """Return one or several `Solutions` as a tuple of runs, all of as many bits.

    Examples
    --------
    >>> as_runs([])
    Traceback (most recent call last):
    ValueError: runs must be at least one Solutions, got none.
    """
    if isinstance(runs, Solutions):
        runs = (runs,)
    if not isinstance(runs, Iterable):
        raise TypeError(f"runs must be Solutions, one or several, got {type(runs).__name__}.")
    every = tuple(runs)
    for place, run in enumerate(every):
        if not isinstance(run, Solutions):
            raise TypeError(f"runs must be Solutions, one or several; run {place} is a {type(run).__name__}.")
        if run.x.shape[1] != every[0].x.shape[1]:
            raise ValueError(
                f"runs must be solutions of one QUBO; run 0 has {every[0].x.shape[1]} bits, "
                f"run {place} has {run.x.shape[1]}."
            )
    if not every:
        raise ValueError("runs must be at least one Solutions, got none.")
    return every


@dataclass(frozen=True, eq=False, repr=False)
class HitRate:
    """How often the minimum was read.

    Parameters
    ----------
    shares : array of shape (r,)
        Hits over reads of each run, from 0 to 1.
    hits, reads : int
        Reads that reached the minimum, and all reads, of all runs together.

    Examples
    --------
    >>> print(HitRate([0.1, 0.3], 400, 2000), HitRate([0.0, 1 / 1024], 1, 2048), sep=", ")
    20.00 ± 10.00 %, 1 of 2048 reads
    """

    shares: Vector
    hits: int
    reads: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "shares", frozen(self.shares, "shares", 1))
        if not self.shares.size or not ((self.shares >= 0.0) & (self.shares <= 1.0)).all():
            raise ValueError(f"shares must be at least one number from 0 to 1, got {self.shares}.")
        if not 0 <= self.hits <= self.reads:
            raise ValueError(f"hits must be from 0 to the number of reads, got {self.hits} of {self.reads}.")

    @property
    def mean(self) -> float:
        """Mean of the shares."""
        return float(self.shares.mean())

    @property
    def std(self) -> float:
        """Standard deviation of the shares."""
        return float(self.shares.std())

    def __str__(self) -> str:
        if self.hits < FEW:
            return f"{self.hits} of {self.reads} reads"
        spread = f" ± {100 * self.std:.2f}" if self.shares.size > 1 else ""
        return f"{100 * self.mean:.2f}{spread} %"

    def __repr__(self) -> str:
        return f"HitRate({self}; runs: {self.shares.size})"


@dataclass(frozen=True, eq=False, repr=False)
class Band:
    """A mean and a standard deviation over runs, at each of several places.

    Parameters
    ----------
    mean, std : arrays of one shape (m,)
    runs : int
        How many there were.
    """

    mean: Vector
    std: Vector
    runs: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", frozen(self.mean, "mean", 1))
        object.__setattr__(self, "std", frozen(self.std, "std", 1))
        if self.mean.shape != self.std.shape or (self.std < 0.0).any():
            raise ValueError(
                f"std must be {self.mean.size} numbers of at least zero, one for each mean, got {self.std}."
            )

    @classmethod
    def of(cls, rows: npt.ArrayLike) -> "Band":
        """Return the band of numbers of shape (runs, m).

        Examples
        --------
        >>> Band.of([[1.0, 2.0], [3.0, 2.0]])
        Band(2 places; runs: 2)
        """
        table = frozen(rows, "rows", 2)
        return cls(table.mean(axis=0), table.std(axis=0), len(table))

    def __repr__(self) -> str:
        return f"Band({self.mean.size} places; runs: {self.runs})"

    def __len__(self) -> int:
        return int(self.mean.size)


def hit_rate(
    runs: Runs, minimum: float, *, tolerance: float | None = None, qubo: QUBO | None = None
) -> HitRate:
    """Return how often the minimum was read.

    Parameters
    ----------
    runs : Solutions, or several
    minimum : float
        The lowest energy there is: of a proof, ``Portfolio()(qubo).energy[0]``, not of the runs themselves.
    tolerance : float, optional
        A read this close to it is a hit. Rounding needs some; the next energy above must be further off. By default
        it is that of the QUBO, if there is one, and 1e-9 without, which is meant for energies of about one.
    qubo : QUBO, optional
        What the runs are of.

    Examples
    --------
    >>> from .qubo import QUBO
    >>> qubo = QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]])
    >>> run = Solutions.of(qubo, [[1, 0], [1, 1], [0, 0]], count=[30, 50, 20])
    >>> print(hit_rate([run, run], -1.0))
    30.00 ± 0.00 %
    """
    every = as_runs(runs)
    if tolerance is None:
        tolerance = 1e-9 if qubo is None else qubo.tolerance
    if not np.isfinite(minimum) or not 0.0 <= tolerance < np.inf:
        raise ValueError(
            f"minimum must be finite and tolerance at least zero, got minimum={minimum}, tolerance={tolerance}."
        )
    lowest = min(float(run.energy.min()) for run in every)
    if lowest < minimum - tolerance:
        raise ValueError(
            f"minimum must be the lowest energy there is, got {minimum:.12g}, but a read has {lowest:.12g}. "
            f"Take the minimum of a proof, and solutions of the same QUBO."
        )
    hits = np.array([run.count[run.energy <= minimum + tolerance].sum() for run in every])
    reads = np.array([run.count.sum() for run in every])
    return HitRate(hits / reads, int(hits.sum()), int(reads.sum()))


def sorted_energies(runs: Runs) -> Band:
    """Return mean and spread of the lowest energy of each run, of the second lowest, and so on for all reads.

    Runs must have equally many reads.

    Examples
    --------
    >>> run = Solutions([[True], [False]], [-1.0, 0.0], [2, 1])
    >>> sorted_energies(run).mean
    array([-1., -1.,  0.])
    """
    every = as_runs(runs)
    rows = [np.sort(np.repeat(run.energy, run.count)) for run in every]
    for place, row in enumerate(rows):
        if row.size != rows[0].size:
            raise ValueError(
                f"runs must have equally many reads, so that the lowest meets the lowest and the highest the highest; "
                f"run 0 has {rows[0].size}, run {place} has {row.size}."
            )
    return Band.of(np.stack(rows))


def bit_counts(runs: Runs) -> Band:
    """Return mean and spread of the number of reads of a run in which each bit was 1.

    Examples
    --------
    >>> bit_counts(Solutions([[True, False], [True, True]], [-1.0, 0.0], [2, 1])).mean
    array([3., 1.])
    """
    return Band.of(np.stack([run.count @ run.x.astype(np.int64) for run in as_runs(runs)]))


class Reference(NamedTuple):
    """What runs are compared with: bits, their energy, and a word that claims no more than is known."""

    x: Bits
    energy: float
    word: str


def reference(
    runs: Sequence[Solutions], optimum: Solutions | npt.ArrayLike | None, qubo: QUBO | None
) -> Reference:
    """Return the optimum, or what stands in for it.

    It is called "optimum" where solutions prove it or bits are given as it, "lowest known" where solutions prove
    nothing, and "lowest found" where it comes from the runs, as it does if these went below such solutions.
    """
    x = np.concatenate([run.x for run in runs])
    energy = np.concatenate([run.energy for run in runs])
    size = x.shape[1]
    if qubo is not None and qubo.size != size:
        raise ValueError(f"qubo must have as many bits as the runs, {size}, got {qubo.size}.")
    tolerance = RELATIVE_TOLERANCE * abs(float(energy.min())) if qubo is None else qubo.tolerance
    if isinstance(optimum, Solutions):
        if optimum.x.shape[1] != size:
            raise ValueError(f"optimum must have as many bits as the runs, {size}, got {optimum.x.shape[1]}.")
        known = float(optimum.energy[0])
        if optimum.proven or known <= energy.min() + tolerance:
            return Reference(optimum.best, known, "optimum" if optimum.proven else "lowest known")
        optimum = None
    if optimum is None:
        place = int(best_first(x, energy, tolerance)[0])
        proven = max(run.bound for run in runs) >= energy[place] - tolerance
        return Reference(x[place], float(energy[place]), "optimum" if proven else "lowest found")
    bits = as_bits(optimum, size)
    if bits.ndim != 1:
        raise ValueError(f"optimum must be {size} bits, got {len(bits)} rows of them.")
    if qubo is not None:
        return Reference(bits, qubo.energy(bits), "optimum")
    places = np.flatnonzero((x == bits).all(axis=1))
    if not places.size:
        raise ValueError("the energy of optimum is not known, since no read has its bits: give qubo as well.")
    return Reference(bits, float(energy[places[0]]), "optimum")


def indifferent(qubo: QUBO, x: Bits) -> Bits:
    """Return which bits may as well be the other way: turning one does not change the energy.

    Examples
    --------
    >>> indifferent(QUBO([-1.0, 0.0], [[0.0, 0.0], [0.0, 0.0]]), np.array([True, False]))
    array([False,  True])
    """
    changes = qubo.linear + qubo.couplings @ x
    either: Bits = np.abs(changes) <= qubo.tolerance
    return either
