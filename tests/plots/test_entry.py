"""Entry: a bar is where a feature is in, and features stand in the order in which they come."""

import sys

import numpy as np
import pytest
from matplotlib.colors import to_hex

from quboselect import Tradeoff, alpha_path
from quboselect.errors import MissingExtra
from quboselect.plots import EntryDisplay
from quboselect.plots.drawing import BLUE, PALE


def spans(bars):
    """Return from where to where each bar of a feature reaches."""
    return [(p.vertices[:, 0].min(), p.vertices[:, 0].max()) for p in bars.get_paths()]


def test_bars_are_the_alphas_at_which_a_feature_is_in(path):
    display = EntryDisplay.from_path(path)
    assert sorted(display.shown) == sorted(np.flatnonzero(path[-1].x))
    wide = [segment for segment in path if segment.start < segment.stop]
    middles = [(segment.start + segment.stop) / 2 for segment in wide]
    for feature, bars in zip(display.shown, display.bars_, strict=True):
        inside = [any(a <= middle <= b for a, b in spans(bars)) for middle in middles]
        assert inside == [bool(segment.x[feature]) for segment in wide]


def test_features_stand_in_the_order_of_entry(path):
    display = EntryDisplay.from_path(path)
    first = [min(i for i, segment in enumerate(path) if segment.x[f]) for f in display.shown]
    assert first == sorted(first)


def test_neighbouring_segments_are_one_bar_and_a_gap_parts_them():
    redundancy = np.array([[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]])
    path = alpha_path(Tradeoff([10, 5, 5, 5], redundancy))
    display = EntryDisplay.from_path(path, names="abcd")
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["a", "b", "c", "d"]
    # The strong one leaves for the three weak ones, and comes back last.
    assert [len(spans(bars)) for bars in display.bars_] == [2, 1, 1, 1]


def test_what_is_not_proven_is_pale_and_the_selected_are_named_in_colour(selector):
    display = EntryDisplay.from_estimator(selector)
    colours = {to_hex(c).upper() for bars in display.bars_ for c in bars.get_facecolors()}
    assert colours == {BLUE, PALE}
    bold = {int(text.get_text()) for text in display.ax_.get_yticklabels() if text.get_fontweight() == "bold"}
    assert bold == {0, 2, 4, 5, 20}


def test_no_more_than_a_few_are_shown_and_the_picture_says_so(path):
    display = EntryDisplay.from_path(path, most=10)
    assert len(display.shown) == len(display.ax_.get_yticklabels()) == 10
    assert "23 more features that enter later" in display.ax_.get_xlabel().replace("\n", " ")
    alone = EntryDisplay.from_path(path, most=32).ax_.get_xlabel()
    assert "1 more feature that enters later" in alone.replace("\n", " ")
    assert "more" not in EntryDisplay.from_path(path).ax_.get_xlabel()


@pytest.mark.parametrize("width", [3.0, 14.0])
def test_no_text_is_clipped(plt, path, clipped, width):
    figure, axis = plt.subplots(figsize=(width, 6.0), layout="constrained")
    names = [f"a feature of a long name, number {i}" for i in range(34)]
    EntryDisplay.from_path(path, names=names, k=5, most=20, label="ionosphere", ax=axis)
    assert clipped(figure) == 0.0


@pytest.mark.parametrize("n", [1, 2, 3, 6])
@pytest.mark.parametrize("label", [None, "a title"])
def test_few_features_have_room_for_their_label_and_the_legend_covers_none(n, label, clipped):
    tradeoff = Tradeoff(np.arange(n, 0, -1.0), np.ones((n, n)) - np.eye(n))
    display = EntryDisplay.from_path(alpha_path(tradeoff), k=1, label=label)
    assert clipped(display.figure_) == 0.0
    axis = display.ax_
    assert axis.yaxis.label.get_window_extent().height <= axis.get_window_extent().height
    legend = axis.get_legend().get_window_extent()
    for bars in display.bars_:
        for bar in bars.get_paths():
            assert not legend.overlaps(axis.transData.transform_path(bar).get_extents())


def test_a_name_that_no_letter_draws_is_no_warning(path):
    names = [f"\N{PARROT} {i}" for i in range(34)]
    display = EntryDisplay.from_path(path, names=names, k=5)
    display.figure_.canvas.draw()
    first = display.ax_.get_yticklabels()[0].get_text()
    assert first == f"\N{REPLACEMENT CHARACTER} {display.shown[0]}"
    assert EntryDisplay.from_path(path, names=["é"] * 34).names[0] == "é"


def test_names_with_dollars_and_newlines_are_shown_as_text(path):
    names = [f"$x_{i}$\n({i})" for i in range(34)]
    display = EntryDisplay.from_path(path, names=names)
    display.figure_.canvas.draw()
    assert display.ax_.get_yticklabels()[0].get_text().startswith(r"\$x_")


def test_names_must_be_as_many_as_the_features(path):
    with pytest.raises(ValueError, match=r"names.*34.*2"):
        EntryDisplay.from_path(path, names=["a", "b"])


def test_matplotlib_missing_says_what_to_install(monkeypatch, path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r'plots.EntryDisplay needs matplotlib.*"quboselect\[plot\]"'):
        EntryDisplay.from_path(path)
