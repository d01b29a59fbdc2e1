"""Sizes: the curve is the mean of the folds, the band their standard error, the mark what the rule took."""

import sys

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from quboselect import SelectQUBOCV, criteria
from quboselect.datasets import load_ionosphere
from quboselect.errors import MissingExtra
from quboselect.plots import SizesDisplay


@pytest.fixture(scope="module")
def search():
    X, y = load_ionosphere(return_X_y=True)
    return SelectQUBOCV(
        GaussianNB(), k=[1, 2, 4, 8], criterion=criteria.QFS(), cv=3, rule="one-standard-error"
    ).fit(X, y)


def words(axis):
    return [text.get_text() for text in axis.get_legend().get_texts()]


def test_the_curve_and_the_band_are_those_of_the_folds(search):
    display = SizesDisplay.from_estimator(search)
    results = search.cv_results_
    assert display.line_.get_xdata().tolist() == [1, 2, 4, 8]
    np.testing.assert_allclose(display.line_.get_ydata(), results["mean_test_score"])
    error = results["std_test_score"] * np.sqrt(3 / 2) / np.sqrt(3)
    corners = display.band_.get_paths()[0].vertices[:, 1]
    assert corners.max() == pytest.approx((results["mean_test_score"] + error).max())
    assert corners.min() == pytest.approx((results["mean_test_score"] - error).min())


def test_the_chosen_k_and_what_it_had_to_reach_are_marked(search):
    display = SizesDisplay.from_estimator(search, label="ionosphere")
    assert words(display.ax_) == [
        "mean of 3 folds",
        "± one standard error",
        "best, less its standard error",
        f"k = {search.k_}, the fewest above it",
    ]
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == (
        "k, number of features",
        "score of GaussianNB",
    )
    mean, best = display.mean, int(np.argmax(display.mean))
    reached = display.k[mean >= mean[best] - display.error[best]]
    assert reached[0] == search.k_


def test_the_score_and_the_model_are_called_by_their_names():
    X, y = load_ionosphere(return_X_y=True)
    model = make_pipeline(StandardScaler(), GaussianNB())
    search = SelectQUBOCV(model, k=[1, 2], cv=2, scoring="roc_auc").fit(X, y)
    display = SizesDisplay.from_estimator(search)
    assert display.ax_.get_ylabel() == "roc_auc of GaussianNB"
    assert words(display.ax_)[-1] == f"k = {search.k_}, the best"


def test_one_fold_has_no_band():
    display = SizesDisplay([1, 2], [[0.5, 0.6]], 2).plot()
    assert display.band_ is None
    assert words(display.ax_) == ["mean of 1 fold", "k = 2, chosen"]


@pytest.mark.parametrize("width", [3.5, 14.0])
def test_no_text_is_clipped(plt, search, clipped, width):
    figure, axis = plt.subplots(figsize=(width, 3.0), layout="constrained")
    SizesDisplay.from_estimator(search, ax=axis)
    assert clipped(figure) == 0.0


def test_what_does_not_fit_is_refused_in_words(selector):
    with pytest.raises(TypeError, match="needs a fitted SelectQUBOCV, got SelectQUBO"):
        SizesDisplay.from_estimator(selector)
    with pytest.raises(ValueError, match=r"scores must be of shape \(folds, 2\), .* got shape \(3,\)"):
        SizesDisplay([1, 2], [1, 2, 3], 1)


def test_matplotlib_missing_says_what_to_install(monkeypatch, search):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r'plots.SizesDisplay needs matplotlib.*"quboselect\[plot\]"'):
        SizesDisplay.from_estimator(search)


def test_of_several_criteria_the_one_that_was_chosen_is_drawn():
    X, y = load_ionosphere(return_X_y=True)
    search = SelectQUBOCV(GaussianNB(), k=[1, 2], criterion=[criteria.Pairs(), criteria.JMI()], cv=2).fit(
        X, y
    )
    display = SizesDisplay.from_estimator(search)
    assert display.k.tolist() == [1, 2]
    results = search.cv_results_
    own = [criterion == search.criterion_ for criterion in results["criterion"]]
    np.testing.assert_allclose(display.mean, results["mean_test_score"][own])
