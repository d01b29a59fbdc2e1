"""The choice: against every subset that fulfils every wish, its energies over all features."""

import numpy as np
import pytest

import path_oracles
from constraint_oracles import feasible, random_constraints
from quboselect import QUBO, Constraints, Solutions, Tradeoff, alpha_path, best_subset, proof, solvers
from quboselect.search.units import Units
from wide_oracles import random_wide


def lines(tradeoff, x):
    """Return I and R of rows of bits, the cost counted in R."""
    rows = x.astype(float)
    pairs = 0.5 * ((rows @ tradeoff.redundancy) * rows).sum(axis=1)
    return rows @ tradeoff.importance, pairs + rows @ tradeoff.cost


def units(constraints, x):
    return np.unique(constraints.unit[x]).size


@pytest.mark.parametrize("block", range(10))
def test_every_choice_is_the_best_of_all_that_fulfil_every_wish(block):
    for seed in range(20 * block, 20 * block + 20):
        tradeoff = path_oracles.random_priced(seed)
        wishes = random_constraints(seed, tradeoff.size)
        x, sizes = feasible(wishes)
        importance, redundancy = lines(tradeoff, x)
        allowed = set(map(bytes, x))
        for k in range(wishes.kept, wishes.kept + wishes.free + 1):
            where = f"seed {seed}, k {k}"
            chosen = best_subset(tradeoff, k=k, constraints=wishes)
            alpha, samples = chosen.alpha, chosen.solutions
            energy = (1 - alpha) * redundancy - alpha * importance
            assert {bytes(row) for row in samples.x} <= allowed, where
            assert all(units(wishes, row) == k for row in samples.x), where
            assert samples.energy[0] == pytest.approx(energy[sizes == k].min(), abs=1e-9), where
            assert samples.energy == pytest.approx(
                np.asarray(tradeoff.at(alpha).energy(samples.x)), abs=1e-12
            )
            assert samples.proven, where
            assert samples.bound <= energy[sizes == k].min() + 1e-9, where
            assert chosen.on_path == (samples.energy[0] <= energy.min() + 1e-9), where
            assert chosen.window[0] <= alpha <= chosen.window[1]
            for end in chosen.window if chosen.on_path else ():
                at_end = (1 - end) * redundancy - end * importance
                assert tradeoff.at(end).energy(samples.best) == pytest.approx(at_end.min(), abs=1e-9), where
            assert (chosen.passes is None) == chosen.on_path
            if chosen.passes:
                assert min(chosen.passes) < k < max(chosen.passes), where
            for beside in np.linspace(0, 1, 7):
                lowest = ((1 - beside) * redundancy - beside * importance).min()
                assert chosen.explored.bound(beside) <= lowest + 1e-9, where


@pytest.mark.parametrize("block", range(6))
def test_the_full_path_is_the_envelope_of_all_that_fulfil_every_wish(block):
    for seed in range(25 * block, 25 * block + 25):
        tradeoff = path_oracles.random_priced(seed)
        wishes = random_constraints(seed, tradeoff.size)
        x, _ = feasible(wishes)
        importance, redundancy = lines(tradeoff, x)
        path = best_subset(tradeoff, alpha=0.5, constraints=wishes).path()
        corners = [(segment.importance, segment.redundancy) for segment in path]
        theirs = path_oracles.corners_of(importance, redundancy)
        np.testing.assert_allclose(corners, theirs, atol=1e-8, err_msg=f"seed {seed}")
        assert path.proven
        for segment in path:
            assert not segment.x.flags.writeable
            assert (segment.importance, segment.redundancy) == tradeoff.line(segment.x)
            for alpha in (segment.start, segment.stop):
                lowest = ((1 - alpha) * redundancy - alpha * importance).min()
                assert segment.energy(alpha) == pytest.approx(lowest, abs=1e-9)
                assert path.bound(alpha) == pytest.approx(lowest, abs=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_at_one_alpha_the_choice_is_the_best_of_any_size(seed):
    tradeoff = path_oracles.random_priced(seed)
    wishes = random_constraints(seed, tradeoff.size)
    x, _ = feasible(wishes)
    importance, redundancy = lines(tradeoff, x)
    for alpha in (0.0, 0.3, 0.8, 1.0):
        chosen = best_subset(tradeoff, alpha=alpha, constraints=wishes)
        lowest = ((1 - alpha) * redundancy - alpha * importance).min()
        assert chosen.solutions.energy[0] == pytest.approx(lowest, abs=1e-9)
        assert chosen.solutions.proven
        assert (chosen.alpha, chosen.window) == (alpha, (alpha, alpha))
        assert (chosen.on_path, chosen.explored, chosen.passes) == (True, None, None)


def test_without_constraints_the_certificate_is_of_the_problem_itself():
    chosen = best_subset(path_oracles.never_size_two(), k=2)
    assert (chosen.on_path, chosen.passes) == (False, (1, 3))
    assert "certificate" in chosen.solutions.info
    assert "reduced" not in chosen.solutions.info
    proof.verify(*chosen.certified)


def test_the_certificate_stays_with_the_problem_that_it_proves():
    tradeoff = path_oracles.random_priced(8)
    chosen = best_subset(
        tradeoff, alpha=0.6, constraints=Constraints.of(tradeoff.size, include=0, groups=[[1, 2]])
    )
    assert chosen.solutions.proven
    assert "certificate" not in chosen.solutions.info
    assert chosen.solutions.info["nodes"] >= 1
    proof.verify(*chosen.certified)


def lazy(qubo: QUBO) -> Solutions:
    return Solutions.of(
        qubo, np.zeros(qubo.size), bound=2 * np.minimum(qubo.linear, 0.0).sum() - 1.0, count=[7]
    )


def test_what_a_solver_left_open_stays_open():
    tradeoff = path_oracles.random_priced(5)
    wishes = Constraints.of(tradeoff.size, include=0)
    reduced = Units(tradeoff, wishes).problem()
    samples = best_subset(tradeoff, alpha=0.5, constraints=wishes, solver=lazy).solutions
    inner = lazy(reduced.at(0.5))
    assert not samples.proven
    assert samples.count.tolist() == [7]
    assert samples.energy[0] - samples.bound == pytest.approx(inner.energy[0] - inner.bound)
    path = alpha_path(reduced, lazy)
    full = Units(tradeoff, wishes).full_path(path)
    assert [segment.proven for segment in full] == [segment.proven for segment in path]
    assert not full.proven
    for segment in full:
        ends = [(segment.energy(alpha), full.bound(alpha)) for alpha in (segment.start, segment.stop)]
        gaps = [(energy - bound) / abs(energy) for energy, bound in ends if energy > bound + 1e-12]
        assert segment.gap == pytest.approx(max(gaps, default=0.0))


def test_rounding_beside_a_large_constant_is_no_proof():
    tradeoff = Tradeoff([1e9, 1e-9], np.zeros((2, 2)))

    def open_(qubo):
        return Solutions.of(qubo, [1], bound=2.0 * qubo.linear[0])

    samples = best_subset(
        tradeoff, alpha=0.5, constraints=Constraints.of(2, include=0), solver=open_
    ).solutions
    assert samples.bound < samples.energy[0]
    assert not samples.proven


@pytest.mark.parametrize("power", [8, 9, 12])
def test_two_features_are_proven_where_redundancy_dwarfs_importance(power):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        pairs = np.triu(10.0**power * rng.random((4, 4)), 1)
        chosen = best_subset(Tradeoff(rng.random(4), pairs + pairs.T), k=2)
        assert chosen.solutions.proven, seed


@pytest.mark.parametrize("power", [9, 15, 16])
def test_no_alpha_rounded_to_another_makes_a_proof(power):
    for seed in range(24):
        importance, redundancy, wishes = random_wide(seed, 9)
        tradeoff = Tradeoff(importance, 10.0**power * redundancy.astype(np.float64))
        x, sizes = feasible(wishes)
        of_importance, of_redundancy = lines(tradeoff, x)
        k = wishes.kept + 2
        chosen = best_subset(tradeoff, k=k, constraints=wishes)
        alpha = chosen.alpha
        energy = (1 - alpha) * (of_redundancy + x @ wishes.cost) - alpha * of_importance
        energy = energy if chosen.on_path else energy[sizes == k]
        if chosen.solutions.proven:
            assert chosen.solutions.energy[0] == pytest.approx(energy.min(), rel=1e-8), seed


@pytest.mark.parametrize("solver", [solvers.Portfolio(), solvers.Tabu(), lambda qubo: 1 / 0])
def test_where_nothing_is_free_nothing_is_asked(solver):
    tradeoff = path_oracles.never_size_two()
    wishes = Constraints.of(4, include=[0, 1], exclude=[2, 3])
    for chosen in (
        best_subset(tradeoff, k=2, constraints=wishes, solver=solver),
        best_subset(tradeoff, alpha=0.5, constraints=wishes, solver=solver),
    ):
        assert chosen.solutions.best.tolist() == [True, True, False, False]
        assert chosen.solutions.proven
        assert chosen.on_path
        assert chosen.solutions.energy[0] == pytest.approx(tradeoff.at(chosen.alpha).energy([1, 1, 0, 0]))
    chosen = best_subset(tradeoff, k=2, constraints=wishes, solver=solver)
    assert chosen.window == (0.0, 1.0)
    assert chosen.explored.sizes == (2,)


def test_included_features_alone_are_the_start_of_the_path():
    tradeoff = path_oracles.never_size_two()
    chosen = best_subset(tradeoff, k=1, constraints=Constraints.of(4, include=[0]))
    assert chosen.solutions.best.tolist() == [True, False, False, False]
    # A second feature is worth it once 5 alpha outweighs 1 - alpha.
    assert chosen.window == pytest.approx((0.0, 1 / 6))
    assert chosen.explored[0].size == 1


def test_features_of_no_importance_can_be_all_that_is_left():
    tradeoff = Tradeoff([1.0, 0.0, 0.0], np.zeros((3, 3)), [0.0, 2.0, 1.0])
    chosen = best_subset(tradeoff, k=1, constraints=Constraints.of(3, exclude=0))
    assert chosen.solutions.best.tolist() == [False, False, True]
    chosen = best_subset(tradeoff, k=1, constraints=Constraints.of(3, exclude=[1, 2]))
    assert chosen.solutions.best.tolist() == [True, False, False]


def test_a_choice_needs_a_size_or_an_alpha():
    tradeoff = path_oracles.never_size_two()
    with pytest.raises(TypeError, match=r"needs k, alpha, or both, got neither"):
        best_subset(tradeoff)
    with pytest.raises(ValueError, match=r"k must be at least 2, .* 2 features are included, got 1"):
        best_subset(tradeoff, k=1, constraints=Constraints.of(4, include=[0, 1]))
    with pytest.raises(ValueError, match="alpha must be a number from 0 to 1, got 2"):
        best_subset(tradeoff, alpha=2)
    with pytest.raises(ValueError, match=r"constraints .* 4 features .* got 5"):
        best_subset(tradeoff, k=2, constraints=Constraints.of(5))
    for names in (["a"], "abcd"):
        with pytest.raises(ValueError, match="names must be 4"):
            best_subset(tradeoff, k=2, names=names)


def test_costs_of_constraints_are_not_dropped():
    tradeoff = path_oracles.never_size_two()
    priced = Tradeoff(tradeoff.importance, tradeoff.redundancy, [20.0, 0.0, 0.0, 0.0])
    wishes = Constraints.of(4, cost=[20.0, 0.0, 0.0, 0.0])
    by_tradeoff, by_constraints = best_subset(priced, k=1), best_subset(tradeoff, k=1, constraints=wishes)
    assert by_constraints.features.tolist() == by_tradeoff.features.tolist() == [1]
    assert by_constraints.tradeoff.cost.tolist() == priced.cost.tolist()
    with pytest.raises(ValueError, match="different costs"):
        best_subset(priced, k=1, constraints=Constraints.of(4, cost={0: 1.0}))


def test_a_solver_that_never_keeps_the_size_gives_way_with_a_warning():
    importance, R, _ = random_wide(0, 8)
    tradeoff = Tradeoff(importance, R.astype(float))

    def empty(qubo):
        return Solutions.of(qubo, np.zeros(qubo.size), count=[7])

    with pytest.warns(UserWarning, match="none of the solver's 7 reads has exactly 3"):
        result = best_subset(tradeoff, k=3, alpha=0.5, solver=empty)
    assert result.proven
    energies = {tuple(x): tradeoff.at(0.5).energy(x) for x in path_oracles.all_subsets(8) if np.sum(x) == 3}
    assert result.energy == pytest.approx(min(energies.values()), abs=1e-9)
