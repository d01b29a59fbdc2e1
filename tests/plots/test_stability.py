"""Stability: bars are frequencies, and colours what the whole table gave."""

import sys

import numpy as np
import pytest
from matplotlib.colors import to_hex

from quboselect.errors import MissingExtra
from quboselect.plots import StabilityDisplay
from quboselect.plots.drawing import BLUE, GREY
from quboselect.report.stability import Stability

FOUND = Stability(
    [[1, 0, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]], [1, 1, 0, 0], ("a", "b", "c", "d")
)


def test_bars_are_the_frequencies_from_the_most_frequent_down():
    display = StabilityDisplay.from_stability(FOUND)
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["a", "c", "b"]
    assert [bar.get_width() for bar in display.bars_] == [1.0, 0.5, 0.25]
    colours = [to_hex(bar.get_facecolor()).upper() for bar in display.bars_]
    assert colours == [BLUE, GREY, BLUE]
    assert "of 4 resamples" in display.ax_.get_xlabel()


def test_the_title_has_the_index_and_its_interval():
    title = StabilityDisplay.from_stability(FOUND, label="mine").ax_.get_title(loc="left")
    low, high = FOUND.interval()
    assert title == f"mine\nstability {FOUND.index:.2f}, 95 % interval {low:.2f} to {high:.2f}"
    always = Stability(np.ones((2, 2)), np.ones(2))
    title = StabilityDisplay.from_stability(always).ax_.get_title(loc="left")
    assert title.startswith("stability is not defined")


def test_features_of_the_whole_table_are_never_left_out():
    supports = np.zeros((4, 50), bool)
    supports[:, :40] = np.arange(4)[:, None] <= (np.arange(40) % 4)
    support = np.zeros(50, bool)
    support[[0, 49]] = True
    display = StabilityDisplay.from_stability(Stability(supports, support), most=10)
    assert len(display.shown) == 10
    assert {0, 49} <= set(display.shown.tolist())
    assert "31 more" in display.ax_.get_xlabel()


@pytest.mark.parametrize("width", [3.0, 14.0])
def test_no_text_is_clipped(plt, clipped, width):
    figure, axis = plt.subplots(figsize=(width, 3.0), layout="constrained")
    StabilityDisplay.from_stability(FOUND, ax=axis)
    assert clipped(figure) == 0.0


def test_something_else_is_refused_in_words():
    with pytest.raises(TypeError, match=r"needs what quboselect\.stability returns, got list"):
        StabilityDisplay.from_stability([1, 2])


def test_matplotlib_missing_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r'plots.StabilityDisplay needs matplotlib.*"quboselect\[plot\]"'):
        StabilityDisplay.from_stability(FOUND)
