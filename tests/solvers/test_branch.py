"""BranchAndBound: exact where it closes, honest where it does not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import path_oracles
import solver_oracles as oracles
from quboselect import QUBO
from quboselect._kernels.search import gain_bound, sum_of_largest
from quboselect.solvers import BranchAndBound, Exhaustive
from quboselect.testing import check_solver


@given(values=st.lists(st.floats(-5, 5), min_size=1, max_size=20), data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_sum_of_the_largest_is_that_of_a_sort(values, data):
    wanted = data.draw(st.integers(1, len(values)))
    expected = sum(sorted(values, reverse=True)[:wanted])
    assert sum_of_largest(np.array(values), len(values), wanted) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_the_bound_on_a_node_is_never_below_the_best_addition(seed):
    qubo = oracles.random_qubo(7, seed, signed=seed % 2 == 1)
    rng = np.random.default_rng(seed)
    alive = rng.random(7) < 0.8
    gain = -qubo.linear - qubo.couplings @ (rng.random(7) < 0.3)
    order = np.argsort(qubo.couplings, axis=1)
    submodular = bool((qubo.couplings >= 0).all())
    scratch = [np.empty(7, np.int64), np.empty(7, np.int64), np.empty(7), np.empty(7)]
    additions = [x for x in oracles.subsets(7) if not (x & ~alive).any()]
    for t in range(-1, int(alive.sum()) + 1):
        bound = gain_bound(gain, alive, qubo.couplings, order, t, submodular, *scratch)
        worth = [gain @ x - 0.5 * x @ qubo.couplings @ x for x in additions if t < 0 or x.sum() == t]
        assert bound >= max(worth) - 1e-12
        if 0 <= t <= 1:
            assert bound == pytest.approx(max(worth), abs=1e-12)


@pytest.mark.parametrize("block", range(5))
def test_it_equals_exhaustive_on_random_tradeoffs(block):
    rng = np.random.default_rng(block)
    for seed in range(100 * block, 100 * block + 100):
        qubo = path_oracles.random_tradeoff(seed).at(float(rng.uniform(0.05, 0.999)))
        for k in (None, int(rng.integers(0, qubo.size + 1))):
            samples, truth = BranchAndBound(k=k)(qubo), Exhaustive(k=k, n_jobs=1)(qubo)
            assert samples.energy[0] == pytest.approx(truth.energy[0], abs=1e-9), f"seed {seed}, k {k}"
            assert samples.proven


@pytest.mark.parametrize("nodes", [1, 2, 5, 20])
@pytest.mark.parametrize("k", [None, 4])
def test_stopped_early_its_bound_still_holds(nodes, k):
    for seed in range(40):
        qubo = oracles.random_qubo(9, seed, signed=seed % 3 == 0)
        samples = BranchAndBound(k=k, nodes=nodes)(qubo)
        minimum = oracles.lowest_energy(qubo, k)
        assert samples.bound <= minimum + qubo.tolerance
        assert samples.info["nodes"] <= nodes
        if samples.proven:
            assert samples.energy[0] == pytest.approx(minimum, abs=1e-9)
        if k is not None:
            assert (samples.x.sum(axis=1) == k).all()


@pytest.mark.parametrize("k", [None, 3])
def test_more_nodes_than_there_are_take_no_more_room(k):
    qubo = oracles.random_qubo(9, 0)
    usual, endless = BranchAndBound(k=k)(qubo), BranchAndBound(k=k, nodes=10**30)(qubo)
    assert endless.proven
    assert endless.info["nodes"] == usual.info["nodes"] < 2**10
    np.testing.assert_array_equal(endless.x, usual.x)


def test_it_passes_the_conformance_kit():
    check_solver(BranchAndBound(), success=1.0)
    check_solver(BranchAndBound(nodes=1))


def test_wrong_parameters_are_refused_in_words():
    with pytest.raises(ValueError, match="nodes must be an integer of at least 1, got 0"):
        BranchAndBound(nodes=0)
    with pytest.raises(ValueError, match="k must be an integer of at least 0, got -1"):
        BranchAndBound(k=-1)
    with pytest.raises(ValueError, match="k must be an integer from 0 to 2, got 3"):
        BranchAndBound(k=3)(QUBO(-np.ones(2), np.zeros((2, 2))))
