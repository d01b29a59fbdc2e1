"""Tables that fit a terminal. Columns flow in, a table that is no wider than there is room flows out.

Where there is little room, text is broken into lines, and whole columns go: those that stand in for numbers first, then
the less important numbers. What is left of the numbers has all its digits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

NARROW = 14  # characters that text needs at least, where it is longer
BETWEEN = 2  # characters between two columns


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    name : str
        What stands above it.
    cells : sequence of str or Text
    goes : int
        Columns with larger numbers go first where there is no room; those with 0 stay.
    text : bool
        Whether it may be broken into lines. Numbers may not, and stand to the right.
    """

    name: str
    cells: Sequence[str | Text]
    goes: int = 0
    text: bool = False

    @property
    def width(self) -> int:
        """How wide it is where nothing is broken."""
        lines = [*self.name.splitlines(), *(line for cell in self.cells for line in str(cell).splitlines())]
        return max(map(cell_len, lines), default=0)

    @property
    def least(self) -> int:
        """How narrow it may get."""
        return min(self.width, NARROW) if self.text and self.name else self.width


def drawn(columns: Sequence[Column], room: int) -> Table:
    """Return a table of as many columns as there is room for.

    Examples
    --------
    >>> columns = [Column("name", ["a" * 30], text=True), Column("one", ["1.25"], 1), Column("two", ["2.5"], 2)]
    >>> [column.header for column in drawn(columns, 80).columns]
    ['name', 'one', 'two']
    >>> [column.header for column in drawn(columns, 20).columns]
    ['name', 'one']
    """
    kept = list(columns)
    while _least(kept) > room and any(column.goes for column in kept):
        kept.remove(max(kept, key=lambda column: column.goes))
    left = room - _least(kept)
    table = Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold"
    )
    for column in kept:
        more = min(column.width - column.least, max(left, 0))
        left -= more
        table.add_column(
            column.name,
            justify="left" if column.text else "right",
            width=column.least + more,
            overflow="fold",
            no_wrap=not column.text,
        )
    for row in zip(*(column.cells for column in kept), strict=True):
        table.add_row(*row)
    return table


def _least(columns: Sequence[Column]) -> int:
    return sum(column.least for column in columns) + BETWEEN * (len(columns) - 1)
