"""Rows that are moved to a given sum, and descents in the box: the kernels find what naive twins do."""

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


@pytest.mark.parametrize("seed", range(8))
def test_descents_in_the_box_keep_their_gradients_and_bound_the_minimum_from_below(seed):
    rng = np.random.default_rng(seed)
    n, m = 9, 5
    factor = rng.normal(size=(n, n - seed % 3))
    K, C = factor @ factor.T + 1e-6 * np.eye(n), rng.normal(size=(m, n))
    X, fixed = rng.random((m, n)), rng.random((m, n)) < 0.2
    start, H, out = X.copy(), C + 2 * X @ K, np.full(m, -np.inf)
    _kernels.settling.descend_in_box(K, C, fixed, 0.5, np.inf, 400, X, H, out)
    np.testing.assert_array_equal(X, start)  # what is below its goal at first is left as it is
    _kernels.settling.descend_in_box(K, C, fixed, 0.5, np.nan, 400, X, H, out)
    np.testing.assert_allclose(H, C + 2 * X @ K, atol=1e-10)
    np.testing.assert_array_equal(X[fixed], start[fixed])
    assert 0.0 <= X.min() <= X.max() <= 1.0
    values = 0.5 + ((C + X @ K) * X).sum(axis=1)
    for r in range(m):
        # Naively: projected steps, many and short.
        x = start[r].copy()
        for _ in range(20_000):
            step = C[r] + 2 * K @ x
            x = np.where(fixed[r], x, np.clip(x - step / (2 * np.linalg.norm(K, 2)), 0.0, 1.0))
        naive = 0.5 + (C[r] + K @ x) @ x
        assert out[r] <= naive + 1e-9
        assert values[r] <= naive + 1e-6
        assert out[r] >= naive - 1e-3
