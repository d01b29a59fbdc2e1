"""The pure parts of the downstream benchmark, which is a script: ranks, stability, rows, and what others get to see."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
if not FOLDER.exists():
    pytest.skip("the benchmarks are not here", allow_module_level=True)
sys.path.append(str(FOLDER))

import downstream_others as others  # noqa: E402
import downstream_ours as ours  # noqa: E402
import downstream_ranks as ranks  # noqa: E402
import downstream_rows as rows  # noqa: E402
import downstream_run as run  # noqa: E402
import downstream_summary as summary  # noqa: E402
import downstream_tables as tables  # noqa: E402


def test_the_highest_score_has_rank_1_and_equals_share():
    found = ranks.ranks(np.array([[0.5, 0.9, 0.9, 0.1], [0.4, 0.3, 0.2, 0.1]]))
    assert found.tolist() == [[3, 1.5, 1.5, 4], [1, 2, 3, 4]]


@pytest.mark.parametrize(("methods", "n", "expected"), [(4, 14, 1.25), (5, 30, 1.11)])
def test_the_critical_difference_is_that_of_demsar(methods, n, expected):
    assert ranks.critical_difference(methods, n) == pytest.approx(expected, abs=0.005)


def test_friedman_tells_an_order_from_none():
    ordered = np.tile([0.1, 0.2, 0.3], (10, 1))
    assert ranks.friedman(ordered) < 1e-4
    assert np.isnan(ranks.friedman(ordered[:1]))


def test_stability_is_1_for_equal_subsets_and_0_by_chance():
    same = [frozenset({0, 1})] * 3
    assert ranks.jaccard(same) == ranks.kuncheva(same, 10) == 1.0
    # Two of four, sharing one: what chance gives.
    half = [frozenset({0, 1}), frozenset({1, 2})]
    assert ranks.jaccard(half) == pytest.approx(1 / 3)
    assert ranks.kuncheva(half, 4) == pytest.approx(0.0)


def test_rows_survive_a_torn_line(tmp_path):
    path = tmp_path / "rows.csv"
    row = dict(zip(rows.SCORES, ("wine", 0, 5, "forest", "RFE, tree", "0.9"), strict=True))
    rows.append(path, rows.SCORES, row)
    with path.open("a") as file:
        file.write("wine,0,10,for")
    assert len(rows.read(path, rows.SCORES)) == 1
    rows.append(path, rows.SCORES, {**row, "k": 20})
    assert [found["k"] for found in rows.read(path, rows.SCORES)] == ["5", "20"]


def test_forgetting_a_method_keeps_the_others(tmp_path):
    path = tmp_path / "rows.csv"
    for method in ("a", "b"):
        rows.append(
            path, rows.SCORES, dict(zip(rows.SCORES, ("wine", 0, 5, "forest", method, 1), strict=True))
        )
    rows.forget(path, rows.SCORES, {"a"})
    assert [row["method"] for row in rows.read(path, rows.SCORES)] == ["b"]


def test_halves_alternate_in_alphabetical_order():
    assert list(tables.HALVES) == sorted(tables.HALVES, key=str.lower)
    assert list(tables.HALVES.values()) == [tables.CHOSEN, tables.REPORTED] * (len(tables.HALVES) // 2)
    assert set(tables.FEATURES) == set(tables.HALVES)


def test_categories_are_codes_for_others_and_one_hot_for_models():
    train = pd.DataFrame({"colour": ["red", "blue", None, "red"], "size": [1.0, np.nan, 3.0, 5.0]})
    test = pd.DataFrame({"colour": ["green", None], "size": [np.nan, 2.0]})
    assert tables.numbers_of(train).tolist() == [[1, 1], [0, 3], [1, 3], [1, 5]]
    X, X_test = tables.design(train, test)
    assert X.tolist() == [[0, 1, 1], [1, 0, 3], [0, 1, 3], [0, 1, 5]]
    assert X_test.tolist() == [[0, 0, 3], [0, 1, 2]]


@pytest.mark.parametrize("name", [name for name, (_, package) in others.OTHERS.items() if package is None])
@pytest.mark.parametrize("task", ["classes", "regression"])
def test_a_ranking_has_k_features_and_random_aside_the_informative_one(name, task):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 8))
    shown = X[:, 3] + 0.3 * rng.normal(size=80)
    y = shown if task == "regression" else (shown > 0).astype(int)
    found = others.ranking(name, X, y, 3, task, 0)
    assert len(set(found.tolist())) == 3
    assert name == "random" or found[0] == 3


def test_a_failed_selection_scores_as_random_features():
    key = {"table": "wine", "fold": 0, "k": 5, "model": "forest"}
    scores = [{**key, "method": "random", "score": "0.6"}, {**key, "method": "F", "score": "0.9"}]
    none = {"seconds": "", "failed": "", "features": ""}
    subsets = [{**key, **none, "model": rows.ANY, "method": "Boruta", "failed": "longer than 1 s"}]
    cases = summary.cases_of(summary.tidy(scores, subsets)[0])
    assert cases.loc["wine", 5, "forest"].to_dict() == {"Boruta": 0.6, "F": 0.9, "random": 0.6}


class Asked:
    """A worker that selects the first features and remembers what it was asked; the second answer may end the run."""

    def __init__(self, killed=False):
        self.tasks, self.killed = [], killed

    def selection(self, task):
        self.tasks.append(task)
        if self.killed and len(self.tasks) == 2:
            raise KeyboardInterrupt
        return list(range(task.k)), 0.1


def test_a_run_goes_on_where_it_was_killed(tmp_path, monkeypatch):
    what = ("wine", 0, ["random", "F"], ["simple"], tmp_path, 1.0)
    first, second, third = Asked(killed=True), Asked(), Asked()
    monkeypatch.setattr(run, "worker", lambda limit: first)
    with pytest.raises(KeyboardInterrupt):
        run.run_fold(*what)
    monkeypatch.setattr(run, "worker", lambda limit: second)
    assert "2 new scores" in run.run_fold(*what)
    assert [task.method for task in second.tasks] == ["F"]
    monkeypatch.setattr(run, "worker", lambda limit: third)
    assert "0 new scores" in run.run_fold(*what)
    assert not third.tasks
    found = rows.read(tmp_path / "downstream.csv", rows.SCORES)
    assert [(row["method"], row["k"]) for row in found] == [
        ("random", "5"),
        ("random", "10"),
        ("F", "5"),
        ("F", "10"),
    ]


def test_the_summary_names_every_method(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "worker", lambda limit: Asked())
    for fold in range(2):
        run.run_fold("wine", fold, ["random", "F", "fastcan", ours.DEFAULT], ["simple"], tmp_path, 1.0)
    text = summary.write_summary(tmp_path)
    assert "| **SelectQUBO** |" in text
    assert "2 cases of 1 tables: wine." in text
    assert (tmp_path / "downstream.svg").exists()
