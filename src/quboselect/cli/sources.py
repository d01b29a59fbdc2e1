"""Where a command reads from. What was typed flows in; a file that can be read, or what a pipe brought, flows out."""

import os
import stat
import sys
from pathlib import Path

from .failures import Failed, Wrong, near


def source_of(typed: str, what: str, expected: str) -> tuple[Path | bytes, str]:
    """Return what to read from, a file or what came through a pipe, and what to call it.

    Parameters
    ----------
    typed : str
        A path, or ``-`` for standard input.
    what : str
        What is to be piped in.
    expected : str
        What an empty file should have been.
    """
    if typed == "-":
        state = "closed" if sys.stdin is None else "a terminal" if sys.stdin.isatty() else None
        if state is not None:
            raise Wrong(f"standard input is {state}: pipe a {what} into it, or name a file instead of -.")
        return _filled(sys.stdin.buffer.read(), "standard input", expected), "standard input"
    path = Path(typed)
    if not path.exists():
        there = [str(each) for each in path.parent.iterdir()] if path.parent.is_dir() else []
        hint = near(str(path), there)
        raise Wrong(
            f"there is no file {path}: {hint if hint.startswith('did') else 'check its name and folder.'}"
        )
    if path.is_dir():
        raise Wrong(f"{path} is a folder: name a file of it.")
    if not os.access(path, os.R_OK):
        raise Failed(f"{path} cannot be read: it is not open to you.")
    if not stat.S_ISREG(path.stat().st_mode):
        return _filled(path.read_bytes(), str(path), expected), str(path)
    if not path.stat().st_size:
        raise Failed(f"{path} is empty: {expected} was expected.")
    return path, str(path)


def _filled(content: bytes, label: str, expected: str) -> bytes:
    if not content:
        raise Failed(f"{label} is empty: {expected} was expected.")
    return content
