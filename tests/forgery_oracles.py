"""Certificates of every kind, every way of tampering with them at random, and minima in exact arithmetic."""

import copy
import dataclasses
import itertools
from fractions import Fraction

import numpy as np

from quboselect import QUBO, Solutions, proof
from quboselect.proof import core, tree
from quboselect.proof.certificate import Apart, Certificate, Copies, Dual, Further, Node, Outside, Step, Trace
from quboselect.solvers import BranchAndBound, Portfolio, portfolio

KINDS = ("relaxation", "relaxation at k", "trace", "trace at k", "outside", "apart", "list", "copies")
PARTS = (Certificate, Copies, Dual, Further, Node, Outside, Step, Trace, proof.cuts.Cuts)
ODD = (np.nan, np.inf, -np.inf, -1.0, 0.0, 0.5, 1.0, 2.0, 1e20, -1e20, 1e300, 1e-300)


def exact_energies(qubo, k=None, apart=None):
    """Return the energies of bit vectors, of k ones or all, by their index as whole numbers, and the unit of these.

    Bit 0 is the lowest of an index. Where others are given, only bit vectors count that are apart from them.
    """
    ratios = [Fraction(v) for v in (*qubo.linear.tolist(), *qubo.couplings.ravel().tolist())]
    unit = max(ratio.denominator for ratio in ratios)
    whole = [int(ratio * unit) for ratio in ratios]
    linear, couplings = whole[: qubo.size], whole[qubo.size :]
    if k is not None:
        found = {}
        for ones in itertools.combinations(range(qubo.size), k):
            if apart is not None and any(row[list(ones)].sum() > k - apart.different for row in apart.rows):
                continue
            pairs = sum(couplings[i * qubo.size + j] for i, j in itertools.combinations(ones, 2))
            found[sum(1 << i for i in ones)] = sum(linear[i] for i in ones) + pairs
        return found, unit
    energies = [0]
    for i in range(qubo.size):
        fields = [linear[i]]
        for j in range(i):
            fields += [field + couplings[i * qubo.size + j] for field in fields]
        energies += [energy + field for energy, field in zip(energies, fields, strict=True)]
    return dict(enumerate(energies)), unit


def index_of(x):
    return sum(1 << int(i) for i in np.flatnonzero(x))


def bits_of(index, size):
    return np.array([bool(index >> i & 1) for i in range(size)])


def best_first(qubo, k, apart, m):
    """Return up to m bit vectors, each the best of those that are apart from some others and from all before it."""
    found = []
    energies, _ = exact_energies(qubo, k, apart)
    for index in sorted(energies, key=energies.__getitem__):
        x = bits_of(index, qubo.size)
        if len(found) < m and all((x & ~other).sum() >= apart.different for other in found):
            found.append(x)
    return found


def exact_excess(qubo, x, k=None, apart=None):
    """Return how far a bit vector is above the minimum, of every size or of k ones, in tolerances.

    Where the energy has no digits left for the tolerance, its rounding takes the place of this.
    """
    energies, unit = exact_energies(qubo, k, apart)
    above = Fraction(energies[index_of(x)] - min(energies.values()), unit)
    return float(above / Fraction(granted(qubo, x))) if above else 0.0


def granted(qubo, x):
    """Return by how much a claim about a bit vector may be off."""
    size = QUBO(np.abs(qubo.linear), np.abs(qubo.couplings)).energy(x)
    return max(qubo.tolerance, (2 * int(np.sum(x)) + 32) * float(np.finfo(float).eps) * size)


def small_problem(seed, n=None):
    """Return a QUBO of few bits: of both signs, with twins, with huge costs, with terms about the tolerance."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 10)) if n is None else n
    linear, pairs = -rng.uniform(0.0, 2.0, n), rng.uniform(0.0, 1.0, (n, n)) * rng.choice([0.2, 1.0, 3.0])
    kind = seed % 6
    if kind == 1:
        pairs = rng.normal(size=(n, n))
    if kind == 2:
        linear, pairs = np.round(linear), np.round(2 * pairs)
    if kind == 3:
        same = rng.integers(0, max(1, n // 2), n)
        linear, pairs = linear[same], (pairs + pairs.T)[np.ix_(same, same)]
    if kind == 4:
        linear[rng.random(n) < 0.3] = rng.choice([1e3, 1e6, 1e12])
    if kind == 5:
        pairs *= rng.random((n, n)) < 0.4
        linear[1:] *= 10.0 ** rng.uniform(-10, 0, n - 1)
    pairs = np.triu(pairs, 1) + np.triu(pairs, 1).T
    scale = float(rng.choice([1.0, 1.0, 1e-6, 1e4]))
    return QUBO(scale * linear, scale * pairs)


def of_distinct(linear, couplings, own, at):
    """Return the QUBO of bits, each of which is one of some distinct ones; two of the same couple by its own."""
    pairs, same = couplings[np.ix_(at, at)], at[:, None] == at
    pairs[same] = np.broadcast_to(own[at], pairs.shape)[same]
    np.fill_diagonal(pairs, 0.0)
    return QUBO(linear[at], pairs)


def some_distinct(rng, d):
    """Return energies, couplings, and couplings of two copies, some of which are below zero."""
    couplings = rng.random((d, d)) * rng.choice([0.1, 1.0]) - rng.choice([0.0, 0.3])
    own = rng.random(d) * rng.choice([0.2, 1.0, 2.0]) - rng.choice([0.0, 0.1])
    return -rng.random(d) * rng.choice([1.0, 3.0]), (couplings + couplings.T) / 2, own


def copied_problem(seed, most=11):
    """Return a QUBO with copies."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 6))
    return of_distinct(*some_distinct(rng, d), rng.integers(0, d, int(rng.integers(d, most + 1))))


def tiny_terms(seed):
    """Return a QUBO of one term of 1 and up to seven of at most 1.5 tolerances."""
    rng = np.random.default_rng(seed)
    linear = np.append(-1.0, -rng.uniform(0.0, 1.5e-9, int(rng.integers(1, 8))))
    n = linear.size
    return QUBO(linear[rng.permutation(n)], np.zeros((n, n)))


def certified(kind, seed):
    """Return a QUBO, solutions with a certificate of a kind, k and apart; call `small_trees` before."""
    rng = np.random.default_rng(seed)
    of_others = kind in ("apart", "list")
    if kind == "outside" or (of_others and seed % 5 == 0):
        n, k = 24, int(rng.integers(2, 4))
        weight = rng.random(n) ** 3
        shared = np.triu(np.minimum.outer(weight, weight) * rng.random((n, n)), 1)
        qubo = QUBO(-(k - 1) * weight, shared + shared.T)
    elif of_others:
        qubo = small_problem(seed, int(rng.integers(4, 13)))
        k = int(rng.integers(1, min(qubo.size, 5)))
    elif kind == "copies":
        qubo = copied_problem(seed)
        k = int(rng.integers(1, qubo.size + 1))
    else:
        qubo = small_problem(seed)
        k = int(rng.integers(0, qubo.size + 1)) if kind.endswith("at k") else None
    apart = some_apart(qubo, k, rng) if of_others else None
    return qubo, proven(kind, qubo, k, 4e7 if seed % 4 == 3 else 1e10, apart), k, apart


def some_apart(qubo, k, rng):
    """Return what is to be apart from the best of k ones, from the next best too, or from any; some other is left."""
    for different in (int(rng.integers(1, min(k, 3) + 1)), 1):
        nothing = Apart(np.zeros((0, qubo.size), bool), different)
        rows = best_first(qubo, k, nothing, int(rng.integers(1, 4)))
        if rng.random() < 0.3:
            rows = [np.isin(np.arange(qubo.size), rng.permutation(qubo.size)[:k])]
        for count in range(len(rows), 0, -1):
            apart = Apart(np.array(rows[:count]), different)
            if exact_energies(qubo, k, apart)[0]:
                return apart
    raise AssertionError("besides one of k ones there is another")


def proven(kind, qubo, k, work=1e10, apart=None):
    """Return solutions of a QUBO with a certificate of a kind."""
    if kind.startswith("trace"):
        return BranchAndBound(k=k)(qubo)
    if kind == "copies":
        return Portfolio(k=k, effort=work / portfolio.WORK, n_jobs=1)(qubo)
    if kind in ("apart", "list"):
        # What is proven by neighbours of those after it comes first of three, and the tree is about the last.
        first, *after = best_first(qubo, k, apart, 3 if kind == "list" else 1)
        further = np.array([first, *after][:-1], bool).reshape(-1, qubo.size)
        others = Apart(np.vstack([apart.rows, further]), apart.different)
        found = proof.prove(qubo, [first, *after][-1], k=k, work=work, apart=others)
        bound, tree = min(found.bound, float(qubo.energy(first))), found.certificate.tree
        certificate = Certificate(bound, k, Further(further, tree) if kind == "list" else tree)
        return Solutions.of(qubo, first, bound=bound, info={"certificate": certificate})
    x = np.zeros(qubo.size, bool)
    x[: k or 0] = True
    if kind == "outside":
        # From a poor start a core is soon everything.
        x = BranchAndBound(k=k)(qubo).best
    found = proof.prove(qubo, x, k=k, work=work)
    return Solutions.of(qubo, found.x, bound=found.bound, info={"certificate": found.certificate})


def small_trees(put=setattr):
    """Leave nothing to enumeration, start from cores of a few bits or nearly all, and look for copies first."""
    put(tree, "TINY", 1)
    put(portfolio, "FEW", 0)
    put(tree, "LARGE", 12)
    put(core, "CORE", 6)
    put(core, "HALF", 0.99)
    put(core, "JOIN", 3)


def false_claims(kind, qubo, solutions, k, rng, apart=None):
    """Return solutions that claim that one of the next best bit vectors is optimal, if there is one.

    The first have the certificate of the true claim, the others one of a QUBO of which the false claim is true.
    """
    energies, unit = exact_energies(qubo, k, apart)
    lowest = min(energies.values())
    above = Fraction(10001, 10000) * Fraction(granted(qubo, solutions.best))
    worse = sorted(
        (index for index, energy in energies.items() if Fraction(energy - lowest, unit) > above),
        key=energies.__getitem__,
    )
    if not worse:
        return []
    chosen = worse[int(rng.integers(0, min(4, len(worse))))]
    x = bits_of(chosen, qubo.size)[None]
    energy = qubo.energy(x[0])
    # Enough for this bit vector to be the best one there.
    push = 2 * (energy - float(solutions.energy[0])) * np.where(x[0], -1.0, 1.0)
    other = proven(kind, QUBO(qubo.linear + push, qubo.couplings), k, apart=apart)
    certificates = (solutions.info["certificate"], other.info["certificate"])
    return [
        Solutions(x, [energy], [1], energy, {"certificate": dataclasses.replace(certificate, bound=energy)})
        for certificate in certificates
    ]


def slots(part, put=None):
    """Yield (value, put) of everything within a certificate, ``put(value)`` puts another in its place."""
    if put is not None:
        yield part, put
    if isinstance(part, PARTS):
        for field in dataclasses.fields(part):
            if field.name not in ("bound", "center", "curvature"):
                yield from slots(
                    getattr(part, field.name),
                    lambda value, name=field.name: object.__setattr__(part, name, value),
                )
    elif isinstance(part, list | tuple):
        for at in range(len(part)):

            def put_one(value, at=at):
                changed = [*part[:at], value, *part[at + 1 :]]
                put(changed if isinstance(part, list) else tuple(changed))

            yield from slots(part[at], put_one)


def tampered(certificate, rng, times=1):
    """Return a copy of a certificate with some things changed at random, and which."""
    forged = copy.deepcopy(certificate)
    told = []
    # Listed once: what is put in may close a circle.
    every = list(slots(forged))
    weights = np.array([4.0 if isinstance(value, np.ndarray) else 1.0 for value, _ in every])
    for _ in range(times):
        value, put = every[rng.choice(len(every), p=weights / weights.sum())]
        other = every[int(rng.integers(len(every)))][0]
        new = _changed(value, rng, other)
        told.append(f"{type(value).__name__} to {type(new).__name__}")
        put(new)
    return forged, told


def _one(rng, *values):
    return values[int(rng.integers(len(values)))]


def _changed(value, rng, other):
    if rng.random() < 0.05:
        return other
    if rng.random() < 0.05:
        return _one(rng, None, "x", 1.5, np.zeros(0), [], {}, 7, -1, True, np.array("x"), np.array(None))
    if isinstance(value, np.ndarray):
        return _changed_array(value.copy(), rng)
    if isinstance(value, str):
        return _one(rng, "bound", "flip", "enumerate", "infeasible", "near", "branch", "open", "?")
    if isinstance(value, int):
        return _one(rng, value + 1, value - 1, 0, 10**30, float(value), np.int8(3), None)
    if isinstance(value, float):
        return _one(rng, *ODD, value * 2, -value, value + rng.normal(), np.float32(value), 10**400)
    if isinstance(value, list | tuple) and len(value):
        at, kind = int(rng.integers(len(value))), type(value)
        fewer, more = [*value[:at], *value[at + 1 :]], [*value, value[at]]
        return kind(_one(rng, fewer, more, value[::-1], [value[at]] * len(value)))
    return other if value is None else None


def _changed_array(array, rng):
    if not array.size:
        return _one(rng, np.zeros(1, array.dtype), np.zeros((1, 1)), array.astype(float), array.reshape(-1))
    flat = array.reshape(-1)
    spot = rng.integers(flat.size, size=int(rng.integers(1, 3)))
    way = int(rng.integers(14))
    if way < 5:
        if array.dtype.kind == "f":
            flat[spot] = (
                rng.choice(ODD) if way < 3 else flat[spot] + rng.normal() * 10.0 ** rng.integers(-12, 3)
            )
        elif array.dtype.kind in "iu":
            flat[spot] = rng.integers(-3, 14)
        elif array.dtype.kind == "b":
            # Another bit in place of a one, so that a row keeps its ones.
            row = array[int(rng.integers(len(array)))] if array.ndim > 1 else flat
            row[:] = ~row if way < 1 else rng.permutation(row)
        return array
    if way == 5:
        if array.dtype.kind == "b":
            return ~array
        return array * (rng.choice([0, 0.5, 2, 1e10, -1]) if array.dtype.kind == "f" else 2)
    if way == 6:
        return array[:1]
    if way == 7:
        return array[:-1]
    if way == 8:
        return np.concatenate([array, array[-1:]])
    if way == 9:
        return rng.permutation(array)
    if way == 10:
        with np.errstate(all="ignore"):
            return array.astype(_one(rng, float, int, bool, object, np.float16, np.complex128))
    if way == 11:
        return array[..., None]
    if way == 12:
        return array.T.copy() if array.ndim > 1 else array[::-1].copy()
    return np.zeros_like(array)
