"""Copies that are of no use: left out, with what is best of all found and proven all the same."""

import dataclasses
from itertools import combinations

import numpy as np
import pytest

from forgery_oracles import copied_problem, of_distinct, some_distinct
from quboselect import QUBO, _kernels
from quboselect.errors import Refuted
from quboselect.proof import verify
from quboselect.proof.certificate import Copies
from quboselect.proof.copies import useful_copies
from quboselect.solvers import Portfolio, portfolio
from quboselect.solvers.branch import leaders
from quboselect.solvers.copies import EPS, Distinct, Fewer


def copied(seed):
    """Return a QUBO with copies, and k."""
    qubo = copied_problem(seed)
    return qubo, int(np.random.default_rng(seed + 1).integers(1, qubo.size + 1))


def lowest(qubo, k):
    rows = np.array([np.isin(np.arange(qubo.size), ones) for ones in combinations(range(qubo.size), k)])
    return float(qubo.energy(rows).min())


@pytest.mark.parametrize("block", range(8))
def test_what_is_best_without_useless_copies_is_best_of_all(block, monkeypatch):
    monkeypatch.setattr(portfolio, "FEW", 0)
    fewer = 0
    for seed in range(50 * block, 50 * block + 50):
        qubo, k = copied(seed)
        found = Portfolio(k=k)(qubo)
        assert found.energy[0] == pytest.approx(lowest(qubo, k), abs=qubo.tolerance)
        assert found.proven
        assert found.best.sum() == k
        verify(qubo, found, k=k)
        fewer += isinstance(found.info["certificate"].tree, Copies)
    assert fewer > 10


def test_the_kernel_finds_the_useful_copies_of_its_naive_twin():
    left_out = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        d, k = int(rng.integers(1, 8)), int(rng.integers(2, 9))
        linear, couplings, own = some_distinct(rng, d)
        most = np.minimum(rng.integers(1, 9, d), k)
        useful, margin = np.empty(d, np.int64), float(rng.choice([0.0, 0.05]))
        _kernels.copies.useful_copies(
            linear, couplings, own, most, k, rng.permutation(d), d, (k + 16) * EPS, margin, useful
        )
        assert useful.tolist() == useful_copies(linear, couplings, own, most, k, margin).tolist()
        assert (useful <= most).all()
        left_out += int((most - useful).sum())
    assert left_out > 300


def test_no_best_vector_has_a_copy_that_is_left_out():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        d, k = int(rng.integers(2, 5)), int(rng.integers(2, 5))
        linear, couplings, own = some_distinct(rng, d)
        number = rng.integers(1, 4, d)
        if number.sum() < k:
            continue
        useful = Distinct(linear, couplings, own, number).useful(k)
        at = np.repeat(np.arange(d), number)
        energies = {}
        for ones in combinations(range(at.size), k):
            counts = tuple(np.bincount(at[list(ones)], minlength=d).tolist())
            energies[counts] = float(
                of_distinct(linear, couplings, own, at).energy(np.isin(np.arange(at.size), ones))
            )
        best = min(energies.values())
        within = [energy for counts, energy in energies.items() if (np.array(counts) <= useful).all()]
        assert min(within) == pytest.approx(best, abs=1e-12)


def test_copies_that_repeat_much_cost_nothing():
    rng = np.random.default_rng(1)
    shared = rng.random((40, 40)) * 0.05
    at = rng.integers(0, 40, 600)
    qubo = of_distinct(-rng.random(40), (shared + shared.T) / 2, np.full(40, 3.0), at)
    fewer = Fewer.of(qubo, 10, leaders(qubo, 10))
    assert fewer.qubo.size == np.unique(at).size
    # The first of each stay.
    assert fewer.kept.tolist() == sorted(np.unique(at, return_index=True)[1].tolist())
    found = Portfolio(k=10)(qubo)
    verify(qubo, found, k=10)
    alone = Portfolio(k=10)(fewer.qubo)
    assert found.energy[0] == pytest.approx(alone.energy[0], abs=1e-12)


def test_bits_that_rounding_tells_apart_too_far_are_no_copies():
    rng = np.random.default_rng(2)
    qubo = of_distinct(*some_distinct(rng, 3), np.array([0, 1, 2] * 30))
    assert Fewer.of(qubo, 5, leaders(qubo, 5)) is not None
    # Of twins that rounding tells apart all are looked at.
    apart = QUBO(qubo.linear + 0.9e-11 / 5 * qubo.tolerance / 1e-9 * rng.random(90), qubo.couplings)
    assert np.unique(leaders(apart, 5)).size == 3
    assert Fewer.of(apart, 5, leaders(apart, 5)) is None
    alone = QUBO(rng.random(5), np.zeros((5, 5)))
    assert Fewer.of(alone, 2, leaders(alone, 2)) is None


def certified(monkeypatch):
    monkeypatch.setattr(portfolio, "FEW", 0)
    rng = np.random.default_rng(4)
    shared = rng.random((6, 6)) * 0.1
    # The first has a second copy of use, the others have none.
    linear, own = -np.array([2.0, 1.0, 0.9, 0.8, 0.7, 0.6]), np.array([0.1, 3.0, 3.0, 3.0, 3.0, 3.0])
    qubo = of_distinct(linear, (shared + shared.T) / 2, own, np.repeat(np.arange(6), 3))
    found = Portfolio(k=3)(qubo)
    tree = found.info["certificate"].tree
    assert isinstance(tree, Copies)
    assert found.best[:3].all()
    verify(qubo, found, k=3)
    return qubo, found, tree


def forged(found, **changes):
    certificate = found.info["certificate"]
    tree = dataclasses.replace(certificate.tree, **changes)
    return dataclasses.replace(
        found, info={**found.info, "certificate": dataclasses.replace(certificate, tree=tree)}
    )


def test_a_certificate_must_keep_every_copy_that_may_be_of_use(monkeypatch):
    qubo, found, tree = certified(monkeypatch)
    second = np.setdiff1d(tree.kept, [2])
    with pytest.raises(Refuted, match="may be of use"):
        verify(qubo, forged(found, kept=second), k=3)
    with pytest.raises(Refuted, match="others than the first"):
        verify(qubo, forged(found, kept=np.sort(np.append(second[1:], 2))), k=3)
    with pytest.raises(Refuted, match="cannot be exchanged"):
        verify(qubo, forged(found, leader=np.zeros(18, np.int64)), k=3)
    with pytest.raises(Refuted, match="must be its own"):
        verify(qubo, forged(found, leader=np.roll(tree.leader, 1)), k=3)
    with pytest.raises(Refuted, match="about 3 ones"):
        verify(qubo, forged(found, k=2), k=3)
    deep = tree
    for _ in range(6):
        deep = dataclasses.replace(tree, leader=np.arange(18), kept=np.arange(18), k=3, tree=deep)
    with pytest.raises(Refuted, match="Node"):
        verify(qubo, forged(found, leader=np.arange(18), kept=np.arange(18), tree=deep), k=3)


def test_a_certificate_about_copies_says_nothing_of_every_size(monkeypatch):
    qubo, found, _ = certified(monkeypatch)
    certificate = dataclasses.replace(found.info["certificate"], k=None)
    with pytest.raises(Refuted, match="exactly k ones"):
        verify(qubo, dataclasses.replace(found, info={"certificate": certificate}))


def test_copies_that_appear_on_the_stairs_are_proven_too(monkeypatch):
    monkeypatch.setattr(portfolio, "FEW", 0)
    linear, couplings = np.array([-1, -1, 2, 0, 0, -3, -3, 0, 0.0]), np.zeros((9, 9))
    for a in (0, 1):
        couplings[a, 2], couplings[a, [5, 6]] = 0.25, 0.75
    couplings[[3, 4, 8], 5] = couplings[[3, 4, 8], 6] = 0.25
    couplings[5, 6] = 0.75
    qubo = QUBO(linear, np.triu(couplings + couplings.T, 1) + np.triu(couplings + couplings.T, 1).T)
    for k in range(1, 10):
        found = Portfolio(k=k)(qubo)
        assert found.energy[0] == pytest.approx(lowest(qubo, k))
        verify(qubo, found, k=k)
