"""The tables of a report that need no script. Places and comparisons flow in; rows of escaped HTML flow out.

Names of features are data: each is escaped here and nowhere else, and isolated, so that one that is written from right
to left does not turn its neighbours round.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

import numpy as np

from ..search.path import Segment
from ..solutions import percent
from ..tradeoff import Tradeoff
from .comparison import OURS, Comparison
from .contents import Places, sums
from .words import MINUS, aligned, alpha_text, features_text, gap_text, number

METHODS = {OURS: "quboselect", "top": "most important"}
# More names than this in one cell are counted instead.
MOST_NAMES = 6
# What is longer than this as text is no setting that anybody reads.
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
    shown = escape(visible(name))
    return f'<bdi class="name" title="{shown}">{shown}</bdi>'


def visible(text: str) -> str:
    r"""Return a text in which characters that are not seen, or that turn their neighbours round, are.

    Examples
    --------
    >>> visible("a\N{RIGHT-TO-LEFT OVERRIDE}b"), visible("a\tb") == "a\N{SYMBOL FOR HORIZONTAL TABULATION}b"
    ('a[U+202E]b', True)
    """
    return UNSEEN.sub(_mark, text)


def _mark(found: re.Match[str]) -> str:
    point = ord(found[0])
    return chr(0x2400 + point) if point < 32 else f"[U+{point:04X}]"


def selection_rows(known: Places, tradeoff: Tradeoff, names: Sequence[str]) -> str:
    """Return the rows of the chosen features, the most important first; a page without JavaScript shows these."""
    if known.here is None:
        return ""
    place = known.segments[known.here]
    alpha = 0.5 * (place.start + place.stop) if known.alpha is None else known.alpha
    repeated, earned = sums(tradeoff, place.x, alpha)
    order = np.argsort(-tradeoff.importance[place.x], kind="stable")
    features = place.features[order]
    columns = (aligned(values) for values in (tradeoff.importance[features], repeated[order], earned[order]))
    return "".join(
        f'<tr><th scope="row">{name_html(names[i])}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for i, *cells in zip(features, *columns, strict=True)
    )


def segment_rows(known: Places, names: Sequence[str]) -> str:
    """Return the rows of the path: window, size, sums, what is proven, what enters and leaves."""
    rows = []
    importance = aligned(segment.importance for segment in known.segments)
    redundancy = aligned(segment.redundancy for segment in known.segments)
    for i, segment in enumerate(known.segments):
        entered, left = known.change(i)
        change = _some(entered, names, "entered") + _some(left, names, "left")
        window = alpha_text(segment.start, segment.stop)
        rows.append(
            f'<tr data-place="{i}"><th scope="row"><button type="button" class="go">{window}</button></th>'
            f"<td>{segment.size}</td><td>{importance[i]}</td><td>{redundancy[i]}</td>"
            f'<td>{_proof(segment, known.extra and i == known.here)}</td><td class="change">{change}</td></tr>'
        )
    return "".join(rows)


def _proof(segment: Segment, extra: bool) -> str:
    off = "of its size, " if extra else ""
    if segment.proven:
        return f'<span class="proven">{off}proven</span>'
    return f'<span class="open">{off}gap {gap_text(segment.gap)}</span>'


def _some(which: Iterable[int], names: Sequence[str], kind: str) -> str:
    """Return the first of the names that entered or left, each with its sign, and how many more there are."""
    sign, said = ("+", "in") if kind == "entered" else (MINUS, "out")
    chosen = list(which)
    shown = chosen[:MOST_NAMES] if len(chosen) > MOST_NAMES + 1 else chosen
    marks = f'<span aria-hidden="true">{sign}</span><span class="said">{said}</span> '
    each = "".join(f'<span class="{kind}">{marks}{name_html(names[i])}</span> ' for i in shown)
    more = len(chosen) - len(shown)
    return each + (f'<span class="{kind}">{marks}{more} more</span> ' if more else "")


def compared_html(compared: Comparison | None, wishes: str) -> str:
    """Return the baselines beside our subset, or why there are none."""
    if compared is None:
        return '<p class="hint">No baselines were run for this report.</p>'
    k = int(compared.ours.x.sum())
    kept = f" All keep to the wishes ({escape(wishes)})." if wishes else ""
    rows = []
    values = ((row.importance, row.redundancy, row.mean_redundancy, row.objective) for row in compared.rows)
    cells = zip(*map(aligned, zip(*values, strict=True)), strict=True)
    for row, numbers in zip(compared.rows, cells, strict=True):
        ours = row.name == OURS
        share = abs(row.worse_by_relative)
        size = percent(share) if share < np.inf else number(abs(row.worse_by))
        worse = "equal" if not row.worse_by else f"{size} worse" if row.worse_by > 0.0 else f"{size} better"
        rows.append(
            f'<tr{" class=ours" if ours else ""}><th scope="row">{escape(METHODS.get(row.name, row.name))}</th>'
            f"{''.join(f'<td>{cell}</td>' for cell in numbers)}<td>{'' if ours else worse}</td>"
            f"<td>{'' if ours else f'{row.shared} of {k}'}</td></tr>"
        )
    heads = ("importance", "redundancy", "per pair", "objective", "beside ours", "shared")
    return (
        f'<p class="hint">Each with {features_text(k)}, all measured at alpha {alpha_text(compared.alpha)}, where a '
        f"lower objective is better. mRMR and QPFS were made to minimise something else, and so importance and "
        f"redundancy stand beside it.{kept}</p>"
        f'<div class="wide" role="region" aria-labelledby="h-baselines" tabindex="0"><table class="numbers"><thead><tr>'
        f'<th scope="col">method</th>{"".join(f"<th scope=col>{head}</th>" for head in heads)}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def also_rows(also: Mapping[str, str]) -> str:
    """Return what else it takes to make a report again as rows, whole, as half a command is none."""
    return "".join(
        f'<tr><th scope="row">{escape(visible(str(name)))}</th><td><code>{escape(visible(str(text)))}</code></td></tr>'
        for name, text in also.items()
    )


def settings_rows(settings: Mapping[str, object]) -> str:
    """Return settings as rows, long ones cut."""
    rows = []
    for name, value in settings.items():
        shown = value if isinstance(value, str) else repr(value)
        shown = shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}\N{HORIZONTAL ELLIPSIS}"
        rows.append(f'<tr><th scope="row">{escape(str(name))}</th><td><code>{escape(shown)}</code></td></tr>')
    return "".join(rows)
