"""Constraints: what features are called, what contradicts what, and the smaller tradeoff they lead to."""

import pickle

import numpy as np
import pandas as pd
import pytest

import path_oracles
from constraint_oracles import feasible, random_constraints
from quboselect import Constraints, Tradeoff
from quboselect.search.units import Units

NAMES = ["age", "city", "pay", "rent", "size", "year"]


def of(**wishes):
    return Constraints.of(6, NAMES, **wishes)


def test_nothing_asked_is_nothing_done():
    tradeoff = path_oracles.random_priced(0, most=6)
    for wishes in (Constraints.of(tradeoff.size), Constraints.of(tradeoff.size, include=[], groups=[])):
        assert wishes.trivial
        assert (wishes.free, wishes.kept, wishes.cost.any()) == (tradeoff.size, 0, False)


@pytest.mark.parametrize(
    "include",
    ["pay", 2, -4, ["pay"], ("pay", 2), {"pay"}, np.array(["pay"]), np.int64(2), np.arange(6) == 2,
     [False, False, True, False, False, False], pd.Index(["pay"]), pd.Series(np.arange(6) == 2)],
    ids=repr,
)  # fmt: skip
def test_features_are_named_numbered_or_marked(include):
    assert np.flatnonzero(of(include=include).included).tolist() == [2]
    assert np.flatnonzero(of(exclude=include).excluded).tolist() == [2]


def test_a_wish_for_one_of_a_group_is_a_wish_for_all_of_it():
    wishes = of(include="age", exclude=[4], groups=[["rent", "age"], ["size", -1]])
    assert np.flatnonzero(wishes.included).tolist() == [0, 3]
    assert np.flatnonzero(wishes.excluded).tolist() == [4, 5]
    assert (wishes.kept, wishes.free, wishes.trivial) == (1, 2, False)
    assert wishes.unit.tolist() == [0, 1, 2, 0, 3, 3]
    assert repr(wishes) == "Constraints(6 features: 2 included, 2 excluded, 2 units free)"


@pytest.mark.parametrize(
    "cost",
    [[0, 0, 3, 0, 0, 1], {"pay": 3, -1: 1.0}, {2: np.float32(3), "year": 1}, pd.Series({"year": 1.0, "pay": 3.0})],
    ids=repr,
)  # fmt: skip
def test_costs_are_listed_or_named(cost):
    wishes = of(cost=cost)
    assert wishes.cost.tolist() == [0, 0, 3, 0, 0, 1]
    assert not wishes.cost.flags.writeable
    assert wishes.trivial


def test_constraints_are_closed_to_writing_and_travel():
    wishes = of(include="age", groups=[["age", "pay"]], cost={"pay": 2.0})
    again = pickle.loads(pickle.dumps(wishes))
    for one in (wishes, again):
        assert not any(a.flags.writeable for a in (one.unit, one.included, one.excluded, one.cost))
    assert repr(again) == repr(wishes)
    assert again.cost.tolist() == wishes.cost.tolist()


@pytest.mark.parametrize("seed", range(80))
def test_the_reduced_tradeoff_is_the_same_problem_less_a_constant(seed):
    tradeoff = path_oracles.random_priced(seed)
    wishes = random_constraints(seed, tradeoff.size)
    made = Units(tradeoff, wishes)
    reduced = made.problem()
    assert reduced.size == wishes.free
    units = path_oracles.all_subsets(wishes.free)
    x = made.features(units)
    mine, sizes = feasible(wishes)
    assert sorted(map(bytes, x)) == sorted(map(bytes, mine))
    assert sorted(units.sum(axis=1) + wishes.kept) == sorted(sizes)
    constant = tradeoff.line(wishes.included)
    for row, bits in zip(units, x, strict=True):
        np.testing.assert_allclose(np.add(reduced.line(row), constant), tradeoff.line(bits), atol=1e-12)
        assert np.array_equal(made.features(row), bits)


def test_a_group_costs_what_its_features_repeat_of_each_other():
    redundancy = np.arange(16.0).reshape(4, 4)
    redundancy = np.triu(redundancy, 1) + np.triu(redundancy, 1).T
    wishes = Constraints.of(4, groups=[[0, 2]], include=3)
    reduced = Units(Tradeoff([1.0, 2.0, 4.0, 8.0], redundancy), wishes).problem()
    assert reduced.importance.tolist() == [5.0, 2.0]
    assert reduced.redundancy.tolist() == [[0.0, 1.0 + 6.0], [7.0, 0.0]]
    assert reduced.cost.tolist() == [2.0 + 3.0 + 11.0, 7.0]


@pytest.mark.parametrize(
    ("wishes", "error", "words"),
    [
        ({"include": "aeg"}, ValueError, "include must name features of the table, got 'aeg': did you mean 'age'"),
        ({"exclude": ["pay", "shoe"]}, ValueError, "exclude must name features of the table, got 'shoe'"),
        ({"include": 6}, ValueError, r"include must number features from 0 to 5 \(there are 6\), got 6"),
        ({"exclude": [-7]}, ValueError, r"exclude must number features from 0 to 5 .*, got -7"),
        ({"include": [1.0]}, TypeError, r"include must be names or numbers of features, got 1\.0"),
        ({"include": True}, TypeError, "include must be names or numbers of features, got True"),
        ({"include": [0, True]}, TypeError, "include must be names or numbers of features, got True"),
        ({"include": [True, False]}, ValueError, "include .*6.* got 2"),
        ({"include": "age", "exclude": [0]}, ValueError, "feature 'age' is both: take it out of one of the two"),
        ({"exclude": np.ones(6, bool)}, ValueError, "exclude must leave a feature to select, but all 6 are excl"),
        (
            {"exclude": [0, 5], "groups": [range(5)]},
            ValueError,
            "exclude must leave a feature to select, .* groups counted whole",
        ),
        ({"groups": [["age", "pay"], [2, 3]]}, ValueError, "'pay' is in group 0 and in group 1: make one group"),
        ({"groups": [["age", "pay"], []]}, ValueError, "group 1 must have at least one feature, got none"),
        ({"groups": [["age", "pay", 0]]}, ValueError, "group 0 has feature 'age' twice: name it once"),
        ({"groups": [["age", "play"]]}, ValueError, "group 0 must name features .* got 'play': did you mean 'pay'"),
        ({"groups": ["age", "pay"]}, TypeError, r"group 0 is 'age': write \[\[\.\.\.\]\] for a single group"),
        ({"groups": [0, 1]}, TypeError, "each of them a sequence of features, but group 0 is 0"),
        ({"groups": "age"}, TypeError, "groups must be a sequence of groups, .* got 'age'"),
        ({"groups": {"a": ["age"]}}, TypeError, r"list\(groups\.values\(\)\) of a mapping"),
        (
            {"include": "age", "exclude": "pay", "groups": [["age", "pay"]]},
            ValueError,
            "'age' is included and feature 'pay' of the same group is excluded",
        ),
        ({"cost": [1.0, 2.0]}, ValueError, r"cost must be 6 numbers, one for each feature, .* got shape \(2,\)"),
        ({"cost": 0.5}, ValueError, r"or a mapping of features to numbers, got 0\.5"),
        ({"cost": [0, 0, -1, 0, 0, 0]}, ValueError, "cost must be finite and not negative, but feature 'pay' has -1"),
        ({"cost": {"age": np.inf}}, ValueError, "feature 'age' has inf: use exclude for what must not be chosen"),
        ({"cost": [0, 0, np.nan, 0, 0, 0]}, ValueError, "cost must be finite"),
        ({"cost": {"age": "much"}}, TypeError, "cost of feature 'age' must be a number, got 'much'"),
        ({"cost": {"age": True}}, TypeError, "cost of feature 'age' must be a number, got True"),
        ({"cost": {"age": 1, 0: 2}}, ValueError, "cost gives feature 'age' twice, by name or by number"),
        ({"cost": {"ag": 1}}, ValueError, "cost must name features of the table, got 'ag': did you mean 'age'"),
    ],
    ids=repr,
)  # fmt: skip
def test_contradictions_are_refused_in_words(wishes, error, words):
    with pytest.raises(error, match=words):
        of(**wishes)


def test_names_of_a_table_without_names_are_refused_in_words():
    with pytest.raises(
        ValueError, match="include names 'age', but the table has no names: use numbers from 0 to 5"
    ):
        Constraints.of(6, include="age")
    with pytest.raises(ValueError, match="but feature 1 is both"):
        Constraints.of(6, include=1, exclude=1)


@pytest.mark.parametrize(
    ("wishes", "k", "words"),
    [
        ({"include": [0, 1, 2]}, 2, "k must be at least 3, .* 3 features are included, got 2"),
        ({"exclude": [0, 1, 2]}, 4, "k must be at most 3, .* 3 features are left of 6 features, got 4"),
        ({"groups": [range(4)]}, 4, "k must be at most 3, .* 3 groups, .* got 4"),
        ({"include": [0, 4], "groups": [range(4)]}, 1, "k must be at least 2, .* 2 groups"),
        ({"include": 0}, 7, "k must be an integer from 0 to 6, got 7"),
        ({}, -1, "k must be an integer from 0 to 6"),
        ({}, 2.0, r"k must be an integer from 0 to 6, got 2\.0"),
        ({}, True, "k must be an integer from 0 to 6, got True"),
    ],
    ids=repr,
)  # fmt: skip
def test_a_size_that_no_subset_can_have_is_refused_in_words(wishes, k, words):
    with pytest.raises(ValueError, match=words):
        of(**wishes).check_size(k)


def test_a_size_counts_groups_once_and_included_ones_too():
    wishes = of(include=0, exclude=5, groups=[[0, 1, 2]])
    for k in (1, 2, np.int64(3)):
        wishes.check_size(k)


def test_half_a_group_and_names_of_other_features_are_refused():
    with pytest.raises(ValueError, match="whole units"):
        Constraints([0, 0], [True, False], [False, False], [0.0, 0.0])
    with pytest.raises(ValueError, match=r"names must be 2, .* got 1"):
        Constraints.of(2, ["a"], include=0)
    with pytest.raises(ValueError, match=r"n must be an integer .* got -1"):
        Constraints.of(-1)
