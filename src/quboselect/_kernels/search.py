"""The kernels that search: tabu search, and branch and bound.

**Tabu search** takes a QUBO in whole numbers and a start, and returns a bit vector of lower energy.

The state of a search is ``x`` (uint8) and ``gains`` (int64): what flipping each bit would add to the energy.
Energies are integers (the caller scales the coefficients), because integer sums are exact: a gain that was
updated a million times is still the right one, the result is the same on every machine, and the arg-min loops
vectorise. Sums of all coefficients must stay below 2**60, so that ``FAR`` is out of reach.

A step takes the best flip if it lowers the energy, else the best of all flips and swaps (a one for a zero).
The number of ones stays between two limits; where they meet, at exactly k ones, only swaps are left. Of each of some
sets of bits only so many may be ones: ``sets`` has a binary digit for each set that a bit is in, ``room`` says how many
more each set may have, and where a set has no room a bit of it comes in only if another goes.

**Branch and bound** takes coefficients and a first solution, and returns the best one and a bound.

The state is a stack of levels, one per chosen bit. A level holds the gain of every bit given the bits chosen
above it, and which bits are still candidates; a branch includes the candidate of the largest gain, and when
the search comes back to the level, that candidate is excluded there.
"""

import numpy as np

from .compiling import kernel
from .rng import below

FAR = np.int64(2**61)
BEYOND = np.int64(2**60)  # any change is below
NONE = np.uint64(0)


@kernel
def copy(values, out):
    """Copy values; an assignment of slices would compile, for seconds, the words of an error that cannot happen."""
    for i in range(values.size):
        out[i] = values[i]


@kernel
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


@kernel
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


@kernel
def fullness(room):
    """Return the binary digits of the sets that have no room."""
    full = NONE
    for s in range(room.size):
        if room[s] <= 0:
            full |= np.uint64(1) << np.uint64(s)
    return full


@kernel
def best_flip(x, gains, until, step, barred, enough, sets, full):
    """Return the bit of the lowest gain, and the gain: of all if that is below ``enough``, else of the free.

    Bits whose value is ``barred`` are never flipped, and zeros of sets that are full never come in. Without a free bit,
    the first is -1.
    """
    lowest = FAR
    lowest_free = FAR
    for i in range(gains.size):
        kept = (x[i] == barred) | ((x[i] == 0) & ((sets[i] & full) != NONE))
        gain = FAR if kept else gains[i]
        lowest = min(lowest, gain)
        lowest_free = min(lowest_free, gain if until[i] <= step else FAR)
    at_once = lowest < enough
    if not at_once:
        lowest = lowest_free
    for i in range(gains.size):
        kept = (x[i] == barred) | ((x[i] == 0) & ((sets[i] & full) != NONE))
        if gains[i] == lowest and not kept and (at_once or until[i] <= step):
            return i, lowest
    return -1, FAR


@kernel
def best_swap(couplings, highest, x, gains, until, step, keys, limit, sets, full):
    """Return the one to drop, the zero to add and the gain of the best swap, if it is below ``limit``.

    Without one, the first two are -1. ``highest[i]`` is the largest coupling of bit i: it bounds what the
    best partner of i can bring, and most rows are skipped by it. The zero is of no full set that the one is not of.
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
        others = full & ~sets[i]
        if others == NONE:
            for j in range(n):
                below_i = min(below_i, keys[j] - row[j])
        else:
            for j in range(n):
                below_i = min(below_i, keys[j] - row[j] if (sets[j] & others) == NONE else FAR)
        # All zeros that are free may be of full sets.
        if below_i < BEYOND and gains[i] + below_i < lowest:
            lowest = gains[i] + below_i
            for j in range(n):
                if keys[j] - row[j] == below_i and (sets[j] & others) == NONE:
                    out, into = i, j
                    break
    return out, into, lowest


@kernel("i8[::1] i8[:,::1] i8[::1] u1[:,::1] i8 i8 u8[::1] i8[::1] i8 i8 i8[::1] i8[::1] u8[::1] i8[::1]")
def tabu_rows(
    linear,
    couplings,
    highest,
    rows,
    fewest,
    most,
    sets,
    limits,
    patience,
    steps,
    stay,
    away,
    seeds,
    energies,
):
    """Improve each row of bits in place by tabu search, and fill in the energies.

    Parameters
    ----------
    linear, couplings : int64 arrays of shape (n,) and (n, n)
    highest : int64 array of shape (n,)
        The largest coupling of each bit, zero at least.
    rows : uint8 array of shape (m, n)
    fewest, most : int
        Limits on the number of ones; the rows keep to them already.
    sets : uint64 array of shape (n,)
        A binary digit for each set that a bit is in.
    limits : int64 array of shape (sets,)
        How many ones each set may have; the rows keep to them already.
    patience, steps : int
        Stop after this many steps without a new best, or in all.
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
    room = np.empty(limits.size, np.int64)
    for r in range(rows.shape[0]):
        x = rows[r]
        state = seeds[r : r + 1].copy()
        energy = start_gains(linear, couplings, x, gains)
        ones = np.int64(0)
        for bit in x:
            ones += bit
        for s in range(room.size):
            room[s] = limits[s]
            for i in range(n):
                if x[i]:
                    room[s] -= np.int64((sets[i] >> np.uint64(s)) & np.uint64(1))
        full = fullness(room)
        until[:] = 0
        copy(x, best)
        best_energy = energy
        last = 0
        for step in range(1, steps + 1):
            if step - last > patience:
                break
            first, second, gain = -1, -1, FAR
            if fewest < most:
                barred = 0 if ones == most else 1 if ones == fewest else 2
                # Only a new best overrules the tabu list.
                first, gain = best_flip(x, gains, until, step, barred, best_energy - energy, sets, full)
            if gain >= 0:
                drop, add, change = best_swap(
                    couplings, highest, x, gains, until, step, keys, gain, sets, full
                )
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
                    for s in range(room.size):
                        if (sets[i] >> np.uint64(s)) & np.uint64(1):
                            room[s] += 2 * np.int64(x[i]) - 1
                    flip(couplings, x, gains, i)
            full = fullness(room)
            if energy < best_energy:
                best_energy = energy
                copy(x, best)
                last = step
        copy(best, x)
        energies[r] = best_energy


@kernel
def sum_of_largest(values, count, wanted):
    """Return the sum of the ``wanted`` largest of the first ``count`` values, which it reorders."""
    left = 0
    right = count - 1
    while left < right:
        pivot = values[(left + right) >> 1]
        i = left
        j = right
        while i <= j:
            while values[i] > pivot:
                i += 1
            while values[j] < pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if wanted - 1 <= j:
            right = j
        elif wanted - 1 >= i:
            left = i
        else:
            break
    total = 0.0
    for i in range(wanted):
        total += values[i]
    return total


@kernel
def gain_bound(gain, alive, couplings, order, wanted, submodular, members, pointer, value, scratch):
    """Return an upper bound on what adding candidates can gain.

    Adding a set T gains ``sum_j (gain_j - 1/2 sum_{l in T} couplings_jl)``, and for ``t = |T|`` the inner sum is
    at least that of the t - 1 smallest couplings to candidates: so the t largest such terms bound it. It is
    maximised over t, or taken at ``t = wanted`` where ``wanted`` >= 0.
    """
    n = gain.size
    # A plain 0 is a type of its own, for which all that is called would be compiled once more.
    count = np.int64(0)
    for j in range(n):
        if alive[j]:
            members[count] = j
            pointer[count] = 0
            value[count] = gain[j]
            count += 1
    if wanted > count:
        return -np.inf
    if wanted == 0:
        return 0.0
    best = 0.0 if wanted < 0 else -np.inf
    last = count if wanted < 0 else wanted
    for t in range(1, last + 1):
        if t > 1:
            for c in range(count):
                j = members[c]
                p = pointer[c]
                while not alive[order[j, p]] or order[j, p] == j:
                    p += 1
                value[c] -= 0.5 * couplings[j, order[j, p]]
                pointer[c] = p + 1
        if wanted >= 0:
            if t < wanted:
                continue
            for c in range(count):
                scratch[c] = value[c]
            return sum_of_largest(scratch, count, t)
        positive = 0
        for c in range(count):
            scratch[c] = value[c]
            if value[c] > 0.0:
                positive += 1
        total = sum_of_largest(scratch, count, t)
        best = max(best, total)
        # With no negative coupling the terms only fall as t grows, and so does a sum that holds negative ones.
        if submodular and positive <= t:
            break
    return best


@kernel("f8[::1] f8[:,::1] i8[:,::1] i8[::1] b1[::1] f8 i8 f8 i4[::1]")
def branch_and_bound(linear, couplings, order, leader, start, start_value, k, slack, trace):
    """Return (x, value, bound, nodes, closed): values are energies with the sign turned, to be maximised.

    Bits of one ``leader`` can be exchanged for each other, so that what holds without one holds without the next.
    ``start`` is a solution of value ``start_value``, or -inf for none. ``k`` < 0 admits every size. Nodes that
    cannot beat the best value by more than ``slack`` are cut. ``bound`` is an upper bound on the maximum.
    ``trace`` has room for the nodes that may be looked at, and receives the tree: for each node, depth first and
    inclusion first, the bit it branches on, or -1 where it ends.
    """
    n = linear.size
    best = start_value
    best_x = np.empty(n, np.bool_)
    copy(start, best_x)
    depth_limit = n if k < 0 else k
    gain = np.empty((depth_limit + 1, n))
    alive = np.empty((depth_limit + 1, n), dtype=np.bool_)
    value = np.zeros(depth_limit + 1)
    chosen = np.zeros(depth_limit + 1, dtype=np.int64)
    upper = np.empty(depth_limit + 1)
    upper[:] = -np.inf
    members = np.empty(n, dtype=np.int64)
    pointer = np.empty(n, dtype=np.int64)
    terms = np.empty(n)
    scratch = np.empty(n)
    promise = np.zeros(n)
    negative = np.int64(0)
    for i in range(n):
        gain[0, i] = -linear[i]
        alive[0, i] = True
        for j in range(n):
            if couplings[i, j] < 0.0:
                promise[i] -= couplings[i, j]
                negative += 1
    submodular = negative == 0
    depth = 0
    nodes = 0
    while depth >= 0:
        if nodes >= trace.size:
            bound = best
            for d in range(depth + 1):
                bound = max(bound, upper[d])
            if nodes == 0:
                bound = np.inf
            return best_x, best, bound, nodes, False
        if k < 0:
            # A bit that cannot gain here, nor with any bit it is coupled to, never will further down.
            for j in range(n):
                if alive[depth, j] and gain[depth, j] + promise[j] <= 0.0:
                    alive[depth, j] = False
        if (k < 0 or depth == k) and value[depth] > best:
            best = value[depth]
            best_x[:] = False
            for d in range(depth):
                best_x[chosen[d]] = True
        wanted = -1 if k < 0 else k - depth
        ceiling = value[depth] + gain_bound(
            gain[depth],
            alive[depth],
            couplings,
            order,
            wanted,
            submodular,
            members,
            pointer,
            terms,
            scratch,
        )
        # A level narrows as bits are excluded, so an earlier bound of it stays valid.
        upper[depth] = ceiling if upper[depth] == -np.inf else min(upper[depth], ceiling)
        pick = -1
        if wanted != 0 and upper[depth] > best + slack:
            for j in range(n):
                if alive[depth, j] and (pick < 0 or gain[depth, j] > gain[depth, pick]):
                    pick = j
        trace[nodes] = pick
        nodes += 1
        if pick < 0:
            depth -= 1
            continue
        chosen[depth] = pick
        alive[depth, pick] = False
        value[depth + 1] = value[depth] + gain[depth, pick]
        upper[depth + 1] = upper[depth]
        for j in range(n):
            gain[depth + 1, j] = gain[depth, j] - couplings[pick, j]
            alive[depth + 1, j] = alive[depth, j]
        for j in range(n):
            if leader[j] == leader[pick]:
                alive[depth, j] = False
        depth += 1
    return best_x, best, best + slack, nodes, True
