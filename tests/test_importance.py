"""Importance by mutual information: the twin, the published values, the corners and the errors."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from quboselect.importance import MutualInformation

SHARED = Path(__file__).resolve().parents[2] / "shared"
needs_shared = pytest.mark.skipif(
    not SHARED.exists(), reason="the published files are not beside the checkout"
)


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_samples = draw(st.integers(1, 60))
    X = rng.integers(0, [1, 2, 5, 1000], (n_samples, 4)) * draw(st.sampled_from([1, 0.1]))
    return X, rng.integers(0, draw(st.integers(1, 5)), n_samples), draw(st.integers(2, 30))


@settings(max_examples=60, deadline=None)
@given(problems())
def test_importance_agrees_with_its_twin_and_is_never_negative(problem):
    X, y, bins = problem
    got = MutualInformation(bins=bins, n_jobs=1)(X, y)
    values, _ = oracles.quantile_codes(X, bins)
    np.testing.assert_allclose(got, [oracles.mutual_information(v, y) for v in values], rtol=0, atol=1e-12)
    assert (got >= 0).all()
    assert got[0] == 0.0


@needs_shared
def test_importance_of_synth_10_is_the_published_one():
    data = np.load(SHARED / "reference" / "synth_10.npz")
    got = MutualInformation()(data["data"], data["labels"])
    np.testing.assert_allclose(got, data["lmi"], rtol=0, atol=1e-12)


@needs_shared
def test_importance_of_waveform_is_the_diagonal_of_the_published_matrix():
    data = np.load(SHARED / "data" / "waveform.npz")
    published = np.load(SHARED / "reference" / "qubo_waveform.npy")
    got = MutualInformation()(data["X"], data["y"])
    np.testing.assert_allclose(-0.78125 * got, np.diagonal(published), rtol=0, atol=1e-12)


def test_a_constant_feature_and_a_constant_label_have_importance_zero():
    X = np.random.default_rng(0).normal(size=(77, 3))
    X[:, 1] = 0.1
    y = np.arange(77) % 3
    assert MutualInformation()(X, y)[1] == 0.0
    assert MutualInformation()(X, np.full(77, "same")).tolist() == [0.0, 0.0, 0.0]


def test_codes_made_once_give_the_same_importance():
    X = np.random.default_rng(1).normal(size=(100, 5))
    y = X[:, 0] > 0
    measure = MutualInformation(bins=8)
    np.testing.assert_array_equal(measure(measure.codes(X), y), measure(X, y))


def test_importance_does_not_depend_on_threads_or_on_the_kind_of_label():
    X = np.random.default_rng(2).normal(size=(300, 150))
    y = np.where(X[:, 0] > 0, "yes", "no")
    expected = MutualInformation(n_jobs=1)(X, y)
    for n_jobs in (2, 3, None):
        np.testing.assert_array_equal(MutualInformation(n_jobs=n_jobs)(X, y == "yes"), expected)


def test_a_label_that_is_the_feature_gives_its_entropy():
    x = np.arange(64) % 8
    assert MutualInformation()(x[:, None], x).tolist() == [3.0]


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[1.0], [2.0], [3.0]], [0, 1], "X and y must have the same number of samples, got 3 and 2"),
        ([[1.0], [np.nan]], [0, 1], "X must be finite, but feature 0 is nan at sample 1"),
        ([1.0, 2.0], [0, 1], "X must be two-dimensional"),
        (np.zeros((0, 2)), [], "X must have at least one sample and one feature"),
        ([[1.0], [2.0]], [[0], [1]], "y must be a non-empty one-dimensional array"),
    ],
)
def test_wrong_data_are_refused(X, y, words):
    with pytest.raises(ValueError, match=words):
        MutualInformation()(X, y)


def test_fewer_than_two_bins_are_refused():
    with pytest.raises(ValueError, match="bins must be an integer from 2 to 65536, got 1"):
        MutualInformation(bins=1)([[1.0], [2.0]], [0, 1])
