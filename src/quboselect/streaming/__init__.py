"""The same counts in batches: `Tally` (which values there are), `Coding` (how they are cut) and `JointCounts` (how often
each pair met). Each of them adds up, ``a + b``, so a table may be anywhere: in files, on a cluster, in a stream.
"""

from .batches import (
    Reading,
    batch_counts,
    check_counts,
    dask_counts,
    dask_features,
    is_dask,
    more_counts,
    parquet_batches,
    reading_of,
)
from .coding import Coding
from .joint import JointCounts
from .tally import Tally

__all__ = [
    "Coding",
    "JointCounts",
    "Reading",
    "Tally",
    "batch_counts",
    "check_counts",
    "dask_counts",
    "dask_features",
    "is_dask",
    "more_counts",
    "parquet_batches",
    "reading_of",
]
