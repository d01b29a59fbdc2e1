"""The documentation: its code prints what it says, its links lead somewhere, and the site builds."""

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
BLOCKS = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Where the code of a page needs more than the core.
NEEDS = {"howto/plots.md": "matplotlib", "howto/large_tables.md": "pyarrow"}


def name(page):
    return page.relative_to(DOCS).as_posix()


WITH_CODE = [page for page in PAGES if "```python\n" in page.read_text()]


def test_most_pages_have_code_that_runs():
    assert len(WITH_CODE) >= 8


@pytest.mark.parametrize("page", WITH_CODE, ids=name)
def test_the_code_of_a_page_prints_what_it_says(page, monkeypatch, tmp_path):
    if name(page) in NEEDS:
        pytest.importorskip(NEEDS[name(page)])
    if "matplotlib" in page.read_text():
        pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    blocks = BLOCKS.findall(page.read_text())
    namespace = {}
    for (kind, code), (following, expected) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if kind != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(page), "exec"), namespace)
        if following == "text":
            assert printed.getvalue() == expected


# What the site borrows from elsewhere in the checkout, and makes of the examples.
BORROWED = {
    "benchmarks/README.md": "benchmarks/README.md",
    "experiments/README.md": "experiments/README.md",
}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_file_a_page_links_to_is_there(page):
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text()):
        place = (page.parent / target).resolve()
        inside = place.relative_to(DOCS).as_posix() if place.is_relative_to(DOCS) else ""
        example = ROOT / "examples" / f"{Path(inside).stem}.py"
        made = inside in BORROWED or (inside.startswith("gallery/") and example.exists())
        assert place.exists() or made, target


def test_every_page_is_in_the_navigation():
    settings = (ROOT / "mkdocs.yml").read_text()
    assert [name(page) for page in PAGES if f": {name(page)}\n" not in settings] == []


def test_the_site_builds_without_a_warning_and_asks_nobody_for_anything(tmp_path):
    pytest.importorskip("material", reason="mkdocs-material is not installed")
    pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed")
    import subprocess
    import sys

    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) >= len(PAGES)
    fetched = re.compile(
        r"""<(?:script|img|iframe|link[^>]*stylesheet)[^>]*(?:src|href)=["']?(?:https?:)?//"""
    )
    assert [page.name for page in pages if fetched.search(page.read_text())] == []
