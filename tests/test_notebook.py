"""What notebooks show: small, escaped, and saying what is left out."""

import re
from html import escape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.naive_bayes import GaussianNB

from quboselect import (
    QUBO,
    SelectQUBO,
    SelectQUBOCV,
    Solutions,
    Tradeoff,
    alpha_path,
    best_subset,
    solvers,
)
from quboselect.datasets import load_ionosphere
from quboselect.notebook import BAR, HEAD, TAIL, Row, indices, path_html, solutions_html
from quboselect.search.path import Path, Segment

SMALL = alpha_path(Tradeoff([2.0, 1.0], [[0.0, 1.0], [1.0, 0.0]]))


def cells(html):
    """Return the table of a page as rows of text."""
    rows = []

    class Reader(HTMLParser):
        inside = False

        def handle_starttag(self, tag, attrs):
            if tag == "tr":
                rows.append([])
            if tag in ("td", "th"):
                rows[-1].append("")
                self.inside = True

        def handle_endtag(self, tag):
            if tag in ("td", "th"):
                self.inside = False

        def handle_data(self, data):
            if self.inside:
                rows[-1][-1] += data

    Reader().feed(html)
    return rows


def long_path(segments):
    """Return a path of very many segments over 1000 features, none proven."""
    cuts = np.linspace(0.1, 0.999, segments + 1)
    bits = np.random.default_rng(0).random((segments, 1000)) < 0.5
    made = [
        Segment(a, b, x, float(i), float(i), 0.5)
        for i, (a, b, x) in enumerate(zip(cuts, cuts[1:], bits, strict=False))
    ]
    return Path(made, np.array([[0.0, 0.0], [1.0, -1.0]]), 7)


def test_a_path_shows_its_segments_as_print_does():
    header, *rows = cells(SMALL._repr_html_())
    assert header == ["alpha", "size", "importance", "redundancy", "proof", "features"]
    printed = [line.split() for line in str(SMALL).splitlines()[1:]]
    assert len(rows) == len(printed) == 3
    for row, line in zip(rows, printed, strict=True):
        assert row[0].split(" to ") == [line[0], line[2]]
        assert row[1:5] == line[3:7]
        assert row[5].split() == line[7:]
    assert "Path(3 segments, sizes 0 to 2, proven=True) by" in SMALL._repr_html_()


def test_long_paths_stay_small_and_say_what_is_left_out():
    html = long_path(3000)._repr_html_()
    assert len(html) < 20_000
    rows = cells(html)[1:]
    assert len(rows) == HEAD + 1 + TAIL
    assert rows[HEAD] == [f"… {3000 - HEAD - TAIL} segments left out …"]
    assert rows[0][0].startswith("0.100000")
    assert rows[-1][0].endswith("0.999000")


@pytest.mark.parametrize("more", [0, 1, 2])
def test_no_line_says_that_a_single_segment_is_left_out(more):
    rows = cells(long_path(HEAD + TAIL + more)._repr_html_())[1:]
    assert len(rows) == HEAD + TAIL + min(more, 1)


def test_solutions_show_energies_counts_and_features_best_first():
    qubo = QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]])
    solutions = Solutions.of(qubo, [[0, 1], [0, 0], [1, 1]], count=[5, 3, 2], bound=-1.0)
    header, *rows = cells(solutions._repr_html_())
    assert header == ["", "energy", "above the best", "seen", "share", "size", "features"]
    assert rows == [
        ["1", "-1", "", "5", "50.0%", "1", "1"],
        ["2", "0", "1", "3", "30.0%", "0", ""],
        ["3", "1", "2", "2", "20.0%", "2", "0 1"],
    ]
    assert "best energy -1, proven" in solutions._repr_html_()


def test_many_solutions_of_many_bits_stay_small():
    rng = np.random.default_rng(0)
    bits = rng.random((4000, 2000)) < 0.5
    solutions = Solutions(bits, np.sort(rng.random(4000)), np.ones(4000, int))
    html = solutions._repr_html_()
    assert len(html) < 20_000
    assert f"… {4000 - HEAD - TAIL} solutions left out …" in html
    assert "no bound" in html


def test_every_text_is_escaped():
    hostile = "<script>alert(1)</script>"
    row = Row(0.0, 1.0, 1, 1.0, 1.0, hostile, hostile)
    for html in (
        path_html([row], summary=hostile),
        solutions_html([1.0], [1], lambda rank: hostile, sizes=[1], summary=hostile),
    ):
        assert "<script" not in html
        assert html.count("&lt;script&gt;") >= 2


def test_nothing_has_a_background_or_a_colour_of_text_of_its_own():
    html = SMALL._repr_html_()
    assert not re.search(r"background:(?!none)|[^-]color:(?!inherit)", html)


def test_indices_name_the_first_and_count_the_rest():
    assert indices([]) == ""
    assert indices(list(range(13)), 12) == "0 1 2 3 4 5 6 7 8 9 10 11 and 1 more"


def test_a_result_shows_names_bars_and_what_is_proven():
    tradeoff = Tradeoff([2.0, 1.0, 3.0], [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    result = best_subset(tradeoff, k=2, names=["a", "b", "<i>c"])
    html = result._repr_html_()
    header, *rows = cells(html)
    assert header == ["feature", "importance", "redundancy", "contribution", ""]
    qubo = tradeoff.at(result.alpha)
    assert [row[0] for row in rows] == ["<i>c", "a"]
    for row, without in zip(rows, ([1, 0, 0], [0, 0, 1]), strict=True):
        assert float(row[3]) == pytest.approx(float(qubo.energy(without)) - result.energy, abs=1e-4)
        assert float(row[3]) > 0.0
    assert "2 of 3 features, selected at alpha" in html
    assert "Proven: no selection of any size has a better value of this objective." in html
    assert "<i>" not in html
    widths = [float(width) for width in re.findall(r'<rect width="([\d.]+)"', html)]
    assert widths == pytest.approx([BAR * float(row[3]) / float(rows[0][3]) for row in rows], abs=0.1)


def test_a_result_that_is_not_proven_says_so():
    rng = np.random.default_rng(4)
    R = np.triu(rng.random((12, 12)), 1)
    html = best_subset(Tradeoff(rng.random(12), R + R.T), k=4, solver=solvers.Tabu())._repr_html_()
    assert "Not proven: a better one may exist" in html
    assert "Proven:" not in html


def test_the_estimator_keeps_the_box_of_scikit_learn_and_shows_under_it_what_was_selected():
    X, y = load_ionosphere(return_X_y=True)
    frame = pd.DataFrame(X, columns=[f"pulse <{i}>" for i in range(34)])
    before = SelectQUBO(k=3)._repr_html_()
    assert "SelectQUBO" in before
    assert 'class="quboselect"' not in before
    selector = SelectQUBO(k=3).fit(frame, y)
    found = SelectQUBOCV(GaussianNB(), k=[2], cv=2).fit(frame, y)
    for each in (selector, found):
        html = each._repr_html_()
        assert each._repr_mimebundle_()["text/html"].count('class="quboselect"') == 1
        assert "sk-" in html
        shown = html[html.index('class="quboselect"') :]
        for name in each.get_feature_names_out():
            assert escape(name) in shown
        assert "pulse <" not in shown
        assert "Proven: no other of this size has a better value" in shown
    with config_context(display="text"):
        assert not hasattr(selector, "_repr_html_")
        assert "text/html" not in selector._repr_mimebundle_()
