"""The page of results: puts a table into README.md, between the markers of its section."""

import os
import platform
import re
from pathlib import Path

from quboselect import __version__

PAGE = Path(__file__).parent / "README.md"


def machine() -> str:
    """Return what a measurement was made with and on."""
    python = f"Python {platform.python_version()}"
    return f"quboselect {__version__}, {python}, {os.cpu_count()} cores, {platform.machine()}"


def put(section: str, text: str) -> None:
    """Put a text between ``<!-- section -->`` and the next ``<!-- end -->``."""
    marked = re.compile(rf"(<!-- {section} -->\n).*?(\n<!-- end -->)", re.DOTALL)
    PAGE.write_text(marked.sub(lambda match: match[1] + text + match[2], PAGE.read_text()))
