"""The command `quboselect`. Words typed by people flow in; tables, names, JSON, pages and files flow out.

::

    reading ─► selecting ─► documents ─► showing, JSON
                   └──────► writing      reduced tables, reports, qubo files: whole or not at all

It is the top of the picture, and the one part of the package that prints. Libraries are loaded by the command that
needs them, so that ``quboselect --help`` answers at once.
"""

import sys
from collections.abc import Sequence

NEEDS = ("typer", "rich", "polars")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and end the process with its exit code: 0, 2 for wrong use, 1 for a failure.

    Parameters
    ----------
    arguments : sequence of str, optional
        What was typed after the command's name; by default that of this process.
    """
    try:
        from .app import run
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in NEEDS:
            raise
        print(
            f"quboselect: the command needs {error.name}, which is not installed: "
            'pip install "quboselect[cli]".',
            file=sys.stderr,
        )
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))
