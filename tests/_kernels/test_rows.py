"""The kernel of rows against a naive twin: joint counts by a dictionary, entropies by their definition."""

from collections import Counter
from math import log2

import numpy as np
import pytest

from quboselect._kernels.counting import short_entropies
from quboselect._kernels.rows import joint_row
from quboselect.counting.bins import Codes
from quboselect.counting.entropies import BitPlanes


def naive(x, y):
    n = len(x)
    return -sum(c / n * log2(c / n) for c in Counter(zip(x.tolist(), y.tolist(), strict=True)).values())


@pytest.mark.parametrize("n_samples", [1, 30, 70, 500])
@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_joint_entropies_are_what_their_definition_says_by_few_samples_and_by_many(n_samples, kind):
    rng = np.random.default_rng(n_samples)
    values = rng.integers(0, 6, (5, n_samples)).astype(kind)
    share = np.arange(1, n_samples + 1) / n_samples
    terms = np.rint(2.0**40 * np.r_[0.0, -share * np.log2(share)]).astype(np.int64)
    others, out = np.array([4, 0, 2]), np.empty(3, np.int64)
    for room in (np.uint16, np.uint32):
        table = np.full(36, 7, room)
        joint_row(values[1], 6, values, others, terms, np.diff(terms), table, out)
        np.testing.assert_allclose(out / 2.0**40, [naive(values[1], values[j]) for j in others], atol=1e-9)


def test_the_order_of_a_pair_makes_no_difference_to_the_last_bit():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 20, (2, 300)).astype(np.uint8)
    terms = rng.integers(0, 2**50, 301)
    terms[0] = 0
    found = []
    for i, j in ((0, 1), (1, 0)):
        out = np.empty(1, np.int64)
        joint_row(values[i], 20, values, np.array([j]), terms, np.diff(terms), np.empty(400, np.uint16), out)
        found.append(int(out[0]))
    assert found[0] == found[1]


@pytest.mark.parametrize("n_samples", [1, 64, 130, 700])
def test_planes_add_up_to_the_same_whole_numbers(n_samples):
    rng = np.random.default_rng(n_samples)
    sizes = rng.integers(1, 10, 600)
    values = (rng.integers(0, 1000, (600, n_samples)) % sizes[:, None]).astype(np.uint8)
    terms = rng.integers(0, 2**50, n_samples + 1)
    terms[0] = 0
    planes = BitPlanes.of(Codes(values, sizes), np.arange(600), 1, skip=0)
    words = np.ascontiguousarray(planes.bits.T)
    others, expected = np.arange(3, 598), np.empty(595, np.int64)
    for i in (0, 5, 599):
        joint_row(values[i], 9, values, others, terms, np.diff(terms), np.empty(81, np.uint16), expected)
        found = short_entropies(words, planes.starts, i, i + 1, 3, 598, terms)
        np.testing.assert_array_equal(found, expected[None])
