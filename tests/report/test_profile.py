"""The profile of a table: counts are those of the columns, and no value of a sample leaves it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quboselect.report import table_profile
from quboselect.report.facts import MOST_COUNTS
from quboselect.report.profile import LEAST_NAMED


def mixed(n=200):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "number": np.where(np.arange(n) % 10 == 0, np.nan, rng.normal(size=n)),
            "few": np.arange(n) % 3,
            "text": np.where(
                np.arange(n) < 150, "common", np.where(np.arange(n) < 195, "second", "rare secret")
            ),
            "flag": np.arange(n) % 2 == 0,
            "id": [f"person {i}" for i in range(n)],
        }
    )


def test_each_column_is_counted_by_what_it_holds():
    X = mixed()
    profile = table_profile(X, np.where(np.arange(200) < 60, "yes", "no"))
    number, few, text, flag, identity = profile.features
    assert (number.missing, number.distinct, sum(number.counts)) == (0.1, 180, 180)
    assert len(number.counts) == MOST_COUNTS
    assert (few.distinct, few.counts, few.labels) == (3, (67, 67, 66), ())
    assert (text.distinct, text.counts, text.labels) == (3, (150, 45, 5), ("common", "second", "other"))
    assert (flag.counts, flag.labels) == ((100, 100), ("False", "True"))
    assert (identity.distinct, identity.counts, identity.labels) == (200, (200,), ("other",))
    assert (profile.samples, profile.target.counts, profile.target.labels) == (200, (140, 60), ("no", "yes"))


def test_a_rare_category_is_never_named_and_no_number_of_a_sample_is_there():
    X = mixed()
    text = repr(table_profile(X, X["number"].fillna(0.5)))
    assert "secret" not in text
    assert "person" not in text
    assert not any(repr(float(value)) in text for value in X["number"].dropna() if abs(value) > 0.01)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([f"category {i}" for i in range(30)]), min_size=1, max_size=400))
def test_only_categories_of_many_samples_are_named_and_every_sample_is_counted_once(values):
    (column,) = table_profile(pd.DataFrame({"a": values})).features
    assert len(column.counts) == len(column.labels) <= MOST_COUNTS
    assert sum(column.counts) == len(values)
    assert column.distinct == len(set(values))
    for label, count in zip(column.labels, column.counts, strict=True):
        if label == "other":
            continue
        assert values.count(label) == count >= LEAST_NAMED


def test_one_far_value_does_not_put_all_others_into_one_bin():
    x = np.append(np.linspace(0.0, 1.0, 999), 1e9)
    (column,) = table_profile(x[:, None]).features
    assert max(column.counts) < 200
    assert sum(column.counts) == 1000


def test_a_number_that_is_nearly_always_one_value_keeps_the_others():
    x = np.append(np.zeros(9990), np.arange(1.0, 21.0))
    (column,) = table_profile(x[:, None]).features
    assert column.counts[0] >= 9990
    assert column.counts[-1] > 0


def test_an_excluded_column_has_no_profile_and_categories_are_those_of_the_selector():
    profile = table_profile(mixed(), exclude=["id"], categorical=["few"])
    assert profile.features[4] is None
    assert profile.features[1].labels == ("0", "1", "2")
    assert profile.target is None


def test_a_continuous_target_has_bins_and_a_sparse_table_is_read():
    from scipy.sparse import csr_array

    X = csr_array(np.eye(40))
    profile = table_profile(X, np.arange(40), target_type="continuous")
    assert profile.features[0].counts == (39, 1)
    assert profile.target.labels == ()
    assert len(profile.target.counts) == MOST_COUNTS
    assert table_profile(X, np.arange(40) / 7.0).target.labels == ()


def test_a_column_that_is_all_missing_has_no_counts():
    (column,) = table_profile(np.full((5, 1), np.nan)).features
    assert (column.missing, column.distinct, column.counts) == (1.0, 0, ())


def test_polars_frames_are_profiled_as_pandas_ones():
    polars = pytest.importorskip("polars")
    X = mixed()
    assert table_profile(polars.from_pandas(X)).features == table_profile(X).features
