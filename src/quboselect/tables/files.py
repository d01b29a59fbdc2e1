"""Files: what a QUBO's samples are written as, and what tells one QUBO from another.

A document of plain values flows in and a file flows out, whole or not at all; a file flows in and a document flows
out, or an error that says what it is instead. `Solutions.save` and `quantum.Recorded` stand on this, and whatever else
writes a file may take its place from `whole`.

A file of samples is JSON with one entry a line::

    format    "quboselect samples"
    version   1
    bits      n
    qubo      digest of the QUBO, or null where it was not told
    bound     a proven lower bound on the minimum, or null
    x         one string a sample: its bits, packed eight to a byte, first bit highest, as hexadecimal digits
    energy    one number a sample
    count     how often each was seen
    info      what else the solver said, as far as JSON can say it
    left_out  names of what it cannot
"""

import hashlib
import json
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..qubo import QUBO, Bits

FORMAT, VERSION = "quboselect samples", 1

# Others compute energies in another order, or print them with few digits; another QUBO is further off than this.
AGREEMENT = 1e-6


def digest(qubo: QUBO) -> str:
    """Return a name for a QUBO that no other has: SHA-256 of its size and of every coefficient, to the last bit.

    Examples
    --------
    >>> digest(QUBO([-1.0], [[0.0]]))[:12], digest(QUBO([-2.0], [[0.0]]))[:12]
    ('b74fce6cd8bc', '7886fe67ba44')
    """
    pairs = qubo.couplings[np.triu_indices(qubo.size, 1)]
    # Minus zero is zero.
    numbers = np.concatenate([[qubo.size], qubo.linear, pairs]) + 0.0
    return hashlib.sha256(numbers.astype("<f8").tobytes()).hexdigest()


def check_belongs(qubo: QUBO, x: Bits, energy: npt.ArrayLike | None, where: str) -> None:
    """Raise unless bits and the energies stored with them fit a QUBO."""
    if x.ndim != 2 or x.shape[1] != qubo.size:
        bits = x.shape[1] if x.ndim == 2 else "no rows of"
        raise ValueError(f"{where} holds samples of {bits} bits, but the QUBO has {qubo.size}.")
    if energy is None:
        return
    stored, true = np.asarray(energy, np.float64), np.asarray(qubo.energy(x))
    largest = max(np.abs(qubo.linear).max(initial=0.0), np.abs(qubo.couplings).max(initial=0.0))
    # Not "greater than", so that a stored energy that is no number is wrong too.
    wrong = ~(np.abs(stored - true) <= AGREEMENT * (largest + np.abs(true)))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(
            f"{where} belongs to another QUBO: {int(wrong.sum())} of {len(wrong)} stored energies are wrong; "
            f"sample {i} is stored with {stored[i]:.9g} and has {true[i]:.9g} here. "
            f"Check alpha, the order of the features and the measures."
        )


def check_digest(qubo: QUBO, stored: str | None, where: str) -> None:
    """Raise if a file names another QUBO than this."""
    if stored is not None and stored != (here := digest(qubo)):
        raise ValueError(
            f"{where} belongs to another QUBO: it names {stored[:12]}, this one is {here[:12]}. If only rounding "
            f"differs, quantum.Recorded(Solutions.load(path)) compares the energies alone."
        )


def packed(x: Bits) -> list[str]:
    """Return rows of bits as hexadecimal digits.

    Examples
    --------
    >>> packed(np.array([[True, False, True]]))
    ['a0']
    """
    return [row.tobytes().hex() for row in np.packbits(x, axis=1)]


def unpacked(rows: Sequence[str], bits: int) -> Bits:
    """Return hexadecimal digits as rows of bits.

    Examples
    --------
    >>> unpacked(["a0"], 3)
    array([[ True, False,  True]])
    """
    width = (bits + 7) // 8
    each = [bytes.fromhex(row) for row in rows]
    if any(len(row) != width for row in each):
        raise ValueError(f"{bits} bits take {2 * width} hexadecimal digits")
    numbers = np.frombuffer(b"".join(each), np.uint8).reshape(len(each), width)
    return np.unpackbits(numbers, axis=1, count=bits).astype(np.bool_)


def plain(value: Any) -> Any:
    """Return a value as JSON has it: arrays and tuples as lists, keys as strings; raise TypeError if it has none.

    Examples
    --------
    >>> plain({"embedding": {0: (7, 9)}, "timing": np.float64(2.5)})
    {'embedding': {'0': [7, 9]}, 'timing': 2.5}
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each) for each in value]
    if isinstance(value, float) and not np.isfinite(value):
        return repr(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"JSON has no form for {type(value).__name__}.")


def sayable(info: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return what JSON can say of some info, and the names of what it cannot: certificates, for one."""
    said, left_out = {}, []
    for name, value in info.items():
        try:
            said[str(name)] = plain(value)
        except TypeError:
            left_out.append(str(name))
    return said, left_out


def write(path: str | os.PathLike[str], document: Mapping[str, Any]) -> None:
    """Write a document as JSON: a file of that name is the old one or the new one, never half of either."""
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in document.items())
    with whole(path) as part:
        part.write_bytes(("{\n" + lines + "\n}\n").encode())


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


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return a JSON document, or say in words that a file is none."""
    try:
        document = json.loads(Path(path).read_bytes())
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} must be a JSON file: {error}.") from error
    if not isinstance(document, dict):
        raise ValueError(f"{path} must hold one JSON object, got a {type(document).__name__}.")
    return document


def check_format(document: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Raise unless a document is a file of samples of a version that can be read."""
    if document.get("format") != FORMAT:
        raise ValueError(
            f'{path} must be a file of samples, with "format": "{FORMAT}"; it holds {sorted(document)[:8]}. '
            f"Other people's samples are read by quantum.Recorded."
        )
    version = document.get("version")
    if version != VERSION:
        newer = isinstance(version, int) and version > VERSION
        raise ValueError(
            f"{path} has version {version!r} of the format, and this is version {VERSION}: it was written by "
            f"{'a newer quboselect' if newer else 'something else than quboselect'}."
        )


def check_content(document: Mapping[str, Any], tolerance: float) -> None:
    """Raise if what a file of samples holds cannot have been written by `Solutions.save`.

    Parameters
    ----------
    document : mapping
    tolerance : float
        Energies closer than this may stand in any order, as may those that rounding cannot tell apart.
    """
    energy = numbers(document["energy"], "energy")
    slack = max(tolerance, AGREEMENT * float(np.abs(energy).max(initial=0.0)))
    if (np.maximum.accumulate(energy) - energy > slack).any():
        raise ValueError("its samples must be sorted, the lowest energy first")
    bound = document["bound"]
    if bound is not None and float(bound) > energy.min() + slack:
        raise ValueError(f"its bound must not be above the lowest energy, {energy.min():g}, got {bound:g}")
    if not isinstance(document["qubo"], str | None):
        raise TypeError(f"its qubo must be a digest or null, got {document['qubo']!r}")
    broken = document["info"].get("chain_break_fraction")
    if broken is not None and numbers(broken, "chain_break_fraction").shape != energy.shape:
        raise ValueError("its chain_break_fraction must be one number for each sample")


def numbers(values: Any, name: str) -> npt.NDArray[np.float64]:
    """Return a list of numbers as an array, or raise if some are text, or not finite."""
    array = np.asarray(values)
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        raise ValueError(f"its {name} must be finite numbers")
    return array.astype(np.float64)
