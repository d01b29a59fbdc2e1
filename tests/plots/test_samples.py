"""Reads of a sampler: what is drawn is what was measured, and no picture claims more than is known."""

import sys

import numpy as np
import pytest

from quboselect import QUBO, Solutions
from quboselect.errors import MissingExtra
from quboselect.plots import BLUE, GREY, MOST_NAMES, ORANGE, SolutionsDisplay
from quboselect.quantum.shots import bit_counts, sorted_energies
from quboselect.solvers import Exhaustive

QUBO_3 = QUBO([-1.0, -2.0, 0.0], [[0.0, 3.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
OPTIMUM = [0, 1, 0]
RUNS = [
    Solutions.of(QUBO_3, [[0, 1, 0], [1, 1, 0], [1, 0, 1]], count=[20, 50, 30]),
    Solutions.of(QUBO_3, [[0, 1, 1], [0, 0, 0]], count=[40, 60]),
]


def words(axis):
    return [text.get_text() for text in axis.get_legend().get_texts()]


def bars(axis):
    """Return position, height and colour of each bar, from left to right."""
    from matplotlib.colors import to_hex

    each = [
        (bar.get_x() + bar.get_width() / 2, bar.get_height(), to_hex(bar.get_facecolor()).upper())
        for bar in axis.patches
    ]
    return sorted(each)


def test_the_curve_the_band_and_the_line_are_those_of_the_runs():
    display = SolutionsDisplay.from_runs(RUNS, OPTIMUM, qubo=QUBO_3)
    curve, line = display.axes_[0].get_lines()
    np.testing.assert_array_equal(curve.get_xdata(), np.arange(1, 101))
    np.testing.assert_allclose(curve.get_ydata(), sorted_energies(RUNS).mean)
    assert set(line.get_ydata()) == {-2.0}
    band = sorted_energies(RUNS)
    corners = display.axes_[0].collections[0].get_paths()[0].vertices
    assert corners[:, 1].min() == pytest.approx((band.mean - band.std).min())
    assert corners[:, 1].max() == pytest.approx((band.mean + band.std).max())


def test_bars_are_as_high_as_the_bits_were_often_and_coloured_by_the_optimum():
    axis = SolutionsDisplay.from_runs(RUNS, OPTIMUM).axes_[1]
    place, height, colour = zip(*bars(axis), strict=True)
    np.testing.assert_allclose(place, [0, 1, 2])
    np.testing.assert_allclose(height, bit_counts(RUNS).mean)
    assert colour == (ORANGE, BLUE, ORANGE)
    assert words(axis) == ["in the optimum:", "0", "1"]


def test_a_bit_that_may_be_either_is_shown_as_such_where_the_qubo_says_so():
    axis = SolutionsDisplay.from_runs(RUNS, OPTIMUM, qubo=QUBO_3).axes_[1]
    assert [colour for _, _, colour in bars(axis)] == [ORANGE, BLUE, GREY]
    assert words(axis) == ["in the optimum:", "0", "1", "0 or 1"]


def test_the_picture_says_optimum_only_of_what_is_proven_or_given_as_one():
    proven, found = Exhaustive()(QUBO_3), Solutions.of(QUBO_3, [OPTIMUM])
    cases = (
        (OPTIMUM, "optimum"),
        (proven, "optimum"),
        (found, "lowest known"),
        (None, "lowest found"),
    )
    for optimum, word in cases:
        display = SolutionsDisplay.from_runs(RUNS, optimum, qubo=QUBO_3)
        assert words(display.axes_[0])[-1] == f"{word}: 30.00 ± 10.00 %"
        assert words(display.axes_[1])[0] == f"in the {word}:"
        assert display.best.x.tolist() == OPTIMUM


def test_samples_that_prove_nothing_and_that_a_read_beats_are_no_reference():
    worse = Solutions.of(QUBO_3, [1, 0, 0])
    for qubo in (None, QUBO_3):
        display = SolutionsDisplay.from_runs(RUNS, worse, qubo=qubo)
        assert (display.best.word, display.best.energy) == ("lowest found", -2.0)
        assert display.best.x.tolist() == OPTIMUM


@pytest.mark.parametrize("unit", [1e-10, 1.0, 1e10])
def test_hits_are_counted_whatever_the_unit_of_the_energies(unit):
    qubo = QUBO(unit * QUBO_3.linear, unit * QUBO_3.couplings)
    runs = Solutions.of(qubo, [[0, 1, 0], [1, 0, 0]], count=[3, 7])
    for known in (None, qubo):
        assert SolutionsDisplay.from_runs(runs, OPTIMUM, qubo=known).rate.hits == 3


def test_runs_that_prove_their_best_read_need_no_reference():
    assert SolutionsDisplay.from_runs(Exhaustive()(QUBO_3)).best.word == "optimum"


def test_of_reads_that_tie_over_runs_the_one_of_fewer_ones_is_the_lowest_found():
    display = SolutionsDisplay.from_runs(RUNS[::-1])
    assert display.best.x.tolist() == OPTIMUM
    assert display.rate.hits == 60


def test_the_energy_of_bits_that_were_never_read_needs_the_qubo():
    runs = Solutions.of(QUBO_3, [[0, 0, 0]], count=[4])
    with pytest.raises(ValueError, match="no read has its bits: give qubo"):
        SolutionsDisplay.from_runs(runs, OPTIMUM)
    display = SolutionsDisplay.from_runs(runs, OPTIMUM, qubo=QUBO_3)
    assert (display.best.energy, str(display.rate)) == (-2.0, "0 of 4 reads")


def test_bits_given_as_the_optimum_that_a_read_beats_are_refused():
    with pytest.raises(ValueError, match="minimum must be the lowest energy there is, got -1"):
        SolutionsDisplay.from_runs(RUNS, [1, 0, 0], qubo=QUBO_3)


def test_one_run_has_no_band_and_no_error_bars():
    display = SolutionsDisplay.from_runs(RUNS[0])
    assert not any(axis.collections for axis in display.axes_)
    assert words(display.axes_[0])[0] == "one run"


def test_it_draws_into_given_axes_and_again_into_a_new_figure(plt):
    figure, axes = plt.subplots(2, 2)
    display = SolutionsDisplay.from_runs(RUNS, label="reads", ax=axes[1])
    assert display.figure_ is figure
    assert display.axes_.tolist() == axes[1].tolist()
    assert axes[1, 0].get_title(loc="left") == "reads"
    assert not axes[0, 0].has_data()
    assert display.plot() is display
    assert display.figure_ is not figure
    with pytest.raises(ValueError, match=r"ax must be two axes, .* got 4"):
        display.plot(axes)
    with pytest.raises(ValueError, match=r"ax must be two axes, .* got 1"):
        display.plot(axes[0, 0])


def test_labels_say_what_is_counted_and_in_which_unit(plt):
    energies, bits = SolutionsDisplay.from_runs(RUNS, unit="bits").axes_
    assert energies.get_xlabel() == "reads, sorted by energy"
    assert energies.get_ylabel() == "energy (bits)"
    assert bits.get_ylabel() == "reads with bit 1"
    assert bits.get_xlabel() == "bit (index of the feature)"
    assert energies.get_xticks().tolist() == bits.get_yticks().tolist() == [0, 25, 50, 75, 100]


def test_names_stand_under_the_bars_shortened_in_their_middle():
    names = np.array(["age", "mean concavity of the nucleus, worst", "c"])
    axis = SolutionsDisplay.from_runs(RUNS, names=names).axes_[1]
    assert [text.get_text() for text in axis.get_xticklabels()] == ["age", "mean conca…us, worst", "c"]
    with pytest.raises(ValueError, match="names must be 3 names, one for each bit, got 2"):
        SolutionsDisplay.from_runs(RUNS, names=["a", "b"])


def test_more_names_than_fit_give_way_to_indices():
    size = MOST_NAMES + 1
    run = Solutions.of(QUBO(np.full(size, -1.0), np.zeros((size, size))), np.ones((3, size), int))
    axis = SolutionsDisplay.from_runs(run, names=map(str, range(size))).axes_[1]
    assert axis.get_xlabel() == "bit (index of the feature)"


def test_many_reads_are_drawn_with_few_points_from_the_first_to_the_last():
    run = Solutions.of(QUBO_3, [[0, 0, 0], [0, 1, 0]], count=[60_000, 40_001])
    curve = SolutionsDisplay.from_runs(run).axes_[0].get_lines()[0]
    assert len(curve.get_xdata()) <= 512
    assert (curve.get_xdata()[0], curve.get_xdata()[-1]) == (1, 100_001)


def test_sizes_that_do_not_fit_are_refused_in_words():
    other = QUBO([-1.0], [[0.0]])
    with pytest.raises(ValueError, match="qubo must have as many bits as the runs, 3, got 1"):
        SolutionsDisplay.from_runs(RUNS, qubo=other)
    with pytest.raises(ValueError, match="optimum must have as many bits as the runs, 3, got 1"):
        SolutionsDisplay.from_runs(RUNS, Solutions.of(other, [[1]]))
    with pytest.raises(ValueError, match="x must be 3 bits"):
        SolutionsDisplay.from_runs(RUNS, [1, 0])
    with pytest.raises(ValueError, match="optimum must be 3 bits, got 2 rows"):
        SolutionsDisplay.from_runs(RUNS, [OPTIMUM, OPTIMUM])


def test_a_long_title_is_broken_before_it_meets_the_legend(plt):
    display = SolutionsDisplay.from_runs(
        RUNS, label="a data set of a long name, and a sampler of a longer one"
    )
    title = display.axes_[0].get_title(loc="left")
    assert title.count("\n") == 1
    display.figure_.canvas.draw()
    drawn = display.axes_[0]._left_title.get_window_extent()
    assert not drawn.overlaps(display.axes_[1].get_legend().get_window_extent())


def test_matplotlib_missing_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r'plots.SolutionsDisplay needs matplotlib.*"quboselect\[plot\]"'):
        SolutionsDisplay.from_runs(RUNS)
