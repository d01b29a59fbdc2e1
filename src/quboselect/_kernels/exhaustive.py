"""Every subset in Gray code order: the best subset of each block.

A block fixes the high bits and walks the low ones. When bit i flips in a reflected Gray code, the bits below it
are all zero but its neighbour, so one running field per bit, of the higher bits only, is enough, and a
step costs two additions on average, for every n.
"""

import numpy as np

from .compiling import kernel


@kernel("u8 u8")
def precedes(a, b):
    """Return whether subset a goes before b on a tie: fewer ones, then lower indices. Masks of bits."""
    ones_a = 0
    ones_b = 0
    difference = a ^ b
    lowest = difference & (~difference + np.uint64(1))
    lower = (a & lowest) != 0
    while a:
        a &= a - np.uint64(1)
        ones_a += 1
    while b:
        b &= b - np.uint64(1)
        ones_b += 1
    return ones_a < ones_b or (ones_a == ones_b and lower)


@kernel
def mask_energy(linear, couplings, mask):
    """Return the energy of one subset, summed over its own bits alone, and what rounding took from it."""
    n = linear.size
    one = np.uint64(1)
    energy = 0.0
    lost = 0.0
    for i in range(n):
        if (mask >> np.uint64(i)) & one:
            for j in range(i + 1):
                if (mask >> np.uint64(j)) & one:
                    term = couplings[i, j] if j < i else linear[i]
                    total = energy + term
                    added = total - energy
                    lost += (energy - (total - added)) + (term - added)
                    energy = total
    total = energy + lost
    return total, lost - (total - energy)


@kernel("f8[::1] f8[:,::1] i8 i8 i8 i8 f8 f8")
def gray_minimum(linear, couplings, low, first, last, k, tolerance, drift):
    """Return (lowest energy, its rest, mask, its energy, rest, found) of subsets whose high bits are first to last - 1.

    ``low`` bits are walked in Gray code order within each block, and each block starts afresh. ``drift`` bounds the
    rounding that piles up along a block; what comes that close to the lowest is computed again from its own bits, as a
    pair (energy, rest): large couplings do not drown small differences. ``k`` < 0 admits every size.
    """
    n = linear.size
    lowest, lowest_rest = np.inf, 0.0
    chosen = np.uint64(0)
    chosen_energy, chosen_rest = np.inf, 0.0
    found = False
    field = np.empty(max(low, 1))
    one = np.uint64(1)
    for block in range(first, last):
        high = np.uint64(block) << np.uint64(low)
        energy = 0.0
        ones = 0
        for i in range(low, n):
            if (high >> np.uint64(i)) & one:
                ones += 1
                energy += linear[i]
                for j in range(low, i):
                    if (high >> np.uint64(j)) & one:
                        energy += couplings[i, j]
        for i in range(low):
            field[i] = linear[i]
            for j in range(low, n):
                if (high >> np.uint64(j)) & one:
                    field[i] += couplings[i, j]
        mask = high
        for step in range(1 << low):
            if step:
                i = 0
                rest = step
                while not rest & 1:
                    rest >>= 1
                    i += 1
                gain = field[i]
                if i:
                    gain += couplings[i, i - 1]
                bit = one << np.uint64(i)
                if mask & bit:
                    energy -= gain
                    ones -= 1
                    for j in range(i):
                        field[j] -= couplings[i, j]
                else:
                    energy += gain
                    ones += 1
                    for j in range(i):
                        field[j] += couplings[i, j]
                mask ^= bit
            if k >= 0 and ones != k:
                continue
            if energy > lowest + tolerance + drift:
                continue
            exact, rest = mask_energy(linear, couplings, mask)
            above = (exact - lowest) + (rest - lowest_rest)
            if found and above > tolerance:
                continue
            if above < 0.0:
                lowest, lowest_rest = exact, rest
            gained = (chosen_energy - lowest) + (chosen_rest - lowest_rest)
            if not found or gained > tolerance or precedes(mask, chosen):
                chosen, chosen_energy, chosen_rest = mask, exact, rest
                found = True
    return lowest, lowest_rest, chosen, chosen_energy, chosen_rest, found
