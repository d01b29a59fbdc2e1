"""What the command says on standard error: errors, notes, and what it is doing now.

Exit codes are 2 for what was typed, 1 for what a file or the machine did, 130 for Ctrl-C, 141 for a closed pipe, 143
for SIGTERM and 129 for SIGHUP.
"""

import json
import logging
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

WRONG_USE, FAILURE, INTERRUPTED, CLOSED_PIPE = 2, 1, 130, 141
ENDED_BY = ("SIGTERM", "SIGHUP")
LONGEST, LONGEST_NAME = 600, 60  # characters of a sentence, and of a name within one

_progress: list[Any] = []  # the line that is shown now, if any


class Stop(Exception):
    """The end of a command: a sentence for the user and an exit code for the shell."""

    code = FAILURE


class Wrong(Stop):
    """What was typed cannot be done."""

    code = WRONG_USE


class Failed(Stop):
    """What was typed is correct, but a file or the machine is not."""


def say(words: str, kind: str = "") -> None:
    """Print one line on standard error."""
    if sys.stderr is None:
        # Python would print it on standard output instead.
        return
    words = printable(" ".join(words.split()))
    try:
        print(f"quboselect: {kind}{shortened(words, LONGEST)}", file=sys.stderr, flush=True)
    except OSError:
        # Standard error is closed, and there is no other place to say so.
        return


def say_notes(notes: Iterable[str], *, quiet: bool) -> None:
    """End the progress line, and print notes on standard error."""
    end_progress()
    for words in () if quiet else notes:
        say(words, "note: ")


def show_progress(words: str, *, quiet: bool) -> None:
    """Show what the command does now, where standard error is a terminal."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        return
    words = printable(words)
    if _progress:
        _progress[0].update(_progress[0].task_ids[0], description=words)
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    line = Progress(*columns, console=Console(stderr=True, emoji=False, markup=False), transient=True)
    line.add_task(words, total=None)
    _progress.append(line)
    line.start()
    log = logging.getLogger("quboselect")
    log.setLevel(logging.INFO)
    log.addHandler(_shown)


class _Shown(logging.Handler):
    """What the library is at, such as compiling, is the progress line while there is one."""

    def emit(self, record: logging.LogRecord) -> None:
        if _progress:
            show_progress(record.getMessage(), quiet=False)


_shown = _Shown(logging.INFO)


def end_progress() -> None:
    """Remove the progress line, and give the terminal its cursor back."""
    while _progress:
        _progress.pop().stop()


def shortened(text: str, longest: int = LONGEST_NAME) -> str:
    """Return a text without its middle where it is long.

    Examples
    --------
    >>> shortened("short"), shortened("abcdefghij", 5)
    ('short', 'ab...ij')
    """
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]}...{text[-half:]}"


def one_line(name: str) -> str:
    r"""Return a name on one line: as JSON where it holds line breaks, control characters or marks of direction.

    Examples
    --------
    >>> print(one_line("pay"), one_line("two\nlines"), one_line("\u202epay"))
    pay "two\nlines" "\u202epay"
    """
    return name if name.isprintable() else printable(json.dumps(name, ensure_ascii=False))


def printable(text: str) -> str:
    r"""Return a text with every character that a terminal does not show written as in JSON.

    Examples
    --------
    >>> print(printable("to the left\u202e"))
    to the left\u202e
    """
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text)


def name_list(names: Iterable[str], most: int = 6) -> str:
    """Return the first names, and how many more there are.

    Examples
    --------
    >>> name_list(["a", "b"]), name_list("abcdefgh", 2)
    ("'a', 'b'", "'a', 'b' and 6 more")
    """
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(repr(shortened(name)) for name in every[:most]) + more


def feature_count(n: int) -> str:
    """Return a number of features in words.

    Examples
    --------
    >>> feature_count(1), feature_count(2)
    ('1 feature', '2 features')
    """
    return f"{n} feature" if n == 1 else f"{n} features"


def hint(name: str, names: Iterable[str]) -> str:
    """Return similar names that may have been meant, or else the names that exist.

    Examples
    --------
    >>> hint("clas", ["age", "class"]), hint("y", ["age", "class"])
    ("did you mean 'class'?", "there are 'age', 'class'.")
    """
    every = list(names)
    same = [each for each in every if each.strip().casefold() == name.strip().casefold()]
    similar = list(dict.fromkeys(same + get_close_matches(name, every, 3)))[:3]
    if not similar:
        return f"there are {name_list(every)}."
    return f"did you mean {' or '.join(repr(shortened(each)) for each in similar)}?"
