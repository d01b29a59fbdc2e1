"""The head of a report: names, target and table first, plain words, and nothing claimed that was not proven."""

import dataclasses
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from quboselect import Constraints, SelectQUBO, SelectQUBOCV, Solutions, Tradeoff, best_subset, solvers
from quboselect.datasets import load_ionosphere
from quboselect.report import FeatureProfile, Frequencies, Score, TableProfile, write_report
from quboselect.report.bars import profile_cells
from quboselect.report.stability import Stability
from quboselect.report.tables import MOST_CHIPS, word_html

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "emoji 🦜 and \N{RIGHT-TO-LEFT OVERRIDE}turned",
    "long " * 200,
    "$title ${data} %s {0}",
    "'single' & \"double\"",
]


class Head(HTMLParser):
    """The header of a page: its text, the text of each chip, of each tile, and every tag and attribute."""

    def __init__(self, file):
        super().__init__(convert_charrefs=True)
        self.text, self.chips, self.tiles, self.tags, self.attributes = "", [], [], [], []
        self.feed(re.search(r"<header>.*?</header>", Path(file).read_text(encoding="utf-8"), re.DOTALL)[0])

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "li" and ("class", "chip") in attrs:
            self.chips.append("")
        if tag == "dt":
            self.tiles.append("")

    def handle_endtag(self, tag):
        self.tags.append(f"/{tag}")

    def handle_data(self, data):
        self.text += data
        if self.tags[-2:] == ["li", "bdi"] and "dl" not in self.tags:
            self.chips[-1] += data
        if self.tiles and "aside" not in self.tags:
            self.tiles[-1] += data


def random_result(n=8, k=3, seed=0, **options):
    rng = np.random.default_rng(seed)
    R = np.triu(rng.random((n, n)), 1)
    return best_subset(Tradeoff(rng.random(n), R + R.T), k=k, **options)


def head_of(file, result, **facts):
    write_report(file, result, **facts)
    return Head(file)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "report.html"


def test_names_target_table_and_a_plain_sentence_come_before_everything(file):
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(k=5).fit(pd.DataFrame(X, columns=[f"pulse {i}" for i in range(34)]), y)
    selector.report(file, target="class", also={"table": "radar.csv"})
    head = Head(file)
    assert "5 of 34 features selected for class" in head.text
    assert "Table radar.csv" in head.text
    order = np.argsort(-selector.importance_, kind="stable")
    assert [chip.strip() for chip in head.chips] == [f"pulse {i}" for i in order if selector.support_[i]]
    share = selector.importance_[selector.support_].sum() / selector.importance_.sum()
    assert (
        f"These 5 of 34 features together say most about class and repeat each other least. Added up, they carry "
        f"{share:.0%} of the importance of all 34 features." in head.text
    )
    assert "Proven: no other 5 features have a better value of this objective." in head.text
    assert "not about the world" in head.text
    assert "alpha" not in head.text
    body = file.read_text(encoding="utf-8").partition("<body>")[2]
    assert 0 < body.index("repeat each other least") < body.index("<main>") < body.index("For experts")


def test_without_a_target_the_sentence_still_is_one(file):
    head = head_of(file, random_result())
    assert "3 of 8 features selected" in head.text
    assert "say most about the target and repeat" in head.text
    assert "Table" not in head.text
    assert len(head.tiles) == 1


def test_one_feature_all_features_and_none_are_said_in_their_own_words(file):
    assert "This one of 8 features says most about y." in head_of(file, random_result(k=1), target="y").text
    one = Head(file)
    assert "it carries" in one.text
    X, y = load_ionosphere(return_X_y=True)
    SelectQUBO(k=1).fit(X, y).report(file)
    assert "no other feature has a better value" in Head(file).text
    assert (
        "All 8 features are selected, so there was nothing to choose."
        in head_of(file, random_result(k=8)).text
    )
    none = best_subset(Tradeoff([1.0, 1.0], [[0, 1], [1, 0]]), alpha=0.0)
    assert "No feature is selected." in head_of(file, none).text
    assert not Head(file).chips


def test_what_is_not_proven_is_not_called_most_and_says_how_far_off_it_may_be(file):
    result = random_result(12, 4, 4, solver=solvers.Tabu())
    assert not result.proven
    head = head_of(file, result, target="y")
    assert "together say much about y and repeat each other little" in head.text
    assert "Not proven: these are the best that were found." in head.text
    assert "Proven:" not in head.text
    gap = re.search(r"objective, by at most ([\d.]+)%", head.text)
    unknown = "by how much is not known" in head.text
    assert unknown or float(gap[1]) == pytest.approx(100.0 * result.gap, abs=0.01)


def test_a_subset_that_the_report_beats_is_not_called_the_best(file):
    result = random_result()
    x = np.zeros(8, bool)
    x[np.argsort(result.tradeoff.importance)[:3]] = True
    poor = Solutions.of(result.tradeoff.at(result.alpha), x)
    head = head_of(file, dataclasses.replace(result, solutions=poor))
    assert "Not the best:" in head.text
    assert "say much about" in head.text


def test_constraints_are_part_of_the_sentence_and_of_the_proof(file):
    result = random_result(constraints=Constraints.of(8, include=[0]))
    head = head_of(file, result)
    assert "of all that your constraints allow." in head.text
    assert "to your constraints" in head.text


def test_on_the_path_no_selection_of_any_size_is_better(file):
    result = random_result()
    assert result.on_path
    assert "no other selection, of any size, has a better value" in head_of(file, result).text


def test_many_names_are_counted(file):
    n = MOST_CHIPS + 10
    result = best_subset(Tradeoff(np.arange(1.0, n + 11.0), np.zeros((n + 10, n + 10))), k=n)
    head = head_of(file, result)
    assert len(head.chips) == MOST_CHIPS
    assert "and 10 more" in head.text


def test_stability_is_a_word_a_number_and_the_least_sure_of_the_selected(file):
    result = random_result()
    share = np.where(result.support, 0.9, 0.2)
    share[result.features[1]] = 0.1
    for index, word in ((0.9, "high"), (0.5, "medium"), (0.1, "low")):
        head = head_of(file, result, stability=Frequencies(share, index, 40))
        (tile,) = (tile for tile in head.tiles if tile.startswith("Stability"))
        assert f"{word} {index:.2f} of 1" in tile
        assert f"least sure: x{result.features[1]}, chosen in 10% of 40 resamples" in tile
    assert "not defined" in head_of(file, result, stability={"frequency": share, "index": np.nan}).tiles[1]


def test_a_selection_of_nothing_has_none_that_is_least_sure(file):
    nothing = best_subset(Tradeoff([1.0, 2.0], [[0.0, 1.0], [1.0, 0.0]]), alpha=0.0)
    assert not nothing.support.any()
    write_report(file, nothing, stability=Frequencies([0.1, 0.0], 0.9, 20))
    (tile,) = (tile for tile in Head(file).tiles if "Stability" in tile)
    assert "0.90 of 1" in tile
    assert "20 resamples" in tile
    assert "least sure" not in tile


def test_what_stability_returns_is_taken_as_it_is(file):
    result = random_result()
    rows = np.tile(result.support, (4, 1))
    rows[0] = np.roll(rows[0], 1)
    found = Stability(rows, result.support)
    head = head_of(file, result, stability=found)
    assert f"{found.index:.2f} of 1" in head.tiles[1]
    assert "of 4 resamples" in head.tiles[1]


def test_the_score_of_a_model_stands_beside_that_with_all_features(file):
    head = head_of(file, random_result(), score=Score("ROC AUC", 0.9021, 0.911, 0.004, 5))
    assert "ROC AUC" in head.tiles[1]
    assert "0.9021 \N{PLUS-MINUS SIGN} 0.004" in head.tiles[1]
    assert "with all 8 features 0.911; selected anew in each of 5 folds" in head.tiles[1]


def test_the_target_has_its_classes_or_is_numbers(file):
    columns = (FeatureProfile(0.0, 2, (5, 5)),) * 8
    classes = FeatureProfile(0.0, 5, (50, 30, 10, 6, 4), ("a", "b", "c", "d", "e"))
    head = head_of(file, random_result(), target="y", profile=TableProfile(100, columns, classes))
    assert "Target y" in head.tiles[-1]
    assert "5 classes" in head.tiles[-1]
    assert "a 50%, b 30%, c 10% and 2 more" in head.tiles[-1]
    assert "100 samples" in head.text
    numbers = TableProfile(1200, columns, FeatureProfile(0.0, 1100, (600, 600)))
    assert "1,100 different values" in head_of(file, random_result(), profile=numbers).tiles[-1]


def test_notes_stand_in_a_box_and_no_box_without_them(file):
    head = head_of(file, random_result(), notes=["city may be an identifier.", "Only 30 samples."])
    assert "aside" in head.tags
    assert "city may be an identifier." in head.text
    assert "Only 30 samples." in head.text
    assert "aside" not in head_of(file, random_result()).tags


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_stay_text_in_every_part_of_the_head(text, file):
    columns = (FeatureProfile(0.0, 2, (50, 50), (text, "b")),) * 8

    def facts(word):
        named = tuple(each._replace(labels=(word, "b")) for each in columns)
        return {
            "target": word,
            "also": {"table": word},
            "notes": [word],
            "title": word,
            "stability": Frequencies([0.5] * 8, 0.5),
            "score": Score(word, 0.5, 0.5),
            "profile": TableProfile(100, named, named[0]),
        }

    def parsed(word):
        head = head_of(file, random_result(names=[word] * 8), **facts(word))
        return head, file.read_text(encoding="utf-8")

    (good, _), (bad, page) = parsed("plain"), parsed(text)
    assert bad.tags == good.tags
    assert {name for name, _ in bad.attributes} == {name for name, _ in good.attributes}
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in page
    assert "<script>alert" not in page
    assert "<img" not in page


def test_a_long_name_in_a_sentence_is_cut_and_whole_under_the_pointer():
    made = word_html("x" * 100)
    assert f'title="{"x" * 100}"' in made
    assert f">{'x' * 60}\N{HORIZONTAL ELLIPSIS}<" in made
    assert "no name" in word_html("  ")


def test_cross_validation_hands_on_what_is_told(file):
    from sklearn.naive_bayes import GaussianNB

    X, y = load_ionosphere(return_X_y=True)
    SelectQUBOCV(GaussianNB(), k=[2], cv=2).fit(X[:, :6], y).report(file, target="class", notes=["mind this"])
    head = Head(file)
    assert "selected for class" in head.text
    assert "mind this" in head.text


def test_the_bars_show_thirty_features_and_all_selected_and_count_the_rest(file):
    importance = np.arange(50.0, 0.0, -1.0)
    result = best_subset(
        Tradeoff(importance, np.zeros((50, 50))),
        k=2,
        constraints=Constraints.of(50, include=[40], exclude=[3]),
    )
    write_report(file, result, stability=Frequencies(np.linspace(0.0, 1.0, 50), 0.5, 20))
    table = re.search(r'<table class="bars".*?</table>', file.read_text(encoding="utf-8"), re.DOTALL)[0]
    names = re.findall(r'title="(x\d+)"', table)
    assert names == [f"x{i}" for i in range(31) if i != 3] + ["x40"]
    assert table.count('class="mark"') == 2
    first, last = table.split("<tr")[2], table.split("<tr")[-1]
    assert '<rect width="100.0%"' in first
    assert 'width="20.0%"' in last
    assert f"{40 / 49:.0%}" in last
    assert "And 18 more, of less importance." in file.read_text(encoding="utf-8")


def test_what_a_column_holds_stands_beside_its_bar(file):
    profiles = [FeatureProfile(0.0, 2, (1, 3))] * 8
    profiles[0] = FeatureProfile(0.25, 3, (30, 10, 10), ("red", "<b>green", "other"))
    profiles[1] = FeatureProfile(0.001, 3, (30, 10, 10))
    profiles[2] = None
    write_report(file, random_result(), profile=TableProfile(100, tuple(profiles)))
    table = re.search(r'<table class="bars".*?</table>', file.read_text(encoding="utf-8"), re.DOTALL)[0]
    assert "red 60%, &lt;b&gt;green 20%, other 20%" in table
    assert "From low to high: 25%, 75%" in table
    assert "<td>25%</td>" in table
    assert "<td>under 1%</td>" in table
    assert table.count('<svg class="shape') == 7
    assert "3 categories" in table


def test_a_column_that_is_all_missing_has_no_picture():
    some, none = FeatureProfile(0.5, 2, (3, 2)), FeatureProfile(1.0, 0, ())
    assert "<svg" in profile_cells(some)
    assert profile_cells(none) == "<td>100%</td><td></td>"
