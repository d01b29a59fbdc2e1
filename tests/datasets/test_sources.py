"""Where the large data sets are looked for, and what is said when they are not there."""

from http.client import IncompleteRead
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest

from quboselect.datasets import fetch_madelon, fetch_mnist, fetch_waveform, sources
from quboselect.datasets.dataset import Checksum, sha256
from quboselect.datasets.sources import Source, folders
from quboselect.errors import DatasetUnavailable

X, Y = np.arange(6.0).reshape(3, 2), np.array([0, 1, 1])
SMALL = Source("small", 7, Checksum("float64", sha256(X, "float64"), sha256(Y, "int64")))


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder named by QUBOSELECT_DATA, with no checkout around the package."""
    monkeypatch.setenv("QUBOSELECT_DATA", str(tmp_path))
    monkeypatch.setattr(sources, "__file__", str(tmp_path / "site-packages/quboselect/datasets/sources.py"))
    return tmp_path


@pytest.fixture
def offline(monkeypatch):
    def unreachable(**arguments):
        raise URLError("no route to host")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", unreachable)


def answering(monkeypatch, X, y):
    asked = []

    def fetch_openml(**arguments):
        asked.append(arguments)
        return X, y

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    return asked


def test_a_file_in_the_named_folder_is_used_before_openml(here, offline):
    np.savez(here / "small.npz", X=X, y=Y)
    found = SMALL.arrays()
    assert np.array_equal(found[0], X)
    assert np.array_equal(found[1], Y)


def test_the_named_folder_comes_before_the_one_beside_the_checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "__file__", str(tmp_path / "checkout/src/quboselect/datasets/sources.py"))
    beside = tmp_path.resolve() / "shared" / "data"
    monkeypatch.setenv("QUBOSELECT_DATA", str(tmp_path / "mine"))
    assert folders() == [tmp_path / "mine", beside]
    monkeypatch.delenv("QUBOSELECT_DATA")
    assert folders() == [beside]


def test_a_file_beside_the_checkout_is_found(tmp_path, monkeypatch, offline):
    monkeypatch.delenv("QUBOSELECT_DATA", raising=False)
    monkeypatch.setattr(sources, "__file__", str(tmp_path / "checkout/src/quboselect/datasets/sources.py"))
    (tmp_path / "shared" / "data").mkdir(parents=True)
    np.savez(tmp_path / "shared" / "data" / "small.npz", X=X, y=Y)
    assert np.array_equal(SMALL.arrays()[0], X)


def test_an_installed_package_looks_only_into_the_named_folder(here, monkeypatch):
    assert folders() == [here]
    monkeypatch.setenv("QUBOSELECT_DATA", "~/data")
    assert folders() == [Path.home() / "data"]
    monkeypatch.setenv("QUBOSELECT_DATA", "")
    assert folders() == []


@pytest.mark.parametrize(
    ("fetch", "name", "dtype"),
    [
        (fetch_mnist, "mnist", "uint8"),
        (fetch_madelon, "madelon", "float64"),
        (fetch_waveform, "waveform", "float64"),
    ],
)
def test_a_local_file_with_other_data_is_refused_in_words(here, offline, fetch, name, dtype):
    np.savez(here / f"{name}.npz", X=X, y=Y)
    words = (
        rf"X from .*{name}\.npz is not the expected data: the SHA-256 of its {dtype} bytes should begin with"
    )
    with pytest.raises(ValueError, match=words):
        fetch()


def test_a_local_file_with_other_labels_is_refused_in_words(here, offline):
    np.savez(here / "small.npz", X=X, y=1 - Y)
    with pytest.raises(ValueError, match=r"y from .*small\.npz is not the expected data"):
        SMALL.arrays()


def test_a_local_file_of_another_format_is_refused_in_words(here):
    wanted = r"small\.npz should be a NumPy \.npz file with the arrays X and y; it "
    path = here / "small.npz"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=wanted + "cannot be read"):
        SMALL.arrays()
    path.write_bytes(b"PK\x03\x04 torn")
    with pytest.raises(ValueError, match=wanted + "cannot be read"):
        SMALL.arrays()
    np.savez(path, X=np.array([None]), y=Y)
    with pytest.raises(ValueError, match=wanted + "cannot be read: Object arrays"):
        SMALL.arrays()
    with path.open("wb") as file:
        np.save(file, X)
    with pytest.raises(ValueError, match=wanted + "holds a single array"):
        SMALL.arrays()
    np.savez(path, data=X, y=Y)
    with pytest.raises(ValueError, match=wanted + "holds data, y"):
        SMALL.arrays()


@pytest.mark.parametrize(
    ("fetch", "name", "number"),
    [(fetch_mnist, "mnist", 554), (fetch_madelon, "madelon", 1485), (fetch_waveform, "waveform", 60)],
)
def test_offline_the_error_says_what_was_sought_where_and_what_to_do(here, offline, fetch, name, number):
    with pytest.raises(DatasetUnavailable) as caught:
        fetch()
    assert str(caught.value) == (
        f"{name}.npz was looked for in {here} and not found, and data set {number} could not be fetched from "
        "OpenML: <urlopen error no route to host>. "
        f"Set QUBOSELECT_DATA to a folder that holds {name}.npz, or connect to the network."
    )


def test_offline_the_error_says_when_no_folder_was_named(here, offline, monkeypatch):
    monkeypatch.delenv("QUBOSELECT_DATA")
    with pytest.raises(
        DatasetUnavailable, match=r"in no folder \(QUBOSELECT_DATA is not set\) and not found"
    ):
        fetch_mnist()


@pytest.mark.parametrize("failure", [TimeoutError("slow"), IncompleteRead(b""), ValueError("md5 differs")])
def test_a_download_that_breaks_is_unavailable_too(here, monkeypatch, failure):
    def broken(**arguments):
        raise failure

    monkeypatch.setattr("sklearn.datasets.fetch_openml", broken)
    with pytest.raises(DatasetUnavailable, match="could not be fetched from OpenML"):
        SMALL.arrays()


def test_openml_is_asked_by_number_for_plain_arrays(here, monkeypatch):
    asked = answering(monkeypatch, X, np.array(["0", "1", "1"], dtype=object))
    found = SMALL.arrays()
    assert asked == [{"data_id": 7, "as_frame": False, "return_X_y": True, "parser": "pandas"}]
    assert found[1].tolist() == [0, 1, 1]


def test_without_pandas_the_slower_parser_is_used(here, monkeypatch):
    asked = answering(monkeypatch, X, Y)
    monkeypatch.setattr(sources, "find_spec", lambda name: None)
    SMALL.arrays()
    assert asked[0]["parser"] == "liac-arff"


def test_openml_with_other_data_is_refused_in_words(here, monkeypatch):
    answering(monkeypatch, X + 1, Y)
    with pytest.raises(ValueError, match="X from OpenML data set 7 is not the expected data"):
        SMALL.arrays()


def test_madelon_with_another_first_sample_is_refused_in_words(here, monkeypatch):
    answering(monkeypatch, np.zeros((2600, 500)), np.array(["1"] * 2600))
    words = r"first sample starts with \[485, 477, 537, 479, 452\], got \[0\.0, 0\.0"
    with pytest.raises(ValueError, match=words):
        fetch_madelon()
