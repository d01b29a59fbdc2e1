"""Wide tables with every kind of wish: what is said of them is what looking at all subsets says."""

import numpy as np
import pytest

from quboselect import Constraints, SelectQUBO, Tradeoff, best_subset, redundancy
from quboselect.search.wide import generation
from quboselect.search.wide import selection as wide
from wide_oracles import energies, lowest, wide_choice

SEEDS = range(50)

# Off the path warnings are no news here: any k is asked for.
pytestmark = pytest.mark.filterwarnings("ignore::quboselect.errors.OffPathWarning")


def random_wishes(rng, n):
    """Return wishes that leave something free: groups that lie crosswise, and every other time something settled."""
    cuts = np.flatnonzero(rng.random(n - 1) < rng.choice([0.3, 0.5, 0.8])) + 1
    groups = [part.tolist() for part in np.split(rng.permutation(n), cuts)]
    wishes = {"groups": groups if rng.random() < 0.5 else groups[: len(groups) // 2]}
    if rng.random() < 0.4:
        wishes["cost"] = 0.3 * rng.random(n)
    if len(groups) > 2 and rng.random() < 0.5:
        # The first group stays free.
        fates = rng.choice(["include", "exclude"], 2, replace=rng.random() < 0.5)
        for group, fate in zip(groups[1:], fates, strict=False):
            wishes[str(fate)] = [*wishes.get(str(fate), []), group[0]]
    return wishes


def random_problem(seed):
    """Return importance, redundancy and wishes of a few features, many of them in groups that lie crosswise."""
    rng = np.random.default_rng([seed, 11])
    n = int(rng.integers(6, 11))
    upper = np.triu(rng.random((n, n)) ** rng.integers(1, 4), 1).astype(np.float32)
    return rng.exponential(1.0, n), upper + upper.T, random_wishes(rng, n)


def asked(constraints, seed):
    """Return what to ask for: a number of units, or an alpha."""
    rng = np.random.default_rng([seed, 13])
    least = max(1, constraints.kept)
    return [
        {"k": int(rng.integers(least, constraints.kept + constraints.free + 1))},
        {"k": None, "alpha": float(rng.choice([0.0, 0.5, 0.7, 0.8, 0.9, 0.95]))},
    ]


def check(energy, bound, proven, best):
    """A bound is below the optimum, and what is proven is the optimum."""
    assert bound <= best + 1e-8
    assert energy >= best - 1e-8
    if proven:
        assert energy == pytest.approx(best, abs=1e-7)


@pytest.mark.parametrize("first", [1, 128], ids=["small core", "core of all"])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_choices_are_those_of_all_subsets_and_of_the_ordinary_route(monkeypatch, seed, whole, first):
    monkeypatch.setattr(generation, "FIRST", first)
    importance, R, wishes = random_problem(seed)
    constraints = Constraints.of(importance.size, **wishes)
    for wanted in asked(constraints, seed):
        far = wide_choice(importance, R, constraints, whole=whole, **wanted)
        x, alpha = far.solutions.best, far.alpha
        energy = energies(importance, R, constraints.cost, alpha, x[None])[0]
        assert far.solutions.energy[0] == pytest.approx(energy, abs=1e-9)
        size = None if far.on_path else wanted.get("k")
        best = lowest(importance, R, constraints, alpha, size)
        check(energy, far.solutions.bound, far.solutions.proven, best)
        if first == 128:
            assert far.solutions.proven
            near = best_subset(Tradeoff(importance, R, constraints.cost), constraints=constraints, **wanted)
            assert near.alpha == pytest.approx(alpha)
            assert near.solutions.energy[0] == pytest.approx(energy, abs=1e-8)
            np.testing.assert_array_equal(near.solutions.best, x)


@pytest.mark.parametrize("matrix", [0, 24_000], ids=["rows", "matrix"])
@pytest.mark.parametrize(
    "measure", [redundancy.MutualInformation(bins=4), redundancy.Correlation()], ids=repr
)
@pytest.mark.parametrize("seed", range(24))
def test_a_selector_finds_the_same_from_rows_as_from_the_matrix(monkeypatch, seed, measure, matrix):
    rng = np.random.default_rng([seed, 17])
    n = int(rng.integers(6, 10))
    X = rng.normal(size=(60, n)) @ rng.normal(size=(n, n))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=60) > 0).astype(int)
    wishes = random_wishes(rng, n)
    constraints = Constraints.of(n, **wishes)
    for wanted in asked(constraints, seed):
        near = SelectQUBO(redundancy=measure, **wanted, **wishes).fit(X, y)
        with monkeypatch.context() as patch:
            patch.setattr(wide, "WIDE", 0)
            patch.setattr(wide, "MATRIX", matrix)
            far = SelectQUBO(redundancy=measure, **wanted, **wishes).fit(X, y)
        assert "wide" in far.solutions_.info
        R = near.redundancy_
        energy = energies(near.importance_, R, constraints.cost, far.alpha_, far.support_[None])[0]
        assert far.energy_ == pytest.approx(energy, abs=1e-5)
        size = None if far.on_path_ else far.k_
        best = lowest(near.importance_, R, constraints, far.alpha_, size)
        assert far.bound_ <= best + 1e-5
        assert far.proven_
        assert energy == pytest.approx(best, abs=1e-5)
        np.testing.assert_array_equal(far.support_, near.support_)


def test_groups_of_all_features_that_lie_crosswise_are_chosen_as_in_the_ordinary_route(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 150)
    X = rng.normal(size=(150, 260))
    X[:, ::9] += y[:, None] * rng.uniform(0.3, 1.5, 29)
    groups = [[i, 259 - i] for i in range(130)]
    near = SelectQUBO(k=5, groups=groups).fit(X, y)
    monkeypatch.setattr(wide, "WIDE", 200)
    for matrix in (200, 24_000):
        monkeypatch.setattr(wide, "MATRIX", matrix)
        far = SelectQUBO(k=5, groups=groups).fit(X, y)
        np.testing.assert_array_equal(far.support_, near.support_)
        assert far.proven_
        assert far.energy_ == pytest.approx(near.energy_, rel=1e-6)
        assert far.bound_ == pytest.approx(near.bound_, rel=1e-6)
