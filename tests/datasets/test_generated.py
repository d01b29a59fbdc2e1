"""The generators: valid, reproducible, and of the right distribution."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from quboselect.datasets import make_synth, make_waveform
from quboselect.datasets.generated import random_correlation


def correlations(d, eta, number):
    rng = np.random.default_rng(20)
    factors = np.array([random_correlation(d, eta=eta, rng=rng) for _ in range(number)])
    return factors @ factors.transpose(0, 2, 1)


@given(d=st.integers(1, 30), eta=st.floats(0.5, 10), seed=st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_a_random_correlation_matrix_is_valid(d, eta, seed):
    L = random_correlation(d, eta=eta, rng=np.random.default_rng(seed))
    C = L @ L.T
    assert np.allclose(np.diag(C), 1)
    assert np.array_equal(L, np.tril(L))
    assert np.abs(C).max() <= 1 + 1e-12
    assert np.linalg.eigvalsh(C).min() > -1e-12


@pytest.mark.parametrize(("d", "eta"), [(2, 1.0), (4, 1.0), (6, 1.0), (4, 3.0), (5, 0.5)])
def test_every_entry_is_a_beta_variable_on_minus_one_to_one(d, eta):
    C, b = correlations(d, eta, 4000), eta - 1 + d / 2
    for i, j in zip(*np.triu_indices(d, 1), strict=True):
        entry = C[:, i, j]
        assert abs(entry.mean()) < 4 * np.sqrt(1 / (2 * b + 1) / 4000)
        assert entry.var() == pytest.approx(1 / (2 * b + 1), rel=0.1)
        assert (entry**4).mean() == pytest.approx(3 / ((2 * b + 1) * (2 * b + 3)), rel=0.25)
        assert stats.kstest((entry + 1) / 2, stats.beta(b, b).cdf).pvalue > 1e-4


def test_for_three_features_and_eta_one_the_matrices_are_uniform():
    # uniform over the solid det(C) > 0 in the cube, which fills pi^2 / 16 of it: compare with rejection
    C = correlations(3, 1.0, 4000)
    cube = np.random.default_rng(3).uniform(-1, 1, (20_000, 3))
    a, b, c = cube.T
    inside = 1 + 2 * a * b * c - a**2 - b**2 - c**2
    assert (inside > 0).mean() == pytest.approx(np.pi**2 / 16, abs=0.01)
    assert stats.ks_2samp(np.linalg.det(C), inside[inside > 0]).pvalue > 1e-3


@pytest.mark.parametrize(("d", "eta"), [(4, 1.0), (6, 2.0)])
def test_the_mean_determinant_is_that_of_the_density(d, eta):
    # det(C) is the product over k of 1 - y_k, independent Beta variables
    expected = np.prod([(eta + (d - 1 - k) / 2) / (eta + (d - 1) / 2) for k in range(1, d)])
    assert np.linalg.det(correlations(d, eta, 4000)).mean() == pytest.approx(expected, rel=0.07)


def test_synth_has_the_shape_of_the_paper_by_default():
    data = make_synth()
    assert data.name == "synth_10"
    assert data.X.shape == (10_000, 10)
    assert data.informative.shape == (4,)
    assert np.bincount(data.y).tolist() == [5000, 5000]
    assert not data.X.flags.writeable


@given(st.data(), st.integers(1, 12), st.integers(2, 41), st.integers(0, 999))
@settings(max_examples=50, deadline=None)
def test_the_classes_of_synth_are_split_exactly_in_half(draw, n, samples, seed):
    informative = draw.draw(st.integers(1, n))
    data = make_synth(n, informative, samples, seed=seed)
    assert np.bincount(data.y, minlength=2).tolist() == [samples // 2, samples - samples // 2]
    assert data.informative.size == informative
    assert np.array_equal(np.unique(data.informative), data.informative)
    assert data.informative.max() < n


def test_the_labels_of_synth_are_a_linear_split_of_the_informative_features():
    data = make_synth(samples=2000, seed=5)
    X = data.X[:, data.informative]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    direction = np.linalg.lstsq(X, data.y - 0.5, rcond=None)[0]
    assert ((X @ direction > 0) == data.y).mean() > 0.98


def test_the_other_features_of_synth_know_nothing_of_the_labels_nor_of_the_informative_ones():
    data = make_synth(samples=10_000, seed=1)
    rest = np.setdiff1d(np.arange(10), data.informative)
    r = np.corrcoef(np.column_stack([data.X, data.y]), rowvar=False)
    assert np.abs(r[rest][:, [*data.informative, 10]]).max() < 0.05
    assert np.abs(r[rest][:, rest] - np.eye(6)).max() > 0.3


def test_the_means_and_deviations_of_synth_follow_the_recipe():
    X = make_synth(1000, 500, 400, seed=2).X
    mu, log_sigma = X.mean(axis=0), np.log(X.std(axis=0))
    assert mu.std() == pytest.approx(10, rel=0.1)
    assert log_sigma.mean() == pytest.approx(0, abs=0.15)
    assert log_sigma.std() == pytest.approx(1, rel=0.1)


def test_every_feature_of_synth_can_be_informative_equally_often():
    drawn = np.concatenate([make_synth(samples=2, seed=seed).informative for seed in range(500)])
    assert stats.chisquare(np.bincount(drawn, minlength=10)).pvalue > 1e-3


@pytest.mark.parametrize("make", [make_synth, make_waveform])
def test_the_same_seed_gives_the_same_data_and_another_seed_does_not(make):
    first, again, other = make(samples=50, seed=1), make(samples=50, seed=1), make(samples=50, seed=2)
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X)


@pytest.mark.parametrize("make", [make_synth, make_waveform])
def test_generated_data_come_as_a_pair_on_request(make):
    X, y = make(samples=20, return_X_y=True)
    assert np.array_equal(X, make(samples=20).X)
    assert np.array_equal(y, make(samples=20).y)


def test_waveform_has_the_shape_of_the_paper_by_default():
    data = make_waveform()
    assert data.X.shape == (5000, 21)
    assert stats.chisquare(np.bincount(data.y)).pvalue > 1e-3
    assert not data.X.flags.writeable


def test_the_mean_of_a_waveform_class_is_halfway_between_its_two_triangles():
    data = make_waveform(60_000)
    triangle = {peak: np.maximum(6 - np.abs(np.arange(21) - peak), 0) for peak in (6, 10, 14)}
    for label, (one, two) in enumerate([(6, 14), (6, 10), (10, 14)]):
        mean = data.X[data.y == label].mean(axis=0)
        assert np.allclose(mean, (triangle[one] + triangle[two]) / 2, atol=0.07)


def test_a_waveform_class_varies_as_its_two_triangles_do_plus_unit_noise():
    data = make_waveform(60_000)
    # along (one - two) the mixing adds Var(u) = 1/12; the noise adds the identity
    step = np.maximum(6 - np.abs(np.arange(21) - 6), 0) - np.maximum(6 - np.abs(np.arange(21) - 10), 0)
    covariance = np.cov(data.X[data.y == 1], rowvar=False)
    assert np.allclose(covariance, np.outer(step, step) / 12 + np.eye(21), atol=0.08)


def test_the_first_and_last_feature_of_waveform_are_noise():
    data = make_waveform(20_000)
    assert data.informative.tolist() == list(range(1, 20))
    for feature in (0, 20):
        assert stats.kstest(data.X[:, feature], "norm").pvalue > 1e-3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: make_synth(0), r"n must be an integer of at least 1, got 0\."),
        (
            lambda: make_synth(5, 6),
            r"informative must be an integer from 1 to 5 \(the table has 5 features\), got 6\.",
        ),
        (lambda: make_synth(5, 0), r"informative must be an integer from 1 to 5"),
        (lambda: make_synth(samples=1), r"samples must be an integer of at least 2, got 1\."),
        (lambda: make_waveform(0), r"samples must be an integer of at least 1, got 0\."),
    ],
)
def test_impossible_sizes_are_refused_in_words(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_size_that_is_not_an_integer_is_refused():
    with pytest.raises(TypeError, match="'float' object cannot be interpreted as an integer"):
        make_waveform(10.5)
