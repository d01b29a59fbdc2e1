"""Naive twins of the search kernels: loops that say what is meant, as slow as they like."""

import itertools

import numpy as np

from quboselect.qubo import QUBO

WORD = 2**64 - 1


def random_qubo(n, seed, *, signed=False, whole=False):
    """Return a QUBO like a feature selection, or with couplings of both signs, or with integers and ties."""
    rng = np.random.default_rng(seed)
    pairs = rng.uniform(-1.0 if signed else 0.0, 1.0, (n, n))
    linear = -rng.uniform(0.0, 2.0, n)
    if whole:
        pairs, linear = np.round(3 * pairs), np.round(linear)
    return QUBO(linear, np.triu(pairs, 1) + np.triu(pairs, 1).T)


def subsets(n, k=None):
    """Return all rows of n bits, or those of exactly k ones."""
    rows = np.array(list(itertools.product((False, True), repeat=n)))
    return rows if k is None else rows[rows.sum(axis=1) == k]


def lowest_energy(qubo, k=None):
    """Return the minimum by looking at every subset."""
    return min(naive_energy(qubo.linear, qubo.couplings, x) for x in subsets(qubo.size, k))


def naive_energy(linear, couplings, x):
    """Return ``sum_i linear_i x_i + sum_{i<j} couplings_ij x_i x_j``."""
    n = len(linear)
    energy = sum(linear[i] for i in range(n) if x[i])
    return energy + sum(couplings[i, j] for i in range(n) for j in range(i) if x[i] and x[j])


def changed(x, *bits):
    """Return x with some bits flipped."""
    y = x.copy()
    for i in bits:
        y[i] = 1 - y[i]
    return y


def naive_gains(linear, couplings, x):
    """Return the change of the energy by each flip."""
    now = naive_energy(linear, couplings, x)
    return np.array([naive_energy(linear, couplings, changed(x, i)) - now for i in range(len(x))])


class Splitmix:
    """The generator of the kernels in Python's integers."""

    def __init__(self, seed):
        self.state = int(seed)

    def next_word(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & WORD
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
        return z ^ (z >> 31)

    def uniform(self):
        return (self.next_word() >> 11) / 2**53

    def below(self, bound):
        return ((self.next_word() >> 32) * bound) >> 32


def within(x, sets):
    """Return whether a row has at most so many ones of each set, given as (members, most)."""
    return all(sum(int(x[i]) for i in members) <= most for members, most in sets)


def naive_move(linear, couplings, x, until, step, limits, best, sets=()):
    """Return (change, bits) of the move that one step of tabu search takes, or None."""
    n = len(x)
    now = naive_energy(linear, couplings, x)
    gains = naive_gains(linear, couplings, x)
    free = [i for i in range(n) if until[i] <= step]
    allowed = [
        i for i in range(n) if limits[0] <= changed(x, i).sum() <= limits[1] and within(changed(x, i), sets)
    ]
    flips = {i: (int(gains[i]), (i,)) for i in allowed}
    moves = [flips[i] for i in free if i in flips]
    if flips and now + min(flips.values())[0] < best:
        moves = [min(flips.values())]
    if moves and min(moves)[0] < 0:
        return min(moves)
    swaps = [
        (int(naive_energy(linear, couplings, changed(x, i, j)) - now), (i, j))
        for i in free
        for j in free
        if x[i] and not x[j] and within(changed(x, i, j), sets)
    ]
    flip, swap = min(moves, default=None), min(swaps, default=None)
    if flip is None or (swap is not None and swap[0] < flip[0]):
        return swap
    return flip


def naive_tabu(linear, couplings, x, limits, patience, steps, stay, away, seed, sets=()):
    """Return (x, energy) of a tabu search, everything computed afresh at each step."""
    rng = Splitmix(seed)
    until = np.zeros(len(x), int)
    best_x, best = x.copy(), naive_energy(linear, couplings, x)
    last = 0
    for step in range(1, steps + 1):
        if step - last > patience:
            break
        move = naive_move(linear, couplings, x, until, step, limits, best, sets)
        if move is None:
            continue
        for i in move[1]:
            least = away if x[i] else stay
            until[i] = step + 1 + least + rng.below(least + 1)
            x = changed(x, i)
        energy = naive_energy(linear, couplings, x)
        if energy < best:
            best_x, best, last = x.copy(), energy, step
    return best_x, best


def naive_anneal(linear, couplings, x, exactly, betas, seed):
    """Return where simulated annealing ends."""
    rng = Splitmix(seed)
    n = len(x)

    def energy_change(*bits):
        return naive_energy(linear, couplings, changed(x, *bits)) - naive_energy(linear, couplings, x)

    def taken(change, beta):
        return change <= 0 or (beta * change < 40.0 and rng.uniform() < np.exp(-beta * change))

    ones, zeros = list(np.flatnonzero(x)), list(np.flatnonzero(1 - x))
    if exactly and not (ones and zeros):
        return x
    for beta in betas:
        for i in range(n):
            if exactly:
                a, b = rng.below(len(ones)), rng.below(len(zeros))
                if taken(energy_change(ones[a], zeros[b]), beta):
                    x = changed(x, ones[a], zeros[b])
                    ones[a], zeros[b] = zeros[b], ones[a]
            elif taken(energy_change(i), beta):
                x = changed(x, i)
    moved = True
    while moved:
        moved = False
        for i in range(n):
            if not exactly:
                options = [(energy_change(i), (i,))]
            else:
                options = [(energy_change(i, j), (i, j)) for j in range(n) if x[i] and not x[j]]
            if options and min(options)[0] < 0:
                x = changed(x, *min(options)[1])
                moved = True
    return x
