"""Times of events: what each event stands for, by a naive Kaplan-Meier estimate of censoring."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quboselect.tables.survival import not_lost_before, survival_of

SAMPLES = st.lists(
    st.tuples(st.integers(0, 6), st.booleans(), st.integers(1, 3)), min_size=1, max_size=25
).filter(lambda samples: any(event for _, event, _ in samples))
FIELDS = [("event", bool), ("time", float)]


def naive_share(samples, t):
    """Return the product over all earlier times of the share that is not lost at each."""
    share = 1.0
    for u in sorted({time for time, _, _ in samples if time < t}):
        lost = sum(weight for time, event, weight in samples if time == u and not event)
        # Those whose event comes at that time are gone before any is lost.
        there = sum(weight for time, event, weight in samples if time > u or (time == u and not event))
        share *= 1 - lost / there if there else 1.0
    return share


@settings(deadline=None)
@given(SAMPLES)
def test_the_share_that_is_left_is_that_of_kaplan_and_meier(samples):
    time, event, weights = (np.array(column) for column in zip(*samples, strict=True))
    found = not_lost_before(time.astype(float), event, weights.astype(float))
    np.testing.assert_allclose(found, [naive_share(samples, t) for t in time], atol=1e-12)


@settings(deadline=None)
@given(SAMPLES)
def test_events_weigh_one_over_the_share_and_censored_samples_nothing(samples):
    y = np.array([(event, time) for time, event, _ in samples], FIELDS)
    given_weights = [weight for _, _, weight in samples]
    expected = [
        weight / naive_share(samples, time) if event else 0.0
        for (time, event, _), weight in zip(samples, given_weights, strict=True)
    ]
    np.testing.assert_allclose(survival_of(y).weights(given_weights), expected)


@settings(deadline=None)
@given(SAMPLES)
def test_a_weight_is_the_same_as_repeating_a_sample(samples):
    y = np.array([(event, time) for time, event, _ in samples], FIELDS)
    often = np.array([weight for _, _, weight in samples])
    repeated = survival_of(np.repeat(y, often)).weights()
    np.testing.assert_allclose(
        survival_of(y).weights(often), [part.sum() for part in np.split(repeated, np.cumsum(often)[:-1])]
    )


def test_without_censoring_all_weigh_one():
    y = np.array([(True, 3.0), (True, 1.0), (True, 3.0)], FIELDS)
    assert survival_of(y).weights().tolist() == [1.0, 1.0, 1.0]


def test_where_losses_are_by_chance_the_weights_add_up_to_all_samples():
    rng = np.random.default_rng(0)
    time, end = rng.exponential(size=5000), rng.exponential(2.0, size=5000)
    y = np.zeros(5000, FIELDS)
    y["event"], y["time"] = time <= end, np.minimum(time, end)
    weights = survival_of(y).weights()
    median = np.median(time)
    weighed = weights[y["time"] <= median].sum() / 5000
    assert weighed == pytest.approx(0.5, abs=0.02)
    plain = (y["event"] & (y["time"] <= median)).sum() / y["event"].sum()
    assert plain > 0.55  # without weights, times look too short


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("flags", [[True, False], [1, 0]])
def test_frames_have_columns_event_and_time(library, flags):
    found = survival_of(library({"time": [5, 7], "event": flags}))
    assert found.time.tolist() == [5.0, 7.0]
    assert found.event.tolist() == [True, False]
    assert found.target().continuous


def test_the_fields_of_an_array_may_have_any_names_and_order():
    y = np.array([(5.0, True), (7.0, False)], [("days", float), ("died", bool)])
    assert survival_of(y).event.tolist() == [True, False]


@pytest.mark.parametrize(
    "y", [None, [1, 2], np.zeros((2, 2)), pd.DataFrame({"a": [True], "b": [1.0]}), pl.Series([1.0])]
)
def test_anything_else_is_no_survival(y):
    assert survival_of(y) is None


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (np.zeros(2, [("a", float), ("b", float)]), "fields.*a, b.*frame"),
        (np.zeros(2, [("a", bool), ("b", float), ("c", float)]), "fields.*a, b, c"),
        (pd.DataFrame({"event": [0, 2], "time": [1, 2]}), r"event .*\[0, 2\]"),
        (pd.DataFrame({"event": [True, None], "time": [1, 2]}), "sample 1"),
        (pd.DataFrame({"event": [True, False], "time": [1, np.nan]}), "sample 1 is nan"),
        (pd.DataFrame({"event": [True, False], "time": [1, -2]}), "time .*sample 1 is -2"),
        (pd.DataFrame({"event": [True, False], "time": ["a", "b"]}), "numbers"),
        (
            pd.DataFrame({"event": [True, False], "time": pd.to_datetime(["2026-01-01", "2026-01-02"])}),
            "time .*64",
        ),
    ],
)
def test_wrong_times_are_refused(y, words):
    with pytest.raises(ValueError, match=words):
        survival_of(y)


def test_some_event_must_have_been_seen_and_times_are_no_classes():
    lost = survival_of(np.array([(False, 1.0), (True, 2.0)], FIELDS))
    with pytest.raises(ValueError, match="at least one event"):
        lost.weights([1, 0])
    with pytest.raises(ValueError, match=r"target_type.*'classes'"):
        lost.target("classes")
