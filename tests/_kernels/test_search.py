"""The tabu kernel against loops that recompute everything."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quboselect._kernels.search import FAR, best_flip, best_swap, flip, start_gains, tabu_rows
from solver_oracles import naive_energy, naive_gains, naive_move, naive_tabu, within


def whole(n, seed, largest=20):
    rng = np.random.default_rng(seed)
    pairs = np.triu(rng.integers(-largest, largest + 1, (n, n)), 1)
    return rng.integers(-largest, largest + 1, n), pairs + pairs.T, (rng.random(n) < 0.4).astype(np.uint8)


def sets_of(n, *sets):
    """Return what kernels take of sets, given as (members, most): a word for each bit, and the most ones."""
    words = np.zeros(n, np.uint64)
    for place, (members, _) in enumerate(sets):
        for i in members:
            words[i] |= np.uint64(1) << np.uint64(place)
    return words, np.array([most for _, most in sets], np.int64)


def random_sets(x, count, seed):
    """Return sets of a row's bits, with room for none, one or two more ones."""
    rng = np.random.default_rng(seed)
    every = [np.flatnonzero(rng.random(x.size) < rng.choice([0.5, 0.9])) for _ in range(count)]
    return [(members, int(x[members].sum()) + int(rng.choice([0, 0, 1, 2]))) for members in every]


def full_of(x, sets):
    """Return the word of those sets that may have no more ones."""
    return np.uint64(
        sum(1 << place for place, (members, most) in enumerate(sets) if x[members].sum() >= most)
    )


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


@settings(deadline=None, max_examples=200)
@given(n=st.integers(1, 9), seed=st.integers(0, 2**32), count=st.integers(0, 3))
def test_the_best_swap_is_the_best_of_all_free_pairs(n, seed, count):
    linear, couplings, x = whole(n, seed)
    sets = random_sets(x, count, seed)
    until = np.random.default_rng(seed + 1).integers(0, 3, n)
    gains = np.empty(n, np.int64)
    start_gains(linear, couplings, x, gains)
    highest = couplings.max(axis=1)
    words = sets_of(n, *sets)[0], full_of(x, sets)
    found = best_swap(couplings, highest, x, gains, until, 1, np.empty(n, np.int64), FAR, *words)
    expected = naive_move(linear, couplings, x, until, 1, (x.sum(), x.sum()), 0, sets)
    if expected is None:
        assert found[:2] == (-1, -1)
    else:
        assert (found[2], found[:2]) == expected


FREE_OF_SETS = np.zeros(3, np.uint64), np.uint64(0)


def test_only_a_new_best_overrules_the_tabu_list():
    x, gains, until = np.array([0, 1, 0], np.uint8), np.array([-5, -3, 2]), np.array([9, 0, 0])
    assert best_flip(x, gains, until, 1, 2, -4, *FREE_OF_SETS) == (0, -5)
    assert best_flip(x, gains, until, 1, 2, -5, *FREE_OF_SETS) == (1, -3)
    assert best_flip(x, gains, np.full(3, 9), 1, 2, -5, *FREE_OF_SETS)[0] == -1


def test_a_barred_value_is_not_flipped():
    x, gains, until = np.array([0, 1, 0], np.uint8), np.array([-5, -3, -4]), np.array([9, 0, 0])
    assert best_flip(x, gains, until, 1, 0, FAR, *FREE_OF_SETS) == (1, -3)
    assert best_flip(x, gains, until, 1, 1, -9, *FREE_OF_SETS) == (2, -4)


def test_a_zero_of_a_full_set_does_not_come_in_and_a_one_may_go():
    x, gains, until = np.array([0, 1, 0], np.uint8), np.array([-5, -3, -4]), np.zeros(3, np.int64)
    words = np.array([0b11, 0b01, 0b10], np.uint64)
    assert best_flip(x, gains, until, 1, 2, -9, words, np.uint64(0b01)) == (2, -4)
    assert best_flip(x, gains, until, 1, 2, -9, words, np.uint64(0b11)) == (1, -3)
    assert best_flip(x, gains, until, 1, 2, FAR, words, np.uint64(0b00)) == (0, -5)


@settings(deadline=None, max_examples=200)
@given(
    n=st.integers(1, 9),
    seed=st.integers(0, 2**32),
    room=st.sampled_from([(0, 0), (0, 1), (1, 0), (9, 9)]),
    stay=st.integers(0, 3),
    away=st.integers(0, 4),
    count=st.integers(0, 4),
)
def test_a_search_takes_the_steps_of_its_naive_twin(n, seed, room, stay, away, count):
    linear, couplings, x = whole(n, seed, largest=4)
    rows, energies, seeds = x[None].copy(), np.empty(1, np.int64), np.array([seed], np.uint64)
    lists = np.array([stay]), np.array([away])
    limits = max(0, int(x.sum()) - room[0]), min(n, int(x.sum()) + room[1])
    sets, highest = random_sets(x, count, seed), couplings.max(axis=1)
    numbers = *limits, *sets_of(n, *sets), 8, 30
    tabu_rows(linear, couplings, highest, rows, *numbers, *lists, seeds, energies)
    expected, energy = naive_tabu(linear, couplings, x, limits, 8, 30, stay, away, seed, sets)
    assert rows[0].tolist() == expected.tolist()
    assert energies[0] == energy
    assert limits[0] <= rows.sum() <= limits[1]
    assert within(rows[0], sets)


def test_a_one_for_which_nothing_may_come_in_is_not_dropped():
    # It would rather go, but there are exactly two ones, and both zeros are of full sets.
    linear, couplings, x = (
        np.array([5, 5, -9, -9]),
        np.zeros((4, 4), np.int64),
        np.array([1, 1, 0, 0], np.uint8),
    )
    rows, energies = x[None].copy(), np.empty(1, np.int64)
    lists, seeds = (np.array([0]), np.array([0])), np.array([1], np.uint64)
    numbers = 2, 2, *sets_of(4, ([2], 0), ([3], 0)), 5, 9
    tabu_rows(linear, couplings, couplings.max(axis=1), rows, *numbers, *lists, seeds, energies)
    assert rows[0].tolist() == x.tolist()
    assert energies[0] == 10


def test_as_many_sets_are_kept_to_as_a_word_has_digits():
    n = 70
    for seed in range(5):
        linear, couplings, x = whole(n, seed)
        # Every bit that is not in is worth it, and 64 of them are held back, each by a set of its own.
        linear -= 10_000
        sets = [([i], 0) for i in range(64)]
        x[:64] = 0
        rows, energies = x[None].copy(), np.empty(1, np.int64)
        lists, seeds = (np.array([1]), np.array([2])), np.array([seed], np.uint64)
        numbers = 0, n, *sets_of(n, *sets), 20, 99
        tabu_rows(linear, couplings, couplings.max(axis=1), rows, *numbers, *lists, seeds, energies)
        assert rows[0].tolist() == [0] * 64 + [1] * 6


def test_rows_are_searched_independently_of_each_other():
    linear, couplings, _ = whole(20, 5)
    starts = (np.random.default_rng(0).random((6, 20)) < 0.3).astype(np.uint8)
    lists = np.arange(6), np.arange(6)
    seeds = np.arange(6, dtype=np.uint64)
    highest = couplings.max(axis=1)
    together, energies = starts.copy(), np.empty(6, np.int64)
    tabu_rows(linear, couplings, highest, together, 0, 20, *sets_of(20), 20, 99, *lists, seeds, energies)
    for r in range(6):
        one, energy, part = starts[r : r + 1].copy(), np.empty(1, np.int64), slice(r, r + 1)
        parts = lists[0][part], lists[1][part], seeds[part]
        tabu_rows(linear, couplings, highest, one, 0, 20, *sets_of(20), 20, 99, *parts, energy)
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
        numbers = *limits, *sets_of(15), 9, 9
        tabu_rows(linear, couplings, couplings.max(axis=1), rows, *numbers, *lists, seeds, energies)
        assert energies[0] == naive_energy(linear, couplings, rows[0])
        assert energies[0] <= naive_energy(linear, couplings, x)
