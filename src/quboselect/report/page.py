"""The report: one HTML file that people open. A tradeoff, a path and the chosen subset flow in, a file flows out.

It holds its style, its script and its numbers, and nothing of the table but names. Its policy forbids the network and
every script but its own. `SelectQUBO.report` stands on it.
"""

import errno
import json
import os
import platform
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path as FilePath
from string import Template
from typing import Any

import numpy as np
import numpy.typing as npt

from ..search.choice import Chosen
from ..search.path import Path
from ..tables.files import is_device, whole
from ..tradeoff import Tradeoff
from . import contents, tables, words
from .comparison import Comparison

TITLE = "Feature selection by quboselect"
# One scope: what a script names, those after it know.
SCRIPTS = ("values.js", "state.js", "chart.js", "features.js", "map.js", "begin.js")
VERSIONS = ("quboselect", "numpy", "scipy", "scikit-learn")


def write_report(
    file: str | os.PathLike[str],
    tradeoff: Tradeoff,
    path: Path,
    *,
    names: Sequence[str] | None = None,
    chosen: Chosen | None = None,
    settings: Mapping[str, object] | None = None,
    compared: Comparison | None = None,
    title: str = TITLE,
    unit: str = "",
    window: tuple[float, float] = (0.0, 1.0),
    wishes: str = "",
    code: str = "",
    also: Mapping[str, str] | None = None,
    numbers: npt.ArrayLike | None = None,
    total: int | None = None,
    excluded: npt.ArrayLike | None = None,
) -> None:
    """Write a path, what was chosen of it and why, as one HTML file, whole or not at all.

    Parameters
    ----------
    file : path
        Its folder must exist. A file of that name is replaced and its mode kept; a pipe or device is written to.
    tradeoff : Tradeoff
    path : Path
        Of this tradeoff.
    names : sequence of str, optional
        Of the features; by default x0, x1 and so on, as in scikit-learn.
    chosen : Chosen, optional
        The subset that was selected, on the path or off it.
    settings : mapping, optional
        What it takes to make it again: names and values.
    compared : Comparison, optional
        Our subset beside those of the baselines.
    title : str
    unit : str, optional
        Of importance and redundancy, such as bits.
    window : two floats
        From where to where in alpha the path was explored; what lies outside is not shown.
    wishes : str, optional
        What subsets had to fulfil, in words: proofs are among those that do.
    code : str, optional
        Python that makes it again.
    also : mapping of str to str, optional
        What else it takes to make it again, as text: the table, the command.
    numbers : int array of shape (n,), optional
        The number of each feature in the table, where the tradeoff holds only some of them; then ``total`` says
        how many the table has.
    total : int, optional
    excluded : bool array of shape (n,), optional
        Features that nobody wanted: no number of theirs is shown, nor counted.

    Examples
    --------
    >>> import tempfile
    >>> from quboselect import alpha_path
    >>> tradeoff = Tradeoff([2.0, 1.0], [[0.0, 1.0], [1.0, 0.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(f"{folder}/report.html", tradeoff, alpha_path(tradeoff), names=["age", "<script>"])
    ...     text = FilePath(folder, "report.html").read_text(encoding="utf-8")
    >>> "&lt;script&gt;" in text, "<script>age" in text
    (True, False)
    """
    target = check_target(file)
    if path[0].x.size != tradeoff.size:
        raise ValueError(f"path is of {path[0].x.size} features, but the tradeoff has {tradeoff.size}.")
    labels = _names(names, tradeoff.size)
    places = np.arange(tradeoff.size) if numbers is None else np.asarray(numbers, np.intp)
    out = np.zeros(tradeoff.size, np.bool_) if excluded is None else np.asarray(excluded, np.bool_)
    known = contents.places(path, tradeoff, chosen, window)
    n = tradeoff.size if total is None else total
    data = contents.document(tradeoff, known, labels, places, out) | {"unit": unit, "total": n}
    style, template = _part("style.css"), _part("template.html")
    script = '"use strict";\n(() => {\n' + "\n".join(map(_part, SCRIPTS)) + "})();\n"
    here = None if known.here is None else known.segments[known.here]
    is_proven = all(s.proven for s in known.on_path) if here is None else not words.gap_of(here, chosen)[0]
    page = Template(template).substitute(
        policy=policy(style, script),
        version=version("quboselect"),
        title=escape(title),
        lead=words.lead(known, n),
        verdict=words.verdict(known, chosen, wishes),
        state="proven" if is_proven else "open",
        figures=words.figures(known, tradeoff, chosen, unit, n, out),
        explored=words.explored(known, path),
        selection="" if here is None else f"{words.features_text(here.size)}, as selected",
        selected=tables.selection_rows(known, tradeoff, labels),
        costs=f", and (1 {words.MINUS} alpha) · its cost" if tradeoff.cost.any() else "",
        listed=words.listed(len(data["names"]), n),
        mapped=words.mapped(len(data["map"]["order"]), len(data["names"]), n, len(data["excluded"])),
        proofs=words.proofs(known),
        segments=tables.segment_rows(known, labels),
        compared=tables.compared_html(compared, wishes),
        code=f'<pre tabindex="0"><code>{escape(code)}</code></pre>' if code else "",
        settings=tables.also_rows(also or {}) + tables.settings_rows(settings or {}),
        versions=f"Made with {', '.join(f'{name} {number}' for name, number in versions().items())}.",
        data=as_data(data),
        style=style,
        script=script,
    )
    with replaced(target) as part:
        # Half of a surrogate pair, which a broken name may hold, has no bytes of its own.
        part.write_bytes(page.encode("utf-8", errors="replace"))


def versions() -> dict[str, str]:
    """Return the versions of what made a report."""
    return {**{name: version(name) for name in VERSIONS}, "Python": platform.python_version()}


def as_data(document: Mapping[str, Any]) -> str:
    r"""Return a document as JSON that cannot end the script element it stands in.

    Examples
    --------
    >>> as_data({"name": "</script><!--"})
    '{"name":"\\u003c/script\\u003e\\u003c!--"}'
    """
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    # In JSON these stand in strings only.
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def policy(style: str, script: str) -> str:
    """Return what the page may do: run this script, wear this style, and nothing else; no network at all."""
    own = [b64encode(sha256(text.encode()).digest()).decode() for text in (style, script)]
    return (
        f"default-src 'none'; style-src 'sha256-{own[0]}'; script-src 'sha256-{own[1]}'; img-src data:; "
        f"base-uri 'none'; form-action 'none'"
    )


def check_target(file: str | os.PathLike[str]) -> FilePath:
    """Return where a file will stand, or say in words why it cannot."""
    if is_device(file):
        # What an open pipe's name is a link to is the name of no file.
        return FilePath(file)
    target = FilePath(file).resolve()
    if not target.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT,
            f"the folder of the report must exist: make it, or write elsewhere; got {os.fspath(file)!r}",
        )
    if target.is_dir():
        raise IsADirectoryError(
            errno.EISDIR,
            f"a report is a file, but {os.fspath(file)!r} is a folder: add a name such as report.html",
        )
    return target


@contextmanager
def replaced(file: str | os.PathLike[str], what: str = "the report") -> Iterator[FilePath]:
    """Give a place to write to as `files.whole` does, and say in words what could not be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replaced(f"{folder}/a.txt") as part:
    ...         _ = part.write_text("all of it")
    ...     FilePath(folder, "a.txt").read_text(), [file.name for file in FilePath(folder).iterdir()]
    ('all of it', ['a.txt'])
    """
    try:
        with whole(file) as part:
            yield part
    except OSError as error:
        words_ = f"{what} could not be written to {os.fspath(file)!r}: {error.strerror or error}"
        raise type(error)(error.errno, words_) from error


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _names(names: Sequence[str] | None, n: int) -> list[str]:
    if names is None:
        return [f"x{i}" for i in range(n)]
    labels = [str(name) for name in names]
    if isinstance(names, str) or len(labels) != n:
        raise ValueError(f"names must be {n}, one for each feature, got {names!r}.")
    return labels
