"""Importance against redundancy: each feature as a point, the selected and the most important others named."""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..qubo import Bits, Vector, as_bits
from ..report.words import count_text
from ..tradeoff import Tradeoff
from .drawing import (
    GREY,
    MOST_NAMES,
    RED,
    axis_label,
    label_texts,
    one_axis,
    plain_axes,
    set_title,
    wrapped_label,
)
from .fitted import measure_units, result_of
from .naming import clear_texts, name_points

USER = "plots.FeaturesDisplay"
# Features that are not selected, and are named all the same.
MOST_OTHERS = 8


class FeaturesDisplay:
    """The importance of each feature against its mean redundancy with the selected ones.

    Made by `from_estimator` or `from_tradeoff`. A feature far up and left says much that the selected ones do not.

    Parameters
    ----------
    importance : array of shape (n,)
    redundancy : array of shape (n,)
        Mean redundancy with the selected features; of a selected one, with the others.
    support : bool array of shape (n,)
        The selected features.
    names : iterable of str, optional
        Names of the features; by default their indices.
    label : str, optional
        Title; by default what is drawn, and ``""`` is none.
    units : pair of str
        Units of importance and of redundancy; empty where there is none.
    excluded : bool array of shape (n,), optional
        Features that are not drawn.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    points_, selected_ : matplotlib PathCollection
        The other features, and the selected ones.
    texts_, other_texts_ : lists of matplotlib Annotation
        The names of the selected ones, up to 40, and of the most important others, up to 8, where there is room.
    """

    def __init__(
        self,
        importance: Vector,
        redundancy: Vector,
        support: npt.ArrayLike,
        *,
        names: Iterable[str] | None = None,
        label: str | None = None,
        units: tuple[str, str] = ("", ""),
        excluded: npt.ArrayLike | None = None,
    ) -> None:
        n = len(importance)
        self.importance, self.redundancy = np.asarray(importance), np.asarray(redundancy)
        self.support, self.names = as_bits(support, n), label_texts(names, n)
        self.label, self.units = label, units
        self.excluded = np.zeros(n, np.bool_) if excluded is None else as_bits(excluded, n)

    @classmethod
    def from_tradeoff(
        cls,
        tradeoff: Tradeoff,
        support: npt.ArrayLike,
        *,
        names: Iterable[str] | None = None,
        label: str | None = None,
        unit: str = "",
        ax: Any = None,
    ) -> Self:
        """Draw the features of a tradeoff.

        Parameters
        ----------
        tradeoff : Tradeoff
        support : bits of shape (n,)
            The selected features.
        names : iterable of str, optional
            Names of the features.
        label : str, optional
            Title; by default what is drawn, and ``""`` is none.
        unit : str, optional
            Unit of importance and redundancy: ``"bits"`` for mutual information.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        """
        bits = as_bits(support, tradeoff.size)
        shared = mean_redundancy(tradeoff, bits)
        return cls(tradeoff.importance, shared, bits, names=names, label=label, units=(unit, unit)).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        names: Iterable[str] | None = None,
        label: str | None = None,
        unit: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the features of a fitted selector.

        Parameters
        ----------
        estimator : fitted SelectQUBO or SelectQUBOCV, or Result
        names, label, unit, ax
            As in `from_tradeoff`; names that the features have, and the unit of a known measure, are known.
        """
        result = result_of(estimator, USER)
        display = cls(
            result.tradeoff.importance,
            mean_redundancy(result.tradeoff, result.support),
            result.support,
            names=result.names if names is None else names,
            label=label,
            units=measure_units(estimator) if unit is None else (unit, unit),
            excluded=result.constraints.excluded,
        )
        return display.plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into given axes, by default into those of a new figure."""
        axis = self.ax_ = one_axis(ax, USER, (6.4, 4.4))
        self.figure_ = axis.figure
        shown = np.flatnonzero(~self.excluded)
        x, y, chosen = self.redundancy[shown], self.importance[shown], self.support[shown]
        size = 26 if x.size <= 100 else 12
        self.points_ = axis.scatter(x[~chosen], y[~chosen], size, color=GREY, alpha=0.7, linewidth=0)
        marks = {"color": RED, "edgecolor": "white", "linewidth": 0.6, "zorder": 3}
        self.selected_ = axis.scatter(x[chosen], y[chosen], size + 22, **marks)
        plain_axes(axis)
        axis.grid(axis="x", color="0.93")
        axis.margins(0.06, 0.08)
        axis.set_xlabel(
            wrapped_label(axis, axis_label("mean redundancy with the selected features", self.units[1]))
        )
        axis.set_ylabel(axis_label("importance", self.units[0]))
        words = (f"{chosen.sum()} selected", count_text(int((~chosen).sum()), "other"))
        above = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.1}
        spaced = {"handletextpad": 0.2, "columnspacing": 1.0, "fontsize": 8}
        axis.legend([self.selected_, self.points_], words, ncols=2, frameon=False, **above, **spaced)
        default = f"{int(self.support.sum())} of {count_text(self.support.size)} selected"
        set_title(axis, self.label, default, pad=18.0)
        # The most important are named first, and get the best places.
        named = np.flatnonzero(chosen)
        named = named[np.argsort(-y[named], kind="stable")][:MOST_NAMES]
        others = np.flatnonzero(~chosen & (y > 0.0))
        others = others[np.argsort(-y[others], kind="stable")][:MOST_OTHERS]
        every = np.concatenate([named, others])
        texts = name_points(axis, np.column_stack([x, y]), every, [self.names[shown[i]] for i in every])
        self.texts_, self.other_texts_ = texts[: named.size], clear_texts(texts, named.size)
        for text in self.other_texts_:
            text.set_color("0.4")
        return self


def mean_redundancy(tradeoff: Tradeoff, support: Bits) -> Vector:
    """Return the mean redundancy of each feature with the selected ones other than itself, 0 where there are none.

    Examples
    --------
    >>> tradeoff = Tradeoff([1.0, 1.0, 1.0], [[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]])
    >>> mean_redundancy(tradeoff, np.array([True, True, False])).tolist()
    [1.0, 1.0, 2.5]
    """
    others = support.sum() - support
    # Rows on demand are asked for those of the selected features alone.
    rows = tradeoff.rows(np.flatnonzero(support))
    shared: Vector = rows.sum(axis=0, dtype=np.float64) / np.maximum(others, 1)
    return shared
