"""The staircase: what is drawn is the path, and what is not proven does not look as if it were."""

import sys

import numpy as np
import pytest

from quboselect import (
    SelectQUBO,
    SelectQUBOCV,
    Tradeoff,
    alpha_path,
    best_subset,
    criteria,
    importance,
    redundancy,
)
from quboselect.datasets import load_ionosphere
from quboselect.errors import MissingExtra, OffPathWarning
from quboselect.plots import PathDisplay
from quboselect.plots.path import unproven
from quboselect.redundancy.rows import Rows


def words(axis):
    return [text.get_text() for text in axis.get_legend().get_texts()]


def test_the_three_staircases_are_those_of_the_path(path):
    display = PathDisplay.from_path(path, unit="bits")
    values = [line.get_data() for line in display.lines_]
    assert values[0].values.tolist() == list(path.sizes)
    np.testing.assert_array_equal(values[1].values, [segment.importance for segment in path])
    np.testing.assert_array_equal(values[2].values, [segment.redundancy for segment in path])
    for value in values:
        assert value.edges.tolist() == [0.0, *(segment.stop for segment in path)]
    labels = [axis.get_ylabel() for axis in display.axes_]
    assert labels == ["features", "importance (bits)", "redundancy (bits)"]
    said = display.axes_[2].get_xlabel().replace("\n", " ")
    assert said == "alpha, the weight of importance (stretched near 0 and 1)"
    assert display.axes_[0].get_title(loc="left") == "Size, importance and redundancy of the best features"
    assert words(display.axes_[0]) == ["proven"]


def test_every_breakpoint_lies_within_the_axis(path):
    low, high = PathDisplay.from_path(path).axes_[2].get_xlim()
    inner = [segment.stop for segment in path if 0.0 < segment.stop < 1.0]
    assert low < min(inner)
    assert max(inner) < high


def test_what_is_not_proven_is_hatched_and_has_no_thick_line(selector):
    display = PathDisplay.from_estimator(selector)
    assert not selector.path_.proven
    spans = unproven(selector.path_)
    hatched = [patch for patch in display.axes_[0].patches if patch.get_hatch()]
    assert len(hatched) == len(spans) == 2
    assert spans[0] == (0.0, selector.alpha_window_[0])
    thick = display.axes_[0].collections[0].get_segments()
    assert [row[:, 0].tolist() for row in thick] == [list(selector.alpha_window_)]
    assert words(display.axes_[0]) == ["proven", "not proven", "5 features, selected"]


def test_the_largest_gap_is_said_where_it_is_known(path):
    from dataclasses import replace

    from quboselect.search.path import Path

    segments = [*path[:20], replace(path[20], gap=0.0123), *path[21:]]
    display = PathDisplay.from_path(Path(segments, path.knots, path.solves))
    assert words(display.axes_[0]) == ["proven", "not proven, gap up to 1.23%"]
    segments[3] = replace(path[3], gap=float("inf"))
    display = PathDisplay.from_path(Path(segments, path.knots, path.solves))
    assert words(display.axes_[0]) == ["proven", "not proven"]


def test_the_whole_path_of_an_estimator_is_explored_on_request_and_keeps_its_constraints():
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO.paper(k=3, include=[7], exclude=range(12, 34)).fit(X, y)
    display = PathDisplay.from_estimator(selector, whole=True)
    assert display.path.proven
    assert all(segment.x[7] and not segment.x[12:].any() for segment in display.path)
    assert display.unit == "bits"
    again = PathDisplay.from_estimator(selector.result_, whole=True)
    assert again.path.sizes == display.path.sizes
    assert again.unit == ""


def test_a_selector_at_one_alpha_has_its_path_explored_when_it_is_drawn():
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(k=None, alpha=0.8).fit(X[:, :8], y)
    assert selector.path_ is None
    for whole in (False, True):
        display = PathDisplay.from_estimator(selector, whole=whole)
        assert display.path.proven
        assert display.points_ == []


def test_k_features_at_one_alpha_are_marked_apart_from_the_path_over_all_sizes():
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(k=3, alpha=0.9, criterion=criteria.Pairs(4, together=0)).fit(X[:, :8], y)
    display = PathDisplay.from_estimator(selector)
    assert words(display.axes_[0])[-1] == "3 features, selected at alpha 0.9"
    line = selector.result_.tradeoff.line(selector.support_)
    drawn = [(point.get_xdata()[0], point.get_ydata()[0]) for point in display.points_]
    assert drawn == [(0.9, 3), (0.9, line.importance), (0.9, line.redundancy)]
    assert display.path.at(0.9).size > 3
    assert display.axes_[0].get_ylim()[1] > 3


@pytest.mark.parametrize("whole", [False, True])
def test_negative_redundancies_have_the_path_of_their_size_drawn(whole):
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(k=3, criterion=criteria.JMI()).fit(X[:, :8], y)
    display = PathDisplay.from_estimator(selector, whole=whole)
    exact = selector.path(size=3)
    assert set(display.path.sizes) == {3}
    for alpha in (0.0, 0.3, selector.alpha_, 0.9, 1.0):
        assert display.path.at(alpha).energy(alpha) == pytest.approx(exact.at(alpha).energy(alpha))
    low, high = display.axes_[2].get_ylim()
    assert low < min(segment.redundancy for segment in exact)
    assert high > max(segment.redundancy for segment in exact)
    assert display.unit == "bits"


def test_the_path_of_any_size_is_drawn_on_request(selector):
    display = PathDisplay.from_estimator(selector, size=3)
    assert set(display.path.sizes) == {3}
    with pytest.raises(ValueError, match="99"):
        PathDisplay.from_estimator(selector, size=99)


def test_a_size_off_the_path_is_a_line_and_refused_where_it_is_asked_of_the_path():
    redundancy = np.array([[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]])
    small = alpha_path(Tradeoff([10, 5, 5, 5], redundancy))
    with pytest.raises(ValueError, match=r"k must be a size on the path, which has \(0, 1, 3, 4\), got 2"):
        PathDisplay.from_path(small, k=2)
    from quboselect.plots.drawing import Window

    display = PathDisplay(small, window=Window(0.1, 0.1, 2, on_path=False)).plot()
    assert words(display.axes_[0])[-1] == "2 features, selected off the path"


@pytest.mark.parametrize(
    ("wished", "said"),
    [
        ({"k": None, "alpha": 0.9}, "4 features, selected at alpha 0.9"),
        ({"k": 6}, "6 features, selected at alpha 1"),
    ],
)
def test_one_alpha_on_the_path_is_not_called_off_it(wished, said):
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(**{"criterion": criteria.QFS(20, "quantile"), **wished}).fit(X[:, :6], y)
    assert selector.on_path_
    display = PathDisplay.from_estimator(selector, whole=True)
    assert words(display.axes_[0])[-1] == said
    low, high = display.axes_[0].get_xlim()
    marks = [line for line in display.axes_[0].lines if line.get_label() == said]
    assert [low <= line.get_xdata()[0] <= high for line in marks] == [True]


def test_a_table_of_constants_is_drawn():
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO.paper(k=2).fit(np.ones_like(X[:, :5]), y)
    assert words(PathDisplay.from_estimator(selector).axes_[0])[-1] == "2 features, selected at alpha 1"


def test_a_selector_off_the_path_is_said_to_be():
    X, y = load_ionosphere(return_X_y=True)
    R = np.array([[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]])
    measures = {
        "importance": importance.Precomputed([10.0, 5.0, 5.0, 5.0]),
        "redundancy": redundancy.Precomputed(R),
    }
    with pytest.warns(OffPathWarning):
        selector = SelectQUBO(k=2, **measures).fit(X[:, :4], y)
    assert words(PathDisplay.from_estimator(selector).axes_[0])[-1] == "2 features, selected off the path"


def test_the_shade_has_an_edge_in_the_legend_that_lies_on_it(path):
    shade = PathDisplay.from_path(path, k=1).axes_[0].get_legend().get_patches()[-1]
    assert shade.get_edgecolor()[:3] != shade.get_facecolor()[:3]
    assert shade.get_linewidth() > 0


def test_it_draws_into_three_axes_or_divides_one(plt, path):
    _, axes = plt.subplots(3, 1)
    assert PathDisplay.from_path(path, ax=axes).axes_.tolist() == axes.tolist()
    figure, axis = plt.subplots()
    display = PathDisplay.from_path(path, label="ionosphere", ax=axis)
    assert display.figure_ is figure
    assert len(display.axes_) == 3
    assert display.axes_[0].get_title(loc="left") == "ionosphere"
    with pytest.raises(ValueError, match=r"ax must be three axes, .* got 2"):
        display.plot(axes[:2])


@pytest.mark.parametrize("width", [3.0, 14.0])
def test_no_text_is_clipped_in_narrow_and_in_wide_figures(plt, path, clipped, width):
    figure, axis = plt.subplots(figsize=(width, 5.0), layout="constrained")
    PathDisplay.from_path(path, k=5, unit="bits", ax=axis)
    assert clipped(figure) == 0.0


def test_a_path_of_one_segment_has_a_plain_axis():
    display = PathDisplay.from_path(alpha_path(Tradeoff([0.0], [[0.0]])))
    assert display.axes_[2].get_xlim() == (0.0, 1.0)


def test_wrong_estimators_are_refused_in_words(selector):
    with pytest.raises(TypeError, match=r"PathDisplay needs.*got int"):
        PathDisplay.from_estimator(3)
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        PathDisplay.from_estimator(SelectQUBO())
    with pytest.raises(NotFittedError):
        PathDisplay.from_estimator(SelectQUBOCV(SelectQUBO()))


def test_matplotlib_missing_says_what_to_install(monkeypatch, path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r'plots.PathDisplay needs matplotlib.*"quboselect\[plot\]"'):
        PathDisplay.from_path(path)


def test_a_wide_table_whose_fit_explored_no_path_has_none_to_draw():
    rng = np.random.default_rng(0)
    tradeoff = Tradeoff(rng.random(12), Rows.of(np.ones((12, 12), np.float32) - np.eye(12, dtype=np.float32)))
    with pytest.raises(ValueError, match=r"PathDisplay.* needs a path.* 12"):
        PathDisplay.from_estimator(best_subset(tradeoff, k=3, alpha=0.5))
