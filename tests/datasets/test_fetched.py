"""The large data sets themselves, from the reference files and as OpenML would send them."""

import numpy as np
import pytest

from authors import DATA
from quboselect.datasets import fetch_madelon, fetch_mnist, fetch_waveform, make_waveform, sources

FOLDER = DATA

pytestmark = pytest.mark.skipif(
    not all((FOLDER / f"{name}.npz").is_file() for name in ("mnist", "madelon", "waveform")),
    reason="the reference files do not lie beside this checkout",
)


@pytest.fixture
def stored(monkeypatch):
    monkeypatch.setenv("QUBOSELECT_DATA", str(FOLDER))


@pytest.fixture
def sent(tmp_path, monkeypatch):
    """Make OpenML answer with given arrays, and leave no local file to be found."""
    monkeypatch.delenv("QUBOSELECT_DATA", raising=False)
    monkeypatch.setattr(sources, "__file__", str(tmp_path / "site-packages/quboselect/datasets/sources.py"))

    def answer(X, y, *, number):
        def fetch_openml(*, data_id, **arguments):
            assert data_id == number
            return X, np.array([str(label) for label in y], dtype=object)

        monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)

    return answer


def reference(name):
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as arrays:
        return dict(arrays)


@pytest.mark.parametrize(
    ("fetch", "shape", "dtype", "classes"),
    [
        (fetch_mnist, (70_000, 784), np.uint8, list(range(10))),
        (fetch_madelon, (2000, 500), np.float64, [-1, 1]),
        (fetch_waveform, (5000, 21), np.float64, [0, 1, 2]),
    ],
)
def test_the_stored_files_arrive_verified_and_read_only(stored, fetch, shape, dtype, classes):
    data = fetch()
    assert data.X.shape == shape
    assert (data.X.dtype, data.y.dtype) == (dtype, np.int64)
    assert np.unique(data.y).tolist() == classes
    assert not data.X.flags.writeable
    assert not data.y.flags.writeable
    assert data.citation


@pytest.mark.parametrize("fetch", [fetch_madelon, fetch_waveform])
def test_fetched_data_come_as_a_pair_on_request(stored, fetch):
    X, y = fetch(return_X_y=True)
    assert np.array_equal(X, fetch().X)
    assert np.array_equal(y, fetch().y)


def test_madelon_names_its_twenty_informative_features(stored):
    data = fetch_madelon()
    assert np.array_equal(data.informative, reference("madelon")["ground_truth"])


def test_mnist_from_openml_becomes_small_integers(sent):
    # int16 stands for OpenML's int64: the same values in a quarter of the memory
    local = reference("mnist")
    sent(local["X"].astype(np.int16), local["y"], number=554)
    data = fetch_mnist()
    assert data.X.dtype == np.uint8
    assert np.array_equal(data.X, local["X"])
    assert np.array_equal(data.y, local["y"])


@pytest.mark.parametrize("names", [{-1: 1, 1: 2}, {-1: -1, 1: 1}])
def test_madelon_from_openml_is_cut_to_the_training_set_with_its_own_labels(sent, names):
    local = reference("madelon")
    y = [names[label] for label in np.concatenate([local["y"], local["y_valid"]]).tolist()]
    sent(np.concatenate([local["X"], local["X_valid"]]).astype(np.int64), y, number=1485)
    data = fetch_madelon()
    assert np.array_equal(data.X, local["X"])
    assert np.array_equal(data.y, local["y"])


def test_waveform_from_openml_is_cut_to_21_features_and_rounded_to_two_decimals(sent):
    local = reference("waveform")
    badly_parsed = np.nextafter(np.column_stack([local["X"], local["X_noise"]]), np.inf)
    sent(badly_parsed, local["y"], number=60)
    data = fetch_waveform()
    assert np.array_equal(data.X, local["X"])
    assert np.array_equal(data.y, local["y"])


def test_waveform_is_drawn_from_the_distribution_of_the_generator(stored):
    real, made = fetch_waveform(), make_waveform(50_000)
    assert np.array_equal(real.informative, made.informative)
    for label in range(3):
        difference = real.X[real.y == label].mean(axis=0) - made.X[made.y == label].mean(axis=0)
        assert np.abs(difference).max() < 0.2
