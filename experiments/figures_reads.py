"""The paper's pictures of experiment 4: all reads of a sampler by energy, and how often each bit was 1."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from reads import Band, HitRate

from quboselect.plots.drawing import BLUE, ORANGE, RED, plain_axes

# More points than this cannot be seen, and make a large file.
MOST_POINTS = 512
# With more bits than this, error bars are thin.
MANY_BITS = 40


@dataclass(frozen=True, eq=False)
class Reads:
    """What is drawn of some runs.

    Parameters
    ----------
    energies : Band
        Energies of all reads in ascending order, over the runs.
    bits : Band
        Reads in which each bit was 1, over the runs.
    optimum : bool array of shape (n,)
    minimum : float
        Its energy.
    rate : HitRate
        How often that energy was read.
    """

    energies: Band
    bits: Band
    optimum: npt.NDArray[np.bool_]
    minimum: float
    rate: HitRate

    def plot(self, axes: npt.NDArray[Any], label: str) -> None:
        """Draw into two axes: the energies, then the bits."""
        self._draw_energies(axes[0])
        axes[0].set_title(label, loc="left", fontsize=11)
        self._draw_bits(axes[1])
        for axis in axes:
            plain_axes(axis)

    def _draw_energies(self, axis: Any) -> None:
        """Draw the reads from the lowest to the highest, and a line at the minimum."""
        runs, reads = self.energies.runs, self.energies.mean.size
        shown = np.unique(np.linspace(0, reads - 1, min(reads, MOST_POINTS)).round().astype(int))
        mean, std = self.energies.mean[shown], self.energies.std[shown]
        axis.plot(shown + 1, mean, color=BLUE, linewidth=1.6, label=f"mean of {runs} runs")
        band = {"color": BLUE, "alpha": 0.25, "linewidth": 0, "label": "± one standard deviation"}
        axis.fill_between(shown + 1, mean - std, mean + std, **band)
        line = {"color": RED, "linewidth": 1.2, "linestyle": "--", "zorder": 3}
        axis.axhline(self.minimum, label=f"optimum: {self.rate}", **line)
        axis.set_xlabel("reads, sorted by energy")
        axis.set_ylabel("energy")
        axis.set_xlim(0, reads + 1)
        axis.set_xticks(quarters(reads))
        # Sorted energies leave this corner free.
        axis.legend(loc="upper left", frameon=False, fontsize=8, borderaxespad=0.2)

    def _draw_bits(self, axis: Any) -> None:
        """Draw a bar for each bit, coloured by its value in the optimum."""
        size, reads, place = self.optimum.size, self.energies.mean.size, np.arange(self.optimum.size)
        # A legend in one line has no title; its first entry is one.
        handles = axis.plot([], [], " ", label="in the optimum:")
        for where, colour, word in ((~self.optimum, ORANGE, "0"), (self.optimum, BLUE, "1")):
            handles.append(axis.bar(place[where], self.bits.mean[where], 0.8, color=colour, label=word))
        thin = 1.0 if size <= MANY_BITS else 0.5
        axis.errorbar(place, self.bits.mean, self.bits.std, fmt="none", ecolor="0.15", elinewidth=thin)
        axis.set_xlim(-0.7, size - 0.3)
        axis.set_ylim(0, 1.02 * reads)
        axis.set_yticks(quarters(reads))
        axis.set_ylabel("reads with bit 1")
        above = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.1}
        narrow = {"handlelength": 1.2, "handletextpad": 0.5, "columnspacing": 1.2}
        axis.legend(handles=handles, ncols=4, frameon=False, fontsize=8, **above, **narrow)
        axis.set_xlabel("bit (index of the feature)")
        axis.locator_params(axis="x", integer=True)


def quarters(reads: int) -> list[int]:
    """Return the ticks of a number of reads: its quarters, rounded down.

    Examples
    --------
    >>> quarters(1024)
    [0, 256, 512, 768, 1024]
    """
    return [reads * quarter // 4 for quarter in range(5)]
