"""What goes wrong, in words: an exception flows in, a sentence and an exit code flow out.

2 is for what was typed, 1 for what was found: a file, a machine, a library.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

WRONG_USE, FAILURE, INTERRUPTED, CLOSED_PIPE = 2, 1, 130, 141


class Stop(Exception):
    """The end of a command, with the sentence for people and the exit code for shells."""

    code = FAILURE


class Wrong(Stop):
    """What was typed cannot be done."""

    code = WRONG_USE


class Failed(Stop):
    """What was typed is in order, but a file or the machine is not."""


@contextmanager
def wrong_use() -> Iterator[None]:
    """Take errors about values within the block for errors about what was typed."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise Wrong(str(error)) from error


def listed(names: Iterable[str], most: int = 6) -> str:
    """Return some names as text, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b"]), listed("abcdefgh", 2)
    ("'a', 'b'", "'a', 'b' and 6 more")
    """
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(map(repr, every[:most])) + more


def plural(count: int) -> str:
    """Return the word for so many features.

    Examples
    --------
    >>> plural(1), plural(2)
    ('feature', 'features')
    """
    return "feature" if count == 1 else "features"


def near(name: str, names: Iterable[str]) -> str:
    """Return a hint at what may have been meant: names that look alike, or else which there are.

    Examples
    --------
    >>> near("clas", ["age", "class"]), near("y", ["age", "class"])
    ("did you mean 'class'?", "there are 'age', 'class'.")
    """
    every = list(names)
    alike = get_close_matches(name, every, 3)
    folded = [each for each in every if each.strip().casefold() == name.strip().casefold()]
    found = list(dict.fromkeys(folded + alike))
    return f"did you mean {' or '.join(map(repr, found))}?" if found else f"there are {listed(every)}."


def in_words(error: BaseException) -> tuple[str, int]:
    """Return what to tell people of an error, and the exit code."""
    if isinstance(error, Stop):
        return str(error), error.code
    if isinstance(error, MemoryError):
        return "there is not enough memory for this table: drop features or samples first.", FAILURE
    if isinstance(error, OSError) and error.strerror:
        where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        return f"{where}{error.strerror}.", FAILURE
    words = _first_sentences(str(error))
    if isinstance(error, ValueError | TypeError | ImportError | OSError | NotImplementedError):
        return words or type(error).__name__, FAILURE
    return f"{type(error).__name__}: {words} This is a mistake of ours: --debug shows where.", FAILURE


def _first_sentences(text: str) -> str:
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return first if not first or first[-1] in ".?!" else first + "."


def say(words: str, kind: str = "") -> None:
    """Print a line on standard error, which nothing that is read by programs goes to."""
    try:
        print(f"quboselect: {kind}{' '.join(words.split())}", file=sys.stderr, flush=True)
    except OSError:
        # Nobody is listening, and there is nobody else to tell.
        return
