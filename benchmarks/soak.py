"""Does it hold up? An hour of random fits, batches, refits and kills in several processes.

Long-lived processes fit random tables: each fit is made twice and must be the same to the last bit, in batches of any
cut and order as well, and some are made by every process, which must agree. Meanwhile the command writes files, and is
killed, asked to end or interrupted, half of the time while it writes: the old file must stay whole or the new one must
be there, and only SIGKILL may leave a temporary file. Memory must not grow after the first half of the time.

``python benchmarks/soak.py`` takes an hour, ``--minutes 8`` less. It ends with 1 where anything is wrong. Needs Linux.
"""

import argparse
import hashlib
import multiprocessing
import queue
import random
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from page import machine

from quboselect import SelectQUBO, criteria

RESULT = Path(__file__).parent / "results" / "soak.md"
SHARED = 8  # every so many fits is one that all processes make
WARM, LATE = 0.5, 0.2  # shares of the time: memory may not grow after the first, and is looked at in the last
GROWTH = 1.1, 32 << 20  # by more than a tenth and 32 MB
FORMS = ("csv", "csv.gz", "parquet", "arrow")
CODES = {  # what the command may end with: before Python listens to signals, these end it themselves
    signal.SIGKILL: {-signal.SIGKILL},
    signal.SIGTERM: {143, -signal.SIGTERM},
    signal.SIGINT: {130, -signal.SIGINT},
}


def random_table(rng: np.random.Generator) -> tuple[pd.DataFrame, Any]:
    """Return features of several kinds, some of which say something about the target, and the target."""
    n, wide = int(rng.integers(20, 400)), int(rng.integers(3, 40))
    y = rng.integers(0, int(rng.integers(2, 5)), n)
    makers = (
        lambda: rng.normal(size=n) + y * rng.random(),
        lambda: np.round(rng.normal(size=n) + y, 1),
        lambda: np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
        lambda: rng.integers(0, 50, n) + 10 * y,
        lambda: rng.choice(np.array(["a", "b", "c", None], object), n),
        lambda: rng.random(n) < 0.2 + 0.1 * y,
    )
    X = pd.DataFrame({f"x{i}": makers[rng.integers(len(makers))]() for i in range(wide)})
    return X, y if rng.random() < 0.8 else y + rng.normal(size=n)


def random_selector(rng: np.random.Generator, wide: int) -> SelectQUBO:
    """Return a selector of some k, by a criterion that batches know as well."""
    k = int(rng.integers(1, min(wide, 8) + 1))
    kinds = (
        lambda: SelectQUBO(k),
        lambda: SelectQUBO.paper(k),
        lambda: SelectQUBO(k, criterion=criteria.MRMR()),
        lambda: SelectQUBO(
            k, criterion=criteria.QFS(), exclude=[int(rng.integers(wide))] if k < wide else None
        ),
    )
    return kinds[rng.integers(len(kinds))]()


def fingerprint(selector: SelectQUBO) -> str:
    """Return what a fit found, all bits of it, as a short text."""
    parts = (selector.support_, selector.importance_, selector.redundancy_, selector.alpha_, selector.energy_)
    return hashlib.sha256(b"".join(np.asarray(part).tobytes() for part in parts)).hexdigest()[:16]


def fits(seed: int) -> tuple[str, list[str]]:
    """Return the fingerprint of a random fit, and what went wrong when it was made again, whole and in batches."""
    rng = np.random.default_rng(seed)
    X, y = random_table(rng)
    selector = random_selector(rng, X.shape[1])
    first = fingerprint(selector.fit(X, y))
    wrong = [] if fingerprint(selector.fit(X, y)) == first else ["refit"]
    cuts = np.sort(rng.choice(np.arange(1, len(X)), int(rng.integers(0, 6)), replace=False))
    places = np.split(np.arange(len(X)), cuts)
    rng.shuffle(places)
    whole = fingerprint(selector.fit(X.iloc[np.concatenate(places)], y[np.concatenate(places)]))
    batches = [(X.iloc[part], y[part]) for part in places]
    wrong += [] if fingerprint(selector.fit_batches(batches)) == whole else ["batches"]
    return first, wrong


def memory() -> int:
    """Return the bytes of memory that this process has."""
    return int(Path("/proc/self/status").read_text().partition("VmRSS:")[2].split()[0]) * 1024


def fitter(number: int, seed: int, stop: float, answers: Any) -> None:
    """Fit until the time is over, and tell after each fit what was found and how much memory there is."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    rng = random.Random(f"{seed} {number}")
    shared = 0
    for count in range(10**9):
        if time.time() > stop:
            break
        together = count % SHARED == 0
        chosen = 1_000_000 + shared if together else rng.randrange(2_000_000, 2**40)
        shared += together
        try:
            found, wrong = fits(chosen + seed)
        except Exception as error:
            found, wrong = "", [f"{type(error).__name__}: {error}"[:200]]
        faults = [f"{each} (seed {chosen + seed})" for each in wrong]
        answers.put((number, chosen if together else None, found, faults, (time.time(), memory())))


class Killer:
    """Runs the command in a folder, and ends it at random."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random = folder, random.Random(seed)
        self.runs: Counter[str] = Counter()
        self.wrong: list[str] = []
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 60_000)
        columns = {f"x{i}": (rng.normal(size=y.size) + y / (i + 1)).round(6) for i in range(8)}
        pd.DataFrame({**columns, "class": y}).to_csv(folder / "table.csv", index=False)
        self.new, self.seconds = {}, 0.0
        for form in FORMS:
            started = time.time()
            ended = self.command(form).wait()
            self.seconds = max(self.seconds, time.time() - started)
            if ended:
                raise SystemExit(f"the command ended with {ended}")
            self.new[form] = self.content(form)

    def command(self, form: str) -> "subprocess.Popen[bytes]":
        """Start the command."""
        typed = [
            "select",
            "table.csv",
            "-t",
            "class",
            "-k",
            "6",
            "--effort",
            "0",
            "-o",
            f"out.{form}",
            "--quiet",
        ]
        return subprocess.Popen(
            [sys.executable, "-m", "quboselect.cli", *typed],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def content(self, form: str) -> str:
        """Return what is in an output, all of it; gzip writes the time, too."""
        path = self.folder / f"out.{form}"
        read = {
            "csv": pd.read_csv,
            "csv.gz": pd.read_csv,
            "parquet": pd.read_parquet,
            "arrow": pd.read_feather,
        }
        return hashlib.sha256(read[form](path).to_csv().encode()).hexdigest()

    def left(self) -> list[Path]:
        """Return the temporary files."""
        return [path for path in self.folder.iterdir() if path.name.startswith(".")]

    def kill_one(self) -> None:
        """Start the command, end it at some time or while it writes, and look at what is there."""
        form, sent = self.random.choice(FORMS), self.random.choice(list(CODES))
        output = self.folder / f"out.{form}"
        before = b"old output" * 100 if self.random.random() < 0.5 else output.read_bytes()
        output.write_bytes(before)
        running = self.command(form)
        aimed, started = self.random.random() < 0.5, time.time()
        wait = self.random.random() * 1.2 * self.seconds
        while running.poll() is None and (not self.left() if aimed else time.time() < started + wait):
            time.sleep(0.002)
        if aimed:
            time.sleep(self.random.random() * 0.05)
        writing = bool(self.left())
        running.send_signal(sent)
        code = running.wait()
        name = f"{sent.name}{', while it wrote' if writing else ''}"
        self.runs[name if code else "ended before"] += 1
        if code not in {0, *CODES[sent]}:
            self.wrong.append(f"{name}: the command ended with {code}")
        after = output.read_bytes()
        if after != before and self.content(form) != self.new[form]:
            self.wrong.append(f"{name}: {output.name} is neither the old nor the new file")
        for path in self.left():
            if sent != signal.SIGKILL:
                self.wrong.append(f"{name}: {path.name} is left, the code is {code}")
            self.runs["left behind, by SIGKILL only"] += 1
            path.unlink()


def main() -> int:
    """Soak, print a table, and write it."""
    parser = argparse.ArgumentParser(description="Random fits, batches, refits and kills, for an hour.")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    with tempfile.TemporaryDirectory() as folder:
        killer = Killer(Path(folder), asked.seed)
        begin = time.time()
        stop = begin + 60 * asked.minutes
        workers = [
            context.Process(target=fitter, args=(number, asked.seed, stop, answers))
            for number in range(asked.processes)
        ]
        for worker in workers:
            worker.start()
        known: dict[int, str] = {}
        done: Counter[int] = Counter()
        compared, wrong = 0, []
        sizes: dict[int, list[tuple[float, int]]] = {number: [] for number in range(asked.processes)}
        while any(worker.is_alive() for worker in workers):
            if time.time() < stop:
                killer.kill_one()
            while True:
                try:
                    number, shared, found, faults, size = answers.get(
                        timeout=0.5 if time.time() > stop else 0.01
                    )
                except queue.Empty:
                    break
                done[number] += 1
                wrong += faults
                sizes[number].append(size)
                if shared is not None:
                    compared += shared in known
                    if known.setdefault(shared, found) != found:
                        wrong.append(f"other process (seed {shared + asked.seed})")
        if any(worker.exitcode for worker in workers):
            wrong.append("a process ended early")
    lines = ["| what | number | wrong |", "|---|---|---|"]
    lines += [
        f"| {what} | {number} | {sum(key in each for each in wrong)} |"
        for what, key, number in (
            ("fits, each made again: the same to the last bit", "refit", done.total()),
            ("the same in batches, of any cut and order", "batches", done.total()),
            ("fits made by another process as well", "other process", compared),
        )
    ]
    lines += [
        f"| command, {name} | {number} | {sum(each.startswith(f'{name}:') for each in killer.wrong)} |"
        for name, number in sorted(killer.runs.items())
    ]
    for number, known_sizes in sizes.items():
        warm = [size for at, size in known_sizes if at < begin + WARM * 60 * asked.minutes]
        last = [size for at, size in known_sizes if at > stop - LATE * 60 * asked.minutes]
        if not warm or not last:
            wrong.append("memory: too few fits to tell")
            continue
        early, late = max(warm), max(last)
        grown = late > max(GROWTH[0] * early, early + GROWTH[1])
        if grown:
            wrong.append(f"memory grew from {early >> 20} to {late >> 20} MB")
        lines.append(
            f"| memory of process {number}: {early >> 20} MB in the first half of the time, {late >> 20} MB at the end "
            f"| {done[number]} fits | {int(grown)} |"
        )
    everything = wrong + killer.wrong
    told = [f"- {each}" for each in everything] or ["Nothing was lost, and nothing was wrong."]
    head = f"{asked.minutes:g} minutes, {asked.processes} processes that fit and one that kills."
    end = f"Measured by `benchmarks/soak.py`: {machine()}."
    text = "\n".join(["# Soak", "", head, "", *lines, "", *told, "", end, ""])
    print(text)
    RESULT.write_text(text)
    return bool(everything)


if __name__ == "__main__":
    sys.exit(main())
