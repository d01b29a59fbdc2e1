"""The relaxation: its bound holds at every iterate, and its kernels do what their twins do."""

import itertools

import numpy as np
import pytest

import solver_oracles as oracles
from quboselect import QUBO
from quboselect._kernels.relaxation import project, subtract_cuts
from quboselect.proof import Apart
from quboselect.proof.cuts import Cuts, separate
from quboselect.proof.relaxation import POWER, ROW_ZERO, WEAKEST, metric_of, relax, start_at
from quboselect.proof.settling import FREE, rest_of, restricted, settled_by_dual, settled_by_signs
from quboselect.solvers import Tabu


def relaxed(qubo, k=None, iterations=100, warm=None, stop=lambda iteration, dual: False, limits=None):
    start = warm or start_at(qubo.linear, qubo.couplings, np.arange(qubo.size) < (k or qubo.size // 3), k)
    return relax(
        qubo.linear,
        qubo.couplings,
        k=k,
        cutoff=np.inf,
        warm=start,
        iterations=iterations,
        every=10,
        stop=stop,
        limits=limits,
    )


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("exactly", [False, True])
def test_the_bound_of_every_iterate_is_below_the_minimum(seed, exactly):
    qubo = oracles.random_qubo(8, seed, signed=seed % 3 == 1, whole=seed % 3 == 2)
    k = 1 + seed % 6 if exactly else None
    minimum = oracles.lowest_energy(qubo, k)
    bounds = []
    found = relaxed(qubo, k, 200, stop=lambda iteration, dual: bounds.append(dual.bound))
    assert len(bounds) == 20
    assert max(bounds) <= minimum + 1e-12
    assert found.dual.bound == max(bounds)
    assert found.dual.bound >= minimum - 0.15 * max(1.0, abs(minimum))


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_within_limits_is_below_what_keeps_to_them_and_above_the_others(seed):
    qubo, k = oracles.random_qubo(9, seed, signed=seed % 3 == 1, whole=seed % 3 == 2), 2 + seed % 4
    best = min(oracles.subsets(9, k), key=qubo.energy)
    limits = Apart(best[None], 1 + seed % 2).limits(np.full(9, FREE, np.int8))
    far = [x for x in oracles.subsets(9, k) if (x & best).sum() <= limits.most[0]]
    minimum = min(qubo.energy(x) for x in far)
    bounds = []
    found = relaxed(qubo, k, 200, stop=lambda iteration, dual: bounds.append(dual.bound), limits=limits)
    assert max(bounds) <= minimum + 1e-12
    assert found.dual.away.shape == (1,)
    assert found.dual.bound > relaxed(qubo, k, 200).dual.bound + 1e-6
    # What is charged is paid back: the bound is that of other energies, less a fee.
    charged, fee = limits.charged(qubo.linear, found.dual.away)
    for x in far:
        assert QUBO(charged, qubo.couplings).energy(x) - fee <= qubo.energy(x) + 1e-9


def test_a_warm_start_goes_on_where_the_last_one_stood():
    qubo = oracles.random_qubo(20, 1)
    first = relaxed(qubo, iterations=60)
    cold, warm = relaxed(qubo, iterations=10), relaxed(qubo, iterations=10, warm=first.state)
    assert warm.dual.bound > cold.dual.bound


def test_nothing_to_say_about_a_problem_of_zeros():
    qubo = QUBO(np.zeros(12), np.zeros((12, 12)))
    assert relaxed(qubo, iterations=20).dual.bound == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("factor", [1e-6, 1.0, 1e6])
def test_the_scale_of_a_problem_changes_nothing(factor):
    qubo = oracles.random_qubo(14, 3, signed=True)
    scaled = QUBO(factor * qubo.linear, factor * qubo.couplings)
    once, again = relaxed(qubo, iterations=40).dual.bound, relaxed(scaled, iterations=40).dual.bound
    assert again == pytest.approx(factor * once, rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_few_iterations_come_near_generic_problems(seed):
    rng = np.random.default_rng(seed)
    pairs = np.triu(rng.integers(-100, 101, (40, 40)), 1) * (rng.random((40, 40)) < 0.3)
    qubo = QUBO.from_matrix((pairs + pairs.T + np.diag(rng.integers(-100, 101, 40))).astype(float))
    best = Tabu()(qubo)
    start = start_at(qubo.linear, qubo.couplings, best.best, None)
    assert relaxed(qubo, iterations=100, warm=start).dual.bound >= 1.02 * best.energy[0]


def test_subtracting_cuts_is_what_it_says():
    rng = np.random.default_rng(0)
    x = rng.random(6)
    Y = np.block([[np.ones((1, 1)), x[None]], [x[:, None], 0.5 * rng.random((6, 6))]])
    cuts = separate((Y + Y.T) / 2, Cuts.none(), 50)
    cuts = Cuts(cuts.members, cuts.signs, cuts.offsets, rng.random(len(cuts)))
    linear, pairs = np.zeros(6), np.zeros((6, 6))
    constant = subtract_cuts(linear, pairs, *cuts.arrays())
    for bits in oracles.subsets(6):
        total = 0.0
        for members, signs, offset, mu in zip(*cuts.arrays(), strict=True):
            b = sum(int(s) * int(bits[i - 1]) for i, s in zip(members, signs, strict=True) if i > 0)
            total += mu * (b - offset) * (b - offset - 1) / 2
        assert constant - linear @ bits - bits @ pairs @ bits == pytest.approx(total, abs=1e-9)


def values_of(cuts, Y):
    """Each cut's value at a lifted matrix, one term after the other."""
    for members, signs, t, _ in zip(*cuts.arrays(), strict=True):
        there = [(int(i), int(b)) for i, b in zip(members, signs, strict=True) if i > 0]
        value = t * (t + 1) / 2
        value += sum((-t if b > 0 else t + 1) * Y[i, i] for i, b in there)
        yield value + sum(a * b * Y[i, j] for (i, a), (j, b) in itertools.combinations(there, 2))


@pytest.mark.parametrize("limits", [0, 4])
@pytest.mark.parametrize("seed", range(6))
def test_the_projection_is_the_nearest_point_of_the_polyhedron(seed, limits):
    rng = np.random.default_rng(seed)
    n, rho = 6, 0.3
    # The first problems count all bits alike.
    tau = np.append(2.0, np.ones(n) if seed < 2 else rng.uniform(0.1, 1.5, n))
    x = rng.random(n)
    Y = np.block([[np.ones((1, 1)), x[None]], [x[:, None], rng.random((n, n))]])
    np.fill_diagonal(Y[1:, 1:], x)
    cuts = separate((Y + Y.T) / 2, Cuts.none(), 60)
    X, U = rng.normal(size=(2, n + 1, n + 1))
    X, U, linear, pairs = X + X.T, U + U.T, rng.normal(size=n), rng.normal(size=(n, n))
    pairs = np.triu(pairs, 1) + np.triu(pairs, 1).T
    P, mu = np.zeros((n + 1, n + 1)), np.zeros(len(cuts))
    # The second holds for other bits than the first, the third for none, and the last is no limit at all.
    rows = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 1, 1, 1, 1], [0] * 6, [1, 0, 1, 0, 1, 0]], bool)[:limits]
    most, away = np.array([1, 2, 0, 3])[:limits], np.zeros(limits)
    flat, V, Z = P.reshape(-1), X + U, np.zeros((n, n))
    project(P, flat, X, V, tau, linear, pairs, rho, *cuts.terms(tau), mu, rows, most, away, 5000, Z)
    without, start = np.zeros_like(P), [np.zeros_like(mu), rows, most, np.zeros_like(away)]
    terms = cuts.terms(tau)
    project(
        without, without.reshape(-1), X, V, tau, linear, pairs, rho, *terms, *start, 5000, np.zeros((0, 0))
    )
    np.testing.assert_array_equal(without, P)

    lifted = P / np.outer(tau, tau)
    assert lifted[0, 0] == pytest.approx(1)
    assert (lifted == lifted.T).all()
    assert min(lifted.min(), Z.min(), mu.min()) >= 0
    np.testing.assert_allclose(np.diagonal(lifted)[1:], lifted[0, 1:])
    values = np.array(list(values_of(cuts, lifted)))
    assert len(cuts) > 10
    assert values.min() > -1e-6
    assert np.abs(values * mu).max() < 1e-6
    assert not limits or away.max() > 0
    room = most - rows @ np.diagonal(lifted)[1:]
    assert min([0.0, *away]) >= 0
    assert min([0.0, *room]) > -1e-6
    assert max([0.0, *np.abs(room * away)]) < 1e-6
    # Where nothing pulls any more: what is left of the slope is borne by the multipliers.
    slope = rho * (P - X + U) * np.outer(tau, tau)
    by_pair = 2 * np.triu(slope[1:, 1:], 1) + np.triu(pairs, 1) - np.triu(Z, 1)
    by_bit = np.diagonal(slope)[1:] + 2 * slope[0, 1:] + linear - np.diagonal(Z)
    bits, products = np.zeros(n), np.zeros((n, n))
    subtract_cuts(bits, products, cuts.members, cuts.signs, cuts.offsets, mu)
    np.testing.assert_allclose(by_pair, -products, atol=1e-6)
    np.testing.assert_allclose(by_bit + away @ rows, -bits, atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_weak_bits_count_less_unless_the_size_is_given(seed):
    qubo = oracles.random_qubo(9, seed)
    metric = metric_of(qubo.linear, qubo.couplings, None)
    lows = [
        min(qubo.energy(x) - qubo.energy(x & (np.arange(9) != i)) for x in oracles.subsets(9) if x[i])
        for i in range(9)
    ]
    worth = np.maximum(-np.array(lows) / -min(lows), WEAKEST)
    np.testing.assert_allclose(metric, [ROW_ZERO, *worth**POWER], rtol=1e-9)
    np.testing.assert_array_equal(metric_of(qubo.linear, qubo.couplings, 3), [ROW_ZERO, *np.ones(9)])


def test_where_couplings_are_negative_all_count_the_same():
    qubo = oracles.random_qubo(9, 1, signed=True)
    np.testing.assert_array_equal(metric_of(qubo.linear, qubo.couplings, None), [ROW_ZERO, *np.ones(9)])


def test_where_no_bit_is_worth_anything_all_count_the_same():
    np.testing.assert_array_equal(metric_of(np.ones(3), np.zeros((3, 3)), None), [ROW_ZERO, *np.ones(3)])


@pytest.mark.parametrize("seed", range(20))
def test_what_is_settled_by_signs_keeps_an_optimum(seed):
    qubo = oracles.random_qubo(7, seed, signed=True, whole=seed % 2 == 0)
    values = settled_by_signs(qubo.linear, qubo.couplings)
    rows = [x for x in oracles.subsets(7) if all(v in (FREE, bit) for v, bit in zip(values, x, strict=True))]
    best = min(qubo.energy(x) for x in rows)
    assert best == pytest.approx(oracles.lowest_energy(qubo), abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("exactly", [False, True])
def test_what_is_settled_by_a_dual_loses_nothing_below_the_cutoff(seed, exactly):
    qubo = oracles.random_qubo(8, seed, signed=seed % 2 == 1)
    k = 3 if exactly else None
    minimum = oracles.lowest_energy(qubo, k)
    dual = relaxed(qubo, k, 60 + 40 * (seed % 4)).dual
    for cutoff in (minimum, minimum + 0.1, minimum + 0.5):
        values, _ = settled_by_dual(qubo.linear, qubo.couplings, dual, cutoff, k)
        for x in oracles.subsets(8, k):
            if qubo.energy(x) < cutoff - 1e-9:
                assert all(v in (FREE, bit) for v, bit in zip(values, x, strict=True))


def test_the_rest_of_a_qubo_has_its_energies():
    qubo = oracles.random_qubo(6, 3, signed=True)
    settled = np.array([1, FREE, 0, FREE, 1, FREE], np.int8)
    rest = rest_of(qubo.linear, qubo.couplings, settled)
    for bits in oracles.subsets(3):
        full = settled.copy()
        full[rest.free] = bits
        energy = rest.linear @ bits + 0.5 * bits @ rest.couplings @ bits + rest.offset
        assert energy == pytest.approx(qubo.energy(full), abs=1e-12)


def test_a_restricted_state_fits_the_smaller_problem():
    qubo = oracles.random_qubo(12, 5)
    settled = np.full(12, FREE, np.int8)
    settled[[0, 3]] = [1, 0]
    found = relaxed(qubo, iterations=50)
    rest = rest_of(qubo.linear, qubo.couplings, settled)
    below = relax(
        rest.linear, rest.couplings, k=None, cutoff=np.inf, warm=restricted(found.state, settled),
        iterations=50, every=10, stop=lambda iteration, dual: False,
    )  # fmt: skip
    lowest = min(qubo.energy(x) for x in oracles.subsets(12) if x[0] and not x[3])
    assert below.dual.bound + rest.offset <= lowest + 1e-12
