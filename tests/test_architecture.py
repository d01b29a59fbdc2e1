"""The tree stays the equation: who may import whom, where Numba lives, how long files are, what is public."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import quboselect

SOURCE = Path(quboselect.__file__).parent

# Imports point downwards only; those on one line do not know each other, but for the parts of a folder.
LAYERS = [
    {"cli", "testing"},
    {"plots"},
    {"validation", "resampling"},
    {"folds"},
    {"selector"},
    {"reporting"},
    {"report"},
    {"page"},
    {"streaming", "wide"},
    {"choice", "comparison", "chip"},
    {"device"},
    {"sizes", "enough", "baselines"},
    {"path"},
    {"envelope", "constraints"},
    {"tradeoff", "solvers", "importance", "redundancy"},
    {"aligned", "circuits"},
    {"counts", "correlations", "rows", "proof"},
    {"protocols", "transforming", "nested", "shots", "gpu", "planes"},
    {"samples", "bins"},
    {"target", "files"},
    {"table"},
    {"weights"},
    {"qubo", "frames", "names", "datasets", "notebook"},
    {"_kernels", "threads", "quantiles"},
    {"errors"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
FILES = sorted(SOURCE.rglob("*.py"))


def part(path):
    """Return the layer's name of a source file."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path):
    """Yield (part, top-level module) of everything a file imports."""
    depth = len(path.relative_to(SOURCE).parts)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((None, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield None, node.module.partition(".")[0]
        elif isinstance(node, ast.ImportFrom):
            inside = node.level < depth
            names = [node.module] if node.module else [alias.name for alias in node.names]
            yield from ((part(path) if inside else name.partition(".")[0], None) for name in names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_downwards(path):
    here = part(path)
    if here == "__init__":
        return
    assert here in LEVEL, f"{here} has no layer: give it one in {Path(__file__).name}"
    for there, _ in imports(path):
        if there not in (None, here):
            assert LEVEL[there] > LEVEL[here], f"{here} must not import {there}"


def test_the_package_imports_itself_by_dots_so_that_the_layers_are_seen():
    assert not [path for path in FILES if any(module == "quboselect" for _, module in imports(path))]


def test_numba_lives_in_the_kernels_only():
    users = {part(path) for path in FILES if any(m == "numba" for _, m in imports(path))}
    assert users == {"_kernels"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_stay_short_and_open_with_a_paragraph(path):
    text = path.read_text()
    assert len(text.splitlines()) <= 320
    assert not text or ast.get_docstring(ast.parse(text))


def test_the_public_names_are_what_they_say():
    assert sorted(quboselect.__all__) == sorted(set(quboselect.__all__))
    for name in quboselect.__all__:
        assert getattr(quboselect, name).__doc__
    assert set(quboselect.__all__) <= set(dir(quboselect))
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        quboselect.nonsense  # noqa: B018


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, quboselect; print([m for m in ('numpy', 'numba', 'sklearn', 'scipy') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_the_selector_loads_no_optional_library():
    heavy = "('matplotlib', 'polars', 'dimod', 'dwave', 'qiskit', 'dask', 'torch', 'typer')"
    code = f"import sys; from quboselect import SelectQUBO; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
