"""The constants of the paper, read from ``paper.toml``; and where the results and the authors' files are.

Only ``decoder.py`` repeats some of them, because it is copied to other machines alone; a test compares the two.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

FILE = Path(__file__).with_name("paper.toml")
RESULTS = Path(__file__).with_name("results")
# Data sets and the authors' files, where they stand beside the checkout; they are read, never copied.
SHARED = Path(__file__).resolve().parents[2] / "shared"
REFERENCE = SHARED / "reference"


def section(name: str) -> Mapping[str, Any]:
    """Return one section of ``paper.toml``.

    Examples
    --------
    >>> section("one")["k"], section("two")["k"]["mnist"]
    (30, 30)
    """
    try:
        found: Mapping[str, Any] = _constants()[name]
    except KeyError:
        raise KeyError(f"{FILE.name} has the sections {', '.join(_constants())}, not {name!r}.") from None
    return found


def results(quick: bool) -> Path:
    """Return the folder of the results; those of quick runs stand apart, and are not committed."""
    return RESULTS / "quick" if quick else RESULTS


def reference(name: str) -> Path | None:
    """Return one of the authors' files, or None where it is not to be had."""
    return path if (path := REFERENCE / name).is_file() else None


@cache
def _constants() -> Mapping[str, Any]:
    return _frozen(tomllib.loads(FILE.read_text(encoding="utf-8")))


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return MappingProxyType({name: _frozen(part) for name, part in value.items()})
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
