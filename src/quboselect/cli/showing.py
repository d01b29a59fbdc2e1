"""Documents for people. What a command has to tell flows in, as plain values; tables and sentences flow out.

Colours are those of the plots, and stand for nothing that is not also said in words. Numbers are cut to what can be
read; JSON has them in full.
"""

import sys
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .documents import Document
from .failures import plural

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
    return Out(
        highlight=False, soft_wrap=not sys.stdout.isatty(), width=None if sys.stdout.isatty() else UNLIMITED
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


def _table(*columns: tuple[str, str]) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold"
    )
    for name, justify in columns:
        table.add_column(name, justify=justify, overflow="fold" if justify == "left" else "ellipsis")  # type: ignore[arg-type]
    return table


def spaced(out: Console, drawn: Table) -> None:
    """Print a table with an empty line before and after it."""
    out.print()
    out.print(drawn)
    out.print()


def _number(value: float) -> str:
    return f"{value:.4f}"


def gap_in_words(gap: float) -> str:
    """Return how far an answer may be from the best one."""
    from ..samples import percent

    return "nobody knows by how much" if gap == float("inf") else f"the gap is {percent(gap)}"


def show_selection(document: Document) -> None:
    """Print a selection: a feature a line, then the window and the proof in words."""
    out, table = console(), document["table"]
    k, n, alpha = document["k"], table["features"], document["alpha"]
    out.print(
        Text.assemble(
            (f"{k} of {n} {plural(n)}", "bold"),
            f" of {table['source']} for the target ",
            (table["target"], "bold"),
            f", {table['samples']} samples",
        )
    )
    if document["features"]:
        spaced(out, _features(document["features"]))
    out.print(
        f"Together: importance {document['importance']:.4f}, redundancy {document['redundancy']:.4f} bits. "
        f"Contribution is what the objective would lose without the feature, at alpha {alpha:.4f}.",
        style=GREY,
        soft_wrap=False,
    )
    out.print(_window(document))
    out.print(_proof(document))


def _features(features: list[Document]) -> Table:
    largest = {
        name: max(abs(each[name]) for each in features)
        for name in ("importance", "redundancy", "contribution")
    }
    drawn = _table(
        ("feature", "left"),
        ("importance", "right"),
        ("", "left"),
        ("redundancy\nwith the rest", "right"),
        ("", "left"),
        ("contribution", "right"),
    )
    for each in features:
        drawn.add_row(
            Text(each["name"], style="bold"),
            _number(each["importance"]),
            bar(each["importance"], largest["importance"], BLUE),
            _number(each["redundancy"]),
            bar(each["redundancy"], largest["redundancy"], ORANGE),
            f"{each['contribution']:+.4f}",
        )
    return drawn


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
        ("Not proven: ", f"bold {ORANGE}"), f"a better subset may exist, {words}. --effort buys more proof."
    )


def show_path(document: Document) -> None:
    """Print a path: a segment a line, with what enters and leaves."""
    out, table = console(), document["table"]
    segments = document["segments"]
    out.print(
        Text.assemble(
            ("The path", "bold"),
            f" of {table['source']} for the target ",
            (table["target"], "bold"),
            f": {len(segments)} segments, {document['solves']} QUBOs solved",
        )
    )
    drawn = _table(
        ("alpha from", "right"),
        ("to", "right"),
        ("size", "right"),
        ("importance", "right"),
        ("redundancy", "right"),
        ("proof", "left"),
        ("enters and leaves", "left"),
    )
    for each in segments:
        change = Text()
        for sign, names, colour in (("+", each["entered"], GREEN), ("-", each["left"], ORANGE)):
            for name in names:
                change.append(("  " if change else "") + sign + name, style=colour)
        start, stop = each["alpha"]
        drawn.add_row(
            _digits(start),
            _digits(stop),
            str(each["size"]),
            _number(each["importance"]),
            _number(each["redundancy"]),
            "proven" if each["proven"] else _gap(each["gap"]),
            change,
        )
    spaced(out, drawn)
    if document["proven"]:
        words = "every segment is best in all of its window, and none is missing."
        out.print(Text.assemble(("Proven: ", f"bold {GREEN}"), words))
    else:
        open_ = sum(not each["proven"] for each in segments)
        words = f"{open_} of {len(segments)} segments may be beaten by the gap beside them. --effort buys more proof."
        out.print(Text.assemble(("Not proven: ", f"bold {ORANGE}"), words))


def _digits(alpha: float) -> str:
    return f"{alpha:.6f}"


def _gap(gap: Any) -> str:
    from ..samples import percent

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
    drawn = _table(
        ("method", "left"),
        ("objective", "right"),
        ("worse by", "right"),
        ("importance", "right"),
        ("redundancy", "right"),
        ("per pair", "right"),
        ("shared", "right"),
    )
    for at, each in enumerate(document["methods"]):
        drawn.add_row(
            Text(each["name"], style="bold" if at == 0 else ""),
            f"{each['objective']:.6f}",
            "" if at == 0 else _worse(each),
            _number(each["importance"]),
            _number(each["redundancy"]),
            _number(each["mean_redundancy"]),
            "" if at == 0 else f"{each['shared']} of {k}",
        )
    spaced(out, drawn)
    out.print(
        f"Mean redundancy of a pair: {document['methods'][0]['mean_redundancy']:.4f} within ours, "
        f"{document['mean_redundancy']:.4f} over all features.",
        style=GREY,
    )
    out.print("Ours: " + ", ".join(document["methods"][0]["features"]), markup=False)
    if document["proven"]:
        words = f"no {k} features have a lower objective than ours."
        out.print(Text.assemble(("Proven: ", f"bold {GREEN}"), words))
    else:
        words = gap_in_words(float("inf") if document["gap"] is None else document["gap"])
        out.print(Text.assemble(("Not proven: ", f"bold {ORANGE}"), f"{words}. --effort buys more proof."))


def _worse(row: Document) -> Text:
    from ..samples import percent

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
        out.print("Ones: " + ", ".join(document["names"]), markup=False)
    if document["included"]:
        out.print("Included before: " + ", ".join(document["included"]), markup=False)
    if document["proven"]:
        out.print(Text.assemble(("Proven: ", f"bold {GREEN}"), "no other bits have a lower energy."))
    else:
        words = gap_in_words(float("inf") if document["gap"] is None else document["gap"])
        out.print(Text.assemble(("Not proven: ", f"bold {ORANGE}"), f"{words}."))


def show_rows(title: str, columns: tuple[tuple[str, str], ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Print a plain table."""
    out = console()
    out.print(Text(title, style="bold"))
    drawn = _table(*columns)
    for row in rows:
        drawn.add_row(*(Text(cell) for cell in row))
    spaced(out, drawn)
