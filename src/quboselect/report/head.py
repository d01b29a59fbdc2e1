"""The head of a report, for those who read no further: which features, of what, how sure, how good, and what to mind.

Every text in it is escaped as names are, by `tables.word_html` and `tables.text_html`.
"""

from math import isnan

import numpy as np

from .contents import Contents
from .facts import FeatureProfile, Frequencies, Score
from .tables import chips_html, text_html, word_html
from .words import better_subset, count_text, gap_text, number_text, selection_gap, units_text

# Nogueira, Sechidis and Brown (2018) call an index above the first excellent, and one below the second poor.
STABLE, UNSTABLE = 0.75, 0.4
# Classes of a target that are told one by one.
MOST_CLASSES = 3


def headline(contents: Contents) -> str:
    """Return how many features of how many are selected, and for what."""
    target = contents.facts.target
    of = f" for {word_html(target)}" if target else ""
    return f"{contents.selection.size} of {count_text(contents.total)} selected{of}"


def source(contents: Contents) -> str:
    """Return which table it was, and how long, as far as that is known."""
    table, profile = contents.facts.table, contents.facts.profile
    told = [f"Table {word_html(table)}"] if table else []
    told += [f"{profile.samples:,} samples"] if profile else []
    return f'<p class="source">{", ".join(told)}</p>' if told else ""


def chips(contents: Contents) -> str:
    """Return the names of the selected features, the most important first."""
    features = contents.selection.features
    order = features[np.argsort(-contents.tradeoff.importance[features], kind="stable")]
    return chips_html([contents.labels[i] for i in order], "Selected features")


def lead(contents: Contents) -> str:
    """Return in one sentence that needs no knowledge what was selected, and in another how much that is."""
    size, total, target = contents.selection.size, contents.total, contents.facts.target
    about = f"about {word_html(target)}" if target else "about the target"
    if not size:
        return "No feature is selected."
    best = not selection_gap(contents)[0] and better_subset(contents) is None
    most, least = ("most", "least") if best else ("much", "little")
    allowed = ", of all that your constraints allow" if contents.result.constrained else ""
    allowed += f",{contents.result.heard_words}" if contents.result.heard_words else ""
    if size == total:
        what = f"All {count_text(size)} are selected, so there was nothing to choose."
    elif size == 1:
        what = f"This one of {count_text(total)} says {most} {about}{allowed}."
    else:
        which = f"These {size} of {count_text(total)} together"
        what = f"{which} say {most} {about} and repeat each other {least}{allowed}."
    they = "it carries" if size == 1 else "they carry"
    share = importance_share(contents)
    return (
        what
        if isnan(share) or size == total
        else (f"{what} Added up, {they} {share:.0%} of the importance of {compared_text(contents)}.")
    )


def proof_line(contents: Contents) -> str:
    """Return what is proven of the selection, without a word about alpha."""
    result = contents.result
    gap, _ = selection_gap(contents)
    if better_subset(contents) is not None:
        return "<strong>Not the best:</strong> the search of this report found a better one. See below, for experts."
    size = contents.selection.size
    if result.on_path:
        others, have = "no other selection, of any size,", "has"
    else:
        others = f"no other {'feature' if size == 1 else units_text(contents, result.k)}"
        have = "has" if result.k == 1 else "have"
    keeps = "keeps" if have == "has" else "keep"
    keep = (f" that {keeps} to your constraints" if result.constrained else "") + result.heard_words
    world = "That is about the objective, not about the world."
    if not gap:
        return f"<strong>Proven:</strong> {others}{keep} {have} a better value of this objective. {world}"
    far = f"by at most {gap_text(gap)}" if gap <= 1.0 else "by how much is not known"
    return (
        f"<strong>Not proven:</strong> these are the best that were found. Others may have a better value of the "
        f"objective, {far}. {world}"
    )


def importance_share(contents: Contents) -> float:
    """Return the importance of the selected as a share of that of all that were not excluded; NaN of nothing."""
    result = contents.result
    total = float(result.tradeoff.importance[~result.constraints.excluded].sum())
    return contents.selection.importance / total if total > 0.0 else np.nan


def compared_text(contents: Contents) -> str:
    """Return what a share of importance is a share of."""
    excluded = int(contents.result.constraints.excluded.sum())
    left = "that say more than chance" if contents.result.heard_words else "not excluded"
    return (
        f"the {contents.total - excluded} features {left}" if excluded else f"all {contents.total} features"
    )


def tiles(contents: Contents) -> str:
    """Return the few numbers that say how much the selection is worth, as a list of terms."""
    facts, share = contents.facts, importance_share(contents)
    rows = []
    if not isnan(share):
        rows.append(
            (
                "Share of importance",
                f"{share:.0%}",
                "",
                f"of {compared_text(contents)}, added up",
                "importance",
            )
        )
    if facts.stability is not None:
        rows.append(stability_tile(contents, facts.stability))
    if facts.score is not None:
        rows.append(score_tile(contents, facts.score))
    if facts.profile is not None and facts.profile.target is not None:
        rows.append(target_tile(facts.target, facts.profile.target))
    return tiles_html(rows)


def stability_tile(contents: Contents, found: Frequencies) -> tuple[str, str, str, str, str]:
    """Return how often other samples would have led to these features, and which of them is the least sure."""
    resamples = f"{found.resamples} resamples" if found.resamples else "resamples"
    if isnan(found.index):
        return "Stability", "not defined", "", f"all {resamples} gave all features, or none", ""
    word = "high" if found.index >= STABLE else "medium" if found.index >= UNSTABLE else "low"
    chosen = contents.features[contents.selection.features]
    if not chosen.size:
        return "Stability", word, f"{found.index:.2f} of 1", f"over {resamples}", ""
    rarest = min(chosen.tolist(), key=lambda i: found.frequency[i])
    name, share = word_html(contents.result.labels[rarest]), found.frequency[rarest]
    note = f"least sure: {name}, chosen in {share:.0%} of {resamples}"
    return "Stability", word, f"{found.index:.2f} of 1", note, ""


def score_tile(contents: Contents, score: Score) -> tuple[str, str, str, str, str]:
    """Return what a model makes of the selected features and of all of them."""
    spread = f"\N{PLUS-MINUS SIGN} {score.spread:.2g}" if score.spread else ""
    folds = f"; selected anew in each of {score.folds} folds" if score.folds else ""
    note = f"with all {contents.total} features {number_text(score.everything)}{folds}"
    return (
        f"A model\N{RIGHT SINGLE QUOTATION MARK}s {word_html(score.metric)}",
        number_text(score.selected),
        spread,
        note,
        "",
    )


def target_tile(name: str, profile: FeatureProfile) -> tuple[str, str, str, str, str]:
    """Return what the target holds: its classes, or that it is numbers."""
    term = f"Target {word_html(name)}" if name else "Target"
    if not profile.labels:
        return term, "numbers", "", f"{profile.distinct:,} different values", ""
    total = sum(profile.counts)
    shown = list(zip(profile.labels, profile.counts, strict=True))[:MOST_CLASSES]
    told = ", ".join(f"{word_html(label)} {count / total:.0%}" for label, count in shown)
    more = f" and {profile.distinct - len(shown)} more" if profile.distinct > len(shown) else ""
    return term, f"{profile.distinct:,} classes", "", f"{told}{more}", ""


def tiles_html(rows: list[tuple[str, str, str, str, str]]) -> str:
    """Return tiles of term, value, unit, note and kind, all of them HTML."""
    return "".join(
        f'<div class="{kind}"><dt>{term}</dt><dd>{value}{f" <small>{unit}</small>" if unit else ""}'
        f'<span class="note">{note}</span></dd></div>'
        for term, value, unit, note, kind in rows
    )


def notes_box(contents: Contents) -> str:
    """Return what to mind, one line each; nothing where there is nothing."""
    lines = "".join(f"<li>{text_html(note)}</li>" for note in contents.facts.notes if note.strip())
    if not lines:
        return ""
    return f'<aside class="notes" aria-labelledby="h-notes"><h2 id="h-notes">Please note</h2><ul>{lines}</ul></aside>'
