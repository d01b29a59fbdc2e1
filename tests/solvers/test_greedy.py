"""Greed takes the steps of mRMR and JMI, needs rows alone, and claims nothing."""

import numpy as np
import pytest

from quboselect import QUBO, SelectQUBO, Tradeoff, criteria
from quboselect.redundancy.rows import Rows
from quboselect.search.baselines import mrmr
from quboselect.search.constraints import Constraints
from quboselect.search.wide.selection import choose_wide
from quboselect.solvers import Anneal, Greedy, Portfolio, Tabu


def random_tradeoff(seed, n=30):
    rng = np.random.default_rng(seed)
    matrix = np.triu(rng.random((n, n)), 1).round(3)
    return Tradeoff(rng.random(n).round(3), matrix + matrix.T)


def naive_steps(tradeoff, k):
    """Return the features by the step of mRMR and JMI: importance less the mean redundancy with those taken."""
    taken = [int(np.argmax(tradeoff.importance))]
    while len(taken) < k:
        others = [i for i in range(tradeoff.size) if i not in taken]
        gains = [tradeoff.importance[i] - tradeoff.redundancy[i, taken].mean() for i in others]
        taken.append(others[int(np.argmax(gains))])
    return taken


@pytest.mark.parametrize("seed", range(10))
def test_at_the_alpha_of_k_the_steps_are_those_of_mrmr(seed):
    tradeoff, k = random_tradeoff(seed), 2 + seed
    alpha = criteria.JMI().alpha(k)
    expected = naive_steps(tradeoff, k)
    found = Greedy(k=k)(tradeoff.at(alpha))
    assert sorted(expected) == np.flatnonzero(found.best).tolist()
    assert (found.best == mrmr(tradeoff, k)).all()
    qubo = tradeoff.at(alpha)
    assert Greedy(k=k).by_rows(qubo.linear, lambda i: qubo.couplings[i]).tolist() == expected
    assert not found.proven
    assert found.bound == -np.inf


@pytest.mark.parametrize("seed", range(10))
def test_without_k_it_goes_down_until_no_bit_does(seed):
    rng = np.random.default_rng(seed)
    couplings = np.triu(rng.normal(size=(12, 12)), 1)
    qubo = QUBO(rng.normal(size=12), couplings + couplings.T)
    x = np.zeros(12, bool)
    while True:
        single = np.where(x, np.inf, qubo.linear + qubo.couplings @ x)
        if single.min() >= 0:
            break
        x[np.argmin(single)] = True
    assert (Greedy()(qubo).best == x).all()


@pytest.mark.parametrize("k", [0, 1, 5])
def test_as_many_as_asked_for(k):
    qubo = QUBO(np.array([1.0, -1.0, 0.0, 2.0, 3.0]), np.zeros((5, 5)))
    assert Greedy(k=k)(qubo).best.sum() == k


def test_more_than_there_are_is_refused():
    with pytest.raises(ValueError, match="k must be an integer from 0 to 2, got 3"):
        Greedy(k=3)(QUBO([1.0, 2.0], np.zeros((2, 2))))


@pytest.mark.parametrize(
    "constraints", [{}, {"include": [3], "exclude": [7, 8]}, {"groups": [[0, 1], [2, 4, 5]]}]
)
def test_from_rows_alone_it_takes_the_same_and_asks_for_few(constraints):
    tradeoff = random_tradeoff(1, 40)
    limits = Constraints.of(40, **constraints)
    asked = set()

    def pairs(features, others):
        asked.update(features.tolist())
        part = tradeoff.redundancy[features]
        return (part if others is None else part[:, others]).astype(np.float32)

    rows = Tradeoff(tradeoff.importance, Rows(40, pairs))
    choice = choose_wide(rows, limits, Greedy(), k=6, alpha=0.8)
    from quboselect.search.units import Units

    units = Units(Tradeoff(tradeoff.importance, tradeoff.redundancy.astype(np.float32)), limits)
    expected = units.features(Greedy(k=6 - limits.kept)(units.problem().at(0.8)).best)
    assert (choice.solutions.best == expected).all()
    if not limits.grouped:  # whose members are asked about each other
        assert asked == set(np.flatnonzero(expected).tolist())
    assert choice.solutions.energy[0] == pytest.approx(tradeoff.at(0.8).energy(expected), rel=1e-6)
    assert choice.solutions.bound == -np.inf
    assert "nothing is proven" in choice.solutions.info["wide"].text


def test_a_wide_table_is_fitted_without_its_matrix():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = rng.normal(size=(60, 2100)) + 0.6 * y[:, None] * (rng.random(2100) < 0.02)
    criterion = criteria.MRMR(bins=10)
    fit = SelectQUBO(8, criterion=criterion, solver=Greedy()).fit(X, y)
    assert fit.support_.sum() == 8
    assert fit.result_.core.rows <= 20
    best = SelectQUBO(8, criterion=criterion, solver=Portfolio(effort=0)).fit(X, y)
    assert best.result_.energy <= fit.result_.energy + 1e-6


@pytest.mark.parametrize("solver", [Tabu(), Anneal(), Portfolio(effort=0)])
def test_solvers_of_another_kind_search_a_core_as_ever(solver):
    tradeoff = random_tradeoff(2, 40)
    rows = Tradeoff(tradeoff.importance, Rows.of(tradeoff.redundancy.astype(np.float32)))
    found, greedy = (
        choose_wide(rows, Constraints.of(40), each, k=6, alpha=0.8) for each in (solver, Greedy())
    )
    assert found.solutions.best.sum() == 6
    assert found.solutions.energy[0] <= greedy.solutions.energy[0] + 1e-9
