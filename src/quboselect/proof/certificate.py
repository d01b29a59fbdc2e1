"""Certificates: what a third party needs to check a bound without trusting the search that found it.

A proof is the tree that it was made of, which `quboselect.proof.verify` takes apart. Indices are those of the
QUBO; the arrays of a dual run over the bits that are free where it stands.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..qubo import Matrix, Vector
from .cuts import Cuts


@dataclass(frozen=True, eq=False, repr=False)
class Dual:
    """Multipliers that prove a lower bound on a QUBO (the identity they enter stands in `verify`).

    Parameters
    ----------
    bound : float
        The bound, safe in floating point.
    u : array of shape (n,)
        Diagonal of the semidefinite part.
    shift : float
        The part of u that is slack against rounding, paid for in the bound; not negative.
    Z : array of shape (n, n)
        Multipliers of ``X_ij >= 0``, in the strict upper triangle; not negative.
    cuts : Cuts
        With multipliers ``cuts.mu``, not negative.
    face : float
        Multiplier of ``(sum x - k)^2``; 0 without k.
    center, curvature : arrays of shape (n,)
        For each single i, ``Q(x) >= bound + curvature_i (x_i - center_i)^2``.
    away : array of shape (m,)
        Multipliers of the limits of what bit vectors must be `Apart` from, not negative; none without.
    """

    bound: float
    u: Vector
    shift: float
    Z: Matrix
    cuts: Cuts
    face: float
    center: Vector
    curvature: Vector
    away: Vector = field(default_factory=lambda: np.zeros(0))

    def flipped(self) -> tuple[Vector, Vector]:
        """Return lower bounds given ``x_i = 0``, and given ``x_i = 1``."""
        return (
            self.bound + self.curvature * self.center**2,
            self.bound + self.curvature * (1.0 - self.center) ** 2,
        )


@dataclass(frozen=True, eq=False, repr=False)
class Step:
    """Bits settled at a node, by one dual, or where ``dual`` is None by signs, for any other bits.

    Row i of ``witnesses`` is the point of the box whose tangent excludes the other value of bit i; a row of zeros says
    that the curvature of the dual does, or the tangent there.
    """

    bits: npt.NDArray[np.intp]
    values: npt.NDArray[np.int8]
    dual: Dual | None = None
    witnesses: Matrix | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Outside:
    """All bits outside a core settled at 0, as no vector of k ones with any of them is below the target.

    Parameters
    ----------
    bits, core : int arrays of shapes (m,) and (c,)
        Together all bits that are free.
    dual : Dual
        Over the core.
    points : array of shape (T, c)
        In row b - 1 the point whose tangent serves where b of the bits are ones.
    given : array of shape (T, 2)
        How much of its own part each of these gives to its pairs: of what is above the target, and below it.
    hard : tuple of (places, b, witnesses)
        Bits, by their places, that have points of their own for a b.
    """

    bits: npt.NDArray[np.intp]
    core: npt.NDArray[np.intp]
    dual: Dual
    points: Matrix
    given: Matrix
    hard: tuple[tuple[npt.NDArray[np.intp], int, Matrix], ...]


@dataclass(eq=False, repr=False)
class Node:
    """A node of a tree of relaxations: bits settled, then a branch or an end.

    ``end`` is "bound" (closed by ``dual``), "flip" (neither value of ``bit`` can win, by ``dual`` and for each a row of
    ``witnesses``), "enumerate" (few bits are free), "infeasible" (k cannot be met), "near" (nothing here is far enough
    from what it must be `Apart` from), "branch" (on ``bit``, ``children`` for 0 and 1) or "open". A branch whose
    children are open still has the bound of its ``dual``.
    """

    steps: list[Step | Outside] = field(default_factory=list)
    end: str = "open"
    bit: int = -1
    dual: Dual | None = None
    witnesses: Matrix | None = None
    children: list["Node"] = field(default_factory=list)


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """A tree of combinatorial bounds.

    ``bits`` holds for each node, depth first and inclusion first, the bit it branches on, or -1 at an end. Bits of one
    ``leader`` can be exchanged for each other, and are excluded together.
    """

    bits: npt.NDArray[np.int32]
    leader: npt.NDArray[np.int64]


class Limits(NamedTuple):
    """Of the bits of each row, shape (m, n), at most so many are ones, shape (m,)."""

    rows: npt.NDArray[np.bool_]
    most: npt.NDArray[np.int64]

    def of(self, bits: npt.NDArray[np.intp]) -> "Limits":
        """Return them over some of the bits."""
        return Limits(np.ascontiguousarray(self.rows[:, bits]), self.most)

    def charged(self, linear: Vector, away: Vector) -> tuple[Vector, float]:
        """Return energies with a charge for each one of a row, and how much of that the limits allow at the most.

        The limits are not negative, and no bit vector within them gains by it: it is charged no more than that.
        """
        return linear + away @ self.rows, float(away @ self.most) * (1 + 1e-14)


class Apart(NamedTuple):
    """Which bit vectors of k ones count: those that have, of the ones of each row, at least so many as zeros.

    Parameters
    ----------
    rows : bool array of shape (m, n)
        Of k ones each.
    different : int
        At least 1.
    """

    rows: npt.NDArray[np.bool_]
    different: int

    def near_each(self, ones: Any) -> npt.NDArray[np.bool_]:
        """Return, for bit vectors (last axis), which of the rows have too many of their ones."""
        common = np.asarray(ones, np.int64) @ self.rows.T.astype(np.int64)
        return np.asarray(common > self.rows.sum(axis=1) - self.different)

    def near(self, ones: Any) -> npt.NDArray[np.bool_]:
        """Return, for bit vectors (last axis), whether one of the rows has too many of their ones."""
        return np.asarray(self.near_each(ones).any(axis=-1))

    def limits(self, x: npt.NDArray[np.int8]) -> Limits:
        """Return what is left of the rows over the free bits, where x is -1, once the others are fixed."""
        common = self.rows.astype(np.int64) @ (x == 1)
        return Limits(self.rows[:, x < 0], self.rows.sum(axis=1) - self.different - common)


@dataclass(frozen=True, eq=False, repr=False)
class Copies:
    """A tree about the bits that are kept of a problem of k ones, as more copies of them are of no use.

    With ``stairs`` it is about another problem of these bits: of copies the first are taken first, so each bears what
    it costs beside those before it alone, and has no coupling to them. Copies of which two would rather be together
    stay as they are.

    Parameters
    ----------
    leader : int array of shape (n,)
        For each bit the first one that it can be exchanged for.
    kept : int array
        The first few copies of each, in order.
    stairs : bool
    k : int or None
        What the tree is about: vectors of so many ones, or of every number.
    tree : Node, Trace or Copies
    """

    leader: npt.NDArray[np.int64]
    kept: npt.NDArray[np.int64]
    stairs: bool
    k: int | None
    tree: "Node | Trace | Copies"


@dataclass(frozen=True, eq=False)
class Certificate:
    """Why no bit vector (of exactly k ones, where k is given) has an energy below ``bound``.

    Parameters
    ----------
    bound : float
    k : int or None
    tree : Node, Trace, Copies or Further
    """

    bound: float
    k: int | None
    tree: "Node | Trace | Copies | Further" = field(repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class Further:
    """A tree about bit vectors that are apart from further rows too; what is near to one of these is all looked at.

    Parameters
    ----------
    rows : bool array of shape (m, n)
        Of k ones each.
    tree : Node
    """

    rows: npt.NDArray[np.bool_]
    tree: Node
