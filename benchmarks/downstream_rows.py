"""The rows of the downstream benchmark: two files of which each line stands for itself.

``downstream.csv`` has a line per score, ``downstream_subsets.csv`` a line per selection: its seconds, its features,
or why it failed. Lines are appended as soon as they are known, so that a run that is killed loses nothing; a torn last
line is dropped. A run skips what is there.
"""

import csv
import io
import os
from collections.abc import Iterable
from pathlib import Path

SCORES = ("table", "fold", "k", "model", "method", "score")
SUBSETS = ("table", "fold", "k", "model", "method", "seconds", "failed", "features")
ANY = "-"  # the model of a selection that asks none


def read(path: Path, header: tuple[str, ...]) -> list[dict[str, str]]:
    """Return the whole lines of a file, none if there is no file."""
    if not path.exists():
        return []
    text = path.read_text()
    whole = text[: text.rfind("\n") + 1]
    return [
        row
        for row in csv.DictReader(io.StringIO(whole))
        if None not in row.values() and None not in row and set(row) == set(header)
    ]


def line(values: Iterable[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue()


def append(path: Path, header: tuple[str, ...], row: dict[str, object]) -> None:
    """Add a row in one write, after the header if the file is new and after mending a torn line."""
    start = ""
    if not path.exists() or not path.stat().st_size:
        start = line(header)
    else:
        with path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            torn = file.read(1) != b"\n"
        if torn:
            text = path.read_text()
            replace(path, text[: text.rfind("\n") + 1])
    with path.open("a", newline="") as file:
        file.write(start + line(row[name] for name in header))


def replace(path: Path, text: str) -> None:
    """Put a text in the place of a file, whole or not at all."""
    beside = path.with_suffix(".new")
    beside.write_text(text)
    beside.replace(path)


def forget(path: Path, header: tuple[str, ...], methods: set[str]) -> None:
    """Drop the rows of some methods."""
    kept = [row for row in read(path, header) if row["method"] not in methods]
    replace(path, line(header) + "".join(line(row[name] for name in header) for row in kept))
