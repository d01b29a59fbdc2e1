"""How often each feature was selected from resamples, beside what was selected from the whole table."""

from typing import Any, Self

import numpy as np

from ..report.stability import Stability
from .drawing import (
    BLUE,
    GREY,
    LINE,
    SMALLEST,
    WIDTH,
    axes_inches,
    label_texts,
    name_size,
    one_axis,
    wrapped_label,
)

USER = "plots.StabilityDisplay"
MOST = 30


class StabilityDisplay:
    """The share of resamples from which each feature was selected.

    Made by `from_stability`. Blue bars are the features selected from the whole table.

    Parameters
    ----------
    stability : Stability
    most : int
        The features selected most often are shown, and those of the whole table; a line says how many are not.
    label : str, optional
        Title, above the index.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    bars_ : matplotlib BarContainer
    shown : int array
        The features shown, from above.
    """

    def __init__(self, stability: Stability, *, most: int = MOST, label: str | None = None) -> None:
        if not isinstance(stability, Stability):
            raise TypeError(
                f"{USER} needs what quboselect.stability returns, got {type(stability).__name__}."
            )
        self.stability, self.label = stability, label
        share = stability.frequency
        order = np.lexsort((~stability.support, -share))
        seen = order[(share[order] > 0.0) | stability.support[order]]
        # Of the whole table none is left out; of the others the rarest.
        kept = stability.support[seen].copy()
        kept[np.flatnonzero(~kept)[: max(most - int(kept.sum()), 0)]] = True
        self.shown, self.seen = seen[kept], seen.size

    @classmethod
    def from_stability(
        cls, stability: Stability, *, most: int = MOST, label: str | None = None, ax: Any = None
    ) -> Self:
        """Draw what `quboselect.stability` found.

        Parameters
        ----------
        stability : Stability
        most : int
            How many features to show, unless more were selected from the whole table.
        label : str, optional
            Title.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure, as high as the names need.
        """
        return cls(stability, most=most, label=label).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into given axes, by default into those of a new figure."""
        found, lines = self.stability, max(len(self.shown), 3)
        axis = self.ax_ = one_axis(ax, USER, (WIDTH - 1.0, 1.4 + LINE * lines))
        self.figure_ = axis.figure
        names = label_texts(found.names, found.support.size)
        share, chosen = found.frequency[self.shown], found.support[self.shown]
        place = np.arange(len(self.shown))
        self.bars_ = axis.barh(place, share, 0.72, color=np.where(chosen, BLUE, GREY).tolist())
        size = name_size(lines, axes_inches(axis)[1]) or SMALLEST
        axis.set_yticks(place, [names[i] for i in self.shown], fontsize=size)
        for text, selected in zip(axis.get_yticklabels(), chosen, strict=True):
            if selected:
                text.set_color(BLUE)
                text.set_fontweight("bold")
        axis.set_ylim(lines - 0.4, -0.6)
        axis.set_xlim(0.0, 1.0)
        axis.set_xticks([0.0, 0.25, 0.5, 0.75, 1.0], ["0", "25 %", "50 %", "75 %", "100 %"])
        left = self.seen - len(self.shown)
        words = [f"selected from this share of {len(found.supports)} resamples"]
        if left:
            words.append(f"{left} more that were selected at times: not shown")
        axis.set_xlabel("\n".join(wrapped_label(axis, line) for line in words))
        axis.tick_params(axis="y", length=0)
        axis.spines[["top", "right", "left"]].set_visible(False)
        axis.grid(axis="x", color="0.93")
        axis.set_axisbelow(True)
        self._draw_legend(axis)
        axis.set_title(self._title(), loc="left", fontsize=10)
        return self

    def _title(self) -> str:
        """Return the index with its interval, under the label."""
        index = "stability is not defined: all subsets have all features, or none"
        if not np.isnan(self.stability.index):
            low, high = self.stability.interval()
            index = f"stability {self.stability.index:.2f}, 95 % interval {low:.2f} to {high:.2f}"
        return f"{self.label}\n{index}" if self.label else index

    def _draw_legend(self, axis: Any) -> None:
        """Say what the colours are, where short bars leave room."""
        from matplotlib.patches import Patch

        kinds = ((BLUE, "selected from the whole table"), (GREY, "not selected from it"))
        handles = [Patch(color=colour, label=word) for colour, word in kinds]
        axis.legend(handles=handles, loc="lower right", fontsize=8, framealpha=0.9, edgecolor="none")
