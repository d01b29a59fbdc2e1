"""Is any proof false? Ten thousand small random problems, each claim against enumeration, each certificate checked.

The problems are dense, sparse, with ties, with twins, with zero rows, with negative couplings, tiny and huge; a third
of them at exactly k. Nothing is left to enumeration inside the proof, work runs out at different points, and a
false claim is made of every true one, which `testing.verify` must refute. ``python benchmarks/soundness.py 500``
does fewer.
"""

import sys
import time

import numpy as np

from quboselect import QUBO, Solutions, Tradeoff, proof
from quboselect.errors import Refuted
from quboselect.proof import tree
from quboselect.proof.certificate import Certificate
from quboselect.solvers import BranchAndBound, Exhaustive, Portfolio
from quboselect.testing import verify


def problem(seed: int) -> tuple[QUBO, int | None]:
    """Return a QUBO of up to 11 bits, and k or None."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    linear, pairs = rng.random(n), rng.random((n, n)) * rng.choice([0.1, 0.5, 2.0])
    kind = seed % 6
    if kind == 1:
        pairs *= rng.random((n, n)) < 0.3
    if kind == 2:
        linear, pairs = np.round(3 * linear), np.round(2 * pairs)
    if kind == 3:
        same = rng.integers(0, n, n)
        linear, pairs = linear[same], pairs[np.ix_(same, same)]
    if kind == 4:
        dead = rng.random(n) < 0.4
        linear[dead], pairs[dead], pairs[:, dead] = 0.0, 0.0, 0.0
    pairs = np.triu(pairs, 1) + np.triu(pairs, 1).T
    if kind == 5:
        pairs = np.triu(rng.normal(size=(n, n)), 1)
        qubo = QUBO(rng.normal(size=n), pairs + pairs.T)
    else:
        qubo = Tradeoff(linear, pairs).at(float(rng.uniform(0.1, 0.98)))
    scale = float(rng.choice([1.0, 1.0, 1e-6, 1e4]))
    return QUBO(scale * qubo.linear, scale * qubo.couplings), int(
        rng.integers(0, n + 1)
    ) if seed % 3 == 0 else None


def relaxed(qubo: QUBO, k: int | None, work: float) -> Solutions:
    """Return what relaxations alone prove, from a poor start."""
    x = np.zeros(qubo.size, bool)
    x[: k or 0] = True
    found = proof.prove(qubo, x, k=k, work=work)
    return Solutions.of(qubo, found.x, bound=found.bound, info={"certificate": found.certificate})


def refuted(qubo: QUBO, samples: Solutions, seed: int) -> bool:
    """Whether a worse subset is caught that claims to be optimal with the certificate of a better one."""
    certificate = samples.info["certificate"]
    rng = np.random.default_rng(seed)
    for _ in range(20):
        x = rng.permutation(samples.best) if certificate.k is not None else rng.random(qubo.size) < 0.5
        energy = qubo.energy(x)
        if energy > samples.energy[0] + 1e6 * qubo.tolerance:
            false = Certificate(energy, certificate.k, certificate.tree)
            try:
                verify(qubo, Solutions.of(qubo, x, bound=energy, info={"certificate": false}))
            except Refuted:
                return True
            return False
    return True


def main() -> None:
    count = int(sys.argv[1]) if sys.argv[1:] else 10_000
    tree.TINY = 1
    claims = proofs = 0
    start = time.perf_counter()
    for seed in range(count):
        qubo, k = problem(seed)
        minimum = float(Exhaustive(k=k, n_jobs=1)(qubo).energy[0])
        answers = {
            "relaxation": relaxed(qubo, k, [4e7, 2e8, 1e10][seed % 3]),
            "branch and bound": BranchAndBound(k=k)(qubo),
            "portfolio": Portfolio(k=k, n_jobs=1)(qubo),
        }
        for who, samples in answers.items():
            assert samples.bound <= minimum + qubo.tolerance, f"{who} claims too much, seed {seed}"
            assert not samples.proven or samples.energy[0] <= minimum + 2 * qubo.tolerance, (
                f"{who}, seed {seed}"
            )
            assert who == "relaxation" or samples.proven, f"{who} does not prove seed {seed}"
            verify(qubo, samples)
            assert refuted(qubo, samples, seed), f"{who}: a false claim passes, seed {seed}"
            claims, proofs = claims + 1, proofs + samples.proven
    seconds = time.perf_counter() - start
    print(
        f"{count} problems, {claims} claims, {proofs} of them proofs: none false, all verified, in {seconds:.0f} s"
    )


if __name__ == "__main__":
    main()
