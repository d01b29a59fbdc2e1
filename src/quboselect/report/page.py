"""The report: one HTML file for a browser, with what was selected and why.

It holds its style, its scripts and its numbers, and nothing of the table but names. Its policy forbids the network and
every script but its own.
"""

import errno
import json
import os
import platform
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from ..protocols import Solver
from ..result import Result
from ..tables.files import is_special_file, whole_file
from . import bars, head, tables, words
from .code import meant_settings
from .contents import Contents, document
from .exploration import contents_of
from .facts import Score, TableProfile, facts_of

TITLE = "Feature selection by quboselect"
# They share one scope: each knows the names of those before it.
SCRIPTS = ("values.js", "state.js", "chart.js", "features.js", "map.js", "begin.js")
VERSIONS = ("quboselect", "numpy", "scipy", "scikit-learn")


def write_report(
    file: str | os.PathLike[str],
    result: Result,
    *,
    most: int | None = None,
    solver: Solver | None = None,
    title: str = TITLE,
    also: Mapping[str, str] | None = None,
    settings: Mapping[str, object] | None = None,
    code: str = "",
    unit: str = "",
    target: str = "",
    stability: Any = None,
    score: Score | None = None,
    notes: Sequence[str] = (),
    profile: TableProfile | None = None,
) -> None:
    """Write what was selected and why as one HTML file, whole or not at all.

    Parameters
    ----------
    file : path
        Its folder must exist. A file of that name is replaced and its mode kept; a pipe or device is written to.
    result : Result
    most : int, optional
        The largest number of features, or groups, to explore; by default 2k, and at least 20.
    solver : Solver, optional
        What to explore with.
    title : str
    also : mapping of str to str, optional
        What else it takes to make it again, as text: the table, the command.
    settings : mapping, optional
        Names and values of the parameters.
    code : str, optional
        Python that makes it again.
    unit : str, optional
        Of importance and redundancy, such as bits.
    target : str, optional
        The name of what the features are to tell.
    stability : Stability or Frequencies, optional
        How often each feature was selected from resamples: what `quboselect.stability` returns.
    score : Score, optional
        What a model makes of the selected features: what `report.model_score` returns.
    notes : sequence of str
        Warnings, shown near the head as text.
    profile : TableProfile, optional
        What the columns hold, as counts: what `report.table_profile` returns.

    Examples
    --------
    >>> import tempfile
    >>> from quboselect import Tradeoff
    >>> from quboselect import best_subset
    >>> result = best_subset(Tradeoff([2.0, 1.0], [[0, 1], [1, 0]]), k=1, names=["age", "<script>"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(f"{folder}/report.html", result)
    ...     text = Path(folder, "report.html").read_text(encoding="utf-8")
    >>> "1 of 2 features selected" in text, "&lt;script&gt;" in text, "<script>age" in text
    (True, True, False)
    """
    place = check_place(file)
    given: dict[str, Any] = {"stability": stability, "score": score, "notes": notes, "profile": profile}
    facts = facts_of(result.tradeoff.size, target=target, also=also, **given)
    contents = replace(contents_of(result, most=most, solver=solver), facts=facts)
    page = page_html(contents, title=title, also=also or {}, settings=settings or {}, code=code, unit=unit)
    try:
        with whole_file(place) as part:
            # Half of a surrogate pair, which a broken name may hold, has no bytes of its own.
            part.write_bytes(page.encode("utf-8", errors="replace"))
    except OSError as error:
        reason = f"the report could not be written to {os.fspath(place)!r}: {error.strerror or error}"
        raise type(error)(error.errno, reason) from error


def page_html(
    contents: Contents,
    *,
    title: str,
    also: Mapping[str, str],
    settings: Mapping[str, object],
    code: str,
    unit: str,
) -> str:
    """Return the page as text."""
    data = document(contents) | {"unit": unit}
    shown, in_map, excluded = len(data["names"]), len(data["map"]["order"]), len(data["excluded"])
    style, script = (
        _asset("style.css"),
        '"use strict";\n(() => {\n' + "\n".join(map(_asset, SCRIPTS)) + "})();\n",
    )
    core = contents.result.core
    proof = {} if core is None else {"what was proven": core.text}
    return Template(_asset("template.html")).substitute(
        policy=policy(style, script),
        version=version("quboselect"),
        title=escape(tables.visible_text(title)),
        headline=head.headline(contents),
        source=head.source(contents),
        chips=head.chips(contents),
        lead=head.lead(contents),
        proof=head.proof_line(contents),
        tiles=head.tiles(contents),
        notes=head.notes_box(contents),
        bars=bars.bars_html(contents),
        bars_hint=bars.bars_hint(contents),
        bars_note=bars.bars_note(contents),
        reasons=tables.reason_rows(contents, unit),
        verdict=words.verdict(contents),
        state="open" if words.selection_gap(contents)[0] else "proven",
        figures=words.figure_list(contents, unit),
        explored=words.sizes_text(contents),
        selection=f"{words.count_text(contents.selection.size)}, as selected",
        selected=tables.selection_rows(contents),
        costs=f" {words.MINUS} (1 {words.MINUS} alpha) · its cost" if contents.tradeoff.cost.any() else "",
        table_note=words.table_note(shown, contents.total),
        map_note=words.map_note(in_map, shown, contents.total, excluded),
        of_size=words.units_text(contents, contents.result.k),
        units=data["units"],
        proofs=words.proof_summary(contents),
        own=tables.segment_rows(contents, contents.own),
        whole_proofs=words.whole_summary(contents),
        whole="" if contents.segments else "hidden",
        segments=tables.segment_rows(contents, contents.segments),
        comparison=tables.comparison_html(contents.comparison),
        code=f'<pre tabindex="0"><code>{escape(code)}</code></pre>' if code else "",
        settings=tables.also_rows(also) + tables.settings_rows({**meant_settings(settings), **proof}),
        versions=f"Made with {', '.join(f'{name} {number}' for name, number in versions().items())}.",
        data=json_text(data),
        style=style,
        script=script,
    )


def versions() -> dict[str, str]:
    """Return the versions of what made a report."""
    return {**{name: version(name) for name in VERSIONS}, "Python": platform.python_version()}


def json_text(document: Mapping[str, Any]) -> str:
    r"""Return a document as JSON that cannot end the script element it stands in.

    Examples
    --------
    >>> json_text({"name": "</script><!--"})
    '{"name":"\\u003c/script\\u003e\\u003c!--"}'
    """
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    # In JSON these stand in strings only.
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def policy(style: str, script: str) -> str:
    """Return what the page may do: run this script, use this style, and nothing else; no network at all."""
    own = [b64encode(sha256(text.encode()).digest()).decode() for text in (style, script)]
    return (
        f"default-src 'none'; style-src 'sha256-{own[0]}'; script-src 'sha256-{own[1]}'; img-src data:; "
        f"base-uri 'none'; form-action 'none'"
    )


def check_place(file: str | os.PathLike[str]) -> Path:
    """Return where a file will stand, or raise where it cannot."""
    if is_special_file(file):
        # The name of an open pipe is a link to something that is the name of no file.
        return Path(file)
    place = Path(file).resolve()
    if not place.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT,
            f"the folder of the report must exist: make it, or write elsewhere; got {os.fspath(file)!r}",
        )
    if place.is_dir():
        raise IsADirectoryError(
            errno.EISDIR,
            f"a report is a file, but {os.fspath(file)!r} is a folder: add a name such as report.html",
        )
    return place


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
