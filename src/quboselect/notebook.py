"""What a notebook shows of a result, a path and solutions: one small HTML table each.

The table takes its colours from the page, so that it can be read on a dark one; it stays small and says what it leaves
out; and every text in it is escaped.
"""

from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple, TypeVar

# Rows at the start and at the end of a table that is too long.
HEAD, TAIL = 12, 6
# The length of a whole bar, in pixels.
BAR = 90
# Where a page removes styles, a plain table is left.
STYLE = (
    "<style>.quboselect table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    ".quboselect th,.quboselect td{padding:1px 10px;text-align:right;white-space:nowrap;background:none;color:inherit}"
    ".quboselect th:last-child,.quboselect td:last-child,.quboselect .first td:first-child,"
    ".quboselect .first th:first-child{text-align:left}"
    ".quboselect thead th{border-bottom:1px solid currentColor;font-weight:600}"
    ".quboselect td[colspan]{text-align:left;opacity:.7}</style>"
)

Item = TypeVar("Item")


class Row(NamedTuple):
    """A segment of a path in words and numbers."""

    start: float
    stop: float
    size: int
    importance: float
    redundancy: float
    proof: str
    change: str


def path_html(rows: Sequence[Row], *, summary: str) -> str:
    """Return a path as HTML: what it is, and its segments as a table.

    Examples
    --------
    >>> text = path_html([Row(0.0, 1.0, 2, 1.5, 0.5, "proven", "+0 +1")], summary="Path <1>")
    >>> "Path &lt;1&gt;" in text, "<td>0.000000 to 1.000000</td>" in text
    (True, True)
    """
    header = ("alpha", "size", "importance", "redundancy", "proof", "features")

    def cells(row: Row) -> tuple[str, ...]:
        alpha = f"{row.start:.6f} to {row.stop:.6f}"
        sums = (f"{row.importance:.4f}", f"{row.redundancy:.4f}")
        return alpha, str(row.size), *sums, row.proof, row.change

    return _block(summary, _table(header, rows, cells, "segments"))


class Chosen(NamedTuple):
    """A selected feature: its name, its importance, what it repeats of the others, and what it is worth beside them."""

    name: str
    importance: float
    redundancy: float
    contribution: float


def selection_html(rows: Sequence[Chosen], *, summary: str, proof: str, total: int) -> str:
    """Return selected features as HTML: how many of how many, what is proven, and a bar for what each is worth.

    Parameters
    ----------
    rows : sequence of Chosen
        The best first.
    summary, proof : str
        What it is, and what is proven of it.
    total : int
        How many features there are.

    Examples
    --------
    >>> text = selection_html([Chosen("a < b", 0.5, 0.25, 0.1)], summary="Result", proof="Proven.", total=3)
    >>> "a &lt; b" in text, "1 of 3 features" in text
    (True, True)
    """
    header = ("feature", "importance", "redundancy", "contribution", "")
    largest = max((abs(row.contribution) for row in rows), default=0.0)

    def cells(row: Chosen) -> tuple[str, ...]:
        return row.name, *(f"{number:.4f}" for number in row[1:])

    def bar(row: Chosen) -> str:
        share = max(row.contribution, 0.0) / largest if largest > 0.0 else 0.0
        rect = f'<rect width="{BAR * share:.1f}" height="10" fill="currentColor" opacity=".45"/>'
        return f'<svg width="{BAR}" height="10" aria-hidden="true">{rect}</svg>'

    count = f"{len(rows)} of {total} feature{'s' * (total != 1)}"
    proven = f"<div>{escape(proof)}</div>"
    return _block(f"{count}, {summary}", proven + _table(header, rows, cells, "features", bar))


def solutions_html(
    energies: Sequence[float],
    counts: Sequence[int],
    features: Callable[[int], str],
    *,
    sizes: Sequence[int],
    summary: str,
) -> str:
    """Return the best and the worst of some solutions, with their energies and how often they were seen.

    Parameters
    ----------
    energies, counts, sizes : sequences of one length
        Best first.
    features : callable
        From the rank of a solution to its features in words; called only for what is shown.
    summary : str
    """
    best, total = energies[0], sum(counts)
    header = ("", "energy", "above the best", "seen", "share", "size", "features")

    def cells(rank: int) -> tuple[str, ...]:
        above = energies[rank] - best
        # A difference of rounding alone is none.
        more = "" if rank == 0 else f"{above:.3g}" if abs(above) > 1e-9 * abs(best) else "0"
        seen = (f"{counts[rank]}", f"{counts[rank] / total:.1%}")
        return str(rank + 1), f"{energies[rank]:.6g}", more, *seen, str(sizes[rank]), features(rank)

    return _block(summary, _table(header, range(len(energies)), cells, "solutions"))


def indices(features: Sequence[int], most: int = 12) -> str:
    """Return the indices of features, the first of many.

    Examples
    --------
    >>> indices([1, 4, 7]), indices(range(20), 3)
    ('1 4 7', '0 1 2 and 17 more')
    """
    shown = " ".join(str(i) for i in features[:most])
    return shown if len(features) <= most else f"{shown} and {len(features) - most} more"


def _table(
    header: Sequence[str],
    items: Sequence[Item],
    cells: Callable[[Item], Sequence[str]],
    word: str,
    drawn: Callable[[Item], str] | None = None,
) -> str:
    """Return rows as a table; of many, those in the middle are left out and their number is given."""
    left = len(items) - HEAD - TAIL
    many = left > 1
    first, last = (items[:HEAD], items[-TAIL:]) if many else (items, items[:0])
    gap = f'<tr><td colspan="{len(header)}">… {left} {word} left out …</td></tr>' if many else ""
    rows = [
        "".join(_row(cells(item), "" if drawn is None else f"<td>{drawn(item)}</td>") for item in part)
        for part in (first, last)
    ]
    head = "".join(f"<th>{escape(word)}</th>" for word in header)
    kind = ' class="first"' if drawn is not None else ""
    return f"<table{kind}><thead><tr>{head}</tr></thead><tbody>{rows[0]}{gap}{rows[1]}</tbody></table>"


def _row(cells: Sequence[str], drawn: str = "") -> str:
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}{drawn}</tr>"


def _block(summary: str, table: str) -> str:
    return f'<div class="quboselect">{STYLE}<strong>{escape(summary)}</strong>{table}</div>'
