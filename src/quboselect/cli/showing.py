"""Documents for the terminal: tables and sentences, drawn by rich.

Colours repeat what is also said in words. Numbers are rounded; JSON has them in full.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .documents import Document
from .messages import feature_count, one_line, printable
from .options import PROVING

ORANGE, GREEN, GREY = "#D55E00", "#009E73", "grey50"
RATIOS = ("disr",)  # criteria whose redundancies are not in bits
UNLIMITED = 1000  # characters of a line where standard output is no terminal

Cell = str | Text


class Out(Console):
    """Standard output, which reports a closed pipe to its caller."""

    def on_broken_pipe(self) -> None:
        """Raise an error instead of ending the process, as rich would."""
        raise BrokenPipeError


def console() -> Console:
    """Return standard output: as wide as the terminal, or as wide as needed."""
    seen = sys.stdout.isatty()
    width = None if seen else UNLIMITED
    return Out(highlight=False, emoji=False, markup=False, soft_wrap=not seen, width=width)


def show_rows(
    out: Console, header: Sequence[str], rows: Iterable[Sequence[Cell]], text: Sequence[str]
) -> None:
    """Print a table between two empty lines; columns named in ``text`` stand to the left, numbers to the right."""
    table = Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold"
    )
    for name in header:
        left = name in text
        table.add_column(name, justify="left" if left else "right", overflow="fold", no_wrap=not left)
    for row in rows:
        table.add_row(*row)
    out.print()
    out.print(table)
    out.print()


def show_selection(document: Document) -> None:
    """Print a selection: one feature on each line, then the window and the proof in words."""
    out, table, alpha = console(), document["table"], document["alpha"]
    out.print(
        Text.assemble(
            (f"{document['k']} of {feature_count(table['features'])}", "bold"),
            f" of {printable(table['source'])}",
            *_target_words(table["target"]),
            f", {table['samples']} samples",
        )
    )
    if document["features"]:
        unit = "" if document["settings"]["criterion"] in RATIOS else " bits"
        rows = [
            (
                Text(one_line(each["name"]), style="bold"),
                f"{each['importance']:.4f}",
                f"{each['redundancy']:.4f}",
                f"{each['contribution']:+.4f}",
            )
            for each in document["features"]
        ]
        show_rows(
            out, ("feature", "importance", "redundancy\nwith the rest", "contribution"), rows, ("feature",)
        )
        out.print(
            f"Together: importance {document['importance']:.4f}, redundancy {document['redundancy']:.4f}{unit}. "
            f"Contribution is what a feature adds to the objective at alpha {alpha:.4f}: above 0 it is worth having.",
            style=GREY,
        )
    start, stop = document["alpha_window"]
    if not document["on_path"] and document["passes"] is None:
        out.print(f"The best {feature_count(document['k'])} at alpha {alpha:.4f}.{_burden(document)}")
    elif not document["on_path"]:
        out.print(
            f"Off the path: no alpha makes {document['k']} features best among all sizes. These are the best of that "
            f"size at alpha {alpha:.4f}."
        )
    elif start == stop:
        out.print(f"Selected at alpha {start:.4f}.")
    else:
        out.print(f"Selected for every alpha from {start:.4f} to {stop:.4f}.")
    others = "subset" if document["on_path"] else f"subset of {feature_count(document['k'])}"
    there = "anywhere in that window" if start < stop else "there"
    if document["proven"]:
        _show_proof(out, f"no other {others}{_heard(document)} is better {there}.")
    else:
        _show_doubt(out, document, f"a better subset may exist, {_gap_words(document['gap'])}.")
    for each in document["warnings"]:
        # What is proven was said above.
        if each["kind"] != "not proven":
            out.print(Text.assemble(("Note: ", f"bold {ORANGE}"), printable(each["text"])))


def _opening(document: Document, title: str) -> Text:
    table = document["table"]
    return Text.assemble(
        (title, "bold"),
        f" of {printable(table['source'])}",
        *_target_words(table["target"]),
        f", {table['samples']} samples",
    )


def show_ranking(document: Document) -> None:
    """Print all features by rank."""
    out, features = console(), document["features"]
    out.print(_opening(document, f"{feature_count(len(features))} ranked"))
    rows = [
        (
            str(each["rank"]),
            Text(one_line(each["name"]), style="bold" if each["selected"] else ""),
            f"{each['importance']:.4f}",
            "selected" if each["selected"] else "",
        )
        for each in features
    ]
    show_rows(out, ("rank", "feature", "importance", ""), rows, ("feature", ""))
    out.print(
        "A feature ranks by the smallest number of features that it is among the best of. Ranks are not proven.",
        style=GREY,
    )


def show_reasons(document: Document) -> None:
    """Print a sentence for each feature."""
    out, features = console(), document["features"]
    out.print(_opening(document, f"{document['k']} of {feature_count(document['table']['features'])}"))
    out.print()
    for each in features:
        out.print(Text(printable(each["sentence"]), style="" if each["selected"] else GREY))


def show_alternatives(document: Document) -> None:
    """Print the best subsets of one size, each by what it exchanges."""
    out, subsets = console(), document["subsets"]
    k = feature_count(document["k"])
    out.print(_opening(document, f"The {len(subsets)} best subsets of {k}"))
    rows = [
        (
            str(place),
            "" if place == 1 else f"{each['worse_by_relative']:.3%}",
            "proven" if each["proven"] else _gap_words(each["gap"], short=True),
            _changes({"entered": each["with"], "left": each["without"]})
            if place > 1
            else Text(", ".join(map(one_line, each["features"]))),
        )
        for place, each in enumerate(subsets, 1)
    ]
    show_rows(out, ("", "worse by", "proof", "features"), rows, ("features",))
    if document["proven"]:
        _show_proof(out, "nothing better was missed in between.")
    else:
        _show_doubt(out, document, "others may lie in between.")


def show_stability(document: Document) -> None:
    """Print how often each feature is selected from resamples."""
    out = console()
    out.print(_opening(document, f"Stability over {document['resamples']} resamples"))
    seen = [each for each in document["features"] if each["frequency"] > 0.0]
    rows = [
        (
            Text(one_line(each["name"]), style="bold" if each["selected"] else ""),
            f"{each['frequency']:.0%}",
            "selected" if each["selected"] else "",
        )
        for each in seen
    ]
    show_rows(out, ("feature", "chosen in", "whole table"), rows, ("feature", "whole table"))
    if document["index"] is None or document["index"] != document["index"]:
        out.print("All resamples select the same: every feature, or none.")
        return
    low, high = document["interval"]
    out.print(
        f"Index {document['index']:.2f} ({low:.2f} to {high:.2f}): 1 where all select the same, about 0 where they "
        "choose as if at random."
    )


def show_scores(document: Document) -> None:
    """Print the score of each number of features, and which was taken."""
    out = console()
    out.print(_opening(document, f"{feature_count(document['k'])} chosen by cross-validation"))
    rows = [
        (
            str(each["k"]),
            f"{each['mean_score']:.4f}",
            f"{each['std_score']:.4f}",
            "chosen" if each["k"] == document["k"] else "",
        )
        for each in document["sizes"]
    ]
    show_rows(out, ("features", "mean score", "spread", ""), rows, ("",))
    out.print(f"Selected: {', '.join(map(one_line, document['selected']))}")
    out.print(
        "The fewest features whose score is within one standard error of the best. A score of the chosen is a little "
        "too good, as it was chosen by it.",
        style=GREY,
    )


def show_path(document: Document) -> None:
    """Print a path: one segment on each line, with the features that enter and leave."""
    out, table, segments = console(), document["table"], document["segments"]
    k = document["settings"]["k"]
    among = "" if k is None else f" among subsets of {feature_count(k)}"
    best = "best" if k is None else f"the best {feature_count(k)}"
    out.print(
        Text.assemble(
            (f"The path{among}", "bold"),
            f" of {printable(table['source'])}",
            *_target_words(table["target"]),
            f": {len(segments)} segments, {document['solves']} QUBOs solved",
        )
    )
    rows = [
        (
            f"{each['alpha'][0]:.6f}",
            f"{each['alpha'][1]:.6f}",
            str(each["size"]),
            f"{each['importance']:.4f}",
            f"{each['redundancy']:.4f}",
            "proven" if each["proven"] else _gap_words(each["gap"], short=True),
            _changes(each),
        )
        for each in segments
    ]
    header = ("alpha from", "to", "size", "importance", "redundancy", "proof", "enters and leaves")
    show_rows(out, header, rows, ("enters and leaves",))
    if document["proven"]:
        _show_proof(out, f"every segment is {best} in all of its window, and none is missing.")
    else:
        unproven = sum(not each["proven"] for each in segments)
        _show_doubt(
            out, document, f"{unproven} of {len(segments)} segments may be beaten by the gap beside them."
        )


def show_comparison(document: Document) -> None:
    """Print our selection beside those of other methods."""
    out, table, k, methods = console(), document["table"], document["k"], document["methods"]
    out.print(
        Text.assemble(
            (f"{k} of {feature_count(table['features'])}", "bold"),
            f" of {printable(table['source'])} by each method, measured at alpha {document['alpha']:.4f}",
        )
    )
    rows = [
        (
            Text(each["name"], style="" if i else "bold"),
            f"{each['objective']:.6f}",
            _worse(each) if i else "",
            f"{each['importance']:.4f}",
            f"{each['redundancy']:.4f}",
            f"{each['mean_redundancy']:.4f}",
            f"{each['shared']} of {k}" if i else "",
        )
        for i, each in enumerate(methods)
    ]
    header = ("method", "objective", "worse by", "importance", "redundancy", "per pair", "shared")
    show_rows(out, header, rows, ("method",))
    out.print(
        f"Mean redundancy of a pair: {methods[0]['mean_redundancy']:.4f} within ours, "
        f"{document['mean_redundancy']:.4f} over all features.",
        style=GREY,
    )
    out.print(f"Ours: {', '.join(map(one_line, methods[0]['features']))}")
    if document["proven"]:
        _show_proof(out, f"no {feature_count(k)} {'has' if k == 1 else 'have'} a lower objective than ours.")
    else:
        _show_doubt(out, document, f"{_gap_words(document['gap'])}.")


def show_solution(document: Document) -> None:
    """Print the best solution of a QUBO."""
    out, k = console(), document["proven_among"]
    ones = Text(f"{document['size']} of {document['bits']} bits", style="bold")
    out.print(ones + Text(f" are 1 at the lowest energy found, {document['energy']:.9g}", style="not bold"))
    for title, names in (("Ones", document["names"]), ("Included before", document["included"])):
        if names:
            out.print(f"{title}: {', '.join(map(one_line, names))}")
    if not document["proven"]:
        _show_doubt(out, document, f"{_gap_words(document['gap'])}.")
    else:
        # A size that was asked for says nothing about other sizes.
        others = "bit has" if k == 1 else f"{'' if k is None else f'{k} '}bits have"
        _show_proof(out, f"no other {others} a lower energy.")


def show_datasets(document: Document) -> None:
    """Print the data sets that can be written."""
    out = console()
    out.print("Data sets: quboselect datasets NAME --output FILE writes one", style="bold")
    header = ("name", "samples", "features", "classes", "source")
    rows = [[str(each[key]) for key in header] for each in document["datasets"]]
    show_rows(out, header, rows, ("name", "source"))


def show_info(document: Document) -> None:
    """Print versions, cores and extras."""
    out = console()
    known = {key: str(document[key]) for key in ("python", "platform", "cores")}
    libraries = {name: found or "missing" for name, found in document["libraries"].items()}
    rows = [*{"quboselect": document["version"], **known, **libraries}.items()]
    show_rows(out, ("installed", "version"), rows, ("installed", "version"))
    out.print('Extras: pip install "quboselect[NAME]" installs one', style="bold")
    extras = [
        (
            name,
            "yes" if extra["found"] else "no",
            ", ".join(f"{each} {found or 'missing'}" for each, found in extra["libraries"].items()),
        )
        for name, extra in document["extras"].items()
    ]
    show_rows(out, ("extra", "found", "libraries"), extras, ("extra", "found", "libraries"))


def _target_words(target: str | list[str] | None) -> list[str | tuple[str, str]]:
    """Return what the features are for: the name of the target, or those of several, or none."""
    if target is None:
        return [" without a target"]
    names = ", ".join(map(one_line, [target] if isinstance(target, str) else target))
    return [" for the target ", (names, "bold")]


def _show_proof(out: Console, words: str) -> None:
    out.print(Text.assemble(("Proven: ", f"bold {GREEN}"), words))


def _show_doubt(out: Console, document: Document, words: str) -> None:
    proves = document["settings"]["solver"] in PROVING
    advice = "A larger --effort proves more." if proves else "--solver portfolio proves what it finds."
    out.print(Text.assemble(("Not proven: ", f"bold {ORANGE}"), f"{words} {advice}"))


def _heard(document: Document) -> str:
    """Return which features a claim is about, where some say too little and were left out."""
    out = len(document["left_out"])
    are = "feature that says" if out == 1 else "features that say"
    return f", without the {out} {are} no more than chance," if out else ""


def _burden(document: Document) -> str:
    """Return why features with a contribution below 0 were selected; nothing where there are none."""
    if document["settings"]["include"] or all(each["contribution"] >= 0 for each in document["features"]):
        return ""
    return f" A contribution below 0 is there because {feature_count(document['k'])} were asked for."


def _gap_words(gap: Any, *, short: bool = False) -> str:
    from ..qubo import percent

    if gap is None or gap == float("inf"):
        return "no bound" if short else "by an unknown gap"
    return f"gap {percent(gap)}" if short else f"the gap is {percent(gap)}"


def _changes(segment: Document) -> Text:
    parts = [Text(f"+{one_line(name)}", style=GREEN) for name in segment["entered"]]
    parts += [Text(f"-{one_line(name)}", style=ORANGE) for name in segment["left"]]
    return Text("  ").join(parts)


def _worse(method: Document) -> Text:
    from ..qubo import percent

    by, share = method["worse_by"], method["worse_by_relative"]
    if not by:
        return Text("equal", style=GREY)
    size = f"{abs(by):.4g}" if share is None or abs(share) == float("inf") else percent(abs(share))
    return Text(size, style=ORANGE) if by > 0 else Text(f"better by {size}", style=GREEN)
