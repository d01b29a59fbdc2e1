"""Experiment 1, on scikit-learn's digits in a frame of 28 x 28 pixels in place of mnist."""

import data
import models
import numpy as np
import one
import pytest
import three
from ledger import Ledger

from quboselect.datasets import Dataset


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("one")
    digits = three.images(quick=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(data.DATASETS, "mnist", lambda: Dataset("mnist", digits.X, digits.y, ["pixel"] * 784))
        for remembered in (models.table, models.splits):
            remembered.cache_clear()
        one.run(Ledger(place / "one.csv"), quick=True)
        yield place
        for remembered in (models.table, models.splits):
            remembered.cache_clear()


def test_every_digit_has_thirty_pixels(folder):
    with np.load(folder / one.MASKS) as arrays:
        assert arrays["masks"].sum(axis=1).tolist() == [30] * 10


def test_every_digit_is_measured_on_every_fold(folder):
    ledger = Ledger(folder / "one.csv")
    for digit in range(10):
        for method, count in (("QFS", 3), ("random", 6), ("all", 3)):
            rows = list(ledger.rows(dataset=f"mnist {digit}", method=method, metric="accuracy"))
            assert len(rows) == count
            assert all(0.5 < row.value <= 1.0 for row in rows)


def test_a_killed_run_goes_on_where_it_stopped(folder, monkeypatch):
    path = folder / "one.csv"
    content = path.read_text()
    path.write_text(content[:-20])
    measured = []
    whole = models.accuracy
    monkeypatch.setattr(models, "accuracy", lambda task: measured.append(task) or whole(task))
    one.run(Ledger(path), quick=True)
    assert len(measured) == 1
    values = [line.split(",")[:9] for line in content.splitlines()]
    assert [line.split(",")[:9] for line in path.read_text().splitlines()] == values


def test_digits_where_the_ordering_fails_are_named(tmp_path):
    ledger = Ledger(tmp_path / "one.csv")
    for method, value in (("QFS", 0.9), ("random", 0.8), ("all", 0.95)):
        ledger.add(value, dataset="mnist 3", method=method, fold=0, metric="accuracy")
    assert one.ordering(ledger) == ["digit 3: all 0.9500 is not below QFS 0.9000"]
