"""The importance of all features as bars, the selected ones marked."""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..qubo import Vector, as_bits
from ..report.words import count_text
from ..tradeoff import Tradeoff
from .drawing import (
    BLUE,
    GREY,
    LINE,
    SMALLEST,
    WIDTH,
    axes_inches,
    axis_label,
    label_texts,
    name_size,
    one_axis,
    set_title,
    wrapped_label,
)
from .fitted import measure_units, result_of

USER = "plots.ImportanceDisplay"
MOST = 30


class ImportanceDisplay:
    """The importance of each feature as a bar, the most important first.

    Made by `from_estimator` or `from_tradeoff`. Blue bars are selected. A long grey bar repeats what the selected
    features say, or more were not asked for.

    Parameters
    ----------
    importance : array of shape (n,)
    support : bool array of shape (n,)
        The selected features.
    names : iterable of str, optional
        Names of the features; by default their indices.
    most : int
        How many features are shown, the most important, and all that are selected; a line says how many are not.
    label : str, optional
        Title; by default how many features of how many are selected.
    unit : str, optional
        Unit of importance.
    excluded : bool array of shape (n,), optional
        Features that are not drawn.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    bars_ : matplotlib BarContainer
    shown : int array
        The features shown, from above.
    """

    def __init__(
        self,
        importance: Vector,
        support: npt.ArrayLike,
        *,
        names: Iterable[str] | None = None,
        most: int = MOST,
        label: str | None = None,
        unit: str | None = None,
        excluded: npt.ArrayLike | None = None,
    ) -> None:
        n = len(importance)
        self.importance, self.support = np.asarray(importance, np.float64), as_bits(support, n)
        self.names, self.label, self.unit = label_texts(names, n), label, unit
        out = np.zeros(n, np.bool_) if excluded is None else as_bits(excluded, n)
        order = np.argsort(-self.importance, kind="stable")
        order = order[~out[order]]
        # Of the selected none is left out.
        kept = (np.arange(order.size) < most) | self.support[order]
        self.shown, self.left = order[kept], int((~kept).sum())

    @classmethod
    def from_tradeoff(
        cls,
        tradeoff: Tradeoff,
        support: npt.ArrayLike,
        *,
        names: Iterable[str] | None = None,
        most: int = MOST,
        label: str | None = None,
        unit: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the importances of a tradeoff.

        Parameters
        ----------
        tradeoff : Tradeoff
        support : bits of shape (n,)
            The selected features.
        names : iterable of str, optional
            Names of the features.
        most : int
            How many features to show, unless more are selected.
        label : str, optional
            Title; ``""`` is none.
        unit : str, optional
            Unit of importance: ``"bits"`` for mutual information.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure, as high as the names need.
        """
        return cls(tradeoff.importance, support, names=names, most=most, label=label, unit=unit).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        names: Iterable[str] | None = None,
        most: int = MOST,
        label: str | None = None,
        unit: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the importances that a fitted selector has measured, its features marked.

        Parameters
        ----------
        estimator : fitted SelectQUBO or SelectQUBOCV, or Result
        names, most, label, unit, ax
            As in `from_tradeoff`; names that the features have, and the unit of a known measure, are known.
        """
        result = result_of(estimator, USER)
        display = cls(
            result.tradeoff.importance,
            result.support,
            names=result.names if names is None else names,
            most=most,
            label=label,
            unit=measure_units(estimator)[0] if unit is None else unit,
            excluded=result.constraints.excluded,
        )
        return display.plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into given axes, by default into those of a new figure."""
        lines = max(len(self.shown), 3)
        axis = self.ax_ = one_axis(ax, USER, (WIDTH - 1.0, 1.3 + LINE * lines))
        self.figure_ = axis.figure
        place, chosen = np.arange(len(self.shown)), self.support[self.shown]
        colours = np.where(chosen, BLUE, GREY).tolist()
        self.bars_ = axis.barh(place, self.importance[self.shown], 0.72, color=colours)
        size = name_size(lines, axes_inches(axis)[1]) or SMALLEST
        axis.set_yticks(place, [self.names[i] for i in self.shown], fontsize=size)
        for text, selected in zip(axis.get_yticklabels(), chosen, strict=True):
            if selected:
                text.set_color(BLUE)
                text.set_fontweight("bold")
        axis.set_ylim(lines - 0.4, -0.6)
        axis.set_xlim(left=0.0)
        words = [axis_label("importance", self.unit)]
        if self.left:
            words.append(f"and {self.left} more of less importance: not shown")
        axis.set_xlabel("\n".join(wrapped_label(axis, line) for line in words))
        axis.tick_params(axis="y", length=0)
        axis.spines[["top", "right", "left"]].set_visible(False)
        axis.grid(axis="x", color="0.93")
        axis.set_axisbelow(True)
        self._draw_legend(axis)
        total = self.support.size
        set_title(axis, self.label, f"{int(self.support.sum())} of {count_text(total)} selected")
        return self

    def _draw_legend(self, axis: Any) -> None:
        """Say what the colours are, where short bars leave room."""
        from matplotlib.patches import Patch

        handles = [
            Patch(color=colour, label=word) for colour, word in ((BLUE, "selected"), (GREY, "not selected"))
        ]
        axis.legend(handles=handles, loc="lower right", fontsize=8, framealpha=0.9, edgecolor="none")
