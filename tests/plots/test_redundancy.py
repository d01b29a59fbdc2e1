"""The map of redundancy: the alike side by side, the selected marked, and nothing left out in silence."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from quboselect import SelectQUBO, Tradeoff
from quboselect.datasets import load_ionosphere
from quboselect.errors import MissingExtra
from quboselect.plots import RedundancyDisplay
from quboselect.redundancy.rows import Rows
from quboselect.report.contents import similarity_order


def blocks(n, size, seed=0):
    """Return the redundancy of features in groups, in random order, and the group of each."""
    group = np.random.default_rng(seed).permutation(np.repeat(np.arange(n // size), size))
    matrix = np.where(group[:, None] == group[None, :], 0.8, 0.1)
    np.fill_diagonal(matrix, 0.0)
    return matrix, group


def test_the_image_is_the_matrix_in_the_order_shown_without_a_diagonal(tradeoff, selector):
    display = RedundancyDisplay.from_tradeoff(tradeoff, selector.support_)
    drawn = np.ma.filled(display.image_.get_array(), np.nan)
    expected = tradeoff.redundancy[np.ix_(display.shown, display.shown)].copy()
    np.fill_diagonal(expected, np.nan)
    np.testing.assert_array_equal(drawn, expected)
    assert len(display.ax_.patches) == 5
    places = sorted(display.shown[int(patch.get_x() + 0.5)] for patch in display.ax_.patches)
    assert places == [0, 2, 4, 5, 20]


def test_groups_of_features_that_repeat_each_other_stand_together():
    matrix, group = blocks(24, 4)
    ordered = group[similarity_order(matrix)]
    assert np.count_nonzero(np.diff(ordered)) == 5


def test_features_that_share_nothing_are_left_out_and_counted():
    matrix = np.zeros((5, 5))
    matrix[0, 1] = matrix[1, 0] = matrix[1, 2] = matrix[2, 1] = 1.0
    display = RedundancyDisplay.from_tradeoff(Tradeoff(np.ones(5), matrix))
    assert sorted(display.shown) == [0, 1, 2]
    assert "3 features (2 that share nothing left out)" in display.ax_.get_xlabel().replace("\n", " ")


def test_of_many_features_the_selected_and_the_most_important_are_shown():
    matrix, _ = blocks(60, 4)
    importance = np.arange(60.0)
    support = np.zeros(60, bool)
    support[[3, 7]] = True
    display = RedundancyDisplay.from_tradeoff(Tradeoff(importance, matrix), support, most=20)
    assert sorted(display.shown) == [3, 7, *range(42, 60)]
    label = display.ax_.get_xlabel().replace("\n", " ")
    assert "20 of 60 features, the most important; 2 selected (orange)" in label


def test_only_selected_features_are_named_where_all_do_not_fit():
    matrix, _ = blocks(60, 4)
    support = np.arange(60) % 20 == 0
    display = RedundancyDisplay.from_tradeoff(
        Tradeoff(np.ones(60), matrix), support, names=[f"f{i}" for i in range(60)]
    )
    named = {text.get_text() for text in display.ax_.get_yticklabels()}
    assert named
    assert named <= {"f0", "f20", "f40"}


def test_one_pair_that_is_nearly_the_same_does_not_leave_the_others_pale():
    matrix, _ = blocks(40, 4)
    matrix[0, 1] = matrix[1, 0] = 50.0
    display = RedundancyDisplay.from_tradeoff(Tradeoff(np.ones(40), matrix))
    assert display.image_.get_clim() == (0.0, pytest.approx(0.8))
    assert display.colorbar_.extend == "max"


def test_rows_that_are_all_known_are_drawn_and_others_refused(selector):
    result = selector.result_
    importance, matrix = result.tradeoff.importance, result.tradeoff.redundancy.astype(np.float32)
    known = replace(result, tradeoff=Tradeoff(importance, Rows.of(matrix)))
    assert RedundancyDisplay.from_estimator(known).redundancy.dtype == np.float64
    computed = replace(result, tradeoff=Tradeoff(importance, Rows(34, lambda chosen: matrix[chosen])))
    with pytest.raises(ValueError, match=r"needs the redundancy of 34 features.*fewer features"):
        RedundancyDisplay.from_estimator(computed)


def test_one_and_two_features_can_be_drawn():
    for n in (1, 2):
        matrix = np.ones((n, n)) - np.eye(n)
        display = RedundancyDisplay.from_tradeoff(Tradeoff(np.ones(n), matrix), np.ones(n))
        display.figure_.canvas.draw()
        assert display.shown.size == n


def test_an_excluded_feature_is_not_drawn():
    X, y = load_ionosphere(return_X_y=True)
    display = RedundancyDisplay.from_estimator(SelectQUBO(k=3, exclude=[0, 4]).fit(X[:, :8], y))
    assert sorted(display.shown) == [2, 3, 5, 6, 7]
    said = display.ax_.get_xlabel().replace("\n", " ")
    assert said.startswith("5 features (1 that shares nothing and 2 excluded left out); 3 selected")


def test_one_of_a_kind_is_said_in_the_singular():
    matrix = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    display = RedundancyDisplay.from_tradeoff(Tradeoff(np.ones(3), matrix), [1, 0, 0])
    said = display.ax_.get_xlabel().replace("\n", " ")
    assert said == "2 features (1 that shares nothing left out); 1 selected (orange)"
    alone = RedundancyDisplay.from_tradeoff(Tradeoff([1.0], [[0.0]]), [1])
    assert alone.ax_.get_xlabel().replace("\n", " ") == "1 feature; 1 selected (orange)"


@pytest.mark.parametrize("width", [3.0, 14.0])
def test_no_text_is_clipped(plt, selector, clipped, width):
    figure, axis = plt.subplots(figsize=(width, 6.0), layout="constrained")
    names = [f"a feature of a long name, number {i}" for i in range(34)]
    RedundancyDisplay.from_estimator(selector, names=names, ax=axis)
    assert clipped(figure) == 0.0


def test_matplotlib_missing_says_what_to_install(monkeypatch, selector):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r'plots.RedundancyDisplay needs matplotlib.*"quboselect\[plot\]"'):
        RedundancyDisplay.from_estimator(selector)


def test_pairs_below_zero_have_shades_of_their_own_and_white_is_zero():
    rng = np.random.default_rng(0)
    matrix = np.triu(rng.normal(size=(6, 6)), 1)
    display = RedundancyDisplay.from_tradeoff(Tradeoff(np.ones(6), matrix + matrix.T))
    low, high = display.image_.get_clim()
    assert low == -high
    assert low <= matrix.min()
    red, _, blue, _ = display.image_.to_rgba(low)
    assert red > blue
    assert display.image_.to_rgba(0.0)[:3] == pytest.approx((1.0, 1.0, 1.0), abs=0.02)
