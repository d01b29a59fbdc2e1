"""What is known of a whole wide table. A choice in its core flows in; the choice over all features, with a bound that
holds for all of them, flows out.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...proof import Certificate
from ...solutions import Solutions
from ...tradeoff import Tradeoff
from ..choice import Chosen
from ..envelope import Envelope, tolerance
from ..path import Path
from .floor import Floor
from .outside import Outside
from .units import Units

Indices = npt.NDArray[np.intp]

SPARE = 64  # sizes beyond twice the subset's that the floor tells apart
NOTHING = np.zeros(0, np.intp)


@dataclass(frozen=True, eq=False, repr=False)
class Whole:
    """What holds for every subset of the whole table.

    ``outside`` bounds those that are not of the core alone, None where the core is everything; ``useful`` are units
    outside that a better subset could have; ``proven`` says that there is none; ``complete``, that every pair was
    looked at; ``k``, that only subsets of so many units are meant.
    """

    outside: Outside | None
    useful: Indices
    proven: bool
    complete: bool
    k: int | None

    @classmethod
    def of(cls, units: Units, core: Indices, found: Chosen, wanted: int | None, complete: bool) -> "Whole":
        """Return what can be proven of a choice in a core, by all rows if ``complete``, else by those of the core."""
        proven = found.solutions.proven
        if core.size == units.size:
            return cls(None, NOTHING, proven, True, None if found.on_path else wanted)
        # What other sizes could make of pairs that nobody looked at is not known.
        k = None if found.on_path and (complete or found.alpha in (0.0, 1.0)) else wanted
        size = int(found.solutions.best.sum())
        most = 2 * size + SPARE
        floor = Floor.of(units, most, known=None if complete else core)
        outside = Outside.of(units, core, floor, most)
        if not proven or found.alpha == 1.0:
            # At 1 nothing but importance counts, and all there is of it was taken.
            return cls(outside, NOTHING, proven, complete, k)
        importance, redundancy = units.among(core[found.solutions.best]).line(np.ones(size, np.bool_))
        useful = np.zeros(outside.units.size, np.bool_)
        for alpha in {*found.window} if k is None else {found.alpha}:
            energy = (1.0 - alpha) * redundancy - alpha * importance
            slack = tolerance(alpha, float(units.importance.max(initial=0.0)), importance, redundancy)
            useful |= outside.useful(alpha, inside(found, alpha), energy - slack, k)
        return cls(outside, outside.units[useful], not useful.any(), complete, k)

    def bound(self, found: Chosen, alpha: float, k: int | None) -> float:
        """Return a lower bound on the energy of every subset, of k units or of any number, at one alpha."""
        known = inside(found, alpha)
        best = max(known, found.solutions.bound) if alpha == found.alpha and k == self.k else known
        if self.outside is None:
            return best
        beyond = self.outside.bound(alpha, known, k)
        return max(min(best, beyond), self.outside.floor.bound(alpha, k))


def inside(found: Chosen, alpha: float) -> float:
    """Return a lower bound on the energy of every subset of the core at one alpha, of any number of units."""
    if found.path is not None:
        return found.path.bound(alpha)
    return found.solutions.bound if alpha == found.alpha else -np.inf


def spread(
    units: Units, core: Indices, tradeoff: Tradeoff, found: Chosen, proof: Whole, closed: bool
) -> Chosen:
    """Return the choice over all features, with the bound of the whole table, from that in the core.

    ``tradeoff`` is the one that it was found for: made anew, redundancies of the core may come out a rounding apart.
    """
    solutions, alpha = found.solutions, found.alpha
    offset = units.offset(alpha)
    energy = solutions.energy + offset
    bound = float(energy[0])
    if not proof.proven:
        # What is not proven must not become so by rounding.
        bound = min(proof.bound(found, alpha, proof.k) + offset, float(np.nextafter(energy[0], -np.inf)))
    told = _told(units, core, solutions, proof, closed)
    info: dict[str, Any] = {
        key: value for key, value in solutions.info.items() if key not in ("certificate", "state")
    }
    if isinstance(answer := info.get("answer"), Solutions):
        info["answer"] = Solutions(
            units.expand(core, answer.x), answer.energy + offset, answer.count, info=answer.info
        )
    info |= {"wide": told, "reduced": (tradeoff.at(alpha), solutions)}
    all_of_it = Solutions(units.expand(core, solutions.x), energy, solutions.count, bound, info)
    kept = units.constraints.kept
    passes = None if found.passes is None else (found.passes[0] + kept, found.passes[1] + kept)
    path = None if found.path is None else _path(units, core, found, proof)
    if proof.k is not None:
        found = found._replace(on_path=False, window=(alpha, alpha))
    return found._replace(solutions=all_of_it, path=path, passes=passes)


def _path(units: Units, core: Indices, found: Chosen, proof: Whole) -> Path:
    """Return the path of all features from that of the core, with gaps to what is proven of the whole table."""
    path = found.path
    assert path is not None
    importance, redundancy = units.constant
    knots = path.knots if proof.outside is None else _knots(units, found, proof)
    largest = float(units.importance.max(initial=0.0))
    segments = []
    for segment in path:
        x = units.expand(core, segment.x)
        x.flags.writeable = False
        full = replace(
            segment,
            x=x,
            importance=segment.importance + importance,
            redundancy=segment.redundancy + redundancy,
        )
        gap = 0.0
        for alpha in (segment.start, segment.stop):
            missing = segment.energy(alpha) - float(np.interp(alpha, knots[:, 0], knots[:, 1]))
            slack = tolerance(alpha, largest, segment.importance, segment.redundancy)
            if missing > slack:
                energy = abs(full.energy(alpha))
                gap = max(gap, missing / energy if energy > slack else np.inf)
        segments.append(replace(full, gap=gap))
    knots = knots.copy()
    knots[:, 1] += [units.offset(alpha) for alpha in knots[:, 0]]
    return Path(segments, knots, path.solves)


def _knots(units: Units, found: Chosen, proof: Whole) -> npt.NDArray[np.float64]:
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


def everything(units: Units, *, all_of_them: bool) -> Chosen:
    """Return all units, or all that have any importance: what is best at alpha 1, where nothing else counts."""
    x = np.ones(units.size, np.bool_) if all_of_them else units.importance > 0.0
    offset = units.offset(1.0)
    energy = offset - float(units.importance.sum())
    told = {
        "rows": units.rows.computed,
        "among": units.size,
        "of": units.size,
        "proven_among": True,
        "closed": True,
        "useful": 0,
        "certified": False,
        "said": "at alpha 1 only importance counts: all that has any is selected, which is proven",
    }
    bits = units.expand(np.arange(units.size), x[None])
    solutions = Solutions(bits, np.array([energy]), np.ones(1, np.int64), energy, {"wide": told})
    return Chosen(1.0, (1.0, 1.0), solutions, True)


def _told(units: Units, core: Indices, solutions: Solutions, proof: Whole, closed: bool) -> dict[str, Any]:
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
    elif proof.complete:
        words.append("not proven for the whole table; the bound counts every pair")
    else:
        words.append(
            "not proven for the whole table; the bound counts redundancies with the core, and all others as none"
        )
    certified = isinstance(solutions.info.get("certificate"), Certificate)
    if solutions.proven:
        beyond = " of the core; what was proven beyond it has none" if c < n else ""
        words.append(f"with a certificate{beyond}" if certified else "without a certificate")
    return {
        "rows": units.rows.computed,
        "among": c,
        "of": n,
        "proven_among": solutions.proven,
        "closed": closed,
        "useful": int(proof.useful.size),
        "certified": certified,
        "said": "; ".join(words),
    }
