"""Wheels for one platform hold the kernels compiled: ``HATCH_BUILD_HOOK_ENABLE_CUSTOM=1 python -m build --wheel``.

``python hatch_build.py`` puts the same library into the source tree. Numba makes LLVM's code of each kernel that names
its types, as it does in a process; LLVM makes objects of that, and the C compiler one library of these. It depends on
no version of Python, NumPy or Numba. Where there is none, Numba compiles when a kernel is called.
"""

import hashlib
import json
import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand
    BuildHookInterface = object

KERNELS = Path(__file__).resolve().parent / "src/quboselect/_kernels"
LIBRARY, TABLE = "native.bin", "native.json"
AVX512 = "+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl,+avx512vpopcntdq"
# Processors, from old to new: LLVM's name and features, and up to how many codes planes beat samples there.
LEVELS = {
    "x86_64": [("x86-64-v3", "", 15), ("x86-64-v4", AVX512, 27)],
    "aarch64": [("generic", "", 15)],
    "arm64": [("apple-m1", "", 15)],
}


class Compiled(BuildHookInterface):  # type: ignore[misc]
    """Adds the library to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Compile, and say for which platform the wheel is."""
        folder = Path(tempfile.mkdtemp())
        build(folder)
        for name in (LIBRARY, TABLE):
            build_data["force_include"][str(folder / name)] = f"quboselect/_kernels/{name}"
        tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"], build_data["tag"] = False, f"py3-none-{tag}"


def build(folder: Path) -> None:
    """Write the library, and the table of what is in it."""
    levels = LEVELS.get(platform.machine())
    if levels is None:
        raise SystemExit(
            f"Kernels are compiled for {', '.join(LEVELS)}, not for {platform.machine()}: see LEVELS."
        )
    with tempfile.TemporaryDirectory() as objects:
        for level, (cpu, features, _) in enumerate(levels):
            chosen = {"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": features, "NUMBA_CACHE_DIR": objects}
            chosen["PYTHONPATH"] = os.pathsep.join([str(KERNELS.parents[1]), *filter(None, sys.path)])
            command = [sys.executable, __file__, objects, str(level)]
            subprocess.run(command, env={**os.environ, **chosen}, check=True)
        kernels = json.loads((Path(objects) / TABLE).read_text())
        link(kernels, len(levels), Path(objects), folder / LIBRARY)
    table = {"sources": source_hash(), "narrow": [narrow for *_, narrow in levels], "kernels": kernels}
    (folder / TABLE).write_text(json.dumps(table))


def link(kernels: list[Any], levels: int, objects: Path, library: Path) -> None:
    """Make one library of the objects in a folder."""
    (objects / "calls.c").write_text(calls(kernels, levels))
    made = sorted(map(str, objects.glob("*.o")))
    # On Linux a library may lack what it calls, until it is called.
    whole = ["-s", "-Wl,-z,defs"] if sys.platform == "linux" else []
    command = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O2", *whole, "-o", str(library)]
    subprocess.run([*command, str(KERNELS / "native.c"), str(objects / "calls.c"), *made, "-lm"], check=True)


def calls(kernels: list[Any], levels: int) -> str:
    """Return functions in C that call kernels with what lies in an array."""
    lines = ["#include <stdint.h>", "typedef union { int64_t i8; uint64_t u8; double f8; void *p; } Slot;"]
    kinds = {"i8": "int64_t", "u8": "uint64_t", "f8": "double", "b1": "_Bool"}
    for _, _, symbol, types, _ in kernels:
        taken = []
        for word in types:
            sides = 2 * (word.count(",") + 1)
            taken += ["p", "p", "i8", "i8", "p", *sides * ["i8"]] if "[" in word else [word]
        declared = ", ".join(kinds.get(word, "void *") for word in taken)
        given = ", ".join(f"s[{i}].{'i8' if word == 'b1' else word}" for i, word in enumerate(taken))
        for name in (f"{symbol}_{level}" for level in range(levels)):
            lines.append(f"int {name}(void *, void *, {declared});")
            lines.append(f"int {name}_call(void *r, void *e, Slot *s) {{ return {name}(r, e, {given}); }}")
    return "\n".join(lines) + "\n"


def source_hash() -> str:
    """Return a hash of the source of the kernels, as ``native.py`` computes it."""
    whole = hashlib.sha256()
    for path in sorted(KERNELS.glob("*.py")):
        whole.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return whole.hexdigest()


def compile_level(folder: Path, level: int) -> None:
    """Write an object of each kernel for one level, and their table; Numba's target is in the environment."""
    from quboselect._kernels.compiling import shipped

    for path in sorted(KERNELS.glob("*.py")):
        if "@kernel(" in path.read_text():
            import_module(f"quboselect._kernels.{path.stem}")
    (folder / TABLE).write_text(json.dumps(write_objects(shipped, folder, level)))


def write_objects(shipped: list[Any], folder: Path, level: int) -> list[Any]:
    """Write an object of each function for each of its types; return a table: module, name, symbol, types, returned."""
    from llvmlite import binding
    from numba import config

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    cpu, features = config.CPU_NAME, config.CPU_FEATURES
    if cpu is None:
        cpu, features = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    target = binding.Target.from_default_triple()
    machine = target.create_target_machine(cpu, features, opt=3, reloc="pic")
    rows = []
    for function, types in shipped:
        module = function.__module__.rpartition(".")[2]
        for number, given in enumerate(types):
            symbol = f"{module}_{function.__name__}_{number}"
            code, returned = native_code(function, given, f"{symbol}_{level}")
            (folder / f"{symbol}_{level}.o").write_bytes(machine.emit_object(code))
            rows.append([module, function.__name__, symbol, given.split(), returned])
    return rows


def native_code(function: Any, given: str, symbol: str) -> tuple[Any, list[str]]:
    """Return LLVM's code of a kernel, with one name that can be seen, and what the kernel returns."""
    import numpy as np
    from llvmlite import binding
    from numba import from_dtype, njit, types

    arguments = []
    for word in given.split():
        name, array, sides = word.partition("[")
        plain, layout = from_dtype(np.dtype(name)), "C" if sides.endswith("1]") else "A"
        arguments.append(types.Array(plain, sides.count(",") + 1, layout) if array else plain)
    compiled = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    compiled.compile(tuple(arguments))
    result = compiled.overloads[tuple(arguments)]
    code = binding.parse_assembly(compiled.inspect_llvm(tuple(arguments)))
    for each in code.functions:
        if not each.is_declaration:
            each.linkage = "internal"
    seen = code.get_function(result.fndesc.llvm_func_name)
    seen.linkage = "external"
    seen.name = symbol
    for each in code.global_variables:
        if not each.is_declaration:
            each.linkage = "internal"
    code.verify()
    kind = result.signature.return_type
    parts = kind.types if isinstance(kind, types.BaseTuple) else [] if kind == types.none else [kind]
    words = []
    for part in parts:
        array = isinstance(part, types.Array)
        name = np.dtype(str(part.dtype if array else part)).str[1:]
        words.append(name + (f"[{':,' * (part.ndim - 1)}::1]" if array else ""))
    return code, words


if __name__ == "__main__":
    if len(sys.argv) == 3:
        compile_level(Path(sys.argv[1]), int(sys.argv[2]))
    else:
        build(KERNELS)
