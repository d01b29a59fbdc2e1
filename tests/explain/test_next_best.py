"""The next best bit vectors, by one tree and by many, against enumeration; what a search misses is no loss."""

from itertools import combinations

import numpy as np
import pytest

from quboselect import QUBO
from quboselect.errors import Refuted
from quboselect.explain import next_best
from quboselect.explain.next_best import NextBest, neighbours
from quboselect.proof import Apart, tree
from quboselect.proof.certificate import Further, Node
from quboselect.qubo import Solutions
from quboselect.testing import verify
from solver_oracles import random_qubo, subsets


@pytest.fixture(params=["one tree", "a tree each"])
def way(request, monkeypatch):
    """Leave nothing to enumeration, neither of the search nor of a proof."""
    monkeypatch.setattr(next_best, "FEW", 0)
    monkeypatch.setattr(tree, "TINY", 1)
    if request.param == "a tree each":
        monkeypatch.setattr(next_best, "NEIGHBOURS", 0)
    return request.param


def best_of(qubo, k):
    return min(subsets(qubo.size, k), key=qubo.energy)


def check_bounds(qubo, x, found, different):
    """Check that no bound is above what there is, and that every certificate that claims something holds."""
    rows, every = [x], subsets(qubo.size, int(x.sum()))
    for one in found:
        small, solutions, k, apart = one.certified
        assert all((one.x & ~row).sum() >= different for row in rows)
        far = every[~Apart(np.array(rows), different).near(every)]
        assert solutions.bound <= qubo.energy(far).min() + qubo.tolerance
        assert solutions.energy[0] == pytest.approx(qubo.energy(one.x), abs=1e-9)
        assert len(apart.rows) == len(rows)
        if solutions.bound > -np.inf:
            verify(small, solutions, k, apart=apart)
        else:
            with pytest.raises(Refuted, match="claims nothing"):
                verify(small, solutions, k, apart=apart)
        rows.append(one.x)


def check(qubo, x, found, m, different):
    """Check that each is the best of all that are far enough from those before: a naive oracle."""
    check_bounds(qubo, x, found, different)
    rows, every = [x], subsets(qubo.size, int(x.sum()))
    for one in found:
        far = every[~Apart(np.array(rows), different).near(every)]
        assert one.certified[1].proven
        assert qubo.energy(one.x) == pytest.approx(qubo.energy(far).min(), abs=1e-8)
        rows.append(one.x)
    assert len(rows) == m or Apart(np.array(rows), different).near(every).all()


@pytest.mark.parametrize("seed", range(40))
def test_the_next_best_equal_enumeration(seed, way):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 11))
    k = int(rng.integers(1, n))
    m, different = int(rng.integers(2, 9)), int(rng.integers(1, min(k, 3) + 1))
    qubo = random_qubo(n, seed, signed=seed % 3 == 1)
    x = best_of(qubo, k)
    found = NextBest(qubo, k, different=different, work=1e10).best_first(x, m)
    check(qubo, x, found, m, different)
    kinds = {type(one.certified[1].info["certificate"].tree) for one in found[:-1]}
    assert kinds <= {Further if way == "one tree" else Node}


@pytest.mark.parametrize("seed", range(12))
def test_copies_are_alternatives_to_each_other(seed, way):
    rng = np.random.default_rng(seed)
    base, k = random_qubo(4, seed), 2 + seed % 2
    same = np.sort(np.append(np.arange(4), rng.integers(0, 4, 6)))
    linear, couplings = base.linear[same], base.couplings[np.ix_(same, same)].copy()
    # Copies repeat each other, all alike.
    couplings[same[:, None] == same] = 0.7
    np.fill_diagonal(couplings, 0.0)
    qubo = QUBO(linear, couplings)
    x = best_of(qubo, k)
    for different in (1, 2):
        check(qubo, x, NextBest(qubo, k, different=different, work=1e10).best_first(x, 8), 8, different)


@pytest.mark.parametrize("seed", range(8))
def test_ties_come_in_some_order_and_are_proven(seed, way):
    qubo = random_qubo(9, seed, whole=True)
    for k in (2, 4):
        x = best_of(qubo, k)
        for different in (1, 2):
            check(qubo, x, NextBest(qubo, k, different=different, work=1e10).best_first(x, 7), 7, different)


def test_bits_without_couplings_are_alternatives_to_each_other(way):
    # A search takes them for fillers, as long as none of the others has them.
    linear = np.array([-4.0, -3.0, -1.0, -1.0, -1.0, -1.0, -1.0])
    couplings = np.zeros((7, 7))
    couplings[0, 1] = couplings[1, 0] = 0.5
    qubo = QUBO(linear, couplings)
    for k in (2, 3, 5):
        x = best_of(qubo, k)
        for different in (1, 2):
            check(qubo, x, NextBest(qubo, k, different=different, work=1e10).best_first(x, 6), 6, different)


@pytest.mark.parametrize("few", [0, 20_000])
def test_more_are_kept_clear_of_than_a_word_has_digits(few, monkeypatch):
    monkeypatch.setattr(next_best, "FEW", few)
    qubo, k = random_qubo(9, 3), 3
    x = best_of(qubo, k)
    # All 84 there are: fewer than asked for.
    found = NextBest(qubo, k, different=1, work=1e10).best_first(x, 100)
    assert len(found) == 83
    check(qubo, x, found, 100, 1)


@pytest.mark.parametrize("exchanges", range(5))
def test_exchanges_lead_as_far_away_as_there_are(exchanges):
    qubo = random_qubo(8, 5, signed=True)
    x = subsets(8, 5)[7]
    rows = next_best.exchanged(qubo, x, exchanges)
    assert set((rows & ~x).sum(axis=1)) == {min(exchanges, 3)}
    assert set(rows.sum(axis=1)) == {5}
    assert len(np.unique(rows, axis=0)) == len(rows)
    if exchanges == 1:
        assert len(rows) == 15
        assert rows[0].tolist() == min(rows, key=qubo.energy).tolist()


@pytest.mark.parametrize("m", [1, 2, 5])
def test_a_list_ends_where_nothing_is_far_enough(m, way):
    qubo = random_qubo(6, 1)
    x = best_of(qubo, 3)
    # Of six bits there is one other half.
    found = NextBest(qubo, 3, different=3, work=1e10).best_first(x, m)
    assert [one.x.tolist() for one in found] == [(~x).tolist()][: m - 1]
    check(qubo, x, found, m, 3)
    every = np.ones(6, bool)
    assert NextBest(qubo, 6, different=1, work=1e10).best_first(every, m) == []


class Blind:
    """A search that finds the worst there is: what it misses is left to proofs."""

    asked = 0

    def __init__(self, k, **_):
        self.k = k

    def _worst(self, qubo, rows):
        Blind.asked += 1
        return Solutions.of(qubo, max(rows, key=qubo.energy)) if len(rows) else None

    def __call__(self, qubo):
        return self._worst(qubo, subsets(qubo.size, self.k))

    def apart(self, qubo, others):
        rows = subsets(qubo.size, self.k)
        return self._worst(qubo, rows[~others.near(rows)])


@pytest.mark.parametrize("seed", range(10))
def test_what_a_search_misses_is_found_by_proofs(seed, way, monkeypatch):
    monkeypatch.setattr(next_best, "Tabu", Blind)
    monkeypatch.setattr(next_best, "ATTEMPTS", 1000)
    qubo = random_qubo(8, seed, whole=seed % 2 == 0)
    x = best_of(qubo, 3)
    different = 1 + seed % 2
    check(qubo, x, NextBest(qubo, 3, different=different, work=1e10).best_first(x, 4), 4, different)


@pytest.mark.parametrize("work", [0.0, 1.0, 1e7, 1e10])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_missed_to_the_end_is_not_proven(seed, work, way, monkeypatch):
    monkeypatch.setattr(next_best, "Tabu", Blind)
    monkeypatch.setattr(Blind, "asked", 0)
    attempts = 2
    monkeypatch.setattr(next_best, "ATTEMPTS", attempts)
    qubo = random_qubo(9, seed)
    x = best_of(qubo, 4)
    found = NextBest(qubo, 4, different=1 + seed % 2, work=work).best_first(x, 4)
    assert len(found) == 3
    check_bounds(qubo, x, found, 1 + seed % 2)
    # One search at first, and a few for each list: some of what was found is found again.
    assert Blind.asked <= 1 + (attempts + 1) * 12


@pytest.mark.parametrize("work", [0.0, 1.0, 2e7])
@pytest.mark.parametrize("seed", range(6))
def test_little_work_leaves_bounds_that_hold(seed, work, way):
    qubo = random_qubo(12, seed, signed=True)
    x = best_of(qubo, 4)
    found = NextBest(qubo, 4, different=2, work=work).best_first(x, 5)
    assert len(found) == 4
    check_bounds(qubo, x, found, 2)
    if not work:
        assert all(one.certified[1].bound == -np.inf for one in found)


def test_a_known_one_is_not_learned_again():
    qubo = random_qubo(6, 2)
    search = NextBest(qubo, 2, different=1, work=1e10)
    known = len(search.pool)
    assert not search._learn(search.pool.x[:3])
    assert len(search.pool) == known
    search.pool = Solutions.of(qubo, search.pool.x[:3])
    assert search._learn(subsets(6, 2))
    assert len(search.pool) == known


@pytest.mark.parametrize("seed", range(10))
def test_neighbours_below_an_energy_are_all_there_are(seed):
    qubo = random_qubo(8, seed, signed=True)
    x = subsets(8, 3)[seed]
    for exchanges in range(4):
        most = float(np.median(qubo.energy(subsets(8, 3))))
        found = {row.tobytes() for row in neighbours(qubo, x, exchanges, most)}
        every = [row for row in subsets(8, 3) if 1 <= (row & ~x).sum() <= exchanges]
        assert found == {row.tobytes() for row in every if qubo.energy(row) < most}


def test_all_bits_of_a_claim_are_those_of_the_problem():
    # Of the copies that none of the list has two are enough: the claim is about those that are left.
    qubo = QUBO(np.full(12, -1.0), np.ones((12, 12)) - np.eye(12))
    x = np.isin(np.arange(12), [5, 6])
    found = NextBest(qubo, 2, different=2, work=1e10).best_first(x, 3)
    assert [int(one.x.sum()) for one in found] == [2, 2]
    for a, b in combinations([x, *(one.x for one in found)], 2):
        assert not (a & b).any()
    assert [one.certified[0].size for one in found] == [8, 8]
    check(qubo, x, found, 3, 2)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_listed_is_apart_where_there_are_more_copies_than_ones(seed):
    rng = np.random.default_rng(seed)
    n, k, d = 50, 6, 5
    at = rng.integers(0, d, n)
    shared = np.triu(np.where(rng.random((d, d)) < 0.5, 0.0, rng.random((d, d)) * 0.3), 1)
    couplings = (shared + shared.T)[np.ix_(at, at)]
    qubo = QUBO(-0.5 * (rng.integers(1, 4, d) * 0.5)[at], 0.5 * couplings)
    x = next_best.Tabu(k=k)(qubo).best
    found = NextBest(qubo, k, different=k, work=1e8).best_first(x, 8)
    rows = np.array([x, *(one.x for one in found)]).astype(int)
    assert len(rows) == 8
    assert (rows @ rows.T)[~np.eye(len(rows), dtype=bool)].max() == 0
    for one in found:
        small, solutions, size, apart = one.certified
        if solutions.bound > -np.inf:
            verify(small, solutions, size, apart=apart)
