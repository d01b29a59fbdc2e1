"""The ledger: a CSV file of tidy rows, to which each measurement is written at once.

Every experiment writes here and nowhere else; the figures read it. A run that was killed is started again: what the
file has is not computed again, and a last line that was cut off is dropped. Only the process that opened a ledger
writes to it; workers hand their numbers back. `Progress` says on standard error how much is left.
"""

import csv
import io
import os
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Self, TextIO

import numpy as np
import numpy.typing as npt

import quboselect
from quboselect.tables.files import whole_file

Cell = str | int | float | None


class Row(NamedTuple):
    """One measurement. Empty text stands for what does not apply; all but value and seconds is the key."""

    experiment: str
    dataset: str
    method: str
    model: str
    k: str
    seed: str
    fold: str
    metric: str
    value: float
    seconds: float | None
    version: str

    @property
    def key(self) -> tuple[str, ...]:
        """What was measured, without the value."""
        return self[:8]


def machine() -> str:
    """Return what a measurement was made with and on."""
    python = f"Python {platform.python_version()}"
    return f"quboselect {quboselect.__version__}, {python}, {os.cpu_count()} cores, {platform.machine()}"


class Ledger:
    """The rows of one experiment, in a file that grows by one line at a time.

    Parameters
    ----------
    path : Path
        ``results/<experiment>.csv``; its name without the ending is the experiment's. A file that is there is
        continued, and refused where its header is another one. Its first line names the machine, after a ``#``.

    Examples
    --------
    >>> import tempfile
    >>> ledger = Ledger(Path(tempfile.mkdtemp()) / "two.csv")
    >>> ledger.add(0.93, dataset="mnist", method="QFS", fold=3, metric="accuracy", seconds=1.5)
    >>> ledger.has(dataset="mnist", method="QFS", fold=3, metric="accuracy")
    True
    >>> [row.value for row in ledger.rows(dataset="mnist")]
    [0.93]
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.experiment = self.path.stem
        self._owner = os.getpid()
        self._rows: dict[tuple[str, ...], Row] = {}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            self._mend()
            self._rows = {row.key: row for row in read(self.path)}
        if not self.path.exists() or not self.path.stat().st_size:
            self._write(f"# {machine()}\n{_line(Row._fields)}")

    @property
    def folder(self) -> Path:
        """Where the file lies, and what belongs to it (masks, images)."""
        return self.path.parent

    def __len__(self) -> int:
        return len(self._rows)

    def has(
        self,
        *,
        dataset: str = "",
        method: str = "",
        model: str = "",
        k: int | None = None,
        seed: int | None = None,
        fold: int | None = None,
        metric: str,
    ) -> bool:
        """Whether this was measured before."""
        return self._key(dataset, method, model, k, seed, fold, metric) in self._rows

    def value(self, **key: Cell) -> float:
        """Return the one value whose key has these parts."""
        found = list(self.rows(**key))
        if len(found) != 1:
            raise KeyError(f"one row of {self.path.name} should have {key}, there are {len(found)}.")
        return found[0].value

    def add(
        self,
        value: float,
        *,
        dataset: str = "",
        method: str = "",
        model: str = "",
        k: int | None = None,
        seed: int | None = None,
        fold: int | None = None,
        metric: str,
        seconds: float | None = None,
    ) -> None:
        """Write one row, now. A key that is there already is refused: ask `has` before the work, not after it."""
        if os.getpid() != self._owner:
            raise RuntimeError(
                f"{self.path.name} is written by the process that opened it alone: return the number from the "
                "worker, and add it there."
            )
        key = self._key(dataset, method, model, k, seed, fold, metric)
        if key in self._rows:
            raise ValueError(f"{self.path.name} has a row {', '.join(filter(None, key))} already.")
        took = None if seconds is None else float(seconds)
        row = Row(*key, float(value), took, quboselect.__version__)
        self._write(_line([*key, repr(row.value), "" if took is None else f"{took:.6g}", row.version]))
        self._rows[key] = row

    def note(self, value: float, *, seconds: float | None = None, **key: Any) -> None:
        """Write one row where it is missing: after a kill some of several may be there."""
        if not self.has(**key):
            self.add(value, **key, seconds=seconds)

    def rows(self, **parts: Cell) -> Iterator[Row]:
        """Yield the rows whose key has these parts, in the order in which they were added."""
        if unknown := parts.keys() - set(Row._fields[:8]):
            raise ValueError(f"a key has {', '.join(Row._fields[:8])}, not {', '.join(sorted(unknown))}.")
        wanted = {name: _text(value) for name, value in parts.items()}
        for row in list(self._rows.values()):
            if all(getattr(row, name) == value for name, value in wanted.items()):
                yield row

    def _key(self, *parts: Cell) -> tuple[str, ...]:
        return (self.experiment, *map(_text, parts))

    def _write(self, text: str) -> None:
        # Opened for each row: nothing is kept in a buffer that a kill could lose, or a forked child write again.
        with self.path.open("a", encoding="utf-8", newline="") as file:
            file.write(text)

    def _mend(self) -> None:
        """Drop a last line that a kill cut off, and a beginning that has no header yet."""
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if whole.startswith(b"#") and whole.count(b"\n") == 1:
            whole = b""
        if whole != content:
            with self.path.open("r+b") as file:
                file.truncate(len(whole))


def read(path: Path | str) -> list[Row]:
    """Return the rows of a file, or raise ``ValueError`` if it is not a ledger; a cut-off last line is passed over."""
    path = Path(path)
    text = path.read_text(encoding="utf-8")
    lines = csv.reader(text[: text.rfind("\n") + 1].splitlines())
    numbered = [
        (number, line) for number, line in enumerate(lines, 1) if line and not line[0].startswith("#")
    ]
    if not numbered:
        return []
    header = tuple(numbered[0][1])
    if header != Row._fields:
        raise ValueError(
            f"{path} should have the header {','.join(Row._fields)}, got {','.join(header)}. Move it away."
        )
    return [_row(path, number, cells) for number, cells in numbered[1:]]


def _row(path: Path, number: int, cells: list[str]) -> Row:
    try:
        *key, value, seconds, version = cells
        if len(key) == 8:
            return Row(*key, float(value), float(seconds) if seconds else None, version)
    except ValueError:
        pass
    raise ValueError(f"line {number} of {path} should hold {','.join(Row._fields)}, got {','.join(cells)!r}.")


def _text(cell: Cell) -> str:
    return "" if cell is None else str(cell)


def _line(cells: list[str] | tuple[str, ...]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue()


def store(path: Path, **arrays: npt.ArrayLike) -> None:
    """Write arrays to an ``.npz`` file; a process that is killed leaves the old file."""
    with whole_file(path) as part:
        np.savez_compressed(part, **{name: np.asarray(array) for name, array in arrays.items()})


class Progress:
    """A bar with the time left, on standard error; silent where that is not a terminal.

    Parameters
    ----------
    total : float
        The work, in any unit: steps, or expected seconds where steps differ much.
    label : str
        What is being done.

    Examples
    --------
    >>> with Progress(2, "folds", stream=io.StringIO()) as progress:
    ...     progress.step()
    """

    def __init__(self, total: float, label: str, *, stream: TextIO | None = None) -> None:
        self.total, self.label, self.done = total, label, 0.0
        self.stream = sys.stderr if stream is None else stream
        self.start = time.monotonic()

    def step(self, amount: float = 1.0, note: str = "") -> None:
        """Say that so much of the work is done, and what is next."""
        self.done += amount
        if self.stream.isatty():
            share = min(1.0, self.done / self.total) if self.total else 1.0
            elapsed = time.monotonic() - self.start
            left = elapsed / share - elapsed if share else 0.0
            bar = "█" * round(20 * share)
            text = f"{self.label} {bar:░<20} {share:4.0%}, {clock(left)} left {note}"
            self.stream.write(f"\r\033[K{text[:110]}")
            self.stream.flush()

    def __enter__(self) -> Self:
        self.step(0.0)
        return self

    def __exit__(self, *_: object) -> None:
        if self.stream.isatty():
            self.stream.write(f"\r\033[K{self.label}: {clock(time.monotonic() - self.start)}\n")
            self.stream.flush()


def clock(seconds: float) -> str:
    """Return a duration in seconds, minutes or hours.

    Examples
    --------
    >>> clock(7.2), clock(75), clock(4000)
    ('7 s', '1:15 min', '1:06 h')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d} h"
