"""Work shared among threads. Tasks flow in, results flow out in the same order; kernels release the GIL.

Threads live only as long as the call, so a fork after a fit and eight fits at once are both safe.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from joblib import cpu_count
from joblib.parallel import get_active_backend

Task = TypeVar("Task")
Result = TypeVar("Result")


def thread_count(n_jobs: int | None) -> int:
    """Return how many threads ``n_jobs`` stands for: -1 is every core this process may use, -2 all but one.

    ``None`` follows ``joblib.parallel_config`` and is one thread outside of it.

    Examples
    --------
    >>> thread_count(3), thread_count(None)
    (3, 1)
    """
    if n_jobs is None:
        n_jobs = get_active_backend()[1] or 1
    if n_jobs == 0:
        raise ValueError("n_jobs must be a number of threads, -1 for all cores, or None; got 0.")
    # Not joblib's effective_n_jobs: it speaks of processes, and warns inside those that cannot start more.
    return n_jobs if n_jobs > 0 else max(cpu_count() + 1 + n_jobs, 1)


def thread_map(
    function: Callable[[Task], Result], tasks: Iterable[Task], *, n_jobs: int | None
) -> list[Result]:
    """Return ``[function(task) for task in tasks]``, computed by ``n_jobs`` threads.

    Examples
    --------
    >>> thread_map(abs, [-1, 2, -3], n_jobs=2)
    [1, 2, 3]
    """
    tasks = list(tasks)
    threads = min(thread_count(n_jobs), len(tasks))
    if threads <= 1:
        return [function(task) for task in tasks]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, tasks))
