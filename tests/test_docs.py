"""The documentation: its code prints what it says, its links lead somewhere, and the site builds."""

import contextlib
import inspect
import io
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import quboselect

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
BLOCKS = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Where the code of a page needs more than the core.
NEEDS = {"howto/plots.md": "matplotlib", "howto/large_tables.md": "pyarrow"}


def name(page):
    return page.relative_to(DOCS).as_posix()


# Whose public names the reference must have, as their `__all__` says.
MODULES = (
    "criteria",
    "datasets",
    "importance",
    "plots",
    "quantum",
    "quantum.circuits",
    "redundancy",
    "search",
    "solvers",
    "tables",
    "testing",
)
STREAMING = (
    "fit_spark",
    "Coding",
    "JointCounts",
    "Moments",
    "Reading",
    "Tally",
    "reading_of",
    "selector_reading",
)
ERRORS = ("FewSamplesWarning", "MissingExtra", "OffPathWarning", "Refuted")
# Whose members it must have: every class that users make, or that functions return.
CLASSES = [
    "quboselect.SelectQUBO",
    "quboselect.SelectQUBOCV",
    "quboselect.QUBO",
    "quboselect.Constraints",
    "quboselect.Solutions",
    "quboselect.Tradeoff",
    "quboselect.report.stability.Stability",
    "quboselect.report.comparison.Comparison",
    "quboselect.result.Result",
    "quboselect.search.BenjaminiHochberg",
    "quboselect.search.Chance",
    "quboselect.search.Path",
    "quboselect.search.Segment",
    "quboselect.search.wide.whole.Core",
    "quboselect.criteria.CIFE",
    "quboselect.criteria.CMI",
    "quboselect.criteria.Criterion",
    "quboselect.criteria.DISR",
    "quboselect.criteria.ICAP",
    "quboselect.criteria.JMI",
    "quboselect.criteria.MIFS",
    "quboselect.criteria.MRMR",
    "quboselect.criteria.Pairs",
    "quboselect.criteria.QFS",
    "quboselect.streaming.Coding",
    "quboselect.streaming.JointCounts",
    "quboselect.streaming.Reading",
    "quboselect.streaming.Tally",
]
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


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder of the site, built as `make docs` builds it."""
    pytest.importorskip("material", reason="mkdocs-material is not installed")
    pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder


def test_the_site_builds_without_a_warning_and_loads_nothing_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) >= len(PAGES)
    fetched = re.compile(
        r"""<(?:script|img|iframe|link[^>]*stylesheet)[^>]*(?:src|href)=["']?(?:https?:)?//"""
    )
    assert [page.name for page in pages if fetched.search(page.read_text())] == []


@pytest.fixture(scope="module")
def anchors(site):
    """Return the anchors of the reference; a parameter `b` of `a` is `a(b)`."""
    pages = (page.read_text() for page in (site / "reference").glob("*.html"))
    return {anchor for page in pages for anchor in re.findall(r'id="(quboselect[^"]*)"', page)}


def test_the_reference_has_every_public_name(anchors):
    names = [f"quboselect.{name}" for name in quboselect.__all__]
    names += ["quboselect.streaming." + name for name in STREAMING]
    names += ["quboselect.errors." + name for name in ERRORS]
    for module in MODULES:
        own = set(import_module(f"quboselect.{module}").__all__) - set(quboselect.__all__)
        names += [f"quboselect.{module}.{name}" for name in sorted(own)]
    assert [name for name in names if name not in anchors] == []


def public_members(cls):
    """Return the parameters, fields, properties and methods of a class, without those that scikit-learn gives it."""
    names = [name for name in inspect.signature(cls).parameters if name not in ("args", "kwargs")]
    for owner in cls.__mro__:
        if owner.__module__.startswith("quboselect"):
            names += [*vars(owner), *inspect.get_annotations(owner)]
    return sorted({name for name in names if not re.match(r"_|set_\w+_request$", name)})


@pytest.mark.parametrize("path", CLASSES)
def test_the_reference_has_every_member_of_a_public_class(path, anchors):
    module, _, name = path.rpartition(".")
    members = public_members(getattr(import_module(module), name))
    assert len(members) >= 3
    assert [member for member in members if not {f"{path}.{member}", f"{path}({member})"} & anchors] == []
