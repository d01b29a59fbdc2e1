"""Redundancy by mutual information: the twin, the published values, the corners and the errors."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from quboselect.redundancy import MutualInformation

SHARED = Path(__file__).resolve().parents[2] / "shared"
needs_shared = pytest.mark.skipif(
    not SHARED.exists(), reason="the published files are not beside the checkout"
)


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(0, [1, 2, 3, 30, 1000], (draw(st.integers(1, 60)), 5)) * draw(st.sampled_from([1, 0.1]))
    return X, draw(st.integers(2, 50))


@settings(max_examples=60, deadline=None)
@given(problems())
def test_redundancy_agrees_with_its_twin(problem):
    X, bins = problem
    values, _ = oracles.quantile_codes(X, bins)
    expected = np.array([[oracles.mutual_information(a, b) for b in values] for a in values])
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(MutualInformation(bins=bins, n_jobs=1)(X), expected, rtol=0, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(problems())
def test_redundancy_is_symmetric_and_not_negative_with_a_zero_diagonal(problem):
    X, bins = problem
    R = MutualInformation(bins=bins, n_jobs=1)(X)
    np.testing.assert_array_equal(R, R.T)
    assert (R >= 0).all()
    assert not np.diagonal(R).any()
    assert not R[0].any()


@needs_shared
def test_redundancy_of_synth_10_is_the_published_one():
    data = np.load(SHARED / "reference" / "synth_10.npz")
    published = data["mutinf"].copy()
    np.fill_diagonal(published, 0.0)
    np.testing.assert_allclose(MutualInformation()(data["data"]), published, rtol=0, atol=1e-12)


@needs_shared
def test_redundancy_of_waveform_is_the_upper_triangle_of_the_published_matrix():
    X = np.load(SHARED / "data" / "waveform.npz")["X"]
    published = np.triu(np.load(SHARED / "reference" / "qubo_waveform.npy"), 1)
    got = np.triu(MutualInformation()(X), 1)
    np.testing.assert_allclose((1 - 0.78125) * got, published, rtol=0, atol=1e-12)


def test_rows_of_constant_features_are_exactly_zero():
    X = np.random.default_rng(0).normal(size=(77, 4))
    X[:, 2] = -0.3
    R = MutualInformation()(X)
    assert not R[2].any()
    assert not R[:, 2].any()


def test_a_copied_feature_is_as_redundant_as_it_has_entropy():
    x = np.arange(64) % 8
    R = MutualInformation()(np.column_stack([x, x, x // 4]))
    assert R[0, 1] == 3.0
    assert R[0, 2] == pytest.approx(1.0, abs=1e-14)


def test_codes_made_once_give_the_same_redundancy():
    X = np.random.default_rng(1).normal(size=(100, 5))
    measure = MutualInformation(bins=8)
    np.testing.assert_array_equal(measure(measure.codes(X)), measure(X))


@pytest.mark.parametrize("bins", [20, 60])
def test_redundancy_does_not_depend_on_threads(bins):
    X = np.random.default_rng(2).normal(size=(300, 100))
    expected = MutualInformation(bins=bins, n_jobs=1)(X)
    for n_jobs in (2, 3, None):
        np.testing.assert_array_equal(MutualInformation(bins=bins, n_jobs=n_jobs)(X), expected)


def test_a_table_of_one_feature_has_no_redundancy():
    assert MutualInformation()([[1.0], [2.0]]).tolist() == [[0.0]]


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([[1.0, np.inf]], "X must be finite, but feature 1 is inf at sample 0"),
        ([1.0, 2.0], "X must be two-dimensional"),
        (np.zeros((3, 0)), "X must have at least one sample and one feature"),
    ],
)
def test_wrong_data_are_refused(X, words):
    with pytest.raises(ValueError, match=words):
        MutualInformation()(X)


def test_fewer_than_two_bins_are_refused():
    with pytest.raises(ValueError, match="bins must be an integer from 2 to 65536, got 1"):
        MutualInformation(bins=1)([[1.0], [2.0]])
