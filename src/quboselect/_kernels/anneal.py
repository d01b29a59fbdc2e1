"""Simulated annealing of a QUBO, from given starts along a schedule of betas.

Each row of starts is one read with a seed of its own. A sweep proposes n moves at one beta and takes each
with the probability of Metropolis: flips of every bit in turn or, at exactly k ones, swaps of random pairs.
After the last sweep, a read rolls downhill until no such move lowers the energy.
"""

import numpy as np

from .compiling import kernel
from .rng import below, uniform

# exp(-40) is below the resolution of the random numbers: such a move is never taken.
NEVER = 40.0


@kernel
def toggle(couplings, x, fields, i):
    """Flip bit i and bring ``fields`` (``linear + couplings @ x``) up to date."""
    row = couplings[i]
    sign = 1.0 - 2.0 * x[i]
    for j in range(x.size):
        fields[j] += sign * row[j]
    x[i] = 1 - x[i]


@kernel
def accepted(change, beta, state):
    """Return whether Metropolis takes a move that adds ``change`` to the energy."""
    return change <= 0.0 or (beta * change < NEVER and uniform(state) < np.exp(-beta * change))


@kernel("f8[::1] f8[:,::1] u1[:,::1] b1 f8[::1] u8[::1]")
def anneal_rows(linear, couplings, rows, exactly, betas, seeds):
    """Anneal each row of bits (uint8) in place; ``exactly`` keeps its number of ones.

    Parameters
    ----------
    linear, couplings : float64 arrays of shape (n,) and (n, n)
    rows : uint8 array of shape (reads, n)
    exactly : bool
    betas : float64 array of shape (sweeps,)
        Inverse temperatures, in units of one over energy.
    seeds : uint64 array of shape (reads,)
    """
    n = linear.size
    fields = np.empty(n)
    order = np.empty(n, np.int64)
    for r in range(rows.shape[0]):
        x = rows[r]
        state = seeds[r : r + 1].copy()
        for i in range(n):
            fields[i] = linear[i]
        ones = 0
        for i in range(n):
            if x[i]:
                for j in range(n):
                    fields[j] += couplings[i, j]
                order[ones] = i
                ones += 1
        zeros = ones
        for i in range(n):
            if x[i] == 0:
                order[zeros] = i
                zeros += 1
        if exactly and (ones == 0 or ones == n):
            continue
        for beta in betas:
            for i in range(n):
                if exactly:
                    a = below(state, ones)
                    b = ones + below(state, n - ones)
                    drop, add = order[a], order[b]
                    change = fields[add] - fields[drop] - couplings[drop, add]
                    if accepted(change, beta, state):
                        toggle(couplings, x, fields, drop)
                        toggle(couplings, x, fields, add)
                        order[a], order[b] = add, drop
                elif accepted((1.0 - 2.0 * x[i]) * fields[i], beta, state):
                    toggle(couplings, x, fields, i)
        # Rounding may leave two moves that undo each other both lower than zero: hence the limit on rounds.
        for _ in range(n):
            moved = False
            for i in range(n):
                if not exactly:
                    if (1.0 - 2.0 * x[i]) * fields[i] < 0.0:
                        toggle(couplings, x, fields, i)
                        moved = True
                elif x[i]:
                    add = i
                    lowest = 0.0
                    for j in range(n):
                        change = fields[j] - fields[i] - couplings[i, j]
                        if x[j] == 0 and change < lowest:
                            add, lowest = j, change
                    if add != i:
                        toggle(couplings, x, fields, i)
                        toggle(couplings, x, fields, add)
                        moved = True
            if not moved:
                break
