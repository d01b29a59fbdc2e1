"""The README's code runs as printed, and prints what it says."""

import contextlib
import io
import re
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCKS = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_code_of_the_readme_prints_what_it_says():
    blocks = BLOCKS.findall(README.read_text())
    assert sum(kind == "python" for kind, _ in blocks) >= 5
    namespace = {}
    for (kind, code), (following, expected) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if kind != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(README), "exec"), namespace)
        if following == "text":
            assert printed.getvalue() == expected


def test_every_file_the_readme_links_to_is_there():
    text = README.read_text()
    headings = {
        "#" + line.lstrip("# ").lower().replace(" ", "-") for line in text.splitlines() if line[:1] == "#"
    }
    for target in re.findall(r"\]\((?!http)([^)]+)\)", text):
        assert target in headings or (README.parent / target).exists(), target
