"""Parts of dates as features of their own: the month, the weekday, the hour.

A selector selects columns of the table that it is given, so the parts must be columns before it sees them. A function
does that, which keeps no state: as a step before the selector it makes the same columns of every table.
"""

from collections.abc import Sequence
from typing import Any

from .frames import TEMPORAL, as_frame, is_frame

DATE, CLOCK = ("year", "quarter", "month", "day", "weekday"), ("hour", "minute", "second")
PARTS = (*DATE, *CLOCK)
DATETIME, DAY, *_ = TEMPORAL


def date_parts(
    X: Any, parts: Sequence[str] = ("year", "month", "day", "weekday", "hour"), columns: Any = None
) -> Any:
    """Return a frame with parts of its dates as columns, each named as "when: month" and next to its date.

    The date itself stays: as a number it says what came before what. Parts are numbers: months from 1, weekdays from
    1, Monday, to 7, hours from 0, all as the time zone of the column has them; that of a missing date is missing.
    Dates without a time of the day have no hours.

    Parameters
    ----------
    X : pandas or polars frame, or Arrow table
    parts : sequence of str
        Of "year", "quarter", "month", "day", "weekday", "hour", "minute" and "second".
    columns : sequence of str, optional
        The dates; None is every column whose type is dates, with a time or without.

    Examples
    --------
    >>> import pandas as pd
    >>> orders = pd.DataFrame({"when": pd.to_datetime(["2026-01-31 08:00", "2026-02-01 23:30"]), "sum": [3, 5]})
    >>> print(date_parts(orders, ["month", "weekday"]).to_string(index=False))
                   when  when: month  when: weekday  sum
    2026-01-31 08:00:00            1              6    3
    2026-02-01 23:30:00            2              7    5

    As a step before a selector, whose features they become:

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import FunctionTransformer
    >>> from quboselect import SelectQUBO
    >>> steps = make_pipeline(FunctionTransformer(date_parts), SelectQUBO(k=1)).fit(orders, [0, 1])
    """
    given = [parts] if isinstance(parts, str) else list(parts)
    if unknown := [part for part in given if part not in PARTS]:
        raise ValueError(f"parts must be of {', '.join(map(repr, PARTS))}, got {unknown[0]!r}.")
    if not is_frame(X):
        raise TypeError(
            f"X must be a pandas or polars frame, or an Arrow table, got {type(X).__name__}: make a frame of it."
        )
    frame = as_frame(X)
    kinds = {name: frame[name].dtype for name in frame.columns}
    dates = [name for name, kind in kinds.items() if isinstance(kind, DATETIME | DAY)]
    if columns is not None:
        wanted = [columns] if isinstance(columns, str) else list(columns)
        if wrong := [name for name in wanted if name not in dates]:
            came = f"of type {kinds[wrong[0]]}" if wrong[0] in kinds else "not there"
            raise ValueError(
                f"columns must be dates of the table, but {wrong[0]!r} is {came}: convert it, as by pandas.to_datetime."
            )
        dates = wanted
    found = []
    for name, kind in kinds.items():
        series = frame[name]
        found.append(series)
        for part in dict.fromkeys(given) if name in dates else ():
            if isinstance(kind, DAY) and part in CLOCK:
                continue
            if f"{name}: {part}" in kinds:
                raise ValueError(f"X must not have a column {name + ': ' + part!r} already: rename it.")
            values = (series.dt.month() + 2) // 3 if part == "quarter" else getattr(series.dt, part)()
            found.append(values.alias(f"{name}: {part}"))
    return frame.select(*found).to_native()
