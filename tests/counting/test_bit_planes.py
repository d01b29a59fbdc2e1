"""Bit planes: what two have in common is what a loop counts, however they are cut into tiles."""

import numpy as np
import pytest

from quboselect.counting import bit_planes as module
from quboselect.counting.bins import Codes
from quboselect.counting.bit_planes import each_tile


@pytest.mark.parametrize(("planes", "most", "chunk"), [(1, 1, 8), (5, 9, 8), (128, 512, 1024)])
@pytest.mark.parametrize("n_samples", [1, 511, 513, 3000])
def test_every_pair_of_features_is_counted_once_as_by_a_loop(monkeypatch, n_samples, planes, most, chunk):
    for name, value in (("PLANES", planes), ("MOST_PLANES", most), ("CHUNK", chunk)):
        monkeypatch.setattr(module, name, value)
    rng = np.random.default_rng(n_samples)
    sizes = np.array([2, 5, 1, 3, 20, 4])
    codes = Codes(rng.integers(0, sizes[:, None], (6, n_samples)).astype(np.uint8), sizes)
    features = np.array([0, 1, 3, 4, 5])
    found = {}

    def use(common, margins, starts, i0, i1, j0, j1):
        for i in range(i0, i1):
            rows = slice(starts[i] - starts[i0], starts[i + 1] - starts[i0])
            ones = [(codes.values[features[i]] == code).sum() for code in range(1, sizes[features[i]])]
            assert margins[starts[i] : starts[i + 1]].tolist() == ones
            for j in range(max(j0, i + 1), j1):
                assert (i, j) not in found
                found[i, j] = common[rows, starts[j] - starts[j0] : starts[j + 1] - starts[j0]].copy()

    each_tile(codes, features, use, 1)
    assert len(found) == 10
    for (i, j), counted in found.items():
        a, b = codes.values[features[i]], codes.values[features[j]]
        shape = (sizes[features[i]] - 1, sizes[features[j]] - 1)
        expected = [[((a == c + 1) & (b == d + 1)).sum() for d in range(shape[1])] for c in range(shape[0])]
        np.testing.assert_array_equal(counted, expected)
