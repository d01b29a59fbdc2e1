import csv

import constants
import models
import numpy as np
import pytest
import two
from ledger import Ledger, Row, read

import tables
from quboselect import SelectQUBO
from quboselect.datasets import load_ionosphere


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("two")
    patch = pytest.MonkeyPatch()
    patch.setattr(two.constants, "section", without_mnist(constants.section))
    two.run(Ledger(place / "two.csv"), quick=True)
    patch.undo()
    return place


def without_mnist(section):
    few = {"ionosphere": 5, "synth_100": 10}
    return lambda name: {**section(name), "k": few} if name == "two" else section(name)


def test_every_method_and_model_is_measured(folder):
    ledger = Ledger(folder / "two.csv")
    for method in two.METHODS:
        for model in constants.section("two")["models"]:
            rows = list(ledger.rows(dataset="ionosphere", method=method, model=model, metric="accuracy"))
            assert len(rows) == (6 if method == two.RANDOM else 3)


def test_every_subset_has_k_features(folder):
    with np.load(folder / two.SUBSETS) as arrays:
        assert {int(arrays[name].sum()) for name in arrays.files if name.startswith("ionosphere")} == {5}
        assert len([name for name in arrays.files if name.startswith("ionosphere")]) == 10


def test_distances_are_the_features_to_swap(folder):
    ledger = Ledger(folder / "two.csv")
    with np.load(folder / two.SUBSETS) as arrays:
        one, truth = arrays["synth_100/QFS"], arrays["synth_100/ground truth"]
    swapped = ledger.value(dataset="synth_100", method="QFS", model="ground truth", metric="edit distance")
    assert swapped == np.abs(one ^ truth).sum() / 2


def test_the_subset_is_that_of_the_estimator():
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO.paper(k=5).fit(X, y)
    bits, alpha, proven = two.qfs(two.Tradeoff(selector.importance_, selector.redundancy_), 5, False)
    assert bits.tolist() == selector.support_.tolist()
    assert (alpha, proven) == (selector.alpha_, True)


def test_every_random_subset_sees_every_fold():
    subsets = {f"ionosphere/random {seed}": np.arange(34) < 5 for seed in range(5)}
    tasks = two.tasks(subsets, "ionosphere", False)
    seen = [(task.seed, task.fold) for task in tasks if task.model == models.BAYES]
    assert sorted(seen) == [(seed, fold) for seed in range(5) for fold in range(10)]


def test_the_tables_are_printed(folder):
    rows = read(folder / "two.csv")
    assert any("ionosphere | naive Bayes" in line for line in tables.winners(rows))
    assert len(list(tables.selections(rows))) == 2 + 8


def _row(method, model, seed, fold, value):
    return Row("two", "madelon", method, model, "20", seed, str(fold), "accuracy", value, 1.0, "0")


def test_models_that_started_elsewhere_are_a_table_of_their_own():
    starts = (("", 0, 0.5), ("", 1, 0.7), ("1", 0, 0.4), ("1", 1, 0.6))
    rows = [_row("authors' QFS", models.NETWORK, seed, fold, value) for seed, fold, value in starts]
    rows += [_row("random", models.NETWORK, seed, 0, value) for seed, value in (("0", 0.4), ("1", 0.6))]
    assert tables.mean(rows, "madelon", "authors' QFS", models.NETWORK)[::2] == (pytest.approx(0.6), 2)
    assert tables.mean(rows, "madelon", "random", models.NETWORK)[::2] == (pytest.approx(0.5), 2)
    assert list(tables.lottery(rows))[2:] == [
        "| QFS | neural network | 0.6155 ± 0.0362 | 2 | 0.5000 | 0.5500 | 0.6000 | 1 |"
    ]


def test_the_check_counts_what_is_within_one_standard_deviation():
    rows = [
        _row("authors' QFS", models.NETWORK, "", 0, 0.59),
        _row("authors' QFS", models.NETWORK_N, "", 0, 0.5),
    ]
    rows.append(_row("authors' QFS", models.BAYES, "", 0, 0.7))
    lines = list(tables.harness(rows))
    assert (
        lines[2]
        == "| madelon | QFS | neural network | 0.6155 ± 0.0362 | 0.5900 ± 0.0000 | 0.5000 ± 0.0000 **no** |"
    )
    assert lines[3] == "| madelon | QFS | naive Bayes | 0.5995 ± 0.0254 | 0.7000 ± 0.0000 **no** |  |"
    assert [line.rsplit(": ")[1] for line in lines[-2:]] == ["1 of 2.", "0 of 2."]


def test_fold_accuracies_are_compared_to_the_last_digit(tmp_path, monkeypatch):
    folds = "0.5 0.6 0.7 0.8"
    lines = [
        f"{name},{short},{model},20,{folds}"
        for name in ("mnist", "madelon", "synth_100", "waveform")
        for short in two.PUBLISHED
        for model in ("naive_bayes", "logistic_regression")
    ]
    (tmp_path / "comparison-results.csv").write_text("\n".join(lines))
    monkeypatch.setattr(constants, "REFERENCE", tmp_path)
    values = (0.5, 0.6 + 1e-12, 0.7 + 1e-6)
    rows = [_row("authors' RFE", models.BAYES, "", fold, value) for fold, value in enumerate(values)]
    rows.append(_row("authors' RFE", models.BAYES, "3", 3, 0.8))
    assert list(tables.exact(rows))[2:] == ["| madelon | naive Bayes | 2 of 16 |"]
    monkeypatch.setattr(constants, "REFERENCE", tmp_path / "none")
    assert list(tables.exact(rows)) == []


@pytest.mark.skipif(constants.reference("comparison-results.csv") is None, reason="needs ../shared/reference")
@pytest.mark.parametrize("name", ["madelon", "waveform", "mnist"])
def test_naive_bayes_gives_the_authors_accuracies_to_the_last_digit(name):
    with constants.reference("comparison-results.csv").open() as file:
        theirs = {tuple(line[:3]): line[4].split() for line in csv.reader(file)}
    judged = name if name == "madelon" else name + models.LEVELS
    if two.data.levels(name) is None:
        pytest.skip("the table is not here")
    for key, method in two.PUBLISHED.items():
        features = tuple(np.flatnonzero(two.published(name)[method]).tolist())
        for fold in range(10) if name != "mnist" else (0, 9):
            found = models.accuracy(models.Task(judged, "", models.BAYES, features, fold))[1]
            assert found == pytest.approx(float(theirs[name, key, "naive_bayes"][fold]), abs=1e-12)


@pytest.mark.skipif(constants.reference("comparison-results.csv") is None, reason="needs ../shared/reference")
def test_one_softmax_gives_nearly_all_of_the_authors_accuracies_on_waveform_to_the_last_digit():
    with constants.reference("comparison-results.csv").open() as file:
        theirs = {tuple(line[:3]): line[4].split() for line in csv.reader(file)}
    if two.data.levels("waveform") is None:
        pytest.skip("the table is not here")
    equal = 0
    for key, method in two.PUBLISHED.items():
        features = tuple(np.flatnonzero(two.published("waveform")[method]).tolist())
        for fold in range(10):
            task = models.Task("waveform" + models.LEVELS, "", models.SOFTMAX, features, fold)
            found = models.accuracy(task)[1]
            equal += abs(found - float(theirs["waveform", key, "logistic_regression"][fold])) < 1e-12
    assert equal >= 36
