"""Counts of tables in batches: `Tally` (which values there are), `Coding` (how they are cut into codes) and
`JointCounts` (how often each pair of codes occurs together), with `Moments` where there are correlations.

Tallies and counts add up, ``a + b``, so the batches may come from files, a cluster or a stream. They give the I and R
that a table in memory would give. Of very many features batches are kept as `BatchCodes` instead. A `Reading` says how
a table is read; `fits` is what a selector makes of it.
"""

from .batches import batch_counts, more_counts
from .counts import JointCounts
from .dask_tables import dask_counts, dask_features, is_dask
from .edges import Coding
from .fits import counts_result, one_pass_reading, selector_reading
from .moments import Moments
from .parquet import parquet_batches
from .reading import Reading, check_counts, reading_of
from .spark import fit_spark
from .values import Tally
from .weights import Scale, Weighing
from .wide import BatchCodes

__all__ = [
    "BatchCodes",
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
    "one_pass_reading",
    "parquet_batches",
    "reading_of",
    "selector_reading",
]
