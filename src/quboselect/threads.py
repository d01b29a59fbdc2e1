"""Work shared among threads. Tasks flow in, results flow out in the same order; kernels release the GIL.

Threads live only as long as the call, so a fork after a fit and eight fits at once are both safe.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from joblib import effective_n_jobs

Task = TypeVar("Task")
Result = TypeVar("Result")


def thread_map(
    function: Callable[[Task], Result], tasks: Iterable[Task], *, n_jobs: int | None
) -> list[Result]:
    """Return ``[function(task) for task in tasks]``, computed by ``n_jobs`` threads.

    ``n_jobs`` counts as in joblib: -1 is every core this process may use, ``None`` follows
    ``joblib.parallel_config`` and is one thread outside of it.

    Examples
    --------
    >>> thread_map(abs, [-1, 2, -3], n_jobs=2)
    [1, 2, 3]
    """
    tasks = list(tasks)
    threads = min(effective_n_jobs(n_jobs), len(tasks))
    if threads <= 1:
        return [function(task) for task in tasks]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, tasks))
