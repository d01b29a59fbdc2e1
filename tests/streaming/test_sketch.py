"""Sketches: every rank within the stated bound, in any order of the numbers, and the same sketch a second time."""

import pickle
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quboselect import SelectQUBO
from quboselect.streaming.sketch import RankBounds, Sketch

N, WIDTH = 30_000, 300


def orders():
    """Numbers in orders that are hard for those who have to forget some of them."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    ascending = np.sort(x)
    zigzag = np.empty(N)  # every batch falls between the numbers of all batches before
    zigzag[::2], zigzag[1::2] = ascending[: N // 2], ascending[::-1][: N // 2]
    heavy = np.where(rng.random(N) < 0.3, 0.0, np.where(rng.random(N) < 0.5, np.round(x, 1), x))
    spread = np.exp(30 * x)
    return {
        "random": x,
        "ascending": ascending,
        "descending": ascending[::-1],
        "zigzag": zigzag,
        "inside out": zigzag[::-1],
        "heavy": heavy,
        "spread": spread,
    }


def sketch_of(x, counts=None, width=WIDTH):
    values, place = np.unique(x, return_inverse=True)
    sums = np.bincount(place, counts).astype(np.int64)
    return Sketch.of(values, sums, width)


def worst_error(sketch, x, counts=None):
    """The largest error of the ranks of all numbers, up to each and below each, as a share."""
    counts = np.ones(x.size, np.int64) if counts is None else counts
    order = np.argsort(x)
    reach = np.append(0, np.cumsum(counts[order]))
    values, weights = sketch.weights()
    assert (weights >= 0).all()
    assert weights.sum() == reach[-1]
    stated = np.append(0, np.cumsum(weights))
    off = [
        stated[np.searchsorted(values, x, side=side)] - reach[np.searchsorted(x[order], x, side=side)]
        for side in ("left", "right")
    ]
    return np.abs(off).max() / reach[-1]


@pytest.mark.parametrize("size", [100, 1000, 9000])
@pytest.mark.parametrize("name", orders())
def test_no_rank_is_further_off_than_the_bound(name, size):
    x = orders()[name]
    sketch = reduce(add, [sketch_of(x[a : a + size]) for a in range(0, N, size)])
    assert 0 < sketch.rank_error < 0.01
    assert worst_error(sketch, x) <= sketch.rank_error


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_bound_holds_for_any_tree_of_unequal_sums_and_any_weights(seed):
    rng = np.random.default_rng(seed)
    x = orders()[rng.choice(list(orders()))][: rng.integers(500, 9000)]
    counts = rng.integers(1, 2 ** rng.integers(1, 45), x.size)
    ends = np.unique(rng.integers(1, x.size, rng.integers(1, 40)))
    parts = [
        sketch_of(a, b, 100) for a, b in zip(np.split(x, ends), np.split(counts, ends), strict=True) if a.size
    ]
    while len(parts) > 1:
        a, b = (parts.pop(rng.integers(len(parts))) for _ in range(2))
        parts.append(a + b)
    assert worst_error(parts[0], x, counts) <= parts[0].rank_error
    assert len({part.total.bit_length() for part in parts[0].parts}) == len(parts[0].parts)
    assert all(part.values.size <= 100 for part in parts[0].parts)


def test_a_sum_does_not_depend_on_which_comes_first_and_is_the_same_again():
    x = orders()["random"]
    first, second = sketch_of(x[:9000]) + sketch_of(x[9000:10_000]), sketch_of(x[10_000:])
    sums = [first + second, second + first, pickle.loads(pickle.dumps(first)) + second]
    for a, b in ((sums[0], sums[1]), (sums[0], sums[2])):
        np.testing.assert_array_equal(a.weights(), b.weights())


def test_ranks_that_are_not_thinned_out_are_exact_whatever_the_grouping():
    rng = np.random.default_rng(1)
    pieces = [RankBounds.of(*np.unique(rng.integers(0, 50, 40), return_counts=True)) for _ in range(5)]
    whole = np.unique(
        np.repeat(
            np.concatenate([p.values for p in pieces]),
            np.concatenate([np.diff(p.least, prepend=0) for p in pieces]),
        ),
        return_counts=True,
    )
    for total in (reduce(add, pieces), pieces[0] + (pieces[4] + pieces[2]) + (pieces[1] + pieces[3])):
        np.testing.assert_array_equal(total.values, whole[0])
        np.testing.assert_array_equal(total.least, np.cumsum(whole[1]))
        np.testing.assert_array_equal(total.most, np.cumsum(whole[1]) - whole[1])
        assert total.gap == 0


def test_a_second_fit_of_the_same_batches_is_the_same_to_the_last_bit():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(4000, 5))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    batches = [(X[a : a + 500], y[a : a + 500]) for a in range(0, 4000, 500)]
    first, second = (SelectQUBO(k=2).fit_batches(batches, exact_bytes=2**14) for _ in range(2))
    assert first.rank_error_ > 0
    assert first.rank_error_ == second.rank_error_
    np.testing.assert_array_equal(first.importance_, second.importance_)
    np.testing.assert_array_equal(first.redundancy_, second.redundancy_)
    assert first.counts_.coding.same(second.counts_.coding)
