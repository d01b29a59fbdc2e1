"""What is known of a whole wide table: from a choice in its core to the choice over all features, with a bound that
holds for all of them.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...proof import Certificate, prove
from ...proof.core import Enclosed
from ...qubo import QUBO, Bits, Solutions, Vector
from ...tradeoff import Tradeoff
from ..choice import Choice
from ..envelope import Envelope, tolerance
from ..units import Units
from .enclosure import closed_core
from .floor import Floor
from .generation import changes
from .outside import Outside

Indices = npt.NDArray[np.intp]

SPARE = 64  # sizes beyond twice the subset's that the floor tells apart
NOTHING = np.zeros(0, np.intp)
CERTIFIED = 12_000  # units whose couplings in double precision are about a gigabyte
WORK = 4e10  # operations for a certificate of them all


class Core(NamedTuple):
    """What was looked at of a wide table, and what was proven of it.

    Parameters
    ----------
    size, of : int
        How many units the core has, and the table.
    rows : int
        How many rows of redundancy were computed.
    proven : bool
        Whether the subset is proven to be the best of the core.
    closed : bool
        Whether no unit outside improves it, added or exchanged for one.
    useful : int
        How many units outside could still be in a better subset, where the core is proven.
    certified : bool
        Whether the proof of the core has a certificate.
    text : str
        All this in words.
    """

    size: int
    of: int
    rows: int
    proven: bool
    closed: bool
    useful: int
    certified: bool
    text: str


@dataclass(frozen=True, eq=False, repr=False)
class Whole:
    """What holds for every subset of the whole table.

    Parameters
    ----------
    outside : Outside or None
        Bounds subsets that are not of the core alone; None where the core is everything.
    useful : int array
        The units outside the core that a better subset could have.
    proven : bool
        Whether the choice is proven and there is no such unit.
    complete : bool
        Whether every pair was looked at.
    k : int or None
        The statement is about subsets of k units; None is of every number.
    unknown : bool
        Whether nothing is known of subsets beyond the core: redundancies may be negative, and not all were looked at.
    least : float or None
        Below it there is no subset of k units that are not all of the core, where a dual shows that.
    closed : Enclosed or None
        The core that a dual closed, which holds for every choice that is no worse.
    """

    outside: Outside | None
    useful: Indices
    proven: bool
    complete: bool
    k: int | None
    unknown: bool = False
    least: float | None = None
    closed: Enclosed | None = None

    @classmethod
    def of(
        cls,
        units: Units,
        core: Indices,
        found: Choice,
        wanted: int | None,
        complete: bool,
        before: "Whole | None" = None,
    ) -> "Whole":
        """Return what can be proven of a choice in a core, by all rows if ``complete``, else by those of the core.

        ``before`` is what was proven of one in a part of this core.
        """
        proven = found.solutions.proven
        if core.size == units.size:
            return cls(None, NOTHING, proven, True, None if found.on_path else wanted)
        # What other sizes could make of pairs that were not looked at is not known.
        k = None if found.on_path and (complete or found.alpha in (0.0, 1.0)) else wanted
        if units.tradeoff.deepest > 0.0 and (not complete or k is None):
            return cls(None, NOTHING, False, complete, k, unknown=True)
        held = found.path is None and 0.0 < found.alpha < 1.0 and found.solutions.bound > -np.inf
        if held and complete and k is not None and 0 < k < units.size:
            # At one alpha, among subsets of one size, a dual says more than what follows.
            return cls._closed(units, core, found, k, None if before is None else before.closed)
        size = int(found.solutions.best.sum())
        most = 2 * size + SPARE
        floor = Floor.of(units, most, known=None if complete else core)
        outside = Outside.of(units, core, floor, most)
        if not proven or found.alpha == 1.0:
            # At 1 nothing but importance counts, and all there is of it was taken.
            return cls(outside, NOTHING, proven, complete, k)
        line = units.among(core[found.solutions.best]).line(np.ones(size, np.bool_))
        useful = np.zeros(outside.units.size, np.bool_)
        for alpha in {*found.window} if k is None else {found.alpha}:
            slack = tolerance(alpha, float(units.importance.max(initial=0.0)), line)
            useful |= outside.useful(alpha, core_bound(found, alpha), line.energy(alpha) - slack, k)
        return cls(outside, outside.units[useful], not useful.any(), complete, k)

    @classmethod
    def _closed(cls, units: Units, core: Indices, found: Choice, k: int, closed: Enclosed | None) -> "Whole":
        """Return what a dual proves of a choice of k units at one alpha."""
        ones = core[found.solutions.best]
        line = units.among(ones).line(np.ones(ones.size, np.bool_))
        slack = tolerance(found.alpha, float(units.importance.max(initial=0.0)), line)
        cutoff = line.energy(found.alpha) - slack
        if closed is None or cutoff > closed.cutoff or not np.isin(closed.core, core).all():
            change = changes(units, ones, found.alpha, add=False)
            closed = closed_core(units, found.alpha, change, ones, k, cutoff)
        useful = np.setdiff1d(closed.core, core)
        short = min(0.0, float(closed.margin.min(initial=0.0)))
        proven = found.solutions.proven and not useful.size and short == 0.0
        least = closed.cutoff + short
        if useful.size:
            # Of subsets with units that are to join the core, the dual is all that is known.
            least = min(least, closed.relaxed.dual.bound)
        return cls(None, useful, proven, True, k, least=least, closed=closed)

    def bound(self, found: Choice, alpha: float, k: int | None) -> float:
        """Return a lower bound on the energy of every subset, of k units or of any number, at one alpha."""
        if self.unknown:
            return -np.inf
        if self.least is not None:
            return min(found.solutions.bound, self.least) if k == self.k and alpha == found.alpha else -np.inf
        known = core_bound(found, alpha)
        best = max(known, found.solutions.bound) if alpha == found.alpha and k == self.k else known
        if self.outside is None:
            return best
        beyond = self.outside.bound(alpha, known, k)
        return max(min(best, beyond), self.outside.floor.bound(alpha, k))


def core_bound(found: Choice, alpha: float) -> float:
    """Return a lower bound on the energy of every subset of the core at one alpha, of any number of units."""
    if found.path is not None:
        return found.path.bound(alpha)
    # A bound on subsets of one size at a given alpha is none on the others.
    return found.solutions.bound if alpha == found.alpha and found.on_path else -np.inf


def full_choice(
    units: Units, core: Indices, tradeoff: Tradeoff, found: Choice, proof: Whole, closed: bool
) -> Choice:
    """Return the choice over all features, with the bound of the whole table, from that in the core.

    ``tradeoff`` is the one that it was found for: made anew, redundancies of the core may come out a rounding apart.
    """
    alpha = found.alpha
    full = units.full_solutions(
        found.solutions,
        alpha,
        bound=-np.inf if proof.proven else proof.bound(found, alpha, proof.k),
        proven=proof.proven,
        units=core,
        wide=_core(units, core, found.solutions, proof, closed),
        reduced=(tradeoff.at(alpha), found.solutions),
        core=core,
    )
    kept, path = units.constraints.kept, found.path
    passes = None if found.passes is None else (found.passes[0] + kept, found.passes[1] + kept)
    if path is not None:
        path = units.full_path(path, None if proof.outside is None else _knots(units, found, proof), core)
    if proof.k is not None:
        found = found._replace(on_path=False, window=(alpha, alpha))
    return found._replace(solutions=full, path=path, passes=passes)


def _knots(units: Units, found: Choice, proof: Whole) -> npt.NDArray[np.float64]:
    """Return (alpha, bound) rows that hold for all units, around the choice."""
    path = found.path
    assert path is not None
    around = [s for s in path if {s.start, s.stop} & {*found.window}]
    envelope = Envelope(units.among(NOTHING))
    envelope.floor = {0.0: 0.0, 1.0: -float(units.importance.sum())}
    for alpha in {found.alpha, *(end for s in around for end in (s.start, s.stop))}:
        if 0.0 < alpha < 1.0:
            envelope.prove(alpha, proof.bound(found, alpha, None))
    if proof.proven and found.on_path and proof.k is None:
        # Nothing outside is below the choice here, so what holds in the core holds.
        for alpha in {*found.window} - {0.0, 1.0}:
            envelope.prove(alpha, path.bound(alpha))
    return envelope.knots()


def everything(units: Units, *, all_of_them: bool) -> Choice:
    """Return all units, or all that have any importance: what is best at alpha 1, where nothing else counts."""
    x = np.ones(units.size, np.bool_) if all_of_them else units.importance > 0.0
    energy = units.constant.energy(1.0) - float(units.importance.sum())
    text = "at alpha 1 only importance counts: all that has any is selected, which is proven"
    core = Core(units.size, units.size, units.tradeoff.redundancy.computed, True, True, 0, False, text)
    bits = units.features(x[None])
    solutions = Solutions(bits, np.array([energy]), np.ones(1, np.int64), energy, {"wide": core})
    return Choice(1.0, (1.0, 1.0), solutions, True)


def stepped(units: Units, solver: Any, alpha: float) -> Choice:
    """Return the units that a solver takes one after the other, of all there are; nothing is proven of them."""

    def row(unit: int) -> Vector:
        couplings: Vector = (1.0 - alpha) * units.rows([unit])[0].astype(np.float64)
        return couplings

    core = np.sort(solver.by_rows(units.linear(alpha), row))
    qubo = units.among(core).at(alpha)
    found = Solutions.of(qubo, np.ones(core.size, np.bool_))
    text = (
        f"taken one after the other out of {units.size}, each the best beside those before; nothing is proven"
    )
    looked = Core(core.size, units.size, units.tradeoff.redundancy.computed, False, False, 0, False, text)
    full = units.full_solutions(
        found, alpha, bound=-np.inf, proven=False, units=core, wide=looked, reduced=(qubo, found), core=core
    )
    return Choice(alpha, (alpha, alpha), full, False)


def whole_proof(units: Units, support: Bits, alpha: float, k: int) -> tuple[QUBO, Solutions] | None:
    """Return the QUBO of all units at one alpha, and a subset of k of them with a certificate of the whole claim.

    None where there are too many, or where not all couplings are known, or the proof takes too much work.

    Parameters
    ----------
    units : Units
    support : bool array
        Which features are selected, of which nothing better is known.
    alpha : float
    k : int
        How many units are selected, those that are free.
    """
    if units.size > CERTIFIED or units.tradeoff.redundancy.known is None:
        return None
    qubo = units.problem().at(alpha)
    proof = prove(qubo, support[units.order[units.starts]], k=k, work=WORK)
    found = Solutions.of(qubo, proof.x, bound=proof.bound, info={"certificate": proof.certificate})
    return (qubo, found) if found.proven else None


def _core(units: Units, core: Indices, solutions: Solutions, proof: Whole, closed: bool) -> Core:
    """Return what was looked at and what was proven, in numbers and in words."""
    n, c = units.size, core.size
    words = [
        f"{'proven' if solutions.proven else 'not proven'} to be the best subset of a core of {c} out of {n}",
        "nothing outside improves it, added or exchanged for one"
        if closed
        else "features outside that would improve it were left, as the core may not grow further",
    ]
    if proof.proven:
        k = None if proof.k is None else proof.k + units.constraints.kept
        of_k = "" if k is None else f", among subsets of {k} at this alpha"
        words.append(f"proven for the whole table{of_k}")
    elif proof.unknown:
        words.append(
            "not proven for the whole table, of which pairs that were not looked at may say more together"
        )
    elif proof.complete:
        words.append("not proven for the whole table; the bound counts every pair")
    else:
        words.append(
            "not proven for the whole table; the bound counts redundancies with the core, and all others as none"
        )
    certified = isinstance(solutions.info.get("certificate"), Certificate)
    if solutions.proven:
        beyond = "; what was proven beyond it has none"
        if proof.proven and proof.closed is not None and n <= CERTIFIED:
            beyond = ", and one of the whole table can be made"
        beyond = f" of the core{beyond}" if c < n else ""
        words.append(f"with a certificate{beyond}" if certified else "without a certificate")
    computed = units.tradeoff.redundancy.computed
    useful = int(proof.useful.size)
    return Core(c, n, computed, solutions.proven, closed, useful, certified, "; ".join(words))
