"""Rows that are moved to a given sum: the kernel finds what bisection does."""

import numpy as np
import pytest

from quboselect import _kernels


def bisected(x, total):
    """Return x, all entries moved alike and cut off at 0 and 1, of a given sum."""
    low, high = -1.0 - x.max(), 2.0 - x.min()
    for _ in range(200):
        middle = (low + high) / 2
        if np.clip(x + middle, 0.0, 1.0).sum() < total:
            low = middle
        else:
            high = middle
    return np.clip(x + high, 0.0, 1.0)


@pytest.mark.parametrize("spread", [0.0, 0.3, 3.0])
@pytest.mark.parametrize("total", [0, 1, 4, 8, 9])
def test_rows_are_moved_to_their_sum_and_the_pin_stays(spread, total):
    rng = np.random.default_rng(total)
    X = 0.5 + spread * rng.normal(size=(6, 10))
    pins = rng.integers(0, 10, 6)
    moved = X.copy()
    _kernels.settling.shift_rows(moved, pins, np.full(6, float(total)))
    for x, y, pin in zip(X, moved, pins, strict=True):
        assert y[pin] == x[pin]
        others = np.arange(10) != pin
        assert y[others].sum() == pytest.approx(total)
        np.testing.assert_allclose(y[others], bisected(x[others], total), atol=1e-9)
