"""Growth: a dual that is carried over stays one, and what starts from there is soon where a cold start is late."""

import numpy as np
import pytest

import solver_oracles as oracles
from quboselect import QUBO
from quboselect.proof import core
from quboselect.proof.core import Dense, grown, with_more
from quboselect.proof.growth import carried_over, joined
from quboselect.proof.relaxation import lagrangian, relax, start_at
from quboselect.solvers import Tabu


def relaxed(linear, couplings, k, warm, iterations, every=10):
    return relax(
        linear,
        couplings,
        k=k,
        cutoff=np.inf,
        warm=warm,
        iterations=iterations,
        every=every,
        stop=lambda *_: False,
    )


def of_core(qubo, bits, k, iterations=300):
    """Return the relaxation of some bits, and the bits outside."""
    inside = Dense(qubo.linear, qubo.couplings).inside(bits)
    start = start_at(*inside, np.arange(bits.size) < (k or bits.size // 3))
    return (
        inside,
        relaxed(*inside, k, start, iterations),
        np.setdiff1d(np.arange(qubo.size), bits),
    )


def features(n, seed, share=0.2):
    """Return a QUBO as of features: few say much, and what two say is shared."""
    rng = np.random.default_rng(seed)
    weight = rng.random(n) ** 3
    shared = np.minimum.outer(weight, weight) * rng.random((n, n)) + share * rng.random((n, n))
    shared = np.triu(shared, 1)
    return QUBO(-4.0 * weight, shared + shared.T)


@pytest.mark.parametrize("k", [None, 4])
@pytest.mark.parametrize("seed", range(6))
def test_a_dual_carried_over_to_a_bit_keeps_its_minimum_where_there_is_a_margin(seed, k):
    qubo = features(16, seed)
    bits = np.sort(np.argsort(qubo.linear)[:10])
    (linear, couplings), found, out = of_core(qubo, bits, k)
    dual, pairs = found.dual, qubo.couplings[np.ix_(out, bits)]
    carried = carried_over(linear, couplings, dual, qubo.linear[out], pairs, k)
    _, lin, K = lagrangian(linear, couplings, dual.u, dual.Z, dual.cuts)
    K += dual.face
    lin -= 2 * dual.face * (k or 0)
    assert carried.multipliers.min() >= 0.0
    assert (carried.margin > 0).any()
    for a, i in enumerate(out):
        # q(x) + x_i (l_i - u_i + (D_i - z_i)'x) + u_i x_i^2, and the size too.
        form = np.zeros((11, 11))
        form[:10, :10], form[10, 10] = K, carried.u[a] + dual.face
        form[10, :10] = form[:10, 10] = (pairs[a] - carried.multipliers[a]) / 2 + dual.face
        slope = np.append(lin, qubo.linear[i] - carried.u[a] - 2 * dual.face * (k or 0))
        slope += 2 * form @ np.append(dual.center, 0.0)
        # The minimum stays where it is: of a given size, all slopes are alike.
        np.testing.assert_allclose(slope, slope.mean() if k else 0.0, atol=1e-6 * np.abs(K).max())
        # The margin is what is left of the diagonal before the form is no longer convex.
        schur = form[10, 10] - form[10, :10] @ np.linalg.solve(K, form[:10, 10])
        assert carried.margin[a] == pytest.approx(schur, abs=1e-7 * np.abs(K).max())


@pytest.mark.parametrize("k", [None, 4])
def test_no_other_multipliers_leave_more_margin(k):
    qubo, rng = features(16, 1), np.random.default_rng(0)
    bits = np.sort(np.argsort(qubo.linear)[:10])
    (linear, couplings), found, out = of_core(qubo, bits, k)
    pairs = qubo.couplings[np.ix_(out, bits)]
    carried = carried_over(linear, couplings, found.dual, qubo.linear[out], pairs, k)
    _, lin, K = lagrangian(linear, couplings, found.dual.u, found.dual.Z, found.dual.cuts)
    K += found.dual.face
    slope = float((lin - 2 * found.dual.face * (k or 0) + 2 * K @ found.dual.center).mean())

    def margin(a, z):
        row = (pairs[a] - z) / 2
        own = qubo.linear[out[a]] + 2 * row @ found.dual.center - (slope if k else 0.0)
        if k:
            own += 2 * found.dual.face * (found.dual.center.sum() - k)
            row = row + found.dual.face
        return own + (found.dual.face if k else 0.0) - row @ np.linalg.solve(K, row)

    # Moves end before all is exact.
    largest = 0.01 * np.abs(carried.u).max()
    for a in range(out.size):
        for _ in range(100):
            z = np.maximum(
                carried.multipliers[a] + rng.normal(scale=rng.choice([0.01, 0.1, 1.0]), size=10), 0.0
            )
            assert margin(a, z) <= carried.margin[a] + largest


@pytest.mark.parametrize("k", [None, 4])
def test_bits_that_do_not_matter_join_without_loss(k):
    # Those outside cost something, in any company.
    qubo = features(30, 3)
    linear = qubo.linear.copy()
    bits = np.sort(np.argsort(linear)[:18])
    others = np.setdiff1d(np.arange(30), bits)
    linear[others] = 0.5
    (own, couplings), found, out = of_core(QUBO(linear, qubo.couplings), bits, k)
    carried = carried_over(own, couplings, found.dual, linear[out], qubo.couplings[np.ix_(out, bits)], k)
    assert carried.margin.min() > 0.0
    every, place = with_more(bits, out)
    np.testing.assert_array_equal(every, np.arange(30))
    state = joined(linear, qubo.couplings, place, found, carried)
    at_once = relaxed(linear, qubo.couplings, k, state, 1, every=1).dual.bound
    cold = relaxed(linear, qubo.couplings, k, start_at(linear, qubo.couplings, np.arange(30) < 5), 60)
    assert at_once >= found.dual.bound - 0.01 * abs(found.dual.bound)
    assert at_once > cold.dual.bound - 0.01 * abs(found.dual.bound)


@pytest.mark.parametrize("seed", range(4))
def test_what_has_grown_is_ahead_of_a_cold_start(seed, monkeypatch):
    monkeypatch.setattr(core, "CORE", 40)
    qubo = features(150, seed, share=0.02)
    x = Tabu()(qubo).best
    start = grown(Dense(qubo.linear, qubo.couplings), x, 1e9, 1)
    assert start.iterations >= core.FIRST
    assert 0 < start.work <= 1e9
    assert start.state.V.shape == (151, 151)
    warm = relaxed(qubo.linear, qubo.couplings, None, start.state, 20)
    cold = relaxed(qubo.linear, qubo.couplings, None, start_at(qubo.linear, qubo.couplings, x), 20)
    lowest = qubo.energy(x)
    assert warm.dual.bound <= lowest + qubo.tolerance
    assert lowest - warm.dual.bound < 0.5 * (lowest - cold.dual.bound)


def test_threads_change_nothing():
    qubo = oracles.random_qubo(40, 0)
    (linear, couplings), found, out = of_core(qubo, np.arange(20), None, 50)
    one, three = (
        carried_over(
            linear,
            couplings,
            found.dual,
            qubo.linear[out],
            qubo.couplings[np.ix_(out, np.arange(20))],
            None,
            n,
        )
        for n in (1, 3)
    )
    for first, second in zip(one, three, strict=True):
        np.testing.assert_array_equal(first, second)


def test_a_larger_core_is_in_order_and_says_where_its_bits_are():
    bits, place = with_more(np.array([1, 4, 6]), np.array([0, 5]))
    np.testing.assert_array_equal(bits, [0, 1, 4, 5, 6])
    np.testing.assert_array_equal(bits[place], [1, 4, 6, 0, 5])
