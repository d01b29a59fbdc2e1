import csv

import constants
import models
import numpy as np
import pytest
import tables
import two
from ledger import Ledger, read

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
    selector = SelectQUBO(k=5).fit(X, y)
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
