"""Pages of the site that stand elsewhere in the checkout. mkdocs calls this.

Examples become the gallery. The READMEs of the benchmarks and the experiments, the changes and the rules for
contributors are shown as they are. Links to files that are no part of the site become plain text, and attributes in
the reference get anchors.
"""

import ast
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
BORROWED = ("benchmarks/README.md", "experiments/README.md", "CHANGELOG.md", "CONTRIBUTING.md")
PICTURES = ("benchmarks/results", "experiments/figures")
# The examples, and what `make figures` draws of them.
GALLERY = {
    "first_selection": ["pictures/first_selection.svg"],
    "what_alpha_does": ["path.svg", "pictures/entry.svg"],
    "own_measure": [],
    "own_solver": [],
    "pipeline": ["pictures/pipeline.svg"],
    "mixed_table": [],
    "few_positives": [],
    "genes": [],
    "words": [],
    "lags": [],
}
# What a cell of an example prints stands at its end, after this.
PRINTED = "# >"
# An attribute that a docstring lists, in the list that mkdocstrings makes of it.
ATTRIBUTE = re.compile(
    r'<li class="doc-section-item field-body">(?=\s*<b><code><autoref identifier="([^"]+)")'
)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|#|mailto:)([^)\s]+)\)")


def on_files(files: Any, config: Any) -> Any:
    """Add what stands elsewhere to the files of the site."""
    for name in BORROWED:
        files.append(File.generated(config, name, content=(ROOT / name).read_text()))
    for folder in PICTURES:
        for picture in sorted((ROOT / folder).glob("*.svg")):
            place = picture.relative_to(ROOT).as_posix()
            files.append(File.generated(config, place, abs_src_path=str(picture)))
    for name in GALLERY:
        files.append(File.generated(config, f"gallery/{name}.md", content=gallery(name)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:  # noqa: ARG001
    """Turn links into those of the site, and links to other files of the checkout into plain text."""
    here = page.file.src_uri
    # Pages of docs/ stand one level deeper in the checkout than in the site.
    original = here if here in BORROWED else f"docs/{here}"

    def replaced(match: re.Match[str]) -> str:
        picture, words, target = match.groups()
        path, _, anchor = target.partition("#")
        place = posixpath.normpath(posixpath.join(posixpath.dirname(original), path)).removeprefix("docs/")
        if place.startswith("examples/") and (stem := Path(place).stem) in GALLERY:
            place = f"gallery/{stem}.md"
        if files.get_file_from_path(place) is None:
            return words if (ROOT / place).exists() else match.group()
        link = posixpath.relpath(place, posixpath.dirname(here) or ".")
        return f"{picture}[{words}]({link}{'#' + anchor if anchor else ''})"

    return LINK.sub(replaced, markdown)


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:  # noqa: ARG001
    """Give the attributes that a docstring lists an anchor each, as methods have."""

    def anchored(match: re.Match[str]) -> str:
        owner, _, names = match.group(1).rpartition(".")
        places = [f'id="{owner}.{name}"' for name in names.split(", ")]
        return match.group() + "".join(f"<span {place}></span>" for place in places if place not in html)

    return ATTRIBUTE.sub(anchored, html)


def gallery(name: str) -> str:
    """Return an example as a page: its question, its picture, its cells with comments as text, and what they print."""
    source = (ROOT / "examples" / f"{name}.py").read_text()
    question, _, words = (ast.get_docstring(ast.parse(source)) or "").split("\n", 2)
    lines = [f"# {question}", "", words.strip(), ""]
    for picture in GALLERY[name]:
        lines += [f"![What the example draws](../{picture})", ""]
    body = source.split('"""', 2)[2].strip("\n")
    for cell in re.split(r"^# %%\n", body, flags=re.MULTILINE):
        said, code = [], cell.strip("\n").split("\n")
        while code and code[0].startswith("# "):
            said.append(code.pop(0).removeprefix("# "))
        printed = [line[len(PRINTED) + 1 :] for line in code if line.startswith(PRINTED)]
        code = [line for line in code if not line.startswith(PRINTED)]
        lines += [*said, "", "```py", *code, "```", ""]
        if printed:
            lines += ["```text", *printed, "```", ""]
    return "\n".join([*lines, f"`python examples/{name}.py` runs it."])
