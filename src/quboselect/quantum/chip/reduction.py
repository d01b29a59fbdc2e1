"""Making a QUBO fit: bits that need no chip are settled, then the weakest couplings go, with the error stated.

A QUBO flows in; a smaller one flows out, with the way back. `OnChip` does so around any solver.
"""

from dataclasses import dataclass, replace
from numbers import Real

import numpy as np
import numpy.typing as npt

from ...proof.relaxation import relax
from ...proof.settling import FREE, NEITHER, Settled, rest_of, settled_by_dual, settled_by_signs
from ...proof.tree import EVERY, MOST, OVERHEAD, affordable
from ...protocols import Solver, ask, check_plugin
from ...qubo import QUBO, Bits, Matrix, Vector, as_bits
from ...solutions import Solutions
from ...solvers import Tabu
from ..recorded import with_chain_breaks

# What an effort of 1 may cost, as in `solvers.Portfolio`.
WORK = 8e9


@dataclass(frozen=True, eq=False)
class Reduced:
    """A smaller QUBO in place of another, and the way back.

    With ``x = expand(y)``, ``original.energy(x) - offset - qubo.energy(y)`` lies within ``error()`` for every y, and
    some optimum of the original is such an x.

    Parameters
    ----------
    original, qubo : QUBO
        Before, and over the bits that are left.
    settled : int8 array of shape (n,)
        0 or 1 where a bit of the original is settled, -1 where it is left.
    offset : float
        Energy of the settled bits.
    dropped : array of shape (m, m)
        Couplings between the bits left that the smaller QUBO lacks.
    """

    original: QUBO
    qubo: QUBO
    settled: Settled
    offset: float
    dropped: Matrix

    def __repr__(self) -> str:
        gone = np.count_nonzero(self.dropped) // 2
        return f"Reduced({self.original.size} to {self.qubo.size} bits, {gone} couplings dropped, loss {self.loss():g})"

    def error(self, most: int | None = None) -> tuple[float, float]:
        """Return the least and the most by which a true energy exceeds that of the smaller QUBO.

        It is at most the sum of the positive couplings dropped. Of at most m ones, no more than ``m (m - 1) / 2`` pairs
        count, the largest ones; nor more than half of the m largest sums of the ``m - 1`` largest couplings of a bit.

        Parameters
        ----------
        most : int, optional
            Only for at most so many ones among the bits left.
        """
        return 0.0 - _heaviest(np.maximum(-self.dropped, 0.0), most), _heaviest(
            np.maximum(self.dropped, 0.0), most
        )

    def loss(self, most: int | None = None) -> float:
        """Return by how much the optimum of the smaller QUBO may miss that of the original: the width of the error."""
        low, high = self.error(most)
        return high - low

    def expand(self, x: npt.ArrayLike) -> Bits:
        """Return all bits, for one vector of the bits left or for rows of them."""
        bits = as_bits(x, self.qubo.size)
        rows = np.empty((*bits.shape[:-1], self.settled.size), np.bool_)
        rows[...] = self.settled == 1
        rows[..., self.settled == FREE] = bits
        return rows

    def solutions(self, solutions: Solutions) -> Solutions:
        """Return solutions of the smaller QUBO as solutions of the original, with the bound as it holds there.

        ``info["chip"]`` says how many bits are settled, how many couplings dropped, the `error`, and the ``loss``: if
        the best sample is optimal in the smaller QUBO, the true minimum is at most so far below the best true energy.
        """
        low, high = self.error()
        # What proves a bound on the smaller QUBO proves nothing to who checks the original.
        info = {name: value for name, value in solutions.info.items() if name not in ("certificate", "state")}
        x = self.expand(solutions.x)
        whole = Solutions.of(
            self.original, x, count=solutions.count, bound=solutions.bound + self.offset + low
        )
        missed = float(whole.energy[0] - (solutions.energy[0] + self.offset + low))
        info["chip"] = {
            "settled": int((self.settled != FREE).sum()),
            "dropped": int(np.count_nonzero(self.dropped)) // 2,
            "error": (low, high),
            "loss": max(missed, 0.0),
        }
        whole = replace(whole, info=info)
        broken = info.get("chain_break_fraction")
        return whole if broken is None else with_chain_breaks(whole, x, broken, solutions.count)


def _heaviest(weights: Matrix, most: int | None) -> float:
    """Return a bound on the weight of all pairs among at most so many bits; no weight is negative."""
    total = float(weights.sum()) / 2.0
    if most is None or most >= len(weights):
        return total
    if most < 2:
        return 0.0
    pairs = np.sort(weights[np.triu_indices(len(weights), 1)])[::-1]
    rows = np.sort(weights, axis=1)[:, ::-1][:, : most - 1].sum(axis=1)
    return min(float(pairs[: most * (most - 1) // 2].sum()), float(np.sort(rows)[::-1][:most].sum()) / 2.0)


def reduce(
    qubo: QUBO,
    *,
    effort: float = 0.0,
    interactions: int | None = None,
    density: float | None = None,
    degree: int | None = None,
) -> Reduced:
    """Return a QUBO that a chip takes, and how far it is from the one given.

    Bits are settled first, which loses nothing: some optimum has them so. Then the smallest couplings are dropped until
    all limits are met. Where many couplings are alike, as redundancies often are, that loses much: `Reduced.loss`, and
    the ``loss`` that comes with solutions, say how much.

    Parameters
    ----------
    qubo : QUBO
    effort : float
        0 settles bits by signs alone. More lets a relaxation settle others, at the price it has in
        `solvers.Portfolio`; on small problems it often settles all, and the chip has nothing left to do.
    interactions : int, optional
        The most couplings to keep.
    density : float, optional
        The most couplings to keep, as a share of all pairs of the bits left.
    degree : int, optional
        The most couplings of one bit to keep.

    Examples
    --------
    >>> reduce(QUBO([-1.0, -4.0, -1.0], [[0, 0.1, 3], [0.1, 0, 0.1], [3, 0.1, 0]]))
    Reduced(3 to 2 bits, 0 couplings dropped, loss 0)
    """
    _check_limits(effort, interactions, density, degree)
    settled = _settled(qubo, effort)
    rest = rest_of(qubo.linear, qubo.couplings, settled)
    kept = _kept(rest.couplings, interactions, density, degree)
    small = QUBO(rest.linear, np.where(kept, rest.couplings, 0.0))
    dropped = np.where(kept, 0.0, rest.couplings)
    for array in (settled, dropped):
        array.flags.writeable = False
    return Reduced(qubo, small, settled, rest.offset, dropped)


def _check_limits(effort: float, interactions: int | None, density: float | None, degree: int | None) -> None:
    for name, value, most in (("effort", effort, np.inf), ("density", density, 1.0)):
        if value is None:
            continue
        if (
            not isinstance(value, Real)
            or isinstance(value, bool)
            or not 0 <= value <= most
            or value == np.inf
        ):
            raise ValueError(f"{name} must be a number from 0 to {most:g}, got {value!r}.")
    for name, value in (("interactions", interactions), ("degree", degree)):
        if value is None:
            continue
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 0:
            raise ValueError(f"{name} must be an integer of at least 0, got {value!r}.")


def _settled(qubo: QUBO, effort: float) -> Settled:
    """Return the bits that some optimum is known to have, and -1 for the others."""
    x: Settled = np.full(qubo.size, FREE, np.int8)
    energy = float(Tabu()(qubo).energy[0]) if effort else np.inf
    work = effort * WORK
    while True:
        rest = rest_of(qubo.linear, qubo.couplings, x)
        values = settled_by_signs(rest.linear, rest.couplings) if rest.free.size else x[:0]
        if not (values != FREE).any() and rest.free.size and affordable(rest.free.size, work):
            # Above the energy found, so that whatever is as good stays.
            values, spent = _by_relaxation(
                rest.linear, rest.couplings, energy - rest.offset + qubo.tolerance, work
            )
            work -= spent
        if not (values != FREE).any():
            return x
        x[rest.free] = values


def _by_relaxation(linear: Vector, couplings: Matrix, cutoff: float, work: float) -> tuple[Settled, float]:
    """Return the bits that all bit vectors below the cutoff agree on, and the work it took."""
    cost = float(linear.size + 1) ** 3 + OVERHEAD
    found = relax(
        linear,
        couplings,
        k=None,
        cutoff=cutoff,
        warm=None,
        iterations=max(EVERY, min(MOST[0], int(work / cost))),
        every=EVERY,
        stop=lambda *_: False,
    )
    values, _ = settled_by_dual(linear, couplings, found.dual, cutoff, None)
    # Neither value below the cutoff would mean that nothing is, and the energy found is.
    return np.where(values == NEITHER, FREE, values).astype(np.int8), found.iterations * cost


def _kept(
    couplings: Matrix, interactions: int | None, density: float | None, degree: int | None
) -> npt.NDArray[np.bool_]:
    """Return which couplings are kept: the largest, as many as all limits allow."""
    n = len(couplings)
    i, j = np.nonzero(np.triu(couplings))
    order = np.argsort(-np.abs(couplings[i, j]), kind="stable")
    i, j = i[order], j[order]
    most = min(
        i.size,
        i.size if interactions is None else interactions,
        i.size if density is None else int(density * (n * (n - 1) // 2) + 1e-9),
    )
    i, j = i[:most], j[:most]
    if degree is not None:
        counts = np.zeros(n, np.int64)
        stays = np.zeros(i.size, np.bool_)
        for place, (a, b) in enumerate(zip(i, j, strict=True)):
            stays[place] = counts[a] < degree and counts[b] < degree
            counts[[a, b]] += stays[place]
        i, j = i[stays], j[stays]
    kept = np.zeros((n, n), np.bool_)
    kept[i, j] = kept[j, i] = True
    return kept


@dataclass(frozen=True)
class OnChip:
    """Asks a solver about the reduced QUBO, and answers about the true one.

    Energies are true ones, and so is the bound if the solver has one. `Reduced.solutions` says what stands in
    ``info["chip"]``.

    Parameters
    ----------
    solver : Solver
        Such as `quantum.Dimod`.
    effort, interactions, density, degree
        As for `reduce`.

    Examples
    --------
    >>> qubo = QUBO([-1.0, -1.0, -1.0], [[0, 3, 0.1], [3, 0, 0.2], [0.1, 0.2, 0]])
    >>> solutions = OnChip(Tabu(), interactions=1)(qubo)
    >>> solutions.best, solutions.info["chip"]["settled"]
    (array([ True, False,  True]), 1)
    """

    solver: Solver
    effort: float = 0.0
    interactions: int | None = None
    density: float | None = None
    degree: int | None = None

    def __post_init__(self) -> None:
        check_plugin(self.solver, "solver")
        _check_limits(self.effort, self.interactions, self.density, self.degree)
        if getattr(self.solver, "k", None) is not None:
            raise ValueError("solver must not have a k: bits are settled for subsets of any size.")

    @property
    def calls(self) -> int | None:
        """How often a fit may ask the solver, see `quboselect.search.devices`; None where nobody counts."""
        return getattr(self.solver, "calls", None)

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return what the solver finds, as solutions of the QUBO given."""
        reduced = reduce(
            qubo,
            effort=self.effort,
            interactions=self.interactions,
            density=self.density,
            degree=self.degree,
        )
        small = reduced.qubo
        if not small.size:
            return reduced.solutions(Solutions.of(small, np.zeros((1, 0)), bound=0.0))
        return reduced.solutions(ask(self.solver, small))
