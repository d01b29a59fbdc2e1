"""Spark: its functions on Arrow batches, without Spark and with it."""

import os
import pickle
import shutil
import sys

import numpy as np
import pytest

from batch_oracles import Frame
from quboselect import SelectQUBO
from quboselect.criteria import JMI
from quboselect.importance import Correlation
from quboselect.importance import MutualInformation as Importance
from quboselect.redundancy import Correlation as Repetition
from quboselect.redundancy import MutualInformation as Redundancy
from quboselect.search.wide import selection
from quboselect.streaming import Reading, fit_spark, spark

pa = pytest.importorskip("pyarrow")

N = 300
CORRELATIONS = {
    "importance": Correlation(ranks=True),
    "redundancy": Repetition(),
    "exclude": ["town"],  # text
}


def table():
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=N)
    columns = {f"f{i}": hidden * (i % 3) + rng.normal(size=N) for i in range(5)}
    columns["town"] = pa.array(rng.choice(["Ulm", "Bonn"], N), mask=rng.random(N) < 0.1)
    return pa.table({**columns, "label": np.where(hidden > 0, "yes", "no")})


@pytest.mark.parametrize("wide", [2000, 3])
def test_partitions_of_any_batches_give_the_fit_in_memory(wide, monkeypatch):
    # Of more features than that codes come to the driver.
    monkeypatch.setattr(selection, "WIDE", wide)
    whole = table()
    parts = [whole.slice(0, 120), whole.slice(120, 0), whole.slice(120, 1), whole.slice(121)]
    # One partition has no batches, one has an empty one.
    frame = Frame(
        [part.to_batches(max_chunksize=50) or [] for part in parts] + [[], whole.slice(0, 0).to_batches()]
    )
    selector = fit_spark(SelectQUBO(k=3), frame, "label")
    expected = SelectQUBO(k=3).fit(whole.drop_columns(["label"]), whole.column("label"))
    np.testing.assert_array_equal(selector.support_, expected.support_)
    np.testing.assert_array_equal(selector.importance_, expected.importance_)
    np.testing.assert_array_equal(selector.redundancy_, expected.redundancy_)
    assert hasattr(selector, "counts_") == (wide > 6)
    assert selector.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()


def test_pairs_are_counted_class_by_class_where_the_criterion_wants_that():
    whole = table()
    frame = Frame([whole.slice(a, 100).to_batches() for a in (0, 100, 200)])
    wishes = {"k": 3, "criterion": JMI(bins=4, estimate="miller-madow")}
    selector = fit_spark(SelectQUBO(**wishes), frame, "label")
    expected = SelectQUBO(**wishes).fit(whole.drop_columns(["label"]), whole.column("label"))
    np.testing.assert_array_equal(selector.redundancy_, expected.redundancy_)
    np.testing.assert_array_equal(selector.support_, expected.support_)


def test_a_selector_keeps_its_wishes_and_what_it_excludes_may_be_dates():
    whole = table().drop_columns(["label"]).rename_columns(["label", "f1", "f2", "f3", "f4", "town"])
    whole = whole.append_column("when", pa.array(range(N), pa.date32()))
    whole = whole.append_column("code", pa.array(np.arange(N) % 40))
    wishes = {"exclude": ["when"], "categorical_features": ["code"], "target_type": "continuous", "k": 3}
    wishes |= {"importance": Importance(bins=7), "redundancy": Redundancy(bins=7)}
    frame = Frame([whole.slice(a, 100).to_batches() for a in (0, 100, 200)])
    selector = fit_spark(SelectQUBO(**wishes), frame, "label")
    expected = SelectQUBO(**wishes).fit(whole.drop_columns(["label"]), whole.column("label"))
    np.testing.assert_array_equal(selector.importance_, expected.importance_)
    np.testing.assert_array_equal(selector.redundancy_, expected.redundancy_)
    np.testing.assert_array_equal(selector.support_, expected.support_)


def test_a_partition_becomes_one_row():
    whole = table()
    reading = Reading(n_jobs=1)
    (row,) = spark.tallies(iter(whole.to_batches(max_chunksize=30)), ends=["label"], reading=reading)
    assert (row.num_rows, row.schema) == (1, pa.schema([("value", pa.binary())]))
    tally = pickle.loads(row.column("value")[0].as_py())
    assert tally.n_samples == N
    rows = spark.counts(iter(whole.to_batches()), ends=["label"], coding=reading.coding(tally))
    (both,) = spark.sums(
        [*rows, *spark.counts(iter(whole.to_batches()), ends=["label"], coding=reading.coding(tally))]
    )
    assert pickle.loads(both.column("value")[0].as_py()).n_samples == 2 * N


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_weights_are_those_of_a_table_in_memory(class_weight):
    rng, whole = np.random.default_rng(5), table()
    weighted = whole.append_column("w", pa.array(rng.integers(0, 5, N)))
    weighted = weighted.append_column("share", pa.array(rng.random(N) * (rng.random(N) < 0.5)))
    frame = Frame([weighted.slice(a, 100).to_batches(max_chunksize=40) for a in range(0, N, 100)])
    features = [name for name in whole.column_names if name != "label"]
    for name, atol in (("w", 0.0 if class_weight is None else 1e-9), ("share", 1e-9)):
        wishes = {"k": 3, "class_weight": class_weight}
        found = fit_spark(SelectQUBO(**wishes), frame, "label", features=features, weight=name)
        expected = SelectQUBO(**wishes).fit(
            whole.select(features), whole.column("label"), weighted.column(name)
        )
        np.testing.assert_allclose(found.importance_, expected.importance_, rtol=0, atol=atol)
        np.testing.assert_allclose(found.redundancy_, expected.redundancy_, rtol=0, atol=atol)
        np.testing.assert_array_equal(found.support_, expected.support_)
    with pytest.raises(ValueError, match="the frame has no column 'v'"):
        fit_spark(SelectQUBO(k=2), frame, "label", weight="v")
    with pytest.raises(ValueError, match=r"features.*weight.*'w'"):
        fit_spark(SelectQUBO(k=2), frame, "label", weight="w", features=["f0", "w"])


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({"target": "y"}, "the frame has no column 'y': it has 'f0', "),
        ({"target": "label", "features": ["f0", "f9"]}, "the frame has no column 'f9'"),
        (
            {"target": "label", "features": ["f0", "label"]},
            "features must not have the target in it, got 'label'",
        ),
    ],
)
def test_a_column_that_is_not_there_is_named(wishes, words):
    with pytest.raises(ValueError, match=words):
        fit_spark(SelectQUBO(k=2), Frame([table().to_batches()]), **wishes)


def test_a_frame_without_samples_and_what_is_no_frame_are_refused():
    with pytest.raises(ValueError, match="the frame has no samples"):
        fit_spark(SelectQUBO(k=2), Frame([[pa.RecordBatch.from_pylist([], table().schema)]]), "label")
    with pytest.raises(TypeError, match=r"frame must be a DataFrame of Spark .* got Table: use fit"):
        fit_spark(SelectQUBO(k=2), table(), "label")


def test_some_columns_will_do():
    whole = table()
    chosen = fit_spark(SelectQUBO(k=2), Frame([whole.to_batches()]), "label", features=["f4", "f1", "town"])
    assert chosen.feature_names_in_.tolist() == ["f4", "f1", "town"]


@pytest.fixture(scope="module")
def session():
    """Return a session of a local Spark, two workers."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    # Its workers are started by the name python3, which may be another Python, without this package.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    started = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    yield started
    started.stop()


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("wishes", "error"), [({}, 0), ({"criterion": JMI(bins=4)}, 0), (CORRELATIONS, 1e-12)], ids=str
)
def test_a_real_spark_gives_the_fit_in_memory(session, wishes, error):
    whole = table()
    frame = session.createDataFrame(whole.to_pandas()).repartition(5)
    found = fit_spark(SelectQUBO(k=3, **wishes), frame, "label")
    expected = SelectQUBO(k=3, **wishes).fit(whole.drop_columns(["label"]), whole.column("label"))
    np.testing.assert_allclose(found.importance_, expected.importance_, rtol=0, atol=error)
    np.testing.assert_allclose(found.redundancy_, expected.redundancy_, rtol=0, atol=error)
    assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("most", [2000, 4], ids=["counts", "codes"])
def test_a_real_spark_counts_weights_and_keeps_codes(session, most, monkeypatch):
    monkeypatch.setattr(selection, "WIDE", most)
    whole, weights = table(), np.arange(N) % 4
    frame = session.createDataFrame(whole.to_pandas().assign(w=weights)).repartition(5)
    found = fit_spark(SelectQUBO(k=3), frame, "label", weight="w")
    expected = SelectQUBO(k=3).fit(whole.drop_columns(["label"]), whole.column("label"), weights)
    np.testing.assert_array_equal(found.importance_, expected.importance_)
    assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert hasattr(found, "counts_") == (most == 2000)
