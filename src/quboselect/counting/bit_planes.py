"""Bit planes: which samples have a code, one bit for each. Codes flow in; what two planes have in common flows out.

Entropies of a table in memory (``counts.py``) and counts of batches (``streaming``) are both made of it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels import counting
from .._kernels.threads import thread_map
from .bins import Codes

Counts = NDArray[Any]

PLANES = 128  # bit planes in a block; two blocks, and the counts between them, fit a core's own cache
MOST_PLANES = 512  # and however short they are: the counts between two such blocks fill a megabyte
CHUNK = 1024  # 64-bit words of a plane handled at a time, for the same reason


def each_tile(
    codes: Codes, features: NDArray[np.int64], use: Callable[..., None], n_jobs: int | None
) -> None:
    """Count the samples in which planes of some features, each of few codes, have ones in common, tile by tile.

    A feature of B codes has B - 1 planes, for the codes 1, 2, ...: code 0 is what the margins leave.

    Parameters
    ----------
    codes : Codes
        Without weights.
    features : int array
    use : function
        Called with each tile: its counts, the ones of every plane, where the planes of each feature start, and the
        features ``i0, i1, j0, j1`` of its rows and columns, as places in ``features``.
    n_jobs : int or None
        Threads, counted as joblib does.
    """
    starts = np.concatenate([[0], np.cumsum(codes.sizes[features] - 1)])
    n_words = -(-codes.n_samples // 512) * 8  # whole vectors: a ragged end would be counted word by word
    planes = np.zeros((starts[-1], n_words), np.uint64)
    margins = np.zeros(starts[-1], np.int64)
    chunk = 8 * max(1, -(-n_words // (8 * -(-n_words // CHUNK))))
    # Few samples are short planes, of which more fit; a tile has to be worth a task.
    room = min(max(PLANES, PLANES * CHUNK // n_words), MOST_PLANES)
    cuts = [0]
    for i in range(1, features.size + 1):
        if i == features.size or starts[i + 1] - starts[cuts[-1]] > room:
            cuts.append(i)
    spans = [(cuts[k], cuts[k + 1]) for k in range(len(cuts) - 1)]

    def fill(span: tuple[int, int]) -> None:
        counting.fill_planes(codes.values, features, starts, *span, planes, margins)

    def count(tile: tuple[tuple[int, int], tuple[int, int]]) -> None:
        (i0, i1), (j0, j1) = tile
        a, b = planes[starts[i0] : starts[i1]], planes[starts[j0] : starts[j1]]
        common = np.zeros((a.shape[0] + 3, b.shape[0] + 3), np.uint32)
        counting.common_ones(a, b, chunk, common)
        use(common, margins, starts, i0, i1, j0, j1)

    thread_map(fill, spans, n_jobs=n_jobs)
    thread_map(count, [(a, b) for k, a in enumerate(spans) for b in spans[k:]], n_jobs=n_jobs)
