"""interim"""

from dataclasses import dataclass
from typing import Any

from ..tables.frames import is_frame, plain_frame
from . import cluster, parquet
from .cluster import is_dask as is_dask
from .joint import JointCounts
from .layout import check_bytes, check_memory
from .schema import begun_anew, filled, is_empty
from .tally import Tally
from .wishes import check_counts as _check
from .wishes import counted_bins


@dataclass(frozen=True)
class Reading:
    bins: int
    categorical: Any
    exclude: Any
    target_type: str
    n_jobs: Any


def reading_of(importance, redundancy, *, categorical, exclude, target_type):
    return Reading(counted_bins(importance, redundancy), categorical, exclude, target_type, redundancy.n_jobs)


def check_counts(counts, reading, kept):
    _check(
        counts, bins=reading.bins, target_type=reading.target_type, categorical=reading.categorical, kept=kept
    )


def _tally(X, y, reading, name, exact_bytes):
    if y is None:
        raise ValueError(f"{name}: this estimator requires y to be passed, but the target y is None.")
    return Tally.of(
        X,
        y,
        categorical=reading.categorical,
        exclude=reading.exclude,
        target_type=reading.target_type,
        exact_bytes=exact_bytes,
        n_jobs=reading.n_jobs,
        batch=name,
    )


def batch_counts(batches, reading, *, exact_bytes=2**30, max_bytes=None, check=None):
    check_bytes(max_bytes)
    again = begun_anew(batches)
    tally = None
    for X, y, name in filled(again()):
        seen = _tally(X, y, reading, name, exact_bytes)
        tally = seen if tally is None else tally + seen
    if tally is None:
        raise ValueError("batches must hold at least one batch (X, y) that has samples, got none.")
    if check is not None:
        check(tally.n_features, tally.names)
    counts = JointCounts.over(
        tally.coding(reading.bins), filled(again()), n_jobs=reading.n_jobs, max_bytes=max_bytes
    )
    if counts.n_samples != tally.n_samples:
        raise ValueError("batches must be the same each time")
    return counts


def more_counts(before, X, y, reading, *, batch, check=None):
    X = plain_frame(X) if is_frame(X) else X
    if is_empty(X, y):
        return before
    if before is None:
        coding = _tally(X, y, reading, batch, 2**62).coding(reading.bins)
        if check:
            check(coding.n_features, coding.names)
        return JointCounts.of(coding, X, y, n_jobs=reading.n_jobs, batch=batch)
    table = before.coding.table(X, batch=batch)
    coding = before.coding.grown(table, y, target_type=reading.target_type, batch=batch)
    check_memory(coding, None)
    return before.grown(coding).with_batch(table, y, n_jobs=reading.n_jobs, batch=batch)


def dask_counts(X, y, reading, *, sample_weight=None, check=None):
    pieces = cluster.partitions(X, y)
    tally = cluster.tallied(
        pieces, categorical=reading.categorical, exclude=reading.exclude, target_type=reading.target_type
    )
    if check:
        check(tally.n_features, tally.names)
    return cluster.counted(pieces, tally.coding(reading.bins))


def dask_features(X, support, names):
    import numpy as np

    if not hasattr(X, "columns"):
        return X[:, np.flatnonzero(support)]
    return X[[n for n, s in zip(X.columns, support) if s]]


def parquet_batches(path, target, *, progress=None, **kw):
    return parquet.parquet_batches(path, target, **kw)
