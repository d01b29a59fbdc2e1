"""Documents for people. What a command has to tell flows in, as plain values; tables and sentences flow out.

Colours are those of the plots, and stand for nothing that is not also said in words. Numbers are rounded to what can be
read; JSON has them in full. How wide a table gets is in `columns`.
"""

import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from .columns import Column, drawn
from .documents import Document
from .failures import one_line, plural
from .names import proves

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "grey50"
BAR = 10
EIGHTHS = " ▏▎▍▌▋▊▉█"
# Where nobody knows how wide a page is, nothing is cut off.
UNLIMITED = 1000


class Out(Console):
    """Standard output, whose end is for others to deal with."""

    def on_broken_pipe(self) -> None:
        """Raise what rich would end the process for."""
        raise BrokenPipeError


def console() -> Console:
    """Return standard output as rich writes to it: as wide as the terminal, or as wide as need be."""
    seen = sys.stdout.isatty()
    return Out(
        highlight=False, emoji=False, markup=False, soft_wrap=not seen, width=None if seen else UNLIMITED
    )


def bar(value: float, largest: float, colour: str) -> Text:
    """Return a bar of up to ten characters.

    Examples
    --------
    >>> bar(0.5, 1.0, BLUE).plain
    '█████     '
    """
    eighths = round(8 * BAR * min(max(value / largest, 0.0), 1.0)) if largest > 0 else 0
    full, rest = divmod(eighths, 8)
    return Text(("█" * full + (EIGHTHS[rest] if rest else "")).ljust(BAR), style=colour)


def spaced(out: Console, columns: Sequence[Column]) -> None:
    """Print a table with an empty line before and after it."""
    out.print()
    out.print(drawn(columns, out.width))
    out.print()


def listing(names: Sequence[str]) -> str:
    """Return names as they stand in a sentence."""
    return ", ".join(map(one_line, names))


def _number(value: float) -> str:
    return f"{value:.4f}"


def gap_in_words(gap: float) -> str:
    """Return how far an answer may be from the best one."""
    from ..solutions import percent

    return "nobody knows by how much" if gap == float("inf") else f"the gap is {percent(gap)}"


def more_proof(document: Document) -> str:
    """Return what to do about a missing proof."""
    if proves(document["settings"]["solver"]):
        return "--effort buys more proof."
    return "--solver portfolio proves what it finds."


def show_selection(document: Document) -> None:
    """Print a selection: a feature a line, then the window and the proof in words."""
    out, table = console(), document["table"]
    k, n, alpha = document["k"], table["features"], document["alpha"]
    out.print(
        Text.assemble(
            (f"{k} of {n} {plural(n)}", "bold"),
            f" of {table['source']} for the target ",
            (one_line(table["target"]), "bold"),
            f", {table['samples']} samples",
        )
    )
    if document["features"]:
        spaced(out, _features(document["features"]))
        out.print(
            f"Together: importance {document['importance']:.4f}, redundancy {document['redundancy']:.4f} bits. "
            f"Contribution is what a feature adds to the objective, which is minimised, at alpha {alpha:.4f}: below 0 "
            "it is worth having.",
            style=GREY,
        )
    out.print(_window(document))
    out.print(_proof(document))


def _features(features: list[Document]) -> list[Column]:
    def bars(key: str, colour: str) -> list[Text]:
        largest = max(each[key] for each in features)
        return [bar(each[key], largest, colour) for each in features]

    return [
        Column("feature", [Text(one_line(each["name"]), style="bold") for each in features], text=True),
        Column("importance", [_number(each["importance"]) for each in features], 2),
        Column("", bars("importance", BLUE), 4, text=True),
        Column("redundancy\nwith the rest", [_number(each["redundancy"]) for each in features], 3),
        Column("", bars("redundancy", ORANGE), 5, text=True),
        Column("contribution", [f"{each['contribution']:+.4f}" for each in features]),
    ]


def _window(document: Document) -> Text:
    start, stop = document["alpha_window"]
    if not document["on_path"]:
        return Text(
            f"Off the path: no alpha makes {document['k']} features best among all sizes. These are the best of that "
            f"size at alpha {document['alpha']:.4f}."
        )
    if start == stop:
        return Text(f"Selected at alpha {start:.4f}.")
    return Text(f"Selected for every alpha from {start:.4f} to {stop:.4f}.")


def _proof(document: Document) -> Text:
    if document["proven"]:
        others = "subset" if document["on_path"] else f"subset of {document['k']} features"
        there = "in that window" if document["alpha_window"][0] < document["alpha_window"][1] else "there"
        return Text.assemble(("Proven: ", f"bold {GREEN}"), f"no other {others} is better anywhere {there}.")
    words = gap_in_words(float("inf") if document["gap"] is None else document["gap"])
    return Text.assemble(
        ("Not proven: ", f"bold {ORANGE}"), f"a better subset may exist, {words}. {more_proof(document)}"
    )


def show_path(document: Document) -> None:
    """Print a path: a segment a line, with what enters and leaves."""
    out, table = console(), document["table"]
    segments = document["segments"]
    out.print(
        Text.assemble(
            ("The path", "bold"),
            f" of {table['source']} for the target ",
            (one_line(table["target"]), "bold"),
            f": {len(segments)} segments, {document['solves']} QUBOs solved",
        )
    )
    spaced(
        out,
        [
            Column("alpha from", [_digits(each["alpha"][0]) for each in segments]),
            Column("to", [_digits(each["alpha"][1]) for each in segments], 2),
            Column("size", [str(each["size"]) for each in segments]),
            Column("importance", [_number(each["importance"]) for each in segments], 3),
            Column("redundancy", [_number(each["redundancy"]) for each in segments], 4),
            Column("proof", ["proven" if each["proven"] else _gap(each["gap"]) for each in segments], 1),
            Column("enters and leaves", [_change(each) for each in segments], text=True),
        ],
    )
    if document["proven"]:
        words = "every segment is best in all of its window, and none is missing."
        out.print(Text.assemble(("Proven: ", f"bold {GREEN}"), words))
    else:
        open_ = sum(not each["proven"] for each in segments)
        words = f"{open_} of {len(segments)} segments may be beaten by the gap beside them. {more_proof(document)}"
        out.print(Text.assemble(("Not proven: ", f"bold {ORANGE}"), words))


def _change(segment: Document) -> Text:
    change = Text()
    for sign, names, colour in (("+", segment["entered"], GREEN), ("-", segment["left"], ORANGE)):
        for name in names:
            change.append(("  " if change else "") + sign + one_line(name), style=colour)
    return change


def _digits(alpha: float) -> str:
    return f"{alpha:.6f}"


def _gap(gap: Any) -> str:
    from ..solutions import percent

    return "no bound" if gap is None or gap == float("inf") else f"gap {percent(gap)}"


def show_comparison(document: Document) -> None:
    """Print ours beside the baselines."""
    out, table = console(), document["table"]
    k = document["k"]
    out.print(
        Text.assemble(
            (f"{k} of {table['features']} features", "bold"),
            f" of {table['source']} by each method, measured at alpha {document['alpha']:.4f}",
        )
    )
    methods = document["methods"]
    names = [Text(each["name"], style="" if at else "bold") for at, each in enumerate(methods)]
    spaced(
        out,
        [
            Column("method", names, text=True),
            Column("objective", [f"{each['objective']:.6f}" for each in methods]),
            Column("worse by", [_worse(each) if at else "" for at, each in enumerate(methods)], 1),
            Column("importance", [_number(each["importance"]) for each in methods], 3),
            Column("redundancy", [_number(each["redundancy"]) for each in methods], 4),
            Column("per pair", [_number(each["mean_redundancy"]) for each in methods], 5),
            Column(
                "shared", [f"{each['shared']} of {k}" if at else "" for at, each in enumerate(methods)], 2
            ),
        ],
    )
    out.print(
        f"Mean redundancy of a pair: {methods[0]['mean_redundancy']:.4f} within ours, "
        f"{document['mean_redundancy']:.4f} over all features.",
        style=GREY,
    )
    out.print(f"Ours: {listing(methods[0]['features'])}")
    if document["proven"]:
        words = f"no {k} features have a lower objective than ours."
        out.print(Text.assemble(("Proven: ", f"bold {GREEN}"), words))
    else:
        words = gap_in_words(float("inf") if document["gap"] is None else document["gap"])
        out.print(Text.assemble(("Not proven: ", f"bold {ORANGE}"), f"{words}. {more_proof(document)}"))


def _worse(row: Document) -> Text:
    from ..solutions import percent

    if not row["worse_by"]:
        return Text("equal", style=GREY)
    size = f"{abs(row['worse_by']):.4g}"
    share = row["worse_by_relative"]
    size = percent(abs(share)) if share is not None and abs(share) < float("inf") else size
    return Text(size, style=ORANGE) if row["worse_by"] > 0 else Text(f"better by {size}", style=GREEN)


def show_solution(document: Document) -> None:
    """Print what a solver found for a QUBO of a file."""
    out = console()
    out.print(
        Text.assemble(
            (f"{document['size']} of {document['bits']} bits", "bold"),
            f" are 1 at the lowest energy found, {document['energy']:.9g}",
        )
    )
    if document["names"]:
        out.print(f"Ones: {listing(document['names'])}")
    if document["included"]:
        out.print(f"Included before: {listing(document['included'])}")
    if document["proven"]:
        out.print(Text.assemble(("Proven: ", f"bold {GREEN}"), _beaten_by_none(document)))
    else:
        words = gap_in_words(float("inf") if document["gap"] is None else document["gap"])
        out.print(Text.assemble(("Not proven: ", f"bold {ORANGE}"), f"{words}."))


def _beaten_by_none(document: Document) -> str:
    """Return what is proven of a solution: a size that was asked for says nothing about other sizes."""
    k = document["proven_among"]
    if k is None:
        return "no other bits have a lower energy."
    if k in (0, document["bits"]):
        return f"there is one way only to have {k} of {document['bits']} bits."
    return f"no other {k} bits have a lower energy."


def show_rows(title: str, columns: tuple[tuple[str, str], ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Print a plain table, whose last columns go first where it is narrow."""
    out = console()
    out.print(Text(title, style="bold"))
    spaced(
        out,
        [
            Column(name, [Text(row[at]) for row in rows], at, text=justify == "left")
            for at, (name, justify) in enumerate(columns)
        ],
    )
