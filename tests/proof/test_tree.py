"""The tree: no false proof on thousands of small problems, honest bounds when work runs out."""

import numpy as np
import pytest

import path_oracles
import solver_oracles as oracles
from quboselect import QUBO, Solutions, proof
from quboselect.proof import core, tree, verify
from quboselect.solvers import Exhaustive, Portfolio


@pytest.fixture
def relaxations_only(monkeypatch):
    """Leave nothing to enumeration, so that small problems exercise the relaxation."""
    monkeypatch.setattr(tree, "TINY", 1)


def problem(seed):
    """Return a small QUBO and k: tradeoffs of all kinds, negative couplings, tiny and huge scales."""
    rng = np.random.default_rng(seed)
    qubo = path_oracles.random_tradeoff(seed).at(float(rng.uniform(0.2, 0.97)))
    if seed % 4 == 3:
        qubo = oracles.random_qubo(int(rng.integers(2, 10)), seed, signed=True, whole=seed % 8 == 7)
    if seed % 10 == 9:
        scale = float(rng.choice([1e-6, 1e4]))
        qubo = QUBO(scale * qubo.linear, scale * qubo.couplings)
    return qubo, None if seed % 5 else int(rng.integers(0, qubo.size + 1))


def first_guess(qubo, k):
    x = np.zeros(qubo.size, bool)
    x[: k or 0] = True
    return x


@pytest.mark.parametrize("block", range(10))
def test_no_proof_is_false(block, relaxations_only):
    # A hundredth of what benchmarks/soundness.py tries.
    for seed in range(60 * block, 60 * block + 20):
        qubo, k = problem(seed)
        work = [4e7, 2e8, 1e10][seed % 3]
        found = proof.prove(qubo, first_guess(qubo, k), k=k, work=work)
        minimum = float(Exhaustive(k=k, n_jobs=1)(qubo).energy[0])
        assert found.bound <= minimum + qubo.tolerance, f"seed {seed}"
        samples = Solutions.of(qubo, found.x, bound=found.bound, info={"certificate": found.certificate})
        verify(qubo, samples, k=k)
        if work > 1e9:
            assert samples.proven, f"seed {seed}"
        if samples.proven:
            assert samples.energy[0] == pytest.approx(minimum, abs=qubo.tolerance), f"seed {seed}"


@pytest.mark.parametrize("seed", range(60))
def test_no_proof_that_has_grown_is_false(seed, relaxations_only, monkeypatch):
    monkeypatch.setattr(core, "CORE", 5)
    monkeypatch.setattr(core, "HALF", 0.99)
    rng = np.random.default_rng(seed)
    qubo = oracles.random_qubo(16, seed, signed=seed % 3 == 1)
    # Few ones, as a first core has three times as many bits; some at a size.
    qubo = QUBO(qubo.linear * rng.random(16) ** 2, qubo.couplings)
    k = None if seed % 4 else int(rng.integers(1, 3))
    exact = Exhaustive(k=k, n_jobs=1)(qubo)
    assert tree.worth_growing(16, int(exact.best.sum())) == (exact.best.sum() < 6)
    found = proof.prove(qubo, exact.best, k=k, work=[6e7, 1e10][seed % 2])
    assert found.bound <= exact.energy[0] + qubo.tolerance
    claim = Solutions.of(qubo, found.x, bound=found.bound, info={"certificate": found.certificate})
    verify(qubo, claim, k=k)
    assert claim.proven or not seed % 2


def test_what_has_grown_does_not_depend_on_the_number_of_threads(monkeypatch):
    monkeypatch.setattr(core, "CORE", 20)
    qubo = oracles.random_qubo(80, 5)
    one, two = (proof.prove(qubo, first_guess(qubo, 4), work=2e8, n_jobs=n_jobs) for n_jobs in (1, 3))
    assert (one.bound, one.iterations, one.nodes) == (two.bound, two.iterations, two.nodes)


@pytest.mark.parametrize("k", [None, 9])
def test_a_proof_does_not_depend_on_the_number_of_threads(k):
    qubo = oracles.random_qubo(60, 5, signed=True)
    one, two = (proof.prove(qubo, first_guess(qubo, k), k=k, work=2e9, n_jobs=n_jobs) for n_jobs in (1, 3))
    assert one.nodes == two.nodes > 2  # the root alone, then several at a time
    assert (one.bound, one.iterations) == (two.bound, two.iterations)
    np.testing.assert_array_equal(one.x, two.x)


def test_more_work_never_loosens_the_bound_by_much_and_closes_in_the_end():
    qubo = oracles.random_qubo(40, 2)
    bounds = [proof.prove(qubo, first_guess(qubo, None), work=work).bound for work in (1e8, 4e8, 1e10)]
    assert bounds == sorted(bounds)
    exact = Solutions.of(qubo, proof.prove(qubo, first_guess(qubo, None), work=1e11).x, bound=bounds[-1])
    assert exact.gap < 0.05


def test_it_is_the_same_on_every_call():
    qubo = oracles.random_qubo(30, 4)
    one, two = (proof.prove(qubo, first_guess(qubo, None), work=1e9) for _ in range(2))
    assert (one.bound, one.nodes, one.iterations) == (two.bound, two.nodes, two.iterations)
    assert np.array_equal(one.x, two.x)


def test_a_poor_first_guess_is_improved():
    qubo = oracles.random_qubo(18, 6)
    found = proof.prove(qubo, np.zeros(18, bool), work=1e10)
    assert qubo.energy(found.x) == pytest.approx(float(Exhaustive()(qubo).energy[0]), abs=1e-9)


def test_progress_is_told_in_words():
    said = []
    qubo = oracles.random_qubo(25, 1)
    proof.prove(qubo, first_guess(qubo, None), work=1e10, progress=lambda step: said.append(str(step)))
    assert said
    assert "nodes done" in said[-1]
    assert "gap 0.0000%" in said[-1]


def test_what_cannot_be_afforded_is_not_started():
    assert tree.affordable(50, 1e9)
    assert not tree.affordable(2000, 1e9)


def test_bits_without_coefficients_cost_a_proof_nothing():
    # As many as no relaxation could be afforded of.
    small = oracles.random_qubo(60, 3, signed=True)
    linear, couplings = np.zeros(2600), np.zeros((2600, 2600))
    linear[40:100], couplings[40:100, 40:100] = small.linear, small.couplings
    assert Portfolio()(QUBO(linear, couplings)).proven


@pytest.mark.parametrize("k", [0, 1])
def test_the_smallest_sizes_of_many_bits_are_proven(k):
    qubo = oracles.random_qubo(320, 0)
    found = proof.prove(qubo, first_guess(qubo, k), k=k, work=1e10)
    assert found.bound >= (0.0 if not k else qubo.linear.min()) - qubo.tolerance


def test_where_a_larger_problem_stood_is_no_start_for_a_smaller_one():
    large, small = oracles.random_qubo(300, 0, signed=True), oracles.random_qubo(60, 0)
    open_ = Portfolio(effort=0.2)(large)
    assert not open_.proven
    assert open_.info["state"].bits.max() >= 60
    for k in (None, 4):
        assert Portfolio(k=k, hint=open_)(small).proven
        first = proof.prove(small, first_guess(small, k), k=k, work=1e10, warm=open_.info["state"])
        assert first.bound == proof.prove(small, first_guess(small, k), k=k, work=1e10).bound


@pytest.fixture
def relaxed_sizes(monkeypatch):
    """How many bits were relaxed, one entry a relaxation."""
    sizes, relax = [], tree.relax
    for module in (tree, core):
        monkeypatch.setattr(
            module, "relax", lambda linear, *a, **kw: sizes.append(len(linear)) or relax(linear, *a, **kw)
        )
    return sizes


@pytest.mark.parametrize("work", [5e8, 2e9])
def test_little_work_relaxes_no_more_than_a_core(work, relaxed_sizes):
    qubo = oracles.random_qubo(620, 0)
    proof.prove(qubo, first_guess(qubo, 10), k=10, work=work)
    # An iteration over all bits is 2.4e8.
    assert 150 <= max(relaxed_sizes) < 620


def test_where_a_core_could_not_be_closed_the_next_proof_of_a_size_starts_from_there(
    monkeypatch, relaxed_sizes
):
    monkeypatch.setattr(core, "CORE", 10)
    qubo = oracles.random_qubo(50, 1)
    first = proof.prove(qubo, first_guess(qubo, 8), k=8, work=1e9)
    assert relaxed_sizes[0] == 24
    assert len(first.state.state.V) == first.state.bits.size + 1 > 25
    relaxed_sizes.clear()
    proof.prove(qubo, first.x, k=8, work=1e9, warm=first.state)
    assert relaxed_sizes[0] == first.state.bits.size
