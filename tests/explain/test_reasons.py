"""Why and why not: every number is a difference of energies, with constraints, groups and wide tables too."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from quboselect import Constraints, SelectQUBO, Tradeoff, best_subset
from quboselect.errors import MissingExtra
from quboselect.redundancy.rows import Rows


def random_tradeoff(rng, n, *, together=0.0):
    shared = np.triu(rng.random((n, n)) - together * rng.random((n, n)), 1)
    return Tradeoff(rng.random(n), shared + shared.T, rng.random(n) * (rng.random() < 0.5))


def random_constraints(rng, n):
    free = rng.permutation(n)
    groups = [free[:2].tolist(), free[2:5].tolist()] if rng.random() < 0.5 else None
    include = [int(free[5])] if rng.random() < 0.5 else None
    exclude = [int(free[6])] if rng.random() < 0.5 else None
    return Constraints.of(n, include=include, exclude=exclude, groups=groups)


def unit_of(constraints, i):
    return constraints.unit == constraints.unit[i]


@pytest.mark.parametrize("seed", range(60))
def test_losses_gains_and_exchanges_are_differences_of_energies(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 13))
    tradeoff, constraints = random_tradeoff(rng, n, together=rng.random()), random_constraints(rng, n)
    alpha = float(rng.uniform(0.2, 0.9))
    names = [f"f{i}" for i in range(n)]
    result = best_subset(tradeoff, k=4, alpha=alpha, constraints=constraints, names=names)
    qubo, x, scale = tradeoff.at(result.alpha), result.support, abs(result.energy)
    for i, reason in enumerate(result.explain()):
        assert reason.name == names[i]
        assert reason.selected == x[i]
        if constraints.excluded[i]:
            assert np.isnan(reason.importance)
            assert str(reason) == f"f{i} was excluded."
            continue
        assert reason.importance == tradeoff.importance[i]
        others = x.copy()
        others[i] = False
        assert reason.repeated == pytest.approx(tradeoff.redundancy[i, others].sum())
        assert reason.shared == pytest.approx(max(0.0, tradeoff.redundancy[i, others].max(initial=0.0)))
        if constraints.included[i]:
            assert np.isnan(reason.alone)
            assert "had to be in" in str(reason)
            continue
        mine = unit_of(constraints, i)
        changed = x.copy()
        changed[mine] = ~x[i]
        assert reason.alone * scale == pytest.approx(qubo.energy(changed) - result.energy, abs=1e-9)
        best = np.inf
        for j in np.flatnonzero(~constraints.included & ~constraints.excluded & (x != x[i])):
            both = changed.copy()
            both[unit_of(constraints, j)] = x[i]
            best = min(best, qubo.energy(both) - result.energy)
        if reason.instead is None:
            assert best == np.inf
        else:
            assert reason.exchange * scale == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_swaps_are_all_exchanges_of_a_feature_best_first(seed):
    rng = np.random.default_rng(seed)
    tradeoff = random_tradeoff(rng, 9)
    result = best_subset(tradeoff, k=4, alpha=0.6)
    qubo, x = tradeoff.at(0.6), result.support
    for i in range(9):
        found = result.swaps(i, 9)
        assert len(found) == (5 if x[i] else 4)
        assert [swap.worse for swap in found] == sorted(swap.worse for swap in found)
        for swap in found:
            assert (swap.out if x[i] else swap.into) == f"x{i}"
            y = x.copy()
            y[int(swap.out[1:])], y[int(swap.into[1:])] = False, True
            change = (qubo.energy(y) - result.energy) / abs(result.energy)
            assert swap.worse == pytest.approx(change, abs=1e-9)
    assert len(result.swaps(0, 2)) == 2
    assert result.proven
    assert all(swap.worse >= -1e-9 for i in range(9) for swap in result.swaps(i))


def test_a_wide_table_has_the_reasons_of_its_matrix():
    rng = np.random.default_rng(1)
    tradeoff = random_tradeoff(rng, 40)
    wide = Tradeoff(tradeoff.importance, Rows.of(tradeoff.redundancy.astype(np.float32)), tradeoff.cost)
    both = [best_subset(each, k=5, alpha=0.9) for each in (tradeoff, wide)]
    assert (both[0].support == both[1].support).all()
    for one, other in zip(*(result.explain() for result in both), strict=True):
        assert one.name == other.name
        assert one.exchange == pytest.approx(other.exchange, abs=1e-5)
    assert both[0].ranking.tolist() == both[1].ranking.tolist()


def test_a_sentence_answers_why_and_why_not():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selector = SelectQUBO(k=5).fit(X, y)
    told = selector.explain()
    first = next(reason for reason in told if reason.rank == 1)
    assert str(first).startswith(f"{first.name} is selected: {first.importance:.3g} bits, repeats ")
    left = next(reason for reason in told if not reason.selected and reason.most_like)
    assert f"of {left.most_like}; in place of {left.instead} the objective is " in str(told[left.name])
    assert told[0] == told[X.columns[0]] == told[-30]
    with pytest.raises(ValueError, match="did you mean 'mean radius'"):
        told["mean radios"]
    with pytest.raises(ValueError, match="must number features from 0 to 29"):
        selector.swaps(30)
    assert len(str(told).splitlines()) == 5 + 20 + 1
    assert repr(told) == "Explanation(5 of 30 features selected)"


def test_a_frame_has_a_row_for_each_feature_by_rank():
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = SelectQUBO(k=4).fit(X, y)
    frame = selector.explain().frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame.index.tolist() == [X.columns[i] for i in np.argsort(selector.ranking_)]
    assert frame["selected"].tolist() == [True] * 4 + [False] * 9
    assert frame.loc["proline", "importance"] == selector.importance_[X.columns.get_loc("proline")]


def test_what_had_to_be_in_or_out_has_no_swaps():
    tradeoff = random_tradeoff(np.random.default_rng(0), 6)
    result = best_subset(tradeoff, k=3, alpha=0.5, constraints=Constraints.of(6, include=[0], exclude=[1]))
    for i, why in ((0, "had to be in"), (1, "was excluded")):
        with pytest.raises(ValueError, match=why):
            result.swaps(i)
    with pytest.raises(ValueError, match="most must be an integer of at least 1, got 0"):
        result.swaps(2, 0)


def test_silent_features_are_told_from_excluded_ones():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 12))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    selector = SelectQUBO(k=2, exclude=[3]).fit(X, y)
    told = [str(reason) for reason in selector.explain()]
    assert told[3] == "x3 was excluded."
    assert selector.get_support(indices=True).tolist() == [0, 1]
    assert sum("no more than chance would show" in text for text in told) in (0, 9)


def test_nothing_selected_and_everything_selected_have_reasons_too():
    tradeoff = random_tradeoff(np.random.default_rng(2), 5)
    for result in (best_subset(tradeoff, k=5, alpha=0.5), best_subset(tradeoff, alpha=0.0)):
        told = result.explain()
        assert all(reason.instead is None for reason in told)
        assert sorted(result.ranking) == [1, 2, 3, 4, 5]
        assert str(told)


def test_some_reasons_are_taken_as_of_any_sequence():
    explanation = SelectQUBO(k=3).fit(*load_wine(return_X_y=True)).explain()
    assert explanation[2:5] == tuple(explanation[i] for i in (2, 3, 4))
    assert explanation[::-1] == tuple(reversed(explanation))


def test_a_frame_without_pandas_says_what_to_install(monkeypatch):
    explanation = SelectQUBO(k=3).fit(*load_wine(return_X_y=True)).explain()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match="pip install pandas"):
        explanation.frame()
