"""Features as points: where they are is what was measured, and no name covers another."""

import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quboselect import SelectQUBO, SelectQUBOCV, Tradeoff
from quboselect.datasets import load_ionosphere
from quboselect.errors import MissingExtra
from quboselect.plots import FeaturesDisplay
from quboselect.plots.features import MOST_OTHERS, mean_redundancy
from quboselect.plots.naming import overlap
from quboselect.redundancy.rows import Rows


def test_points_are_importance_over_mean_redundancy_with_the_others_selected(selector):
    display = FeaturesDisplay.from_estimator(selector)
    chosen = np.flatnonzero(selector.support_)
    drawn = display.selected_.get_offsets()
    for (x, y), i in zip(drawn, chosen, strict=True):
        others = [j for j in chosen if j != i]
        assert x == pytest.approx(selector.redundancy_[i, others].mean())
        assert y == selector.importance_[i]
    assert len(display.points_.get_offsets()) == 29
    assert display.ax_.get_ylabel() == "importance (bits)"
    assert "mean redundancy with the selected features (bits)" in display.ax_.get_xlabel().replace("\n", " ")


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_the_mean_redundancy_is_that_of_pairs_one_by_one(n, seed):
    rng = np.random.default_rng(seed)
    matrix = np.triu(rng.random((n, n)), 1)
    matrix += matrix.T
    support = rng.random(n) < 0.5
    for i, value in enumerate(mean_redundancy(Tradeoff(np.ones(n), matrix), support)):
        others = [matrix[i, j] for j in np.flatnonzero(support) if j != i]
        assert value == pytest.approx(np.mean(others) if others else 0.0)


def boxes(display):
    """Return the boxes of the names, without the lines that lead to them."""
    display.figure_.canvas.draw()
    for text in display.texts_:
        text.arrow_patch = None
    return [tuple(text.get_window_extent().extents) for text in display.texts_]


def test_the_selected_are_named_and_no_name_covers_another():
    rng = np.random.default_rng(3)
    n = 60
    matrix = np.triu(rng.random((n, n)), 1)
    support = np.arange(n) < 15
    display = FeaturesDisplay.from_tradeoff(
        Tradeoff(rng.random(n), matrix + matrix.T),
        support,
        names=[f"feature {i}" for i in range(n)],
        unit="bits",
    )
    assert sorted(text.get_text() for text in display.texts_) == sorted(f"feature {i}" for i in range(15))
    assert not any(overlap(a, b) for a, b in combinations(boxes(display), 2))


def test_the_most_important_others_are_named_in_grey_and_cover_no_name(selector):
    display = FeaturesDisplay.from_estimator(selector)
    rest = np.flatnonzero(~selector.support_)
    first = rest[np.argsort(-selector.importance_[rest], kind="stable")][:MOST_OTHERS]
    named = [int(text.get_text()) for text in display.other_texts_]
    assert named
    assert set(named) <= set(first.tolist())
    for text in display.other_texts_:
        assert text.get_color() == "0.4"
        assert text.xy[1] == selector.importance_[int(text.get_text())]
    display.texts_ = [*display.texts_, *display.other_texts_]
    everything = boxes(display)
    first = len(everything) - len(named)
    assert not any(
        overlap(everything[i], everything[j]) for j in range(first, len(everything)) for i in range(j)
    )


def test_others_that_would_cover_a_name_are_not_named():
    n = 40
    support = np.arange(n) < 20
    display = FeaturesDisplay(
        np.ones(n), np.ones(n), support, names=[f"feature {i}" for i in range(n)]
    ).plot()
    assert len(display.texts_) == 20
    assert len(display.other_texts_) < MOST_OTHERS


def test_the_title_says_how_many_are_selected_unless_it_is_given(selector):
    def title(**given):
        return FeaturesDisplay.from_estimator(selector, **given).ax_.get_title(loc="left")

    assert title().replace("\n", " ") == "5 of 34 features selected"
    assert title(label="mine") == "mine"
    assert title(label="") == ""


def test_points_at_one_place_are_all_named(plt):
    display = FeaturesDisplay(np.ones(4), np.ones(4), np.ones(4), names="abcd").plot()
    assert sorted(text.get_text() for text in display.texts_) == list("abcd")
    assert not any(overlap(a, b) for a, b in combinations(boxes(display), 2))


def test_a_cross_validated_selector_shows_what_it_selected():
    from sklearn.naive_bayes import GaussianNB

    X, y = load_ionosphere(return_X_y=True)
    search = SelectQUBOCV(GaussianNB(), k=[2], cv=2).fit(X, y)
    assert len(FeaturesDisplay.from_estimator(search).texts_) == 2


def test_a_result_and_rows_on_demand_are_drawn_too(selector):
    result = selector.result_
    rows = Tradeoff(result.tradeoff.importance, Rows.of(result.tradeoff.redundancy))
    expected = FeaturesDisplay.from_estimator(selector).selected_.get_offsets()
    for each in (result, replace(result, tradeoff=rows)):
        display = FeaturesDisplay.from_estimator(each)
        np.testing.assert_allclose(display.selected_.get_offsets(), expected)
        assert display.ax_.get_ylabel() == "importance"


@pytest.mark.parametrize("width", [3.0, 14.0])
def test_no_text_is_clipped(plt, selector, clipped, width):
    figure, axis = plt.subplots(figsize=(width, 4.0), layout="constrained")
    FeaturesDisplay.from_estimator(selector, names=[f"radar {i}" for i in range(34)], label="x", ax=axis)
    assert clipped(figure) == 0.0


def test_matplotlib_missing_says_what_to_install(monkeypatch, selector):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r'plots.FeaturesDisplay needs matplotlib.*"quboselect\[plot\]"'):
        FeaturesDisplay.from_estimator(selector)


def test_one_other_feature_is_said_in_the_singular():
    display = FeaturesDisplay.from_tradeoff(Tradeoff([2.0, 1.0], np.zeros((2, 2))), [1, 0])
    said = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert said == ["1 selected", "1 other"]


def test_an_excluded_feature_is_not_drawn():
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(k=3, exclude=[0, 4]).fit(X[:, :8], y)
    display = FeaturesDisplay.from_estimator(selector, names="abcdefgh")
    assert len(display.points_.get_offsets()) + len(display.selected_.get_offsets()) == 6
    named = {text.get_text(): text.xy for text in display.texts_}
    assert set(named) == {"abcdefgh"[i] for i in np.flatnonzero(selector.support_)}
    for name, place in named.items():
        assert place[1] == selector.importance_["abcdefgh".index(name)]
