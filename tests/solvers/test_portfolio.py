"""Portfolio: finds and proves, within its effort."""

import numpy as np
import pytest

import path_oracles
import solver_oracles as oracles
from quboselect import QUBO, Solutions, proof
from quboselect.proof import verify
from quboselect.solvers import Exhaustive, Portfolio, Tabu
from quboselect.testing import check_solver


@pytest.mark.parametrize("block", range(5))
def test_it_equals_exhaustive_on_random_tradeoffs(block):
    rng = np.random.default_rng(block)
    for seed in range(100 * block, 100 * block + 100):
        qubo = path_oracles.random_tradeoff(seed).at(float(rng.uniform(0.05, 0.999)))
        for k in (None, int(rng.integers(0, qubo.size + 1))):
            samples, truth = Portfolio(k=k)(qubo), Exhaustive(k=k, n_jobs=1)(qubo)
            assert samples.energy[0] == pytest.approx(truth.energy[0], abs=1e-9), f"seed {seed}, k {k}"
            assert samples.proven


def test_without_effort_it_is_the_search_alone():
    qubo = oracles.random_qubo(20, 1)
    samples = Portfolio(effort=0)(qubo)
    assert samples.bound == -np.inf
    assert np.array_equal(samples.x, Tabu()(qubo).x)
    assert Portfolio(k=3, seed=5).scout() == Tabu(k=3, seed=5)


def test_it_is_the_same_whatever_the_number_of_threads():
    qubo = oracles.random_qubo(60, 1, signed=True)
    one, many = Portfolio(n_jobs=1)(qubo), Portfolio(n_jobs=4)(qubo)
    assert np.array_equal(one.x, many.x)
    assert one.bound == many.bound


def test_it_passes_the_conformance_kit():
    check_solver(Portfolio(), success=1.0)


def test_wrong_parameters_are_refused_in_words():
    with pytest.raises(ValueError, match="effort must be a finite number of at least 0, got -1"):
        Portfolio(effort=-1)
    with pytest.raises(ValueError, match="seed must be an integer of at least 0"):
        Portfolio(seed=-1)


def test_a_hint_changes_the_way_but_not_the_answer():
    tradeoff = path_oracles.random_tradeoff(30)
    first = Portfolio()(tradeoff.at(0.6))
    qubo = tradeoff.at(0.65)
    with_hint, without = Portfolio(hint=first)(qubo), Portfolio()(qubo)
    assert with_hint.energy[0] == without.energy[0]
    assert with_hint.proven
    assert Portfolio(hint=first) == Portfolio()


def test_a_proof_goes_on_from_the_state_of_a_similar_one():
    qubo = oracles.random_qubo(40, 2)
    first = proof.prove(qubo, np.zeros(40, bool), work=2e8)
    near = QUBO(1.01 * qubo.linear, qubo.couplings)
    cold, warm = (
        proof.prove(near, np.zeros(40, bool), work=3e7, warm=state) for state in (None, first.state)
    )
    assert warm.bound > cold.bound
    verify(near, Solutions.of(near, warm.x, bound=warm.bound, info={"certificate": warm.certificate}))


def test_a_hint_of_another_size_is_left_alone():
    small, large = oracles.random_qubo(10, 1), oracles.random_qubo(45, 1)
    hint = Portfolio()(small)
    assert np.array_equal(Portfolio(hint=hint)(large).x, Portfolio()(large).x)


def test_bits_that_signs_settle_are_not_branched_on():
    rng = np.random.default_rng(0)
    pairs = np.triu((rng.random((40, 40)) < 0.2) * 1.0, 1)
    pairs += pairs.T
    found = Portfolio()(QUBO(-pairs.sum(axis=1) - 0.5, pairs))
    assert found.proven
    assert found.best.all()
    assert found.info["nodes"] < 5000


@pytest.mark.parametrize("scale", [1e-8, 1e-4, 1e4, 1e8])
def test_a_hint_of_another_scale_costs_no_proof(scale):
    rng = np.random.default_rng(0)
    pairs = np.triu(rng.normal(size=(60, 60)), 1)
    pairs, linear = pairs + pairs.T, rng.normal(size=60)
    plain = Portfolio()(QUBO(linear, pairs))
    assert plain.proven
    assert plain.info["state"] is not None
    found = Portfolio(hint=Portfolio()(QUBO(linear * scale, pairs * scale)))(QUBO(linear, pairs))
    assert found.proven
    assert found.info["iterations"] <= 2 * plain.info["iterations"]
