"""Tables of every kind, cut into batches in every way, naive counts of them, and a frame as Spark's are."""

import pickle
from types import SimpleNamespace

import numpy as np
import pandas as pd
from hypothesis import strategies as st

KINDS = {
    "int8": lambda rng, n: rng.integers(-128, 128, n).astype(np.int8),
    "uint8": lambda rng, n: rng.integers(0, 256, n).astype(np.uint8),
    "few": lambda rng, n: rng.integers(0, 4, n).astype(np.uint16),
    "int32": lambda rng, n: rng.integers(-(2**31), 2**31, n).astype(np.int32),
    "near 2^52": lambda rng, n: 2**52 + rng.integers(-9, 9, n),
    "near 2^53": lambda rng, n: 2**53 - rng.integers(1, 80, n),
    "far apart": lambda rng, n: rng.integers(-(2**53) + 1, 2**53, n),
    "uint64": lambda rng, n: rng.integers(2**52, 2**53, n, dtype=np.uint64),
    "float": lambda rng, n: rng.normal(size=n),
    "float32": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "ties": lambda rng, n: np.round(rng.normal(size=n), 1),
    "mostly zero": lambda rng, n: rng.normal(size=n) * (rng.random(n) < 0.2),
    "holes": lambda rng, n: np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
    "nothing": lambda rng, n: np.full(n, np.nan),
    "constant": lambda rng, n: np.full(n, 7.5),
    "maybe": lambda rng, n: pd.array(
        np.where(rng.random(n) < 0.1, None, rng.integers(-5, 60, n).astype(object)), "Int64"
    ),
    "text": lambda rng, n: rng.choice(np.array(["a", "b", "ccc", "d", None], object), n),
    "names": lambda rng, n: np.array([f"name {i}" for i in rng.integers(0, 400, n)], object),
    "category": lambda rng, n: pd.Categorical(
        rng.choice(["z", "y", "x"], n), categories=["z", "unused", "y", "x"]
    ),
    "boolean": lambda rng, n: rng.random(n) < 0.3,
    "true": lambda rng, n: np.ones(n, bool),
    "flags": lambda rng, n: pd.array(rng.choice(np.array([True, False, None], object), n), "boolean"),
}
TARGETS = {
    "two": lambda rng, n: rng.integers(0, 2, n),
    "words": lambda rng, n: rng.choice(np.array(["spam", "ham", "eggs"], object), n),
    "bool": lambda rng, n: rng.random(n) < 0.5,
    "one": lambda rng, n: np.zeros(n),
    "whole": lambda rng, n: rng.integers(-2, 3, n).astype(float),
    "continuous": lambda rng, n: rng.normal(size=n),
    "partly whole": lambda rng, n: np.where(rng.random(n) < 0.8, 1.0, rng.normal(size=n)),
}


@st.composite
def tables(draw, most=120):
    """A frame of features of several kinds, a target, and the cuts and the order of its batches."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, most))
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=7))
    X = pd.DataFrame({f"{i} {kind}": KINDS[kind](rng, n) for i, kind in enumerate(kinds)})
    y = TARGETS[draw(st.sampled_from(sorted(TARGETS)))](rng, n)
    cuts = sorted(draw(st.sets(st.integers(1, n - 1), max_size=5)))
    pieces = [(X.iloc[a:b], y[a:b]) for a, b in zip([0, *cuts], [*cuts, n], strict=True)]
    return X, y, draw(st.permutations(pieces)), rng


def summed(values, rng):
    """Return the sum of some values, associated at random."""
    values = list(values)
    while len(values) > 1:
        i = int(rng.integers(len(values) - 1))
        values[i : i + 2] = [values[i] + values[i + 1]]
    return values[0]


def pair_table(a, b, rows, columns):
    """Return how often each code of one feature met each code of another."""
    table = np.zeros((rows, columns), int)
    for i, j in zip(a.tolist(), b.tolist(), strict=True):
        table[i, j] += 1
    return table


class Frame:
    """What is used of a frame of Spark's: columns, functions on the Arrow batches of its partitions, and rows back."""

    def __init__(self, partitions):
        self.partitions = [list(part) for part in partitions]

    @property
    def columns(self):
        return next(batch.schema.names for part in self.partitions for batch in part)

    def select(self, *names):
        return Frame([[batch.select(names) for batch in part] for part in self.partitions])

    def mapInArrow(self, function, schema):  # noqa: N802
        assert schema == "value binary"
        # A function travels to the workers and rows travel back: both are pickled.
        function = pickle.loads(pickle.dumps(function))
        return Frame([list(function(iter(part))) for part in self.partitions])

    def repartition(self, number):
        batches = [batch for part in self.partitions for batch in part]
        return Frame([batches[i::number] for i in range(number)])

    def collect(self):
        rows = [row for part in self.partitions for batch in part for row in batch.to_pylist()]
        return [SimpleNamespace(**row) for row in rows]
