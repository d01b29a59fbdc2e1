"""Tables that repeat features: the same selections as of all their copies, with proofs and certificates."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from quboselect import SelectQUBO, best_subset, criteria, fitting, solvers
from quboselect.proof import verify
from quboselect.redundancy.repeated import Repeated
from quboselect.search.distinct import distinct_number
from quboselect.tradeoff import Tradeoff


def repeated_table(seed, *, distinct=14, features=60, samples=150, loud=4):
    """Return a table of which many columns are the same, and a label that some of them tell."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(samples, distinct))
    y = (base[:, :loud].sum(axis=1) + rng.normal(size=samples) > 0).astype(int)
    at = np.concatenate([np.arange(distinct), rng.integers(0, distinct, features - distinct)])
    at = rng.permutation(at)
    return base[:, at], y, at


def of_all_copies(monkeypatch, selector, X, y):
    """Return what is found where every copy is looked at."""
    with monkeypatch.context() as patched:
        patched.setattr(fitting, "choose_distinct", lambda *args, **given: None)
        return selector.fit(X, y).result_


CRITERIA = [criteria.Pairs(), criteria.MRMR(), criteria.JMI(), criteria.ICAP(), criteria.DISR()]


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("k", [1, 3, 8])
def test_a_table_with_copies_gives_what_all_its_copies_give(criterion, k, monkeypatch):
    for seed in range(3):
        X, y, _ = repeated_table(seed)
        selector = SelectQUBO(k, criterion=criterion)
        expected = of_all_copies(monkeypatch, selector, X, y)
        found = selector.fit(X, y).result_
        assert found.proven
        assert found.support.sum() == k
        assert found.energy == pytest.approx(expected.energy, abs=1e-9)
        if expected.proven:
            np.testing.assert_array_equal(found.support, expected.support)


@pytest.mark.parametrize("k", [2, 6, 14, 20])
def test_a_certificate_is_about_all_copies(k):
    X, y, _ = repeated_table(5)
    result = SelectQUBO(k).fit(X, y).result_
    qubo, found, size = result.certified
    assert qubo.size == (~result.constraints.excluded).sum()
    np.testing.assert_array_equal(result.features, np.flatnonzero(~result.constraints.excluded)[found.best])
    verify(qubo, found, size)


def test_the_matrix_of_all_is_made_when_it_is_asked_for():
    X, y, at = repeated_table(6)
    selector = SelectQUBO(5).fit(X, y)
    tradeoff = pickle.loads(pickle.dumps(selector.result_)).tradeoff
    assert "redundancy" not in vars(tradeoff)
    some = np.array([7, 3, 50])
    whole = selector.redundancy_
    np.testing.assert_array_equal(tradeoff.among(some), whole[np.ix_(some, some)])
    assert whole.shape == (at.size, at.size)
    assert "redundancy" not in vars(tradeoff)
    np.testing.assert_array_equal(tradeoff.redundancy, whole)
    with pytest.raises(ValueError, match="read-only"):
        tradeoff.redundancy[0, 1] = 1.0
    with pytest.raises(AttributeError, match="nonsense"):
        tradeoff.nonsense  # noqa: B018


def test_what_treats_copies_unlike_looks_at_all_of_them():
    X, y, at = repeated_table(7)
    loud = int(np.argmax(np.bincount(at)[:4]))
    first, twin = (int(i) for i in np.flatnonzero(at == loud)[:2])
    result = SelectQUBO(3, include=[twin]).fit(X, y).result_
    assert result.support[twin]
    assert result.proven
    result = SelectQUBO(3, cost=np.where(np.arange(at.size) == twin, 0.0, 5.0)).fit(X, y).result_
    assert result.support[twin]
    result = SelectQUBO(3, exclude=[first]).fit(X, y).result_
    assert result.proven
    assert not result.support[first]
    result = SelectQUBO(2, groups=[[first, twin]]).fit(X, y).result_
    assert result.support[first] == result.support[twin]
    result = SelectQUBO(3, solver=solvers.Tabu()).fit(X, y).result_
    assert result.support.sum() == 3


def test_alternatives_of_a_table_with_copies_may_have_other_copies():
    X, y, at = repeated_table(8, distinct=8, features=12)
    result = SelectQUBO(2).fit(X, y).result_
    found = result.alternatives(6, different=1)
    qubo = result.tradeoff.at(result.alpha)
    assert found.proven
    assert len({one.support.tobytes() for one in found}) == 6
    for one in found:
        assert one.energy == pytest.approx(qubo.energy(one.support), abs=1e-12)
        assert one.support.sum() == 2
    chosen = at[result.features]
    if (np.bincount(at)[chosen] > 1).any():
        # Another copy of the same is as good.
        assert found[1].energy == pytest.approx(found[0].energy, abs=1e-9)


def test_copies_of_what_is_heard_do_not_take_the_place_of_other_features():
    rng = np.random.default_rng(9)
    base = rng.normal(size=(400, 12))
    y = (base[:, 0] + base[:, 1] > 0).astype(int)
    X = np.hstack([base, np.repeat(base[:, :2], 10, axis=1)])
    at = np.concatenate([np.arange(12), np.repeat([0, 1], 10)])
    features = at[SelectQUBO(6).fit(X, y).get_support(indices=True)]
    assert {0, 1} <= set(features)
    assert np.unique(features).size == 6


def test_distinct_features_are_counted():
    rng = np.random.default_rng(10)
    importance, pairs = np.array([1.0, 1.0, 0.5, 1.0]), np.zeros((4, 4))
    pairs[0, 1] = pairs[1, 0] = 1.5
    every = np.ones(4, bool)
    # The last can be exchanged for the first two only where it repeats them.
    assert distinct_number(Tradeoff(importance, pairs), every, 2, 0.7) == 3
    # What can be exchanged, and repeats nothing, is no copy.
    assert distinct_number(Tradeoff(np.ones(4), np.zeros((4, 4))), every, 2, 0.7) == 4
    assert distinct_number(Tradeoff(importance, pairs), np.array([True, True, False, False]), 2, 0.7) == 1
    shared = rng.random((4, 4))
    assert (
        distinct_number(Tradeoff(rng.random(4), np.triu(shared, 1) + np.triu(shared, 1).T), every, 2, 0.5)
        == 4
    )


def test_batches_select_what_the_table_does():
    X, y, _ = repeated_table(11)
    for k in (3, 8):
        whole = SelectQUBO(k).fit(X, y)
        parts = SelectQUBO(k).fit_batches([(X[:70], y[:70]), (X[70:], y[70:])])
        np.testing.assert_array_equal(whole.get_support(), parts.get_support())


def test_copies_of_unequal_importance_are_all_looked_at():
    X, y, at = repeated_table(12)
    tradeoff = SelectQUBO(3).fit(X, y).result_.tradeoff
    importance = tradeoff.importance.copy()
    last = int(np.flatnonzero(at == 0)[-1])
    importance[last] += 1.0
    found = best_subset(Tradeoff(importance, tradeoff.repeated), k=3, alpha=0.7)
    expected = best_subset(Tradeoff(importance, tradeoff.redundancy), k=3, alpha=0.7)
    assert found.support[last]
    np.testing.assert_array_equal(found.support, expected.support)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [([0, 5, 0], [0, 5, 0], "below the 2 rows"), ([0, 1], [0], "as many"), ([1, 1], [1, 1], "0 to 0")],
)
def test_places_that_are_not_in_the_matrix_are_refused(first, second, words):
    with pytest.raises(ValueError, match=words):
        Repeated(np.zeros((2, 2)), np.array(first), np.array(second))


def test_threads_that_ask_at_once_get_one_matrix():
    X, y, _ = repeated_table(13, features=400)
    tradeoff = SelectQUBO(3).fit(X, y).result_.tradeoff
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: tradeoff.redundancy, range(8)))
    assert all(matrix is made[0] for matrix in made)
