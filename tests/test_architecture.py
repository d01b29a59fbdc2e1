"""The tree stays the equation: who may import whom, what a fit crosses, where Numba lives, how long files are."""

import ast
import re
import subprocess
import sys
import threading
from collections import defaultdict
from pathlib import Path

import hypothesis
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin

import quboselect
from quboselect import SelectQUBO, SelectQUBOCV
from quboselect.datasets import load_ionosphere

SOURCE = Path(quboselect.__file__).parent
CONTRIBUTING = Path(__file__).resolve().parents[1] / "CONTRIBUTING.md"
FILES = sorted(SOURCE.rglob("*.py"))

# Imports point downwards only; those on one line do not know each other. CONTRIBUTING.md shows this very list.
LAYERS = [
    {"cli", "plots", "testing"},
    {"evaluation"},
    {"selector"},
    {"report", "streaming"},
    {"fitting"},
    {"result"},
    {"explain"},
    {"criteria", "search", "quantum"},
    {"importance", "redundancy", "tradeoff", "solvers"},
    {"proof", "counting", "protocols"},
    {"tables", "datasets", "qubo"},
    {"notebook", "errors", "_kernels"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
SHIPPED = re.compile(r"@kernel\([^)]*\)\ndef (\w+)\(")
QUANTUM_LIBRARIES = {"dimod", "dwave", "hybrid", "qiskit", "qiskit_aer", "qiskit_ibm_runtime", "minorminer"}


def part(path):
    """Return the name in the layers of a source file."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path):
    """Yield (part of ours, top-level module of others) for everything that a file imports, in functions too."""
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


def everything_in_the_root():
    found = {path.stem for path in SOURCE.glob("*.py")} | {
        path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()
    }
    return found - {"__init__", "__main__"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_downwards(path):
    here = part(path)
    if here in ("__init__", "__main__"):
        return
    for there, _ in imports(path):
        if there not in (None, here):
            # The root is asked for names as users ask: what it gives stands in a layer.
            there = quboselect._HOME.get(there, there).partition(".")[0]
            assert LEVEL[there] > LEVEL[here], f"{here} must not import {there}"


def test_every_module_and_folder_has_one_layer_and_every_layer_is_there():
    named = [name for names in LAYERS for name in names]
    assert len(named) == len(set(named))
    assert set(named) == everything_in_the_root()


def test_the_layers_are_those_that_contributors_are_shown():
    block = re.search(r"```layers\n(.*?)```", CONTRIBUTING.read_text(), re.DOTALL).group(1)
    assert [set(line.split()) for line in block.splitlines()] == LAYERS


def test_the_root_is_small():
    modules = [path for path in SOURCE.glob("*.py") if path.stem != "__main__"]
    folders = [path for path in SOURCE.iterdir() if (path / "__init__.py").exists()]
    assert len(modules) <= 10
    assert len(folders) <= 17


def test_the_package_imports_itself_by_dots_so_that_the_layers_are_seen():
    assert not [path for path in FILES if any(module == "quboselect" for _, module in imports(path))]


def test_numba_lives_in_the_kernels_only():
    users = {part(path) for path in FILES if any(m == "numba" for _, m in imports(path))}
    assert users == {"_kernels"}


def test_kernels_are_compiled_and_kept_in_one_way():
    assert [path.name for path in FILES if "njit" in path.read_text()] == ["compiling.py"]
    called = {
        name for path in FILES for name in re.findall(r"_kernels\.([a-z]+\.[a-z_]+)\(", path.read_text())
    }
    assert len(called) > 20
    shipped = {f"{path.stem}.{name}" for path in FILES for name in re.findall(SHIPPED, path.read_text())}
    assert {name for name in called if not name.startswith("statevector.")} <= shipped


def test_only_quantum_knows_an_optional_quantum_library():
    words = re.compile(rf"""(?:import|from|optional\()\s*["']?({"|".join(QUANTUM_LIBRARIES)})\b""")
    assert {part(path) for path in FILES if words.search(path.read_text())} == {"quantum"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_hold_one_concept_and_open_with_a_paragraph(path):
    text = path.read_text()
    assert len(text.splitlines()) <= 500
    assert not text or ast.get_docstring(ast.parse(text))


def test_nothing_in_the_library_knows_a_folder_beside_a_checkout():
    assert not [path for path in FILES if re.search(r"""/ ["']shared["']|\.\./shared""", path.read_text())]


@pytest.mark.parametrize("kind", [SelectQUBO, SelectQUBOCV])
def test_a_selector_is_one_class_with_every_method_of_its_own(kind):
    ours = [base for base in kind.__mro__[1:] if base.__module__.startswith("quboselect")]
    assert len(ours) <= 1
    theirs = {*dir(SelectorMixin), *dir(BaseEstimator)}
    public = {name for name in dir(kind) if not name.startswith("_")}
    assert not [name for name in public - theirs - kind.__dict__.keys() if not name.startswith("set_")]
    assert {"transform", "inverse_transform"} <= kind.__dict__.keys()


def test_asking_for_an_attribute_runs_nothing():
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(k=3).partial_fit(X, y, search=False)
    assert not hasattr(SelectQUBO, "__getattr__")
    assert not hasattr(selector, "support_")
    assert hasattr(selector.partial_fit(X, y), "support_")


def test_a_fit_crosses_few_files_and_functions():
    X, y = load_ionosphere(return_X_y=True)
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    SelectQUBO(k=5).fit(frame, y)
    crossed = defaultdict(set)

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(SOURCE)) and not code.co_name.startswith("<"):
            crossed[code.co_filename].add(code.co_qualname)

    selector = SelectQUBO(k=5)
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        selector.fit(frame, y)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert 10 < len(crossed) <= 25, sorted(crossed)
    assert sum(map(len, crossed.values())) <= 140, dict(crossed)


def test_the_public_names_are_what_they_say():
    assert sorted(quboselect.__all__) == sorted(set(quboselect.__all__))
    for name in quboselect.__all__:
        assert getattr(quboselect, name).__doc__
    assert set(quboselect.__all__) <= set(dir(quboselect))
    with pytest.raises(AttributeError, match="nonsense"):
        quboselect.nonsense  # noqa: B018


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, quboselect; print([m for m in ('numpy', 'numba', 'sklearn', 'scipy') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_the_selector_loads_no_optional_library():
    heavy = "('numba', 'matplotlib', 'polars', 'dimod', 'dwave', 'qiskit', 'dask', 'torch', 'typer')"
    code = f"import sys; from quboselect import SelectQUBO; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_what_hypothesis_found_is_not_kept_in_the_checkout():
    # It may be closed to writing, and a warning of that would be an error.
    assert hypothesis.settings.default.database is None
