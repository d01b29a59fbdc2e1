"""Each criterion is its textbook definition, and what is selected is the best subset by it."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import criteria_oracles
from quboselect import SelectQUBO, criteria, importance, redundancy
from quboselect.criteria import cfs_merit, mrmr_difference, mrmr_quotient
from quboselect.datasets import load_ionosphere
from quboselect.tables.table import as_table
from quboselect.tables.target import as_target

CRITERIA = {
    "pairs": criteria.Pairs(chance=0),
    "pairs_apart": criteria.Pairs(chance=0, together=0),
    "pairs_half": criteria.Pairs(chance=0, together=0.5),
    "mrmr": criteria.MRMR(),
    "mifs": criteria.MIFS(beta=0.7),
    "jmi": criteria.JMI(),
    "cmi": criteria.CMI(),
    "cife": criteria.CIFE(),
    "icap": criteria.ICAP(),
    "disr": criteria.DISR(),
}


def table(seed):
    """Return a small table of categories, some of which speak only together, and a target."""
    rng = np.random.default_rng(seed)
    n, samples = int(rng.integers(3, 7)), int(rng.integers(8, 40))
    X = rng.integers(0, rng.integers(2, 4), (samples, n))
    y = (X[:, 0] ^ X[:, 1]) & 1 if seed % 3 == 0 else rng.integers(0, 2 + seed % 2, samples)
    X[:, -1] = np.where(rng.random(samples) < 0.7, X[:, 0], X[:, -1])
    y[:2] = 0, 1
    return X, y


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("block", range(2))
def test_the_selection_is_the_best_subset_by_the_textbook(name, block):
    for seed in range(50 * block, 50 * block + 50):
        X, y = table(seed)
        k = 2 + seed % (X.shape[1] - 1)
        selector = SelectQUBO(k=k, criterion=CRITERIA[name], categorical_features=range(X.shape[1])).fit(X, y)
        book = criteria_oracles.Textbook(X.tolist(), y.tolist())
        score = getattr(book, name)
        best = max(map(score, book.subsets(k)))
        chosen = selector.get_support(indices=True).tolist()
        assert len(chosen) == k
        assert selector.proven_
        assert score(chosen) == pytest.approx(best, abs=1e-8), (seed, chosen)


@pytest.mark.parametrize("name", CRITERIA)
def test_the_energy_of_every_subset_is_the_textbook_score_but_for_a_factor(name):
    factors = {
        "pairs": lambda k: -1 / k,
        "pairs_apart": lambda k: -1 / k,
        "pairs_half": lambda k: -1 / k,
        "mrmr": lambda k: -(k * k) / (k + 2),
        "mifs": lambda k: -1 / 1.7,
        "jmi": lambda k: -1 / k,
        "cmi": lambda k: -1 / (k + 2),
        "cife": lambda k: -1 / 2,
        "icap": lambda k: -1 / 2,
        "disr": lambda k: -1.0,
    }
    for seed in range(30):
        X, y = table(seed)
        k = 2 + seed % (X.shape[1] - 1)
        selector = SelectQUBO(k=k, criterion=CRITERIA[name], categorical_features=range(X.shape[1])).fit(X, y)
        book = criteria_oracles.Textbook(X.tolist(), y.tolist())
        qubo = selector.result_.tradeoff.at(selector.alpha_)
        for chosen in book.subsets(k):
            x = np.isin(np.arange(X.shape[1]), chosen)
            expected = factors[name](k) * getattr(book, name)(chosen)
            assert qubo.energy(x) == pytest.approx(expected, abs=1e-9)


def test_two_features_that_speak_only_together_are_found():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 8))
    y = X[:, 2] ^ X[:, 5]
    assert SelectQUBO(k=2, criterion=criteria.JMI()).fit(X, y).get_support(indices=True).tolist() == [2, 5]


def test_one_feature_is_the_most_important_by_every_criterion():
    X, y = load_ionosphere(return_X_y=True)
    for criterion in (*CRITERIA.values(), criteria.QFS()):
        selector = SelectQUBO(k=1, criterion=criterion).fit(X, y)
        assert selector.importance_[selector.support_] == selector.importance_.max()


@pytest.mark.parametrize("k", [2, 5, 9])
def test_optima_of_quotients_and_merits_are_on_the_path_of_one_size(k):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(k, 12))
        made = np.triu(rng.random((n, n)), 1)
        values = rng.random(n), made + made.T
        X = rng.random((9, n))
        given = importance.Precomputed(values[0]), redundancy.Precomputed(values[1])
        selector = SelectQUBO(k=k, importance=given[0], redundancy=given[1], alpha=0.5).fit(X, [0, 1, 0] * 3)
        path = selector.path(size=k)
        subsets = [np.isin(np.arange(n), c) for c in criteria_oracles.combinations(range(n), k)]
        lines = [selector.result_.tradeoff.line(x) for x in subsets]
        for score in (mrmr_difference(k / 2), mrmr_difference(0.1), mrmr_quotient, cfs_merit(k)):
            best = path.best(score)
            assert score(best.importance, best.redundancy) == pytest.approx(
                max(score(*line) for line in lines)
            )


def test_the_quotient_of_no_redundancy_is_infinite_unless_nothing_is_said():
    assert mrmr_quotient(1.0, 0.0) == np.inf
    assert mrmr_quotient(0.0, 0.0) == 0.0


def test_alpha_stands_in_for_that_of_the_criterion_and_k_stays_a_promise():
    X, y = load_ionosphere(return_X_y=True)
    for alpha in (0.0, 0.3, 0.77, 1.0):
        for criterion in (criteria.Pairs(), criteria.JMI(), criteria.DISR()):
            selector = SelectQUBO(k=7, alpha=alpha, criterion=criterion).fit(X, y)
            assert (selector.k_, selector.alpha_) == (7, alpha)
            assert selector.proven_


def test_a_measure_that_is_given_goes_with_the_path_and_with_a_criterion_that_is_given():
    X, y = load_ionosphere(return_X_y=True)
    given = {"importance": importance.Correlation(), "redundancy": redundancy.Correlation()}
    assert SelectQUBO(k=4, **given).fit(X, y).path_ is not None
    held = SelectQUBO(k=4, criterion=criteria.MRMR(), **given).fit(X, y)
    assert held.alpha_ == criteria.MRMR().alpha(4)
    assert held.importance_.tolist() == importance.Correlation()(X, y).tolist()


def test_a_criterion_of_your_own_is_an_importance_a_redundancy_and_a_rule():
    X, y = load_ionosphere(return_X_y=True)
    own = criteria.Criterion(importance.Correlation(), redundancy.Correlation(ranks=True), lambda k: 0.25)
    assert SelectQUBO(k=4, criterion=own).fit(X, y).alpha_ == 0.25


def test_parts_of_a_criterion_are_parameters():
    selector = SelectQUBO(criterion=criteria.JMI()).set_params(criterion__bins=4)
    assert selector.criterion == criteria.JMI(bins=4)
    assert clone(selector).criterion == criteria.JMI(bins=4)
    assert {field.name for field in dataclasses.fields(criteria.JMI)} == {
        "bins",
        "edges",
        "estimate",
        "n_jobs",
        "device",
    }


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (criteria.JMI, r"criterion must be a value, got the class JMI: write JMI\(\)"),
        ("jmi", r"criterion must have .* 'jmi' has no importance"),
        (criteria.Criterion(1, 2, lambda k: 0.5), "importance must be callable, got 1"),
        (
            criteria.Criterion(importance.Correlation(), redundancy.Correlation(), 0.5),
            "alpha of .* is no function",
        ),
    ],
)
def test_what_is_no_criterion_is_refused_in_words(wrong, words):
    with pytest.raises(TypeError, match=words):
        SelectQUBO(criterion=wrong).fit(*load_ionosphere(return_X_y=True))


def test_wrong_numbers_of_criteria_are_refused_in_words():
    with pytest.raises(ValueError, match="beta must be a finite number that is not negative, got -1"):
        criteria.MIFS(beta=-1)
    for wrong in (-0.1, 1.5, np.nan, np.inf, True, None, "much"):
        words = rf"together must be a number from 0 to 1, or 'auto', got {re.escape(repr(wrong))}"
        for make in (criteria.Pairs, redundancy.CoInformation):
            with pytest.raises(ValueError, match=words):
                make(together=wrong)
    with pytest.raises(ValueError, match="chance must be a finite number that is not negative, got 'auto'"):
        criteria.Pairs(chance="auto")
    with pytest.raises(ValueError, match="weight must be a finite number"):
        mrmr_difference(-1.0)
    with pytest.raises(ValueError, match=r"bins must be .* got 1"):
        SelectQUBO(criterion=criteria.JMI(bins=1)).fit(*load_ionosphere(return_X_y=True))
    with pytest.raises(ValueError, match=r"k must be .* None, for any number, needs an alpha"):
        SelectQUBO(k=None).fit(*load_ionosphere(return_X_y=True))


def test_a_path_around_k_refuses_negative_pairs_and_says_what_to_do():
    selector = SelectQUBO(k=4, criterion=criteria.JMI()).fit(*load_ionosphere(return_X_y=True))
    with pytest.raises(ValueError, match=r"not negative.*path of one size"):
        selector.path(k=4)
    assert selector.path(size=4).at(selector.alpha_).features.tolist() == selector.result_.features.tolist()


def noisy(samples=300, seed=0):
    """Return a table of two features that speak, noise, and a column with a value of its own for every sample."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, samples)
    frame = pd.DataFrame({f"noise{i}": rng.normal(size=samples) for i in range(8)})
    frame["a"] = y + rng.normal(size=samples)
    frame["b"] = frame["a"] + 0.2 * rng.normal(size=samples)
    frame["id"] = [f"u{i}" for i in range(samples)]
    return frame, y


@pytest.mark.filterwarnings("ignore:id. nearly as many categories as samples")
def test_what_says_no_more_than_chance_is_left_out_while_k_others_are_left():
    X, y = noisy()
    information = criteria.Pairs().importance.information(as_table(X), as_target(y))
    silent = information.importance <= 2 * information.chance
    assert silent[-1]
    assert information.importance[-1] == pytest.approx(information.importance.max())
    X = X[[name for name, quiet in zip(X, silent, strict=True) if quiet or name in "ab"]]
    # A copy adds little to what is said, and noise repeats nothing.
    assert SelectQUBO(k=2, criterion=criteria.Pairs(chance=0)).fit(X, y).support_[:-3].any()
    selector = SelectQUBO(k=2).fit(X, y)
    assert selector.get_feature_names_out().tolist() == ["a", "b"]
    assert selector.result_.constraints.excluded.sum() == X.shape[1] - 2
    assert selector.proven_
    kept = SelectQUBO(k=2, include="id").fit(X, y)
    assert "id" in kept.get_feature_names_out()
    everything = SelectQUBO(k=X.shape[1]).fit(X, y)
    assert everything.support_.all()
    assert (
        not SelectQUBO(k=2, criterion=criteria.Pairs(chance=0)).fit(X, y).result_.constraints.excluded.any()
    )


def test_batches_leave_out_the_same_features():
    X, y = noisy()
    whole = SelectQUBO(k=3).fit(X, y)
    batches = [(X.iloc[i : i + 70], y[i : i + 70]) for i in range(0, 300, 70)]
    parts = SelectQUBO(k=3).fit_batches(batches)
    assert parts.result_.constraints.excluded.tolist() == whole.result_.constraints.excluded.tolist()
    assert (parts.energy_, parts.support_.tolist()) == (whole.energy_, whole.support_.tolist())


def test_chance_is_what_shuffled_labels_show_on_average():
    X, y = noisy(400)
    information = criteria.Pairs().importance.information(as_table(X[["a", "b", "noise0"]]), as_target(y))
    rng = np.random.default_rng(1)
    measure = criteria.Pairs().importance
    shown = [measure(X[["a", "b", "noise0"]], rng.permutation(y)) for _ in range(300)]
    assert np.mean(shown, axis=0) == pytest.approx(information.chance, rel=0.2)


def test_together_goes_from_what_features_say_apart_to_what_they_say_together():
    X, y = load_ionosphere(return_X_y=True)
    none, all_of_it = criteria.Pairs(6, together=0).redundancy, criteria.Pairs(6, together=1).redundancy
    assert none == redundancy.MutualInformation(6)
    np.testing.assert_array_equal(all_of_it(X, y), np.maximum(criteria.JMI(6).redundancy(X, y), 0.0))
    some = criteria.Pairs(6).redundancy(X, y)
    assert (some <= none(X, y)).all()
    assert (some >= all_of_it(X, y)).all()
    assert (some < none(X, y)).any()


def test_the_default_has_no_negative_redundancy_and_jmi_finds_features_that_speak_only_together():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 8))
    y = X[:, 2] ^ X[:, 5]
    assert criteria.Pairs().redundancy(X, y).min() == 0.0
    found = SelectQUBO(k=2, criterion=criteria.JMI()).fit(X, y)
    assert found.get_support(indices=True).tolist() == [2, 5]


def test_a_merit_without_anything_under_its_root_is_infinite():
    assert cfs_merit(2)(1.0, -1.0) == cfs_merit(2)(1.0, -3.0) == np.inf
    assert cfs_merit(2)(0.0, -3.0) == 0.0
    assert cfs_merit(0)(0.0, 0.0) == 0.0
