"""Recorded: solutions that hardware, or anybody, produced earlier. Files flow in; the solutions of a QUBO flow out.

Three forms are read, none of which needs an optional library: ours (`Solutions.save`), dimod's
(``sampleset.to_serializable()`` as JSON), and that of the paper's authors, ``{"info": ..., "record": [[bits, energy,
num_occurrences, chain_break_fraction], ...]}``. Energies are computed anew, and data of another QUBO is refused.
"""

import glob
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from ..qubo import QUBO, Bits
from ..solutions import Solutions
from ..tables import files

PathLike = str | os.PathLike[str]


class Run(NamedTuple):
    """What a file of somebody else holds: one row a record, in its order."""

    x: Bits
    energy: npt.NDArray[np.float64]
    reads: npt.NDArray[np.int64]
    broken: npt.NDArray[np.float64] | None
    info: Mapping[str, Any]

    def solutions(self, qubo: QUBO) -> Solutions:
        """Return them as solutions of a QUBO, each as often as it occurred."""
        # Some samplers list what they did not see.
        seen = self.reads != 0
        x, reads = self.x[seen], self.reads[seen]
        solutions = Solutions.of(qubo, x, count=reads, info=self.info)
        if self.broken is None:
            return solutions
        return with_chain_breaks(solutions, x, self.broken[seen], reads)


def with_chain_breaks(
    solutions: Solutions, x: Bits, broken: npt.ArrayLike, count: npt.ArrayLike
) -> Solutions:
    """Return solutions whose info says what share of the chains broke: ``chain_breaks`` in the mean of all reads, and
    ``chain_break_fraction`` for each sample.

    Parameters
    ----------
    solutions : Solutions
    x : bits of shape (r, n)
        Records, in any order and with repeats, each of which is one of the solutions.
    broken, count : arrays of shape (r,)
        Share of broken chains, and number of reads, of each record.
    """
    places = {row.tobytes(): place for place, row in enumerate(np.packbits(solutions.x, axis=1))}
    place = np.array([places[row.tobytes()] for row in np.packbits(x, axis=1)])
    weight = np.asarray(count, np.float64)
    share = np.bincount(place, weight * np.asarray(broken), minlength=len(solutions))
    reads = np.bincount(place, weight, minlength=len(solutions))
    fraction = share / reads
    fraction.flags.writeable = False
    breaks = {"chain_breaks": float(share.sum() / reads.sum()), "chain_break_fraction": fraction}
    return replace(solutions, info={**solutions.info, **breaks})


def _reads(values: Any) -> npt.NDArray[np.int64]:
    """Return how often records occurred, or raise if these are no whole numbers."""
    given = files.numbers(values, "num_occurrences")
    if ((given < 0.0) | (given != np.floor(given))).any():
        raise ValueError("its num_occurrences must be whole numbers, and none negative")
    return given.astype(np.int64)


def _published(document: Mapping[str, Any]) -> Run:
    """Return the record of a file in the form of the paper's authors."""
    rows = document["record"]
    broken = [row[3] for row in rows if len(row) > 3]
    return Run(
        np.array([row[0] for row in rows]) > 0,
        np.array([row[1] for row in rows], np.float64),
        _reads([row[2] for row in rows]),
        files.numbers(broken, "chain_break_fraction") if len(broken) == len(rows) else None,
        document.get("info", {}),
    )


def _serialised(document: Mapping[str, Any]) -> Run:
    """Return the record of a sample set that dimod wrote."""
    if document["sample_data"].get("use_bytes"):
        raise ValueError("its arrays are bytes; write it with sampleset.to_serializable(), without use_bytes")
    data, labels = np.array(document["sample_data"]["data"]), document["variable_labels"]
    rows, bits = document["num_rows"], document["num_variables"]
    if sorted(labels) != list(range(bits)):
        raise ValueError(f"its variables must be the integers from 0 to {bits - 1}, got {labels[:6]}")
    if document["sample_packed"]:
        # Words of 32 bits, the first variable in the lowest bit of the first one.
        words = np.ascontiguousarray(data.reshape(rows, -1), "<u4").view(np.uint8)
        data = np.unpackbits(words, axis=1, bitorder="little", count=bits)
    x = np.empty((rows, bits), np.bool_)
    # Unpacked spins are -1 and 1; dimod's spin 1 is bit 1.
    x[:, labels] = data.reshape(rows, bits) > 0
    vectors = {name: np.array(vector["data"]) for name, vector in document["vectors"].items()}
    reads = _reads(vectors.get("num_occurrences", np.ones(rows)))
    broken = vectors.get("chain_break_fraction")
    if broken is not None:
        broken = files.numbers(broken, "chain_break_fraction")
    return Run(x, vectors["energy"], reads, broken, document.get("info", {}))


def replayed(qubo: QUBO, stored: Solutions, bound: float = -np.inf) -> Solutions:
    """Return stored solutions with their energies computed anew."""
    solutions = Solutions.of(qubo, stored.x, count=stored.count, bound=bound, info=stored.info)
    broken = stored.info.get("chain_break_fraction")
    return solutions if broken is None else with_chain_breaks(solutions, stored.x, broken, stored.count)


def read_run(path: PathLike, qubo: QUBO) -> Solutions:
    """Return the solutions of one file, which must be of this QUBO.

    Its name stands in ``info["source"]``, beside what the file says of timing and the like.
    """
    document = files.read(path)
    form = (
        _serialised if document.get("type") == "SampleSet" else _published if "record" in document else None
    )
    if form is None:
        stored = Solutions.load(path, qubo=qubo)
        solutions = replayed(qubo, stored, stored.bound)
    else:
        try:
            run = form(document)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ValueError(
                f"{path} cannot be read as solutions: {type(error).__name__}: {error}."
            ) from error
        files.check_belongs(qubo, run.x, run.energy, str(path))
        solutions = run.solutions(qubo)
    return replace(solutions, info={**solutions.info, "source": Path(path).name})


def read_runs(where: PathLike, qubo: QUBO) -> list[Solutions]:
    """Return the solutions of each file of a folder or a pattern, run 2 before run 10.

    Parameters
    ----------
    where : path
        A folder, of which every ``.json`` is read, or a pattern such as ``"results/qubo_waveform_*.json"``.
    qubo : QUBO
        What all of them must be solutions of.
    """
    pattern = Path(where) / "*.json" if Path(where).is_dir() else Path(where)
    names = glob.glob(str(pattern))
    if not names:
        raise FileNotFoundError(
            f"where must be a folder or a pattern that finds files, and {pattern} finds none."
        )
    return [read_run(name, qubo) for name in sorted(names, key=_natural)]


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def merged(qubo: QUBO, runs: Sequence[Solutions]) -> Solutions:
    """Return the solutions of several runs as those of one, with the info of each in ``info["runs"]``."""
    x = np.concatenate([run.x for run in runs])
    count = np.concatenate([run.count for run in runs])
    info = {"runs": [dict(run.info) for run in runs]}
    solutions = Solutions.of(qubo, x, count=count, bound=max(run.bound for run in runs), info=info)
    name = "chain_break_fraction"
    if not all(name in run.info for run in runs):
        return solutions
    return with_chain_breaks(solutions, x, np.concatenate([run.info[name] for run in runs]), count)


@dataclass(frozen=True)
class Recorded:
    """Replays stored solutions of the QUBO it is asked about, and refuses those of another.

    Parameters
    ----------
    source : path, sequence of paths, or Solutions
        Files in any of the three forms, several of them taken together; or the solutions themselves, of which only the
        energies are compared and no bound is kept.

    Examples
    --------
    >>> qubo = QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]])
    >>> Recorded(Solutions.of(qubo, [[0, 1], [1, 1]]))(qubo)
    Solutions(2 of 2 bits, best energy -1, no bound)
    """

    source: PathLike | Solutions | Sequence[PathLike]
    # It knows one QUBO only.
    calls: ClassVar[int] = 1

    def __post_init__(self) -> None:
        source = self.source
        if isinstance(source, str | os.PathLike | Solutions):
            return
        if not isinstance(source, Sequence) or not all(
            isinstance(each, str | os.PathLike) for each in source
        ):
            raise TypeError(f"source must be a path, several paths, or Solutions, got {source!r}.")
        if not source:
            raise ValueError("source must be at least one path, got none.")
        object.__setattr__(self, "source", tuple(source))

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return the stored solutions; energies are computed anew."""
        if isinstance(self.source, Solutions):
            stored = self.source
            files.check_belongs(qubo, stored.x, stored.energy, repr(stored))
            return replayed(qubo, stored)
        if isinstance(self.source, str | os.PathLike):
            return read_run(self.source, qubo)
        return merged(qubo, [read_run(path, qubo) for path in self.source])
