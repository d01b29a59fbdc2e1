"""Dates, times and durations: numbers of seconds, in every library alike."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quboselect import SelectQUBO
from quboselect.tables.dates import second, seconds
from quboselect.tables.table import as_table

START = dt.datetime(1970, 1, 1)
MOMENTS = [
    dt.datetime(2020, 2, 29, 12, 30, 15, 250_000),
    None,
    dt.datetime(1969, 12, 31),
    dt.datetime(1970, 1, 1),
]
EXPECTED = [np.nan if one is None else (one - START).total_seconds() for one in MOMENTS]


def column(frame):
    """Return the only feature of a table."""
    table = as_table(frame)
    assert not table.categorical.any()
    (x,) = table.block(0, 1)
    return x


@pytest.mark.parametrize(
    "make",
    [
        lambda: pd.DataFrame({"t": MOMENTS}),
        lambda: pd.DataFrame({"t": pd.Series(MOMENTS, dtype="datetime64[ns]")}),
        lambda: pd.DataFrame({"t": pd.Series(MOMENTS).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")}),
        lambda: pd.DataFrame({"t": pd.Series(MOMENTS, dtype=object)}),
        lambda: pl.DataFrame({"t": MOMENTS}),
        lambda: pl.DataFrame({"t": MOMENTS}, schema={"t": pl.Datetime("ms", "UTC")}),
        lambda: pa.table({"t": MOMENTS}),
        lambda: np.array([[one] for one in MOMENTS], "M8[ms]"),
        lambda: np.array([[one] for one in MOMENTS], object),
        lambda: np.array([[np.datetime64(one or "NaT", "ms")] for one in MOMENTS], object),
    ],
)
def test_moments_are_seconds_since_1970(make):
    np.testing.assert_allclose(column(make()), EXPECTED)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_days_durations_and_times_are_seconds_too(library):
    days = [dt.date(1970, 1, 3), None, dt.date(1969, 12, 31)]
    np.testing.assert_array_equal(column(library({"d": days})), [172_800, np.nan, -86_400])
    spans = [dt.timedelta(days=1, milliseconds=5), None, dt.timedelta(seconds=-2)]
    np.testing.assert_allclose(column(library({"d": spans})), [86_400.005, np.nan, -2])
    times = [dt.time(1, 2, 3, 500_000), None, dt.time(0)]
    np.testing.assert_allclose(column(library({"d": times})), [3_723.5, np.nan, 0])


@given(st.integers(-(10**11), 10**11), st.sampled_from(["W", "D", "h", "m", "s", "ms", "us", "ns"]))
def test_every_unit_of_a_duration_is_seconds(count, unit):
    length = {"W": 604_800, "D": 86_400, "h": 3_600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[
        unit
    ]
    for step in (1, 5):
        found = seconds(np.array([count], f"m8[{step}{unit}]"))
        np.testing.assert_allclose(found, [count * step * length], rtol=1e-12)


@given(st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)))
def test_a_moment_alone_is_that_of_an_array(moment):
    naive = (moment - START) / dt.timedelta(seconds=1)
    assert second(moment) == pytest.approx(naive, rel=1e-15, abs=1e-6)
    assert seconds(np.array([moment], "M8[us]"))[0] == pytest.approx(naive, rel=1e-15, abs=1e-6)
    zone = dt.timezone(dt.timedelta(hours=5))
    assert second(moment.replace(tzinfo=zone)) == pytest.approx(naive - 5 * 3600, abs=1e-5)


def test_years_and_months_of_a_calendar_are_dates():
    found = seconds(np.array(["1971", "1970", "NaT"], "M8[Y]"))
    np.testing.assert_array_equal(found, [365 * 86_400, 0, np.nan])
    np.testing.assert_array_equal(seconds(np.array(["1970-02"], "M8[M]")), [31 * 86_400])


def test_dates_may_be_categories():
    frame = pd.DataFrame({"t": pd.to_datetime(["2020-01-02", "2020-01-01", None, "2020-01-02"])})
    for X in (frame, frame.to_numpy(), pl.DataFrame({"t": frame["t"].to_numpy()})):
        table = as_table(X, categorical=[0])
        assert table.categorical.tolist() == [True]
        assert table.block(0, 1)[0].tolist() == [1, 0, -1, 1]


def test_a_date_that_tells_is_selected_and_keeps_its_type():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 100, 300) + 90 * y, unit="D")
    frame = pd.DataFrame({"noise": rng.normal(size=300), "day": days, "more": rng.normal(size=300)})
    selector = SelectQUBO(k=1).set_output(transform="pandas").fit(frame, y)
    assert selector.transform(frame)["day"].dtype.kind == "M"
    numbers = frame.assign(day=(days - pd.Timestamp("2024-01-01")).days)
    np.testing.assert_array_equal(SelectQUBO(k=1).fit(numbers, y).importance_, selector.importance_)
    batches = [(frame[i : i + 100], y[i : i + 100]) for i in (0, 100, 200)]
    np.testing.assert_array_equal(SelectQUBO(k=1).fit_batches(batches).importance_, selector.importance_)
    array = frame[["day"]].to_numpy()
    assert SelectQUBO(k=1).fit(array, y).transform(array).dtype == array.dtype
