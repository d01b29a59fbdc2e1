"""The sentences of a report. Places, samples and counts flow in; text that HTML may hold flows out."""

from collections.abc import Iterable, Sequence
from html import escape
from math import floor, log10

import numpy as np

from ..qubo import Bits
from ..search.choice import Chosen
from ..search.path import Segment
from ..solutions import percent
from ..tradeoff import Tradeoff
from .contents import Places

EN_DASH, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"


def number(value: float) -> str:
    """Return a number with four digits that count, and a true minus sign.

    Examples
    --------
    >>> number(0.123456), number(12345.6), number(0.0)
    ('0.1235', '12346', '0')
    """
    shown = f"{value:.0f}" if abs(value) >= 1000.0 else f"{value:.4g}"
    return shown.replace("-", MINUS)


def aligned(values: Iterable[float]) -> list[str]:
    """Return the numbers of a column with equally many decimals, such that the largest has at least four digits.

    Examples
    --------
    >>> aligned([0.5, 120.0]), aligned([0.0123456])
    (['0.500', '120.000'], ['0.01235'])
    """
    shown = [float(value) for value in values]
    largest = max(map(abs, shown), default=0.0)
    least = 3 if largest < 1e3 else 1 if largest < 1e5 else 0
    decimals = min(max(3 - floor(log10(largest)), least), 12) if largest > 0.0 else 0
    return [f"{value:.{decimals}f}".replace("-", MINUS) for value in shown]


def alpha_text(*alphas: float) -> str:
    """Return an alpha, or the ends of a window, with more digits the closer they are to 0 or 1.

    Examples
    --------
    >>> alpha_text(0.5), alpha_text(0.896064, 0.99123456).split(EN_DASH), alpha_text(0.0, 0.25).split(EN_DASH)
    ('0.5000', ['0.89606', '0.99123'], ['0', '0.2500'])
    """
    least = [min(alpha, 1.0 - alpha) for alpha in alphas if 0.0 < alpha < 1.0]
    digits = min(max(max(2 - floor(log10(each)) for each in least), 4), 9) if least else 0
    shown = dict.fromkeys(f"{a:.{digits}f}" if 0.0 < a < 1.0 else f"{a:g}" for a in alphas)
    return EN_DASH.join(shown)


def gap_text(gap: float) -> str:
    """Return a gap as text, without digits where it says next to nothing.

    Examples
    --------
    >>> gap_text(0.0123), gap_text(17.0), gap_text(float("inf"))
    ('1.23%', 'over 100%', 'unknown')
    """
    return percent(gap) if gap <= 1.0 or gap == np.inf else "over 100%"


def features_text(count: int) -> str:
    """Return a number of features in words."""
    return f"{count} feature" if count == 1 else f"{count} features"


def lead(known: Places, n: int) -> str:
    """Return the headline: how many features of how many, or what the path is of."""
    if known.here is None:
        sizes = [segment.size for segment in known.segments]
        return f"The best subsets of {features_text(n)}, from {min(sizes)} to {max(sizes)}, for every alpha"
    return f"{known.segments[known.here].size} of {features_text(n)} selected"


def verdict(known: Places, chosen: Chosen | None, wishes: str) -> str:
    """Return in words what is proven of the chosen subset, or of the path."""
    if chosen is None or known.here is None:
        return proofs(known)
    place = known.segments[known.here]
    kept = f" that keeps to the wishes ({escape(wishes)})" if wishes else ""
    window = alpha_text(place.start, place.stop)
    ends = window.replace(EN_DASH, " to ")
    where = f"at any alpha from {ends}" if place.start < place.stop else f"at alpha {window}"
    gap, whole = gap_of(place, chosen)
    where = where if whole else f"at alpha {alpha_text(chosen.alpha)}"
    if not known.extra and not gap:
        return f"<strong>Proven:</strong> no subset of any size{kept} has a lower objective {where}."
    if not known.extra:
        return (
            f"<strong>Best found, not proven:</strong> the objective of the best subset{kept} {where} is lower by at "
            f"most the gap, {gap_text(gap)}."
        )
    best = min(known.on_path, key=lambda segment: segment.energy(chosen.alpha))
    lower, own = best.energy(chosen.alpha), place.energy(chosen.alpha)
    if chosen.on_path and lower < own and gap:
        return (
            f"<strong>Not the best:</strong> the search of this report found {features_text(best.size)} of a lower "
            f"objective {where}: {number(lower)} against {number(own)}."
        )
    if not gap:
        why = (
            "it ties with its neighbours on the path" if chosen.on_path else "the path passes over this size"
        )
        return (
            f"<strong>Proven:</strong> no subset of the same size{kept} has a lower objective {where}; {why}."
        )
    return (
        f"<strong>Best found, not proven:</strong> it is off the path; the objective of the best subset of the same "
        f"size{kept} {where} is lower by at most the gap, {gap_text(gap)}."
    )


def gap_of(place: Segment, chosen: Chosen | None) -> tuple[float, bool]:
    """Return the gap of the chosen place, and whether it holds in all of its window or only where it was chosen.

    A selection at one alpha knows of that alpha alone, where it may know more than the path does.
    """
    at_one = chosen is not None and chosen.window[0] == chosen.window[1]
    if chosen is None or place.proven or not (at_one or chosen.solutions.proven):
        return place.gap, True
    return chosen.solutions.gap, place.start == place.stop


def proofs(known: Places) -> str:
    """Return in words how much of the path is proven."""
    segments = known.on_path
    proven = sum(segment.proven for segment in segments)
    what = "no subset of any size has a lower objective anywhere in its window"
    if proven == len(segments):
        return (
            f"<strong>All {proven} segments are proven:</strong> {what}."
            if proven > 1
            else f"Proven: {what}."
        )
    if not proven:
        gap = gap_text(max(segment.gap for segment in segments))
        which = f"None of the {len(segments)} segments is proven" if len(segments) > 1 else "Not proven"
        return f"<strong>{which}:</strong> they are the best that was found. The largest gap is {gap}."
    open_ = len(segments) - proven
    largest = gap_text(max(segment.gap for segment in segments))
    rest = "the other" if open_ == 1 else f"the other {open_}"
    are = "is" if proven == 1 else "are"
    return (
        f"<strong>{proven} of {len(segments)} segments {are} proven:</strong> {what}. What is shown of {rest} is the "
        f"best that was found; the largest gap is {largest}."
    )


def figures(
    known: Places, tradeoff: Tradeoff, chosen: Chosen | None, unit: str, n: int, excluded: Bits
) -> str:
    """Return the numbers of the chosen subset as a list of terms; ``n`` features are in the table."""
    if known.here is None:
        return ""
    place = known.segments[known.here]
    gap, whole = gap_of(place, chosen)
    proof = ("not proven" if gap else "proven") + ("" if whole else " at the alpha chosen")
    pairs = place.size * (place.size - 1) / 2
    cost = float(tradeoff.cost[place.x].sum())
    each = f"{number((place.redundancy - cost) / pairs)} a pair" if pairs else "no pairs"
    # Of a tradeoff that holds only some of the features the sum of all is not known.
    all_ = float(tradeoff.importance[~excluded].sum()) if tradeoff.size == n else 0.0
    whose = f"the {n - int(excluded.sum())} not excluded" if excluded.any() else "all features"
    share = f"{place.importance / all_:.0%} of the sum of {whose}" if all_ else ""
    window = alpha_text(place.start, place.stop)
    where = "the alphas that give this subset" if place.start < place.stop else "where it was selected"
    rows = [
        ("importance", number(place.importance), unit, share, "importance"),
        ("redundancy", number(place.redundancy), unit, each, "redundancy"),
        ("alpha", window, "", where, ""),
        ("gap", gap_text(gap) if gap else "none", "", proof, ""),
    ]
    return "".join(
        f'<div class="{kind}"><dt>{term}</dt><dd>{value}{f" <small>{escape(what)}</small>" if what else ""}'
        f'<span class="note">{note}</span></dd></div>'
        for term, value, what, note, kind in rows
    )


def explored(known: Places, path: Sequence[Segment]) -> str:
    """Return which part of the path is shown, where it is not all of it."""
    segments = known.on_path
    first, last = segments[0], segments[-1]
    if last.stop >= path[-1].stop and (first.start <= path[0].stop or first.start == path[0].start):
        return ""
    sizes = [segment.size for segment in segments]
    return (
        f" Sizes from {min(sizes)} to {max(sizes)} are shown, alpha from "
        f"{alpha_text(first.start, last.stop).replace(EN_DASH, ' to ')}; what lies beyond was not explored."
    )


def listed(shown: int, n: int) -> str:
    """Return which features are in the table, where it is not all of them."""
    return "" if shown == n else f" {shown} of {n} features are listed, those on the path among them."


def mapped(drawn: int, shown: int, n: int, excluded: int = 0) -> str:
    """Return which features are in the map, where it is not all of them.

    Examples
    --------
    >>> mapped(30, 34, 34, 3)
    ' 1 feature that repeats no other is left out. So are 3 that were excluded.'
    """
    said = "" if shown == n else f" Of {n} features the {shown} of the table are drawn."
    silent = shown - drawn - excluded
    if silent:
        verb = "repeats no other is" if silent == 1 else "repeat no other are"
        said += f" {features_text(silent)} that {verb} left out."
    if excluded:
        was = "was" if excluded == 1 else "were"
        are = "is" if excluded == 1 else "are"
        so = f" So {are} {excluded} that {was} excluded."
        said += so if silent else f" {features_text(excluded)} that {was} excluded {are} left out."
    return said
