"""How many features: the score of a model over k, by cross-validation, and the k that a rule took."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from ..evaluation.cross_validation import SelectQUBOCV
from ..qubo import Vector
from .drawing import BLUE, GREY, RED, WIDTH, one_axis, plain_axes, set_title

USER = "plots.SizesDisplay"


class SizesDisplay:
    """The score of a model over the number of features, mean and standard error over the folds.

    Made by `from_estimator`.

    Parameters
    ----------
    k : int array of shape (m,)
        The numbers of features.
    scores : array of shape (folds, m)
    chosen : int
        The k that was taken.
    rule : str, optional
        Why; ``"one-standard-error"`` draws the line that scores had to reach.
    score : str
        What the score is called.
    label : str, optional
        Title; by default what is drawn, and ``""`` is none.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    line_ : matplotlib Line2D
        The mean.
    band_ : matplotlib collection or None
        One standard error to each side, with two folds or more.
    """

    def __init__(
        self,
        k: npt.ArrayLike,
        scores: npt.ArrayLike,
        chosen: int,
        *,
        rule: str | None = None,
        score: str = "score",
        label: str | None = None,
    ) -> None:
        self.k, self.scores = np.asarray(k), np.asarray(scores, np.float64)
        if self.scores.ndim != 2 or self.scores.shape[1] != self.k.size:
            raise ValueError(
                f"scores must be of shape (folds, {self.k.size}), one for each k, got shape {self.scores.shape}."
            )
        self.chosen, self.rule, self.score, self.label = chosen, rule, score, label

    @classmethod
    def from_estimator(cls, estimator: Any, *, label: str | None = None, ax: Any = None) -> Self:
        """Draw the scores of a fitted `SelectQUBOCV`, by the criterion that it chose.

        Parameters
        ----------
        estimator : SelectQUBOCV
        label : str, optional
            Title; by default what is drawn, and ``""`` is none.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        """
        if not isinstance(estimator, SelectQUBOCV):
            raise TypeError(f"{USER} needs a fitted SelectQUBOCV, got {type(estimator).__name__}.")
        check_is_fitted(estimator)
        results = estimator.cv_results_
        same = np.array([criterion == estimator.criterion_ for criterion in results["criterion"]], np.bool_)
        scores = [results[f"split{i}_test_score"][same] for i in range(estimator.n_splits_)]
        last = estimator.estimator
        # Of a pipeline the last step is the model.
        while getattr(last, "steps", None):
            last = last.steps[-1][1]
        model = type(last).__name__
        score = (
            f"{estimator.scoring} of {model}" if isinstance(estimator.scoring, str) else f"score of {model}"
        )
        # The k that was tried; where features are grouped, k_ counts groups as this does.
        return cls(
            results["k"][same], scores, estimator.k_, rule=estimator.rule, score=score, label=label
        ).plot(ax)

    @property
    def mean(self) -> Vector:
        """The mean score of each k."""
        mean: Vector = self.scores.mean(axis=0)
        return mean

    @property
    def error(self) -> Vector:
        """The standard error of each mean over the folds."""
        error: Vector = self.scores.std(axis=0, ddof=1) / np.sqrt(len(self.scores))
        return error

    def plot(self, ax: Any = None) -> Self:
        """Draw into given axes, by default into those of a new figure."""
        axis = self.ax_ = one_axis(ax, USER, (WIDTH - 1.0, 3.6))
        self.figure_ = axis.figure
        folds, mean = len(self.scores), self.mean
        style = {"color": BLUE, "linewidth": 1.6, "marker": "o", "markersize": 3.5}
        (self.line_,) = axis.plot(self.k, mean, label=f"mean of {folds} fold{'s' * (folds > 1)}", **style)
        self.band_ = None
        if folds > 1:
            band = {"color": BLUE, "alpha": 0.2, "linewidth": 0, "label": "± one standard error"}
            self.band_ = axis.fill_between(self.k, mean - self.error, mean + self.error, **band)
        if self.rule == "one-standard-error" and folds > 1:
            best = int(np.nanargmax(mean))
            floor = {"color": GREY, "linewidth": 1.1, "linestyle": "--"}
            axis.axhline(mean[best] - self.error[best], label="best, less its standard error", **floor)
        word = {"best": "the best", "one-standard-error": "the fewest above it"}.get(str(self.rule), "chosen")
        axis.axvline(self.chosen, color=RED, linewidth=1.3, zorder=1.5, label=f"k = {self.chosen}, {word}")
        axis.plot(self.chosen, mean[self.k == self.chosen], "o", color=RED, markersize=6, zorder=3)
        axis.set_xlabel("k, number of features")
        axis.set_ylabel(self.score)
        axis.xaxis.get_major_locator().set_params(integer=True)
        plain_axes(axis)
        axis.legend(loc="best", frameon=False, fontsize=8)
        set_title(axis, self.label, "Score by number of features")
        return self
