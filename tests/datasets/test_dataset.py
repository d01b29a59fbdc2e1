"""The shape in which data sets arrive."""

import numpy as np
import pytest

from quboselect.datasets import Dataset

TABLE = np.arange(6.0).reshape(3, 2)


def test_the_arrays_are_read_only_and_the_caller_s_own_stay_writable():
    X, y, informative = TABLE.copy(), np.array([0, 1, 1]), np.array([1])
    data = Dataset("small", X, y, ("a", "b"), informative)
    for array in (data.X, data.y, data.informative):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    X[0] = y[0] = informative[0] = 0


def test_the_fields_cannot_be_reassigned():
    data = Dataset("small", TABLE, [0, 1, 1], ("a", "b"))
    with pytest.raises(AttributeError, match="cannot assign to field 'y'"):
        data.y = np.zeros(3)


def test_the_repr_is_one_short_line_without_arrays():
    data = Dataset("small", TABLE, [0, 1, 1], ("a", "b"), [1])
    assert repr(data) == "Dataset('small', 3 samples x 2 features (1 informative), 2 classes)"


def test_lists_become_arrays_and_tuples():
    data = Dataset("small", [[1, 2]], [0], ["a", "b"])
    assert data.X.shape == (1, 2)
    assert data.y.dtype == np.int64
    assert data.feature_names == ("a", "b")


@pytest.mark.parametrize(
    ("X", "y", "names", "words"),
    [
        ([1, 2], [0, 1], ("a",), r"X must be a table \(samples, features\), got an array of shape \(2,\)\."),
        (TABLE, [0, 1], ("a", "b"), r"y must hold one label for each of the 3 samples, got shape \(2,\)\."),
        (TABLE, [0, 1, 1], ("a",), r"feature_names must hold a name for each of the 2 features, got 1\."),
    ],
)
def test_shapes_that_do_not_fit_are_refused_in_words(X, y, names, words):
    with pytest.raises(ValueError, match=words):
        Dataset("small", X, y, names)
