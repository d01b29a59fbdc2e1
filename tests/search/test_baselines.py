"""The baselines: each against its naive twin, on tradeoffs of many kinds."""

import numpy as np
import pytest
from scipy.optimize import minimize

import baseline_oracles as oracles
from path_oracles import all_subsets
from quboselect import QUBO, Tradeoff, importance, redundancy
from quboselect.datasets import load_ionosphere
from quboselect.redundancy.rows import Rows
from quboselect.search import baselines

SEEDS = range(60)
METHODS = pytest.mark.parametrize("method", baselines.BASELINES.values(), ids=list(baselines.BASELINES))
REPEATED = Tradeoff([1.0, 3.0, 2.0], [[0, 0, 0], [0, 0, 9], [0, 9, 0]])
FLAT = Tradeoff(np.ones(5), np.zeros((5, 5)))


def chosen(bits):
    return np.flatnonzero(bits).tolist()


@METHODS
@pytest.mark.parametrize("seed", range(0, 60, 6))
def test_every_size_is_given_exactly_and_the_same_way_twice(method, seed):
    tradeoff, _ = oracles.tradeoff_and_size(seed)
    for k in range(tradeoff.size + 1):
        x = method(tradeoff, k)
        assert (x.dtype, x.shape, x.sum()) == (np.bool_, (tradeoff.size,), k)
        assert np.array_equal(x, method(tradeoff, k))


@METHODS
def test_ties_go_to_the_lower_index(method):
    assert chosen(method(FLAT, 2)) == [0, 1]
    assert chosen(method(Tradeoff(np.zeros(3), np.zeros((3, 3))), 2)) == [0, 1]


@METHODS
@pytest.mark.parametrize("k", [-1, 4, 2.0, True, None])
def test_a_size_that_is_none_is_refused_in_words(method, k):
    with pytest.raises(ValueError, match=f"k must be an integer from 0 to 3, got {k}"):
        method(REPEATED, k)


@METHODS
def test_no_features_are_no_features(method):
    assert method(Tradeoff(np.zeros(0), np.zeros((0, 0))), 0).shape == (0,)


def test_the_most_important_are_taken_whatever_they_repeat():
    assert chosen(baselines.top(REPEATED, 2)) == [1, 2]


@pytest.mark.parametrize("quotient", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_mrmr_is_its_naive_loop(seed, quotient):
    tradeoff, k = oracles.tradeoff_and_size(seed)
    expected = sorted(oracles.mrmr(tradeoff, k, quotient))
    assert chosen(baselines.mrmr(tradeoff, k, quotient=quotient)) == expected


def test_the_quotient_takes_what_repeats_nothing_first_but_only_if_it_is_important():
    redundancy = np.zeros((5, 5))
    redundancy[0, 1] = redundancy[1, 0] = 1e-320
    tradeoff = Tradeoff([9.0, 8.0, 1.0, 2.0, 0.0], redundancy)
    orders = [chosen(baselines.mrmr(tradeoff, k, quotient=True)) for k in range(1, 5)]
    assert orders == [[0], [0, 3], [0, 2, 3], [0, 1, 2, 3]]


def objective(matrix, gain, weights):
    return 0.5 * weights @ matrix @ weights - gain @ weights


@pytest.mark.parametrize("diagonal", [None, 0.7])
@pytest.mark.parametrize("alpha", [None, 0.0, 0.3, 0.95])
@pytest.mark.parametrize("seed", range(15))
def test_the_weights_of_qpfs_satisfy_the_conditions_of_an_optimum(seed, alpha, diagonal):
    tradeoff, _ = oracles.tradeoff_and_size(seed)
    diagonal = None if diagonal is None else np.full(tradeoff.size, diagonal)
    weights = baselines.qpfs_weights(tradeoff, alpha=alpha, diagonal=diagonal)
    matrix, gain = oracles.programme(tradeoff, alpha, diagonal)
    assert weights.min() >= 0.0
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    slopes = matrix @ weights - gain
    # No slope is below that of the positive weights, which is the gap of Frank and Wolfe.
    assert slopes @ weights - slopes.min() <= 1e-13 * (matrix.max() + gain.max())


@pytest.mark.parametrize("alpha", [None, 0.4])
@pytest.mark.parametrize("seed", range(20))
def test_the_weights_of_qpfs_are_no_worse_than_those_of_scipy(seed, alpha):
    tradeoff, _ = oracles.tradeoff_and_size(seed)
    matrix, gain = oracles.programme(tradeoff, alpha)
    n = tradeoff.size
    theirs = minimize(
        lambda w: objective(matrix, gain, w),
        np.full(n, 1 / n),
        jac=lambda w: matrix @ w - gain,
        method="SLSQP",
        bounds=[(0, 1)] * n,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(n)},
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    ours = baselines.qpfs_weights(tradeoff, alpha=alpha)
    assert objective(matrix, gain, ours) == pytest.approx(theirs.fun, abs=1e-7)
    assert objective(matrix, gain, ours) <= theirs.fun + 1e-9


@pytest.mark.parametrize("start", ["everywhere", "first", "last"])
@pytest.mark.parametrize("seed", range(15))
def test_the_weights_of_qpfs_are_exact_wherever_their_search_starts(seed, start, monkeypatch):
    def far(matrix, gain, steepest):
        one = np.eye(gain.size)[0 if start == "first" else -1]
        return np.full(gain.size, 1 / gain.size) if start == "everywhere" else one

    tradeoff, _ = oracles.tradeoff_and_size(seed)
    near = baselines.qpfs_weights(tradeoff)
    monkeypatch.setattr(baselines, "_warm", far)
    weights = baselines.qpfs_weights(tradeoff)
    matrix, gain = oracles.programme(tradeoff)
    slopes = matrix @ weights - gain
    # A long way rounds more than the short one from the usual start.
    assert slopes @ weights - slopes.min() <= 1e-11 * (matrix.max() + gain.max())
    np.testing.assert_allclose(weights, near, atol=1e-10)


def test_many_features_in_few_groups_have_exact_weights():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 12, 150)
    sources = rng.random((12, 4))[groups]
    redundancy = sources @ sources.T
    diagonal = redundancy.diagonal().copy()
    np.fill_diagonal(redundancy, 0.0)
    tradeoff = Tradeoff(rng.random(12)[groups], redundancy)
    weights = baselines.qpfs_weights(tradeoff, diagonal=diagonal)
    matrix, gain = oracles.programme(tradeoff, None, diagonal)
    slopes = matrix @ weights - gain
    assert slopes @ weights - slopes.min() <= 1e-13 * (matrix.max() + gain.max())
    for group in range(12):
        # The raised diagonal makes features that say the same share their weight.
        np.testing.assert_allclose(weights[groups == group], weights[groups == group].mean(), atol=1e-9)


def test_qpfs_ranks_by_weight_then_importance_then_index():
    tradeoff, _ = oracles.tradeoff_and_size(1)
    weights = baselines.qpfs_weights(tradeoff, alpha=0.95)
    assert 0 < (weights > 0).sum() < tradeoff.size - 1
    order = sorted(range(tradeoff.size), key=lambda i: (-weights[i], -tradeoff.importance[i], i))
    for k in range(tradeoff.size + 1):
        assert chosen(baselines.qpfs(tradeoff, k, alpha=0.95)) == sorted(order[:k])


def test_qpfs_at_alpha_one_is_the_most_important():
    assert baselines.qpfs_weights(REPEATED, alpha=1.0).tolist() == [0.0, 1.0, 0.0]
    assert chosen(baselines.qpfs(REPEATED, 2, alpha=1.0)) == [1, 2]


def test_importance_that_dwarfs_redundancy_leaves_one_weight():
    tradeoff = Tradeoff([1e6, 2e6, 1e6], 1e-9 * (1 - np.eye(3)))
    np.testing.assert_allclose(baselines.qpfs_weights(tradeoff, alpha=0.999), [0, 1, 0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"alpha": 1.5}, "alpha must be a number from 0 to 1, got 1.5"),
        ({"diagonal": [1.0]}, "diagonal must be 3 numbers, one for each feature and none negative, got 1"),
        ({"diagonal": [1.0, -2.0, 1.0]}, "none negative, got 3 with -2 among them"),
    ],
)
def test_wrong_arguments_of_qpfs_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        baselines.qpfs(REPEATED, 1, **arguments)


@pytest.mark.parametrize("alpha", [0.0, 0.2, 0.9, 1.0])
@pytest.mark.parametrize("seed", range(25))
def test_the_penalty_makes_k_features_optimal_and_any_other_size_no_local_minimum(seed, alpha):
    tradeoff, k = oracles.tradeoff_and_size(seed)
    qubo, plain = baselines.penalised(tradeoff, k, alpha=alpha), tradeoff.at(alpha)
    n = tradeoff.size
    x = all_subsets(n)
    energy, size = qubo.energy(x), x.sum(axis=1)
    assert (size[energy <= energy.min() + qubo.tolerance] == k).all()
    weight = 0.5 * (qubo.couplings[0, 1] - plain.couplings[0, 1])
    np.testing.assert_allclose(energy + weight * k**2, plain.energy(x) + weight * (size - k) ** 2, atol=1e-9)
    neighbours = energy[np.arange(2**n)[:, None] ^ (1 << np.arange(n))]
    local = (neighbours >= energy[:, None]).all(axis=1)
    assert (size[local] == k).all()


def test_the_default_penalty_is_not_much_larger_than_it_must_be():
    # One feature costs 3 to add to the other, and two are wanted.
    tradeoff = Tradeoff([2.0, 2.0], [[0.0, 8.0], [8.0, 0.0]])
    x = [[0, 1], [1, 1]]
    enough = np.diff(baselines.penalised(tradeoff, 2, alpha=0.5).energy(x))
    too_little = np.diff(baselines.penalised(tradeoff, 2, alpha=0.5, weight=2.97).energy(x))
    assert enough < 0.0 < too_little


@pytest.mark.parametrize("weight", [0.0, -1.0, np.inf, np.nan])
def test_a_penalty_that_is_none_is_refused(weight):
    with pytest.raises(
        ValueError, match="weight must be a finite number above 0, or None for one that is enough"
    ):
        baselines.penalised(REPEATED, 1, alpha=0.5, weight=weight)


def test_the_size_and_alpha_of_a_penalty_are_checked():
    with pytest.raises(ValueError, match="k must be an integer from 0 to 3"):
        baselines.penalised(REPEATED, 4, alpha=0.5)
    with pytest.raises(ValueError, match="alpha must be a number from 0 to 1"):
        baselines.penalised(REPEATED, 2, alpha=2.0)


@pytest.mark.parametrize(
    ("linear", "coupling", "bits"),
    [
        ([-1.0, -1.0], 3.0, 2.0),  # -1, 0, 3: from 4 to 1
        ([-4.0, -4.0], -4.0, 0.0),  # -4 and 0: one difference
        ([0.0, 0.0], 0.0, 0.0),
        ([-1.0, -1.0 + 2**-40], 1.0, 41.0),
        ([-1.0, np.nextafter(-1.0, 0.0)], 1.0, 1.0),  # rounding is no difference
    ],
)
def test_the_dynamic_range_by_hand(linear, coupling, bits):
    assert baselines.dynamic_range(QUBO(linear, [[0.0, coupling], [coupling, 0.0]])) == pytest.approx(bits)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_dynamic_range_is_that_of_all_differences(seed):
    tradeoff, k = oracles.tradeoff_and_size(seed)
    # A grid of values leaves no differences that could be taken for rounding.
    grid = Tradeoff(np.round(64 * tradeoff.importance), np.round(64 * tradeoff.redundancy))
    for qubo in (grid.at(0.5), baselines.penalised(grid, k, alpha=0.5, weight=4.0)):
        assert baselines.dynamic_range(qubo) == pytest.approx(oracles.dynamic_range(qubo), abs=1e-12)


def test_the_dynamic_range_of_nothing_is_none():
    assert baselines.dynamic_range(QUBO(np.zeros(0), np.zeros((0, 0)))) == 0.0


@pytest.mark.parametrize("k", [2, 5, 10, 20])
def test_the_penalty_costs_bits_on_ionosphere(k):
    X, y = load_ionosphere(return_X_y=True)
    tradeoff = Tradeoff(importance.MutualInformation()(X, y), redundancy.MutualInformation()(X))
    plain = baselines.dynamic_range(tradeoff.at(0.95))
    assert baselines.dynamic_range(baselines.penalised(tradeoff, k, alpha=0.95)) > plain + 1.0


@pytest.mark.parametrize("seed", range(30))
def test_greed_adds_what_lowers_the_energy_most_one_by_one(seed):
    rng = np.random.default_rng(seed)
    n, alpha = int(rng.integers(1, 9)), float(rng.random())
    R = np.triu(rng.normal(size=(n, n)) if seed % 2 else rng.random((n, n)), 1)
    tradeoff = Tradeoff(rng.random(n), R + R.T, rng.random(n))
    qubo, x = tradeoff.at(alpha), np.zeros(n, bool)
    for k in range(n + 1):
        np.testing.assert_array_equal(baselines.greedy(tradeoff, k, alpha=alpha), x)
        energies = {i: qubo.energy(x | (np.arange(n) == i)) for i in np.flatnonzero(~x)}
        if energies:
            x[min(energies, key=energies.get)] = True


@pytest.mark.parametrize("seed", range(20))
def test_a_penalty_holds_to_k_where_redundancies_are_negative_too(seed):
    rng = np.random.default_rng(seed)
    R = np.triu(rng.normal(size=(7, 7)), 1)
    tradeoff = Tradeoff(rng.random(7), R + R.T)
    for k in range(8):
        qubo = baselines.penalised(tradeoff, k, alpha=0.6)
        subsets = all_subsets(7)
        assert subsets[qubo.energy(subsets).argmin()].sum() == k


def test_greedy_adds_what_lowers_the_energy_most_from_a_matrix_or_from_rows():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n, alpha = int(rng.integers(2, 9)), float(rng.random())
        pairs = np.triu(rng.random((n, n)) - 0.3, 1).astype(np.float32)
        pairs = pairs + pairs.T
        tradeoff = Tradeoff(rng.random(n), pairs.astype(float), rng.random(n))
        k, chosen = int(rng.integers(0, n + 1)), []
        for _ in range(k):
            others = [i for i in range(n) if i not in chosen]
            energies = [tradeoff.at(alpha).energy(np.isin(np.arange(n), [*chosen, i])) for i in others]
            chosen.append(others[int(np.argmin(energies))])
        found = baselines.greedy(tradeoff, k, alpha=alpha)
        assert np.flatnonzero(found).tolist() == sorted(chosen)
        rows = Tradeoff(tradeoff.importance, Rows.of(pairs, signed=True), tradeoff.cost)
        assert baselines.greedy(rows, k, alpha=alpha).tolist() == found.tolist()
