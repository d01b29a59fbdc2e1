"""Tasks shared among threads, with results in the order of the tasks; kernels release the GIL.

Threads live only as long as the call, so a fork after a fit, and several fits at once, are safe.
"""

import math
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from numbers import Integral
from typing import Any, TypeVar

from joblib import cpu_count
from joblib.parallel import get_active_backend
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

Task = TypeVar("Task")
Result = TypeVar("Result")
# Rows that stay in a core's cache, and simple steps that a thread takes about as long to start as to do.
ROWS, WORTH_A_THREAD = 32, 2**18


def thread_count(n_jobs: int | None, most: float = math.inf) -> int:
    """Return how many threads ``n_jobs`` stands for: -1 is every core this process may use, -2 all but one.

    ``None`` follows ``joblib.parallel_config`` and is one thread outside of it. Where one at the most is of use the
    cores are not counted, which takes as long as a small task.

    Examples
    --------
    >>> thread_count(3), thread_count(None)
    (3, 1)
    """
    if n_jobs is None:
        n_jobs = get_active_backend()[1] or 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs must be a number of threads, -1 for all cores, or None, got {n_jobs!r}.")
    # Not joblib's effective_n_jobs: it speaks of processes, and warns inside those that cannot start more.
    asked = int(n_jobs)
    if asked > 0:
        return asked
    return 1 if most <= 1 else max(cpu_count() + 1 + asked, 1)


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
    threads = min(thread_count(n_jobs, len(tasks)), len(tasks))
    if threads <= 1:
        return [function(task) for task in tasks]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, tasks))


def in_blocks(task: Callable[[slice], None], size: int, block: int = 256, *, n_jobs: int | None = -1) -> None:
    """Call a task for all places, block by block."""
    blocks = [slice(first, first + block) for first in range(0, size, block)]
    thread_map(task, blocks, n_jobs=n_jobs if len(blocks) > 1 else 1)


def fill_rows(
    out: NDArray[Any], make: Callable[[slice], NDArray[Any]], *, n_jobs: int | None, rows: int = ROWS
) -> None:
    """Set ``out[rows] = make(rows)``, so few rows at a time that they stay in a core's cache."""
    blocks = [slice(first, first + rows) for first in range(0, len(out), rows)]
    thread_map(lambda some: out.__setitem__(some, make(some)), blocks, n_jobs=n_jobs)


@cache
def _blas() -> tuple[Any, ...]:
    """Return the controllers of the BLAS libraries in this process; looking for them takes a while."""
    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)


_lock = threading.Lock()
_inside = 0
_before: dict[Any, int] = {}


@contextmanager
def single_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread within the block: on matrices of a few hundred rows its threads only wait.

    The setting belongs to the process. Of several blocks at once, the first makes the setting and the last undoes it,
    in any thread.
    """
    global _inside
    with _lock:
        if not _inside:
            for library in _blas():
                _before[library] = library.get_num_threads()
                _set(library, 1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                for library, threads in _before.items():
                    _set(library, threads)
                _before.clear()


def _set(library: Any, threads: int) -> None:
    """Set the threads of a library.

    While the thread that last set OpenBLAS lives, threadpoolctl silently ignores every other thread. Here another
    thread may be the last to leave, so no thread is left in control.
    """
    release = getattr(library, "clear_controlling_thread", lambda **_: None)
    release(force=True)
    library.set_num_threads(threads)
    release(force=True)
