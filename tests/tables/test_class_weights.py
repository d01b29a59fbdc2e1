"""Class weights: those of scikit-learn, times the weights of the samples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight

from quboselect.tables.class_weights import class_weights
from quboselect.tables.several import NoTarget, as_targets
from quboselect.tables.target import as_target

LABELS = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=30)


@settings(deadline=None)
@given(LABELS)
def test_balanced_weights_are_those_of_scikit_learn(y):
    np.testing.assert_allclose(class_weights("balanced", as_target(y)), compute_sample_weight("balanced", y))


@settings(deadline=None)
@given(LABELS, st.integers(0, 2**32 - 1))
def test_balanced_classes_weigh_the_same_with_weights_too(y, seed):
    weights = np.random.default_rng(seed).integers(1, 5, len(y)) / 2
    found = class_weights("balanced", as_target(y), weights)
    labels = np.array(y)
    sums = [found[labels == label].sum() for label in set(y)]
    np.testing.assert_allclose(sums, weights.sum() / len(set(y)))
    known = np.unique(labels)
    each = dict(
        zip(
            known,
            compute_class_weight("balanced", classes=known, y=labels, sample_weight=weights),
            strict=True,
        )
    )
    np.testing.assert_allclose(
        found, [weight * each[label] for weight, label in zip(weights, y, strict=True)]
    )


@settings(deadline=None)
@given(LABELS)
def test_a_mapping_is_that_of_scikit_learn(y):
    mapping = {label: weight for label, weight in {"a": 3, "b": 0.5}.items() if label in y}
    found = class_weights(mapping, as_target(y))
    np.testing.assert_array_equal(found, compute_sample_weight(mapping, y))


def test_a_class_without_weight_is_not_counted():
    found = class_weights("balanced", as_target(["a", "b", "b", "c"]), [1, 1, 1, 0])
    np.testing.assert_allclose(found, [1.5, 0.75, 0.75, 0])


def test_the_weights_of_several_targets_are_multiplied():
    y = np.array([["a", "x"], ["a", "y"], ["b", "x"], ["a", "x"]], object)
    found = class_weights("balanced", as_targets(y))
    np.testing.assert_allclose(found, compute_sample_weight("balanced", y))


@pytest.mark.parametrize(
    ("weight", "target", "words"),
    [
        ("equal", as_target(["a", "b"]), "class_weight.*'balanced'.*'equal'"),
        ("balanced", as_target([0.5, 1.5]), "class_weight.*continuous.*sample_weight"),
        ("balanced", as_targets([["a", 0.5], ["b", 1.5]]), "class_weight.*continuous"),
        ("balanced", NoTarget(), "class_weight.*y is None"),
        ({"a": 2}, as_targets([["a", "b"], ["b", "b"]]), "class_weight.*'balanced'.*several"),
        ({"z": 2}, as_target(["a", "b"]), "class_weight.*'z'.*'a', 'b'"),
        ({"a": -1}, as_target(["a", "b"]), "class_weight.*-1 for 'a'"),
        ({"a": "much"}, as_target(["a", "b"]), "class_weight.*'much'"),
    ],
)
def test_wrong_weights_are_refused(weight, target, words):
    with pytest.raises(ValueError, match=words):
        class_weights(weight, target)
