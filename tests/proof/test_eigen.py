import sys
import threading
import time

import numpy as np
import pytest
from scipy.linalg import eigh

from quboselect.proof.eigen import SINGLE, eigen


def symmetric(n, seed=0):
    A = np.random.default_rng(seed).normal(size=(n, n))
    return A + A.T


@pytest.mark.parametrize("n", [1, 2, SINGLE - 1])
def test_small_matrices_are_worked_out_in_double_precision(n):
    A = symmetric(n)
    values, vectors = eigen(A)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-11 * n)


@pytest.mark.parametrize("n", [SINGLE, SINGLE + 1, 201])
def test_large_ones_are_scipys_to_the_last_bit(n):
    A = symmetric(n, n)
    before = A.copy()
    values, vectors = eigen(A)
    expected = eigh(A.astype(np.float32), driver="evd")
    assert values.dtype == vectors.dtype == np.float32
    np.testing.assert_array_equal(values, expected[0])
    np.testing.assert_array_equal(vectors, expected[1])
    np.testing.assert_array_equal(A, before)


def test_a_failure_of_lapack_is_an_error(monkeypatch):
    def fails(*arguments):
        arguments[-1]._obj.value = 1

    monkeypatch.setattr("quboselect.proof.eigen._ssyevd", lambda: fails)
    with pytest.raises(np.linalg.LinAlgError, match="no eigenvalues of a matrix of 100 rows"):
        eigen(symmetric(100))


def test_other_threads_go_on_meanwhile():
    A, ended, turns = symmetric(1200), threading.Event(), 0
    interval = sys.getswitchinterval()
    thread = threading.Thread(target=lambda: (eigen(A), ended.set()))
    sys.setswitchinterval(1e-3)
    try:
        thread.start()
        while not ended.is_set():
            time.sleep(0)
            turns += 1
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    # While LAPACK has the GIL, nobody else has a turn.
    assert turns > 100
