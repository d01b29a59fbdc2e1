"""Fits in many threads, and in a process forked after a fit, give what one fit gives."""

import multiprocessing
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from quboselect import SelectQUBO
from quboselect.datasets import load_ionosphere


def fitted(k):
    selector = SelectQUBO(k=k).fit(*load_ionosphere(return_X_y=True))
    return selector.support_.tolist(), selector.alpha_window_, selector.bound_


def test_eight_threads_fitting_at_once_give_the_same_as_one():
    sizes = [3, 5, 7, 9, 3, 5, 7, 9]
    alone = [fitted(k) for k in sizes]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(fitted, sizes))
    assert together == alone


@pytest.mark.skipif(sys.platform == "win32", reason="this system cannot fork")
def test_a_process_forked_after_a_fit_gives_the_same():
    alone = fitted(5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(fitted, [5, 5, 5]) == [alone] * 3
