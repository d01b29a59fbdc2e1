"""What a notebook shows of a result, a path and solutions: one small HTML table each.

The table takes its colours from the page, so that it can be read on a dark one; it stays small and says what it leaves
out; and every text in it is escaped.
"""

from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple, TypeVar

# Rows at the start and at the end of a table that is too long.
HEAD, TAIL = 12, 6
# Where a page removes styles, a plain table is left.
STYLE = (
    "<style>.quboselect table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    ".quboselect th,.quboselect td{padding:1px 10px;text-align:right;white-space:nowrap;background:none;color:inherit}"
    ".quboselect th:last-child,.quboselect td:last-child{text-align:left}"
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


def selection_html(rows: Sequence[tuple[str, float, float, float]], *, summary: str) -> str:
    """Return selected features as HTML: name, importance, redundancy with the others, and what each adds to the energy.

    Examples
    --------
    >>> "<td>a &lt; b</td>" in selection_html([("a < b", 0.5, 0.25, -0.1)], summary="Result")
    True
    """
    header = ("feature", "importance", "redundancy", "energy")
    return _block(
        summary,
        _table(header, rows, lambda row: (row[0], *(f"{number:.4f}" for number in row[1:])), "features"),
    )


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
    header: Sequence[str], items: Sequence[Item], cells: Callable[[Item], Sequence[str]], word: str
) -> str:
    """Return rows as a table; of many, those in the middle are left out and their number is given."""
    left = len(items) - HEAD - TAIL
    many = left > 1
    first, last = (items[:HEAD], items[-TAIL:]) if many else (items, items[:0])
    gap = f'<tr><td colspan="{len(header)}">… {left} {word} left out …</td></tr>' if many else ""
    rows = ["".join(_row(cells(item)) for item in part) for part in (first, last)]
    head = "".join(f"<th>{escape(word)}</th>" for word in header)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows[0]}{gap}{rows[1]}</tbody></table>"


def _row(cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"


def _block(summary: str, table: str) -> str:
    return f'<div class="quboselect">{STYLE}<strong>{escape(summary)}</strong>{table}</div>'
