"""What the rows of the downstream benchmark say: ``downstream.md`` and ``downstream.svg``.

A case is a table, a k and a model; its score is the mean over folds. Cases of one table are not independent, so ranks
and their test are of the means of tables. Where a selection failed, the method has the score of random features in that
fold, and the failure is counted. Methods are compared on the cases that all of them have.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from downstream_figure import figure
from downstream_ours import ASKS, DEFAULT, EXACT, GREEDY, NAMES, OURS, TWINS
from downstream_ranks import critical_difference, friedman, jaccard, kuncheva, ranks
from downstream_rows import ANY, SCORES, SUBSETS, read
from downstream_tables import CHOSEN, FEATURES, HALVES, REPORTED
from page import machine

CASE = ["table", "k", "model"]
TIE = 1e-9
# Exact and greedy ones have a table of their own; ranked against others are those that users are offered.
RANKED_APART = {name for name in (*OURS, *TWINS) if name.endswith((EXACT, GREEDY))}


def tidy(scores: list[dict], subsets: list[dict]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both files as frames, and scores with what failed filled in from random features."""
    found, chosen = pd.DataFrame(scores, columns=list(SCORES)), pd.DataFrame(subsets, columns=list(SUBSETS))
    for frame in (found, chosen):
        frame[["fold", "k"]] = frame[["fold", "k"]].astype(int)
    found["score"] = found["score"].astype(float)
    chosen["seconds"] = pd.to_numeric(chosen["seconds"], errors="coerce")
    key = ["table", "fold", "k", "model"]
    found = found.drop_duplicates([*key, "method"], keep="last")
    chosen = chosen.drop_duplicates([*key, "method"], keep="last")
    drawn = found[found["method"] == "random"]
    failed = chosen[chosen["failed"] != ""]
    filled = [found]
    for mode, on in ((failed["model"] == ANY, ["table", "fold", "k"]), (failed["model"] != ANY, key)):
        gaps = failed.loc[mode, [*on, "method"]]
        filled.append(gaps.merge(drawn.drop(columns="method"), on=on)[list(SCORES)])
    return pd.concat(filled, ignore_index=True), chosen


def cases_of(found: pd.DataFrame) -> pd.DataFrame:
    """Return the score of each method (column) in each case that all of them have in full."""
    folds = found.groupby("table")["fold"].transform("nunique")
    whole = found.groupby([*CASE, "method"])["fold"].transform("nunique") == folds
    mean = found[whole].pivot_table(index=CASE, columns="method", values="score", aggfunc="mean")
    many = mean.notna().sum()
    return mean[many[many >= 0.5 * many.max()].index].dropna()


def of_half(cases: pd.DataFrame, half: str | None) -> pd.DataFrame:
    tables = cases.index.get_level_values("table")
    return cases if half is None else cases[[HALVES[name] == half for name in tables]]


def grid(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    header = list(header)
    lines = ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)])


def stability(chosen: pd.DataFrame, tables: set[str]) -> pd.DataFrame:
    """Return Jaccard's and Kuncheva's index of each method: means over tables, k, and models where one was asked."""
    rows = []
    good = chosen[(chosen["failed"] == "") & chosen["table"].isin(tables)]
    for (method, table, *_), group in good.groupby(["method", "table", "k", "model"]):
        subsets = [frozenset(map(int, text.split())) for text in group["features"]]
        if len(subsets) > 1:
            rows.append((method, jaccard(subsets), kuncheva(subsets, FEATURES[table])))
    return pd.DataFrame(rows, columns=["method", "jaccard", "kuncheva"]).groupby("method").mean()


def shown_seconds(seconds: float) -> str:
    """Return seconds as text: clocks of the processor may be no finer than a hundredth, and twins have none."""
    return "" if np.isnan(seconds) else f"{seconds:.2g}" if seconds >= 0.01 else "< 0.01"


def overview(cases: pd.DataFrame, chosen: pd.DataFrame) -> str:
    """Return the table of all methods, the highest mean first."""
    tables = cases.groupby("table").mean()
    ranked = [name for name in cases.columns if name not in RANKED_APART]
    mean_rank = dict(zip(ranked, ranks(tables[ranked].to_numpy()).mean(0), strict=True))
    best = cases[ranked].ge(cases[ranked].max(axis=1) - TIE, axis=0)
    alike = stability(chosen, set(tables.index))
    here = chosen[chosen["table"].isin(tables.index)]
    seconds, failed = (
        here.groupby("method")["seconds"].median(),
        here["failed"].ne("").groupby(here["method"]).sum(),
    )
    rows = []
    for name in cases.mean().sort_values(ascending=False).index:
        own = name in mean_rank
        rows.append(
            (
                f"**{name}**" if name in NAMES else name,
                f"{tables[name].mean():.4f}",
                f"{cases[name].mean():.4f}",
                f"{mean_rank[name]:.2f}" if own else "",
                int(best[name].sum()) if own else "",
                shown_seconds(seconds[name]),
                f"{alike['jaccard'].get(name, np.nan):.2f}",
                f"{alike['kuncheva'].get(name, np.nan):.2f}",
                int(failed[name]),
            )
        )
    header = (
        "method",
        "mean of tables",
        "mean of cases",
        "mean rank",
        "best in",
        "seconds",
        "Jaccard",
        "Kuncheva",
    )
    return grid((*header, "failed"), rows)


def ranking(cases: pd.DataFrame) -> tuple[dict[str, float], float, float]:
    """Return the mean ranks over tables, the critical difference, and Friedman's p."""
    names = [name for name in cases.columns if name not in RANKED_APART]
    means = cases[names].groupby("table").mean().to_numpy()
    found = dict(zip(names, ranks(means).mean(0), strict=True))
    return found, critical_difference(len(names), len(means)), friedman(means)


def duels(cases: pd.DataFrame, ours: str) -> str:
    """Return how often ours is better and worse than each other one, in cases and in tables."""
    tables, rows = cases.groupby("table").mean(), []
    for name in (name for name in cases.columns if name not in NAMES):
        gain, by_table = cases[ours] - cases[name], tables[ours] - tables[name]
        counts = (
            f"{(d > TIE).sum()} / {(d.abs() <= TIE).sum()} / {(d < -TIE).sum()}" for d in (gain, by_table)
        )
        rows.append((by_table.mean(), (name, *counts, f"{by_table.mean():+.4f}")))
    header = (
        f"{ours} against",
        "cases better / equal / worse",
        "tables better / equal / worse",
        "mean difference",
    )
    return grid(header, (row for _, row in sorted(rows)))


def lost_and_won(cases: pd.DataFrame, ours: str) -> str:
    """Return every table with our mean, the best other one, and the difference: what is lost most comes first."""
    tables = cases.groupby("table").mean()
    others = tables[[name for name in tables.columns if name not in NAMES]]
    if others.empty:
        return "No other method has a score of these cases."
    gain, by_case = tables[ours] - others.max(axis=1), cases[ours] - cases[others.columns].max(axis=1)
    per = by_case.groupby("table")
    won, lost = per.apply(lambda d: (d > TIE).sum()), per.apply(lambda d: (d < -TIE).sum())
    rows = []
    for t in gain.sort_values().index:
        means = others.loc[t]
        ahead = f"{(means > tables[ours][t] + TIE).sum()} of {len(means)}"
        numbers = (f"{tables[ours][t]:.4f}", means.idxmax(), f"{means.max():.4f}", f"{gain[t]:+.4f}")
        rows.append((t, HALVES[t], *numbers, ahead, f"{won[t]} / {lost[t]}"))
    header = ("table", "half", ours, "best other", "its mean", "difference", "others ahead")
    return grid((*header, "cases won / lost against the best other of each"), rows)


def worst_cases(cases: pd.DataFrame, ours: str, most: int = 15) -> str:
    """Return the cases that ours loses and wins by most, against the median of the others."""
    others = cases[[name for name in cases.columns if name not in NAMES]]
    gain = (cases[ours] - others.median(axis=1)).sort_values()
    rows = [
        (*(f"{t}, k = {k}, {m}: {gain[t, k, m]:+.3f}" for t, k, m in pair),)
        for pair in zip(gain.index[:most], gain.index[::-1][:most], strict=True)
    ]
    return grid(("lost by most, against the median other", "won by most"), rows)


def exact_against_greedy(cases: pd.DataFrame, chosen: pd.DataFrame) -> str:
    """Return, for each criterion, what the exact subset is worth against the greedy one."""
    rows, every = [], cases
    for twin, name in TWINS.items():
        if twin not in every or name not in every:
            continue
        cases = every[[name, twin]].dropna()
        if cases.empty:
            continue
        tables = cases.groupby("table").mean()
        gain, by_table = cases[name] - cases[twin], tables[name] - tables[twin]
        both = chosen[chosen["method"].isin([twin, name]) & (chosen["failed"] == "")]
        sets = both.assign(set=both["features"].map(lambda text: frozenset(text.split())))
        pairs = sets.pivot(index=["table", "fold", "k"], columns="method", values="set").dropna()
        same = np.mean([a == b for a, b in zip(pairs[name], pairs[twin], strict=True)])
        counts = (
            f"{(d > TIE).sum()} / {(d.abs() <= TIE).sum()} / {(d < -TIE).sum()}" for d in (gain, by_table)
        )
        means = (f"{tables[name].mean():.4f}", f"{tables[twin].mean():.4f}", f"{by_table.mean():+.4f}")
        rows.append((name.removesuffix(EXACT), *means, *counts, f"{same:.0%}"))
    if not rows:
        return "No rows of both yet."
    header = ("criterion", "exact", "greedy", "difference", "cases better / equal / worse", "tables")
    return grid((*header, "the same subset"), rows)


def same_folds(found: pd.DataFrame, name: str) -> str:
    """Return all methods but our other criteria on the folds that one has, which may be few."""
    left = [each for each in NAMES if each not in (DEFAULT, name)]
    index = ["table", "fold", "k", "model"]
    folds = (
        found[~found["method"].isin(left)].pivot_table(index=index, columns="method", values="score").dropna()
    )
    tables = folds.groupby("table").mean()
    ranks = tables.rank(axis=1, ascending=False).mean()
    means = tables.mean().sort_values(ascending=False)
    told = f"{len(folds)} scores of {len(tables)} tables: {', '.join(tables.index)}."
    return (
        told
        + "\n\n"
        + grid(
            ("method", "mean of tables", "mean rank"),
            ((m, f"{v:.4f}", f"{ranks[m]:.2f}") for m, v in means.items()),
        )
    )


def write_summary(folder: Path) -> str:
    """Write the text and the figure beside the rows, and return the text."""
    scores = read(folder / "downstream.csv", SCORES)
    subsets = read(folder / "downstream_subsets.csv", SUBSETS)
    if not scores:
        return "no rows yet"
    found, chosen = tidy(scores, subsets)
    cases = cases_of(found)
    every = found.pivot_table(index=["table", "k", "model"], columns="method", values="score")
    absent = sorted(set(found["method"]) - set(cases.columns))
    parts, panels = [__doc__.split("\n\n", 1)[1].strip()], {}
    if absent:
        parts.append(f"Left out, because they have fewer than half of the cases: {', '.join(absent)}.")
    for title, half in (("All tables", None), (f"Tables {CHOSEN}", CHOSEN), (f"Tables {REPORTED}", REPORTED)):
        part = of_half(cases, half)
        if part.empty:
            continue
        tables = part.index.get_level_values("table").unique()
        means, difference, chance = ranking(part)
        panels[f"{title} ({len(tables)})"] = (means, difference)
        parts += [
            f"## {title}",
            f"{len(part)} cases of {len(tables)} tables: {', '.join(tables)}.",
            overview(part, chosen),
            f"Friedman's test over {len(tables)} tables and {len(means)} methods: p = {chance:.2g}. "
            f"Mean ranks differ from {difference:.2f} on (Nemenyi, 5 %).",
        ]
        if DEFAULT in part:
            parts += [duels(part, DEFAULT), worst_cases(part, DEFAULT)]
        parts += [
            "### Exact against greedy",
            exact_against_greedy(of_half(every, half), chosen),
        ]
    if ASKS in absent:
        parts += [f"## {ASKS}, on the folds that it has", same_folds(found, ASKS)]
    if DEFAULT in cases:
        parts += ["## Lost and won", lost_and_won(cases, DEFAULT)]
    why = chosen[chosen["failed"] != ""].groupby(["method", "table", "failed"]).size()
    parts += [
        "## Failed selections",
        grid(("method", "table", "why", "how often"), ((*key, n) for key, n in why.items())),
    ]
    parts.append(f"Measured by `benchmarks/downstream.py`: {machine()}.")
    text = "\n\n".join(parts) + "\n"
    figure(panels, set(NAMES), folder / "downstream.svg")
    (folder / "downstream.md").write_text("# What a selection is worth to a model\n\n" + text)
    return text
