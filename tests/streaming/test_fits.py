"""What batches, Parquet files and Dask tables do not take is refused, each in one sentence that says what to do."""

import re

import numpy as np
import pandas as pd
import pytest

from quboselect import SelectQUBO

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(60, 3)), columns=list("abc"))
Y = pd.DataFrame(
    {
        "kind": np.where(X["a"] > 0, "up", "down"),
        "size": X["b"] + RNG.normal(size=60),
        "event": RNG.random(60) < 0.5,
        "time": RNG.random(60),
    }
)

# The columns of the target, what they are called by the error, and what it advises.
TARGETS = {
    "several": (["kind", "size"], "2 columns|'kind', 'size'", "memory.*several"),
    "times of events": (["event", "time"], "2 columns|'event', 'time'", "memory.*times of events"),
    "none": (None, "None", "memory"),
}
PARAMETERS = {
    "k='auto'": ({"k": "auto"}, "k must be a number.*'auto'.*use fit"),
    "k='fdr'": ({"k": "fdr"}, "k must be a number.*'fdr'.*use fit"),
    "fdr": ({"fdr": 0.1}, "fdr must be None.*0.1.*use fit"),
    "class_weight": ({"class_weight": "even"}, "class_weight must be None, 'balanced' or .*'even'"),
}


def by_batches(selector, target, _):
    return selector.fit_batches([(X, None if target is None else Y[target])])


def by_partial_fit(selector, target, _):
    return selector.partial_fit(X, None if target is None else Y[target])


def by_parquet(selector, target, folder):
    pytest.importorskip("pyarrow")
    pd.concat([X, Y], axis=1).to_parquet(folder / "table.parquet")
    return selector.fit_parquet(folder / "table.parquet", target, features=list(X))


def by_dask(selector, target, _):
    dask = pytest.importorskip("dask.dataframe")
    y = None if target is None else dask.from_pandas(Y[target], npartitions=2)
    return selector.fit(dask.from_pandas(X, npartitions=2), y)


def by_dask_and_memory(selector, target, _):
    dask = pytest.importorskip("dask.dataframe")
    return selector.fit(dask.from_pandas(X, npartitions=2), None if target is None else Y[target])


ROUTES = (by_batches, by_partial_fit, by_parquet, by_dask, by_dask_and_memory)


def refusal(route, parameters, target, folder):
    """Return what a route says, which must be one sentence, and about what was given, before it is tried."""
    with pytest.raises((ValueError, AttributeError)) as raised:
        route(SelectQUBO(**{"k": 2, **parameters}), target, folder)
    words = str(raised.value.__cause__ if isinstance(raised.value, AttributeError) else raised.value)
    assert words.endswith(".")
    assert not re.search(r"\. [A-Z]", words)
    return words


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("route", ROUTES)
def test_a_target_that_needs_a_table_in_memory_is_refused_in_one_sentence(route, target, tmp_path):
    columns, came, advice = TARGETS[target]
    words = refusal(route, {}, columns, tmp_path)
    assert re.search(came, words), words
    assert re.search(advice, words), words


@pytest.mark.parametrize("parameter", PARAMETERS)
@pytest.mark.parametrize("route", ROUTES)
def test_what_needs_samples_is_refused_in_one_sentence(route, parameter, tmp_path):
    parameters, expected = PARAMETERS[parameter]
    words = refusal(route, parameters, "kind", tmp_path)
    assert re.search(expected, words), words


def test_fields_of_one_array_are_refused_too():
    y = np.array(list(zip(Y["event"], Y["time"], strict=True)), dtype=[("event", bool), ("time", float)])
    with pytest.raises(ValueError, match=r"batch 1.*the fields event, time.*memory.*times of events"):
        SelectQUBO(k=2).fit_batches([(X, y)])


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("target", ["kind", "size"])
def test_one_target_is_taken_by_every_route(route, target, tmp_path):
    found = route(SelectQUBO(k=2), target, tmp_path)
    np.testing.assert_array_equal(found.support_, SelectQUBO(k=2).fit(X, Y[target]).support_)
