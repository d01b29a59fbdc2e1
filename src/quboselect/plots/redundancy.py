"""What pairs of features share, as a map: the alike stand side by side, and the selected are marked and named."""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..qubo import Matrix, Vector, as_bits
from ..report.contents import shade_limit, similarity_order
from ..report.words import count_text
from ..tradeoff import Tradeoff
from .drawing import (
    LINE,
    MOST_NAMES,
    RED,
    axes_inches,
    axis_label,
    label_texts,
    name_size,
    one_axis,
    set_title,
    wrapped_label,
)
from .fitted import measure_units, result_of

USER = "plots.RedundancyDisplay"
# From nothing to the blue of Okabe and Ito, and on to what is nearly black.
SHADES = ("#FFFFFF", "#A6CDE5", "#0072B2", "#00253A")
# The same below zero, of pairs that say more together than apart.
BELOW = ("#7A3000", "#D55E00", "#F3C4A3")
MOST_FEATURES = 150


class RedundancyDisplay:
    """The redundancy of each pair of features, ordered so that groups of features that repeat each other show.

    Made by `from_estimator` or `from_tradeoff`. The order is that of the leaves of a tree of average linkage,
    neighbours as alike as the tree allows. Orange squares on the diagonal are selected features. Features that share
    nothing with any other are left out. Pairs below zero, which say more together than apart, are brown.

    Parameters
    ----------
    redundancy : array of shape (n, n)
    importance : array of shape (n,)
        Says which features are shown where they are too many.
    support : bool array of shape (n,), optional
        The selected features.
    names : iterable of str, optional
        Names of the features; by default their indices.
    most : int
        How many features are shown: the selected, and the most important of the others.
    label : str, optional
        Title; by default what is drawn, and ``""`` is none.
    unit : str, optional
        Unit of redundancy.
    excluded : bool array of shape (n,), optional
        Features that are not drawn.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    image_ : matplotlib AxesImage
    colorbar_ : matplotlib Colorbar
    shown : int array
        The features, in their order on the axes.
    """

    def __init__(
        self,
        redundancy: Matrix,
        importance: Vector,
        support: npt.ArrayLike | None = None,
        *,
        names: Iterable[str] | None = None,
        most: int = MOST_FEATURES,
        label: str | None = None,
        unit: str | None = None,
        excluded: npt.ArrayLike | None = None,
    ) -> None:
        n = len(importance)
        if not isinstance(redundancy, np.ndarray) or redundancy.shape != (n, n):
            raise ValueError(
                f"{USER} needs the redundancy of {n} features as an array of shape ({n}, {n}), got "
                f"{type(redundancy).__name__} of shape {np.shape(redundancy)}: fit a table of fewer features, for "
                f"instance those of the highest importance."
            )
        self.redundancy = np.asarray(redundancy, np.float64)
        self.support = np.zeros(n, np.bool_) if support is None else as_bits(support, n)
        self.names, self.label, self.unit, self.n = label_texts(names, n), label, unit, n
        first = np.lexsort((-np.asarray(importance), ~self.support))
        out = np.zeros(n, np.bool_) if excluded is None else as_bits(excluded, n)
        alone = ~self.redundancy[:, ~out].any(axis=1) & ~self.support & ~out
        self.alone, self.excluded = int(alone.sum()), int(out.sum())
        first = first[~(alone | out)[first]][:most]
        self.shown = first[similarity_order(self.redundancy[np.ix_(first, first)])]

    @classmethod
    def from_tradeoff(
        cls,
        tradeoff: Tradeoff,
        support: npt.ArrayLike | None = None,
        *,
        names: Iterable[str] | None = None,
        most: int = MOST_FEATURES,
        label: str | None = None,
        unit: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the redundancy of a tradeoff.

        Parameters
        ----------
        tradeoff : Tradeoff
        support : bits of shape (n,), optional
            The selected features, to be marked.
        names : iterable of str, optional
            Names of the features.
        most : int
            How many features to show at most.
        label : str, optional
            Title; by default what is drawn, and ``""`` is none.
        unit : str, optional
            Unit of redundancy: ``"bits"`` for mutual information.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        """
        measured = tradeoff.redundancy, tradeoff.importance
        return cls(*measured, support, names=names, most=most, label=label, unit=unit).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        names: Iterable[str] | None = None,
        most: int = MOST_FEATURES,
        label: str | None = None,
        unit: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the redundancy that a fitted selector has measured, its features marked.

        Parameters
        ----------
        estimator : fitted SelectQUBO or SelectQUBOCV, or Result
        names, most, label, unit, ax
            As in `from_tradeoff`; names that the features have, and the unit of a known measure, are known.
        """
        result = result_of(estimator, USER)
        tradeoff = result.tradeoff
        display = cls(
            # Rows on demand may have been computed all the same.
            tradeoff.redundancy if tradeoff.dense else tradeoff.redundancy.known,
            tradeoff.importance,
            result.support,
            names=result.names if names is None else names,
            most=most,
            label=label,
            unit=measure_units(estimator)[1] if unit is None else unit,
            excluded=result.constraints.excluded,
        )
        return display.plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw into given axes, by default into those of a new figure."""
        side = min(max(3.6, 1.0 + LINE * min(len(self.shown), MOST_NAMES)), 7.0)
        axis = self.ax_ = one_axis(ax, USER, (side + 1.4, side + 0.6))
        self.figure_ = axis.figure
        from matplotlib.colors import LinearSegmentedColormap

        axis.set_facecolor("#F0F0F0")
        values = self.redundancy[np.ix_(self.shown, self.shown)].copy()
        # A feature with itself is no pair.
        np.fill_diagonal(values, np.nan)
        most, top = np.nanmax(values, initial=0.0), shade_limit(values[np.triu_indices(len(values), 1)])
        least = float(np.nanmin(values, initial=0.0))
        # White is zero on both scales, and one shade is one amount.
        furthest = max(top, -least) or 1.0
        shades = (*BELOW, *SHADES) if least < 0.0 else SHADES
        colours = LinearSegmentedColormap.from_list("redundancy", shades)
        limits = (-furthest, furthest) if least < 0.0 else (0.0, furthest)
        scale = {"vmin": limits[0], "vmax": limits[1], "interpolation": "nearest"}
        self.image_ = axis.imshow(values, cmap=colours, **scale)
        bar = {"shrink": 0.8, "pad": 0.02, "extend": "max" if most > top else "neither"}
        words = axis_label("redundancy of a pair", self.unit)
        self.colorbar_ = self.figure_.colorbar(self.image_, ax=axis, label=words, **bar)
        self.colorbar_.outline.set_visible(False)
        self._name(axis)
        set_title(axis, self.label, "Features that repeat each other")
        return self

    def _name(self, axis: Any) -> None:
        """Name all features where they fit, else the selected ones, and mark these on the diagonal."""
        from matplotlib.patches import Rectangle

        marked = np.flatnonzero(self.support[self.shown])
        for place in marked:
            axis.add_patch(Rectangle((place - 0.5, place - 0.5), 1.0, 1.0, color=RED, linewidth=0))
        side = min(axes_inches(axis))
        every = np.arange(len(self.shown))
        size = name_size(every.size, side) if every.size <= MOST_NAMES else None
        all_fit = size is not None
        # Selected features that stand side by side would be named over each other.
        named = every if all_fit else spaced_places(marked, every.size * 0.09 / max(side, 0.1))
        words = [self.names[self.shown[place]] for place in named]
        axis.set_yticks(named, words, fontsize=min(size or 6.5, 7.0))
        axis.set_xticks(named, words, fontsize=min(size or 6.5, 7.0), rotation=90)
        for texts in (axis.get_xticklabels(), axis.get_yticklabels()):
            for text, place in zip(texts, named, strict=True):
                if self.support[self.shown[place]]:
                    text.set_color(RED)
                    text.set_fontweight("bold" if all_fit else "normal")
        axis.tick_params(length=0 if all_fit else 2.0, color=RED)
        axis.spines[:].set_visible(False)
        axis.set_xlabel(
            wrapped_label(axis, self._words(marked.size, marked.size if all_fit else named.size)), fontsize=9
        )

    def _words(self, marked: int, named: int) -> str:
        """Return what the axes show, and what they do not."""
        shown, some = len(self.shown), self.n - self.alone - self.excluded
        words = count_text(shown)
        if shown < some:
            words = f"{shown} of {count_text(some)}, the most important"
        left = [f"{self.alone} that share{'s' * (self.alone == 1)} nothing"] * bool(self.alone)
        left += [f"{self.excluded} excluded"] * bool(self.excluded)
        if left:
            words += f" ({' and '.join(left)} left out)"
        if marked:
            words += f"; {marked} selected (orange)" + (f", {named} of them named" if named < marked else "")
        return words


def spaced_places(places: npt.NDArray[np.intp], apart: float) -> npt.NDArray[np.intp]:
    """Return those of some places that leave room for their names, from the first on.

    Examples
    --------
    >>> spaced_places(np.array([0, 1, 2, 5]), 2.0).tolist()
    [0, 2, 5]
    """
    kept: list[int] = []
    for place in places.tolist():
        if not kept or place - kept[-1] >= apart:
            kept.append(place)
    return np.array(kept, np.intp)
