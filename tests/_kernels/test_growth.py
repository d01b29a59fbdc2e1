"""The loops that carry a dual over: each row ends where a solver of such problems does."""

import numpy as np
import pytest
from scipy.optimize import minimize, nnls

from quboselect import _kernels


def forms(seed, n=7, rows=5):
    """Return a positive definite K, and the slopes of some rows."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    return A @ A.T + 0.1 * np.eye(n), rng.normal(size=(rows, n))


def value(K, d, x):
    return d @ x + x @ K @ x


@pytest.mark.parametrize("seed", range(10))
def test_rows_end_at_their_minimum_over_what_is_not_negative(seed):
    K, D = forms(seed)
    X = np.random.default_rng(seed + 100).random(D.shape)
    H = D + 2 * X @ K
    _kernels.growth.descend_rows(K, X, H, 10_000)
    # d'x + x'K x is |L'x + c|^2 but for a constant, where K = L L' and 2 L c = d.
    L = np.linalg.cholesky(K)
    for x, h, d in zip(X, H, D, strict=True):
        lowest, _ = nnls(L.T, -np.linalg.solve(L, d / 2))
        assert value(K, d, x) == pytest.approx(value(K, d, lowest), abs=1e-6)
        np.testing.assert_allclose(h, d + 2 * K @ x, atol=1e-8)
        assert x.min() >= 0.0


@pytest.mark.parametrize("seed", range(10))
def test_rows_of_a_size_keep_their_sum_and_end_at_their_minimum(seed):
    K, D = forms(seed)
    X = np.random.default_rng(seed + 100).random(D.shape)
    X *= 3.0 / X.sum(axis=1)[:, None]
    H = D + 2 * X @ K
    _kernels.growth.descend_rows_of_size(K, X, H, 10_000)
    for x, h, d in zip(X, H, D, strict=True):
        lowest = minimize(
            lambda x, d=d: value(K, d, x),
            np.full(len(d), 3.0 / len(d)),
            jac=lambda x, d=d: d + 2 * K @ x,
            bounds=[(0.0, None)] * len(d),
            constraints={"type": "eq", "fun": lambda x: x.sum() - 3.0},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        assert x.sum() == pytest.approx(3.0)
        assert x.min() >= 0.0
        assert value(K, d, x) <= lowest.fun + 1e-6
        np.testing.assert_allclose(h, d + 2 * K @ x, atol=1e-8)
