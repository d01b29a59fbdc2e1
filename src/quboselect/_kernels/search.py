"""Tabu search: a QUBO in whole numbers and a start flow in, a bit vector of lower energy flows out.

The state of a search is ``x`` (uint8) and ``gains`` (int64): what flipping each bit would add to the energy.
Energies are integers (the caller scales the coefficients), because integer sums are exact: a gain that was
updated a million times is still the right one, the result is the same on every machine, and the arg-min loops
vectorise. Sums of all coefficients must stay below 2**60, so that ``FAR`` is out of reach.

A step takes the best flip if it lowers the energy, else the best of all flips and swaps (a one for a zero).
The number of ones stays between two limits; where they meet, at exactly k ones, only swaps are left.
"""

import numpy as np
from numba import njit

from .rng import below

FAR = np.int64(2**61)


@njit(cache=True, nogil=True)
def start_gains(linear, couplings, x, gains):
    """Fill ``gains`` for ``x`` and return its energy."""
    n = linear.size
    twice = np.int64(0)
    for i in range(n):
        gains[i] = linear[i]
    for j in range(n):
        if x[j]:
            row = couplings[j]
            for i in range(n):
                gains[i] += row[i]
    for i in range(n):
        if x[i]:
            twice += gains[i] + linear[i]
            gains[i] = -gains[i]
    return twice // 2


@njit(cache=True, nogil=True)
def flip(couplings, x, gains, i):
    """Flip bit i and bring the gains up to date."""
    row = couplings[i]
    added = np.int64(x[i])
    for j in range(x.size):
        # -1 where the sign of the coupling turns: (c ^ -1) + 1 is -c, without a branch or a product.
        turned = -(np.int64(x[j]) ^ added)
        gains[j] += (row[j] ^ turned) - turned
    x[i] = 1 - x[i]
    gains[i] = -gains[i]


@njit(cache=True, nogil=True)
def best_flip(x, gains, until, step, barred, enough):
    """Return the bit of the lowest gain, and the gain: of all if that is below ``enough``, else of the free.

    Bits whose value is ``barred`` are never flipped. Without a free bit, the first is -1.
    """
    lowest = FAR
    lowest_free = FAR
    for i in range(gains.size):
        gain = FAR if x[i] == barred else gains[i]
        lowest = min(lowest, gain)
        lowest_free = min(lowest_free, gain if until[i] <= step else FAR)
    at_once = lowest < enough
    if not at_once:
        lowest = lowest_free
    for i in range(gains.size):
        if gains[i] == lowest and x[i] != barred and (at_once or until[i] <= step):
            return i, lowest
    return -1, FAR


@njit(cache=True, nogil=True)
def best_swap(couplings, highest, x, gains, until, step, keys, limit):
    """Return the one to drop, the zero to add and the gain of the best swap, if it is below ``limit``.

    Without one, the first two are -1. ``highest[i]`` is the largest coupling of bit i: it bounds what the
    best partner of i can bring, and most rows are skipped by it.
    """
    n = gains.size
    nearest = FAR
    for j in range(n):
        keys[j] = gains[j] if x[j] == 0 and until[j] <= step else FAR
        nearest = min(nearest, keys[j])
    out, into, lowest = -1, -1, limit
    if nearest == FAR:
        return out, into, lowest
    for i in range(n):
        if x[i] == 0 or until[i] > step or gains[i] + nearest - highest[i] >= lowest:
            continue
        row = couplings[i]
        below_i = FAR
        for j in range(n):
            below_i = min(below_i, keys[j] - row[j])
        if gains[i] + below_i < lowest:
            lowest = gains[i] + below_i
            for j in range(n):
                if keys[j] - row[j] == below_i:
                    out, into = i, j
                    break
    return out, into, lowest


@njit(cache=True, nogil=True)
def tabu_rows(linear, couplings, highest, rows, fewest, most, patience, steps, stay, away, seeds, energies):
    """Improve each row of bits in place by tabu search, and fill in the energies.

    Parameters
    ----------
    linear, couplings : int64 arrays of shape (n,) and (n, n)
    highest : int64 array of shape (n,)
        The largest coupling of each bit, zero at least.
    rows : uint8 array of shape (m, n)
    fewest, most : int
        Limits on the number of ones; the rows keep to them already.
    patience, steps : int
        Stop after so many steps without a new best, or in all.
    stay, away : int64 arrays of shape (m,)
        For how many steps a bit that was added must stay, and one that was dropped stay away; up to twice as
        many, by chance.
    seeds : uint64 array of shape (m,)
    energies : int64 array of shape (m,)
    """
    n = linear.size
    gains = np.empty(n, np.int64)
    keys = np.empty(n, np.int64)
    until = np.empty(n, np.int64)
    best = np.empty(n, np.uint8)
    for r in range(rows.shape[0]):
        x = rows[r]
        state = seeds[r : r + 1].copy()
        energy = start_gains(linear, couplings, x, gains)
        ones = np.int64(0)
        for bit in x:
            ones += bit
        until[:] = 0
        best[:] = x
        best_energy = energy
        last = 0
        for step in range(1, steps + 1):
            if step - last > patience:
                break
            first, second, gain = -1, -1, FAR
            if fewest < most:
                barred = 0 if ones == most else 1 if ones == fewest else 2
                # Only a new best overrules the tabu list.
                first, gain = best_flip(x, gains, until, step, barred, best_energy - energy)
            if gain >= 0:
                drop, add, change = best_swap(couplings, highest, x, gains, until, step, keys, gain)
                if add >= 0:
                    first, second, gain = drop, add, change
            if first < 0:
                continue
            energy += gain
            for i in (first, second):
                if i >= 0:
                    least = away[r] if x[i] else stay[r]
                    until[i] = step + 1 + least + below(state, least + 1)
                    ones += 1 - 2 * np.int64(x[i])
                    flip(couplings, x, gains, i)
            if energy < best_energy:
                best_energy = energy
                best[:] = x
                last = step
        x[:] = best
        energies[r] = best_energy
