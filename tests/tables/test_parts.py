"""Parts of dates: the same columns in frames of every library, as Python's own dates have them."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from quboselect import SelectQUBO
from quboselect.tables import date_parts
from quboselect.tables.parts import PARTS

RNG = np.random.default_rng(0)
WHEN = [datetime(2024, 2, 27) + timedelta(seconds=int(s)) for s in RNG.integers(0, 5 * 10**7, 80)]
WHEN[7] = None
NAIVE = {
    "quarter": lambda when: (when.month - 1) // 3 + 1,
    "weekday": lambda when: when.isoweekday(),
}
FRAMES = {
    "pandas": lambda columns: pd.DataFrame({name: pd.Series(x) for name, x in columns.items()}),
    "polars": pl.DataFrame,
    "arrow": lambda columns: pl.DataFrame(columns).to_arrow(),
    "a record batch": lambda columns: pl.DataFrame(columns).to_arrow().to_batches()[0],
}


def naive_part(when, part):
    return None if when is None else NAIVE.get(part, lambda when: getattr(when, part))(when)


def numbers(frame, name):
    """Return a column as numbers, None where missing."""
    values = nw.from_native(frame, eager_only=True)[name].to_list()
    return [None if x is None or x != x else int(x) for x in values]


@pytest.mark.parametrize("library", FRAMES)
def test_parts_are_those_of_python(library):
    frame = FRAMES[library]({"when": WHEN, "x": list(range(80))})
    found = date_parts(frame, PARTS)
    names = nw.from_native(found, eager_only=True).columns
    assert names == ["when", *(f"when: {part}" for part in PARTS), "x"]
    for part in PARTS:
        assert numbers(found, f"when: {part}") == [naive_part(when, part) for when in WHEN], part
    assert numbers(found, "x") == list(range(80))


def test_a_date_without_a_time_has_no_hours_and_each_date_its_parts():
    frame = pl.DataFrame({"day": [when and when.date() for when in WHEN], "x": 1.0, "when": WHEN})
    found = date_parts(frame, ["month", "hour"])
    assert found.columns == ["day", "day: month", "x", "when", "when: month", "when: hour"]
    assert date_parts(frame, "year", "when").columns == ["day", "x", "when", "when: year"]
    assert date_parts(frame.select("x")).columns == ["x"]


def test_the_time_zone_of_a_column_counts():
    zone = ZoneInfo("Asia/Tokyo")
    there = [when and when.replace(tzinfo=ZoneInfo("UTC")).astimezone(zone) for when in WHEN]
    for column in (pl.Series(there), pd.Series(there)):
        frame = pl.DataFrame({"when": column}) if isinstance(column, pl.Series) else column.to_frame("when")
        assert numbers(date_parts(frame, ["hour"]), "when: hour") == [when and when.hour for when in there]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_pipeline_selects_and_hands_on_parts(library):
    whole = [when for when in WHEN if when is not None]
    frame = FRAMES[library]({"when": whole, "noise": RNG.normal(size=79).tolist()})
    weekend = [when.isoweekday() > 5 for when in whole]
    selector = SelectQUBO(k=1).set_output(transform=library)
    pipeline = make_pipeline(FunctionTransformer(date_parts), selector).fit(frame, weekend)
    assert list(pipeline.transform(frame[:5]).columns) == ["when: weekday"]
    assert numbers(pipeline.transform(frame[:5]), "when: weekday") == [w.isoweekday() for w in whole[:5]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"parts": ["moth"]}, "parts must be of 'year'.*got 'moth'"),
        ({"columns": ["x"]}, "columns must be dates.*'x' is of type Int64: convert"),
        ({"columns": ["then"]}, "columns must be dates.*'then' is not there"),
        ({"parts": ["day"]}, "column 'when: day' already"),
    ],
)
def test_what_cannot_be_is_refused(arguments, words):
    frame = pl.DataFrame({"when": WHEN, "x": range(80), "when: day": range(80)})
    with pytest.raises(ValueError, match=words):
        date_parts(frame, **arguments)


def test_what_is_no_frame_is_refused_in_words():
    with pytest.raises(
        TypeError, match="X must be a pandas or polars frame, or an Arrow table, got list: make"
    ):
        date_parts([["2026-01-31"]])
