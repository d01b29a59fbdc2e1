"""The chart of importances: a table of bars that needs no script, the selected features marked.

Bars are drawn by SVG, whose widths are attributes: the policy of the page lets no style stand in an element.
"""

from collections.abc import Sequence
from html import escape

import numpy as np

from .contents import Contents, Indices
from .facts import FeatureProfile, Frequencies
from .tables import name_html, visible_text, word_html
from .words import column_texts, count_text

# Bars of so many features, and of all that are selected.
MOST_BARS = 30
# The size of a drawn distribution, in its own units.
WIDE, TALL = 72, 20


def bars_html(contents: Contents) -> str:
    """Return the importance of the features as bars, and what else is known of each beside it."""
    result, facts = contents.result, contents.facts
    importance, shown = result.tradeoff.importance, bars_shown(contents)
    labels, chosen, largest = result.labels, result.support, float(importance.max(initial=0.0))
    texts = column_texts(importance[shown])
    stability, profile = facts.stability, facts.profile
    heads = ["feature", "importance"]
    heads += ["chosen in resamples"] * (stability is not None) + ["missing", "values"] * (profile is not None)
    rows = []
    for i, text in zip(shown.tolist(), texts, strict=True):
        mark = ' <span class="mark">selected</span>' if chosen[i] else ""
        bar = bar_html(
            importance[i] / largest if largest > 0.0 else 0.0, "importance" if chosen[i] else "others"
        )
        cells = f'<td class="drawn"><div>{bar}<span>{text}</span></div></td>'
        cells += frequency_cell(stability, i) + (
            "" if profile is None else profile_cells(profile.features[i])
        )
        kind = ' class="is-in"' if chosen[i] else ""
        rows.append(f'<tr{kind}><th scope="row">{name_html(labels[i])}{mark}</th>{cells}</tr>')
    head = "".join(f'<th scope="col">{word}</th>' for word in heads)
    return (
        f'<table class="bars" id="bars"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    )


def bars_shown(contents: Contents) -> Indices:
    """Return the most important features of the table, and all that are selected, the most important first."""
    result = contents.result
    order = np.argsort(-result.tradeoff.importance, kind="stable")
    order = order[~result.constraints.excluded[order]]
    first = np.arange(order.size) < MOST_BARS
    shown: Indices = order[first | result.support[order]]
    return shown


def bars_note(contents: Contents) -> str:
    """Return how many features have no bar."""
    more = contents.total - int(contents.result.constraints.excluded.sum()) - bars_shown(contents).size
    return f'<p class="hint">And {more} more, of less importance.</p>' if more else ""


def bars_hint(contents: Contents) -> str:
    """Return how to read the bars."""
    facts = contents.facts
    target = word_html(facts.target) if facts.target else "the target"
    what = f"What each feature says about {target} on its own. Blue bars are selected."
    why = " A long bar that is not selected repeats what the selected say, or more were not asked for."
    resampled = ""
    if (found := facts.stability) is not None:
        count = count_text(found.resamples, "resample") if found.resamples else "resamples"
        resampled = f" Beside it stands in how many of {count} of the table the feature was chosen."
    return f"{what}{why}{resampled}"


def frequency_cell(stability: Frequencies | None, i: int) -> str:
    """Return how often a feature was selected from resamples."""
    if stability is None:
        return ""
    share = stability.frequency[i]
    return f'<td class="drawn short"><div>{bar_html(share, "often")}<span>{share:.0%}</span></div></td>'


def profile_cells(profile: FeatureProfile | None) -> str:
    """Return what a feature holds: the missing share, and its distribution."""
    if profile is None:
        return "<td></td><td></td>"
    missing = (
        "none" if not profile.missing else "under 1%" if profile.missing < 0.005 else f"{profile.missing:.0%}"
    )
    quiet = "" if profile.missing else ' class="quiet"'
    return f"<td{quiet}>{missing}</td><td>{distribution_html(profile)}</td>"


def bar_html(share: float, kind: str) -> str:
    """Return a bar of a share of its room.

    Examples
    --------
    >>> bar_html(0.25, "others")
    '<svg class="bar others" aria-hidden="true" focusable="false"><rect width="25.0%" height="100%"/></svg>'
    """
    wide = 100.0 * min(max(float(share), 0.0), 1.0)
    rect = f'<rect width="{wide:.1f}%" height="100%"/>'
    return f'<svg class="bar {kind}" aria-hidden="true" focusable="false">{rect}</svg>'


def distribution_html(profile: FeatureProfile) -> str:
    """Return the counts of a column as small bars, told in words to those who do not see them."""
    if not profile.counts:
        return ""
    most, wide = max(profile.counts) or 1, WIDE / len(profile.counts)
    rects = "".join(
        f'<rect x="{i * wide:.2f}" y="{TALL - TALL * count / most:.2f}" width="{max(wide - 1.0, 1.0):.2f}" '
        f'height="{TALL * count / most:.2f}"/>'
        for i, count in enumerate(profile.counts)
    )
    said = escape(visible_text(distribution_text(profile.counts, profile.labels)))
    kind = "categories" if profile.labels else "numbers"
    word = "value" if not profile.labels else "category" if profile.distinct == 1 else "categorie"
    count = count_text(profile.distinct, word)
    return (
        f'<svg class="shape {kind}" viewBox="0 0 {WIDE} {TALL}" role="img" aria-label="{said}"><title>{said}</title>'
        f'{rects}</svg> <span class="quiet">{count}</span>'
    )


def distribution_text(counts: Sequence[int], labels: Sequence[str]) -> str:
    """Return counts in words: as shares, of categories with their names.

    Examples
    --------
    >>> distribution_text((30, 10), ("a", "b")), distribution_text((1, 3), ())
    ('a 75%, b 25%', 'From low to high: 25%, 75%')
    """
    total = sum(counts) or 1
    shares = [f"{count / total:.0%}" for count in counts]
    if labels:
        return ", ".join(f"{label[:40]} {share}" for label, share in zip(labels, shares, strict=True))
    return f"From low to high: {', '.join(shares)}"
