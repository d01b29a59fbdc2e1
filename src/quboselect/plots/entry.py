"""Which features are in over alpha: a line of bars for each, in the order in which they enter."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any, Self

import numpy as np

from ..search.path import Path
from .drawing import (
    BLUE,
    LINE,
    MOST_NAMES,
    PALE,
    RED,
    SMALLEST,
    WIDTH,
    Window,
    alpha_axis,
    axes_inches,
    label_texts,
    mark_window,
    name_size,
    one_axis,
    set_title,
    wrapped_label,
)
from .fitted import path_of, result_of, window_of
from .path import window_in

USER = "plots.EntryDisplay"
# This many features or fewer get more room below; and inches that the label of the features needs.
FEW, LOWEST = 8, 2.1


class EntryDisplay:
    """Which features are in the optimal subset over alpha.

    Made by `from_path` or `from_estimator`. Features stand in the order in which they enter; pale bars are not proven.

    Parameters
    ----------
    path : Path
        Over all sizes, or of one size.
    names : iterable of str, optional
        Names of the features; by default their indices.
    window : Window, optional
        What was chosen, to be shaded; its features are named in colour.
    support : bool array, optional
        The features that were chosen.
    most : int
        How many features are shown, the first to enter; a line says how many are not.
    label : str, optional
        Title; by default what is drawn, and ``""`` is none.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    bars_ : list of matplotlib collections
        For each feature shown, from above, its bars.
    shown : int array
        The features shown, from above.
    """

    def __init__(
        self,
        path: Path,
        *,
        names: Iterable[str] | None = None,
        window: Window | None = None,
        support: Any = None,
        most: int = MOST_NAMES,
        label: str | None = None,
    ) -> None:
        self.path, self.window, self.label = path, window, label
        n = path[0].x.size
        self.names = label_texts(names, n)
        self.support = np.zeros(n, np.bool_) if support is None else np.asarray(support, np.bool_)
        bits = np.array([segment.x for segment in path])
        # The first segment with the feature, then the one that has it longest, then the lower index.
        first = np.where(bits.any(axis=0), bits.argmax(axis=0), len(path))
        widths = np.array([segment.stop - segment.start for segment in path])
        order = np.lexsort((np.arange(n), -(widths @ bits), first))
        entering = order[first[order] < len(path)]
        self.shown, self.entered = entering[:most], entering.size

    @classmethod
    def from_path(
        cls,
        path: Path,
        *,
        names: Iterable[str] | None = None,
        k: int | None = None,
        most: int = MOST_NAMES,
        label: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw a path.

        Parameters
        ----------
        path : Path
            As `alpha_path` returns it.
        names : iterable of str, optional
            Names of the features.
        k : int, optional
            Shade where k features are optimal, and name these in colour.
        most : int
            How many features to show at most.
        label : str, optional
            Title; by default what is drawn, and ``""`` is none.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure, as high as the names need.
        """
        window = window_in(path, k)
        segment = None if k is None else path.of_size(k)
        support = None if segment is None else segment.x
        return cls(path, names=names, window=window, support=support, most=most, label=label).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        whole: bool = False,
        size: int | None = None,
        names: Iterable[str] | None = None,
        most: int = MOST_NAMES,
        label: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the path of a fitted selector, its features marked.

        It is the path over all sizes, as the fit has explored it around k, or explored now where the fit needed none;
        where redundancies may be negative, that of the size of the selection. The selected features are named in
        colour, be they on that path or not.

        Parameters
        ----------
        estimator : fitted SelectQUBO or SelectQUBOCV, or Result
        whole : bool
            Explore all of the path now, with proofs.
        size : int, optional
            Draw the path of this size.
        names, most, label, ax
            As in `from_path`; names that the features have are known.
        """
        result = result_of(estimator, USER)
        display = cls(
            path_of(result, USER, whole, size),
            names=result.names if names is None else names,
            window=window_of(result),
            support=result.support,
            most=most,
            label=label,
        )
        return display.plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into given axes, by default into those of a new figure."""
        lines = max(len(self.shown), 3)
        # Few features leave no corner free: the legend has lines of its own below them.
        blank = 0 if lines > FEW else 4
        axis = self.ax_ = one_axis(ax, USER, (WIDTH, 1.0 + LINE * (lines + blank)))
        self.figure_ = axis.figure
        alpha_axis(axis, [segment.stop for segment in self.path][:-1])
        legend = [mark_window(axis, self.window)]
        self.bars_ = [self._draw(axis, place, feature) for place, feature in enumerate(self.shown)]
        axis.set_ylim(lines - 0.4, -0.6)
        size = name_size(lines + blank, axes_inches(axis)[1]) or SMALLEST
        axis.set_yticks(range(len(self.shown)), [self.names[i] for i in self.shown], fontsize=size)
        for text, feature in zip(axis.get_yticklabels(), self.shown, strict=True):
            if self.support[feature]:
                text.set_color(RED)
                text.set_fontweight("bold")
        axis.tick_params(axis="y", length=0)
        axis.spines[["top", "right", "left"]].set_visible(False)
        axis.grid(axis="x", color="0.93")
        axis.set_axisbelow(True)
        left = self.entered - len(self.shown)
        axis.set_xlabel(wrapped_label(axis, axis.get_xlabel()))
        if left:
            verb = "enter" if left > 1 else "enters"
            more = wrapped_label(axis, f"{left} more feature{'s' * (left > 1)} that {verb} later: not shown")
            axis.set_xlabel(f"{axis.get_xlabel()}\n{more}")
        set_title(axis, self.label, "Features that are in, for every alpha")
        low = axes_inches(axis)[1] < LOWEST
        axis.set_ylabel("feature,\nin order\nof entry" if low else "feature, in order of entry")
        self._draw_legend(axis, [handle for handle in legend if handle is not None])
        return self

    def _draw(self, axis: Any, place: int, feature: int) -> Any:
        """Draw one feature: where it is in, neighbouring segments of the same proof as one bar."""
        inside = [segment for segment in self.path if segment.x[feature]]
        ranks = {id(segment): rank for rank, segment in enumerate(self.path)}
        bars, colours = [], []
        steps = enumerate(inside)
        for (proven, _), run in groupby(
            steps, key=lambda step: (step[1].proven, ranks[id(step[1])] - step[0])
        ):
            segments = [segment for _, segment in run]
            bars.append((segments[0].start, segments[-1].stop - segments[0].start))
            colours.append(BLUE if proven else PALE)
        return axis.broken_barh(bars, (place - 0.33, 0.66), facecolors=colours, linewidth=0)

    def _draw_legend(self, axis: Any, handles: list[Any]) -> None:
        """Say what is proven and what was chosen, in the corner above bars that enter late."""
        from matplotlib.patches import Patch

        kinds = {segment.proven for segment in self.path if segment.size}
        words = ((True, BLUE, "in, proven"), (False, PALE, "in, not proven"))
        handles = [
            *(Patch(color=colour, label=word) for kind, colour, word in words if kind in kinds),
            *handles,
        ]
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 0.0), "borderaxespad": 0.3}
        size = 8 if axes_inches(axis)[0] > 3.0 else 6
        legend = axis.legend(handles=handles, fontsize=size, framealpha=0.9, edgecolor="none", **place)
        # Only what is laid out knows its size.
        axis.figure.draw_without_rendering()
        ground, box = axis.get_window_extent(), legend.get_window_extent()
        (right, _), (_, top) = (
            axis.transData.inverted().transform(corner) for corner in ((box.x1, 0), (0, box.y1))
        )
        covered = any(
            place + 0.4 > top and min(path.vertices[:, 0].min() for path in bars.get_paths()) < right
            for place, bars in enumerate(self.bars_)
        )
        share = (box.y1 - ground.y0) / ground.height
        if covered and share < 0.8:
            # As much more below the last bar as makes the legend's share of the whole.
            axis.set_ylim((len(self.bars_) - 0.4 + 0.6) / (1.0 - share) - 0.6, -0.6)
