"""Output: files that are written completely or not at all, and text on standard output."""

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .messages import Failed, Wrong, shortened

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
CLOSED = "standard output is closed, so nothing can be printed: leave it open, or redirect it to a file."


class ClosedOutput(io.TextIOBase):
    """What takes the place of standard output where that is closed: printing raises an error in words."""

    @property
    def buffer(self) -> "ClosedOutput":
        """What takes bytes; it raises as well."""
        return self

    def write(self, _: object, /) -> int:
        """Raise, as nothing can be written."""
        raise Failed(CLOSED)


def suffix_of(path: Path) -> tuple[str, bool]:
    """Return the suffix of a file's name in lower case, and whether ``.gz`` follows it.

    Examples
    --------
    >>> suffix_of(Path("a.CSV.gz")), suffix_of(Path("b.parquet"))
    (('.csv', True), ('.parquet', False))
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    gzipped = suffixes[-1:] == [".gz"]
    rest = suffixes[:-1] if gzipped else suffixes
    return (rest[-1] if rest else ""), gzipped


def check_output(output: Path, source: str, force: bool) -> None:
    """Raise unless a file can be written there, before anything is computed for it."""
    from ..tables.files import is_special_file

    if str(output) == "-":
        raise Wrong("--output must name a file, got '-': use /dev/stdout for standard output.")
    if output.is_dir():
        raise Wrong(f"--output must name a file, but {output} is a folder.")
    if isinstance(sys.stdout, ClosedOutput) and re.fullmatch(
        r"/dev/(stdout|fd/1)|/proc/self/fd/1", str(output)
    ):
        # Its number may belong to another file by now.
        raise Failed(CLOSED)
    if is_special_file(output):
        return
    folder = output.resolve().parent
    if not folder.is_dir():
        raise Wrong(f"--output {output} cannot be written, as there is no folder {folder}: create it first.")
    same = source != "-" and output.exists() and os.path.exists(source) and output.samefile(source)
    if same and not force:
        raise Wrong(f"--output {output} is the input file: name another file, or add --force.")
    for path in (folder, output):
        if path.exists() and not os.access(path, os.W_OK):
            raise Failed(f"--output {output} cannot be written: you have no permission to write to {path}.")


def output_form(output: Path, asked: str | None) -> str:
    """Return the format of a table to be written: as asked for, or by its suffix."""
    if asked is not None:
        return asked
    suffix, _ = suffix_of(output)
    if suffix not in SUFFIXES:
        came = f"got {shortened(suffix)!r}" if suffix else "got no suffix"
        raise Wrong(f"--output must end in {', '.join(SUFFIXES)}, {came}: rename it, or add --output-format.")
    return SUFFIXES[suffix]


def write_table(frame: "pl.DataFrame", output: Path, form: str) -> None:
    """Write a table in one of the formats, compressed where the name ends in ``.gz``."""
    _, gzipped = suffix_of(output)
    if gzipped and form not in ("csv", "tsv"):
        raise Wrong(f"--output {output}: only CSV and TSV can be compressed by gzip.")
    with complete_file(output) as part:
        if form == "parquet":
            frame.write_parquet(part)
        elif form == "arrow":
            frame.write_ipc(part)
        else:
            write_text(frame, part, "\t" if form == "tsv" else ",", gzipped)


def write_text(frame: "pl.DataFrame", part: Path, separator: str, gzipped: bool) -> None:
    """Write a table as text."""
    import gzip

    with part.open("wb") as file, ExitStack() as stack:
        target: Any = stack.enter_context(gzip.GzipFile(fileobj=file, mode="wb")) if gzipped else file
        frame.write_csv(target, separator=separator)


@contextmanager
def complete_file(output: Path) -> Iterator[Path]:
    """Give a place to write to, as `tables.files.whole_file` does, and raise in words if it cannot be written."""
    from ..tables.files import is_special_file, whole_file

    special = is_special_file(output)
    try:
        with whole_file(output) as part:
            yield part
    except Exception as error:
        full_disk = isinstance(error, OSError) or type(error).__module__.startswith("polars")
        if not full_disk or (special and isinstance(error, BrokenPipeError)):
            raise
        words = getattr(error, "strerror", None) or str(error).partition("\n")[0].rpartition("error: ")[2]
        reason = re.sub(r"\s*\(os error \d+\)", "", words).rstrip(".")
        raise Failed(f"{output} could not be written: {reason}.") from error


def print_text(text: str) -> None:
    """Print a text and end its line, all of it even where Python does not buffer what it prints."""
    content = memoryview((text + "\n").encode(errors="replace"))
    sys.stdout.flush()
    while content:
        content = content[sys.stdout.buffer.write(content) :]
    sys.stdout.flush()


def is_standard_output(output: Path | None) -> bool:
    """Return whether a file is standard output, so that nothing else may be printed there."""
    try:
        return output is not None and os.path.samestat(output.stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):
        return False
