"""Entropies of codes: both routes of counting, any number of threads, and the plug-in formula."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from quboselect import counts
from quboselect._kernels import counting
from quboselect.bins import Codes
from quboselect.counts import entropies, joint_entropies, joint_entropies_with, mutual_information


def random_codes(seed, sizes, n_samples):
    rng = np.random.default_rng(seed)
    values = np.stack([(rng.random(n_samples) ** 2 * size).astype(int) for size in sizes])
    return Codes(values, np.array(sizes))


@st.composite
def small_codes(draw):
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 8, 20, 60]), min_size=1, max_size=6))
    return random_codes(draw(st.integers(0, 2**32 - 1)), sizes, draw(st.integers(1, 130)))


@settings(max_examples=60, deadline=None)
@given(small_codes())
def test_entropies_agree_with_their_twins(codes):
    rows = codes.values
    expected = np.array([[oracles.joint_entropy(a, b) for b in rows] for a in rows])
    np.testing.assert_allclose(entropies(codes, n_jobs=1), np.diagonal(expected), rtol=0, atol=1e-12)
    np.testing.assert_allclose(joint_entropies(codes, n_jobs=1), expected, rtol=0, atol=1e-12)
    label = Codes(rows[:1], codes.sizes[:1])
    np.testing.assert_allclose(joint_entropies_with(codes, label, n_jobs=1), expected[0], rtol=0, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(small_codes())
def test_joint_entropies_are_symmetric_with_the_entropies_on_the_diagonal(codes):
    joint = joint_entropies(codes, n_jobs=1)
    np.testing.assert_array_equal(joint, joint.T)
    np.testing.assert_array_equal(np.diagonal(joint), entropies(codes, n_jobs=1))


@pytest.mark.parametrize("narrow", [0, 10, 1000])
def test_the_route_of_counting_does_not_show(monkeypatch, narrow):
    codes = random_codes(4, [2, 5, 20, 3, 60, 1, 11, 12] * 4, 700)
    monkeypatch.setattr(counting, "NARROW", 30)
    expected = joint_entropies(codes)
    monkeypatch.setattr(counting, "NARROW", narrow)
    np.testing.assert_array_equal(joint_entropies(codes), expected)


@pytest.mark.parametrize(("planes", "chunk"), [(1, 8), (5, 8), (64, 16), (10_000, 1024)])
def test_the_size_of_blocks_does_not_show(monkeypatch, planes, chunk):
    codes = random_codes(5, [2, 5, 20, 3] * 4, 3000)
    expected = joint_entropies(codes)
    monkeypatch.setattr(counts, "PLANES", planes)
    monkeypatch.setattr(counts, "CHUNK", chunk)
    np.testing.assert_array_equal(joint_entropies(codes), expected)


@pytest.mark.parametrize("n_jobs", [2, 3, -1, None])
def test_the_number_of_threads_does_not_show(n_jobs):
    codes = random_codes(6, [2, 5, 20, 3, 60, 1, 300] * 20, 500)
    label = Codes(codes.values[2:3], codes.sizes[2:3])
    np.testing.assert_array_equal(joint_entropies(codes, n_jobs=n_jobs), joint_entropies(codes, n_jobs=1))
    np.testing.assert_array_equal(entropies(codes, n_jobs=n_jobs), entropies(codes, n_jobs=1))
    np.testing.assert_array_equal(
        joint_entropies_with(codes, label, n_jobs=n_jobs), joint_entropies_with(codes, label, n_jobs=1)
    )


def test_a_copy_of_a_feature_adds_exactly_nothing():
    once = random_codes(7, [20, 60, 300], 400)
    twice = Codes(np.concatenate([once.values, once.values]), np.concatenate([once.sizes, once.sizes]))
    joint = joint_entropies(twice)
    np.testing.assert_array_equal(np.diagonal(joint, 3), entropies(once))


def test_constant_features_alone_have_no_entropy():
    assert not joint_entropies(Codes(np.zeros((3, 7), int), np.ones(3, int))).any()


def test_codes_that_never_occur_add_nothing():
    codes = Codes(np.array([[3, 3, 3], [0, 5, 5]]), np.array([9, 9]))
    assert entropies(codes)[0] == 0.0
    np.testing.assert_allclose(joint_entropies(codes)[0, 1], entropies(codes)[1], rtol=0, atol=1e-15)


def test_features_and_label_must_have_the_same_samples():
    with pytest.raises(ValueError, match="X and y must have the same number of samples, got 3 and 2"):
        joint_entropies_with(Codes(np.zeros((1, 3), int), [1]), Codes(np.zeros((1, 2), int), [1]))


def test_mutual_information_is_clipped_at_zero_and_zero_for_constants():
    first = np.array([1.0, 0.0, 1.0])
    got = mutual_information(first, np.array([1.0, 1.0, 1.0]), np.array([2.0 + 1e-15, 1.0 - 1e-15, 1.5]))
    assert got.tolist() == [0.0, 0.0, 0.5]
