"""The README's code runs as printed and prints what it says, and its links lead somewhere."""

import contextlib
import io
import re
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCKS = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_code_of_the_readme_prints_what_it_says():
    blocks = BLOCKS.findall(README.read_text())
    assert sum(kind == "python" for kind, _ in blocks) >= 4
    namespace = {}
    for (kind, code), (following, expected) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if kind != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(README), "exec"), namespace)
        if following == "text":
            assert printed.getvalue() == expected


def test_the_readme_stays_short():
    assert len(README.read_text().splitlines()) <= 160


def heading_anchors(page):
    """Return the anchors that the headings of a Markdown page have."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def test_every_file_and_heading_the_readme_links_to_is_there():
    for target in re.findall(r"\]\((?!http)([^)]+)\)", README.read_text()):
        path, _, anchor = target.partition("#")
        page = README.parent / path if path else README
        assert page.exists(), target
        assert not anchor or anchor in heading_anchors(page), target
