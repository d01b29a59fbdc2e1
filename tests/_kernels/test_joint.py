"""The kernels of kept counts against naive twins: one dictionary for the counts, one loop for each sum."""

from collections import Counter
from math import log2

import numpy as np
import pytest

from quboselect._kernels.joint import add_weighted_pair, weighted_sums


@pytest.mark.parametrize("counter", [np.uint32, np.uint64])
@pytest.mark.parametrize("skip", [0, 1])
def test_weights_are_added_cell_by_cell(skip, counter):
    rng = np.random.default_rng(0)
    for kinds in ((np.uint8, np.uint8), (np.uint8, np.uint16), (np.uint16, np.uint16)):
        x, y = (rng.integers(0, size, 200).astype(kind) for size, kind in zip((3, 5), kinds, strict=True))
        weights = rng.integers(1, 2**23 if counter is np.uint32 else 2**50, 200)
        out = np.full((3 - skip, 5 - skip), 7, counter)
        add_weighted_pair(x, y, weights, skip, out)
        naive = Counter()
        for a, b, weight in zip(x.tolist(), y.tolist(), weights.tolist(), strict=True):
            naive[a, b] += weight
        expected = [[7 + naive[a, b] for b in range(skip, 5)] for a in range(skip, 3)]
        assert out.tolist() == expected


@pytest.mark.parametrize("extra", [0.0, 0.125])
def test_entropies_of_weights_are_what_their_definition_says(extra):
    rng = np.random.default_rng(1)
    rows, sizes = 3, np.array([4, 1, 6])
    cells = rng.integers(0, 2**40, rows * sizes.sum()) * (rng.random(rows * sizes.sum()) < 0.8)
    total, out, at = int(cells.sum()), np.empty(3), 0
    weighted_sums(cells, rows, sizes, total, extra, out)
    for size, found in zip(sizes.tolist(), out.tolist(), strict=True):
        some = [cell for cell in cells[at : at + rows * size].tolist() if cell]
        assert found == pytest.approx(
            sum(extra - cell / total * log2(cell / total) for cell in some), abs=1e-14
        )
        at += rows * size
