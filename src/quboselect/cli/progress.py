"""How far a command is, on standard error. Stages and counts flow in; a line with the time left flows out.

It is shown where standard error is a terminal, and only of what takes more than a second. Who counts steps of its own
is in `watching`.
"""

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

PATIENCE = 1.0  # seconds that are not worth a line
ROOMY = 80  # characters of a terminal that has room for a bar

Tick = Callable[[float, float], None]


@dataclass
class Stages:
    """The stages of a command, one after the other.

    Parameters
    ----------
    shown : bool
        Whether anything is shown at all.
    """

    shown: bool
    _began: float = field(default_factory=time.monotonic)
    _bar: Any = None
    _task: Any = None
    _stage: int = 0
    _due: threading.Timer | None = None
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, words: str) -> Tick:
        """Show the next stage, and return a function to be told how far it is: (done, all), 0 where nobody knows."""
        if not self.shown:
            return _ignore
        if self._bar is None:
            self._bar = _bar()
            wait = PATIENCE - (time.monotonic() - self._began)
            self._due = threading.Timer(max(0.0, wait), self._start)
            self._due.daemon = True
            self._due.start()
            self._task = self._bar.add_task(words, total=None)
        self._stage += 1
        bar, task, stage = self._bar, self._task, self._stage
        bar.reset(task, description=words, total=None)

        def tick(done: float, total: float) -> None:
            # One that is over may still be told of.
            if stage == self._stage:
                bar.update(task, completed=done, total=total or None)

        return tick

    def _start(self) -> None:
        with self._turn:
            if self.shown and self._bar is not None:
                self._bar.start()

    def stop(self) -> None:
        """Take the line away for good, and give the terminal its cursor back."""
        self.shown = False
        if self._due is not None:
            self._due.cancel()
        with self._turn:
            if self._bar is not None:
                self._bar.stop()
            self._bar = self._task = self._due = None


def _ignore(done: float, total: float) -> None:
    """Nobody watches."""


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class Left(ProgressColumn):
        """The time left, where anybody can tell."""

        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            left = task.time_remaining
            return Text("" if left is None else f"about {int(left) // 60}:{int(left) % 60:02d} left")

    console = Console(stderr=True, emoji=False, markup=False)
    bar = BarColumn(24, complete_style="#0072B2", finished_style="#0072B2", pulse_style="#56B4E9")
    return Progress(
        TextColumn("{task.description}", markup=False),
        # Numbers are worth more than a picture of them.
        *([bar] if console.width >= ROOMY else []),
        TimeElapsedColumn(),
        Left(),
        console=console,
        transient=True,
        refresh_per_second=4,
    )


_current: list[Stages] = []


def stages_for(quiet: bool) -> Stages:
    """Return the stages of a command, to be shown unless nobody would see them."""
    stages = Stages(not quiet and sys.stderr is not None and sys.stderr.isatty())
    _current[:] = [stages]
    return stages


def stop_all() -> None:
    """Take away whatever is shown."""
    for stages in _current:
        stages.stop()
