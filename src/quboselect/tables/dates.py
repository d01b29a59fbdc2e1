"""Dates, times and durations as numbers of seconds, which can be cut into bins like any other number.

Dates count from 1970 in UTC, times of the day from midnight, durations from nothing. What is missing (NaT) is NaN. Only
order and distance count: what a date is part of, such as a weekday, is a feature of its own.
"""

from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

START = datetime(1970, 1, 1, tzinfo=UTC)
COARSE = {"W": 604_800, "D": 86_400, "h": 3_600, "m": 60, "s": 1}  # seconds in each
FINE = {"ms": 1e3, "us": 1e6, "ns": 1e9, "ps": 1e12, "fs": 1e15, "as": 1e18}  # in a second of each
POINTS, DURATIONS, TIMES = (date, np.datetime64), (timedelta, np.timedelta64), (time,)


def is_clock(kinds: Collection[type]) -> bool:
    """Return whether values of these types are all dates, all durations, or all times of the day.

    Examples
    --------
    >>> is_clock({date, datetime}), is_clock({date, timedelta}), is_clock({int})
    (True, False, False)
    """
    families = (POINTS, DURATIONS, TIMES)
    return bool(kinds) and any(all(issubclass(kind, family) for kind in kinds) for family in families)


def seconds(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return an array of NumPy's dates or durations in seconds, NaN where missing.

    Examples
    --------
    >>> seconds(np.array(["1970-01-02", "NaT"], "M8[D]")), seconds(np.array([1500], "m8[ms]"))
    (array([86400.,    nan]), array([1.5]))
    """
    missing, unit = np.isnat(values), np.datetime_data(values.dtype)[0]
    if values.dtype.kind == "M" and unit in ("Y", "M"):
        values, unit = values.astype("M8[s]"), "s"
    if unit not in COARSE and unit not in FINE:
        raise ValueError(
            f"durations must have a unit of fixed length, got {values.dtype}, which is of months or of none: "
            "convert them to days, or to numbers."
        )
    numbers = values.astype(np.int64).astype(np.float64) * np.datetime_data(values.dtype)[1]
    found: NDArray[np.float64] = numbers * COARSE[unit] if unit in COARSE else numbers / FINE[unit]
    found[missing] = np.nan
    return found


def second(value: Any) -> float:
    """Return one date, duration or time of the day in seconds; a date without a time zone is taken for UTC.

    Examples
    --------
    >>> second(date(1970, 1, 2)), second(timedelta(minutes=1)), second(time(12)), second(datetime(1970, 1, 1, 1))
    (86400.0, 60.0, 43200.0, 3600.0)
    """
    if isinstance(value, np.datetime64 | np.timedelta64):
        return float(seconds(np.array([value]))[0])
    if isinstance(value, timedelta):
        return float(value.total_seconds())
    if isinstance(value, time):
        return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    if not isinstance(value, datetime):
        return float((value.toordinal() - START.toordinal()) * COARSE["D"])
    aware = value.replace(tzinfo=UTC) if value.tzinfo is None else value
    return float((aware - START).total_seconds())
