"""How far do proofs get at the default effort, and how long do they take?

Ten families of problems (``certainty_problems.py``): thirty pixels of MNIST on the path (``windows``), the same with
bins="auto" (``auto``), and at one alpha (``mnist``), the ten best subsets of thirty pixels (``alternatives``), twenty
features of madelon by every criterion, whole fits of tables of genes and of tables that repeat columns (``copies``),
every size from 1 to 60 on MNIST, dense problems of up to 2000 bits (``large``), and generic QUBOs of the BiqMac
library; some with more effort until they are proven. Every certificate is checked by `testing.verify`. Appends rows to
``results/certainty.csv`` as it goes, skips what is there, and ends with ``results/certainty.md``.

    python benchmarks/certainty.py --data DIR --biqmac DIR
    python benchmarks/certainty.py --families windows madelon
    python benchmarks/certainty.py --summary
"""

import argparse
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
import page
from certainty_problems import FAMILIES, Answer, Problem
from downstream_rows import append, line, read, replace
from instances import generic
from paper_data import DatasetUnavailable

from quboselect import SelectQUBO, Tradeoff, alpha_path
from quboselect.datasets import load_ionosphere
from quboselect.errors import Refuted
from quboselect.qubo import percent
from quboselect.search.wide.selection import WIDE
from quboselect.solvers import Portfolio
from quboselect.testing import verify

RESULTS = Path(__file__).parent / "results"
FIELDS = (
    "family",
    "problem",
    "k",
    "effort",
    "n",
    "alpha",
    "selected",
    "energy",
    "gap",
    "seconds",
    "verify_s",
    "published",
)
REFUTED = "refuted"
# Seconds of BiqCrunch as published for the sets that the instances are from, not for each of them.
BIQCRUNCH = {"bqp100": 2.6, "be150.8": 500, "be200.8": 6760, "bqp250": 1736}
WORDS = {
    "windows": "Thirty pixels of MNIST by the paper's setting, at the alpha at which thirty are optimal; proven means "
    "at every alpha of the window. Seconds after counting.",
    "auto": 'The same by `criteria.QFS()`, whose bins are "auto": 719 pixels have some importance. With more effort '
    "where the default does not prove it. Seconds after counting.",
    "mnist": "Thirty pixels of MNIST at one alpha, by the paper's numbers and by criteria, which bin as they do by "
    "default; one named without an alpha is at its own. Seconds after counting.",
    "alternatives": "The ten best subsets of thirty pixels of MNIST by the paper's numbers, each at least one to three "
    "pixels away from those before; the first is that of the fit. Proven means that nothing in between was missed. "
    "Seconds are those of the whole list, after the fit.",
    "madelon": "Twenty of madelon's 500 features by every criterion at its own alpha; QFS, which has none, at that "
    "where twenty are optimal by the paper's numbers. Seconds after counting.",
    "genes": "Whole fits of `SelectQUBO(k)`. n is all features; proven means for the whole table. Seconds with "
    "counting. Of a table of more than 2000 features the certificate that is checked is that of the whole table where "
    "it is proven, and of its core where it is not.",
    "copies": "Whole fits of `SelectQUBO(k)`, of 200 samples of fifty columns, five of which tell the label, and of a "
    "table that repeats them. Seconds are the fewest of fifteen fits.",
    "sizes": "Every number of MNIST's pixels from 1 to 60, as in the first table, with more effort where the default "
    "does not prove it. Seconds after counting.",
    "large": "Dense problems that are made, of k bits or of every size, many of which are out of reach: how long the "
    "default effort takes.",
    "biqmac": "Generic QUBOs of the BiqMac library, with more effort until they are proven. BiqCrunch's seconds are "
    "as published for the whole set that an instance is from, on another machine.",
}
TITLES = {
    "windows": "Thirty pixels, on the path",
    "auto": 'Thirty pixels, on the path, with bins="auto"',
    "mnist": "Thirty pixels, at one alpha",
    "alternatives": "The ten best subsets",
    "madelon": "Every criterion",
    "genes": "Tables of genes",
    "copies": "Tables that repeat columns",
    "sizes": "Every size",
    "large": "What the default effort takes",
    "biqmac": "Generic QUBOs",
}
Row = dict[str, str]


@cache
def warm_up() -> None:
    """Compile what will be timed: search, both proofs, the path, the check, and fits of narrow and wide tables."""
    qubo = generic(100, 0.1, 100)
    for k in (None, 10):
        verify(qubo, Portfolio(k=k, effort=0.1)(qubo), k=k)
    X, y = load_ionosphere(return_X_y=True)
    numbers = SelectQUBO.paper(2).fit(X, y).result_.tradeoff
    alpha_path(Tradeoff(numbers.importance, numbers.redundancy), k=10)
    SelectQUBO(2).fit(X, y).alternatives(2, different=1)
    SelectQUBO(2).fit(np.random.default_rng(0).normal(size=(40, WIDE + 1)), np.arange(40) % 2)


def checked(answer: Answer) -> str:
    """Return the seconds in which the certificate was checked, nothing if there is none, or that it was refuted."""
    if answer.certified is None or answer.certified[1].info.get("certificate") is None:
        return ""
    start = time.perf_counter()
    try:
        verify(*answer.certified, apart=answer.apart)
    except Refuted as reason:
        print(f"REFUTED: {reason}", flush=True)
        return REFUTED
    return f"{time.perf_counter() - start:.4g}"


def measured(family: str, problem: Problem, effort: float) -> Row:
    """Return the row of a problem at an effort."""
    answer = problem.ask(effort)
    found = answer.solutions
    values = (
        family,
        problem.name,
        "" if problem.k is None else problem.k,
        effort,
        answer.n,
        answer.alpha,
        int(found.best.sum()),
        float(found.energy[0]),
        found.gap,
        f"{answer.seconds:.4g}",
        checked(answer),
        "" if problem.published is None else problem.published,
    )
    return dict(zip(FIELDS, map(str, values), strict=True))


def key(row: Row) -> tuple[str, ...]:
    return row["family"], row["problem"], row["k"], row["effort"]


def measure(given: argparse.Namespace) -> None:
    """Append a row for each problem that has none, with more effort until it is proven."""
    path = given.results / "certainty.csv"
    there = {key(row): row for row in read(path, FIELDS)}
    left = np.inf if given.rows is None else given.rows
    for family in given.families:
        try:
            for problem in FAMILIES[family](given.biqmac if family == "biqmac" else given.data):
                if given.only not in problem.name:
                    continue
                for effort in problem.efforts:
                    size = "" if problem.k is None else str(problem.k)
                    row = there.get((family, problem.name, size, str(effort)))
                    if row is None:
                        if left <= 0:
                            return
                        warm_up()
                        row = measured(family, problem, effort)
                        append(path, FIELDS, row)
                        left -= 1
                        print(*row.values(), sep=", ", flush=True)
                    if float(row["gap"]) == 0.0:
                        break
        except DatasetUnavailable as reason:
            print(f"left out from here on: {family}: {reason}", flush=True)


def seconds(text: str) -> str:
    """Return seconds in two digits, or whole ones."""
    value = float(text)
    return f"{value:.0f} s" if value >= 10 else f"{value:.2g} s"


def outcome(row: Row) -> str:
    gap = float(row["gap"])
    return "proven" if gap == 0.0 else "no bound" if gap == np.inf else f"gap {percent(gap)}"


def check_of(row: Row) -> str:
    text = row["verify_s"]
    return f"**{REFUTED}**" if text == REFUTED else seconds(text) if text else ""


def told(rows: list[Row]) -> str:
    """Return in a sentence how many are proven at the default effort, and how long that takes."""
    first = [row for row in rows if row["effort"] == "1.0"]
    times = [float(row["seconds"]) for row in first]
    open_gaps = [float(row["gap"]) for row in first if float(row["gap"])]
    if not times:
        return "Nothing was measured at the default effort."
    text = f"**{len(first) - len(open_gaps)} of {len(first)} are proven at the default effort**; "
    text += f"median {seconds(str(np.median(times)))}, longest {seconds(str(max(times)))}"
    text += f"; largest gap {percent(max(open_gaps))}." if open_gaps else "."
    last = {(row["problem"], row["k"]): float(row["gap"]) for row in rows}
    if len(rows) > len(first):
        text += f" With more effort {sum(gap == 0.0 for gap in last.values())} of {len(last)} are."
    checks = [row["verify_s"] for row in rows if row["verify_s"]]
    refuted = checks.count(REFUTED)
    return f"{text} Certificates: {len(checks)}, of which {refuted or 'none'} refuted." if checks else text


def of_features(rows: list[Row]) -> list[str]:
    """Return a line per problem of feature selection, with what more effort proves where that was tried."""
    more = {(row["problem"], row["k"]): row for row in rows if row["effort"] != "1.0"}
    lines = [
        f"| problem | k | n | alpha | default effort | seconds | check |{' more effort |' if more else ''}",
        "|---" * (8 if more else 7) + "|",
    ]
    for row in rows:
        if row["effort"] == "1.0":
            text = f"| {row['problem']} | {row['k']} | {row['n']} | {row['alpha']} | {outcome(row)} | "
            text += f"{seconds(row['seconds'])} | {check_of(row)} |"
            if (last := more.get((row["problem"], row["k"]))) is not None:
                text += f" {float(last['effort']):g} times: {outcome(last)}, {seconds(last['seconds'])} |"
            lines.append(text + (" |" if more and last is None else ""))
    return lines


def of_generic(rows: list[Row]) -> list[str]:
    """Return a line per generic QUBO, with a column per effort."""
    efforts = sorted({float(row["effort"]) for row in rows})
    heads = "".join(f" effort {effort:g} |" for effort in efforts)
    lines = [f"| instance | n | energy | the published minimum |{heads} check | BiqCrunch, its set |"]
    lines.append("|---" * (len(efforts) + 6) + "|")
    for name in sorted({row["problem"] for row in rows}, key=lambda name: (name[:2], len(name), name)):
        mine = {float(row["effort"]): row for row in rows if row["problem"] == name}
        last = mine[max(mine)]
        energy, published = float(last["energy"]), last["published"]
        reached = "unknown" if not published else "yes" if abs(energy - float(published)) < 0.5 else published
        cells = [f"{outcome(mine[e])}, {seconds(mine[e]['seconds'])}" if e in mine else "" for e in efforts]
        theirs = next((s for set_, s in BIQCRUNCH.items() if name.startswith((f"{set_}.", f"{set_}-"))), None)
        told_of_them = "" if theirs is None else f"{theirs} s"
        cells += [check_of(last), told_of_them]
        lines.append(f"| {name} | {last['n']} | {energy:g} | {reached} | {' | '.join(cells)} |")
    return lines


def summary(rows: Iterable[Row]) -> str:
    """Return the page of all families that have rows."""
    every = list(rows)
    parts = ["# How far proofs get, and how long they take\n"]
    parts.append(
        "`Portfolio` at its default effort. A gap is how far the energy may be from the minimum, relative to it; n "
        "counts the bits that have any coefficient; check is the time in which `testing.verify` checks the "
        "certificate, where there is one."
    )
    for family in FAMILIES:
        mine = [row for row in every if row["family"] == family]
        if family == "sizes":
            mine.sort(key=lambda row: int(row["k"]))
        if mine:
            lines = of_generic(mine) if family == "biqmac" else of_features(mine)
            parts += [f"\n## {TITLES[family]}\n", f"{WORDS[family]} {told(mine)}\n", *lines]
    parts.append(f"\nMeasured by `benchmarks/certainty.py`: {page.machine()}.")
    return "\n".join(parts) + "\n"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--data", type=Path, help="folder of the tables of genes, each an .npz with X and y")
    parser.add_argument("--biqmac", type=Path, help="folder of BiqMac's .sparse files, and of optima.txt")
    parser.add_argument("--only", default="", metavar="TEXT", help="problems that have this in their name")
    parser.add_argument("--rows", type=int, help="end after so many new rows")
    parser.add_argument("--again", nargs="+", choices=FAMILIES, default=[], help="forget their rows")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the rows")
    parser.add_argument("--summary", action="store_true", help="measure nothing")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    given.results.mkdir(exist_ok=True)
    path = given.results / "certainty.csv"
    if given.again:
        kept = [row for row in read(path, FIELDS) if row["family"] not in given.again]
        replace(path, line(FIELDS) + "".join(line(row.values()) for row in kept))
    if not given.summary:
        measure(given)
    (given.results / "certainty.md").write_text(summary(read(path, FIELDS)))


if __name__ == "__main__":
    main()
