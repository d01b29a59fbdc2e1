"""Columns that are alike: what the hashes of some rows suggest is looked at whole, in arrays of every layout."""

import numpy as np
import pytest

from quboselect.tables import alike
from quboselect.tables.alike import alike_columns


def naive(X):
    """Return for each column the first one with the same bytes, one comparison after the other."""
    columns = [column.tobytes() for column in X.T]
    return [columns.index(column) for column in columns]


def table(seed, dtype):
    """Return columns that repeat, that differ at one row alone, and that are all zeros but for one row."""
    rng = np.random.default_rng(seed)
    base = (rng.normal(size=(40, 12)) * 3).astype(dtype)
    X = base[:, rng.integers(0, 12, 60)]
    for j in rng.choice(60, 10, replace=False):
        X[rng.integers(0, 40), j] += 1
    X[:, :6] = 0
    X[7, 3] = X[7, 5] = 1
    return X


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.int16])
@pytest.mark.parametrize("whole", [2**16, 64])
@pytest.mark.parametrize("seed", range(4))
def test_each_column_has_the_first_with_the_same_bits_or_itself(seed, dtype, order, whole, monkeypatch):
    monkeypatch.setattr(alike, "WHOLE", whole)
    X = np.array(table(seed, dtype), order=order)
    rng = np.random.default_rng(seed)
    for kept in (None, np.sort(rng.choice(40, 25, replace=False))):
        rows = X if kept is None else X[kept]
        for some in (np.arange(len(rows)), np.array([0, 3, 9])):
            found = alike_columns(X, kept, some).tolist()
            assert found == naive(rows) or some.size == 3
            # What a few rows suggest may miss a copy, and never makes two of what differs.
            assert all(rows[:, j].tobytes() == rows[:, i].tobytes() for j, i in enumerate(found))


def test_floats_of_whole_numbers_have_different_hashes():
    X = np.arange(3.0)[:, None] + np.arange(5000.0)
    assert np.unique(alike.hashes(X.view("u8"))).size == 5000
