"""The tables of a report that need no script, as rows of escaped HTML.

Names of features are data: each is escaped here and nowhere else, and isolated, so that a name that is written from
right to left does not reverse its neighbours.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

import numpy as np

from ..qubo import percent
from ..search.path import Segment
from .comparison import OURS, Comparison
from .contents import Contents, feature_sums
from .words import MINUS, alpha_text, column_texts, count_text, gap_text, number_text

METHODS = {OURS: "quboselect", "top": "most important"}
# More names than this in one cell are counted instead.
MOST_NAMES = 6
# Longer texts of settings are cut.
LONGEST = 400
# Controls, marks of direction, and spaces of no width; joiners are left, as letters and emoji are made with them.
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]")


def name_html(name: str) -> str:
    """Return a feature's name as HTML.

    Examples
    --------
    >>> name_html("<b>")
    '<bdi class="name" title="&lt;b&gt;">&lt;b&gt;</bdi>'
    """
    if not name.strip():
        return '<bdi class="name unnamed">no name</bdi>'
    shown = escape(visible_text(name))
    return f'<bdi class="name" title="{shown}">{shown}</bdi>'


def visible_text(text: str) -> str:
    r"""Return a text with visible marks for characters that cannot be seen or that reverse their neighbours.

    Examples
    --------
    >>> visible_text("a\N{RIGHT-TO-LEFT OVERRIDE}b"), visible_text("a\tb") == "a\N{SYMBOL FOR HORIZONTAL TABULATION}b"
    ('a[U+202E]b', True)
    """
    return UNSEEN.sub(_mark, text)


def _mark(found: re.Match[str]) -> str:
    point = ord(found[0])
    return chr(0x2400 + point) if point < 32 else f"[U+{point:04X}]"


def selection_rows(contents: Contents) -> str:
    """Return the rows of the selected features, the most important first; a page without JavaScript shows these."""
    place, importance = contents.selection, contents.tradeoff.importance
    alpha = 0.5 * (place.start + place.stop) if contents.alpha is None else contents.alpha
    repeated, added = feature_sums(contents.tradeoff, place.x, alpha)
    order = np.argsort(-importance[place.x], kind="stable")
    features = place.features[order]
    columns = map(column_texts, (importance[features], repeated[order], added[order]))
    names = (name_html(contents.labels[i]) for i in features)
    return "".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for name, *cells in zip(names, *columns, strict=True)
    )


def segment_rows(contents: Contents) -> str:
    """Return the rows of the path: window, size, sums, what is proven, what enters and leaves."""
    rows, labels = [], contents.labels
    importance = column_texts(place.importance for place in contents.places)
    redundancy = column_texts(place.redundancy for place in contents.places)
    for i, place in enumerate(contents.places):
        entered, left = contents.change(i)
        change = change_html(entered, labels, "entered") + change_html(left, labels, "left")
        proof = proof_html(place, contents.off_path and i == contents.here)
        window = alpha_text(place.start, place.stop)
        rows.append(
            f'<tr data-place="{i}"><th scope="row"><button type="button" class="go">{window}</button></th>'
            f"<td>{place.size}</td><td>{importance[i]}</td><td>{redundancy[i]}</td>"
            f'<td>{proof}</td><td class="change">{change}</td></tr>'
        )
    return "".join(rows)


def proof_html(place: Segment, off_path: bool) -> str:
    """Return what is proven of a place."""
    among = "of its size, " if off_path else ""
    if place.proven:
        return f'<span class="proven">{among}proven</span>'
    return f'<span class="open">{among}gap {gap_text(place.gap)}</span>'


def change_html(which: Iterable[int], names: Sequence[str], kind: str) -> str:
    """Return the first of the names that entered or left, each with its sign, and how many more there are."""
    sign, word = ("+", "in") if kind == "entered" else (MINUS, "out")
    chosen = list(which)
    shown = chosen[:MOST_NAMES] if len(chosen) > MOST_NAMES + 1 else chosen
    marks = f'<span aria-hidden="true">{sign}</span><span class="said">{word}</span> '
    each = "".join(f'<span class="{kind}">{marks}{name_html(names[i])}</span> ' for i in shown)
    more = len(chosen) - len(shown)
    return each + (f'<span class="{kind}">{marks}{more} more</span> ' if more else "")


def comparison_html(comparison: Comparison | None) -> str:
    """Return the baselines beside the selection, or that there are none."""
    if comparison is None:
        return '<p class="hint">No baselines were run for this report.</p>'
    k, constraints = int(comparison.ours.x.sum()), comparison.constraints
    kept = f" All keep to the constraints ({escape(constraints)})." if constraints else ""
    rows = []
    values = ((row.importance, row.redundancy, row.mean_redundancy, row.objective) for row in comparison.rows)
    cells = zip(*map(column_texts, zip(*values, strict=True)), strict=True)
    for row, numbers in zip(comparison.rows, cells, strict=True):
        ours = row.name == OURS
        share = abs(row.worse_by_relative)
        size = percent(share) if share < np.inf else number_text(abs(row.worse_by))
        worse = "equal" if not row.worse_by else f"{size} worse" if row.worse_by > 0.0 else f"{size} better"
        rows.append(
            f'<tr{" class=ours" if ours else ""}><th scope="row">{escape(METHODS.get(row.name, row.name))}</th>'
            f"{''.join(f'<td>{cell}</td>' for cell in numbers)}<td>{'' if ours else worse}</td>"
            f"<td>{'' if ours else f'{row.shared} of {k}'}</td></tr>"
        )
    heads = ("importance", "redundancy", "per pair", "objective", "beside ours", "shared")
    return (
        f'<p class="hint">Ours has {count_text(k)}. All are measured at alpha {alpha_text(comparison.alpha)}, where a '
        f"lower objective is better. mRMR and QPFS were made to minimise something else, so importance and "
        f"redundancy are shown too.{kept}</p>"
        f'<div class="wide" role="region" aria-labelledby="h-baselines" tabindex="0"><table class="numbers"><thead><tr>'
        f'<th scope="col">method</th>{"".join(f"<th scope=col>{head}</th>" for head in heads)}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def also_rows(also: Mapping[str, str]) -> str:
    """Return what else it takes to make a report again as rows, never cut, because half a command is none."""
    pairs = ((escape(visible_text(str(each))) for each in pair) for pair in also.items())
    return "".join(
        f'<tr><th scope="row">{name}</th><td><code>{text}</code></td></tr>' for name, text in pairs
    )


def settings_rows(settings: Mapping[str, object]) -> str:
    """Return settings as rows, long ones cut."""
    rows = []
    for name, value in settings.items():
        text = value if isinstance(value, str) else repr(value)
        text = text if len(text) <= LONGEST else f"{text[:LONGEST]}\N{HORIZONTAL ELLIPSIS}"
        rows.append(f'<tr><th scope="row">{escape(str(name))}</th><td><code>{escape(text)}</code></td></tr>')
    return "".join(rows)
