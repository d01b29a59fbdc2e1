"""The six data sets: their sizes, where they are looked for, and what is said when they are not there or others."""

import hashlib
from http.client import IncompleteRead
from pathlib import Path
from urllib.error import URLError

import constants
import data
import numpy as np
import pytest
from data import Checksum, DatasetUnavailable, Source, sha256

from authors import DATA, needs
from quboselect.datasets import Dataset, make_waveform

SIZES = constants.section("datasets")
X, Y = np.arange(6.0).reshape(3, 2), np.array([0, 1, 1])
SMALL = Source("small", 7, Checksum("float64", sha256(X, "float64"), sha256(Y, "int64")))
FILES = [DATA / f"{name}.npz" for name in ("mnist", "madelon", "waveform")]
needs_files = needs(*FILES)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=needs_files if DATA / f"{name}.npz" in FILES else ()) for name in SIZES]
)
def test_every_data_set_has_the_size_of_the_papers_table(name):
    table = data.DATASETS[name]()
    assert table.X.shape == (SIZES[name]["samples"], SIZES[name]["features"])
    assert np.unique(table.y).size == SIZES[name]["classes"]
    assert not table.X.flags.writeable
    if "informative" in SIZES[name]:
        assert table.informative.size == SIZES[name]["informative"]


def test_other_random_numbers_are_refused(monkeypatch):
    monkeypatch.setitem(data.SYNTH_LABELS, 10, "0" * 64)
    with pytest.raises(ValueError, match=r"synth_10 .* begins with 000000000000"):
        data.synth_10.__wrapped__()


def test_pixels_are_divided_by_255_and_all_else_is_left():
    assert data.scaled(np.array([[0, 51, 255]], np.uint8)).tolist() == [[0.0, 0.2, 1.0]]
    assert data.scaled(np.array([[-3.5, 300.0]])).tolist() == [[-3.5, 300.0]]


def test_a_quick_table_keeps_the_informative_features():
    n, informative = 150, np.array([3, 120, 149])
    table = Dataset("made", np.arange(400.0 * n).reshape(400, n), np.zeros(400), ["x"] * n, informative)
    few = data.quick(table)
    assert few.X.shape == (constants.section("quick")["samples"], 99)
    assert np.array_equal(few.X[:, few.informative], table.X[: len(few.y), informative])


def test_the_levels_of_mnist_are_four(monkeypatch):
    table = Dataset("mnist", np.array([[0, 1, 2, 127, 128, 249, 250, 255]], np.uint8), [3], ["pixel"] * 8)
    monkeypatch.setattr(data, "mnist", lambda: table)
    assert data.levels.__wrapped__("mnist").X.tolist() == [[0, 0, 1, 1, 2, 2, 3, 3]]


def test_tables_that_are_not_known_are_none():
    assert data.levels("ionosphere") is None
    assert data.levels("synth_100") is None


def test_the_checksum_is_that_of_the_contiguous_little_endian_bytes():
    expected = hashlib.sha256(X.astype("<f8").tobytes()).hexdigest()
    for same in (X, np.asfortranarray(X), X.astype(">f8"), X.astype(np.float32), np.where(X == 0, -0.0, X)):
        assert sha256(same, "float64") == expected
    other = X.copy()
    other[1, 1] = np.nextafter(other[1, 1], 9)
    assert sha256(other, "float64") != expected


def test_arrays_with_the_right_checksum_come_back_in_their_dtypes():
    checksum = Checksum("uint8", sha256(X, "uint8"), sha256(Y, "int64"))
    table, labels = checksum.checked(X, np.array(["0", "1", "1"], dtype=object), source="here")
    assert (table.dtype, labels.dtype) == (np.uint8, np.int64)
    for wrong in (X + 1, X * np.nan):
        with pytest.raises(ValueError, match=r"X from here is not the expected data.* uint8"):
            checksum.checked(wrong, Y, source="here")
    with pytest.raises(ValueError, match=r"y from here .* int64 .*\(3,\)"):
        checksum.checked(X, Y + 1, source="here")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder named by QUBOSELECT_DATA, with nothing beside the checkout."""
    monkeypatch.setenv("QUBOSELECT_DATA", str(tmp_path))
    monkeypatch.setattr(constants, "SHARED", tmp_path / "none")
    return tmp_path


@pytest.fixture
def openml(monkeypatch):
    """Return the function that sets what OpenML answers; it gives the list of what OpenML is asked."""

    def answer(X, y):
        asked = []

        def fetch_openml(**arguments):
            asked.append(arguments)
            return X, np.array([str(label) for label in y], dtype=object)

        monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
        return asked

    return answer


def test_the_named_folder_comes_before_the_one_beside_the_checkout(here, monkeypatch):
    monkeypatch.setattr(constants, "SHARED", here / "shared")
    beside = here / "shared" / "data"
    assert data.folders() == [here, beside]
    monkeypatch.setenv("QUBOSELECT_DATA", "~/data")
    assert data.folders() == [Path.home() / "data", beside]
    monkeypatch.setenv("QUBOSELECT_DATA", "")
    assert data.folders() == [beside]


@pytest.mark.parametrize("folder", ["", "none/data"], ids=["named", "beside"])
def test_a_file_in_a_folder_is_used_before_openml(here, folder):
    (here / folder).mkdir(parents=True, exist_ok=True)
    np.savez(here / folder / "small.npz", X=X, y=Y)
    found = SMALL.arrays()
    assert np.array_equal(found[0], X)
    assert np.array_equal(found[1], Y)


def test_a_file_with_other_data_is_refused(here):
    np.savez(here / "small.npz", X=X, y=1 - Y)
    with pytest.raises(ValueError, match=r"y from .*small\.npz is not the expected data"):
        SMALL.arrays()


def test_a_file_of_another_format_is_refused(here):
    expected = r"small\.npz should .* X and y; it "
    path = here / "small.npz"
    for content in (b"a,b\n1,2\n", b"PK\x03\x04 torn"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=expected + "cannot be read"):
            SMALL.arrays()
    np.savez(path, X=np.array([None]), y=Y)
    with pytest.raises(ValueError, match=expected + "cannot be read: Object arrays"):
        SMALL.arrays()
    with path.open("wb") as file:
        np.save(file, X)
    with pytest.raises(ValueError, match=expected + "holds a single array"):
        SMALL.arrays()
    np.savez(path, data=X, y=Y)
    with pytest.raises(ValueError, match=expected + "holds data, y"):
        SMALL.arrays()


@pytest.mark.parametrize("source", [data.MNIST, data.MADELON, data.WAVEFORM], ids=lambda source: source.name)
def test_offline_the_error_names_the_file_the_folders_and_what_to_do(here, source):
    words = rf"{source.name}\.npz is not in {here} or .*{source.data_id}.*not go online.*Set QUBOSELECT_DATA"
    with pytest.raises(DatasetUnavailable, match=words):
        source.arrays()


@pytest.mark.parametrize(
    "failure", [URLError("down"), TimeoutError("slow"), IncompleteRead(b""), ValueError("md5 differs")]
)
def test_a_download_that_breaks_is_unavailable_too(here, monkeypatch, failure):
    def broken(**_):
        raise failure

    monkeypatch.setattr("sklearn.datasets.fetch_openml", broken)
    with pytest.raises(DatasetUnavailable, match="could not be fetched from OpenML"):
        SMALL.arrays()


def test_openml_is_asked_by_number_for_plain_arrays(here, openml, monkeypatch):
    asked = openml(X, Y)
    assert SMALL.arrays()[1].tolist() == [0, 1, 1]
    monkeypatch.setattr(data, "find_spec", lambda name: None)
    SMALL.arrays()
    for parser, arguments in zip(("pandas", "liac-arff"), asked, strict=True):
        assert arguments == {"data_id": 7, "as_frame": False, "return_X_y": True, "parser": parser}


def test_other_data_from_openml_are_refused(here, openml):
    openml(X + 1, Y)
    with pytest.raises(ValueError, match="X from OpenML data set 7 is not the expected data"):
        SMALL.arrays()
    openml(np.zeros((2600, 500)), [1] * 2600)
    with pytest.raises(ValueError, match=r"starts with \[485, 477, 537, 479, 452\], got \[0\.0, 0\.0"):
        data.MADELON.arrays()


def reference(name):
    with np.load(DATA / f"{name}.npz", allow_pickle=False) as arrays:
        return dict(arrays)


@needs_files
def test_mnist_from_openml_becomes_small_integers(here, openml):
    # int16 stands for OpenML's int64: the same values in a quarter of the memory
    local = reference("mnist")
    asked = openml(local["X"].astype(np.int16), local["y"])
    table, labels = data.MNIST.arrays()
    assert asked[0]["data_id"] == 554
    assert table.dtype == np.uint8
    assert np.array_equal(table, local["X"])
    assert np.array_equal(labels, local["y"])


@needs_files
@pytest.mark.parametrize("names", [{-1: 1, 1: 2}, {-1: -1, 1: 1}])
def test_madelon_from_openml_is_cut_to_the_training_set_with_its_own_labels(here, openml, names):
    local = reference("madelon")
    y = [names[label] for label in np.concatenate([local["y"], local["y_valid"]]).tolist()]
    asked = openml(np.concatenate([local["X"], local["X_valid"]]).astype(np.int64), y)
    table, labels = data.MADELON.arrays()
    assert asked[0]["data_id"] == 1485
    assert np.array_equal(table, local["X"])
    assert np.array_equal(labels, local["y"])
    assert np.array_equal(data.MADELON_INFORMATIVE, local["ground_truth"])


@needs_files
def test_waveform_from_openml_is_cut_to_21_features_and_rounded_to_two_decimals(here, openml):
    local = reference("waveform")
    badly_parsed = np.nextafter(np.column_stack([local["X"], local["X_noise"]]), np.inf)
    asked = openml(badly_parsed, local["y"])
    table, labels = data.WAVEFORM.arrays()
    assert asked[0]["data_id"] == 60
    assert np.array_equal(table, local["X"])
    assert np.array_equal(labels, local["y"])


@needs_files
def test_waveform_is_drawn_from_the_distribution_of_the_generator():
    real, made = data.waveform(), make_waveform(50_000)
    assert np.array_equal(real.informative, made.informative)
    for label in range(3):
        difference = real.X[real.y == label].mean(axis=0) - made.X[made.y == label].mean(axis=0)
        assert np.abs(difference).max() < 0.2
