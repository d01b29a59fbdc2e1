"""The data set that comes with the package."""

import hashlib
from importlib.resources import files

import numpy as np
import pytest

from authors import DATA
from quboselect.datasets import load_ionosphere

FILE = DATA / "ionosphere.npz"


def test_ionosphere_has_351_samples_34_features_and_225_good_returns():
    data = load_ionosphere()
    assert data.X.shape == (351, 34)
    assert (data.X.dtype, data.y.dtype) == (np.float64, np.int64)
    assert np.bincount(data.y).tolist() == [126, 225]
    assert len(set(data.feature_names)) == 34
    assert np.ptp(data.X[:, 1]) == 0
    assert "Sigillito" in data.citation


def test_ionosphere_is_the_published_table_bit_by_bit():
    data = load_ionosphere()
    for array, digest in ((data.X, "69468e18f3a97d2e"), (data.y, "8e41f89b0be084f4")):
        assert hashlib.sha256(array.tobytes()).hexdigest().startswith(digest)


def test_ionosphere_is_read_only():
    data = load_ionosphere()
    assert not data.X.flags.writeable
    assert not data.y.flags.writeable


def test_ionosphere_comes_as_a_pair_on_request():
    X, y = load_ionosphere(return_X_y=True)
    data = load_ionosphere()
    assert np.array_equal(X, data.X)
    assert np.array_equal(y, data.y)


def test_the_shipped_file_is_small_and_its_licence_lies_beside_it():
    folder = files("quboselect.datasets")
    assert len(folder.joinpath("ionosphere.npz").read_bytes()) < 50_000
    note = folder.joinpath("ionosphere.md").read_text(encoding="utf-8")
    assert "Creative Commons Attribution 4.0" in note
    assert "1989" in note


@pytest.mark.skipif(not FILE.is_file(), reason="the reference files do not lie beside this checkout")
def test_ionosphere_equals_the_reference_file():
    data = load_ionosphere()
    with np.load(FILE, allow_pickle=False) as reference:
        assert np.array_equal(data.X, reference["X"])
        assert np.array_equal(data.y, reference["y"])
