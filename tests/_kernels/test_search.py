"""The tabu kernel against loops that recompute everything."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quboselect._kernels.search import FAR, best_flip, best_swap, flip, start_gains, tabu_rows
from solver_oracles import naive_energy, naive_gains, naive_move, naive_tabu


def whole(n, seed, largest=20):
    rng = np.random.default_rng(seed)
    pairs = np.triu(rng.integers(-largest, largest + 1, (n, n)), 1)
    return rng.integers(-largest, largest + 1, n), pairs + pairs.T, (rng.random(n) < 0.4).astype(np.uint8)


sizes_and_seeds = given(n=st.integers(1, 9), seed=st.integers(0, 2**32))


@settings(deadline=None, max_examples=60)
@sizes_and_seeds
def test_gains_stay_right_while_bits_flip(n, seed):
    linear, couplings, x = whole(n, seed)
    gains = np.empty(n, np.int64)
    assert start_gains(linear, couplings, x, gains) == naive_energy(linear, couplings, x)
    for i in np.random.default_rng(seed).integers(0, n, 5):
        flip(couplings, x, gains, i)
        np.testing.assert_array_equal(gains, naive_gains(linear, couplings, x))


@settings(deadline=None, max_examples=60)
@sizes_and_seeds
def test_the_best_swap_is_the_best_of_all_free_pairs(n, seed):
    linear, couplings, x = whole(n, seed)
    until = np.random.default_rng(seed + 1).integers(0, 3, n)
    gains = np.empty(n, np.int64)
    start_gains(linear, couplings, x, gains)
    highest = couplings.max(axis=1)
    found = best_swap(couplings, highest, x, gains, until, 1, np.empty(n, np.int64), FAR)
    expected = naive_move(linear, couplings, x, until, 1, (x.sum(), x.sum()), 0)
    if expected is None:
        assert found[:2] == (-1, -1)
    else:
        assert (found[2], found[:2]) == expected


def test_only_a_new_best_overrules_the_tabu_list():
    x, gains, until = np.array([0, 1, 0], np.uint8), np.array([-5, -3, 2]), np.array([9, 0, 0])
    assert best_flip(x, gains, until, 1, 2, -4) == (0, -5)
    assert best_flip(x, gains, until, 1, 2, -5) == (1, -3)
    assert best_flip(x, gains, np.full(3, 9), 1, 2, -5)[0] == -1


def test_a_barred_value_is_not_flipped():
    x, gains, until = np.array([0, 1, 0], np.uint8), np.array([-5, -3, -4]), np.array([9, 0, 0])
    assert best_flip(x, gains, until, 1, 0, FAR) == (1, -3)
    assert best_flip(x, gains, until, 1, 1, -9) == (2, -4)


@settings(deadline=None, max_examples=60)
@given(
    n=st.integers(1, 9),
    seed=st.integers(0, 2**32),
    room=st.sampled_from([(0, 0), (0, 1), (1, 0), (9, 9)]),
    stay=st.integers(0, 3),
    away=st.integers(0, 4),
)
def test_a_search_takes_the_steps_of_its_naive_twin(n, seed, room, stay, away):
    linear, couplings, x = whole(n, seed, largest=4)
    rows, energies, seeds = x[None].copy(), np.empty(1, np.int64), np.array([seed], np.uint64)
    lists = np.array([stay]), np.array([away])
    limits = max(0, int(x.sum()) - room[0]), min(n, int(x.sum()) + room[1])
    tabu_rows(linear, couplings, couplings.max(axis=1), rows, *limits, 8, 30, *lists, seeds, energies)
    expected, energy = naive_tabu(linear, couplings, x, limits, 8, 30, stay, away, seed)
    assert rows[0].tolist() == expected.tolist()
    assert energies[0] == energy
    assert limits[0] <= rows.sum() <= limits[1]


def test_rows_are_searched_independently_of_each_other():
    linear, couplings, _ = whole(20, 5)
    starts = (np.random.default_rng(0).random((6, 20)) < 0.3).astype(np.uint8)
    lists = np.arange(6), np.arange(6)
    seeds = np.arange(6, dtype=np.uint64)
    highest = couplings.max(axis=1)
    together, energies = starts.copy(), np.empty(6, np.int64)
    tabu_rows(linear, couplings, highest, together, 0, 20, 20, 99, *lists, seeds, energies)
    for r in range(6):
        one, energy, part = starts[r : r + 1].copy(), np.empty(1, np.int64), slice(r, r + 1)
        parts = lists[0][part], lists[1][part], seeds[part]
        tabu_rows(linear, couplings, highest, one, 0, 20, 20, 99, *parts, energy)
        assert one[0].tolist() == together[r].tolist()
        assert energy[0] == energies[r]


@pytest.mark.parametrize("exactly", [False, True])
def test_the_result_is_never_worse_than_the_start(exactly):
    for seed in range(20):
        linear, couplings, x = whole(15, seed)
        rows, energies = x[None].copy(), np.empty(1, np.int64)
        lists = np.array([1]), np.array([2])
        seeds = np.array([seed], np.uint64)
        limits = (int(x.sum()), int(x.sum())) if exactly else (0, 15)
        tabu_rows(linear, couplings, couplings.max(axis=1), rows, *limits, 9, 9, *lists, seeds, energies)
        assert energies[0] == naive_energy(linear, couplings, rows[0])
        assert energies[0] <= naive_energy(linear, couplings, x)
