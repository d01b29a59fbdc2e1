"""QUBOs as files that other programs read. A QUBO with the names of its bits flows in, bytes flow out, and back.

========  ==========================================================================================
suffix    what it is
========  ==========================================================================================
.npz      NumPy arrays ``linear``, ``couplings``, ``names``, ``alpha``, ``offset``, ``included``
.json     ``{"format": "quboselect qubo", "version": 1, "linear": [...], "couplings": [[i, j, value], ...], ...}``
.bqm      dimod's binary quadratic model, its variables the names of the features
.qubo     plain text as qbsolv had it: ``p qubo 0 n n m``, then ``i i value`` and ``i j value``
========  ==========================================================================================

What a file is, its content says, not its name.
"""

import io
import json
import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import optional
from ..qubo import QUBO
from .failures import Failed, cut

FORMAT, VERSION = "quboselect qubo", 1


@dataclass(frozen=True)
class Problem:
    """A QUBO, the names of its bits, and where it came from.

    ``offset`` is the energy of the features that were included beforehand, to be added to every energy.
    """

    qubo: QUBO
    names: tuple[str, ...] | None = None
    alpha: float | None = None
    offset: float = 0.0
    included: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """What to call each bit."""
        return self.names or tuple(map(str, range(self.qubo.size)))


def written(problem: Problem, form: str) -> bytes:
    """Return a problem as the content of a file."""
    return {"npz": _npz, "json": _json, "bqm": _bqm, "qubo": _text}[form](problem)


def parsed(content: bytes, label: str) -> Problem:
    """Return the problem that is the content of a file, or say in words that there is none in it."""
    if not content.strip():
        raise Failed(f"{label} is empty: a QUBO was expected.")
    read = _from_text
    if content.startswith(b"PK"):
        read = _from_npz
    elif content.startswith(b"DIMODBQM"):
        read = _from_bqm
    elif content.lstrip().startswith(b"{"):
        read = _from_json
    try:
        return read(content)
    except (
        KeyError,
        IndexError,
        TypeError,
        ValueError,
        UnicodeDecodeError,
        OSError,
        zipfile.BadZipFile,
    ) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error).rstrip(".")
        raise Failed(
            f"{label} holds no QUBO that can be read ({reason}): an .npz, .json, .bqm or .qubo file was expected."
        ) from error


def _pairs(qubo: QUBO) -> tuple[Any, Any, Any]:
    i, j = np.nonzero(np.triu(qubo.couplings, 1))
    return i.tolist(), j.tolist(), qubo.couplings[i, j].tolist()


def _assembled(n: int, linear: Any, pairs: Any, **more: Any) -> Problem:
    """Return a problem from linear terms and triples (i, j, value), which add up where they repeat."""
    matrix = np.zeros((n, n))
    matrix[np.arange(n), np.arange(n)] = linear
    for i, j, value in pairs:
        if not (isinstance(i, int) and isinstance(j, int) and 0 <= i < n and 0 <= j < n) or i == j:
            raise ValueError(f"({i}, {j}) is no pair of bits from 0 to {n - 1}")
        matrix[i, j] += value
    names = more.pop("names", None)
    names = None if names is None else tuple(map(str, names))
    if names is not None and len(names) != n:
        raise ValueError(f"there are {len(names)} names of {n} bits")
    return Problem(QUBO.from_matrix(matrix), names, **more)


def _npz(problem: Problem) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(
        file,
        linear=problem.qubo.linear,
        couplings=problem.qubo.couplings,
        names=np.array(problem.labels, np.str_),
        alpha=np.array(np.nan if problem.alpha is None else problem.alpha),
        offset=np.array(problem.offset),
        included=np.array(problem.included, np.str_),
    )
    return file.getvalue()


def _from_npz(content: bytes) -> Problem:
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        alpha = float(arrays["alpha"]) if "alpha" in arrays else np.nan
        return Problem(
            QUBO(arrays["linear"], arrays["couplings"]),
            tuple(arrays["names"].tolist()) if "names" in arrays else None,
            None if np.isnan(alpha) else alpha,
            float(arrays["offset"]) if "offset" in arrays else 0.0,
            tuple(arrays["included"].tolist()) if "included" in arrays else (),
        )


def _json(problem: Problem) -> bytes:
    entries = {
        "format": FORMAT,
        "version": VERSION,
        "bits": problem.qubo.size,
        "alpha": problem.alpha,
        "offset": problem.offset,
        "names": list(problem.labels),
        "included": list(problem.included),
        "linear": problem.qubo.linear.tolist(),
        "couplings": [list(each) for each in zip(*_pairs(problem.qubo), strict=True)],
    }
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in entries.items())
    return ("{\n" + lines + "\n}\n").encode()


def _from_json(content: bytes) -> Problem:
    document = json.loads(content)
    if document.get("type") == "BinaryQuadraticModel":
        dimod = optional("dimod", "dwave", "a file of dimod's")
        return _of_model(dimod.BinaryQuadraticModel.from_serializable(document))
    if document.get("format") != FORMAT:
        raise ValueError(f'"format" must be "{FORMAT}", got {cut(repr(document.get("format")))}')
    if document["version"] != VERSION:
        raise ValueError(
            f"it is version {cut(repr(document['version']))} of the format, and this is version {VERSION}"
        )
    return _assembled(
        document["bits"],
        document["linear"],
        document["couplings"],
        names=document.get("names"),
        alpha=document.get("alpha"),
        offset=float(document.get("offset") or 0.0),
        included=tuple(document.get("included") or ()),
    )


def _bqm(problem: Problem) -> bytes:
    from ..quantum.dimod import quadratic_model

    optional("dimod", "dwave", "a .bqm file")
    model = quadratic_model(problem.qubo)
    model.offset = problem.offset
    model.relabel_variables(dict(enumerate(problem.labels)))
    with model.to_file() as file:
        content: bytes = file.read()
    return content


def _from_bqm(content: bytes) -> Problem:
    dimod = optional("dimod", "dwave", "a .bqm file")
    return _of_model(dimod.BinaryQuadraticModel.from_file(content))


def _of_model(model: Any) -> Problem:
    """Return the problem of dimod's model, over bits or over spins."""
    model = model.change_vartype("BINARY", inplace=False)
    at = {variable: i for i, variable in enumerate(model.variables)}
    pairs = [(at[u], at[v], float(bias)) for (u, v), bias in model.quadratic.items()]
    linear = [float(model.linear[variable]) for variable in model.variables]
    return _assembled(len(at), linear, pairs, names=list(at), offset=float(model.offset))


def _text(problem: Problem) -> bytes:
    n = problem.qubo.size
    i, j, values = _pairs(problem.qubo)
    lines = [
        f"c {FORMAT}, minimise the sum of value * x_i * x_j over bits x",
        *([] if problem.alpha is None else [f"c alpha {problem.alpha!r}"]),
        *([f"c offset {problem.offset!r}"] if problem.offset else []),
        *(f"c included {json.dumps(name)}" for name in problem.included),
        *(f"c name {at} {json.dumps(name)}" for at, name in enumerate(problem.labels)),
        f"p qubo 0 {n} {n} {len(values)}",
        *(f"{at} {at} {value!r}" for at, value in enumerate(problem.qubo.linear.tolist())),
        *(f"{a} {b} {value!r}" for a, b, value in zip(i, j, values, strict=True)),
    ]
    return ("\n".join(lines) + "\n").encode()


def _from_text(content: bytes) -> Problem:
    """Return the problem of the plain text format; comments of our own tell names, alpha and the offset."""
    n = -1
    told: dict[str, Any] = {"names": {}, "included": []}
    linear: Any = None
    pairs: list[tuple[int, int, float]] = []
    for number, line in enumerate(content.decode("utf-8").splitlines(), 1):
        fields = line.split()
        if not fields:
            continue
        try:
            if fields[0] == "c":
                _comment(fields, line, told)
            elif fields[0] == "p":
                if n >= 0 or fields[1] != "qubo":
                    raise ValueError("'p qubo 0 n n m' stands once")
                n = int(fields[3])
                linear = np.zeros(n)
            elif n < 0:
                raise ValueError("'p qubo 0 n n m' must come first")
            else:
                i, j, value = int(fields[0]), int(fields[1]), float(fields[2])
                if not (0 <= i < n and 0 <= j < n and np.isfinite(value)):
                    raise ValueError(f"bits are from 0 to {n - 1}, values finite")
                if i == j:
                    linear[i] += value
                else:
                    pairs.append((i, j, value))
        except (IndexError, ValueError) as error:
            raise ValueError(f"line {number} is {line.strip()[:40]!r}: {error}") from error
    if n < 0:
        raise ValueError("there is no line 'p qubo 0 n n m'")
    names = told.pop("names")
    every = [names.get(at, str(at)) for at in range(n)] if names else None
    return _assembled(n, linear, pairs, names=every, **{**told, "included": tuple(told["included"])})


def _comment(fields: list[str], line: str, told: dict[str, Any]) -> None:
    """Take what a comment of ours tells; those of others may say anything."""
    kind = fields[1] if len(fields) > 2 else ""
    try:
        if kind in ("alpha", "offset"):
            told[kind] = float(fields[2])
        elif kind == "included":
            told["included"].append(json.loads(line.split(None, 2)[2]))
        elif kind == "name":
            told["names"][int(fields[2])] = json.loads(line.split(None, 3)[3])
    except (ValueError, IndexError):
        return
