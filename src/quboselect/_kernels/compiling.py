"""How kernels are compiled: by Numba, at the first call, and kept for later processes where there is a place for it.

The place is one of Numba's: `NUMBA_CACHE_DIR`, the folder of the source, the cache of the user. In a container none may
be writable; then it is a folder that nobody else can write, among temporary files. Without any place, every process
compiles anew, and a warning says so.
"""

import logging
import os
import stat
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba
from numba import njit
from numba.core import event

log = logging.getLogger("quboselect")
config: Any = numba.config
TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")


shipped: list[tuple[Callable[..., Any], tuple[str, ...]]] = []
"""Kernels, and the types for which wheels hold them compiled."""


def kernel(*types: Any) -> Any:
    """Return a function compiled when it is first called with arguments of a type; it releases the GIL.

    Kernels that are called by others than kernels name their usual types: ``@kernel("f8[::1] i8", "f8[:,::1] i8")``.
    """
    if callable(types[0]):
        return _compiled(types[0])

    def decorated(function: Callable[..., Any]) -> Any:
        shipped.append((function, types))
        return _compiled(function)

    return decorated


def _compiled(function: Callable[..., Any]) -> Any:
    before = config.CACHE_DIR
    config.CACHE_DIR = _folder or before
    try:
        return njit(cache=_kept, nogil=True)(function)
    finally:
        config.CACHE_DIR = before


def private_folder(parents: tuple[str, ...]) -> str | None:
    """Return a folder in the first of the parents that can hold one which only this user can write; make it.

    Numba runs what it finds there, so a folder that somebody else made, or may exchange, will not do.
    """
    if not hasattr(os, "geteuid"):
        return None
    user = os.geteuid()
    for parent in parents:
        folder = os.path.join(parent, f"quboselect-{user}")
        try:
            with suppress(FileExistsError):
                os.mkdir(folder, 0o700)
            above, own = os.stat(parent), os.lstat(folder)
            renamed = above.st_mode & 0o022 and not above.st_mode & stat.S_ISVTX
            private = stat.S_ISDIR(own.st_mode) and own.st_uid == user and not own.st_mode & 0o077
            if private and above.st_uid in (0, user) and not renamed:
                tempfile.TemporaryFile(dir=folder).close()
                return folder
        except OSError:
            continue
    return None


def _finds_a_place() -> bool:
    """Return whether Numba has a place for compiled code."""
    try:
        njit(cache=True)(_finds_a_place)
    except RuntimeError:
        return False
    return True


class _Telling(event.Listener):
    """Says once that kernels are compiled: that takes seconds."""

    told = False

    def on_start(self, happening: Any) -> None:
        dispatcher = happening.data["dispatcher"]
        if self.told or not dispatcher.py_func.__module__.startswith(__package__):
            return
        self.told = True
        place = dispatcher.stats.cache_path
        once = "in this process" if place is None else f"on this machine (kept in {place})"
        log.info("compiling, for some seconds, once %s", once)

    def on_end(self, happening: Any) -> None:
        pass


_folder: str | None = None
_kept = _finds_a_place()
if not _kept:
    _named = tuple(os.environ[name] for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name))
    _folder = private_folder((*_named, *TEMPORARY))
    _kept = _folder is not None
if not _kept:
    warnings.warn(
        "There is no place to keep compiled code, so that every process compiles anew, for some seconds: set "
        "NUMBA_CACHE_DIR to a folder that can be written.",
        stacklevel=2,
    )
event.register("numba:compile", _Telling())
