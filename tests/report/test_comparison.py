"""Ours beside the baselines: never worse, and the table says nothing that is not so."""

import dataclasses

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import baseline_oracles as oracles
import path_oracles
from quboselect import QUBO, Constraints, SelectQUBO, Solutions, Tradeoff, best_subset, compare, solvers
from quboselect.datasets import load_ionosphere
from quboselect.redundancy.rows import Rows
from quboselect.search import baselines

REPEATED = Tradeoff([2.0, 3.0, 2.5, 1.0], np.array([[0, 0, 0, 1], [0, 0, 2, 0], [0, 2, 0, 0], [1, 0, 0, 0]]))
NAMES = ["mRMR difference", "mRMR quotient", "QPFS", "top", "penalty QUBO"]


@pytest.mark.parametrize("seed", range(200))
def test_ours_is_optimal_and_no_baseline_beats_it(seed):
    tradeoff, k = oracles.tradeoff_and_size(seed)
    comparison = compare(best_subset(tradeoff, k=k))
    qubo = tradeoff.at(comparison.alpha)
    best = path_oracles.minimum(tradeoff, comparison.alpha, k)
    assert comparison.proven
    assert comparison.ours.objective <= best + qubo.tolerance
    assert [row.name for row in comparison.rows] == ["ours", *NAMES]
    for row in comparison.rows:
        assert row.x.sum() == k
        assert row.objective == qubo.energy(row.x)
        assert row.objective >= comparison.ours.objective - qubo.tolerance
        assert row.worse_by >= 0.0
        assert row.worse_by == pytest.approx(row.objective - comparison.ours.objective, abs=qubo.tolerance)


@pytest.mark.parametrize("seed", range(0, 200, 10))
def test_the_numbers_of_a_row_are_those_of_its_features(seed):
    tradeoff, k = oracles.tradeoff_and_size(seed)
    comparison = compare(best_subset(tradeoff, k=k))
    everything = tradeoff.redundancy[np.triu_indices(tradeoff.size, 1)]
    assert comparison.mean_redundancy == pytest.approx(everything.mean())
    ours = set(np.flatnonzero(comparison.ours.x))
    for row in comparison.rows:
        features = np.flatnonzero(row.x).tolist()
        pairs = [tradeoff.redundancy[i, j] for i in features for j in features if i < j]
        assert row.importance == pytest.approx(sum(tradeoff.importance[i] for i in features))
        assert row.redundancy == pytest.approx(sum(pairs))
        assert row.mean_redundancy == pytest.approx(np.mean(pairs) if pairs else 0.0)
        assert row.shared == len(ours & set(features))
        assert row.jaccard == (len(ours & set(features)) / len(ours | set(features)) if k else 1.0)


@pytest.mark.parametrize("seed", range(30))
def test_importance_and_redundancy_add_up_to_the_objective_with_costs_too(seed):
    tradeoff = path_oracles.random_priced(seed)
    comparison = compare(best_subset(tradeoff, k=min(2, tradeoff.size)))
    alpha, ours = comparison.alpha, comparison.ours.objective
    for row in comparison.rows:
        together = -alpha * row.importance + (1 - alpha) * row.redundancy
        assert row.objective == pytest.approx(together, rel=1e-12, abs=1e-12)
        features = np.flatnonzero(row.x).tolist()
        pairs = [tradeoff.redundancy[i, j] for i in features for j in features if i < j]
        assert row.mean_redundancy == pytest.approx(np.mean(pairs) if pairs else 0.0)
        assert not ours or row.worse_by_relative == pytest.approx(row.worse_by / abs(ours))


def test_the_printed_columns_add_up_to_the_printed_objective():
    redundancy = [[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]]
    tradeoff = Tradeoff([6.0, 5.0, 5.0, 4.0], redundancy, cost=[1.0, 2.0, 1.0, 2.0])
    comparison = compare(best_subset(tradeoff, k=2), baselines={"last": lambda *_: [0, 0, 1, 1]})
    ours, last = (line.split() for line in str(comparison).splitlines()[3:5])
    assert (ours[2:5], last[4:7]) == (["11", "3", "1"], ["9", "3.1", "0.1"])
    for objective, importance, redundancy in ((ours[1], 11, 3), (last[1], 9, 3.1)):
        together = -comparison.alpha * importance + (1 - comparison.alpha) * redundancy
        assert float(objective) == pytest.approx(together, abs=1e-5)


def test_the_ranges_are_those_of_the_two_problems():
    comparison = compare(best_subset(REPEATED, k=2))
    alpha = comparison.alpha
    assert comparison.bits == baselines.dynamic_range(REPEATED.at(alpha))
    assert comparison.penalised_bits == baselines.dynamic_range(baselines.penalised(REPEATED, 2, alpha=alpha))


TABLE = """\
2 of 4 features at alpha 0.0360046. No 2 features have a lower objective than ours: proven.

                 objective         worse by  importance  redundancy  per pair  shared
ours             -0.263647                           10         0.1       0.1
mRMR difference   0.567944  0.832 (315.42%)          11           1         1  1 of 2
mRMR quotient     0.567944  0.832 (315.42%)          11           1         1  1 of 2
QPFS             -0.263647            equal          10         0.1       0.1  2 of 2
top               0.567944  0.832 (315.42%)          11           1         1  1 of 2
penalty QUBO     -0.263647            equal          10         0.1       0.1  2 of 2

Mean redundancy of a pair: 0.1 within ours, 0.55 over all features.
Dynamic range: 5.0 bits for our QUBO, 7.2 with a penalty for k.
Ours: b, c"""


def test_the_table_is_readable():
    redundancy = [[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]]
    comparison = compare(best_subset(Tradeoff([6.0, 5.0, 5.0, 4.0], redundancy), k=2, names=list("abcd")))
    assert str(comparison) == TABLE


def test_a_table_of_many_features_keeps_its_width():
    rng = np.random.default_rng(0)
    redundancy = np.triu(rng.random((40, 40)), 1)
    names = [f"a long name {i}" for i in range(40)]
    tradeoff = Tradeoff(rng.random(40), redundancy + redundancy.T)
    text = str(compare(best_subset(tradeoff, k=20, solver=solvers.Tabu(), names=names)))
    assert max(map(len, text.splitlines())) <= 100
    assert text.splitlines()[-1].endswith("...")


def test_what_is_not_proven_is_not_claimed():
    comparison = compare(best_subset(REPEATED, k=2, solver=solvers.Tabu()))
    assert not comparison.proven
    assert comparison.gap > 0.0
    assert "Ours is the best found, not proven: the gap is" in str(comparison)
    assert "lower objective" not in str(comparison)


def test_a_baseline_that_is_better_than_an_unproven_subset_is_shown_as_better():
    @dataclasses.dataclass(frozen=True)
    class Poor:
        """The worst of the right size."""

        k: int | None = None

        def __call__(self, qubo):
            samples = solvers.Exhaustive(k=self.k)(QUBO(-qubo.linear, -qubo.couplings))
            return Solutions.of(qubo, samples.best)

    poor = best_subset(path_oracles.never_size_two(), k=2, solver=Poor())
    comparison = compare(poor, baselines={"b": lambda t, k: [0, 1, 1, 0]})
    row = comparison.rows[1]
    assert row.worse_by < 0.0
    assert f"better by {-row.worse_by:.3g}" in str(comparison)


def test_ties_read_as_equal():
    best = best_subset(Tradeoff(np.ones(4), np.zeros((4, 4))), k=2)
    comparison = compare(best, baselines={"last": lambda t, k: [0, 0, 1, 1]})
    row = comparison.rows[1]
    assert (row.worse_by, row.worse_by_relative, row.shared, row.jaccard) == (0.0, 0.0, 0, 0.0)
    assert "equal" in str(comparison)


def test_a_difference_of_rounding_is_none():
    tradeoff = Tradeoff([1.0, 1.0 - 1e-12, 0.5], 0.5 * (1 - np.eye(3)))
    comparison = compare(best_subset(tradeoff, k=1), baselines={"second": lambda t, k: [0, 1, 0]})
    row = comparison.rows[1]
    assert row.objective != comparison.ours.objective
    assert row.worse_by == 0.0
    assert "equal" in str(comparison)


def test_an_objective_of_zero_has_no_share():
    redundancy = np.zeros((4, 4))
    redundancy[0, 1:] = redundancy[1:, 0] = 1.0
    tradeoff = Tradeoff([10.0, 5.0, 5.0, 5.0], redundancy)
    comparison = compare(best_subset(tradeoff, k=2), baselines={"top": baselines.top})
    assert (comparison.alpha, comparison.ours.objective) == (0.0, 0.0)
    row = comparison.rows[1]
    assert (row.worse_by, row.worse_by_relative) == (1.0, np.inf)
    assert "%" not in str(comparison)


def test_given_baselines_stand_in_place_of_the_default_ones():
    comparison = compare(
        best_subset(REPEATED, k=1), baselines={"mine": lambda tradeoff, k: np.arange(4) == 3}
    )
    assert [row.name for row in comparison.rows] == ["ours", "mine"]
    assert repr(comparison).startswith("Comparison(k=1, alpha=")
    with pytest.raises(ValueError, match="read-only"):
        comparison.rows[1].x[0] = True


def test_nothing_and_everything_can_be_compared():
    for k in (0, 4):
        comparison = compare(best_subset(REPEATED, k=k))
        assert {row.worse_by for row in comparison.rows} == {0.0}
        assert {row.jaccard for row in comparison.rows} == {1.0}
        assert str(comparison)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([0, 1], r"'mine' must return 4 bits.*\(2,\)"),
        ([1, 1, 1, 0], "'mine' must return exactly 2 .*got 3"),
        ([0, 2, 0, 0], "'mine' must return only 0 and 1, got 2"),
    ],
)
def test_a_baseline_that_does_not_return_k_features_is_named(answer, words):
    with pytest.raises(ValueError, match=words):
        compare(best_subset(REPEATED, k=2), baselines={"mine": lambda tradeoff, k: answer})


def test_a_solver_that_misses_the_size_under_the_penalty_has_no_such_row():
    def nothing(qubo):
        return Solutions.of(qubo, np.zeros(qubo.size, bool))

    comparison = compare(best_subset(REPEATED, k=3, solver=nothing))
    assert [row.name for row in comparison.rows[1:]] == NAMES[:-1]


@pytest.mark.parametrize(
    ("baselines", "error", "words"),
    [
        ([baselines.top], TypeError, "baselines.*list"),
        ({"mine": 3}, TypeError, "baseline 'mine'.*3"),
        ({"ours": baselines.top}, ValueError, "name.*'ours'"),
    ],
)
def test_wrong_baselines_are_refused(baselines, error, words):
    with pytest.raises(error, match=words):
        compare(best_subset(REPEATED, k=2), baselines=baselines)


def test_what_is_not_fitted_is_refused():
    with pytest.raises(TypeError, match=r"compare needs a Result.*Tradeoff"):
        compare(REPEATED)
    with pytest.raises(NotFittedError, match="SelectQUBO"):
        compare(SelectQUBO())


def test_rows_on_demand_are_refused():
    tradeoff = Tradeoff(REPEATED.importance, Rows.of(REPEATED.redundancy))
    with pytest.raises(ValueError, match=r"compare .* got one of 4"):
        compare(best_subset(tradeoff, k=2))


@pytest.mark.parametrize("seed", range(10))
def test_baselines_choose_among_the_free_units_of_the_same_problem(seed):
    rng = np.random.default_rng(seed)
    R = np.triu(rng.random((10, 10)), 1)
    constraints = Constraints.of(10, include=[2], exclude=[0], groups=[[4, 5]], cost={7: 0.5})
    result = best_subset(Tradeoff(rng.random(10), R + R.T, constraints.cost), k=4, constraints=constraints)
    asked = []

    def mine(tradeoff, k):
        asked.append((tradeoff.size, k))
        return np.arange(tradeoff.size) < k

    comparison = compare(result, baselines={"mine": mine, **baselines.BASELINES})
    # Of ten features one is excluded, one is in, and two are one unit.
    assert asked == [(7, 3)]
    for row in comparison.rows:
        assert row.x[2]
        assert not row.x[0]
        assert row.x[4] == row.x[5]
        assert np.unique(constraints.unit[row.x]).size == 4
        assert row.worse_by >= 0.0
    assert comparison.mean_redundancy == pytest.approx((R + R.T)[1:, 1:].sum() / 72)
    assert "constraints (1 included, 1 excluded, groups kept together)" in str(comparison)


@pytest.mark.parametrize("seed", range(20))
def test_a_fit_at_one_alpha_has_greed_on_the_same_objective_beside_it(seed):
    tradeoff, k = oracles.tradeoff_and_size(seed)
    comparison = compare(best_subset(tradeoff, k=k, alpha=0.7))
    assert [row.name for row in comparison.rows] == ["ours", "greedy", *NAMES]
    assert all(row.worse_by >= 0.0 for row in comparison.rows)


@pytest.mark.parametrize("seed", range(10))
def test_what_cannot_take_negative_redundancies_is_left_out_with_a_word(seed):
    rng = np.random.default_rng(seed)
    R = np.triu(rng.normal(size=(9, 9)), 1)
    comparison = compare(best_subset(Tradeoff(rng.random(9), R + R.T), k=4, alpha=0.75))
    assert [row.name for row in comparison.rows] == [
        "ours",
        "greedy",
        "mRMR difference",
        "top",
        "penalty QUBO",
    ]
    assert all(row.worse_by >= 0.0 for row in comparison.rows)
    assert "mRMR quotient and QPFS are left out: some redundancies are negative" in str(comparison)


def test_a_selector_compares_what_it_has_selected():
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(k=3)
    with pytest.raises(NotFittedError):
        selector.compare()
    selector.fit(X, y)
    assert str(selector.compare()) == str(compare(selector))
    names = [row.name for row in selector.compare(baselines={"first": baselines.top}).rows]
    assert names[1:] == ["first"]
