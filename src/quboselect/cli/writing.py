"""Files come out whole or not at all. A table, text or anything that writes itself flows in, a file flows out.

What is written stands beside its place under a name of its own until it is complete, and is moved there at once.
Where that is a terminal, a pipe or another device, which nothing can be moved onto, it is copied there.
"""

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .failures import Failed, Wrong, cut

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
FORMATS = ("csv", "tsv", "parquet", "arrow")
CLOSED = "standard output is closed, and nothing can be printed: leave it open, or send it to a file."

# What is being written now: an interrupt ends the process without asking those who write.
_parts: set[Path] = set()


class Nowhere(io.TextIOBase):
    """What stands for standard output where it is closed: whoever prints there is told."""

    @property
    def buffer(self) -> "Nowhere":
        """What takes bytes, which is no better off."""
        return self

    def write(self, _: object, /) -> int:
        """Raise, as nothing can be written."""
        raise Failed(CLOSED)


def suffix_of(path: Path) -> tuple[str, bool]:
    """Return the suffix of a name in small letters, and whether the file is compressed by gzip besides.

    Examples
    --------
    >>> suffix_of(Path("a.CSV.gz")), suffix_of(Path("b.parquet"))
    (('.csv', True), ('.parquet', False))
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    gzipped = suffixes[-1:] == [".gz"]
    rest = suffixes[:-1] if gzipped else suffixes
    return (rest[-1] if rest else ""), gzipped


def check_output(output: Path, source: Path | None, force: bool) -> None:
    """Raise unless a file can be written there, before anything is computed for it."""
    from ..tables.files import is_device

    if output.is_dir():
        raise Wrong(f"--output must name a file, but {output} is a folder.")
    if isinstance(sys.stdout, Nowhere) and re.fullmatch(r"/dev/(stdout|fd/1)|/proc/self/fd/1", str(output)):
        # Its number may have gone to another file since.
        raise Failed(CLOSED)
    if is_device(output):
        return
    folder = output.resolve().parent
    if not folder.is_dir():
        raise Wrong(f"--output {output} cannot be written, as there is no folder {folder}: make it first.")
    if source is not None and not force and output.exists() and source.exists() and output.samefile(source):
        raise Wrong(f"--output {output} is the table that is read: name another file, or add --force.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Failed(f"--output {output} cannot be written: the folder {folder} is not open to writing.")
    if output.exists() and not os.access(output, os.W_OK):
        raise Failed(f"--output {output} cannot be written: the file is not open to writing.")


def table_format(output: Path, wanted: str | None) -> str:
    """Return the format of a table to be written, by its suffix unless it was said."""
    if wanted is not None:
        return wanted
    suffix, _ = suffix_of(output)
    if suffix not in SUFFIXES:
        came = f"got {cut(suffix)!r}" if suffix else "got none"
        raise Wrong(f"--output must end in {', '.join(SUFFIXES)}, {came}: rename it, or say --output-format.")
    return SUFFIXES[suffix]


def write_table(frame: "pl.DataFrame", output: Path, form: str) -> None:
    """Write a table in one of the formats, compressed where the name ends in ``.gz``."""
    _, gzipped = suffix_of(output)
    if gzipped and form not in ("csv", "tsv"):
        raise Wrong(f"--output {output}: only CSV and TSV are compressed by gzip, Parquet is by itself.")
    with whole(output) as part:
        if form == "parquet":
            frame.write_parquet(part)
        elif form == "arrow":
            frame.write_ipc(part)
        else:
            _write_text(frame, part, "\t" if form == "tsv" else ",", gzipped)


def _write_text(frame: "pl.DataFrame", part: Path, separator: str, gzipped: bool) -> None:
    import gzip

    with part.open("wb") as plain, ExitStack() as stack:
        packed: Any = stack.enter_context(gzip.GzipFile(fileobj=plain, mode="wb")) if gzipped else plain
        frame.write_csv(packed, separator=separator)


def put(text: str) -> None:
    """Print a text and end its line, all of it even where Python does not buffer what it prints."""
    content = memoryview((text + "\n").encode(errors="replace"))
    sys.stdout.flush()
    while content:
        content = content[sys.stdout.buffer.write(content) :]
    sys.stdout.flush()


def write_bytes(content: bytes, output: Path) -> None:
    """Write what is complete already."""
    with whole(output) as part:
        part.write_bytes(content)


def write_by(write: Callable[[Path], object], output: Path) -> None:
    """Let somebody write a file who takes a path."""
    with whole(output) as part:
        write(part)


@contextmanager
def whole(output: Path) -> Iterator[Path]:
    """Give a place to write to as `files.whole` does, and say in words what could not be written."""
    from ..tables import files

    device = files.is_device(output)
    try:
        with files.whole(output) as part:
            # It stays there: once it is moved or gone its name stands for nothing, as no other has it.
            _parts.add(part)
            yield part
    except Exception as error:
        if device and isinstance(error, BrokenPipeError):
            raise
        raise _unwritten(output, error, "" if device else " Nothing was left behind.") from error


def _unwritten(output: Path, error: Exception, left: str) -> Exception:
    """Return what to tell of a file that could not be written; polars has errors of its own for a full disk."""
    if not isinstance(error, OSError) and not type(error).__module__.startswith("polars"):
        return error
    words = (
        getattr(error, "strerror", None) or next(iter(str(error).splitlines()), "").rpartition("error: ")[2]
    )
    reason = re.sub(r"\s*\(os error \d+\)", "", words).rstrip(".")
    return Failed(f"{output} could not be written: {reason}.{left}")


def is_standard_output(output: Path | None) -> bool:
    """Return whether a file is where results are printed, and nothing else should be."""
    try:
        return output is not None and os.path.samestat(output.stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):
        return False


def forget_parts() -> None:
    """Remove what is half written: the process is about to end."""
    for part in list(_parts):
        part.unlink(missing_ok=True)
