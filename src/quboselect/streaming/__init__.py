"""Counts of tables in batches: `Tally` (which values there are), `Coding` (how they are cut into codes) and
`JointCounts` (how often each pair of codes occurs together), with `Moments` where there are correlations.

Tallies and counts add up, ``a + b``, so the batches may come from files, a cluster or a stream. They give the I and R
that a table in memory would give. A `Reading` says how a table is read; `fits` is what a selector makes of it.
"""

from .batches import Reading, batch_counts, check_counts, more_counts, reading_of
from .counts import JointCounts
from .dask_tables import dask_counts, dask_features, is_dask
from .edges import Coding
from .fits import counts_result, selector_reading
from .moments import Moments
from .parquet import parquet_batches
from .spark import fit_spark
from .values import Tally
from .weights import Scale, Weighing

__all__ = [
    "Coding",
    "JointCounts",
    "Moments",
    "Reading",
    "Scale",
    "Tally",
    "Weighing",
    "batch_counts",
    "check_counts",
    "counts_result",
    "dask_counts",
    "dask_features",
    "fit_spark",
    "is_dask",
    "more_counts",
    "parquet_batches",
    "reading_of",
    "selector_reading",
]
