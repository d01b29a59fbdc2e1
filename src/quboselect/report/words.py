"""The sentences of a report, as text that HTML may hold."""

from collections.abc import Iterable, Sequence
from html import escape
from math import floor, log10

import numpy as np

from ..qubo import percent
from ..search.path import Segment
from .comparison import constraint_text
from .contents import Contents

EN_DASH, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"


def number_text(value: float) -> str:
    """Return a number with four significant digits and a true minus sign.

    Examples
    --------
    >>> number_text(0.123456), number_text(12345.6), number_text(0.0)
    ('0.1235', '12346', '0')
    """
    shown = f"{value:.0f}" if abs(value) >= 1000.0 else f"{value:.4g}"
    return shown.replace("-", MINUS)


def column_texts(values: Iterable[float]) -> list[str]:
    """Return the numbers of a column with equally many decimals, such that the largest has at least four digits.

    Examples
    --------
    >>> column_texts([0.5, 120.0]), column_texts([0.0123456])
    (['0.500', '120.000'], ['0.01235'])
    """
    numbers = [float(value) for value in values]
    largest = max(map(abs, numbers), default=0.0)
    least = 3 if largest < 1e3 else 1 if largest < 1e5 else 0
    decimals = min(max(3 - floor(log10(largest)), least), 12) if largest > 0.0 else 0
    return [f"{value:.{decimals}f}".replace("-", MINUS) for value in numbers]


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


def count_text(count: int, word: str = "feature") -> str:
    """Return how many there are of something.

    Examples
    --------
    >>> count_text(1), count_text(2), count_text(2, "other")
    ('1 feature', '2 features', '2 others')
    """
    return f"{count} {word}{'s' * (count != 1)}"


def sizes_text(contents: Contents) -> str:
    """Return which sizes the page leads to."""
    sizes = list(contents.sizes)
    which = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
    rest = (
        " Others were not explored."
        if sizes[-1] < contents.result.constraints.kept + contents.result.constraints.free
        else ""
    )
    units = "groups" if contents.result.constraints.grouped else "features"
    return f"Subsets of {which} {units} are shown.{rest}"


def units_text(contents: Contents, count: int) -> str:
    """Return how many features, or groups, there are."""
    return count_text(count, "group" if contents.result.constraints.grouped else "feature")


def verdict(contents: Contents) -> str:
    """Return in words what is proven of the selection, and among what."""
    result, place = contents.result, contents.selection
    text = constraint_text(result.constraints, result.silent)
    kept = f" that keeps to the constraints ({escape(text)})" if text else ""
    gap, everywhere = selection_gap(contents)
    window = (place.start, place.stop) if everywhere else (result.alpha, result.alpha)
    where = where_text(*window)
    if better := better_subset(contents):
        lower, own = better.energy(result.alpha), place.energy(result.alpha)
        return (
            f"<strong>Not the best:</strong> the search of this report found {count_text(better.size)} of a lower "
            f"objective {where}: {number_text(lower)} against {number_text(own)}."
        )
    if result.on_path:
        among, why = "any size", ""
    elif contents.held:
        among, why = units_text(contents, result.k), held_note(contents)
    else:
        before, after = result.passes or (0, 0)
        among = units_text(contents, result.k)
        why = (
            f" No alpha makes {among} optimal among subsets of every size: the path passes over this size, from "
            f"{before} to {units_text(contents, after)}, and this is the best where it does."
        )
    if not gap:
        return f"<strong>Proven:</strong> no subset of {among}{kept} has a lower objective {where}.{why}"
    of = "" if result.on_path else f" of {among}"
    return (
        f"<strong>Best found, not proven:</strong> the objective of the best subset{of}{kept} {where} is lower by at "
        f"most the gap, {gap_text(gap)}.{why}"
    )


def where_text(start: float, stop: float) -> str:
    """Return a window of alpha, or one alpha, in words.

    Examples
    --------
    >>> where_text(0.25, 0.5), where_text(0.5, 0.5)
    ('at any alpha from 0.2500 to 0.5000', 'at alpha 0.5000')
    """
    window = alpha_text(start, stop)
    return (
        f"at any alpha from {window.replace(EN_DASH, ' to ')}" if EN_DASH in window else f"at alpha {window}"
    )


def held_note(contents: Contents) -> str:
    """Return where a selection that was held to k at one alpha is optimal among subsets of every size, if it is."""
    place = contents.on_path
    if place is None or not place.proven:
        return ""
    return f" It is optimal among subsets of every size {where_text(place.start, place.stop)}."


def better_subset(contents: Contents) -> Segment | None:
    """Return a better subset at the alpha of the fit, among those that it was the best of, if the report found one."""
    result = contents.result
    if result.proven:
        return None
    own = contents.tradeoff.line(contents.support).energy(result.alpha)
    rivals = contents.segments if result.on_path else contents.own
    inside = [each for each in rivals if each.start <= result.alpha <= each.stop]
    best = min(inside, key=lambda each: each.energy(result.alpha), default=None)
    slack = 1e-9 * max(abs(own), float(contents.tradeoff.importance.max(initial=0.0)) * result.alpha)
    return best if best is not None and best.energy(result.alpha) < own - slack else None


def selection_gap(contents: Contents) -> tuple[float, bool]:
    """Return the gap of the selection, and whether it holds in its whole window or only at the alpha of the fit.

    A fit at one alpha knows of that alpha alone, where it may know more than the path does.
    """
    result, place = contents.result, contents.selection
    at_one = result.window[0] == result.window[1]
    if place.proven or not (at_one or result.proven):
        return place.gap, True
    return result.gap, place.start == place.stop


def proof_summary(contents: Contents) -> str:
    """Return in words how much is proven of the path of the size that was selected."""
    among = units_text(contents, contents.result.k)
    return proven_text(contents.own, f"no subset of {among} has a lower objective anywhere in its window")


def whole_summary(contents: Contents) -> str:
    """Return in words how much of the path over all sizes is proven, or why there is none."""
    if contents.segments:
        claim = "no subset of any size has a lower objective anywhere in its window"
        return proven_text(contents.segments, claim) + window_text(contents)
    if contents.result.tradeoff.deepest > 0.0:
        return (
            "None is shown: redundancies below 0, of features that say more together than apart, make a large subset "
            "the best at a low alpha already, so sizes are compared at a fixed number of features only."
        )
    return (
        f"None was explored: the table is wide, and the fit needed none. Other sizes were searched among "
        f"{count_text(contents.features.size)}, the most important ones."
    )


def proven_text(segments: Sequence[Segment], claim: str) -> str:
    """Return in words how many of some segments are proven.

    Examples
    --------
    >>> proven_text([Segment(0.0, 1.0, np.array([True]), 1.0, 0.0, 0.0)], "none is better")
    'Proven: none is better.'
    """
    proven = sum(segment.proven for segment in segments)
    if proven == len(segments):
        return (
            f"<strong>All {proven} segments are proven:</strong> {claim}."
            if proven > 1
            else f"Proven: {claim}."
        )
    largest = gap_text(max(segment.gap for segment in segments))
    if not proven:
        which = f"None of the {len(segments)} segments is proven" if len(segments) > 1 else "Not proven"
        return f"<strong>{which}:</strong> they are the best that was found. The largest gap is {largest}."
    open_ = len(segments) - proven
    rest = "the other" if open_ == 1 else f"the other {open_}"
    are = "is" if proven == 1 else "are"
    return (
        f"<strong>{proven} of {len(segments)} segments {are} proven:</strong> {claim}. What is shown of {rest} is the "
        f"best that was found; the largest gap is {largest}."
    )


def figure_list(contents: Contents, unit: str) -> str:
    """Return the numbers of the selection as a list of terms."""
    place, excluded = contents.selection, contents.result.constraints.excluded
    gap, everywhere = selection_gap(contents)
    proof = ("not proven" if gap else "proven") + ("" if everywhere else " at the alpha chosen")
    pairs = place.size * (place.size - 1) / 2
    cost = float(contents.tradeoff.cost[place.x].sum())
    each = f"{number_text((place.redundancy - cost) / pairs)} a pair" if pairs else "no pairs"
    importance = float(contents.result.tradeoff.importance[~excluded].sum())
    which = f"the {contents.total - int(excluded.sum())} not excluded" if excluded.any() else "all features"
    share = f"{place.importance / importance:.0%} of the sum of {which}" if importance else ""
    window = alpha_text(place.start, place.stop)
    where = "the alphas that give this subset" if place.start < place.stop else "where it was selected"
    same = alpha_text(*contents.same_window)
    if contents.held and EN_DASH in same:
        where = f"the same {units_text(contents, contents.result.k)} from {same.replace(EN_DASH, ' to ')}"
    rows = [
        ("importance", number_text(place.importance), unit, share, "importance"),
        ("redundancy", number_text(place.redundancy), unit, each, "redundancy"),
        ("alpha", window, "", where, ""),
        ("gap", gap_text(gap) if gap else "none", "", proof, ""),
    ]
    return "".join(
        f'<div class="{kind}"><dt>{term}</dt><dd>{value}{f" <small>{escape(of)}</small>" if of else ""}'
        f'<span class="note">{note}</span></dd></div>'
        for term, value, of, note, kind in rows
    )


def window_text(contents: Contents) -> str:
    """Return which part of the path is shown, where it is not all of it."""
    segments, path = contents.segments, contents.path
    if path is None:
        return ""
    first, last = segments[0], segments[-1]
    if last.stop >= path[-1].stop and (first.start <= path[0].stop or first.start == path[0].start):
        return ""
    sizes = [segment.size for segment in segments]
    return (
        f" Sizes from {min(sizes)} to {max(sizes)} are shown, alpha from "
        f"{alpha_text(first.start, last.stop).replace(EN_DASH, ' to ')}; what lies beyond was not explored."
    )


def table_note(shown: int, n: int) -> str:
    """Return which features are in the table, where it is not all of them."""
    return "" if shown == n else f" {shown} of {n} features are listed, those of the subsets among them."


def map_note(in_map: int, shown: int, n: int, excluded: int = 0) -> str:
    """Return which features are in the map, where it is not all of them.

    Examples
    --------
    >>> map_note(30, 34, 34, 3)
    ' 1 feature that repeats no other is left out. So are 3 that were excluded.'
    """
    note = "" if shown == n else f" Of {n} features the {shown} of the table are drawn."
    silent = shown - in_map - excluded
    if silent:
        verb = "repeats no other is" if silent == 1 else "repeat no other are"
        note += f" {count_text(silent)} that {verb} left out."
    if excluded:
        was, are = ("was", "is") if excluded == 1 else ("were", "are")
        also = f" So {are} {excluded} that {was} excluded."
        note += also if silent else f" {count_text(excluded)} that {was} excluded {are} left out."
    return note
