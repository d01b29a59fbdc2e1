"""The path as a staircase: size, importance and redundancy of the optimal subset over alpha."""

from itertools import groupby
from typing import Any, Self

import numpy as np

from ..qubo import percent
from ..search.path import Path, Segment
from .drawing import (
    BLUE,
    GREEN,
    RED,
    WIDTH,
    Window,
    alpha_axis,
    axes_inches,
    axis_label,
    mark_point,
    mark_window,
    plain_axes,
    pyplot,
    set_title,
    wrapped_label,
)
from .fitted import measure_units, path_of, result_of, window_of

USER = "plots.PathDisplay"


class PathDisplay:
    """Size, importance and redundancy of the optimal subset over alpha.

    Made by `from_path` or `from_estimator`. The path is that over all sizes, or that of one size. Segments that are not
    proven are thin and pale, on a hatched ground. The axis is stretched towards 0 and 1, as alpha / (1 - alpha) on a
    logarithmic scale.

    Parameters
    ----------
    path : Path
        Over all sizes, or of one size.
    window : Window, optional
        What was chosen, to be shaded; a line where that is one alpha.
    apart : Segment, optional
        What was chosen, to be marked apart, where it need not be on the path: orange diamonds at its size and sums.
    label : str, optional
        Title; by default what is drawn, and ``""`` is none.
    unit : str, optional
        Unit of importance and redundancy.

    Attributes
    ----------
    figure_ : matplotlib Figure
    axes_ : array of three matplotlib Axes
        Size, importance, redundancy.
    lines_ : list of three matplotlib StepPatch
        The staircases.
    points_ : list of matplotlib Line2D
        What was chosen, where it is marked apart.
    """

    def __init__(
        self,
        path: Path,
        *,
        window: Window | None = None,
        apart: Segment | None = None,
        label: str | None = None,
        unit: str | None = None,
    ) -> None:
        self.path, self.window, self.apart, self.label, self.unit = path, window, apart, label, unit

    @classmethod
    def from_path(
        cls,
        path: Path,
        *,
        k: int | None = None,
        label: str | None = None,
        unit: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw a path.

        Parameters
        ----------
        path : Path
            As `alpha_path` or `size_path` returns it.
        k : int, optional
            Shade where k features are optimal.
        label : str, optional
            Title; by default what is drawn, and ``""`` is none.
        unit : str, optional
            Unit of importance and redundancy: ``"bits"`` for mutual information.
        ax : matplotlib Axes, or three, optional
            Where to draw; one is divided. By default a new figure.
        """
        return cls(path, window=window_in(path, k), label=label, unit=unit).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        whole: bool = False,
        size: int | None = None,
        label: str | None = None,
        unit: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the path of a fitted selector, with what was selected.

        It is the path over all sizes, as the fit has explored it around k, or explored now where the fit needed none.
        Where redundancies are negative, that of the size of the selection is drawn; ``from_path`` draws any. A
        selection of k features at a given alpha need not be on the path over all sizes: it is marked apart.

        Parameters
        ----------
        estimator : fitted SelectQUBO or SelectQUBOCV, or Result
        whole : bool
            Explore all of the path now, with proofs. By default the rest is not proven, and has gaps that the whole
            path has not.
        size : int, optional
            Draw the path of this size: every trade-off between importance and redundancy of so many features.
        label, unit, ax
            As in `from_path`; the unit of a known measure is known.
        """
        result = result_of(estimator, USER)
        path = path_of(result, USER, whole, size)
        if unit is None:
            unit = measure_units(estimator)[0] if len({*measure_units(estimator)}) == 1 else ""
        apart = None
        if not result.on_path:
            sums = result.tradeoff.line(result.support)
            apart = Segment(result.alpha, result.alpha, result.support, *sums, result.gap)
        return cls(path, window=window_of(result), apart=apart, label=label, unit=unit).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into three axes, or into one that is divided; by default into those of a new figure."""
        axes = self.axes_ = three_axes(ax)
        self.figure_ = axes[0].figure
        rows = (
            ("features", self.path.sizes, BLUE),
            (axis_label("importance", self.unit), [segment.importance for segment in self.path], GREEN),
            (axis_label("redundancy", self.unit), [segment.redundancy for segment in self.path], RED),
        )
        cuts = [segment.stop for segment in self.path][:-1]
        alpha_axis(axes[2], cuts)
        self.lines_ = [self._draw(axis, *row) for axis, row in zip(axes, rows, strict=True)]
        self.points_ = []
        if self.apart is not None:
            values = (self.apart.size, self.apart.importance, self.apart.redundancy)
            for axis, row, value in zip(axes, rows, values, strict=True):
                self.points_.append(mark_point(axis, self.apart.start, value))
                axis.set_ylim(*ylim([*row[1], value]))
        axes[0].yaxis.get_major_locator().set_params(integer=True)
        axes[2].set_xlabel(wrapped_label(axes[2], axes[2].get_xlabel()))
        for axis in axes[:2]:
            axis.tick_params(labelbottom=False)
            axis.set_xlabel("")
        self.figure_.align_ylabels(axes)
        self._draw_legend(axes[0])
        set_title(axes[0], self.label, "Size, importance and redundancy of the best features")
        return self

    def _draw(self, axis: Any, label: str, values: Any, colour: str) -> Any:
        """Draw one staircase: all of it thin, and what is proven over it."""
        edges = [self.path[0].start, *(segment.stop for segment in self.path)]
        for start, stop in unproven(self.path):
            axis.axvspan(
                start, stop, facecolor="none", edgecolor="0.88", hatch="////", linewidth=0, zorder=0.4
            )
        self._window = mark_window(axis, self.window)
        line = axis.stairs(values, edges, color=colour, linewidth=0.9, baseline=None, alpha=0.55)
        proven = np.array([segment.proven for segment in self.path])
        heights = np.asarray(values, float)
        axis.hlines(
            heights[proven], np.array(edges[:-1])[proven], np.array(edges[1:])[proven], colour, linewidth=2.2
        )
        together = proven[1:] & proven[:-1]
        ends = np.sort([heights[:-1], heights[1:]], axis=0)[:, together]
        axis.vlines(np.array(edges[1:-1])[together], *ends, colour, linewidth=2.2)
        axis.set_ylabel(label)
        axis.set_ylim(*ylim(heights))
        plain_axes(axis)
        return line

    def _draw_legend(self, axis: Any) -> None:
        """Say what is proven, and what the shade is, in the corner that a rising line leaves free."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        gaps = [segment.gap for segment in self.path if not segment.proven]
        handles: list[Any] = []
        if len(gaps) < len(self.path):
            handles.append(Line2D([], [], color=BLUE, linewidth=2.2, label="proven"))
        if gaps:
            known = [gap for gap in gaps if gap < 10.0]
            word = f"not proven, gap up to {percent(max(known))}" if len(known) == len(gaps) else "not proven"
            handles.append(Patch(facecolor="none", edgecolor="0.75", hatch="////", label=word))
        if self._window is not None:
            handles.append(self._window)
        axis.legend(
            handles=handles,
            loc="upper left",
            frameon=False,
            borderaxespad=0.2,
            fontsize=8 if axes_inches(axis)[1] > 1.0 else 6.5,
        )


def window_in(path: Path, k: int | None) -> Window | None:
    """Return where k features are optimal, or say that they are nowhere."""
    if k is None:
        return None
    segment = path.of_size(k)
    if segment is None:
        raise ValueError(f"k must be a size on the path, which has {path.sizes}, got {k!r}.")
    return Window(segment.start, segment.stop, segment.size)


def unproven(path: Path) -> list[tuple[float, float]]:
    """Return the intervals of alpha in which nothing is proven, neighbours as one."""
    runs = [list(run) for proven, run in groupby(path, key=lambda segment: segment.proven) if not proven]
    return [(run[0].start, run[-1].stop) for run in runs]


def ylim(values: Any) -> tuple[float, float]:
    """Return from where to where an axis shows values and zero."""
    top, bottom = float(np.max(values, initial=0.0)), float(np.min(values, initial=0.0))
    tall = (top - bottom) or 1.0
    return bottom - 0.04 * tall, (top or (0.0 if bottom else 1.0)) + 0.08 * tall


def three_axes(ax: Any) -> Any:
    """Return three axes above each other that share alpha."""
    plt = pyplot(USER)
    if ax is None:
        return plt.subplots(3, 1, figsize=(WIDTH, 5.4), sharex=True, layout="constrained")[1]
    axes = np.array(ax, dtype=object).ravel()
    if len(axes) == 1 and axes[0].get_subplotspec() is not None:
        axes[0].set_axis_off()
        parts = axes[0].get_subplotspec().subgridspec(3, 1)
        figure = axes[0].figure
        top = figure.add_subplot(parts[0])
        return np.array([top, *(figure.add_subplot(parts[i], sharex=top) for i in (1, 2))], dtype=object)
    if len(axes) != 3:
        raise ValueError(
            f"ax must be three axes, for size, importance and redundancy, or one of a grid to divide, "
            f"got {len(axes)}."
        )
    for axis in axes[1:]:
        if not axes[0].get_shared_x_axes().joined(axes[0], axis):
            axis.sharex(axes[0])
    return axes
