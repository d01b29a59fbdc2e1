"""Can Spark count? Two passes over its partitions, and the same five features as in memory."""

import pickle
from dataclasses import replace
from functools import partial, reduce
from operator import add

import pyarrow as pa

from quboselect import SelectQUBO
from quboselect.streaming import JointCounts, selector_reading


# %%
# What runs on the workers: functions from the Arrow batches of a partition to at most one row.
def pairs(batches, label):
    for batch in batches:
        if batch.num_rows:
            features = [name for name in batch.schema.names if name != label]
            yield batch.select(features), pa.chunked_array([batch.column(label)])


def row(value):
    return pa.RecordBatch.from_pydict({"value": pa.array([pickle.dumps(value)], pa.binary())})


def tallies(batches, *, label, reading):
    found = (reading.tally(X, y) for X, y in pairs(batches, label))
    first = next(found, None)
    if first is not None:
        yield row(reduce(add, found, first))


def counts(batches, *, label, coding):
    found = JointCounts.over(coding, pairs(batches, label), n_jobs=1)
    if found.n_samples:
        yield row(found)


# %%
# What runs on the driver: the rows are added up, and the selector takes the sum.
def fit_spark(selector, frame, label):
    def total(function):
        rows = frame.mapInArrow(function, "value binary").collect()
        return reduce(add, (pickle.loads(found.value) for found in rows))

    reading = replace(selector_reading(selector), n_jobs=1)
    coding = reading.coding(total(partial(tallies, label=label, reading=reading)))
    return selector.fit_counts(total(partial(counts, label=label, coding=coding)))


if __name__ == "__main__":
    from pyspark.sql import SparkSession

    from quboselect.datasets import load_ionosphere

    X, y = load_ionosphere(return_X_y=True)
    names = [f"f{i}" for i in range(X.shape[1])]
    with SparkSession.builder.master("local[2]").getOrCreate() as spark:
        rows = [(*x, label) for x, label in zip(X.tolist(), y.tolist(), strict=True)]
        frame = spark.createDataFrame(rows, [*names, "label"]).repartition(4)
        selector = fit_spark(SelectQUBO(k=5), frame, "label")
    print("Spark:    ", *selector.get_feature_names_out())
    print("in memory:", *SelectQUBO(k=5).fit(X, y).get_feature_names_out(names))
