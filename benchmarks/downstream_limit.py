"""A process that selects features, and is ended where a selection takes too long."""

import multiprocessing
import time
import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

import downstream_others as others
import downstream_ours as ours
import numpy as np
from downstream_tables import load, numbers_of

# Seconds that a selection may take: all k of a ranking, or one k of ours.
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
            start = time.perf_counter()
            where = (task.table, task.fold)
            found = ours.subset(task.method, X, y, task.k, table.task, task.fold, task.model, where)
        else:
            X = numbers_of(X)
            start = time.perf_counter()
            found = others.ranking(task.method, X, y, task.k, table.task, task.fold)
    # A greedy twin is made of a fit that is there: its seconds say nothing.
    seconds = np.nan if task.method in ours.TWINS else time.perf_counter() - start
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


def serve(pipe: Any) -> None:
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
            pipe.send("warm")
            pipe.send(selection(task))
        except Exception as error:  # whatever a method raises is recorded
            pipe.send(f"{type(error).__name__}: {error}".replace("\n", " ")[:200])


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
            self.process = context.Process(target=serve, args=(other,), daemon=True)
            self.process.start()
            other.close()
        try:
            self.pipe.send(task)
            answer = self.pipe.recv() if self.pipe.poll(10 * LIMIT) else "took too long to start"
            if answer == "warm":
                answer = self.pipe.recv() if self.pipe.poll(self.limit) else f"longer than {self.limit:g} s"
        except (EOFError, OSError):
            answer = "its process ended"
        if isinstance(answer, str) and answer.startswith(("longer", "took", "its process")):
            self.close()
        return answer

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.pipe.close()
            self.process = None


@cache
def worker(limit: float) -> Worker:
    """Return the worker of this process. It ends with it."""
    return Worker(limit)
