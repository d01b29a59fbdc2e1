"""What goes wrong, in words: an exception flows in, a sentence and an exit code flow out.

2 is for what was typed, 1 for what was found: a file, a machine, a library.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

WRONG_USE, FAILURE, INTERRUPTED, CLOSED_PIPE = 2, 1, 130, 141
LONGEST, LONGEST_NAME = 600, 60  # characters of a sentence, and of a name within one
# What people type for what the library calls by its Python names.
TYPED = {
    "Portfolio": "portfolio",
    "BranchAndBound": "branch",
    "Exhaustive": "exhaustive",
    "Tabu": "tabu",
    "Anneal": "anneal",
    "QuantumAnnealing": "quantum-annealing",
    "QAOA": "qaoa",
    "VQE": "vqe",
}
PYTHON = {"y": "the target", "X": "the table"}


class Stop(Exception):
    """The end of a command, with the sentence for people and the exit code for shells."""

    code = FAILURE


class Wrong(Stop):
    """What was typed cannot be done."""

    code = WRONG_USE


class Failed(Stop):
    """What was typed is in order, but a file or the machine is not."""


@contextmanager
def wrong_use() -> Iterator[None]:
    """Take errors about values within the block for errors about what was typed."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise Wrong(typed_names(str(error))) from error


def cut(text: str, longest: int = LONGEST_NAME) -> str:
    """Return a text without its middle where it is long.

    Examples
    --------
    >>> cut("short"), cut("abcdefghij", 5)
    ('short', 'ab...ij')
    """
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]}...{text[-half:]}"


def one_line(name: str) -> str:
    r"""Return a name as it stands in a line: as JSON writes it where it has line breaks or other marks of control.

    Examples
    --------
    >>> print(one_line("pay"), one_line("two\nlines"))
    pay "two\nlines"
    """
    return name if name.isprintable() else json.dumps(name, ensure_ascii=False)


def typed_names(words: str) -> str:
    """Return words of the library with the names that people type.

    Examples
    --------
    >>> typed_names("solvers.Exhaustive takes at most 30 bits; use solvers.BranchAndBound.")
    '--solver exhaustive takes at most 30 bits; use --solver branch.'
    >>> typed_names("y is taken for 9 classes: if it is a number, say target_type='continuous'.")
    'the target is taken for 9 classes: if it is a number, say --target-kind continuous.'
    """
    words = re.sub(
        rf"\bsolvers\.({'|'.join(TYPED)})\b(\(\))?", lambda found: f"--solver {TYPED[found[1]]}", words
    )
    words = re.sub(r"\btarget_type='(classes|continuous)'", r"--target-kind \1", words).replace(
        "k='auto'", "-k auto"
    )
    return re.sub(r"^(y|X)(?= (is|has|must)\b)", lambda found: PYTHON[found[1]], words)


def listed(names: Iterable[str], most: int = 6) -> str:
    """Return some names as text, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b"]), listed("abcdefgh", 2)
    ("'a', 'b'", "'a', 'b' and 6 more")
    """
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(repr(cut(name)) for name in every[:most]) + more


def plural(count: int) -> str:
    """Return the word for so many features.

    Examples
    --------
    >>> plural(1), plural(2)
    ('feature', 'features')
    """
    return "feature" if count == 1 else "features"


def near(name: str, names: Iterable[str]) -> str:
    """Return a hint at what may have been meant: names that look alike, or else which there are.

    Examples
    --------
    >>> near("clas", ["age", "class"]), near("y", ["age", "class"])
    ("did you mean 'class'?", "there are 'age', 'class'.")
    """
    every = list(names)
    alike = get_close_matches(name, every, 3)
    folded = [each for each in every if each.strip().casefold() == name.strip().casefold()]
    found = list(dict.fromkeys(folded + alike))[:3]
    if not found:
        return f"there are {listed(every)}."
    return f"did you mean {' or '.join(repr(cut(each)) for each in found)}?"


def in_words(error: BaseException) -> tuple[str, int]:
    """Return what to tell people of an error, and the exit code."""
    if isinstance(error, Stop):
        return str(error), error.code
    if isinstance(error, MemoryError):
        return (
            "there is not enough memory: drop features or samples of the table, or bits of the QUBO, first.",
            FAILURE,
        )
    if isinstance(error, OSError) and error.strerror:
        where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        return f"{where}{error.strerror}.", FAILURE
    words = typed_names(_first_sentences(str(error)))
    if isinstance(error, ValueError | TypeError | ImportError | OSError | NotImplementedError):
        return words or type(error).__name__, FAILURE
    return f"{type(error).__name__}: {words} This is a mistake of ours: --debug shows where.", FAILURE


def _first_sentences(text: str) -> str:
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return first if not first or first[-1] in ".?!" else first + "."


def say(words: str, kind: str = "") -> None:
    """Print a line on standard error, which nothing that is read by programs goes to."""
    if sys.stderr is None:
        # Python would print it on standard output instead.
        return
    try:
        print(f"quboselect: {kind}{cut(' '.join(words.split()), LONGEST)}", file=sys.stderr, flush=True)
    except OSError:
        # Nobody is listening, and there is nobody else to tell.
        return
