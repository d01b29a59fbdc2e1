"""Pictures of reads: what is drawn is what was measured."""

import numpy as np
import pytest
from reads import bit_counts, hit_rate, sorted_energies

from quboselect import QUBO, Solutions

pytest.importorskip("matplotlib", reason="figures need matplotlib")

from figures_reads import MOST_POINTS, Reads
from matplotlib import pyplot

from quboselect.plots.drawing import BLUE, ORANGE

THREE_BITS = QUBO([-1.0, -2.0, 0.5], [[0.0, 3.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
OPTIMUM = np.array([False, True, False])
RUNS = [
    Solutions.of(THREE_BITS, [[0, 1, 0], [1, 1, 0], [1, 0, 1]], count=[20, 50, 30]),
    Solutions.of(THREE_BITS, [[0, 1, 0], [0, 0, 0]], count=[40, 60]),
]


@pytest.fixture
def drawn():
    """Return the function that draws some runs, and gives the two axes."""
    figures = []

    def draw(runs):
        figure, axes = pyplot.subplots(1, 2)
        figures.append(figure)
        rate = hit_rate(runs, -2.0)
        Reads(sorted_energies(runs), bit_counts(runs), OPTIMUM, -2.0, rate).plot(axes, "three bits")
        return axes

    yield draw
    for figure in figures:
        pyplot.close(figure)


def legend(axis):
    return [text.get_text() for text in axis.get_legend().get_texts()]


def test_the_curve_the_band_and_the_line_are_those_of_the_runs(drawn):
    axis, _ = drawn(RUNS)
    curve, line = axis.get_lines()
    band = sorted_energies(RUNS)
    np.testing.assert_array_equal(curve.get_xdata(), np.arange(1, 101))
    np.testing.assert_allclose(curve.get_ydata(), band.mean)
    assert set(line.get_ydata()) == {-2.0}
    corners = axis.collections[0].get_paths()[0].vertices
    assert corners[:, 1].min() == pytest.approx((band.mean - band.std).min())
    assert corners[:, 1].max() == pytest.approx((band.mean + band.std).max())
    assert legend(axis)[-1] == "optimum: 30.00 ± 10.00 %"
    assert axis.get_title(loc="left") == "three bits"
    assert axis.get_xticks().tolist() == [0, 25, 50, 75, 100]


def test_bars_are_as_high_as_the_bits_were_often_and_coloured_by_the_optimum(drawn):
    from matplotlib.colors import to_hex

    _, axis = drawn(RUNS)
    bars = sorted(
        (bar.get_x(), bar.get_height(), to_hex(bar.get_facecolor()).upper()) for bar in axis.patches
    )
    _, heights, colours = zip(*bars, strict=True)
    np.testing.assert_allclose(heights, bit_counts(RUNS).mean)
    assert colours == (ORANGE, BLUE, ORANGE)
    assert legend(axis) == ["in the optimum:", "0", "1"]


def test_many_reads_are_drawn_with_few_points_from_the_first_to_the_last(drawn):
    run = Solutions.of(THREE_BITS, [[0, 0, 0], [0, 1, 0]], count=[60_000, 40_001])
    axis, _ = drawn([run, run])
    curve = axis.get_lines()[0]
    assert len(curve.get_xdata()) <= MOST_POINTS
    assert (curve.get_xdata()[0], curve.get_xdata()[-1]) == (1, 100_001)
