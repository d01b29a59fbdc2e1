"""What each route takes: docs/howto/large_tables.md has it in a table, of which every cell is tried here.

A cell that begins with "yes" is a fit, with the features of `fit` in memory. Any other is an error, in one sentence
that names the parameter and says what to do.
"""

import re
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_selection import f_classif
from sklearn.naive_bayes import GaussianNB

from batch_oracles import Frame
from quboselect import SelectQUBO, SelectQUBOCV, criteria, importance, redundancy, solvers
from quboselect.search.wide import selection
from quboselect.streaming import JointCounts, fit_spark, selector_reading

try:
    import torch

    DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
except ImportError:
    DEVICE = "cpu"

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "large_tables.md"
N, HALF = 60, 25
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(N, 4)), columns=list("abcd"))
WIDE = pd.DataFrame(RNG.normal(size=(N, 12)), columns=list("abcdefghijkl"))
MIXED = X.assign(
    a=np.where(X["a"] > 0.3, "x", None),
    b=pd.Timestamp("2025-01-01") + pd.to_timedelta(np.arange(N), unit="D"),
    c=X["c"].where(X["c"] > -1),
)
Y = pd.DataFrame(
    {
        "kind": np.where(X["a"] > 0, "up", "down"),
        "side": np.where(X["b"] > 0, "left", "right"),
        "size": X["b"] + RNG.normal(size=N),
        "event": RNG.random(N) < 0.5,
        "time": RNG.random(N),
    }
)


@dataclass(frozen=True, eq=False)
class Ask:
    """What is asked for: parameters, a target, a table, weights; and how an error about it names it."""

    parameters: dict[str, Any] = field(default_factory=dict)
    named: str = "never"
    y: Any = "kind"
    X: pd.DataFrame = field(default_factory=lambda: X)
    weights: Any = None
    needs: str = ""  # a package
    like: dict[str, Any] = field(default_factory=dict)  # parameters of the fit in memory that finds the same

    @property
    def target(self):
        return None if self.y is None else Y[self.y]

    @property
    def k(self):
        return self.parameters.get("k", 2)

    @property
    def in_memory(self):
        """The table, the target, and the weights if there are any."""
        return (self.X, self.target) if self.weights is None else (self.X, self.target, self.weights)

    @property
    def columns(self):
        """Everything in one frame, and what names the columns of the weights."""
        table = pd.concat([self.X, Y], axis=1)
        if self.weights is None:
            return table, {}
        return table.assign(weights=self.weights), {"weight": "weights"}


def measures(one, two):
    return {"importance": one, "redundancy": two}


VALUES = measures(importance.Correlation(), redundancy.Correlation())
ASKS = {
    "criteria of information": [Ask({"criterion": one}) for one in (criteria.Pairs(), criteria.QFS(bins=5))],
    "`Correlation`, `FStatistic`": [
        Ask(VALUES),
        Ask(measures(importance.FStatistic(), redundancy.Correlation()), y="size"),
    ],
    "`Correlation(ranks=True)`": [
        Ask(measures(importance.Correlation(ranks=True), redundancy.Correlation()), "ranks"),
        Ask(measures(importance.Correlation(), redundancy.Correlation(ranks=True)), "ranks", y="size"),
    ],
    "one measure of each kind": [
        Ask(measures(importance.MutualInformation(), redundancy.Correlation())),
        Ask(measures(importance.Correlation(), redundancy.MutualInformation()), y="size"),
    ],
    "functions, models, your own numbers": [
        Ask({"importance": one}, "importance")
        for one in (f_classif, importance.Permutation(GaussianNB()), importance.Precomputed([1, 2, 3, 4]))
    ],
    "`alpha`, `k=None`": [Ask({"alpha": 0.5}, "alpha"), Ask({"k": None, "alpha": 0.5}, "alpha")],
    '`k="auto"`, `k="fdr"`': [Ask({"k": "auto"}, "k"), Ask({"k": "fdr"}, "k")],
    "`fdr`": [Ask({"fdr": 0.9}, "fdr")],
    "`sample_weight`": [Ask(weights=np.arange(N) % 3), Ask(VALUES, weights=1 / (1.0 + np.arange(N) % 3))],
    "`class_weight` of labels": [Ask({"class_weight": {"up": 2, "down": 1}})],
    '`class_weight="balanced"`': [
        Ask({"class_weight": "balanced"} | some, "class_weight") for some in ({}, VALUES)
    ],
    "classes, a number": [Ask(), Ask(y="size"), Ask({"target_type": "continuous"}, y="size")],
    "several targets": [Ask({"targets": way}, "y|target", y=["kind", "side"]) for way in ("sum", "joint")],
    "times of events": [Ask(named="y|target", y=["event", "time"])],
    "no target": [Ask(named="y|target", y=None)],
    "text, dates, missing values": [Ask(X=MIXED), Ask({"categorical_features": ["a"]}, X=X.round())],
    "`include`, `exclude`, `groups`, `cost`": [
        Ask({"include": ["a"], "exclude": ["b"]}),
        Ask({"groups": [["a", "b"]]}),
        Ask({"cost": {"a": 0.1}}),
    ],
    "more than 2 000 features": [Ask(X=WIDE), Ask(X=WIDE, weights=1 / (1.0 + np.arange(N) % 3))],
    "the same, with correlations": [
        Ask(VALUES, X=WIDE),
        Ask(measures(importance.Correlation(), redundancy.MutualInformation()), X=WIDE),
    ],
    '`device="cuda"`': [
        Ask({"criterion": criteria.Pairs(device=DEVICE)}, needs="torch", like={"criterion": criteria.Pairs()})
    ],
    "`solver`, `n_jobs`, `random_state`": [Ask({"solver": solvers.Greedy(), "n_jobs": 1, "random_state": 3})],
    "`blocks`, for `stability`": [Ask({"blocks": 5})],
}


def by_fit(ask, _):
    return SelectQUBO(**{"k": 2, **ask.parameters}).fit(*ask.in_memory)


def by_batches(ask, _):
    halves = slice(HALF), slice(HALF, N)
    parts = [[None if one is None else one[part] for one in ask.in_memory] for part in halves]
    return SelectQUBO(**{"k": 2, **ask.parameters}).fit_batches(parts)


def by_parquet(ask, folder):
    pytest.importorskip("pyarrow")
    table, names = ask.columns
    table.to_parquet(folder / "table.parquet")
    selector = SelectQUBO(**{"k": 2, **ask.parameters})
    return selector.fit_parquet(folder / "table.parquet", ask.y, features=list(ask.X), **names)


def by_dask(ask, _):
    dask = pytest.importorskip("dask.dataframe")
    y = None if ask.y is None else dask.from_pandas(ask.target, npartitions=2)
    selector = SelectQUBO(**{"k": 2, **ask.parameters})
    return selector.fit(dask.from_pandas(ask.X, npartitions=2), y, ask.weights)


def by_spark(ask, _):
    pa = pytest.importorskip("pyarrow")
    whole, names = ask.columns
    table = pa.Table.from_pandas(whole, preserve_index=False)
    frame = Frame([table.slice(0, HALF).to_batches(), table.slice(HALF).to_batches()])
    selector = SelectQUBO(**{"k": 2, **ask.parameters})
    return fit_spark(selector, frame, ask.y, features=list(ask.X), **names)


def by_partial_fit(ask, _):
    return SelectQUBO(**{"k": 2, **ask.parameters}).partial_fit(*ask.in_memory)


def by_counts(ask, _):
    selector = SelectQUBO(**{"k": 2, **ask.parameters})
    reading = selector_reading(selector)
    if ask.weights is not None or selector.class_weight is not None:
        reading = reading.weighed(reading.weighing(ask.target, ask.weights))
    coding = reading.coding(reading.tally(*ask.in_memory))
    return selector.fit_counts(JointCounts.of(coding, *ask.in_memory, device=reading.device))


def by_cross_validation(ask, _):
    model = DummyRegressor() if ask.y == "size" else DummyClassifier()
    selector = SelectQUBO(**{**ask.parameters, "k": 2})
    k = ask.k if isinstance(ask.k, str) else [2]
    return SelectQUBOCV(model, k=k, selector=selector, cv=2).fit(ask.X, ask.target, sample_weight=ask.weights)


ROUTES = {
    "`fit`": [by_fit],
    "`fit_batches`, `fit_parquet`": [by_batches, by_parquet],
    "Dask": [by_dask],
    "Spark": [by_spark],
    "`partial_fit`": [by_partial_fit],
    "`fit_counts`": [by_counts],
    "`SelectQUBOCV`": [by_cross_validation],
}


def page_table():
    """Return the rows of the page's table of routes: what is asked for, and the cell of each route."""
    lines = PAGE.read_text().partition("## What each way takes")[2].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    (_, *routes), _, *body = rows
    return [(row[0], dict(zip(routes, row[1:], strict=True))) for row in body]


CELLS = [
    pytest.param(ask, route, cell, id=f"{what}, {i}, {route.__name__[3:]}")
    for what, cells in page_table()
    for heading, cell in cells.items()
    for route in ROUTES.get(heading, [])
    for i, ask in enumerate(ASKS.get(what, []))
]


def test_the_page_has_every_route_and_everything_that_can_be_asked_for():
    assert [what for what, _ in page_table()] == list(ASKS)
    assert all(list(cells) == list(ROUTES) for _, cells in page_table())


@cache
def in_memory(ask):
    """Return the features that `fit` selects."""
    return by_fit(replace(ask, parameters=ask.parameters | ask.like), None).support_


def refusal(route, ask, folder):
    """Return what a route says where it refuses what was asked for."""
    with pytest.raises((ValueError, TypeError, AttributeError)) as raised:
        route(ask, folder)
    return str(raised.value.__cause__ if isinstance(raised.value, AttributeError) else raised.value)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("ask", "route", "cell"), CELLS)
def test_every_cell_of_the_table_is_true(ask, route, cell, tmp_path, monkeypatch):
    monkeypatch.setattr(selection, "WIDE", 10)
    if not cell.startswith("yes"):
        words = refusal(route, ask, tmp_path)
        assert re.search(rf"\b({ask.named})\b", words), words
        assert words.endswith(".")
        assert not re.search(r"\. [A-Z]", words), words
        assert re.search(r"[:;,] (as in|for|give|name|or|pass|pick|repeat|use) ", words), words
        return
    if ask.needs:
        pytest.importorskip(ask.needs)
    found = route(ask, tmp_path)
    assert ask.k is None or isinstance(ask.k, str) or found.k_ == ask.k
    if "as codes" in cell:
        assert not hasattr(found, "counts_")
    if route not in (by_fit, by_cross_validation):
        np.testing.assert_array_equal(found.support_, in_memory(ask))


@pytest.mark.parametrize("route", [route for routes in ROUTES.values() for route in routes])
def test_a_class_weight_of_another_kind_is_refused_by_every_route(route, tmp_path):
    words = refusal(route, Ask({"class_weight": "even"}), tmp_path)
    assert re.search("class_weight must be None, 'balanced' or .*'even'", words), words


@pytest.mark.parametrize("what", ["several targets", "times of events", "no target"])
def test_a_target_in_memory_is_no_more_welcome_for_a_dask_table(what):
    dask = pytest.importorskip("dask.dataframe")
    (ask, *_) = ASKS[what]
    with pytest.raises(ValueError, match=r"\by\b.*memory"):
        SelectQUBO(k=2).fit(dask.from_pandas(X, npartitions=2), ask.target)


def test_fields_of_one_array_are_refused_too():
    y = np.array(list(zip(Y["event"], Y["time"], strict=True)), dtype=[("event", bool), ("time", float)])
    with pytest.raises(ValueError, match=r"batch 1.*the fields event, time.*memory.*times of events"):
        SelectQUBO(k=2).fit_batches([(X, y)])
