"""What is said of a whole wide table: bounds that hold for all subsets, and none where pairs are unknown."""

import numpy as np
import pytest

from quboselect import Constraints, Tradeoff, solvers
from quboselect.redundancy.rows import Rows
from quboselect.search.units import Units
from quboselect.search.wide import choose_wide, generation
from quboselect.search.wide import selection as wide
from wide_oracles import energies, lowest, random_wide, wide_choice


@pytest.fixture
def small_core(monkeypatch):
    """Let cores start with next to nothing, and not grow by what a proof asks for."""
    for name, value in {"FIRST": 1, "NEAR": 1, "BATCH": 1}.items():
        monkeypatch.setattr(generation, name, value)
    monkeypatch.setattr(wide, "FEW", 0)


@pytest.mark.parametrize("seed", range(18))
def test_at_one_alpha_and_size_no_subset_is_below_the_bound(small_core, seed):
    importance, R, constraints = random_wide(seed, 10)
    for k, alpha in ((2, 0.4), (3, 0.7), (4, 0.9)):
        if not constraints.kept < k < constraints.kept + constraints.free:
            continue
        solutions = wide_choice(importance, R, constraints, k=k, alpha=alpha, whole=True).solutions
        least = lowest(importance, R, constraints, alpha, k)
        assert -np.inf < solutions.bound <= least + 1e-9
        found = energies(importance, R, constraints.cost, alpha, solutions.best[None])[0]
        assert solutions.energy[0] == pytest.approx(found, abs=1e-9)
        assert not solutions.proven or found == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_where_redundancies_may_be_negative_pairs_that_nobody_looked_at_leave_no_bound(small_core, seed):
    rng = np.random.default_rng(seed)
    R = np.triu(rng.normal(size=(12, 12)), 1).astype(np.float32)
    R += R.T
    importance, constraints = rng.random(12), Constraints.of(12)

    def chosen(rows):
        choice = choose_wide(Tradeoff(importance, rows), constraints, solvers.Portfolio(), k=3, alpha=0.5)
        return choice.solutions, choice.solutions.info["wide"]

    def pairs(features, others):
        return R[features] if others is None else R[np.ix_(features, others)]

    some, core = chosen(Rows(12, pairs, signed=True))
    assert core.size < 12
    assert (some.bound, some.proven) == (-np.inf, False)
    assert "not looked at" in core.text
    # All pairs known, the bound is finite and holds.
    every, core = chosen(Rows.of(R, signed=True))
    assert -np.inf < every.bound <= lowest(importance, R, constraints, 0.5, 3) + 1e-9
    assert "not looked at" not in core.text


def test_a_bound_holds_though_the_best_units_are_outside_the_core(monkeypatch):
    monkeypatch.setattr(wide, "FEW", 0)
    monkeypatch.setattr(wide, "AGAIN", 1)
    missed = 0
    for seed in range(18):
        importance, R, constraints = random_wide(seed, 10)
        units = Units(Tradeoff(importance, Rows.of(R), constraints.cost), constraints).size
        rng = np.random.default_rng(seed)
        for wanted, alpha in ((1, 0.4), (2, 0.7), (3, 0.9)):
            core = np.sort(rng.permutation(units)[: wanted + 1])
            monkeypatch.setattr(wide, "grown_core", lambda *_, core=core: (core, False))
            k = constraints.kept + wanted
            solutions = wide_choice(importance, R, constraints, k=k, alpha=alpha, whole=True).solutions
            least = lowest(importance, R, constraints, alpha, k)
            assert solutions.bound <= least + 1e-9
            missed += solutions.energy[0] > least + 1e-9
            assert not solutions.proven or solutions.energy[0] == pytest.approx(least, abs=1e-9)
    assert missed > 30
