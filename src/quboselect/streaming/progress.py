"""Progress: how far a long pass is and how long it will take. Amounts flow in, a bar on standard error flows out.

Where standard error is no terminal nothing is written, unless asked for; then it is a line at every tenth.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

WIDTH = 24  # characters of the bar
PAUSE = 0.2  # seconds between two drawings


@dataclass(eq=False)
class Progress:
    """A bar for a pass whose length is known, to be used in a ``with`` block.

    Parameters
    ----------
    total : int
        How much there is to do, in any unit. Nothing is drawn where it is 0.
    label : str
        What is being done.
    shown : bool, optional
        Whether it is drawn; None is where the stream is a terminal.
    stream : file, optional
        Where it is drawn; None is standard error.
    clock : function
        The time in seconds.

    Examples
    --------
    >>> clock = iter((0.0, 3.0, 6.0)).__next__
    >>> with Progress(10, "counting", shown=True, stream=sys.stdout, clock=clock) as progress:
    ...     progress.add(5)
    ...     progress.add(5)
    counting  ############............   50 %  0:03 left
    counting  ########################  100 %  in 0:06
    """

    total: int
    label: str
    shown: bool | None = None
    stream: Any = None
    clock: Callable[[], float] = time.monotonic
    done: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if not (self.shown is None or isinstance(self.shown, bool)):
            raise TypeError(f"progress must be True, False, or None for a terminal only, got {self.shown!r}.")
        # There is no standard error in a program without a console.
        self._stream = sys.stderr if self.stream is None else self.stream
        self._live = self._stream is not None and bool(self._stream.isatty())
        wanted = self._live if self.shown is None else self.shown
        self._drawn = wanted and self.total > 0 and self._stream is not None
        self._start = self._last = self.clock() if self._drawn else 0.0
        self._tenth = 0
        self._ended = False
        self._open = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._open:
            self._stream.write("\n")
            self._stream.flush()
            self._open = False

    def add(self, amount: int) -> None:
        """Say that some more is done."""
        self.done = min(self.done + amount, self.total)
        if not self._drawn:
            return
        now = self.clock()
        tenth = 10 * self.done // self.total
        ended = self.done == self.total and not self._ended and (not self._live or self._open)
        if ended or (now - self._last >= PAUSE if self._live else tenth > self._tenth):
            self._last, self._tenth, self._ended = now, tenth, self.done == self.total
            self._draw(now - self._start)

    def _draw(self, seconds: float) -> None:
        share = self.done / self.total
        full = int(WIDTH * share)
        if share == 1:
            left = f"in {_clocked(seconds)}"
        else:
            left = f"{_clocked(seconds * (1 / share - 1))} left" if share else ""
        line = f"{self.label}  {'#' * full}{'.' * (WIDTH - full)}  {100 * share:3.0f} %  {left}"
        # What was drawn before may have been longer: a terminal wipes the rest.
        self._stream.write(f"\r{line}\x1b[K" if self._live else f"{line}\n")
        self._stream.flush()
        self._open = self._live


def _clocked(seconds: float) -> str:
    """Return a time as people write it.

    Examples
    --------
    >>> _clocked(63), _clocked(3723)
    ('1:03', '1:02:03')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
