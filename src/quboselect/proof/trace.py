"""The check of a trace, a tree of combinatorial bounds: what `verify` does where no relaxation was needed."""

from typing import Any

import numpy as np

from ..errors import Refuted
from ..qubo import Matrix, Vector
from .certificate import Trace
from .copies import farthest
from .sums import EPS, LONG, LONG_EPS, energy, fields


class Tracer:
    """Follows a trace: adding t of the candidates cannot gain more than the t largest of
    ``gain_j - 1/2 (sum of the t - 1 smallest couplings of j to candidates)``.
    """

    def __init__(
        self, linear: Vector, couplings: Matrix, k: int | None, target: float, trace: Trace, tolerance: float
    ) -> None:
        self.linear, self.couplings, self.k, self.trace = linear, couplings, k, trace
        self.promise = -np.minimum(couplings, 0).sum(axis=1, dtype=LONG).astype(float)
        # No more than these are ever exchanged.
        ones = max(linear.size if k is None else k, 1)
        widest = farthest(linear, couplings, trace.leader, ones, tolerance)
        # Two bits of one leader are twice as far from each other, and so are their couplings to it.
        self.ceiling = -target - 4 * ones * widest * (1 + 1e-6)

    def follow(self) -> None:
        """Raise unless the trace is a whole tree, at no end of which more can be gained than the target allows."""
        # Each entry: chosen bits, candidates, bits that were dropped by a hair, the tightest bound of the nodes above,
        # and what dropping may have cost.
        none, every = np.zeros(self.linear.size, np.bool_), np.ones(self.linear.size, np.bool_)
        stack = [(np.zeros(0, np.intp), every, none, np.inf, 0.0)]
        for bit in self.trace.bits:
            if not stack:
                raise Refuted("the trace goes on after its tree is complete.")
            chosen, candidates, dropped, above, loss = stack.pop()
            field, doubt = fields(self.linear, self.couplings, chosen)
            gain = doubt - field
            if self.k is None:
                useless, by_a_hair, cost = self._useless(gain, chosen)
                loss += float(cost[candidates & useless].sum())
                dropped = dropped | (candidates & by_a_hair)
                candidates = candidates & ~useless
            spent = energy(self.linear, self.couplings, chosen)
            wanted = None if self.k is None else self.k - len(chosen)
            most = self._most(gain, candidates, wanted)
            bound = min(above, most - spent + 2 * EPS * (abs(spent) + abs(most) if most > -np.inf else 0.0))
            if bit < 0:
                if not bound + loss <= self.ceiling - 4 * EPS * abs(self.ceiling):
                    raise Refuted(f"an end with {candidates.sum()} candidates may still gain.")
                continue
            # Whoever made the trace may have rounded otherwise, and kept what was dropped here by a hair.
            if not (candidates[bit] or dropped[bit]):
                raise Refuted(f"the trace branches on bit {bit}, which is not a candidate.")
            others, unlike = np.arange(self.linear.size) != bit, self.trace.leader != self.trace.leader[bit]
            stack.append((chosen, candidates & unlike, dropped & unlike, bound, loss))
            stack.append((np.append(chosen, bit), candidates & others, dropped & others, bound, loss))
        if stack:
            raise Refuted(f"the trace ends with {len(stack)} nodes open.")

    def _useless(self, gain: Vector, chosen: Any) -> tuple[Any, Any, Vector]:
        """Return which bits gain nothing with any others, which of them by a hair, and what dropping each may cost."""
        promised = gain + self.promise
        largest = np.abs(self.linear) + np.abs(self.couplings[:, chosen]).sum(axis=1) + self.promise
        hair = 2 * (self.linear.size + 4) * EPS * largest
        cost = np.maximum(promised + 4 * EPS * (np.abs(gain) + self.promise), 0.0)
        return promised <= hair, np.abs(promised) <= hair, cost

    def _most(self, gain: Vector, candidates: Any, wanted: int | None) -> float:
        """Return what adding candidates can gain at the most, so many or any number; -inf if there are too few."""
        (free,) = np.nonzero(candidates)
        if wanted is not None and not 0 <= wanted <= free.size:
            return -np.inf
        if wanted == 0 or not free.size:
            return 0.0
        pairs = self.couplings[np.ix_(free, free)].copy()
        np.fill_diagonal(pairs, np.inf)
        smallest = np.concatenate([np.zeros((free.size, 1)), np.sort(pairs, axis=1)[:, :-1] / 2], axis=1)
        taken = np.cumsum(smallest, axis=1, dtype=LONG)
        largest = np.abs(gain[free, None]) + np.cumsum(np.abs(smallest), axis=1)
        terms = (gain[free, None] - taken).astype(float)
        terms += 2 * EPS * np.abs(terms) + 2 * (free.size + 2) * LONG_EPS * largest
        terms = -np.sort(-terms, axis=0)
        totals = np.diagonal(np.cumsum(terms, axis=0, dtype=LONG)).astype(float)
        totals = totals + 2 * EPS * np.abs(totals)
        totals += 2 * (free.size + 2) * LONG_EPS * np.diagonal(np.cumsum(np.abs(terms), axis=0))
        return float(np.maximum(totals.max(), 0.0) if wanted is None else totals[wanted - 1])
