"""Branch and bound: coefficients and a first solution flow in, the best one and a bound flow out.

The state is a stack of levels, one per chosen bit. A level holds the gain of every bit given the bits chosen
above it, and which bits are still candidates; a branch includes the candidate of the largest gain, and when
the search comes back to the level, that candidate is excluded there.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def gain_bound(gain, alive, couplings, order, wanted, submodular, members, pointer, value, scratch):
    """Return an upper bound on what adding candidates can gain.

    Adding a set T gains ``sum_j (gain_j - 1/2 sum_{l in T} couplings_jl)``, and for ``t = |T|`` the inner sum is
    at least that of the t - 1 smallest couplings to candidates: so the t largest such terms bound it. It is
    maximised over t, or taken at ``t = wanted`` where ``wanted`` >= 0.
    """
    n = gain.size
    count = 0
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


@njit(cache=True, nogil=True)
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
    best_x = start.copy()
    depth_limit = n if k < 0 else k
    gain = np.empty((depth_limit + 1, n))
    alive = np.empty((depth_limit + 1, n), dtype=np.bool_)
    value = np.zeros(depth_limit + 1)
    chosen = np.zeros(depth_limit + 1, dtype=np.int64)
    upper = np.full(depth_limit + 1, -np.inf)
    members = np.empty(n, dtype=np.int64)
    pointer = np.empty(n, dtype=np.int64)
    terms = np.empty(n)
    scratch = np.empty(n)
    promise = np.zeros(n)
    submodular = True
    for i in range(n):
        gain[0, i] = -linear[i]
        alive[0, i] = True
        for j in range(n):
            if couplings[i, j] < 0.0:
                promise[i] -= couplings[i, j]
                submodular = False
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
