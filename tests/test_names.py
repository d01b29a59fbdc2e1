"""Names and numbers of features: what is found, and what is said of what is not."""

import numpy as np
import pytest

from quboselect.names import label_of, positions

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
            r"include must name features of the table, got 'citty': did you mean 'city'\?",
        ),
        ("zzz", NAMES, ValueError, "got 'zzz': the first is 'age'"),
        ("age", None, ValueError, "include names 'age', but the table has no names: use numbers from 0 to 2"),
        (3, NAMES, ValueError, r"include must number features from 0 to 2 \(there are 3\), got 3"),
        (-4, NAMES, ValueError, "got -4"),
        (1.0, NAMES, TypeError, "include must be names or numbers of features, got 1.0"),
        ([1.5], NAMES, TypeError, "include must be names or numbers of features, got 1.5"),
        (
            [True, False],
            NAMES,
            ValueError,
            "include as true and false must be 3 of them, one for each feature, got 2",
        ),
        ([True, 1], NAMES, TypeError, "include must be names or numbers of features, got True"),
        ([None], NAMES, TypeError, "include must be names or numbers of features, got None"),
    ],
)
def test_what_is_not_a_feature_is_refused_in_words(keys, names, kind, words):
    with pytest.raises(kind, match=words):
        positions(keys, 3, names, "include")
