"""The random numbers of the kernels."""

import numpy as np
import pytest

from quboselect._kernels.rng import below, next_word, uniform
from solver_oracles import Splitmix

SEEDS = [0, 1, 2**63, 2**64 - 1]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_words_are_those_of_splitmix64(seed):
    state, twin = np.array([seed], np.uint64), Splitmix(seed)
    assert [int(next_word(state)) for _ in range(20)] == [twin.next_word() for _ in range(20)]


def test_the_first_words_of_seed_zero_are_the_published_ones():
    state = np.zeros(1, np.uint64)
    assert [int(next_word(state)) for _ in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("bound", [1, 2, 7, 1000, 2**32])
def test_bounded_integers_match_the_twin(seed, bound):
    state, twin = np.array([seed], np.uint64), Splitmix(seed)
    drawn = [below(state, bound) for _ in range(50)]
    assert drawn == [twin.below(bound) for _ in range(50)]
    assert 0 <= min(drawn) <= max(drawn) < bound


def test_uniform_numbers_match_the_twin_and_fill_the_unit_interval():
    state, twin = np.array([7], np.uint64), Splitmix(7)
    drawn = np.array([uniform(state) for _ in range(2000)])
    assert drawn.tolist() == [twin.uniform() for _ in range(2000)]
    assert 0.0 <= drawn.min() < 0.01
    assert 0.99 < drawn.max() < 1.0
    assert abs(drawn.mean() - 0.5) < 0.03


def test_every_value_below_a_bound_comes_up_about_as_often():
    state = np.array([3], np.uint64)
    counts = np.bincount([below(state, 10) for _ in range(5000)])
    assert counts.size == 10
    assert (abs(counts - 500) < 100).all()
