"""The command ``quboselect``.

::

    options ─► reading (files) ─► tables ─► documents ─► showing, or JSON
                                    └─────► writing: reduced tables, reports, QUBOs

This is the only part of the package that prints. Libraries are loaded by the command that needs them, so that
``quboselect --help`` answers at once.
"""

import os
import sys
from collections.abc import Sequence

NEEDS = ("typer", "rich", "polars")
# polars' allocator would keep freed memory for a while, as much again as a table takes.
ALLOCATOR = ("_RJEM_MALLOC_CONF", "dirty_decay_ms:0,muzzy_decay_ms:0")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and end the process with its exit code: 0, 2 for wrong use, 1 for a failure.

    Parameters
    ----------
    arguments : sequence of str, optional
        What was typed after the command's name; by default that of this process.
    """
    os.environ.update([ALLOCATOR])
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
