import constants
import data
import numpy as np
import pytest

from quboselect.errors import DatasetUnavailable

TABLE = constants.section("datasets")


def loaded(name):
    try:
        return data.DATASETS[name]()
    except DatasetUnavailable as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("name", TABLE)
def test_every_data_set_has_the_size_of_the_papers_table(name):
    whole = loaded(name)
    assert whole.X.shape == (TABLE[name]["samples"], TABLE[name]["features"])
    assert np.unique(whole.y).size == TABLE[name]["classes"]
    if "informative" in TABLE[name]:
        assert whole.informative.size == TABLE[name]["informative"]


def test_other_random_numbers_are_refused(monkeypatch):
    monkeypatch.setitem(data.SYNTH_LABELS, 10, "0" * 64)
    with pytest.raises(
        ValueError, match="labels of synth_10 should have a SHA-256 that begins with 000000000000"
    ):
        data.synth_10.__wrapped__()


def test_pixels_are_divided_by_255_and_all_else_is_left():
    assert data.scaled(np.array([[0, 51, 255]], np.uint8)).tolist() == [[0.0, 0.2, 1.0]]
    assert data.scaled(np.array([[-3.5, 300.0]])).tolist() == [[-3.5, 300.0]]


def test_a_quick_table_keeps_the_informative_features():
    whole = loaded("madelon")
    few = data.quick(whole)
    assert few.X.shape[1] <= 100
    assert np.array_equal(few.X[:, few.informative], whole.X[: len(few.y), whole.informative])


def test_the_levels_of_mnist_are_four():
    whole = loaded("mnist")
    coded = data.levels("mnist").X
    for low, high, level in ((0, 1, 0), (2, 127, 1), (128, 249, 2), (250, 255, 3)):
        assert (coded[np.isin(whole.X, np.arange(low, high + 1))] == level).all()


def test_tables_that_are_not_known_are_none():
    assert data.levels("ionosphere") is None
    assert data.levels("synth_100") is None
