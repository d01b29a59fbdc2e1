"""A process that selects features, and is ended where a selection takes too long.

Seconds are of the processor, not of the clock, so that they do not depend on what else the machine does.
"""

import atexit
import multiprocessing
import signal
import time
import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

import downstream_others as others
import downstream_ours as ours
import numpy as np
from downstream_tables import load, numbers_of

# Seconds of the processor that a selection may take: all k of a ranking, or one k of ours.
LIMIT = 120.0


@dataclass(frozen=True)
class Task:
    """A selection: of which table and fold, by which method, how many, and for which model if that is asked."""

    table: str
    fold: int
    method: str
    k: int
    model: str


def selection(task: Task) -> tuple[list[int], float]:
    """Return k features, the best first where there is an order, and the seconds that it took."""
    table = load(task.table)
    train, _ = table.splits[task.fold]
    X, y = table.rows(train), table.y[train]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if task.method in ours.NAMES:
            start = time.process_time()
            where = (task.table, task.fold)
            found = ours.subset(task.method, X, y, task.k, table.task, task.fold, task.model, where)
        else:
            X = numbers_of(X)
            start = time.process_time()
            found = others.ranking(task.method, X, y, task.k, table.task, task.fold)
    # A greedy twin is made of a fit that is there: its seconds say nothing.
    seconds = np.nan if task.method in ours.TWINS else time.process_time() - start
    if len(set(found.tolist())) != task.k:
        raise ValueError(f"{len(set(found.tolist()))} features instead of {task.k}")
    return [int(i) for i in found], seconds


def warmed(method: str, warm: set[str]) -> None:
    """Run a method once on a small table, so that nothing is imported or compiled while it is timed."""
    if method not in warm:
        warm.add(method)
        wine = load("wine")
        try:
            if method in ours.NAMES:
                ours.subset(method, wine.X, wine.y, 3, wine.task, 0, "simple", ("warm",))
            else:
                others.ranking(method, wine.X, wine.y, 3, wine.task, 0)
        except Exception:
            pass


def serve(pipe: Any, limit: float) -> None:
    """Answer tasks until the pipe is closed."""
    warm: set[str] = set()
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                warmed(task.method, warm)
            signal.setitimer(signal.ITIMER_PROF, limit)  # after so many seconds the system ends this process
            pipe.send(selection(task))
        except Exception as error:  # whatever a method raises is recorded
            pipe.send(f"{type(error).__name__}: {error}".replace("\n", " ")[:200])
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)


class Worker:
    """One process beside this one; it starts with the first task, and anew after one that took too long."""

    def __init__(self, limit: float = LIMIT) -> None:
        self.limit = limit
        self.process: Any = None
        self.pipe: Any = None

    def selection(self, task: Task) -> tuple[list[int], float] | str:
        """Return features and seconds, or why it failed."""
        if self.process is None:
            context = multiprocessing.get_context("spawn")
            self.pipe, other = context.Pipe()
            self.process = context.Process(target=serve, args=(other, self.limit), daemon=True)
            self.process.start()
            other.close()
        try:
            self.pipe.send(task)
            return self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            late = self.process.exitcode == -signal.SIGPROF
            self.close()
            return f"longer than {self.limit:g} s" if late else "its process ended"

    def close(self) -> None:
        """End the process, which ends by itself when it has nothing to do."""
        if self.process is not None:
            self.pipe.close()
            self.process.join(5)
            self.process.kill()
            self.process = None


@cache
def worker(limit: float) -> Worker:
    """Return the worker of this process. It ends with it."""
    made = Worker(limit)
    atexit.register(made.close)
    return made
