"""Result: what a fit keeps, its views, and the path of the problem that was fitted."""

import dataclasses
import pickle
import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import path_oracles
from constraint_oracles import random_constraints
from quboselect import (
    Constraints,
    SelectQUBO,
    SelectQUBOCV,
    Tradeoff,
    best_subset,
    compare,
    criteria,
    importance,
    proof,
    redundancy,
    stability,
)
from quboselect.datasets import load_ionosphere
from quboselect.errors import FewSamplesWarning

JMI = criteria.JMI()


@pytest.fixture(scope="module")
def priced():
    """The fit whose path used to lose the costs."""
    return SelectQUBO.paper(k=5, cost={0: 5.0, 4: 5.0}).fit(*load_ionosphere(return_X_y=True))


def test_the_attributes_of_a_selector_are_views_of_its_result(priced):
    result = priced.result_
    for name in ("k", "alpha", "on_path", "energy", "bound", "proven", "solutions"):
        assert getattr(priced, f"{name}_") == getattr(result, name)
    np.testing.assert_array_equal(priced.support_, result.support)
    assert priced.alpha_window_ == result.window
    assert priced.path_ is result.explored
    assert priced.importance_ is result.tradeoff.importance
    assert priced.redundancy_ is result.tradeoff.redundancy
    with pytest.raises(AttributeError):
        priced.support_ = np.ones(34, bool)


def test_a_result_is_frozen_and_travels(priced):
    result = priced.result_
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.alpha = 0.5
    with pytest.raises(ValueError, match="read-only"):
        result.support[0] = True
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.support, result.support)
    assert (again.alpha, again.window, again.proven) == (result.alpha, result.window, result.proven)
    assert again.tradeoff.cost.tolist() == result.tradeoff.cost.tolist()


def test_the_path_of_a_fit_has_its_costs(priced):
    assert np.flatnonzero(priced.support_).tolist() == [2, 5, 6, 30, 33]
    assert priced.result_.tradeoff.cost[[0, 4]].tolist() == [5.0, 5.0]
    path = priced.path()
    assert path.proven
    assert path.of_size(5).features.tolist() == [2, 5, 6, 30, 33]


@pytest.mark.parametrize("seed", range(40))
def test_the_path_is_the_lower_envelope_of_every_allowed_subset(seed):
    tradeoff = path_oracles.random_priced(seed, most=7)
    wishes = random_constraints(seed, tradeoff.size)
    least = max(wishes.kept, 1)
    if least > wishes.kept + wishes.free:
        return
    whole = Tradeoff(tradeoff.importance, tradeoff.redundancy, wishes.cost)
    result = best_subset(whole, k=least, constraints=wishes)
    allowed = [
        x
        for x in path_oracles.all_subsets(tradeoff.size)
        if (x >= wishes.included).all()
        and not (x & wishes.excluded).any()
        and all(len(set(x[wishes.unit == unit])) == 1 for unit in set(wishes.unit))
    ]
    path = result.path()
    for alpha in np.linspace(0.0, 1.0, 21):
        lowest = min(whole.at(alpha).energy(x) for x in allowed)
        assert path.at(alpha).energy(alpha) == pytest.approx(lowest, abs=1e-8)
    if result.on_path:
        assert any(np.array_equal(segment.x, result.support) for segment in path)


def test_a_part_of_the_path_can_be_asked_for():
    tradeoff = path_oracles.random_tradeoff(3, most=9)
    result = best_subset(tradeoff, k=2, constraints=Constraints.of(tradeoff.size, include=0))
    assert result.path(k=3).of_size(3).size == 3
    assert result.path(k=(size for size in (2, 3))).of_size(2) is not None
    assert result.path(max_solves=1).solves >= 1


def test_names_and_labels_are_those_of_the_table():
    tradeoff = Tradeoff([1.0, 2.0], np.zeros((2, 2)))
    assert best_subset(tradeoff, k=1).labels == ["x0", "x1"]
    named = best_subset(tradeoff, k=1, names=["age", "<pay>"])
    assert (named.labels, named.names) == (["age", "<pay>"], ("age", "<pay>"))
    html = named._repr_html_()
    assert "&lt;pay&gt;" in html
    assert "2.0000" in html
    assert "1 of 2 features, selected at alpha 0" in html


def test_a_certificate_is_checked_by_its_problem():
    tradeoff = path_oracles.random_priced(8)
    result = best_subset(
        tradeoff, alpha=0.6, constraints=Constraints.of(tradeoff.size, include=0, groups=[[1, 2]])
    )
    qubo, solutions, k = result.certified
    assert qubo.size == result.constraints.free < tradeoff.size
    assert k is None
    proof.verify(qubo, solutions)


def test_a_wrong_part_of_the_path_is_refused_in_the_units_of_the_user():
    tradeoff = path_oracles.random_tradeoff(3, most=9)
    result = best_subset(tradeoff, k=2, constraints=Constraints.of(tradeoff.size, include=[0, 1]))
    for k, words in (
        (99, "got 99"),
        (1, "at least 2, .* got 1"),
        (2.5, "got 2.5"),
        ("a", "got 'a'"),
        ([], "got \\[\\]"),
    ):
        with pytest.raises(ValueError, match=f"k must .*{words}"):
            result.path(k=k)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"tradeoff": [1, 2]}, "tradeoff must be a Tradeoff, got list"),
        ({"constraints": {"include": 0}}, "Constraints.of"),
    ],
)
def test_what_is_no_problem_is_refused_in_words(wrong, words):
    given = {"tradeoff": Tradeoff([1.0, 2.0], np.zeros((2, 2))), "k": 1, **wrong}
    with pytest.raises(TypeError, match=words):
        best_subset(given.pop("tradeoff"), **given)


@pytest.mark.filterwarnings("error")
def test_a_warning_that_is_an_error_leaves_the_fit_before_it_whole():
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(k=3).fit(X, y)
    before = selector.support_
    with pytest.raises(UserWarning, match="k=100"):
        selector.set_params(k=100).fit(X[:, :4], y)
    assert selector.n_features_in_ == 34
    np.testing.assert_array_equal(selector.support_, before)


BATCHES = {
    "fit": lambda selector, X, y: selector.fit(X, y),
    "batches": lambda selector, X, y: selector.fit_batches([(X[:90], y[:90]), (X[90:], y[90:])]),
    "partial": lambda selector, X, y: selector.partial_fit(X, y),
    "stability": lambda selector, X, y: stability(selector, X, y, n_resamples=3),
    "cross-validation": lambda selector, X, y: SelectQUBOCV(
        GaussianNB(), k=[2, 3], selector=selector, cv=2
    ).fit(X, y),
}


def few_samples(selector, X, y, fit="fit"):
    """Return what a fit says of too few samples."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", FewSamplesWarning)
        BATCHES[fit](selector, X, y)
    assert all(one.filename == __file__ for one in said)
    return [str(one.message) for one in said]


@pytest.mark.parametrize("fit", BATCHES)
def test_samples_that_do_not_fill_the_bins_asked_for_are_told_once(fit):
    X, y = np.random.default_rng(0).normal(size=(351, 6)), np.arange(351) % 2
    words = "351 samples do not fill the 20 x 20 cells of a pair of features "
    assert [said[: len(words)] for said in few_samples(SelectQUBO.paper(3), X, y, fit)] == [words]
    words = "351 samples do not fill the 14 x 14 x 2 cells of a pair of features and the target "
    by_class = SelectQUBO(3, criterion=criteria.JMI(bins=14))
    assert [said[: len(words)] for said in few_samples(by_class, X, y, fit)] == [words]
    words = "351 samples do not fill the 20 x 20 cells of a pair of features "
    too_many = SelectQUBO(3, criterion=criteria.Pairs(bins=20))
    assert [said[: len(words)] for said in few_samples(too_many, X, y, fit)] == [words]
    words = "351 samples do not fill the 14 x 14 x 2 cells of a pair of features and the target "
    half = SelectQUBO(3, criterion=criteria.Pairs(bins=14, together=0.5))
    assert [said[: len(words)] for said in few_samples(half, X, y, fit)] == [words]
    # 351 samples fill the cells of two features, of 14 bins each, where classes are not told apart, or trusted as far
    # as samples fill their cells.
    for enough in (
        SelectQUBO(3, criterion=criteria.Pairs(bins=14)),
        SelectQUBO(3, criterion=criteria.Pairs(bins=14, together=0)),
        SelectQUBO(3, criterion=criteria.MRMR(bins=14)),
        SelectQUBO(3),
        SelectQUBO(3, criterion=JMI),
    ):
        assert few_samples(enough, X, y, fit) == []


def test_bins_that_are_left_to_the_samples_are_never_warned_of():
    X, y = load_ionosphere(return_X_y=True)
    for samples in (4, 10, 40):
        for criterion in (None, criteria.QFS(), JMI, criteria.DISR(edges="quantile")):
            assert few_samples(SelectQUBO(2, criterion=criterion), X[:samples], y[:samples]) == []
    assert few_samples(SelectQUBO("auto"), X[:40], y[:40]) == []
    assert len(few_samples(SelectQUBO.paper("auto"), X[:40], y[:40])) == 1


def test_weights_count_as_samples_that_fill_the_bins():
    X, y = np.random.default_rng(0).normal(size=(351, 6)), np.arange(351) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error", FewSamplesWarning)
        with pytest.raises(FewSamplesWarning):
            SelectQUBO.paper(3).fit(X, y)
        SelectQUBO.paper(3).fit(X, y, np.full(351, 2))
        SelectQUBO(3, importance=importance.Correlation(), redundancy=redundancy.Correlation()).fit(X, y)


def test_a_warning_points_at_the_line_that_asked():
    X, y = load_ionosphere(return_X_y=True)
    X = X[:, :4]
    for fit in (
        lambda s: s.fit(X, y),
        lambda s: s.fit_batches([(X, y)]),
        lambda s: s.partial_fit(X, y),
        lambda s: SelectQUBO(k=9).fit_counts(s.set_params(k=2).partial_fit(X, y).counts_),
    ):
        with pytest.warns(UserWarning, match="k=9") as said:
            fit(SelectQUBO(k=9))
        assert said[0].filename == __file__


def test_a_claim_says_where_features_that_say_no_more_than_chance_were_left_out():
    X, y = load_ionosphere(return_X_y=True)
    result = SelectQUBO(k=8).fit(X, y).result_
    every = best_subset(result.tradeoff, k=8, alpha=result.alpha)
    # Among all features there is a better one, of which chance may say as much.
    assert every.energy < result.energy
    assert every.support[result.silent].any()
    left = int((~result.constraints.excluded).sum())
    for words in (result.heard_words, result._repr_html_()):
        assert f"among the {left} that say more than chance" in words
    assert not result.constrained
    assert every.heard_words == ""
    assert SelectQUBO(k=8, exclude=[2]).fit(X, y).result_.constrained
    assert str(compare(result)).count("no more than chance") == 1
