"""The command as a whole: what was typed flows in, commands run, an exit code flows out.

Every command works in a thread of its own while the first one waits for it: so Ctrl-C ends a long count at once, though
nothing interrupts a kernel. Whatever goes wrong becomes a sentence here, and nowhere else.
"""

import os
import sys
import threading
import traceback
from collections.abc import Callable
from functools import wraps
from importlib.metadata import version as installed
from typing import Annotated, Any

import typer

from . import about, qubos, tables
from .failures import CLOSED_PIPE, INTERRUPTED, in_words, say
from .progress import stop_all
from .spreading import spread
from .writing import Nowhere, forget_parts

app = typer.Typer(
    name="quboselect",
    help="The features that say most about the target and repeat each other least, with proof.",
    epilog="Example: quboselect select table.csv --target class -k 10",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
qubo = typer.Typer(
    help="QUBOs as files, to and from other programs.", no_args_is_help=True, rich_markup_mode="rich"
)
app.add_typer(qubo, name="qubo")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"quboselect {installed('quboselect')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Take what stands before the name of a command."""


class Closed(Exception):
    """Whoever read standard output has had enough."""


def interruptible(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs in a thread of its own, so that an interrupt need not wait for it."""

    @wraps(function)
    def waited_for(**given: Any) -> Any:
        outcome: list[Any] = []

        def work() -> None:
            try:
                function(**given)
            except BaseException as error:  # it is raised again below
                outcome.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(1.0)
        except KeyboardInterrupt:
            _end_at_once()
        if outcome:
            if given["saying"].debug and sys.stderr is not None:
                stop_all()
                traceback.print_exception(outcome[0])
            # typer would take the end of a pipe for a failure.
            if isinstance(outcome[0], BrokenPipeError):
                raise Closed from outcome[0]
            raise outcome[0]

    return waited_for


def _end_at_once() -> None:
    """End the process without waiting for its threads, with nothing half written and the cursor shown."""
    forget_parts()
    # It draws on standard error, and what is said there while it does, it draws itself under. Nobody waits for it long.
    stopping = threading.Thread(target=stop_all, daemon=True)
    stopping.start()
    stopping.join(1.0)
    sys.stderr = sys.__stderr__
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write("\r\x1b[2K\x1b[?25h")
    say("interrupted.")
    os._exit(INTERRUPTED)


for group, command in (
    (app, tables.select),
    (app, tables.path),
    (app, tables.report),
    (app, tables.compare),
    (qubo, qubos.export),
    (qubo, qubos.solve),
    (app, about.datasets),
    (app, about.info),
):
    group.command()(spread(interruptible(command)))


def run(arguments: list[str]) -> int:
    """Return the exit code of what was typed, all of it done and said."""
    if sys.stdout is None:
        sys.stdout = Nowhere()
    try:
        command = typer.main.get_command(app)
        code = command.main(arguments, prog_name="quboselect", standalone_mode=False, obj=tuple(arguments))
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (BrokenPipeError, Closed):
        _close_output()
        return CLOSED_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        return _said(error)
    finally:
        stop_all()


def _said(error: Exception) -> int:
    """Tell people of an error, and return its exit code."""
    stop_all()
    # What typer raises for wrong use says so itself; its class has no public name in every version.
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        words, code = str(error.format_message()), int(error.exit_code)
    else:
        words, code = in_words(error)
    if isinstance(error, OSError) and error.filename is None and error.strerror:
        words = f"standard output could not be written: {words}"
        _close_output()
    # Without words, help was printed instead, as no command was named.
    if words:
        say(words)
    return code


def _close_output() -> None:
    """Let nothing be written any more: Python would try once again at its end, and complain."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return
