"""Kernels that came compiled with the package: called at once, without Numba.

A wheel for one platform holds a library of them, and a table of what is in it; ``hatch_build.py`` makes both. They are
called by Numba's convention, in ``native.c``: a place for the result, one for an error, and each array as its fields.
Types that are not in the table are left to Numba, as is everything where there is no library.
"""

import ctypes
import hashlib
import json
import struct
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
RETURNED = (0, -2)  # Numba's codes for a result, and for None
UNFIT = 1000  # ours for an array of another form
HEAD = object.__basicsize__
WHOLE, POINTER = ctypes.c_int64, ctypes.c_void_p
# What a number is in C, its letter for `struct`, and its types in Python.
NUMBERS: dict[str, tuple[Any, str, Any]] = {
    "i8": (WHOLE, "q", (int, np.integer)),
    "u8": (ctypes.c_uint64, "Q", np.uint64),
    "f8": (ctypes.c_double, "d", float),
    "b1": (ctypes.c_bool, "?7x", (bool, np.bool_)),
}


class Array(ctypes.Structure):
    """What Numba keeps of an array; its sides and its strides follow."""

    _fields_ = (
        ("owner", POINTER),
        ("parent", POINTER),
        ("size", WHOLE),
        ("itemsize", WHOLE),
        ("data", POINTER),
    )


class Form:
    """A kernel for arguments of given types, such as ``i8`` and ``f8[:,::1]``."""

    def __init__(self, library: Any, symbol: str, types: list[str], returned: list[str]) -> None:
        self.library, self.symbol = library, symbol
        self.function = ctypes.cast(library[f"{symbol}_call"], POINTER)
        self.types, self.returned = [_parsed(word) for word in types], [_parsed(word) for word in returned]
        kinds = [(ndim, dtype.itemsize, word.endswith("1]")) for dtype, ndim, word in self.types]
        self.kinds = bytes(number for kind in kinds for number in kind)
        self.packing = struct.Struct(
            "".join("P" if ndim else NUMBERS[word][1] for _, ndim, word in self.types)
        )
        places: list[Any] = [("_", POINTER)] if not returned else []
        for i, (_, ndim, word) in enumerate(self.returned):
            sides = [(f"sides{i}", WHOLE * (2 * ndim))] if ndim else []
            places += [(f"value{i}", Array if ndim else NUMBERS[word][0]), *sides]
        self.result: Any = type("Result", (ctypes.Structure,), {"_fields_": places})

    def __call__(self, given: tuple[Any, ...]) -> Any:
        """Return what the kernel returns, or NotImplemented where it does not take such arguments."""
        numbers = []
        for value, (dtype, ndim, word) in zip(given, self.types, strict=True):
            if ndim and isinstance(value, np.ndarray) and value.dtype == dtype:
                numbers.append(id(value))
            elif not ndim and isinstance(value, NUMBERS[word][2]):
                numbers.append(value)
            else:
                return NotImplemented
        result, packed, count = self.result(), self.packing.pack(*numbers), len(numbers)
        code = self.library.quboselect_call(
            self.function, ctypes.byref(result), packed, self.kinds, count, WHOLE(HEAD)
        )
        if code == UNFIT:
            return NotImplemented
        if code not in RETURNED:
            raise MemoryError(f"{self.symbol} found too little memory.")
        found = []
        for i, (dtype, ndim, _) in enumerate(self.returned):
            value = getattr(result, f"value{i}")
            if ndim:
                # The memory is the library's: it is copied, and freed.
                array = np.empty(getattr(result, f"sides{i}")[:ndim], dtype)
                ctypes.memmove(array.ctypes.data, value.data, array.nbytes)
                self.library.NRT_MemInfo_call_dtor(POINTER(value.owner))
                value = array
            found.append(value)
        return tuple(found) if len(found) > 1 else found[0] if found else None


def _parsed(word: str) -> tuple[Any, int, str]:
    """Return the dtype, the number of sides, and the word, which ends with ``::1]`` if the array must be contiguous."""
    name, array, sides = word.partition("[")
    return np.dtype(name), sides.count(",") + 1 if array else 0, word


class Kernel:
    """A kernel for all types: compiled ones where they fit, else Numba's."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name
        self.forms: list[Form] = []

    def __call__(self, *given: Any) -> Any:
        for form in self.forms:
            found = form(given)
            if found is not NotImplemented:
                return found
        return getattr(numbas(self.module), self.name)(*given)


class Module:
    """A module of kernels: what did not come compiled is Numba's."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(numbas(self._name), name)


def numbas(module: str) -> Any:
    """Return a module whose kernels Numba compiles; the package keeps the one that it has."""
    package = sys.modules[__package__]
    ours = getattr(package, module)
    theirs = import_module(f".{module}", __package__)
    setattr(package, module, ours)  # the import has put its own there
    return theirs


@cache
def modules() -> dict[str, Module]:
    """Return modules of compiled kernels by name: none where there is no library, or it is one of other sources."""
    try:
        table = json.loads((HERE / "native.json").read_text())
        library = ctypes.CDLL(str(HERE / "native.bin"))
    except OSError:
        return {}
    sources = hashlib.sha256()
    for path in sorted(HERE.glob("*.py")):
        sources.update(path.read_bytes().replace(b"\r\n", b"\n"))
    level = library.quboselect_level()
    if level < 0 or sources.hexdigest() != table["sources"]:
        return {}
    found: dict[str, Any] = {"counting": Module("counting")}
    found["counting"].NARROW = table["narrow"][level]
    for module, name, symbol, types, returned in table["kernels"]:
        kernels = found.setdefault(module, Module(module))
        kernel = vars(kernels).setdefault(name, Kernel(module, name))
        kernel.forms.append(Form(library, f"{symbol}_{level}", types, returned))
    return found
