"""Twins: which bits can be exchanged, with what rounding leaves of equal numbers, and what it does for proofs."""

import numpy as np
import pytest

from quboselect import QUBO
from quboselect.errors import Refuted
from quboselect.solvers import BranchAndBound, Exhaustive, Portfolio
from quboselect.solvers.branch import largest_sum, leaders, numbered
from quboselect.testing import verify


def copies(rng, distinct, n, *, noise=0.0):
    """Return a QUBO of n bits, each a copy of one of some distinct ones, and of which; copies share much."""
    of = np.concatenate([np.arange(distinct), rng.integers(0, distinct, n - distinct)])
    weight = rng.random(distinct)
    shared = np.minimum.outer(weight, weight) * rng.random((distinct, distinct))
    shared = (shared + shared.T) / 2
    np.fill_diagonal(shared, 3.0)
    couplings = shared[np.ix_(of, of)] * (1.0 + noise * rng.standard_normal((n, n)))
    couplings = np.triu(couplings, 1)
    return QUBO(-2.0 * weight[of], couplings + couplings.T), of


@pytest.mark.parametrize("seed", range(20))
def test_copies_have_one_leader_even_where_their_numbers_were_rounded(seed):
    qubo, of = copies(np.random.default_rng(seed), 8, 200, noise=2e-16)
    assert leaders(qubo, 5).tolist() == of.tolist()


def test_what_differs_has_leaders_of_its_own():
    qubo, of = copies(np.random.default_rng(1), 5, 12)
    couplings = np.array(qubo.couplings)
    couplings[0, 3] = couplings[3, 0] = couplings[0, 3] + 1e-6
    found = leaders(QUBO(qubo.linear, couplings), 3)
    assert all(found[i] != 0 for i in np.flatnonzero(of == 0) if i)
    assert all(found[i] != 3 for i in np.flatnonzero(of == 3) if i != 3)


@pytest.mark.parametrize("k", [1, 3, 6])
@pytest.mark.parametrize("seed", range(10))
def test_with_copies_the_optimum_is_found_and_its_certificate_holds(seed, k):
    qubo, _ = copies(np.random.default_rng(seed), 6, 16, noise=2e-16)
    found = BranchAndBound(k=k)(qubo)
    assert found.proven
    assert found.energy[0] == pytest.approx(Exhaustive(k=k)(qubo).energy[0], abs=qubo.tolerance)
    verify(qubo, found, k=k)


def test_bits_that_are_no_twins_are_refuted_as_such():
    qubo, _ = copies(np.random.default_rng(2), 6, 12)
    found = BranchAndBound(k=3)(qubo)
    trace = found.info["certificate"].tree
    trace.leader[1] = 0
    with pytest.raises(Refuted, match="exchanged"):
        verify(qubo, found, k=3)


def test_largest_sum():
    rng = np.random.default_rng(3)
    values = rng.random(9)
    for most in range(1, 12):
        assert largest_sum(values, most) == pytest.approx(sum(sorted(values)[-most:]))


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("seed", range(10))
def test_more_copies_than_can_be_taken_change_nothing(seed, k, monkeypatch):
    monkeypatch.setattr("quboselect.solvers.portfolio.FEW", 0)
    qubo, _ = copies(np.random.default_rng(seed), 4, 18, noise=2e-16)
    found = Portfolio(k=k)(qubo)
    assert found.proven
    assert found.best.sum() == k
    assert found.energy[0] == pytest.approx(Exhaustive(k=k)(qubo).energy[0], abs=qubo.tolerance)
    verify(qubo, found, k=k)
    quick = Portfolio(k=k, effort=0)(qubo)
    assert quick.best.sum() == k
    assert quick.x.shape[1] == qubo.size


@pytest.mark.parametrize("leader", [[0], [0, 0, 0], [0, 1, 0, 3, 1, 0]])
def test_copies_are_numbered(leader):
    assert numbered(np.array(leader)).tolist() == [leader[:i].count(each) for i, each in enumerate(leader)]
