"""The form of a certificate: what the check takes for granted of every array, checked first.

A certificate may come from anywhere. So every array has its one shape and kind, every number is finite, every index in
range and named once; anything else is `Refuted`. Nothing is broadcast, rounded, or counted from the end. What is
returned are copies, so that what was checked is what is used.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import Refuted, check_integer
from .certificate import Apart, Copies, Dual, Node, Outside, Step, Trace
from .cuts import Cuts

ENDS = ("bound", "flip", "enumerate", "infeasible", "near", "branch", "open")
WIDTH = 5
# Offsets of cuts over five bits are small.
OFFSET = 1000


def number(value: Any, name: str, least: float = -np.inf) -> float:
    """Return a finite number of at least so much."""
    kind = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    try:
        found = float(value) if kind else np.nan
    except OverflowError:
        found = np.nan
    if not (np.isfinite(found) and found >= least):
        raise Refuted(f"{name} must be a finite number of at least {least}, got {_told(value)}.")
    return found


def integer(value: Any, name: str, least: int, most: int) -> int:
    """Return an integer in a range."""
    kind = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not kind or not least <= int(value) <= most:
        raise Refuted(f"{name} must be an integer from {least} to {most}, got {_told(value)}.")
    return int(value)


def numbers(
    values: Any, name: str, shape: tuple[int, ...], least: float = -np.inf, most: float = np.inf
) -> npt.NDArray[np.float64]:
    """Return finite numbers of exactly a shape, in a range."""
    array = _array(values, name, shape, "iuf")
    with np.errstate(all="ignore"):
        found = np.array(array, np.float64, order="C", subok=False)
    if not (np.isfinite(found) & (found >= least) & (found <= most)).all():
        raise Refuted(f"{name} must be finite numbers from {least} to {most}.")
    return found


def integers(values: Any, name: str, shape: tuple[int, ...], least: int, most: int) -> npt.NDArray[np.int64]:
    """Return integers of exactly a shape, in a range."""
    array = _array(values, name, shape, "iu")
    # As Python's integers, which have no limits that could be passed by a conversion.
    if array.size and not least <= int(array.min()) <= int(array.max()) <= most:
        raise Refuted(f"{name} must be integers from {least} to {most}.")
    return np.array(array, np.int64, order="C", subok=False)


def places(values: Any, name: str, size: int) -> npt.NDArray[np.int64]:
    """Return indices below a size, each named once."""
    if not (isinstance(values, np.ndarray) and values.ndim == 1):
        raise Refuted(f"{name} must be an array of indices, got {_told(values)}.")
    found = integers(values, name, values.shape, 0, size - 1)
    if len(np.unique(found)) != len(found):
        raise Refuted(f"{name} must be distinct.")
    return found


def dual_of(dual: Any, size: int, limits: int = 0) -> Dual:
    """Return a dual over so many bits and limits; what it says of its own bound is not read by anyone."""
    if not (isinstance(dual, Dual) and isinstance(dual.cuts, Cuts)):
        raise Refuted(f"a dual must be a Dual with Cuts, got {_told(dual)}.")
    if not limits and np.size(dual.away):
        raise Refuted("the certificate is about bit vectors apart from some others: pass apart= to check it.")
    Z = np.triu(numbers(dual.Z, "the multipliers Z", (size, size)), 1)
    if (Z < 0).any():
        raise Refuted("a multiplier is negative in Z.")
    return replace(
        dual,
        u=numbers(dual.u, "the multipliers u", (size,)),
        shift=number(dual.shift, "the shift", 0.0),
        Z=Z,
        cuts=_cuts_of(dual.cuts, size),
        face=number(dual.face, "the multiplier of the face", 0.0),
        away=numbers(dual.away, "the multipliers of limits", (limits,), 0.0),
    )


def _cuts_of(cuts: Cuts, size: int) -> Cuts:
    rows = len(cuts.mu) if isinstance(cuts.mu, np.ndarray) and cuts.mu.ndim == 1 else -1
    members = integers(cuts.members, "the members of cuts", (rows, WIDTH), 0, size)
    ordered = np.sort(members, axis=1)
    if ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] > 0)).any():
        raise Refuted("a cut has a repeated member.")
    return Cuts(
        members,  # type: ignore[arg-type]
        integers(cuts.signs, "the signs of cuts", (rows, WIDTH), -1, 1),  # type: ignore[arg-type]
        integers(cuts.offsets, "the offsets of cuts", (rows,), -OFFSET, OFFSET),
        numbers(cuts.mu, "the multipliers of cuts", (rows,), 0.0),
    )


def node_of(node: Any, size: int) -> Node:
    """Return a node of a tree over so many bits; its steps and its dual are checked where they are used."""
    if not isinstance(node, Node):
        raise Refuted(f"a node must be a Node, got {_told(node)}.")
    if not (isinstance(node.end, str) and node.end in ENDS):
        raise Refuted(f"a node must end in one of {', '.join(ENDS)}, got {_told(node.end)}.")
    integer(node.bit, "the bit of a node", 0 if node.end in ("branch", "flip") else -1, size - 1)
    if not (_listed(node.steps) and all(isinstance(step, Step | Outside) for step in node.steps)):
        raise Refuted("the steps of a node must be a list of Step and Outside.")
    if not _listed(node.children) or len(node.children) != (2 if node.end == "branch" else 0):
        raise Refuted("a branch does not cover both values of a free bit, or an end has children.")
    return replace(node, steps=list(node.steps), children=list(node.children))


def witnesses_of(witnesses: Any, size: int) -> npt.NDArray[np.float64]:
    """Return a point of the box for each value of a bit."""
    return numbers(witnesses, "the witnesses of a bit", (2, size), 0.0, 1.0)


def step_of(step: Step, bits: int, free: int, limits: int) -> Step:
    """Return a step that settles some of so many bits where so many are free, under so many limits."""
    settled = places(step.bits, "the bits of a step", bits)
    values = integers(step.values, "the values of a step", settled.shape, 0, 1)
    dual = None if step.dual is None else dual_of(step.dual, free, limits)
    witnesses = step.witnesses
    if witnesses is not None:
        witnesses = numbers(witnesses, "the witnesses of a step", (len(settled), free), 0.0, 1.0)
    return Step(settled, values, dual, witnesses)  # type: ignore[arg-type]


def outside_of(step: Outside, bits: int, k: int) -> Outside:
    """Return a step that settles everything outside a core, of so many bits and of exactly k ones."""
    out, core = places(step.bits, "the bits outside", bits), places(step.core, "the core", bits)
    levels = min(k, len(out))
    if not isinstance(step.hard, tuple | list):
        raise Refuted("the hard bits outside a core must be a tuple.")
    hard = []
    for entry in step.hard:
        if not (isinstance(entry, tuple | list) and len(entry) == 3):
            raise Refuted("hard bits outside a core must be (places, number, witnesses).")
        rows = places(entry[0], "the places of hard bits", len(out))
        witnesses = numbers(entry[2], "the witnesses of hard bits", (len(rows), len(core)), 0.0, 1.0)
        hard.append((rows, integer(entry[1], "the number of hard bits", 1, levels), witnesses))
    return Outside(
        out,
        core,
        dual_of(step.dual, len(core)),
        numbers(step.points, "the points of a core", (levels, len(core)), 0.0, 1.0),
        # Any share would do in exact arithmetic; a huge one would drown what it is a share of.
        numbers(step.given, "the shares given outside a core", (levels, 2), 0.0, 1.0),
        tuple(hard),
    )


def rows_of(rows: Any, size: int, k: int, most: int) -> npt.NDArray[np.bool_]:
    """Return rows of so many bits, k of them ones; so many rows at the most."""
    count = len(rows) if isinstance(rows, np.ndarray) and rows.ndim == 2 else 0
    if count > most:
        raise Refuted(f"{count} rows of a list, and all that is near to them, are too many: {most} would do.")
    found = np.array(_array(rows, "the rows of a list", (count, size), "b"), np.bool_)
    if (found.sum(axis=1) != k).any():
        raise Refuted(f"the rows of a list must have {k} ones each.")
    return found


def apart_of(apart: Any, size: int, k: int | None) -> Apart:
    """Return what a claim says that bit vectors of k ones are apart from; this is the claim, and none of the proof."""
    if not isinstance(apart, Apart):
        raise TypeError(f"apart must be an Apart, got {_told(apart)}.")
    rows = apart.rows
    fits = isinstance(rows, np.ndarray) and rows.dtype == np.bool_ and rows.shape[1:] == (size,)
    if k is None or not fits or (rows.sum(axis=1) != k).any():
        raise ValueError(
            f"apart needs k, and rows of {size} bits with k ones, got k = {k} and {_told(rows)}."
        )
    return Apart(np.array(rows), check_integer(apart.different, "different", 1, max(k, 1)))


def trace_of(trace: Trace, size: int) -> Trace:
    """Return a trace over so many bits."""
    if not (isinstance(trace.bits, np.ndarray) and trace.bits.ndim == 1):
        raise Refuted(f"the bits of a trace must be an array, got {_told(trace.bits)}.")
    bits = integers(trace.bits, "the bits of a trace", trace.bits.shape, -1, size - 1)
    return Trace(bits, integers(trace.leader, "the leaders of a trace", (size,), 0, size - 1))  # type: ignore[arg-type]


def copies_of(copies: Copies, size: int) -> Copies:
    """Return copies among so many bits; the tree, and what it is about, are checked where they are used."""
    leader = integers(copies.leader, "the leaders of copies", (size,), 0, size - 1)
    if (leader[leader] != leader).any():
        raise Refuted("the leader of a copy must be its own.")
    if not isinstance(copies.stairs, bool):
        raise Refuted(f"stairs of copies must be true or false, got {_told(copies.stairs)}.")
    return replace(copies, leader=leader, kept=np.sort(places(copies.kept, "the bits that are kept", size)))


def _array(values: Any, name: str, shape: tuple[int, ...], kinds: str) -> npt.NDArray[Any]:
    if not isinstance(values, np.ndarray) or values.dtype.kind not in kinds or values.shape != shape:
        what = "bits" if kinds == "b" else "integers" if "f" not in kinds else "numbers"
        raise Refuted(f"{name} must be {what} of shape {shape}, got {_told(values)}.")
    return np.asarray(values)


def _listed(values: Any) -> bool:
    return isinstance(values, Sequence) and not isinstance(values, str | bytes)


def _told(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    # Long texts, and integers too long for a text, are told by their type.
    short = isinstance(value, str) and len(value) < 50
    whole = isinstance(value, int) and abs(value) < 1 << 63
    return repr(value) if short or whole or isinstance(value, float | None) else type(value).__name__
