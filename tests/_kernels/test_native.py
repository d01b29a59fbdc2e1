"""Kernels that came compiled do what they do in Python, and where they do not fit, Numba's are called."""

import ctypes
import hashlib
import importlib
import importlib.util
import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from quboselect import _kernels
from quboselect._kernels import compiling, exhaustive, native

BUILD = Path(__file__).resolve().parents[2] / "hatch_build.py"


def scaled(values, factor):
    total = 0.0
    out = np.empty((2, values.size))
    for i in range(values.size):
        out[0, i] = factor * values[i]
        out[1, i] = np.log2(values[i])
        total += out[0, i]
    return out, total, values.size, total > 0.0


def marked(rows, word, flag):
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            rows[i, j] = (word >> np.uint64(j)) & np.uint64(1) if flag else i


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Where the library is."""
    return tmp_path_factory.mktemp("library") / "native.bin"


@pytest.fixture(scope="module")
def forms(library):
    """Both functions, from a library."""
    if not BUILD.with_name("src").exists() or shutil.which(os.environ.get("CC", "cc")) is None:
        pytest.skip("needs a checkout and a compiler of C")
    spec = importlib.util.spec_from_file_location("hatch_build", BUILD)
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    functions = [(scaled, ("f8[:] f8",)), (marked, ("u1[:,::1] u8 b1",))]
    rows = build.write_objects(functions, library.parent, 0)
    build.link(rows, 1, library.parent, library)
    loaded = ctypes.CDLL(str(library))
    return {
        name: native.Form(loaded, f"{symbol}_0", types, returned) for _, name, symbol, types, returned in rows
    }


@pytest.mark.parametrize("values", [np.arange(1.0, 8.0), np.arange(1.0, 15.0)[::2], np.empty(0)])
def test_arrays_and_numbers_come_back(forms, values):
    out, total, size, positive = forms["scaled"]((values, 2.5))
    expected = scaled(values, 2.5)
    np.testing.assert_array_equal(out, expected[0])
    assert (total, size, positive) == expected[1:]
    out[:] = 0.0  # the memory is ours


@pytest.mark.parametrize("flag", [True, np.False_])
def test_arrays_are_changed_in_place(forms, flag):
    found, expected = np.zeros((3, 8), np.uint8), np.zeros((3, 8), np.uint8)
    assert forms["marked"]((found, np.uint64(0xA5), flag)) is None
    marked(expected, np.uint64(0xA5), flag)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "given",
    [
        (np.zeros((2, 2), np.uint16), np.uint64(1), True),
        (np.zeros(2, np.uint8), np.uint64(1), True),
        (np.zeros((4, 4), np.uint8)[:, ::2], np.uint64(1), True),
        (np.zeros((2, 2), np.uint8), 1, True),
        (np.zeros((2, 2), np.uint8), np.uint64(1), 1.0),
        ([[0, 0]], np.uint64(1), True),
    ],
)
def test_other_types_are_left_to_numba(forms, given):
    assert forms["marked"](given) is NotImplemented


def test_a_kernel_that_does_not_fit_is_numbas(monkeypatch):
    ours = native.Module("exhaustive")
    monkeypatch.setattr(_kernels, "exhaustive", ours)
    words = np.uint64(1), np.uint64(3)
    for kernel in (native.Kernel("exhaustive", "precedes"), ours.precedes):
        assert kernel(*words) == exhaustive.precedes(*words)
        assert _kernels.exhaustive is ours


def test_kernels_name_as_many_types_as_they_take():
    for path in Path(native.__file__).parent.glob("*.py"):
        importlib.import_module(f"quboselect._kernels.{path.stem}")
    assert len(compiling.shipped) > 20
    for function, types in compiling.shipped:
        assert {len(words.split()) for words in types} == {function.__code__.co_argcount}, function


def test_a_library_is_used_only_with_the_sources_it_was_made_of(forms, library, tmp_path, monkeypatch):
    monkeypatch.setattr(native, "HERE", tmp_path)
    assert native.modules.__wrapped__() == {}
    shutil.copy(library, tmp_path / "native.bin")
    for sources, used in ((b"", True), (b"other", False)):
        table = {"sources": hashlib.sha256(sources).hexdigest(), "narrow": [1, 1], "kernels": []}
        (tmp_path / "native.json").write_text(json.dumps(table))
        assert bool(native.modules.__wrapped__()) is used
    (tmp_path / "native.bin").unlink()
    (tmp_path / "native.bin").write_bytes(b"no library")
    assert native.modules.__wrapped__() == {}


def test_no_kernel_asks_for_what_numba_alone_has():
    # Numba makes them calls of its own library, which the compiled one is linked without.
    for path in sorted(Path(_kernels.__file__).parent.glob("*.py")):
        if path.name not in ("native.py", "compiling.py"):
            assert not re.search(r"\.(reshape|ravel|flatten|view|sort)\(", path.read_text()), path.name
