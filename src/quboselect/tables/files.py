"""Files that are complete or not there: the report and the command write through `whole_file`.

A crash, a full disk or a kill leaves the old file as it was, and no half of a new one.
"""

import os
import re
import secrets
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_unfinished: set[Path] = set()
_making = threading.Lock()


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path to write to; it replaces the file at the end, or is removed after an error.

    The new file keeps the mode of the old one. If the path is a link, the link stays and the file it names is
    replaced. A pipe or another device cannot be replaced: it receives a copy.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(f"{folder}/a.txt") as part:
    ...         _ = part.write_text("all of it")
    ...     Path(folder, "a.txt").read_text(), [file.name for file in Path(folder).iterdir()]
    ('all of it', ['a.txt'])
    """
    target, copied = Path(path), is_special_file(path)
    with _making:
        if copied:
            descriptor, name = tempfile.mkstemp(suffix=target.suffix)
            os.close(descriptor)
            part = Path(name)
        else:
            target = target.resolve()
            # The end of the name, because some writers tell the format by its suffix; not all of it, because the
            # length of a name is limited.
            part = target.with_name(f".{secrets.token_hex(4)}.{target.name[-50:]}")
            # Who may not read the file later must not read it now.
            part.touch(0o600 if target.exists() else 0o666, exist_ok=False)
        _unfinished.add(part)
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
        _unfinished.discard(part)


def remove_unfinished() -> None:
    """Remove the files that other threads are writing; none is begun any more, as the process is about to end."""
    _making.acquire()
    for part in list(_unfinished):
        part.unlink(missing_ok=True)


def is_special_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a pipe, another device, or a name such as ``/dev/stdout`` of an open file.

    Examples
    --------
    >>> is_special_file(os.devnull), is_special_file(os.curdir), is_special_file("no such file")
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
    # Append: standard output may be a file with content that is not ours. No buffer: after an error it would raise
    # a second time when it is closed.
    with part.open("rb") as content, device.open("ab", buffering=0) as file:
        while rest := memoryview(content.read(1 << 20)):
            while rest:
                rest = rest[os.write(file.fileno(), rest) :]
