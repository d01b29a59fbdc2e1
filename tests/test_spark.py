"""The recipe for Spark, without Spark: its functions on Arrow batches, and the page that shows them."""

import ast
import importlib.util
import pickle
import re
from functools import reduce
from operator import add
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from quboselect import SelectQUBO
from quboselect.criteria import JMI
from quboselect.importance import MutualInformation as Importance
from quboselect.redundancy import MutualInformation as Redundancy
from quboselect.streaming import Reading

pa = pytest.importorskip("pyarrow")

ROOT = Path(__file__).resolve().parents[1]
N = 300


@pytest.fixture(scope="module")
def recipe():
    spec = importlib.util.spec_from_file_location("spark_recipe", ROOT / "examples" / "spark.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table():
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=N)
    columns = {f"f{i}": hidden * (i % 3) + rng.normal(size=N) for i in range(5)}
    columns["town"] = pa.array(rng.choice(["Ulm", "Bonn"], N), mask=rng.random(N) < 0.1)
    return pa.table({**columns, "label": np.where(hidden > 0, "yes", "no")})


class Frame:
    """What the recipe uses of a frame of Spark's: functions on the Arrow batches of its partitions, and rows back."""

    def __init__(self, partitions):
        self.partitions = partitions

    def mapInArrow(self, function, schema):  # noqa: N802
        assert schema == "value binary"
        # A function travels to the workers and rows travel back: both are pickled.
        function = pickle.loads(pickle.dumps(function))
        self.rows = [
            row for batches in self.partitions for part in function(iter(batches)) for row in part.to_pylist()
        ]
        return self

    def collect(self):
        return [SimpleNamespace(**row) for row in self.rows]


def test_partitions_of_any_batches_give_the_fit_in_memory(recipe, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "spark_recipe", recipe)
    whole = table()
    parts = [whole.slice(0, 120), whole.slice(120, 0), whole.slice(120, 1), whole.slice(121)]
    # One partition has no batches, one has an empty one.
    frame = Frame(
        [part.to_batches(max_chunksize=50) or [] for part in parts] + [[], whole.slice(0, 0).to_batches()]
    )
    selector = recipe.fit_spark(SelectQUBO(k=3), frame, "label")
    assert len(frame.rows) == 3
    expected = SelectQUBO(k=3).fit(whole.drop_columns(["label"]), whole.column("label"))
    np.testing.assert_array_equal(selector.support_, expected.support_)
    np.testing.assert_array_equal(selector.importance_, expected.importance_)
    np.testing.assert_array_equal(selector.redundancy_, expected.redundancy_)
    assert selector.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()


def test_pairs_are_counted_class_by_class_where_the_criterion_wants_that(recipe, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "spark_recipe", recipe)
    whole = table()
    frame = Frame([whole.slice(a, 100).to_batches() for a in (0, 100, 200)])
    wishes = {"k": 3, "criterion": JMI(bins=4, estimate="miller-madow")}
    selector = recipe.fit_spark(SelectQUBO(**wishes), frame, "label")
    expected = SelectQUBO(**wishes).fit(whole.drop_columns(["label"]), whole.column("label"))
    np.testing.assert_array_equal(selector.redundancy_, expected.redundancy_)
    np.testing.assert_array_equal(selector.support_, expected.support_)


def test_a_selector_keeps_its_wishes_and_what_it_excludes_may_be_dates(recipe, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "spark_recipe", recipe)
    whole = table().drop_columns(["label"]).rename_columns(["label", "f1", "f2", "f3", "f4", "town"])
    whole = whole.append_column("when", pa.array(range(N), pa.date32()))
    whole = whole.append_column("code", pa.array(np.arange(N) % 40))
    wishes = {"exclude": ["when"], "categorical_features": ["code"], "target_type": "continuous", "k": 3}
    wishes |= {"importance": Importance(bins=7), "redundancy": Redundancy(bins=7)}
    frame = Frame([whole.slice(a, 100).to_batches() for a in (0, 100, 200)])
    selector = recipe.fit_spark(SelectQUBO(**wishes), frame, "label")
    expected = SelectQUBO(**wishes).fit(whole.drop_columns(["label"]), whole.column("label"))
    np.testing.assert_array_equal(selector.importance_, expected.importance_)
    np.testing.assert_array_equal(selector.redundancy_, expected.redundancy_)
    np.testing.assert_array_equal(selector.support_, expected.support_)


def test_a_partition_becomes_one_row(recipe):
    whole = table()
    reading = Reading(n_jobs=1)
    (row,) = recipe.tallies(iter(whole.to_batches(max_chunksize=30)), label="label", reading=reading)
    assert (row.num_rows, row.schema) == (1, pa.schema([("value", pa.binary())]))
    tally = pickle.loads(row.column("value")[0].as_py())
    assert tally.n_samples == N
    rows = recipe.counts(iter(whole.to_batches()), label="label", coding=reading.coding(tally))
    counts = reduce(add, (pickle.loads(value.as_py()) for row in rows for value in row.column("value")))
    assert counts.n_samples == N


def test_the_page_shows_the_functions_of_the_example():
    def functions(source):
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                node.returns = None
                for argument in (*node.args.args, *node.args.kwonlyargs):
                    argument.annotation = None
                if ast.get_docstring(node):
                    node.body = node.body[1:]
        return {node.name: ast.dump(node) for node in tree.body if isinstance(node, ast.FunctionDef)}

    page = (ROOT / "docs" / "spark.md").read_text()
    shown = functions(re.search(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[1])
    assert shown == functions((ROOT / "examples" / "spark.py").read_text())
