"""Solutions: order, ties, proofs and gaps, and what is refused."""

import pickle
import re

import numpy as np
import pytest

from quboselect import QUBO, Solutions


def test_samples_merge_repeats_and_come_best_first():
    qubo = QUBO([-1.0, -2.0], np.zeros((2, 2)))
    samples = Solutions.of(qubo, [[0, 0], [1, 1], [0, 0], [0, 1]], count=[1, 2, 3, 4])
    assert samples.x.tolist() == [[True, True], [False, True], [False, False]]
    assert samples.energy.tolist() == [-3.0, -2.0, 0.0]
    assert samples.count.tolist() == [2, 4, 4]
    assert samples.best.tolist() == [True, True]


def test_ties_go_to_fewer_ones_then_to_lower_indices():
    qubo = QUBO([-1.0, -1.0, -1.0, 0.0], 5.0 * (1 - np.eye(4)))
    samples = Solutions.of(qubo, [[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0]])
    assert np.flatnonzero(samples.best) == [0]
    free = QUBO([-1.0, 0.0], np.zeros((2, 2)))
    assert Solutions.of(free, [[1, 1], [1, 0]]).best.tolist() == [True, False]


def test_rounding_does_not_break_a_tie():
    qubo = QUBO([-1.0, -1.0 - 1e-14], [[0, 5.0], [5.0, 0]])
    assert Solutions.of(qubo, [[0, 1], [1, 0]]).best.tolist() == [True, False]


def test_a_bound_within_the_tolerance_is_a_proof_and_one_below_is_a_gap():
    qubo = QUBO([-1.0], [[0.0]])
    assert Solutions.of(qubo, [1], bound=-1.0 - 1e-12).proven
    open_ = Solutions.of(qubo, [1], bound=-1.1)
    assert not open_.proven
    assert open_.gap == pytest.approx(0.1)
    nothing = Solutions.of(qubo, [1])
    assert nothing.bound == -np.inf
    assert nothing.gap == np.inf
    assert repr(open_) == "Solutions(1 of 1 bits, best energy -1, gap 10.00%)"
    assert repr(nothing).endswith("no bound)")


def test_samples_are_read_only_and_never_empty():
    qubo = QUBO([-1.0], [[0.0]])
    samples = Solutions.of(qubo, [1], info={"nodes": 3})
    with pytest.raises(TypeError):
        samples.info["nodes"] = 4
    with pytest.raises(ValueError, match="read-only"):
        samples.x[0, 0] = False
    with pytest.raises(ValueError, match="x must be at least one row of bits"):
        Solutions.of(qubo, np.zeros((0, 1)))
    with pytest.raises(ValueError, match="x, energy and count must have one length"):
        Solutions(samples.x, np.zeros(2), samples.count)
    with pytest.raises(ValueError, match="bound must be a number or -inf, got nan"):
        Solutions(samples.x, samples.energy, samples.count, bound=np.nan)


def test_samples_leave_the_callers_arrays_alone():
    x, energy, count = np.ones((1, 2), bool), np.zeros(1), np.ones(1, int)
    samples = Solutions(x, energy, count, info={"nodes": 1})
    x[0, 0] = False
    assert samples.x[0, 0]
    again = pickle.loads(pickle.dumps(samples))
    assert np.array_equal(again.x, samples.x)
    assert dict(again.info) == {"nodes": 1}
    with pytest.raises(ValueError, match="bound must be a number or -inf, got inf"):
        Solutions(x, energy, count, bound=np.inf)


@pytest.mark.parametrize("count", [[1, 2], [0], [-1], [1.7], [np.nan], [np.inf], ["1"], [True]])
def test_counts_are_positive_integers_and_one_for_each_row(count):
    with pytest.raises(ValueError, match="count must be 1 positive integers"):
        Solutions.of(QUBO([-1.0], [[0.0]]), [1], count=count)
    if len(count) == 1:
        with pytest.raises(ValueError, match="count must be 1 positive integers"):
            Solutions([[True]], [-1.0], count)


def test_counts_may_be_whole_numbers_of_any_kind():
    for kind in (float, np.uint8, np.int32):
        assert Solutions.of(QUBO([-1.0], [[0.0]]), [1], count=np.array([3], kind)).count.tolist() == [3]


def test_a_small_gap_is_never_printed_as_none():
    assert "0.00%" not in repr(Solutions.of(QUBO([-1.0], [[0.0]]), [1], bound=-1.0 - 1e-8))


@pytest.mark.parametrize(
    "x", [np.zeros((0, 3)), np.zeros(3), np.zeros((1, 1, 3))], ids=["none", "flat", "deep"]
)
def test_solutions_are_rows_of_bits(x):
    with pytest.raises(ValueError, match=f"x must be .*{re.escape(str(x.shape))}"):
        Solutions(x, [0.0], [1], -np.inf)
