"""Growth: a dual that is extended to other bits stays one, and what starts from there is soon far."""

import numpy as np
import pytest

import solver_oracles as oracles
from quboselect import QUBO
from quboselect.proof.core import LARGEST, Core, Dense, core_beside, first_size, larger, with_more
from quboselect.proof.growth import carried_over, extended, joined, lacking, lowest
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
    start = start_at(*inside, np.arange(bits.size) < (k or bits.size // 3), k)
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
    _, lin, K = lagrangian(linear, couplings, dual.u + carried.held, dual.Z, dual.cuts)
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
        slope += 2 * form @ np.append(carried.center, 0.0)
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
    center = carried.center
    _, lin, K = lagrangian(linear, couplings, found.dual.u + carried.held, found.dual.Z, found.dual.cuts)
    K += found.dual.face
    slope = float((lin - 2 * found.dual.face * (k or 0) + 2 * K @ center).mean())

    def margin(a, z):
        row = (pairs[a] - z) / 2
        own = qubo.linear[out[a]] + 2 * row @ center - (slope if k else 0.0)
        if k:
            own += 2 * found.dual.face * (center.sum() - k)
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
    state = joined(linear, qubo.couplings, place, found, carried, k)
    at_once = relaxed(linear, qubo.couplings, k, state, 1, every=1).dual.bound
    cold = relaxed(linear, qubo.couplings, k, start_at(linear, qubo.couplings, np.arange(30) < 5, k), 60)
    assert at_once >= found.dual.bound - 0.01 * abs(found.dual.bound)
    assert at_once > cold.dual.bound - 0.01 * abs(found.dual.bound)

    # And their bound is that of the core.
    whole = extended(linear, qubo.couplings, np.concatenate([bits, out]), found.dual, carried, k)
    assert whole.bound >= found.dual.bound - 0.01 * abs(found.dual.bound)


@pytest.mark.parametrize("k", [None, 3])
@pytest.mark.parametrize("seed", range(12))
def test_the_bound_of_an_extended_dual_is_below_the_minimum_of_all_bits(seed, k):
    qubo = oracles.random_qubo(9, seed, signed=seed % 3 == 1, whole=seed % 3 == 2)
    bits = np.sort(np.random.default_rng(seed).permutation(9)[: 5 + seed % 3])
    (linear, couplings), found, out = of_core(qubo, bits, k, 40 + 20 * (seed % 4))
    pairs = qubo.couplings[np.ix_(out, bits)]
    carried = carried_over(linear, couplings, found.dual, qubo.linear[out], pairs, k)
    dual = extended(qubo.linear, qubo.couplings, np.concatenate([bits, out]), found.dual, carried, k)
    assert dual.bound <= oracles.lowest_energy(qubo, k) + 1e-12
    assert min(dual.Z.min(), dual.cuts.mu.min(initial=0.0)) >= 0.0
    for at, value in ((i, v) for i in range(9) for v in (0, 1)):
        energies = [qubo.energy(x) for x in oracles.subsets(9, k) if x[at] == value]
        assert dual.flipped()[value][at] <= min(energies, default=np.inf) + 1e-9


@pytest.mark.parametrize("k", [None, 3])
@pytest.mark.parametrize("seed", range(6))
def test_the_lowest_point_is_that_of_a_slow_descent(seed, k):
    rng = np.random.default_rng(seed)
    factor, lin = rng.normal(size=(7, 7)), rng.normal(size=7)
    K = factor @ factor.T + 0.1 * np.eye(7)
    x, held = lowest(lin, K, rng.normal(size=7), k)
    slope = lin + 2 * K @ x
    slope = slope if k is None else slope - slope.min()
    assert min(x.min(), held.min()) >= 0.0
    assert k is None or x.sum() == pytest.approx(k)
    # Where x is above 0 the slope is 0, and elsewhere it is not below, which is what is held back.
    np.testing.assert_allclose(slope[x > 0.0], 0.0, atol=1e-2)
    np.testing.assert_allclose(held, np.where(x > 0.0, 0.0, np.maximum(slope, 0.0)), atol=1e-9)
    assert slope.min() >= -1e-2


def test_what_bits_lack_to_be_convex_together_is_what_their_couplings_do_not_give():
    qubo = features(16, 2)
    bits = np.sort(np.argsort(qubo.linear)[:10])
    (linear, couplings), found, out = of_core(qubo, bits, None)
    carried = carried_over(
        linear, couplings, found.dual, qubo.linear[out], qubo.couplings[np.ix_(out, bits)], None
    )
    among = qubo.couplings[np.ix_(out, out)]
    expected = [
        sum(max(0.0, carried.rows[a] @ carried.solved[b] - among[a, b] / 2) for b in range(6) if b != a)
        for a in range(6)
    ]
    np.testing.assert_allclose(lacking(carried, among, found.dual), expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_dual_of_a_core_that_grows_holds_for_all_bits_before_it_has_all(seed):
    qubo = features(400, seed, share=0.02)
    x, lowest_energy = Tabu()(qubo).best, Tabu()(qubo).energy[0]
    source = Dense(qubo.linear, qubo.couplings)
    bits, state = core_beside(source, x)
    assert bits.size == first_size(int(x.sum())) < 400
    assert np.isin(np.flatnonzero(x), bits).all()
    gaps = []
    while bits.size < 400:
        found = relaxed(*source.inside(bits), None, state, 60)
        out = np.setdiff1d(np.arange(400), bits)
        carried = carried_over(*source.inside(bits), found.dual, *source.outside(out, bits), None)
        dual = extended(qubo.linear, qubo.couplings, np.concatenate([bits, out]), found.dual, carried, None)
        assert dual.bound <= lowest_energy + qubo.tolerance
        gaps.append((lowest_energy - dual.bound, lowest_energy - found.dual.bound))
        if gaps[-1][0] < 2 * gaps[-1][1]:
            break
        bits, state = larger(source, bits, found, carried, out, None)
    # It has all only where it would have most.
    assert bits.size == 400 or bits.size <= LARGEST * 400
    assert len(gaps) > 1
    assert gaps[-1][0] < gaps[0][0]


def test_of_a_core_what_is_settled_goes():
    qubo = features(60, 0)
    bits = np.arange(0, 60, 2)
    state = of_core(qubo, bits, None, 20)[1].state
    x = np.full(60, -1, np.int8)
    x[[0, 1]], x[[2, 3]] = 0, 1
    left = Core(bits, state).given(x)
    np.testing.assert_array_equal(left.bits, bits[2:])
    assert left.state.V.shape == (29, 29)
    np.testing.assert_array_equal(left.state.metric, np.delete(state.metric, [1, 2]))
    assert Core(bits, state).given(np.full(60, -1, np.int8)).state is state


@pytest.mark.parametrize("factor", [1e-13, 1e6])
def test_the_scale_of_a_problem_does_not_change_what_is_extended(factor):
    qubo = features(40, 1)
    bits = np.sort(np.argsort(qubo.linear)[:25])
    bounds = []
    for scale in (1.0, factor):
        scaled = QUBO(scale * qubo.linear, scale * qubo.couplings)
        (linear, couplings), found, out = of_core(scaled, bits, None)
        pairs = scaled.couplings[np.ix_(out, bits)]
        carried = carried_over(linear, couplings, found.dual, scaled.linear[out], pairs, None)
        place = np.concatenate([bits, out])
        bounds.append(
            extended(scaled.linear, scaled.couplings, place, found.dual, carried, None).bound / scale
        )
    assert bounds[1] == pytest.approx(bounds[0], rel=1e-3)


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
