"""The annealing kernel against loops that recompute every energy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from quboselect._kernels.anneal import anneal_rows
from solver_oracles import naive_anneal, naive_gains


def whole(n, seed):
    """Whole coefficients: sums are exact in any order, so the kernel and its twin take the same moves."""
    rng = np.random.default_rng(seed)
    pairs = np.triu(rng.integers(-9, 10, (n, n)), 1).astype(float)
    x = (rng.random(n) < 0.4).astype(np.uint8)
    return rng.integers(-9, 10, n).astype(float), pairs + pairs.T, x


@settings(deadline=None, max_examples=60)
@given(n=st.integers(1, 9), seed=st.integers(0, 2**32), exactly=st.booleans())
def test_a_read_takes_the_moves_of_its_naive_twin(n, seed, exactly):
    linear, couplings, x = whole(n, seed)
    betas = np.geomspace(0.05, 2.0, 6)
    rows = x[None].copy()
    anneal_rows(linear, couplings, rows, exactly, betas, np.array([seed], np.uint64))
    assert rows[0].tolist() == naive_anneal(linear, couplings, x, exactly, betas, seed).tolist()
    if exactly:
        assert rows.sum() == x.sum()


def test_a_read_ends_where_no_flip_lowers_the_energy():
    for seed in range(20):
        linear, couplings, x = whole(12, seed)
        rows = x[None].copy()
        anneal_rows(linear, couplings, rows, False, np.array([1e-3]), np.array([seed], np.uint64))
        assert naive_gains(linear, couplings, rows[0]).min() >= 0


def test_reads_do_not_depend_on_each_other():
    linear, couplings, _ = whole(12, 1)
    starts = (np.random.default_rng(0).random((4, 12)) < 0.5).astype(np.uint8)
    betas, seeds = np.geomspace(0.01, 1.0, 5), np.arange(4, dtype=np.uint64)
    together = starts.copy()
    anneal_rows(linear, couplings, together, False, betas, seeds)
    for r in range(4):
        one = starts[r : r + 1].copy()
        anneal_rows(linear, couplings, one, False, betas, seeds[r : r + 1])
        assert one[0].tolist() == together[r].tolist()
