"""The command itself: it takes what was typed, runs a command, and returns an exit code.

Every command works in a thread of its own while the main thread waits: so Ctrl-C, or a signal that asks the process to
end, ends a long count at once, although nothing can interrupt a kernel. Every error becomes a sentence here.
"""

import inspect
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from importlib.metadata import version as installed_version
from typing import Annotated, Any, get_type_hints

import typer

from . import about, answers, qubos, tables
from .messages import CLOSED_PIPE, ENDED_BY, FAILURE, INTERRUPTED, WRONG_USE, Stop, end_progress, say
from .options import typed_names
from .writing import ClosedOutput

WORKER = "quboselect"  # the thread of a command

app = typer.Typer(
    name="quboselect",
    help="Select the features that say most about the target and repeat each other least, with proof.",
    epilog="Example: quboselect select table.csv --target class -k 10",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
qubo = typer.Typer(
    help="Exchange QUBOs with other programs as files.", no_args_is_help=True, rich_markup_mode="rich"
)
app.add_typer(qubo, name="qubo")


class ClosedPipe(Exception):
    """The program that reads standard output has ended; typer would take BrokenPipeError for a failure."""


def _version(wanted: bool) -> None:
    if wanted:
        print(f"quboselect {installed_version('quboselect')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Take the options before the name of a command."""


def with_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command whose options are the fields of the groups that a function takes as arguments."""
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []

    def add(name: str, default: Any, annotation: Any) -> None:
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=annotation))

    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        group = hints[name]
        if not (isinstance(group, type) and is_dataclass(group)):
            add(name, parameter.default, group)
            continue
        groups[name] = group
        annotations = get_type_hints(group, include_extras=True)
        for field in fields(group):
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            add(field.name, default, annotations[field.name])

    @wraps(function)
    def command(**given: Any) -> None:
        made = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        run_in_thread(lambda: function(**made, **given), debug=made["saying"].debug)

    del command.__wrapped__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


def run_in_thread(work: Callable[[], None], *, debug: bool) -> None:
    """Do some work in a thread, so that an interrupt need not wait for it."""
    errors: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:  # it is raised again below
            errors.append(error)

    thread = threading.Thread(target=guarded, name=WORKER, daemon=True)
    try:
        thread.start()
        while thread.is_alive():
            thread.join(1.0)
    except KeyboardInterrupt:
        _end_at_once(INTERRUPTED, "interrupted.")
    if not errors:
        return
    if debug and sys.stderr is not None:
        end_progress()
        traceback.print_exception(errors[0])
    if isinstance(errors[0], BrokenPipeError):
        raise ClosedPipe from errors[0]
    raise errors[0]


def _end_at_once(code: int, words: str) -> None:
    """End the process without waiting for its threads; show the cursor and remove unfinished files."""
    try:
        # It may be drawing just now, and is not worth a long wait.
        stopping = threading.Thread(target=end_progress, daemon=True)
        stopping.start()
        stopping.join(1.0)
        sys.stderr = sys.__stderr__
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[2K\x1b[?25h")
        say(words)
    finally:
        # What was never loaded, or not to its end, has begun no file.
        files = sys.modules.get("quboselect.tables.files")
        getattr(files, "remove_unfinished", lambda: None)()
        os._exit(code)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let signals that ask the process to end do so at once, without a half-written file, and not those ignored."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        for name in ENDED_BY:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(
                    number,
                    lambda number, _: _end_at_once(128 + number, f"ended by {signal.Signals(number).name}."),
                )
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


for group, commands in (
    (
        app,
        (tables.select, answers.rank, answers.explain, answers.alternatives, answers.stability, answers.cv),
    ),
    (app, (tables.path, tables.report, tables.compare, about.datasets, about.info)),
    (qubo, (qubos.export, qubos.solve)),
):
    for each in commands:
        group.command()(with_options(each))


def run(arguments: list[str]) -> int:
    """Return the exit code of what was typed, after all of it is done."""
    if sys.stdout is None:
        sys.stdout = ClosedOutput()
    try:
        command = typer.main.get_command(app)
        with ended_by_signals():
            code = command.main(
                arguments, prog_name="quboselect", standalone_mode=False, obj=tuple(arguments)
            )
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (BrokenPipeError, ClosedPipe):
        _close_output()
        return CLOSED_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        end_progress()
        words, code = error_words(error)
        if isinstance(error, OSError) and error.filename is None:
            _close_output()
        # Without words typer has printed the help instead, as no command was named.
        if words:
            say(words)
        return code
    finally:
        if any(thread.name == WORKER for thread in threading.enumerate()):
            # Only an interrupt leaves it at work, and Python may abort where it writes while all is taken down.
            _end_at_once(INTERRUPTED, "interrupted.")
        end_progress()


def error_words(error: Exception) -> tuple[str, int]:
    """Return the sentence that tells of an error, and the exit code."""
    if isinstance(error, Stop):
        return str(error), error.code
    # typer's errors about wrong use; their class has no public name in every version.
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        return str(error.format_message()).replace("Value error, ", ""), int(error.exit_code)
    if isinstance(error, MemoryError):
        return "there is not enough memory: use fewer features or samples, or a smaller QUBO.", FAILURE
    if isinstance(error, OSError) and error.strerror:
        known = isinstance(error.filename, str | bytes)
        where = os.fsdecode(error.filename) if known else "standard output could not be written"
        return f"{where}: {error.strerror}.", FAILURE
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    words = typed_names(first if first[-1] in ".?!" else f"{first}.")
    if isinstance(error, ValueError | TypeError | ImportError | OSError | NotImplementedError):
        # A sentence that begins with an option is about what was typed.
        typed = isinstance(error, ValueError | TypeError) and words.startswith("--")
        return words, WRONG_USE if typed else FAILURE
    return f"{type(error).__name__}: {words} This is a mistake of ours: --debug shows where.", FAILURE


def _close_output() -> None:
    """Close standard output for good: Python would try to write to it once more at its end, and complain."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return
