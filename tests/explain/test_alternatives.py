"""The m best subsets: against enumeration, with certificates, constraints and wide tables."""

import os
import re
from itertools import combinations

import numpy as np
import pytest

from quboselect import Constraints, Tradeoff, best_subset
from quboselect.errors import Refuted
from quboselect.proof import Apart, tree
from quboselect.redundancy.rows import Rows
from quboselect.testing import verify


def random_tradeoff(rng, n, *, together=0.0):
    """Return importances and redundancies, some of which are negative where features speak together."""
    shared = np.triu(rng.random((n, n)) - together * rng.random((n, n)), 1)
    return Tradeoff(rng.random(n), shared + shared.T)


def enumerated(result, m, different):
    """Return the energies of the m best supports of all, each far enough from those before: a naive oracle."""
    qubo, constraints, rows = result.tradeoff.at(result.alpha), result.constraints, []
    free = np.flatnonzero(~constraints.excluded & ~constraints.included)
    kept = np.flatnonzero(constraints.included)
    for some in combinations(free, int(result.support.sum()) - kept.size):
        x = np.zeros(qubo.size, bool)
        x[[*some, *kept]] = True
        rows.append((float(qubo.energy(x)), x))
    taken = []
    for energy, x in sorted(rows, key=lambda row: row[0]):
        if len(taken) < m and all((x & ~other).sum() >= different for _, other in taken):
            taken.append((energy, x))
    return [energy for energy, _ in taken]


def check(found, expected, different):
    assert found.proven
    np.testing.assert_allclose([one.energy for one in found], expected, atol=1e-9)
    for a, b in combinations(found, 2):
        assert (a.support & ~b.support).sum() >= different
    for one in found[1:]:
        qubo, solutions, k, apart = one.certified
        verify(qubo, solutions, k, apart=apart)


@pytest.mark.parametrize("tiny", [1, 10])
@pytest.mark.parametrize("block", range(10))
def test_alternatives_equal_enumeration(block, tiny, monkeypatch):
    # Small ends leave the work to relaxations and branches instead of enumeration.
    monkeypatch.setattr(tree, "TINY", tiny)
    # 300 problems where all are asked for; the harder half, of small ends, is thinned out.
    every = 1 if tiny > 1 or os.environ.get("QUBOSELECT_ALL_PROBLEMS") else 8
    for seed in range(15 * block, 15 * block + 15, every):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 11))
        k = int(rng.integers(1, n))
        different, m = int(rng.integers(1, min(k, 3) + 1)), int(rng.integers(2, 11))
        alpha = float(rng.uniform(0.2, 0.97))
        tradeoff = random_tradeoff(rng, n, together=seed % 3 * 0.4)
        result = best_subset(tradeoff, k=k, alpha=alpha)
        found = result.alternatives(m, different=different)
        expected = enumerated(result, m, different)
        assert found.complete == (len(expected) < m)
        check(found, expected, different)


def test_alternatives_keep_to_constraints():
    rng = np.random.default_rng(3)
    tradeoff = random_tradeoff(rng, 9)
    constraints = Constraints.of(9, include=2, exclude=[5])
    result = best_subset(tradeoff, k=4, alpha=0.7, constraints=constraints)
    found = result.alternatives(6, different=1)
    check(found, enumerated(result, 6, 1), 1)
    assert all(one.support[2] and not one.support[5] for one in found)


def test_groups_are_whole_in_every_alternative():
    rng = np.random.default_rng(4)
    groups = [[0, 1], [2, 3, 4], [5]]
    result = best_subset(
        random_tradeoff(rng, 9), k=2, alpha=0.8, constraints=Constraints.of(9, groups=groups)
    )
    found = result.alternatives(5, different=1)
    assert len({one.support.tobytes() for one in found}) == len(found) == 5
    assert found.proven
    for one in found:
        assert one.energy == pytest.approx(result.tradeoff.at(0.8).energy(one.support))
        for group in groups:
            assert one.support[group].all() or not one.support[group].any()


def test_of_larger_problems_each_is_a_local_minimum_and_verified():
    rng = np.random.default_rng(5)
    n, k = 60, 6
    weight = rng.random(n)
    shared = np.minimum.outer(weight, weight) * rng.random((n, n))
    result = best_subset(Tradeoff(weight, np.triu(shared, 1) + np.triu(shared, 1).T), k=k, alpha=(k - 1) / k)
    found = result.alternatives(4, different=2)
    energies = [one.energy for one in found]
    assert found.proven
    assert energies == sorted(energies)
    for one in found[1:]:
        qubo, solutions, size, apart = one.certified
        verify(qubo, solutions, size, apart=apart)
        # No exchange of two features that keeps it apart is better.
        for out, into in ((i, j) for i in np.flatnonzero(one.support) for j in np.flatnonzero(~one.support)):
            x = one.support.copy()
            x[out], x[into] = False, True
            assert apart.near(x) or qubo.energy(x) >= one.energy - qubo.tolerance


def test_a_certificate_of_an_alternative_proves_nothing_else(monkeypatch):
    monkeypatch.setattr(tree, "TINY", 2)
    result = best_subset(random_tradeoff(np.random.default_rng(6), 10), k=3, alpha=0.8)
    second = result.alternatives(2, different=1)[1]
    qubo, solutions, k, apart = second.certified
    verify(qubo, solutions, k, apart=apart)
    with pytest.raises(Refuted, match="apart"):
        verify(qubo, solutions, k)
    other = apart.rows.copy()
    other[0] = np.roll(solutions.best, 1)
    with pytest.raises(Refuted):
        verify(qubo, solutions, k, apart=Apart(other, 1))
    with pytest.raises(Refuted, match="away"):
        verify(qubo, solutions, k, apart=Apart(solutions.best[None], 1))
    with pytest.raises(ValueError, match="apart needs k"):
        verify(qubo, solutions, apart=apart)


def test_alternatives_of_a_wide_table_are_those_of_its_core():
    rng = np.random.default_rng(7)
    n = 30
    tradeoff = random_tradeoff(rng, n)
    wide = Tradeoff(tradeoff.importance, Rows.of(np.asarray(tradeoff.redundancy, np.float32)))
    result = best_subset(wide, k=3, alpha=0.7)
    found = result.alternatives(3, different=1)
    assert np.array_equal(found[0].support, result.support)
    assert [one.support.sum() for one in found] == [3, 3, 3]
    assert not found.proven
    # No more is known of the others than that none is better than the first.
    assert {one.bound for one in found} == {result.bound}
    assert re.fullmatch(r"Of the others no more .* core of \d+ features, and the table has 30\.", found.note)
    assert str(found).splitlines()[-1] == found.note
    for one in found:
        assert one.energy == pytest.approx(tradeoff.at(0.7).energy(one.support), abs=1e-6)


def test_nothing_that_comes_later_is_better_however_little_is_proven_of_it():
    result = best_subset(random_tradeoff(np.random.default_rng(9), 30), k=5, alpha=0.8)
    assert result.proven
    # No work at all: what is known of the others is that the first is the best.
    found = result.alternatives(4, different=2, effort=0)
    assert len(found) == 4
    assert {one.bound for one in found} == {result.bound}
    assert not found.proven
    assert all(one.gap * -one.energy == pytest.approx(one.worse * -result.energy) for one in found)
    assert [line.split()[2] for line in str(found).splitlines()[1:]] == ["proven", "gap", "gap", "gap"]
    for one in found[1:]:
        qubo, solutions, k, apart = one.certified
        with pytest.raises(Refuted, match="claims nothing"):
            verify(qubo, solutions, k, apart=apart)
    again = result.alternatives(4, different=2)
    assert again.proven
    assert all(a.bound <= b.bound for a, b in zip(found, again, strict=True))


def test_ties_with_the_first_are_proven_by_it():
    result = best_subset(Tradeoff(np.ones(12), np.zeros((12, 12))), k=4, alpha=0.5)
    found = result.alternatives(4, different=4, effort=0)
    assert (len(found), found.proven, found.complete) == (3, True, True)


def test_the_list_says_what_it_is():
    result = best_subset(Tradeoff([3.0, 2.0, 1.0], np.zeros((3, 3))), k=1, alpha=0.5, names=["a", "b", "c"])
    found = result.alternatives(5, different=1)
    assert (len(found), found.complete, found.proven) == (3, True, True)
    assert str(found).splitlines()[1:] == [
        "   1     0.000%  proven",
        "   2    33.333%  proven        -a  +b",
        "   3    66.667%  proven        -a  +c",
    ]
    assert repr(found) == "Alternatives(3 subsets, proven)"
    assert found.note == ""


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"m": 0}, "m must be"),
        ({"different": 0}, "different must be"),
        ({"different": 3}, "different must be at most 2, the size of the selection, got 3"),
        ({"effort": -1.0}, "effort must be"),
    ],
)
def test_wrong_wishes_are_named(given, message):
    result = best_subset(random_tradeoff(np.random.default_rng(8), 6), k=2, alpha=0.8)
    with pytest.raises((ValueError, TypeError), match=message):
        result.alternatives(**given)
