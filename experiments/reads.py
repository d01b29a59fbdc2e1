"""The reads of samplers: the published ones from the authors' files, and how often runs of any sampler hit the optimum.

A run is a `Solutions`; a solution that was read 300 times counts 300 times. Deviations are standard deviations over the
runs, with ``ddof=0`` as in the paper; that of a single run is zero, which says nothing.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from quboselect import QUBO, Solutions

Vector = npt.NDArray[np.float64]

# With fewer hits than this, a share in per cent says more than is known.
FEW = 10
# Others compute energies in another order, or print few digits; another QUBO differs by more than this.
AGREEMENT = 1e-6


class Band(NamedTuple):
    """Mean and standard deviation over some runs, at each of several places."""

    mean: Vector
    std: Vector
    runs: int


@dataclass(frozen=True, eq=False)
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
    >>> print(HitRate(np.array([0.1, 0.3]), 400, 2000), HitRate(np.array([0.0, 1 / 1024]), 1, 2048), sep=", ")
    20.00 ± 10.00 %, 1 of 2048 reads
    """

    shares: Vector
    hits: int
    reads: int

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
        deviation = f" ± {100 * self.std:.2f}" if self.shares.size > 1 else ""
        return f"{100 * self.mean:.2f}{deviation} %"


def hit_rate(runs: Sequence[Solutions], minimum: float, *, tolerance: float = 1e-9) -> HitRate:
    """Return how often the minimum was read.

    Parameters
    ----------
    runs : sequence of Solutions
    minimum : float
        The proven minimum, ``Portfolio()(qubo).energy[0]``, not the lowest energy of the runs.
    tolerance : float
        A read this close to the minimum is a hit: for rounding, with energies of about one.

    Examples
    --------
    >>> qubo = QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]])
    >>> run = Solutions.of(qubo, [[1, 0], [1, 1], [0, 0]], count=[30, 50, 20])
    >>> print(hit_rate([run, run], -1.0))
    30.00 ± 0.00 %
    """
    lowest = min(float(run.energy.min()) for run in runs)
    if lowest < minimum - tolerance:
        raise ValueError(
            f"minimum must be the lowest energy of the QUBO, got {minimum:.12g}, but a read has {lowest:.12g}. "
            f"Take a proven minimum, and runs of the same QUBO."
        )
    hits = np.array([run.count[run.energy <= minimum + tolerance].sum() for run in runs])
    reads = np.array([run.count.sum() for run in runs])
    return HitRate(hits / reads, int(hits.sum()), int(reads.sum()))


def sorted_energies(runs: Sequence[Solutions]) -> Band:
    """Return the lowest energy of the runs, the second lowest, and so on; all runs must have equally many reads.

    Examples
    --------
    >>> sorted_energies([Solutions([[True], [False]], [-1.0, 0.0], [2, 1])]).mean
    array([-1., -1.,  0.])
    """
    rows = [np.sort(np.repeat(run.energy, run.count)) for run in runs]
    if len({row.size for row in rows}) > 1:
        raise ValueError(f"runs must have equally many reads, got {[row.size for row in rows]}.")
    return _band(rows)


def bit_counts(runs: Sequence[Solutions]) -> Band:
    """Return the number of reads of a run in which each bit was 1.

    Examples
    --------
    >>> bit_counts([Solutions([[True, False], [True, True]], [-1.0, 0.0], [2, 1])]).mean
    array([3., 1.])
    """
    return _band([run.count @ run.x.astype(np.int64) for run in runs])


def _band(rows: Sequence[npt.NDArray[np.number]]) -> Band:
    table = np.stack(rows).astype(np.float64)
    return Band(table.mean(axis=0), table.std(axis=0), len(table))


def read_runs(pattern: Path, qubo: QUBO) -> list[Solutions]:
    """Return the runs in the authors' files that match a pattern, run 2 before run 10.

    A file is ``{"info": ..., "record": [[bits, energy, num_occurrences, ...], ...]}``. Energies are computed anew; a
    file whose energies are not those of the QUBO is refused.

    Parameters
    ----------
    pattern : path
        Such as ``REFERENCE / "QA-results/qubo_waveform_*.json"``.
    qubo : QUBO
        The QUBO that was read.
    """
    paths = sorted(pattern.parent.glob(pattern.name), key=_by_numbers)
    if not paths:
        raise FileNotFoundError(f"{pattern} should match at least one file, and matches none.")
    return [_read_run(path, qubo) for path in paths]


def _by_numbers(path: Path) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", path.name)]


def _read_run(path: Path, qubo: QUBO) -> Solutions:
    record = json.loads(path.read_bytes())["record"]
    x, stored, count = (np.array([row[column] for row in record]) for column in range(3))
    if x.ndim != 2 or x.shape[1] != qubo.size:
        raise ValueError(f"{path} should hold rows of {qubo.size} bits, got an array of shape {x.shape}.")
    energy = np.asarray(qubo.energy(x > 0))
    largest = max(np.abs(qubo.linear).max(), np.abs(qubo.couplings).max())
    # "not at most" instead of "greater", because a stored energy may be NaN.
    wrong = ~(np.abs(stored - energy) <= AGREEMENT * (largest + np.abs(energy)))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(
            f"{path} belongs to another QUBO: {int(wrong.sum())} of {len(wrong)} stored energies are wrong; read {i} "
            f"is stored with {stored[i]:.9g}, and the QUBO gives {energy[i]:.9g}."
        )
    # Some samplers list rows that they never read.
    seen = count != 0
    return Solutions.of(qubo, x[seen] > 0, count=count[seen])
