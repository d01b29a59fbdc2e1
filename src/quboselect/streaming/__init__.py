"""Tables that are larger than memory, or on a cluster. Batches flow in, counts of all pairs flow out to the selector.

    seen ─► tally ──coding(bins)──► coding ─► layout ─► joint ─► importance I, redundancy R
    batches   a table batch by batch, two passes        parquet, fragments   files            cluster   Dask
    wishes    what a selector asks of counts            schema   what batches must have in common

Both passes map each batch to a small value, and the values are added up, ``a + b``: first a `Tally` of what occurs,
then `JointCounts`. Sums of whole numbers depend on no order, so any split of a table gives what it gives in memory.
"""
