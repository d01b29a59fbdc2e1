"""Names and numbers of features: what is found, and what is said of what is not."""

import dataclasses

import numpy as np
import pytest

from quboselect import Constraints, importance, redundancy
from quboselect.tables.feature_names import label_of, lookup, positions
from quboselect.tables.table import as_table

NAMES = ("age", "city", "pay")


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("city", [1]),
        (2, [2]),
        (-1, [2]),
        (["pay", "age"], [2, 0]),
        ([0, "city"], [0, 1]),
        (np.array([1, 2]), [1, 2]),
        (np.array([True, False, True]), [0, 2]),
        ([False, False, False], []),
        ((), []),
        ({"age"}, [0]),
    ],
)
def test_features_are_found_by_name_by_number_and_by_truth(keys, expected):
    assert positions(keys, 3, NAMES, "include").tolist() == expected


def test_names_are_looked_up_in_a_sequence_or_in_what_was_made_of_it():
    places = lookup(NAMES)
    assert lookup(places) is places
    assert lookup(None) is None
    assert positions(["pay", -3, "city"], 3, places, "include").tolist() == [2, 0, 1]
    assert positions("age", 3, ["pay", "age", "age"], "include").tolist() == [1]


class Counted(tuple):
    """Names that count how often all of them are looked through."""

    __slots__ = ()
    times = 0

    def __iter__(self):
        type(self).times += 1
        return super().__iter__()

    def __contains__(self, name):
        return name in iter(self)


def test_names_are_looked_through_once_however_many_are_asked_for():
    names = Counted(map(str, range(1000)))
    Counted.times = 0
    assert positions([str(i) for i in range(999, -1, -1)], 1000, names, "exclude").tolist()[:2] == [999, 998]
    assert Counted.times == 1
    Counted.times = 0
    wishes = Constraints.of(
        1000,
        names,
        include=["0", "1"],
        groups=[[str(i), str(i + 1)] for i in range(0, 900, 2)],
        cost=dict.fromkeys(map(str, range(1000)), 1.0),
    )
    assert (wishes.kept, wishes.free) == (1, 549)
    assert Counted.times <= 3


@pytest.mark.parametrize(
    "measure",
    [
        importance.Precomputed({str(i): 1.0 for i in range(100)}),
        redundancy.Precomputed({(str(i), str(i + 1)): 1.0 for i in range(99)}),
    ],
    ids=["importance", "redundancy"],
)
def test_given_numbers_look_through_the_names_once(measure):
    names = Counted(map(str, range(100)))
    table = dataclasses.replace(as_table(np.zeros((2, 100))), names=names)
    Counted.times = 0
    assert measure(table).sum() in (100, 198)
    assert Counted.times == 1


def test_an_error_calls_a_feature_by_its_name_or_its_number():
    assert label_of(1, NAMES) == "feature 'city'"
    assert label_of(1, None) == "feature 1"


@pytest.mark.parametrize(
    ("keys", "names", "kind", "words"),
    [
        (
            "citty",
            NAMES,
            ValueError,
            "include.*'citty'.*'city'",
        ),
        ("zzz", NAMES, ValueError, "include.*'zzz'.*'age'"),
        ("age", None, ValueError, "include.*'age'.*no names.*0 to 2"),
        (3, NAMES, ValueError, "include.*0 to 2.*got 3"),
        (-4, NAMES, ValueError, "got -4"),
        (1.0, NAMES, TypeError, "include.*got 1.0"),
        ([1.5], NAMES, TypeError, "include.*got 1.5"),
        (
            [True, False],
            NAMES,
            ValueError,
            "include.*3.*got 2",
        ),
        ([True, 1], NAMES, TypeError, "include.*got True"),
        ([None], NAMES, TypeError, "include.*got None"),
    ],
)
def test_what_is_not_a_feature_is_refused_in_words(keys, names, kind, words):
    with pytest.raises(kind, match=words):
        positions(keys, 3, names, "include")
