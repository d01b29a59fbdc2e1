"""Can Spark count? Two passes over its partitions, and the same five features as in memory."""

from quboselect import SelectQUBO
from quboselect.streaming import fit_spark

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
