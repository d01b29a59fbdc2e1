"""Files that are written completely or not at all.

`whole` gives a place to write to and moves it to its name once it is complete; `is_device` tells pipes and devices,
which are copied to instead.
"""

import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a place to write to, which takes the place of a file once it is complete, and is gone if it never is.

    A file that is replaced leaves its mode to the new one. A link stays one, and the file that it names is written.
    A pipe or another device, which nothing can take the place of, is given a copy.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole(f"{folder}/a.txt") as part:
    ...         _ = part.write_text("all of it")
    ...     Path(folder, "a.txt").read_text(), [file.name for file in Path(folder).iterdir()]
    ('all of it', ['a.txt'])
    """
    target, copied = Path(path), is_device(path)
    if copied:
        descriptor, name = tempfile.mkstemp(suffix=target.suffix)
        os.close(descriptor)
        part = Path(name)
    else:
        target = target.resolve()
        # The end of the name, as some tell a format by its suffix; not all of it, as names may be only so long.
        part = target.with_name(f".{secrets.token_hex(4)}.{target.name[-50:]}")
        # Nobody shall read it now who must not later.
        part.touch(0o600 if target.exists() else 0o666, exist_ok=False)
    try:
        yield part
        if copied:
            _copy(part, target)
            return
        with part.open("rb+") as file:
            # A full disk may be noticed only now.
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, part)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def is_device(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a pipe or device, or one of the names that a process has for its open files.

    Examples
    --------
    >>> is_device(os.devnull), is_device(os.curdir), is_device("no such file")
    (True, False, False)
    """
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    if stat.S_ISDIR(mode):
        return False
    return (
        not stat.S_ISREG(mode)
        or re.match(r"/dev/(std|fd/)|/proc/[^/]+/fd/", os.path.abspath(path)) is not None
    )


def _copy(part: Path, device: Path) -> None:
    # Appended, as what stands already in a file that is standard output is not ours; and without a buffer, which
    # would complain a second time when it is closed.
    with part.open("rb") as content, device.open("ab", buffering=0) as file:
        while rest := memoryview(content.read(1 << 20)):
            while rest:
                rest = rest[os.write(file.fileno(), rest) :]
