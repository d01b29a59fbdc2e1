"""Importances as bars: they are what was measured, the selected are marked, and what is left out is counted."""

import sys

import numpy as np
import pytest
from matplotlib.colors import to_hex

from quboselect import SelectQUBO, Tradeoff
from quboselect.datasets import load_ionosphere
from quboselect.errors import MissingExtra
from quboselect.plots import ImportanceDisplay
from quboselect.plots.drawing import BLUE, GREY


def test_bars_are_the_importances_from_the_largest_down_and_blue_where_selected(selector):
    display = ImportanceDisplay.from_estimator(selector)
    order = np.argsort(-selector.importance_, kind="stable")
    shown = [i for rank, i in enumerate(order) if rank < 30 or selector.support_[i]]
    assert display.shown.tolist() == shown
    np.testing.assert_array_equal([bar.get_width() for bar in display.bars_], selector.importance_[shown])
    colours = [to_hex(bar.get_facecolor()).upper() for bar in display.bars_]
    assert colours == [BLUE if selector.support_[i] else GREY for i in shown]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == [str(i) for i in shown]
    label = display.ax_.get_xlabel()
    assert label.startswith("importance (bits)")
    assert f"and {34 - len(shown)} more of less importance" in label.replace("\n", " ")


def test_the_title_says_how_many_are_selected_unless_it_is_given(selector):
    def title(**given):
        return ImportanceDisplay.from_estimator(selector, **given).ax_.get_title(loc="left")

    assert title() == "5 of 34 features selected"
    assert title(label="mine") == "mine"
    assert title(label="") == ""


def test_a_selected_feature_of_no_importance_is_never_left_out():
    importance = np.arange(50.0, 0.0, -1.0)
    support = np.arange(50) == 49
    display = ImportanceDisplay.from_tradeoff(Tradeoff(importance, np.zeros((50, 50))), support, most=10)
    assert display.shown.tolist() == [*range(10), 49]
    assert "and 39 more" in display.ax_.get_xlabel().replace("\n", " ")


def test_an_excluded_feature_has_no_bar_and_is_not_counted_as_left_out():
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(k=3, exclude=[0, 4]).fit(X[:, :8], y)
    display = ImportanceDisplay.from_estimator(selector, names="abcdefgh")
    assert len(display.bars_) == 6
    assert {text.get_text() for text in display.ax_.get_yticklabels()} == set("bcdfgh")
    assert "more" not in display.ax_.get_xlabel()


@pytest.mark.parametrize("width", [3.0, 14.0])
def test_no_text_is_clipped(plt, selector, clipped, width):
    figure, axis = plt.subplots(figsize=(width, 5.0), layout="constrained")
    ImportanceDisplay.from_estimator(selector, names=[f"radar $ {i}" for i in range(34)], ax=axis)
    assert clipped(figure) == 0.0


def test_matplotlib_missing_says_what_to_install(monkeypatch, selector):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r'plots.ImportanceDisplay needs matplotlib.*"quboselect\[plot\]"'):
        ImportanceDisplay.from_estimator(selector)
