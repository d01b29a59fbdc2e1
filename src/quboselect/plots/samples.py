"""The reads of a sampler: all of them by energy, and how often each bit was 1."""

import textwrap
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..quantum.shots import (
    Band,
    HitRate,
    Reference,
    Runs,
    as_runs,
    bit_counts,
    hit_rate,
    indifferent,
    reference,
    sorted_energies,
)
from ..qubo import QUBO, RELATIVE_TOLERANCE, Bits
from ..solutions import Solutions
from .drawing import (
    BLUE,
    GREY,
    HEIGHT,
    MOST_NAMES,
    ORANGE,
    RED,
    WIDTH,
    in_quarters,
    plain_axes,
    pyplot,
    shortened,
)

# Longer titles would meet the legend at their right.
TITLE = 36
# More points than this are not seen, and make a large file.
MOST_POINTS = 512


class SolutionsDisplay:
    """All reads of a sampler, sorted by energy, and how often each bit was 1: the paper's pictures of experiment 4.

    Made by `from_runs`.

    Parameters
    ----------
    energies : Band
        Energies of all reads in ascending order, over the runs.
    bits : Band
        Reads in which each bit was 1, over the runs.
    best : Reference
        The optimum, or what stands in for it.
    rate : HitRate
        How often its energy was read.
    either : bool array, optional
        Bits whose value in the optimum does not matter.
    label : str, optional
        Title.
    names : iterable of str, optional
        Names of the features, shown in place of their indices where there are at most 40.
    unit : str, optional
        Unit of the energies.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : array of two matplotlib Axes
        Sorted energies, bits.
    """

    def __init__(
        self,
        energies: Band,
        bits: Band,
        best: Reference,
        rate: HitRate,
        *,
        either: Bits | None = None,
        label: str | None = None,
        names: Iterable[str] | None = None,
        unit: str | None = None,
    ) -> None:
        named = None if names is None else [str(name) for name in names]
        if named is not None and len(named) != len(bits):
            raise ValueError(f"names must be {len(bits)} names, one for each bit, got {len(named)}.")
        self.energies, self.bits, self.best, self.rate = energies, bits, best, rate
        self.either = np.zeros(len(bits), np.bool_) if either is None else either
        self.label, self.names, self.unit = label, named, unit

    @classmethod
    def from_runs(
        cls,
        runs: Runs,
        optimum: Solutions | npt.ArrayLike | None = None,
        *,
        qubo: QUBO | None = None,
        label: str | None = None,
        names: Iterable[str] | None = None,
        unit: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the reads of one or several runs.

        Parameters
        ----------
        runs : Solutions, or several
            Of equally many reads.
        optimum : Solutions or bits, optional
            Solutions whose best is taken, such as those of `solvers.Portfolio`; they are called an optimum only if they
            prove it. Or the bits. By default, and where reads are below samples that prove nothing, the best read of
            all, and the picture says "lowest found".
        qubo : QUBO, optional
            What the runs are of: the energy of bits that were never read is computed with it, and bits that
            may be 0 or 1 in the optimum are shown as such.
        label : str, optional
            Title: the data and the sampler.
        names : iterable of str, optional
            Names of the features, shown in place of their indices where there are at most 40.
        unit : str, optional
            Unit of the energies: ``"bits"`` for mutual information.
        ax : two matplotlib Axes, optional
            Where to draw; by default a new figure.
        """
        every = as_runs(runs)
        best = reference(every, optimum, qubo)
        # Energies of zero need a scale too.
        scale = abs(best.energy) or max(float(np.abs(run.energy).max()) for run in every)
        tolerance = RELATIVE_TOLERANCE * scale if qubo is None else qubo.tolerance
        display = cls(
            sorted_energies(every),
            bit_counts(every),
            best,
            hit_rate(every, best.energy, tolerance=tolerance),
            either=None if qubo is None else indifferent(qubo, best.x),
            label=label,
            names=names,
            unit=unit,
        )
        return display.plot(ax)

    @property
    def _named(self) -> list[str]:
        """What stands under the bars; nothing where indices do."""
        if self.names is None or len(self.names) > MOST_NAMES:
            return []
        return [shortened(name) for name in self.names]

    def plot(self, ax: Any = None) -> Self:
        """Draw into two axes, by default into those of a new figure."""
        plt = pyplot("plots.SolutionsDisplay")
        if ax is None:
            sides = {"width_ratios": (1.0, 1.35)}
            # A letter of a name takes about a twentieth of an inch.
            height = HEIGHT + 0.05 * max(map(len, self._named), default=0)
            _, ax = plt.subplots(1, 2, figsize=(WIDTH, height), layout="constrained", gridspec_kw=sides)
        axes = np.array(ax, dtype=object).ravel()
        if len(axes) != 2:
            raise ValueError(f"ax must be two axes, for the energies and for the bits, got {len(axes)}.")
        self.axes_, self.figure_ = axes, axes[0].figure
        self._draw_energies(axes[0])
        self._draw_bits(axes[1])
        for axis in axes:
            plain_axes(axis)
        return self

    def _draw_energies(self, axis: Any) -> None:
        """Draw the reads from the lowest to the highest, and the line that none is below."""
        runs, whole = self.energies.runs, len(self.energies)
        shown = np.unique(np.linspace(0, whole - 1, min(whole, MOST_POINTS)).round().astype(int))
        mean, std = self.energies.mean[shown], self.energies.std[shown]
        axis.plot(
            shown + 1,
            mean,
            color=BLUE,
            linewidth=1.6,
            label=f"mean of {runs} runs" if runs > 1 else "one run",
        )
        if runs > 1:
            band = {"color": BLUE, "alpha": 0.25, "linewidth": 0, "label": "± one standard deviation"}
            axis.fill_between(shown + 1, mean - std, mean + std, **band)
        line = {"color": RED, "linewidth": 1.2, "linestyle": "--", "zorder": 3}
        axis.axhline(self.best.energy, label=f"{self.best.word}: {self.rate}", **line)
        axis.set_xlabel("reads, sorted by energy")
        axis.set_ylabel(f"energy ({self.unit})" if self.unit else "energy")
        axis.set_xlim(0, whole + 1)
        in_quarters(axis.xaxis, whole)
        # Sorted energies leave this corner free.
        axis.legend(loc="upper left", frameon=False, fontsize=8, borderaxespad=0.2)
        if self.label:
            axis.set_title(textwrap.fill(self.label, TITLE), loc="left", fontsize=11)

    def _draw_bits(self, axis: Any) -> None:
        """Draw a bar for each bit, coloured by what the bit is in the optimum."""
        size, whole = len(self.bits), len(self.energies)
        x, fixed, place = self.best.x, ~self.either, np.arange(size)
        kinds = ((~x & fixed, ORANGE, "0"), (x & fixed, BLUE, "1"), (self.either, GREY, "0 or 1"))
        # A legend in one line has no title; its first entry is one.
        handles = axis.plot([], [], " ", label=f"in the {self.best.word}:")
        for where, colour, word in kinds:
            if where.any():
                handles.append(axis.bar(place[where], self.bits.mean[where], 0.8, color=colour, label=word))
        if self.bits.runs > 1:
            thin = 1.0 if size <= MOST_NAMES else 0.5
            axis.errorbar(place, self.bits.mean, self.bits.std, fmt="none", ecolor="0.15", elinewidth=thin)
        axis.set_xlim(-0.7, size - 0.3)
        axis.set_ylim(0, 1.02 * whole)
        in_quarters(axis.yaxis, whole)
        axis.set_ylabel("reads with bit 1")
        above = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.1}
        spaced = {"handlelength": 1.2, "handletextpad": 0.5, "columnspacing": 1.2}
        axis.legend(handles=handles, ncols=4, frameon=False, fontsize=8, **above, **spaced)
        if self._named:
            axis.set_xticks(place, self._named, rotation=90, fontsize=7)
        else:
            axis.set_xlabel("bit (index of the feature)")
            axis.locator_params(axis="x", integer=True)
