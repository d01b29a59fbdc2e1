"""Threads: how many, and that their results keep the order of the tasks."""

import threading
import time

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from quboselect._kernels.threads import single_blas_thread, thread_count, thread_map


def blas_threads():
    """The threads of NumPy's BLAS; other libraries bring their own, and may load it at any time."""
    np.zeros((2, 2)) @ np.zeros((2, 2))
    ours = (library for library in threadpool_info() if "numpy" in library["filepath"])
    return {library["num_threads"] for library in ours if library["user_api"] == "blas"}


def test_blas_gets_its_threads_back_whoever_leaves_last():
    before = blas_threads()
    first, second = single_blas_thread(), single_blas_thread()
    first.__enter__()
    second.__enter__()
    assert blas_threads() == {1}
    first.__exit__(None, None, None)
    assert blas_threads() == {1}
    second.__exit__(None, None, None)
    assert blas_threads() == before


def test_blas_gets_its_threads_back_from_another_thread_than_the_one_that_took_them():
    before = blas_threads()
    taken, leave, left, end = (threading.Event() for _ in range(4))

    def first():
        with single_blas_thread():
            taken.set()
            leave.wait(10)
        left.set()
        end.wait(10)  # threadpoolctl listens to the thread that set the number, as long as it lives

    thread = threading.Thread(target=first)
    thread.start()
    assert taken.wait(10)
    with single_blas_thread():
        leave.set()
        assert left.wait(10)
        assert blas_threads() == {1}
    after = blas_threads()
    end.set()
    thread.join()
    assert after == before


def test_limits_of_others_around_ours_are_kept_and_undone():
    before = blas_threads()
    with threadpool_limits(1):
        assert thread_map(lambda _: _inside_ours(), range(2), n_jobs=2) == [{1}, {1}]
        assert blas_threads() == {1}
    assert blas_threads() == before


def _inside_ours():
    with single_blas_thread():
        return blas_threads()


def test_results_keep_the_order_of_the_tasks():
    def slow_first(i):
        time.sleep(0.01 * (5 - i))
        return i

    assert thread_map(slow_first, range(5), n_jobs=4) == [0, 1, 2, 3, 4]


def test_one_job_stays_in_the_calling_thread():
    here = threading.get_ident()
    assert thread_map(lambda _: threading.get_ident(), range(3), n_jobs=1) == [here] * 3


def test_jobs_count_as_in_joblib():
    assert thread_count(-1) == joblib.cpu_count()
    assert thread_count(-1000) == 1
    assert thread_count(np.int64(2)) == 2
    assert thread_count(None) == 1
    with joblib.parallel_config(n_jobs=3):
        assert thread_count(None) == 3
    with pytest.raises(ValueError, match=r"n_jobs.*got 0"):
        thread_count(0)


def test_an_error_in_a_task_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        thread_map(lambda i: 1 // i, [1, 0], n_jobs=2)
