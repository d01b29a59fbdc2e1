"""Units: the smaller problem that a search decides, and the way back from it to all features.

A unit is a group of features that come or go together, or a lone feature. Excluded units are left out of the smaller
problem, and included ones are settled: what the others repeat of them is a cost. `Units` makes that problem of a matrix
of redundancy or of rows on demand, and leads its subsets, solutions and paths back to all features.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..qubo import Bits, Solutions, Vector
from ..tradeoff import Line, Tradeoff
from .constraints import Constraints
from .envelope import largest_gap
from .path import Path

Indices = npt.NDArray[np.intp]

BLOCK = 64  # rows added up at a time


class Units:
    """The free units of a problem, with what the included features cost them.

    Parameters
    ----------
    tradeoff : Tradeoff
        Of all features, with their costs.
    constraints : Constraints

    Examples
    --------
    >>> R = [[0, 1, 2, 3], [1, 0, 4, 5], [2, 4, 0, 6], [3, 5, 6, 0]]
    >>> units = Units(Tradeoff([1.0, 2.0, 3.0, 4.0], R), Constraints.of(4, include=0, groups=[[1, 2]]))
    >>> units.importance.tolist(), units.cost.tolist(), units.rows([0]).tolist()
    ([5.0, 4.0], [7.0, 3.0], [[0.0, 11.0]])
    >>> units.features([True, False])
    array([ True,  True,  True, False])
    """

    def __init__(self, tradeoff: Tradeoff, constraints: Constraints) -> None:
        self.tradeoff, self.constraints, self.size = tradeoff, constraints, constraints.free
        free = np.flatnonzero(~constraints.included & ~constraints.excluded)
        # The free features, those of a unit one after the other, and where each unit starts among them.
        self.order = free[np.argsort(constraints.unit[free], kind="stable")]
        self.starts = np.flatnonzero(np.diff(constraints.unit[self.order], prepend=-1))
        self.lengths = np.diff(self.starts, append=self.order.size)
        self.grouped = self.starts.size < self.order.size
        # What the included features are by themselves: a line in alpha that is added to every other.
        self.constant = tradeoff.line(constraints.included)
        included = np.flatnonzero(constraints.included)
        cost = tradeoff.cost.copy()
        for first in range(0, included.size, BLOCK):
            cost += tradeoff.rows(included[first : first + BLOCK]).sum(axis=0, dtype=np.float64)
        self.importance: Vector = tradeoff.importance
        self.cost: Vector = cost
        if not constraints.trivial:
            self.importance, self.cost = (
                np.add.reduceat(values[self.order], self.starts) if self.size else np.zeros(0)
                for values in (tradeoff.importance, cost)
            )
        for unit in np.flatnonzero(self.lengths > 1):
            self.cost[unit] += 0.5 * tradeoff.among(self.members(unit)).sum()

    def members(self, unit: int | np.integer[Any]) -> Indices:
        """Return the features of a unit."""
        first = self.starts[unit]
        return self.order[first : first + self.lengths[unit]]

    def rows(self, units: npt.ArrayLike) -> npt.NDArray[np.floating]:
        """Return the redundancy of some units with all, shape (len(units), size), zero with themselves."""
        chosen = np.asarray(units, np.intp)
        if self.constraints.trivial:
            return self.tradeoff.rows(chosen)
        if not self.grouped:
            return self.tradeoff.rows(self.order[chosen])[:, self.order]
        out = np.empty((chosen.size, self.size))
        for place, unit in enumerate(chosen):
            row = self.tradeoff.rows(self.members(unit)).sum(axis=0, dtype=np.float64)[self.order]
            out[place] = np.add.reduceat(row, self.starts)
            out[place, unit] = 0.0
        return out

    def among(self, units: npt.ArrayLike) -> Tradeoff:
        """Return the tradeoff among some units, in their order."""
        chosen = np.asarray(units, np.intp)
        members = [self.members(unit) for unit in chosen]
        features = np.concatenate(members) if members else np.zeros(0, np.intp)
        pairs = self.tradeoff.among(features)
        if self.grouped and chosen.size:
            starts = np.cumsum([0, *(len(group) for group in members[:-1])])
            pairs = np.add.reduceat(np.add.reduceat(pairs, starts, axis=0), starts, axis=1)
            # Sums over two groups come out a rounding apart, depending on which is first.
            pairs = 0.5 * (pairs + pairs.T)
            np.fill_diagonal(pairs, 0.0)
        pairs.flags.writeable = False
        return Tradeoff(self.importance[chosen], pairs, self.cost[chosen])

    def problem(self) -> Tradeoff:
        """Return the tradeoff of all free units: the same problem, less a constant."""
        return self.among(np.arange(self.size))

    def features(self, x: npt.ArrayLike, units: npt.ArrayLike | None = None) -> Bits:
        """Return the bits of all features, of one subset of free units, or of some of them, or of rows of such."""
        bits = np.asarray(x, np.bool_)
        if units is not None:
            some, bits = bits, np.zeros((*bits.shape[:-1], self.size), np.bool_)
            bits[..., np.asarray(units, np.intp)] = some
        whole = np.broadcast_to(self.constraints.included, (*bits.shape[:-1], self.tradeoff.size)).copy()
        whole[..., self.order] = np.repeat(bits, self.lengths, axis=-1)
        return whole

    def linear(self, alpha: float) -> Vector:
        """Return the energy of each unit alone."""
        energies: Vector = Line(self.importance, self.cost).energy(alpha)
        return energies

    def full_solutions(
        self,
        found: Solutions,
        alpha: float,
        *,
        bound: float,
        proven: bool,
        units: npt.ArrayLike | None = None,
        **info: Any,
    ) -> Solutions:
        """Return solutions of all features from those of the units, or of some of them, in their order.

        Parameters
        ----------
        found : Solutions
        alpha : float
        bound : float
            On the energy of all subsets of the units.
        proven : bool
            Whether that bound meets the energy of the best.
        units : int array, optional
            Those that the solutions are of; by default all.
        **info
            What to tell beside what the solver told. A certificate stays with the problem that it belongs to.
        """

        def energies(solutions: Solutions, x: Bits) -> Any:
            if self.tradeoff.dense and units is None:
                return self.tradeoff.at(alpha).energy(x)
            return solutions.energy + self.constant.energy(alpha)

        x = self.features(found.x, units)
        energy = np.asarray(energies(found, x))
        kept = {key: value for key, value in found.info.items() if key not in ("certificate", "state")}
        if isinstance(answer := kept.get("answer"), Solutions):
            reads = self.features(answer.x, units)
            kept["answer"] = Solutions(reads, energies(answer, reads), answer.count, info=answer.info)
        # Beside a large constant a small gap may be lost to rounding, and must not become a proof by it.
        below = min(bound + self.constant.energy(alpha), np.nextafter(energy[0], -np.inf))
        return Solutions(x, energy, found.count, float(energy[0] if proven else below), {**kept, **info})

    def full_path(
        self, path: Path, knots: npt.NDArray[np.float64] | None = None, units: npt.ArrayLike | None = None
    ) -> Path:
        """Return the path of all features from that of the units, or of some of them.

        Included features add a straight line in alpha to every energy and to every bound, so windows, order and
        proofs stay what they are. ``knots`` are bounds for all units, by default those of the path.
        """
        knots = path.knots if knots is None else knots
        largest, dense = float(self.importance.max(initial=0.0)), self.tradeoff.dense
        segments = []
        for segment in path:
            x = self.features(segment.x, units)
            x.flags.writeable = False
            line = Line(segment.importance, segment.redundancy)
            # Of rows on demand, the sum spares computing them.
            both = Line(*np.add(line, self.constant).tolist())
            full = self.tradeoff.line(x) if dense else both
            gap = largest_gap(line, full, (segment.start, segment.stop), knots, largest, summed=not dense)
            segments.append(replace(segment, x=x, importance=full[0], redundancy=full[1], gap=gap))
        raised = knots.copy()
        raised[:, 1] += self.constant.energy(raised[:, 0])
        return Path(tuple(segments), raised, path.solves)
