"""The tables of a report that need no script, as rows of escaped HTML.

Names of features are data: each is escaped here and nowhere else, and isolated, so that a name that is written from
right to left does not reverse its neighbours.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

import numpy as np

from ..explain.reasons import Reason
from ..qubo import percent
from ..search.path import Segment
from .comparison import GREEDY, OURS, Comparison
from .contents import Contents, change, feature_sums
from .words import MINUS, alpha_text, column_texts, count_text, gap_text, number_text

METHODS = {OURS: "quboselect", GREEDY: "greedy, the same objective", "top": "most important"}
# More names than this in one cell are counted instead.
MOST_NAMES = 6
# Features whose reasons are told.
MOST_REASONS = 30
# More chips than this are counted instead.
MOST_CHIPS = 40
# Longer names are cut where they stand in a sentence, and longer texts of settings.
LONGEST_WORD = 60
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


def word_html(name: str) -> str:
    """Return a name as HTML that may stand in a sentence; a long one is cut, and whole under the pointer.

    Examples
    --------
    >>> word_html("a<b")
    '<bdi class="word" title="a&lt;b">a&lt;b</bdi>'
    """
    whole = visible_text(name)
    shown = whole if len(whole) <= LONGEST_WORD else f"{whole[:LONGEST_WORD]}\N{HORIZONTAL ELLIPSIS}"
    return (
        f'<bdi class="word" title="{escape(whole)}">{escape(shown)}</bdi>'
        if name.strip()
        else name_html(name)
    )


def text_html(text: str) -> str:
    """Return a text of somebody else as HTML, whole and isolated.

    Examples
    --------
    >>> text_html("a < b")
    '<bdi>a &lt; b</bdi>'
    """
    return f"<bdi>{escape(visible_text(text))}</bdi>"


def chips_html(names: Sequence[str], label: str) -> str:
    """Return names as a list of chips, the first of many.

    Examples
    --------
    >>> chips_html(["a"], "These")
    '<ul class="picked" aria-label="These"><li class="chip"><bdi class="name" title="a">a</bdi></li></ul>'
    """
    shown = names[:MOST_CHIPS] if len(names) > MOST_CHIPS + 1 else names
    each = "".join(f'<li class="chip">{name_html(name)}</li>' for name in shown)
    more = f'<li class="more">and {len(names) - len(shown)} more</li>' if len(shown) < len(names) else ""
    return f'<ul class="picked" aria-label="{escape(label)}">{each}{more}</ul>' if names else ""


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
    repeated, gained = feature_sums(contents.tradeoff, place.x, contents.result.alpha)
    order = np.argsort(-importance[place.x], kind="stable")
    features = place.features[order]
    columns = map(column_texts, (importance[features], repeated[order], gained[order]))
    names = (name_html(contents.labels[i]) for i in features)
    return "".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for name, *cells in zip(names, *columns, strict=True)
    )


def reason_rows(contents: Contents, unit: str) -> str:
    """Return why features were selected or left out, a sentence each, the first rank first."""
    told = [each for each in contents.result.explain(unit=unit).ranked if not np.isnan(each.importance)]
    rows = (
        f'<tr{" class=is-in" if each.selected else ""}><td>{each.rank}</td><th scope="row">{name_html(each.name)}</th>'
        f'<td class="why"><bdi>{escape(visible_text(reason_text(each)))}</bdi></td></tr>'
        for each in told[:MOST_REASONS]
    )
    return "".join(rows)


def reason_text(reason: Reason) -> str:
    """Return a reason without the name that stands before it."""
    text = str(reason).removeprefix(f"{reason.name} ")
    return text[:1].upper() + text[1:]


def segment_rows(contents: Contents, places: Sequence[Segment]) -> str:
    """Return the rows of a path: window, size, sums, what is proven, what enters and leaves."""
    rows, labels, alpha = [], contents.labels, contents.result.alpha
    chosen = contents.own[contents.here] if places is contents.own else contents.selection
    importance = column_texts(place.importance for place in places)
    redundancy = column_texts(place.redundancy for place in places)
    for i, place in enumerate(places):
        entered, left = change(places, i)
        names = change_html(entered, labels, "entered") + change_html(left, labels, "left")
        own = place is chosen
        to = alpha if own and place.start <= alpha <= place.stop else 0.5 * (place.start + place.stop)
        window = alpha_text(place.start, place.stop)
        mark = ' <span class="quiet">selected</span>' if own else ""
        rows.append(
            f'<tr data-k="{contents.units(place.x)}" data-alpha="{to!r}" data-start="{place.start!r}" '
            f'data-stop="{place.stop!r}"><th scope="row"><button type="button" class="go">{window}</button>{mark}</th>'
            f"<td>{place.size}</td><td>{importance[i]}</td><td>{redundancy[i]}</td>"
            f'<td>{proof_html(place)}</td><td class="change">{names}</td></tr>'
        )
    return "".join(rows)


def proof_html(place: Segment) -> str:
    """Return what is proven of a place."""
    if place.proven:
        return '<span class="proven">proven</span>'
    return f'<span class="open">gap {gap_text(place.gap)}</span>'


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
    names = {row.name for row in comparison.rows}
    known = [word for word, name in (("mRMR", "mRMR difference"), ("QPFS", "QPFS")) if name in names]
    were = f"{' and '.join(known)} {'were' if len(known) > 1 else 'was'} made to minimise something else"
    else_ = f" {were}, so importance and redundancy are shown too." if known else ""
    left = f" {escape(comparison.left_text)}" if comparison.left_out else ""
    heads = ("importance", "redundancy", "per pair", "objective", "beside ours", "shared")
    return (
        f'<p class="hint">Ours has {count_text(k)}. All are measured at alpha {alpha_text(comparison.alpha)}, where a '
        f"lower objective is better.{else_}{left}{kept}</p>"
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
