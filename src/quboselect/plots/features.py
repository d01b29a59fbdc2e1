"""Importance against redundancy: each feature as a point, the selected ones named."""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..qubo import Matrix, Vector, as_bits
from ..report.again import unit_of
from ..tradeoff import Tradeoff
from .drawing import GREY, MOST_NAMES, RED, counted, labels, one_axis, plain_axes, with_unit, wrapped
from .fitted import excluded_of, fitted, matrix_of, names_of
from .naming import name_points

USER = "plots.FeaturesDisplay"


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
        Title.
    units : pair of str or None
        Units of importance and of redundancy.
    excluded : bool array of shape (n,), optional
        Features that are not drawn.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    points_, selected_ : matplotlib PathCollection
        The other features, and the selected ones.
    texts_ : list of matplotlib Annotation
        The names of the selected ones, up to 40.
    """

    def __init__(
        self,
        importance: Vector,
        redundancy: Vector,
        support: npt.ArrayLike,
        *,
        names: Iterable[str] | None = None,
        label: str | None = None,
        units: tuple[str | None, str | None] = (None, None),
        excluded: npt.ArrayLike | None = None,
    ) -> None:
        n = len(importance)
        self.importance, self.redundancy = np.asarray(importance), np.asarray(redundancy)
        self.support, self.names = as_bits(support, n), labels(names, n)
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
        unit: str | None = None,
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
            Title.
        unit : str, optional
            Unit of importance and redundancy: ``"bits"`` for mutual information.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        """
        bits = as_bits(support, tradeoff.size)
        shared = mean_redundancy(tradeoff.redundancy, bits)
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
        estimator : SelectQUBO or SelectQUBOCV
        names, label, unit, ax
            As in `from_tradeoff`; names that the features have, and the unit of a known measure, are known.
        """
        selector = fitted(estimator, USER)
        redundancy = matrix_of(selector.redundancy_, selector.support_.size, USER)
        known = unit_of(selector.importance), unit_of(selector.redundancy)
        display = cls(
            selector.importance_,
            mean_redundancy(redundancy, selector.support_),
            selector.support_,
            names=names_of(estimator, names),
            label=label,
            units=known if unit is None else (unit, unit),
            excluded=excluded_of(selector),
        )
        return display.plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into given axes, by default into those of a new figure."""
        axis = self.ax_ = one_axis(ax, USER, (6.4, 4.4))
        self.figure_ = axis.figure
        drawn = np.flatnonzero(~self.excluded)
        x, y, chosen = self.redundancy[drawn], self.importance[drawn], self.support[drawn]
        size = 26 if x.size <= 100 else 12
        self.points_ = axis.scatter(x[~chosen], y[~chosen], size, color=GREY, alpha=0.7, linewidth=0)
        marks = {"color": RED, "edgecolor": "white", "linewidth": 0.6, "zorder": 3}
        self.selected_ = axis.scatter(x[chosen], y[chosen], size + 22, **marks)
        plain_axes(axis)
        axis.grid(axis="x", color="0.93")
        axis.margins(0.06, 0.08)
        axis.set_xlabel(wrapped(axis, with_unit("mean redundancy with the selected features", self.units[1])))
        axis.set_ylabel(with_unit("importance", self.units[0]))
        words = (f"{chosen.sum()} selected", counted(int((~chosen).sum()), "other"))
        above = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.1}
        spaced = {"handletextpad": 0.2, "columnspacing": 1.0, "fontsize": 8}
        axis.legend([self.selected_, self.points_], words, ncols=2, frameon=False, **above, **spaced)
        if self.label:
            axis.set_title(self.label, loc="left", fontsize=11)
        # The most important are named first, and get the best places.
        named = np.flatnonzero(chosen)
        named = named[np.argsort(-y[named], kind="stable")][:MOST_NAMES]
        words_of = [self.names[drawn[i]] for i in named]
        self.texts_ = name_points(axis, np.column_stack([x, y]), named, words_of)
        return self


def mean_redundancy(redundancy: Matrix, support: npt.NDArray[np.bool_]) -> Vector:
    """Return the mean redundancy of each feature with the selected ones other than itself, 0 where there are none.

    Examples
    --------
    >>> R = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]])
    >>> mean_redundancy(R, np.array([True, True, False])).tolist()
    [1.0, 1.0, 2.5]
    """
    others = support.sum() - support
    shared: Vector = redundancy[:, support].sum(axis=1) / np.maximum(others, 1)
    return shared
