"""What a notebook shows of a path and of samples. Plain values flow in, a little HTML flows out; `Path` and `Solutions`
give it to notebooks.

It has no colour of its own but one, so that it can be read on dark ground; it is small whatever it shows, and says what
it leaves out; and every text in it is escaped.
"""

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple, TypeVar

# Rows at the start and at the end of a table that is too long.
HEAD, TAIL = 12, 6
WIDTH, HEIGHT = 480, 64
BLUE = "#0072B2"
# Where a page takes styles away, a plain table is left.
STYLE = (
    "<style>.quboselect table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    ".quboselect th,.quboselect td{padding:1px 10px;text-align:right;white-space:nowrap;background:none;color:inherit}"
    ".quboselect th:last-child,.quboselect td:last-child{text-align:left}"
    ".quboselect thead th{border-bottom:1px solid currentColor;font-weight:600}"
    ".quboselect td[colspan]{text-align:left;opacity:.7}"
    ".quboselect svg{display:block;margin:6px 0;max-width:100%;color:inherit}</style>"
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
    """Return a path: what it is, its size over alpha as a picture, and its segments as a table.

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

    return _block(summary, staircase(rows), _table(header, rows, cells, "segments"))


def samples_html(
    energies: Sequence[float],
    counts: Sequence[int],
    features: Callable[[int], str],
    *,
    sizes: Sequence[int],
    summary: str,
) -> str:
    """Return the best and the worst of some samples, with their energies and how often they were seen.

    Parameters
    ----------
    energies, counts, sizes : sequences of one length
        Best first.
    features : callable
        From the rank of a sample to its features in words; asked only for what is shown.
    summary : str
    """
    best, total = energies[0], sum(counts)
    header = ("", "energy", "above the best", "seen", "share", "size", "features")

    def cells(rank: int) -> tuple[str, ...]:
        above = energies[rank] - best
        # What differs by rounding alone does not differ.
        more = "" if rank == 0 else f"{above:.3g}" if abs(above) > 1e-9 * abs(best) else "0"
        seen = (f"{counts[rank]}", f"{counts[rank] / total:.1%}")
        return str(rank + 1), f"{energies[rank]:.6g}", more, *seen, str(sizes[rank]), features(rank)

    return _block(summary, _table(header, range(len(energies)), cells, "samples"))


def indices(features: Sequence[int], most: int = 12) -> str:
    """Return the indices of features, the first of many.

    Examples
    --------
    >>> indices([1, 4, 7]), indices(range(20), 3)
    ('1 4 7', '0 1 2 and 17 more')
    """
    shown = " ".join(str(i) for i in features[:most])
    return shown if len(features) <= most else f"{shown} and {len(features) - most} more"


def staircase(rows: Sequence[Row]) -> str:
    """Return the size over alpha as SVG, thick where it is proven; alpha is stretched towards 0 and 1."""
    cuts = [row.stop for row in rows[:-1] if 0.0 < row.stop < 1.0]
    if not cuts:
        return ""
    low, high = _logit(min(cuts)), _logit(max(cuts))
    margin = max(0.05 * (high - low), 0.3)
    low, high = low - margin, high + margin
    top = max(row.size for row in rows) or 1

    def across(alpha: float) -> int:
        return round(WIDTH * min(max((_logit(alpha) - low) / (high - low), 0.0), 1.0))

    def up(size: int) -> int:
        return round(HEIGHT - 4 - (HEIGHT - 18) * size / top)

    line, thick = [f"M0 {up(rows[0].size)}"], []
    for row in rows:
        start, stop, height = across(row.start), across(row.stop), up(row.size)
        # What is narrower than a point is not seen, and would make a large file.
        if stop > start:
            line.append(f"V{height}H{stop}")
            if row.proof == "proven":
                thick.append(f"M{start} {height}H{stop}")
    style = f'fill="none" stroke="{BLUE}"'
    ends = f"alpha {_short(_expit(low))}", f"{_short(_expit(high))}"
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT + 14}" width="{WIDTH}" role="img" '
        f'aria-label="size of the optimal subset over alpha">'
        f'<path d="M0 {HEIGHT}H{WIDTH}" stroke="currentColor" stroke-opacity=".4"/>'
        f'<path d="{"".join(line)}" {style} stroke-width="1"/>'
        f'<path d="{"".join(thick)}" {style} stroke-width="3"/>'
        f'<g fill="currentColor" font-size="10" font-family="sans-serif"><text x="0" y="10">'
        f"up to {top} features; thick where proven</text>"
        f'<text x="0" y="{HEIGHT + 12}">{ends[0]}</text>'
        f'<text x="{WIDTH}" y="{HEIGHT + 12}" text-anchor="end">{ends[1]}</text></g></svg>'
    )


def _logit(alpha: float) -> float:
    inside = min(max(alpha, 1e-6), 1.0 - 1e-6)
    return math.log(inside / (1.0 - inside))


def _expit(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-odds))


def _short(alpha: float) -> str:
    return f"{alpha:.2g}" if alpha < 0.9 else f"{alpha:.5f}".rstrip("0")


def _table(
    header: Sequence[str], items: Sequence[Item], cells: Callable[[Item], Sequence[str]], word: str
) -> str:
    """Return rows as a table, those in the middle counted where they are many."""
    left = len(items) - HEAD - TAIL
    many = left > 1
    first, last = (items[:HEAD], items[-TAIL:]) if many else (items, items[:0])
    gap = f'<tr><td colspan="{len(header)}">… {left} {word} left out …</td></tr>' if many else ""
    rows = ["".join(_row(cells(item)) for item in part) for part in (first, last)]
    head = "".join(f"<th>{escape(word)}</th>" for word in header)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows[0]}{gap}{rows[1]}</tbody></table>"


def _row(cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"


def _block(summary: str, *parts: str) -> str:
    return f'<div class="quboselect">{STYLE}<strong>{escape(summary)}</strong>{"".join(parts)}</div>'
